#!/bin/sh
# Blocks out of programs, through the model, and beside what others predict.
set -u
gambrel=${BUILD:-build}/gambrel
count=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ok() { # ok STATUS NAME
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}
fails() { # fails STATUS TEXT COMMAND...
    want=$1 text=$2
    shift 2
    "$@" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq "$want" ] && grep -qF -- "$text" "$tmp/err"
    ok $? "refused: $text"
}
# add rax, rbx; imul rcx, rdx twice; as bytes and as forms.
printf '4801d8480fafca480fafca\n4801d8\n' >"$tmp/bytes"
printf 'block\n"1 add r64, r64; 2 imul r64, r64"\n"add r64, r64"\n' >"$tmp/forms.csv"
"$gambrel" model --blocks "$tmp/bytes" -m zen4 >"$tmp/bytes.out"
ok $? "blocks of bytes, one a line"
"$gambrel" model --blocks "$tmp/forms.csv" -m zen4 >"$tmp/forms.out"
cmp -s "$tmp/bytes.out" "$tmp/forms.out"
ok $? "as their forms"
printf 'name,code\none,4801d8\n' | "$gambrel" model --blocks - -m zen4 | grep -q '^one,0.25,'
ok $? "a column of code, from standard input"
printf 'code\n4801d\n' >"$tmp/odd"
fails 2 "odd:2:1: machine code of 5 digits" "$gambrel" model --blocks "$tmp/odd" -m zen4
printf 'code\nc5\n' >"$tmp/cut"
fails 2 "not an instruction" "$gambrel" model --blocks "$tmp/cut" -m zen4

"$gambrel" blocks "$gambrel" --least 3 >"$tmp/own.csv"
ok $? "the blocks of this program"
[ "$(wc -l <"$tmp/own.csv")" -gt 100 ]
ok $? "are many"
"$gambrel" model --blocks "$tmp/own.csv" -m "$(case $(uname -m) in x86_64) echo zen4 ;; *) echo neoverse-n1 ;; esac)" \
    >"$tmp/own.out"
[ "$(wc -l <"$tmp/own.out")" -eq "$(wc -l <"$tmp/own.csv")" ]
ok $? "and each goes through the model"
fails 2 "not an ELF file" "$gambrel" blocks "$tmp/bytes"

printf 'name,cycles,block\na,2,"2 imul r64, r64"\nb,1,"4 add r64, r64"\nc,3,"1 imul r64, r64"\n' >"$tmp/measured.csv"
printf 'name,cycles,block\nb,1,nop\na,2,nop\nc,2,nop\n' >"$tmp/theirs.csv"
"$gambrel" compare --blocks "$tmp/measured.csv" --machine zen4 --predictions "theirs=$tmp/theirs.csv" \
    --heat-map "$tmp/map.svg" --json >"$tmp/json"
ok $? "measured blocks beside a machine and a tool"
grep -q '"name": "theirs", "n": 3, "mape": 0.111111111111' "$tmp/json"
ok $? "predictions are found by name"
grep -q '"name": "zen4", "n": 3, "mape": 0.222222222222' "$tmp/json"
ok $? "each block costs what its own forms do"
grep -q '</svg>' "$tmp/map.svg"
ok $? "and drawn"
fails 2 "nothing to compare with" "$gambrel" compare --blocks "$tmp/measured.csv"
fails 2 "is not TOOL=FILE.csv" "$gambrel" compare --blocks "$tmp/measured.csv" --predictions x
printf 'cycles,block\n1,nop\n' >"$tmp/short.csv"
fails 2 "1 predictions without names for 3 blocks" \
    "$gambrel" compare --blocks "$tmp/measured.csv" --predictions "x=$tmp/short.csv"
fails 2 "--with knows llvm-mca" "$gambrel" compare --blocks "$tmp/measured.csv" --with nothing
echo "1..$count"
