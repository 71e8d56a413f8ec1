/* SPDX-License-Identifier: BSD-2-Clause */
/* Each thread's samples, in a histogram of its own: session_take.c fills it, session_samples.c prints it. */
#ifndef BOOT_SESSION_SAMPLES_H
#define BOOT_SESSION_SAMPLES_H

#include <stddef.h>

#include "histogram.h"
#include "hal.h"
#include "pmu.h"
#include "spread.h"

/* An entry's `what`: a sample of event number `event`, from its address; or a branch recorded with one, from its source
 * to its target. */
#define SAMPLE_OF(event)	((event) + 1u)
#define BRANCH_OF(event)	(SAMPLE_OF(event) | 1u << 16)
#define OTHER_OF(event)		(SAMPLE_OF(event) | 1u << 17)	/* a sample for which there was no room to keep it */
#define WITHOUT_THREAD(what)	((what) & 0xFFFFFF)
#define EVENT_OF(what)		((WITHOUT_THREAD(what) & 0xFFFF) - 1)
#define THREAD(number)		((number) << 24)
#define THREAD_OF(what)		((what) >> 24)

#define REGISTERS_OF	18	/* a record of the processor's: general registers, data address, latency */

/* The registers' values in the records of an event at one address; likewise data addresses and latencies. */
struct session_registers {
	uint32_t what;			/* as a histogram entry's; 0: free */
	unsigned count;
	uint64_t address;
	const char *name[REGISTERS_OF];
	struct spread contents[REGISTERS_OF];
};

#define REGISTERS_MOST	64	/* addresses with registers, of a thread: the first ones that come */

#define KEPT_WORDS	(sizeof(struct pmu_sample) / sizeof(uint64_t))	/* of a sample, before its payload */

/* The samples themselves, as they came: struct pmu_sample, whose event is the plan's, then its payload; then, where
 * calls are followed, how many callers it has, and their addresses. */
struct session_kept {
	uint64_t *word;
	size_t used, most;			/* words */
};

/* The words of one that is kept; where its number of callers is. */
static inline size_t kept_payload_end(const uint64_t *kept)
{
	return KEPT_WORDS + ((const struct pmu_sample *)(const void *)kept)->source.words;
}

static inline size_t kept_size(const uint64_t *kept, bool calls)
{
	const size_t end = kept_payload_end(kept);

	return calls ? end + 1 + kept[end] : end;
}

struct session_samples {
	struct histogram histogram;
	struct session_kept kept;
	struct session_registers *registers;	/* NULL: no event has samples with payloads */
	uint64_t lost, lost_branches;		/* for which the histogram had no room */
};

extern struct session_samples session_samples[HAL_CPUS];

/* The entries of one kind, behind session_print_samples: from *first on, in order; how many. */
unsigned session_entries(uint32_t what, const struct histogram_entry **first);

#endif
