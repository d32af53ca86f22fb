#!/bin/sh
# Blocks a second of processor time through `gambrel model --blocks`, file to CSV: from forms and from
# bytes, blocks of ten instructions of this system's own programs, and of ten different forms drawn at
# random.  The limits that the project set itself: a million from forms, a hundred thousand from bytes.
# llvm-mca, where it is installed, on some of the same blocks.
set -u
gambrel=${BUILD:-build}/gambrel
blocks=${BLOCKS:-400000}
case $(uname -m) in x86_64) machine=sapphire-rapids ;; *) machine=neoverse-v2 ;; esac
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

for program in /usr/bin/*; do
    "$gambrel" blocks --least 10 --most 10 "$program" 2>/dev/null | tail -n +2 || break
done | head -n 30000 >"$tmp/own.csv"
perl -e '
    use strict; use warnings;
    my ($own, $file, $tmp, $blocks) = @ARGV;
    open my $in, "<", $own or die; my @own = <$in>; die "no blocks of ten\n" unless @own;
    open $in, "<", $file or die; my @forms = map { /\{form: (?:"([^"]+)"|([^",]+)),/ ? $1 || $2 : () } <$in>;
    open my $forms, ">", "$tmp/forms.csv"; open my $bytes, ">", "$tmp/bytes"; open my $random, ">", "$tmp/random.csv";
    print $forms "block\n"; print $random "block\n"; srand 1;
    @forms = grep { !/\bM?V\b|cc\b/ } @forms; # no patterns
    for my $i (0 .. $blocks - 1) {
        $own[$i % @own] =~ /,([0-9a-f]+),(".*")$/ or die;
        print $forms "$2\n"; print $bytes "$1\n";
        print $random "\"", join("; ", map { "1 " . $forms[rand @forms] } 1 .. 10), "\"\n";
    }' "$tmp/own.csv" "machines/$machine.yaml" "$tmp" "$blocks" || exit 1
echo block >"$tmp/none.csv"
{ echo name,weight,code,block && head -n 1000 "$tmp/own.csv"; } | sed '1s/$/,cycles/;2,$s/$/,1/' >"$tmp/some.csv"

seconds() { # seconds COMMAND...: the least processor time of three runs
    perl -e 'use strict; use warnings; my $best = 9e9; open STDOUT, ">", "/dev/null"; open STDERR, ">", "/dev/null";
        for (1 .. 3) { my @a = times; system(@ARGV) == 0 or exit 1; my @b = times;
            my $t = $b[2] + $b[3] - $a[2] - $a[3]; $best = $t if $t < $best }
        open my $out, ">&", 3; printf $out "%.3f\n", $best' "$@" 3>&1
}
row() { # row NAME BLOCKS SECONDS START
    awk -v name="$1" -v n="$2" -v s="$3" -v start="$4" \
        'BEGIN { printf "%-44s %8.3f us a block %10.0f blocks/s\n", name, (s - start) / n * 1e6, n / (s - start) }'
}
start=$(seconds "$gambrel" model -m "$machine" --blocks "$tmp/none.csv")
row "forms, $(wc -l <"$tmp/own.csv") blocks of own programs" "$blocks" \
    "$(seconds "$gambrel" model -m "$machine" --blocks "$tmp/forms.csv")" "$start"
row "forms, ten different ones at random" "$blocks" \
    "$(seconds "$gambrel" model -m "$machine" --blocks "$tmp/random.csv")" "$start"
row "bytes, blocks of own programs" "$blocks" \
    "$(seconds "$gambrel" model -m "$machine" --blocks "$tmp/bytes")" "$start"
echo "machine file $machine, less $start s of starting; processor time of one core, best of three"
if command -v llvm-mca >/dev/null && command -v llvm-mc >/dev/null; then
    row "llvm-mca and llvm-mc, 1000 of them, from bytes" 1000 \
        "$(seconds "$gambrel" compare --blocks "$tmp/some.csv" --with llvm-mca=skylake-avx512)" 0
fi
