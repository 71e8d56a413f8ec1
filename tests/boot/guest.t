#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Kernels under the monitor: those of tests/boot/guests, each a Multiboot kernel of its own, and files that are none.
. tests/tap.sh
. tests/boot/guests.sh
use_monitor

# On the bare machine.
bare() {
	name=$1
	shift
	run - "$work/$name" "$@"
}

printf 'one\n' >"$work/one"
printf 'two\n' >"$work/two"
as_on_the_bare_machine() {
	set -- machine 'APPEND=a b' "INITRD=$work/one,$work/two x"
	passes "$@" && says "PMU was not used" && of_guest >"$work/monitored" && bare "$@" && of_guest >"$work/bare" &&
		ended 0 && diff "$work/bare" "$work/monitored"
}
check "hand-over, exceptions, interrupts, NMI, levels, modes, paging: as on the bare machine" as_on_the_bare_machine

# What is the same: the guest's own lines but those about its PMU.
same_lines() {
	of_guest | grep -v '^ok\|^1\.\.\|^{'
}
no_cost() {
	passes speed && says 'ticks of 10,000,001 instructions: 10000001$' &&
		same_lines >"$work/monitored" && bare speed &&
		same_lines >"$work/bare" && diff "$work/bare" "$work/monitored"
}
check "a guest that does not use its PMU is as fast as on the bare machine" no_cost

check "the monitor is out of sight" passes hidden

# By a word each: what counts meanwhile.
steps() {
	for how in '' clock level branches; do
		passes steps "APPEND=$how" && of_guest >"$work/monitored" && bare steps "APPEND=$how" &&
			of_guest >"$work/bare" && grep -q 'steps behind' "$work/bare" &&
			diff "$work/bare" "$work/monitored" || return
	done
}
check "single steps and watchpoints, as on the bare machine, whatever is counted" steps

check "reserved bits of control registers" passes control

counters() {
	passes counters && says "PMU counted, with kinds of instructions"
}
check "counters: identification, reset, exact counts, overflow, access, branches" counters

check "the registers and CPUID by the manual, RDPMC in all modes, what retires once" passes manual

repeats() {
	passes repeats && says "PMU counted, without kinds of instructions"
}
check "repeated string instructions, with an interrupt at each place" repeats

branches() {
	passes branches && says "PMU counted, with kinds of instructions"
}
check "branches: counts, records and interrupts, in turns of one instruction and of many" branches

# Facts that are no counts: on the bare machine, without a PMU, the checks fail.
facts() {
	grep '^# ' "$work/out"
}
levels() {
	passes levels && facts >"$work/monitored" && bare levels
	facts >"$work/bare" && diff "$work/bare" "$work/monitored"
}
check "system calls change the level: counts, and the registers of the calls" levels

faults() {
	passes faults && says '^# cases: [1-9]'
}
check "instructions that fault" faults

check "code of 16 bits in all modes, and segments that do not begin at 0" passes modes

check "the overflow interrupt: vector, NMI, masks, freezing, branch records" passes pmi

check "precise records, and where none may be written" passes pebs

package() {
	passes package APPEND=1 && passes package SMP=2 APPEND=2
}
check "the PMU that the cores share: registers, clock, overflow, of one CPU and of two" package

inexact() {
	passes inexact EXACT=0 && passes inexact EXACT=0 APPEND=changes &&
		says 'PMU counted; kinds of instructions were not \(EXACT=0\)$' &&
		guest speed EXACT=1 && says 'PMU counted, without kinds of instructions$'
}
check "without branches, by request" inexact
several_cpus() {
	passes cpus SMP=2 APPEND=2 && passes cpus SMP=4 APPEND=4
}
check "two and four CPUs, each with its PMU, started, interrupted and started again by the guest" several_cpus

together() {
	passes together SMP=2 APPEND=2 && passes together SMP=4 APPEND=4 &&
		passes together SMP=2 "APPEND=2 no-branches" EXACT=0 &&
		says 'PMU counted; kinds of instructions were not \(EXACT=0\)$'
}
check "several CPUs: branches, code that changes, system calls, INIT, clocks that agree afterwards" together

