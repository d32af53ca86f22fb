#!/usr/bin/perl
# A CSV of port usages (form,port_usage: "2*0|1 + 1*5") as a machine file; forms keep their spelling.
# Usage: perl tests/ports_machine.pl NAME <PORTS.csv >NAME.yaml
use strict;
use warnings;

my $name = shift or die "which name has the machine?\n";
my (%ports, @rows);
<STDIN>; # the header
while (<STDIN>) {
    /^"(.*)",(.+?)\s*$/ or /^([^,"]+),(.+?)\s*$/ or die "line $.: not a form and its port usage\n";
    my ($form, @uops) = ($1, split /\s*\+\s*/, $2);
    for (@uops) {
        /^\d+\*(\d+(?:\|\d+)*)$/ or die "line $.: '$_' is no port usage\n";
        $ports{$_} = 1 for split /\|/, $1;
    }
    push @rows, "- {form: '$form', uops: ['" . join("', '", @uops) . "']}\n";
}
print "format: gambrel-machine-1\nname: $name\nisa: x86-64\ncore:\n  source: port usages of others\n",
    "  ports: ['", join("', '", sort { $a <=> $b } keys %ports), "']\n",
    "sources:\n  instructions: port usages of others\ninstructions:\n", @rows;
