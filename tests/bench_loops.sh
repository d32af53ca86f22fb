#!/bin/sh
# The loops of tests/loops, compiled by whatever compilers are here, measured from L1 and beside the best
# ceiling of the machine file that describes this CPU, and llvm-mca where it is installed.
#
#   LOOPS_LEVELS="-O3 -march=x86-64-v3"  flags, several separated by ;  (default: two of -O3)
#   LOOPS_ONLY=strided                   one file
#   LOOPS_KEEP=DIR                       keep every number in DIR/loops.csv
set -u
gambrel=$(cd "$(dirname "${BUILD:-build}")" && pwd)/$(basename "${BUILD:-build}")/gambrel
case $(uname -m) in x86_64) ;; *) echo "the loops' steps are counted on x86-64 only"; exit 0 ;; esac
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
v4="$(grep -qw avx512vl /proc/cpuinfo && echo ';-O3 -march=x86-64-v4')"
levels=${LOOPS_LEVELS:--O3 -march=x86-64-v3$v4}
machine=$("$gambrel" machine detect 2>/dev/null | awk '{ print $1 }')
[ -n "$machine" ] || { echo "no machine file describes this CPU"; exit 0; }

mca() { # mca OBJECT FIRST END: cycles per iteration
    command -v llvm-mca >/dev/null || return 0
    objdump -d --no-show-raw-insn --start-address="$2" --stop-address="$3" "$1" |
        sed -n 's/^ *[0-9a-f]*:\t//p' | sed 's/<.*//' >"$tmp/loop.s"
    llvm-mca --mcpu=native --iterations=100 --instruction-info=0 --resource-pressure=0 "$tmp/loop.s" \
        2>/dev/null | awk '/^Total Cycles:/ { print $3 / 100 }'
}

echo "loop,compiler,flags,type,measured,best,ports,chains,mca,share,disturbed,unknown" >"$tmp/loops.csv"
for source in tests/loops/${LOOPS_ONLY:-*}.c; do
    for compiler in gcc clang; do
        command -v "$compiler" >/dev/null || continue
        echo "$levels" | tr ';' '\n' | while read -r flags; do
            for type in float double; do
                object=$tmp/own.o
                # shellcheck disable=SC2086
                "$compiler" $flags -fopenmp-simd -fno-math-errno -fPIC -DT="$type" -w -c -o "$object" "$source" ||
                    continue
                sed -n 's|^/\* loop \([a-z0-9_]*\): \([^;]*\);* *\([0-9]*\) \*/$|\1:\2:\3|p' "$source" |
                    while IFS=: read -r name arguments elements; do
                        arguments=$(echo "$arguments" | sed "s/\bT\b/$type/g")
                        "$gambrel" kernel run "$object" --symbol "$name" --args "$arguments" \
                            --elements-per-n "${elements:-1}" --levels L1 --csv 2>/dev/null </dev/null |
                            sed -n 2p >"$tmp/row"
                        [ -s "$tmp/row" ] || { echo "$name,$compiler,$flags,$type,,,,,,,,not measured" >>"$tmp/loops.csv"; continue; }
                        cycles=$(mca "$object" "$(cut -d, -f2 "$tmp/row")" "$(cut -d, -f3 "$tmp/row")")
                        awk -F, -v head="$name,$compiler,$flags,$type" -v mca="$cycles" '{
                            measured = ($8 != "" ? $8 : $5) * $13
                            unknown = substr($0, index($0, "\""))
                            print head "," measured "," $18 "," $16 "," $17 "," mca "," $14 "," $12 "," unknown
                        }' "$tmp/row" >>"$tmp/loops.csv"
                    done
            done
        done
    done
done
[ -z "${LOOPS_KEEP:-}" ] || cp "$tmp/loops.csv" "$LOOPS_KEEP/loops.csv"
awk -F, -v machine="$machine" '
    # tau is tau-b, as compare prints it: loops with one and the same ceiling are no pair.
    function report(name, column,   n, i, j, sum, squares, told, apart, same, x, y, value, error, inside) {
        for (i = 1; i <= rows; i++)
            if (field[i, column] != "" && measured[i] > 0) { value[++n] = field[i, column]; at[n] = measured[i] }
        for (i = 1; i <= n; i++) {
            error = value[i] / at[i] - 1
            sum += error < 0 ? -error : error
            squares += error * error
            inside += error > -0.1 && error < 0.1
            for (j = 1; j < i; j++) {
                x = (value[i] > value[j]) - (value[i] < value[j])
                y = (at[i] > at[j]) - (at[i] < at[j])
                same += x * y; told += x != 0; apart += y != 0
            }
        }
        if (n) printf "%-22s %5d %7.1f %7.1f %7.3f %8.1f %10.1f\n", name, n, 100 * sum / n,
                      100 * sqrt(squares / n), told * apart ? same / sqrt(told * apart) : 0, 100 * n / rows, 100 * inside / n
    }
    NR > 1 {
        rows++; measured[rows] = $5
        field[rows, 6] = $6; field[rows, 7] = $7; field[rows, 9] = $9
        disturbed += $11 == 1
        text = $12
        for (i = 13; i <= NF; i++) text = text "," $i
        gsub(/"/, "", text)
        if (text != "") unknown[text]++
    }
    END {
        printf "%d loops, %d disturbed\n%-22s %5s %7s %7s %7s %8s %10s\n", rows, disturbed, "model", "loops",
               "MAPE %", "RMS %", "tau", "cover %", "in 10 % %"
        report("best of " machine, 6); report("ports of " machine, 7); report("llvm-mca native", 9)
        for (text in unknown) print "unknown in " unknown[text] ": " text
    }' "$tmp/loops.csv"
