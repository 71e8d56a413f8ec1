// SPDX-License-Identifier: BSD-2-Clause
// Contexts as bytes: written in one process and resumed in another, exactly; and a context written
// by hand from the layout in palmon-state(5).

#include "portable_bytes.h"

static void execute_both(uint64_t *one, uint64_t *other, uint64_t n)
{
	const uint64_t executed = execute(n);

	*one += executed;
	*other += executed;
}

// A saved context's bytes, with the values that a test compares.
struct message {
	uint64_t executed, while_stopped;
	size_t size;
	uint8_t bytes[PMU_PORTABLE_MOST];
};

static void save(struct message *m)
{
	struct pmu_context context;

	assert_int_equal(pmu_context_save(&context, 0x1234, 3), PMU_OK);
	m->size = pmu_portable_write(&context, m->bytes, sizeof m->bytes);
	assert_in_range(m->size, 1, sizeof m->bytes);
	pmu_portable_forget(&context);
}

// Makes another process write a context. The two processes share no state.
static void have_made(void (*make)(struct message *, const void *), const void *argument,
		      struct message *m)
{
	int ends[2], status;
	ssize_t got, size = 0;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		memset(m, 0, sizeof *m);
		make(m, argument);
		_exit(write(ends[1], m, sizeof *m) != sizeof *m);
	}
	close(ends[1]);
	while ((got = read(ends[0], (char *)m + size, sizeof *m - (size_t)size)) > 0)
		size += got;
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(size, sizeof *m);
}

static void read_message(const struct message *m, struct pmu_session *sessions,
			 struct pmu_context *context)
{
	static uint8_t again[PMU_PORTABLE_MOST];

	assert_int_equal(pmu_portable_read(pmu_current_driver(), m->bytes, m->size, sessions,
					   SESSIONS, context),
			 PMU_PORTABLE_OK);
	assert_int_equal(pmu_portable_write(context, again, sizeof again), m->size);
	assert_memory_equal(again, m->bytes, m->size);
}

//
// Another process
//

struct run {
	const struct target *target;
	uint64_t before;	// instructions executed before the context is saved
	bool pending;		// with an overflow that could not be served
};

static void make_run(struct message *m, const void *argument)
{
	const struct run *run = argument;
	struct pmu_session session, stopped;

	begin(run->target->name);
	open_session(&stopped, run->target->stopped);
	assert_int_equal(pmu_start(&stopped), PMU_OK);
	m->while_stopped = execute(33);
	assert_int_equal(pmu_stop(&stopped), PMU_OK);
	open_session(&session, run->target->events);
	assert_int_equal(pmu_start(&session), PMU_OK);
	if (run->pending)
		hal_interrupts_disable();
	m->executed = execute(run->before);
	save(m);
}

static void go_on(const struct run *run)
{
	static struct message m;
	struct pmu_session sessions[SESSIONS], *session = &sessions[0], *stopped = &sessions[1];
	struct pmu_context context;
	uint64_t counted;

	have_made(make_run, run, &m);
	memset(sessions, 0xA5, sizeof sessions);
	begin(run->target->name);
	read_message(&m, sessions, &context);
	assert_int_equal(context.ip, 0x1234);
	assert_int_equal(context.level, 3);
	counted = count_of(session, 1);
	if (run->pending)		// the overflow has stopped all counters
		assert_in_range(counted, 100, m.executed - 1);
	else
		assert_int_equal(counted, m.executed);
	assert_int_equal(count_of(stopped, 0), m.while_stopped);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	assert_int_equal(count_of(session, 1), counted);
	counted += execute(2000);
	assert_int_equal(pmu_start(stopped), PMU_OK);
	execute_both(&counted, &m.while_stopped, 77);
	assert_int_equal(pmu_stop(stopped), PMU_OK);
	assert_int_equal(count_of(stopped, 0), m.while_stopped);
	assert_int_equal(pmu_stop(session), PMU_OK);
	assert_int_equal(count_of(session, 0), counted);
	for (unsigned event = 1; event < session->count; event++) {
		const struct pmu_counter *c = &session->counter[event];

		assert_int_equal(count_of(session, event), counted);
		assert_int_equal(c->samples, (counted - c->slipped) / c->period);
	}
	assert_int_equal(pmu_close(stopped), PMU_OK);
	assert_int_equal(pmu_close(session), PMU_OK);
	shim_end();
}

