/* SPDX-License-Identifier: BSD-2-Clause */
/* The architectural performance monitoring registers: SDM volume 3B, chapter "Performance
 * Monitoring", sections "Architectural Performance Monitoring Version 1", 2 and 3; volume 4, Table
 * 2-2. */
#ifndef TEST_PMU_H
#define TEST_PMU_H

#include "guest.h"

#define IA32_PMC0		0x0C1
#define IA32_PERFEVTSEL0	0x186
#define IA32_FIXED_CTR0		0x309	/* instructions retired */
#define IA32_FIXED_CTR1		0x30A	/* core cycles */
#define IA32_FIXED_CTR2		0x30B	/* reference cycles */
#define IA32_FIXED_CTR_CTRL	0x38D
#define IA32_PERF_GLOBAL_STATUS	0x38E
#define IA32_PERF_GLOBAL_CTRL	0x38F
#define IA32_PERF_GLOBAL_OVF_CTRL 0x390
#define IA32_DEBUGCTL		0x1D9

/* IA32_PERFEVTSEL. Events: Table "Pre-Defined Architectural Performance Events". */
#define SELECT_USR	(1u << 16)
#define SELECT_OS	(1u << 17)
#define SELECT_INT	(1u << 20)
#define SELECT_EN	(1u << 22)
#define SELECT_INV	(1u << 23)
#define SELECT_CMASK	24
#define CYCLES		0x003C
#define INSTRUCTIONS	0x00C0
#define BRANCHES	0x00C4
/* Table "Performance Events In the Processor Core for Intel Core i7": MEM_INST_RETIRED. */
#define LOADS		0x010B
#define STORES		0x020B

#define FIXED0		(1ULL << 32)
#define FIXED1		(1ULL << 33)
#define FIXED2		(1ULL << 34)
#define ALL		(0xFULL | FIXED0 | FIXED1 | FIXED2)

/* Each counter's field of IA32_FIXED_CTR_CTRL. */
#define CONTROL_OS	1u
#define CONTROL_USR	2u
#define CONTROL_PMI	8u

#define MASK_48		0xFFFFFFFFFFFFULL

/* Stops and clears all counters, overflow status and selects. */
static inline void reset_pmu(void)
{
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	wrmsr(IA32_FIXED_CTR_CTRL, 0);
	for (uint32_t i = 0; i < 4; i++) {
		wrmsr(IA32_PERFEVTSEL0 + i, 0);
		wrmsr(IA32_PMC0 + i, 0);
	}
	for (uint32_t i = 0; i < 3; i++)
		wrmsr(IA32_FIXED_CTR0 + i, 0);
	wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, rdmsr(IA32_PERF_GLOBAL_STATUS));
}

/*
 * Writes global control, executes the body, and writes 0 to global control. The counted
 * instructions are the body and BEHIND: a MOV, two XOR, and the WRMSR, which disables counting when
 * it has retired; not the WRMSR that enables it.
 */
#define BEHIND 4
#define MEASURE(enables, body)								\
	do {										\
		uint32_t low = (uint32_t)(enables), high = (uint32_t)((enables) >> 32);	\
											\
		__asm__ volatile("mov $0x38F, %%ecx\n wrmsr\n"				\
				 body							\
				 "\n mov $0x38F, %%ecx\n xor %%eax, %%eax\n xor %%edx, %%edx\n " \
				 "wrmsr" \
				 : "+a"(low), "+d"(high)				\
				 : : "ebx", "ecx", "esi", "edi", "memory", "cc");	\
	} while (0)

/* Whether the command line has this word (Multiboot specification, 3.3). */
static inline bool has_word(const uint32_t *information, const char *expected)
{
	for (const char *line = (const char *)information[4]; *line; line++) {
		const char *word = expected;

		while (*word && *line == *word) {
			line++;
			word++;
		}
		if (!*word && (*line == ' ' || !*line))
			return true;
		while (*line && *line != ' ')
			line++;
		if (!*line)
			return false;
	}
	return false;
}

#define NOPS(n) ".rept " #n "\n nop\n .endr\n"

#endif
