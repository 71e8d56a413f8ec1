// SPDX-License-Identifier: BSD-2-Clause
// The last lines of a run: the machine and the result. Failed checks get a screen of their own, of
// at least 80 x 25, whatever their number.

#include "summary.h"

#include <stdio.h>
#include <string.h>

#include "console.h"

#define COLUMNS		78
#define ROWS_OF_CHECKS	16		/* each other line of the screen has one row */
#define INDENT		4		/* of the name of a check */
#define INDENT_MORE	8		/* of continuation rows of a check */

static struct summary_failure failures[SUMMARY_FAILURES];
static unsigned failures_count;
static const char *suite_now;

void summary_use_suite(const char *name)
{
	suite_now = name;
}

void summary_add_failure(const char *check, const char *of, const struct selftest_result *result)
{
	struct summary_failure *const f = &failures[failures_count];

	if (failures_count == SUMMARY_FAILURES)
		return;
	failures_count++;
	*f = (struct summary_failure){.suite = suite_now, .check = check, .result = *result};
	strncpy(f->of, of, sizeof f->of - 1);
}

const struct summary_failure *summary_failures(unsigned *count)
{
	*count = failures_count;
	return failures;
}

//
// Failed checks: checks that differ only in the register are joined. Each check is named once
// before all of its registers are listed.
//

static struct {
	bool shows;			// prints; false: only tries whether there is space
	unsigned rows, column;
	unsigned left_out;		// number of checks without space
} page;

static void put(const char *text)
{
	page.column += (unsigned)strlen(text);
	if (page.shows)
		fputs(text, stdout);
}

// Begins a row. False: there is no space.
static bool begin_row(unsigned indent)
{
	if (page.rows == ROWS_OF_CHECKS || page.left_out)
		return false;
	if (page.rows++)
		put("\n");
	page.column = 0;
	while (page.column < indent)
		put(" ");
	return true;
}

// Adds a word; `mark` precedes it unless it is the first one. False: there is no space, now or
// before.
static bool put_word(const char *mark, const char *word)
{
	if (page.left_out)
		return false;
	put(mark);
	if (page.column + strlen(word) + 2 > COLUMNS)
		return begin_row(INDENT_MORE) && (put(word), true);
	put(*mark ? " " : "");
	put(word);
	return true;
}

static bool is_like(const struct summary_failure *a, const struct summary_failure *b)
{
	return a->check == b->check && a->suite == b->suite;
}

// Returns the next failure with the same check name, or the end.
static const struct summary_failure *next_like(const struct summary_failure *f)
{
	const struct summary_failure *const first = f++;

	while (f < failures + failures_count && !is_like(f, first))
		f++;
	return f;
}

// Adds the failures of one check; `first` is the first of them. The names of all replace the '#'.
static void put_alike(const struct summary_failure *first)
{
	const size_t before = strcspn(first->check, "#");
	const char *const behind = first->check + before + (first->check[before] == '#');
	char text[COLUMNS];
	bool fits = begin_row(INDENT);

	snprintf(text, sizeof text, "%s: %.*s", first->suite, (int)before, first->check);
	if (fits)
		put(text);
	for (const struct summary_failure *f = first; f < failures + failures_count;
	     f = next_like(f)) {
		fits = fits && put_word(f == first ? "" : ",", f->of);
		page.left_out += !fits;
	}
	if (fits && *behind)
		put_word("", behind);
}

// Adds the first of the names, and the number of others after `last`.
static void put_first_alike(const struct summary_failure *first, const struct summary_failure *last)
{
	const size_t before = strcspn(first->check, "#");
	unsigned more = 0;
	char text[COLUMNS];
	int length;
	bool fits;

	for (const struct summary_failure *f = next_like(first); f < failures + failures_count;
	     f = next_like(f))
		more++;
	length = snprintf(text, sizeof text, "%.*s%s%s", (int)before, first->check, first->of,
			  first->check + before + (first->check[before] == '#'));
	if (more && length < (int)sizeof text)
		snprintf(text + length, sizeof text - (size_t)length, " +%u", more);
	if (last && last->suite == first->suite) {
		fits = put_word(";", text);
	} else {
		fits = begin_row(INDENT);
		if (fits)
			put(first->suite);
		fits = fits && put_word(":", text);
	}
	page.left_out += fits ? 0 : more + 1;
}

// Returns whether there is space for all failures.
static bool put_failures(bool all, bool shows)
{
	const struct summary_failure *last = NULL;

	page.shows = shows;
	page.rows = page.left_out = 0;
	for (const struct summary_failure *f = failures; f < failures + failures_count; f++) {
		const struct summary_failure *earlier = failures;

		while (!is_like(earlier, f))
			earlier++;
		if (earlier != f)
			continue;
		if (all)
			put_alike(f);
		else
			put_first_alike(f, last);
		last = f;
	}
	if (page.rows)
		put("\n");
	return !page.left_out;
}

// The processor's description of its monitoring (CPUID) gets a row of its own.
static void print_processor(const char *processor)
{
	const char *const leaf = strstr(processor, ", leaf");

	if (leaf)
		printf("  processor  %.*s,\n             %s\n", (int)(leaf - processor), processor,
		       leaf + 2);
	else
		printf("  processor  %s\n", processor);
}

void summary_print(const struct summary *s)
{
	fflush(stdout);
	if (s->tally.failed)		// otherwise the screen may show requested results
		console_new_page();
	printf("\npalmon: summary\n");
	if (s->processor)
		print_processor(s->processor);
	printf("  started    by %s%s%s\n", s->protocol, s->backend ? ", PMU: " : "",
	       s->backend ? s->backend : "");
	if (s->tally.number)
		printf("  self test  %u checks of %u: %u passed, %u failed, %u skipped\n",
		       s->tally.number, s->checks,
		       s->tally.number - s->tally.failed - s->tally.skipped, s->tally.failed,
		       s->tally.skipped);
	put_failures(put_failures(true, false), true);
	if (page.left_out || s->tally.failed > failures_count)
		printf("    and %u more that have failed\n",
		       page.left_out + s->tally.failed - failures_count);
}
