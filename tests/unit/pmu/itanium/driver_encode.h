/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of the itanium driver: counters, control values, settings. */
#ifndef DRIVER_ENCODE_H
#define DRIVER_ENCODE_H

#include "pmu/itanium/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline uint64_t choices(const char *text)
{
	struct event_request r = request(text);

	return itanium()->choices(&r);
}

static struct pmu_setting settings[PMU_EVENT_SETTINGS];
static unsigned count;

static inline void make_settings(const char *text)
{
	struct event_request r = request(text);

	if (!itanium()->choices(&r))
		fail_msg("'%s' is refused", text);
	memset(settings, 0xA5, sizeof settings);
	count = itanium()->settings->needed(&r, 4, settings);
	assert_true(count <= PMU_EVENT_SETTINGS);
}

static inline const struct pmu_setting *setting_of(uint32_t address, uint64_t bit)
{
	for (unsigned i = 0; i < count; i++)
		if (settings[i].address == address && settings[i].mask & bit)
			return &settings[i];
	return NULL;
}

static inline void assert_setting(uint32_t address, uint64_t mask, uint64_t value, uint64_t idle)
{
	const struct pmu_setting *s = setting_of(address, mask);

	assert_non_null(s);
	assert_int_equal(s->mask, mask);
	assert_int_equal(s->value, value);
	assert_int_equal(s->idle, idle);
}

/* Implemented register bits: Figures 6-16 to 6-22. */
#define TA		(1ULL << 0)
#define PT		(1ULL << 28)
#define OPCODE_BITS	0xFFFFFFFE3FFFFFF8ULL		/* all but 32:30 and 2:0 */
#define ALL_OPCODES	0xF00000003FFFFFF8ULL		/* 6.2.9 */
#define EAR_BITS	0x30F00CFULL
#define TRACE_BITS	0xFFCFULL
#define PAIR_BITS	0x8FFFFFFFFFFFFFFFULL		/* IBR: mask 55:0, plm 59:56, x 63 */

#endif
