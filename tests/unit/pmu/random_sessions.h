/* SPDX-License-Identifier: BSD-2-Clause */
/* Random operations on a driver and the core while counters run. Before each register write some
 * instructions execute, as on hardware. Expected counts are computed by hand from the registers as
 * written; they must match, however sessions are opened, contexts switch, interrupts wait and
 * threads alternate. Include after the target's driver.h. */
#ifndef RANDOM_SESSIONS_H
#define RANDOM_SESSIONS_H

#include "by_hand.h"
#include "core/random.h"

#define SESSIONS_MOST	3
#define THREADS_MOST	4
#define COUNTERS_MOST	4
#define CONTROLS	8

/* The parts that differ between targets. */
static const struct random_sessions {
	unsigned threads, counters, width, sessions;
	uint32_t count_address, control_address;	/* addresses of the first counter's
							 * registers */
	uint64_t least;			/* least distance from overflow for arming, in events */
	const char *events[4], *modifiers[8];	/* ended by NULL */
	struct {
		const char *text;
		uint64_t least_period;	/* longer if a handler's own instructions are counted */
	} level[8];
	unsigned level_count;
	uint8_t modes[3];		/* modes in which threads execute; register writes execute
					 * in the first */

	/* added: the increment of a counter of thread `of` in a cycle in which `thread` executes n
	 * instructions. signals: the inputs of such a cycle. */
	uint64_t (*added)(unsigned of, unsigned counter, unsigned thread, unsigned level,
			  uint64_t n);
	void (*signals)(struct occurrence signals[2], unsigned thread, unsigned level, uint64_t n);

	void (*happen)(void);		/* other events */
	void (*put_aside)(void);	/* checks registers after a context was saved */
	void (*check)(void);		/* checks registers at any time */
} target;

static uint64_t seed;

/* Two contexts of each thread, of which one is active. */
static struct thread {
	struct context {
		struct pmu_context context;
		bool preferred;		/* state of its program's user filter */
		struct ours ours[SESSIONS_MOST];
	} contexts[2], *here;
	uint64_t *counted_by[COUNTERS_MOST];
	bool waiting;			/* interrupts are disabled */
	uint64_t control[CONTROLS];	/* as last written, from the first counter on */
} threads[THREADS_MOST], *this;

static bool armed_too_near;

static inline uint64_t between(uint64_t least, uint64_t most)
{
	return random_between(&seed, least, most);
}

static inline unsigned this_thread(void)
{
	return (unsigned)(this - threads);
}

static inline void count_by_hand(unsigned level, uint64_t n, uint64_t cycles)
{
	for (unsigned t = 0; t < target.threads; t++)
		for (unsigned i = 0; i < target.counters && cycles; i++) {
			const uint64_t more = target.added(t, i, this_thread(), level, n);

			if (!more)
				continue;
			assert_non_null(threads[t].counted_by[i]);
			*threads[t].counted_by[i] += more * cycles;
		}
}

/* This thread executes n instructions in each of `cycles` cycles, in pieces, because an interrupt
 * handler executes as well. */
static inline void execute_cycles(unsigned level, uint64_t n, uint64_t cycles)
{
	struct occurrence signals[2] = {0};

	target.signals(signals, this_thread(), level, n);
	while (cycles) {
		struct vpmu *v = shim_vpmu();
		uint64_t piece;

		vpmu_connect(v, signals, 2);
		piece = vpmu_headroom(v) < cycles ? vpmu_headroom(v) : cycles;
		count_by_hand(level, n, piece);
		cycles -= piece;
		while (piece)
			piece -= shim_deliver(signals, 2, piece);
	}
	shim_deliver(NULL, 0, 0);
}

static inline void write_happens(uint32_t address, uint64_t value)
{
	execute_cycles(target.modes[0], 1, between(0, 6));
	if (address - target.control_address < CONTROLS)
		this->control[address - target.control_address] = value;
	armed_too_near |= address - target.count_address < target.counters &&
			  value > (1ULL << target.width) - target.least;
}

static inline const char *any_of(const char *const *words)
{
	unsigned count = 0;

	while (words[count])
		count++;
	return words[between(0, count - 1)];
}

