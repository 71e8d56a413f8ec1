#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Contexts as bytes: images of all instruction sets read the same bytes and print the same; the
# command reads here the bytes that they save.
. tests/tap.sh
. tests/command/command.sh

golden=tests/vectors/nehalem-state.hex
{
	echo "#define GOLDEN $(perl -ne 's/#.*//; s/\s//g; s/../0x$&,/g; print' "$golden")"
	echo "#include \"$PWD/tests/boot/workloads/state.c\""
} >"$work/state.c"

# The contents of that file, by hand: 123005 is 0x1E07D, 0x102030405 is 4328719365.
cat >"$work/expected" <<'END'
golden: ip 0x7f1234567890, level 3, enabled 0x100000001, recorded 0x400123 0x400200 0x0
golden: session 7, counters 0x100000001
golden: counter 0: select 0x5301c0, count 123005, payload 0
golden: wrap 0x1e078, start 0x1000000000005, due 0x1e078, period 1000, samples 122, slipped 0
golden: counter 32: select 0xb, count 123005, payload 0
golden: wrap 0x100000001e07d, start 0x0, due 0x7fffffffffffffff, period 0, samples 0, slipped 0
golden: session 2, counters 0x6
golden: counter 1: select 0x5301b7, count 4328719365, payload 0
golden: wrap 0x1000102030405, start 0x0, due 0x7fffffffffffffff, period 0, samples 0, slipped 0
golden: counter 2: select 0x5302c4, count 40, payload 1
golden: wrap 0x64, start 0xffffffffffc4, due 0x64, period 100, samples 0, slipped 17
golden: setting 0x1a6: mask 0xffff, value 0x4001, idle 0x0
golden: setting 0x1c8: mask 0x1ff, value 0x0, idle 0x0
golden: setting 0x1d9: mask 0x801, value 0x801, idle 0x0
END

image_reads() {
	make_run TARGET="$1" RUN=session THREADS=1 LEVEL=0 WORKLOAD="$work/state.c"
	ended 0 && says '^golden: 0 wrong$' && grep -v wrong "$work/out" | grep '^golden: ' |
		diff "$work/expected" -
}

# Both counters count the same instructions, 12345 in each half, with one sample per 1000.
image_goes_on() {
	make_run TARGET="$1" RUN=state
	cp "$work/out" "$work/console-$1"
	ended 0 || return
	set -- $(sed -n 's/^saved: \([0-9]*\) events.*/\1/p' "$work/out") \
		$(sed -n 's/^gone on: \(.*\) and \(.*\) events, \(.*\) samples, slipped /\1 \2 \3 /p' "$work/out")
	echo "$@"
	[ $# -eq 5 ] && [ "$1" -ge 12345 ] && [ "$2" -ge $(($1 + 12345)) ] && [ "$2" -eq "$3" ] &&
		[ "$4" -eq $((($2 - $5) / 1000)) ] || { cat "$work/out"; return 1; }
}

# The bytes contain the count that the image has printed.
command_reads() {
	set -- "$1" $(sed -n 's/^saved: \([0-9]*\) events, session \([0-9]*\)$/\1 \2/p' \
		"$work/console-$1")
	[ $# -eq 3 ] || { cat "$work/console-$1"; return 1; }
	palmon state -j "$work/console-$1"
	done_quietly && each_object '
		my ($session) = @{$o->{sessions}};
		my ($counts, $samples) = @{$session->{counters}};
		$o->{target} eq "'"$1"'" && $o->{ip} eq "0x123456789abcdef0" && $o->{level} == 0 &&
		@{$o->{sessions}} == 1 &&
		$session->{session} == '"$3"' && $session->{running} && @{$session->{counters}} == 2 &&
		$counts->{count} == '"$2"' && !exists $counts->{period} &&
		$samples->{count} == '"$2"' && $samples->{period} == 1000 && @{$samples->{events}}'
}

# Images of these targets, on processors of both byte orders.
for target in nehalem knc sparct4; do
	check "$target: it reads the context written by hand" image_reads $target
	check "$target: a context of its own continues from its bytes" image_goes_on $target
	check "$target: the command reads the bytes that the image saved" command_reads $target
done
done_checking