static void another_process_goes_on_exactly(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(targets); i++)
		for (uint64_t before = 2; before < 1100; before += 9)
			go_on(&(struct run){.target = &targets[i], .before = before});
}

static void a_pending_overflow_is_served_there(void **state)
{
	struct pmu_session sessions[SESSIONS];
	struct pmu_context context;
	static struct message m;
	struct pmu_sample sample;

	(void)state;
	for (size_t i = 0; i < LENGTH(targets); i++) {
		const struct run run = {.target = &targets[i], .before = 150, .pending = true};

		go_on(&run);
		have_made(make_run, &run, &m);
		begin(targets[i].name);
		read_message(&m, sessions, &context);
		assert_false(pmu_take_sample(&sample));
		assert_int_equal(pmu_context_restore(&context), PMU_OK);
		assert_true(pmu_take_sample(&sample));
		assert_int_equal(sample.ip, 0x1234);
		assert_int_equal(sample.source.level, 3);
		assert_int_equal(sample.source.session, 1);
		assert_int_equal(sample.source.event, 1);
		shim_end();
	}
}

// Raw events that are in no table; for each target, one that the driver accepts.
static void raw_events_go_along(void **state)
{
	static const struct target raw[] = {
		{"itanium", "raw=0x21321:period=100", "raw=0x1300"},
		{"nehalem", "raw=0x77ee:c=2:i:u:period=100", "r77c0"},
		{"knc", "raw=0x33f5:k:period=100", "r0005"},
		{"sparct4-dram", "raw=8:ctr=4", "raw=3:ctr=9"},
	};
	struct pmu_session session, stopped, sessions[SESSIONS];
	struct pmu_context context;
	static struct message m;

	(void)state;
	for (size_t i = 0; i < LENGTH(raw); i++) {
		begin(raw[i].name);
		open_session(&stopped, raw[i].stopped);
		open_session(&session, raw[i].events);
		assert_int_equal(pmu_start(&session), PMU_OK);
		save(&m);
		read_message(&m, sessions, &context);
		assert_int_equal(sessions[0].counter[0].select, session.counter[0].select);
		assert_int_equal(sessions[1].counter[0].select, stopped.counter[0].select);
		assert_int_equal(pmu_context_restore(&context), PMU_OK);
		assert_int_equal(pmu_close(&sessions[0]), PMU_OK);
		assert_int_equal(pmu_close(&sessions[1]), PMU_OK);
		shim_end();
	}
}

// Session 0 was opened first in the other process, session 1 second. The next one here must get
// another number.
static void numbers_are_not_given_twice(void **state)
{
	const struct run run = {.target = &targets[1], .before = 10};
	struct pmu_session sessions[SESSIONS], next;
	struct pmu_context context;
	static struct message m;

	(void)state;
	have_made(make_run, &run, &m);
	begin("nehalem");
	read_message(&m, sessions, &context);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	open_session(&next, "CPU_CLK_UNHALTED.REF");
	assert_int_equal(next.number, 2);
	shim_end();
}

//
// The hardware's records, and settings that it needs to continue
//

#define PERIOD	20

static void run_branches(unsigned first, unsigned count)
{
	static struct occurrence signals[2];	// inputs must stay valid until they are replaced

	for (unsigned i = first; i < first + count; i++) {
		signals[i & 1] = (struct occurrence){
			.code = 0xC4, .sub = 4, .n = 1, .ip = 0x1000 + i, .target = 0x2000 + i,
			.branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN,
		};
		assert_int_equal(shim_deliver(&signals[i & 1], 1, 1), 1);
	}
}

