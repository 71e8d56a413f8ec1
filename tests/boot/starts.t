#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon.img, one file, started by real boot loaders and firmware: GRUB, iPXE, U-Boot, EDK II's
# UEFI; and the ISO image made of it. (tools/run-image uses QEMU's own loader, loaders.t the tests'
# loader.)
. tests/tap.sh
. tools/loaders.sh
. pmu/nehalem/machine
. hal/emu/qemu/machine

measures() {
	ended "$success" && says "started by $1, PMU:" &&
		says '^ +[0-9]+,[0-9]{3},[0-9]{3}  INST_RETIRED.ANY '
}
# starts PROTOCOL LOADER [ARGUMENT...]: starts the image with this loader. QEMU runs without the PMU
# and the instruction clock, because firmware and loaders that wait for real time are then much
# faster. The image reports that there is no PMU.
starts() {
	protocol=$1
	shift
	"$@" run=session || return
	machine=$(echo "$command" |
		sed 's/-icount [^ ]*//; s/-smp [^ ]*//; s/-plugin [^ ]*//; s/64M/128M/g')
	capture timeout 300 $machine $options
	ended "$failure" &&
		says "^palmon: started by $protocol; this machine has no PMU of Intel Core i7"
}

by_grub() {
	loader_grub multiboot run=session && capture timeout 300 $command $options &&
		measures 'Multiboot 1'
}
with_packages "GRUB on a disk" grub-common:grub-mkstandalone grub-pc-bin:/usr/lib/grub/i386-pc && {
	check "GRUB on a disk: multiboot" by_grub
	check "GRUB on a disk: linux" starts 'Linux boot protocol, GRUB' loader_grub linux
	long "GRUB on a disk: linux16" starts 'Linux boot protocol, GRUB' loader_grub linux16
}
# GRUB leaves INST_RETIRED.ANY_P running, shortly before its overflow: the SDM's registers
# (volume 4). The loop has an instruction per iteration at least.
left_running() {
	grub_modules=wrmsr
	grub_first='wrmsr 0x186 0x4300c0
wrmsr 0xc1 0xfffffff0
wrmsr 0x38f 1'
	loader_grub linux run=session && capture timeout 300 $command $options
	grub_modules= grub_first=
	measures 'Linux boot protocol, GRUB' &&
		says '^palmon: before this image: overflow pending, status 0x1$' &&
		says '^palmon: before this image: counter 0 runs, .* 0x4300c0, INSTRUCTION_RETIRED, [0-9]{5} events' &&
		[ "$(grep -c 'before this image' "$work/out")" -eq 2 ]
}
nothing_left() {
	make_run RUN=session && ended 0 && ! says 'before this image'
}
with_packages "counters left running" grub-common:grub-mkstandalone \
	grub-pc-bin:/usr/lib/grub/i386-pc && {
	check "counters that GRUB left running, and a pending overflow" left_running
	check "nothing is left at reset" nothing_left
}
with_packages iPXE "ipxe-qemu:$ipxe" && check iPXE starts '(Multiboot 1|Linux boot protocol, .*)' \
	loader_ipxe

by_u_boot() {
	u_boot "$1" "$2" run=session $(echo "$command" | sed 's/64M/128M/g') || return
	tr -d '\r' <"$work/raw" >"$work/out"
	measures "$3"
}
with_packages "U-Boot" "u-boot-qemu:$u_boot" && {
	check "U-Boot, as a Linux kernel, at its 64-bit entry" by_u_boot qemu-x86 'zboot 3000000' \
		'Linux boot protocol, U-Boot'
	long "U-Boot's UEFI, as an application" by_u_boot \
		qemu-x86_64 'bootefi 3000000:${filesize}' UEFI
}

with_packages "UEFI" "ovmf:$firmware" && check "UEFI, from a disk" starts UEFI loader_uefi
with_packages "GRUB by UEFI" \
	grub-common:grub-mkstandalone grub-efi-amd64-bin:/usr/lib/grub/x86_64-efi \
	"ovmf:$firmware" &&
	long "GRUB by UEFI" starts 'Linux boot protocol, GRUB' loader_uefi_grub

loader_iso() {
	MENU_SECONDS=0 make --no-print-directory BUILD="$BUILD" RUN=session iso &&
		options="-cdrom $IMAGE.iso"
}
with_packages "make iso" xorriso:xorriso mtools:mformat grub-common:grub-mkrescue &&
	check "make iso" starts 'Linux boot protocol, GRUB' loader_iso
done_checking
