#!/bin/sh
# Loads, operations and stores of 256 and of 512 bits side by side, each measured by `kernel run` and beside
# the ports' ceiling: the loops that W1, W2 and W3 of machines/sapphire-rapids.yaml were fitted to.  Every
# mix in two orders: each kind four times in a row, walking a ring of 2 KiB; and in turn, over the same
# lines again and again.
#
#   MIXES_WIDTHS=256    (default: 256, and 512 where the CPU has it)
#   MIXES_KEEP=DIR      keep every number in DIR/mixes.csv
set -u
gambrel=$(cd "$(dirname "${BUILD:-build}")" && pwd)/$(basename "${BUILD:-build}")/gambrel
case $(uname -m) in x86_64) ;; *) echo "the mixes are of x86-64"; exit 0 ;; esac
machine=$("$gambrel" machine detect 2>/dev/null | awk '{ print $1 }')
[ -n "$machine" ] || { echo "no machine file describes this CPU"; exit 0; }
grep -qw fma /proc/cpuinfo || { echo "this CPU has no AVX2 and FMA"; exit 0; }
widths=${MIXES_WIDTHS:-256 $(grep -qw avx512f /proc/cpuinfo && echo 512)}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# shellcheck disable=SC2086 # widths are several words
perl -e '
    use strict; use warnings;
    my ($source, @widths) = @ARGV;
    my %operation = (A => "vpaddd", D => "vaddps", M => "vmulps", F => "vfmadd231ps");
    my @several = ("", qw(A AA AAA M MM D DD MA DA MD MMA DDA DAA MAA MDA F)); # F is last: its result is stored

    sub instruction { # a load, an operation or a store, the $j-th of its kind, of element $i
        my ($kind, $j, $i, $vector, $bytes, $index, $is_stored) = @_;
        my ($first, $second) = ("%$vector" . $i % 4, "%$vector" . (4 + $i % 4));
        my $result = $is_stored ? $first : "%$vector" . (8 + ($i + 4 * $j) % 6);
        my $at = $bytes * $i;
        return "vmovups $at(%rsi$index), $first" if $kind eq "L" && $j == 0;
        return "vmovups $at(%rdx$index), $second" if $kind eq "L" && $j == 1;
        return "vmovups " . ($at + 4096) . "(%rsi$index), %${vector}14" if $kind eq "L";
        return "vmovups $first, " . ($at + 4096 * $j) . "(%rcx$index)" if $kind eq "S";
        return "$operation{$kind} $second, $first, $result";
    }

    open my $out, ">", $source or die;
    for my $width (@widths) {
        my ($vector, $bytes) = ($width == 512 ? "zmm" : "ymm", $width / 8);
        for my $loads (1 .. 3) { for my $stores (0 .. 2) { for my $operations (@several) { for my $order ("rows", "turns") {
            my $mix = "L" x $loads . $operations . "S" x $stores;
            # Two stores in turn lie in different lines, which stores.h is about; an F of no store is a chain.
            next if length $mix < 2 || $order eq "turns" && $stores > 1 || $mix =~ /F$/;
            my (@of, %seen);
            push @of, [$_, $seen{$_ =~ /[LS]/ ? $_ : "O"}++] for split //, $mix;
            my $last = (grep { $_->[0] !~ /[LS]/ } @of)[-1];
            my ($elements, $index) = (length $mix <= 4 ? 8 : 4, $order eq "rows" ? ", %rax" : "");
            my $line = sub { instruction(@{$_[0]}, $_[1], $vector, $bytes, $index, $stores && $last && $_[0] == $last) };
            my @body;
            if ($order eq "rows") {
                for my $group (0 .. $elements / 4 - 1) {
                    for my $one (@of) { push @body, map { $line->($one, 4 * $group + $_) } 0 .. 3 }
                }
                push @body, "add \$" . $elements * $bytes . ", %rax", "and \$0x7ff, %eax";
            } else {
                my %total; $total{$_->[0] =~ /[LS]/ ? $_->[0] : "O"}++ for @of;
                my %place = map { my $kind = $of[$_][0] =~ /[LS]/ ? $of[$_][0] : "O";
                    $_ => ($of[$_][1] + 0.5) / $total{$kind} + 1e-3 * $_ } 0 .. $#of;
                my @turn = map { $of[$_] } sort { $place{$a} <=> $place{$b} } keys %place;
                for my $i (0 .. $elements - 1) { push @body, map { $line->($_, $i) } @turn }
            }
            my $name = "mix_${width}_${order}_$mix";
            print $out ".globl $name\n.type $name, \@function\n.p2align 6\n$name: vzeroall\nxor %eax, %eax\n",
                ".p2align 6\n1: ", join("\n", @body), "\ndec %rdi\njnz 1b\nvzeroupper\nret\n.size $name, .-$name\n";
            print "$name $elements\n";
        } } } }
    }' "$tmp/mixes.s" $widths >"$tmp/names" && as -o "$tmp/mixes.o" "$tmp/mixes.s" || exit 1

echo "width,order,mix,measured,ports,disturbed" >"$tmp/mixes.csv"
while read -r name elements; do
    "$gambrel" kernel run "$tmp/mixes.o" --symbol "$name" --args "float*, float*, float*" --levels L1 --csv \
        2>/dev/null </dev/null | awk -F, -v name="$name" -v elements="$elements" 'NR == 2 {
            split(name, part, "_")
            print part[2] "," part[3] "," part[4] "," ($8 != "" ? $8 : $5) * $13 / elements "," $16 / elements "," $12
        }' >>"$tmp/mixes.csv"
done <"$tmp/names"
[ -z "${MIXES_KEEP:-}" ] || cp "$tmp/mixes.csv" "$MIXES_KEEP/mixes.csv"
awk -F, -v machine="$machine" '
    NR > 1 && $4 > 0 && $5 > 0 {
        error = $5 / $4 - 1; of = $1
        n[of]++; sum[of] += error < 0 ? -error : error; above[of] += error > 0.02; disturbed[of] += $6 == 1
        if (error < least[of]) { least[of] = error; low[of] = $3 " in " $2 }
        if (error > most[of]) { most[of] = error; high[of] = $3 " in " $2 }
    }
    END {
        printf "%-6s %5s %9s %7s %9s  %s\n", "bits", "mixes", "disturbed", "MAPE %", "above 2 %", "ceiling of " machine " over measured, extremes"
        for (of in n)
            printf "%-6d %5d %9d %7.1f %9d  %.2f (%s), %.2f (%s)\n", of, n[of], disturbed[of], 100 * sum[of] / n[of],
                above[of], 1 + least[of], low[of], 1 + most[of], high[of]
    }' "$tmp/mixes.csv"
