// SPDX-License-Identifier: BSD-2-Clause
// palmon report --blocks and --branches: the code executed between successive branch records
// (stretches.h). Block boundaries come from the records alone: a block starts at each target and
// after each branch (the guide, "LBRs and Basic Block Execution Counts").

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "palmon.h"
#include "stretches.h"

// Addresses in ascending order without duplicates.
struct addresses {
	uint64_t *at;
	size_t count;
};

// A number with 64 fractional bits. Wraps, so that differences of sums may be negative in between.
typedef unsigned __int128 fixed;

struct paths {
	const struct view_of *v;
	struct addresses recorded, targets;	// from the records: taken branches, their targets
	struct addresses branches, starts;	// all known branches, and all known block starts
	struct addresses measured;		// branches of known length
	fixed *executions;			// of the block at starts.at[i]; first differences
	uint64_t *taken, *not_taken;		// per branch; not_taken: first differences
	bool only_records;			// code between two records is unknown
	uint64_t without;			// samples without a stretch
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

// The index of the first address that is at least `least`; a->count if there is none.
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

// Whether an address lies between `first` and `last`, both included.
static bool any_between(const struct addresses *a, uint64_t first, uint64_t last)
{
	size_t i = find_from(a, first);

	return i < a->count && a->at[i] <= last;
}

//
// Collection
//

static void add_address(struct addresses *a, uint64_t address)
{
	a->at[a->count++] = address;
}

// Collects the taken branches and the targets of a sample.
static void collect_recorded(struct paths *p, const struct sample_key *key)
{
	for (unsigned i = 0; i < key->steps; i++) {
		const struct sample_step *s = &key->step[i];

		if (s->kind == STEP_TARGET)
			add_address(&p->starts, s->address);
		else if (!s->not_taken)
			add_address(&p->branches, s->address);
	}
}

// The last branch between `low` and `last` that another record shows as taken, unless a target
// follows it within the range. NULL: none.
static const uint64_t *recorded_branch(const struct paths *p, uint64_t low, uint64_t last)
{
	size_t next = find_from(&p->recorded, last + 1);
	const uint64_t *branch = &p->recorded.at[next] - 1;

	if (!next || *branch < low ||
	    (*branch < last && any_between(&p->targets, *branch + 1, last)))
		return NULL;
	return branch;
}

// The branch at the end of a stretch.
static uint64_t branch_of(const struct paths *p, const struct stretch *s)
{
	const uint64_t *recorded = s->not_taken ? recorded_branch(p, s->low, s->last) : NULL;

	if (recorded)
		return *recorded;
	return s->sampled ? s->last : s->not_taken ? s->low : s->last;
}

// Adds the branches that are recorded only as not taken, and the starts after branches of known
// length.
static void collect_passed(struct paths *p, const struct sample_key *key)
{
	for (unsigned i = 0; i < key->steps; i++) {
		const struct sample_step *s = &key->step[i];

		if (s->kind != STEP_BRANCH || !s->length)
			continue;
		add_address(&p->starts, s->address + s->length);
		if (s->not_taken && any_between(&p->recorded, s->address, last_byte(s)))
			continue;
		add_address(&p->measured, s->address);
		if (s->not_taken)
			add_address(&p->branches, s->address);
	}
}

// Adds the facts from samples of branches that were not taken: the branch, and the start after it.
static void collect_sampled(struct paths *p, const struct sample_key *key)
{
	struct stretch stretches[STRETCHES_MOST];
	unsigned count = find_stretches(p->v, key, stretches);

	if (!count || !stretches[count - 1].sampled)
		return;
	add_address(&p->branches, branch_of(p, &stretches[count - 1]));
	add_address(&p->starts, key->ip);
}

// Adds a block start after each branch of unknown length: its next byte, unless a known start, a
// target or a sampled address, can be the next instruction.
static bool collect_behind_branches(struct paths *p)
{
	struct addresses known;

	if (!copy_addresses(&p->starts, &known))
		return false;
	for (size_t i = 0; i < p->branches.count; i++) {
		uint64_t branch = p->branches.at[i];
		size_t next = find_from(&known, branch + 1);

		if (branch == UINT64_MAX || any_between(&p->measured, branch, branch) ||
		    (next < known.count && known.at[next] - branch <= INSTRUCTION_MOST &&
		     (known.at[next] == branch + 1 ||
		      !any_between(&p->branches, branch + 1, known.at[next] - 1))))
			continue;
		add_address(&p->starts, branch + 1);
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
	// Each step or sampled branch can add a start, its branch, and the start after that branch.
	p->branches.at = calloc(steps, sizeof *p->branches.at);
	p->measured.at = calloc(steps, sizeof *p->measured.at);
	p->starts.at = calloc(3 * steps, sizeof *p->starts.at);
	if (!p->branches.at || !p->measured.at || !p->starts.at)
		return false;
	for (size_t i = 0; i < p->v->count; i++)
		collect_recorded(p, &p->v->row[i]->key);
	sort_addresses(&p->branches);
	sort_addresses(&p->starts);
	if (!copy_addresses(&p->branches, &p->recorded) || !copy_addresses(&p->starts, &p->targets))
		return false;
	for (size_t i = 0; i < p->v->count; i++) {
		collect_passed(p, &p->v->row[i]->key);
		collect_sampled(p, &p->v->row[i]->key);
	}
	sort_addresses(&p->measured);
	sort_addresses(&p->branches);
	sort_addresses(&p->starts);
	ok = collect_behind_branches(p);
	sort_addresses(&p->starts);
	return ok;
}

//
// Counts
//

// The index of the first address above `address`.
static size_t find_behind(const struct addresses *a, uint64_t address)
{
	return address == UINT64_MAX ? a->count : find_from(a, address + 1);
}

// The blocks of a stretch: from *first up to, not including, the result. Code before the first
// start is unknown.
static size_t blocks_of(const struct paths *p, const struct stretch *s, size_t *first)
{
	const size_t behind = find_behind(&p->starts, s->first);

	*first = behind ? behind - 1 : 0;
	return find_behind(&p->starts, s->last);
}

// Adds 1/n of the period to each of the n blocks in a sample's stretches. False: there are no
// blocks.
static bool count_blocks(struct paths *p, const struct stretch *stretches, unsigned count,
			 uint64_t events)
{
	uint64_t blocks = 0;
	size_t first;
	fixed weight;

	for (unsigned i = 0; i < count; i++)
		blocks += blocks_of(p, &stretches[i], &first) - first;
	if (!blocks)
		return false;
	weight = (((fixed)events << 64) + blocks / 2) / blocks;
	for (unsigned i = 0; i < count; i++) {
		p->executions[blocks_of(p, &stretches[i], &first)] -= weight;
		p->executions[first] += weight;
	}
	return true;
}

// Whether a record belongs to one of the stretches.
static bool is_in_stretch(const struct stretch *stretches, unsigned count, unsigned step)
{
	for (unsigned i = 0; i < count; i++)
		if (step >= stretches[i].from && step < stretches[i].behind)
			return true;
	return false;
}

// Counts the branches from address `first` up to, not including, index `behind` as not taken: adds
// to differences that are summed up after the last row.
static void pass_branches(struct paths *p, uint64_t first, size_t behind, uint64_t samples)
{
	p->not_taken[find_from(&p->branches, first)] += samples;
	p->not_taken[behind] -= samples;
}

static void count_branches(struct paths *p, const struct row *row, const struct stretch *stretches,
			   unsigned count)
{
	for (unsigned i = 0; i < row->key.steps; i++) {
		const struct sample_step *s = &row->key.step[i];

		if (s->kind == STEP_BRANCH && !s->not_taken)
			p->taken[find_from(&p->branches, s->address)] += row->samples;
		else if (s->kind == STEP_BRANCH && !is_in_stretch(stretches, count, i))
			pass_branches(p, s->address, find_behind(&p->branches, last_byte(s)),
				      row->samples);
	}
	for (unsigned i = 0; i < count; i++) {
		const struct stretch *s = &stretches[i];

		pass_branches(p, s->first, find_from(&p->branches, s->last) + s->not_taken,
			      row->samples);
	}
}

static bool has_passed(const struct sample_key *key)
{
	for (unsigned i = 0; i < key->steps; i++)
		if (key->step[i].not_taken)
			return true;
	return false;
}

static void count_row(struct paths *p, const struct row *row)
{
	struct stretch stretches[STRETCHES_MOST];
	unsigned count = p->only_records ? 0 : find_stretches(p->v, &row->key, stretches);

	for (unsigned i = 0; i < count; i++)
		stretches[i].last = branch_of(p, &stretches[i]);
	count_branches(p, row, stretches, count);
	if (!count_blocks(p, stretches, count, row->samples * p->v->event->period) &&
	    !has_passed(&row->key))
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
	free(p->measured.at);
	free(p->executions);
	free(p->taken);
	free(p->not_taken);
}

//
// Output
//

// A row of the output. `count` of a block: hundredths of executions; of a branch: how often it was
// reached.
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

// Rounds half up. Each term of a sum is off by up to 2^-65; the sum by less than 2^-32.
static uint64_t hundredths(fixed number)
{
	const fixed half = (fixed)1 << 63, slack = (fixed)1 << 32;

	return (uint64_t)(number >> 64) * 100 +
	       (uint64_t)(((number & UINT64_MAX) * 100 + half + slack) >> 64);
}

// Prints the entries of `count` with non-zero counts, greatest first.
static bool print_counted(const struct paths *p, const struct table *table, size_t count,
			  uint64_t (*count_of)(const struct paths *p, size_t index),
			  const uint64_t *addresses,
			  void (*print)(const struct paths *p, const struct table *table,
					const struct counted *c))
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
		print_remark(p->v, "%" PRIu64
			     " samples have no two branch records that fit together", p->without);
	return true;
}

#define COLUMNS_OF(columns) (columns), sizeof (columns) / sizeof *(columns)

static const struct table_column block_columns[] = {
	{"event", "", CELL_TEXT, 0, 0},
	{"count", "estimate", CELL_RATIO, 18, 2},
	{"first", "first", CELL_ADDRESS, 18, 0},
	{"last", "last", CELL_ADDRESS, 18, 0},
};

static uint64_t executions_of(const struct paths *p, size_t block)
{
	return hundredths(p->executions[block]);
}

// A block's last known address: its branch, or the byte before the next block.
static uint64_t last_of(const struct paths *p, size_t block)
{
	uint64_t before_next = block + 1 < p->starts.count ? p->starts.at[block + 1] - 1 :
		UINT64_MAX;
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
		{.text = p->v->event->name}, {.value = p->taken[c->index]},
		{.value = p->not_taken[c->index]},
		{.value = p->taken[c->index], .of = c->count}, {.value = c->address},
	};

	table_row(table, cells);
}

bool print_blocks(const struct view_of *v)
{
	const struct table table = {v->form, v->separator, COLUMNS_OF(block_columns)};
	struct paths p = {.v = v};
	bool ok = collect_addresses(&p) && count_rows(&p) &&
		  print_counted(&p, &table, p.starts.count, executions_of, p.starts.at,
				print_block);

	free_paths(&p);
	return ok;
}

bool print_branches(const struct view_of *v)
{
	const struct table table = {v->form, v->separator, COLUMNS_OF(branch_columns)};
	struct paths p = {.v = v, .only_records = only_records_count(v)};
	bool ok = collect_addresses(&p) && count_rows(&p) &&
		  print_counted(&p, &table, p.branches.count, reached, p.branches.at, print_branch);

	free_paths(&p);
	return ok;
}
