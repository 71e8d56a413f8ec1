// SPDX-License-Identifier: BSD-2-Clause
// Records that a PMU writes into memory, on CPU 1: the record of a precise event (PEBS, the guide,
// "Precise Event Based Sampling"; SDM volume 3B, "PEBS Data Format") has the registers after the
// recorded instruction. No records are written to a buffer in page tables or code.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cpus.h"
#include "registers.h"

int workload(void);

enum { PMC0 = 0xC1, PERFEVTSEL0 = 0x186, GLOBAL_CTRL = 0x38F, PEBS_ENABLE = 0x3F1,
      DS_AREA = 0x600 };

#define RETIRED			(3 << 16 | 1 << 22 | 1 << 8 | 0xC0)
#define RECORD_WORDS		22
#define PERIOD			100
#define SHADOW			8	/* the model's cycles from overflow to record */

static struct {
	uint64_t trace[4];
	uint64_t base, index, maximum, threshold, reset[4];
} area;

static uint64_t records[4][RECORD_WORDS];
static uint64_t before[RECORD_WORDS];
static int wrong;

static void expect(const char *what, uint64_t expected, uint64_t found)
{
	if (expected != found) {
		printf("WRONG: %s: 0x%" PRIx64 ", not 0x%" PRIx64 "\n", what, found, expected);
		wrong++;
	}
}

extern const char first_counted[];

// Each general register has its own value. The first counted instruction is at first_counted; it
// and the 199 after it are one byte long.
__attribute__((noipa)) static void count_known_registers(void)
{
	__asm__ volatile(
		"push	%%rbp\n"
		"mov	%%rsp, %0\n"
		"mov	$0x1002, %%rbx\n"
		"mov	$0x1005, %%rsi\n"
		"mov	$0x1006, %%rdi\n"
		"mov	$0x1007, %%rbp\n"
		"mov	$0x1008, %%r8\n"
		"mov	$0x1009, %%r9\n"
		"mov	$0x100A, %%r10\n"
		"mov	$0x100B, %%r11\n"
		"mov	$0x100C, %%r12\n"
		"mov	$0x100D, %%r13\n"
		"mov	$0x100E, %%r14\n"
		"mov	$0x100F, %%r15\n"
		"mov	$0x38F, %%ecx\n"
		"xor	%%edx, %%edx\n"
		"mov	$1, %%eax\n"
		"wrmsr\n"
		"first_counted:\n"
		".rept	200\n"
		"nop\n"
		".endr\n"
		"xor	%%eax, %%eax\n"
		"wrmsr\n"
		"pop	%%rbp"
		: "=m"(before[9])
		: : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12",
		"r13", "r14", "r15",
		    "memory");
}

static void measure(void *buffer)
{
	area.base = area.index = area.threshold = (uintptr_t)buffer;
	area.maximum = area.base + sizeof records;
	area.threshold = area.maximum + 1;
	area.reset[0] = -(uint64_t)1000000;
	put(GLOBAL_CTRL, 0);
	put(DS_AREA, (uintptr_t)&area);
	put(PERFEVTSEL0, RETIRED);
	put(PMC0, -(uint64_t)PERIOD);
	put(PEBS_ENABLE, 1);
	count_known_registers();
	put(PEBS_ENABLE, 0);
}

static void on_1(void *buffer)
{
	hal_cpu_call(1, measure, buffer);
	ok &= hal_cpus_wait(1 << 1, 100000000);
}

int workload(void)
{
	// RFLAGS (not compared), RIP, RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP, R8-R15. The counter
	// wraps at instruction number PERIOD, the first one after the shadow is recorded, and RIP
	// is the address after it.
	const uint64_t expected[18] = {
		0, (uintptr_t)first_counted + PERIOD + SHADOW + 1, 1, 0x1002, 0x38F, 0, 0x1005,
		0x1006, 0x1007, 0, 0x1008, 0x1009, 0x100A, 0x100B, 0x100C, 0x100D, 0x100E, 0x100F,
	};
	extern char text_start[];
	char code[64];

	expect("CPUs", 4, hal_cpus_start());
	on_1(records);
	expect("one record", sizeof records[0], area.index - area.base);
	for (unsigned i = 1; i < 18; i++)
		expect("register", i == 9 ? before[9] : expected[i], records[0][i]);

	memcpy(code, text_start, sizeof code);
	on_1(text_start);
	expect("nothing in code", 0, area.index - area.base);
	expect("code is as it was", 0, (uint64_t)memcmp(code, text_start, sizeof code));
	expect("no access failed", true, ok);
	printf("precise: %d wrong\n", wrong);
	return wrong != 0;
}
