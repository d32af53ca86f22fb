#!/bin/sh
# infer on this machine: what is refused before anything is measured.
set -u
: "${BUILD:=build}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
count=0
check() { # check NAME STATUS PATTERN ARGUMENTS...: the exit status and a message
    count=$((count + 1))
    name=$1 status=$2 pattern=$3
    shift 3
    "$BUILD/gambrel" infer "$@" >"$folder/out" 2>"$folder/err"
    got=$?
    if [ "$got" = "$status" ] && grep -qE "$pattern" "$folder/err" && [ ! -s "$folder/out" ]; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name"
        echo "#   status $got, wanted $status; wanted /$pattern/"
        sed 's/^/#   /' "$folder/err"
    fi
}

case $(uname -m) in
x86_64) ;;
*)
    check "only x86-64 is measured" 3 'x86-64 only'
    echo "1..$count"
    exit
    ;;
esac

printf 'block,cycles,spread,samples,cpu\n"1 nop",0.2,0,9,Other-1-2-3\n' >"$folder/other.csv"
cp "$folder/other.csv" "$folder/kept.csv"
printf 'x,y\n' >"$folder/foreign.csv"
check "measurements of another CPU" 2 'other.csv:2:1: measured on Other-1-2-3' --data "$folder/other.csv"
check "a file of another kind" 2 'foreign.csv:1:1: not a file of measurements' --data "$folder/foreign.csv"
check "a folder that is not there" 2 'cannot open' --data "$folder/no/data.csv"
check "data with blocks of a file" 2 'measured here' --data "$folder/x.csv" --blocks "$folder/other.csv"
mkdir "$folder/dir"
for path in "$folder/dir" "$folder/no/such.yaml" /dev/null/x; do
    check "a machine file that cannot be written, ${path##*/}" 2 'cannot|folder|directory' -o "$path"
    check "blocks that cannot be written, ${path##*/}" 2 'cannot|folder|directory' --check "$path"
done
sed 's/vendor: .*/vendor: Other/' tests/recorded/x86-guest.yaml >"$folder/run.yaml"
check "a run of another CPU" 2 'measured on Other .*, but this is' --run "$folder/run.yaml"
check "a run that is not there" 2 'none.yaml' --run "$folder/none.yaml"
check "ports of no machine" 2 'nonesuch' --ports nonesuch
check "ports of another instruction set" 2 "this machine is aarch64, the blocks' instruction set is x86-64" --ports neoverse-n1
printf 'cycles,block\n1,"add r64, r64"\n2,"2 add r64, r64"\n' >"$folder/blocks.csv"
check "or of other blocks" 2 "this machine is aarch64, the blocks' instruction set is x86-64" \
    --ports neoverse-n1 --blocks "$folder/blocks.csv" --isa x86-64
check "no time" 2 'seconds' --seconds 0
check "too few forms" 2 'forms' --forms 1
check "no such list of forms" 2 'cannot open' --from "$folder/no" --list
printf 'add r64, imm\n\n# a remark\nfrobnicate r64\n' >"$folder/bad.txt"
check "a line that is no form" 2 "bad.txt:4:1: 'frobnicate r64' is not a form" --from "$folder/bad.txt"
check "forms of blocks that are given" 2 'not of --blocks' --from "$folder/bad.txt" --blocks "$folder/other.csv"
check "files without --from" 2 'Too many arguments' "$folder/bad.txt"
printf 'ADD r64, imm8\nxchg r64, r64' >"$folder/list.txt"
listed() { # listed NAME PATTERN LINE ARGUMENTS...: what --list prints
    count=$((count + 1))
    name=$1 pattern=$2 line=$3
    shift 3
    if "$BUILD/gambrel" infer --list "$@" 2>"$folder/err" | sed -n "${line}p" | grep -qE "$pattern"; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name"
        sed 's/^/#   /' "$folder/err"
    fi
}
listed "forms of a list come first" '^"add r64, imm",1,$' 2 --from "$folder/list.txt"
listed "some say why they cannot be measured" '^"xchg r64, r64",1,hands values' 3 --from "$folder/list.txt"
listed "the built-in ones follow" '^"add r64, r64",0,$' 4 --from "$folder/list.txt"
printf 'add r64, "x"\n' >"$folder/quote.txt"
listed "quotes within are doubled" '^"add r64, ""x""",1,"operand .""x"".* is not encoded here"$' 2 --from "$folder/quote.txt"
listed "of two files, of which one is a program" '^"mov r64, r64",[0-9.e+]+,$' '2,20' --from "$folder/list.txt" "$BUILD/gambrel"
printf '\177ELF' >"$folder/cut"
check "a program that is cut off" 2 'cut' --list --from "$folder/cut"
count=$((count + 1))
if cmp -s "$folder/other.csv" "$folder/kept.csv"; then
    echo "ok $count - files that are refused are left alone"
else
    echo "not ok $count - files that are refused are left alone"
fi
echo "1..$count"
