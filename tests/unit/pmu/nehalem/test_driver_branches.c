// SPDX-License-Identifier: BSD-2-Clause
// Branch records in the driver: samples with and without a precise record, the sampled instruction,
// contexts, refusals. Branch i goes from 0x1000 + i to 0x2000 + i.

#include "driver.h"

#define PERIOD	100U
#define RECORDS	16	/* the guide: "16 source-target sets" */

#define TAKEN_BRANCH (OCCURRENCE_BRANCH | OCCURRENCE_TAKEN)

static struct occurrence branch(unsigned i)
{
	return (struct occurrence){.code = 0xC4, .sub = 4, .n = 1, .branch = TAKEN_BRANCH,
				   .ip = 0x1000 + i,
				   .target = 0x2000 + i};
}

// One branch in each cycle, from number `first` on. Odd branches are mispredicted.
static void run_branches(unsigned first, unsigned count)
{
	for (unsigned i = first; i < first + count; i++) {
		// the last one must stay until the next is given
		static struct occurrence signals[2];
		struct occurrence *signal = &signals[i & 1];

		*signal = branch(i);
		if (i & 1)
			signal->branch |= OCCURRENCE_WRONG_PATH;
		deliver(signal, 1, 1);
	}
}

static void start_with_branches(struct pmu_session *session, struct event_request *r,
				const struct pmu_event *event, unsigned modifiers, uint64_t period)
{
	*r = request(event, 0, EVENT_BRANCHES | modifiers, period);
	open_requests(session, r, 1);
	assert_int_equal(pmu_start(session), PMU_OK);
}

// Requires that the payload has the branches first to first + count - 1, in this order.
static void assert_branches(const struct event_request *r, const uint64_t *words, unsigned size,
			    unsigned first, unsigned count)
{
	struct payload_part parts[PAYLOAD_PARTS];
	unsigned total = driver()->records->explain(r, words, size, parts), branches = 0;

	for (unsigned i = 0; i < total; i++)
		branches += !strcmp(parts[i].name, "branch");
	assert_int_equal(branches, count);
	for (unsigned i = 0; i < count; i++) {
		assert_int_equal(part(r, words, size, "branch", i), 0x1000 + first + i);
		assert_int_equal(part(r, words, size, "mispredicted", i), (first + i) & 1);
		assert_int_equal(part(r, words, size, "target", i), 0x2000 + first + i);
	}
}

// Each interrupt freezes the records; the driver unfreezes them.
static void samples_carry_the_last_branches_oldest_first(void **state)
{
	struct pmu_session session;
	struct event_request r;
	struct pmu_sample s;
	uint64_t words[PMU_PAYLOAD_WORDS];

	(void)state;
	start_with_branches(&session, &r, &all_branches, 0, PERIOD);
	run_branches(0, 3 * PERIOD);
	assert_int_equal(value_of(DEBUGCTL), LBR | FREEZE_LBRS_ON_PMI | FREEZE_PERFMON_ON_PMI);
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_int_equal(value_of(DEBUGCTL), FREEZE_PERFMON_ON_PMI);
	for (unsigned i = 1; i <= 3; i++) {
		assert_true(pmu_take_sample_with_payload(&s, words));
		assert_int_equal(s.count, i * PERIOD);
		assert_int_equal(s.source.words, 1 + 2 * RECORDS);
		assert_branches(&r, words, s.source.words, i * PERIOD - RECORDS, RECORDS);
	}
	assert_false(pmu_take_sample(&s));
}

static void branches_that_have_not_been_are_left_out(void **state)
{
	struct pmu_session session;
	struct event_request r;
	struct pmu_sample s;
	uint64_t words[PMU_PAYLOAD_WORDS];

	(void)state;
	start_with_branches(&session, &r, &all_branches, 0, 5);
	run_branches(0, 5);
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_true(pmu_take_sample_with_payload(&s, words));
	assert_int_equal(s.source.words, 1 + 2 * 5);
	assert_branches(&r, words, s.source.words, 0, 5);
}

