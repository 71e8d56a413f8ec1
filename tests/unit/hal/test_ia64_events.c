// SPDX-License-Identifier: BSD-2-Clause
// Compares the ia64 machine's list of events and sub-events with the table of the PMU's events and
// with the model. tests/boot/ia64_events.t shows that the machine raises exactly this list.

#include "unit.h"

#include <string.h>

#include "event.h"
#include "../../../hal/emu/ia64/machine.h"
#include "../../../hal/emu/ia64/tally.h"

extern const struct pmu_event_table pmu_events_itanium;

#define ROW(name, code, subs) {#name, code, subs},
static const struct {
	const char *name;
	uint16_t code, subs;
} events[] = {IA64_EVENTS(ROW) IA64_CAPTURES(ROW)};

static void codes_are_those_of_the_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		const size_t length = strlen(events[i].name);
		bool found = false;

		for (size_t j = 0; j < pmu_events_itanium.count; j++) {
			const struct pmu_event *e = &pmu_events_itanium.event[j];

			if (strncmp(e->name, events[i].name, length) ||
			    (e->name[length] && e->name[length] != '.'))
				continue;
			assert_int_equal(e->code, events[i].code);
			found = true;
		}
		if (!found)
			fail_msg("there is no event %s", events[i].name);
	}
}

// Whether a counter with this code and unit mask counts one of the raised sub-events.
static bool is_raised(const struct pmu_event *e)
{
	const struct pmu_model *model = pmu_model_find("itanium");

	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		for (unsigned sub = 0; sub < EVENT_SUBS; sub++) {
			const struct occurrence o = {.code = events[i].code, .sub = (uint16_t)sub};

			if (events[i].subs >> sub & 1 && model_counts(model, &o, e->code, e->umask))
				return true;
		}
	return e->code == INTERVAL_TIMER;
}

static void absent_in_the_table_is_what_nothing_raises(void **state)
{
	(void)state;
	for (size_t i = 0; i < pmu_events_itanium.count; i++) {
		const struct pmu_event *e = &pmu_events_itanium.event[i];

		if (is_raised(e) != (e->emulation == EVENT_EXACT || e->emulation == EVENT_MODELLED))
			fail_msg("%s", e->name);
		assert_int_not_equal(e->emulation, EVENT_EMULATION_UNKNOWN);
	}
}

// The same for the machine's answers to its program, which depend on the clock.
static void what_happens_is_what_the_table_says(void **state)
{
	struct machine m = {.monitored = true, .timed = true,
			    .pmu.model = pmu_model_find("itanium")};

	(void)state;
	for (size_t i = 0; i < pmu_events_itanium.count; i++) {
		const struct pmu_event *e = &pmu_events_itanium.event[i];

		if (ia64_event_happens(&m, e->code, e->umask) != (e->emulation != EVENT_ABSENT))
			fail_msg("%s", e->name);
	}
	m.timed = false;
	assert_true(ia64_event_happens(&m, EVENT_LOADS_RETIRED, 0));
	assert_false(ia64_event_happens(&m, EVENT_INST_ACCESS_CYCLE, 0));
	assert_false(ia64_event_happens(&m, EVENT_PIPELINE_FLUSH, 15));
	m.monitored = false;
	assert_false(ia64_event_happens(&m, EVENT_LOADS_RETIRED, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes_are_those_of_the_table),
		cmocka_unit_test(absent_in_the_table_is_what_nothing_raises),
		cmocka_unit_test(what_happens_is_what_the_table_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
