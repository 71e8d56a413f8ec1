// SPDX-License-Identifier: BSD-2-Clause
// The itanium driver on the shim: payloads of samples. Machine and time as in test_driver.c.

#include "driver_sessions.h"

//
// Payloads
//

static void assert_part(const struct payload_part *part, const char *name, uint64_t value,
			enum payload_kind kind)
{
	assert_string_equal(part->name, name);
	assert_int_equal(part->value, value);
	assert_int_equal(part->kind, kind);
}

static void data_misses_are_sampled_with_their_addresses(void **state)
{
	struct payload_part parts[PAYLOAD_PARTS];
	uint64_t words[PMU_PAYLOAD_WORDS];
	struct pmu_session session;
	struct pmu_sample sample;
	unsigned samples = 0;

	(void)state;
	open_session(&session, "DATA_EAR_EVENTS:lat=32:period=3");
	assert_int_equal(pmu_start(&session), PMU_OK);
	connect(&load, 1);
	hal_execute(2000);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	while (pmu_take_sample_with_payload(&sample, words)) {
		samples++;
		assert_has_load(&sample, words);
		assert_int_equal(explain("DATA_EAR_EVENTS:lat=32", words, 3, parts), 5);
		assert_part(&parts[0], "valid", 1, PAYLOAD_NUMBER);
		assert_part(&parts[1], "ip", 0x4000000000012340, PAYLOAD_ADDRESS);
		assert_part(&parts[2], "slot", 1, PAYLOAD_NUMBER);
		assert_part(&parts[3], "address", 0x6000000000ABCDE8, PAYLOAD_ADDRESS);
		assert_part(&parts[4], "latency", 40, PAYLOAD_NUMBER);
	}
	assert_true(samples > 5);
	pmu_close(&session);
}

// Table 6-13: PMD0 the line with its valid bit, PMD1 the latency.
static void fetch_misses_are_sampled_with_their_lines(void **state)
{
	static const struct occurrence fetch = {.code = 0x22, .n = 1, .latency = 64,
						.ip = 0x20000000000004A0};
	struct payload_part parts[PAYLOAD_PARTS];
	uint64_t words[PMU_PAYLOAD_WORDS];
	struct pmu_session session;
	struct pmu_sample sample;

	(void)state;
	open_session(&session, "INSTRUCTION_EAR_EVENTS:lat=64:period=10");
	assert_int_equal(pmu_start(&session), PMU_OK);
	connect(&fetch, 1);
	hal_execute(17);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_true(pmu_take_sample_with_payload(&sample, words));
	assert_int_equal(sample.source.words, 2);
	assert_int_equal(words[0] & ~2ULL, 0x20000000000004A1);		// bit 1 is undefined here
	assert_int_equal(words[1] & 0xFFF, 64);
	assert_int_equal(explain("INSTRUCTION_EAR_EVENTS", words, 2, parts), 3);
	assert_part(&parts[0], "valid", 1, PAYLOAD_NUMBER);
	assert_part(&parts[1], "line", 0x20000000000004A0, PAYLOAD_ADDRESS);
	assert_part(&parts[2], "latency", 64, PAYLOAD_NUMBER);
	pmu_close(&session);
}

// Table 6-22: a branch has bit 0 set, and its slot in 3:2; a target has bit 1 set. Each taken
// branch leaves two entries, so the buffer holds the last four.
static void branches_are_sampled_with_the_path_to_them(void **state)
{
	static const struct occurrence branch = {
		.code = 0x0F, .n = 1, .type = OCCURRENCE_TYPE_B, .slot = 2,
		.branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN, .served = 1, .ip = 0x2000,
		.target = 0x3000,
	};
	struct payload_part parts[PAYLOAD_PARTS];
	uint64_t words[PMU_PAYLOAD_WORDS];
	struct pmu_session session;
	struct pmu_sample sample;

	(void)state;
	open_session(&session, "BRANCH_EVENT:period=10");
	assert_int_equal(pmu_start(&session), PMU_OK);
	deliver(&branch, 1, 19);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_true(pmu_take_sample_with_payload(&sample, words));
	assert_int_equal(sample.source.words, 9);
	// 20 entries: it has wrapped, and the next one is the fifth
	assert_int_equal(words[0], 8 | 4);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(words[1 + i], i % 2 ? 0x3002 : 0x2009);
	assert_int_equal(explain("BRANCH_EVENT", words, 9, parts), 4 * 4 + 1);
	// 8 + (8 + 4 - 1) % 8 (6.2.8.2)
	assert_part(&parts[16], "last", 11, PAYLOAD_REGISTER);
	for (unsigned i = 0; i < 16; i += 4) {
		assert_part(&parts[i], "branch", 0x2000, PAYLOAD_ADDRESS);
		assert_part(&parts[i + 1], "slot", 2, PAYLOAD_NUMBER);
		assert_part(&parts[i + 2], "mispredicted", 0, PAYLOAD_NUMBER);
		assert_part(&parts[i + 3], "target", 0x3000, PAYLOAD_ADDRESS);
	}
	pmu_close(&session);
}

