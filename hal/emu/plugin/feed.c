// SPDX-License-Identifier: BSD-2-Clause
// What the models get (feed.h). Before a quantum ends nothing overflows, so what happens in it may be added up, and
// happens in one of its cycles; but what its last instruction raises happens in the last one: an overflow belongs to
// it. Branches that are recorded are handed on one by one.

#include "feed.h"

#include <string.h>

#include "timed.h"

struct feed feeds[VPMU_CPUS];

#define SIGNALS_MOST	(VPMU_CLOCK_MOST + VPMU_BESIDE_MOST + FEED_BESIDE_MOST)

void feed_start(unsigned cpu, struct vpmu *v)
{
	feeds[cpu] = (struct feed){.v = v, .look_at = UINT64_MAX};
}

//
// What counters select
//

// The row's happenings. Those of instructions come first (model.h).
uint64_t feed_row_happenings(const struct model_raised *r)
{
	const unsigned last = r->up_to > r->happening ? r->up_to : r->happening;

	return (2ULL << last) - (1ULL << r->happening);
}

static const struct model_raised *rows_of(const struct feed *f)
{
	static const struct model_raised none = MODEL_RAISED_END;

	return f->v->model->raised ? f->v->model->raised : &none;
}

// A branch is of one kind: what the kinds raise of an event is one occurrence, and so is what their predictions do.
static void select_row(struct feed *f, const struct model_raised *r)
{
	const bool branch = feed_row_happenings(r) & (FEED_BRANCHES | FEED_PREDICTIONS);

	f->selected |= feed_row_happenings(r);
	for (struct occurrence *o = f->beside; branch && o < f->beside + f->beside_count; o++)
		if (o->branch && o->code == r->code && !o->sub == !r->sub) {
			o->sub |= r->sub;
			return;
		}
	f->beside[f->beside_count++] = (struct occurrence){
		.code = r->code, .sub = r->sub, .n = r->each ? r->each : 1, .branch = branch ? OCCURRENCE_BRANCH : 0,
	};
}

uint64_t feed_rows(const struct pmu_model *model, const struct model_event *event)
{
	uint64_t rows = 0;

	for (const struct model_raised *r = model->raised; r->happening < HAPPENING_INSTRUCTIONS; r++)
		if (vpmu_row_counts(model, r, event->code, event->umask, 0))
			rows |= 1ULL << (r - model->raised);
	return rows;
}

// Other threads of the core may count what this one does.
void feed_select(struct feed *f)
{
	const struct pmu_model *model = f->v->model;
	struct model_event event;
	unsigned of_thread = 0;
	uint64_t rows = 0;

	f->selected = f->counters = 0;
	f->beside_count = 0;
	if (rows_of(f)->happening >= HAPPENING_INSTRUCTIONS)
		return;
	for (size_t i = 0; i < model->group_count; i++)
		of_thread += model->groups[i].count;
	for (unsigned thread = 0; thread < model->threads; thread++)
		for (unsigned i = 0; i < model->groups[0].count; i++)
			if (vpmu_selects(model, f->v->state, thread, i, &event) && feed_rows(model, &event)) {
				rows |= feed_rows(model, &event);
				f->counters |= 1u << (thread * of_thread + i);
			}
	for (; rows; rows &= rows - 1)
		select_row(f, &rows_of(f)[__builtin_ctzll(rows)]);
}

void feed_configure(struct feed *f)
{
	const struct model_outputs *outputs = vpmu_outputs(f->v);

	f->counted = f->counters & outputs->counting ? f->selected : 0;
	f->in_order = f->counters & outputs->comparing;
	f->recorded = outputs->recording >> f->v->thread & 1 && rows_of(f)->happening < HAPPENING_BRANCHES;
	f->predicted = f->recorded || f->selected & FEED_PREDICTIONS;
	f->only_sums = feed_matters(f) && feed_adds_up(f);
}

// With counters that look at each cycle it is not enough to look at the most that can happen in one.
static uint64_t headroom_in_order(struct feed *f, const struct occurrence *may, size_t count)
{
	struct model_most most[32];
	struct model_headroom headroom;
	uint32_t each = 1;

	for (size_t i = 0; i < count; i++)
		each += may[i].n;
	for (size_t i = 0; i < sizeof most / sizeof *most; i++)
		most[i] = (struct model_most){.instruction = each};
	f->v->model->headroom(f->v->state, most, &headroom);
	return (headroom.instructions < headroom.cycles ? headroom.instructions : headroom.cycles) + 1;
}

