// SPDX-License-Identifier: BSD-2-Clause
// What all PMUs share, counters: width, wrap, exact counting, what stops them, levels, conditions.

#include "selftest_shared.h"

#include "hal.h"

static struct selftest_result check_written(const struct selftest_counter *c, unsigned i)
{
	const struct selftest_written *w = &c->like->written[i];

	selftest_set(c->number, SELFTEST_ALL, false, 0);
	selftest_write(c->address, w->written);
	return selftest_compare(w->read, selftest_value(c->number));
}

// Counts its event over n instructions at the self test's level.
static uint64_t count(const struct selftest_counter *c, unsigned levels, uint64_t start, uint64_t n)
{
	selftest_set(c->number, levels, false, start);
	selftest_run_counters(c->bit, n);
	return selftest_value(c->number);
}

static struct selftest_result check_wrap(const struct selftest_counter *c, unsigned)
{
	return selftest_compare(100, count(c, SELFTEST_ALL, -1ULL, 100));
}

static struct selftest_result check_exact(const struct selftest_counter *c, unsigned)
{
	return selftest_compare(3001, count(c, SELFTEST_ALL, 0, 3000));
}

// Counts all cycles of n instructions, where all counters start together.
static void set_cycles(const struct selftest_counter *c, uint64_t start)
{
	selftest_set_event(c->number, c->like->cycles, start);
}

// How many cycles instructions take is the processor's business. Another counter that starts from 0 at the same time
// counts as many; this one wraps.
static struct selftest_result check_cycles(const struct selftest_counter *c, unsigned)
{
	const struct selftest_counter *twin = selftest_twin(c);

	set_cycles(c, -1ULL);
	set_cycles(twin, 0);
	selftest_run_together(c->bit | twin->bit, 1000);
	selftest_require(selftest_value(twin->number) > 1);
	return selftest_compare(selftest_value(twin->number) - 1, selftest_value(c->number));
}

static struct selftest_result check_readable(const struct selftest_counter *c, unsigned)
{
	const uint64_t value = (-0xA6ULL + c->number) & FIELD_MASK(0, selftest_suite->driver->width);

	selftest_set(c->number, SELFTEST_ALL, false, 0);
	selftest_write(c->address, value);
	return selftest_compare(selftest_value(c->number), selftest_read_counter(c->like->index + c->number -
										 c->like->first));
}

static void set_all(uint64_t start)
{
	for (unsigned i = 0; i < selftest_counter_count; i++)
		selftest_set(selftest_counter[i].number, selftest_levels(), false, start);
}

// All counters are on but that these bits of one stop it.
static struct selftest_result check_stop(const struct selftest_counter *c, unsigned i)
{
	set_all(0);
	selftest_flip(c->number, c->like->stop[i].flip);
	selftest_run_together(selftest_all_counters(), 100);
	return selftest_compare(0, selftest_value(c->number));
}

// All are set up, and all but one are let count.
static struct selftest_result check_global(const struct selftest_counter *c, unsigned)
{
	set_all(0);
	selftest_run_counters(selftest_all_counters() & ~c->bit, 100);
	return selftest_compare(0, selftest_value(c->number));
}

//
// Levels
//

static struct selftest_result check_os_at_os(const struct selftest_counter *c, unsigned)
{
	return selftest_compare(101, count(c, SELFTEST_OS, 0, 100));
}

static struct selftest_result check_user_at_os(const struct selftest_counter *c, unsigned)
{
	return selftest_compare(0, count(c, SELFTEST_USER, 0, 100));
}

static uint64_t count_user(const struct selftest_counter *c, unsigned levels, uint64_t n)
{
	selftest_set(c->number, levels, false, 0);
	selftest_run_user(c->bit, n);
	return selftest_value(c->number);
}

// What 2000 more instructions at the lowest level add: whatever the way there and back counts drops out.
static uint64_t user_difference(const struct selftest_counter *c, unsigned levels)
{
	uint64_t added = 0;

	for (unsigned i = 0; i < 2; i++)
		added = count_user(c, levels, 1000 + 2000 * i) - added;
	return added;
}

