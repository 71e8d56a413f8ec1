// SPDX-License-Identifier: BSD-2-Clause
// The knc driver on the shim: its register accesses and their order, refused requests, the user
// filter, contexts, threads. On the shim an interrupt handler takes no time.

#include "pmu/knc/driver.h"

#include "pal.h"
#include "portable.h"

#define LENGTH(array) (sizeof (array) / sizeof *(array))

//
// Register writes and their order
//

#define WRITES_MOST 32

static struct {
	uint32_t address;
	uint64_t value;
} written[WRITES_MOST];
static unsigned writes;

static void remember(uint32_t address, uint64_t value)
{
	assert_true(writes < WRITES_MOST);
	written[writes].address = address;
	written[writes++].value = value;
}

static void watch(void)
{
	writes = 0;
	shim_watch_writes(remember);
}

static void assert_written(unsigned n, uint32_t address, uint64_t value)
{
	assert_true(n < writes);
	assert_int_equal(written[n].address, address);
	assert_int_equal(written[n].value, value);
}

// The guide, 1.4.3.9: stop, clear, continue; the counter is armed again while all counters are
// stopped.
static void the_handler_stops_clears_arms_and_starts(void **state)
{
	struct pmu_session session;

	(void)state;
	open_and_start(&session, "INSTRUCTIONS_EXECUTED:period=1000,CPU_CLK_UNHALTED");
	watch();
	execute(1000);
	shim_watch_writes(NULL);
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(writes, 4);
	assert_written(0, GLOBAL, 0);
	assert_written(1, OVF_CTRL, 1);
	assert_written(2, CNTR0, MODULUS - 1000);
	assert_written(3, GLOBAL, 3);
	assert_int_equal(get(STATUS), 0);
}

static void two_overflows_are_one_interrupt_and_one_clear(void **state)
{
	struct pmu_session session;

	(void)state;
	open_and_start(&session, "INSTRUCTIONS_EXECUTED:period=1000,CPU_CLK_UNHALTED:period=1000");
	watch();
	execute(1000);
	shim_watch_writes(NULL);
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(statistics().overflows, 2);
	assert_int_equal(writes, 5);
	assert_written(0, GLOBAL, 0);
	assert_written(1, OVF_CTRL, 3);
	assert_written(4, GLOBAL, 3);
}

// A write sets all 40 bits, so a period of 2^39 is armed at once, a longer one in parts.
static void the_longest_period_is_armed_at_once(void **state)
{
	struct pmu_session session;

	(void)state;
	open_and_start(&session,
		       "INSTRUCTIONS_EXECUTED:period=0x8000000000,"
		       "CPU_CLK_UNHALTED:period=0x7FFFFFFFFF");
	assert_int_equal(get(CNTR0 + 1), MODULUS - 0x7FFFFFFFFF);
	execute(0x7FFFFFFFFF);
	execute(1000);
	assert_int_equal(session.counter[0].samples, 1);
	assert_int_equal(session.counter[1].samples, 1);
	assert_int_equal(session.counter[0].slipped, 0);
	assert_int_equal(count_of(&session, 0), count_of(&session, 1));
}

static void fill(void)
{
	for (unsigned i = 0; i < COUNTERS; i++) {
		put(CNTR0 + i, MODULUS - 2);
		put(SEL0 + i, 0xFF | USR | OS | EDGE | INT | ANY | EN | INV);
	}
	put(SPFLT, USER_PREF | 3);
	put(SEL0, INSTRUCTIONS | OS | EN);
	put(GLOBAL, 1);
	hal_execute(10);
	put(GLOBAL, 3);
}

static void reset_is_of_the_thread_and_not_of_the_clock(void **state)
{
	uint64_t clock;

	(void)state;
	shim_cpu(1);
	hal_pmi_mask();
	fill();
	shim_cpu(2);
	hal_pmi_mask();
	fill();
	assert_int_equal(get(STATUS), 1);
	clock = get(TSC);
	assert_int_not_equal(clock, 0);
	assert_int_equal(pmu_begin(knc(), false), PMU_OK);
	for (uint32_t address = CNTR0; address <= GLOBAL; address++)
		if (address != OVF_CTRL && (address < CNTR0 + COUNTERS || address >= SEL0) &&
		    (address < SEL0 + COUNTERS || address >= SPFLT))
			assert_int_equal(get(address), 0);
	assert_int_equal(get(TSC), clock);
	shim_cpu(1);
	assert_int_equal(get(STATUS), 1);
	assert_int_equal(get(SPFLT), USER_PREF | 3);
	assert_int_equal(get(GLOBAL), 3);
}

