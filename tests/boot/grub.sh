# SPDX-License-Identifier: BSD-2-Clause
# Images that GRUB and UEFI start, for tests, behind tap.sh.

# with_packages NAME FILE...: whether the files are there, of packages that tools/setup check installs; if not, the test
# NAME is left out, but not where CI is set.
with_packages() {
	name=$1
	shift
	for file; do
		[ -e "$file" ] || [ -n "${CI:-}" ] || {
			skip "$name" "there is no $file: tools/setup check installs it"
			return 1
		}
	done
}

# grub FORMAT MODULES FILE COMMANDS [OPTION...]: makes GRUB for this format, which executes these commands.
grub() {
	format=$1 modules="serial $2" file=$3
	printf '%s\n' 'serial --unit=0 --speed=115200' 'terminal_output serial' "$4" boot >"$work/grub.cfg"
	shift 4
	grub-mkstandalone -d "/usr/lib/grub/$format" -O "$format" -o "$file" --install-modules="$modules normal" \
		--modules="$modules" --locales= --fonts= --themes= "boot/grub/grub.cfg=$work/grub.cfg" "$@"
}

# grub_disk FILE HOW ARGUMENTS: a disk of 10 MiB that a BIOS starts: GRUB at its beginning, the image from the second MiB.
# HOW: multiboot, linux or linux16.
DISK_IMAGE=2048
DISK_SIZE=$((16 * 63 * 20 * 512))
grub_disk() {
	sectors=$((($(wc -c <"$IMAGE.img") + 511) / 512))
	grub i386-pc "biosdisk $2" "$work/core" "$2 (hd0)$DISK_IMAGE+$sectors $3" || return
	cat /usr/lib/grub/i386-pc/boot.img "$work/core" >"$1"
	dd if="$IMAGE.img" of="$1" bs=512 seek=$DISK_IMAGE conv=notrunc status=none &&
		truncate -s "$DISK_SIZE" "$1"
}

# UEFI, of EDK II, has variables of its own.
firmware=/usr/share/OVMF/OVMF_CODE_4M.fd
uefi() {
	cp /usr/share/OVMF/OVMF_VARS_4M.fd "$work/variables" &&
		echo "-drive if=pflash,format=raw,readonly=on,file=$firmware" \
			"-drive if=pflash,format=raw,file=$work/variables"
}
