#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Where the image's text goes: console= on the command line, and the consoles that the machine's
# tables describe. The machine's memory is a file, so the console in memory can be read after the
# run.
. tests/tap.sh
. pmu/nehalem/machine
. hal/emu/qemu/machine

# In memory rather than on a disk, if possible.
quick=$(mktemp -d -p /dev/shm 2>/dev/null) || quick=$work/quick
mkdir -p "$quick"
trap 'rm -rf "$work" "$quick"' EXIT
ram=$quick/ram
machine=$(echo "$command" | sed "s/-plugin [^ ]*//; s/-M pc/-M pc,memory-backend=memory/")
machine="$machine -object memory-backend-file,id=memory,size=64M,share=on,mem-path=$ram"
log_at=$((0x$(nm "$IMAGE.elf" | awk '$3 == "console_log" { print $1 }')))

# console ARGUMENTS [OPTION...]: a short run, with COM1 in $work/out and COM2 in $work/com2.
console() {
	arguments=$1
	shift
	rm -f "$ram"
	: >"$work/com2.raw"
	capture timeout 300 $machine -serial "file:$work/com2.raw" -kernel "$IMAGE.img" \
		-append "$arguments nonsense=1" "$@"
	tr -d '\r' <"$work/com2.raw" >"$work/com2"
}
# The run ends soon: coreboot passes no command line, and there is no PMU.
end='^palmon: status 1 \((bad command line: .*|no PMU)\)$'
both() {
	echo "status $status"
	cat "$work/out" "$work/com2"
	[ "$(grep -cE "$end" "$work/out")" -eq "$1" ] &&
		[ "$(grep -cE "$end" "$work/com2")" -eq "$2" ] &&
		[ "$status" -eq "$failure" ]
}

# log ADDRESS: extracts the console in memory at this address: size, cursor, text (log.h).
log() {
	perl -e '
		open my $ram, "<:raw", $ARGV[0] or die;
		seek $ram, $ARGV[1], 0;
		read $ram, my $head, 8;
		my ($size, $cursor) = unpack "VV", $head;
		$cursor < $size or die "cursor $cursor of $size\n";
		read $ram, my $text, $cursor;
		print $text;
	' "$ram" "$1" >"$work/log"
}

without() {
	console ''
	both 1 0 && log $log_at && diff "$work/log" "$work/out"
}
check "without console=: COM1, and the log in memory" without

named() {
	console "console=$1"
	both "$2" "$3"
}
check "com2" named com2 0 1
long "0x2f8" named 0x2f8 0 1
check "com1 and com2" named com1,com2 1 1
long "the same twice" named com1,com1 1 0
long "two words" named 'com2 console=com1' 1 1
long "none" named none 0 0
only_log() {
	console console=log
	both 0 0 && log $log_at && grep -qE "$end" "$work/log"
}
check "log" only_log

missing() {
	console "console=$1"
	says "^palmon: consoles not found: $2\$" && says "$end"
}
long "a console that does not exist: the others are used" missing com3,com1 com3
check "if no named console exists, the default ones are used" missing com3 com3
check "a port that does not exist" missing 0x5e8,com1 0x5e8
long "no screen" missing vga,efi,com1 vga,efi
unknown() {
	console "console=$1"
	says "^palmon: console=$1: the value is to be: auto, com1 to com4, " && says "$end"
}
for name in com5 com 0x 0x10000 mmio: mmio:word screen com1,,; do
	case $name in com1,,) ;; *) check "not a console: $name" unknown $name ;; esac
done

#
# Consoles that the machine's tables describe
#

# table SIGNATURE BYTES: makes an ACPI table of these hexadecimal bytes; QEMU adds its header.
table() {
	printf %s "$2" | perl -ne 'print pack "H*", $_' >"$work/$1"
	echo "-acpitable sig=$1,data=$work/$1"
}
com2_address=01080001f802000000000000	# I/O ports, 8 bits, byte access, 2F8H
check_table() {
	console '' $(table "$1" "$2")
	both "$3" "$4"
}
# Type 16550, reserved bytes, the port's address; the image does not read the rest.
check "ACPI's SPCR names COM2" check_table SPCR "00000000${com2_address}$(printf %056d 0)" 0 1
long "a port of another type: COM1" check_table SPCR "03000000${com2_address}$(printf %056d 0)" 1 0
long "a port that does not exist: COM1" check_table SPCR \
	"0000000001080001e803000000000000$(printf %056d 0)" 1 0
check "a truncated table: COM1" check_table SPCR "0000000001" 1 0
# The devices' offset and number; then revision, length, registers, the name's and data's offsets,
# serial, 16550, addresses, sizes.
dbg2() {
	echo "2c00000001000000""00$1""01""02002600""00000000""0080$2""0000""16002200""$com2_address""08000000""2e00"
}
check "ACPI's DBG2 names COM2" check_table DBG2 "$(dbg2 2800 0000)" 0 1
long "a device of another kind: COM1" check_table DBG2 "$(dbg2 2800 0300)" 1 0
long "a device longer than the table: COM1" check_table DBG2 "$(dbg2 8002 0000)" 1 0

