// SPDX-License-Identifier: BSD-2-Clause
// Derives stretches from the branch records of a sample, and decides whether they can be counted.
//
// A stretch is code that was executed once, in order: from the target of a branch to the next taken
// branch. All branches in it except the last were not taken. Itanium's branch trace also records
// branches that were not taken; a stretch continues through them, and can begin and end with one if
// there is no other record.

#include "stretches.h"

#include <string.h>
#include <strings.h>

#define ALL_LEVELS ((1u << EVENT_LEVELS) - 1)

// Whether every sample of an event is a branch, by the names of such events in the manuals.
static bool samples_branches(const struct view_of *v)
{
	return v->event->request.modifiers & EVENT_PRECISE &&
	       !strncasecmp(v->event->request.event->name, "BR_", 3);
}

// Whether the event counts every executed branch, by its name in the manuals.
static bool counts_branches(const struct event_request *r)
{
	static const char *const names[] = {
		"BR_INST_RETIRED.ALL_BRANCHES", "BRANCH_INSTRUCTIONS_RETIRED", "BRANCH_EVENT",
	};

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcasecmp(r->event->name, names[i]))
			return r->umask == r->event->umask && !r->cmask;
	return false;
}

// Whether the records may lack branches because of a filter by kind or address.
static bool is_filtered(const struct event_request *r)
{
	return r->branches || r->code_range.given || r->opcode.given || r->data_range.given;
}

// The kinds of records of an event: any, taken branches, branches not taken.
struct recorded {
	bool any, taken, not_taken;
};

static struct recorded recorded_of(const struct view_of *v)
{
	struct recorded r = {0};

	for (size_t i = 0; i < v->count; i++) {
		const struct sample_key *key = &v->row[i]->key;

		r.any |= key->steps > 0;
		for (unsigned s = 0; s < key->steps; s++)
			if (key->step[s].kind == STEP_BRANCH)
				*(key->step[s].not_taken ? &r.not_taken : &r.taken) = true;
	}
	return r;
}

static const char no_records[] = "its samples have no branch records; with lbr they have";

const char *objection_to_blocks(const struct view_of *v)
{
	const struct event_request *r = &v->event->request;

	if (!recorded_of(v).any)
		return no_records;
	if (is_filtered(r))
		return "its branch records are filtered: the code between two of them is unknown";
	if (r->levels != ALL_LEVELS)
		return "it is filtered by privilege level: code at the other levels lies between "
		       "its records";
	if (!counts_branches(r))
		return "executions of blocks follow from samples of all branches, without a "
		       "threshold";
	return NULL;
}

const char *objection_to_branches(const struct view_of *v)
{
	const struct recorded recorded = recorded_of(v);

	if (!recorded.any)
		return no_records;
	if (is_filtered(&v->event->request) && !(recorded.taken && recorded.not_taken))
		return "its branch records are filtered: the number of branches not taken is "
		       "unknown";
	return NULL;
}

bool only_records_count(const struct view_of *v)
{
	const struct event_request *r = &v->event->request;

	return is_filtered(r) || (r->levels != ALL_LEVELS && recorded_of(v).not_taken);
}

// State while a sample's records are read.
struct walk {
	struct stretch *stretch, now;
	unsigned count;
	bool open;			// `now` has begun and extends to now.last
};

static void begin_stretch(struct walk *w, uint64_t address, unsigned step)
{
	w->now = (struct stretch){.first = address, .last = address, .low = address, .from = step};
	w->open = true;
}

static void end_stretch(struct walk *w, unsigned behind)
{
	w->now.behind = behind;
	w->stretch[w->count++] = w->now;
	w->open = false;
}

// Extends the stretch to a branch. A branch before its start is inconsistent: drops all older
// stretches.
static void go_on(struct walk *w, const struct sample_step *s, unsigned step)
{
	if (w->open && s->address < w->now.first) {
		w->count = 0;
		w->open = false;
	}
	if (!w->open && s->not_taken)
		begin_stretch(w, s->address, step);
	if (!w->open)
		return;
	w->now.not_taken = s->not_taken;
	w->now.low = s->address;
	w->now.last = last_byte(s);
	if (!s->not_taken)
		end_stretch(w, step + 1);
}

// Extends from the youngest record's target to the sampled branch, which was not taken. `address`
// may be any of that branch's bytes.
static void go_on_to_sampled(struct walk *w, uint64_t address, unsigned steps)
{
	w->now.last = address;
	w->now.low = address - w->now.first < INSTRUCTION_MOST ? w->now.first :
		address - (INSTRUCTION_MOST - 1);
	w->now.not_taken = w->now.sampled = true;
	end_stretch(w, steps);
}

unsigned find_stretches(const struct view_of *v, const struct sample_key *key,
			struct stretch stretches[STRETCHES_MOST])
{
	const struct sample_step *target = NULL;
	struct walk w = {.stretch = stretches};

	for (unsigned i = 0; i < key->steps; i++) {
		const struct sample_step *s = &key->step[i];

		target = s->kind == STEP_TARGET ? s : NULL;
		if (!target) {
			go_on(&w, s, i);
			continue;
		}
		if (w.open)
			w.count = 0;
		begin_stretch(&w, s->address, i);
	}
	if (w.open && w.now.not_taken)
		end_stretch(&w, key->steps);
	if (samples_branches(v) && target && key->ip != target->address &&
	    target->address <= key->address)
		go_on_to_sampled(&w, key->address, key->steps);
	return w.count;
}
