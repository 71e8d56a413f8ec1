// SPDX-License-Identifier: BSD-2-Clause
// palmon report: combines equal samples to rows, which a view prints (addresses.c, views.c,
// contents.c, paths.c).

#define _GNU_SOURCE
#include "report.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "colour.h"
#include "data_address.h"
#include "distinct.h"
#include "image.h"
#include "palmon.h"
#include "source_lines.h"

#define ROWS_SHOWN	30

static const struct view {
	bool joint;			// one table for all events
	unsigned rows_by;
	const char *(*objection)(const struct view_of *v);
	bool (*print)(const struct view_of *v);
	bool multiplies;	// its numbers are samples times the period
} views[] = {		// in the order of the options
	{false, ROWS_BY_SOURCE, objection_to_sources, print_sources, false},
	{false, ROWS_BY_ADDRESS | ROWS_BY_IP | ROWS_BY_PATH, objection_to_calls, print_calls, true},
	{false, ROWS_BY_ADDRESS | ROWS_BY_IP | ROWS_BY_PATH, objection_to_blocks, print_blocks,
	 true},
	{false, ROWS_BY_ADDRESS | ROWS_BY_IP | ROWS_BY_PATH, objection_to_branches, print_branches,
	 false},
	{false, ROWS_BY_ADDRESS | ROWS_BY_REGISTER, objection_to_registers, print_registers, false},
	{true, ROWS_BY_DATA | ROWS_BY_SOURCE, objection_to_data, print_working_set, false},
	{false, ROWS_BY_ADDRESS, objection_to_functions, print_functions, false},
	{false, ROWS_BY_ADDRESS, objection_to_lines, print_lines, false},
	{false, ROWS_BY_ADDRESS | ROWS_BY_CALLERS, objection_to_callers, print_callers, false},
	{false, ROWS_BY_ADDRESS, objection_to_average, print_average, true},	// OPTION_AVERAGE
	{true, ROWS_BY_ADDRESS | ROWS_BY_DATA | ROWS_BY_SOURCE | ROWS_BY_THREAD,
	 objection_to_shared, print_shared, false},
	{false, ROWS_BY_SOURCE | ROWS_BY_LATENCY, objection_to_latencies, print_latencies, false},
};

struct report {
	struct samples samples;
	const struct view *view;	// NULL: by address
	struct block block[BLOCKS_MOST];
	size_t blocks;
	bool folded, raw;
	struct sampled_code program;
	struct names lines;		// source lines, for their view
	enum table_form form;
	const char *separator;
	size_t most;			// rows to print

	struct distinct rows;		// while samples are read
	struct row **row;		// the same, sorted
	size_t row_count;
};

static bool no_memory(void)
{
	complain("%s", strerror(ENOMEM));
	return false;
}

//
// Rows
//

static size_t key_size(const struct sample_key *key)
{
	return offsetof(struct sample_key, step) + key->steps * sizeof *key->step;
}

static size_t row_size(const struct row *row)
{
	return offsetof(struct row, key) + key_size(&row->key);
}

static bool is_same(const void *element, const void *key, size_t size)
{
	const struct sample_key *k = &((const struct row *)element)->key;

	return key_size(k) == size && !memcmp(k, key, size);
}

static bool add_row(struct report *r, const struct row *sample)
{
	struct row **found = (struct row **)distinct_find(&r->rows, &sample->key,
							  key_size(&sample->key), is_same);
	struct row *row;

	if (!found)
		return no_memory();
	row = *found;
	if (!row) {
		row = *found = malloc(row_size(sample));
		if (row)
			memcpy(row, sample, row_size(sample));
		return row || no_memory();
	}
	row->samples += sample->samples;
	row->last |= sample->last;
	spread_join(&row->latency, &sample->latency);
	return true;
}

// The properties that distinguish rows.
static unsigned rows_by(const struct report *r)
{
	if (r->view)
		return r->view->rows_by;
	return ROWS_BY_ADDRESS | ROWS_BY_PATH | (r->folded ? 0 : ROWS_BY_DATA);
}

