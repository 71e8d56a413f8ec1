/* SPDX-License-Identifier: BSD-2-Clause */
/* Register accesses that take time, as on a processor: counters continue meanwhile. Tests compile a
 * driver a second time with reg_read and reg_write defined as these. */
#ifndef SLOW_H
#define SLOW_H

#include "shim.h"

static unsigned cycles_an_access;

// Advances by some cycles, then accesses the register. An overflow interrupts at the next
// instruction.
static bool slow_read(uint32_t address, uint64_t *value)
{
	vpmu_run(shim_vpmu(), cycles_an_access);
	return vpmu_read(shim_vpmu(), address, value);
}

static bool slow_write(uint32_t address, uint64_t value)
{
	vpmu_run(shim_vpmu(), cycles_an_access);
	return vpmu_write(shim_vpmu(), address, value, 0);
}

#endif
