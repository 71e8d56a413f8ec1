// SPDX-License-Identifier: BSD-2-Clause
// When requests are in which queue of a package, worked out by hand: hal/emu/model/DECISIONS.md,
// "Queues", with nehalem.machine's latencies: 10, 40 and 160 cycles of the L2 and L3 caches and
// memory, 266 of another package's.

#include "unit.h"

#include "../../../hal/emu/model/traffic.h"

static struct processor processor;
static struct package packages[2];
static struct traffic traffic[2];
static struct {
	unsigned number;
	enum cpu_event what;
	uint64_t cycle;
} seen[1024];
static unsigned count;

static void see(void *context, unsigned package, enum cpu_event what, uint64_t address,
		uint64_t cycle)
{
	(void)context, (void)address;
	assert_true(count < sizeof seen / sizeof *seen);
	seen[count].number = package;
	seen[count].what = what;
	seen[count++].cycle = cycle;
}

// Packages without caches: each test names the supplier of a line.
static struct package *begin(unsigned number)
{
	static const struct processor_needs none;

	assert_true(processor_load(&processor, "nehalem", &none));
	for (unsigned i = 0; i < number; i++) {
		packages[i] = (struct package){.processor = &processor, .traffic = &traffic[i]};
		traffic_begin(&traffic[i], &processor, number, see);
	}
	if (number > 1)
		package_join(packages, number, 1u << 30);
	count = 0;
	return packages;
}

// Requests have entered this queue `times` times. The last one entered in cycle `from`; the last
// exit was in cycle `until`.
static void expect(unsigned number, enum cpu_event enters, unsigned times, uint64_t from,
		   uint64_t until)
{
	uint64_t entered = 0, left = 0;
	unsigned entries = 0;

	for (unsigned i = 0; i < count; i++)
		if (seen[i].number == number && seen[i].what == enters) {
			entries++;
			entered = seen[i].cycle;
		} else if (seen[i].number == number && seen[i].what == enters + 1) {
			left = seen[i].cycle;
		}
	assert_int_equal(entries, times);
	assert_int_equal(entered, from);
	assert_int_equal(left, until);
}

static void a_hit_is_in_the_read_tracker_until_its_data_comes(void **state)
{
	struct package *p = begin(1);

	(void)state;
	p->now = 1000;
	traffic_read(p, 0, SUPPLIER_L3, ASKED_NOBODY);
	expect(0, CPU_EVENT_GQ_READ_ENTERS, 1, 1010, 1040);
	expect(0, CPU_EVENT_GQ_RESPONSE_ENTERS, 1, 1010, 1040);
	expect(0, CPU_EVENT_GQ_MISS_ENTERS, 0, 0, 0);
	traffic_read(p, 64, SUPPLIER_MODIFIED, ASKED_NOBODY);	// takes 75 cycles
	expect(0, CPU_EVENT_GQ_READ_ENTERS, 2, 1010, 1075);
	assert_int_equal(traffic_arrival(p, 64, 1074), 1075);
	assert_int_equal(traffic_arrival(p, 64, 1075), 1075);
	assert_int_equal(traffic_arrival(p, 128, 1000), 1000);
}

static void a_miss_goes_home_and_to_memory(void **state)
{
	struct package *p = begin(1);

	(void)state;
	p->now = 1000;
	traffic_read(p, 0, SUPPLIER_MEMORY, ASKED_MEMORY);
	expect(0, CPU_EVENT_GQ_READ_ENTERS, 1, 1010, 1160);
	expect(0, CPU_EVENT_GQ_RESPONSE_ENTERS, 1, 1010, 1040);
	expect(0, CPU_EVENT_GQ_MISS_ENTERS, 1, 1040, 1160);
	expect(0, CPU_EVENT_GQ_READ_TOKEN_ENTERS, 1, 1040, 1040);
	expect(0, CPU_EVENT_QHL_LOCAL_READ_ENTERS, 1, 1040, 1160);
	expect(0, CPU_EVENT_IMC_READ_ENTERS, 1, 1040, 1160);
	assert_int_equal(traffic_end(p, 1000), 1160);
}

