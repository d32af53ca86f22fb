#!/bin/sh
# The command line: statuses, messages, places where output cannot go.
set -u
gambrel=${BUILD:-build}/gambrel
count=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ok() { # ok STATUS NAME: status 0 passes
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}
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

exits 2 "an instruction set that nothing here has" "$gambrel" model saxpy -m zen4 -i avx3
says "nothing here has a body"
exits 1 "an unknown instruction" "$gambrel" model --block "2 foo r64" -m zen4
exits 2 "a clock without sense" "$gambrel" model saxpy -m zen4 --clock 3.2
says "3.2e9"
exits 0 "roofs of a run" "$gambrel" model poly -m apple-m4-pro --run results/apple-m4-pro-article.yaml
grep -q "fma_f32 roof binds" "$tmp/out"
ok $? "and they serve"

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
