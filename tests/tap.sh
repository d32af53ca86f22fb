# shellcheck shell=sh
# tap.sh - what the test scripts share: the program, a folder that is gone at the end, lines of TAP.
# They are run from the root of the tree, and source it there.
# shellcheck disable=SC2034 # who sources it uses it
gambrel=${BUILD:-build}/gambrel
count=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ok() { # ok STATUS NAME: status 0 passes
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}
fails() { # fails STATUS TEXT COMMAND...: with this status, saying this
    want=$1 text=$2
    shift 2
    "$@" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq "$want" ] && grep -qF -- "$text" "$tmp/err"
    ok $? "refused: $text"
}
