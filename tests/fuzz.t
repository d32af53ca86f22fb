#!/bin/sh
# Every fuzz target swallows its corpus, and the bad files of its reader.
set -u
: "${BUILD:=build}"
n=0
for target in tests/fuzz/fuzz_*.c; do
    name=$(basename "$target" .c)
    name=${name#fuzz_}
    set --
    for file in "tests/corpus/$name"/* "tests/bad/$name"-*; do
        case $file in *.expected) continue ;; esac
        if [ -f "$file" ]; then set -- "$@" "$file"; fi
    done
    n=$((n + 1))
    if out=$("$BUILD/tests/fuzz/fuzz_$name" "$@" 2>&1); then
        echo "ok $n - $name: $(echo "$out" | tail -n 1)"
    else
        echo "not ok $n - $name"
        echo "$out" | tail -n 20 | sed 's/^/# /'
    fi
done
echo "1..$n"
