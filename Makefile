# gambrel - build, measure, compare.
#
#   make deps      install what is needed (Debian; as root)
#   make           build build/gambrel
#   make report    measure this machine and compare: results/<machine>-<date>/
#   make check     run every test (SAN=1: under address and undefined sanitizers)
#   make bench     speed of the program and of its peers, as ratios in one run
#   make golden    rewrite the expected output of the golden tests; the diff is the review
#   make fuzz      explore every parser for FUZZ_SECONDS each (needs clang)
#   make lint      clang-format, clang-tidy, shellcheck
#   make install uninstall clean

CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
BUILD  ?= build$(if $(SAN),-san)$(if $(EXPLORE),-fuzz)
FUZZ_SECONDS ?= 15

WARN = -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wundef \
       -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wvla -Wformat=2
# clang takes the C library's NAN, a float, for a promotion of ours.
WARN += $(if $(findstring clang,$(CC)),-Wno-double-promotion)
SANITIZE = $(if $(SAN),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
comma := ,
# `make fuzz` calls make with EXPLORE=1: libFuzzer's main instead of the one that replays files.
ifdef EXPLORE
CC = clang
SANITIZE = -fsanitize=fuzzer$(comma)address$(comma)undefined -fno-sanitize-recover=all
endif

CPPFLAGS += -I. -D_GNU_SOURCE -DGAMBREL_PREFIX='"$(PREFIX)"' -DGAMBREL_FLAGS='"$(LOOP_FLAGS)"'
# GLPK and Zydis come without a .pc file on Debian 12.
PACKAGES = yaml-0.1 expat hwloc capstone libelf
CPPFLAGS += $(shell pkg-config --cflags $(PACKAGES))
LDLIBS   += $(shell pkg-config --libs $(PACKAGES)) -lZydis -lglpk -lm -lpthread

# What is timed is built in one way, whatever the rest is built with: no sanitizer, no unrolling.
LOOP_FLAGS = -O2 -g -fno-unroll-loops -fno-tree-vectorize -fno-stack-protector -fcf-protection=none
LOOP_SRC = $(wildcard measure/loops_*.S measure/intrin_*.c)
LOOP_OBJ = $(patsubst %,$(BUILD)/%.o,$(basename $(LOOP_SRC)))

LIB_SRC = $(filter-out $(LOOP_SRC),$(wildcard base/*.c formats/*.c code/*.c measure/*.c model/*.c import/*.c compare/*.c))
LIB_OBJ = $(LIB_SRC:%.c=$(BUILD)/%.o)
CLI_OBJ = $(patsubst %.c,$(BUILD)/%.o,$(wildcard cli/*.c))
TESTS   = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/test_*.c))
FUZZERS = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
BENCHES = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/bench_*.c))

GENERATED_FOLDERS = man/man1 bash-completion/completions zsh/site-functions fish/vendor_completions.d

DEPS_DEBIAN = gcc make pkg-config perl libc6-dev libyaml-dev libexpat1-dev libhwloc-dev libglpk-dev libzydis-dev \
              libcapstone-dev libelf-dev gnuplot-nox
# What tests use where it is there: a cross build for AArch64 and its emulator.
DEPS_CHECK = gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user

all: $(BUILD)/gambrel

deps:
	DEBIAN_FRONTEND=noninteractive sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends \
	    $(DEPS_DEBIAN) $(if $(filter check,$(MAKECMDGOALS)),$(DEPS_CHECK))'

$(BUILD)/gambrel: $(CLI_OBJ) $(BUILD)/libgambrel.a
	$(CC) $(CFLAGS) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/libgambrel.a: $(LIB_OBJ) $(LOOP_OBJ)
	rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/libgambrel.a
	$(CC) $(CFLAGS) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(FUZZERS): $(if $(EXPLORE),,$(BUILD)/tests/fuzz/replay.o)

# `make -j deps check` installs before it compiles.
DEPS_FIRST = $(filter deps,$(MAKECMDGOALS))

$(BUILD)/measure/loops_%.o: measure/loops_%.S | $(DEPS_FIRST)
	@mkdir -p $(@D)
	$(CC) $(LOOP_FLAGS) -I. -MMD -MP -c -o $@ $<

$(BUILD)/measure/intrin_%.o: measure/intrin_%.c | $(DEPS_FIRST)
	@mkdir -p $(@D)
	$(CC) $(WARN) $(WERROR) $(CPPFLAGS) $(LOOP_FLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.c | $(DEPS_FIRST)
	@mkdir -p $(@D)
	$(CC) $(WARN) $(WERROR) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) -MMD -MP -c -o $@ $<

# A program that is built elsewhere does not find its data beside it.
ifeq ($(wildcard $(dir $(abspath $(BUILD)))kernels.yaml),)
export GAMBREL_DATA = $(CURDIR)
endif

check: $(BUILD)/gambrel $(TESTS) $(FUZZERS)
	BUILD=$(BUILD) LC_ALL=C prove $(TESTS) $(wildcard tests/*.t)

fuzz:
	+$(MAKE) EXPLORE=1 explore

explore: $(FUZZERS)
	@set -e; for f in $(FUZZERS); do name=$${f##*/fuzz_}; \
	    mkdir -p $(BUILD)/corpus/$$name tests/corpus/$$name; echo "exploring $$name"; \
	    $$f -max_total_time=$(FUZZ_SECONDS) -verbosity=0 -print_final_stats=1 -max_len=8192 \
	        -artifact_prefix=$(BUILD)/crash-$$name- $(BUILD)/corpus/$$name tests/corpus/$$name; done

golden: $(BUILD)/gambrel
	UPDATE=1 BUILD=$(BUILD) sh tests/golden.t

report: $(BUILD)/gambrel
	run=$$($(BUILD)/gambrel measure) && $(BUILD)/gambrel compare --folder "$$(dirname "$$run")" "$$run" || \
	    test $$? = 1 # a bound is violated: a finding that the report shows, not a failure of make

bench: $(BENCHES) $(BUILD)/gambrel
	@for b in $(BENCHES) $(wildcard tests/bench_*.sh); do echo "== $${b##*/}"; BUILD=$(BUILD) $$b || exit 1; done

# One file at a time, since clang-tidy 14 given several takes every va_list for uninitialised; and
# only those whose source or headers changed.
$(BUILD)/lint/%: $(BUILD)/%.o .clang-tidy
	@mkdir -p $(@D)
	clang-tidy --quiet $*.c -- -std=c11 $(CPPFLAGS) 2>/dev/null
	@touch $@

lint: $(LIB_OBJ:$(BUILD)/%.o=$(BUILD)/lint/%) $(CLI_OBJ:$(BUILD)/%.o=$(BUILD)/lint/%)
	clang-format --dry-run -Werror $(wildcard */*.[ch] tests/fuzz/*.c)
	shellcheck -x $(wildcard tests/*.t tests/*.sh) .ci/run

TO = '$(DESTDIR)$(PREFIX)'

install: $(BUILD)/gambrel
	install -D -m 755 $(BUILD)/gambrel $(TO)/bin/gambrel
	install -d $(TO)/share/gambrel/machines $(TO)/share/doc/gambrel $(addprefix $(TO)/share/,$(GENERATED_FOLDERS))
	install -m 644 -t $(TO)/share/gambrel kernels.yaml
	install -m 644 -t $(TO)/share/gambrel/machines $(wildcard machines/*.yaml)
	install -m 644 -t $(TO)/share/doc/gambrel README.md $(wildcard doc/*.md)
	$(BUILD)/gambrel help --man > $(TO)/share/man/man1/gambrel.1
	$(BUILD)/gambrel help --completion=bash > $(TO)/share/bash-completion/completions/gambrel
	$(BUILD)/gambrel help --completion=zsh > $(TO)/share/zsh/site-functions/_gambrel
	$(BUILD)/gambrel help --completion=fish > $(TO)/share/fish/vendor_completions.d/gambrel.fish

uninstall:
	cd $(TO) && rm -f bin/gambrel share/man/man1/gambrel.1 \
	    share/bash-completion/completions/gambrel share/zsh/site-functions/_gambrel \
	    share/fish/vendor_completions.d/gambrel.fish
	rm -rf $(TO)/share/gambrel $(TO)/share/doc/gambrel

clean:
	rm -rf build build-san build-clang build-fuzz

.SECONDARY: # keeps the objects of tests
.PHONY: all deps check fuzz explore golden bench report lint install uninstall clean
-include $(LIB_OBJ:.o=.d) $(LOOP_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(TESTS:%=%.d) $(FUZZERS:%=%.d) $(BENCHES:%=%.d)
