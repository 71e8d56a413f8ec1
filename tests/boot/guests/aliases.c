// SPDX-License-Identifier: BSD-2-Clause
// Code that is mapped at two linear addresses. QEMU translates it once, for the address at which it
// first executes. PMU instructions, counts and branch records must use the address at which it
// executes now.

#include "pmu.h"

#define ALIAS		0x40000000u	/* alias of the same memory, 1 GiB higher */
#define PAGE_PRESENT	0x001u
#define PAGE_WRITABLE	0x002u
#define PAGE_LARGE	0x080u		/* 4 MiB (SDM volume 3A, "32-Bit Paging") */
#define CR0_PG		0x80000000u
#define CR4_PSE		0x010u
#define LBR_TOS		0x1C9
#define LBR_FROM	0x680
#define LBR_RECORDS	16

void guest_interrupt(struct frame *frame);
void guest_main(void);

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

static uint32_t directory[1024] __attribute__((aligned(4096)));

static void map(void)
{
	for (uint32_t i = 0; i < 1024; i++)
		directory[i] = ((i << 22) & (ALIAS - 1)) | PAGE_PRESENT | PAGE_WRITABLE |
			PAGE_LARGE;
	for (uint32_t i = 0xFEC; i < 0x1000; i++)	// the local APIC's mapping is unchanged
		directory[i >> 2] = (i >> 2) << 22 | PAGE_PRESENT | PAGE_WRITABLE | PAGE_LARGE;
	__asm__ volatile("mov %%cr4, %%eax; or %0, %%eax; mov %%eax, %%cr4; mov %1, %%cr3;"
			 "mov %%cr0, %%eax; or %2, %%eax; mov %%eax, %%cr0"
			 : : "i"(CR4_PSE), "r"(directory), "i"(CR0_PG) : "eax", "memory");
}

// 19 instructions, of which 2 are branches; the PMU emulates each CPUID, RDPMC and RDMSR. Returns
// the address at which it executes.
uint32_t where(void);
__asm__("	.text\n"
	"where:	push %ebx\n"
	"	mov $0, %eax\n"
	"	cpuid\n"
	"	mov $0x40000000, %ecx\n"
	"	rdpmc\n"
	"	mov $0x38E, %ecx\n"
	"	rdmsr\n"
	"	.rept 8\n"
	"	nop\n"
	"	.endr\n"
	"	call 1f\n"
	"1:	pop %eax\n"
	"	pop %ebx\n"
	"	ret\n");

static uint32_t (*const elsewhere)(void) = (uint32_t (*)(void))((uintptr_t)where + ALIAS);

// The last record before the return's: the call.
static uint64_t last_record_from(void)
{
	return rdmsr(LBR_FROM + (rdmsr(LBR_TOS) - 1) % LBR_RECORDS);
}

void guest_main(void)
{
	uint32_t first, second;
	uint64_t once, recorded;

	map();
	reset_pmu();
	first = where();
	second = elsewhere();
	is("after CPUID, RDPMC and RDMSR the code goes on where it is", second - first, ALIAS);
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS);
	wrmsr(IA32_PERFEVTSEL0, BRANCHES | SELECT_OS | SELECT_EN);
	for (uint32_t turn = 0; turn < 2; turn++) {
		wrmsr(IA32_FIXED_CTR0, 0);
		wrmsr(IA32_PMC0, 0);
		MEASURE(FIXED0 | 1ULL, "call where");
		once = rdmsr(IA32_FIXED_CTR0);
		is("instructions", once, 1 + 19 + BEHIND);
		is("branches", rdmsr(IA32_PMC0), 1 + 2);
		wrmsr(IA32_FIXED_CTR0, 0);
		wrmsr(IA32_PMC0, 0);
		MEASURE(FIXED0 | 1ULL, "mov $where + 0x40000000, %%esi\n call *%%esi");
		is("instructions, elsewhere", rdmsr(IA32_FIXED_CTR0), 2 + 19 + BEHIND);
		is("branches, elsewhere", rdmsr(IA32_PMC0), 1 + 2);
	}
	wrmsr(IA32_DEBUGCTL, 1);
	MEASURE(FIXED0, "call where");
	wrmsr(IA32_DEBUGCTL, 0);
	recorded = last_record_from();
	wrmsr(IA32_DEBUGCTL, 1);
	MEASURE(FIXED0, "mov $where + 0x40000000, %%esi\n call *%%esi");
	wrmsr(IA32_DEBUGCTL, 0);
	is("branch records have the address at which it executes", last_record_from() - recorded,
	   ALIAS);
	finish();
}