static void make_branches(struct message *m, const void *argument)
{
	struct pmu_session session;

	(void)argument;
	begin("nehalem");
	open_session(&session, "BR_INST_RETIRED.ALL_BRANCHES:lbr:period=20");
	assert_int_equal(pmu_start(&session), PMU_OK);
	run_branches(0, PERIOD - 3);
	save(m);
}

// The first sample has branches from both machines, the second one the branches after an interrupt.
static void branch_records_go_on_there(void **state)
{
	struct pmu_session sessions[SESSIONS];
	uint64_t words[PMU_PAYLOAD_WORDS];
	struct pmu_context context;
	static struct message m;
	struct pmu_sample sample;

	(void)state;
	have_made(make_branches, NULL, &m);
	for (unsigned turn = 0; turn < 2; turn++) {	// in the second pass after a closed session
							// and a forgotten context
		begin("nehalem");
		read_message(&m, sessions, &context);
		pmu_portable_forget(&context);
		assert_null(sessions[0].driver);
		read_message(&m, sessions, &context);
		assert_int_equal(pmu_context_restore(&context), PMU_OK);
		run_branches(PERIOD - 3, 2 * PERIOD);
		assert_int_equal(pmu_close(&sessions[0]), PMU_OK);
		for (unsigned i = 1; i <= 2; i++) {
			assert_true(pmu_take_sample_with_payload(&sample, words));
			assert_int_equal(sample.count, i * PERIOD);
			assert_int_equal(sample.source.words, 1 + 2 * 16);
			for (unsigned branch = 0; branch < 16; branch++) {
				assert_int_equal(words[1 + 2 * branch],
						 0x1000 + i * PERIOD - 16 + branch);
				assert_int_equal(words[2 + 2 * branch],
						 0x2000 + i * PERIOD - 16 + branch);
			}
		}
		shim_end();
	}
}

static void make_range(struct message *m, const void *argument)
{
	struct pmu_session session;

	(void)argument;
	begin("itanium");
	open_session(&session, "BRANCH_EVENT:period=10:iar=0x2000-0x203F");
	assert_int_equal(pmu_start(&session), PMU_OK);
	save(m);
}

#define ITANIUM_IBR0	0x200
#define ITANIUM_PMC13	13

static void address_ranges_are_set_there(void **state)
{
	struct pmu_session sessions[SESSIONS];
	struct pmu_context context;
	static struct message m;
	uint64_t value = 0;

	(void)state;
	have_made(make_range, NULL, &m);
	begin("itanium");
	read_message(&m, sessions, &context);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	assert_true(reg_read(ITANIUM_IBR0, &value));
	assert_int_equal(value, 0x2000);
	assert_true(reg_read(ITANIUM_PMC13, &value));
	assert_int_equal(value & 1, 0);
	assert_int_equal(pmu_close(&sessions[0]), PMU_OK);
	assert_true(reg_read(ITANIUM_PMC13, &value));
	assert_int_equal(value & 1, 1);
	shim_end();
}

// Modifiers that set bits of the control value, and recorders that samples of any event can
// request.
static const char *const ways_of_asking[] = {
	"CPU_CYCLES:ev:period=50", "CPU_CYCLES:oi=0", "CPU_CYCLES:u:oi=0:ev",
	"IA64_INST_RETIRED:dear:lat=64:period=100",
	"CPU_CYCLES:iear:tlb=12:period=70", "CPU_CYCLES:lbr:period=60",
	"IA64_INST_RETIRED:lbr=0xDF80:u:dear:period=30",
	"ITC:period=100", "ITC:period=100:dear:lbr", "ITC",
	"LOADS_RETIRED:dear:iar=0x1000-0x1FFF:dar=0-0xFFF:period=9",
	"BRANCH_EVENT:dear:period=7", "DATA_EAR_EVENTS:lbr:period=7",
};

