#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# How kernels are booted under the monitor beside Multiboot: Linux's boot protocol and PVH, by a kernel that checks its
# registers and prints what it is passed (guests/protocols); its memory; files that are no such kernel; terminals.
. tests/tap.sh
. tests/boot/guests.sh
use_monitor
printf one >"$work/one"
printf three >"$work/three"

# made NAME [OPTION...]: builds the kernel.
made() {
	file=$work/$1
	shift
	$guests/protocols/build "$file" "$@"
}

# boots NAME ENTRY [VARIABLE=VALUE...]: all its checks are good.
boots() {
	name=$1 entry=$2
	shift 2
	guest "$name" "APPEND=a b,c" "INITRD=$work/one,$work/three" "$@"
	ended 0 && ! grep '^not ok' "$work/out" && says "^1\.\.0*$(grep -c '^ok ' "$work/out")\$" &&
		says "^entry $entry\$" && says "^command line 'a b,c'\$" && says "^initrd of 9 bytes 'one\.three'\$"
}
made linux
check "a bzImage with a 64-bit entry" boots linux 64
linux_32() {
	made linux_32 -DENTRY_64=0 && boots linux_32 32
}
check "one without" linux_32
check "PVH: a 32-bit ELF file" boots linux.elf32 18
check "PVH: a 64-bit one" boots linux.elf64 18
no_words() {
	guest "$1" && ended 0 && says "^command line ''\$" && ! says '^not ok'
}
check "no command line, no initrd: Linux" no_words linux
check "PVH" no_words linux.elf64

# 448 of 512 MiB; of more, all behind 512 MiB, too, but what the firmware keeps for its tables, 128 KiB.
memory() {
	boots linux 64 && says '^memory 0x100000 0x1C000000 1$' && says '^memory 0x1C000000 0x1FFE0000 2$' &&
		boots linux 64 MEM=2G && says '^memory 0x100000 0x1C000000 1$' &&
		says '^memory 0x1C000000 0x20000000 2$' && says '^memory 0x20000000 0x7FFE0000 1$' &&
		boots linux.elf64 18 MEM=3072M && says '^memory 0x20000000 0xBFFE0000 1$'
}
check "MEM=" memory

# The files are behind the monitor's image, in 62 MiB; or as far as there is memory.
large_initrd() {
	head -c 100000000 /dev/zero >"$work/large"
	guest linux "INITRD=$work/large" && false
	ended 4 && says 'files do not fit into the monitor.s memory' &&
		guest linux "INITRD=$work/large" MEM=1G && ended 0 && says '^initrd of 100000000 bytes'
}
check "a large initrd" large_initrd

# The BIOS says what it does to such a device's port, 402H.
arguments() {
	guest linux QEMU_ARGS="-debugcon file:$work/bios -global isa-debugcon.iobase=0x402" &&
		grep -q SeaBIOS "$work/bios" && guest linux QEMU_ARGS=-nonsense && false
	ended 4 && says 'nonsense'
}
check "QEMU_ARGS=" arguments

#
# What is no kernel, or not one that fits
#

# refused NAME PATTERN [OPTION...]: built so, it is refused.
refused() {
	name=$1 pattern=$2
	shift 2
	made "${name%.elf*}" "$@" && guest "$name" APPEND=abcd "INITRD=$work/one" && false
	ended 4 && says "^palmon: the guest's $pattern"
}
check "an old protocol" refused old 'kernel has an older boot protocol than 2\.10' -DVERSION=0x209
check "code that is loaded low" refused low 'kernel is a zImage' -DLOAD_FLAGS=0
check "a command line that is too long" refused line 'command line is longer than its kernel reads' -DCOMMAND_LINE=3
exact_line() {
	made line4 -DCOMMAND_LINE=4 && guest line4 APPEND=abcd && ended 0
}
check "one that just is not" exact_line
check "a kernel that needs too much memory" refused much 'kernel needs more memory than there is' \
	-DINIT_SIZE=0x1B000001
