/* SPDX-License-Identifier: BSD-2-Clause */
/* Each thread's samples: session_take.c collects them; session_samples.c and session_records.c
 * print them. */
#ifndef BOOT_SESSION_SAMPLES_H
#define BOOT_SESSION_SAMPLES_H

#include <stddef.h>

#include "hal.h"
#include "histogram.h"
#include "memory.h"
#include "pmu.h"
#include "spread.h"

/* Values of `what` in a histogram entry: a sample of event number `event`, at address `from`; or a
 * branch recorded with it, from its source to its target. */
#define SAMPLE_OF(event)	((event) + 1u)
#define BRANCH_OF(event)	(SAMPLE_OF(event) | 1u << 16)
#define OTHER_OF(event)		(SAMPLE_OF(event) | 1u << 17)	/* a sample without space to keep
								 * it */
#define WITHOUT_THREAD(what)	((what) & 0xFFFFFF)
#define EVENT_OF(what)		((WITHOUT_THREAD(what) & 0xFFFF) - 1)
#define THREAD(number)		((number) << 24)
#define THREAD_OF(what)		((what) >> 24)

#define REGISTERS_OF	18	/* values of a processor's record: general registers, data address,
				 * latency */

/* Statistics of the register values, data addresses and latencies in an event's records at one
 * address. */
struct session_registers {
	uint32_t what;			/* as in a histogram entry; 0: free */
	unsigned count;
	uint64_t address;
	const char *name[REGISTERS_OF];
	struct spread contents[REGISTERS_OF];
};

#define REGISTERS_MOST	64	/* addresses with registers per thread, at most; the first ones are
				 * kept */

/* A summary of the records of an event's samples. */
#define LATENCY_CLASSES	17	/* latencies in cycles: 0, 1, 2 to 3, 4 to 7, and so on; the last
				 * class is open */
#define SOURCES_MOST	16

struct session_data {
	uint64_t samples;			/* number of samples with an address, a latency or a
						 * source */
	struct session_range {
		uint64_t samples, least, most;	/* least, most: addresses */
	} range[MEMORY_REGIONS];
	uint64_t latency[LATENCY_CLASSES];	/* number of samples by class */
	struct session_source {
		uint64_t samples;
		const char *name;		/* NULL: the source has only a number */
	} source[SOURCES_MOST];			/* by the code of the load's source */
};

/* Words of a sample before its payload. */
#define KEPT_WORDS	(sizeof(struct pmu_sample) / sizeof(uint64_t))

/* The samples themselves, in order. Each is a struct pmu_sample with the plan's event number, its
 * payload, and, if callers are recorded, their number and addresses. */
struct session_kept {
	uint64_t *word;
	size_t used, most;			/* words */
};

/* The index of a kept sample's number of callers; its size in words. */
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
	struct session_registers *registers;	/* NULL: not requested, or no payloads */
	struct session_data *data;		/* for each event; NULL: no payloads */
	uint64_t lost, lost_branches;		/* samples and branches for which the histogram had
						 * no space */
};

extern struct session_samples session_samples[HAL_CPUS];

#define PLACE_SIZE	64

/* Formats an address as "function+0x12". */
const char *session_place(uint64_t address, char text[PLACE_SIZE]);

/* Prints a share and a number: " 12.3% 1,234". */
void session_print_share(uint64_t part, uint64_t total);

/* Prints a summary of the records of an event's samples: places, data addresses, latencies,
 * sources; on request registers. */
void session_print_records(unsigned event);

/* Clears the summary of the records of a run's samples. */
void session_forget_records(unsigned run);

/* Finds the entries of one kind, in order from *first on, and returns their number. Call after
 * session_print_samples. */
unsigned session_entries(uint32_t what, const struct histogram_entry **first);

#endif
