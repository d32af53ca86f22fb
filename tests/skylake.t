#!/bin/sh
# Blocks that others have measured on a Skylake (GAMBREL_BLOCKS: a folder with skylake_train.csv,
# skylake_check.csv and skylake_ports.csv, of PMEvo's artifact): the ports that are documented miss them by
# about 12 %, as published, and what is inferred from other blocks alone is better.
set -u
gambrel=${BUILD:-build}/gambrel
blocks=${GAMBREL_BLOCKS:-}
if [ ! -f "$blocks/skylake_check.csv" ] || [ ! -f "$blocks/skylake_ports.csv" ]; then
    echo "1..0 # SKIP GAMBREL_BLOCKS names no folder with skylake_check.csv and skylake_ports.csv"
    exit
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
perl tests/ports_machine.pl skylake-ports <"$blocks/skylake_ports.csv" >"$tmp/ports.yaml"
"$gambrel" infer --blocks "$blocks/skylake_train.csv" --isa x86-64 --name skylake-inferred --seconds 30 \
    -o "$tmp/inferred.yaml" 2>"$tmp/err"
"$gambrel" compare --blocks "$blocks/skylake_check.csv" --machine "$tmp/ports.yaml" \
    --machine "$tmp/inferred.yaml" | awk '
    $1 == "skylake-ports" && $2 == 1000 { ports = $3; covered = $7 }
    $1 == "skylake-inferred" && $2 == 1000 { inferred = $3 }
    END { print (covered == 100 ? "ok" : "not ok") " 1 - all 310 forms have their ports"
          print (ports > 11 && ports < 13 ? "ok" : "not ok") " 2 - the ports miss by about 12 %: " ports " %"
          print (inferred > 0 && inferred < ports ? "ok" : "not ok") " 3 - what is inferred is better: " inferred " %"
          print "1..3" }'
