// SPDX-License-Identifier: BSD-2-Clause
// The itanium driver on the shim with undefined state (6.2.9, Table 6-11, the event address
// registers and the branch trace): random programs of sessions and contexts have the same results
// for any undefined values.

#include "pmu/itanium/driver.h"

#include "pmu/core/random.h"

#define PROGRAMS	1000
#define STEPS		60
#define SESSIONS	3
#define EVENTS		2
#define SIGNALS		5

static const char *const events[] = {
	"CPU_CYCLES", "CPU_CYCLES:period=37", "IA64_INST_RETIRED:period=50", "CPU_CYCLES:thres=1",
	"BRANCH_EVENT", "BRANCH_EVENT:period=2", "BRANCH_EVENT:period=3",
	"BRANCH_TAKEN_SLOT.SLOT_2:period=5",
	"DATA_EAR_EVENTS:tlb=14:period=2", "DATA_EAR_EVENTS:tlb=14:period=3",
	"INSTRUCTION_EAR_EVENTS:period=2",
	"INSTRUCTION_EAR_EVENTS:tlb=12:period=2", "NOPS_RETIRED:iar=0x2000-0x200F",
	"LOADS_RETIRED:dar=0xAB0000-0xAB7FFF", "IA64_TAGGED_INST_RETIRED.PMC9:opc=0/0x1FFFFFFFFFE",
	"RSE_LOADS_RETIRED",
};

// The choice of the tracked load is random (6.2.7.5), so 66 is left out.
static const uint16_t codes[] = {0x08, 0x0D, 0x0F, 0x12, 0x22, 0x27, 0x30, 0x60, 0x61, 0x6C, 0x72};

static struct {
	struct pmu_session session;
	struct event_request request[EVENTS];
} open[SESSIONS];

static uint64_t random_number, said;

static unsigned below(unsigned limit)
{
	return (unsigned)random_between(&random_number, 0, limit - 1);
}

static void say(uint64_t value)
{
	said = (said ^ value) * 0x100000001B3ULL;
	said ^= said >> 29;
}

static void happen(void)
{
	static struct occurrence signals[2][SIGNALS];
	static unsigned turn;
	unsigned count = below(SIGNALS + 1);

	turn = !turn;
	for (unsigned i = 0; i < count; i++) {
		uint16_t code = codes[below(LENGTH(codes))];
		bool branch = code == 0x0D || code == 0x0F;

		signals[turn][i] = (struct occurrence){
			.code = code, .n = 1 + below(2), .sub = 4, .type = OCCURRENCE_TYPE_M,
			.slot = (uint8_t)below(3),
			.served = (uint8_t)(1 + below(3)), .data = code >= 0x60,
			.latency = 1 + below(40),
			.branch = branch ? OCCURRENCE_BRANCH | (below(2) ? OCCURRENCE_TAKEN : 0) :
				0,
			.ip = 0x2000 + 0x10 * below(3), .address = 0xAB0000 + 0x8000 * below(3),
			.target = 0x2000 + 0x10 * below(3),
		};
	}
	vpmu_connect(shim_vpmu(), signals[turn], count);
	hal_execute(2 + below(60));
}

static void open_some(unsigned i)
{
	unsigned count = 1 + below(EVENTS);
	struct pmu_refusal refusal;

	for (unsigned event = 0; event < count; event++)
		open[i].request[event] = request(events[below(LENGTH(events))]);
	say(pmu_open(&open[i].session, open[i].request, count, &refusal));
}

static void switch_context(struct pmu_context *context, bool *away)
{
	say(*away ? pmu_context_restore(context) : pmu_context_save(context, 0x4000, 0));
	*away = !*away;
}

// Opens, starts, stops or closes a session.
static void act(unsigned i)
{
	struct pmu_session *session = &open[i].session;

	if (!session->driver)
		open_some(i);
	else if (!session->running)
		say(below(4) ? pmu_start(session) : pmu_close(session));
	else
		say(below(4) ? pmu_stop(session) : pmu_close(session));
}

static void say_counts(void)
{
	for (unsigned i = 0; i < SESSIONS; i++)
		for (unsigned event = 0; open[i].session.driver && event < open[i].session.count;
		     event++)
			say(count_of(&open[i].session, event));
}

static void say_payload(const struct pmu_sample *sample, const uint64_t *words)
{
	struct payload_part parts[PAYLOAD_PARTS];

	for (unsigned i = 0; i < SESSIONS; i++) {
		const struct event_request *r = &open[i].request[sample->source.event];
		unsigned count;

		if (!open[i].session.driver || open[i].session.number != sample->source.session)
			continue;
		count = itanium()->records->explain(r, words, sample->source.words, parts);
		say(count);
		for (unsigned part = 0; part < count; part++)
			say(parts[part].value);
	}
}

static void say_samples(void)
{
	uint64_t words[PMU_PAYLOAD_WORDS];
	struct pmu_sample sample;

	while (pmu_take_sample_with_payload(&sample, words)) {
		say(sample.count);
		say(sample.clock);
		say(sample.source.words);
		say_payload(&sample, words);
	}
}

// Returns a hash of this program's results.
static uint64_t run(uint64_t program, uint64_t seed)
{
	struct pmu_context context;
	bool away = false;

	random_number = program;
	said = 0;
	shim_seed(seed);
	assert_true(shim_start("itanium", ""));
	assert_int_equal(pmu_begin(itanium(), false), PMU_OK);
	allow_all_interrupts();
	for (unsigned step = 0; step < STEPS; step++) {
		if (below(8) == 0)
			switch_context(&context, &away);
		else if (!away && below(2))
			act(below(SESSIONS));
		else
			happen();
		if (!away)
			say_counts();
		say_samples();
	}
	if (away)
		switch_context(&context, &away);
	for (unsigned i = 0; i < SESSIONS; i++)
		if (open[i].session.driver)
			assert_int_equal(pmu_close(&open[i].session), PMU_OK);
	assert_int_equal(statistics().faults, 0);
	assert_int_equal(statistics().unclaimed, 0);
	say(statistics().overflows);
	shim_end();
	return said;
}

static void nothing_depends_on_what_is_undefined(void **state)
{
	(void)state;
	for (uint64_t program = 1; program <= PROGRAMS; program++) {
		uint64_t first = run(program, 0x0123456789ABCDEF);

		assert_int_equal(run(program, 0xFEDCBA9876543210), first);
	}
	shim_seed(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_depends_on_what_is_undefined),
	};

	return cmocka_run_group_tests_name("itanium driver: undefined state", tests, NULL, NULL);
}