static void forget_others(struct sample_key *key, unsigned by)
{
	if (!(by & ROWS_BY_ADDRESS)) {
		key->address = 0;
		key->place = 0;
	}
	if (!(by & ROWS_BY_IP))
		key->ip = 0;
	if (!(by & ROWS_BY_DATA)) {
		key->data = key->level = 0;
		key->has_data = key->has_level = key->no_data = 0;
	}
	if (!(by & ROWS_BY_SOURCE)) {
		key->source = 0;
		key->has_source = 0;
	}
}

static bool is_precise(const struct sampled_event *e)
{
	return e->request.modifiers & EVENT_PRECISE;
}

// Adds a row for each register of a sample. A sample without registers gets one row, so that its
// event has rows.
static bool add_registers(struct report *r, struct row *row, const struct sample *sample)
{
	if (!sample->registers)
		return add_row(r, row);
	for (unsigned i = 0; i < sample->registers; i++) {
		row->key.index = (uint8_t)(i + 1);
		row->register_name = sample->contents[i].name;
		row->latency = (struct spread){0};
		spread_add(&row->latency, (int64_t)sample->contents[i].contents);
		if (!add_row(r, row))
			return false;
	}
	return true;
}

// Replaces the address of a sample's key by its function, and adds the thread.
static void thread_and_function(const struct names *names, const struct sample *sample,
				struct sample_key *key)
{
	const struct named *function = names_find(names, key->address);

	key->address = function ? function->address : key->address;
	key->place = 0;
	key->level = key->has_level = 0;
	key->cpu = sample->cpu;
}