static void probing_writes_nothing(void **state)
{
	(void)state;
	watch();
	assert_null(pmu_probe(knc()));
	assert_int_equal(writes, 0);
}

// Makes one register fault: a write of a reserved bit, or of an address without a register (Table
// 1-2).
static void a_fault_of_one_register_of_several_is_reported(void **state)
{
	static const struct pmu_counter faulting[] = {
		{.address = CNTR0 + 2}, {.address = CNTR0, .start = MODULUS},
		{.address = CNTR0, .select = 1 << 19},
		{.address = CNTR0, .number = 2},
	};
	const struct pmu_counter right = {.address = CNTR0},
		pair[] = {{.address = CNTR0 + 2}, right};

	(void)state;
	assert_true(knc()->program(&right, 1));
	assert_true(knc()->release(&right, 1));
	for (size_t i = 0; i < LENGTH(faulting); i++)
		assert_false(knc()->program(&faulting[i], 1));
	assert_false(knc()->program(pair, 2));
	assert_false(knc()->release(&faulting[0], 1));
	assert_false(knc()->release(pair, 2));
	assert_false(knc()->enable(1 << COUNTERS));
	assert_false(knc()->overflow_clear(1 << COUNTERS));
	assert_false(knc()->write(STATUS, 0));
}

// A processor without these registers.
static void each_operation_reports_faults(void **state)
{
	uint64_t value = 1, recorded[PMU_RECORDED] = {1};

	(void)state;
	assert_true(shim_start("sparct4", ""));
	assert_false(knc()->reset());
	assert_false(knc()->read(CNTR0, &value));
	assert_int_equal(value, 0);
	assert_false(knc()->write(CNTR0, 0));
	assert_false(knc()->enable(0));
	value = 1;
	assert_false(knc()->freeze(&value));
	assert_int_equal(value, 0);
	assert_false(knc()->thaw(0));
	value = 1;
	assert_false(knc()->overflow_status(&value));
	assert_int_equal(value, 0);
	assert_false(knc()->overflow_clear(0));
	assert_false(knc()->records->restore(recorded));
	assert_false(knc()->records->save(recorded));
	assert_int_equal(recorded[0], 0);
}

static void closing_leaves_no_trace(void **state)
{
	struct pmu_session session;

	(void)state;
	open_and_start(&session, "INSTRUCTIONS_EXECUTED:spflt,CPU_CLK_UNHALTED:period=100");
	execute(1234);
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_no_trace();
	assert_int_equal(get(GLOBAL), 0);
}

//
// Requests
//

static void refused_with_reasons(void **state)
{
	static const struct {
		const char *event, *why;
	} cases[] = {
		{"BRANCHES:p:period=100",
		 "the processor writes no records: its events are not precise"},
		{"BRANCHES:lbr:period=100", "the processor records no branches"},
		{"BRANCHES:btb=1", "the processor records no branches"},
		{"BRANCHES:lat=4", "the processor samples no addresses and no latencies"},
		{"BRANCHES:tlb=1", "the processor samples no addresses and no latencies"},
		{"BRANCHES:iar=0-0xFF", "neither addresses nor opcodes qualify events"},
		{"BRANCHES:dar=0-0xFF", "neither addresses nor opcodes qualify events"},
		{"BRANCHES:opc=0/0", "neither addresses nor opcodes qualify events"},
		{"BRANCHES:ism=1", "there is one instruction set"},
		{"BRANCHES:plm=2",
		 "levels 1 to 3 are counted together (USR): not 1 or 2 without 3"},
		{"BRANCHES:plm=5",
		 "levels 1 to 3 are counted together (USR): not 1 or 2 without 3"},
		{"BRANCHES:plm=10",
		 "levels 1 to 3 are counted together (USR): not 1 or 2 without 3"},
		{"BRANCHES:i",
		"inversion turns a comparison with the threshold around: it needs a threshold (c)"},
		{"BRANCHES:ctr=2", "a thread has the counters 0 and 1"},
		{"BRANCHES:ctr=63", "a thread has the counters 0 and 1"},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		const struct event_request r = request(cases[i].event);
		char expected[200], text[200];
		struct pmu_session session;
		struct pmu_refusal refusal;

		watch();
		assert_int_equal(pmu_open(&session, &r, 1, &refusal), PMU_UNFIT);
		assert_int_equal(writes, 0);
		pmu_explain(knc(), PMU_UNFIT, &refusal, &r, text, sizeof text);
		snprintf(expected, sizeof expected, "BRANCHES: %s", cases[i].why);
		assert_string_equal(text, expected);
	}
}

