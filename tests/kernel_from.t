#!/bin/sh
# Loops out of object files and assembly, in one command, and into the model.
set -u
. tests/tap.sh
case $(uname -m) in
x86_64) ;;
*)
    echo "1..0 # SKIP the assembly here is x86-64's"
    exit 0
    ;;
esac
cat >"$tmp/loop.s" <<'END'
	.intel_syntax noprefix
	.globl add2
	.type add2, @function
add2:
	xor eax, eax
# LLVM-MCA-BEGIN add2
1:	vmovups ymm0, [rdi+rax*8]
	vaddpd ymm0, ymm0, [rsi+rax*8]
	vmovups [rdi+rax*8], ymm0
	add rax, 4
	cmp rax, rdx
	jb 1b
# LLVM-MCA-END
2:	vmovsd xmm0, [rdi+rax*8]
	inc rax
	cmp rax, rcx
	jb 2b
	ret
	.size add2, .-add2
	.globl other
	.type other, @function
other:
	ret
	.size other, .-other
END
"$gambrel" kernel from-asm "$tmp/loop.s" -o "$tmp/marked.yaml"
ok $? "assembly with markers"
grep -q "vaddpd ymm, ymm, m256: 1" "$tmp/marked.yaml"
ok $? "its forms"
# As written by hand, in AT&T syntax: a label alone, and none but the loop's.
# shellcheck disable=SC2016 # the dollar is the assembler's
printf '\t.globl f\nf:\n1:\tvmovups (%%rdi,%%rax), %%ymm0\n\taddq $32, %%rax\n\tcmpq %%rdx, %%rax\n\tjne 1b\n\tret\n' >"$tmp/label.s"
"$gambrel" kernel from-asm "$tmp/label.s" --symbol f | grep -q "vmovups ymm, m256: 1"
ok $? "a label without a type is a function"
grep -v 'f$\|f:' "$tmp/label.s" >"$tmp/bare.s"
"$gambrel" kernel from-asm "$tmp/bare.s" | grep -q "name: .text"
ok $? "a loop without any label is found in its section"
as -o "$tmp/loop.o" "$tmp/loop.s"
"$gambrel" kernel from-object "$tmp/loop.o" --symbol add2 -o "$tmp/object.yaml"
ok $? "an object's function"
for f in marked object; do grep "code:" "$tmp/$f.yaml"; done | uniq | wc -l | grep -qx 1
ok $? "both find the same loop"
"$gambrel" kernel from-object "$tmp/loop.o" --address 2-1a --name range -o "$tmp/range.yaml" &&
    grep -q "name: range" "$tmp/range.yaml"
ok $? "a range of addresses"
"$gambrel" kernel from-object "$tmp/loop.o" --symbol add2 --list-loops | grep -c '^ *[12]' | grep -qx 2
ok $? "both loops are listed"
"$gambrel" kernel from-object "$tmp/loop.o" --symbol add2 --loop 2 | grep -q "vmovsd xmm, m64: 1"
ok $? "the second by number"
"$gambrel" model -k "$tmp/object.yaml" -m zen4 --csv >"$tmp/model.csv"
ok $? "the kernel works in model"
grep -q "^add2,avx2,1,chains,1,0.25,,flop/s," "$tmp/model.csv"
ok $? "with the chain of its counter"
"$gambrel" model -k "$tmp/object.yaml" -m sapphire-rapids | grep -q "front end: 6 slots at 6 a cycle"
ok $? "an indexed operand takes the slots that the machine file says"

# Arrays of other elements than the flops': bytes that become float, double that skips, and sums of bytes.
cat >"$tmp/sizes.s" <<'END'
	.intel_syntax noprefix
	.globl widen, skip, bytes, convert, sum, gather, counted
convert:
	pxor xmm0, xmm0
	cvtsi2sd xmm0, rax
	movsd [rsi+rax*8], xmm0
	add rax, 1
	jnz convert
	ret