// So many instructions can pass that what they raise is added up without an overflow.
#define SUM_MOST (1u << 30)

uint64_t feed_headroom(struct feed *f, const struct occurrence *beside, size_t count)
{
	struct occurrence may[VPMU_BESIDE_MOST];
	const size_t own = f->counted ? f->beside_count : 0;
	uint64_t headroom;

	if (!own && !count)
		return vpmu_headroom(f->v);
	memcpy(may, f->beside, own * sizeof *may);
	if (count)
		memcpy(may + own, beside, count * sizeof *may);
	count += own;
	if (f->in_order)
		return headroom_in_order(f, may, count);
	for (size_t i = 0; i < count; i++) {
		may[i].thread = (uint8_t)f->v->thread;
		may[i].level = (uint8_t)f->v->level;
	}
	headroom = vpmu_headroom_beside(f->v, may, count);
	return headroom < SUM_MOST ? headroom : SUM_MOST;
}

uint64_t feed_clock_headroom(const struct feed *f)
{
	const uint64_t headroom = vpmu_headroom_beside(f->v, f->beside, 0);

	return headroom < SUM_MOST ? headroom : SUM_MOST;
}

//
// What happens
//

// What these happenings raise, in the circumstances of `o`. How many occurrences.
static size_t occurrences_of(const struct feed *f, const uint32_t happened[HAPPENING_INSTRUCTIONS],
			     const struct occurrence *o, struct occurrence *to)
{
	size_t count = 0;

	for (const struct model_raised *r = rows_of(f); r->happening < HAPPENING_INSTRUCTIONS; r++) {
		uint32_t n = 0;

		for (uint64_t rest = feed_row_happenings(r); rest; rest &= rest - 1)
			n += happened[__builtin_ctzll(rest)];
		if (!n)
			continue;
		to[count] = *o;
		to[count].code = r->code;
		to[count].sub = r->sub;
		to[count++].n = r->each ? r->each * n : n;
	}
	return count;
}

static struct occurrence circumstances(const struct feed *f, const struct feed_instruction *i)
{
	return (struct occurrence){
		.thread = (uint8_t)f->v->thread, .level = (uint8_t)f->v->level,
		.ip = i ? i->ip : 0, .target = i ? i->to : 0, .branch = i ? i->branch : 0,
	};
}

static uint64_t raised_by(const struct feed_instruction *i)
{
	return i->raises | feed_branch_raises(i);
}

//
// The timed clock: so many cycles pass as it says, in which as many instructions retire as the instruction clock says
//

// Connects what the clock says of a cycle in which so many instructions retire; or, without the cycle, of these alone.
// The time-stamp counter counts instructions.
static size_t connect_clock(const struct feed *f, uint64_t instructions, bool cycle, struct occurrence *signals)
{
	size_t count, connected = 0;
	const struct occurrence *clock = model_clock(f->v->model, f->v->thread, f->v->level, &count);
	const size_t of_cycle = count - f->v->model->clock_cycles, of_reference = count - f->v->model->clock_references;

	for (size_t i = 0; i < count; i++) {
		const uint64_t times = i >= of_cycle && i < of_reference ? cycle : instructions;

		signals[connected] = clock[i];
		signals[connected].n *= (uint32_t)times;
		connected += times > 0;
	}
	return connected;
}

static void use_cycles(struct feed *f, uint64_t cycles, bool busy)
{
	f->owed -= cycles;
	f->busy -= busy ? least(cycles, f->busy) : 0;
}

// So many such cycles.
static void pass_cycles(struct feed *f, uint64_t cycles, uint64_t instructions)
{
	struct occurrence signals[VPMU_CLOCK_MOST];

	if (!cycles)
		return;
	f->v->model->connect(f->v->state, signals, connect_clock(f, instructions, true, signals));
	vpmu_run(f->v, cycles);
	vpmu_resume(f->v);
	use_cycles(f, cycles, instructions);
}

// Instructions, as evenly as can be over these cycles; those of 0 cycles belong to one that has passed.
static void spread(struct feed *f, uint64_t instructions, uint64_t cycles)
{
	struct occurrence signals[VPMU_CLOCK_MOST];

	if (cycles) {
		pass_cycles(f, instructions % cycles, instructions / cycles + 1);
		pass_cycles(f, cycles - instructions % cycles, instructions / cycles);
	} else if (instructions) {
		f->v->model->connect(f->v->state, signals, connect_clock(f, instructions, false, signals));
		f->v->model->run(f->v->state, 1);
		vpmu_resume(f->v);
	}
}

