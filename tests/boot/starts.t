#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon.img, one file, as boot loaders and firmware from elsewhere start it: GRUB, iPXE, U-Boot, EDK II's UEFI; and the
# ISO image made of it. (tools/run-image starts it by QEMU's own loader, loaders.t by one of these tests.)
. tests/tap.sh
. tests/boot/grub.sh
. pmu/nehalem/machine
. hal/emu/svm/machine

measures() {
	ended "$success" && says "started by $1, PMU:" && says '^ +[0-9]+,[0-9]{3},[0-9]{3}  INST_RETIRED.ANY '
}
# starts PROTOCOL OPTION...: where instructions are not counted, which is much quicker with firmware and loaders that
# wait for time to pass. There is no PMU then, which the image says.
starts() {
	protocol=$1
	shift
	capture timeout 120 $(echo "$command" | sed 's/-icount [^ ]*//; s/-smp [^ ]*//; s/64M/128M/g') "$@"
	ended "$failure" && says "^palmon: started by $protocol; no .* PMU here, .* needs -icount shift=0"
}

by_grub() {
	grub_disk "$work/disk" multiboot run=session &&
		capture timeout 120 $command -drive "file=$work/disk,format=raw,if=ide" && measures 'Multiboot 1'
}
grub_starts() {
	grub_disk "$work/disk" "$1" run=session &&
		starts 'Linux boot protocol, GRUB' -drive "file=$work/disk,format=raw,if=ide"
}
with_packages "GRUB on a disk" /usr/bin/grub-mkstandalone /usr/lib/grub/i386-pc && {
	check "GRUB on a disk: multiboot" by_grub
	check "GRUB on a disk: linux" grub_starts linux
	check "GRUB on a disk: linux16" grub_starts linux16
}

# iPXE is in the network card, and gets the image by TFTP.
by_ipxe() {
	mkdir -p "$work/tftp" && cp "$IMAGE.img" "$work/tftp/palmon.img" &&
		printf '#!ipxe\nkernel palmon.img run=session\nboot\n' >"$work/tftp/script" &&
		starts '(Multiboot 1|Linux boot protocol, .*)' \
			-netdev "user,id=net,tftp=$work/tftp,bootfile=script" -device e1000,netdev=net,bootindex=1
}
with_packages iPXE /usr/lib/ipxe/qemu/pxe-e1000.rom && check iPXE by_ipxe

# At its prompt. ARGUMENT variables are typed after what would boot by itself has been interrupted.
by_u_boot() {
	mkdir -p "$work/files" && cp "$IMAGE.img" "$work/files/palmon.img" && mkfifo "$work/keys" || return
	timeout 60 $(echo "$command" | sed 's/64M/128M/g') -bios "/usr/lib/u-boot/$1/u-boot.rom" \
		-drive "if=none,id=disk,format=raw,file=fat:$work/files,readonly=on" -device virtio-blk-pci,drive=disk \
		<"$work/keys" >"$work/raw" 2>&1 &
	emulator=$!
	trap '' PIPE
	exec 3>"$work/keys"
	for tenth in $(seq 300); do
		tail -c 3 "$work/raw" | grep -q '=> ' && break
		! grep -q 'stop autoboot' "$work/raw" || echo >&3
		sleep 0.1
	done
	printf '%s\n' '' 'setenv bootargs run=session' 'virtio scan' 'load virtio 0:1 4000000 palmon.img' "$2" >&3
	wait $emulator
	status=$?
	exec 3>&-
	rm "$work/keys"
	tr -d '\r' <"$work/raw" >"$work/out"
	measures "$3"
}
u_boot=/usr/lib/u-boot/qemu-x86_64/u-boot.rom
with_packages "U-Boot" $u_boot && {
	check "U-Boot, as a Linux kernel, at its 64-bit entry" by_u_boot qemu-x86 'zboot 4000000' \
		'Linux boot protocol, U-Boot'
	check "U-Boot's UEFI, as an application" by_u_boot qemu-x86_64 'bootefi 4000000:${filesize}' UEFI
}

# EDK II.
by_uefi() {
	mkdir -p "$work/esp/EFI/BOOT" && cp "$IMAGE.img" "$work/esp/EFI/BOOT/BOOTX64.EFI" &&
		starts UEFI $(uefi) -drive "format=raw,file=fat:rw:$work/esp"
}
grub_by_uefi() {
	grub x86_64-efi linux "$work/grub.efi" 'linux (memdisk)/palmon run=session' "palmon=$IMAGE.img" &&
		starts 'Linux boot protocol, GRUB' $(uefi) -kernel "$work/grub.efi"
}
with_packages "UEFI" $firmware && check "UEFI, from a disk" by_uefi
with_packages "GRUB by UEFI" /usr/bin/grub-mkstandalone /usr/lib/grub/x86_64-efi $firmware &&
	check "GRUB by UEFI" grub_by_uefi

iso() {
	MENU_SECONDS=0 make --no-print-directory BUILD="$BUILD" RUN=session iso &&
		starts 'Linux boot protocol, GRUB' -cdrom "$IMAGE.iso"
}
with_packages "make iso" /usr/bin/xorriso /usr/bin/mformat /usr/bin/grub-mkrescue && check "make iso" iso
done_checking
