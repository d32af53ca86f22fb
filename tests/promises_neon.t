#!/bin/sh
# What kernels.yaml states of the NEON loops, against their code from a cross compiler.
cross=${CROSS_CC:-aarch64-linux-gnu-gcc}
build=${BUILD:-build}
if [ "$(uname -m)" = aarch64 ]; then
    echo "1..0 # SKIP the loops of this machine are checked by test_promises"
    exit 0
fi
if ! command -v "$cross" >/dev/null; then
    echo "1..0 # SKIP no cross compiler ($cross)"
    exit 0
fi
flags="-O2 -fno-unroll-loops -fno-tree-vectorize -fno-stack-protector -I. -D_GNU_SOURCE"
out=$(mktemp -d) && trap 'rm -rf "$out"' EXIT
# shellcheck disable=SC2086  # the flags are several words
if ! "$cross" $flags -c -o "$out/loops.o" measure/loops_neon.S ||
    ! "$cross" $flags -std=c11 -c -o "$out/intrin.o" measure/intrin_neon.c ||
    ! "$cross" -r -nostdlib -o "$out/neon.o" "$out/loops.o" "$out/intrin.o"; then
    echo "not ok 1 - the NEON loops are assembled"
    echo "1..1"
    exit 1
fi
"$build/tests/test_promises" "$out/neon.o" neon
