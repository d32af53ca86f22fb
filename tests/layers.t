#!/bin/sh
# Who may include whom, which folder is the one door to which library, and who may print or exit.
set -u
count=0
check() { # check NAME OUTPUT: passes when OUTPUT is empty
    count=$((count + 1))
    if [ -z "$2" ]; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1"
        echo "$2" | sed 's/^/#   /'
    fi
}

# Folder, then the folders it may include besides itself.
while read -r folder allowed; do
    pattern=$(echo "$folder $allowed" | tr ' ' '|')
    check "$folder includes only: $allowed" \
        "$(grep -nE '^#include "' "$folder"/*.c "$folder"/*.h | grep -vE "#include \"($pattern)/")"
done <<END
base
formats base
code base formats
measure base formats code
model base formats code
import base formats code
compare base formats code model
cli base formats code measure model import compare
END

# Header, then the only files that may include it.
while read -r header door; do
    check "$header only in $door" \
        "$(grep -lE "^#include <$header" base/* formats/* code/* measure/* model/* import/* compare/* cli/* |
            grep -vE "^($door)$")"
done <<END
yaml.h formats/yml.c|formats/yml_out.c
expat.h formats/xml.c
glpk.h model/lp.c
hwloc measure/host.c
Zydis code/decode.c|code/decode_x86.c|code/encode.c
capstone code/decode.c|code/decode_a64.c
(libelf|gelf|elf)\.h code/object.c
linux/perf_event.h measure/counters.c
argp.h cli/[a-z_]*\.[ch]
END

check "nothing below cli prints or exits" \
    "$(grep -nE '\b(printf|puts|putchar|perror|exit|abort|_exit)\(' \
        base/*.c formats/*.c code/*.c measure/*.c model/*.c import/*.c compare/*.c |
        grep -vE '^[^:]*:[0-9]+: *(/\*|\*)|^(base/child.c|measure/probe.c):[0-9]+: *_exit')"
check "a child process is begun only by its own module" \
    "$(grep -lE '\b(fork|popen|system|posix_spawnp?)\(' \
        base/*.c formats/*.c code/*.c measure/*.c model/*.c import/*.c compare/*.c cli/*.c |
        grep -vE '^(measure/probe.c|base/child.c)$')"
check "which view a machine file has is decided in one place" \
    "$(grep -lE 'COST_PORTS : COST_RESOURCES' ./*/*.c | grep -v '^./model/cost_table.c$')"
check "functions of at most 50 lines" \
    "$(awk 'FNR == 1 { start = 0 } /^\{/ { start = FNR } /^\}/ {
        if (start && FNR - start > 50) print FILENAME ":" start; start = 0 }' \
        base/*.c formats/*.c code/*.c measure/*.c model/*.c import/*.c compare/*.c cli/*.c)"
check "no state at file scope outside of the signal handler" \
    "$(grep -nE '^static [a-z_ ]+[a-z_]+( = [^(]*)?;$' \
        base/*.c formats/*.c code/*.c measure/*.c model/*.c import/*.c compare/*.c cli/*.c |
        grep -vE 'static (const|inline)|cli/cmd_measure.c:[0-9]+:static volatile int stop_flag')"
echo "1..$count"
