#!/bin/sh
# The command line: statuses, messages, places where output cannot go.
set -u
. tests/tap.sh
exits() { # exits STATUS NAME COMMAND...
    want=$1 name=$2
    shift 2
    "$@" >"$tmp/out" 2>"$tmp/err"
    got=$?
    [ "$got" -eq "$want" ]
    ok $? "$name: exit $want"
    [ "$got" -eq "$want" ] || { echo "#   got $got"; sed 's/^/#   /' "$tmp/err"; }
}
says() { # says TEXT: the last command's standard error holds TEXT
    grep -qF -- "$1" "$tmp/err"
    ok $? "says: $1"
    grep -qF -- "$1" "$tmp/err" || sed 's/^/#   /' "$tmp/err"
}

exits 2 "no command" "$gambrel"
exits 2 "unknown command" "$gambrel" frobnicate
says "there is no command 'frobnicate'"
exits 0 "help" "$gambrel" help
exits 0 "help on a command" "$gambrel" help measure
grep -q -- "--warmup-ms" "$tmp/out"
ok $? "and it lists its options"
exits 2 "help on nothing there is" "$gambrel" help frobnicate
says "help takes a command"
exits 0 "version" "$gambrel" --version
exits 2 "unknown option" "$gambrel" measure --frobnicate
for n in 0 -1 1000x '' 99999; do
    exits 2 "THREADS='$n'" env THREADS="$n" "$gambrel" measure -o "$tmp/run.yaml" read
    says "THREADS must be a whole number from 1 to 1024"
done
exits 3 "more threads than cores" env THREADS=1000 "$gambrel" measure -o "$tmp/run.yaml" read
says "1000 threads"
exits 2 "unknown loop" "$gambrel" measure -o "$tmp/run.yaml" frobnicate
says "no loop is called 'frobnicate'"
exits 2 "unknown isa" "$gambrel" measure -i mmx -o "$tmp/run.yaml"
says "no instruction set 'mmx'"
[ ! -e "$tmp/run.yaml" ]
ok $? "nothing was written"
mkdir "$tmp/folder"
for path in "$tmp/folder" "$tmp/folder/" '' /dev/null/x; do # refused before ten thousand passes
    exits 2 "results to '${path#"$tmp"}'" timeout 20 "$gambrel" measure -r 10000 -o "$path" read
done
exits 2 "missing results" "$gambrel" compare "$tmp/missing.yaml"
says "missing.yaml"
exits 2 "a folder as results" "$gambrel" compare "$tmp"
exits 3 "memory limit" env GAMBREL_MEMORY_MAX=4096 "$gambrel" kernel list
says "GAMBREL_MEMORY_MAX"
exits 2 "no data folder" env GAMBREL_DATA="$tmp" "$gambrel" kernel list
says "set GAMBREL_DATA"

# What nobody would read is refused.
exits 2 "machine list with an argument" "$gambrel" machine list frobnicate
says "list takes no argument, not 'frobnicate'"
exits 2 "kernel list with an argument" "$gambrel" kernel list frobnicate
says "list takes no argument, not 'frobnicate'"
exits 2 "measure --list with a name" "$gambrel" measure --list frobnicate
exits 2 "blocks and names" "$gambrel" measure --blocks "$tmp/none.csv" read
says "--blocks goes with --output alone"
exits 2 "a heat map of no blocks" "$gambrel" compare --heat-map "$tmp/map.svg" results/apple-m4-pro-article.yaml
says "need --blocks"
exits 2 "runs and blocks" "$gambrel" compare --blocks "$tmp/none.csv" results/apple-m4-pro-article.yaml
says "one of them at a time"
exits 2 "a check of no loop" "$gambrel" kernel check frobnicate
says "is called frobnicate"
exits 2 "a machine of another architecture" "$gambrel" compare -m zen4 results/apple-m4-pro-article.yaml
says "this machine is x86-64, the run is aarch64"
(cd "$tmp" && touch mine && "$OLDPWD/$gambrel" model saxpy -m mine 2>err)
says "a file is given as ./mine"

