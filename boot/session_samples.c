// SPDX-License-Identifier: BSD-2-Clause
// The samples of the measured session: by function, and the branches that were recorded with them.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"
#include "symbols.h"

#define FUNCTIONS_MAX	512	/* different functions with samples */
#define FUNCTIONS_SHOWN	12
#define BRANCHES_MAX	1024	/* different ones in branch records */
#define BRANCHES_SHOWN	12
#define PLACE_SIZE	64
#define BAR_WIDTH	40

struct function {
	const char *name;
	uint64_t samples, of_thread[HAL_CPUS];
};

static struct function functions[FUNCTIONS_MAX];
static unsigned function_count;
static uint64_t samples_taken;

static void add_address(uint64_t address, unsigned thread)
{
	const struct symbol *symbol = symbol_find(address);
	const char *name = symbol ? symbol->name : "(elsewhere)";
	unsigned i = 0;

	while (i < function_count && functions[i].name != name)
		i++;
	if (i == FUNCTIONS_MAX) {
		i = FUNCTIONS_MAX - 1;
		name = "(more functions)";
	}
	functions[i].name = name;
	functions[i].samples++;
	functions[i].of_thread[thread]++;
	if (i == function_count)
		function_count++;
}

static int by_samples(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return strcmp(x->name, y->name);
}

// "   12.3%    1,234"
static void print_share(uint64_t part, uint64_t total)
{
	uint64_t permille = (part * 1000 + total / 2) / total;

	printf("  %3u.%u%%  %7s", (unsigned)(permille / 10), (unsigned)(permille % 10), session_grouped(part));
}

// One thread's: a bar; of several each one's part.
static void print_function(const struct function *f)
{
	print_share(f->samples, samples_taken);
	printf("  %-28s", f->name);
	if (session_plan.threads == 1)
		printf(" %.*s", (int)(f->samples * BAR_WIDTH / samples_taken),
		       "########################################");
	for (unsigned i = 0; session_plan.threads > 1 && i < session_plan.threads; i++)
		printf(" %9s", session_grouped(f->of_thread[i]));
	printf("\n");
}

static void print_functions(void)
{
	uint64_t dropped = 0;

	printf("\nhottest functions, by %s samples", session_grouped(samples_taken));
	printf(session_plan.threads > 1 ? ", and by those of each thread:\n" : ":\n");
	qsort(functions, function_count, sizeof *functions, by_samples);
	for (unsigned i = 0; i < function_count && i < FUNCTIONS_SHOWN; i++)
		print_function(&functions[i]);
	if (function_count > FUNCTIONS_SHOWN)
		printf("  and %u more functions\n", function_count - FUNCTIONS_SHOWN);
	for (unsigned i = 0; i < session_plan.threads; i++)
		dropped += session_threads[i].statistics.dropped;
	if (dropped)
		printf("  these are the first samples: there was no room for %s more, a longer period has fewer\n",
		       session_grouped(dropped));
}

//
// Branch records
//

struct branch {
	uint64_t from, to, records;
};

static struct branch branches[BRANCHES_MAX];
static unsigned branch_count;
static uint64_t branch_records, branch_overlooked;	// all; those that found no room in the table

static void add_branch(uint64_t from, uint64_t to)
{
	unsigned i = 0;

	branch_records++;
	while (i < branch_count && (branches[i].from != from || branches[i].to != to))
		i++;
	if (i == BRANCHES_MAX) {
		branch_overlooked++;
		return;
	}
	if (i == branch_count)
		branches[branch_count++] = (struct branch){.from = from, .to = to};
	branches[i].records++;
}

// Each branch of a payload is followed by its target.
static void add_branches(const struct pmu_driver *driver, const struct event_request *request, const uint64_t *words,
			 unsigned count)
{
	struct payload_part parts[PAYLOAD_PARTS];
	unsigned n = driver->explain_payload ? driver->explain_payload(request, words, count, parts) : 0;
	uint64_t from = 0;

	for (unsigned i = 0; i < n; i++)
		if (!strcmp(parts[i].name, "branch"))
			from = parts[i].value;
		else if (!strcmp(parts[i].name, "target"))
			add_branch(from, parts[i].value);
}

static int by_records(const void *a, const void *b)
{
	const struct branch *x = a, *y = b;

	if (x->records != y->records)
		return x->records < y->records ? 1 : -1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

// "function+0x12"
static const char *place(uint64_t address, char text[PLACE_SIZE])
{
	const struct symbol *symbol = symbol_find(address);

	if (symbol)
		snprintf(text, PLACE_SIZE, "%s+0x%" PRIx64, symbol->name, address - symbol->address);
	else
		snprintf(text, PLACE_SIZE, "0x%" PRIx64, address);
	return text;
}

static void print_branches(void)
{
	char from[PLACE_SIZE], to[PLACE_SIZE];

	printf("\nbranches taken most, by %s branch records:\n", session_grouped(branch_records));
	qsort(branches, branch_count, sizeof *branches, by_records);
	for (unsigned i = 0; i < branch_count && i < BRANCHES_SHOWN; i++) {
		print_share(branches[i].records, branch_records);
		printf("  %s > %s\n", place(branches[i].from, from), place(branches[i].to, to));
	}
	if (branch_count > BRANCHES_SHOWN)
		printf("  and %u more branches\n", branch_count - BRANCHES_SHOWN);
	if (branch_overlooked)
		printf("  and %s records of still others\n", session_grouped(branch_overlooked));
}

// A precise sample belongs to the instruction that the driver finds from its record.
void session_take_samples(unsigned thread)
{
	static uint64_t words[PMU_PAYLOAD_WORDS];
	const struct pmu_driver *driver = session_plan.driver;
	struct pmu_sample sample;

	for (; pmu_take_sample_with_payload(&sample, words); samples_taken++) {
		const struct event_request *request = &session_plan.requests[sample.source.event];
		const unsigned count = sample.source.words;

		add_address(driver->locate ? driver->locate(request, sample.ip, words, count) : sample.ip, thread);
		add_branches(driver, request, words, count);
	}
}

void session_print_samples(void)
{
	if (samples_taken)
		print_functions();
	if (branch_records)
		print_branches();
}
