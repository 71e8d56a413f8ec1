// SPDX-License-Identifier: BSD-2-Clause
// Contexts as bytes: invalid bytes are refused and change nothing.

#include "portable_bytes.h"

//
// Refusals
//

// A CRC-32 implementation independent of the tested one: bit by bit.
static uint32_t crc32_of(const uint8_t *bytes, size_t size)
{
	uint32_t crc = 0xFFFFFFFF;

	for (size_t i = 0; i < 8 * size; i++)
		crc = crc >> 1 ^ ((crc ^ bytes[i / 8] >> i % 8) & 1 ? 0xEDB88320 : 0);
	return ~crc;
}

static void seal(uint8_t *bytes, size_t size)
{
	const uint32_t crc = crc32_of(bytes, size - 4);

	for (unsigned i = 0; i < 4; i++)
		bytes[size - 4 + i] = (uint8_t)(crc >> 8 * i);
}

static void every_cut_and_every_changed_bit_is_refused(void **state)
{
	uint8_t bytes[sizeof golden];

	(void)state;
	assert_int_equal(try(golden, golden_size, 2), PMU_PORTABLE_OK);
	for (size_t size = 0; size < golden_size; size++)
		assert_int_equal(try(golden, size, 2), size < 8 ? PMU_PORTABLE_MAGIC :
				 PMU_PORTABLE_LENGTH);
	memcpy(bytes, golden, sizeof bytes);
	assert_int_equal(try(bytes, golden_size + 1, 2), PMU_PORTABLE_LENGTH);
	for (size_t bit = 0; bit < 8 * golden_size; bit++) {
		const size_t at = bit / 8;

		bytes[at] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(try(bytes, golden_size, 2),
				 at < 8 ? PMU_PORTABLE_MAGIC :
				 at < 12 ? PMU_PORTABLE_VERSION_UNKNOWN :
				 at < 16 ? PMU_PORTABLE_LENGTH : PMU_PORTABLE_CHECKSUM);
		bytes[at] = golden[at];
	}
}

// Offsets in the context written by hand: palmon-state(5).
#define SESSION_7	64
#define SESSION_2	72
#define COUNTER_0	80
#define COUNTER_32	144
#define COUNTER_1	208
#define COUNTER_2	272
#define OFFCORE_RSP	336
#define LBR_SELECT	368
#define DEBUGCTL	400
#define RECORDED	432
#define WRAP		8
#define START		16
#define PERIOD_AT	32
#define NUMBER		56
#define FLAGS		57
#define JITTER		58
#define SEED		60