static void make_asked(struct message *m, const void *argument)
{
	struct pmu_session session;

	begin("itanium");
	open_session(&session, argument);
	assert_int_equal(pmu_start(&session), PMU_OK);
	m->executed = execute(1000);
	save(m);
}

static void each_way_of_asking_goes_on_there(void **state)
{
	struct pmu_session sessions[SESSIONS];
	struct pmu_context context;
	static struct message m;

	(void)state;
	for (size_t i = 0; i < LENGTH(ways_of_asking); i++) {
		enum pmu_portable_error error;

		have_made(make_asked, ways_of_asking[i], &m);
		begin("itanium");
		error = pmu_portable_read(pmu_current_driver(), m.bytes, m.size, sessions, SESSIONS,
					  &context);
		if (error)
			fail_msg("%s: %s", ways_of_asking[i], pmu_portable_explain(error));
		read_message(&m, sessions, &context);
		assert_int_equal(pmu_context_restore(&context), PMU_OK);
		m.executed += execute(500);
		assert_int_equal(pmu_stop(&sessions[0]), PMU_OK);
		if (strstr(ways_of_asking[i], "ITC"))
			assert_int_equal(count_of(&sessions[0], 0), m.executed);
		assert_int_equal(pmu_close(&sessions[0]), PMU_OK);
		shim_end();
	}
}

// Registers of general counters accept 32 bits and extend bit 31. A counter that takes no samples
// any more and has passed 2^31 - 1 since its last write cannot be written as it is.
static void a_throttled_counter_goes_on_from_anywhere(void **state)
{
	const uint64_t far = 0x7FFFFFF0, modulus = 1ULL << 48;
	struct pmu_session session;
	struct pmu_context context;
	uint64_t executed;

	(void)state;
	begin("nehalem");
	open_session(&session, "INST_RETIRED.ANY_P:period=100,INST_RETIRED.ANY");
	session.counter[0].start = far;
	session.counter[0].wrap = modulus;
	pmu_throttle(pmu_this_cpu(), &session.counter[0], far);
	assert_int_equal(pmu_start(&session), PMU_OK);
	executed = execute(100);
	assert_int_equal(pmu_context_save(&context, 0, 0), PMU_OK);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	executed += execute(100);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	executed = count_of(&session, 1);
	assert_int_equal(count_of(&session, 0), far + executed);
	assert_int_equal(pmu_close(&session), PMU_OK);
	shim_end();
}

//
// A context written by hand
//

static void assert_counter(const struct pmu_counter *c, struct pmu_counter expected)
{
	assert_int_equal(c->select, expected.select);
	assert_int_equal(c->wrap, expected.wrap);
	assert_int_equal(c->start, expected.start);
	assert_int_equal(c->due, expected.due);
	assert_int_equal(c->period, expected.period);
	assert_int_equal(c->samples, expected.samples);
	assert_int_equal(c->slipped, expected.slipped);
	assert_int_equal(c->address, expected.address);
	assert_int_equal(c->number, expected.number);
	assert_false(c->precise || c->polled || c->throttled);
	assert_int_equal(c->payload, expected.payload);
	assert_int_equal(c->source.session, expected.source.session);
	assert_int_equal(c->source.event, expected.source.event);
	assert_int_equal(c->source.counter, expected.number);
	assert_int_equal(c->source.level, 0);
	assert_int_equal(c->source.words, 0);
}

static void assert_setting(const struct pmu_setting *s, uint32_t address, uint64_t mask,
			   uint64_t value)
{
	assert_int_equal(s->address, address);
	assert_int_equal(s->mask, mask);
	assert_int_equal(s->value, value);
	assert_int_equal(s->idle, 0);
}

