// SPDX-License-Identifier: BSD-2-Clause
// Checks that PMUs with conditions of cycles, a status that software can set, or a freeze can share
// (struct selftest_suite, `further`).

#include "suite.h"

#include "hal.h"
#include "stimulus.h"

//
// Cycles that reach a threshold. The driver's event of cycles occurs once in each cycle: the sum
// always reaches 1 and never 2.
//

// Counts the event with a condition, and expects all cycles, or none.
static uint64_t cycles_with(unsigned counter, const char *condition, bool all)
{
	char event[EVENT_NAME_MAX + 16];

	*selftest_text(selftest_text(event, selftest_now()->suite->driver->cycles), condition) = 0;
	return selftest_count_cycles(counter, event, all, 0);
}

static uint64_t threshold_1_counts_all_cycles(unsigned counter)
{
	return cycles_with(counter, ":c=1", true);
}

static uint64_t threshold_2_counts_no_cycle(unsigned counter)
{
	return cycles_with(counter, ":c=2", false);
}

static uint64_t inverted_threshold_1_counts_no_cycle(unsigned counter)
{
	return cycles_with(counter, ":c=1:i", false);
}

static uint64_t inverted_threshold_2_counts_all_cycles(unsigned counter)
{
	return cycles_with(counter, ":c=2:i", true);
}

static uint64_t inversion_without_threshold_changes_nothing(unsigned counter)
{
	const struct pmu_driver *driver = selftest_now()->suite->driver;
	struct event_request request = selftest_find_counter(counter)->request;
	const uint64_t plain = driver->encode(&request, counter);

	request.modifiers |= EVENT_INV;
	selftest_set(counter, AT_ALL, 0);
	selftest_flip(counter, driver->encode(&request, counter) ^ plain);
	selftest_run(counter, 100);
	return selftest_value(counter);
}

// Each visit to level 3 is one assertion of the condition "cycle at level 3".
static uint64_t edge_counts_each_visit(unsigned counter)
{
	char event[EVENT_NAME_MAX + 16];

	*selftest_text(selftest_text(event, selftest_now()->suite->driver->cycles), ":u:e:c=1") = 0;
	selftest_set_event(counter, event, 0);
	hal_execute(10);
	selftest_run_by(selftest_visit_user, counter, 10);
	return selftest_value(counter);
}

//
// Freeze
//

static uint64_t freezes_without_freeze_bit(unsigned counter)
{
	selftest_watch(counter, 0, 0);
	selftest_write(selftest_now()->suite->freeze_enable, 0);
	selftest_overflow_once(counter, INTERRUPTING);
	selftest_require_equal(selftest_seen()->interrupts, 1);
	return selftest_seen()->frozen;
}

// A frozen counter does not count while its bit of the enable register is set.
static uint64_t frozen_counter_stands_still(unsigned counter)
{
	selftest_set(counter, AT_ALL, 0);
	selftest_write(selftest_now()->suite->set, selftest_now()->suite->freeze_mask);
	selftest_run(counter, 100);
	return selftest_value(counter);
}

static uint64_t thawed_counter_counts(unsigned counter)
{
	selftest_write(selftest_now()->suite->set, selftest_now()->suite->freeze_mask);
	selftest_acknowledge(selftest_now()->suite->freeze_mask);
	selftest_set(counter, AT_ALL, 0);
	selftest_run(counter, 100);
	return selftest_value(counter);
}

// The interrupt handler reads the enable register.
static uint64_t freeze_leaves_global_control(unsigned counter)
{
	selftest_watch(counter, 0, selftest_now()->suite->enable);
	selftest_overflow_once(counter, INTERRUPTING);
	selftest_expect(BIT(counter));
	return selftest_seen()->reading;
}

//
// A status that software sets
//

static uint64_t software_sets_status(unsigned counter)
{
	selftest_write(selftest_now()->suite->set, BIT(counter));
	selftest_expect(BIT(counter));
	return selftest_status();
}

static uint64_t set_and_clear_read_0(unsigned)
{
	selftest_write(selftest_now()->suite->set, selftest_all_counters());
	return selftest_read(selftest_now()->suite->set) |
	       selftest_read(selftest_now()->suite->clear);
}

#define CYCLES		(SELFTEST_GLOBAL | NEEDS_CYCLES | NEEDS_CONDITIONS)
#define FREEZE		(SELFTEST_FREEZES | NEEDS_SET)

const struct selftest_case selftest_global[] = {
	{"threshold 1, one event in a cycle: all cycles: #", EVERY,
	 .run = threshold_1_counts_all_cycles, .needs = CYCLES},
	{"threshold 2, one event in a cycle: no cycle: #", EVERY,
	 .run = threshold_2_counts_no_cycle, .needs = CYCLES},
	{"inverted threshold 1, one event in a cycle: no cycle: #", EVERY,
	 .run = inverted_threshold_1_counts_no_cycle, .needs = CYCLES},
	{"inverted threshold 2, one event in a cycle: all cycles: #", EVERY,
	 .run = inverted_threshold_2_counts_all_cycles, .needs = CYCLES},
	{"inversion without a threshold changes nothing: #", EVERY, 101,
	 .run = inversion_without_threshold_changes_nothing,
	 .needs = NEEDS_EXACT | NEEDS_CONDITIONS},
	{"edges: counts each visit to level 3 once: #", EVERY, 10, .run = edge_counts_each_visit,
	 .needs = NEEDS_CONDITIONS},

	{"overflow does not freeze without the freeze bit: #", EVERY, 0,
	 .run = freezes_without_freeze_bit, .needs = SELFTEST_FREEZES},
	{"a frozen counter does not count: #", EVERY, 0, .run = frozen_counter_stands_still,
	 .needs = FREEZE},
	{"a thawed counter counts: #", EVERY, 101, .run = thawed_counter_counts,
	 .needs = FREEZE | NEEDS_EXACT},
	{"a freeze leaves global control alone: #", EVERY, .run = freeze_leaves_global_control,
	 .needs = FREEZE},

	{"software sets the status of #", EVERY, .run = software_sets_status, .needs = NEEDS_SET},
	{"the registers that set and clear the status read 0", 0, 0, .run = set_and_clear_read_0,
	 .needs = NEEDS_SET},
};

const size_t selftest_global_count = sizeof selftest_global / sizeof *selftest_global;
