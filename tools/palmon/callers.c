// SPDX-License-Identifier: BSD-2-Clause
// Callers of samples: found in branch records, and printed by `palmon report --callers`.

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "palmon.h"
#include "report.h"

//
// Callers from branch records, which contain the most recent calls and returns
//

// Walks from the youngest branch to the oldest. A branch to the first instruction of another
// function is a call; a branch to any other address in another function is a return, which cancels
// the call before it. Limits: a tail jump looks like a call, and recursion is invisible.
void callers_of_branches(const struct names *names, struct sample *sample)
{
	const struct sample_step *step = sample->key.step;
	const struct named *present = names_find(names, sample->key.address);
	const struct named *returned_to[PMU_PAYLOAD_WORDS];
	unsigned returns = 0;

	for (unsigned i = sample->key.steps; i-- > 1 && sample->frames < SAMPLE_FRAMES;) {
		const struct named *from = names_find(names, step[i - 1].address);
		const struct named *to = names_find(names, step[i].address);

		if (step[i].kind != STEP_TARGET || step[i - 1].kind != STEP_BRANCH)
			continue;
		if (!from || !to || to != present)
			return;
		present = from;
		if (from == to)
			continue;
		if (step[i].address != to->address)
			returned_to[returns++] = to;
		else if (!returns)
			sample->frame[sample->frames++] = step[i - 1].address;
		else if (from == returned_to[returns - 1])
			returns--;
	}
}

//
// The view
//

const char *objection_to_callers(const struct view_of *v)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->row[i]->key.steps)
			return NULL;
	return "its samples have no callers; an image finds them with CALLS=N";
}

void callers_to_steps(const struct names *names, const struct sample *sample,
		      struct sample_key *key)
{
	const struct named *function = names_find(names, key->address);

	key->address = function ? function->address : key->address;
	key->place = 0;
	memset(key->step, 0, sizeof key->step);
	for (unsigned i = 0; i < sample->frames; i++) {
		function = names_find(names, sample->frame[i]);
		key->step[i].kind = STEP_CALLER;
		key->step[i].address = function ? function->address : sample->frame[i];
	}
	key->steps = sample->frames;
}

// Returns "function < caller < its caller". NULL: no memory.
static char *chain(const struct view_of *v, const struct sample_key *key)
{
	const struct names *names = &v->samples->names;
	char place[NAMES_PLACE];
	char *text = strdup(names_or_address(names, key->address, place));

	for (unsigned i = 0; i < key->steps && text; i++) {
		char *longer;

		if (asprintf(&longer, "%s < %s", text,
			     names_or_address(names, key->step[i].address, place)) < 0)
			longer = NULL;
		free(text);
		text = longer;
	}
	return text;
}

static const struct table_column columns[] = {
	{"event", "", CELL_TEXT, 0, 0},
	{"samples", "samples", CELL_NUMBER, 10, 0},
	{"share", "share", CELL_SHARE, 6, 0},
	{"callers", "function < its caller < ...", CELL_TEXT, -1, 0},
};

bool print_callers(const struct view_of *v)
{
	const struct table table = {v->form, v->separator, columns,
				    sizeof columns / sizeof *columns};

	if (v->form == TABLE_TEXT)
		table_heading(&table);
	for (size_t i = 0; i < v->count; i++) {
		char *text = is_shown(v, i, v->count) ? chain(v, &v->row[i]->key) : NULL;
		const struct cell cells[] = {
			{.text = v->event->name}, {.value = v->row[i]->samples},
			{.value = v->row[i]->samples, .of = v->event->samples}, {.text = text},
		};

		if (text)
			table_row(&table, cells);
		else if (!v->most || i < v->most)
			return false;
		free(text);
	}
	return true;
}