// An interrupt of a counter without branch records freezes them, too.
static void records_go_on_behind_every_interrupt(void **state)
{
	const struct event_request requests[] = {
		request(&all_branches, 0, EVENT_BRANCHES, PERIOD),
		request(&all_branches, 1, 0, PERIOD - 3),
	};
	struct pmu_session session;
	struct pmu_sample s;
	uint64_t words[PMU_PAYLOAD_WORDS];

	(void)state;
	open_requests(&session, requests, 2);
	assert_int_equal(pmu_start(&session), PMU_OK);
	run_branches(0, PERIOD);
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_true(pmu_take_sample_with_payload(&s, words));
	assert_int_equal(s.source.event, 1);
	assert_int_equal(s.source.words, 0);
	assert_true(pmu_take_sample_with_payload(&s, words));
	assert_branches(&requests[0], words, s.source.words, PERIOD - RECORDS, RECORDS);
}

// The overflow is in cycle 100. Its interrupt stays disabled until the stop; the overflow has
// frozen the records.
static void a_stop_before_the_interrupt_has_its_branches(void **state)
{
	struct pmu_session session;
	struct event_request r;
	struct pmu_sample s;
	uint64_t words[PMU_PAYLOAD_WORDS];

	(void)state;
	start_with_branches(&session, &r, &all_branches, 0, PERIOD);
	hal_interrupts_disable();
	run_branches(0, PERIOD + 40);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_true(pmu_take_sample_with_payload(&s, words));
	assert_branches(&r, words, s.source.words, PERIOD - RECORDS, RECORDS);
	assert_int_equal(value_of(DEBUGCTL) & LBR, LBR);
	hal_interrupts_restore(true);
	assert_int_equal(pmu_close(&session), PMU_OK);
}

static void assert_located(const struct event_request *r, uint64_t ip, const uint64_t *words,
			   unsigned count, uint64_t address, enum pmu_place place)
{
	const struct pmu_location l = driver()->records->locate(r, ip, words, count);

	assert_int_equal(l.address, address);
	assert_int_equal(l.place, place);
}

// With branches each record interrupts. The youngest target is the record's address.
static void precise_branches_carry_record_and_branches(void **state)
{
	struct pmu_session session;
	struct event_request r;
	struct pmu_sample s;
	uint64_t words[PMU_PAYLOAD_WORDS], registers[MODEL_REGISTERS] = {0};
	const unsigned youngest = PERIOD + SHADOW;	// number of the recorded branch, from 0

	(void)state;
	give_buffer(16);
	start_with_branches(&session, &r, &all_branches, EVENT_PRECISE, PERIOD);
	registers[IP_WORD] = 0x2000 + youngest;
	shim_registers(registers);
	run_branches(0, PERIOD + SHADOW + 1);
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_true(pmu_take_sample_with_payload(&s, words));
	assert_int_equal(s.source.words, 1 + RECORD_WORDS + 2 * RECORDS);
	assert_int_equal(s.ip, 0x2000 + youngest);
	assert_branches(&r, words, s.source.words, youngest + 1 - RECORDS, RECORDS);
	assert_located(&r, s.ip, words, s.source.words, 0x1000 + youngest, PMU_PLACE_SAMPLED);
}

// The branch registers hold the last record's branches. Two records, written by hand, go into the
// second management area.
static void only_the_youngest_record_has_branches(void **state)
{
	uint64_t *record = memory + AREAS_BYTES / 8, *area = memory + AREAS_BYTES / 16;
	struct pmu_session session;
	struct event_request r;
	struct pmu_sample s;

	(void)state;
	give_buffer(8);
	start_with_branches(&session, &r, &all_branches, EVENT_PRECISE, PERIOD);
	run_branches(0, RECORDS);
	record[STATUS_WORD] = record[RECORD_WORDS + STATUS_WORD] = 1;
	area[AREA_INDEX] += 2 * RECORD_BYTES;
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_true(pmu_take_sample(&s));
	assert_int_equal(s.source.words, 1 + RECORD_WORDS);
	assert_true(pmu_take_sample(&s));
	assert_int_equal(s.source.words, 1 + RECORD_WORDS + 2 * RECORDS);
	assert_false(pmu_take_sample(&s));
}