// SDM volume 3B: counters are MSRs C1H to C4H, fixed counters 309H to 30BH.
static void a_context_by_hand_is_read(void **state)
{
	static const uint64_t modulus = 1ULL << 48, never = 0x7FFFFFFFFFFFFFFF;
	const struct pmu_driver *nehalem = pmu_driver_find("nehalem");
	struct pmu_session s[SESSIONS];
	struct pmu_context context;

	(void)state;
	assert_int_equal(golden_size, 452);
	assert_string_equal(pmu_portable_target(golden, golden_size), "nehalem");
	begin("nehalem");
	memset(s, 0xA5, sizeof s);
	assert_int_equal(pmu_portable_read(nehalem, golden, golden_size, s, 2, &context),
			 PMU_PORTABLE_OK);
	assert_ptr_equal(context.driver, nehalem);
	assert_ptr_equal(context.open, &s[0]);
	assert_int_equal(context.enabled, 1ULL << 32 | 1);
	assert_int_equal(context.ip, 0x7F1234567890);
	assert_int_equal(context.level, 3);
	assert_int_equal(context.recorded[0], 0x400123);
	assert_int_equal(context.recorded[1], 0x400200);
	for (unsigned i = 2; i < PMU_RECORDED; i++)
		assert_int_equal(context.recorded[i], 0);

	assert_ptr_equal(s[0].driver, nehalem);
	assert_int_equal(s[0].number, 7);
	assert_int_equal(s[0].count, 2);
	assert_false(s[0].running);
	assert_int_equal(s[0].counters, 1ULL << 32 | 1);
	assert_ptr_equal(s[0].next, &s[1]);
	assert_int_equal(s[0].setting_count, 0);
	assert_counter(&s[0].counter[0], (struct pmu_counter){
		.select = 0x5301C0, .wrap = 123000, .start = modulus + 5, .due = 123000,
		.period = 1000, .samples = 122,
		.address = 0xC1, .number = 0, .source = {.session = 7, .event = 0},
	});
	assert_counter(&s[0].counter[1], (struct pmu_counter){
		.select = 0xB, .wrap = modulus + 123005, .due = never, .address = 0x309,
		.number = 32,
		.source = {.session = 7, .event = 1},
	});

	assert_ptr_equal(s[1].driver, nehalem);
	assert_int_equal(s[1].number, 2);
	assert_int_equal(s[1].count, 2);
	assert_int_equal(s[1].counters, 1 << 1 | 1 << 2);
	assert_null(s[1].next);
	assert_int_equal(s[1].setting_count, 3);
	assert_counter(&s[1].counter[0], (struct pmu_counter){
		.select = 0x5301B7, .wrap = modulus + 0x102030405, .due = never, .address = 0xC2,
		.number = 1,
		.source = {.session = 2, .event = 0},
	});
	assert_counter(&s[1].counter[1], (struct pmu_counter){
		.select = 0x5302C4, .wrap = 100, .start = modulus - 60, .due = 100, .period = 100,
		.slipped = 17,
		.address = 0xC3, .number = 2, .payload = true, .source = {.session = 2, .event = 1},
	});
	assert_setting(&s[1].setting[0], 0x1A6, 0xFFFF, 0x4001);
	assert_setting(&s[1].setting[1], 0x1C8, 0x1FF, 0);
	assert_setting(&s[1].setting[2], 0x1D9, 0x801, 0x801);

	assert_int_equal(count_of(&s[0], 0), 123005);
	assert_int_equal(count_of(&s[0], 1), 123005);
	assert_int_equal(count_of(&s[1], 0), 0x102030405);
	assert_int_equal(count_of(&s[1], 1), 40);
	pmu_portable_forget(&context);
	shim_end();
}

