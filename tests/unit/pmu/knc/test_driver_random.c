// SPDX-License-Identifier: BSD-2-Clause
// The knc driver and the core on four threads while counters run on: before each register that is written some
// instructions of that thread execute, as on the hardware. What the counters have counted is kept by hand, from the
// registers as they are written. However sessions come and go, contexts switch, programs change their user filter,
// interrupts wait and threads alternate, that is the count. And whenever a thread takes interrupts, no overflow is left
// without one.

#include "pmu/knc/driver.h"

#include "../by_hand.h"
#include "../core/random.h"

#define WIDTH		40	/* of a counter */
#define SESSIONS	2
#define LEAST		2
#define OF_EACH		2	/* occurrences of a thread */

static uint64_t seed;

// Two contexts of each thread, of which one is there.
static struct context {
	struct pmu_context context;
	bool filter_on;			// while it is put aside
	struct ours ours[SESSIONS];
} contexts[THREADS][2];

// Of each thread: registers as last written, whose counts its counters are.
static struct thread {
	struct context *here;
	uint64_t select[COUNTERS], global, spflt;
	uint64_t *counted_by[COUNTERS];
	bool waiting;			// interrupts are off
} threads[THREADS], *this;

static bool armed_too_near;

static uint64_t between(uint64_t least, uint64_t most)
{
	return random_between(&seed, least, most);
}

// Table 1-5: what one counter of a thread adds in cycles in each of which `executing` executes n instructions.
static uint64_t added(const struct thread *t, unsigned i, const struct thread *executing, unsigned level, uint64_t n,
		      uint64_t cycles)
{
	const uint64_t select = t->select[i], cmask = CMASK_OF(select);
	const uint64_t events = (select & 0xFF) == CYCLES ? 1 : n;

	if (!(t->global >> i & 1) || !(select & EN) || !(select & (level ? USR : OS)))
		return 0;
	if (t != executing && !(select & ANY))
		return 0;
	if (t->spflt >> i & 1 && !(t->spflt & USER_PREF))
		return 0;
	return cmask ? (events >= cmask) * cycles : events * cycles;
}

static void count_by_hand(unsigned level, uint64_t n, uint64_t cycles)
{
	for (struct thread *t = threads; t < threads + THREADS; t++)
		for (unsigned i = 0; i < COUNTERS; i++) {
			const uint64_t more = added(t, i, this, level, n, cycles);

			if (!more)
				continue;
			assert_non_null(t->counted_by[i]);
			*t->counted_by[i] += more;
		}
}

// This thread executes n instructions in each of so many cycles. In pieces: an interrupt's handler executes, too.
static void pass(unsigned level, uint32_t n, uint64_t cycles)
{
	const uint8_t thread = (uint8_t)(this - threads);
	const struct occurrence signals[OF_EACH] = {
		{.code = INSTRUCTIONS, .n = n, .thread = thread, .level = (uint8_t)level},
		{.code = CYCLES, .n = 1, .thread = thread, .level = (uint8_t)level},
	};

	while (cycles) {
		const struct vpmu *v = shim_vpmu();
		uint64_t piece;

		v->model->connect(v->state, signals, OF_EACH);
		piece = vpmu_headroom(v);
		piece = piece < cycles ? piece : cycles;
		count_by_hand(level, n, piece);
		assert_int_equal(shim_feed(signals, OF_EACH, piece), piece);
		cycles -= piece;
	}
	shim_feed(NULL, 0, 0);
}

static void write_happens(uint32_t address, uint64_t value)
{
	pass(0, 1, between(0, 6));
	if (address - SEL0 < COUNTERS)
		this->select[address - SEL0] = value;
	else if (address == GLOBAL)
		this->global = value;
	else if (address == SPFLT)
		this->spflt = value;
	armed_too_near |= address - CNTR0 < COUNTERS && value > MODULUS - LEAST;
}

static void execute_some(void)
{
	const uint64_t cycles = this->waiting || between(0, 20) ? between(1, 150) : between(1, 200000);

	pass(between(0, 1) ? 3 : 0, (uint32_t)between(0, 2), cycles);
}

static void own_all(bool there)
{
	for (unsigned s = 0; s < SESSIONS; s++)
		own(this->counted_by, &this->here->ours[s], there);
}

// One that does not fit beside the others is refused. A counter that sees the handler's own instructions needs a period
// that is not over before its end.
static void open_one(struct ours *o)
{
	static const char *const levels[] = {":u", ":k", ""};
	static const char *const modifiers[] = {"", ":t", ":spflt", ":c=2", ":t:spflt"};
	const unsigned count = (unsigned)between(1, EVENTS);
	char text[160] = "";

	for (unsigned e = 0; e < count; e++) {
		size_t length = strlen(text);

		snprintf(text + length, sizeof text - length, "%s%s%s%s", e ? "," : "",
			 between(0, 1) ? "INSTRUCTIONS_EXECUTED" : "CPU_CLK_UNHALTED", levels[between(0, 2)],
			 modifiers[between(0, 4)]);
		length = strlen(text);
		if (between(0, 2))
			snprintf(text + length, sizeof text - length, ":period=%u",
				 (unsigned)between(LEAST, between(0, 1) ? 40 : 3000));
	}
	open_by_hand(this->counted_by, o, text);
}

