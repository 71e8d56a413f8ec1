/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions of the itanium driver. */
#ifndef DRIVER_SESSIONS_H
#define DRIVER_SESSIONS_H

#include "pmu/itanium/driver.h"

#include <stdlib.h>
#include <string.h>

#include "pal.h"

static inline void connect(const struct occurrence *signals, size_t count)
{
	vpmu_connect(shim_vpmu(), signals, count);
}

static inline unsigned explain(const char *text, const uint64_t *words, unsigned count,
			       struct payload_part *parts)
{
	struct event_request r = request(text);

	return itanium()->records->explain(&r, words, count, parts);
}

/* A load that misses. Its sample (Table 6-18): PMD2 the data address, PMD3 the latency, PMD17 the
 * instruction with slot and valid bit. */
static const struct occurrence load = {
	.code = 0x66, .n = 1, .type = OCCURRENCE_TYPE_M, .slot = 1, .data = 1, .latency = 40,
	.ip = 0x4000000000012340, .address = 0x6000000000ABCDE8,
};

static inline void assert_has_load(const struct pmu_sample *sample, const uint64_t *words)
{
	assert_int_equal(sample->source.words, 3);
	assert_int_equal(words[0], 0x6000000000ABCDE8);
	assert_int_equal(words[1] & 0xFFF, 40);
	assert_int_equal(words[2], 0x4000000000012345);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, driver_start, driver_end)

#endif