// One changed value, with a correct checksum.
static const struct refusal {
	size_t at;
	unsigned size;
	uint64_t value;
	enum pmu_portable_error error;
} refusals[] = {
	{0, 1, 0x88, PMU_PORTABLE_MAGIC},
	{8, 4, 2, PMU_PORTABLE_VERSION_UNKNOWN}, {8, 4, 0x01000000, PMU_PORTABLE_VERSION_UNKNOWN},
	{12, 4, 453, PMU_PORTABLE_LENGTH}, {12, 4, 0xC4010000, PMU_PORTABLE_LENGTH},
	{16, 1, 'N', PMU_PORTABLE_TARGET}, {23, 1, '-', PMU_PORTABLE_TARGET},
	{39, 1, 1, PMU_PORTABLE_TARGET},
	{22, 1, 0, PMU_PORTABLE_TARGET},
	{40, 8, 0x70000000F0, PMU_PORTABLE_WIDTH}, {48, 1, 47, PMU_PORTABLE_WIDTH},
	{48, 1, 255, PMU_PORTABLE_WIDTH},
	{49, 1, 4, PMU_PORTABLE_LEVEL}, {52, 4, 1, PMU_PORTABLE_UNUSED},
	{50, 1, 1, PMU_PORTABLE_LENGTH}, {50, 1, 3, PMU_PORTABLE_ROOM},
	{50, 1, 255, PMU_PORTABLE_ROOM},
	{51, 1, 1, PMU_PORTABLE_LENGTH}, {51, 1, 97, PMU_PORTABLE_RECORDED},
	{RECORDED + 8, 8, 0, PMU_PORTABLE_RECORDED},
	// Sessions
	{SESSION_2, 4, 7, PMU_PORTABLE_TWICE},
	{SESSION_7 + 4, 1, 255, PMU_PORTABLE_LENGTH}, {SESSION_7 + 5, 1, 1, PMU_PORTABLE_LENGTH},
	{SESSION_7 + 6, 1, 2, PMU_PORTABLE_UNUSED}, {SESSION_7 + 7, 1, 1, PMU_PORTABLE_UNUSED},
	// Counters
	{COUNTER_0 + NUMBER, 1, 4, PMU_PORTABLE_NUMBER},
	{COUNTER_0 + NUMBER, 1, 35, PMU_PORTABLE_NUMBER},
	{COUNTER_0 + NUMBER, 1, 64, PMU_PORTABLE_NUMBER},
	{COUNTER_0 + NUMBER, 1, 255, PMU_PORTABLE_NUMBER},
	{COUNTER_2 + NUMBER, 1, 1, PMU_PORTABLE_TWICE},
	{COUNTER_2 + NUMBER, 1, 0, PMU_PORTABLE_TWICE},
	{COUNTER_0 + FLAGS, 1, 16, PMU_PORTABLE_UNUSED},
	{COUNTER_0 + 59, 1, 1, PMU_PORTABLE_UNUSED},
	{COUNTER_0 + JITTER, 1, 100, PMU_PORTABLE_OK},
	{COUNTER_0 + JITTER, 1, 101, PMU_PORTABLE_PERIOD},
	{COUNTER_0 + SEED, 4, 1, PMU_PORTABLE_PERIOD},		// without jitter
	{COUNTER_32 + JITTER, 1, 1, PMU_PORTABLE_PERIOD},	// without a period
	{COUNTER_0 + FLAGS, 1, 2, PMU_PORTABLE_FLAGS},		// polled: this target has no such
								// counter
	{COUNTER_32 + FLAGS, 1, 1, PMU_PORTABLE_FLAGS},		// precise, without a period
	{COUNTER_32 + FLAGS, 1, 8, PMU_PORTABLE_FLAGS},		// throttled, without a period
	{COUNTER_0 + FLAGS, 1, 9, PMU_PORTABLE_FLAGS},		// precise and throttled
	{COUNTER_0 + PERIOD_AT, 8, 1, PMU_PORTABLE_PERIOD},
	{COUNTER_0 + PERIOD_AT, 8, 1ULL << 63, PMU_PORTABLE_PERIOD},
	{COUNTER_0 + PERIOD_AT, 8, 0, PMU_PORTABLE_START},	// pending, without a period
	{COUNTER_0 + START, 8, 1ULL << 49, PMU_PORTABLE_START},
	{COUNTER_0 + START, 8, 1ULL << 48 | 1ULL << 31, PMU_PORTABLE_START},
	{COUNTER_0 + START, 8, (1ULL << 48) - (1ULL << 31) - 1, PMU_PORTABLE_START},
	{COUNTER_0 + START, 8, UINT64_MAX, PMU_PORTABLE_START},
	{COUNTER_2 + START, 8, 1ULL << 48, PMU_PORTABLE_START},	// pending, in a session that was
								// not running
	{COUNTER_2 + START, 8, (1ULL << 48) - 2, PMU_PORTABLE_OK},
	{COUNTER_2 + START, 8, (1ULL << 48) - 1, PMU_PORTABLE_START},	// one event left
	{COUNTER_32 + START, 8, 1ULL << 48, PMU_PORTABLE_START},
	{COUNTER_0, 8, 0x5B01C0, PMU_PORTABLE_SELECT},		// a reserved bit
	{COUNTER_0, 8, 0x15301C0, PMU_PORTABLE_OK},		// a threshold
	{COUNTER_0, 8, 0x1005301C0, PMU_PORTABLE_SELECT},
	{COUNTER_0, 8, 0x5301CF, PMU_PORTABLE_OK},		// not in the table: a raw event
	{COUNTER_0, 8, 0x5B01CF, PMU_PORTABLE_SELECT},
	{COUNTER_0, 8, 0x4301CF, PMU_PORTABLE_SELECT},		// without the interrupt enable
	{COUNTER_0, 8, 0x5001CF, PMU_PORTABLE_SELECT},		// at no level
	{COUNTER_0, 8, 0x530000, PMU_PORTABLE_SELECT},		// no event
	{COUNTER_0, 8, 0x53FF40, PMU_PORTABLE_OK},
	{COUNTER_2, 8, 0x53FF40, PMU_PORTABLE_SELECT},
	{COUNTER_0, 8, 0x530240, PMU_PORTABLE_OK},		// L1D_CACHE_LD, for counters 0 and
								// 1
	{COUNTER_2, 8, 0x530240, PMU_PORTABLE_SELECT},
	{COUNTER_32, 8, 0xB0, PMU_PORTABLE_SELECT},		// the event of counter 33
	{COUNTER_0 + FLAGS, 1, 1, PMU_PORTABLE_START},		// pending, and precise
	{COUNTER_2 + FLAGS, 1, 5, PMU_PORTABLE_OK},		// near calls can be precise
	{COUNTER_1 + FLAGS, 1, 1, PMU_PORTABLE_FLAGS},
	// Settings
	{OFFCORE_RSP + 4, 1, 1, PMU_PORTABLE_UNUSED},
	{OFFCORE_RSP, 4, 0x174, PMU_PORTABLE_SETTING},
	{OFFCORE_RSP, 4, 0x3F6, PMU_PORTABLE_SETTING},		// load latency, which the session
								// does not count
	{OFFCORE_RSP + 8, 8, 0x1FFFF, PMU_PORTABLE_SETTING},
	{OFFCORE_RSP + 16, 8, 0x14001, PMU_PORTABLE_SETTING},
	{OFFCORE_RSP + 24, 8, 1, PMU_PORTABLE_SETTING},
	{COUNTER_2 + FLAGS, 1, 0, PMU_PORTABLE_SETTING},	// the session records no branches
	{COUNTER_1, 8, 0x5301C0, PMU_PORTABLE_SETTING},
};

