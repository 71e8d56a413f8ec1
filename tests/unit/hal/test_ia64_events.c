// SPDX-License-Identifier: BSD-2-Clause
// The ia64 machine's list of events against the table of the PMU's events.

#include "unit.h"

#include <string.h>

#include "event.h"
#include "../../../hal/emu/ia64/events.h"

extern const struct pmu_event_table pmu_events_itanium;

#define ROW(name, code) {#name, code},
static const struct {
	const char *name;
	unsigned code;
} events[] = {IA64_EVENTS(ROW)};

static void codes_are_those_of_the_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		const size_t length = strlen(events[i].name);
		bool found = false;

		for (size_t j = 0; j < pmu_events_itanium.count; j++) {
			const struct pmu_event *e = &pmu_events_itanium.event[j];

			if (strncmp(e->name, events[i].name, length) || (e->name[length] && e->name[length] != '.'))
				continue;
			assert_int_equal(e->code, events[i].code);
			found = true;
		}
		if (!found)
			fail_msg("there is no event %s", events[i].name);
	}
}

// Beside those of the list: what the model raises itself when it captures, and the interval timer.
static bool is_raised(unsigned code)
{
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if (events[i].code == code)
			return true;
	return code == 0x23 || code == 0x67 || code == 0x100;
}

static void absent_in_the_table_is_what_nothing_raises(void **state)
{
	(void)state;
	for (size_t i = 0; i < pmu_events_itanium.count; i++) {
		const struct pmu_event *e = &pmu_events_itanium.event[i];

		if (is_raised(e->code) != (e->emulation == EVENT_EXACT || e->emulation == EVENT_MODELLED))
			fail_msg("%s", e->name);
		assert_int_not_equal(e->emulation, EVENT_EMULATION_UNKNOWN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes_are_those_of_the_table),
		cmocka_unit_test(absent_in_the_table_is_what_nothing_raises),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
