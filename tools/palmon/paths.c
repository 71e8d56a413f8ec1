// SPDX-License-Identifier: BSD-2-Clause
// palmon report --blocks and --branches: what was executed between branches that were recorded one after the other.
//
// A stretch goes from a branch's target to the next branch that was taken: all in it was executed once, and branches in
// it, but for the last one, were not taken. Where blocks begin is known from the records alone: at targets, and behind
// branches (the guide, "LBRs and Basic Block Execution Counts").

#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "palmon.h"
#include "report.h"

#define INSTRUCTION_MOST 15	/* bytes: the longest that an instruction can be */

// Addresses in order, each once.
struct addresses {
	uint64_t *at;
	size_t count;
};

struct stretch {
	uint64_t first, last;		// its first instruction, and the branch that ends it
	bool not_taken;			// that one, too: the sampled instruction
};

#define STRETCHES_MOST (PMU_PAYLOAD_WORDS / 2 + 1)

// A number with 64 bits behind the point, which can be subtracted from what is less: it wraps.
typedef unsigned __int128 fixed;

struct paths {
	const struct view_of *v;
	struct addresses recorded, targets;	// what the records have: branches that were taken, where they went
	struct addresses branches, starts;	// all that is known: branches, and where blocks start
	fixed *executions;			// of the block at starts.at[i]; while they are added up, differences
	uint64_t *taken, *not_taken;		// of branches; the second one likewise
	uint64_t without;			// samples that have no stretch
};

//
// Addresses
//

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void sort_addresses(struct addresses *a)
{
	size_t kept = 0;

	qsort(a->at, a->count, sizeof *a->at, compare_addresses);
	for (size_t i = 0; i < a->count; i++)
		if (!kept || a->at[kept - 1] != a->at[i])
			a->at[kept++] = a->at[i];
	a->count = kept;
}

static bool copy_addresses(const struct addresses *from, struct addresses *to)
{
	to->count = from->count;
	to->at = calloc(from->count + 1, sizeof *to->at);
	if (to->at)
		memcpy(to->at, from->at, from->count * sizeof *to->at);
	return to->at;
}

