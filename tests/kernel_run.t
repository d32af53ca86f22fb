#!/bin/sh
# Someone's own function in a child process: what runs is counted, faults are reports.  No test here
# depends on how fast anything is.
set -u
. tests/tap.sh
run() { # run SYMBOL OPTION...
    symbol=$1
    shift
    "$gambrel" kernel run "$tmp/own.o" --symbol "$symbol" --levels L1 --rounds 3 "$@" \
        >"$tmp/out" 2>"$tmp/err"
}
shows() { # shows TEXT
    grep -qE -- "$1" "$tmp/out"
    ok $? "shows: $1"
}
fails() { # fails STATUS TEXT SYMBOL OPTION...
    want=$1 text=$2
    shift 2
    run "$@"
    [ $? -eq "$want" ] && grep -qF -- "$text" "$tmp/err"
    ok $? "reported: $text"
}
case $(uname -m) in
x86_64) ;;
*)
    echo "1..0 # SKIP steps are counted on x86-64 only"
    exit 0
    ;;
esac
cat >"$tmp/own.c" <<'END'
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
void add(size_t n, double *restrict y, const double *restrict x)
{
    for (size_t i = 0; i < n; i++) y[i] += x[i];
}
void place(size_t n, float *restrict y, const int *restrict at, const float *restrict x, float f)
{
    for (size_t i = 0; i < n; i++) y[i] = f * x[at[i]];
}
void every_second(size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) x[2 * i] = 1;
}
void fault(size_t n, double *x) { for (size_t i = 0; i < n; i++) *(volatile int *)(i * 8) = (int)x[i]; }
void leave(size_t n, double *x) { for (size_t i = 0; i < n; i++) x[i] += 1; _exit(0); }
void twice(size_t n, double *x) { for (size_t i = 0; i < n; i++) x[i] += 1; static int k; if (!k++) (void)!fork(); }
void talk(size_t n, double *x) { for (size_t i = 0; i < n; i++) x[i] += 1; puts("said"); fflush(stdout); }
void hang(size_t n, double *x) { for (;;) *(volatile double *)x += (double)n; }
void still(size_t n, double *x) { for (int i = 0; i < 9; i++) ((volatile double *)x)[i] += (double)n; }
END
${CC:-cc} -O2 -fno-tree-vectorize -fno-unroll-loops -fPIC -c -o "$tmp/own.o" "$tmp/own.c"
run add
ok $? "a function of two arrays"
shows "loop 1 of 1 of 'add' runs 1 times for one more n, 100 % of all instructions"
shows "^add, L1: .* cycles for one more n measured"
run place --args "float*, int32*, float*, float"
ok $? "arrays that index others, and a scalar"
shows "'place' runs 1 times"
run every_second --args "double*" --elements-per-n 2 --csv
ok $? "more than one element for one n"
grep -q "^function,first,end,level,cycles_per_n" "$tmp/out" && grep -q "^every_second,0x.*,0x.*,L1," "$tmp/out"
ok $? "as comma-separated values"
run talk --args "double*" --csv
[ $? -eq 0 ] && ! grep -q said "$tmp/out"
ok $? "what a function prints is none of our data"
${CC:-cc} -shared -o "$tmp/own.so" "$tmp/own.o"
"$gambrel" kernel run "$tmp/own.so" --symbol add --levels L1 --rounds 3 | grep -q "'add' runs 1 times"
ok $? "a shared object"
fails 3 "fault ended by signal 11" fault --args "double*"
fails 3 "it was called as fault(size_t n" fault --args "double*"
fails 3 "hang was still busy after 1 s and was stopped in a call" hang --args "double*" --timeout 1
fails 3 "leave called exit with status 0 in a call" leave --args "double*"
fails 3 "twice comes back twice: it starts a process by fork" twice --args "double*"
fails 3 "it was called as fault(size_t n)" fault --args ""
fails 3 "does not run more often for a larger n" still --args "double*"
fails 2 "no function 'nothing'" nothing
fails 2 "argument 'complex*'" add --args "complex*"
fails 2 "'L9' is not one of" add --levels L9
fails 3 "no-linker is not installed" add --linker no-linker
fails 3 "makes no shared object of it" add --linker false
if command -v aarch64-linux-gnu-gcc >/dev/null; then
    aarch64-linux-gnu-gcc -O2 -c -o "$tmp/foreign.o" "$tmp/own.c"
    fails_of() { "$gambrel" kernel run "$tmp/foreign.o" --symbol add 2>&1 | grep -qF -- "$1"; }
    fails_of "foreign.o: this is aarch64 code, and this CPU is x86-64"
    ok $? "code of another instruction set does not run here"
fi
# What the ladder makes of where code and data lie.
cat >"$tmp/own.s" <<'END'
	.intel_syntax noprefix
	.macro function name, skipped
	.globl \name
	.type \name, @function
	.p2align 6
\name:
	.rept \skipped
	nop
	.endr
1:
	.endm
	.macro loops name
	dec rdi
	jnz 1b
	ret
	.size \name, .-\name
	.endm
	function within 50
	.byte 0x0f, 0x1f, 0x44, 0, 0
	loops within
	function over 57
	.byte 0x0f, 0x1f, 0x44, 0, 0
	loops over
	function nine 0
	.rept 8
	nop
	.endr
	loops nine
	function together 0
	mov [rsi], rax
	mov [rsi + 8], rax
	mov [rdx], rax
	mov [rdx + 8], rax
	add rsi, 16
	add rdx, 16
	loops together
	function apart 0
	mov [rsi], rax
	mov [rdx], rax
	mov [rsi + 8], rax
	mov [rdx + 8], rax
	add rsi, 16
	add rdx, 16
	loops apart
	function alternating 0
	test rdi, 1
	jz 2f
	nop
2:
	loops alternating
END
as -o "$tmp/own.o" "$tmp/own.s"
bound() { # bound SYMBOL CYCLES WORDS
    "$gambrel" kernel run "$tmp/own.o" --symbol "$1" --args "double*, double*" --elements-per-n 2 \
        --levels none --machine sapphire-rapids >"$tmp/out" 2>"$tmp/err"
    grep -qE "ports and front end +$2 +$3" "$tmp/out"
    ok $? "$1: $2 cycles, $3"
}
bound within 1.000 "fetch: whole cycles"
bound over 2.000 "fetch: 2 lines of code"
bound nine 2.000 "fetch: whole cycles of at most 8 slots"
bound together 2.000 "ports P4, P9"
bound apart 4.000 "stores: 4 cycles"
bound alternating 1.500 "fetch: whole cycles"
echo "1..$count"
