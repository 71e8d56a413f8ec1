// SPDX-License-Identifier: BSD-2-Clause
// The monitor is out of sight: its memory and its HPET are absent, with paging and without; there is no SVM.

#include "guest.h"

struct information {
	uint32_t flags, lower, upper, device, command_line, modules, module_list, symbols[4], map_size, map;
};

struct __attribute__((packed)) memory {
	uint32_t size;
	uint64_t start, length;
	uint32_t type;
};

#define GUEST_END	0x1C000000u	// 448 MiB: hal/emu/guest/monitor_memory.h
#define HPET	0xFED00000u

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const struct information *information);

void guest_interrupt(struct frame *frame)
{
	if (!take_exception(frame))
		fail_on(frame);
}

static uint32_t load(uint32_t address)
{
	return *(volatile uint32_t *)address;
}

static uint32_t written_and_read(uint32_t address)
{
	*(volatile uint32_t *)address = 0x12345678;
	return load(address);
}

static uint64_t highest_memory(const struct information *information)
{
	uint64_t end = 0;

	for (uint32_t at = information->map; at < information->map + information->map_size;) {
		const struct memory *m = (const void *)at;

		if (m->type == 1 && m->start + m->length > end)
			end = m->start + m->length;
		at += m->size + 4;
	}
	return end;
}

static uint32_t directory[1024] __attribute__((aligned(4096)));

static void look(void)
{
	is("the guest's last word of memory is memory", written_and_read(GUEST_END - 4), 0x12345678);
	is("its first word above is none", written_and_read(GUEST_END), 0);
	is("nor is one in the midst of the monitor's", written_and_read(GUEST_END + 0x600000), 0);
	is("nor is the last one", written_and_read(GUEST_END + 62 * 0x100000 - 4), 0);
	is("the HPET is absent: vendor", load(HPET), 0);
	is("and period", load(HPET + 4), 0);
}

static bool undefined(void)
{
	bool all;

	exceptions = 0;
	expected_length = 3;
	__asm__ volatile(".byte 0x0F, 0x01, 0xD8\n.byte 0x0F, 0x01, 0xD9\n.byte 0x0F, 0x01, 0xDA\n"
			 ".byte 0x0F, 0x01, 0xDB\n.byte 0x0F, 0x01, 0xDC\n.byte 0x0F, 0x01, 0xDD\n"
			 ".byte 0x0F, 0x01, 0xDF" : : "a"(0) : "memory");
	all = exceptions == 7 && last_vector == 6;
	expected_length = 0;
	return all;
}

void guest_main(uint32_t magic, const struct information *information)
{
	uint32_t r[4], eax;

	(void)magic;
	start_interrupts();
	is("memory ends where the monitor's begins", highest_memory(information), GUEST_END);
	is("and so does what is contiguous from 1 MiB", information->upper * 1024ULL + 0x100000, GUEST_END);
	look();
	for (uint32_t i = 0; i < 1024; i++)
		directory[i] = i << 22 | 0x83;
	__asm__ volatile("mov %0, %%cr4; mov %1, %%cr3; mov %%cr0, %%eax; or $0x80000000, %%eax; mov %%eax, %%cr0"
			 : : "r"(0x10), "r"(directory) : "eax", "memory");
	print("# with paging\n");
	look();
	cpuid(0x80000001, 0, r);
	is("there is no SVM", r[2] & 4, 0);
	is("none of its instructions", undefined(), true);
	is("nor its registers", rdmsr_faults(0xC0010117) && rdmsr_faults(0xC0010114), true);
	__asm__ volatile("inb $0xF4, %%al" : "=a"(eax) : "a"(0x12345678));
	is("the debug-exit port reads 0", eax, 0x12345600);
	wrmsr(0xC0000080, rdmsr(0xC0000080) | 1);
	is("EFER is what the guest has written", rdmsr(0xC0000080), 1);
	finish();
}
