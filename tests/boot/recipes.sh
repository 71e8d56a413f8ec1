# SPDX-License-Identifier: BSD-2-Clause
# For tests/boot/recipes-TARGET.t: runs the commands of pmu/TARGET/RECIPES.md as printed, in order, and compares their
# output with the lines shown. Source it after tap.sh and use_target. Then `counted` compares counts with numbers that
# follow from the workload's source.
. tests/documents.sh

# A folder of measurements for this script alone: other scripts use the target's.
make_top "$BUILD/check/recipes-$TARGET" && rm "$top/build/$TARGET" && mkdir "$top/build/$TARGET" &&
	for built in "$BUILD/$TARGET"/*; do
		[ "${built##*/}" = run ] || ln -s "$(realpath "$built")" "$top/build/$TARGET/"
	done
PATH=$(cd "$BUILD/host" && pwd):$PATH
export TIMEOUT="${TIMEOUT:-300}"
in_place() {
	cd "$top"
}
run_commands "tests/boot/recipes-$TARGET.t" compare-form

# recipe WORDS: copies the output of the first recipe whose command contains these words to $work/out.
recipe() {
	for command_file in "$work"/commands/*.command; do
		base=${command_file%.command}
		case $(cat "$base.place") in "pmu/$TARGET/RECIPES.md:"*) ;; *) continue ;; esac
		! grep -qF -- "$1" "$command_file" || { tr -d '\r' <"$base.raw" >"$work/out"; return; }
	done
	echo "no recipe has $1"
	return 1
}

# counted WORDS NUMBER EVENT [NUMBER EVENT]...: the recipe whose command contains these words counted so many events,
# on all threads together. N+FEW allows up to FEW more.
counted() {
	recipe "$1" || return
	shift
	while [ $# -gt 0 ]; do
		found=$(tr -d , <"$work/out" | sed -n "s!^ *\([0-9 ]*[0-9]\)  $2\( .*\)*\$!\1!p" | awk '{ print $NF; exit }')
		few=0
		case $1 in *+*) few=${1#*+} ;; esac
		[ -n "$found" ] && [ "$found" -ge "${1%+*}" ] && [ "$found" -le $((${1%+*} + few)) ] ||
			{ echo "$2: $found, not $1"; cat "$work/out"; return 1; }
		shift 2
	done
}
