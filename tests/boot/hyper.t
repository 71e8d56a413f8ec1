#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The SPARC T4's PMU, tested by an image that itself uses the hyperprivileged level (images/hyper.c,
# instead of boot/): its checks pass, and two runs are the same to the instruction.
. tests/tap.sh
use_target sparct4 prom

# The build begins with copies of the target's objects and tables: only those of boot differ.
build() {
	rm -rf "$BUILD/images" && mkdir -p "$BUILD/images" &&
		cp -a "$BUILD"/*tab "$BUILD/sparct4" "$BUILD/images/" || return
	flock "$BUILD" make --no-print-directory BUILD="$BUILD/images" TARGET=sparct4 images \
		--eval="override BOOT_SOURCES := $(printf '%s ' tests/boot/images/*.c boot/*.c pmu/selftest/*.c |
			sed 's|boot/boot.c ||; s|boot/workload.c ||') \
			pmu/sparct4/selftest.c pmu/sparct4-dram/selftest.c"
}
check "the image is built" build
IMAGE=$BUILD/images/sparct4/palmon

boot
cp "$work/out" "$work/first"
found() {
	[ "$1" = ok ] || { grep WRONG "$work/first"; false; }
}
# Each check of the image becomes a check of this test.
sed -n 's/^not ok [0-9]* - /wrong /p; s/^ok [0-9]* - /ok /p' "$work/first" >"$work/results"
while read -r result name; do
	check "$name" found "$result"
done <"$work/results"
all() {
	grep -q "^1\.\.$(wc -l <"$work/results")\$" "$work/first" &&
		[ "$(wc -l <"$work/results")" -gt 0 ] && ended 0
}
check "the image did all its checks" all

same() {
	boot
	cmp "$work/first" "$work/out"
}
check "another run is the same, to the clock" same
done_checking
