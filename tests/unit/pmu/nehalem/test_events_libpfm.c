// SPDX-License-Identifier: BSD-2-Clause
// Compares the encoding of each event of the nehalem core and uncore with libpfm4's.
// tests/vectors/nehalem-libpfm.tab has the events that libpfm4 names differently, lacks, or encodes
// differently.

#include "../libpfm.h"
#include "../vectors.h"

#include <inttypes.h>

#include "pmu_driver.h"

#define LIBPFM		"tests/vectors/nehalem-libpfm.tab"
#define GENERAL		0xFULL
#define TEXT		256

extern const struct pmu_event_table pmu_events_nehalem_uncore;

// Columns.
enum { OURS, THEIRS, DIFFERS, REASON };

static struct rows names;
static const struct pmu_driver *driver;

static int prepare(void **state)
{
	(void)state;
	driver = pmu_driver_find("nehalem");
	assert_non_null(driver);
	read_rows(LIBPFM, THEIRS + 1, &names);
	libpfm_begin();
	return 0;
}

//
// Names
//

#define OFFCORE	"OFFCORE_RESPONSE_0."

static struct row *name_row(const char *name)
{
	for (struct row *r = names.row; r < names.row + names.count; r++)
		if (!strcmp(r->field[OURS], name))
			return r;
	return NULL;
}

// libpfm4's name of a part of an offcore response; `form` makes it from the list's name.
static const char *offcore_word(const char *form, int length, const char *word)
{
	char name[EVENT_NAME_MAX + 3];
	struct row *r;

	snprintf(name, sizeof name, form, length, word);
	r = name_row(name);
	if (r)
		r->used++;
	return r ? r->field[THEIRS] : NULL;
}

// "OFFCORE_RESPONSE_0.REQUEST.RESPONSE" is libpfm4's
// "nhm::OFFCORE_RESPONSE_0:REQUEST...:RESPONSE...".
static void offcore_name(const char *ours, char theirs[TEXT])
{
	const char *request = ours + strlen(OFFCORE), *response = strchr(request, '.') + 1;
	int length = (int)(response - 1 - request);
	const char *asked = offcore_word(OFFCORE "%.*s.*", length, request);
	const char *answered = offcore_word(OFFCORE "*.%.*s", (int)strlen(response), response);

	snprintf(theirs, TEXT, "nhm::OFFCORE_RESPONSE_0:%.*s:%s", asked ? (int)strlen(asked) :
		 length, asked ? asked : request, answered ? answered : response);
}

// An event that is not in the list has the same name, with ':' for the first '.' and '_' for the
// others.
static void same_name(const char *pmu, const char *ours, char theirs[TEXT])
{
	char *dot;

	snprintf(theirs, TEXT, "%s::%s", pmu, ours);
	dot = strchr(theirs, '.');
	if (dot)
		*dot = ':';
	while (dot && (dot = strchr(dot, '.')))
		*dot = '_';
}

//
// Comparisons
//

static struct counts {
	unsigned events, encodings, ours_only, differing;
} counts;

// Compares one event with one of libpfm4's names.
typedef void compare(const struct pmu_event *e, const char *pfm, uint64_t differs);

// Each event by each of its names in the list, or by its own.
static void compare_all(const struct pmu_event_table *table, const char *pmu, compare *compare)
{
	counts = (struct counts){0};
	for (size_t i = 0; i < table->count; i++) {
		const struct pmu_event *e = &table->event[i];
		bool listed = false, known = false;
		char theirs[TEXT];

		for (struct row *r = names.row; r < names.row + names.count; r++) {
			if (strcmp(r->field[OURS], e->name))
				continue;
			listed = true;
			r->used++;
			if (!strcmp(r->field[THEIRS], "-"))
				continue;
			known = true;
			counts.differing += strtoull(r->field[DIFFERS], NULL, 16) != 0;
			compare(e, r->field[THEIRS], strtoull(r->field[DIFFERS], NULL, 16));
		}
		if (!listed) {
			known = true;
			if (!strncmp(e->name, OFFCORE, strlen(OFFCORE)))
				offcore_name(e->name, theirs);
			else
				same_name(pmu, e->name, theirs);
			compare(e, theirs, 0);
		}
		counts.events += known;
		counts.ours_only += !known;
	}
}