static void accepted(void **state)
{
	static const struct {
		const char *event;
		uint64_t counters, select;
	} cases[] = {
		{"DATA_READ", 3, 0x530000}, {"DATA_READ:u", 3, 0x510000},
		{"DATA_READ:k", 3, 0x520000},
		{"DATA_READ:plm=14", 3, 0x510000}, {"DATA_READ:plm=9", 3, 0x530000},
		{"DATA_READ:t", 3, 0x730000},
		{"DATA_READ:e", 3, 0x570000}, {"DATA_READ:c=255:i:e", 3, 0xFFD70000},
		{"DATA_READ:ctr=1", 2, 0x530000},
		{"L2_READ_MISS", 1, 0x5310CB}, {"L2_READ_MISS:ctr=1", 0, 0x5310CB},
		{"L2_CODE_READ_MISS_CACHE_FILL", 3, 0x5310F0},
		{"VPU_ELEMENTS_ACTIVE:spflt", 3, 0x532018},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		const struct event_request r = request(cases[i].event);

		assert_int_equal(knc()->choices(&r), cases[i].counters);
		assert_int_equal(knc()->encode(&r, 0), cases[i].select);
	}
}

// Other processors lack the instruction SPFLT.
static void other_targets_refuse_spflt(void **state)
{
	(void)state;
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++) {
		struct event_request r;
		const char *text = (*d)->retired ? (*d)->retired : (*d)->events->event[0].name;

		if (*d == knc())
			continue;
		assert_true(shim_start((*d)->name, ""));
		assert_int_equal(pmu_begin(*d, false), PMU_OK);
		assert_int_equal(event_parse((*d)->events, &text, &r), EVENT_OK);
		assert_int_not_equal((*d)->choices(&r), 0);
		r.modifiers |= EVENT_PREFERRED;
		assert_int_equal((*d)->choices(&r), 0);
	}
}

//
// The program's user filter
//

static void counts_only_what_the_program_prefers(void **state)
{
	struct pmu_session session;
	uint64_t filtered;

	(void)state;
	open_and_start(&session, "INSTRUCTIONS_EXECUTED:spflt,INSTRUCTIONS_EXECUTED");
	assert_int_equal(get(SPFLT), 1);
	execute(1000);
	assert_int_equal(count_of(&session, 0), 0);
	assert_true(hal_spflt(true));
	filtered = execute(500);
	assert_true(hal_spflt(false));		// the write itself is still counted
	execute(200);
	assert_int_equal(count_of(&session, 0), filtered + 1);
	assert_int_equal(get(SPFLT), 1);
}

// Opening and closing sessions leaves the user filter unchanged.
static void settings_leave_the_preference(void **state)
{
	struct pmu_session first, second;

	(void)state;
	assert_true(hal_spflt(true));
	open_session(&first, "INSTRUCTIONS_EXECUTED:ctr=1:spflt");
	assert_int_equal(get(SPFLT), USER_PREF | 2);
	open_session(&second, "INSTRUCTIONS_EXECUTED:spflt");
	assert_int_equal(get(SPFLT), USER_PREF | 3);
	assert_int_equal(pmu_close(&first), PMU_OK);
	assert_int_equal(get(SPFLT), USER_PREF | 1);
	assert_true(hal_spflt(false));
	assert_int_equal(pmu_close(&second), PMU_OK);
	assert_int_equal(get(SPFLT), 0);
}

static bool was_on;

static void note_interrupts(uint32_t address, uint64_t value)
{
	(void)value;
	if (address == SPFLT) {
		writes++;
		was_on = hal_interrupts_disable();
		hal_interrupts_restore(was_on);
	}
}

// If the program ran between the read and the write, its change of the user filter would be lost.
static void the_register_is_changed_with_interrupts_off(void **state)
{
	struct pmu_session session;

	(void)state;
	writes = 0;
	was_on = false;
	shim_watch_writes(note_interrupts);
	open_session(&session, "INSTRUCTIONS_EXECUTED:spflt");
	assert_int_equal(writes, 1);
	assert_false(was_on);
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_int_equal(writes, 2);
	assert_false(was_on);
}

