#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Itanium's image as an EFI application: its structure, as binutils reads it (Microsoft's PE and
# COFF specification; UEFI specification 2.1.1). No machine has run it.
. tests/tap.sh
use_target itanium elf

efi=$IMAGE.efi linked=$IMAGE-efi.elf
ia64-linux-gnu-objdump -f -p -h "$efi" >"$work/out" 2>&1
ia64-linux-gnu-nm "$linked" >"$work/names"

# field NAME: this field's value in the headers.
field() {
	awk -v name="$1" '$1 == name { print $2 }' "$work/out"
}
# address NAME: this symbol's address.
address() {
	awk -v name="$1" '$3 == name { print $1 }' "$work/names"
}
# bytes OFFSET SIZE: these bytes of the file, as one number.
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

# Positions in memory are multiples of 64 KB (image) and 4 KB (sections); positions in the file, of
# 512 bytes.
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
check "its sections are aligned, do not overlap, follow the headers, and cover the image" placed

# A loader that reads only the section table reproduces the linked image in memory.
same_contents() {
	ia64-linux-gnu-objcopy -O binary "$efi" "$work/efi" && ia64-linux-gnu-objcopy -O binary "$linked" "$work/elf" &&
		size=$(wc -c <"$work/elf") && head -c "$size" "$work/efi" | cmp - "$work/elf" &&
		! tail -c +$((size + 1)) "$work/efi" | tr -d '\000' | grep -q .
}
check "its sections have the contents and addresses of the linked segments" same_contents

entry() {
	at=$((0x$(field AddressOfEntryPoint) + 0x$(field ImageBase)))
	text=$(awk '$1 == ".text" { print $3, $4 }' "$work/sections")
	in_file=$((at - 0x${text% *} + 0x${text#* }))
	[ "$(bytes $in_file 8)" = "$(address efi_entry)" ] && [ "$(bytes $((in_file + 8)) 8)" = "$(address __gp)" ] &&
		[ $((at % 16)) -eq 0 ]
}
check "its entry point is a function's descriptor: code, and global pointer" entry
# Ski's calls are break instructions; the image for the ia64 machine contains them, the EFI
# application must not.
without_simulator() {
	ia64-linux-gnu-objdump -d "$IMAGE.elf" | grep -q 'break.m 0x80001' &&
		ia64-linux-gnu-objdump -d "$linked" >"$work/code" && ! grep 'break.m 0x80001' "$work/code"
}
check "it makes no simulator calls" without_simulator

refused() {
	! "$BUILD/peimage" "$1" 4000000 "$work/x.efi" >"$work/out" 2>&1 && says "$2"
}
head -c 30 "$linked" >"$work/short"
cut_off() {
	head -c 100000 "$linked" >"$work/cut" && refused "$work/cut" 'has unexpected segments'
}
check "a file that is not an ia64 executable is refused" refused /bin/true 'is not an ELF executable for ia64'
check "a truncated one is refused" refused "$work/short" 'is not an ELF executable for ia64'
check "one truncated in its segments is refused" cut_off
done_checking
