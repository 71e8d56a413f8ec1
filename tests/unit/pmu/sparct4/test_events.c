// SPDX-License-Identifier: BSD-2-Clause
// Compares the event table of the SPARC T4 with Table 10-2 of its Supplement (tests/vectors:
// sparct4-events.tab, -masks.tab) and with the encodings that Solaris and Linux use (-solaris.tab,
// -linux.tab); and the lists of instructions in pmu/sparct4/groups.md with the table's footnotes
// (-groups.tab).

#include "../vectors.h"

#include <ctype.h>
#include <stdlib.h>

#include "pmu_driver.h"

#define GROUPS		32	// PCR.sl has five bits
#define MASKS		64	// PCR.mask has six
#define ALL_BITS	(MASKS - 1)
#define COUNTERS	0xFULL
#define COMMIT		28	// the group that palmon's copy of Table 10-2 lacks

extern const struct pmu_event_table pmu_events_sparct4;
extern const struct pmu_driver pmu_driver_sparct4;

static const struct pmu_event_table *const table = &pmu_events_sparct4;
static struct rows manual, masks, solaris, linux_events, instructions;

static unsigned decimal(const char *text)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || number >= GROUPS)
		fail_msg("'%s' is no sl", text);
	return (unsigned)number;
}

static bool yes(const char *text)
{
	if (strcmp(text, "Yes") && strcmp(text, "No"))
		fail_msg("'%s' is neither Yes nor No", text);
	return *text == 'Y';
}

//
// sparct4-masks.tab: the meaning of a group's masks
//

static struct group {
	bool reserved;
	unsigned ignored;	// bits
	bool named[MASKS];	// by a row of Table 10-2
	bool combines[MASKS];	// several bits whose combination has a meaning
} groups[GROUPS];

// "5:3", "5", "-"
static unsigned bits(const char *text)
{
	unsigned high = (unsigned)(text[0] - '0'),
		low = text[1] == ':' ? (unsigned)(text[2] - '0') : high;

	return *text == '-' ? 0 : (2u << high) - (1u << low);
}

static void read_group(const struct row *r)
{
	struct group *g = &groups[decimal(r->field[0])];
	const char *text = r->field[2];

	g->reserved = !strcmp(text, "reserved");
	g->ignored = bits(r->field[1]);
	if (!strcmp(text, "any"))
		for (unsigned mask = 0; mask < MASKS; mask++)
			g->combines[mask] = mask & (mask - 1) && !(mask & g->ignored);
	else if (!g->reserved && strcmp(text, "none"))
		for (char *end; *text; text = end)
			g->combines[strtoul(text, &end, 16) % MASKS] = true;
}

static unsigned mask_of(const struct row *r)
{
	return strcmp(r->field[1], "any") ? hexadecimal(r->field[1]) : 0;
}

static int read_all(void **state)
{
	(void)state;
	read_rows("tests/vectors/sparct4-events.tab", 5, &manual);
	read_rows("tests/vectors/sparct4-masks.tab", 3, &masks);
	read_rows("tests/vectors/sparct4-solaris.tab", 3, &solaris);
	read_rows("tests/vectors/sparct4-linux.tab", 4, &linux_events);
	read_rows("tests/vectors/sparct4-groups.tab", 2, &instructions);
	for (const struct row *r = masks.row; r < masks.row + masks.count; r++)
		read_group(r);
	for (const struct row *r = manual.row; r < manual.row + manual.count; r++)
		groups[decimal(r->field[0])].named[mask_of(r)] = true;
	return 0;
}

//
// Table 10-2
//

static const struct pmu_event *find_code(unsigned sl, unsigned mask)
{
	const struct pmu_event *found = NULL;

	for (size_t i = 0; i < table->count; i++)
		if (table->event[i].code == sl && table->event[i].umask == mask) {
			if (found)
				fail_msg("%s and %s are the same", found->name,
					 table->event[i].name);
			found = &table->event[i];
		}
	return found;
}

// Joins the names of a mask's bits in `text`, from the lowest. Returns false if a bit has no event
// of its own.
static bool join_names(unsigned sl, unsigned mask, char *text, size_t size)
{
	size_t used = 0;

	for (unsigned bit = 1; bit < MASKS; bit <<= 1) {
		const struct pmu_event *e = mask & bit ? find_code(sl, bit) : NULL;

		if (mask & bit && !e)
			return false;
		if (e)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "+" : "",
						 e->name);
		assert_true(used < size);
	}
	return true;
}

