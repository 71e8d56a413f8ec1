// SPDX-License-Identifier: BSD-2-Clause
// Physical addresses at which the machine has nothing, and those of the monitor's memory, through page tables with PAE:
// reads give 0, writes do nothing.

#include "../guest.h"

#define WINDOW	0x40000000u

void guest_interrupt(struct frame *frame);
void guest_main(void);

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

static uint64_t pointers[4] __attribute__((aligned(32)));
static uint64_t low[512] __attribute__((aligned(4096))), window[512] __attribute__((aligned(4096)));

static void start_paging(void)
{
	for (uint32_t i = 0; i < 512; i++)
		low[i] = i * 0x200000ull | 0x83;
	pointers[0] = (uint32_t)low | 1;
	pointers[1] = (uint32_t)window | 1;
	__asm__ volatile("mov %%cr4, %%eax\n or $0x20, %%eax\n mov %%eax, %%cr4\n mov %0, %%cr3\n"
			 "mov %%cr0, %%eax\n or $0x80000000, %%eax\n mov %%eax, %%cr0"
			 : : "r"(pointers) : "eax", "memory");
}

static bool is_nothing(uint64_t address)
{
	volatile uint32_t *at = (volatile uint32_t *)(WINDOW + (uint32_t)(address & 0x1FFFFF));

	window[0] = (address & ~0x1FFFFFull) | 0x83;
	__asm__ volatile("mov %%cr3, %%eax\n mov %%eax, %%cr3" : : : "eax", "memory");
	*at = 0x55AA1234;
	return *at == 0;
}

void guest_main(void)
{
	start_paging();
	is("4 GiB", is_nothing(0x100000000), true);
	is("behind it", is_nothing(0x123456788), true);
	is("64 GiB", is_nothing(0x1000000000), true);
	is("the last of 40 bits", is_nothing(0xFFFFFFFFF8), true);
	is("the first of the monitor's", is_nothing(0x1C000000), true);
	is("its last", is_nothing(0x1FDFFFF8), true);
	finish();
}
