# SPDX-License-Identifier: BSD-2-Clause
# For scripts that run the commands in READMEs and manual pages. Source it after tests/tap.sh, from
# the top of the tree. $work/readme has the commands of the top README.md, which run in order;
# $work/commands has all others.

DOCUMENTS=$(git ls-files '*.md' '*.[1357]' | grep -vx README.md)
mkdir "$work/commands" "$work/readme"
# shellcheck disable=SC2086
tests/documents split "$work/commands" $DOCUMENTS
tests/documents split "$work/readme" README.md

# runner_of COMMAND PLACE: prints the test that runs this command of the line PLACE, FILE:NUMBER. Prints nothing if no
# test does.
runner_of() {
	case $2 in
	pmu/*/RECIPES.md:*)
		runner_target=${2#pmu/}
		echo "tests/boot/recipes-${runner_target%%/*}.t"
		return
		;;
	esac
	case $1 in
	palmon\ *' -i build/'* | 'palmon diff '*build/*) echo tests/boot/documents.t ;;	# they read a run's files
	'palmon qemu '*) echo tests/command/qemu.t ;;
	'qemu-system-x86_64 '*) echo tests/boot/qemu-knc.t ;;
	palmon\ * | man\ *) echo tests/command/documents.t ;;
	'make run'* | 'make guest '* | hal/runtime/example/build\ * | 'make iso'* | 'make libvpmu'* | 'make build/check/'*)
		echo tests/boot/documents.t ;;
	'make install'* | 'make uninstall'* | 'cc hypervisor.c '*) echo tests/rules/libvpmu.t ;;
	esac
}

# make_top FOLDER: makes $top, a folder like the top of the tree, in which commands can leave files. Its path is the
# same each time, because the names of workload images depend on their path.
make_top() {
	rm -rf "$1"
	mkdir -p "$1" && top=$(realpath "$1") || return
	for file in *; do
		[ "$file" = build ] || ln -s "$PWD/$file" "$top/$file"
	done
	own_build "$top/build"
}

# run_commands SCRIPT COMPARE [long]: checks each command whose runner is SCRIPT: it ends with status 0, or
# with the status in its comment, and prints the output shown (tests/documents COMPARE).
run_commands() {
	for command_file in "$work"/commands/*.command; do
		base=${command_file%.command}
		[ "$(runner_of "$(cat "$command_file")" "$(cat "$base.place")")" = "$1" ] || continue
		${3:-check} "$(cat "$base.place"): $(head -n 1 "$command_file" | sed 's/ *#.*//')" run_command "$2"
	done
}
run_command() {
	(in_place && sh "$base.command") >"$base.raw" 2>&1 </dev/null
	echo $? >"$base.status"
	as_shown "$1"
}

# as_shown COMPARE: succeeds if the command of $base ended and printed as the document shows.
as_shown() {
	wanted=$(sed -n 's/.*#.* status \([0-9]\).*/\1/p' "$base.command")
	[ -s "$base.status" ] || { echo "it has not ended"; return 1; }
	status=$(cat "$base.status")
	tr -d '\r' <"$base.raw" >"$work/out"
	[ "$status" -eq "${wanted:-0}" ] || { echo "status $status, not ${wanted:-0}"; tail -n 30 "$work/out"; return 1; }
	[ ! -s "$base.output" ] || tests/documents "$1" "$base.output" "$work/out"
}
