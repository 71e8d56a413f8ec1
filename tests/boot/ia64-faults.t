#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The tests of the emulated ia64 machine can fail: each fault of ia64-faults.tab is made in turn in
# a copy of the tree, and its program must end with a status other than 0. Without the fault it ends
# with 0 (ia64.t). Without EXTRA=1, each eighth fault is made.
. tests/tap.sh
. tests/boot/ia64.sh

copy=$work/tree
mkdir "$copy"
git ls-files -z | xargs -0 cp -p --parents -t "$copy"
mkdir "$copy/build" && cp -rp "$BUILD/host" "$copy/build"
MACHINE=$copy/build/host/ia64-machine

# change FILE FROM TO: changes the one line that contains FROM.
change() {
	FROM=$2 TO=$3 awk '{
		at = index($0, ENVIRON["FROM"])
		if (at && ++lines)
			$0 = substr($0, 1, at - 1) ENVIRON["TO"] substr($0, at + length(ENVIRON["FROM"]))
		print
	}
	END { exit lines != 1 }' "hal/emu/ia64/$1" >"$copy/hal/emu/ia64/$1" || { echo "no line, or many: $2"; false; }
}

# At the prompt (-d) the program continues.
at_prompt() {
	echo continue | "$@"
}

# The commands that make the machine. Less optimization and no debug information save most of the time.
make --no-print-directory -n -B V=1 BUILD=build build/host/ia64-machine |
	sed 's/ -O3\b/ -O1/; s/ -g / /; s/ -o [^ ]*ia64-machine / -s&/' >"$work/commands"

# again OUTPUT: runs the command that makes this file of the copy.
again() {
	(cd "$copy" && sh -c "$(grep -F -- " -o $1 " "$work/commands")")
}

# catches FILE PROGRAM FROM TO
catches() {
	build "${2%% *}" && change "$1" "$3" "$4" && again "build/host/hal/emu/ia64/${1%.c}.o" &&
		again build/host/ia64-machine || return
	most=20000000	# instructions: no other program executes more
	[ "$2" != fibonacci ] || most=100000000
	capture at_prompt timeout 300 "$MACHINE" -p "$PMU" ${2#"${2%% *}"} -n $most "$work/${2%% *}"
	echo "status $status"
	case $status in
	0 | 124 | 134 | 139) return 1 ;;	# nothing found; no end; the machine itself has crashed
	esac
}
grep -v '^#' tests/boot/ia64-faults.tab >"$work/faults"
while IFS=$(printf '\t') read -r fault file program from to; do
	kind=long
	[ $((tap_number % 8)) -ne 0 ] || kind=check
	$kind "$fault: found by $program" catches "$file" "$program" "$from" "$to"
	# Restores the files with their times, so that nothing else is compiled again.
	cp -p "hal/emu/ia64/$file" "$copy/hal/emu/ia64/$file"
	cp -p "$BUILD/host/hal/emu/ia64/${file%.c}.o" "$copy/build/host/hal/emu/ia64/"
done <"$work/faults"
done_checking
