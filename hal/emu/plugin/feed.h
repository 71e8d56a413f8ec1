/* SPDX-License-Identifier: BSD-2-Clause */
/* What the models get of what observed guests do. An instruction's position is how many have retired, with it, since
 * the monitor last said how much time has passed. */
#ifndef PLUGIN_FEED_H
#define PLUGIN_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "block.h"
#include "vpmu.h"

#define FEED_KEPT	16	/* taken branches of a kind, the last ones: as many as a PMU records */
#define FEED_KINDS	8

/* An instruction that has retired: what it raises, and where it is; of a branch, what its prediction raises, what it is
 * and where it has gone. */
struct feed_instruction {
	uint64_t position, ip, to;
	uint64_t raises, predicted;
	uint8_t branch;		/* as in struct occurrence; 0: it is none */
};

struct feed {
	struct vpmu *v;		/* NULL: it has no PMU yet */
	uint64_t position;	/* of the instruction that has retired last */
	uint64_t passed;	/* up to this position the model knows */
	uint64_t handed;	/* cycles that the model knows, and that the monitor has not said yet (quantum_cross) */
	int64_t again;		/* what the clock has counted and has not retired: iterations of repeated strings */
	uint64_t owed, busy;	/* cycles of the timed clock that have not been handed on, and those of them in which
				 * an instruction has issued (timed.h) */
	uint64_t look_at;	/* from this position on blocks are looked at before they execute (quantum.h) */
	uint64_t loads;		/* of the instruction that has loaded last (references.c); 0: it has not retired */

	/* What its core's counters select: sets of happenings, and of counters as in struct model_most. */
	uint64_t selected;
	uint32_t counters;
	struct occurrence beside[VPMU_BESIDE_MOST];	/* that an instruction may raise of that */
	size_t beside_count;

	/* What of that matters now: some counter that is enabled counts it, each instruction by itself and in order, or
	 * not; branches are recorded. Whether they are predicted, which they are while it may matter. Whether nothing
	 * matters but sums of what is counted, and those branches. */
	uint64_t counted;
	bool in_order, recorded, predicted, only_sums;

	bool begun;		/* between feed_begin_own and feed_end_own: something happens */

	/* What has happened that the model does not know; branches that it is to record. */
	uint32_t happened[HAPPENING_INSTRUCTIONS];
	struct feed_instruction last;	/* and the quantum's last instruction, which is not among them */
	struct feed_branches {
		unsigned count;		/* of this kind; the last FEED_KEPT are kept, without what they raise */
		struct feed_instruction kept[FEED_KEPT];
	} branches[FEED_KINDS];
};

extern struct feed feeds[VPMU_CPUS];

void feed_start(unsigned cpu, struct vpmu *v);

/* Branches, what their predictions raise; of the happenings (happening.h). */
#define FEED_BRANCHES		((1ULL << HAPPENING_BRANCHES) - 1)
#define FEED_PREDICTIONS	((1ULL << HAPPENING_PREDICTIONS) - 1 - FEED_BRANCHES)

/* The rows of a model that an event counts, as bits; and the happenings of a row, as bits. */
uint64_t feed_rows(const struct pmu_model *model, const struct model_event *event);
uint64_t feed_row_happenings(const struct model_raised *row);

/* What its counters select may have changed; what is enabled. */
void feed_select(struct feed *feed);
void feed_configure(struct feed *feed);

/* Whether anything of instructions matters but their number. */
static inline bool feed_matters(const struct feed *feed)
{
	return feed->counted || feed->recorded;
}

/* Whether what instructions raise may be added up: nothing looks at each of them. */
static inline bool feed_adds_up(const struct feed *feed)
{
	return !feed->in_order && !(feed->counted & PIPES_RAISE);
}

/* The last ones, so many, have begun and have not retired. */
static inline void feed_unretire(struct feed *feed, uint64_t count)
{
	feed->position -= count;
	if (feed->loads > feed->position)
		feed->loads = 0;
}

/* Instructions until something can overflow, whatever they are, if each of them may raise this, too. */
uint64_t feed_headroom(struct feed *feed, const struct occurrence *beside, size_t count);

/* The same, if only their number counts. */
uint64_t feed_clock_headroom(const struct feed *feed);

/* All instructions of a block have retired, its branch not looked at. */
static inline void feed_block(struct feed *feed, const struct block *block)
{
	for (uint64_t rest = feed->counted & block->raised; rest; rest &= rest - 1)
		feed->happened[__builtin_ctzll(rest)] += block->raises[__builtin_ctzll(rest)];
}

/* This has happened, once each. */
static inline void feed_sum(struct feed *feed, uint64_t raises)
{
	for (uint64_t rest = raises & feed->counted; rest; rest &= rest - 1)
		feed->happened[__builtin_ctzll(rest)]++;
}

/* What it raises as a branch; 0: it is none. */
static inline uint64_t feed_branch_raises(const struct feed_instruction *i)
{
	return i->predicted | (i->branch ? 1ULL << vpmu_branch_happening(i->branch) : 0);
}

/* An instruction has retired, behind all others. In order, it may be a branch; else feed_branch is called of that. */
void feed_instruction(struct feed *feed, const struct feed_instruction *i);

static inline void feed_branch(struct feed *feed, const struct feed_instruction *i)
{
	struct feed_branches *b = &feed->branches[(i->branch & OCCURRENCE_KIND) / OCCURRENCE_KIND_CONDITIONAL];
	struct feed_instruction *kept;

	feed_sum(feed, feed_branch_raises(i));
	if (feed->recorded && i->branch & OCCURRENCE_TAKEN) {
		kept = &b->kept[b->count++ % FEED_KEPT];
		kept->position = i->position;
		kept->ip = i->ip;
		kept->to = i->to;
		kept->branch = i->branch;
	}
}

/* The instruction at this position is a bus lock. */
void feed_bus_lock(struct feed *feed, uint64_t position);

/* So much has passed since the last time, by the clock: what has retired, and what the monitor adds. In its last cycle
 * `beside` happens, too. */
#define FEED_BESIDE_MOST 256
void feed_pass(struct feed *feed, uint64_t cycles, const struct occurrence *beside, size_t count);

/* Between these the cycle passes of an instruction that the monitor carries out or reports, which raises this; and what
 * is `beside` happens. */
void feed_begin_own(struct feed *feed, uint64_t raises, const struct occurrence *beside, size_t count);
void feed_end_own(struct feed *feed);

/* One instruction has retired by which the guest has changed its level (vpmu_change_level). */
void feed_change_level(struct feed *feed, unsigned level);

static inline uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

#endif
