/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples that are alike, as rows, and the views that `palmon report` has of them. */
#ifndef REPORT_H
#define REPORT_H

#include "samples.h"
#include "table.h"

struct row {
	uint64_t samples;
	uint64_t latencies, latency_sum, latency_least, latency_most;	/* how many have one; sum, shortest, longest */
	const char *source_name;
	struct sample_key key;		/* the steps behind its last one are not there */
};

/* One event's rows. */
struct view_of {
	const struct sampled_event *event;
	struct row *const *row;
	size_t count;
	size_t most;			/* rows to be shown; 0: all */
	enum table_form form;
	const char *separator;
};

/* What a view tells rows apart by, beside the event. */
#define ROWS_BY_ADDRESS	(1u << 0)
#define ROWS_BY_IP	(1u << 1)
#define ROWS_BY_DATA	(1u << 2)	/* data address and level */
#define ROWS_BY_SOURCE	(1u << 3)
#define ROWS_BY_PATH	(1u << 4)

/* Why samples of an event cannot be seen so; NULL: they can. */
const char *objection_to_sources(const struct view_of *v);
const char *objection_to_calls(const struct view_of *v);
const char *objection_to_blocks(const struct view_of *v);	/* and branches */

/* Print a view; palmon.1 says what its numbers are. False: no memory. */
bool print_sources(const struct view_of *v);
bool print_calls(const struct view_of *v);
bool print_blocks(const struct view_of *v);
bool print_branches(const struct view_of *v);

/* For a view: whether row `index` of so many is shown; says once in text that there are more. */
bool is_shown(const struct view_of *v, size_t index, size_t count);

/* Says something about samples that a view leaves out: in text below it, else on standard error. */
__attribute__((format(printf, 2, 3))) void say_beside(const struct view_of *v, const char *format, ...);

#endif
