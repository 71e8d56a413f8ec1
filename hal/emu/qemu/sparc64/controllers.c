// SPDX-License-Identifier: BSD-2-Clause
// SPARC: the registers of the T4's memory controllers, a device of QEMU's machine at their physical
// addresses (SPARC T4 Supplement, Tables 10-4 to 10-6). An access is an ordinary instruction, which
// QEMU reports as a load or store.

#include "../plugin.h"
#include "../pmus.h"
#include "../timeline.h"
#include "../unpromised.h"
#include "references.h"
#include "sparc64.h"

// QEMU's processor truncates physical addresses to 41 bits.
#define BASE		(0xF80400000000 & ((1ULL << 41) - 1))
#define STRIDE_SHIFT	12
#define CONTROLLERS	256
#define NUMBERED	0x80000000u	/* hal.h numbers these registers from here */

static uint32_t number_of(uint64_t offset)
{
	return NUMBERED | (uint32_t)(offset & ((1u << STRIDE_SHIFT) - 1)) << 8 |
	       (uint32_t)(offset >> STRIDE_SHIFT);
}

// The memory controllers' counters are always enabled, but matter only after software has accessed
// them.
static void watch(const struct cpu *c)
{
	if (c->core->package->watched)
		return;
	c->core->package->watched = true;
	sparc64_references_matter();
	plugin_changed(c);
}

static unsigned read_register(void *unused, uint64_t offset, uint64_t *value, unsigned size,
			      struct mem_tx_attrs attrs)
{
	struct cpu *c = plugin_running();
	bool is;

	(void)unused, (void)size, (void)attrs;
	timeline_settle(c);
	is = vpmu_package_read(&c->vpmu, number_of(offset), value);
	timeline_resume(c);
	watch(c);
	return is ? MEMTX_OK : MEMTX_DECODE_ERROR;
}

static unsigned write_register(void *unused, uint64_t offset, uint64_t value, unsigned size,
			       struct mem_tx_attrs attrs)
{
	struct cpu *c = plugin_running();
	bool is;

	(void)unused, (void)size, (void)attrs;
	timeline_settle(c);
	is = vpmu_package_write(&c->vpmu, number_of(offset), value, 0);
	timeline_resume(c);
	watch(c);
	return is ? MEMTX_OK : MEMTX_DECODE_ERROR;
}

void sparc64_map_controllers(void)
{
	static const struct memory_region_ops ops = {
		.read = read_register, .write = write_register, .endianness = DEVICE_BIG_ENDIAN,
		.valid = {.least = sizeof(uint64_t), .most = sizeof(uint64_t)},
		.impl = {.least = sizeof(uint64_t), .most = sizeof(uint64_t)},
	};

	unpromised_map(&ops, "palmon-memory-controllers", BASE,
		       (uint64_t)CONTROLLERS << STRIDE_SHIFT);
}