static void each_field_is_checked(void **state)
{
	uint8_t bytes[sizeof golden];

	(void)state;
	for (const struct refusal *r = refusals; r < refusals + LENGTH(refusals); r++) {
		enum pmu_portable_error error;

		memcpy(bytes, golden, sizeof bytes);
		for (unsigned i = 0; i < r->size; i++)
			bytes[r->at + i] = (uint8_t)(r->value >> 8 * i);
		seal(bytes, golden_size);
		error = try(bytes, golden_size, 2);
		if (error != r->error)
			fail_msg("%zu: 0x%llx: '%s', not '%s'", r->at, (unsigned long long)r->value,
				 pmu_portable_explain(error), pmu_portable_explain(r->error));
	}
}

// The context written by hand, with a setting of LBR_SELECT instead of OFFCORE_RSP_0; with other
// bits or another value.
static void settings_that_overlap_are_refused(void **state)
{
	uint8_t bytes[sizeof golden];

	(void)state;
	memcpy(bytes, golden, sizeof bytes);
	memcpy(bytes + OFFCORE_RSP, golden + LBR_SELECT, 32);
	seal(bytes, golden_size);
	assert_int_equal(try(bytes, golden_size, 2), PMU_PORTABLE_TWICE);
	bytes[LBR_SELECT + 16] = 1;
	seal(bytes, golden_size);
	assert_int_equal(try(bytes, golden_size, 2), PMU_PORTABLE_OVERLAP);
	bytes[LBR_SELECT + 16] = 0;
	bytes[LBR_SELECT + 8] = 0xFE;
	seal(bytes, golden_size);
	assert_int_equal(try(bytes, golden_size, 2), PMU_PORTABLE_OVERLAP);
}