static void take_cycles(struct feed *f)
{
	uint64_t busy;

	if (!timed_is_used)
		return;
	f->owed += timed_take((unsigned)(f - feeds), &busy);
	f->busy += busy;
}

//
// Instructions that pass
//

// Connects what an instruction raises, and what is beside, in the cycles from here on. `signals` stay until others are
// connected. NULL: some instruction or other. Without `cycle` they belong to one that has passed.
static void connect(struct feed *f, const struct feed_instruction *i, uint64_t raises, const struct occurrence *beside,
		    size_t count, bool cycle, struct occurrence signals[SIGNALS_MOST])
{
	const size_t clock = connect_clock(f, 1, cycle, signals);
	const struct occurrence o = circumstances(f, i);
	uint32_t happened[HAPPENING_INSTRUCTIONS] = {0};
	size_t own;

	for (; raises; raises &= raises - 1)
		happened[__builtin_ctzll(raises)] = 1;
	own = occurrences_of(f, happened, &o, signals + clock);
	if (count)
		memcpy(signals + clock + own, beside, count * sizeof *beside);
	f->v->model->connect(f->v->state, signals, clock + own + count);
}

// Instructions that are alike, each in its cycle, with what they raise, and what is beside. NULL: some or other.
static void pass_instructions(struct feed *f, uint64_t n, const struct feed_instruction *i, uint64_t raises,
			      const struct occurrence *beside, size_t count)
{
	const uint64_t cycles = timed_is_used ? least(n, f->owed) : n;
	struct occurrence signals[SIGNALS_MOST];

	connect(f, i, raises, beside, count, true, signals);
	vpmu_run(f->v, cycles);
	if (cycles < n) {
		connect(f, i, raises, beside, count, false, signals);
		f->v->model->run(f->v->state, n - cycles);
	}
	vpmu_resume(f->v);
	f->passed += n;
	if (timed_is_used)
		use_cycles(f, cycles, true);
}

// Instructions of which nothing else matters. By the timed clock so many cycles are left for what comes behind them.
static void pass_plain(struct feed *f, uint64_t instructions, uint64_t left)
{
	if (timed_is_used)
		spread(f, instructions, least(instructions, f->busy > left ? f->busy - left : 0));
	else if (instructions)
		vpmu_run(f->v, instructions);
	f->passed += instructions;
}

// So many branches to record, alike, and what is beside.
static void pass_branches(struct feed *f, uint64_t n, const struct feed_instruction *branch,
			  const struct occurrence *beside, size_t count)
{
	pass_instructions(f, n, branch, 1ULL << vpmu_branch_happening(branch->branch), beside, count);
}

// They are no longer among what has been added up.
static void take_out(struct feed *f, uint64_t n, const struct feed_instruction *branch)
{
	const unsigned what = vpmu_branch_happening(branch->branch);

	if (f->counted >> what & 1)
		f->happened[what] -= (uint32_t)n;
}

// Of each kind those that are not kept, as if they were the first one that is.
static void pass_older_branches(struct feed *f)
{
	for (struct feed_branches *b = f->branches; b < &f->branches[FEED_KINDS]; b++)
		if (b->count > FEED_KEPT) {
			take_out(f, b->count - FEED_KEPT, &b->kept[b->count % FEED_KEPT]);
			pass_branches(f, b->count - FEED_KEPT, &b->kept[b->count % FEED_KEPT], NULL, 0);
		}
}

// The branches to record, in order of their positions. How many.
static unsigned collect_branches(struct feed *f, const struct feed_instruction *to[FEED_KINDS * FEED_KEPT])
{
	unsigned left[FEED_KINDS], first[FEED_KINDS], count = 0;

	for (unsigned kind = 0; kind < FEED_KINDS; kind++) {
		const struct feed_branches *b = &f->branches[kind];

		left[kind] = b->count < FEED_KEPT ? b->count : FEED_KEPT;
		first[kind] = b->count < FEED_KEPT ? 0 : b->count % FEED_KEPT;
	}
	for (;;) {
		const struct feed_instruction *next = NULL;
		unsigned of = 0;

		for (unsigned kind = 0; kind < FEED_KINDS; kind++) {
			const struct feed_instruction *i = &f->branches[kind].kept[first[kind] % FEED_KEPT];

			if (left[kind] && (!next || i->position < next->position)) {
				next = i;
				of = kind;
			}
		}
		if (!next)
			break;
		left[of]--;
		first[of]++;
		to[count++] = next;
	}
	for (unsigned kind = 0; kind < FEED_KINDS; kind++)
		f->branches[kind].count = 0;
	return count;
}

