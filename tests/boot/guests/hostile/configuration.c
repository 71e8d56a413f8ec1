// SPDX-License-Identifier: BSD-2-Clause
// QEMU's configuration device can write to any memory (QEMU, docs/specs/fw_cfg.txt): into the guest's it does as on the
// bare machine; the monitor's is not there.

#include "../guest.h"

#define CONTROL_ERROR	0x01u
#define CONTROL_READ	0x02u
#define CONTROL_SELECT	0x08u
#define CONTROL_WRITE	0x10u
#define MONITOR		0x1C000000u

void guest_interrupt(struct frame *frame);
void guest_main(void);

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

static struct {
	uint32_t control, length, address_high, address;
} volatile descriptor __attribute__((aligned(16)));

static void start(uint32_t address)
{
	__asm__ volatile("outl %0, %w1" : : "a"(0), "d"(0x514) : "memory");
	__asm__ volatile("outl %0, %w1" : : "a"(__builtin_bswap32(address)), "d"(0x518) : "memory");
}

// The control word that is left.
static uint32_t transfer(uint32_t control, uint32_t length, uint32_t high, uint32_t address)
{
	descriptor.control = __builtin_bswap32(control);
	descriptor.length = __builtin_bswap32(length);
	descriptor.address_high = __builtin_bswap32(high);
	descriptor.address = __builtin_bswap32(address);
	start((uint32_t)&descriptor);
	return __builtin_bswap32(descriptor.control);
}

// Item 0 is the signature, "QEMU".
static bool writes_nothing(uint32_t high, uint32_t address, uint32_t length)
{
	return transfer(0 << 16 | CONTROL_SELECT | CONTROL_READ, length, high, address) == CONTROL_ERROR;
}

void guest_main(void)
{
	static volatile uint32_t signature, number;

	__asm__ volatile("inl %w1, %0" : "=a"(number) : "d"(0x514));
	is("the DMA's port has its signature", number, 0x554D4551);
	is("a transfer into the guest's memory", transfer(CONTROL_SELECT | CONTROL_READ, 4, 0, (uint32_t)&signature),
	   0);
	is("is the item", signature, 0x554D4551);
	is("a descriptor alone", transfer(5 << 16 | CONTROL_SELECT, 0, 0, 0), 0);
	is("into the monitor's memory", writes_nothing(0, MONITOR, 4), true);
	is("into its code", writes_nothing(0, MONITOR + 0x15000, 4), true);
	is("in the midst", writes_nothing(0, MONITOR + 0x1000000, 4), true);
	is("the last byte of it", writes_nothing(0, MONITOR - 3, 4), true);
	is("from the guest's into it", writes_nothing(0, 0x100000, MONITOR), true);
	is("around", writes_nothing(0, 0x200000, 0xFFFFFFFF), true);
	is("above 4 GiB", writes_nothing(1, 0x200000, 4), true);
	is("a write from the monitor's memory", transfer(CONTROL_WRITE, 4, 0, MONITOR), CONTROL_ERROR);
	start(MONITOR);
	start(MONITOR + 0x15000);
	start(0xFFFFFFFC);
	is("descriptors elsewhere do nothing", signature, 0x554D4551);
	__asm__ volatile("outb %b0, %w1\n outw %w0, %w1" : : "a"(0), "d"(0x518));
	is("nor do small writes", transfer(CONTROL_SELECT | CONTROL_READ, 4, 0, (uint32_t)&signature), 0);
	finish();
}
