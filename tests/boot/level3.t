#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs at level 3 of x86: a forbidden access ends the run with a register dump and status 1;
# changed registers and segments disturb neither the overflow interrupt nor the counts.
. tests/tap.sh
. tests/boot/number.sh

# One image contains all ways; the number in the image selects one (number.sh).
printf '#define WAY %s\n#include "%s/tests/boot/workloads/hostile.c"\n' "$NUMBER" "$PWD" \
	>"$work/hostile.c"
build_image "$work/hostile.c" "$work/hostile" || cat "$work/out"

# way CODE [ARGUMENTS]: runs the way with this code
way() {
	number=$(grep -F ": $1; break;" tests/boot/workloads/hostile.c |
		sed 's/.*case \([0-9]*\):.*/\1/')
	[ -n "$number" ] || { echo "there is no way $1"; return 1; }
	shift
	boot_with "$number" "$work/hostile" run=session "$@"
}

# refused CODE PATTERN: the run ends with a dump of code at level 3.
refused() {
	way "$1"
	[ "$status" -ne 0 ] && says "unexpected exception or interrupt $2\$" &&
		says '  cs     0{14}23  ' &&
		says '^palmon: status 1 \(fault\)' && ! grep 'not refused' "$work/out"
}
memory='#PF page fault'
check "tables cannot be written" refused 'write_to(arch_idt)' "in write_to: $memory"
check "tables cannot be read" refused 'read_from(arch_pml4)' "in read_from: $memory"
check "the runtime's data" refused 'write_to(&hal_memory_start)' "in write_to: $memory"
long "tables of the processor" refused 'write_to(private_start)' "in write_to: $memory"
long "the runtime's stacks" refused 'write_to(stacks_start + 0x2000)' "in write_to: $memory"
long "code" refused 'write_to((void *)workload)' "in write_to: $memory"
long "the interrupt controller" refused 'read_from((void *)APIC)' "in read_from: $memory"

unreadable='in write_from: #PF page fault'
check "the runtime's data cannot be written to the console" refused \
	'write_from((uint64_t)&hal_memory_start, 8)' "$unreadable"
long "nor can devices" refused 'write_from(APIC, 32)' "$unreadable"
long "nor addresses without memory" refused 'write_from(NO_MEMORY, 1)' "$unreadable"
long "nor page 0" refused 'write_from(0, 1)' "$unreadable"
check "nor a range that extends into a guard page" refused \
	'write_from((uint64_t)user_stacks_start - 8, 9)' "$unreadable"
long "nor one that begins before the program's memory" \
	refused 'write_from((uint64_t)user_start - 1, 2)' "$unreadable"
long "nor one that wraps around the end of addresses" refused 'write_from(-64, 128)' \
	"$unreadable"
check "nor all addresses" refused 'write_from((uint64_t)user_start, -1)' "$unreadable"
own_memory() {
	way 'write_from((uint64_t)user_stacks_start - 8, 8)'
	ended 0 && says 'written: 8$'
}
check "the last bytes of its own memory can be written" own_memory

general='#GP general protection'
check "RDMSR" refused 'read_msr()' "in read_msr: $general"
long "WRMSR" refused 'write_msr()' "in write_msr: $general"
long "CLI" refused 'interrupts_off()' "in interrupts_off: $general"
long "HLT" refused 'halt()' "in halt: $general"
check "CR3" refused 'change_tables()' "in change_tables: $general"
long "LIDT" refused 'load_table()' "in load_table: $general"
long "OUT" refused 'output()' "in output: $general"
check "the overflow interrupt's vector" refused 'raise_overflow()' "in raise_overflow: $general"
long "the alarm's" refused 'raise_alarm()' "in raise_alarm: $general"
check "the NMI's" refused 'raise_nmi()' "in raise_nmi: $general"
check "SYSCALL" refused 'call_system()' 'in call_system: #UD invalid opcode'
long "VMRUN" refused 'start_machine()' 'in start_machine: #UD invalid opcode'
check "IRET to level 0" refused 'go_to_level_0()' "in go_to_level_0: $general"

# met CODE PMI: the run goes on, and its samples are exact.
met() {
	way "$1" pmi="$2" events=INST_RETIRED.ANY,INST_RETIRED.ANY_P:period=1000
	ended 0 && says '^met on CPU 0$' && says 'exactly its count$' &&
		says 'spurious 0, .*, register faults 0$' &&
		says '^INST_RETIRED.ANY_P: [2-9][0-9][0-9] samples'
}
check "a program without segments (vector)" met 'lose_segments()' vector
long "a program with another segment GS (vector)" met 'another_segment()' vector
check "a direction flag that is set (vector)" met 'go_backwards()' vector
long "a program without a stack (vector)" met 'lose_stack()' vector
long "a program without segments (nmi)" met 'lose_segments()' nmi
check "a program with another segment GS (nmi)" met 'another_segment()' nmi
long "a direction flag that is set (nmi)" met 'go_backwards()' nmi
check "a program without a stack (nmi)" met 'lose_stack()' nmi
returned() {
	way 'return_by_itself(7)'
	ended 1 && says '^palmon: the workload returned 7$'
}
check "a program that returns from anywhere" returned
done_checking
