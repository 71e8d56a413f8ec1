#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The benchmark counts instructions instead of time. Its results therefore repeat, and its limits
# can be tested.
. tests/tap.sh

make --no-print-directory BUILD="$BUILD" TARGET="$TARGET" runtime >/dev/null ||
	{ echo 'Bail out! no image'; exit 1; }

# bench JSON: benchmarks the image in the current folder and writes its results to JSON.
bench() {
	capture tools/bench "$TARGET" "$BUILD/$TARGET" "$IMAGE.$FORMAT" "$1"
}

reaches() {
	bench "$work/first.json"
	ended 0
}

repeats() {
	bench "$work/second.json"
	same "$work/second.json"
}

# same JSON: these results are the first ones.
# Knights Corner's self test starts three CPUs. The time to wait for them depends on the host.
same() {
	for run in "$work/first.json" "$1"; do
		grep -v "$([ "$TARGET" = knc ] && echo reset to self test || echo nothing)" "$run" |
			sed 's/, "to_reach": [0-9]*//' >"$run.values"
	done
	diff "$work/first.json.values" "$1.values"
}

is_json() {
	perl -MJSON::PP -0777 -e 'my $list = decode_json(<>); @$list > 5 or die;
		for (@$list) {
			$_->{name} && $_->{unit} && $_->{value} > 0 or die;
		}' "$work/first.json"
}

# measured NAME: this measurement's value in the first run.
measured() {
	sed -n "s/^  {\"name\": \"$1\", \"value\": \([0-9]*\),.*/\1/p" "$work/first.json"
}

# Four similar handlers run one after another. The time from the first entry to the last return must
# exceed three times one thread's handler.
at_once() {
	all=$(measured '8 counters overflowing at once, first entry to last return')
	one=$(measured "of that, one thread's 2 counters")
	[ "$one" -gt 0 ] && [ "$all" -gt $((3 * one)) ]
}

# limited: runs the benchmark with two more lines in the limits.
limited() {
	mkdir -p "$work/tree/tests/bench"
	ln -sfn "$PWD/tools" "$PWD/hal" "$PWD/pmu" "$work/tree/"
	{
		cat "tests/bench/limits-$TARGET.tab"
		printf '%s\t1\t\n' 'session read, running' nonsense
	} >"$work/tree/tests/bench/limits-$TARGET.tab"
	(
		BUILD=$(realpath "$BUILD") IMAGE=$(realpath "$BUILD")/$TARGET/palmon
		cd "$work/tree" && bench "$work/limited.json"
		[ "$status" -eq 1 ]
	) && says '^session read, running  *[0-9]+  *1! '
}

measures() {
	check "$TARGET: everything measured is within its limit" reaches
	check "$TARGET: the JSON can be read" is_json
}
measures
long "$TARGET: a second run measures the same" repeats
use_target knc img
measures
long "$TARGET: a second run measures the same" repeats
check "$TARGET: all eight counters of a core overflow at once, and one thread's handler is shorter than all four" \
	at_once
use_target sparct4 prom
measures
check "a value above its limit fails, and is marked" limited
check "a limit for something that is not measured fails" says '^not measured: nonsense$'
check "$TARGET: this second run measured the same" same "$work/limited.json"

# Sizes come from nm and size: an image that they cannot read is an error, not a size of 0.
unreadable() {
	mkdir -p "$work/objects" && cp -r "$BUILD/$TARGET/." "$work/objects" || return
	: >"$work/objects/pmu/core/session.o"
	capture tools/bench "$TARGET" "$work/objects" "$IMAGE.$FORMAT" "$work/unreadable.json"
	[ "$status" -ne 0 ] && ! says '^resident code, bytes'
}
long "an object that cannot be read fails" unreadable

# The host's benchmarks, replaced by small programs.
program() {
	printf '#!/bin/sh\n%s\n' "$2" >"$work/$1"
	chmod +x "$work/$1"
}
program good 'printf "good\t5\tturns/s\t4\n"'
program slow 'printf "slow\t3\tturns/s\t4\n"'
program fails 'printf "begun\t1\tturns/s\t\n"; exit 3'
program hangs 'exec sleep 60'
program silent ':'
# host STATUS PROGRAM...: bench-host runs these programs and exits with STATUS.
host() {
	wanted=$1
	shift
	programs=
	for name; do programs="$programs $work/$name"; done
	capture env TIMEOUT=1 tools/bench-host $programs
	ended "$wanted"
}
table() {
	host 0 good slow && says '^good, turns/s  *5  *4$' && says '^slow, turns/s  *3  *4 !$'
}
check "bench-host: a number that is not reached is marked" table
one_fails() {
	host 1 fails good && says '^begun, turns/s  *1  *$' &&
		says "^palmon: .*/fails failed, status 3\$" &&
		says '^good, turns/s  *5  *4$'
}
check "a benchmark that fails is named, the others go on, and the status is 1" one_fails
one_hangs() {
	host 1 good hangs &&
		says '^palmon: .*/hangs failed, status 124: more than 1 seconds \(TIMEOUT=\)$'
}
check "so is a benchmark that takes too long" one_hangs
one_is_silent() {
	host 1 silent && says '^palmon: .*/silent failed, status 0, and nothing measured$'
}
check "and one that measures nothing" one_is_silent
broken_valgrind() {
	program valgrind 'echo "valgrind: it is broken" >&2; exit 1'
	capture env PATH="$work:$PATH" BUILD="$BUILD" tools/bench-host "tests/bench/$1"
	ended 1 && says '^valgrind: it is broken$' &&
		says "^palmon: tests/bench/$1 failed, status 1\$"
}
for script in references ia64 programs; do
	check "tests/bench/$script: valgrind's failure is its own" broken_valgrind $script
done
done_checking