static void check_select(const char *text, const char *pfm, uint64_t ours, uint64_t theirs,
			 uint64_t differs)
{
	counts.encodings++;
	if ((ours ^ theirs) != differs)
		fail_msg("%s is %#" PRIx64 ", libpfm's %s %#" PRIx64, text, ours, pfm, theirs);
}

//
// The core: the driver's encoding at each choice of levels. It sets INT and EN, as libpfm4 does.
//

// The levels of an event without level modifiers.
static unsigned default_levels(const struct pmu_event *e)
{
	unsigned levels = (e->modifiers & EVENT_OS ? PFM_PLM0 : 0) |
		(e->modifiers & EVENT_USER ? PFM_PLM3 : 0);

	return levels ? levels : PFM_PLM0 | PFM_PLM3;
}

static void compare_core(const struct pmu_event *e, const char *pfm, uint64_t differs)
{
	const struct {
		const char *modifiers;
		unsigned levels;
	} levels[] = {
		{"", default_levels(e)}, {":k", PFM_PLM0}, {":u", PFM_PLM3},
		{":u:k", PFM_PLM0 | PFM_PLM3},
	};

	for (unsigned i = 0; i < LENGTH(levels); i++) {
		char text[EVENT_NAME_MAX + 8];
		const char *rest = text;
		struct event_request r;
		uint64_t theirs[LIBPFM_CODES];
		int codes = libpfm_encode(pfm, levels[i].levels, theirs);

		snprintf(text, sizeof text, "%s%s", e->name, levels[i].modifiers);
		assert_int_equal(event_parse(driver->events, &rest, &r), EVENT_OK);
		// An event of a fixed counter has no select.
		if (e->counters & GENERAL)
			check_select(text, pfm, driver->encode(&r, 0), theirs[0], differs);
		else
			check_select(text, pfm, e->code | e->umask << 8, theirs[0] & 0xFFFF,
				     differs);
		assert_int_equal(codes > 1, e->setting_address != 0);
		assert_int_equal(r.extra, theirs[1]);
	}
}

//
// The uncore: a select put together of the table's fields (SDM volume 3B, MSR_UNCORE_PERFEVTSELx):
// event 7:0, unit mask 15:8, occupancy reset 17, edge 18, PMI 20, enable 22, inversion 23,
// threshold 31:24. libpfm4 sets PMI and enable; it never sets the occupancy reset, which is for the
// driver to know.
//

#define UNCORE_EDGE	(1u << 18)
#define UNCORE_PMI	(1u << 20)
#define UNCORE_ENABLE	(1u << 22)
#define UNCORE_INVERT	(1u << 23)

static void compare_uncore(const struct pmu_event *e, const char *pfm, uint64_t differs)
{
	uint64_t ours = (e->code | e->umask << 8 | (uint64_t)e->cmask << 24) | UNCORE_PMI |
		UNCORE_ENABLE |
			(e->modifiers & EVENT_EDGE ? UNCORE_EDGE : 0) |
			(e->modifiers & EVENT_INV ? UNCORE_INVERT : 0);
	uint64_t theirs[LIBPFM_CODES];

	assert_int_equal(libpfm_encode(pfm, 0, theirs), 1);
	check_select(e->name, pfm, ours, theirs[0], differs);
}

//
// Events that only libpfm4 has
//

// True if the table has an event of this code and unit mask.
static bool has_encoding(const struct pmu_event_table *table, uint64_t code)
{
	for (size_t i = 0; i < table->count; i++)
		if ((uint64_t)(table->event[i].code | table->event[i].umask << 8) == code)
			return true;
	return false;
}

static bool has_unit_masks(const pfm_event_info_t *event)
{
	for (int i = 0; i < event->nattrs; i++) {
		pfm_event_attr_info_t mask = {.size = sizeof mask};

		if (pfm_get_event_attr_info(event->idx, i, PFM_OS_NONE, &mask) == PFM_SUCCESS &&
		    mask.type == PFM_ATTR_UMASK)
			return true;
	}
	return false;
}

