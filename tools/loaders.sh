# SPDX-License-Identifier: BSD-2-Clause
# Third-party boot loaders and firmware that start palmon.img ($IMAGE.img) under QEMU, for
# tools/boards and the tests. To be sourced; writes files to $work. A loader_... function prepares
# its loader and sets $options to QEMU's options. ARGUMENTS: the image's arguments as one word.

# grub FORMAT MODULES FILE COMMANDS [OPTION...]: makes a GRUB of this format that executes these
# commands.
grub() {
	format=$1 modules="serial $2" file=$3
	printf '%s\n' 'serial --unit=0 --speed=115200' 'terminal_output serial' "$4" boot \
		>"$work/grub.cfg"
	shift 4
	grub-mkstandalone -d "/usr/lib/grub/$format" -O "$format" -o "$file" \
		--install-modules="$modules normal" \
		--modules="$modules" \
		--locales= --fonts= --themes= "boot/grub/grub.cfg=$work/grub.cfg" "$@"
}

# grub_disk FILE HOW ARGUMENTS: makes a 10 MiB disk that a BIOS can boot: GRUB at its start, the
# image from the second MiB on. HOW: multiboot, linux or linux16. $grub_first: GRUB's commands before the image starts;
# $grub_modules: their modules.
DISK_IMAGE=2048
DISK_SIZE=$((16 * 63 * 20 * 512))
grub_disk() {
	sectors=$((($(wc -c <"$IMAGE.img") + 511) / 512))
	grub i386-pc "biosdisk $2 ${grub_modules:-}" "$work/core" "${grub_first:-}
$2 (hd0)$DISK_IMAGE+$sectors $3" || return
	cat /usr/lib/grub/i386-pc/boot.img "$work/core" >"$1"
	dd if="$IMAGE.img" of="$1" bs=512 seek=$DISK_IMAGE conv=notrunc status=none &&
		truncate -s "$DISK_SIZE" "$1"
}

# loader_grub HOW ARGUMENTS
loader_grub() {
	grub_disk "$work/disk" "$1" "$2" && options="-drive file=$work/disk,format=raw"
}

# iPXE is in the network card's ROM and loads the image by TFTP. The ROM's path differs between
# Debian 12 and 13.
ipxe=/usr/lib/ipxe/qemu/pxe-e1000.rom
[ -e "$ipxe" ] || ipxe=/usr/share/qemu/pxe-e1000.rom
loader_ipxe() {
	mkdir -p "$work/tftp" && cp "$IMAGE.img" "$work/tftp/palmon.img" &&
		printf '#!ipxe\nkernel palmon.img %s\nboot\n' "$1" >"$work/tftp/script" &&
		options="-netdev user,id=net,tftp=$work/tftp,bootfile=script -device e1000,netdev=net,bootindex=1"
}

# Linux with a single program, which starts the image by kexec. The kernel is /boot's, or LINUX.
loader_kexec() {
	linux=${LINUX:-$(ls -v /boot/vmlinuz-*-amd64 2>/dev/null | tail -n 1)}
	mkdir -p "$work/root" && cp "$IMAGE.img" "$work/root/palmon.img" &&
		gcc -static -DARGUMENTS="\"$1\"" -o "$work/root/init" "$(dirname "$0")/kexec.c" &&
		(cd "$work/root" && find . | busybox cpio -o -H newc) >"$work/initrd" &&
		[ -r "$linux" ] &&
		options="-kernel $linux -initrd $work/initrd"
}

# A loader of the tests with a coreboot table, which describes a serial port and memory below 64
# MiB.
loader_coreboot() {
	guests=$(dirname "$0")/../tests/boot/guests
	AT=0x3200000 "$guests/build" loader "$work/loader" "$guests/loader_linux.c" \
		"$guests/loader_coreboot.c" &&
		objcopy -O elf32-i386 "$IMAGE.pvh" "$work/payload" &&
		options="-kernel $work/loader -initrd $work/payload"
}

# EDK II's UEFI needs writable variables.
firmware=/usr/share/OVMF/OVMF_CODE_4M.fd
uefi() {
	cp /usr/share/OVMF/OVMF_VARS_4M.fd "$work/variables" &&
		echo "-drive if=pflash,format=raw,readonly=on,file=$firmware" \
			"-drive if=pflash,format=raw,file=$work/variables"
}

# UEFI passes no arguments to an application that it finds on a disk.
loader_uefi() {
	mkdir -p "$work/esp/EFI/BOOT" && cp "$IMAGE.img" "$work/esp/EFI/BOOT/BOOTX64.EFI" &&
		options="$(uefi) -drive format=raw,file=fat:rw:$work/esp"
}
loader_uefi_grub() {
	grub x86_64-efi linux "$work/grub.efi" "linux (memdisk)/palmon $1" "palmon=$IMAGE.img" &&
		options="$(uefi) -kernel $work/grub.efi"
}

# u_boot BOARD COMMAND ARGUMENTS QEMU...: runs QEMU with this board's U-Boot for at most TIMEOUT
# (300) seconds. Types commands at its prompt that load the image to 48 MiB with ARGUMENTS, then
# COMMAND. Output in $work/raw, status in $status.
u_boot=/usr/lib/u-boot/qemu-x86_64/u-boot.rom
u_boot() {
	u_boot_board=$1 u_boot_command=$2 u_boot_arguments=$3
	shift 3
	mkdir -p "$work/files" && cp "$IMAGE.img" "$work/files/palmon.img" &&
		mkfifo "$work/keys" || return
	timeout "${TIMEOUT:-300}" "$@" -bios "/usr/lib/u-boot/$u_boot_board/u-boot.rom" \
		-drive "if=none,id=disk,format=raw,file=fat:$work/files,readonly=on" \
		-device virtio-blk-pci,drive=disk \
		<"$work/keys" >"$work/raw" 2>&1 &
	emulator=$!
	trap '' PIPE
	exec 3>"$work/keys"
	for tenth in $(seq 3000); do
		tail -c 3 "$work/raw" | grep -q '=> ' && break
		! grep -q 'stop autoboot' "$work/raw" || echo >&3
		sleep 0.1
	done
	printf '%s\n' '' "setenv bootargs $u_boot_arguments" 'virtio scan' \
		'load virtio 0:1 3000000 palmon.img' \
		"$u_boot_command" >&3
	wait $emulator
	status=$?
	exec 3>&-
	rm "$work/keys"
}