//
// The sampled instruction
//

#define RECORD	1U	/* bits of a payload's first word: pmu/nehalem/README.md */
#define CAPTURED 2U

// A payload with one branch, from 0x1111 (mispredicted) to 0x2222, or none.
static unsigned make_payload(uint64_t *words, bool record, bool captured, unsigned branches)
{
	unsigned count = record ? 1 + RECORD_WORDS : 1;

	memset(words, 0, PMU_PAYLOAD_WORDS * sizeof *words);
	words[0] = (record ? RECORD : 0) | (captured ? CAPTURED : 0) | branches << 8;
	words[count] = 0x1111 | 1ULL << 63;
	words[count + 1] = 0x2222;
	return count + 2 * branches;
}

// The guide, "Core Precise Events": the recorded address is that of the next instruction; for loads
// and stores "one simply moves the samples up one instruction". "Precise Execution Events": a taken
// branch is the youngest record's, with the recorded address as its target; otherwise it is the
// instruction before. For other events, without branch records or with filtered ones, only the next
// instruction is certain.
static void a_sample_is_its_instructions_where_that_is_certain_else_the_next_ones(void **state)
{
	static const struct {
		const struct pmu_event *event;
		bool record, captured;
		unsigned branches, filter;
		uint64_t ip, expected;
		enum pmu_place place;
	} cases[] = {
		{&instructions, false, false, 0, 0, 0x2222, 0x2222, PMU_PLACE_INTERRUPTED},
		{&instructions, false, true, 1, 0, 0x2222, 0x2222, PMU_PLACE_INTERRUPTED},
		{&instructions, true, false, 0, 0, 0x2222, 0x2222, PMU_PLACE_NEXT},
		// a branch led there
		{&instructions, true, true, 1, 0, 0x2222, 0x1111, PMU_PLACE_SAMPLED},
		// no branch led there
		{&instructions, true, true, 1, 0, 0x3333, 0x3332, PMU_PLACE_SAMPLED},
		// or it was excluded
		{&instructions, true, true, 1, 4, 0x2222, 0x2222, PMU_PLACE_NEXT},
		{&instructions, true, true, 1, 4, 0x3333, 0x3333, PMU_PLACE_NEXT},
		{&all_branches, true, true, 1, 0, 0x2222, 0x1111, PMU_PLACE_SAMPLED},	// taken
		{&all_branches, true, true, 1, 0, 0x3333, 0x3332, PMU_PLACE_SAMPLED},	// not taken
		// no branch has this target
		{&all_branches, true, true, 0, 0, 0x3333, 0x3332, PMU_PLACE_SAMPLED},
		// perhaps an earlier branch's
		{&all_branches, true, true, 1, 4, 0x2222, 0x2222, PMU_PLACE_NEXT},
		{&all_branches, true, true, 1, 4, 0x3333, 0x3333, PMU_PLACE_NEXT},
		{&all_branches, true, false, 0, 0, 0x2222, 0x2222, PMU_PLACE_NEXT},
		{&near_calls, true, true, 1, 0, 0x2222, 0x1111, PMU_PLACE_SAMPLED},
		// a call is always taken
		{&near_calls, true, true, 1, 0, 0x3333, 0x3333, PMU_PLACE_NEXT},
		// calls are recorded
		{&near_calls, true, true, 1, 0x1E4, 0x2222, 0x1111, PMU_PLACE_SAMPLED},
		// relative calls excluded
		{&near_calls, true, true, 1, 0x8, 0x2222, 0x2222, PMU_PLACE_NEXT},
		// indirect calls excluded
		{&near_calls, true, true, 1, 0x10, 0x2222, 0x2222, PMU_PLACE_NEXT},
		// level 0 excluded
		{&near_calls, true, true, 1, 0x1, 0x2222, 0x2222, PMU_PLACE_NEXT},
		{&slow_loads, true, false, 0, 0, 0x2222, 0x2221, PMU_PLACE_SAMPLED},
		{&slow_loads, true, true, 1, 4, 0x2222, 0x2221, PMU_PLACE_SAMPLED},
		{&slow_loads, true, true, 1, 0, 0x2222, 0x1111, PMU_PLACE_SAMPLED},
		{&slow_loads, true, true, 1, 0, 0x3333, 0x3332, PMU_PLACE_SAMPLED},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct event_request r = request(cases[i].event, 0, EVENT_PRECISE, PERIOD);
		uint64_t words[PMU_PAYLOAD_WORDS];
		unsigned count = make_payload(words, cases[i].record, cases[i].captured,
					      cases[i].branches);

		r.branches = cases[i].filter;
		assert_located(&r, cases[i].ip, words, count, cases[i].expected, cases[i].place);
	}
}

