// SPDX-License-Identifier: BSD-2-Clause
// Each event of Knights Corner is encoded as by libpfm4, which has the same 59 events with the same
// names, so there is no list of differences.

#include "../libpfm.h"
#include "../vectors.h"

#include <inttypes.h>

#include "pmu_driver.h"

#define TEXT (EVENT_NAME_MAX + 64)

static const struct pmu_driver *driver;

static int prepare(void **state)
{
	(void)state;
	driver = pmu_driver_find("knc");
	assert_non_null(driver);
	libpfm_begin();
	return 0;
}

// libpfm's select register of an event with modifiers. An event without levels counts at both.
static uint64_t pfm_encode(const char *event)
{
	uint64_t codes[LIBPFM_CODES];
	char text[TEXT];

	snprintf(text, sizeof text, "knc::%s", event);
	assert_int_equal(libpfm_encode(text, PFM_PLM0 | PFM_PLM3, codes), 1);
	return codes[0];
}

// The driver's select, on each counter that counts the event.
static void check_encoding(const char *event)
{
	const char *rest = event;
	const uint64_t theirs = pfm_encode(event);
	struct event_request r;
	uint64_t choices;

	assert_int_equal(event_parse(driver->events, &rest, &r), EVENT_OK);
	choices = driver->choices(&r);
	assert_int_equal(choices, r.event->counters);
	for (unsigned counter = 0; counter < 2; counter++)
		if (choices & 1U << counter && driver->encode(&r, counter) != theirs)
			fail_msg("%s is %#" PRIx64 ", libpfm's %#" PRIx64, event,
				 driver->encode(&r, counter), theirs);
}

static void every_event_is_encoded_as_libpfm_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < driver->events->count; i++)
		check_encoding(driver->events->event[i].name);
	print_message("%zu events\n", driver->events->count);
}

static void libpfm_has_no_other_event(void **state)
{
	pfm_pmu_info_t pmu = {.size = sizeof pmu};
	unsigned events = 0;

	(void)state;
	assert_int_equal(pfm_get_pmu_info(PFM_PMU_INTEL_KNC, &pmu), PFM_SUCCESS);
	for (int i = pmu.first_event; i != -1; i = pfm_get_event_next(i)) {
		pfm_event_info_t event = {.size = sizeof event};

		assert_int_equal(pfm_get_event_info(i, PFM_OS_NONE, &event), PFM_SUCCESS);
		assert_string_equal(must_find_event(driver->events, event.name)->name, event.name);
		events++;
	}
	assert_int_equal(events, driver->events->count);
}

// Both spell modifiers alike. The driver accepts i only with a threshold.
static void modifiers_are_encoded_as_libpfm_does(void **state)
{
	static const char *const modifiers[] = {
		":u", ":k", ":u:k", ":t", ":e", ":u:t", ":c=1", ":c=255", ":c=2:i", ":c=2:e",
		":k:c=2:i:e",
		":u:k:c=16:i:e:t",
	};

	(void)state;
	for (size_t i = 0; i < driver->events->count; i++)
		for (size_t j = 0; j < LENGTH(modifiers); j++) {
			char text[TEXT];

			snprintf(text, sizeof text, "%s%s", driver->events->event[i].name,
				 modifiers[j]);
			check_encoding(text);
		}
}

// SPFLT needs two registers. libpfm4 encodes only the select, in which SPFLT changes nothing.
static void leaving_a_counter_to_the_program_changes_nothing_in_its_select(void **state)
{
	const char *text = "DATA_READ:u:spflt";
	struct event_request r;

	(void)state;
	assert_int_equal(event_parse(driver->events, &text, &r), EVENT_OK);
	assert_int_equal(driver->encode(&r, 0), pfm_encode("DATA_READ:u"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_is_encoded_as_libpfm_does),
		cmocka_unit_test(libpfm_has_no_other_event),
		cmocka_unit_test(modifiers_are_encoded_as_libpfm_does),
		cmocka_unit_test(leaving_a_counter_to_the_program_changes_nothing_in_its_select),
	};

	return cmocka_run_group_tests_name("knc events and libpfm4", tests, prepare, libpfm_end);
}
