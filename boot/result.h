/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of the measured session. session.c runs it; session_take.c collects samples
 * meanwhile; session_report.c, session_samples.c, session_records.c, session_remarks.c and
 * session_output.c print the results. */
#ifndef BOOT_RESULT_H
#define BOOT_RESULT_H

#include <stddef.h>

#include "histogram.h"
#include "memory.h"
#include "plan.h"
#include "spread.h"

/* The events of one PMU in one run; each thread opens a session of them. */
struct session_part {
	unsigned count;
	struct event_request request[PMU_SESSION_EVENTS];
	uint8_t event[PMU_SESSION_EVENTS];	/* indices of the events in the plan */
};

/* Multiplexing: the events of a group; each thread opens a session of them. */
struct session_group {
	uint8_t event[PMU_SESSION_EVENTS];	/* indices of the events in the plan */
};

/* The intervals between an event's samples by time. */
struct session_intervals {
	uint64_t number;
	uint64_t last;				/* count at the last sample */
	uint64_t least, most, sum;		/* events in an interval; in all of them */
};

/* The results of an event on a thread. */
struct session_result {
	uint64_t count;
	struct pmu_counter counter;
	uint64_t taken;				/* samples removed from the ring */
	uint64_t at[PMU_PLACES];		/* of these, by the meaning of their addresses */
	struct session_intervals intervals;
	uint64_t clocks;			/* multiplexing: time in which its group counted */
};

/* One thread: its sessions in the current run, and the results of all runs. */
struct session_thread {
	struct pmu_session session[SESSION_UNITS];
	struct pmu_session *turn;		/* multiplexing: the session of each group */
	struct pmu_refusal refusal;
	enum pmu_error error;
	unsigned refused;			/* index of the PMU that refused the session */
	const char *no_buffer;			/* why there is no buffer for precise events'
						 * records; NULL: there is one */
	int status;				/* result of the workload in the first run in which
						 * it failed; 0: it did not */
	bool fault;				/* a register access faulted */
	unsigned core;
	uint64_t started[SESSION_EVENTS];	/* for each run: hal_clock at its start */
	uint64_t clocks[SESSION_EVENTS];	/* for each run: start to stop, hal_clock units */
	uint64_t clocks_of_groups;		/* multiplexing: time in which any group counted */
	uint64_t missed;			/* multiplexing: slices in which a group could not
						 * count (pmu_group) */
	/* Statistics of the current run; of all runs. */
	struct pmu_statistics statistics[SESSION_UNITS], sum[SESSION_UNITS];
	struct session_result result[SESSION_EVENTS];
};

/*
 * Samples of each thread
 */

/* Values of `kind` in a histogram entry: a sample of event number `event`, at address `from`; or a
 * branch recorded with it, from its source to its target. */
#define SAMPLE_OF(event)	((event) + 1u)
#define BRANCH_OF(event)	(SAMPLE_OF(event) | 1u << 16)
#define OTHER_OF(event)		(SAMPLE_OF(event) | 1u << 17)	/* a sample without space to keep
								 * it */
#define WITHOUT_THREAD(kind)	((kind) & 0xFFFFFF)
#define EVENT_OF(kind)		((WITHOUT_THREAD(kind) & 0xFFFF) - 1)
#define THREAD(number)		((number) << 24)
#define THREAD_OF(kind)		((kind) >> 24)

#define REGISTERS_OF	18	/* values of a processor's record: general registers, data address,
				 * latency */

/* Statistics of the register values, data addresses and latencies in an event's records at one
 * address. */
