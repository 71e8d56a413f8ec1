// SPDX-License-Identifier: BSD-2-Clause

#include "configuration.h"

#include "nested.h"
#include "x86/cpu.h"

// An item is selected, and read byte by byte.
#define PORT_SELECT		0x510
#define PORT_DATA		0x511
#define ITEM_CPUS		5	/* 16 bits */

// Numbers are big-endian.
#define CONTROL_ERROR		0x01
#define CONTROL_ACCESSES	0x12	/* memory: a read, a write */

struct descriptor {
	uint32_t control, length;
	uint64_t address;
};

static void out16(uint16_t port, uint16_t value)
{
	__asm__ volatile("outw %0, %1" : : "a"(value), "d"(port));
}

static void out32(uint16_t port, uint32_t value)
{
	__asm__ volatile("outl %0, %1" : : "a"(value), "d"(port) : "memory");
}

unsigned configuration_cpus(void)
{
	unsigned low;

	out16(PORT_SELECT, ITEM_CPUS);
	low = x86_inb(PORT_DATA);
	return low | (unsigned)x86_inb(PORT_DATA) << 8;
}

// By a descriptor that the guest cannot change meanwhile.
static void carry_out(struct descriptor *guests)
{
	static struct descriptor own;
	const uint32_t control = __builtin_bswap32(guests->control);

	own = *guests;
	own.control = __builtin_bswap32(control);
	if (control & CONTROL_ACCESSES &&
	    !nested_is_guest(__builtin_bswap64(own.address), __builtin_bswap32(own.length))) {
		guests->control = __builtin_bswap32(CONTROL_ERROR);
		return;
	}
	out32(PORT_CONFIGURATION_DMA, 0);
	out32(PORT_CONFIGURATION_DMA + 4, __builtin_bswap32((uint32_t)(uintptr_t)&own));
	guests->control = own.control;
}

// The device knows writes of 32 bits to one of the halves, and forgets the address when it has used it.
void configuration_write(uint16_t port, unsigned size, uint32_t value)
{
	static uint32_t high;
	uint64_t address;

	if (size != sizeof value)
		return;
	if (port == PORT_CONFIGURATION_DMA)
		high = __builtin_bswap32(value);
	if (port != PORT_CONFIGURATION_DMA + 4)
		return;
	address = (uint64_t)high << 32 | __builtin_bswap32(value);
	high = 0;
	if (nested_is_guest(address, sizeof(struct descriptor)))
		carry_out((void *)(uintptr_t)address);
}
