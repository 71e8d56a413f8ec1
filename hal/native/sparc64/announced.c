// SPDX-License-Identifier: BSD-2-Clause
// The backend's name, clock and events, from the answers to hal/include/announce.h's queries. On a
// machine that does not answer, no register tells silicon from an emulator.

#include <string.h>

#include "announce.h"
#include "backend.h"
#include "sparc64/registers.h"

#define TICK_NPT (1ULL << 63)	/* bit 63 of %stick, not part of the time */

static bool ask(uint64_t at, uint64_t *answer)
{
	return sparc64_load_asi(ANNOUNCE_ASI, at, answer);
}

static bool is_there(void)
{
	uint64_t signature;

	return ask(ANNOUNCE_VA, &signature) && !memcmp(&signature, ANNOUNCE_SIGNATURE,
						       sizeof signature);
}

// 0 without an answer; otherwise the version, and the clock in bits 15:8.
static uint64_t clock(void)
{
	uint64_t answer = 0;

	return is_there() && ask(ANNOUNCE_VA_CLOCK, &answer) ? answer : 0;
}

const char *hal_backend(void)
{
	if (!clock())
		return "unknown";
	return clock() >> 8 == ANNOUNCE_CLOCK_TIMED ? ANNOUNCE_BACKEND ", timed clock" :
	       ANNOUNCE_BACKEND ", unit clock";
}

enum hal_cycles hal_cycles(void)
{
	return clock() && clock() >> 8 == ANNOUNCE_CLOCK_UNIT ? HAL_CYCLES_ARE_INSTRUCTIONS :
	       HAL_CYCLES_ARE_TIME;
}

enum hal_happens hal_event_happens(bool shared, uint16_t code, uint8_t umask)
{
	uint64_t answer;

	if (!is_there() || !ask(ANNOUNCE_VA_EVENT(ANNOUNCE_EVENT(shared, code, umask)), &answer))
		return HAL_UNKNOWN;
	return answer ? HAL_HAPPENS : HAL_NEVER;
}

// With the unit clock an instruction takes 16 ns, a tick of %stick 10 ns.
uint64_t hal_instructions(uint64_t clock)
{
	return hal_cycles() == HAL_CYCLES_ARE_INSTRUCTIONS ? ((clock & ~TICK_NPT) * 5 + 7) / 8 :
	       clock;
}