static struct selftest_result check_user_at_user(const struct selftest_counter *c, unsigned)
{
	return selftest_compare(2000, user_difference(c, SELFTEST_USER));
}

static struct selftest_result check_os_at_user(const struct selftest_counter *c, unsigned)
{
	return selftest_compare(0, user_difference(c, SELFTEST_OS));
}

// Interrupts come while level 3 counts, and their handler does not.
static struct selftest_result check_user_interrupted(const struct selftest_counter *c, unsigned)
{
	const uint64_t undisturbed = count_user(c, SELFTEST_USER, 10000);

	hal_alarm(5000);
	return selftest_compare(undisturbed, count_user(c, SELFTEST_USER, 10000));
}

//
// Conditions
//

static struct selftest_result check_condition(const struct selftest_counter *c, unsigned i)
{
	const struct selftest_condition *condition = &c->like->condition[i];
	const struct selftest_counter *twin = selftest_twin(c);

	selftest_set_event(c->number, condition->event, 0);
	set_cycles(twin, 0);
	selftest_run_together(c->bit | twin->bit, 1000);
	selftest_require(selftest_value(twin->number) > 0);
	return selftest_compare(condition->all ? selftest_value(twin->number) : 0, selftest_value(c->number));
}

static struct selftest_result check_case(const struct selftest_counter *, unsigned i)
{
	const struct selftest_case *k = &selftest_suite->cases[i];

	selftest_set(k->counter, SELFTEST_ALL, false, 0);
	selftest_flip(k->counter, k->flip);
	for (unsigned n = 0; n < sizeof k->write / sizeof *k->write && k->write[n].address; n++)
		selftest_write(k->write[n].address, k->write[n].value);
	selftest_run_counters(1ULL << k->counter, 100);
	return selftest_compare(k->expected, selftest_value(k->counter));
}

static const struct selftest_shared checks[] = {
	{"wraps to 0: ", check_wrap, NEEDS_EXACT},
	{"counts exactly: ", check_exact, NEEDS_EXACT},
	{"counts cycles as the others do, and wraps: ", check_cycles, NEEDS_CYCLES},
	{"an instruction reads ", check_readable, NEEDS_READABLE},
	{"without its global enable does not count: ", check_global, SELFTEST_GLOBAL},
	{"level 0 only, at level 0: ", check_os_at_os, SELFTEST_LEVELS | NEEDS_EXACT},
	{"level 3 only, at level 0: ", check_user_at_os, SELFTEST_LEVELS},
	{"level 3 only, at level 3: ", check_user_at_user, SELFTEST_LEVELS | NEEDS_EXACT},
	{"level 0 only, at level 3: ", check_os_at_user, SELFTEST_LEVELS | NEEDS_EXACT},
	{"level 3 only, at level 3, interrupted: ", check_user_interrupted, SELFTEST_LEVELS | NEEDS_EXACT},
};

void selftest_visit_counters(selftest_visit_function *visit, void *context)
{
	for (const struct selftest_counter *c = selftest_counter; c < selftest_counter + selftest_counter_count; c++) {
		const struct selftest_counters *like = c->like;

		for (unsigned i = 0; like->written && like->written[i].name; i++)
			visit(context, like->written[i].name, c, check_written, i);
		for (unsigned i = 0; like->stop && like->stop[i].name; i++)
			visit(context, like->stop[i].name, c, check_stop, i);
		for (unsigned i = 0; like->condition && like->condition[i].name; i++)
			visit(context, like->condition[i].name, c, check_condition, i);
	}
	selftest_visit(checks, sizeof checks / sizeof *checks, visit, context);
	for (unsigned i = 0; i < selftest_suite->cases_count; i++)
		visit(context, selftest_suite->cases[i].name, NULL, check_case, i);
}
