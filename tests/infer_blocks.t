#!/bin/sh
# gambrel infer from a file of blocks: the file it writes, what it says of bad input.
set -u
gambrel=${BUILD:-build}/gambrel
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
count=0
check() { # check NAME STATUS: passes when STATUS is 0
    count=$((count + 1))
    if [ "$2" -eq 0 ]; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1"
    fi
}
refuses() { # refuses NAME TEXT: exit status 2 and TEXT on stderr, for the blocks in $dir/bad.csv
    "$gambrel" infer --blocks "$dir/bad.csv" -o "$dir/bad.yaml" >/dev/null 2>"$dir/err"
    status=$?
    [ $status -eq 2 ] && grep -qF "$2" "$dir/err" && [ ! -e "$dir/bad.yaml" ]
    check "$1" $?
}

# Two ports: a uop of add on either, of imul on the first, of popcnt on the second.
awk 'BEGIN {
    print "cycles,block"
    for (a = 0; a < 6; a++) for (i = 0; i < 6; i++) for (p = 0; p < 6; p++) {
        t = (a + i + p) / 2; if (i > t) t = i; if (p > t) t = p
        s = ""
        if (a) s = s "; " a " add r64, r64"
        if (i) s = s "; " i " imul r64, r64"
        if (p) s = s "; " p " popcnt r64, r64"
        if (t) printf "%.4f,\"%s\"\n", t, substr(s, 3)
    }
}' >"$dir/blocks.csv"

"$gambrel" infer --blocks "$dir/blocks.csv" -o "$dir/one.yaml" --name two-ports 2>"$dir/err"
check "a machine file is inferred" $?
grep -q "held-out blocks 0.00 %" "$dir/err"
check "stderr tells the error on held-out blocks" $?
"$gambrel" infer --blocks - -o - --name two-ports <"$dir/blocks.csv" 2>/dev/null |
    sed "s/blocks: '-:/blocks: 'blocks.csv:/" >"$dir/two.yaml"
cmp -s "$dir/one.yaml" "$dir/two.yaml"
check "the same again, from standard input to standard output" $?
"$gambrel" machine check "$dir/one.yaml" >"$dir/out" 2>&1
check "machine check takes the file" $?
"$gambrel" model --machine "$dir/one.yaml" --blocks "$dir/blocks.csv" --csv >"$dir/predicted.csv"
check "model predicts with it" $?
cut -d, -f1 "$dir/blocks.csv" >"$dir/measured"
cut -d, -f2 "$dir/predicted.csv" | paste -d, "$dir/measured" - | awk -F, 'NR > 1 {
    n++; d = $2 - $1; if (d > 0.01 || d < -0.01) wrong++
} END { exit !(n == 215 && wrong == 0) }'
check "what was measured" $?
"$gambrel" infer --blocks "$dir/blocks.csv" --resources 1 2>/dev/null | grep -q "resource_names: \[R0\]$"
check "no more resources than asked for" $?

cat >"$dir/ports.yaml" <<'END'
format: gambrel-machine-1
name: two-ports-documented
isa: x86-64
core: {ports: [A, B], source: made up}
sources: {instructions: made up}
instructions:
  - {form: "add r64, r64", uops: [1*A|B]}
  - {form: "imul r64, r64", uops: [1*A]}
  - {form: "popcnt r64, r64", uops: [1*B]}
END
"$gambrel" infer --blocks "$dir/blocks.csv" --ports "$dir/ports.yaml" -o "$dir/named.yaml" 2>"$dir/err"
check "resources are named by ports" $?
grep -q "3 of 3 resources stand for ports of two-ports-documented, by 3 of 3 forms" "$dir/err"
check "and it says how many" $?
for line in "ports: A, match: 1, blocked_by: 'imul" "ports: B, match: 1, blocked_by: 'popcnt" "ports: A|B, match: 1, blocked_by: 'add"; do
    "$gambrel" machine show "$dir/named.yaml" | grep -qF "$line"
    check "machine show has $line" $?
done
"$gambrel" model --machine "$dir/named.yaml" --block "3 imul r64, r64" | grep -q "resource R[0-9] (A): 3 of 3 cycles"
check "what binds is named too" $?
"$gambrel" machine diff "$dir/named.yaml" "$dir/named.yaml" | grep -qE "^ *A +R[0-9] \\(1.00\\) +R[0-9] \\(1.00\\)"
check "machine diff shows the ports" $?
"$gambrel" infer --blocks "$dir/blocks.csv" --ports "$dir/one.yaml" >"$dir/out" 2>"$dir/err"
[ $? -eq 2 ] && grep -q "no ports to name resources by" "$dir/err" && [ ! -s "$dir/out" ]
check "a machine without ports names nothing" $?

"$gambrel" infer --blocks "$dir/blocks.csv" --run tests/recorded/x86-guest.yaml -o "$dir/roofs.yaml" 2>"$dir/err"
check "roofs of a run" $?
for line in "^roofs:" "name: triad, isa:" "^chain_curve:" "^match:" "^caches:" "x86-guest.yaml, measured"; do
    grep -q "$line" "$dir/roofs.yaml"
    check "the file has $line" $?
done
"$gambrel" machine check "$dir/roofs.yaml" >"$dir/out" 2>&1
check "and machine check takes it" $?
"$gambrel" infer --blocks "$dir/blocks.csv" -o "$dir" >/dev/null 2>"$dir/err"
[ $? -eq 2 ] && ! grep -q resources "$dir/err"
check "a file that cannot be written is refused before the fit" $?

printf 'block\n"1 add r64, r64"\n' >"$dir/bad.csv"
refuses "blocks without cycles" "bad.csv:2:2: a block to fit to needs its cycles"
printf 'cycles,block\n1,"1 add r64, r64"\n-1,"2 add r64, r64"\n' >"$dir/bad.csv"
refuses "negative cycles" "bad.csv:3:1: cycles: -1 is out of range"
printf 'cycles,block\n' >"$dir/bad.csv"
refuses "no blocks" "no blocks below the header line"
printf 'cycles,block\n1,"1 frob r64"\n' >"$dir/bad.csv"
refuses "an instruction set that cannot be told" "say --isa"
echo "1..$count"
