#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Itanium's image: registers that PAL's calling conventions preserve; an external interrupt at each
# instruction of the firmware changes nothing; faults where none may occur end the run. WIDE=1 (make
# torture) runs many more interrupts.
. tests/tap.sh
. tests/boot/ways.sh
use_target itanium elf

# run_program FILE: at level 0, with no other interrupt source.
run_program() {
	make_run RUN=session LEVEL=0 EVENTS=IA64_INST_RETIRED WORKLOAD="$1"
}

registers() {
	run_program tests/boot/workloads/itanium-pal.c
	ended 0 && [ "$(grep -c '^procedure [0-9]*: 0 registers that differ$' "$work/out")" -eq 9 ]
}
check "PAL changes only registers that its calling conventions allow, and returns the same as the C call" registers

interrupts() {
	program=tests/boot/workloads/itanium-interrupts.c
	if [ -n "${WIDE:-}" ]; then
		printf '#define DISTANCES 3000\n#include "%s"\n' "$PWD/$program" \
			>"$work/interrupts.c"
		program=$work/interrupts.c
	fi
	run_program "$program"
	ended 0 &&
		[ "$(grep -c '^[^:]*, vector [57]0H: the same [0-9]* times, ' "$work/out")" -eq 16 ]
}
check "an interrupt at each instruction of PAL, recursion, setjmp, halt and system calls changes no result" interrupts

cat >"$work/alarm.c" <<'END'
#include <stdio.h>
#include <string.h>
#include "arch.h"
#include "hal.h"
#include "layout.h"
#include "pal.h"
#include "ia64/registers.h"
static uint64_t word;
static void interrupt(uint64_t vector)
{
	ia64_write_itv(vector);
	ia64_write_itm(arch_clock() + 100);
	arch_execute(1000);
}
static void broken_overflow(uint64_t ip, unsigned level)
{
	(void)ip, (void)level;
	__asm__ volatile("break.m 1");
}
static void nat_overflow(uint64_t ip, unsigned level)
{
	(void)ip, (void)level;
	__asm__ volatile("mov r14 = -1 ;;\nmov ar.unat = r14 ;;\nld8.fill r14 = [%0] ;;\nst8 [%0] = r14" : : "r"(&word)
			 : "r14", "memory");
}
static void broken(struct arch_frame *frame)
{
	(void)frame;
	__asm__ volatile("break.m 1");
}
static void interrupted(struct arch_frame *frame)
{
	(void)frame;
	__asm__ volatile("mov cr.eoi = r0 ;;\nsrlz.d");
	arch_interrupts_enable();
	interrupt(0x51);
}
static int alarm(void)
{
	int early = 0;

	for (int i = 0; i < 200; i++) {
		const bool on = hal_interrupts_disable();
		uint64_t before = hal_clock(), passed;

		hal_alarm(20000);
		pal_call(PAL_HALT_LIGHT, 0, 0, 0);
		passed = hal_clock() - before;
		hal_interrupts_restore(on);
		early += passed < 20000;
		if (passed > 25000)
			return printf("halt %d took %lu cycles\n", i, passed);
	}
	return early > 6;
}
int workload(void)
{
	static const volatile char way[] = "way 00";

	switch (way[5]) {
	case '1':
		arch_attach_pmi(broken_overflow, false);
		interrupt(ARCH_PMI_VECTOR);
		return 0;
	case '2':
		arch_attach_pmi(nat_overflow, false);
		interrupt(ARCH_PMI_VECTOR);
		return 0;
	case '3':
		arch_attach(0x50, broken);
		interrupt(0x50);
		return 0;
	case '4':
		arch_attach(0x50, interrupted);
		interrupt(0x50);
		return 0;
	case '5':
		__asm__ volatile("rsm 0x6000 ;;\nsrlz.d\nbreak.m 1");
		return 0;
	case '6':	// Zeros are a bundle of break instructions.
		__asm__ volatile("rsm 0x20000 ;;\nsrlz.d ;;" : : : "memory");	// PSR.dt: physical addresses
		memset((void *)arch_frame_print, 0, 16);
		__asm__ volatile("fc %0 ;;\nsync.i ;;\nsrlz.i ;;\nbreak.m 1" : : "r"(arch_frame_print) : "memory");
		return 0;
	}
	return alarm();
}
END

# A session of the timer interrupts once per million cycles. The alarm comes 20,000 cycles after
# each halt begins, within the time of an interrupt. The session's own interrupts end some halts
# earlier.
alarm() {
	build_ways alarm LEVEL=0 EVENTS=ITC:period=1000000
	ended 0 && says '^ITC: [4-6] samples x 1,000,000 \+ .*: exactly its count$'
}
check "an alarm ends a halt also while a session uses the interval timer" alarm

# fault_in NAME CAUSE WAY: this way ends with one dump.
fault_in() {
	boot_way "$3" level=0 events=IA64_INST_RETIRED
	ended 1 && [ "$(grep -c 'unexpected exception' "$work/out")" -eq 1 ] &&
		says "^palmon: unexpected exception or interrupt in $1: $2\$" && says '^iip ' &&
		says '^r29 ' &&
		says '^palmon: status 1 \(fault\)'
}
check "a fault in the overflow interrupt's handler" fault_in broken_overflow "Break Instruction" 01
check "a NaT consumption there" fault_in nat_overflow "NaT Consumption" 02
check "a fault in another interrupt's handler" fault_in broken "Break Instruction" 03
check "an interrupt that nobody handles, while another one is handled" \
	fault_in arch_execute "External Interrupt" 04
# The interrupted state is unknown: with PSR.ic 0 the processor does not collect it.
check "an interruption with collection off" \
	fault_in '[a-z_0-9 ]+' "Break Instruction, with PSR\.ic 0: iip, ipsr, ifa and iim are older" 05

in_dump() {
	boot_way 06 level=0 events=IA64_INST_RETIRED
	ended 1 && says '^palmon: unexpected exception or interrupt in workload: ' &&
		says '^palmon: a fault in this dump$' && says '^palmon: status 1 \(fault\)'
}
check "a fault in the dump of registers ends it" in_dump
done_checking