// The read tracker holds 32 reads. With one package the home logic holds 32, too.
static void a_full_queue_is_waited_for(void **state)
{
	struct package *p = begin(1);

	(void)state;
	p->now = 1000;
	for (unsigned i = 0; i < 32; i++) {
		assert_false(traffic_is_full(p));
		traffic_read(p, 64 * i, SUPPLIER_MEMORY, ASKED_MEMORY);
	}
	expect(0, CPU_EVENT_GQ_READ_ENTERS, 32, 1010, 1160);
	assert_true(traffic_is_full(p));
	p->now = 1149;
	assert_true(traffic_is_full(p));
	p->now = 1150;			// would enter at 1160, when all leave
	assert_false(traffic_is_full(p));
	p->now = 1000;
	traffic_read(p, 64 * 32, SUPPLIER_MEMORY, ASKED_MEMORY);
	expect(0, CPU_EVENT_GQ_READ_ENTERS, 33, 1160, 1310);
	expect(0, CPU_EVENT_QHL_LOCAL_READ_ENTERS, 33, 1190, 1310);
}

// With two packages the home logic has 24 entries: the 25th read waits for a token from its L3 miss
// until the first entry leaves.
static void a_full_home_logic_is_waited_for(void **state)
{
	struct package *p = begin(2);

	(void)state;
	p->now = 1000;
	for (unsigned i = 0; i < 25; i++)
		traffic_read(p, 64 * i, SUPPLIER_MEMORY, ASKED_MEMORY);
	expect(0, CPU_EVENT_GQ_READ_TOKEN_ENTERS, 25, 1040, 1160);
	expect(0, CPU_EVENT_QHL_LOCAL_READ_ENTERS, 25, 1160, 1280);
	expect(0, CPU_EVENT_GQ_READ_ENTERS, 25, 1010, 1280);
}

// 53 cycles in each direction, 266 in all.
static void anothers_memory_is_read_at_its_home(void **state)
{
	struct package *p = begin(2) + 1;

	(void)state;
	p->now = 1000;
	traffic_read(p, 0, SUPPLIER_REMOTE_MEMORY, ASKED_MEMORY);
	expect(0, CPU_EVENT_QHL_REMOTE_READ_ENTERS, 1, 1093, 1213);
	expect(0, CPU_EVENT_IMC_READ_ENTERS, 1, 1093, 1213);
	expect(1, CPU_EVENT_GQ_READ_ENTERS, 1, 1010, 1266);
	expect(1, CPU_EVENT_QHL_LOCAL_READ_ENTERS, 0, 0, 0);
	packages[0].now = 1000;
	traffic_probe(&packages[0], 0, true);	// probes its L3 cache, then one of its cores
	expect(0, CPU_EVENT_GQ_PEER_ENTERS, 1, 1040, 1095);
}

// The write tracker holds 16 non-temporal stores, each until the home logic accepts it.
static void writes_have_trackers_of_their_own(void **state)
{
	struct package *p = begin(1);

	(void)state;
	p->now = 1000;
	traffic_write_back(p, 0);
	expect(0, CPU_EVENT_GQ_WRITE_ENTERS, 1, 1010, 1040);
	traffic_write(p, 0);
	expect(0, CPU_EVENT_QHL_LOCAL_WRITE_ENTERS, 1, 1040, 1160);
	expect(0, CPU_EVENT_IMC_WRITE_ENTERS, 1, 1040, 1160);
	for (unsigned i = 1; i < 16; i++)
		assert_int_equal(traffic_stream(p, 64 * i, true), 0);
	expect(0, CPU_EVENT_GQ_WRITE_ENTERS, 16, 1010, 1040);
	expect(0, CPU_EVENT_QHL_LOCAL_READ_ENTERS, 15, 1040, 1160);	// table 39: these are reads
	assert_int_equal(traffic_stream(p, 64 * 16, false), 1040 - 1010);
	expect(0, CPU_EVENT_GQ_WRITE_ENTERS, 17, 1040, 1070);
	expect(0, CPU_EVENT_IMC_PARTIAL_ENTERS, 1, 1070, 1190);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hit_is_in_the_read_tracker_until_its_data_comes),
		cmocka_unit_test(a_miss_goes_home_and_to_memory),
		cmocka_unit_test(a_full_queue_is_waited_for),
		cmocka_unit_test(a_full_home_logic_is_waited_for),
		cmocka_unit_test(anothers_memory_is_read_at_its_home),
		cmocka_unit_test(writes_have_trackers_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
