#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Boot loaders and their memory maps: GRUB, by BIOS and by UEFI; a loader of these tests, which says what it is told to
# (guests/loader.c).
. tests/tap.sh
. tests/boot/grub.sh
. pmu/nehalem/machine
. hal/emu/svm/machine

measures() {
	ended "$success" && says "started by $1," && says '^ +[0-9]+,[0-9]{3},[0-9]{3}  INST_RETIRED.ANY '
}

by_bios() {
	grub_disk "$work/disk" run=session &&
		capture timeout 120 $command -drive "file=$work/disk,format=raw,if=ide" && measures 'Multiboot 1'
}
with_packages "GRUB on a disk" /usr/bin/grub-mkstandalone /usr/lib/grub/i386-pc &&
	check "GRUB on a disk" by_bios

# UEFI keeps memory at 8 MiB. Its firmware takes half a minute where each instruction is counted: without that there is
# no PMU, which the image says.
firmware=/usr/share/OVMF/OVMF_CODE_4M.fd
by_uefi() {
	cp /usr/share/OVMF/OVMF_VARS_4M.fd "$work/variables" &&
		grub x86_64-efi "" "$work/grub.efi" '(memdisk)/palmon' run=session "palmon=$IMAGE.img" || return
	machine=$(echo "$command" | sed 's/-icount [^ ]*//; s/-smp [^ ]*//; s/64M/128M/g')
	capture timeout 120 $machine -drive "if=pflash,format=raw,readonly=on,file=$firmware" \
		-drive "if=pflash,format=raw,file=$work/variables" -kernel "$work/grub.efi"
	ended "$failure" && says '^palmon: no .* PMU here, .* needs -icount shift=0'
}
with_packages "GRUB by UEFI" /usr/bin/grub-mkstandalone /usr/lib/grub/x86_64-efi $firmware &&
	check "GRUB by UEFI" by_uefi

# told WORD...: starts the image with this map. The loader is at 40 MiB, out of its way.
check "the tests' loader" env AT=0x2800000 tests/boot/guests/build loader "$work/loader"
told() {
	capture timeout 60 $command -kernel "$work/loader" -append "$*" \
		-initrd "$IMAGE.img ${arguments:-run=session}"
}

# What EDK II's OVMF has there, of a machine of 64 MiB.
uefi_map='0-9f000:1 100000-806000:1 806000-808000:4 808000-810000:1 810000-900000:4'
hole() {
	told $uefi_map 900000-3fe0000:1
	measures 'Multiboot 1'
}
check "a map with a hole at 8 MiB" hole

in_parts() {
	told 3000000-3fe0000:1 1c00000-3000000:1 0-9f000:1 1900000-1d00000:1 3fe0000-4000000:2 100000-1900000:1 \
		1000000-1000000:2 100000000-200000000:1
	measures 'Multiboot 1'
}
check "memory in parts, which overlap, in no order" in_parts

sizes() {
	told sizes=27c,9000
	measures 'Multiboot 1'
}
check "a loader that says two sizes only" sizes

pvh_entry=$(nm "$IMAGE.elf" | awk '$3 == "pvh_entry" { print $1 }' | sed 's/^0*//')
by_pvh() {
	told pvh="$pvh_entry" $uefi_map 900000-3fe0000:1
	measures PVH
}
check "PVH with a hole at 8 MiB" by_pvh

no_map() {
	told "$@"
	measures "$protocol"
}
protocol='Multiboot 1'
check "a loader that says nothing of memory: the image has its own" no_map
protocol='an unknown boot loader'
check "an unknown loader, too" no_map magic=0
unknown_all() {
	arguments=run=all told magic=0
	measures 'an unknown boot loader' && says '^# all checks passed$' && ! grep SKIP "$work/out"
}
check "where the self test can do all of its checks" unknown_all

# refuses MAP-AS-IT-IS-SAID WORD...: there is too little.
refuses() {
	map=$1
	shift
	told "$@"
	ended "$failure" && says "^palmon: this image needs memory from $needs, the map has $map\$" &&
		says '^palmon: status 1 \(memory\)$'
}
needs="0x1000000 to 0x$(nm "$IMAGE.elf" | awk '$3 == "image_end" { print $1 }' | sed 's/^0*//')"
check "no memory at 16 MiB" refuses '0x0 to 0x9f000, 0x100000 to 0x806000' 0-9f000:1 100000-806000:1
check "a hole in it" refuses '0x0 to 0x9f000, 0x100000 to 0x1100000, 0x1101000 to 0x4000000' \
	0-9f000:1 100000-1100000:1 1101000-4000000:1
check "memory that is something else's, too" refuses '0x0 to 0x9f000, 0x100000 to 0x4000000' \
	0-9f000:1 100000-4000000:1 1800000-1801000:3
check "two sizes, and the second is too small" refuses '0x0 to 0x9f000, 0x100000 to 0x1500000' sizes=27c,5000
check "PVH" refuses '0x0 to 0x9f000, 0x100000 to 0x806000' pvh="$pvh_entry" 0-9f000:1 100000-806000:1
needs='0x8000 to 0x9000'
check "no memory where further CPUs start" refuses '0x0 to 0x8800, 0x100000 to 0x4000000' 0-8800:1 100000-4000000:1
done_checking