# Ticks, without how often the monitor was entered, and without the kinds that enter it.
ticks() {
	grep '^# ' "$work/out" | grep -v 'APIC\|of its own\|on each CPU' | sed 's/ \[.*//'
}
several_at_no_cost() {
	for cpus in 2 4; do
		passes busy SMP=$cpus APPEND=$cpus && ticks >"$work/monitored" &&
			bare busy SMP=$cpus APPEND=$cpus && ticks >"$work/bare" &&
			grep -q '10000002$' "$work/bare" && diff "$work/bare" "$work/monitored" || return
	done
}
check "several CPUs that do not use their PMUs are as fast as on the bare machine" several_at_no_cost

# both NAME CPUS: the guest's lines are those of the bare machine.
both() {
	passes "$1" SMP="$2" APPEND="$2" && of_guest >"$work/monitored" && bare "$1" SMP="$2" APPEND="$2" &&
		of_guest >"$work/bare" && ended 0 && diff "$work/bare" "$work/monitored"
}
nmis() {
	both nmis 2 && both nmis 4
}
check "NMIs by identity, by logical destination and by a device, as on the bare machine" nmis
restart() {
	both restart 2 && both restart 4
}
check "CPUs started again whatever they do, as on the bare machine" restart

instruction_clock() {
	guest speed && says "PMU counted, without kinds of instructions"
}
check "a guest without branch events is told to be counted by the clock" instruction_clock

same_each_time() {
	guest pmi && cp "$work/out" "$work/first" && guest pmi && diff "$work/first" "$work/out"
}
check "two runs are the same" same_each_time

#
# Ends
#

build ends || echo "# ends cannot be built"
status_is_the_guests() {
	guest ends APPEND=exit=0 && ended 0 && ! grep 'ended with value' "$work/out" && guest ends APPEND=exit=3 &&
		ended 7 && says '^palmon: the guest ended with value 3$' && guest ends APPEND=exit=1 && ended 3
}
check "the run's status is the guest's: 0 for value 0, else twice the value and 1" status_is_the_guests

# by_make VALUE STATUS
by_make() {
	capture make --no-print-directory BUILD="$BUILD" TARGET="$TARGET" guest GUEST="$work/ends" APPEND="exit=$1"
	ended "$2"
}
check "make ends with status 0 if the guest passes" by_make 0 0
by_make_failed() {
	by_make 3 2 && says '^palmon: the guest ended with value 3$' && says 'Error 7$'
}
check "and says it if not" by_make_failed

# NAME=STATUS: PATTERN
ends_with() {
	guest ends APPEND="$1" TIMEOUT="${4:-300}" && false
	ended "$2" && says "$3"
}
check "a guest that halts for ever" ends_with halt 124 'time limit of 3 seconds' 3
check "a guest that shuts down" ends_with shutdown 4 'has shut down \(triple fault\)'
several_reset() {
	guest ends APPEND=init SMP=2 && false
	ended 4 && says 'has reset its first CPU \(INIT\)'
}
check "a guest that resets its first CPU, of two" several_reset
check "a guest that resets" ends_with reset 4 'ended without its debug-exit port'
check "a guest that does not end" ends_with loop 124 'time limit of 3 seconds' 3

#
# What is no guest
#

# refused FILE PATTERN: loaded, and refused.
refused() {
	run "$MONITOR" "$1" && false
	ended 4 && says "$2"
}
check "no Multiboot header" refused "$work/one" 'has no Multiboot 1 header'
check "a 64-bit kernel" refused "$BUILD/$TARGET/guest.elf" 'no 32-bit ELF file'
check "one that would lie upon the monitor" refused "$MONITOR" 'has an address where it has no memory'
cut_short() {
	head -c 5000 "$work/ends" >"$work/short"
	refused "$work/short" 'is not in its file|lacks program headers'
}
check "a file that is cut short" cut_short

# A header alone, with addresses: header at offset 0; load address, end, bss end, entry.
header() {
	perl -e 'my ($flags, @a) = map { oct } @ARGV;
		print pack("V8", 0x1BADB002, $flags, -(0x1BADB002 + $flags) & 0xFFFFFFFF, @a)' "$@" >"$work/header"
}
addresses_refused() {
	pattern=$1
	shift
	header "$@"
	refused "$work/header" "$pattern"
}
check "addresses: behind the file" addresses_refused 'not in its file' 0x10000 0x100000 0x100000 0x200000 0 0x100000
check "below the header" addresses_refused 'contradict' 0x10000 0x100000 0x100004 0 0 0x100000
check "before the file" addresses_refused 'contradict' 0x10000 0x100000 0xFFF00 0 0 0x100000
check "of no memory" addresses_refused 'where it has no memory' 0x10000 0xE0000000 0xE0000000 0 0 0x100000
check "an end before the start" addresses_refused 'where it has no memory' 0x10000 0x100000 0x100000 0x100020 0xFFFF0 \
	0x100000
