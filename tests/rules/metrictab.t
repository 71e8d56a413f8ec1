#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The metric-table compiler: its output for good tables, and its messages for bad ones.
. tests/tap.sh

compiler=metrictab
. tests/rules/table.sh

# prints EXPECTED LINE...: a table of these lines compiles into C with these metrics, fields joined
# by '/'.
prints() {
	expected=$1
	shift
	lines "$@"
	good && printed "$expected" <<-EOF_C
		#include <stdio.h>
		#include "$work/out"
		int main(void)
		{
			const struct pmu_metric *m = pmu_metrics_some.metric;
			for (size_t i = 0; i < pmu_metrics_some.count; i++)
				printf("%s/%s/%s/%s/%s/%s;", m[i].name, m[i].unit, m[i].source, m[i].formula,
				       m[i].description, m[i].caveat);
			return 0;
		}
	EOF_C
}

# is_refused PATTERN LINE, refused NAME PATTERN LINE
is_refused() {
	lines "$2"
	complains 1 "$1"
}
refused() {
	check "$1" is_refused "$2" "$3"
}

check "fields are separated by '|', without the blanks around them" \
	prints 'A_B.d/ratio/Table 1/{X:u=1} + Y/what it is/;' \
	'A_B.d |ratio|	Table 1 | {X:u=1} + Y	|  what it is '
check "metrics are in the order of their names, whatever the case" prints \
	'a/u/s/1/d/;B/u/s/2/d/;c/u/s/3/d/;' \
	'c | u | s | 3 | d' '# comment' '' 'B | u | s | 2 | d # comment' 'a | u | s | 1 | d'
check "a sixth field is a caveat" prints 'A/u/s/1/d/only with care;B/u/s/2/d/;' \
	'A | u | s | 1 | d | only with care' 'B | u | s | 2 | d'
check "a table may be empty" prints '' '# nothing'

refused "four fields are too few" 'formula' 'A | u | s | 1'
refused "seven fields are too many" 'caveat' 'A | u | s | 1 | d | e | f'
refused "an empty caveat is refused" 'caveat' 'A | u | s | 1 | d |'
refused "an empty name is refused" 'name' ' | u | s | 1 | d'
refused "an empty formula is refused" 'formula' 'A | u | s | | d'
refused "an empty description is refused" 'description' 'A | u | s | 1 | '
refused "a name with other characters is refused" "'A-B'" 'A-B | u | s | 1 | d'
refused "a number is no name" "'42'" '42 | u | s | 1 | d'
refused "a name of 64 characters is too long" 'A{64}' "$(printf '%064d' 0 | tr 0 A) | u | s | 1 | d"
refused "a quote is refused" 'formula' 'A | u | s | "1" | d'
refused "a backslash is refused" 'description' 'A | u | s | 1 | \d'
refused "a line of more than 1022 characters is refused" '1022' \
	"A | u | s | 1 | $(printf '%01020d' 0)"

duplicate_is_named() {
	lines 'A | u | s | 1 | d' 'B | u | s | 1 | d' 'a | u | s | 1 | d'
	[ "$status" -eq 1 ] && [ ! -s "$work/out" ] &&
		grep -q "^$table:3: a is there twice, first in line 1" "$work/messages"
}
check "the message of a duplicate name has both lines" duplicate_is_named

no_file() {
	table=$work/no-such-file
	compile
	[ "$status" -eq 1 ] && grep -q "$table: No such file" "$work/messages"
}
check "a missing file is named" no_file

usage() {
	"$program" "$@" >"$work/out" 2>"$work/messages"
	[ $? -eq 2 ] && [ ! -s "$work/out" ] && grep -q '^usage: ' "$work/messages"
}
check "without arguments the compiler prints its usage" usage
check "with one argument the compiler prints its usage" usage some
done_checking
