#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No circles among the source files: neither of includes, nor of calls and data (nm) among the files of one program.
# Calls through pointers do not count. tsort finds the circles.
. tests/tap.sh

# The circles that remain, one reference of each: FROM TO REASON. Without these references there is no circle; with any
# one of them there is.
cat >"$work/known" <<'END'
arch/x86/memory.c arch/x86/entry.S writes the tables that further CPUs start with
arch/x86/processors.c arch/x86/entry.S copies the code that further CPUs start with
arch/x86/traps.c arch/x86/entry.S fills in the descriptor table of entry.S
arch/x86/vectors.S arch/x86/traps.c entries call the dispatch, which shares a file with the table of entries
hal/shim/interrupts.c hal/shim/execute.c an alarm's handler takes time; a mask is a register
hal/shim/shim.c hal/shim/interrupts.c a CPU that runs again takes its interrupts
hal/shim/shim.c hal/shim/records.c a core's start names its memory and registers
hal/vpmu/library/reports.c hal/vpmu/library/core.c switches the CPU
hal/native/x86/interrupts.c hal/native/x86/processors.c a poll ends a wait for other CPUs
hal/native/x86/machine.c hal/native/memory.c takes memory for page tables
hal/native/x86/machine.c hal/native/system.c serves system calls
arch/x86/early/main.c arch/x86/early/loaders.c the early state is in main.c
arch/x86/early/main.c hal/native/x86/early/console.c the early state is in main.c
arch/x86/early/main.c hal/native/x86/early/end.c the early state is in main.c
arch/x86/image/way_back.S arch/x86/image/firmware.c waits for the firmware
arch/x86/image/start.c arch/x86/image/entry.S moves the image
arch/ia64/execute.S arch/ia64/vectors.S the stack of programs
arch/ia64/handover.c boot/boot.c starts the runtime; the ports' address is in the same file
hal/native/ia64/machine.c hal/native/memory.c the end of memory
hal/native/ia64/machine.c hal/native/system.c serves system calls
arch/sparc64/vectors.S arch/sparc64/traps.c entries call the dispatch
arch/sparc64/execute.S arch/sparc64/traps.c the CPU's data
arch/sparc64/execute.S arch/sparc64/vectors.S the stack of programs
hal/native/sparc64/machine.c hal/native/system.c serves system calls
hal/console/log.c hal/native/x86/early/console.c the early code's memcpy
END

# sorted FILE: no circle is in these pairs of names. tsort names each circle on the error output.
sorted() {
	tsort "$1" >/dev/null 2>"$work/circle"
	sed 's/^tsort: //' "$work/circle"
	[ -s "$1" ] && [ ! -s "$work/circle" ]
}

# without_known FILE: sorts the pairs of names without the references of the table. Notes the used rows of the table:
# those with which there is a circle.
without_known() {
	awk -v known="$work/known" '
		BEGIN { while ((getline line < known) > 0) { split(line, w, " "); row[w[1] " " w[2]] } }
		!($0 in row)' "$1" >"$work/unknown"
	while read -r from to reason; do
		grep -qx "$from $to" "$1" || continue
		{ cat "$work/unknown"; echo "$from $to"; } >"$work/one"
		sorted "$work/one" >/dev/null || echo "$from $to" >>"$work/used"
	done <"$work/known"
	sorted "$work/unknown"
}
: >"$work/used"

# A header is found in the folder of the file, in include folders, or in any folder with one such name.
includes() {
	git ls-files arch boot pmu pal hal tools | grep '[.][ch]$' | xargs grep -oE '^#include "[^"]+"' /dev/null |
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
	without_known "$work/includes"
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
	without_known "$work/calls"
}
check "no file of the plugin calls itself through others" calls "$BUILD/plugin" hal pmu
check "nor one of libvpmu" calls "$BUILD/libvpmu" hal pmu
check "nor one of the ia64 machine" calls "$BUILD/host" hal/emu
for image in $(awk '!/^#/ && NF { print $1 }' pmu/targets.tab); do
	[ -d "$BUILD/$image/arch" ] || continue
	check "nor one of the image of $image" calls "$BUILD/$image" arch boot hal pal pmu
	[ -d "$BUILD/$image/early" ] && check "nor one of its early code" calls "$BUILD/$image/early" arch hal
done
check "nor one of the command" calls "$BUILD/host" boot pmu pal hal/shim hal/vpmu hal/emu/model tools

# Rows of files that are in no built image are not judged.
all_are_used() {
	while read -r from to reason; do
		case $from in
		arch/ia64/* | hal/native/ia64/*) [ -d "$BUILD/itanium/arch" ] ;;
		arch/sparc64/* | hal/native/sparc64/*) [ -d "$BUILD/sparct4/arch" ] ;;
		arch/* | hal/native/* | boot/*) [ -d "$BUILD/nehalem/arch" ] ;;
		esac || continue
		grep -qx "$from $to" "$work/used" || echo "no circle needs the row: $from $to"
	done <"$work/known" >"$work/unused"
	cat "$work/unused"
	[ ! -s "$work/unused" ]
}
check "each row of the table is in a circle" all_are_used

# The test finds a circle.
reversed() {
	{ cat "$work/calls"; sed -n 's/\(.*overflow.c\) \(.*sample.c\)/\2 \1/p' "$work/calls"; } >"$work/reversed"
	! sorted "$work/reversed" && grep -q overflow.c "$work/circle" && grep -q sample.c "$work/circle"
}
check "samples that called the overflow interrupt were one" reversed
done_checking