// An event's unit masks (or the event, if it has none) whose encoding the table lacks.
static unsigned theirs_only(const struct pmu_event_table *table, const pfm_event_info_t *event)
{
	unsigned missing = 0;

	if (!has_unit_masks(event))
		return !has_encoding(table, event->code);
	for (int i = 0; i < event->nattrs; i++) {
		pfm_event_attr_info_t mask = {.size = sizeof mask};

		if (pfm_get_event_attr_info(event->idx, i, PFM_OS_NONE, &mask) == PFM_SUCCESS &&
		    mask.type == PFM_ATTR_UMASK)
			missing += !has_encoding(table, event->code | (mask.code & 0xFF) << 8);
	}
	return missing;
}

static void print_counts(const char *what, const struct pmu_event_table *table, pfm_pmu_t pmu)
{
	pfm_pmu_info_t information = {.size = sizeof information};
	unsigned missing = 0;

	assert_int_equal(pfm_get_pmu_info(pmu, &information), PFM_SUCCESS);
	for (int i = information.first_event; i != -1; i = pfm_get_event_next(i)) {
		pfm_event_info_t event = {.size = sizeof event};

		assert_int_equal(pfm_get_event_info(i, PFM_OS_NONE, &event), PFM_SUCCESS);
		// The unit masks of offcore responses are in another register.
		if (strcmp(event.name, "OFFCORE_RESPONSE_0"))
			missing += theirs_only(table, &event);
	}
	print_message("%s: %u events (%u encodings) as libpfm4 has them, %u of them with a "
		      "difference that is listed; "
		      "%u are not in libpfm4, %u of libpfm4's are not here\n", what, counts.events,
		      counts.encodings, counts.differing, counts.ours_only, missing);
}

static void every_event_of_the_core_is_encoded_as_libpfm_does(void **state)
{
	(void)state;
	compare_all(driver->events, "nhm", compare_core);
	print_counts("core", driver->events, PFM_PMU_INTEL_NHM);
}

static void every_event_of_the_uncore_is_encoded_as_libpfm_does(void **state)
{
	(void)state;
	compare_all(&pmu_events_nehalem_uncore, "nhm_unc", compare_uncore);
	print_counts("uncore", &pmu_events_nehalem_uncore, PFM_PMU_INTEL_NHM_UNC);
}

static void every_name_of_the_list_is_used(void **state)
{
	(void)state;
	for (const struct row *r = names.row; r < names.row + names.count; r++) {
		if (!r->used)
			fail_msg("%s is no event", r->field[OURS]);
		// Each difference has a reason.
		if (strtoull(r->field[DIFFERS], NULL, 16))
			assert_true(strlen(r->field[REASON]) > 0);
	}
}

// libpfm4 has no event with the name of one that it lacks according to the list.
static void what_libpfm_is_said_to_lack_it_lacks(void **state)
{
	(void)state;
	for (const struct row *r = names.row; r < names.row + names.count; r++) {
		char theirs[TEXT];
		uint64_t codes[LIBPFM_CODES];
		pfm_pmu_encode_arg_t argument = {.codes = codes, .count = LIBPFM_CODES,
						 .size = sizeof argument};

		if (strcmp(r->field[THEIRS], "-") || !strcmp(r->field[OURS], "OFFCORE_RESPONSE_0"))
			continue;
		same_name(strncmp(r->field[OURS], "UNC_", 4) ? "nhm" : "nhm_unc", r->field[OURS],
			  theirs);
		if (pfm_get_os_event_encoding(theirs, PFM_PLM0, PFM_OS_NONE,
					      &argument) == PFM_SUCCESS)
			fail_msg("libpfm4 has %s", theirs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_of_the_core_is_encoded_as_libpfm_does),
		cmocka_unit_test(every_event_of_the_uncore_is_encoded_as_libpfm_does),
		cmocka_unit_test(every_name_of_the_list_is_used),
		cmocka_unit_test(what_libpfm_is_said_to_lack_it_lacks),
	};

	return cmocka_run_group_tests_name("nehalem events and libpfm4", tests, prepare,
					   libpfm_end);
}