exits 2 "an instruction set that nothing here has" "$gambrel" model saxpy -m zen4 -i avx3
says "nothing here has a body"
exits 1 "an unknown instruction" "$gambrel" model --block "2 foo r64" -m zen4
exits 2 "a clock without sense" "$gambrel" model saxpy -m zen4 --clock 3.2
says "3.2e9"
exits 0 "roofs of a run" "$gambrel" model poly -m apple-m4-pro --run results/apple-m4-pro-article.yaml
grep -q "fma_f32 roof binds" "$tmp/out"
ok $? "and they serve"

sed -n '/^    format: gambrel-kernels-1/,/^- .streams/s/^    //p' doc/adding-a-kernel.md >"$tmp/own.yaml"

exits 0 "roofs that a run lacks" "$gambrel" model axpbypz -k "$tmp/own.yaml" -m zen4 --run results/apple-m4-pro-article.yaml
grep -q "unknown: no fma_f32 roof of avx2 at L1 on 1 thread" "$tmp/out"
ok $? "are named"
exits 0 "a ladder of one's own kernel" "$gambrel" explain axpbypz -k "$tmp/own.yaml" -m zen4
exits 0 "a list of one's own kernels" "$gambrel" kernel list -k "$tmp/own.yaml"
grep -q "^copy31 " "$tmp/out"
ok $? "with the roofs that they may name"
sed 's/roof: copy31/roof: frobnicate/' "$tmp/own.yaml" >"$tmp/odd.yaml"
exits 2 "a roof that there is not" "$gambrel" model axpbypz -k "$tmp/odd.yaml" -m zen4
says "no roof is named 'frobnicate'"

zen4="model --machine zen4"
# shellcheck disable=SC2086
{
    exits 2 "no body for an instruction set, in CSV" "$gambrel" $zen4 --isa neon --csv
    exits 2 "kernel show of an instruction set that it lacks" "$gambrel" kernel show -i mmx saxpy
    says "mmx"
    exits 2 "a block and blocks" "$gambrel" $zen4 --block nop --blocks "$tmp/none.csv"
    says "one of them at a time"
}
printf 'format: gambrel-machine-1\nname: bare\nisa: x86-64\n' >"$tmp/bare.yaml"
exits 2 "a machine without instructions" "$gambrel" model --machine "$tmp/bare.yaml" --block nop
says "neither instructions on ports nor resources"

article=results/apple-m4-pro-article.yaml
exits 3 "no gnuplot" env PATH=/nonexistent "$(realpath "$gambrel")" compare --folder "$tmp/report" $article
says "gnuplot is not installed"
grep -q saxpy "$tmp/out"
ok $? "the report is there all the same"

for command in "measure --help" "help" "help --man" "--version" "kernel list" "machine list" "measure --list" \
    "compare results/apple-m4-pro-article.yaml"; do
    # shellcheck disable=SC2086
    "$gambrel" $command >/dev/full 2>"$tmp/err"
    [ $? -eq 2 ]
    ok $? "gambrel $command to a full device fails"
done

"$gambrel" machine new >"$tmp/new.yaml" && "$gambrel" machine check "$tmp/new.yaml" >"$tmp/out"
ok $? "a new machine file loads as it is"

"$gambrel" help --man >"$tmp/man"
ok $? "manual"
for option in quick threads reps isa json; do
    grep -q -- "\\\\-\\\\-$option" "$tmp/man"
    ok $? "the manual knows --$option"
done
grep -q '^.fBgambrel kernel.fR from.-asm' "$tmp/man" && grep -q '^from.-object and from.-asm:' "$tmp/man"
ok $? "the manual has every way to call a command, and the headings of its options"
"$gambrel" help --completion=bash >"$tmp/completion" && bash -n "$tmp/completion"
ok $? "bash completion parses"

if make install DESTDIR="$tmp/a b" BUILD="${BUILD:-build}" >"$tmp/out" 2>&1; then
    cd / && exits 0 "installed, run from /" "$tmp/a b/usr/local/bin/gambrel" machine list
    cd "$OLDPWD" || exit
    mkdir "$tmp/a"
    make uninstall DESTDIR="$tmp/a b" BUILD="${BUILD:-build}" >"$tmp/out" 2>&1
    left=$(find "$tmp/a b" -type f)
    [ -d "$tmp/a" ] && [ -z "$left" ]
    ok $? "uninstalled, and nothing else"
else
    ok 1 "install to a folder with a blank"
fi
echo "1..$count"
