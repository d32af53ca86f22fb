#!/bin/sh
# Golden tests: what the program prints, whole, on recorded results.
#
# A case is a folder tests/golden/NAME with `case` (why: one line; args: the arguments of gambrel;
# exit: its status) and `expected` (standard output).  UPDATE=1, or make golden, rewrites `expected`;
# the diff is the review.
set -u
gambrel=${BUILD:-build}/gambrel
export LC_ALL=C NO_COLOR=1
count=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

for folder in tests/golden/*/; do
    name=$(basename "$folder")
    args=$(sed -n 's/^args: //p' "$folder/case")
    want=$(sed -n 's/^exit: //p' "$folder/case")
    # shellcheck disable=SC2086 # the arguments of a case hold no blanks of their own
    "$gambrel" $args >"$tmp/out" 2>"$tmp/err"
    got=$?
    count=$((count + 1))
    if [ -n "${UPDATE:-}" ]; then
        cp "$tmp/out" "$folder/expected"
    fi
    if [ "$got" -eq "$want" ] && cmp -s "$tmp/out" "$folder/expected"; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name: $(sed -n 's/^why: //p' "$folder/case")"
        [ "$got" -eq "$want" ] || echo "#   exit status $got, not $want"
        sed 's/^/#   /' "$tmp/err"
        diff -u "$folder/expected" "$tmp/out" | head -40 | sed 's/^/#   /'
    fi
done
echo "1..$count"
