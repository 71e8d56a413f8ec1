// SPDX-License-Identifier: BSD-2-Clause
// The events that exist, and which counter counts them.

#include "state.h"

// Table 1-6: of each unit mask the event codes that exist.
static const uint8_t p54c_events[] = {
	0x00, 0x01, 0x02, 0x03, 0x04, 0x06, 0x09, 0x0A, 0x0C, 0x0D, 0x0E, 0x11, 0x12, 0x15, 0x16, 0x17, 0x1C, 0x1E,
	0x1F, 0x20, 0x21, 0x28, 0x29, 0x2A, 0x2B, 0x2C, 0x2D, 0x2E, 0x37, 0x38, 0x3A, 0x3B,
};
static const uint8_t cri_events[] = {
	0xC8, 0xC9, 0xCA, 0xCB, 0xCC, 0xD7, 0xE3, 0xE6, 0xE7, 0xF0, 0xF1, 0xF2, 0xF5, 0xF6, 0xF7, 0xFC, 0xFD, 0xFE,
	0xFF,
};
static const uint8_t vpu_events[] = {0x00, 0x01, 0x03, 0x04, 0x05, 0x16, 0x17, 0x18};

// Of unit mask 10H: those that counter 1 counts, too (Linux, arch/x86/events/intel/knc.c: knc_event_constraints).
static const uint8_t counter_1_events[] = {0xF0, 0xF5};

static bool is_among(const uint8_t *codes, size_t count, unsigned code)
{
	for (size_t i = 0; i < count; i++)
		if (codes[i] == code)
			return true;
	return false;
}

#define IS_AMONG(codes, code) is_among(codes, sizeof (codes), code)

// Of unit mask 10H: events without a thread-specific context (Table 1-5, Thread Count Mode). Table 1-6 does not say
// which these are: requests of other agents, which are answered whatever the core's threads execute.
static const uint8_t no_thread_events[] = {0xD7, 0xE3, 0xE6, 0xE7};

bool knc_is_of_no_thread(uint16_t event)
{
	return event >> 8 == KNC_UMASK_CRI && IS_AMONG(no_thread_events, event & 0xFF);
}

// Whether an event exists, and counter 0 or 1 of a thread counts it.
bool knc_is_event(unsigned code, unsigned umask, unsigned counter)
{
	switch (umask) {
	case KNC_UMASK_P54C:
		return IS_AMONG(p54c_events, code);
	case KNC_UMASK_CRI:
		return counter == 0 ? IS_AMONG(cri_events, code) : IS_AMONG(counter_1_events, code);
	case KNC_UMASK_VPU:
		return IS_AMONG(vpu_events, code);
	}
	return false;
}
