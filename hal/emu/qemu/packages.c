// SPDX-License-Identifier: BSD-2-Clause
// Packages with the timed clock: packages.h. Events wait for their cycle in a heap, the earliest
// first. A package's PMU may be ahead of the cycles that its CPU has reported.

#include "packages.h"

#include "../model/memory.h"
#include "../model/traffic.h"

#define WAITING_MOST	8192
#define MANY		4096	/* waiting events; from this number on, some are passed to the
				 * PMU */
#define SIGNALS_MOST	256
#define RAISED_MOST	16	/* rows of one cpu event */

struct waiting {
	uint64_t due;		// cycle of the package's clock
	uint64_t address;
	enum cpu_event what;
};

static struct package_time {
	struct vpmu_package *package;		// NULL: no PMU yet
	uint64_t reported, passed;		// cycles reported by CPUs; cycles passed to the PMU
	uint64_t before;			// clock of the other packages when this one started
	// first the always_count signals of every cycle, then those of one cycle
	struct occurrence always[SIGNALS_MOST];
	size_t always_count;
	// by cpu event; ended by NULL
	const struct model_raised *raised[CPU_EVENT_COUNT][RAISED_MOST];
	struct waiting heap[WAITING_MOST];
	unsigned count;
} packages[MEMORY_PACKAGES];

//
// The heap
//

static void swap(struct waiting *a, struct waiting *b)
{
	const struct waiting kept = *a;

	*a = *b;
	*b = kept;
}

static void push(struct package_time *t, const struct waiting *w)
{
	unsigned i = t->count++;

	t->heap[i] = *w;
	for (; i && t->heap[i].due < t->heap[(i - 1) / 2].due; i = (i - 1) / 2)
		swap(&t->heap[i], &t->heap[(i - 1) / 2]);
}

static struct waiting pop(struct package_time *t)
{
	const struct waiting first = t->heap[0];
	unsigned i = 0, next;

	t->heap[0] = t->heap[--t->count];
	for (; 2 * i + 1 < t->count; i = next) {
		next = 2 * i + 1;
		next += next + 1 < t->count && t->heap[next + 1].due < t->heap[next].due;
		if (t->heap[i].due <= t->heap[next].due)
			break;
		swap(&t->heap[i], &t->heap[next]);
	}
	return first;
}

//
// Cycles
//

// Converts a waiting event to occurrences. Returns their number.
static size_t raise(const struct package_time *t, const struct waiting *w, struct occurrence *to)
{
	size_t count = 0;

	for (const struct model_raised *const *row = t->raised[w->what], *r; (r = *row); row++)
		if (!r->channel || r->channel == 1 + traffic_channel(w->address))
			to[count++] = (struct occurrence){
				.code = r->code, .sub = r->sub, .n = 1, .address = w->address,
				.opcode = r->opcode ? r->opcode : (uint64_t)r->response << 8 |
					r->request,
			};
	return count;
}

// Passes the next cycle, which has events.
static void pass_eventful(struct package_time *t)
{
	const struct pmu_model *model = t->package->model;
	size_t count = t->always_count;

	while (t->count && t->heap[0].due <= t->passed && count + RAISED_MOST <= SIGNALS_MOST) {
		const struct waiting w = pop(t);

		count += raise(t, &w, t->always + count);
	}
	model->advance(t->package->state, 1, t->always, count);
	model->advance(t->package->state, 0, t->always, t->always_count);
	t->passed++;
}

static void advance(struct package_time *t, uint64_t to)
{
	while (t->passed < to) {
		const uint64_t next = t->count && t->heap[0].due < to ? t->heap[0].due : to;

		if (next > t->passed) {
			t->package->model->advance(t->package->state, next - t->passed, t->always,
							  t->always_count);
			t->passed = next;
		} else {
			pass_eventful(t);
		}
	}
}

static struct package_time *find(const struct vpmu_package *package)
{
	struct package_time *t = packages;

	while (t->package != package)
		t++;
	return t;
}

static void run(struct vpmu_package *package, uint64_t cycles)
{
	struct package_time *t = find(package);

	t->reported += cycles;
	advance(t, t->reported);
}

static uint64_t time_of(const struct package_time *t)
{
	return t->before + t->reported + t->package->pending;
}

void packages_follow(void)
{
	uint64_t last = 0;

	for (struct package_time *t = packages; t < &packages[MEMORY_PACKAGES]; t++)
		if (t->package && time_of(t) > last)
			last = time_of(t);
	for (struct package_time *t = packages; t < &packages[MEMORY_PACKAGES]; t++)
		if (t->package) {
			t->package->pending += last - time_of(t);
			vpmu_package_sync(t->package);
		}
}

void packages_at(unsigned number, enum cpu_event what, uint64_t address, uint64_t passed,
		 uint64_t later)
{
	struct package_time *t = &packages[number];
	uint64_t now;

	if (!t->package)
		return;
	now = t->reported + t->package->pending + passed;
	if (t->count >= MANY)
		advance(t, now);
	if (t->count == WAITING_MOST) {	// the first may be due in a cycle that has been passed
		advance(t, t->heap[0].due);
		pass_eventful(t);
	}
	push(t, &(struct waiting){.due = now + later, .address = address, .what = what});
}

static void find_rows(struct package_time *t)
{
	uint8_t count[CPU_EVENT_COUNT] = {0};

	for (const struct model_raised *r = t->package->model->machine->raised;
	     r->cpu_event != CPU_EVENT_COUNT; r++)
		if (model_is_by_clock(r, MODEL_TIMED_CLOCK) && count[r->cpu_event] < RAISED_MOST -
		    1)
			t->raised[r->cpu_event][count[r->cpu_event]++] = r;
}

void packages_start(unsigned number, struct vpmu_package *package, unsigned count)
{
	struct package_time *t = &packages[number];
	const struct occurrence *clock;

	packages_follow();
	for (const struct package_time *other = packages; other < &packages[MEMORY_PACKAGES];
	     other++)
		if (other->package)
			t->before = time_of(other);
	t->package = package;
	package->run = run;
	find_rows(t);
	clock = model_clock(package->model, 0, 0, &t->always_count);
	for (size_t i = 0; i < t->always_count; i++)
		t->always[i] = clock[i];
	if (count == 1)
		t->always_count += raise(t, &(struct waiting){.what = CPU_EVENT_ONE_PACKAGE},
					 t->always + t->always_count);
	vpmu_package_connect(package, t->always, t->always_count);
}

void packages_reset(struct vpmu_package *package)
{
	struct package_time *t = find(package);

	package->run = run;
	vpmu_package_connect(package, t->always, t->always_count);
}
