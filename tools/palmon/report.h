/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples that are alike, as rows, and the views that `palmon report` has of them. */
#ifndef REPORT_H
#define REPORT_H

#include "samples.h"
#include "spread.h"
#include "table.h"

struct row {
	uint64_t samples;
	struct spread latency;		/* of those that have one; with ROWS_BY_REGISTER, what the register had */
	const char *source_name, *register_name;
	bool missed;			/* with ROWS_BY_SOURCE: the last-level cache */
	const char *last_file;		/* as in struct sample; of its samples: bit n for register n, up to 63 */
	uint64_t last;
	struct sample_key key;		/* the steps behind its last one are not there */
};

/* Instructions of a basic block, as the user says. */
struct block {
	uint64_t first, last, instructions;
};

#define BLOCKS_MOST 64

/* One event's rows. */
struct view_of {
	const struct samples *samples;
	const struct names *lines;	/* of the source; empty: they are not known */
	const struct sampled_event *event;
	const struct block *block;	/* for print_average */
	size_t blocks;
	struct row *const *row;
	size_t count;
	size_t most;			/* rows to be shown; 0: all */
	enum table_form form;
	const char *separator;
};

/* What a view distinguishes rows by, beside the event. */
#define ROWS_BY_ADDRESS	(1u << 0)
#define ROWS_BY_IP	(1u << 1)
#define ROWS_BY_DATA	(1u << 2)	/* data address and level */
#define ROWS_BY_SOURCE	(1u << 3)
#define ROWS_BY_PATH	(1u << 4)
#define ROWS_BY_CALLERS	(1u << 6)	/* addresses are those of functions, and the steps are the callers' */
#define ROWS_BY_REGISTER (1u << 5)	/* a row for each register of a sample's record */

/* Why samples of an event cannot be seen so; NULL: they can. */
const char *objection_to_sources(const struct view_of *v);
const char *objection_to_calls(const struct view_of *v);
const char *objection_to_blocks(const struct view_of *v);
const char *objection_to_branches(const struct view_of *v);
const char *objection_to_registers(const struct view_of *v);
const char *objection_to_working_set(const struct view_of *v);
const char *objection_to_functions(const struct view_of *v);
const char *objection_to_lines(const struct view_of *v);
const char *objection_to_callers(const struct view_of *v);
const char *objection_to_average(const struct view_of *v);

/* Print a view; palmon.1 says what its numbers are. False: no memory. */
bool print_by_address(const struct view_of *v);
bool print_sources(const struct view_of *v);
bool print_calls(const struct view_of *v);
bool print_blocks(const struct view_of *v);
bool print_branches(const struct view_of *v);
bool print_registers(const struct view_of *v);
bool print_working_set(const struct view_of *v);
bool print_functions(const struct view_of *v);
bool print_lines(const struct view_of *v);
bool print_callers(const struct view_of *v);
bool print_average(const struct view_of *v);

/* Makes a sample's key one of its function and its callers. */
void callers_to_steps(const struct names *names, const struct sample *sample, struct sample_key *key);

/* For a view: whether row `index` of so many is shown; says once in text that there are more. */
bool is_shown(const struct view_of *v, size_t index, size_t count);

/* Says something about samples that a view leaves out: in text below it, else on standard error. */
__attribute__((format(printf, 2, 3))) void say_beside(const struct view_of *v, const char *format, ...);

#endif
