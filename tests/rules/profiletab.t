#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The profile-table compiler: its output for good tables, and its messages for bad ones.
. tests/tap.sh

compiler=profiletab
. tests/rules/table.sh
tab=$(printf '\t')

# prints EXPECTED LINE...: a table of these lines compiles into C with these profiles.
prints() {
	expected=$1
	shift
	lines "$@"
	good && printed "$expected" <<-EOF_C
		#include <stdio.h>
		#include "$work/out"
		int main(void)
		{
			const struct pmu_profile *p = pmu_profiles_some.profile;
			for (size_t i = 0; i < pmu_profiles_some.count; i++) {
				printf("%s/%s/%u/%s:", p[i].name, p[i].source, p[i].runs, p[i].title);
				for (unsigned j = 0; j < p[i].count; j++)
					printf(" %s", p[i].event[j]);
				putchar(';');
			}
			return 0;
		}
	EOF_C
}

# is_refused LINE PATTERN TEXT..., refused NAME LINE PATTERN TEXT...
is_refused() {
	line=$1 pattern=$2
	shift 2
	lines "$@"
	complains "$line" "$pattern"
}
refused() {
	check "$1" is_refused "$2" "$3" "$4" "$5" "$6"
}

check "indented lines are the profile's events" prints 'A/Table 1/2/a title: X:p:period=5 Y;' \
	'A | Table 1 | 2 | a title' "${tab}X:p:period=5" '  Y  # comment' '' '# comment'
check "profiles are in the order of their names, whatever the case" prints \
	'a/s/0/t: X Y;B/s/1/t: X;' \
	'B | s | 1 | t' "${tab}X" 'a | s | - | t' "${tab}X" "${tab}Y"

refused "an event before the first profile" 1 'before the first profile' "${tab}X" 'A | s | 1 | t'
refused "a profile without events" '' 'A has no events' 'A | s | 1 | t'
refused "an empty table" '' 'no profile' '# nothing'
refused "a profile that is there twice" 3 'A is there twice' 'A | s | 1 | t' "${tab}X" \
	'A | s | 1 | t'
refused "an event that is there twice" 3 'x is there twice in A' 'A | s | 1 | t' "${tab}X" "${tab}x"
refused "several events in a line" 2 "'X,Y' is not an event" 'A | s | 1 | t' "${tab}X,Y"
refused "a blank in an event" 2 "'X Y' is not an event" 'A | s | 1 | t' "${tab}X Y"
refused "no title" 1 'title' 'A | s | 1 | ' "${tab}X"
refused "a field too few" 1 'number of runs' 'A | s | 1' "${tab}X"
refused "a field too many" 1 'title' 'A | s | 1 | t | x' "${tab}X"
refused "runs that are no number" 1 "'many' is not a number" 'A | s | many | t' "${tab}X"
refused "no runs at all" 1 "'0' is not a number" 'A | s | 0 | t' "${tab}X"
refused "a name with other characters" 1 "'A-B'" 'A-B | s | 1 | t' "${tab}X"
refused "a quote" 2 'event' 'A | s | 1 | t' "${tab}X\""
too_many() {
	{ echo 'A | s | 1 | t'; seq -f '	X%g' 65; } >"$table"
	compile
	[ "$status" -eq 1 ] && grep -q "^$table:66: more than 64 events in A" "$work/messages"
}
check "more events than a plan has room for" too_many
usage() {
	"$program" some >"$work/out" 2>"$work/messages"
	[ $? -eq 2 ] && [ ! -s "$work/out" ] && grep -q '^usage: ' "$work/messages"
}
check "without a table the compiler prints its usage" usage
done_checking
