#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Kernels of tests/boot/guests, which know nothing of palmon, on QEMU with the PMU (hal/emu/qemu).
# Counts follow the manual; all other behavior equals the bare machine, which is the same QEMU
# without the PMU. Also `make guest`, and how runs end. Lists with more words for EXTRA=1 repeat
# the same behavior with more events, processors, CPUs and ways of execution.
. tests/tap.sh
. tests/boot/guests.sh

# choose WORDS ALL-WORDS: prints the words, or all words with EXTRA=1.
choose() {
	[ -z "${EXTRA:-}" ] && echo "$1" || echo "$2"
}

printf 'one\n' >"$work/one"
printf 'two\n' >"$work/two"
check "hand-over, exceptions, interrupts, NMI, levels, modes, paging: as on the bare machine" both \
	machine \
	'APPEND=a b' "INITRD=$work/one,$work/two x"
check "the guest sees only the PMU of the plugin: memory, CPUID, APIC, devices and time are unchanged" both hidden

# facts: the last run's comment lines, except counts. On the bare machine, without a PMU, the checks
# of counts fail.
facts() {
	grep '^# ' "$work/out" | grep -v 'APIC\|of its own\|on each CPU'
}
# same NAME [VARIABLE=VALUE...]: the guest passes, and its facts are the same on the bare machine.
same() {
	passes "$@" && facts >"$work/with" && bare "$@"
	facts >"$work/bare" && [ -s "$work/bare" ] && diff "$work/bare" "$work/with"
}
no_cost() {
	same speed && says 'ticks of 10,000,001 instructions: 10000001$'
}
check "a guest that does not use its PMU is as fast" no_cost

# Each word selects an event that counts meanwhile.
steps() {
	for how in $(choose branches 'nothing clock level branches'); do
		both steps "APPEND=${how#nothing}" && says 'steps after' || return
	done
}
check "single steps, watchpoints and breakpoints as on the bare machine, whatever is counted" steps

check "counters: identification, reset, exact counts, overflow, access, branches" passes counters
# QEMU's processor may have no CPUID leaf 0AH, no PDCM and no debug store.
described() {
	oldest=qemu64,vendor=GenuineIntel,family=6,model=26,level=1
	for processor in $(choose $oldest "Nehalem,level=2 $oldest"); do
		passes counters QEMU_ARGS="-cpu $processor" &&
			passes manual QEMU_ARGS="-cpu $processor" || return
	done
}
check "CPUID describes the PMU, whatever leaves QEMU's processor has" described
check "the registers and CPUID by the manual, RDPMC in all modes, instructions that retire once" \
	passes manual
check "repeated string instructions, with an interrupt at each place" passes repeats
check "flags, also before a repeated string" passes flags
check "branches: counts, records and interrupts" passes branches

check "each kind of instruction, exception and interrupt that changes the level" same levels

faults() {
	passes faults && says '^# cases: [1-9]'
}
check "instructions that fault" faults

# Interrupts and faults that add to counts, by hand, at each level.
check "faults that count: instructions, branches, loads, stores" passes faults \
	APPEND=interruptions-count \
	OVERCOUNT=interruptions
check "interrupts that count, at the level where they came" passes levels \
	APPEND=interruptions-count \
	OVERCOUNT=interruptions
not_without() {
	build faults && guest faults 'APPEND=interruptions-count'
	[ "$status" -ne 0 ] && says '^not ok 01'
}
check "without the option no fault counts" not_without

check "code of 16 bits in all modes, and segments that do not begin at 0" passes modes
check "code that is mapped at two addresses" passes aliases
pmi() {
	passes pmi && cp "$work/out" "$work/first"
}
check "the overflow interrupt: vector, NMI, masks, freezing, branch records" pmi
same_each_time() {
	guest pmi && diff "$work/first" "$work/out"
}
long "a second run of it is the same" same_each_time
check "precise records, and where none may be written" passes pebs
check "x2APIC mode: the overflow interrupt; registers as on the bare machine" \
	same x2apic QEMU_ARGS='-cpu Nehalem,+x2apic'
check "an access to the PMU takes one instruction's time; the instruction at which its overflow interrupts" \
	passes access

# The same hand counts in QEMU's and the plugin's other ways of execution. Only branches and repeats
# need timers that follow QEMU's instruction clock.
otherwise() {
	all='manual faults flags modes aliases pmi levels pebs'
	for name in $(choose 'branches repeats' "$all branches repeats"); do
		passes $name BATCH=off || return
	done
	for name in $(choose 'manual levels' "$all"); do
		passes $name ICOUNT=off || return
	done
	for name in $(choose 'faults pebs' "$all"); do
		passes $name ICOUNT=off BATCH=off || return
	done
}
check "the same without QEMU's instruction clock, and with each instruction delivered separately" \
	otherwise