// All events at the retirement of loads and stores (Tables 3 and 4), and no other events with
// records (Tables 3, 6 and 8).
static void events_of_loads_and_stores_are_moved_up(void **state)
{
	const struct pmu_event_table *table = driver()->events;
	unsigned moved = 0, others = 0;

	(void)state;
	for (size_t i = 0; i < table->count; i++) {
		const struct pmu_event *e = &table->event[i];
		struct event_request r = request(e, 0, EVENT_PRECISE, PERIOD);
		uint64_t words[PMU_PAYLOAD_WORDS];
		unsigned count = make_payload(words, true, false, 0);
		bool memory = !strncmp(e->name, "MEM_", 4);

		if (!e->precise)
			continue;
		moved += memory;
		others += !memory;
		assert_located(&r, 0x2222, words, count, memory ? 0x2221 : 0x2222,
			       memory ? PMU_PLACE_SAMPLED : PMU_PLACE_NEXT);
	}
	assert_true(moved && others);
}

// The guide on INST_RETIRED with a high threshold, inverted: it "will count core cycles". No
// instruction is sampled.
static void events_of_cycles_are_at_the_next_instruction(void **state)
{
	const struct pmu_event *events[] = {&instructions, &slow_loads};

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		for (unsigned branches = 0; branches < 2; branches++) {
			struct event_request r = request(events[i], 0, EVENT_PRECISE | EVENT_INV,
							 PERIOD);
			uint64_t words[PMU_PAYLOAD_WORDS];
			unsigned count = make_payload(words, true, branches, branches);

			r.cmask = 16;
			assert_located(&r, 0x2222, words, count, 0x2222, PMU_PLACE_NEXT);
		}
}

static void foreign_payloads_are_not_explained(void **state)
{
	const struct event_request r = request(&instructions, 0, EVENT_PRECISE, PERIOD);
	struct payload_part parts[PAYLOAD_PARTS];
	uint64_t words[PMU_PAYLOAD_WORDS];
	unsigned count = make_payload(words, true, true, 1);

	(void)state;
	assert_int_equal(driver()->records->explain(&r, words, 0, parts), 0);
	assert_int_equal(driver()->records->explain(&r, words, count - 1, parts), 0);
	assert_int_equal(driver()->records->explain(&r, words, count + 1, parts), 0);
	words[0] = ~0ULL;
	assert_int_equal(driver()->records->explain(&r, words, PMU_PAYLOAD_WORDS, parts), 0);
	assert_located(&r, 0x2222, words, PMU_PAYLOAD_WORDS, 0x2222, PMU_PLACE_INTERRUPTED);
}

//
// Contexts
//

// Sessions without branch records neither save, clear nor restore them: 680H is
// MSR_LASTBRANCH_0_FROM_IP (SDM volume 4).
static void a_context_without_branches_leaves_the_records_alone(void **state)
{
	const struct event_request r = request(&all_branches, 0, 0, 0);
	struct pmu_context context;
	struct pmu_session session;

	(void)state;
	open_requests(&session, &r, 1);
	assert_int_equal(pmu_start(&session), PMU_OK);
	assert_true(reg_write(0x680, 0x1234));
	assert_int_equal(pmu_context_save(&context, 0, 0), PMU_OK);
	assert_int_equal(value_of(0x680), 0x1234);
	assert_true(reg_write(0x680, 0x5678));
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	assert_int_equal(value_of(0x680), 0x5678);
	assert_int_equal(pmu_close(&session), PMU_OK);
}