// Whether the driver accepts it: the names can be joined, and the mask is not refused.
static bool is_taken(const char *text, struct event_request *r)
{
	const char *rest = text;

	return event_parse(table, &rest, r) == EVENT_OK && !*rest &&
	       (!pmu_driver_sparct4.objection || !pmu_driver_sparct4.objection(r));
}

static void check_row(const struct row *r)
{
	const unsigned sl = decimal(r->field[0]), mask = mask_of(r);
	const struct pmu_event *e = find_code(sl, mask);
	const bool precise = yes(r->field[2]), strand = yes(r->field[3]);
	struct event_request request;
	char text[256];

	if (!e) {	// a row of combinations without names
		if (!join_names(sl, mask, text, sizeof text) || !is_taken(text, &request))
			fail_msg("sl %u, mask %02X, %s, is not there", sl, mask, r->field[4]);
		assert_int_equal(request.event->code, sl);
		assert_int_equal(request.umask, mask);
		e = request.event;
	}
	if (e->precise != precise || e->modifiers != (strand ? EVENT_USER : 0) ||
	    e->shared == strand)
		fail_msg("%s: precise %d, modifiers %X, shared %d", e->name, e->precise,
			 e->modifiers, e->shared);
	if (!strand && !strstr(e->description, "of all strands"))
		fail_msg("%s does not say that it is of all strands", e->name);
}

static void each_row_of_the_table_is_there_as_printed(void **state)
{
	(void)state;
	for (const struct row *r = manual.row; r < manual.row + manual.count; r++)
		check_row(r);
	print_message("%zu rows\n", manual.count);
}

// Counted in Table 10-2 by hand: rows with a mask; a row with several masks counts once for each.
static void no_row_of_the_table_is_missing(void **state)
{
	static const unsigned rows[GROUPS] = {
		[1] = 5, [2] = 5, [3] = 6, [4] = 6, [5] = 3 + 3 + 3, [6] = 6, [7] = 4 + 7, [8] = 4,
		[9] = 5 + 4,
		[10] = 8, [11] = 3, [16] = 4, [17] = 6, [18] = 4, [19] = 6, [20] = 9, [21] = 6,
		[22] = 6, [23] = 4,
		[24] = 6, [25] = 6, [26] = 1,
	};
	unsigned counted[GROUPS] = {0};

	(void)state;
	for (const struct row *r = manual.row; r < manual.row + manual.count; r++)
		counted[decimal(r->field[0])]++;
	assert_memory_equal(counted, rows, sizeof rows);
}

// Events without a row in Table 10-2: descriptions of its rows "any other value" (all instructions,
// all misses, the two useful masks of sl 1).
static const struct {
	const char *name;
	unsigned sl, mask;
} described[] = {
	{"Sel_0_wait_or_ready", 1, 0x06}, {"Sel_1_or_2", 1, 0x18}, {"Instr_all", 3, 0x3F},
	{"ITLB_miss_asynch", 6, 0x3F}, {"DTLB_miss_asynch", 17, 0x3F},
};

static void each_event_is_in_the_table(void **state)
{
	unsigned others = 0;

	(void)state;
	for (size_t i = 0; i < table->count; i++) {
		const struct pmu_event *e = &table->event[i];

		assert_true(e->code < GROUPS);
		assert_true(e->umask < MASKS);
		if (e->code == COMMIT || groups[e->code].named[e->umask])
			continue;
		others++;
		if (!groups[e->code].combines[e->umask])
			fail_msg("%s: mask %02X is not in the manual", e->name, e->umask);
	}
	for (size_t i = 0; i < LENGTH(described); i++) {
		const struct pmu_event *e = must_find_event(table, described[i].name);

		assert_int_equal(e->code, described[i].sl);
		assert_int_equal(e->umask, described[i].mask);
	}
	assert_int_equal(others, LENGTH(described));
}

static void reserved_groups_have_no_event(void **state)
{
	unsigned reserved = 0;

	(void)state;
	for (unsigned sl = 0; sl < GROUPS; sl++)
		reserved += groups[sl].reserved;
	assert_int_equal(reserved, 6);		// 0, 12 to 15, 27
	for (size_t i = 0; i < table->count; i++) {
		const struct pmu_event *e = &table->event[i];

		if (groups[e->code].reserved || e->code > COMMIT)
			fail_msg("%s is of the reserved group %u", e->name, e->code);
	}
}

static void mask_bits_that_a_group_ignores_do_not_matter(void **state)
{
	(void)state;
	for (size_t i = 0; i < table->count; i++) {
		const struct pmu_event *e = &table->event[i];

		if (e->code != COMMIT && e->umask_care != (ALL_BITS & ~groups[e->code].ignored))
			fail_msg("%s: care is %02X", e->name, e->umask_care);
		assert_int_equal(e->umask & ~e->umask_care, 0);
		assert_true(e->umask || !e->umask_care);
	}
}

