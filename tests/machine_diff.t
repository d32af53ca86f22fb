#!/bin/sh
# gambrel machine diff: exit statuses, formats, what is refused.
set -u
gambrel=${BUILD:-build}/gambrel
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
count=0
check() { # check NAME STATUS PATTERN FILE ARGUMENTS...: exit status, and PATTERN in FILE (out, err)
    count=$((count + 1))
    name=$1 status=$2 pattern=$3 file=$4
    shift 4
    "$gambrel" machine "$@" >"$folder/out" 2>"$folder/err"
    got=$?
    if [ "$got" = "$status" ] && grep -qE -- "$pattern" "$folder/$file"; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name"
        echo "#   status $got, wanted $status; wanted /$pattern/"
        head -20 "$folder/out" "$folder/err" | sed 's/^/#   /'
    fi
}

check "equal files" 0 'No difference' out diff zen4 zen4
check "files that differ" 1 'dispatch_width +6 +8' out diff zen4 zen5-server
check "CSV" 1 '^fact,core.dispatch_width,6,8$' out diff --csv zen4 zen5-server
check "JSON" 1 '"kind": "fact", "what": "core.dispatch_width", "left": "6", "right": "8"' out \
    diff --json zen4 zen5-server
check "another seed, other blocks" 1 '^prediction,mape' out diff --csv --seed=7 --blocks=50 zen4 zen5-server
cp "$folder/out" "$folder/once"
check "the same seed again" 1 '^prediction,blocks,,50$' out diff --csv --seed=7 --blocks=50 zen4 zen5-server
count=$((count + 1))
if cmp -s "$folder/once" "$folder/out"; then echo "ok $count - the same output"; else echo "not ok $count - the same output"; fi
check "no blocks" 1 '^prediction,blocks,,0$' out diff --csv --blocks=0 zen4 zen5-server
sed 's/^name: .*/name: other/' machines/zen4.yaml >"$folder/other.yaml"
check "a name alone is no difference" 0 'No difference' out diff zen4 "$folder/other.yaml"
check "one file" 2 'two machines' err diff zen4
check "three files" 2 'two machines' err diff zen4 zen4 zen4
check "no such machine" 2 'nonesuch' err diff zen4 nonesuch
check "a tolerance that is none" 2 'tolerance' err diff --tolerance=-1 zen4 zen4
check "a tolerance in words" 2 'tolerance' err diff --tolerance=much zen4 zen4
check "options of diff elsewhere" 2 'of machine diff' err list --json
printf 'format: gambrel-machine-1\nname: bare\nisa: x86-64\n' >"$folder/bare.yaml"
check "a file without a mapping" 2 'bare' err diff zen4 "$folder/bare.yaml"
count=$((count + 1))
"$gambrel" machine diff zen4 zen4 >/dev/full 2>"$folder/err"
if [ $? = 2 ]; then echo "ok $count - a full device"; else echo "not ok $count - a full device"; fi
echo "1..$count"
