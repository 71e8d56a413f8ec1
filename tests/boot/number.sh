# SPDX-License-Identifier: BSD-2-Clause
# Runs of one image that differ in a number, which is an instruction's immediate operand: each run
# has its number in place of these bytes. So the image is built once, and its code is always the
# same. Source it after tap.sh.

NUMBER_BYTES='\xD7\xE1\xA5\xC3'
NUMBER='({ unsigned n; __asm__("mov $0xC3A5E1D7, %0" : "=r"(n)); n; })'

# build_image SOURCE IMAGE: builds an image with this workload, and copies it to IMAGE.
build_image() {
	flock "$BUILD" make --no-print-directory BUILD="$BUILD" image TARGET="$TARGET" WORKLOAD="$1" \
		>"$work/out" 2>&1 || { cat "$work/out"; return 1; }
	built=$(basename "$1" .c)-$(realpath -ms "$1" | cksum | cut -d ' ' -f 1)
	cp "$BUILD/$TARGET/workloads/$built.$FORMAT" "$2"
}

# boot_with NUMBER IMAGE ARGUMENTS: boots a copy of the image with this NUMBER.
boot_with() {
	bytes=$(printf '\\x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24)))
	LC_ALL=C sed "s/$NUMBER_BYTES/$bytes/" "$2" >"$work/numbered.$FORMAT"
	! cmp -s "$2" "$work/numbered.$FORMAT" || { echo "$2 has no number"; return 1; }
	shift 2
	IMAGE=$work/numbered boot "$@"
}