static void each_event_says_what_it_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < table->count; i++) {
		const struct pmu_event *e = &table->event[i];
		const char *source = e->code == COMMIT ? "Solaris" : "Table 10-2";

		assert_int_equal(e->counters, COUNTERS);
		assert_int_equal(e->cmask, 0);
		assert_int_equal(strncmp(e->source, source, strlen(source)), 0);
		assert_true(*e->category);
		// Two instructions per cycle; the manual gives no number for others.
		assert_int_equal(e->max, e->precise ? 2 : 1);
	}
}

//
// Masks of several bits
//

static void exactly_the_masks_that_mean_something_can_be_joined(void **state)
{
	unsigned taken = 0;

	(void)state;
	for (unsigned sl = 1; sl < COMMIT; sl++)
		for (unsigned mask = 1; mask < MASKS; mask++) {
			struct event_request r;
			char text[256];
			bool is;

			if (!(mask & (mask - 1)) || !join_names(sl, mask, text, sizeof text))
				continue;
			is = is_taken(text, &r);
			if (is != groups[sl].combines[mask])
				fail_msg("%s, sl %u mask %02X, is %s", text, sl, mask,
					 is ? "taken" : "refused");
			taken += is;
		}
	// Of n bits 2^n - n - 1 masks have several: 57 of six (sl 3, 4, 6, 10, 17, 21, 22, 24), 11
	// of four (19), 4 of three (16, 18, 23). Lists: sl 1, 2, 5, 7, 9, 11, 20, 25.
	assert_int_equal(taken, 8 * 57 + 11 + 3 * 4 + 2 + 1 + 4 + 7 + 4 + 1 + 4 + 4);
}

// The programming note on sl 28: "the PCR.mask field is set to 01, 02, or 03". No source says that
// other masks combine.
static void of_commits_mask_03_can_be_joined(void **state)
{
	(void)state;
	for (unsigned mask = 1; mask < MASKS; mask++) {
		struct event_request r;
		char text[256];

		if (!(mask & (mask - 1)) || !join_names(COMMIT, mask, text, sizeof text))
			continue;
		if (is_taken(text, &r) != (mask == 0x03))
			fail_msg("%s, mask %02X", text, mask);
		if (mask == 0x03) {
			assert_int_equal(r.umask, 0x03);
			// One of them is of all strands, so they count in all modes (footnote 13).
			assert_int_equal(r.levels, 0xF);
		}
	}
}

static void events_of_different_groups_cannot_be_joined(void **state)
{
	static const char *const texts[] = {
		"Branches+Br_taken", "DC_miss_local_hit+DC_miss_local_hit_nospec",
		"Cycles+Instr_all",
		"Fetch_0+Fetch_0_all", "BTC_miss+ITLB_miss", "Commit_0+Commit_1",
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(texts); i++) {
		const char *text = texts[i];
		struct event_request r;

		if (event_parse(table, &text, &r) != EVENT_NO_JOIN)
			fail_msg("'%s' is not refused", texts[i]);
	}
}

// Footnote 13: events of all strands should be counted in all modes. A precise trap needs ht 0
// (10.3).
static void strands_are_counted_below_the_hypervisor_and_cores_everywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < table->count; i++) {
		const char *text = table->event[i].name;
		struct event_request r;

		assert_int_equal(event_parse(table, &text, &r), EVENT_OK);
		assert_int_equal(r.levels, table->event[i].modifiers & EVENT_USER ? 0xE : 0xF);
		assert_false(table->event[i].precise && r.levels & 1);
	}
}

//
// Other programs
//

// sparct4-solaris.tab names the different numbers, and why palmon follows the manual.
static unsigned solaris_mask(const struct row *r)
{
	return strcmp(r->field[0], "Atomics") ? hexadecimal(r->field[1]) % MASKS : 0x08;
}

static unsigned solaris_care(const struct row *r)
{
	const unsigned sl = hexadecimal(r->field[1]) / MASKS;

	return sl == 20 ? 0x1F : sl == 26 ? 0 : hexadecimal(r->field[2]);
}

static void solaris_programs_the_same(void **state)
{
	(void)state;
	for (const struct row *r = solaris.row; r < solaris.row + solaris.count; r++) {
		const struct pmu_event *e = must_find_event(table, *r->field[3] ? r->field[3] :
							    r->field[0]);

		if (e->code != hexadecimal(r->field[1]) / MASKS || e->umask != solaris_mask(r) ||
		    e->umask_care != solaris_care(r))
			fail_msg("%s is sl %u, mask %02X, care %02X", e->name, e->code, e->umask,
				 e->umask_care);
	}
	// All of palmon's events except three: two masks of sl 1 and the branches of sl 4.
	assert_int_equal(solaris.count, table->count - 3);
}

