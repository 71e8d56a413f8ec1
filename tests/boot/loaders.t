#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Boot loaders' protocols and memory maps, passed by a loader of these tests as instructed
# (guests/loader.c). starts.t uses real loaders. The long checks repeat others with more maps,
# addresses and protocols.
. tests/tap.sh
. pmu/nehalem/machine
. hal/emu/qemu/machine

measures() {
	ended "$success" && says "started by $1," &&
		says '^ +[0-9]+,[0-9]{3},[0-9]{3}  INST_RETIRED.ANY '
}

# told WORD...: starts the file with this map. The loader itself is at 40 MiB, outside the image's
# memory.
loader() {
	env AT=$1 tests/boot/guests/build loader "$2" tests/boot/guests/loader_linux.c \
		tests/boot/guests/loader_coreboot.c
}
check "the tests' loader" loader 0x2800000 "$work/loader"
file=$IMAGE.img loader=$work/loader memory=64M
told() {
	capture timeout 300 $(echo "$command" | sed "s/64M/$memory/g") -kernel "$loader" \
		-append "$*" \
		-initrd "$file ${arguments:-run=session}"
}

# The map that EDK II's OVMF passes on a machine of 64 MiB.
uefi_map='0-9f000:1 100000-806000:1 806000-808000:4 808000-810000:1 810000-900000:4'
hole() {
	told $uefi_map 900000-3fe0000:1
	measures 'Multiboot 1'
}
long "a map with a hole at 8 MiB" hole

# A pending interrupt, such as the firmware timer's.
waits() {
	told interrupt=1 $uefi_map 900000-3fe0000:1
	measures 'Multiboot 1'
}
check "a pending interrupt of the loader" waits

in_parts() {
	told 3000000-3fe0000:1 1c00000-3000000:1 0-9f000:1 1900000-1d00000:1 3fe0000-4000000:2 \
		100000-1900000:1 \
		1000000-1000000:2 100000000-200000000:1
	measures 'Multiboot 1'
}
check "memory in parts, which overlap, in any order" in_parts

sizes() {
	told sizes=27c,9000
	measures 'Multiboot 1'
}
long "a loader that passes two sizes only" sizes

# The image moves from its load address: loaders may place relocatable Linux kernels anywhere.
linux() {
	told "$@" $uefi_map 900000-3fe0000:1
	measures 'Linux boot protocol, a loader that has no number'
}
check "the Linux boot protocol" linux linux=100000
long "loaded at 2 MiB" linux linux=200000
check "loaded over its link address" linux linux=101000
long "at the 64-bit entry" linux linux64=100000
long "at the 64-bit entry, loaded at 3 MiB" linux linux64=300000
memory=6G
high() {
	told linux64=$1 0-9f000:1 100000-c0000000:1 100000000-180000000:1
	measures 'Linux boot protocol, a loader that has no number'
}
check "at the 64-bit entry, loaded at 4 GiB" high 100000000
long "loaded across a GiB boundary, at 5 GiB" high 13ff80000
memory=64M

# Loaders of ELF files.
objcopy -O elf32-i386 --remove-section=.multiboot "$IMAGE.elf" "$work/elf"
pvh_entry=$(nm "$IMAGE.elf" | awk '$3 == "pvh_entry" { print $1 }' | sed 's/^0*//')
file=$work/elf
by_pvh() {
	told pvh="$pvh_entry" $uefi_map 900000-3fe0000:1
	measures PVH
}
check "PVH with a hole at 8 MiB" by_pvh
coreboot() {
	told magic=0 coreboot=3000000 $uefi_map 900000-3fe0000:1
	ended "$success" && says 'started by coreboot, PMU:' && says '^# all checks passed$'
}
check "coreboot" coreboot

no_map() {
	told "$@"
	measures "$protocol"
}
unknown() {
	told magic=0
	measures 'an unknown boot loader' && says '^# all checks passed$' && ! grep SKIP "$work/out"
}
check "an unknown loader that passes no memory map: the image uses its own memory, and runs all checks" unknown
file=$IMAGE.img
protocol='Multiboot 1'
check "Multiboot 1 without a map: the image probes memory" no_map
protocol='Linux boot protocol, a loader that has no number'
long "Linux, too" no_map linux=100000

# refuses MAP-AS-PRINTED WORD...: the map has too little memory.
refuses() {
	map=$1
	shift
	told "$@"
	ended "$failure" &&
		says "^palmon: this image needs memory from $needs, the map has $map\$" &&
		says '^palmon: status 1 \(memory\)$'
}
needs="0x1000000 to 0x$(nm "$IMAGE.elf" | awk '$3 == "image_end" { print $1 }' | sed 's/^0*//')"
check "no memory at 16 MiB" refuses '0x0 to 0x9f000, 0x100000 to 0x806000' 0-9f000:1 100000-806000:1
check "a hole in the image's memory" refuses \
	'0x0 to 0x9f000, 0x100000 to 0x1100000, 0x1101000 to 0x4000000' \
	0-9f000:1 100000-1100000:1 1101000-4000000:1
long "memory that is also reserved" refuses '0x0 to 0x9f000, 0x100000 to 0x4000000' \
	0-9f000:1 100000-4000000:1 1800000-1801000:3
long "two sizes, of which the second is too small" refuses \
	'0x0 to 0x9f000, 0x100000 to 0x1500000' sizes=27c,5000
long "Linux" refuses '0x0 to 0x9f000, 0x100000 to 0x806000' linux=100000 0-9f000:1 100000-806000:1
file=$work/elf
long "PVH" refuses '0x0 to 0x9f000, 0x100000 to 0x806000' pvh="$pvh_entry" 0-9f000:1 \
	100000-806000:1
long "coreboot" refuses '0x0 to 0x9f000, 0x100000 to 0x806000' magic=0 coreboot=3000000 0-9f000:1 \
	100000-806000:1
file=$IMAGE.img
needs='0x8000 to 0x9000'
check "no memory where other CPUs start" refuses '0x0 to 0x8800, 0x100000 to 0x4000000' 0-8800:1 \
	100000-4000000:1

check "the tests' loader at 8 MiB" loader 0x800000 "$work/low"
none() {
	loader=$work/low memory=24M told "$@"
	ended "$failure" && says '^palmon: status 1 \(memory\)$' &&
		says "^palmon: .* needs memory from .*, the boot loader gives no map, and there is none from 0x1800000 "
}
check "no map, and no memory above 24 MiB" none
long "Linux, too" none linux=100000
done_checking
