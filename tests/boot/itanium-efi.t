#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Itanium's image as an EFI application: its structure, as binutils reads it (Microsoft's PE and COFF specification;
# UEFI specification 2.1.1). No machine has run it.
. tests/tap.sh
use_target itanium elf

efi=$IMAGE.efi linked=$IMAGE-efi.elf
ia64-linux-gnu-objdump -f -p -h "$efi" >"$work/out" 2>&1
ia64-linux-gnu-nm "$linked" >"$work/names"

# field NAME: its value in the headers.
field() {
	awk -v name="$1" '$1 == name { print $2 }' "$work/out"
}
# address NAME: of a symbol.
address() {
	awk -v name="$1" '$3 == name { print $1 }' "$work/names"
}
# bytes OFFSET SIZE: of the file, as one number.
bytes() {
	od -A n -t "x$2" -j "$1" -N "$2" "$efi" | tr -d ' '
}

check "it is a PE32+ image" says '^Magic\s+020b\s+\(PE32\+\)'
machine() {
	[ "$(bytes $((0x$(bytes 60 4) + 4)) 2)" = 0200 ] && says 'file format pei-ia64'
}
check "for Itanium: machine 200H" machine
check "an EFI application: subsystem 10" says '^Subsystem\s+0000000a\s'
check "it has no relocations" says '^\srelocations stripped$'

# Where in memory, where in the file: numbers of 64 KB and 4 KB, 512 bytes.
placed() {
	base=$((0x$(field ImageBase)))
	[ $((base % 65536)) -eq 0 ] && [ "$(field SectionAlignment)" = 00001000 ] &&
		[ "$(field FileAlignment)" = 00000200 ] &&
		awk '$1 ~ /^[0-9]+$/ { print $2, $3, $4, $6 }' "$work/out" >"$work/sections" &&
		[ "$(wc -l <"$work/sections")" -eq 2 ] || return
	end=$((base + 0x$(field SizeOfHeaders)))
	while read -r name size at in_file; do
		[ $((0x$at % 4096)) -eq 0 ] && [ $((0x$in_file % 512)) -eq 0 ] && [ $((0x$at)) -ge $end ] || return
		end=$((0x$at + 0x$size))
		echo "$name ends at $end"
	done <"$work/sections"
	image_end=$((base + 0x$(field SizeOfImage)))
	[ $image_end -ge $end ] && [ $((image_end - end)) -lt 4096 ]
}
check "its sections are aligned, apart, behind the headers, and as long as the image is" placed

# What a loader that knows nothing but sections puts into memory is what the linker has put there.
same_contents() {
	ia64-linux-gnu-objcopy -O binary "$efi" "$work/efi" && ia64-linux-gnu-objcopy -O binary "$linked" "$work/elf" &&
		size=$(wc -c <"$work/elf") && head -c "$size" "$work/efi" | cmp - "$work/elf" &&
		! tail -c +$((size + 1)) "$work/efi" | tr -d '\000' | grep -q .
}
check "its sections are the segments that were linked, where they were" same_contents

entry() {
	at=$((0x$(field AddressOfEntryPoint) + 0x$(field ImageBase)))
	text=$(awk '$1 == ".text" { print $3, $4 }' "$work/sections")
	in_file=$((at - 0x${text% *} + 0x${text#* }))
	[ "$(bytes $in_file 8)" = "$(address efi_entry)" ] && [ "$(bytes $((in_file + 8)) 8)" = "$(address __gp)" ] &&
		[ $((at % 16)) -eq 0 ]
}
check "its entry point is a function's descriptor: code, and global pointer" entry
# Ski's calls are break instructions; the image for the machine has them.
without_simulator() {
	ia64-linux-gnu-objdump -d "$IMAGE.elf" | grep -q 'break.m 0x80001' &&
		ia64-linux-gnu-objdump -d "$linked" >"$work/code" && ! grep 'break.m 0x80001' "$work/code"
}
check "it asks no simulator" without_simulator

refused() {
	! "$BUILD/peimage" "$1" 4000000 "$work/x.efi" >"$work/out" 2>&1 && says "$2"
}
head -c 30 "$linked" >"$work/short"
cut_off() {
	head -c 100000 "$linked" >"$work/cut" && refused "$work/cut" 'has unexpected segments'
}
check "what is no ia64 executable does not become one" refused /bin/true 'is not an ELF executable for ia64'
check "nor what is cut off" refused "$work/short" 'is not an ELF executable for ia64'
check "nor in its segments" cut_off
done_checking
