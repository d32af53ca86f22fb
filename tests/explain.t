#!/bin/sh
# gambrel explain: the article's reasons in numbers, what-if with forms, refusals, exit statuses.
set -u
. tests/tap.sh
article=results/apple-m4-pro-article.yaml
machines=tests/recorded/machines
export LC_ALL=C NO_COLOR=1
# explains STATUS ARGUMENT...: then `says` reads what it printed, folded to one line
explains() {
    want=$1
    shift
    "$gambrel" explain --machines="$machines" "$@" >"$tmp/out" 2>"$tmp/err"
    got=$?
    [ "$got" -eq "$want" ]
    ok $? "explain $*: exit $want"
    [ "$got" -eq "$want" ] || sed 's/^/#   /' "$tmp/err"
    cat "$tmp/out" "$tmp/err" | tr -s ' \n' ' ' >"$tmp/words"
}
says() {
    grep -qF -- "$1" "$tmp/words"
    ok $? "says: $1"
}

explains 0 poly $article
says "12, poly 1.00 0.75 0.72 to 0.75"
says "16, chain curve 1.00 1.00 0.90"
says "neither gives the 0.90 of 16 chains: why they are that slow is unexplained"
says "lies somewhere between 97.0 and 114.9, and so does the measurement"
says "16 independent chains in place of 12"
explains 0 stencil $article
says "<- roofline: misses by 37 %"
says "56 uops on 3, 56 of them from ldur q, m128 (tests/recorded/machines/apple-m4-pro.yaml:"
says "UNEXPLAINED: 10 % below the nearest ceiling"
says "which the measurement exceeds, so it is not that"
explains 1 saxpy $article
says "VIOLATED BOUND: it runs at 1.17 times the roofline ceiling (DRAM triad roof)"
says "this machine does not fetch lines before it overwrites them, so the roof moves 1.00 times the bytes"
says "No roof of this run moves update lines: measure one that does"
says "a stream mapping needs 5 to 64 measured mixes, not 4"
explains 0 poly_intrin $article
says "It runs at 0.76 of the rate of poly, the same formula, with 1.26 times the dispatch slots"
says "1161 slots at 10 a cycle"
says "UNEXPLAINED: 31 % below the nearest ceiling"
explains 0 fma_stream $article
says "20, fma_stream 1.00 0.92 to 0.98"

explains 0 --level=L1 --threads=1 --set "fmla v.4s, v.4s, v.4s.latency_cycles=4" poly $article
says "12 chains of 4 cycles allow 0.75 of the compute roof (before: 12 of 3, 1.00)"
explains 0 --threads=1 --drop "ldp q, q, m256" --set core.dispatch_width=7 poly_intrin $article
says "What binds then: front end: 957 slots at 7 a cycle"
machines=machines
explains 0 --machine=zen5-server poly
says "nothing measured"
explains 0 --machine=zen4 poly
says "gives no clock for one core: rates are those at 1 GHz"

# A kernel that carries its code, as from-object writes them.
cat >"$tmp/own.yaml" <<END
format: gambrel-kernels-1
kernels:
- name: dot
  formula: s += x[i] * y[i]
  element_bytes: 8
  flops_per_element: 2
  roof: read2
  compute_roof: fma_f64
  unit: flop/s
  streams: {x: read, y: read}
  body:
    avx2:
      elements_per_iter: 1
      code: c5fb100cc2c4e2f1b904c14883c0014839c775ec
      instructions:
        vmovsd xmm, m64: 1
        vfmadd231sd xmm, xmm, m64: 1
        add r64, imm: 1
        cmp r64, r64: 1
        jnz rel: 1
END
explains 0 --kernels="$tmp/own.yaml" --machine=sapphire-rapids dot
says "1 elements an iteration; instructions of its code"
says "1 of vfmadd231sd xmm, xmm, m64 (4 cycles): 4 cycles over 1 iteration"
machines=tests/recorded/machines
explains 2 --kernels="$tmp/own.yaml" dot $article
says "dot was not measured here"

explains 2
says "which kernel?"
explains 2 nothing $article
says "no kernel is called 'nothing'"
explains 2 --set core.width=6 poly $article
says "core.width cannot be set; of core these can: dispatch_width"
explains 2 --drop "vaddps V, V, V" poly $article
says "has no instruction 'vaddps V, V, V'; it has: ldp q, q, m256"
explains 2 --vector=300 poly $article
says "--vector takes 128, 256 or 512, not 300"
explains 2 --vector=256 poly $article
says "no body for avx2 on this machine; it has: neon"
explains 2 --level=L3 poly $article
says "poly is not known so; it is: neon L1 on 1 thread"
machines=machines
explains 2 --machine=zen4 --isa=neon poly
says "poly is not known so; it is: sse2 L1; avx2 L1; avx512 L1"
machines=tests/recorded/machines
explains 2 poly no-such-run.yaml
explains 2 poly $article $article
says "one kernel and one run at a time"
echo "1..$count"