static unsigned bits_of(uint64_t number)
{
	return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

static bool take_sample(void *context, const struct sample *sample)
{
	struct report *r = context;
	struct row row = {
		.samples = sample->times, .source_name = sample->source_name,
		.served = sample->served, .access = sample->access,
		.last_file = sample->last_file, .last = sample->last_file ? 1ULL << sample->last :
			0,
	};

	if (sample->has_latency)
		spread_add(&row.latency, (int64_t)sample->latency);
	memcpy(&row.key, &sample->key, sizeof row.key);
	if (rows_by(r) & ROWS_BY_LATENCY && sample->has_latency)
		row.key.index = (uint8_t)(1 + bits_of(sample->latency));
	if (r->view && rows_by(r) & ROWS_BY_DATA &&
	    !sampled_code_add_data(&r->program, &r->samples, sample, &row.key))
		return false;
	const struct pmu_records *records = r->samples.event[sample->key.event].driver->records;

	if (r->raw && records && records->locate) {
		row.key.address = row.key.ip;
		row.key.place = is_precise(&r->samples.event[row.key.event]) ? PMU_PLACE_NEXT :
			PMU_PLACE_INTERRUPTED;
	}
	if (rows_by(r) & ROWS_BY_CALLERS)
		callers_to_steps(&r->samples.names, sample, &row.key);
	else if (!(rows_by(r) & ROWS_BY_PATH))
		row.key.steps = 0;
	if (rows_by(r) & ROWS_BY_THREAD)
		thread_and_function(&r->samples.names, sample, &row.key);
	forget_others(&row.key, rows_by(r));
	return rows_by(r) & ROWS_BY_REGISTER ? add_registers(r, &row, sample) : add_row(r, &row);
}

// Compares as numbers: the order of bytes depends on the machine.
static int compare_steps(const struct sample_key *x, const struct sample_key *y)
{
	int order = compare_numbers(x->steps, y->steps);

	for (unsigned i = 0; i < x->steps && !order; i++)
		order = compare_numbers(x->step[i].address, y->step[i].address);
	return order;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
	const struct sample_key *k = &x->key, *l = &y->key;
	const int orders[] = {
		compare_numbers(k->event, l->event), compare_numbers(y->samples, x->samples),
		compare_numbers(k->address, l->address), compare_numbers(k->place, l->place),
		compare_numbers(k->ip, l->ip), compare_numbers(k->data, l->data),
		compare_numbers(k->level, l->level),
		compare_numbers(k->source, l->source), compare_numbers(k->index, l->index),
		compare_steps(k, l),
	};

	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
		if (orders[i])
			return orders[i];
	return k->steps == l->steps ? memcmp(k, l, key_size(k)) : 0;
}

static bool sort_rows(struct report *r)
{
	r->row = calloc(r->rows.count + 1, sizeof *r->row);
	if (!r->row)
		return no_memory();
	for (size_t i = 0; i < r->rows.room; i++)
		if (r->rows.slot[i].element)
			r->row[r->row_count++] = r->rows.slot[i].element;
	qsort(r->row, r->row_count, sizeof *r->row, compare_rows);
	return true;
}

static void free_report(struct report *r)
{
	free(r->row);
	code_close(r->program.code);
	distinct_free(&r->rows, free);
	names_free(&r->lines);
	samples_free(&r->samples);
}

// The rows of an event: from *first up to, not including, the result.
static size_t rows_of(const struct report *r, unsigned event, size_t *first)
{
	size_t end;

	for (*first = 0; *first < r->row_count && r->row[*first]->key.event != event; ++*first)
		;
	for (end = *first; end < r->row_count && r->row[end]->key.event == event; end++)
		;
	return end;
}

//
// Output
//

static void print_folded(const struct report *r)
{
	char place[NAMES_PLACE];
	unsigned sampled = 0;

	for (unsigned i = 0; i < r->samples.event_count; i++)
		sampled += r->samples.event[i].samples > 0;
	for (size_t i = 0; i < r->row_count; i++) {
		const struct row *row = r->row[i];

		fputs(r->samples.driver->name, stdout);
		if (sampled > 1)
			printf(";%s", r->samples.event[row->key.event].name);
		for (unsigned s = 0; s < row->key.steps; s++)
			printf(";%s", names_place(&r->samples.names, row->key.step[s].address,
						  place));
		printf(";%s %" PRIu64 "\n", names_place(&r->samples.names, row->key.address, place),
		       row->samples);
	}
	samples_print_remarks(&r->samples, stderr);
}

//
// Views
//

static struct view_of view_of(const struct report *r, unsigned event)
{
	size_t first, end = rows_of(r, event, &first);

	return (struct view_of){
		.samples = &r->samples, .lines = &r->lines, .event = &r->samples.event[event],
		.block = r->block, .blocks = r->blocks,
		.row = r->row + first, .count = end - first, .most = r->most,
		.form = r->form, .separator = r->separator,
	};
}

static void print_event(const struct samples *s, const struct sampled_event *e)
{
	printf("\n%s%s%s: count ", colour(COLOUR_HEADING), e->name, colour(COLOUR_END));
	if (e->absent)
		printf("<not counted>");
	else if (e->count_lost)
		printf("LOST");
	else if (e->scaled)
		printf("~%" PRIu64 ", scaled from %" PRIu64 " in its slices", e->estimate,
		       e->count);
	else
		printf("%" PRIu64, e->count);
	if (e->period)
		printf(", %" PRIu64 " samples, one in %" PRIu64, e->samples, e->period);
	else if (e->samples)
		printf(", %" PRIu64 " samples of time, one in %" PRIu64 " ticks", e->samples,
		       s->ticks);
	putchar('\n');
}

// Whether the view applies to an event.
static bool fits(const struct report *r, const struct view_of *v)
{
	const char *objection = NULL;

	if (r->view)
		objection = !v->count ? "it has no samples" :
			!v->event->period && r->view->multiplies ?
			"its samples are of time, and stand for no number of events" :
			r->view->objection(v);
	if (objection && (v->event->period || r->samples.event_count == 1))
		complain("%s: %s", v->event->name, objection);
	return !objection;
}

// The rows of all events, as rows of the first event.
static struct view_of joint_view(const struct report *r)
{
	struct view_of v = view_of(r, 0);

	v.row = r->row;
	v.count = r->row_count;
	return v;
}

static bool print_joint(const struct report *r)
{
	const struct view_of v = joint_view(r);
	const char *objection = v.count ? r->view->objection(&v) : "it has no samples";

	if (objection) {
		complain("%s: %s", r->samples.path, objection);
		return false;
	}
	if (r->form == TABLE_TEXT)
		printf("Samples of '%s' (%s)\n", r->samples.trace, r->samples.driver->name);
	for (unsigned i = 0; r->form == TABLE_TEXT && i < r->samples.event_count; i++)
		if (r->samples.event[i].samples)
			print_event(&r->samples, &r->samples.event[i]);
	if (!r->view->print(&v))
		return no_memory();
	samples_print_remarks(&r->samples, r->form == TABLE_TEXT ? stdout : stderr);
	return true;
}

static bool print_events(const struct report *r)
{
	bool (*print)(const struct view_of *v) = r->view ? r->view->print : print_by_address;
	bool any = false;

	for (unsigned i = 0; i < r->samples.event_count; i++) {
		const struct view_of v = view_of(r, i);

		if (!fits(r, &v))
			continue;
		if (!any && r->form == TABLE_TEXT)
			printf("Samples of '%s' (%s)\n", r->samples.trace, r->samples.driver->name);
		any = true;
		if (r->form == TABLE_TEXT)
			print_event(v.samples, v.event);
		if (!print(&v))
			return no_memory();
	}
	samples_print_remarks(&r->samples, r->form == TABLE_TEXT ? stdout : stderr);
	return any;
}

// Reads source lines from the program's ELF file if the view needs them.
static bool read_lines(struct report *r)
{
	const char *image;

	if (!r->view || r->view->print != print_lines)
		return true;
	return image_find(&r->samples, r->program.elf, &image) &&
	       (!image || source_lines_read(&r->lines, image));
}

static bool print_report(const struct report *r)
{
	if (!r->folded)
		return r->view && r->view->joint ? print_joint(r) : print_events(r);
	print_folded(r);
	return true;
}

//
// Command line
//

static bool read_rows(const char *text, size_t *rows)
{
	char *end;

	errno = 0;
	*rows = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno)
		return true;
	complain("'%s' is not a number of rows", text);
	return false;
}

