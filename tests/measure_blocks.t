#!/bin/sh
# measure --blocks: what is measured comes out in order, what cannot be is named; no time is tested.
set -u
: "${BUILD:=build}"
if [ "$(uname -m)" != x86_64 ]; then
    echo "1..0 # SKIP blocks are measured on x86-64 only"
    exit
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
count=0
ok() { # ok STATUS NAME
    count=$((count + 1))
    if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}
named() { # named PATTERN: on stderr
    grep -qE "$1" "$folder/err"
    ok $? "said: $1"
}

cat >"$folder/blocks.csv" <<END
block,weight
"2 ADD r64, r64; 1 mov r64, m64",3
"1 frob r64",1
"1.5 nop",1
"1 div r64",1
"100 nop",1
"1 addps xmm, xmm; 1 vaddps ymm, ymm, ymm",1
1 nop,1
"1 adc r64, r64; 1 TEST r64, r64",1
END
"$BUILD/gambrel" measure --blocks "$folder/blocks.csv" -o "$folder/out.csv" 2>"$folder/err"
ok $? "blocks that cannot be measured are no failure of the rest"
head -1 "$folder/out.csv" | grep -qx 'weight,cycles,spread,samples,block'
ok $? "a file of blocks with cycles and their weights"
# On a busy machine a block may find no quiet moment; then it is named, too.
for block in '2 ADD r64, r64; 1 mov r64, m64' '1 nop' '1 adc r64, r64; 1 TEST r64, r64'; do
    grep -qE "^[13],[0-9.e-]+,[0-9.e-]+,[0-9]+,\"$block\"\$" "$folder/out.csv" ||
        grep -qE "$block: (the core was|no two readings)" "$folder/err"
    ok $? "$block"
done
named "blocks.csv:3: 1 frob r64: .*no x86-64 instruction is called 'frob'"
named 'blocks.csv:4: 1.5 nop: only whole counts'
named "blocks.csv:5: 1 div r64: 'div r64' needs 'mov r64, imm' before each"
named 'blocks.csv:6: 100 nop: a block has 1 to 64 instructions, not 100'
named "blocks.csv:7: .*'vaddps ymm, ymm, ymm' does not mix with 'addps xmm, xmm'"
echo 4801d8 | "$BUILD/gambrel" measure --blocks - >"$folder/out.csv" 2>"$folder/err"
named "^gambrel: warning: -:1: 4801d8: bytes are not measured, only forms, in a column 'block'"
"$BUILD/gambrel" measure --blocks "$folder/none.csv" >/dev/null 2>"$folder/err"
[ $? = 2 ]
ok $? "a file that is not there is bad input"
echo "1..$count"