// The pending overflow becomes a sample; the other counters continue.
static void a_context_by_hand_goes_on(void **state)
{
	struct pmu_session s[SESSIONS];
	struct pmu_context context;
	struct pmu_sample sample;
	uint8_t again[PMU_PORTABLE_MOST];
	uint64_t counted;

	(void)state;
	begin("nehalem");
	assert_int_equal(pmu_portable_read(pmu_current_driver(), golden, golden_size, s, 2,
					   &context), PMU_PORTABLE_OK);
	assert_int_equal(pmu_portable_write(&context, again, sizeof again), golden_size);
	assert_memory_equal(again, golden, golden_size);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	assert_true(pmu_take_sample(&sample));
	assert_int_equal(sample.ip, 0x7F1234567890);
	assert_int_equal(sample.count, 123005);
	assert_int_equal(s[0].counter[0].samples, 123);
	assert_int_equal(s[0].counter[0].due, 124000);
	counted = execute(2000);
	assert_int_equal(pmu_stop(&s[0]), PMU_OK);
	assert_in_range(count_of(&s[0], 1), 123005 + counted, 123005 + counted + 10);
	assert_int_equal(count_of(&s[0], 0), count_of(&s[0], 1));
	assert_int_equal(s[0].counter[0].samples, 125);
	assert_int_equal(count_of(&s[1], 0), 0x102030405);
	assert_int_equal(pmu_close(&s[1]), PMU_OK);
	assert_int_equal(pmu_close(&s[0]), PMU_OK);
	shim_end();
}

// A context of Knights Corner, with a counter that follows the program's user filter, and that
// filter (the guide, Table 1-7: PERF_SPFLT_CONTROL, 2CH, has it in bit 63).
#define KNC_GOLDEN	"tests/vectors/knc-state.hex"
#define KNC_SPFLT	0x2C
#define KNC_PREFERRED	(1ULL << 63)
#define SHIM_USER_MORE	3	/* instructions at level 3 around the n of hal_execute_user */

static void a_preference_by_hand_goes_on(void **state)
{
	uint8_t bytes[PMU_PORTABLE_MOST], again[PMU_PORTABLE_MOST];
	const size_t size = hex_read(KNC_GOLDEN, bytes, sizeof bytes);
	struct pmu_session s;
	struct pmu_context context;
	struct pmu_sample sample;
	uint64_t control = 0;

	(void)state;
	assert_int_equal(size, 244);
	assert_string_equal(pmu_portable_target(bytes, size), "knc");
	begin("knc");
	assert_int_equal(pmu_portable_read(pmu_current_driver(), bytes, size, &s, 1, &context),
			 PMU_PORTABLE_OK);
	assert_int_equal(pmu_portable_write(&context, again, sizeof again), size);
	assert_memory_equal(again, bytes, size);
	assert_setting(&s.setting[0], KNC_SPFLT, 2, 2);
	assert_int_equal(count_of(&s, 0), 123005);
	assert_int_equal(count_of(&s, 1), 77777);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	assert_true(pmu_take_sample(&sample));
	assert_int_equal(sample.ip, 0x7F1234567890);
	assert_int_equal(sample.count, 123005);
	assert_true(reg_read(KNC_SPFLT, &control));
	assert_int_equal(control, KNC_PREFERRED | 2);
	hal_execute_user(300);
	assert_true(hal_spflt(false));
	hal_execute_user(300);
	assert_int_equal(count_of(&s, 1), 77777 + 300 + SHIM_USER_MORE);
	assert_int_equal(pmu_close(&s), PMU_OK);
	assert_true(reg_read(KNC_SPFLT, &control));
	assert_int_equal(control, 0);
	shim_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_process_goes_on_exactly),
		cmocka_unit_test(a_pending_overflow_is_served_there),
		cmocka_unit_test(raw_events_go_along),
		cmocka_unit_test(numbers_are_not_given_twice),
		cmocka_unit_test(branch_records_go_on_there),
		cmocka_unit_test(address_ranges_are_set_there),
		cmocka_unit_test(each_way_of_asking_goes_on_there),
		cmocka_unit_test(a_throttled_counter_goes_on_from_anywhere),
		cmocka_unit_test(a_context_by_hand_is_read),
		cmocka_unit_test(a_context_by_hand_goes_on),
		cmocka_unit_test(a_preference_by_hand_goes_on),
	};

	return cmocka_run_group_tests_name("contexts as bytes", tests, read_golden, NULL);
}