/* Opens a session. A session that does not fit next to the open ones is refused. */
static inline void open_one(struct ours *o)
{
	const unsigned count = (unsigned)between(1, EVENTS);
	char text[160] = "";

	for (unsigned e = 0; e < count; e++) {
		const unsigned l = (unsigned)between(0, target.level_count - 1);
		const uint64_t least = target.level[l].least_period,
			most = between(0, 1) ? least + 30 : 3000;
		size_t length = strlen(text);

		snprintf(text + length, sizeof text - length, "%s%s%s%s", e ? "," : "",
			 any_of(target.events), target.level[l].text, any_of(target.modifiers));
		length = strlen(text);
		if (between(0, 2))
			snprintf(text + length, sizeof text - length, ":period=%" PRIu64,
				 between(least, most));
	}
	open_by_hand(this->counted_by, o, text);
}

static inline void own_all(bool there)
{
	for (unsigned s = 0; s < target.sessions; s++)
		own(this->counted_by, &this->here->ours[s], there);
}

static inline void check_here(void)
{
	for (unsigned s = 0; s < target.sessions; s++)
		check_by_hand(&this->here->ours[s], target.width);
}

static inline void switch_contexts(void)
{
	assert_int_equal(pmu_context_save(&this->here->context, 0x2000, 3), PMU_OK);
	assert_portable(&this->here->context);
	own_all(false);
	target.put_aside();
	check_here();
	this->here = &this->contexts[this->here == this->contexts];
	own_all(true);
	if (this->here->context.driver)
		assert_int_equal(pmu_context_restore(&this->here->context), PMU_OK);
}

/* From here on this thread executes. It takes its interrupts first. */
static inline void turn_to(unsigned thread)
{
	this = &threads[thread];
	shim_cpu(thread);
	shim_deliver(NULL, 0, 0);
	if (target.check)
		target.check();
}

static inline void do_something(void)
{
	struct ours *o = &this->here->ours[between(0, target.sessions - 1)];

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
		target.happen();
		break;
	case 5:
		this->waiting = !this->waiting;
		let_interrupts_wait(this->waiting);
		break;
	case 6:
	case 7:
		turn_to((unsigned)between(0, target.threads - 1));
		break;
	default:
		execute_cycles(target.modes[between(0, 2)], between(0, 2),
			       between(1, this->waiting || between(0, 20) ? 150 : 200000));
	}
}

static inline uint64_t take_turns(uint32_t interrupts, uint64_t clocks)
{
	uint64_t taken = 0;

	assert_int_equal(driver_start(NULL), 0);
	memset(threads, 0, sizeof threads);
	for (unsigned t = 0; t < target.threads; t++) {
		threads[t].here = threads[t].contexts;
		turn_to(t);
		pmu_limit_interrupts(interrupts, clocks);
	}
	armed_too_near = false;
	shim_watch_writes(write_happens);
	for (unsigned turn = 0; turn < 2000; turn++) {
		const unsigned thread = this_thread();

		do_something();
		for (unsigned t = 0; t < target.threads; t++) {
			turn_to((thread + 1 + t) % target.threads);
			check_here();
		}
	}
	assert_false(armed_too_near);
	shim_watch_writes(NULL);
	for (unsigned t = 0; t < target.threads; t++) {
		shim_cpu(t);
		assert_int_equal(statistics().faults, 0);
		taken += statistics().interrupts;
	}
	assert_int_equal(shim_traps().wrong, 0);
	shim_end();
	return taken;
}

static inline void counts_are_exact_while_counters_run_on(void **state)
{
	uint64_t taken = 0;

	(void)state;
	for (uint64_t run = 1; run <= 30; run++) {
		seed = run * 0x9E3779B97F4A7C15;
		taken += take_turns(UINT32_MAX - 1, 0);
	}
	assert_true(taken > 10000);
}

/* With a low limit of interrupts, counters lose samples but no counts. */
static inline void throttled_counts_are_exact(void **state)
{
	(void)state;
	for (uint64_t run = 1; run <= 10; run++) {
		seed = run * 0xD1B54A32D192ED03;
		take_turns(3, 2000);
	}
}

static inline int run_random_sessions(const char *name)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_exact_while_counters_run_on),
		cmocka_unit_test(throttled_counts_are_exact),
	};

	return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

#endif
