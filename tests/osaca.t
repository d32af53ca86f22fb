#!/bin/sh
# compare --blocks --with osaca, against a stand-in that prints what OSACA prints: its report's layout is
# that of frontend.py of versions 0.3 to 0.7.  OSACA itself is not needed, nor run where it is installed.
set -u
. tests/tap.sh
if ! command -v objdump >/dev/null 2>&1; then
    echo "1..0 # SKIP no objdump"
    exit 0
fi
mkdir "$tmp/bin" "$tmp/t"
TMPDIR=$tmp/t
export TMPDIR
cat >"$tmp/bin/osaca" <<'END'
#!/bin/sh
arch=DEFAULT
if [ "$1" = --arch ]; then arch=$2; shift 2; fi
if [ "$arch" = NONE ]; then
    echo 'usage: osaca [-h] [-V] [--arch ARCH] [--fixed] file' >&2
    echo 'osaca: error: Microarchitecture not supported. Please see --help for all valid architecture codes.' >&2
    exit 2
fi
[ -z "${OSACA_LOG:-}" ] || { echo "$arch"; cat "$1"; } >>"$OSACA_LOG"
cat <<REPORT
Open Source Architecture Code Analyzer (OSACA) - 0.7.1
Analyzed file:      $1
Architecture:       $arch
Timestamp:          2026-01-02 03:04:05

 P - Throughput of LOAD operation can be hidden behind a past or future STORE instruction
 * - Instruction micro-ops not bound to a port
 X - No throughput/latency information for this instruction in data file

Combined Analysis Report
------------------------
                     Port pressure in cycles
     |  0   - 0DV  |  1   |  5   |  6   ||  CP  | LCD  |
--------------------------------------------------------
   1 | 0.25        | 0.25 | 0.25 | 0.25 ||  1.0 |  1.0 |   $(head -n 1 "$1")

REPORT
if grep -q cpuid "$1"; then
    echo '------------------ WARNING: The performance data for 1 instructions is missing.------------------'
    echo '                     No final analysis is given. If you want to ignore this'
    echo '                     warning and run the analysis anyway, start osaca with'
    echo '                                       --ignore-unknown flag.'
elif grep -q imul "$1"; then
    echo '                       2.00                 6.0    6.0  '
elif grep -q rdtsc "$1"; then
    echo 'Traceback (most recent call last):' >&2
    exit 1
else
    echo '       0.75          0.75   0.75   0.75    1.0    0.0  '
fi
printf '\n\nLoop-Carried Dependencies Analysis Report\n-----------------------------------------\n'
END
chmod +x "$tmp/bin/osaca"
PATH=$tmp/bin:$PATH

# Three adds, two imuls, cpuid, rdtsc, and a block without code.
printf 'name,cycles,code\nadds,1,4801d84801d84801d8\nmuls,6,480fafca480fafca\n' >"$tmp/blocks.csv"
printf 'unknown,100,0fa2\nfails,30,0f31\nnone,1,\nagain,1,4801d84801d84801d8\n' >>"$tmp/blocks.csv"
OSACA_LOG=$tmp/log "$gambrel" compare --blocks "$tmp/blocks.csv" --with osaca=SPR --json >"$tmp/json" 2>"$tmp/err"
ok $? "OSACA beside measured blocks"
grep -q '"name": "osaca SPR", "n": 3,' "$tmp/json"
ok $? "what it does not know, fails at, or has no code for counts against its coverage"
grep -q '"mape": 0.166666666667' "$tmp/json"
ok $? "port pressure bounds the adds, the dependence the products"
[ "$(grep -c SPR "$tmp/log")" -eq 5 ] && grep -q 'imul' "$tmp/log" && ! grep -q '(bad)' "$tmp/log"
ok $? "it was given the assembly of each block with code, one by one"
[ "$(sed -n '2,4p' "$tmp/log" | tr -s ' \t' ' ' | sort -u)" = "add %rbx,%rax" ]
ok $? "in AT&T syntax, without addresses"
"$gambrel" compare --blocks "$tmp/blocks.csv" --with osaca --json 2>/dev/null | grep -q '"name": "osaca", "n": 3'
ok $? "without an architecture OSACA chooses"
# Bytes that are no instruction, and an instruction that is cut off and would take its end from the next block.
printf 'name,cycles,code\nbad,1,4801d806\ncut,1,4801d80f\nnext,1,4801d8\nwhole,1,4801d8\n' >"$tmp/odd.csv"
"$gambrel" compare --blocks "$tmp/odd.csv" --with osaca --json 2>/dev/null | grep -q '"name": "osaca", "n": 2'
ok $? "nothing is predicted for a block that is not all instructions"
fails 3 "osaca refuses: Microarchitecture not supported" \
    "$gambrel" compare --blocks "$tmp/blocks.csv" --with osaca=NONE
fails 2 "--with knows llvm-mca" "$gambrel" compare --blocks "$tmp/blocks.csv" --with osacas
rm "$tmp/bin/osaca"
if ! command -v osaca >/dev/null 2>&1; then
    fails 3 "osaca" "$gambrel" compare --blocks "$tmp/blocks.csv" --with osaca
fi
[ -z "$(ls "$TMPDIR")" ]
ok $? "and no temporary file stays behind"
echo "1..$count"
