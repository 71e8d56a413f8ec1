// SPDX-License-Identifier: BSD-2-Clause
// What the models get (feed.h). Before a quantum ends nothing overflows, so what happens in it may be added up, each
// kind of branch at once; but the last ones of each kind are handed on by themselves and in order: they are what branch
// records keep, and the last one is what an overflow belongs to.

#include "feed.h"

struct feed feeds[VPMU_CPUS];

static unsigned lane_of(unsigned branch)
{
	return (branch & OCCURRENCE_KIND) / OCCURRENCE_KIND_CONDITIONAL * 2 + !!(branch & OCCURRENCE_TAKEN);
}

void feed_start(unsigned cpu, struct vpmu *v)
{
	feeds[cpu] = (struct feed){.v = v};
}

static unsigned branch_of(const struct feed *f, const struct feed_lane *lane)
{
	const unsigned number = (unsigned)(lane - f->lane);

	return OCCURRENCE_BRANCH | number / 2 * OCCURRENCE_KIND_CONDITIONAL | (number % 2 ? OCCURRENCE_TAKEN : 0);
}

// The first of those that are kept, as if the others, before them, were it.
static void pass_alike(struct feed *f, struct feed_lane *lane)
{
	const struct feed_branch *kept = &lane->kept[lane->count % FEED_KEPT];
	const uint64_t n = lane->count - lane->out - FEED_KEPT;
	const struct occurrence branch = {
		.n = 1, .thread = (uint8_t)f->v->thread, .level = (uint8_t)f->v->level,
		.branch = (uint8_t)branch_of(f, lane), .ip = kept->from, .target = kept->to,
	};
	struct occurrence occurrences[MODEL_BRANCH_MOST], signals[VPMU_SIGNALS_MOST];

	vpmu_connect_beside(f->v, signals, occurrences, f->v->model->branch(&branch, occurrences));
	vpmu_run(f->v, n);
	vpmu_resume(f->v);
	lane->out += n;
	f->branches -= n;
	f->passed += n;
}

static uint64_t position_of(const struct feed_lane *lane)
{
	return lane->kept[lane->out % FEED_KEPT].position;
}

static struct feed_lane *earliest(struct feed *f)
{
	struct feed_lane *first = NULL;

	for (struct feed_lane *lane = f->lane; lane < &f->lane[FEED_LANES]; lane++)
		if (lane->out < lane->count && (!first || position_of(lane) < position_of(first)))
			first = lane;
	return first;
}

static void pass_one(struct feed *f, struct feed_lane *lane)
{
	const struct feed_branch *kept = &lane->kept[lane->out++ % FEED_KEPT];
	const struct occurrence branch = {
		.branch = (uint8_t)branch_of(f, lane), .ip = kept->from, .target = kept->to,
	};

	vpmu_branch(f->v, &branch);
	f->branches--;
	f->passed++;
}

// Instructions that are no branches.
static void pass_plain(struct feed *f, uint64_t instructions)
{
	if (instructions)
		vpmu_run(f->v, instructions);
	f->passed += instructions;
}

// Hands on so many instructions, all branches among them.
static void pass(struct feed *f, uint64_t instructions)
{
	uint64_t plain = instructions > f->branches ? instructions - f->branches : 0;

	for (struct feed_lane *lane = f->lane; f->branches && lane < &f->lane[FEED_LANES]; lane++)
		if (lane->count - lane->out > FEED_KEPT)
			pass_alike(f, lane);
	while (f->branches) {
		struct feed_lane *lane = earliest(f);
		const uint64_t position = position_of(lane);
		uint64_t before = position > f->passed + 1 ? position - f->passed - 1 : 0;

		before = before < plain ? before : plain;
		pass_plain(f, before);
		plain -= before;
		pass_one(f, lane);
	}
	pass_plain(f, plain);
}

void feed_branch(struct feed *f, unsigned branch, uint64_t from, uint64_t to)
{
	struct feed_lane *lane = &f->lane[lane_of(branch)];

	lane->kept[lane->count++ % FEED_KEPT] = (struct feed_branch){f->position, from, to};
	f->branches++;
	if (f->in_order)
		pass(f, f->position - f->passed);
}

void feed_bus_lock(struct feed *f, uint64_t position)
{
	pass(f, position - f->passed);
	vpmu_bus_lock(f->v);
}

// What the monitor adds, carried out for the guest, has come before what the guest has executed since.
void feed_pass(struct feed *f, uint64_t cycles)
{
	const uint64_t retired = (int64_t)cycles > f->again ? cycles - (uint64_t)f->again : 0;
	const uint64_t added = retired > f->position ? retired - f->position : 0;

	if (added)
		vpmu_run(f->v, added);
	pass(f, retired > added + f->passed ? retired - added - f->passed : 0);
	f->position = f->passed = f->again = 0;
}
