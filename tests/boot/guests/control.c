// SPDX-License-Identifier: BSD-2-Clause
// Reserved bits of CR4: #GP(0), and nothing is written (SDM volume 2B, "MOV - Move to/from Control Registers"; volume
// 3A, 2.5, "Control Registers"). QEMU 7.2 alone hangs there. Of CR0: NW without CD, which QEMU takes.

#include "guest.h"

void guest_interrupt(struct frame *frame);
void guest_main(void);

void guest_interrupt(struct frame *frame)
{
	if (!take_exception(frame))
		fail_on(frame);
}

static uint32_t read_cr4(void)
{
	uint32_t value;

	__asm__ volatile("mov %%cr4, %0" : "=r"(value));
	return value;
}

static bool write_cr4_faults(uint32_t value)
{
	exceptions = 0;
	expected_length = 3;
	__asm__ volatile("mov %0, %%cr4" : : "r"(value) : "memory");
	expected_length = 0;
	return exceptions == 1 && last_vector == 13 && last_error == 0;
}

// UMIP, LA57, VMXE, SMXE, FSGSBASE, OSXSAVE, SMEP, SMAP, PKE, CET, PKS, which CPUID says are absent, and bits that no
// processor of 2008 has.
#define RESERVED (1u << 11 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 15 | 1u << 16 | 1u << 18 | 1u << 19 | 1u << 20 | \
		  1u << 21 | 1u << 22 | 1u << 23 | 1u << 24 | 0xFE000000u)
#define OSFXSR	(1u << 9)

static void check_cr4(void)
{
	uint32_t faulting = 0, changing = 0;

	__asm__ volatile("mov %0, %%cr4" : : "r"(OSFXSR));
	for (uint32_t bit = 0; bit < 32; bit++) {
		if (!(RESERVED >> bit & 1))
			continue;
		faulting |= (uint32_t)write_cr4_faults(OSFXSR | 1u << bit) << bit;
		changing |= read_cr4() ^ OSFXSR;
	}
	is("reserved bits of CR4 that raise #GP(0)", faulting, RESERVED);
	is("what they change", changing, 0);
	is("others can be set", write_cr4_faults(OSFXSR | 0x18), false);
	is("and are", read_cr4(), OSFXSR | 0x18);
}

static void check_cr0(void)
{
	uint32_t r[4], value, back;

	__asm__ volatile("mov %%cr0, %0" : "=r"(value));
	__asm__ volatile("mov %0, %%cr0" : : "r"((value & ~0x40000000u) | 0x20000000u));
	cpuid(0, 0, r);
	__asm__ volatile("mov %%cr0, %0" : "=r"(back));
	is("NW without CD: the guest goes on", back & 0x20000000u, 0x20000000u);
	__asm__ volatile("mov %0, %%cr0" : : "r"(value));
	cpuid(0, 0, r);
	__asm__ volatile("mov %%cr0, %0" : "=r"(back));
	is("and back", back, value);
}

void guest_main(void)
{
	start_interrupts();
	check_cr4();
	check_cr0();
	finish();
}