gather:
	vpcmpeqd ymm1, ymm1, ymm1
	vpsubd ymm2, ymm2, ymm2
	vpgatherdd ymm2, [rsi+ymm0*4], ymm1
	vmovups [rdi], ymm2
	add rdi, 32
	jnz gather
	ret
counted:
	vpcmpeqd ymm1, ymm0, [rdi]
	vpsubd ymm2, ymm2, ymm1
	add rdi, 32
	jnz counted
	ret
sum:
	xorps xmm0, xmm1
	addsd xmm2, [rdi]
	add rdi, 8
	jnz sum
	ret
widen:
	vpmovzxbd ymm0, [rdi+rax]
	vcvtdq2ps ymm0, ymm0
	vmulps ymm0, ymm0, ymm1
	vmovups [rsi+rax*4], ymm0
	add rax, 8
	jnz widen
	ret
skip:
	vmovsd xmm0, [rdi]
	vaddsd xmm0, xmm0, xmm1
	vmovsd [rsi], xmm0
	call widen
	add rdi, 24
	add rsi, 8
	cmp rsi, rdx
	jne skip
	ret
bytes:
	vpaddb ymm0, ymm0, [rdi]
	add rdi, 32
	cmp rdi, rsi
	jne bytes
	ret
END
as -o "$tmp/sizes.o" "$tmp/sizes.s"
found() { # found SYMBOL TEXT...
    "$gambrel" kernel from-object "$tmp/sizes.o" --symbol "$1" >"$tmp/out"
    symbol=$1
    shift
    for text in "$@"; do
        grep -qF -- "$text" "$tmp/out"
        ok $? "$symbol: $text"
    done
}
found widen "elements_per_iter: 8" "flops_per_element: 1" \
    "move on by 40 bytes an iteration, updates twice, of which intensity and memory roofs count 64"
found skip "elements_per_iter: 1" \
    "move on by 32 bytes an iteration, updates twice, of which intensity and memory roofs count 16" \
    "1 call inside the loop: what is called is not counted"
found bytes "elements_per_iter: 32" "element_bytes: 1" "what its arrays are read or written as"
found sum "chains: 2"
found convert "stores: 1"
! grep -q "chains:" "$tmp/out"
ok $? "convert: zero is no chain"
found gather "stores: 1"
! grep -q "chains:" "$tmp/out"
ok $? "gather: neither are a mask of ones and a difference of nothing"
found counted "chains: 1"
found bytes "stores: 0"
! grep -q "move on" "$tmp/out"
ok $? "bytes: all of them are counted"

fails 2 "no function 'nothing'; there are add2, other" \
    "$gambrel" kernel from-object "$tmp/loop.o" --symbol nothing
fails 2 "which function? --symbol with one of add2, other" "$gambrel" kernel from-object "$tmp/loop.o"
fails 2 "no loop: no branch goes backwards" "$gambrel" kernel from-object "$tmp/loop.o" --symbol other
fails 2 "--loop 3: there are 2" "$gambrel" kernel from-object "$tmp/loop.o" --symbol add2 --loop 3
fails 2 "is no range" "$gambrel" kernel from-object "$tmp/loop.o" --address 5
fails 2 "not an ELF file" "$gambrel" kernel from-object "$tmp/loop.s" --symbol add2
fails 2 "must be a power of two" "$gambrel" kernel from-object "$tmp/loop.o" --alignment 3
fails 3 "no-assembler is not installed" \
    "$gambrel" kernel from-asm "$tmp/loop.s" --assembler no-assembler
echo "	frobnicate rax" >"$tmp/bad.s"
fails 2 "cannot assemble it" "$gambrel" kernel from-asm "$tmp/bad.s"
sed '/LLVM-MCA-END/d' "$tmp/loop.s" >"$tmp/open.s"
fails 2 "has no end" "$gambrel" kernel from-asm "$tmp/open.s"
echo "1..$count"
