// SPDX-License-Identifier: BSD-2-Clause
// The event table of the uncore against the performance analysis guide's tables:
// tests/vectors/nehalem-uncore-events.tab.

#include "guide.h"

#define GUIDE	"tests/vectors/nehalem-uncore-events.tab"
#define GENERAL	0xFFULL
#define CLOCK	(1ULL << 32)

extern const struct pmu_event_table pmu_events_nehalem_uncore;

static const struct pmu_event_table *const table = &pmu_events_nehalem_uncore;

static int prepare(void **state)
{
	(void)state;
	read_guide(GUIDE);
	return 0;
}

static void each_row_of_the_guide_is_in_the_table_as_printed(void **state)
{
	(void)state;
	for (const struct row *r = guide.row; r < guide.row + guide.count; r++)
		check_guide_row(table, r);
	for (const struct row *d = differences.row; d < differences.row + differences.count; d++)
		assert_int_equal(d->used, 0);
	print_message("%zu rows, all as printed\n", guide.count);
}

// Counted in the guide by hand.
static void no_row_of_the_guide_is_missing(void **state)
{
	static const unsigned rows[] = {
		[22] = 2 * 7, [23] = 2 * 3, [24] = 6, [25] = 5 + 3, [26] = 8, [27] = 8, [28] = 10,
		[29] = 2 * 4,
		[30] = 5 + 6, [31] = 15, [32] = 3 + 4 + 8, [33] = 6, [34] = 3 * 3, [35] = 3 * 4 + 6,
		[36] = 2 * 6 + 2 * 3, [38] = 3 * 4,
	};
	unsigned counted[LENGTH(rows)] = {0};

	(void)state;
	for (size_t i = 0; i < guide.count; i++)
		if (isdigit((unsigned char)*guide.row[i].field[TABLE]))
			counted[strtoul(guide.row[i].field[TABLE], NULL, 10)]++;
	assert_memory_equal(counted, rows, sizeof rows);
}

static void each_event_is_in_the_guide_once_and_says_where(void **state)
{
	(void)state;
	assert_int_equal(table->count, guide.count);
	for (size_t i = 0; i < table->count; i++) {
		const struct row *r = guide_row(table->event[i].name);

		if (!r)
			fail_msg("%s is not in %s", table->event[i].name, GUIDE);
		check_source(&table->event[i], r);
	}
}

// "8 general counters and a fixed counter that monitors the uncore's unhalted clock".
static void every_general_counter_counts_every_event_but_the_clock(void **state)
{
	(void)state;
	for (size_t i = 0; i < table->count; i++) {
		const struct pmu_event *e = &table->event[i];

		assert_int_equal(e->counters, strcmp(e->name, "UNC_CLK_UNHALTED") ? GENERAL :
				 CLOCK);
		assert_false(e->precise);
	}
}

// "These have 32, 16 and 12 entries respectively"; "the local tracker has 24 entries, the remote
// queue has 16 and the IOH has 24. In the UP mode ... both have 32 entries". A full queue has this
// many entries, and no event adds more in a cycle.
static void occupancies_add_at_most_what_the_queue_holds(void **state)
{
	static const struct {
		const char *name;
		unsigned entries;
	} queues[] = {
		{"UNC_GQ_TRACKER_OCCUP.RT", 32}, {"UNC_GQ_TRACKER_OCCUP.WT", 16},
		{"UNC_GQ_TRACKER_OCCUP.PPT", 12},
		{"UNC_QHL_OCCUPANCY.LOCAL", 32}, {"UNC_QHL_OCCUPANCY.REMOTE", 16},
		{"UNC_QHL_OCCUPANCY.IOH", 32},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(queues); i++)
		assert_int_equal(must_find_event(table, queues[i].name)->max, queues[i].entries);
	for (size_t i = 0; i < table->count; i++)
		if (table->event[i].cmask)
			assert_int_equal(table->event[i].max, 1);
}

static void what_differs_in_its_unit_mask_only_can_be_joined(void **state)
{
	(void)state;
	check_joins(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_of_the_guide_is_in_the_table_as_printed),
		cmocka_unit_test(no_row_of_the_guide_is_missing),
		cmocka_unit_test(each_event_is_in_the_guide_once_and_says_where),
		cmocka_unit_test(every_general_counter_counts_every_event_but_the_clock),
		cmocka_unit_test(occupancies_add_at_most_what_the_queue_holds),
		cmocka_unit_test(what_differs_in_its_unit_mask_only_can_be_joined),
	};

	return cmocka_run_group_tests_name("nehalem uncore event table", tests, prepare, NULL);
}