static void linux_programs_the_same(void **state)
{
	(void)state;
	assert_int_equal(linux_events.count, 10);
	for (const struct row *r = linux_events.row; r < linux_events.row + linux_events.count;
	     r++) {
		const struct pmu_event *e = must_find_event(table, r->field[3]);

		assert_int_equal(e->code, decimal(r->field[1]));
		assert_int_equal(e->umask, hexadecimal(r->field[2]));
	}
}

//
// groups.md
//

// Marks an instruction of a footnote's list.
static void find_instruction(const char *event, const char *name)
{
	for (struct row *r = instructions.row; r < instructions.row + instructions.count; r++)
		if (!strcmp(r->field[0], event) && !strcmp(r->field[1], name)) {
			r->used++;
			return;
		}
	fail_msg("%s: the footnote does not list %s", event, name);
}

// "| A, B | |" or "| A | 14 15 |"
static void read_instructions(const char *event, char *line)
{
	char *save, *last, *cell = strtok_r(line, "|", &save), *asis = strtok_r(NULL, "|", &save);
	char name[64];

	asis[strcspn(asis, "\n")] = '\0';
	cell++;
	cell[strlen(cell) - 1] = '\0';
	if (asis[strspn(asis, " ")]) {
		for (char *asi = strtok_r(asis, " ", &last); asi;
		     asi = strtok_r(NULL, " ", &last)) {
			snprintf(name, sizeof name, "%s_0X%s", cell, asi);
			find_instruction(event, name);
		}
		return;
	}
	for (char *next; cell; cell = next) {
		next = strstr(cell, ", ");
		if (next) {
			*next = '\0';
			next += 2;
		}
		find_instruction(event, cell);
	}
}

static void groups_have_the_instructions_of_the_footnotes(void **state)
{
	FILE *file = fopen("pmu/sparct4/groups.md", "r");
	char line[1024], event[64] = "";

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		assert_non_null(strchr(line, '\n'));
		if (!strncmp(line, "## ", 3))
			snprintf(event, sizeof event, "%.*s", (int)strcspn(line + 3, ":\n"),
				 line + 3);
		else if (!strncmp(line, "| ", 2) && strncmp(line, "| ins", 5) &&
			 strncmp(line, "| ---", 5))
			read_instructions(event, line);
	}
	fclose(file);
	for (const struct row *r = instructions.row; r < instructions.row + instructions.count; r++)
		if (r->used != 1)
			fail_msg("%s: %s is there %u times", r->field[0], r->field[1], r->used);
}

// Counts of names and commas in the footnotes.
static void no_instruction_of_the_footnotes_is_missing(void **state)
{
	static const struct {
		const char *event;
		unsigned count;
	} lists[] = {{"Instr_ld", 149}, {"Instr_st", 110}, {"SPR_ring_ops", 42},
		     {"Instr_other", 56}};

	(void)state;
	for (size_t i = 0; i < LENGTH(lists); i++) {
		unsigned count = 0;

		for (const struct row *r = instructions.row;
		     r < instructions.row + instructions.count; r++)
			count += !strcmp(r->field[0], lists[i].event);
		assert_int_equal(count, lists[i].count);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_of_the_table_is_there_as_printed),
		cmocka_unit_test(no_row_of_the_table_is_missing),
		cmocka_unit_test(each_event_is_in_the_table),
		cmocka_unit_test(reserved_groups_have_no_event),
		cmocka_unit_test(mask_bits_that_a_group_ignores_do_not_matter),
		cmocka_unit_test(each_event_says_what_it_is),
		cmocka_unit_test(exactly_the_masks_that_mean_something_can_be_joined),
		cmocka_unit_test(of_commits_mask_03_can_be_joined),
		cmocka_unit_test(events_of_different_groups_cannot_be_joined),
		cmocka_unit_test(strands_are_counted_below_the_hypervisor_and_cores_everywhere),
		cmocka_unit_test(solaris_programs_the_same),
		cmocka_unit_test(linux_programs_the_same),
		cmocka_unit_test(groups_have_the_instructions_of_the_footnotes),
		cmocka_unit_test(no_instruction_of_the_footnotes_is_missing),
	};

	return cmocka_run_group_tests_name("sparct4 event table", tests, read_all, NULL);
}
