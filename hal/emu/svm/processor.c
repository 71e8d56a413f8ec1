// SPDX-License-Identifier: BSD-2-Clause
// The guest as its monitor sees it: the memory that its PMU may write records into.

#include "processor.h"

#include "hal.h"

extern char private_start[], user_start[];	// linker script

// The guest's data and heap; not what its processors, or the monitor, would not survive: tables, stacks, their state.
void processor_describe(struct mailbox_start *start)
{
	start->memory[0] = hal_memory_start;
	start->memory[1] = hal_memory_end;
	start->hidden[0] = (uintptr_t)private_start;
	start->hidden[1] = (uintptr_t)user_start;
}
