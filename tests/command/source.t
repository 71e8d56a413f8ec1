#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon report --source: samples by source line.
. tests/tap.sh
. tests/command/command.sh

# Known lines at known addresses: 0x4000 is line 10 of first.c, 0x4020 its line 11, 0x4100 line 5 of
# second.c, 0x4180 its line 9. A naked function ends with an instruction of 2 bytes.
cat >"$work/program.c" <<'END'
#define BYTES(n) __asm__(".fill " #n ", 1, 0x90")
#line 9 "/src/first.c"
__attribute__((naked)) void first(void) {
	BYTES(0x20);
	BYTES(0xde);
}
#line 4 "/src/second.c"
__attribute__((naked)) void second_one(void) {
	BYTES(0x7e);
}
#line 8 "/src/second.c"
__attribute__((naked)) void third(void) {
	BYTES(0x7e);
}
END
gcc -g -O1 -falign-functions=1 -fno-toplevel-reorder -nostdlib -static \
	-Wl,-Ttext=0x4000,-e,first,--build-id=0x00ff00ff -o "$work/elf" "$work/program.c" ||
	echo 'Bail out! no program'
two_events third 00ff00ff "$work/samples"
palmon report -i "$work/samples" --source --elf="$work/elf"
lines() {
	done_quietly && has_line '2 33.3% /src/first.c:10' && has_line '2 33.3% /src/second.c:5' &&
		has_line '1 16.7% /src/first.c:11' && has_line '1 16.7% /src/second.c:9' &&
		has_line '1 50.0% /src/first.c:11' && has_line '1 50.0% (elsewhere)' &&
		[ "$(grep -c % "$work/out")" -eq 6 ]
}
check "samples by source line" lines
palmon report -i "$work/samples" --source --elf="$work/elf" -x ';'
separated() {
	grep -c . "$work/out" | grep -qx 6 &&
		grep -qx 'UNC_CLK_UNHALTED:period=500;1;50.0;/src/first.c:11' "$work/out"
}
check "columns with a separator" separated
mkdir "$work/run"
cp "$work/samples" "$work/run/samples"
cp "$work/elf" "$work/run/image.elf"
palmon report -i "$work/run" --source
check "the ELF file that fetch copied" lines
palmon convert -i "$work/run" --html "$work/page.html"
check "the HTML page shows lines, too" eval \
	'done_quietly && grep -q "\"/src/first.c:10\"" "$work/page.html"'
palmon report -i "$work/samples" --source
no_lines() {
	[ "$status" -eq 1 ] &&
		grep -q 'there are no source lines: no ELF file with debugging information' \
		"$work/messages"
}
check "a missing ELF file" no_lines
strip -g "$work/elf"
palmon report -i "$work/samples" --source --elf="$work/elf"
check "an ELF file without debugging information" no_lines
objcopy 2>/dev/null --remove-section=.note.gnu.build-id "$work/elf" "$work/other"
palmon report -i "$work/samples" --source --elf="$work/other"
check "an ELF file other than the measured program's" \
	refuses 1 'not the image that ran: .* is not there, not 00ff00ff$'
palmon report -i "$work/samples" --functions --elf="$work/elf"
check "--elf is for lines" refuses 2 'elf is for --source, --working-set and --shared$'
done_checking
