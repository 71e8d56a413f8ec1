/* SPDX-License-Identifier: BSD-2-Clause */
/* Equal samples combined to rows, and the views of `palmon report`. */
#ifndef REPORT_H
#define REPORT_H

#include "samples.h"
#include "spread.h"
#include "table.h"

struct row {
	uint64_t samples;
	struct spread latency;		/* ROWS_BY_REGISTER: of register contents */
	const char *source_name, *register_name;
	enum payload_served served;	/* ROWS_BY_SOURCE: the meaning of key.source, or of the
					 * event */
	enum payload_access access;
	const char *last_file;		/* as in struct sample; `last`: bit n for register n */
	uint64_t last;
	struct sample_key key;		/* allocated without its unused steps */
};

/* The number of instructions in a basic block, from the command line. */
struct block {
	uint64_t first, last, instructions;
};

#define BLOCKS_MOST 64

/* The rows of one event; in a joint view those of all events. */
struct view_of {
	const struct samples *samples;
	const struct names *lines;	/* source lines; empty: unknown */
	const struct sampled_event *event;
	const struct block *block;	/* for print_average */
	size_t blocks;
	struct row *const *row;
	size_t count;
	size_t most;			/* rows to print; 0: all */
	enum table_form form;
	const char *separator;
};

/* The properties, in addition to the event, that distinguish a view's rows. */
#define ROWS_BY_ADDRESS	(1u << 0)
#define ROWS_BY_IP	(1u << 1)
#define ROWS_BY_DATA	(1u << 2)	/* data address and level; in views computed if not
					 * recorded */
#define ROWS_BY_SOURCE	(1u << 3)
#define ROWS_BY_PATH	(1u << 4)
#define ROWS_BY_CALLERS	(1u << 6)	/* addresses are functions, steps are callers */
#define ROWS_BY_THREAD	(1u << 7)	/* addresses are functions */
#define ROWS_BY_REGISTER (1u << 5)	/* one row per register in a sample's record */
#define ROWS_BY_LATENCY	(1u << 8)	/* one row per number of bits of the latency */

/* Explain why a view does not apply to an event's samples; NULL: it does. */
const char *objection_to_sources(const struct view_of *v);
const char *objection_to_latencies(const struct view_of *v);
const char *objection_to_calls(const struct view_of *v);
const char *objection_to_blocks(const struct view_of *v);
const char *objection_to_branches(const struct view_of *v);
const char *objection_to_registers(const struct view_of *v);
const char *objection_to_shared(const struct view_of *v);
const char *objection_to_functions(const struct view_of *v);
const char *objection_to_lines(const struct view_of *v);
const char *objection_to_callers(const struct view_of *v);
const char *objection_to_average(const struct view_of *v);

/* Print a view; palmon(1) explains the numbers. False: no memory. */
bool print_by_address(const struct view_of *v);
bool print_sources(const struct view_of *v);
bool print_latencies(const struct view_of *v);
bool print_calls(const struct view_of *v);
bool print_blocks(const struct view_of *v);
bool print_branches(const struct view_of *v);
bool print_registers(const struct view_of *v);
bool print_working_set(const struct view_of *v);
bool print_shared(const struct view_of *v);
bool print_functions(const struct view_of *v);
bool print_lines(const struct view_of *v);
bool print_callers(const struct view_of *v);
bool print_average(const struct view_of *v);

/* Orders two numbers, as qsort's function does. */
static inline int compare_numbers(uint64_t x, uint64_t y)
{
	return x < y ? -1 : x > y;
}

/* Replaces the address and steps of a sample's key by its function and callers. */
void callers_to_steps(const struct names *names, const struct sample *sample,
		      struct sample_key *key);

/* Whether a view prints row `index` of `count`. As text, prints once how many rows are left out. */
bool is_shown(const struct view_of *v, size_t index, size_t count);

/* Prints the sampling fraction of load latency, if the loads that missed the last-level cache were
 * counted, too. */
void print_fraction(const struct view_of *v);

/* Why no row has a data address; NULL: some have. */
const char *objection_to_data(const struct view_of *v);

/* Prints remarks about the samples that have no data address, by reason. */
void print_without_data(const struct view_of *v);

/* Prints a remark about samples that a view leaves out: below the view's text, otherwise on
 * standard error. */
__attribute__((format(printf, 2, 3))) void print_remark(const struct view_of *v, const char *format,
							...);

#endif
