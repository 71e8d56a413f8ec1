// SPDX-License-Identifier: BSD-2-Clause
// Loads that retire (loads.h). The emulator reports an instruction's loads before it is known whether it retires. An
// instruction that does not has its position taken away (feed_unretire); the iterations of a repeated string have one.

#include "loads.h"

struct loads loads_of[VPMU_CPUS];

size_t loads_retire(struct loads *loads, uint64_t *at, uint64_t position, uint64_t above,
		    enum happening raised[LOADS_RAISE_MOST])
{
	const struct load *load = &loads->last;
	size_t count = 0;

	if (!*at || *at > position)
		return 0;
	*at = 0;
	loads->retired = load->occurrence;
	raised[count++] = load->source;
	if (load->translated)
		raised[count++] = HAPPENING_LOAD_TLB_MISS;
	if (load->occurrence.latency > above) {
		loads->slow = load->occurrence;
		raised[count++] = HAPPENING_LOAD_SLOW;
	}
	return count;
}

size_t loads_see(struct loads *loads, uint64_t *at, uint64_t position, const struct load *load, uint64_t above,
		 enum happening raised[LOADS_RAISE_MOST])
{
	const bool same = *at == position && load->occurrence.ip == loads->last.occurrence.ip;
	const size_t count = loads_retire(loads, at, position - 1, above, raised);

	if (same && load->occurrence.latency <= loads->last.occurrence.latency)
		return 0;
	loads->last = *load;
	*at = position;
	return count;
}

//
// Waiting for an event to record
//

#define NEAR		16			/* instructions: a record may be near, or the cycles that precede it */
#define PATIENCE	(4096 * LOADS_PER_STEP)	/* that may have come in such quanta, less what has passed */
#define FREE		(64 * LOADS_PER_STEP)	/* instructions of a quantum that nobody looks at */
#define RARE		64			/* instructions for each event, and more */

static struct waiting {
	uint64_t steps;		// have used up so much of that
	uint64_t headroom;	// as it was, and what has executed since
	uint64_t since;
	uint64_t apart;		// about so many instructions are between two events
} waits[VPMU_CPUS];

void loads_pass(unsigned cpu, uint64_t executed)
{
	struct waiting *w = &waits[cpu];

	w->since += executed;
	w->steps = w->steps > executed ? w->steps - executed : 0;
	if (executed && executed <= NEAR)
		w->steps += LOADS_PER_STEP;
}

static void measure(struct waiting *w, uint64_t headroom)
{
	if (headroom == w->headroom && w->since > w->apart)
		w->apart = w->since;
	if (headroom < w->headroom)
		w->apart = w->since / (w->headroom - headroom);
	if (headroom != w->headroom)
		w->since = 0;
	w->headroom = headroom;
}

uint64_t loads_wait(unsigned cpu, uint64_t headroom, uint64_t most)
{
	struct waiting *w = &waits[cpu];
	uint64_t quantum = headroom;

	measure(w, headroom);
	if (headroom <= NEAR)
		quantum = w->steps < PATIENCE ? headroom : FREE;
	else if (w->apart >= RARE && headroom < FREE)
		quantum = headroom * w->apart / 4 < FREE ? headroom * w->apart / 4 : FREE;
	return quantum < most ? quantum : most;
}
