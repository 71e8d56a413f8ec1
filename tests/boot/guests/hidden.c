// SPDX-License-Identifier: BSD-2-Clause
// A guest's view of its machine, to compare with and without the PMU: the memory map, CPUID except
// its PMU fields, the local APIC's registers, PCI devices, ports, and the time that code takes.

#include "guest.h"

struct information {
	uint32_t flags, lower, upper, device, command_line, modules, module_list, symbols[4],
		map_size, map;
};

struct __attribute__((packed)) memory {
	uint32_t size;
	uint64_t start, length;
	uint32_t type;
};

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const struct information *information);

void guest_interrupt(struct frame *frame)
{
	if (!take_exception(frame))
		fail_on(frame);
}

static void show(const char *what, uint32_t at, uint64_t value)
{
	print("# ");
	print(what);
	print(" ");
	print_hex(at);
	print(": ");
	print_hex(value);
	print("\n");
}

static void show_memory(const struct information *information)
{
	for (uint32_t at = information->map; at < information->map + information->map_size;) {
		const struct memory *m = (const void *)at;

		show("memory from", (uint32_t)m->start, m->start + m->length);
		show("is of type", (uint32_t)m->start, m->type);
		at += m->size + 4;
	}
}

// Leaf 0: the highest leaf may be 0AH. Leaf 1, EAX: the stepping; ECX: PDCM and the debug store's
// width; EDX: the debug store.
#define STEPPING 0xFu
#define OF_PMU_ECX (1u << 15 | 1u << 2)
#define OF_PMU_EDX (1u << 21)
static void show_cpuid(void)
{
	static const uint32_t first[] = {0, 0x40000000, 0x80000000};
	uint32_t r[4];

	for (unsigned range = 0; range < 3; range++)
		for (uint32_t leaf = first[range]; leaf <= first[range] + 9; leaf++) {
			cpuid(leaf, 0, r);
			if (leaf == 1) {
				r[0] &= ~STEPPING;
				r[2] &= ~OF_PMU_ECX;
				r[3] &= ~OF_PMU_EDX;
			}
			for (unsigned n = leaf == 0; n < 4; n++)
				show("CPUID", leaf, r[n]);
		}
}

static void show_devices(void)
{
	for (uint32_t at = 0; at < 0x400; at += 0x10)
		if (at != APIC_TIMER_NOW)
			show("local APIC", at, *apic(at));
	for (uint32_t device = 0; device < 32; device++) {
		uint32_t value;

		__asm__ volatile("outl %0, %w1" : : "a"(0x80000000u | device << 11), "d"(0xCF8));
		__asm__ volatile("inl %w1, %0" : "=a"(value) : "d"(0xCFC));
		show("PCI device", device, value);
	}
	for (uint16_t port = 0x500; port < 0x600; port++)
		if (inb(port) != 0xFF)
			show("port", port, inb(port));
}

static void show_time(void)
{
	const uint64_t start = rdtsc();
	uint32_t n = 100000;
	uint32_t r[4];

	__asm__ volatile("1: dec %0\n jnz 1b" : "+r"(n) : : "cc");
	show("ticks of 200,000 instructions and some", 0, rdtsc() - start);
	cpuid(1, 0, r);
	rdmsr(0x38F);
	show("and of CPUID and RDMSR", 0, rdtsc() - start);
}

void guest_main(uint32_t magic, const struct information *information)
{
	(void)magic;
	start_interrupts();
	show_time();
	show_memory(information);
	show_cpuid();
	show_devices();
	is("it has looked", true, true);
	finish();
}
