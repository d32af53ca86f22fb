#!/bin/sh
# Blocks out of programs, through the model, and beside what others predict.
set -u
. tests/tap.sh
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
printf 'code\nc5\n4801d8\n' | "$gambrel" model --blocks - -m zen4 >"$tmp/cut.out" 2>/dev/null
ok $? "bytes that no decoder takes do not end a batch"
sed -n 2,3p "$tmp/cut.out" | cut -d, -f1,2,4 | tr '\n' ' ' | grep -q '^1,,bytes that are no instruction (1) 2,0.25,'
ok $? "they have no number, and are named as unknown"

"$gambrel" blocks "$gambrel" --least 3 >"$tmp/own.csv"
ok $? "the blocks of this program"
[ "$(wc -l <"$tmp/own.csv")" -gt 100 ]
ok $? "are many"
"$gambrel" model --blocks "$tmp/own.csv" -m "$(case $(uname -m) in x86_64) echo zen4 ;; *) echo neoverse-n1 ;; esac)" \
    >"$tmp/own.out"
[ "$(wc -l <"$tmp/own.out")" -eq "$(wc -l <"$tmp/own.csv")" ]
ok $? "and each goes through the model"
fails 2 "not an ELF file" "$gambrel" blocks "$tmp/bytes"

"$gambrel" blocks "$gambrel" "$tmp/bytes" --sample 50 --least 3 --most 9 >"$tmp/sample.csv" 2>"$tmp/err"
ok $? "a sample of several files"
grep -q "1 of 2 files are no 64-bit ELF files .* and left out, $tmp/bytes first" "$tmp/err"
ok $? "what is no program is left out and named"
[ "$(wc -l <"$tmp/sample.csv")" -eq 51 ] && [ "$(cut -d'"' -f2 "$tmp/sample.csv" | sort -u | wc -l)" -eq 51 ]
ok $? "fifty blocks, each another one"
"$gambrel" blocks "$gambrel" --sample 50 --least 3 --most 9 2>/dev/null | cmp -s - "$tmp/sample.csv"
ok $? "always the same ones"
cut -d'"' -f2 "$tmp/sample.csv" | tail -n +2 | while read -r forms; do
    "$gambrel" blocks "$gambrel" --least 3 --most 9 | grep -F "\"$forms\"" | cut -d, -f2 | awk '{ s += $1 } END { printf "%.0f\n", s }'
done | head -n 3 >"$tmp/sums"
head -n 4 "$tmp/sample.csv" | tail -n 3 | cut -d, -f2 | awk '{ printf "%.0f\n", $1 }' | cmp -s - "$tmp/sums"
ok $? "equal blocks are one, with the sum of their weights"

# Weights: blocks of this program that a file of counts and one of perf have hit.
tail -n +2 "$tmp/own.csv" | sed -n 's/^gambrel:\(0x[0-9a-f]*\),.*/\1/p' | sed -n '10p;200p' >"$tmp/hit"
first=$(head -n 1 "$tmp/hit") second=$(tail -n 1 "$tmp/hit")
printf 'address,count\n%s,7\n%s,20\n0x1,3\n' "$first" "$second" >"$tmp/counts.csv"
"$gambrel" blocks "$gambrel" --least 3 --counts "$tmp/counts.csv" 2>"$tmp/err" | cut -d, -f1,2 >"$tmp/weighed"
printf 'name,weight\ngambrel:%s,7\ngambrel:%s,20\n' "$first" "$second" | cmp -s - "$tmp/weighed"
ok $? "blocks that were executed, with their counts"
grep -q 'warning: 3 of 30 counts are in no block' "$tmp/err"
ok $? "counts that are in none are said"
printf 'symbol,count\nmain,5\n' | "$gambrel" blocks "$gambrel" --counts - | sed -n 2p | grep -q '^gambrel:0x[0-9a-f]*,5,'
ok $? "counts by symbol"
printf 'symbol,count\nno_such_function,5\n' >"$tmp/counts.csv"
fails 2 "counts.csv:2:1: $gambrel has no function 'no_such_function'" \
    "$gambrel" blocks "$gambrel" --counts "$tmp/counts.csv"
fails 2 "counts.csv:2:1: of which of the binaries" \
    "$gambrel" blocks "$gambrel" "$gambrel" --counts "$tmp/counts.csv"
# The first section of code that readelf shows says where in the file an address is.
if command -v readelf >/dev/null; then
    readelf -SW "$gambrel" | sed -n 's/.* \.text *PROGBITS *\([0-9a-f]*\) \([0-9a-f]*\) .*/\1 \2/p' >"$tmp/text"
    read -r address offset <"$tmp/text"
    page=$((0x$offset / 4096 * 4096))
    printf 'event 0 0 0x10107\nmmap2 9 0x555500000000 0x10000000 %d /somewhere/gambrel\nfork 12 9\n' $page >"$tmp/records"
    for pid in 9 12; do
        printf 'sample %d %d\n' $pid $((0x555500000000 + first - 0x$address + 0x$offset - page))
    done >>"$tmp/records"
    printf 'sample 9 0x7fff00000000\n' >>"$tmp/records"
    perl tests/perf_data.pl <"$tmp/records" >"$tmp/perf.data"
    "$gambrel" blocks "$gambrel" --perf "$tmp/perf.data" 2>"$tmp/err" | cut -d, -f1,2 >"$tmp/weighed"
    printf 'name,weight\ngambrel:%s,2\n' "$first" | cmp -s - "$tmp/weighed"
    ok $? "samples of perf"
    grep -q 'warning: 1 of 3 samples are in no block' "$tmp/err"
    ok $? "samples elsewhere are said"
else
    ok 0 "samples of perf # SKIP no readelf"
fi
fails 2 "tests/bad/perf-pipe:1:9: written to a pipe" "$gambrel" blocks "$gambrel" --perf tests/bad/perf-pipe

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
fails 2 "is not TOOL=FILE.csv" "$gambrel" compare --blocks "$tmp/measured.csv" --predictions x
printf 'cycles,block\n1,nop\n' >"$tmp/short.csv"
fails 2 "1 predictions without names for 3 blocks" \
    "$gambrel" compare --blocks "$tmp/measured.csv" --predictions "x=$tmp/short.csv"

# Blocks of another instruction set than the machine's: refused where bytes say so, else said.
printf 'cycles,code\n1,4801d8\n' >"$tmp/x86.csv"
printf 'cycles,code\n2,0028611e\n' >"$tmp/a64.csv" # fadd d0, d0, d1
printf 'cycles,code\n2,000440fd000c40fd\n' >"$tmp/both.csv" # ldr d0, [x0, #8]; ldr d0, [x0, #24]
for what in "model" "compare"; do
    fails 2 "x86.csv:2:3: this is x86-64 machine code, and machines/neoverse-n1.yaml is of aarch64" \
        "$gambrel" $what --blocks "$tmp/x86.csv" -m neoverse-n1
    fails 2 "a64.csv:2:3: this is aarch64 machine code, and machines/zen4.yaml is of x86-64" \
        "$gambrel" $what --blocks "$tmp/a64.csv" -m zen4
    fails 0 "all of this code is aarch64 machine code, too, and machines/zen4.yaml is of x86-64" \
        "$gambrel" $what --blocks "$tmp/both.csv" -m zen4
done
none="no form of these blocks is in machines/neoverse-n1.yaml, which is of aarch64"
printf 'cycles,block\n1,"add r64, r64"\n2,"2 imul r64, r64"\n' >"$tmp/forms.csv"
fails 0 "$none" "$gambrel" model --blocks "$tmp/forms.csv" -m neoverse-n1
fails 0 "$none" "$gambrel" compare --blocks "$tmp/forms.csv" -m zen4 -m neoverse-n1
grep -q '^zen4  *2 ' "$tmp/out"
ok $? "and the machine that knows them is beside it"
fails 1 "no form of this block is in machines/neoverse-n1.yaml, which is of aarch64" \
    "$gambrel" model --block "add r64, r64" -m neoverse-n1
fails 1 "no form of this block is in machines/neoverse-n1.yaml, which is of aarch64" \
    "$gambrel" model --block "add r64, r64" -m neoverse-n1 --csv
"$gambrel" model --blocks "$tmp/forms.csv" -m zen4 2>"$tmp/err" >"$tmp/out"
[ ! -s "$tmp/err" ]
ok $? "nothing is said where forms are known"
score() { # score FILE TOOL: blocks and MAPE of a tool in a report as CSV
    sed -n "s/^$2,\([0-9]*,[0-9.e-]*\),.*/\1/p" "$1"
}
printf 'name,cycles\nb,1\na,2\nz,7\n' >"$tmp/named.csv"
"$gambrel" compare --blocks "$tmp/measured.csv" --predictions "t=$tmp/named.csv" --csv >"$tmp/out" 2>"$tmp/err"
[ "$(score "$tmp/out" t)" = 2,0 ]
ok $? "predictions need names and cycles only, and may be fewer"
grep -q "1 of 3 are for blocks that were not measured, the first for 'z'" "$tmp/err"
ok $? "those for other blocks are named"
"$gambrel" model --blocks "$tmp/measured.csv" -m zen4 --csv >"$tmp/ours.csv"
"$gambrel" compare --blocks "$tmp/measured.csv" -m zen4 --predictions "ours=$tmp/ours.csv" --csv >"$tmp/out"
[ "$(score "$tmp/out" zen4)" = "$(score "$tmp/out" ours)" ] && [ -n "$(score "$tmp/out" ours)" ]
ok $? "what model --blocks prints is read as predictions"
printf 'cycles,x\n2,\n,\n3,\n' >"$tmp/gap.csv"
"$gambrel" compare --blocks "$tmp/measured.csv" --predictions "t=$tmp/gap.csv" --csv >"$tmp/out"
[ "$(score "$tmp/out" t)" = 2,0 ]
ok $? "a tool may have no number for a block"
printf 'name,cycles\na,1\na,2\n' >"$tmp/twice.csv"
fails 2 "twice.csv:3:3: 'a' has other cycles on line 2" \
    "$gambrel" compare --blocks "$tmp/measured.csv" --predictions "t=$tmp/twice.csv"
printf 'name,block\na,1 nop\n' >"$tmp/untimed.csv"
fails 2 "untimed.csv:1:1: the header has no column 'cycles': these blocks were not measured" \
    "$gambrel" compare --blocks "$tmp/untimed.csv" --machine zen4
fails 2 "terminal, json or csv, not as markdown" \
    "$gambrel" compare --blocks "$tmp/measured.csv" --machine zen4 --markdown

# Only bytes are given, and no machine file: instructions are counted and forms blamed all the same.
for k in 1 2 3; do printf '%d,480fafc3480fafc3480fafc3\n' $k; done | sed '1i cycles,code' >"$tmp/bytes.csv"
"$gambrel" compare --blocks "$tmp/bytes.csv" --predictions "t=$tmp/gap.csv" --json >"$tmp/json"
grep -q '"3-5": 0.5' "$tmp/json" && grep -q '"1-2": null' "$tmp/json"
ok $? "bytes are counted as instructions"
printf 'cycles\n3\n3\n1\n' >"$tmp/off.csv"
"$gambrel" compare --blocks "$tmp/bytes.csv" --predictions "t=$tmp/off.csv" --json |
    grep -q '"form": "imul r64, r64"'
ok $? "and as forms"
printf 'cycles,code,block\n2,,1 imul r64\n' | sed 's/1 imul r64/"2 imul r64, r64"/' >"$tmp/either.csv"
"$gambrel" compare --blocks "$tmp/either.csv" --machine zen4 --csv >"$tmp/out"
[ "$(score "$tmp/out" zen4)" = 1,0 ]
ok $? "a block without bytes is its forms"

"$gambrel" compare --blocks "$tmp/measured.csv" --predictions "a<&$(printf '\001')=$tmp/named.csv" --heat-map "$tmp/map.svg" \
    >/dev/null 2>&1
grep -q '>a&lt;&amp;?</text>' "$tmp/map.svg"
ok $? "the map's title is text, whatever the tool is called"

# Stand-ins: one hexadecimal digit 6 in a block's last byte is no instruction; each block takes 200 cycles.
mkdir "$tmp/bin"
cat >"$tmp/bin/llvm-mc" <<'END'
#!/bin/sh
while read -r line; do
    case $line in
    '0xb8 0x6d 0x63 0x61 0x21') echo '	movl	$560030573, %eax' ;;
    *06) echo '	addq	%rax, %rbx'; echo '<stdin>:2:1: warning: invalid instruction encoding' >&2 ;;
    *) echo '	addq	%rax, %rbx' ;;
    esac
