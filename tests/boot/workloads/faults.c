// SPDX-License-Identifier: BSD-2-Clause
// TURNS faults: UD2, whose handler returns to the next instruction. tests/boot/overcount.t,
// tests/boot/qemu.t

#include <stdint.h>
#include <string.h>

int workload(void);
#define TURNS	1000
#define UNDEFINED 6
struct __attribute__((packed)) table {
	uint16_t limit;
	uint64_t base;
};
static uint64_t gates[256][2];

__asm__("faulted: addq $2, (%rsp); iretq");
extern char faulted[];

int workload(void)
{
	struct table was, own = {sizeof gates - 1, (uintptr_t)gates};
	const uint64_t to = (uintptr_t)faulted;
	unsigned turns = TURNS;

	__asm__ volatile("sidt %0" : "=m"(was));
	memcpy(gates, (const void *)was.base, was.limit + 1u);
	gates[UNDEFINED][0] = (gates[UNDEFINED][0] & 0x0000FFFFFFFF0000) | (to & 0xFFFF) |
		(to >> 16 & 0xFFFF) << 48;
	gates[UNDEFINED][1] = to >> 32;
	__asm__ volatile("lidt %1; 1: ud2; dec %0; jnz 1b; lidt %2"
			 : "+r"(turns) : "m"(own), "m"(was) : "memory", "cc");
	return 0;
}
