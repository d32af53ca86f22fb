#!/usr/bin/perl
# Writes a perf.data of version 2 from lines on stdin, as the kernel's documents describe it:
#   event TYPE CONFIG SAMPLE_TYPE | mmap PID START LENGTH OFFSET FILE | mmap2 (the same) |
#   fork PID PARENT | sample PID IP | record TYPE BYTES
# The layout of samples is that of the first event.
use strict;
use warnings;
no warnings "portable"; # addresses have 64 bits

my (@events, $data);
$data = '';

sub record { # record TYPE BODY: padded to eight bytes
    my ($type, $body) = @_;
    $body .= "\0" x (-length($body) % 8);
    $data .= pack('L<S<S<', $type, 0, 8 + length $body) . $body;
}
while (<STDIN>) {
    my ($what, @rest) = split;
    my @n = map { /^0x/ ? hex : $_ } @rest;
    if ($what eq 'event') {
        push @events, [@n];
    } elsif ($what eq 'mmap') {
        record(1, pack('L<L<Q<Q<Q<Z*', @n[0, 0, 1, 2, 3], $rest[4]));
    } elsif ($what eq 'mmap2') {
        record(10, pack('L<L<Q<Q<Q<L<L<Q<Q<L<L<Z*', @n[0, 0, 1, 2, 3], 8, 1, 42, 7, 5, 2, $rest[4]));
    } elsif ($what eq 'fork') {
        record(7, pack('L<L<L<L<Q<', @n[0, 1, 0, 1], 0));
    } elsif ($what eq 'sample') {
        my $layout = $events[0][2];
        record(9, ($layout & 1 << 16 ? pack('Q<', 77) : '') . pack('Q<L<L<Q<', @n[1, 0, 0], 123));
    } elsif ($what eq 'record') {
        record($n[0], "\0" x $n[1]);
    }
}
binmode STDOUT;
my $attr_size = 136 + 16;    # an attribute, and where its identifiers are
my $attrs = join '', map { pack('L<L<Q<Q<Q<', $_->[0], 136, $_->[1], 4000, $_->[2]) . "\0" x ($attr_size - 32) } @events;
print pack('a8Q<Q<Q<Q<Q<Q<Q<Q<', 'PERFILE2', 104, $attr_size, 104, length $attrs, 104 + length $attrs,
    length $data, 0, 0) . "\0" x 32 . $attrs . $data;