#define OPTION_VIEW 256		/* first of the views' options */
#define OPTION_AVERAGE (OPTION_VIEW + 9)

// Reads a number that ends with the character `end`.
static bool read_until(const char **text, char end, uint64_t *number)
{
	char *behind;

	errno = 0;
	*number = strtoull(*text, &behind, 0);
	if (**text < '0' || **text > '9' || *behind != end || errno)
		return false;
	*text = behind + 1;
	return true;
}

// Parses "FIRST-LAST/INSTRUCTIONS,...".
static bool read_blocks(const char *text, struct report *r)
{
	char *copy = strdup(text), *save = NULL;

	for (char *word = copy ? strtok_r(copy, ",", &save) : NULL; word;
	     word = strtok_r(NULL, ",", &save)) {
		struct block *b = &r->block[r->blocks];
		const char *at = word;

		if (r->blocks == BLOCKS_MOST || !read_until(&at, '-', &b->first) ||
		    !read_until(&at, '/', &b->last) || !read_until(&at, '\0', &b->instructions) ||
		    b->last < b->first || !b->instructions) {
			complain("'%s' is not a basic block: FIRST-LAST/INSTRUCTIONS, at most %d "
				 "of them", word, BLOCKS_MOST);
			r->blocks = 0;
			break;
		}
		r->blocks++;
	}
	if (copy && !*copy)
		complain("--average needs FIRST-LAST/INSTRUCTIONS");
	free(copy);
	return r->blocks;
}

