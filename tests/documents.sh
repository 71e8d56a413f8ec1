# SPDX-License-Identifier: BSD-2-Clause
# For scripts that run the commands which READMEs and manual pages print. To be sourced after tests/tap.sh, from the top
# of the tree.

DOCUMENTS=$(git ls-files '*.md' '*.[1357]')
mkdir "$work/commands"
# shellcheck disable=SC2086
tests/documents split "$work/commands" $DOCUMENTS

# Who runs a command: this folder's documents.t, or the test that has it already; nothing: nobody.
runner_of() {
	case $1 in
	palmon\ *' -i build/'* | 'palmon diff '*build/* | perf\ *) echo tests/boot/documents.t ;;	# what a run has left
	palmon\ * | man\ *) echo tests/command/documents.t ;;
	'make run'* | 'make guest '* | 'make example '* | tests/boot/guests/build\ * | hal/runtime/example/build\ * | \
		make | 'make host'* | 'make image'* | 'make iso'* | 'make libvpmu'* | 'make help'* | \
		build/check/tests/unit/* | 'make build/check/'*)
		echo tests/boot/documents.t ;;
	'make install '* | 'make uninstall '* | 'cc hypervisor.c '*) echo tests/rules/libvpmu.t ;;
	'make check'*) echo tests/run-all ;;
	'make bench'*) echo tests/boot/bench.t ;;
	'make fuzz'*) echo tests/fuzz ;;
	esac
}

# run_commands SCRIPT COMPARE: of each command that is SCRIPT's: that it ends with status 0, or the one its comment says,
# and prints what is shown (tests/documents COMPARE).
run_commands() {
	for command_file in "$work"/commands/*.command; do
		base=${command_file%.command}
		[ "$(runner_of "$(cat "$command_file")")" = "$1" ] || continue
		check "$(cat "$base.place"): $(head -n 1 "$command_file" | sed 's/ *#.*//')" run_command "$2"
	done
}
run_command() {
	wanted=$(sed -n 's/.*#.* status \([0-9]\).*/\1/p' "$base.command")
	(in_place && sh "$base.command") >"$work/raw" 2>&1 </dev/null
	status=$?
	tr -d '\r' <"$work/raw" >"$work/out"
	[ "$status" -eq "${wanted:-0}" ] || { echo "status $status, not ${wanted:-0}"; tail -n 30 "$work/out"; return 1; }
	[ ! -s "$base.output" ] || tests/documents "$1" "$base.output" "$work/out"
}
