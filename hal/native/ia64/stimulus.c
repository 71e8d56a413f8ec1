// SPDX-License-Identifier: BSD-2-Clause
// Loads that miss the caches; reads of counters at the lowest level.

#include "stimulus.h"
#include "arch.h"
#include "hal.h"
#include "ia64/traps.h"

static uint64_t can_read_counter(uint64_t index)
{
	uint64_t value = 0;

	return reg_read_counter((uint32_t)index, &value);
}

static uint64_t read_counter(uint64_t index)
{
	uint64_t value = 0;

	reg_read_counter((uint32_t)index, &value);
	return value;
}

// A user-level function returns one value, so call two: one for success, one for the counter.
bool hal_read_counter_user(uint32_t index, uint64_t *value)
{
	if (!ia64_call_user((ia64_user_function *)can_read_counter, index))
		return false;
	*value = ia64_call_user((ia64_user_function *)read_counter, index);
	return true;
}

#define LOAD_CYCLES	500	/* longer than any load from memory takes */

// FC invalidates the line in all caches.
void hal_load(const volatile uint64_t *address)
{
	__asm__ volatile("fc %0 ;;\nsync.i ;;\nsrlz.i ;;" : : "r"(address) : "memory");
	(void)*address;
	arch_execute(LOAD_CYCLES);
}