static void a_context_takes_the_preference_along(void **state)
{
	struct pmu_session session;
	struct pmu_context context, other;
	uint64_t counted;

	(void)state;
	open_and_start(&session, "INSTRUCTIONS_EXECUTED:spflt:period=100,INSTRUCTIONS_EXECUTED");
	assert_true(hal_spflt(true));
	counted = execute(1000);
	assert_int_equal(pmu_context_save(&context, 0x1000, 3), PMU_OK);
	assert_int_equal(get(SPFLT), 0);		// the next program starts with it off
	execute(500);
	assert_int_equal(pmu_context_save(&other, 0x2000, 3), PMU_OK);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	assert_int_equal(get(SPFLT), USER_PREF | 1);
	counted += execute(300);
	assert_int_equal(count_of(&session, 0), counted);
	assert_int_equal(session.counter[0].samples, counted / 100);
	assert_int_equal(pmu_context_save(&context, 0x1000, 3), PMU_OK);
	assert_int_equal(pmu_context_restore(&other), PMU_OK);
	assert_int_equal(get(SPFLT), 0);
}

// Restores a context from bytes on another thread: the bytes contain the setting and the user
// filter. Byte 51 of the header is the number of recorded words, 1.
static void bytes_take_the_preference_along(void **state)
{
	static uint8_t bytes[PMU_PORTABLE_MOST];
	struct pmu_session session, there;
	struct pmu_context context;
	uint64_t counted;
	size_t size;

	(void)state;
	open_and_start(&session, "INSTRUCTIONS_EXECUTED:ctr=1:spflt:period=100");
	assert_true(hal_spflt(true));
	counted = execute(1000);
	assert_int_equal(pmu_context_save(&context, 0x1000, 3), PMU_OK);
	size = pmu_portable_write(&context, bytes, sizeof bytes);
	assert_int_equal(bytes[51], 1);
	pmu_portable_forget(&context);
	shim_cpu(3);
	assert_int_equal(pmu_portable_read(knc(), bytes, size, &there, 1, &context),
			 PMU_PORTABLE_OK);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	assert_int_equal(get(SPFLT), USER_PREF | 2);
	counted += execute(300);
	assert_true(hal_spflt(false));
	execute(300);
	assert_int_equal(count_of(&there, 0), counted + 1);
}

// Restoring a context takes only the user filter from its recorded words.
static void a_context_reaches_no_other_bit(void **state)
{
	struct pmu_context context;

	(void)state;
	assert_int_equal(pmu_context_save(&context, 0, 3), PMU_OK);
	context.recorded[0] = ~0ULL;
	context.recorded[1] = ~0ULL;
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	assert_int_equal(get(SPFLT), USER_PREF);
}

//
// Threads
//

// Samples on each thread while the threads alternate: the sum over threads equals the count of a
// counter of any thread.
static void sum_over_threads_is_the_any_thread_count(void **state)
{
	struct pmu_session sessions[THREADS];
	uint64_t sum = 0;

	(void)state;
	for (unsigned thread = 0; thread < THREADS; thread++) {
		shim_cpu(thread);
		open_and_start(&sessions[thread],
			       "INSTRUCTIONS_EXECUTED:u:period=1000,INSTRUCTIONS_EXECUTED:u:t");
	}
	for (unsigned turn = 0; turn < 40; turn++) {
		shim_cpu(turn % THREADS);
		hal_execute_user(500 + 77 * turn);
	}
	for (unsigned thread = 0; thread < THREADS; thread++) {
		shim_cpu(thread);
		sum += count_of(&sessions[thread], 0);
		assert_int_equal(sessions[thread].counter[0].samples,
				 count_of(&sessions[thread], 0) / 1000);
	}
	for (unsigned thread = 0; thread < THREADS; thread++) {
		shim_cpu(thread);
		assert_int_equal(count_of(&sessions[thread], 1), sum);
	}
}

// All eight counters overflow in one cycle: each thread gets an interrupt, which finds its two
// overflows.
static void eight_counters_overflow_at_once(void **state)
{
	struct pmu_session sessions[THREADS];

	(void)state;
	for (unsigned thread = 0; thread < THREADS; thread++) {
		shim_cpu(thread);
		open_and_start(&sessions[thread],
			       "INSTRUCTIONS_EXECUTED:t:period=100,CPU_CLK_UNHALTED:t:period=100");
	}
	shim_cpu(2);
	execute(97);
	execute(5);
	for (unsigned thread = 0; thread < THREADS; thread++) {
		shim_cpu(thread);
		assert_int_equal(statistics().interrupts, 1);
		assert_int_equal(statistics().overflows, 2);
		assert_int_equal(get(STATUS), 0);
	}
}