done
END
cat >"$tmp/bin/llvm-mca" <<'END'
#!/bin/sh
case $* in *=broken*) echo boom >&2; exit 1 ;; esac
sed -n 's/^# LLVM-MCA-BEGIN.*/Total Cycles: 200/p'
END
chmod +x "$tmp/bin/llvm-mc" "$tmp/bin/llvm-mca"
printf 'name,cycles,code\na,2,4801c3\nb,2,4801c306\nc,2,4801c3\n' >"$tmp/codes.csv"
PATH="$tmp/bin:$PATH" "$gambrel" compare --blocks "$tmp/codes.csv" --with llvm-mca=some --csv >"$tmp/out" 2>"$tmp/err"
[ "$(score "$tmp/out" 'llvm-mca some')" = 2,0 ]
ok $? "a block of which llvm-mc leaves an instruction out is not predicted"
grep -q 'llvm-mca some predicts 2 of 3 blocks; first complaint: llvm-mc: <stdin>:2:1: warning: invalid' "$tmp/err"
ok $? "and why is said"
PATH="$tmp/bin:$PATH" "$gambrel" compare --blocks "$tmp/codes.csv" --with llvm-mca=broken --csv >"$tmp/out" 2>"$tmp/err"
grep -q 'llvm-mca broken predicts 0 of 3 blocks; first complaint' "$tmp/err"
ok $? "a tool that fails is said to"
fails 2 "--with knows llvm-mca" "$gambrel" compare --blocks "$tmp/measured.csv" --with nothing
echo "1..$count"
