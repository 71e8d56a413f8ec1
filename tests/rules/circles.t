#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No circles among the source files: neither of includes, nor of calls and data (nm) among the files of one program.
# Calls through pointers do not count. tsort finds the circles.
. tests/tap.sh

# sorted FILE: no circle is in these pairs of names. tsort names each circle on the error output.
sorted() {
	tsort "$1" >/dev/null 2>"$work/circle"
	sed 's/^tsort: //' "$work/circle"
	[ -s "$1" ] && [ ! -s "$work/circle" ]
}

# A header is found in the folder of the file, in include folders, or in any folder with one such name.
includes() {
	git ls-files arch boot pmu pal hal tools | grep '[.][ch]$' |
		xargs grep -oE '^#include "[^"]+"' /dev/null |
		sed 's/:#include "/ /; s/"$//' >"$work/include"
	git ls-files '*.h' | awk '
		NR == FNR { header[$1]; name = $1; sub(".*/", "", name); count[name]++; last[name] = $1; next }
		{
			folder = $1
			sub("[^/]*$", "", folder)
			found = folder $2
			while (found ~ "[^/.]+/[.][.]/")
				sub("[^/.]+/[.][.]/", "", found)
			name = $2
			sub(".*/", "", name)
			if (!(found in header))
				found = count[name] == 1 ? last[name] : ""
			if (found != "" && found != $1)
				print $1, found
		}
	' - "$work/include" | sort -u >"$work/includes"
	sorted "$work/includes"
}
check "no file includes itself, whatever is between" includes

# The objects are those of the present sources. The images' objects: all that were built; make check builds all images.
built() {
	make --no-print-directory BUILD="$BUILD" host libvpmu "$BUILD/plugin/palmon-qemu.so"
}
check "the objects are built" built

# calls OBJECTS FOLDER...: pairs of a file that refers to a name, and the file that defines the name.
calls() {
	objects=$1
	shift
	git ls-files '*.[cSs]' >"$work/sources"
	(cd "$objects" && find "$@" -name '*.o' -exec nm -A {} +) | awk -v sources="$work/sources" '
		BEGIN {
			while ((getline file < sources) > 0)
				source[substr(file, 1, length(file) - 2)] = file
		}
		{
			at = index($0, ".o:")
			file = source[substr($0, 1, at - 1)]
			$0 = substr($0, at + 3)
		}
		file == "" { next }
		$1 == "U" { from[++n] = file; to[n] = $2 }
		$2 ~ /^[TDRBVWCG]$/ { defined[$3] = file }
		END {
			for (i = 1; i <= n; i++)
				if (to[i] in defined && defined[to[i]] != from[i])
					print from[i], defined[to[i]]
		}
	' | sort -u >"$work/calls"
	sorted "$work/calls"
}
check "no file of the plugin calls itself through others" calls "$BUILD/plugin" hal pmu
check "nor one of libvpmu" calls "$BUILD/libvpmu" hal pmu
check "nor one of the ia64 machine" calls "$BUILD/host" hal/emu
for image in $(awk '!/^#/ && NF { print $1 }' pmu/targets.tab); do
	[ -d "$BUILD/$image/arch" ] || continue
	check "nor one of the image of $image" calls "$BUILD/$image" arch boot hal pal pmu
	[ -d "$BUILD/$image/early" ] && check "nor one of its early code" calls \
		"$BUILD/$image/early" arch hal
done
check "nor one of the command" calls "$BUILD/host" boot pmu pal hal/shim hal/vpmu hal/emu/model \
	tools

# The test finds a circle.
reversed() {
	{ cat "$work/calls"; sed -n 's/\(.*overflow.c\) \(.*sample.c\)/\2 \1/p' "$work/calls"; } \
		>"$work/reversed"
	! sorted "$work/reversed" && grep -q overflow.c "$work/circle" &&
		grep -q sample.c "$work/circle"
}
check "samples that called the overflow interrupt were one" reversed
done_checking
