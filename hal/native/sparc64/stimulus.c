// SPDX-License-Identifier: BSD-2-Clause
// Instructions of known number and effect, from arch/; accesses to counters at lower levels.

#include "stimulus.h"
#include "arch.h"
#include "hal.h"

void hal_execute_privileged(uint64_t n)
{
	sparc64_execute_privileged(n);
}

void hal_execute_kinds(uint64_t rounds)
{
	sparc64_execute_kinds(rounds);
}

uint64_t hal_kind_address(enum hal_kind kind)
{
	return (uintptr_t)sparc64_kinds + kind * sizeof(uint32_t);
}

void hal_execute_random(uint64_t branches)
{
	sparc64_execute_random(branches);
}

void hal_execute_far(void)
{
	sparc64_execute_far();
}

void hal_write_lines(uint64_t address, unsigned lines)
{
	sparc64_write_lines(address, lines);
}

static uint64_t can_read_counter(uint64_t index)
{
	uint64_t value;

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
	if (!sparc64_call_user((sparc64_user_function *)can_read_counter, index))
		return false;
	*value = sparc64_call_user((sparc64_user_function *)read_counter, index);
	return true;
}

bool hal_read_counter_privileged(uint32_t index, uint64_t *value)
{
	return sparc64_load_privileged(HAL_ASI_COUNTER, (uint64_t)index << 3, value);
}

// A user-mode function gets one argument.
static uint64_t write_counter(uint64_t index_and_value)
{
	return sparc64_store_asi(HAL_ASI_COUNTER, index_and_value >> 32 << 3,
				 (uint32_t)index_and_value);
}

bool hal_write_counter_user(uint32_t index, uint32_t value)
{
	return sparc64_call_user((sparc64_user_function *)write_counter,
				 (uint64_t)index << 32 | value);
}
