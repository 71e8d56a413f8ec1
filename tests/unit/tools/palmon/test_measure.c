// SPDX-License-Identifier: BSD-2-Clause
// Measurements of random traces: counts equal a hand calculation, and samples x period + rest
// equals the count, whatever overlaps, overflows and is sampled.

#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "shim.h"

#define LINES	24
#define ROUNDS	150

static uint64_t seed = 1;

// xorshift64*
static uint64_t below(uint64_t limit)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (seed * 0x2545F4914F6CDD1DULL >> 1) % limit;
}

// An event of a target that adds up to `most` in a cycle, counted by its code and above a
// threshold. Nehalem's condition is "the threshold or more", Itanium's (section 6.2.2) "more than
// the threshold".
struct subject {
	const char *target, *event, *above;
	uint16_t code;
	uint8_t sub, least;		// least: events in a cycle for `above` to count it
	unsigned most;			// in a line
};

static const struct subject subjects[] = {
	{"itanium", "IA64_INST_RETIRED", "IA64_INST_RETIRED:thres=2", 0x08, 0, 3, 1},
	{"nehalem", "UOPS_ISSUED.ANY", "UOPS_ISSUED.ANY:c=3", 0x0E, 1, 3, 4},
};

struct line {
	uint64_t start, cycles;
	unsigned n;
	bool counts;			// the line is of the subject's event
};

// Makes lines of which only a few overlap: an Itanium counter adds at most seven in a cycle.
static void make_lines(const struct subject *s, struct line lines[LINES], uint64_t longest)
{
	uint64_t start = 0;

	for (unsigned i = 0; i < LINES; i++) {
		lines[i] = (struct line){start, 1 + below(longest), 1 + (unsigned)below(s->most),
					 below(4) != 0};
		start += i % 6 == 5 ? 8 * longest : below(longest);
	}
}

static uint64_t sum_at(const struct line lines[LINES], uint64_t cycle)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < LINES; i++)
		if (lines[i].counts && cycle - lines[i].start < lines[i].cycles)
			sum += lines[i].n;
	return sum;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

// The number of cycles with at least `least` events. It changes only where a line starts or ends.
static uint64_t cycles_with(const struct line lines[LINES], uint64_t least)
{
	uint64_t change[2 * LINES], cycles = 0;

	for (unsigned i = 0; i < LINES; i++) {
		change[2 * i] = lines[i].start;
		change[2 * i + 1] = lines[i].start + lines[i].cycles;
	}
	qsort(change, 2 * LINES, sizeof *change, by_value);
	for (unsigned i = 0; i + 1 < 2 * LINES; i++)
		if (sum_at(lines, change[i]) >= least)
			cycles += change[i + 1] - change[i];
	return cycles;
}

static uint64_t events_of(const struct line lines[LINES])
{
	uint64_t events = 0;

	for (unsigned i = 0; i < LINES; i++)
		events += lines[i].counts ? lines[i].n * lines[i].cycles : 0;
	return events;
}

static struct trace *trace_of(const struct subject *s, const struct line lines[LINES], char *text)
{
	char *at = text;

	for (unsigned i = 0; i < LINES; i++)
		at += sprintf(at, "t=%" PRIu64 " cycles=%" PRIu64 " n=%u code=%u sub=%u\n",
			      lines[i].start,
			      lines[i].cycles, lines[i].n, s->code ^ !lines[i].counts, s->sub);
	return trace_open_memory("trace", text, strlen(text), 1);
}

static uint64_t samples_taken;

static bool take_samples(void *context)
{
	struct pmu_sample sample;

	(void)context;
	while (pmu_take_sample(&sample))
		samples_taken++;
	return true;
}

static void measure(const struct subject *s, uint64_t longest, uint64_t period)
{
	const struct pmu_driver *driver = pmu_driver_find(s->target);
	struct measure_events events = {0};
	struct line lines[LINES];
	struct pmu_session session;
	char text[LINES * 100];
	struct trace *trace;
	struct measured measured;
	uint64_t count;

	make_lines(s, lines, longest);
	trace = trace_of(s, lines, text);
	assert_true(measure_add_events(&events, driver, s->event, MEASURE_EVENTS_MOST));
	assert_true(measure_add_events(&events, driver, s->above, MEASURE_EVENTS_MOST));
	events.request[0].period = period;
	assert_true(measure_start(driver, events.request, events.count, &session));
	samples_taken = 0;
	assert_true(measure_deliver(trace, &session, events.request, take_samples, NULL, NULL,
				    &measured));

	assert_int_equal(pmu_read(&session, 0, &count), PMU_OK);
	assert_true(count == events_of(lines));
	if (period) {
		assert_true(session.counter[0].samples == samples_taken);
		assert_true(count - samples_taken * period < period);
	}
	assert_int_equal(pmu_read(&session, 1, &count), PMU_OK);
	assert_true(count == cycles_with(lines, s->least));
	assert_true(measured.cycles == cycles_with(lines, 0));
	assert_true(measured.any && measured.matched == (events_of(lines) > 0));
	trace_close(trace);
	measure_free_events(&events);
	shim_end();
}

static void measure_all(uint64_t longest, uint64_t least_period, uint64_t most_period)
{
	for (unsigned round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
			measure(&subjects[i], longest,
				most_period ? least_period + below(most_period - least_period) : 0);
}

static void test_short_traces(void **state)
{
	(void)state;
	measure_all(12, 0, 0);
}

static void test_counts_beyond_32_bits(void **state)
{
	(void)state;
	measure_all(1ULL << 33, 0, 0);
}

// A period exceeds the events of one cycle, so each sample is due in its own cycle.
static void test_short_periods(void **state)
{
	(void)state;
	measure_all(2000, 30, 100);
}

static void test_periods_beyond_32_bits(void **state)
{
	(void)state;
	measure_all(1ULL << 33, 1ULL << 31, 1ULL << 34);
}

// The handler takes no time of the trace, and sees the program's position.
static void test_interrupt_in_a_line(void **state)
{
	static const struct occurrence signals[] = {
		{.code = 0x0E, .sub = 1, .n = 1},
		{.code = 0x0E, .sub = 1, .n = 2, .ip = 0x1230, .level = 3},
	};
	const struct pmu_driver *driver = pmu_driver_find("nehalem");
	struct measure_events events = {0};
	struct pmu_session session;
	struct pmu_sample sample;
	uint64_t left = 100;

	(void)state;
	assert_true(measure_add_events(&events, driver, "UOPS_ISSUED.ANY:period=30", 1));
	assert_true(measure_start(driver, events.request, 1, &session));
	for (unsigned i = 1; i <= 10; i++) {
		uint64_t passed = shim_deliver(signals, 2, left);

		assert_int_equal(passed, 10);		// 3 in each cycle
		left -= passed;
		assert_true(pmu_take_sample(&sample));
		assert_int_equal(sample.count, 30 * i);
		assert_int_equal(sample.clock, 10 * i);
		assert_int_equal(sample.ip, 0x1230);
		assert_int_equal(sample.source.level, 3);
	}
	assert_int_equal(left, 0);
	shim_deliver(NULL, 0, 0);
	measure_free_events(&events);
	shim_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short_traces),
		cmocka_unit_test(test_counts_beyond_32_bits),
		cmocka_unit_test(test_short_periods),
		cmocka_unit_test(test_periods_beyond_32_bits),
		cmocka_unit_test(test_interrupt_in_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