static bool read_options(int argc, char **argv, struct report *r)
{
	static const struct option known[] = {
		{"input", required_argument, NULL, 'i'}, {"rows", required_argument, NULL, 'n'},
		{"folded", no_argument, NULL, 'F'}, {"json", no_argument, NULL, 'j'},
		{"field-separator", required_argument, NULL, 'x'},
		{"raw-ip", no_argument, NULL, 'R'},
		{"sources", no_argument, NULL, OPTION_VIEW},
		{"calls", no_argument, NULL, OPTION_VIEW + 1},
		{"blocks", no_argument, NULL, OPTION_VIEW + 2},
		{"branches", no_argument, NULL, OPTION_VIEW + 3},
		{"registers", no_argument, NULL, OPTION_VIEW + 4},
		{"working-set", no_argument, NULL, OPTION_VIEW + 5},
		{"functions", no_argument, NULL, OPTION_VIEW + 6},
		{"source", no_argument, NULL, OPTION_VIEW + 7},
		{"callers", no_argument, NULL, OPTION_VIEW + 8},
		{"branch-callers", no_argument, NULL, 'B'},
		{"elf", required_argument, NULL, 'E'},
		{"average", required_argument, NULL, OPTION_AVERAGE},
		{"shared", no_argument, NULL, OPTION_AVERAGE + 1},
		{"latencies", no_argument, NULL, OPTION_AVERAGE + 2}, {0},
	};
	bool json = false;
	unsigned shown = 0;

	for (int option; (option = getopt_long(argc, argv, "i:n:jx:", known, NULL)) != -1;) {
		if (option == OPTION_AVERAGE && !read_blocks(optarg, r))
			return false;
		if (option == 'i')
			r->samples.path = optarg;
		else if (option == 'F')
			r->folded = true;
		else if (option == 'j')
			json = true;
		else if (option == 'x')
			r->separator = optarg;
		else if (option == 'R')
			r->raw = true;
		else if (option == 'E')
			r->program.elf = optarg;
		else if (option == 'B')
			r->samples.branch_callers = true;
		else if (option >= OPTION_VIEW && ++shown)
			r->view = &views[option - OPTION_VIEW];
		else if (option != 'n' || !read_rows(optarg, &r->most))
			return false;
	}
	r->form = json ? TABLE_JSON : r->separator ? TABLE_SEPARATED : TABLE_TEXT;
	if (optind < argc)
		complain("'%s': report takes no arguments", argv[optind]);
	else if (r->folded && json)
		complain("--folded or -j, not both");
	else if (r->separator && !*r->separator)
		complain("-x needs a separator");
	else if (r->separator && (r->folded || json))
		complain("-x or %s, not both", json ? "-j" : "--folded");
	else if (shown + r->folded > 1)
		complain("one view is enough: "
			 "--functions, --source, --callers, --sources, --latencies, --calls, "
			 "--blocks, --branches, --registers, --working-set, --shared, --average "
			 "or --folded");
	else if (r->view && r->raw)
		complain("--raw-ip is for samples by address");
	else if (r->samples.branch_callers && (!r->view || r->view->print != print_callers))
		complain("--branch-callers is for --callers");
	else if (r->program.elf && !(r->view && (r->view->print == print_lines ||
					 r->view->rows_by & ROWS_BY_DATA)))
		complain("--elf is for --source, --working-set and --shared");
	else
		return true;
	return false;
}

int command_report(int argc, char **argv)
{
	struct report report = {.samples.path = SAMPLES_FILE, .most = ROWS_SHOWN};
	bool ok;

	if (!read_options(argc, argv, &report))
		return usage_error();
	ok = samples_read(&report.samples, take_sample, &report) && sort_rows(&report) &&
	     read_lines(&report) && print_report(&report);
	free_report(&report);
	return ok ? PALMON_DONE : PALMON_FAILED;
}
