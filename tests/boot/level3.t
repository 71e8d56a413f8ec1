#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs at level 3 of x86: a forbidden access ends the run with a register dump and status 1;
# changed registers and segments disturb neither the overflow interrupt nor the counts.
. tests/tap.sh

# way NAME CODE [VARIABLE=VALUE...]
way() {
	printf '#define WAY %s\n#include "%s/tests/boot/workloads/hostile.c"\n' "$2" "$PWD" \
		>"$work/$1.c"
	name=$1
	shift 2
	make_run RUN=session WORKLOAD="$work/$name.c" "$@"
}

# refused NAME CODE PATTERN: the run ends with a dump of code at level 3.
refused() {
	way "$1" "$2"
	[ "$status" -ne 0 ] && says "unexpected exception or interrupt $3\$" &&
		says '  cs     0{14}23  ' &&
		says '^palmon: status 1 \(fault\)' && ! grep 'not refused' "$work/out"
}
memory='#PF page fault'
check "tables cannot be written" refused idt 'write_to(arch_idt)' "in write_to: $memory"
check "tables cannot be read" refused pml4 'read_from(arch_pml4)' "in read_from: $memory"
check "the runtime's data" refused runtime 'write_to(&hal_memory_start)' "in write_to: $memory"
check "tables of the processor" refused tables 'write_to(private_start)' "in write_to: $memory"
check "the runtime's stacks" refused stacks 'write_to(stacks_start + 0x2000)' "in write_to: $memory"
check "code" refused code 'write_to((void *)workload)' "in write_to: $memory"
check "the interrupt controller" refused apic 'read_from((void *)APIC)' "in read_from: $memory"

unreadable='in write_from: #PF page fault'
check "the runtime's data cannot be written to the console" refused out \
	'write_from((uint64_t)&hal_memory_start, 8)' "$unreadable"
check "nor can devices" refused device 'write_from(APIC, 32)' "$unreadable"
check "nor addresses without memory" refused none 'write_from(NO_MEMORY, 1)' "$unreadable"
check "nor page 0" refused zero 'write_from(0, 1)' "$unreadable"
check "nor a range that extends into a guard page" refused guard \
	'write_from((uint64_t)user_stacks_start - 8, 9)' "$unreadable"
check "nor one that begins before the program's memory" \
	refused before 'write_from((uint64_t)user_start - 1, 2)' "$unreadable"
check "nor one that wraps around the end of addresses" refused around 'write_from(-64, 128)' \
	"$unreadable"
check "nor all addresses" refused all 'write_from((uint64_t)user_start, -1)' "$unreadable"
own_memory() {
	way own 'write_from((uint64_t)user_stacks_start - 8, 8)'
	ended 0 && says 'written: 8$'
}
check "the last bytes of its own memory can be written" own_memory

general='#GP general protection'
check "RDMSR" refused rdmsr 'read_msr()' "in read_msr: $general"
check "WRMSR" refused wrmsr 'write_msr()' "in write_msr: $general"
check "CLI" refused cli 'interrupts_off()' "in interrupts_off: $general"
check "HLT" refused hlt 'halt()' "in halt: $general"
check "CR3" refused cr3 'change_tables()' "in change_tables: $general"
check "LIDT" refused lidt 'load_table()' "in load_table: $general"
check "OUT" refused out 'output()' "in output: $general"
check "the overflow interrupt's vector" refused pmi 'raise_overflow()' "in raise_overflow: $general"
check "the alarm's" refused alarm 'raise_alarm()' "in raise_alarm: $general"
check "the NMI's" refused nmi 'raise_nmi()' "in raise_nmi: $general"
check "SYSCALL" refused syscall 'call_system()' 'in call_system: #UD invalid opcode'
check "VMRUN" refused vmrun 'start_machine()' 'in start_machine: #UD invalid opcode'
check "IRET to level 0" refused iret 'go_to_level_0()' "in go_to_level_0: $general"

# met NAME CODE PMI: the run goes on, and its samples are exact.
met() {
	way "$1" "$2" PMI="$3" EVENTS=INST_RETIRED.ANY,INST_RETIRED.ANY_P:period=1000
	ended 0 && says '^met on CPU 0$' && says 'exactly its count$' &&
		says 'spurious 0, .*, register faults 0$' &&
		says '^INST_RETIRED.ANY_P: [2-9][0-9][0-9] samples'
}
for delivery in vector nmi; do
	check "a program without segments ($delivery)" met "segments-$delivery" 'lose_segments()' \
		$delivery
	check "a program with another segment GS ($delivery)" met "segment-$delivery" \
		'another_segment()' $delivery
	check "a direction flag that is set ($delivery)" met "backwards-$delivery" \
		'go_backwards()' $delivery
	check "a program without a stack ($delivery)" met "stack-$delivery" 'lose_stack()' $delivery
done
returned() {
	way return 'return_by_itself(7)'
	ended 2 && says '^palmon: the workload returned 7$'
}
check "a program that returns from anywhere" returned
done_checking
