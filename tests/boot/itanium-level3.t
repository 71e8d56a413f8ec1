#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs at level 3 of Itanium's image can neither read nor write memory that is not theirs. An
# attempt ends the run with a register dump and status 1.
. tests/tap.sh
. tests/boot/ways.sh
use_target itanium elf

# Forbidden ways: name, code, function that fails, cause; between tabs. The runtime's histogram follows
# the end of memory; the boot loader's data follows that.
cat >"$work/ways" <<'END'
the runtime's data cannot be written	write_to(private_start)	write_to	Data Access Rights
nor read	read_from(&hal_memory_end)	read_from	Data Access Rights
nor its last word	read_from(user_start - 8)	read_from	Data Access Rights
nor its stacks	write_to(stacks_start)	write_to	Data Access Rights
nor the place where it keeps this program's registers	spill_to(private_start)	spill_to	Data Access Rights
code cannot be written	write_to((void *)workload)	write_to	Data Access Rights
constants cannot be written	write_to(text_end - 8)	write_to	Data Access Rights
a null pointer	read_from(0)	read_from	Alternate Data TLB
memory below the image	read_from(text_start - 8)	read_from	Alternate Data TLB
memory after its end	for (char *p = user_start; ; p += 16384) read_from(p)	read_from	Alternate Data TLB
uncached memory	read_from((void *)(1ULL << 63 | (uintptr_t)user_start))	read_from	Alternate Data TLB
other regions	read_from((void *)(5ULL << 61))	read_from	Alternate Data TLB
code outside the image's code is not executed	((void (*)(void))0x3000000)()	[a-z ]+	Alternate Instruction TLB
nor in the runtime's data	((void (*)(void))private_start)()	[a-z_ ]+	Alternate Instruction TLB
the runtime's data cannot be printed	show((uint64_t)private_start, 8)	system_call	Data TLB
nor a range that starts in the program's memory and wraps	show((uint64_t)user_start, -8)	system_call	Data TLB
nor one that starts before the program's memory	show((uint64_t)user_start - 8, 16)	system_call	Data TLB
nor one that extends beyond code and constants	show((uint64_t)text_end - 8, 9)	system_call	Data TLB
nor addresses without memory	show(8, 1)	system_call	Data TLB
END
# The program's way 00 is an allowed one.
cat >"$work/level3.c" <<'END'
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "system.h"
extern char text_start[], text_end[], private_start[], stacks_start[], user_start[];
extern uint64_t hal_memory_end;
__attribute__((noipa)) static void write_to(void *address)
{
	*(volatile uint64_t *)address = 1;
}
__attribute__((noipa)) static uint64_t read_from(const void *address)
{
	return *(const volatile uint64_t *)address;
}
// The register stack goes there.
__attribute__((noipa)) static void spill_to(void *address)
{
	__asm__ volatile("mov ar.rsc = 0 ;;\nmov ar.bspstore = %0 ;;\nmov ar.rsc = 3 ;;\n"
			 "alloc r14 = ar.pfs, 0, 8, 0, 0 ;;\nbr.call.sptk b6 = 1f ;;\n1: flushrs ;;\n"
			 : : "r"(address) : "r14", "b6", "memory");
}
// Whether a speculative load gives a NaT.
__attribute__((noipa)) static bool is_not_there(const void *address)
{
	uint64_t nat = 0;

	__asm__ volatile("ld8.s r14 = [%1] ;;\ntnat.nz p6, p7 = r14 ;;\n(p6) mov %0 = 1\n(p7) mov %0 = 0"
			 : "=r"(nat) : "r"(address) : "r14", "p6", "p7", "memory");
	return nat;
}
// At the console, by the runtime.
__attribute__((noipa)) static void show(uint64_t address, uint64_t size)
{
	system_call(SYSTEM_WRITE, address, size);
}
static void own(void)
{
	static uint64_t word = 1;
	uint64_t *more = malloc(1 << 20);
	char *end = (char *)more + (1 << 20) - 8;

	write_to(&word), write_to(more), write_to(end), read_from(text_start), read_from(text_end - 8);
	show((uint64_t)"constant\n", 9);
	if (is_not_there(&word) || !is_not_there(private_start) || !is_not_there(0) ||
	    !is_not_there((void *)(5ULL << 61)))
		abort();
}
int workload(void)
{
	static const volatile char way[] = "way 00";

	switch ((way[4] - '0') * 10 + way[5] - '0') {
	case 0:
		own();
		break;
END
awk -F '\t' '{ print "\tcase " NR ":\n\t\t" $2 ";\n\t\tbreak;" }' "$work/ways" >>"$work/level3.c"
cat >>"$work/level3.c" <<'END'
	}
	puts("not refused");
	return 0;
}
END

allowed() {
	build_ways level3
	ended 0 && says '^constant$' && says '^not refused$'
}
check "a program's own memory is accessible; speculative loads from elsewhere return NaT" allowed

# refused WAY FUNCTION CAUSE
refused() {
	boot_way "$1"
	ended 1 && says "^palmon: unexpected exception or interrupt in $2: $3\$" &&
		says '^iip .* ipsr    0{4}..[13b]3' && says '^palmon: status 1 \(fault\)' &&
		! grep 'not refused' "$work/out"
}
number=1
while IFS=$(printf '\t') read -r name _ function cause; do
	check "$name" refused "$(printf %02d $number)" "$function" "$cause"
	number=$((number + 1))
done <"$work/ways"
done_checking