// A monitor that is off does not keep its records (Table 6-11): the next session begins without
// records.
static void a_session_begins_with_an_empty_trace(void **state)
{
	static const struct occurrence branch = {
		.code = 0x0F, .n = 1, .type = OCCURRENCE_TYPE_B, .slot = 2,
		.branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN, .served = 1, .ip = 0x2000,
		.target = 0x3000,
	};
	uint64_t words[PMU_PAYLOAD_WORDS];
	struct pmu_sample sample;

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		struct pmu_session session;

		open_session(&session, "BRANCH_EVENT:period=3");
		assert_int_equal(pmu_start(&session), PMU_OK);
		deliver(&branch, 1, 4);
		assert_int_equal(pmu_stop(&session), PMU_OK);
		assert_true(pmu_take_sample_with_payload(&sample, words));
		assert_int_equal(words[0], 6);			// three branches, three targets
		assert_true(session.driver->release(session.counter, session.count));
		for (unsigned entry = 8; entry <= 16; entry++)	// nor does a later one see these
			assert_int_equal(get(PMD(entry)), 0);
		assert_int_equal(pmu_close(&session), PMU_OK);
	}
}

// By hand. 6.2.8.2: the entry written last is 8 + ((8 * full + bbi - 1) % 8), so the path ends with
// it; if both are 0, there is none.
static void a_path_is_told_oldest_first(void **state)
{
	struct payload_part parts[PAYLOAD_PARTS];
	uint64_t words[9] = {0};

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		// targets with different addresses
		words[1 + i] = 0x1000 * (i + 1) | 2;
	for (unsigned full = 0; full <= 1; full++)
		for (unsigned index = 0; index < 8; index++) {
			unsigned count = full ? 8 : index, last = (8 * full + index - 1) % 8;

			words[0] = full << 3 | index;
			assert_int_equal(explain("BRANCH_EVENT", words, 9, parts),
					 count ? count + 1 : 0);
			if (count) {
				assert_int_equal(parts[count - 1].value, 0x1000 * (last + 1));
				assert_part(&parts[count], "last", 8 + last, PAYLOAD_REGISTER);
				assert_string_equal(parts[count].text, "PMD");
			}
			for (unsigned i = 1; i < count; i++)
				assert_int_equal(parts[i].value,
						 parts[i - 1].value % 0x8000 + 0x1000);
		}
}

static void entries_of_each_kind(void **state)
{
	// A mispredicted taken branch in slot 1, and its target; a branch that is not taken; an
	// invalid entry.
	static const uint64_t words[9] = {4, 0x12340 | 1 << 2 | 2 | 1, 0x56780 | 2,
					  0x9ABC0 | 3 << 2 | 1, 0xDEF00};
	struct payload_part parts[PAYLOAD_PARTS];

	(void)state;
	assert_int_equal(explain("BRANCH_EVENT", words, 9, parts), 8);
	assert_part(&parts[0], "branch", 0x12340, PAYLOAD_ADDRESS);
	assert_part(&parts[1], "slot", 1, PAYLOAD_NUMBER);
	assert_part(&parts[2], "mispredicted", 1, PAYLOAD_NUMBER);
	assert_part(&parts[3], "target", 0x56780, PAYLOAD_ADDRESS);
	assert_part(&parts[4], "branch", 0x9ABC0, PAYLOAD_ADDRESS);
	assert_part(&parts[5], "taken", 0, PAYLOAD_NUMBER);
	assert_part(&parts[6], "mispredicted", 0, PAYLOAD_NUMBER);
}