// The index of the first address from `least` on, or their number.
static size_t find_from(const struct addresses *a, uint64_t least)
{
	size_t low = 0, high = a->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (a->at[middle] < least)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// Whether one of the addresses is from `first` to `last`.
static bool any_between(const struct addresses *a, uint64_t first, uint64_t last)
{
	size_t i = find_from(a, first);

	return i < a->count && a->at[i] <= last;
}

//
// Stretches
//

// Whether each sample of an event is one of a branch, as the manuals name such events.
static bool samples_branches(const struct view_of *v)
{
	return v->event->request.modifiers & EVENT_PRECISE && !strncasecmp(v->event->request.event->name, "BR_", 3);
}

const char *objection_to_blocks(const struct view_of *v)
{
	if (v->event->request.branches)
		return "its branch records are filtered: what was executed between two of them is not known";
	for (size_t i = 0; i < v->count; i++)
		if (v->row[i]->key.steps)
			return NULL;
	return "its samples have no branch records; they have with lbr";
}

// A row's stretches, oldest first. Those before records that do not fit together are left out. Behind the youngest
// record goes the one up to a sampled branch that was not taken.
static unsigned find_stretches(const struct view_of *v, const struct sample_key *key,
			       struct stretch stretches[STRETCHES_MOST])
{
	const struct sample_step *target = NULL;
	unsigned count = 0;

	for (unsigned i = 0; i < key->steps; i++) {
		const struct sample_step *s = &key->step[i];

		if (s->kind == STEP_TARGET) {
			target = s;
		} else if (!s->not_taken) {
			if (target && target->address <= s->address)
				stretches[count++] = (struct stretch){target->address, s->address, false};
			else
				count = 0;
			target = NULL;
		}
	}
	if (samples_branches(v) && target && key->ip != target->address && target->address <= key->address)
		stretches[count++] = (struct stretch){target->address, key->address, true};
	return count;
}

// Collects the branches and targets that are recorded.
static void collect_recorded(struct paths *p, const struct sample_key *key)
{
	for (unsigned i = 0; i < key->steps; i++) {
		struct addresses *a = key->step[i].kind == STEP_BRANCH ? &p->branches : &p->starts;

		a->at[a->count++] = key->step[i].address;
	}
}

// The branch that a stretch ends with. Of one that was sampled and not taken only an address in its last bytes may be
// known; where it was taken another time, its first byte is.
static uint64_t branch_of(const struct paths *p, const struct stretch *s)
{
	size_t next = find_from(&p->recorded, s->last + 1);
	uint64_t branch;

	if (!s->not_taken || !next)
		return s->last;
	branch = p->recorded.at[next - 1];
	if (s->last - branch >= INSTRUCTION_MOST || branch < s->first ||
	    (branch < s->last && any_between(&p->targets, branch + 1, s->last)))
		return s->last;
	return branch;
}

// Adds what samples of branches that were not taken say: the branch, and what follows it.
static void collect_sampled(struct paths *p, const struct sample_key *key)
{
	struct stretch stretches[STRETCHES_MOST];
	unsigned count = find_stretches(p->v, key, stretches);

	if (!count || !stretches[count - 1].not_taken)
		return;
	p->branches.at[p->branches.count++] = branch_of(p, &stretches[count - 1]);
	p->starts.at[p->starts.count++] = key->ip;
}

// Blocks start behind branches, too: at the target or sampled address that follows at once, else behind the branch's
// first byte.
static bool collect_behind_branches(struct paths *p)
{
	struct addresses known;

	if (!copy_addresses(&p->starts, &known))
		return false;
	for (size_t i = 0; i < p->branches.count; i++) {
		uint64_t branch = p->branches.at[i];
		size_t next = find_from(&known, branch + 1);

		if (branch == UINT64_MAX ||
		    (next < known.count && known.at[next] - branch <= INSTRUCTION_MOST &&
		     (known.at[next] == branch + 1 || !any_between(&p->branches, branch + 1, known.at[next] - 1))))
			continue;
		p->starts.at[p->starts.count++] = branch + 1;
	}
	free(known.at);
	return true;
}

static bool collect_addresses(struct paths *p)
{
	size_t steps = 1;
	bool ok;

	for (size_t i = 0; i < p->v->count; i++)
		steps += p->v->row[i]->key.steps + 1;
	// Each step or sampled branch adds a start, and the branch of it another one.
	p->branches.at = calloc(steps, sizeof *p->branches.at);
	p->starts.at = calloc(2 * steps, sizeof *p->starts.at);
	if (!p->branches.at || !p->starts.at)
		return false;
	for (size_t i = 0; i < p->v->count; i++)
		collect_recorded(p, &p->v->row[i]->key);
	sort_addresses(&p->branches);
	sort_addresses(&p->starts);
	if (!copy_addresses(&p->branches, &p->recorded) || !copy_addresses(&p->starts, &p->targets))
		return false;
	for (size_t i = 0; i < p->v->count; i++)
		collect_sampled(p, &p->v->row[i]->key);
	sort_addresses(&p->branches);
	sort_addresses(&p->starts);
	ok = collect_behind_branches(p);
	sort_addresses(&p->starts);
	return ok;
}

//
// Counts
//

// The index of the block that has this address: the last one that does not start behind it.
static size_t block_at(const struct paths *p, uint64_t address)
{
	size_t next = find_from(&p->starts, address);

	return next < p->starts.count && p->starts.at[next] == address ? next : next - 1;
}

// Each block of a sample's stretches was executed one n-th of the period, n being how many there are.
static void count_blocks(struct paths *p, const struct stretch *stretches, unsigned count, uint64_t events)
{
	uint64_t blocks = 0;
	fixed weight;

	for (unsigned i = 0; i < count; i++)
		blocks += block_at(p, stretches[i].last) - block_at(p, stretches[i].first) + 1;
	weight = (((fixed)events << 64) + blocks / 2) / blocks;
	for (unsigned i = 0; i < count; i++) {
		p->executions[block_at(p, stretches[i].first)] += weight;
		p->executions[block_at(p, stretches[i].last) + 1] -= weight;
	}
}

static void count_branches(struct paths *p, const struct row *row, const struct stretch *stretches, unsigned count)
{
	for (unsigned i = 0; i < row->key.steps; i++) {
		const struct sample_step *s = &row->key.step[i];

		if (s->kind == STEP_BRANCH && !s->not_taken)
			p->taken[find_from(&p->branches, s->address)] += row->samples;
	}
	for (unsigned i = 0; i < count; i++) {
		const struct stretch *s = &stretches[i];

		p->not_taken[find_from(&p->branches, s->first)] += row->samples;
		p->not_taken[find_from(&p->branches, s->last) + s->not_taken] -= row->samples;
	}
}

static void count_row(struct paths *p, const struct row *row)
{
	struct stretch stretches[STRETCHES_MOST];
	unsigned count = find_stretches(p->v, &row->key, stretches);

	for (unsigned i = 0; i < count; i++)
		stretches[i].last = branch_of(p, &stretches[i]);
	count_branches(p, row, stretches, count);
	if (count)
		count_blocks(p, stretches, count, row->samples * p->v->event->period);
	else
		p->without += row->samples;
}

static bool count_rows(struct paths *p)
{
	p->executions = calloc(p->starts.count + 1, sizeof *p->executions);
	p->taken = calloc(p->branches.count + 2, sizeof *p->taken);
	p->not_taken = calloc(p->branches.count + 2, sizeof *p->not_taken);
	if (!p->executions || !p->taken || !p->not_taken)
		return false;
	for (size_t i = 0; i < p->v->count; i++)
		count_row(p, p->v->row[i]);
	for (size_t i = 1; i < p->starts.count; i++)
		p->executions[i] += p->executions[i - 1];
	for (size_t i = 1; i < p->branches.count; i++)
		p->not_taken[i] += p->not_taken[i - 1];
	return true;
}

static void free_paths(struct paths *p)
{
	free(p->recorded.at);
	free(p->targets.at);
	free(p->branches.at);
	free(p->starts.at);
	free(p->executions);
	free(p->taken);
	free(p->not_taken);
}

//
// Output
//

// An address that is counted: of a block its executions in hundredths; of a branch how often it was reached.
struct counted {
	uint64_t address, count;
	size_t index;
};

static int compare_counted(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

// Rounded, halves up. A sum is off by less than 2^-32, as each of its terms is by 2^-65.
static uint64_t hundredths(fixed number)
{
	const fixed half = (fixed)1 << 63, slack = (fixed)1 << 32;

	return (uint64_t)(number >> 64) * 100 + (uint64_t)(((number & UINT64_MAX) * 100 + half + slack) >> 64);
}

// Prints those of `count` that are not 0, most first.
static bool print_counted(const struct paths *p, const struct table *table, size_t count,
			  uint64_t (*count_of)(const struct paths *p, size_t index), const uint64_t *addresses,
			  void (*print)(const struct paths *p, const struct table *table, const struct counted *c))
{
	struct counted *rows = calloc(count + 1, sizeof *rows);
	size_t kept = 0;

	if (!rows)
		return false;
	for (size_t i = 0; i < count; i++) {
		rows[kept] = (struct counted){addresses[i], count_of(p, i), i};
		kept += rows[kept].count > 0;
	}
	qsort(rows, kept, sizeof *rows, compare_counted);
	if (table->form == TABLE_TEXT)
		table_heading(table);
	for (size_t i = 0; i < kept; i++)
		if (is_shown(p->v, i, kept))
			print(p, table, &rows[i]);
	free(rows);
	if (p->without)
		say_beside(p->v, "%" PRIu64 " samples have no two branch records that fit together", p->without);
	return true;
}

#define COLUMNS_OF(columns) (columns), sizeof (columns) / sizeof *(columns)

static const struct table_column block_columns[] = {
	{"event", "", CELL_TEXT, 0, 0},
	{"count", "count", CELL_RATIO, 18, 2},
	{"first", "first", CELL_ADDRESS, 18, 0},
	{"last", "last", CELL_ADDRESS, 18, 0},
};

static uint64_t executions_of(const struct paths *p, size_t block)
{
	return hundredths(p->executions[block]);
}

// A block's last address that is known: its branch, or what is before the next block.
static uint64_t last_of(const struct paths *p, size_t block)
{
	uint64_t before_next = block + 1 < p->starts.count ? p->starts.at[block + 1] - 1 : UINT64_MAX;
	size_t branch = find_from(&p->branches, p->starts.at[block]);

	if (branch < p->branches.count && p->branches.at[branch] <= before_next)
		return p->branches.at[branch];
	return before_next;
}

static void print_block(const struct paths *p, const struct table *table, const struct counted *c)
{
	const struct cell cells[] = {
		{.text = p->v->event->name}, {.value = c->count, .of = 100}, {.value = c->address},
		{.value = last_of(p, c->index)},
	};

	table_row(table, cells);
}

static const struct table_column branch_columns[] = {
	{"event", "", CELL_TEXT, 0, 0},
	{"taken", "taken", CELL_NUMBER, 12, 0},
	{"not_taken", "not taken", CELL_NUMBER, 12, 0},
	{"taken_rate", "rate", CELL_SHARE, 6, 0},
	{"branch", "branch", CELL_ADDRESS, 18, 0},
};

static uint64_t reached(const struct paths *p, size_t branch)
{
	return p->taken[branch] + p->not_taken[branch];
}

static void print_branch(const struct paths *p, const struct table *table, const struct counted *c)
{
	const struct cell cells[] = {
		{.text = p->v->event->name}, {.value = p->taken[c->index]}, {.value = p->not_taken[c->index]},
		{.value = p->taken[c->index], .of = c->count}, {.value = c->address},
	};

	table_row(table, cells);
}

bool print_blocks(const struct view_of *v)
{
	const struct table table = {v->form, v->separator, COLUMNS_OF(block_columns)};
	struct paths p = {.v = v};
	bool ok = collect_addresses(&p) && count_rows(&p) &&
		  print_counted(&p, &table, p.starts.count, executions_of, p.starts.at, print_block);

	free_paths(&p);
	return ok;
}

bool print_branches(const struct view_of *v)
{
	const struct table table = {v->form, v->separator, COLUMNS_OF(branch_columns)};
	struct paths p = {.v = v};
	bool ok = collect_addresses(&p) && count_rows(&p) &&
		  print_counted(&p, &table, p.branches.count, reached, p.branches.at, print_branch);

	free_paths(&p);
	return ok;
}