// What has been added up, which is nothing from here on. How many occurrences.
static size_t take_sums(struct feed *f, struct occurrence sums[VPMU_BESIDE_MOST])
{
	const struct occurrence o = circumstances(f, NULL);
	size_t count = 0;

	if (f->counted)
		count = occurrences_of(f, f->happened, &o, sums);
	if (count)
		memset(f->happened, 0, sizeof f->happened);
	return count;
}

// Hands on so many instructions, and all that they have raised.
static void pass(struct feed *f, uint64_t instructions, const struct occurrence *beside, size_t count)
{
	const struct feed_instruction *recorded[FEED_KINDS * FEED_KEPT], last = f->last;
	const bool has_last = count || last.raises || last.branch;
	const uint64_t all = f->passed + instructions;
	struct occurrence sums[VPMU_BESIDE_MOST];
	unsigned records;
	size_t sum_count;

	if (!instructions)
		return;
	take_cycles(f);
	pass_older_branches(f);
	records = collect_branches(f, recorded);
	for (unsigned i = 0; i < records; i++)
		take_out(f, 1, recorded[i]);
	sum_count = take_sums(f, sums);
	for (unsigned i = 0; i < records; i++)
		pass_branches(f, 1, recorded[i], sums, i ? 0 : sum_count);
	if (sum_count && !records)
		pass_instructions(f, 1, NULL, 0, sums, sum_count);
	if (all > f->passed + has_last)
		pass_plain(f, all - f->passed - has_last, has_last);
	if (f->owed > has_last)
		pass_cycles(f, f->owed - has_last, 0);
	if (has_last)
		pass_instructions(f, 1, &last, raised_by(&last), beside, count);
	f->last = (struct feed_instruction){0};
}

void feed_instruction(struct feed *f, const struct feed_instruction *i)
{
	if (!f->in_order) {
		for (uint64_t rest = i->raises & f->counted; rest; rest &= rest - 1)
			f->happened[__builtin_ctzll(rest)]++;
		return;
	}
	if (!(raised_by(i) & f->counted) && !(f->recorded && i->branch))
		return;
	take_cycles(f);
	if (i->position > f->passed + 1)
		pass_plain(f, i->position - 1 - f->passed, 1);
	pass_instructions(f, 1, i, raised_by(i), NULL, 0);
}

void feed_bus_lock(struct feed *f, uint64_t position)
{
	pass(f, position - f->passed, NULL, 0);
	vpmu_bus_lock(f->v);
}

void feed_begin_own(struct feed *f, uint64_t raises, const struct occurrence *beside, size_t count)
{
	static struct occurrence signals[SIGNALS_MOST];

	raises &= f->counted;
	f->begun = raises || count;
	if (f->begun)
		connect(f, NULL, raises, beside, count, true, signals);
}

void feed_end_own(struct feed *f)
{
	if (f->begun)
		vpmu_resume(f->v);
	f->begun = false;
}

void feed_change_level(struct feed *f, unsigned level)
{
	struct occurrence sums[VPMU_BESIDE_MOST];
	const size_t count = take_sums(f, sums);

	vpmu_change_level(f->v, level, sums, count);
	f->position = 0;
}

// What the monitor adds, carried out for the guest, has come before what the guest has executed since. It has been
// decoded, at least.
void feed_pass(struct feed *f, uint64_t cycles, const struct occurrence *beside, size_t count)
{
	const uint64_t retired = (int64_t)cycles > f->again ? cycles - (uint64_t)f->again : 0;
	const uint64_t added = retired > f->position ? retired - f->position : 0;

	if (added) {
		feed_begin_own(f, HAPPENING_SET(DECODED), NULL, 0);
		vpmu_run(f->v, added);
		feed_end_own(f);
	}
	pass(f, retired > added + f->passed ? retired - added - f->passed : 0, beside, count);
	f->loads = f->loads > f->position ? f->loads - f->position : 0;
	f->position = f->passed = 0;
	f->again = 0;
}
