#!/bin/sh
# The NEON loops, cross-built and run by an emulator, against the same reference.
set -u
cross=${CROSS_CC:-aarch64-linux-gnu-gcc}
for program in "$cross" qemu-aarch64; do
    if ! command -v "$program" >/dev/null 2>&1; then
        echo "1..0 # SKIP $program is not installed"
        exit 0
    fi
done
dir=${BUILD:-build}/neon
mkdir -p "$dir"
if ! "$cross" -std=c11 -D_GNU_SOURCE -I. -O2 -fno-unroll-loops -fno-tree-vectorize -static \
    -o "$dir/test_loops" tests/test_loops.c measure/loops.c measure/reference.c \
    measure/loops_neon.S measure/intrin_neon.c -lm >"$dir/log" 2>&1; then
    sed 's/^/# /' "$dir/log"
    echo "not ok 1 - cross-built"
    echo "1..1"
    exit 1
fi
exec qemu-aarch64 "$dir/test_loops" short
