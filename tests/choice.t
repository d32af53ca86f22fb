#!/bin/sh
# Which machine is put over what, where none is named: the file that describes this CPU.
set -u
. tests/tap.sh
tells() { # tells TEXT COMMAND...: it ends well, and its standard error holds TEXT
    text=$1
    shift
    "$@" >"$tmp/out" 2>"$tmp/err" && grep -qF -- "$text" "$tmp/err"
    ok $? "$2 tells: $text"
}
quiet() { # quiet COMMAND...: it ends well, and says nothing
    "$@" >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/err" ]
    ok $? "$2 announces nothing"
}
shows() { # shows TEXT: the last command's standard output holds TEXT
    grep -qF -- "$1" "$tmp/out"
    ok $? "shows: $1"
}

# A folder with a file that describes this CPU, whatever it is, and one with none that does.
mkdir "$tmp/here" "$tmp/elsewhere"
"$gambrel" machine new >"$tmp/here/mine.yaml"
sed '/^match:/d' "$tmp/here/mine.yaml" >"$tmp/elsewhere/other.yaml"
if ! grep -q '^match:' "$tmp/here/mine.yaml"; then
    echo "1..0 # SKIP this system does not tell its CPU"
    exit 0
fi
form=$(sed -n 's/^  - {form: "\([^"]*\)".*/\1/p' "$tmp/here/mine.yaml")
printf 'cycles,block\n1,"%s"\n2,"2 %s"\n' "$form" "$form" >"$tmp/blocks.csv"
detected="new-machine ($tmp/here/mine.yaml) describes this CPU"
none="no machine file describes this CPU"

tells "$detected" "$gambrel" model --machines "$tmp/here" --block "$form"
shows "1.000 cycles per block, 1.000 instructions per cycle on new-machine"
tells "$detected" "$gambrel" model --machines "$tmp/here" --block "$form" --csv
tells "$detected" "$gambrel" model --machines "$tmp/here" --blocks "$tmp/blocks.csv"
shows "2,2,"
"$gambrel" model saxpy --machines "$tmp/here" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 1 ] && grep -qF "$detected" "$tmp/err"
ok $? "model of a kernel, though its forms are unknown"
shows "1 thread, on new-machine: "
"$gambrel" explain saxpy --machines "$tmp/here" >"$tmp/out" 2>"$tmp/err"
grep -qF "$detected" "$tmp/err"
ok $? "explain without a run"
tells "$detected" "$gambrel" compare --machines "$tmp/here" --blocks "$tmp/blocks.csv"
shows "new-machine                    2"
quiet "$gambrel" compare --machines "$tmp/here" --blocks "$tmp/blocks.csv" --predictions "x=$tmp/blocks.csv"

for what in "model saxpy" "model --block nop" "explain saxpy" "compare --blocks $tmp/blocks.csv"; do
    # shellcheck disable=SC2086
    fails 3 "$none" "$gambrel" $what --machines "$tmp/elsewhere"
done

# A run is of its own processor.
tells "apple-m4-pro (machines/apple-m4-pro.yaml) describes the run's processor" \
    "$gambrel" model poly --run results/apple-m4-pro-article.yaml
shows "poly, neon, 1 thread, on apple-m4-pro: "
fails 2 "no machine file describes the run's processor (implementer 0x61 part 0x055)" \
    "$gambrel" model poly --run results/apple-m4-pro-article.yaml --machines "$tmp/here"

# A name is looked for in the folder that is given.
for what in "model --block nop" "explain saxpy" "compare --blocks $tmp/blocks.csv" \
    "compare results/apple-m4-pro-article.yaml"; do
    # shellcheck disable=SC2086
    fails 2 "no machine is called 'zen4' in $tmp/here" "$gambrel" $what -m zen4 --machines "$tmp/here"
done
for what in "show zen4" "check zen4" "diff zen4 mine"; do
    # shellcheck disable=SC2086
    fails 2 "no machine is called 'zen4' in $tmp/here" "$gambrel" machine $what --machines "$tmp/here"
done
quiet "$gambrel" machine show mine --machines "$tmp/here"
shows "name: new-machine"
quiet "$gambrel" model -m mine --machines "$tmp/here" --block "$form"
echo "1..$count"
