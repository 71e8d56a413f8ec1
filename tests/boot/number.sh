# SPDX-License-Identifier: BSD-2-Clause
# Runs of one image that differ in a number, which is an instruction's immediate operand: each run
# has its number in place of these bytes. So the image is built once, and its code is always the
# same. Source it after tap.sh.
. tests/boot/workload.sh

NUMBER_BYTES='\xD7\xE1\xA5\xC3'
NUMBER='({ unsigned n; __asm__("mov $0xC3A5E1D7, %0" : "=r"(n)); n; })'

# build_image SOURCE IMAGE: builds an image with this workload, and copies it to IMAGE.
build_image() (
	built=	# the source can have changed
	use_workload "$1" && cp "$IMAGE.$FORMAT" "$2" || { cat "$work/out"; false; }
)

# boot_with NUMBER IMAGE ARGUMENTS: boots a copy of the image with this NUMBER.
boot_with() {
	bytes=$(printf '\\x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24)))
	LC_ALL=C sed "s/$NUMBER_BYTES/$bytes/" "$2" >"$work/numbered.$FORMAT"
	! cmp -s "$2" "$work/numbered.$FORMAT" || { echo "$2 has no number"; return 1; }
	shift 2
	IMAGE=$work/numbered boot "$@"
}
