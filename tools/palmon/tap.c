// SPDX-License-Identifier: BSD-2-Clause
// Reads an image's self test from its console output: tap.h.

#include "tap.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "palmon.h"

static bool begins_with(const char *line, const char *word)
{
	return !strncmp(line, word, strlen(word));
}

bool tap_begin(struct tap *t)
{
	if (t->path && !(t->file = fopen(t->path, "w"))) {
		complain("%s: %s", t->path, strerror(errno));
		return false;
	}
	t->shows_progress = t->summarizes && isatty(STDOUT_FILENO);
	return true;
}

bool tap_awaits(const struct tap *t, char first)
{
	if (!t->file && !t->summarizes)
		return false;
	return t->state == TAP_RUNNING || (t->state == TAP_AWAITED && first == 'T');
}

static unsigned done(const struct tap *t)
{
	return t->passed + t->failed + t->skipped;
}

//
// Progress on a terminal: a line that is overwritten by the next one
//

static void show_progress(const struct tap *t)
{
	if (t->shows_progress && done(t))
		printf("\rself test: %u of %u checks", done(t), t->planned);
}

static void hide_progress(const struct tap *t)
{
	if (t->shows_progress && done(t))
		printf("\r\033[K");
}

static void print_part(unsigned checks, const char *what)
{
	if (checks)
		printf(", %u %s", checks, what);
}

static void print_summary(struct tap *t)
{
	hide_progress(t);
	t->state = TAP_ENDED;
	if (!t->summarizes)
		return;
	printf("self test: %u of %u checks passed", t->passed, t->planned);
	print_part(t->failed, "failed");
	print_part(t->skipped, "skipped");
	print_part(t->planned > done(t) ? t->planned - done(t) : 0, "not done");
	if (t->file)
		printf("; all of them are in %s", t->path);
	printf("\n");
}

//
// Lines
//

// Counts a check's result. Returns whether the summary shows it.
static bool take_result(struct tap *t, const char *line, bool ok)
{
	const bool skipped = ok && strstr(line, " # SKIP");

	t->passed += ok && !skipped;
	t->failed += !ok;
	t->skipped += skipped;
	t->shows_comments = !ok;
	return !ok || skipped;
}

// Whether the line belongs to the self test. Its last comments, one per PMU and one for all, follow
// the last result.
static bool is_of_selftest(struct tap *t, const char *line, bool *shown)
{
	*shown = false;
	if (begins_with(line, "ok "))
		*shown = take_result(t, line, true);
	else if (begins_with(line, "not ok "))
		*shown = take_result(t, line, false);
	else if (begins_with(line, "#   "))
		*shown = t->shows_comments;
	else if (begins_with(line, "1.."))
		return sscanf(line, "1..%u", &t->planned) == 1;
	else
		return *line == '#';
	return true;
}

static void keep(struct tap *t, const char *line)
{
	if (t->file)
		fprintf(t->file, "%.*s\n", (int)strcspn(line, "\r\n"), line);
}

bool tap_take(struct tap *t, const char *line)
{
	bool shown;

	if (t->state == TAP_AWAITED && begins_with(line, "TAP version 13")) {
		t->state = TAP_RUNNING;
		keep(t, line);
		return t->summarizes;
	}
	if (t->state != TAP_RUNNING)
		return false;
	if (!is_of_selftest(t, line, &shown)) {
		if (done(t) >= t->planned)
			print_summary(t);
		else
			hide_progress(t);
		return false;
	}
	keep(t, line);
	if (shown)
		hide_progress(t);
	else
		show_progress(t);
	return t->summarizes && !shown;
}

bool tap_end(struct tap *t)
{
	const bool none = t->state == TAP_AWAITED;

	if (t->state == TAP_RUNNING)
		print_summary(t);
	if (t->file && (fclose(t->file) || (none && unlink(t->path)))) {
		complain("%s: %s", t->path, strerror(errno));
		return false;
	}
	return true;
}