check "the tests' loader" env AT=0x2800000 tests/boot/guests/build loader "$work/loader" \
	tests/boot/guests/loader_linux.c tests/boot/guests/loader_coreboot.c
map='0-9f000:1 100000-3f00000:1'
# told ARGUMENTS WORD...: boots the image with the tests' loader and these words.
told() {
	arguments=$(echo "$1" | sed 's/,/,,/g')
	shift
	rm -f "$ram"
	: >"$work/com2.raw"
	capture timeout 300 $machine -serial "file:$work/com2.raw" -kernel "$work/loader" \
		-append "$*" \
		-initrd "$file $arguments nonsense=1"
	tr -d '\r' <"$work/com2.raw" >"$work/com2"
}
file=$work/elf
objcopy -O elf32-i386 --remove-section=.multiboot "$IMAGE.elf" "$file"
coreboot_serial() {
	told '' magic=0 coreboot=3f10000 serial=2f8 $map
	both 0 1
}
check "coreboot's serial port" coreboot_serial
coreboot_ring() {
	told '' magic=0 coreboot=3f10000 ring=3f20000 $map
	both 1 0 && log $((0x3f20000)) && grep -v '^palmon plugin:' "$work/out" | diff "$work/log" -
}
check "coreboot's console in memory" coreboot_ring

# Each character overwrites the one before in the port's memory: the last one stays. Status 20H:
# ready.
memory_port() {
	told "$2" $3 poke=3f100$1,20 $map
	both 0 0 || return
	perl -e 'open my $f, "<:raw", $ARGV[0] or die; seek $f, 0x3f10000, 0; read $f, my $b, 4; print unpack "V", $b' \
		"$ram" >"$work/last"
	cat "$work/last"
	[ "$(cat "$work/last")" -eq 10 ]
}
check "coreboot's port in memory, 16 bits each register" memory_port 0a '' \
	'magic=0 coreboot=3f20000 serial=3f10000,2'
file=$IMAGE.img
check "a port in memory, a byte each register" memory_port 05 console=mmio:0x3f10000
check "32 bits each register" memory_port 14 console=mmio:0x3f10000,4

# QEMU's port makes no room while nobody reads its output. If the image gave the port up after a
# second, all text but a pipe's size would be lost.
paused() {
	timeout 300 tools/run-image "$TARGET" "$IMAGE.img" run=session out=console \
		events=INST_RETIRED.ANY_P:u:period=20000 2>&1 | { sleep 15; cat; } | tr -d '\r' >"$work/out"
	[ "$(wc -c <"$work/out")" -gt 300000 ] && says '^palmon: status 0 \(success\)$'
}
long "a reader that pauses loses no text" paused

#
# Screens
#

# on_screen OPTION...: runs without the exit device until the image prints its status, and saves the
# screen.
on_screen() {
	rm -f "$ram" "$work/text" "$work/picture"
	mkfifo "$work/prompt"
	timeout 300 $(echo "$machine" |
		sed 's/-device isa-debug-exit,[^ ]*//; s/-serial stdio/-serial none/') \
		-vga std -monitor stdio "$@" <"$work/prompt" >"$work/out" 2>&1 &
	emulator=$!
	exec 3>"$work/prompt"
	wait_for grep -aqE "$end" "$ram"
	trap '' PIPE
	printf '%s\n' "pmemsave 0xb8000 4000 \"$work/text\"" "screendump \"$work/picture\"" quit >&3
	wait $emulator
	exec 3>&-
	rm -f "$work/prompt"
}
vga() {
	on_screen -kernel "$IMAGE.img" -append 'nonsense=1'
	tests/boot/screen text "$work/text" >"$work/out"
	says "^  scope=" && says "^palmon: status 1 \(bad command line: 'nonsense' is no option\)\$"
}
check "a VGA's text, without any serial port: the last 24 lines" vga
frame_buffer() {
	on_screen -kernel "$work/loader" \
		-append "$1 screen=fd000000,$2,$3,$(printf %x $((0x$2 * 4))) $map" \
		-initrd "$4 nonsense=1"
	tests/boot/screen picture "$work/picture" >"$work/out"
	says "^palmon: $5" && says "$end"
}
check "a frame buffer, of the Linux boot protocol's: 800 x 600" frame_buffer linux=100000 320 258 \
	"$IMAGE.img" \
	"'nonsense' is no option. Options are:\$"
check "coreboot's: 1280 x 1024, dots of two pixels" frame_buffer 'magic=0 coreboot=3f20000' 500 \
	400 "$work/elf" \
	'started by coreboot; '
done_checking