static void another_target_and_too_little_room_are_refused(void **state)
{
	static struct pmu_session sessions[2];
	struct pmu_context context;

	(void)state;
	assert_int_equal(try(golden, golden_size, 1), PMU_PORTABLE_ROOM);
	assert_int_equal(pmu_portable_read(pmu_driver_find("itanium"), golden, golden_size,
					   sessions, 2, &context),
			 PMU_PORTABLE_TARGET);
	assert_int_equal(pmu_portable_read(pmu_driver_find("nehalem-uncore"), golden, golden_size,
					   sessions, 2, &context), PMU_PORTABLE_TARGET);
	assert_null(pmu_portable_target(golden, 63));
	assert_null(pmu_portable_target((const uint8_t *)refusals, sizeof refusals));
}

static void too_many_sessions_and_too_little_memory_write_nothing(void **state)
{
	static struct pmu_session sessions[PMU_PORTABLE_SESSIONS + 1];
	static uint8_t bytes[PMU_PORTABLE_MOST];
	struct pmu_session *open = NULL;
	struct pmu_context context = {.driver = pmu_driver_find("nehalem")};

	(void)state;
	for (unsigned i = 0; i < PMU_PORTABLE_SESSIONS; i++) {
		sessions[i] = (struct pmu_session){.number = i, .next = open};
		open = &sessions[i];
	}
	context.open = open;
	assert_int_equal(pmu_portable_write(&context, bytes, sizeof bytes), 64 + 16 * 8 + 4);
	assert_int_equal(pmu_portable_write(&context, bytes, 64 + 16 * 8 + 3), 0);
	sessions[PMU_PORTABLE_SESSIONS] = (struct pmu_session){.number = PMU_PORTABLE_SESSIONS,
							       .next = open};
	context.open = &sessions[PMU_PORTABLE_SESSIONS];
	assert_int_equal(pmu_portable_write(&context, bytes, sizeof bytes), 0);
}

// A counter of the SPARC T4 with precise events is polled exactly if it counts in hyperprivileged
// mode: the Supplement, section 10.3. PCR of Instr_all: picnht and picnpt (3 << 16), sl 3, mask 3F,
// ht 10h, st 8, ut 4, toe 2.
static void polling_goes_with_the_levels(void **state)
{
	static const struct {
		uint32_t pcr;
		uint8_t flags;
		enum pmu_portable_error error;
	} counters[] = {
		{0x31FE4 | 0x10, 2, PMU_PORTABLE_OK}, {0x31FE4 | 0x0A, 0, PMU_PORTABLE_OK},
		{0x31FE4 | 0x10, 0, PMU_PORTABLE_SELECT}, {0x31FE4 | 0x0A, 2, PMU_PORTABLE_SELECT},
		{0x31FE4 | 0x12, 0, PMU_PORTABLE_SELECT}, {0x31FE4 | 0x12, 2, PMU_PORTABLE_SELECT},
		{0x31FE4 | 0x08, 0, PMU_PORTABLE_SELECT}, {0x31FE4 | 0x08, 2, PMU_PORTABLE_SELECT},
		// Cycles: they trap in all modes
		{0x3D004 | 0x12, 0, PMU_PORTABLE_OK}, {0x3D004 | 0x12, 2, PMU_PORTABLE_SELECT},
		{0x3D004 | 0x10, 0, PMU_PORTABLE_SELECT},
		// Readable by programs
		{0x11FE4 | 0x0A, 0, PMU_PORTABLE_SELECT}, {0x21FE4 | 0x0A, 0, PMU_PORTABLE_SELECT},
	};
	static struct pmu_session session;
	struct pmu_context context;
	uint8_t bytes[64 + 8 + 64 + 4];
	size_t size;

	(void)state;
	begin("sparct4");
	open_session(&session, "Instr_all:plm=9:period=1000");
	assert_int_equal(pmu_context_save(&context, 0, 0), PMU_OK);
	size = pmu_portable_write(&context, bytes, sizeof bytes);
	assert_int_equal(size, sizeof bytes);
	pmu_portable_forget(&context);
	for (unsigned i = 0; i < LENGTH(counters); i++) {
		enum pmu_portable_error error;

		for (unsigned byte = 0; byte < 4; byte++)
			bytes[72 + byte] = (uint8_t)(counters[i].pcr >> 8 * byte);
		bytes[72 + FLAGS] = counters[i].flags;
		seal(bytes, size);
		error = pmu_portable_read(pmu_current_driver(), bytes, size, &session, 1, &context);
		if (error != counters[i].error)
			fail_msg("PCR %x, flags %u: '%s'", counters[i].pcr, counters[i].flags,
				 pmu_portable_explain(error));
	}
	shim_end();
}

