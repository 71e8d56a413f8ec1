#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The benchmark: instructions are counted, not timed, so that it repeats, and its limits can be tested.
. tests/tap.sh

make --no-print-directory BUILD="$BUILD" TARGET="$TARGET" guest-image runtime >/dev/null ||
	{ echo 'Bail out! no image'; exit 1; }

# bench JSON: in the present folder.
bench() {
	capture tools/bench "$EMULATOR" "$TARGET" "$BUILD/$TARGET" "$IMAGE.$FORMAT" "$1"
}

reaches() {
	bench "$work/first.json"
	ended 0
}

# Knights Corner's self test starts three CPUs: how long these are waited for depends on the host
# (hal/emu/svm/README.md).
repeats() {
	bench "$work/second.json"
	for run in first second; do
		grep -v "$([ "$TARGET" = knc ] && echo reset to self test || echo nothing)" "$work/$run.json" \
			>"$work/$run"
	done
	diff "$work/first" "$work/second"
}

# Nothing is free, but to a guest that does not use its PMU.
is_json() {
	perl -MJSON::PP -0777 -e 'my $list = decode_json(<>); @$list > 5 or die;
		for (@$list) {
			my $free = $_->{name} =~ /^guest without PMU/;
			$_->{name} && $_->{unit} && ($free ? $_->{value} == 0 : $_->{value} > 0) or die;
		}' "$work/first.json"
}

# measured NAME: in the first run.
measured() {
	sed -n "s/^  {\"name\": \"$1\", \"value\": \([0-9]*\),.*/\1/p" "$work/first.json"
}

# Four handlers, one after the other, and what is between them: more than three times the longest, as one thread's is
# one of four, and they are alike.
at_once() {
	all=$(measured '8 counters overflowing at once, first entry to last return')
	one=$(measured "of that, one thread's 2 counters")
	[ "$one" -gt 0 ] && [ "$all" -gt $((3 * one)) ]
}

# limited NAME LIMIT: measured where the limits have this line more.
limited() (
	mkdir -p "$work/tree/tests/bench" "$work/tree/tests/boot"
	ln -sfn "$PWD/tests/boot/guests" "$work/tree/tests/boot/"
	ln -sfn "$PWD/tools" "$PWD/hal" "$PWD/pmu" "$work/tree/"
	{
		cat "tests/bench/limits-$TARGET.tab"
		printf '%s\t%s\t\n' "$1" "$2"
	} >"$work/tree/tests/bench/limits-$TARGET.tab"
	BUILD=$(realpath "$BUILD") IMAGE=$(realpath "$BUILD")/$TARGET/palmon
	cd "$work/tree" && bench "$work/limited.json"
	[ "$status" -eq 1 ] && says "$3"
)

measures() {
	check "$TARGET: everything measured is within its limit" reaches
	check "$TARGET: a second run measures the same" repeats
	check "$TARGET: the JSON can be read" is_json
}
measures
check "nehalem: a guest's access over its limit fails, and is marked" \
	limited 'guest, RDPMC' 1 '^guest, RDPMC  *[0-9]+  *1! '
use_target knc svm img
measures
check "$TARGET: all eight counters of a core overflow at once, and one thread's handler is less than the four" at_once
use_target sparct4 hyper prom
measures
check "what is over its limit fails, and is marked" \
	limited 'session read, running' 1 '^session read, running  *[0-9]+  *1! '
check "a limit of what is not measured fails" limited nonsense 1 '^not measured: nonsense$'
done_checking
