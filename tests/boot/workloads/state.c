// SPDX-License-Identifier: BSD-2-Clause
// A context as bytes, in an image: reads a context written by hand (GOLDEN, which state.t defines),
// and prints its contents, the same on every processor.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "counter.h"
#include "pmu_driver.h"
#include "pmu_unit.h"
#include "portable.h"

int workload(void);

static const uint8_t golden[] = {GOLDEN};

#define SESSIONS	2

static int wrong;

static void expect(const char *what, uint64_t expected, uint64_t found)
{
	if (expected != found) {
		printf("WRONG: %s: %" PRIu64 ", not %" PRIu64 "\n", what, found, expected);
		wrong++;
	}
}

//
// A reader's requirements on a driver that the image may not have: the limits of the Core i7's
// counters, and the registers that the events of that context set.
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

static unsigned stand_in_payload(const struct pmu_counter *counter,
				 uint64_t words[PMU_PAYLOAD_WORDS])
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
	.name = "nehalem", .events = &any_events,
	.shape = &(const struct pmu_shape){
		.counters = 0x70000000F, .width = 48, .arm_least = PMU_ARM_LEAST,
		.arm_most = 1ULL << 31,
	},
	.choices = stand_in_choices, .encode = stand_in_encode, .address = stand_in_address,
	.settings = &(const struct pmu_settings){.needed = stand_in_settings},
	.records = &(const struct pmu_records){
		.payload = stand_in_payload, .modifiers = EVENT_BRANCHES,
		.restore = stand_in_restore,
	},
};

//
// The context written by hand
//

static void print_session(const struct pmu_session *s)
{
	printf("golden: session %u, counters 0x%" PRIx64 "\n", (unsigned)s->number, s->counters);
	for (unsigned i = 0; i < s->count; i++) {
		const struct pmu_counter *c = &s->counter[i];

		printf("golden: counter %u: select 0x%" PRIx64 ", count %" PRIu64 ", payload %d\n",
		       c->number, c->select, pmu_count(s->driver, c, c->start), c->payload);
		printf("golden: wrap 0x%" PRIx64 ", start 0x%" PRIx64 ", due 0x%" PRIx64
		       ", period %" PRIu64, c->wrap, c->start, c->due, c->period);
		printf(", samples %" PRIu64 ", slipped %" PRIu64 "\n", c->samples, c->slipped);
	}
	for (unsigned i = 0; i < s->setting_count; i++)
		printf("golden: setting 0x%x: mask 0x%" PRIx64 ", value 0x%" PRIx64
		       ", idle 0x%" PRIx64 "\n",
		       (unsigned)s->setting[i].address, s->setting[i].mask, s->setting[i].value,
		       s->setting[i].idle);
}

static void read_golden(void)
{
	const struct pmu_driver *nehalem = pmu_driver_find("nehalem");
	static struct pmu_session sessions[SESSIONS];
	static uint8_t again[sizeof golden];
	struct pmu_context context;

	expect("the context by hand is read", PMU_PORTABLE_OK,
	       pmu_portable_read(nehalem ? nehalem : &stand_in, golden, sizeof golden, sessions,
				 SESSIONS, &context));
	if (wrong)
		return;
	printf("golden: ip 0x%" PRIx64 ", level %u, enabled 0x%" PRIx64 ", recorded", context.ip,
	       context.level, context.enabled);
	for (unsigned i = 0; i < 3; i++)
		printf(" 0x%" PRIx64, context.recorded[i]);
	printf("\n");
	for (const struct pmu_session *s = context.open; s; s = s->next)
		print_session(s);
	expect("written again, it is as long", sizeof golden,
	       pmu_portable_write(&context, again, sizeof again));
	expect("and the same", 0, memcmp(golden, again, sizeof golden) != 0);
	pmu_portable_forget(&context);
}

int workload(void)
{
	read_golden();
	printf("golden: %d wrong\n", wrong);
	return wrong != 0;
}