// Accepted bytes are written as they were read, and can be restored, started, stopped and closed.
static void use(const uint8_t *bytes, size_t size)
{
	static struct pmu_session s[PMU_PORTABLE_SESSIONS];
	struct pmu_context context;
	uint8_t again[PMU_PORTABLE_MOST];
	enum pmu_error error;

	begin("nehalem");
	assert_int_equal(pmu_portable_read(pmu_current_driver(), bytes, size, s, LENGTH(s),
					   &context), PMU_PORTABLE_OK);
	assert_int_equal(pmu_portable_write(&context, again, sizeof again), size);
	assert_memory_equal(again, bytes, size);
	error = pmu_context_restore(&context);
	if (error == PMU_NO_BUFFER) {
		pmu_portable_forget(&context);
	} else {
		hal_execute(300);
		for (unsigned i = 0; i < bytes[50]; i++)
			pmu_close(&s[i]);
	}
	shim_end();
}

static void whatever_is_accepted_can_be_used(void **state)
{
	uint64_t random = 0x2545F4914F6CDD1D;
	unsigned accepted = 0, refused = 0;
	uint8_t bytes[sizeof golden];

	(void)state;
	for (unsigned turn = 0; turn < 2000; turn++) {
		memcpy(bytes, golden, sizeof bytes);
		for (uint64_t changes = random_between(&random, 1, 3); changes; changes--)
			bytes[random_between(&random, 49, golden_size - 5)] =
				(uint8_t)random_next(&random);
		seal(bytes, golden_size);
		if (try(bytes, golden_size, PMU_PORTABLE_SESSIONS)) {
			refused++;
			continue;
		}
		accepted++;
		use(bytes, golden_size);
	}
	assert_true(accepted > 100 && refused > 100);
}

static void any_bytes_are_safe(void **state)
{
	uint64_t random = 0x9E3779B97F4A7C15;

	(void)state;
	for (unsigned turn = 0; turn < 2000; turn++) {
		const size_t size = random_between(&random, 0, 600);
		uint8_t bytes[600];

		for (size_t i = 0; i < size; i++)
			bytes[i] = (uint8_t)random_next(&random);
		if (size > 68) {
			memcpy(bytes, golden, 50);
			bytes[12] = (uint8_t)size;
			bytes[13] = (uint8_t)(size >> 8);
			seal(bytes, size);
		}
		assert_int_not_equal(try(bytes, size, PMU_PORTABLE_SESSIONS), PMU_PORTABLE_OK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cut_and_every_changed_bit_is_refused),
		cmocka_unit_test(each_field_is_checked),
		cmocka_unit_test(settings_that_overlap_are_refused),
		cmocka_unit_test(another_target_and_too_little_room_are_refused),
		cmocka_unit_test(too_many_sessions_and_too_little_memory_write_nothing),
		cmocka_unit_test(polling_goes_with_the_levels),
		cmocka_unit_test(whatever_is_accepted_can_be_used),
		cmocka_unit_test(any_bytes_are_safe),
	};

	return cmocka_run_group_tests_name("contexts as bytes", tests, read_golden, NULL);
}