// The other context records more branches than there are branch records.
static void a_context_keeps_its_branches_and_sees_no_others(void **state)
{
	struct pmu_context context;
	struct pmu_session session, other;
	struct event_request r, of_other;
	struct pmu_sample s;
	uint64_t words[PMU_PAYLOAD_WORDS];

	(void)state;
	start_with_branches(&session, &r, &all_branches, 0, PERIOD);
	run_branches(0, PERIOD - 3);
	assert_int_equal(pmu_context_save(&context, 0, 0), PMU_OK);
	assert_int_equal(value_of(DEBUGCTL), FREEZE_PERFMON_ON_PMI);
	start_with_branches(&other, &of_other, &all_branches, 0, 7);
	run_branches(500, 7);
	assert_true(pmu_take_sample_with_payload(&s, words));
	assert_branches(&of_other, words, s.source.words, 500, 7);
	run_branches(600, 3);
	assert_int_equal(pmu_close(&other), PMU_OK);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	run_branches(PERIOD - 3, 3);
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_true(pmu_take_sample_with_payload(&s, words));
	assert_branches(&r, words, s.source.words, PERIOD - RECORDS, RECORDS);
}

//
// Refusals
//

static void conditions_that_cannot_be_met_are_refused(void **state)
{
	struct event_request r = request(&plain, EVENT_ANY_COUNTER, EVENT_BRANCHES, 0);

	(void)state;
	assert_refused(&r, "branch records come with samples: they need a period");
	r.period = PERIOD;
	r.branches = 0x200;
	assert_refused(&r,
		       "conditions of branch records are bits 8 to 0, each of which leaves "
		       "branches out");
	r.branches = 0x3;
	assert_refused(&r, "these conditions of branch records leave all branches out");
	r.branches = 0x1FC;
	assert_refused(&r, "these conditions of branch records leave all branches out");
	r.modifiers &= ~EVENT_BRANCHES;
	r.branches = 1;
	assert_refused(&r, "conditions of branch records are lbr=N");
}

static void conditions_are_the_registers(void **state)
{
	struct event_request requests[] = {
		request(&plain, 0, EVENT_BRANCHES, PERIOD),
		request(&plain, 1, EVENT_BRANCHES, PERIOD),
	};
	struct pmu_session session;
	struct pmu_refusal refusal;
	char text[200];

	(void)state;
	requests[0].branches = 0x1F5;
	open_requests(&session, requests, 1);
	assert_int_equal(value_of(LBR_SELECT), 0x1F5);
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_int_equal(value_of(LBR_SELECT), 0);
	assert_int_equal(pmu_open(&session, requests, 2, &refusal), PMU_SETTINGS);
	pmu_explain(driver(), PMU_SETTINGS, &refusal, requests, text, sizeof text);
	assert_string_equal(text, "PLAIN needs register 0x1c8 set otherwise than PLAIN");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(samples_carry_the_last_branches_oldest_first),
		TEST(branches_that_have_not_been_are_left_out),
		TEST(records_go_on_behind_every_interrupt),
		TEST(a_stop_before_the_interrupt_has_its_branches),
		TEST(precise_branches_carry_record_and_branches),
		TEST(only_the_youngest_record_has_branches),
		TEST(a_sample_is_its_instructions_where_that_is_certain_else_the_next_ones),
		TEST(events_of_loads_and_stores_are_moved_up),
		TEST(events_of_cycles_are_at_the_next_instruction),
		TEST(foreign_payloads_are_not_explained),
		TEST(a_context_keeps_its_branches_and_sees_no_others),
		TEST(a_context_without_branches_leaves_the_records_alone),
		TEST(conditions_that_cannot_be_met_are_refused),
		TEST(conditions_are_the_registers),
	};

	return cmocka_run_group_tests_name("nehalem driver, branch records", tests, NULL, NULL);
}
