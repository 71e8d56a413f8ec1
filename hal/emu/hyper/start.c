// SPDX-License-Identifier: BSD-2-Clause
// Starts the monitor beneath the running program.

#include "hal.h"

const char *hal_carrier(void)
{
	return "silicon";
}

bool hal_event_happens(uint16_t code, uint8_t umask)
{
	(void)code, (void)umask;
	return true;
}

struct hal_overhead hal_overhead(void)
{
	return (struct hal_overhead){0};
}

uint64_t hal_instructions(uint64_t clock)
{
	return clock;
}

const char *hal_emulate(const char *target, const char *fault)
{
	(void)target, (void)fault;
	return "there is no monitor";
}
