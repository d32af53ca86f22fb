#!/bin/sh
# Our roofs beside likwid-bench's loops of the same kind, in turn, on one core: the ratio of the best
# of ROUNDS rounds each.  Skips where likwid-bench is not installed.
set -u
gambrel=${BUILD:-build}/gambrel
rounds=${ROUNDS:-3}
command -v likwid-bench >/dev/null || { echo "likwid-bench is not installed: no peer to compare with"; exit 0; }
isa=$("$gambrel" measure --list | awk '$2 == "default" { print $1 }')
case $isa in
    avx512) vector=avx512 fma=avx512_fma ;;
    avx2) vector=avx fma=avx_fma ;;
    sse2) vector=sse fma=sse ;;
    *) echo "no peer loops for $isa"; exit 0 ;;
esac
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

peer() { # peer LOOP SIZE FIELD UNIT: the rate likwid-bench reports
    likwid-bench -t "$1" -w "S0:$2:1" 2>/dev/null |
        awk -v field="$3" -v unit="$4" '$1 == field { printf "%.0f\n", $2 * unit }'
}
ours() { # ours ROOF LEVEL: the rate of this round
    sed -n "s/.*{\"name\": \"$1\", .*\"level\": \"$2\", \"threads\": 1, \"value\": \([0-9.e+]*\),.*/\1/p" \
        "$tmp/report.json" | head -n 1
}

# Roof, level, likwid loop, its working set, its field and unit.
cat >"$tmp/pairs" <<END
fma_f32 L1 peakflops_sp_$fma 4kB MFlops/s: 1e6
read L1 load_$vector 24kB MByte/s: 1e6
copy L1 copy_$vector 24kB MByte/s: 1e6
fill L1 store_$vector 24kB MByte/s: 1e6
update L1 update_$vector 24kB MByte/s: 1e6
read DRAM load_$vector 1200MB MByte/s: 1e6
copy DRAM copy_$vector 1200MB MByte/s: 1e6
triad DRAM stream_$vector 1200MB MByte/s: 1e6
fill DRAM store_$vector 1200MB MByte/s: 1e6
update DRAM update_$vector 1200MB MByte/s: 1e6
fill_nt DRAM store_mem_$vector 1200MB MByte/s: 1e6
copy_nt DRAM copy_mem_$vector 1200MB MByte/s: 1e6
END

round=0
while [ $round -lt "$rounds" ]; do
    round=$((round + 1))
    # shellcheck disable=SC2046
    "$gambrel" measure --quick -t 1 -o "$tmp/run.yaml" $(cut -d' ' -f1 "$tmp/pairs" | sort -u) \
        >/dev/null 2>&1 || { echo "gambrel measure failed"; exit 1; }
    "$gambrel" compare --json "$tmp/run.yaml" >"$tmp/report.json" 2>/dev/null
    while read -r roof level loop size field unit; do
        echo "$roof $level $loop $(ours "$roof" "$level") $(peer "$loop" "$size" "$field" "$unit")"
    done <"$tmp/pairs" >>"$tmp/rates"
done
awk -v rounds="$rounds" '
    { key = $1 " " $2 " " $3; if (!(key in mine)) order[++n] = key
      if ($4 + 0 > mine[key]) mine[key] = $4 + 0
      if ($5 + 0 > theirs[key]) theirs[key] = $5 + 0 }
    END { printf "%-9s %-5s %10s  %-24s %10s  %s\n", "roof", "level", "ours G/s", "likwid-bench", "theirs G/s", "ratio"
          for (i = 1; i <= n; i++) { split(order[i], k, " ")
              printf "%-9s %-5s %10.1f  %-24s %10.1f  %s\n", k[1], k[2], mine[order[i]] / 1e9, k[3],
                  theirs[order[i]] / 1e9, theirs[order[i]] ? sprintf("%.2f", mine[order[i]] / theirs[order[i]]) : "no peer" }
          print "best of " rounds " rounds each, in turn, on one core" }' "$tmp/rates"
