// SPDX-License-Identifier: BSD-2-Clause
// The backend's name, clock and events, from the answers to hal/include/announce.h's queries.

#include <string.h>

#include "announce.h"
#include "backend.h"
#include "x86/cpu.h"

static bool is_there(void)
{
	const struct x86_cpuid r = x86_cpuid(ANNOUNCE_LEAF, 0);
	const uint32_t signature[] = {r.ebx, r.ecx, r.edx};

	return !memcmp(signature, ANNOUNCE_SIGNATURE, sizeof signature);
}

// SDM volume 2A, CPUID leaf 1: ECX bit 31 is 0 on processors. Hypervisors and emulators set it.
static bool is_virtual(void)
{
	return x86_cpuid(1, 0).ecx >> 31;
}

const char *hal_backend(void)
{
	static const char *const names[][2] = {
		{ANNOUNCE_BACKEND ", unit clock",
		 ANNOUNCE_BACKEND ", unit clock, interruptions count"},
		{ANNOUNCE_BACKEND ", timed clock",
		 ANNOUNCE_BACKEND ", timed clock, interruptions count"},
	};
	struct x86_cpuid clock;

	if (!is_there())
		return is_virtual() ? "unknown" : "silicon";
	clock = x86_cpuid(ANNOUNCE_LEAF_CLOCK, 0);
	return names[clock.ebx == ANNOUNCE_CLOCK_TIMED][clock.ecx & ANNOUNCE_INTERRUPTIONS_COUNT];
}

enum hal_cycles hal_cycles(void)
{
	if (is_there() && x86_cpuid(ANNOUNCE_LEAF_CLOCK, 0).ebx == ANNOUNCE_CLOCK_UNIT)
		return HAL_CYCLES_ARE_INSTRUCTIONS;
	return HAL_CYCLES_ARE_TIME;
}

enum hal_happens hal_event_happens(bool shared, uint16_t code, uint8_t umask)
{
	if (!is_there())
		return HAL_UNKNOWN;
	return x86_cpuid(ANNOUNCE_LEAF_EVENT, ANNOUNCE_EVENT(shared, code, umask)).eax ?
	       HAL_HAPPENS : HAL_NEVER;
}
