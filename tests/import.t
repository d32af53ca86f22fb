#!/bin/sh
# Other tools' files from the command line: imported, checked, and predicting the cycles they are made for.
set -u
. tests/tap.sh
predicts() { # predicts MACHINE CYCLES BLOCK
    got=$(printf 'block\n"%s"\n' "$3" | "$gambrel" model --blocks - -m "$1" | sed -n '2s/^[^,]*,\([^,]*\),.*/\1/p')
    [ "$got" = "$2" ]
    ok $? "$3 takes $2 cycles, not '$got'"
}
imported() { # imported FILE ARCH
    "$gambrel" machine import "tests/import/$1" ${2:+--arch "$2"} -o "$tmp/$1.yaml" 2>"$tmp/summary" &&
        "$gambrel" machine check "$tmp/$1.yaml" >"$tmp/check" && grep -q ' 0 errors' "$tmp/check"
    ok $? "$1 is imported, and checks without an error"
}

imported osaca-x86.yml ''
predicts "$tmp/osaca-x86.yml.yaml" 1 "2 vaddpd ymm, ymm, ymm"
predicts "$tmp/osaca-x86.yml.yaml" 8 "1 vdivpd ymm, ymm, ymm; 4 add r64, r64"
predicts "$tmp/osaca-x86.yml.yaml" 2 "8 add r64, r64"
predicts "$tmp/osaca-x86.yml.yaml" 1 "1 vaddpd ymm, ymm, m256; 1 vmovups ymm, m256"
grep -q '3 left out' "$tmp/summary"
ok $? "what was left out is counted"
imported osaca-a64.yml arm1
predicts "$tmp/osaca-a64.yml.yaml" 43 "1 fdiv d, d, d; 2 fmla v.4s, v.4s, v.4s"
imported uops-info.xml SKL
predicts "$tmp/uops-info.xml.yaml" 8 "1 vdivpd ymm, ymm, ymm; 2 vaddps ymm, ymm, m256"
imported pmevo-x86.json ''
predicts "$tmp/pmevo-x86.json.yaml" 1.5 "3 add r64, imm"
imported pmevo-a64.json A72
imported palmed.json ''
predicts "$tmp/palmed.json.yaml" 2 "2 addss xmm, xmm; 2 bsr r64, r64"
imported llvm-mca-x86.json toy
predicts "$tmp/llvm-mca-x86.json.yaml" 2 "4 vaddps ymm, ymm, m256"
predicts "$tmp/llvm-mca-x86.json.yaml" 16 "2 vdivpd ymm, ymm, ymm"

"$gambrel" machine import - <tests/import/osaca-x86.yml 2>/dev/null | grep -q '^name: tst-osaca'
ok $? "from standard input to standard output"

# The real tool, where it is: the model of what it says must give what it gives.
if command -v llvm-mca >/dev/null 2>&1; then
    printf 'vaddps %%ymm0, %%ymm1, %%ymm2\nvmovups (%%rdi), %%ymm3\nvmulps (%%rsi), %%ymm3, %%ymm4\n%s\n' \
        'vmovups %ymm4, (%rdx)' >"$tmp/block.s"
    printf 'addq %%rsi, %%rdi\nimulq %%rax, %%rcx\nvandps %%ymm1, %%ymm2, %%ymm3\n' >>"$tmp/block.s"
    for cpu in skylake znver3; do
        set -- llvm-mca --mtriple=x86_64-linux-gnu --mcpu=$cpu
        "$@" -json -instruction-tables "$tmp/block.s" >"$tmp/$cpu.json" 2>/dev/null &&
            "$gambrel" machine import "$tmp/$cpu.json" -o "$tmp/$cpu.yaml" 2>"$tmp/err"
        ok $? "llvm-mca's own table of $cpu"
        theirs=$("$@" "$tmp/block.s" 2>/dev/null | sed -n 's/^Block RThroughput: *\([0-9.]*\)/\1/p')
        predicts "$tmp/$cpu.yaml" "${theirs%.0}" "1 vaddps ymm, ymm, ymm; 1 vmovups ymm, m256; \
1 vmulps ymm, ymm, m256; 1 vmovups m256, ymm; 1 add r64, r64; 1 imul r64, r64; 1 vandps ymm, ymm, ymm"
    done
    printf 'fmla v0.4s, v1.4s, v2.4s\nldr q3, [x0]\nstr q3, [x2, #16]\nldp q4, q5, [x1]\nmadd x6, x7, x8, x9\n' \
        >"$tmp/a64.s"
    set -- llvm-mca --mtriple=aarch64-linux-gnu --mcpu=cortex-a72
    "$@" -json -instruction-tables "$tmp/a64.s" >"$tmp/a72.json" 2>/dev/null &&
        "$gambrel" machine import "$tmp/a72.json" -o "$tmp/a72.yaml" 2>"$tmp/err"
    ok $? "llvm-mca's own table of cortex-a72"
    theirs=$("$@" "$tmp/a64.s" 2>/dev/null | sed -n 's/^Block RThroughput: *\([0-9.]*\)/\1/p')
    predicts "$tmp/a72.yaml" "${theirs%.0}" \
        "1 fmla v.4s, v.4s, v.4s; 1 ldr q, m128; 1 str q, m128; 1 ldp q, q, m256; 1 madd x, x, x, x"
    grep -q "{form: 'ldp q, q, m256'.*from: 3, to: 1,.*from: 3, to: 2," "$tmp/a72.yaml"
    ok $? "a pair has two results"
fi

fails 2 "import takes one file" "$gambrel" machine import
fails 2 "import takes one file" "$gambrel" machine import a b
fails 2 "cannot open" "$gambrel" machine import "$tmp/none"
fails 2 "is a folder" "$gambrel" machine import "$tmp"
fails 2 "looks like no file that can be imported" "$gambrel" machine import tests/import.t
fails 2 "is none of osaca" "$gambrel" machine import tests/import/palmed.json --format iaca
fails 2 "--arch is needed; the file has HSW, SKL" "$gambrel" machine import tests/import/uops-info.xml
fails 2 "--arch: the file describes 'toy'" "$gambrel" machine import tests/import/llvm-mca-x86.json --arch skylake
: >"$tmp/empty"
fails 2 "looks like no file" "$gambrel" machine import "$tmp/empty"
truncate -s 600M "$tmp/large"
fails 2 "larger than 512 MiB" "$gambrel" machine import "$tmp/large"
truncate -s 100M "$tmp/large"
fails 2 "100 MiB are too much" "$gambrel" machine import "$tmp/large" --format osaca
fails 2 "not XML" "$gambrel" machine import "$tmp/large" --format uops-info --arch SKL
head -c 3000 tests/import/uops-info.xml >"$tmp/cut.xml"
fails 2 "cut.xml:" "$gambrel" machine import "$tmp/cut.xml" --arch SKL -o "$tmp/cut.yaml"
[ ! -e "$tmp/cut.yaml" ]
ok $? "and nothing is written"
fails 2 "cannot write" "$gambrel" machine import tests/import/palmed.json -o "$tmp/no/such.yaml"
if [ -w /dev/full ]; then
    "$gambrel" machine import tests/import/palmed.json >/dev/full 2>"$tmp/err"
    [ $? -eq 2 ] && grep -q 'No space left' "$tmp/err"
    ok $? "a full device is an error"
fi
echo "1..$count"