// From here on it is this thread that executes. It takes its interrupts first: none is missing.
static void turn_to(unsigned thread)
{
	this = &threads[thread];
	shim_cpu(thread);
	shim_feed(NULL, 0, 0);
	if (!this->waiting)
		assert_int_equal(get(STATUS), 0);
}

static void switch_contexts(void)
{
	struct context *own_contexts = contexts[this - threads];
	const bool filter_on = this->spflt & USER_PREF;

	this->here->filter_on = filter_on;
	assert_int_equal(pmu_context_save(&this->here->context, 0x2000, 3), PMU_OK);
	assert_portable(&this->here->context);
	own_all(false);
	assert_no_trace();
	assert_int_equal(get(GLOBAL), 0);
	for (unsigned s = 0; s < SESSIONS; s++)
		check_by_hand(&this->here->ours[s], WIDTH);
	this->here = &own_contexts[this->here == own_contexts];
	own_all(true);
	if (this->here->context.driver)
		assert_int_equal(pmu_context_restore(&this->here->context), PMU_OK);
	assert_int_equal(get(SPFLT) >> 63, this->here->filter_on);
}

static void change_filter(void)
{
	const bool count = between(0, 1);

	assert_true(hal_spflt(count));		// in a cycle in which nothing happens
	this->spflt = (this->spflt & ~USER_PREF) | (count ? USER_PREF : 0);
}

static void do_something(void)
{
	struct ours *o = &this->here->ours[between(0, SESSIONS - 1)];

	switch (between(0, 10)) {
	case 0:
		if (o->open && between(0, 1))
			close_by_hand(this->counted_by, o);
		else if (!o->open)
			open_one(o);
		break;
	case 1:
	case 2:
		start_or_stop(o);
		break;
	case 3:
		switch_contexts();
		break;
	case 4:
		change_filter();
		break;
	case 5:
		this->waiting = !this->waiting;
		let_interrupts_wait(this->waiting);
		break;
	case 6:
	case 7:
		turn_to((unsigned)between(0, THREADS - 1));
		break;
	default:
		execute_some();
	}
}

static void check_all(void)
{
	const unsigned thread = (unsigned)(this - threads);

	for (unsigned t = 0; t < THREADS; t++) {
		turn_to((thread + 1 + t) % THREADS);
		for (unsigned s = 0; s < SESSIONS; s++)
			check_by_hand(&this->here->ours[s], WIDTH);
	}
}

static uint64_t interrupts_of_all(void)
{
	uint64_t sum = 0;

	for (unsigned t = 0; t < THREADS; t++) {
		shim_cpu(t);
		assert_int_equal(statistics().faults, 0);
		sum += statistics().interrupts;
	}
	return sum;
}

static uint64_t take_turns(uint32_t interrupts, uint64_t clocks)
{
	uint64_t taken;

	assert_int_equal(driver_start(NULL), 0);
	memset(contexts, 0, sizeof contexts);
	memset(threads, 0, sizeof threads);
	for (unsigned t = 0; t < THREADS; t++) {
		threads[t].here = contexts[t];
		turn_to(t);
		pmu_limit_interrupts(interrupts, clocks);
	}
	armed_too_near = false;
	shim_watch_writes(write_happens);
	for (unsigned turn = 0; turn < 2000; turn++) {
		do_something();
		check_all();
	}
	assert_false(armed_too_near);
	shim_watch_writes(NULL);
	taken = interrupts_of_all();
	shim_end();
	return taken;
}

static void counts_are_exact_while_counters_run_on(void **state)
{
	uint64_t taken = 0;

	(void)state;
	for (uint64_t run = 1; run <= 25; run++) {
		seed = run * 0x9E3779B97F4A7C15;
		taken += take_turns(UINT32_MAX - 1, 0);
	}
	assert_true(taken > 10000);
}

// With few interrupts allowed counters lose samples, and no counts.
static void throttled_counts_are_exact(void **state)
{
	(void)state;
	for (uint64_t run = 1; run <= 10; run++) {
		seed = run * 0xD1B54A32D192ED03;
		take_turns(3, 2000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_exact_while_counters_run_on),
		cmocka_unit_test(throttled_counts_are_exact),
	};

	return cmocka_run_group_tests_name("knc: driver, at random", tests, NULL, NULL);
}
