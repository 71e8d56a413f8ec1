#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No circles among the files of pmu/: neither of includes nor of calls and data (nm). tsort finds them.
. tests/tap.sh

# sorted FILE: no circle is in these pairs of names. tsort names each circle on the error output.
sorted() {
	tsort "$1" >/dev/null 2>"$work/circle"
	cat "$work/circle"
	[ -s "$1" ] && [ ! -s "$work/circle" ]
}

includes() {
	for file in $(git ls-files 'pmu/*.[ch]'); do
		grep -oE '^#include "[^"]+"' "$file" | cut -d'"' -f2 | while read -r header; do
			for found in "$(dirname "$file")/$header" "pmu/include/$header"; do
				[ -f "$found" ] && { echo "$file $found"; break; }
			done
		done
	done >"$work/includes"
	sorted "$work/includes"
}
check "no file includes itself, whatever is between" includes

# What is read is what the sources say now.
built() {
	make --no-print-directory BUILD="$BUILD" host
}
check "the objects are built" built

# Lines of who refers to a name, and who defines it. Models of drivers, and what they are called by, are pointers.
calls() {
	for object in $(cd "$BUILD/host" && find pmu -name '*.o' | sort); do
		[ -f "${object%.o}.c" ] && nm "$BUILD/host/$object" | awk -v o="${object%.o}.c" '
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
check "no file calls itself through others" calls

# The test finds what it is for.
reversed() {
	{ cat "$work/calls"; sed -n 's/\(.*overflow.c\) \(.*sample.c\)/\2 \1/p' "$work/calls"; } >"$work/reversed"
	! sorted "$work/reversed" && grep -q overflow.c "$work/circle" && grep -q sample.c "$work/circle"
}
check "samples that called the overflow interrupt were one" reversed
done_checking
