#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs in user mode on the SPARC T4's image: the C library, forbidden accesses, impossible
# requests to `make run`, and counts of events, levels and periods that must agree.
# sparct4-machine.t tests more ways to fail, sparct4-session.t more refused events.
. tests/tap.sh
use_target sparct4 prom
. tests/boot/sparct4-words.sh
prepare hostile

# small EVENTS: measures a program that ends soon.
small() {
	measure tests/boot/workloads/sparct4-windows.c events="$1"
}

library() {
	measure tests/boot/workloads/sparct4-library.c && ended 0 || return
	says '^numbers: 3\.142 -1\.000000e-300 1e\+22 -9223372036854775808 fedcba9876543210$' &&
		says '^functions: 1\.414213562 2\.718281828 1\.5$' &&
		says '^sorted: 0 wrong, 1 calls$' &&
		says '^read: 2, 9223372036854775807 -0\.5$' &&
		says '^long double: 0\.5772157 -1\.5 57$' && says '^heap: 1, error 1$'
}
check "the C library: numbers, callbacks, the whole heap" library
check "a program cannot end the console" says '^end of transmission: \^D0$'

way() {
	measure_with hostile "WAY $1"
}

# refused WAY PATTERN: the run ends with a dump.
refused() {
	way "$1"
	[ "$status" -ne 0 ] && says "unexpected exception or interrupt $2\$" && says '^tstate ' &&
		says '^palmon: status 1 \(fault\)'
}
miss='in write_from: fast_data_access_MMU_miss'
check "the hypervisor's memory cannot be written to the console" \
	refused write_hypervisor "$miss"
long "nor can devices" refused write_device "$miss"
long "nor a range beyond the memory" refused write_past_end "$miss"
long "nor one that wraps around the end of addresses" refused write_around "$miss"
own_memory() {
	way write_last
	ended 0 && says 'written: 8$'
}
check "the last bytes of its own memory can be written" own_memory

check "a PCR cannot be read" refused read_pcr 'in read_pcr: privileged_action'
long "a PIC cannot be read" refused read_pic 'in read_pic: privileged_action'
long "a PIC cannot be written" refused write_pic 'in write_pic: privileged_action'
check "HPSTATE" refused write_hpstate 'in write_hpstate: privileged_opcode'
long "the clock" refused write_clock 'in write_clock: privileged_opcode'
long "a restricted address space" refused use_restricted_asi \
	'in use_restricted_asi: privileged_action'
long "RETRY" refused return_from_trap 'in return_from_trap: privileged_opcode'
check "the FPU, switched off" refused switch_fpu_off 'in switch_fpu_off: fp_disabled'
long "the return of known code" refused return_as_known_code \
	'in return_as_known_code: trap_instruction'
check "a jump to the return of known code" \
	refused jump_into_known_code 'in arch_execute_user: trap_instruction'
check "a trap does not spill windows to the runtime's memory" refused spill_to_runtime \
	'in spill_in_trap_to: fast_data_access_protection'
long "nor to devices" refused spill_to_device \
	'in spill_in_trap_to: fast_data_access_MMU_miss'
spilled() {
	way spill_to_own
	ended 0 && says '^not refused$'
}
check "a trap spills windows to the program's own memory" spilled
long "a lost stack pointer" refused lose_stack_pointer \
	'in lose_stack_pointer: mem_address_not_aligned'
check "recursion for ever" refused recurse \
	'in recurse_for_ever: fast_data_access_protection, the stack has overflowed'

exits() {
	way "exit_$1"
	says "^palmon: the workload ended the run with exit status $1\$" &&
		says "^palmon: status $2 \(exit\)\$"
}
check "exit prints its status" exits 3 1
long "so does exit without an error" exits 0 0
long "and the run has no error" ended 0
aborts() {
	way call_abort
	[ "$status" -ne 0 ] && says '^palmon: the workload ended the run with exit status 134$'
}
long "abort prints its status" aborts

