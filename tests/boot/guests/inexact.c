// SPDX-License-Identifier: BSD-2-Clause
// A PMU without branch events (EXACT=0): CPUID says that they are absent (SDM volume 2A, CPUID leaf 0AH, EBX bit 5);
// selected nevertheless they count nothing, and branch records stay empty; all else counts as ever. So nothing but
// numbers of instructions counts, and yet each retires once, also an INTO, which may trap (volume 2A).

#include "pmu.h"

#define LBR_TOS		0x1C9
#define LBR_FROM	0x680
#define LBR_TO		0x6C0
#define LBR_RECORDS	16

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

#define VECTOR_BREAKPOINT 3	/* INT3; INTO is the next one */

void guest_interrupt(struct frame *frame)
{
	if (frame->vector - VECTOR_BREAKPOINT > 1)
		fail_on(frame);
}

static uint64_t instructions(void)
{
	const uint64_t counted = rdmsr(IA32_PMC0 + 1);

	wrmsr(IA32_PMC0 + 1, 0);
	return counted;
}

// The emulator executes it once more, when it has translated its block anew.
static void check_change(void)
{
	instructions();
	MEASURE(2ULL, "mov $2, %%esi\n 2: movb $0x90, 1f\n 1: nop\n dec %%esi\n jnz 2b");
	is("an instruction that changes its own block", instructions(), 1 + 2 * 4 + BEHIND);
}

// The handlers of both execute as many instructions.
static void check_into(void)
{
	uint64_t with_int3;

	instructions();
	MEASURE(2ULL, "mov $0x7FFFFFFF, %%esi\n inc %%esi\n int3\n nop\n nop");
	with_int3 = instructions();
	MEASURE(2ULL, "mov $0x7FFFFFFF, %%esi\n inc %%esi\n into\n nop\n nop");
	is("INTO that traps", instructions(), with_int3);
	MEASURE(2ULL, "xor %%esi, %%esi\n into\n nop\n nop");
	is("INTO that does not", instructions(), 4 + BEHIND);
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	uint32_t r[4];
	uint64_t records;

	(void)magic;
	start_interrupts();
	cpuid(10, 0, r);
	is("EBX: besides last-level cache events, both branch events are absent", r[1], 0x78);
	reset_pmu();
	wrmsr(IA32_PERFEVTSEL0, BRANCHES | SELECT_OS | SELECT_EN);
	wrmsr(IA32_PERFEVTSEL0 + 1, INSTRUCTIONS | SELECT_OS | SELECT_EN);
	wrmsr(IA32_PERFEVTSEL0 + 2, BRANCHES | 1u << SELECT_CMASK | SELECT_INV | SELECT_OS | SELECT_EN);
	if (has_word(information, "changes"))
		check_change();
	else
		check_into();
	wrmsr(IA32_DEBUGCTL, 1);
	MEASURE(7ULL, "mov $1000, %%esi\n 1: dec %%esi\n jnz 1b");
	wrmsr(IA32_DEBUGCTL, 0);
	is("branches that are counted", rdmsr(IA32_PMC0), 0);
	is("cycles without them", rdmsr(IA32_PMC0 + 2), 0);
	is("instructions", rdmsr(IA32_PMC0 + 1), 1 + 2 * 1000 + BEHIND);
	records = rdmsr(LBR_TOS);
	for (uint32_t i = 0; i < LBR_RECORDS; i++)
		records |= rdmsr(LBR_FROM + i) | rdmsr(LBR_TO + i);
	is("branches that are recorded", records, 0);
	finish();
}