// The halted thread counts nothing; the others continue.
static void a_halted_thread_leaves_the_others_counts(void **state)
{
	struct pmu_session own, others;
	uint64_t before, executed;

	(void)state;
	shim_cpu(1);
	open_and_start(&others, "INSTRUCTIONS_EXECUTED,INSTRUCTIONS_EXECUTED:t");
	executed = execute(1000);
	shim_cpu(0);
	open_and_start(&own, "INSTRUCTIONS_EXECUTED,CPU_CLK_UNHALTED");
	before = count_of(&own, 0);
	hal_interrupts_disable();
	hal_alarm(100000);
	assert_int_equal(pal_call(PAL_HALT_LIGHT, 0, 0, 0).status, PAL_SUCCESS);
	hal_interrupts_restore(true);
	assert_in_range(count_of(&own, 0) - before, 0, 200);		// the alarm's handler
	assert_int_equal(count_of(&own, 0), count_of(&own, 1));
	shim_cpu(1);
	assert_int_equal(count_of(&others, 0), executed);
	executed += execute(1000);
	assert_int_equal(count_of(&others, 0), executed);
}

//
// PAL
//

static _Alignas(64) uint64_t memory[16];

// Two counters of 40 bits; cycles 2AH, executed instructions 16H (Table 1-6). The register numbers
// are those of pmu/knc/README.md.
static void pal_answers(void **state)
{
	static const uint64_t masks[] = {0x1F, 0x7, 0x3, 0x3};
	struct pal_ret r;

	(void)state;
	shim_allow_memory(memory, sizeof memory);
	hal_interrupts_disable();
	r = pal_call(PAL_PERF_MON_INFO, (uintptr_t)memory, 0, 0);
	assert_int_equal(r.status, PAL_SUCCESS);
	assert_int_equal(r.v1, 0x162A2802);
	for (unsigned word = 0; word < 16; word++)
		assert_int_equal(memory[word], word % 4 ? 0 : masks[word / 4]);
	r = pal_call(PALMON_MONITOR_FEATURES, 0, 0, 0);
	assert_int_equal(r.status, PAL_SUCCESS);
	assert_int_equal(r.v1, 40 << 8);
	assert_int_equal(r.v2, 3);
	assert_int_equal(r.v3, PMU_FEATURE_GLOBAL | PMU_FEATURE_USER_READ | PMU_FEATURE_THRESHOLD |
			       PMU_FEATURE_ANY_THREAD);
	r = pal_call(PALMON_MONITOR_EVENTS, 0, 0, 0);
	assert_int_equal(r.status, PAL_SUCCESS);
	assert_int_equal(r.v1, 0x2A);
	assert_int_equal(r.v2, 0x16);
	r = pal_call(PAL_DEBUG_INFO, 0, 0, 0);
	assert_int_equal(r.status, PAL_SUCCESS);
	assert_int_equal(r.v1, 4);
	assert_int_equal(r.v2, 4);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, driver_start, driver_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_handler_stops_clears_arms_and_starts),
		TEST(two_overflows_are_one_interrupt_and_one_clear),
		TEST(the_longest_period_is_armed_at_once),
		TEST(reset_is_of_the_thread_and_not_of_the_clock),
		TEST(probing_writes_nothing),
		TEST(a_fault_of_one_register_of_several_is_reported),
		TEST(each_operation_reports_faults),
		TEST(closing_leaves_no_trace),
		TEST(refused_with_reasons),
		TEST(accepted),
		TEST(other_targets_refuse_spflt),
		TEST(counts_only_what_the_program_prefers),
		TEST(settings_leave_the_preference),
		TEST(the_register_is_changed_with_interrupts_off),
		TEST(a_context_takes_the_preference_along),
		TEST(bytes_take_the_preference_along),
		TEST(a_context_reaches_no_other_bit),
		TEST(sum_over_threads_is_the_any_thread_count),
		TEST(eight_counters_overflow_at_once),
		TEST(a_halted_thread_leaves_the_others_counts),
		TEST(pal_answers),
	};

	return cmocka_run_group_tests_name("knc: driver", tests, NULL, NULL);
}