# asked PATTERN VARIABLE=VALUE: make run refuses it with this message.
asked() {
	capture make --no-print-directory run TARGET=sparct4 RUN=session "$2"
	[ "$status" -ne 0 ] && says "$1"
}
check "another way to start" asked 'sparct4 is not started by BOOT=pvh, but by: prom' BOOT=pvh
check "a time limit that is not a number of seconds" asked \
	'^palmon: TIMEOUT=1m: seconds, 1 or more' TIMEOUT=1m
long "no time limit" asked '^palmon: TIMEOUT=0: seconds, 1 or more' TIMEOUT=0
check "a period that overflows while its trap is served" asked \
	'period of Instr_all must be from 4' \
	EVENTS=Instr_all:period=3
closed() {
	{
		make --no-print-directory run TARGET=sparct4 RUN=session 2>"$work/errors"
		echo $? >"$work/status"
	} | head -n 1
	[ "$(cat "$work/status")" -ne 0 ] && grep -q '^palmon: cannot write the image output' \
		"$work/errors"
}
check "a closed output" closed

# counts: prints the counts of the last run, one per line.
counts() {
	awk '/^ +[0-9,]+  [A-Z]/ { gsub(",", "", $1); print $1 }' "$work/out"
}
# adds_up N: the last run prints N sums, and they agree with its counts.
adds_up() {
	[ "$(grep -c ': exactly its count' "$work/out")" -eq "$1" ] && says '^windows: 0 wrong'
}

levels() {
	small Instr_all:u,Instr_all:plm=2,Instr_all,Cycles
	set -- $(counts)
	ended 0 && [ $# -eq 4 ] && [ "$2" -gt 0 ] && [ $(($1 + $2)) -eq "$3" ] &&
		[ $(($3 + 1)) -eq "$4" ]
}
# Cycles: including that of the WRHPR %hpstate that leaves hyperprivileged mode (section 10.2, the
# last programming note).
check "user and privileged instructions add up" levels
user_count=$(counts | head -n 1)
sampled_as_well() {
	small "Instr_all:u:period=$1,Cycles:u:period=101"
	ended 0 && [ "$(counts | tr '\n' ' ')" = "$user_count $((user_count + 1)) " ] && adds_up 2
}
long "samples do not change the count" sampled_as_well 1000
check "also precise and disrupting traps, close together" sampled_as_well 103
periods() {
	small Instr_all:period=997,Instr_all:period=1009,Instr_all:period=1013,Instr_all:period=5000
	ended 0 && adds_up 4 && [ "$(counts | sort -u | wc -l)" -eq 1 ]
}
long "four periods of an event" periods
again() {
	cp "$work/out" "$work/before"
	periods && cmp "$work/before" "$work/out"
}
long "another run prints the same" again
polled() {
	small Instr_all:k:period=1000,Instr_all:plm=3:period=500,Cycles:period=1009
	late='its count, but samples came late, by [1-9][0-9,]* events in all'
	ended 0 && says '^windows: 0 wrong' &&
		says 'Instr_all:k .*, polled: its samples come late' &&
		says '^Cycles: .*: exactly its count$' &&
		says "^Instr_all:k: .*: (exactly its count|$late)\$" &&
		says "^Instr_all:plm=3: .*: $late\$"
}
check "hyperprivileged instructions are polled" polled
throttled() {
	small Instr_all:period=4
	ended 0 && adds_up 1 && says 'one in 4, then THROTTLED' &&
		says '^hottest .* of Instr_all, one in 256 \(one in 4 leaves no time between interrupts\):$'
}
check "the shortest period is throttled, and samples are thinned out" throttled
longest() {
	small Instr_all:period=9223372036854775807
	ended 0 && adds_up 0 && says '# 0 samples, one in 9,223,372,036,854,775,807'
}
check "the longest period" longest
done_checking
