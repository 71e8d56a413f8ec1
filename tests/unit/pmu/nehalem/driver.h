/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver on the shim, with memory for records, and requests for this header's events, whose
 * codes are in the guide's tables. */
#ifndef DRIVER_H
#define DRIVER_H

#include <stdio.h>
#include <string.h>

#include "pmu/sessions.h"

/* SDM 3B, model-specific registers. */
enum {
	DEBUGCTL = 0x1D9, GLOBAL_STATUS = 0x38E, PEBS_ENABLE = 0x3F1, LD_LAT = 0x3F6,
	DS_AREA = 0x600, OFFCORE_RSP_0 = 0x1A6, LBR_SELECT = 0x1C8,
};

/* SDM 3B: IA32_DEBUGCTL. */
#define LBR			1U
#define FREEZE_LBRS_ON_PMI	(1U << 11)
#define FREEZE_PERFMON_ON_PMI	(1U << 12)

/* SDM 3B, "PEBS Record Format for Intel Core i7 Processor Family": words of a record. */
#define RECORD_WORDS	22
#define RECORD_BYTES	176
enum { IP_WORD = 1, STATUS_WORD = 18, ADDRESS_WORD = 19, SOURCE_WORD = 20, LATENCY_WORD = 21 };

/* Cycles between the overflow and the recorded cycle. Our choice, because the guide has no
 * number. */
#define SHADOW	8

/* Two management areas of 128 bytes, then the records (DECISIONS.md). */
#define AREAS_BYTES	256
#define AREA_INDEX	5	/* SDM 3B, "DS Save Area": word with the next record's address */

static _Alignas(4096) uint64_t memory[4096 / 8];

static const struct pmu_event
	instructions = {.name = "INSTRUCTIONS", .counters = 0xF, .code = 0xC0, .umask = 1, .max = 4,
			.precise = true},
	plain = {.name = "PLAIN", .counters = 0xF, .code = 0x14, .umask = 2, .max = 1},
	all_branches = {.name = "ALL_BRANCHES", .counters = 0xF, .code = 0xC4, .umask = 4, .max = 1,
			.precise = true},
	near_calls = {.name = "NEAR_CALLS", .counters = 0xF, .code = 0xC4, .umask = 2, .max = 1,
		      .precise = true},
	slow_loads = {.name = "SLOW_LOADS", .counters = 0xF, .code = 0x0B, .umask = 0x10, .max = 1,
		      .precise = true,
		      .setting_address = LD_LAT, .setting_value = 32},
	all_loads = {.name = "ALL_LOADS", .counters = 0xF, .code = 0x0B, .umask = 0x10, .max = 1,
		     .precise = true,
		     .setting_address = LD_LAT, .setting_value = 0},
	offcore = {.name = "OFFCORE", .counters = 0xF, .code = 0xB7, .umask = 1, .max = 1,
		   .setting_address = OFFCORE_RSP_0, .setting_value = 0x4011};

static inline const struct pmu_driver *driver(void)
{
	return pmu_driver_find("nehalem");
}

static inline int start(void **state)
{
	(void)state;
	memset(memory, 0, sizeof memory);
	shim_allow_memory(memory, sizeof memory);
	if (!shim_start("nehalem", "") || pmu_begin(driver(), false) != PMU_OK)
		return -1;
	allow_all_interrupts();
	return 0;
}

static inline int end(void **state)
{
	(void)state;
	shim_end();
	return 0;
}

/* Returns a request for an event at all levels, on counter number `counter`. */
static inline struct event_request request(const struct pmu_event *event, int counter,
					   unsigned modifiers, uint64_t period)
{
	return (struct event_request){
		.event = event, .umask = event->umask,
		.modifiers = (uint8_t)(EVENT_USER | EVENT_OS | modifiers),
		.levels = 0xF, .counter = (int8_t)counter, .extra = event->setting_value,
		.period = period,
	};
}

/* Gives the PMU a buffer for this many records, of which the last three are spare. */
static inline void give_buffer(unsigned records)
{
	assert_null(pmu_give_buffer((uintptr_t)memory, AREAS_BYTES + records * RECORD_BYTES));
}

static inline void open_requests(struct pmu_session *session, const struct event_request *requests,
				 unsigned count)
{
	struct pmu_refusal refusal;

	assert_int_equal(pmu_open(session, requests, count, &refusal), PMU_OK);
}

static inline void deliver(const struct occurrence *signals, size_t count, uint64_t cycles)
{
	static struct occurrence copies[2][8];
	static unsigned turn;

	turn = !turn;
	assert_true(count <= 8);
	if (count)
		memcpy(copies[turn], signals, count * sizeof *signals);
	while (cycles)
		cycles -= shim_deliver(copies[turn], count, cycles);
}

static inline uint64_t value_of(uint32_t address)
{
	uint64_t value = 0;

	assert_true(reg_read(address, &value));
	return value;
}

static unsigned writes;

static inline void count_write(uint32_t address, uint64_t value)
{
	(void)address, (void)value;
	writes++;
}

/* Requires that opening a request is refused for this reason, without register writes. */
static inline void assert_refused(const struct event_request *r, const char *reason)
{
	struct pmu_session session;
	struct pmu_refusal refusal;
	char expected[300], text[300];

	snprintf(expected, sizeof expected, "%s: %s", r->event->name, reason);
	writes = 0;
	shim_watch_writes(count_write);
	assert_int_equal(pmu_open(&session, r, 1, &refusal), PMU_UNFIT);
	shim_watch_writes(NULL);
	pmu_explain(driver(), PMU_UNFIT, &refusal, r, text, sizeof text);
	assert_string_equal(text, expected);
	assert_int_equal(writes, 0);
}

/* Returns the value of the n-th part of this name in a payload. */
static inline uint64_t part(const struct event_request *r, const uint64_t *words, unsigned count,
			    const char *name, unsigned n)
{
	struct payload_part parts[PAYLOAD_PARTS];
	unsigned total = driver()->records->explain(r, words, count, parts);

	for (unsigned i = 0; i < total; i++)
		if (!strcmp(parts[i].name, name) && n-- == 0)
			return parts[i].value;
	fail_msg("the payload has no such part: %s", name);
	return 0;
}

#endif
