// SPDX-License-Identifier: BSD-2-Clause
// The ia64 machine's list of events against the table of the PMU's events.

#include "unit.h"

#include <string.h>

#include "event.h"
#include "../../../hal/emu/ia64/events.h"

extern const struct pmu_event_table pmu_events_itanium;

static void codes_are_those_of_the_table(void **state)
{
#define ROW(name, code) {#name, code},
	static const struct {
		const char *name;
		unsigned code;
	} events[] = {IA64_EVENTS(ROW)};

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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(codes_are_those_of_the_table)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
