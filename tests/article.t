#!/bin/sh
# The roofline article's table: measured over predicted, by kernel, threads and level.
set -u
gambrel=${BUILD:-build}/gambrel
count=0
"$gambrel" compare --csv results/apple-m4-pro-article.yaml 2>/dev/null | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    $1 == "kernel" {
        printf "%s %s %s %.2f\n", $at["name"], $at["threads"], $at["level"],
               $at["measured"] / $at["roofline"]
    }' >"${TMPDIR:-/tmp}/article.$$"
trap 'rm -f "${TMPDIR:-/tmp}/article.$$"' EXIT

while read -r row; do
    count=$((count + 1))
    if grep -qxF "$row" "${TMPDIR:-/tmp}/article.$$"; then
        echo "ok $count - $row"
    else
        echo "not ok $count - $row"
        grep "^${row% *} " "${TMPDIR:-/tmp}/article.$$" | sed 's/^/#   got /'
    fi
done <<END
saxpy 1 DRAM 1.17
saxpy 10 DRAM 1.03
stencil 1 DRAM 0.56
stencil 10 DRAM 0.99
fma_stream 1 DRAM 0.96
fma_stream 10 DRAM 0.92
poly 1 DRAM 0.73
poly 10 DRAM 0.75
stencil 1 L1 0.63
fma_stream 10 L1 0.98
END
echo "1..$count"