check "beyond all addresses" addresses_refused 'where it has no memory' 0x10000 0x100000 0x100000 0x100020 0xFFFFFFF0 \
	0x100000
check "an unknown requirement" addresses_refused 'requires what is not known' 0x10008 0x100000 0x100000 0 0 0x100000

check "an entry elsewhere" addresses_refused 'where nothing of it is' 0x10000 0x100000 0x100000 0 0 0x200000
entry_elsewhere() {
	cp "$work/ends" "$work/entry" && printf '\0\0\220\0' |
		dd of="$work/entry" bs=1 seek=24 conv=notrunc status=none &&
		refused "$work/entry" 'entered where nothing of it is'
}
check "an ELF file's, too" entry_elsewhere

# The header is in the first 8192 bytes as a whole: 12 bytes of it, from 8180 on, not from 8184 on.
late_header() {
	header 0x3
	head -c 8180 /dev/zero >"$work/late" && head -c 12 "$work/header" >>"$work/late"
	refused "$work/late" 'no 32-bit ELF file' && head -c 8184 /dev/zero >"$work/late" &&
		head -c 12 "$work/header" >>"$work/late" && refused "$work/late" 'has no Multiboot 1 header'
}
check "a header that is late" late_header

# By addresses, with parameters that no ELF file has: `ends` as a flat file whose header says where it goes.
flat() {
	address() { nm "$work/ends" | awk -v name="$1" '$3 == name { print "0x" $1 }'; }
	objcopy -O binary "$work/ends" "$work/flat" && header 0x10003 0x100000 0x100000 0 "$(address end_of_guest)" \
		"$(address _start)" && dd if="$work/header" of="$work/flat" conv=notrunc status=none &&
		guest flat APPEND=exit=2 && ended 5
}
check "a flat file is loaded by the addresses in its header" flat

# Where others have what they are told: it is elsewhere, and nothing of the kernel is lost.
low() {
	AT=0x80000 $guests/build ends "$work/low" &&
		guest low APPEND=exit=3 "INITRD=$work/one" && ended 7
}
check "a kernel high in low memory" low

usage() {
	run "$MONITOR" "$work/none" && false
	ended 2 && says "no file '.*none'" && guest ends SMP=5 && false
	ended 2 && says 'SMP=5' && guest ends TIMEOUT=x && false
	ended 2 && says 'TIMEOUT=x' && guest ends EXACT=2 && false
	ended 2 && says 'EXACT=2' && guest ends INITRD="$work/one,$work/none x" && false
	ended 2 && says "no file '.*none' \(INITRD=\)" && run "$MONITOR" "$work" && false
	ended 2 && says 'no file .* \(GUEST=\)' && cp "$work/ends" "$work/the ends" && guest 'the ends' && false
	ended 2 && says 'a space in its name' && truncate -s 600M "$work/large" && run "$MONITOR" "$work/large" && false
	ended 2 && says 'larger than the memory'
}
check "what is called wrongly" usage
no_module() {
	capture env TIMEOUT=300 GUEST="$MONITOR" tools/run-guest "$TARGET" -
	ended 4 && says 'there is no guest: it is the first module'
}
check "the monitor alone" no_module
no_target() {
	capture env GUEST="$work/ends" tools/run-guest none "$MONITOR"
	ended 2 && says "guests have no PMU of 'none'" &&
		capture env GUEST="$work/ends" tools/run-guest "$TARGET" "$work/none" && ended 4
}
check "an unknown target, and no image" no_target

emulator_of() {
	pgrep -P "$(pgrep -P "$1" timeout)"
}
# The emulator has ended when the tool has, and no file is left.
interrupted() {
	mkdir -p "$work/temporary"
	env TMPDIR="$work/temporary" TIMEOUT=300 GUEST="$work/ends" APPEND=loop tools/run-guest "$TARGET" "$MONITOR" \
		>"$work/out" 2>&1 </dev/null &
	tool=$!
	wait_for emulator_of $tool && emulator=$(emulator_of $tool) && kill -TERM $tool
	wait $tool
	status=$?
	ended 4 && says 'palmon: interrupted' && [ "$emulator" ] && ! kill -0 "$emulator" 2>/dev/null &&
		[ -z "$(ls "$work/temporary")" ]
}
check "an interruption ends the emulator" interrupted
done_checking
