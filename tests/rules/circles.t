#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No circles among the files of pmu/, nor among those of hal/emu: neither of includes nor of calls and data (nm). tsort
# finds them.
. tests/tap.sh

# sorted FILE: no circle is in these pairs of names. tsort names each circle on the error output.
sorted() {
	tsort "$1" >/dev/null 2>"$work/circle"
	cat "$work/circle"
	[ -s "$1" ] && [ ! -s "$work/circle" ]
}

# includes FOLDER...: the first one is where headers of others are, too.
includes() {
	for file in $(git ls-files "$@" | grep '[.][ch]$'); do
		grep -oE '^#include "[^"]+"' "$file" | cut -d'"' -f2 | while read -r header; do
			for found in "$(dirname "$file")/$header" "$1/$header"; do
				[ -f "$found" ] && { echo "$file $found"; break; }
			done
		done
	done >"$work/includes"
	sorted "$work/includes"
}
check "no file of pmu/ includes itself, whatever is between" includes pmu/include pmu
check "nor one of the plugin, or of the ia64 machine" includes hal/emu/qemu hal/emu/ia64 hal/emu/model

# What is read is what the sources say now.
built() {
	make --no-print-directory BUILD="$BUILD" host "$BUILD/plugin/palmon-qemu.so"
}
check "the objects are built" built

# calls OBJECTS FOLDER...: who refers to a name, and who defines it. Models of drivers, and what they are called by, are
# pointers.
calls() {
	objects=$1
	shift
	for object in $(cd "$objects" && find "$@" -name '*.o' | sort); do
		[ -f "${object%.o}.c" ] && nm "$objects/$object" | awk -v o="${object%.o}.c" '
			$1 == "U" { print "U", o, $2 }
			NF == 3 && $2 ~ /[TDRBVWC]/ { print "D", o, $3 }'
	done | awk '
		BEGIN { n = 0 }
		$1 == "D" { defined[$3] = $2; next }
		{ from[n] = $2; to[n++] = $3 }
		END {
			for (i = 0; i < n; i++)
				if (to[i] in defined && defined[to[i]] != from[i])
					print from[i], defined[to[i]]
		}
	' | sort -u >"$work/calls"
	sorted "$work/calls"
}
check "no file of the plugin calls itself through others" calls "$BUILD/plugin" hal/emu/qemu hal/emu/model hal/vpmu
check "nor one of the ia64 machine" calls "$BUILD/host" hal/emu
check "nor one of pmu/" calls "$BUILD/host" pmu

# The test finds what it is for.
reversed() {
	{ cat "$work/calls"; sed -n 's/\(.*overflow.c\) \(.*sample.c\)/\2 \1/p' "$work/calls"; } >"$work/reversed"
	! sorted "$work/reversed" && grep -q overflow.c "$work/circle" && grep -q sample.c "$work/circle"
}
check "samples that called the overflow interrupt were one" reversed
done_checking
