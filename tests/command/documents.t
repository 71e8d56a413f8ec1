#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every command in every README and manual page has a test that runs it. tests/boot/documents.t runs
# the top README.md's, in order. This test runs palmon's commands in other documents as they are
# printed, and compares the output shown.
. tests/tap.sh
. tests/command/command.sh
. tests/documents.sh

all_have_a_runner() {
	bad=
	for command_file in "$work"/commands/*.command; do
		place=$(cat "${command_file%.command}.place")
		runner=$(runner_of "$(cat "$command_file")" "$place")
		[ -n "$runner" ] && [ -e "$runner" ] || { echo "$place: $(cat "$command_file")"; bad=1; }
	done
	[ -z "$bad" ] && [ "$(ls "$work"/commands/*.command | wc -l)" -ge 60 ] &&
		[ "$(ls "$work"/readme/*.command | wc -l)" -ge 10 ]
}
check "each command outside the top README.md is run by a test" all_have_a_runner

# A folder like the top of the tree, for samples, with palmon on the path.
mkdir "$work/top"
for file in *; do
	ln -s "$PWD/$file" "$work/top/$file"
done
PATH=$(cd "$(dirname "$PALMON")" && pwd):$PATH
in_place() {
	cd "$work/top"
}
run_commands tests/command/documents.t compare

# Detects a document that shows wrong output, for each line of output.
wrong_output_is_found() {
	printf '%s\n' one two three >"$work/printed"
	printf '%s\n' one ... three >"$work/shown" && tests/documents compare "$work/shown" \
		"$work/printed" || return 1
	for shown in 'one two' 'one two three four' '... two' 'one three ...' 'two ...' '... 3' \
		'one 2 three'; do
		printf '%s\n' $shown >"$work/shown"
		tests/documents compare "$work/shown" "$work/printed" && return 1
	done
	printf '%s\n' '1,234,567 of 4 counters, 12.5%' >"$work/printed"
	printf '%s\n' '98,765 of 4 counters, 7.0%' >"$work/shown" &&
		tests/documents compare-form "$work/shown" "$work/printed" || return 1
	printf '%s\n' '98,765 of 4 ...' >"$work/shown" &&
		tests/documents compare-form "$work/shown" "$work/printed" || return 1
	for shown in '98,765 of 3 counters, 7.0%' '98,765 of 3 ...'; do
		printf '%s\n' "$shown" >"$work/shown"
		tests/documents compare-form "$work/shown" "$work/printed" && return 1
	done
	printf '%s\n' '0.25  CPI at 0x0000000000001000' >"$work/printed"
	printf '%s\n' '0.375  CPI at 0x0000000000002000' >"$work/shown" &&
		tests/documents compare-form "$work/shown" "$work/printed"
}
check "wrong output is detected" wrong_output_is_found
done_checking
