/* SPDX-License-Identifier: BSD-2-Clause */
/* A session on the shim. */
#ifndef ONE_SESSION_H
#define ONE_SESSION_H

#include "machine.h"

#include "ring.h"

#define LENGTH(array) (sizeof array / sizeof *array)

/* The same event on a general and on a fixed counter, whose registers accept different values. */
#define ON_GENERAL "INST_RETIRED.ANY_P:ctr=1"
#define ON_FIXED "INSTRUCTION_RETIRED:ctr=32"
#define ON_THREE ON_GENERAL "," ON_FIXED ",CPU_CLK_UNHALTED.THREAD"

static inline void start_session(struct pmu_session *session)
{
	assert_int_equal(pmu_start(session), PMU_OK);
}

static inline void stop_session(struct pmu_session *session)
{
	assert_int_equal(pmu_stop(session), PMU_OK);
}

static inline void close_session(struct pmu_session *session)
{
	assert_int_equal(pmu_close(session), PMU_OK);
}

static inline void assert_counts(struct pmu_session *session, uint64_t expected)
{
	for (unsigned i = 0; i < session->count; i++)
		assert_int_equal(count_of(session, i), expected);
}

static inline void assert_no_more_samples(void)
{
	struct pmu_sample sample;

	assert_false(pmu_take_sample(&sample));
}

/* Counters are armed with at most 2^31 and have 48 bits: periods below and above both. */
static const uint64_t periods[] = {
	2, 3, 10, 1000, 65537, (1ULL << 31) - 1, 1ULL << 31, (1ULL << 31) + 1, (1ULL << 31) + 2,
	1ULL << 32,
	(1ULL << 32) + 1, (3ULL << 31) + 1, (1ULL << 40) + 3, (1ULL << 48) - 1, 1ULL << 48,
	(1ULL << 48) + 1, (1ULL << 50) + 7,
};

#define TEST(name) cmocka_unit_test_setup_teardown(name, machine_start, machine_end)

#endif