struct session_registers {
	uint32_t kind;			/* as in a histogram entry; 0: free */
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
	uint64_t missed;			/* samples: the last-level cache missed */
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

/* All results. */
struct session_results {
	struct session_plan *plan;
	struct session_part part[SESSION_UNITS];	/* of the current run */
	struct session_group *group;		/* multiplexing: the groups */
	struct session_thread thread[HAL_CPUS];
	struct session_samples samples[HAL_CPUS];
	struct histogram_entry *entry;		/* all threads' histograms, one after the other; in
						 * order after session_order_samples */
	unsigned entries;
};

/* Allocates memory for the histograms, if the plan takes samples, and for each sample, if the plan
 * has output for tools. False: there is not enough memory; a message was printed. */
bool session_prepare_samples(struct session_results *results);

/* Sets the results for which session_take takes samples. session_take adds a sample of the calling
 * CPU to its histogram; trap code. */
void session_take_for(struct session_results *results);
void session_take(const struct pmu_sample *sample, const uint64_t *words);

/* Returns whether the timer samples an event: it has no period, and its PMU is the CPU's own. */
static inline bool session_by_time(const struct session_plan *plan, unsigned event)
{
	return plan->ticks && !plan->event[event].request.period &&
	       !session_is_shared(plan, plan->event[event].unit);
}

/* Returns whether an event took turns with others, so that its count is an estimate. */
static inline bool session_is_scaled(const struct session_plan *plan, unsigned event)
{
	return plan->event[event].group < plan->groups;
}

/* Stores an event's count on a thread; if the event took turns, the estimate for the whole run.
 * False: its group never counted. */
bool session_count(const struct session_results *results, unsigned event, unsigned thread,
		   uint64_t *count);

/* Discards the samples of a run's events. */
void session_forget_samples(struct session_results *results, unsigned run);

/* Keeps only histogram entries with a count, in order. */
void session_order_samples(struct session_results *results);

/* Finds the entries of one kind, in order from *first on, and returns their number. Call after
 * session_order_samples. */
unsigned session_entries(const struct session_results *results, uint32_t kind,
			 const struct histogram_entry **first);

/*
 * Text
 */

/* Formats 1234567 as "1,234,567". The result is valid until the eighth call from now. */
const char *session_grouped(uint64_t number);

#define PLACE_SIZE	64

/* Formats an address as "function+0x12". */
const char *session_place(uint64_t address, char text[PLACE_SIZE]);

/* Prints a share and a number: " 12.3% 1,234". */
void session_print_share(uint64_t part, uint64_t total);

/*
 * Printers
 */

/* Prints counts, metrics, sums of samples, and interrupt statistics. */
void session_print_counts(const struct session_results *results);

/* Print remarks: on an event's count, after the count; on a metric; on several counts, after all of
 * them. `counter` is NULL in a table of several threads; `count` is then the sum. */
void session_print_remarks(const struct session_results *results, unsigned event, uint64_t count,
			   const struct pmu_counter *counter);
void session_print_metric_remark(const struct session_results *results,
				 const struct session_metric *metric);
void session_print_notes(const struct session_results *results);

/* Prints how the samples of a run's events add up to their counts. */
void session_print_sums(const struct session_results *results, unsigned run);

/* If a session counts an event of retired instructions at level 3 both for any thread and for each
 * thread alone, the first thread's any-thread count must be the sum of the threads' own counts.
 * session_compares returns whether an event is one of such a pair. session_print_any_thread prints
 * the sums; false: a sum is wrong. */
bool session_compares(const struct session_results *results, unsigned event);
bool session_print_any_thread(const struct session_results *results);

#define SESSION_VALUE	80	/* characters of a metric's value with the final 0, at most */

/* Formats a metric's value on a thread and returns its unit. NULL: this machine does not raise an
 * event that the metric needs. */
const char *session_metric_value(const struct session_results *results,
				 const struct session_metric *metric,
				 unsigned thread, char text[SESSION_VALUE]);

/* Returns whether a metric's value is an estimate: its events, or those of a metric that it needs,
 * took turns. */
bool session_metric_is_scaled(const struct session_results *results,
			      const struct session_metric *metric);

/* Prints all samples: each event's functions, and recorded branches. Call after
 * session_order_samples. */
void session_print_samples(const struct session_results *results);

/* Prints a summary of the records of an event's samples: places, data addresses, latencies,
 * sources; on request registers. */
void session_print_records(const struct session_results *results, unsigned event);

/* Prints all results as lines for tools. Call after session_order_samples. */
void session_print_output(const struct session_results *results);

#endif