// Tables 6-15 and 6-20. Without the valid bit the payload has no other parts.
static void translation_misses_are_told_by_who_served_them(void **state)
{
	static const uint64_t walker[3] = {0xA000, 2ULL << 62, 0x4561},
		nothing[3] = {0xA000, 2ULL << 62, 0x4560};
	static const uint64_t software[2] = {0x4000000000000123, 0xFFF};
	struct payload_part parts[PAYLOAD_PARTS];

	(void)state;
	assert_int_equal(explain("DATA_EAR_EVENTS:tlb=0xE", walker, 3, parts), 5);
	assert_part(&parts[4], "level", 2, PAYLOAD_NUMBER);
	assert_int_equal(explain("DATA_EAR_EVENTS:tlb=0xE", nothing, 3, parts), 1);
	assert_part(&parts[0], "valid", 0, PAYLOAD_NUMBER);
	assert_int_equal(explain("INSTRUCTION_EAR_EVENTS:tlb=0xC", software, 2, parts), 3);
	assert_part(&parts[1], "line", 0x4000000000000120, PAYLOAD_ADDRESS);
	assert_part(&parts[2], "level", 3, PAYLOAD_NUMBER);
}

// Any words, any number of them, as from a file that another program wrote.
static void a_payload_of_the_wrong_size_says_nothing(void **state)
{
	uint64_t words[PMU_PAYLOAD_WORDS];
	struct payload_part parts[PAYLOAD_PARTS];
	unsigned most = 0;

	(void)state;
	memset(words, 0xFF, sizeof words);
	for (unsigned count = 0; count <= PMU_PAYLOAD_WORDS; count++) {
		assert_int_equal(explain("CPU_CYCLES", words, count, parts), 0);
		if (count != 3)
			assert_int_equal(explain("DATA_EAR_EVENTS", words, count, parts), 0);
		if (count != 2)
			assert_int_equal(explain("INSTRUCTION_EAR_EVENTS", words, count, parts), 0);
		if (count != 9)
			assert_int_equal(explain("BRANCH_EVENT", words, count, parts), 0);
		else
			most = explain("BRANCH_EVENT", words, count, parts);
	}
	// eight branches of three parts, and the last one's register
	assert_int_equal(most, 24 + 1);
}

static void assert_place(const char *text, const uint64_t *words, unsigned count, uint64_t address,
			 enum pmu_place place)
{
	const struct event_request r = request(text);
	const struct pmu_location l = pmu_locate(itanium(), &r, 0x777, words, count);

	assert_int_equal(l.address, address);
	assert_int_equal(l.place, place);
}

// Tables 6-13 and 6-18: a sample is at the load's bundle and slot, or at the line; not at the
// interrupted instruction.
static void a_sample_is_where_the_miss_was(void **state)
{
	static const uint64_t miss[] = {0x5000, 40, 0x12340 | 2 << 2 | 1},
	no_miss[] = {0x5000, 40, 0x12340 | 2 << 2},
		line[] = {0x4A0 | 1, 64}, no_line[] = {0x4A0, 64}, branches[9] = {0};

	(void)state;
	assert_place("DATA_EAR_EVENTS", miss, 3, 0x12342, PMU_PLACE_SAMPLED);
	assert_place("DATA_EAR_EVENTS", no_miss, 3, 0x777, PMU_PLACE_INTERRUPTED);
	// another program wrote it
	assert_place("DATA_EAR_EVENTS", miss, 2, 0x777, PMU_PLACE_INTERRUPTED);
	assert_place("INSTRUCTION_EAR_EVENTS", line, 2, 0x4A0, PMU_PLACE_LINE);
	assert_place("INSTRUCTION_EAR_EVENTS", no_line, 2, 0x777, PMU_PLACE_INTERRUPTED);
	assert_place("BRANCH_EVENT", branches, 9, 0x777, PMU_PLACE_INTERRUPTED);
	assert_place("CPU_CYCLES", NULL, 0, 0x777, PMU_PLACE_INTERRUPTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(data_misses_are_sampled_with_their_addresses),
		TEST(fetch_misses_are_sampled_with_their_lines),
		TEST(branches_are_sampled_with_the_path_to_them),
		TEST(a_session_begins_with_an_empty_trace),
		TEST(a_path_is_told_oldest_first),
		TEST(entries_of_each_kind),
		TEST(translation_misses_are_told_by_who_served_them),
		TEST(a_payload_of_the_wrong_size_says_nothing),
		TEST(a_sample_is_where_the_miss_was),
	};

	return cmocka_run_group_tests_name("itanium driver: payloads", tests, NULL, NULL);
}