check "an initrd that must be where the kernel is" refused where 'initrd does not fit into its memory' \
	-DINITRD_MOST=0x11FFFFF
check "an ELF file without PVH's note" refused note.elf64 \
	'kernel is an ELF file without a Multiboot 1 header or a note for PVH' -DNOTE=17

# changed NAME OFFSET BYTES PATTERN: with other bytes there it is refused.
changed() {
	cp "$work/$1" "$work/changed" &&
		printf "$3" | dd of="$work/changed" bs=1 seek="$(($2))" conv=notrunc status=none &&
		guest changed && false
	ended 4 && says "^palmon: .*the guest's kernel $4"
}
check "another magic number" changed linux 0x202 x 'is no ELF file, and has no Multiboot 1 header and none of Linux'
check "no boot sector" changed linux 0x1FE x 'is no ELF file, and has no'
# cut NAME SIZE PATTERN
cut() {
	head -c "$2" "$work/$1" >"$work/short"
	guest short && false
	ended 4 && says "^palmon: .*the guest's kernel $3"
}
check "a bzImage that is cut off" cut linux 2048 'is cut off'
by_one() {
	cut linux $(($(wc -c <"$work/linux") - 1)) 'is cut off'
}
check "by one byte" by_one
check "in its header" cut linux 600 'is no ELF file, and has no'
check "an ELF file that is cut off" cut linux.elf64 4096 'is an ELF file without'
check "in its headers" cut linux.elf64 100 'lacks program headers'
check "in its first bytes" cut linux.elf64 20 'is no ELF file, and has no'

# 64-bit ELF: program headers at 64, of 56 bytes; the first is loaded, the second one is the note. In the header: offset
# 8, physical address 24, size in the file 32, in memory 40. The note's name has 4 bytes, at its offset.
note=$(($(readelf -lW "$work/linux.elf64" | awk '$1 == "NOTE" { print $2 }')))
check "a segment above 4 GiB" changed linux.elf64 $((64 + 28)) '\1' 'has an address where it has no memory'
check "one that is larger in the file than in memory" changed linux.elf64 $((64 + 40)) '\1\0\0\0' 'is not in its file'
check "notes behind the file" changed linux.elf64 $((64 + 56 + 12)) '\1' 'is an ELF file without'
check "a note's name that does not end" changed linux.elf64 "$note" '\377\377\377\377' 'is an ELF file without'
check "a note's value that does not end" changed linux.elf64 $((note + 4)) '\377\377\377\377' 'is an ELF file without'
check "an entry that is elsewhere" changed linux.elf64 $((note + 16)) '\0\0\0\2' \
	'is to be entered where nothing of it is'
many_headers() {
	changed linux.elf64 56 '\377\377' 'lacks program headers'
}
check "more program headers than there are" many_headers

wrong_memory() {
	for mem in 511M 4G 3073M 2T x 1 0G; do
		guest linux MEM=$mem && false
		ended 2 && says "MEM=$mem: from 512M to 3G" || return
	done
}
check "MEM= that is none" wrong_memory

#
# At a terminal
#

# typed STATUS CHARACTERS [VARIABLE=VALUE...]: at a terminal of script(1), each second.
typed() {
	expected=$1 characters=$2
	shift 2
	while sleep 1 && printf "$characters"; do :; done | env GUEST="$work/$name" "$@" \
		script -qec "tools/run-guest $TARGET $MONITOR" /dev/null >"$work/raw" 2>&1
	status=$?
	tr -d '\r' <"$work/raw" >"$work/out"
	ended "$expected"
}
ends_by_keys() {
	build ends && name=ends && typed 0 '\001x' APPEND=loop && says 'QEMU: Terminated'
}
check "Ctrl-A X ends a guest at a terminal" ends_by_keys
ends_by_itself() {
	name=ends && typed 7 '\n' APPEND=exit=3 && says 'ended with value 3' && typed 0 '\n' APPEND=exit=0 &&
		typed 124 '\n' APPEND=loop TIMEOUT=3
}
check "which may end by itself, or by TIMEOUT=" ends_by_itself
done_checking
