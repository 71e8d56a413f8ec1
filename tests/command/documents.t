#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every command in every README and manual page has a test that runs it. tests/boot/documents.t runs
# those of the top README.md, in order. This test runs other documents' commands of palmon as
# printed, and compares their output.
. tests/tap.sh
. tests/command/command.sh
. tests/documents.sh

all_have_a_runner() {
	bad=
	for command_file in "$work"/commands/*.command; do
		runner=$(runner_of "$(cat "$command_file")")
		[ -n "$runner" ] && [ -e "$runner" ] ||
			{ echo "$(cat "${command_file%.command}.place"): $(cat "$command_file")"; bad=1; }
	done
	[ -z "$bad" ] && [ "$(ls "$work"/commands/*.command | wc -l)" -ge 40 ] &&
		[ "$(ls "$work"/readme/*.command | wc -l)" -ge 40 ]
}
check "a test runs each command of the documents other than the top README.md" all_have_a_runner

# A folder of links to the top of the tree, in which samples can be written, with palmon on the
# path.
mkdir "$work/top"
for file in *; do
	ln -s "$PWD/$file" "$work/top/$file"
done
PATH=$(cd "$(dirname "$PALMON")" && pwd):$PATH
in_place() {
	cd "$work/top"
}
run_commands tests/command/documents.t compare

# The comparison finds differences: for each line of output in turn.
wrong_output_is_found() {
	printf '%s\n' one two three >"$work/printed"
	printf '%s\n' one ... three >"$work/shown" && tests/documents compare "$work/shown" "$work/printed" || return 1
	for shown in 'one two' 'one two three four' '... two' 'one three ...' 'two ...' '... 3' 'one 2 three'; do
		printf '%s\n' $shown >"$work/shown"
		tests/documents compare "$work/shown" "$work/printed" && return 1
	done
	printf '%s\n' '1,234,567 of 4 counters, 12.5%' >"$work/printed"
	printf '%s\n' '98,765 of 4 counters, 7.0%' >"$work/shown" &&
		tests/documents compare-form "$work/shown" "$work/printed" || return 1
	printf '%s\n' '98,765 of 3 counters, 7.0%' >"$work/shown"
	! tests/documents compare-form "$work/shown" "$work/printed"
}
check "output that differs from the document is found" wrong_output_is_found
done_checking
