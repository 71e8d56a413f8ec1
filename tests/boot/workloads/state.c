// SPDX-License-Identifier: BSD-2-Clause
// Contexts as bytes, in an image: reads the one that was put together by hand (GOLDEN, which state.t defines), and
// prints what it says, the same on every processor; makes one of its own, goes on with what it reads from its bytes,
// and prints them.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cpu.h"
#include "hal.h"
#include "portable.h"

int workload(void);

static const uint8_t golden[] = {GOLDEN};

#define SESSIONS	2
#define PERIOD		1000
#define LINE		32	/* bytes a line */

static int wrong;

static void expect(const char *what, uint64_t expected, uint64_t found)
{
	if (expected != found) {
		printf("WRONG: %s: %" PRIu64 ", not %" PRIu64 "\n", what, found, expected);
		wrong++;
	}
}

//
// What a reader must know of a driver that the image may not have: the limits of the Core i7's counters, and which
// registers the events of that context need set.
//

static const struct pmu_event any_event = {.name = "ANY", .counters = 0x70000000F};
static const struct pmu_event_table any_events = {.event = &any_event, .count = 1};

static uint64_t stand_in_choices(const struct event_request *request)
{
	return request->event->counters;
}

static uint64_t stand_in_encode(const struct event_request *request, unsigned counter)
{
	(void)request, (void)counter;
	return UINT64_MAX;
}

static unsigned stand_in_settings(const struct event_request *request, unsigned counter,
				  struct pmu_setting settings[PMU_EVENT_SETTINGS])
{
	(void)request, (void)counter;
	settings[0] = (struct pmu_setting){.address = 0x1A6, .mask = 0xFFFF};
	settings[1] = (struct pmu_setting){.address = 0x1C8, .mask = 0x1FF};
	settings[2] = (struct pmu_setting){.address = 0x1D9, .mask = 0x801};
	return 3;
}

static uint32_t stand_in_address(unsigned counter)
{
	return counter;
}

static unsigned stand_in_payload(const struct pmu_counter *counter, uint64_t words[PMU_PAYLOAD_WORDS])
{
	(void)counter, (void)words;
	return 0;
}

static bool stand_in_restore(const uint64_t values[PMU_RECORDED])
{
	(void)values;
	return true;
}

static const struct pmu_driver stand_in = {
	.name = "nehalem", .events = &any_events, .counters = 0x70000000F, .width = 48, .arm_most = 1ULL << 31,
	.choices = stand_in_choices, .encode = stand_in_encode, .settings = stand_in_settings,
	.address = stand_in_address, .payload = stand_in_payload, .payload_modifiers = EVENT_BRANCHES,
	.recorded_restore = stand_in_restore,
};

//
// The context by hand
//

static void print_session(const struct pmu_session *s)
{
	printf("golden: session %u, counters 0x%" PRIx64 "\n", (unsigned)s->number, s->counters);
	for (unsigned i = 0; i < s->count; i++) {
		const struct pmu_counter *c = &s->counter[i];

		printf("golden: counter %u: select 0x%" PRIx64 ", count %" PRIu64 ", payload %d\n", c->number, c->select,
		       pmu_count(s->driver, c, c->start), c->payload);
		printf("golden: wrap 0x%" PRIx64 ", start 0x%" PRIx64 ", due 0x%" PRIx64 ", period %" PRIu64 ", samples %"
		       PRIu64 ", slipped %" PRIu64 "\n", c->wrap, c->start, c->due, c->period, c->samples, c->slipped);
	}
	for (unsigned i = 0; i < s->setting_count; i++)
		printf("golden: setting 0x%x: mask 0x%" PRIx64 ", value 0x%" PRIx64 ", idle 0x%" PRIx64 "\n",
		       (unsigned)s->setting[i].address, s->setting[i].mask, s->setting[i].value, s->setting[i].idle);
}

static void read_golden(void)
{
	const struct pmu_driver *nehalem = pmu_driver_find("nehalem");
	static struct pmu_session sessions[SESSIONS];
	static uint8_t again[sizeof golden];
	struct pmu_context context;

	expect("the context by hand is read", PMU_PORTABLE_OK,
	       pmu_portable_read(nehalem ? nehalem : &stand_in, golden, sizeof golden, sessions, SESSIONS, &context));
	if (wrong)
		return;
	printf("golden: ip 0x%" PRIx64 ", level %u, enabled 0x%" PRIx64 ", recorded 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64
	       "\n", context.ip, context.level, context.enabled, context.recorded[0], context.recorded[1],
	       context.recorded[2]);
	for (const struct pmu_session *s = context.open; s; s = s->next)
		print_session(s);
	expect("written again, it is as long", sizeof golden, pmu_portable_write(&context, again, sizeof again));
	expect("and the same", 0, memcmp(golden, again, sizeof golden) != 0);
	pmu_portable_forget(&context);
}

//
// One of our own
//

// The event of retired instructions, once to be counted and once to be sampled.
static bool open(struct pmu_session *session, const struct pmu_driver *driver)
{
	struct event_request requests[2];
	struct pmu_refusal refusal;

	for (unsigned i = 0; i < 2; i++) {
		const char *text = driver->retired;

		if (event_parse(driver->events, &text, &requests[i]) != EVENT_OK)
			return false;
		requests[i].period = i ? PERIOD : 0;
	}
	return pmu_open(session, requests, 2, &refusal) == PMU_OK;
}

static void print_bytes(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		printf("%s%02x%s", i % LINE ? "" : "state: ", bytes[i], i % LINE == LINE - 1 || i == size - 1 ? "\n" : "");
}

static void move(const struct pmu_driver *driver)
{
	static struct pmu_session session, moved;
	static uint8_t bytes[PMU_PORTABLE_MOST];
	struct pmu_context context;
	uint64_t counted = 0, count[2];
	size_t size;

	expect("open", true, open(&session, driver));
	expect("start", PMU_OK, pmu_start(&session));
	hal_execute(12345);
	expect("save", PMU_OK, pmu_context_save(&context, 0x123456789ABCDEF0, 3));
	size = pmu_portable_write(&context, bytes, sizeof bytes);
	expect("length", 64 + 8 + 2 * 64 + 4, size);
	expect("count", PMU_OK, pmu_read(&session, 0, &counted));
	pmu_portable_forget(&context);
	print_bytes(bytes, size);
	printf("saved: %" PRIu64 " events, session %u\n", counted, (unsigned)session.number);

	expect("read", PMU_PORTABLE_OK, pmu_portable_read(driver, bytes, size, &moved, 1, &context));
	expect("restore", PMU_OK, pmu_context_restore(&context));
	hal_execute(23456);
	expect("stop", PMU_OK, pmu_stop(&moved));
	for (unsigned i = 0; i < 2; i++)
		expect("count", PMU_OK, pmu_read(&moved, i, &count[i]));
	expect("both counters agree", count[0], count[1]);
	expect("samples", (count[1] - moved.counter[1].slipped) / PERIOD, moved.counter[1].samples);
	expect("it has gone on", true, count[0] >= counted + 23456);
	expect("close", PMU_OK, pmu_close(&moved));
}

// The session around this is put aside meanwhile.
int workload(void)
{
	const struct pmu_driver *driver = pmu_current_driver();
	struct pmu_context around;

	read_golden();
	expect("put aside", PMU_OK, pmu_context_save(&around, 0, 0));
	move(driver);
	expect("brought back", PMU_OK, pmu_context_restore(&around));
	printf("state: %d wrong\n", wrong);
	return wrong != 0;
}