machines() {
	for machine in q35 microvm; do
		for name in $(choose pmi 'counters pmi pebs'); do
			passes $name QEMU_ARGS="-M $machine -cpu Nehalem-v1" || return
		done
	done
}
long "on QEMU's other machines: counts, the overflow interrupt, precise records" machines

package() {
	passes package APPEND=1 && passes package SMP=2 APPEND=2
}
check "the PMU that the cores share: registers, clock, overflow, of one CPU and of two" package
# on NUMBERS COMMAND...: runs the command with SMP= and APPEND= for each of these numbers of CPUs.
on() {
	numbers=$1
	shift
	for cpus in $numbers; do
		"$@" SMP="$cpus" APPEND="$cpus" || return
	done
}
several_cpus() {
	on "$(choose 4 '2 4')" passes cpus
}
check "several CPUs, each with its PMU, started, interrupted and started again by the guest" \
	several_cpus
together() {
	on "$(choose 4 '2 4')" passes together
}
check "several CPUs: branches, code that changes, system calls, INIT, clocks that agree afterwards" together

both_of() {
	on "$(choose 4 '2 4')" both "$1"
}
as_fast() {
	on "$(choose 2 '2 4')" same busy
}
long "several CPUs that do not use their PMUs are as fast" as_fast
check "NMIs by identity, by logical destination and by a device, as on the bare machine" both_of \
	nmis
long "CPUs restarted in any state, as on the bare machine" both_of restart

mkdir "$work/hostile"
check "an SMI, by its port" passes hostile/smi APPEND=port
long "a double fault" both hostile/double
long "a CPU that starts, by any vector" both hostile/startup SMP=2

#
# Ends
#

build ends || echo "# ends cannot be built"
status_is_the_guests() {
	guest ends APPEND=exit=1
	ended 3 && says '^palmon: the guest ended with value 1$'
}
check "the run's status is the guest's: twice the value and 1" status_is_the_guests

# by_make VALUE STATUS
by_make() {
	capture make --no-print-directory BUILD="$BUILD" TARGET="$TARGET" guest GUEST="$work/ends" \
		APPEND="exit=$1"
	ended "$2"
}
by_make_passed() {
	by_make 0 0 && ! grep 'ended with value' "$work/out"
}
check "make guest ends with status 0 if the guest passes" by_make_passed
by_make_failed() {
	by_make 3 2 && says '^palmon: the guest ended with value 3$' && says 'Error 7$'
}
check "and says so if it fails" by_make_failed

# ends_with WORD STATUS PATTERN [TIMEOUT]
ends_with() {
	guest ends APPEND="$1" TIMEOUT="${4:-300}" && false
	ended "$2" && says "$3"
}
check "a guest that halts for ever" ends_with halt 124 'time limit of 3 seconds' 3
check "a guest that shuts down" ends_with shutdown 4 'ended without its debug-exit port'
check "a guest that resets" ends_with reset 4 'ended without its debug-exit port'
check "a guest that does not end" ends_with loop 124 'time limit of 1 seconds' 1

no_kernel() {
	guest one && false
	ended 4 && says '^qemu: invalid kernel header'
}
check "a file that is no kernel" no_kernel
usage() {
	guest none && false
	ended 2 && says "no file '.*none'" && guest ends SMP=17 && false
	ended 2 && says 'SMP=17' && guest ends TIMEOUT=x && false
	ended 2 && says 'TIMEOUT=x' && guest ends INITRD="$work/one,$work/none x" && false
	ended 2 && says "no file '.*none' \(INITRD=\)" && guest . && false
	ended 2 && says 'no file .* \(GUEST=\)' && guest ends CLOCK=tmed && false
	ended 2 && says 'CLOCK=tmed' && guest ends FAULT=none && false
	ended 4 && says "there is no fault 'none'"
}
check "wrong usage" usage
no_target() {
	capture env GUEST="$work/ends" tools/run-guest none
	ended 2 && says "guests have no PMU of 'none'"
}
check "an unknown target" no_target

emulator_of() {
	pgrep -P "$(pgrep -P "$1" timeout)"
}
interrupted() {
	mkdir -p "$work/temporary"
	env TMPDIR="$work/temporary" TIMEOUT=300 GUEST="$work/ends" APPEND=loop \
		tools/run-guest "$TARGET" \
		>"$work/out" 2>&1 </dev/null &
	tool=$!
	wait_for emulator_of $tool && emulator=$(emulator_of $tool) && kill -TERM $tool
	wait $tool
	status=$?
	ended 4 && says 'palmon: interrupted' && [ "$emulator" ] &&
		! kill -0 "$emulator" 2>/dev/null &&
		[ -z "$(ls "$work/temporary")" ]
}
check "an interruption ends QEMU, and leaves no file" interrupted
done_checking
