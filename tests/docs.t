#!/bin/sh
# What the documents show works: the kernel of adding-a-kernel.md is read and predicted.
set -u
gambrel=${BUILD:-build}/gambrel
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
echo 1..3
sed -n '/^    format: gambrel-kernels-1/,/^- .streams/s/^    //p' doc/adding-a-kernel.md >"$tmp/kernels.yaml"
if "$gambrel" model axpbypz --kernels "$tmp/kernels.yaml" --machine sapphire-rapids >"$tmp/out" 2>&1; then
    echo "ok 1 - the kernel of adding-a-kernel.md is predicted"
else
    echo "not ok 1 - $(cat "$tmp/out")"
fi
missing=$(grep -o 'doc/[a-z-]*\.md' README.md | sort -u | while read -r f; do [ -e "$f" ] || echo "$f"; done)
[ -z "$missing" ] && echo "ok 2 - README names documents that are there" || echo "not ok 2 - $missing"
missing=$(grep -o '\](\(results\|doc\)/[^)]*)' README.md | sed 's/](\(.*\))/\1/' | while read -r f; do [ -e "$f" ] || echo "$f"; done)
[ -z "$missing" ] && echo "ok 3 - and pictures and links" || echo "not ok 3 - $missing"
