// SPDX-License-Identifier: BSD-2-Clause
// palmon annotate: the instructions of functions with their samples, below the source lines they
// come from.

#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "colour.h"
#include "disassemble.h"
#include "grow.h"
#include "image.h"
#include "palmon.h"
#include "samples.h"
#include "source_lines.h"

// The samples of an event at an address.
struct place {
	unsigned event;
	uint64_t address, samples;
	uint8_t place;			/* enum pmu_place */
};

struct function {
	const struct named *named;
	unsigned event;
	uint64_t samples;
};

struct annotation {
	struct samples file;
	struct place *place;		/* ordered by event and address */
	size_t count, room;
	struct names lines;		/* source lines */
	const char *event, *elf, *objdump;
	char **asked;			/* `asked_count` requested functions */
	int asked_count;
	size_t most;			/* hottest functions per event, if none are requested */
	bool json;
};

static bool no_memory(void)
{
	complain("%s", strerror(ENOMEM));
	return false;
}

//
// Samples
//

static bool take_sample(void *context, const struct sample *sample)
{
	struct annotation *a = context;
	struct place *more;

	more = grow(a->place, a->count, &a->room, sizeof *more);
	if (!more)
		return no_memory();
	a->place = more;
	a->place[a->count++] = (struct place){
		sample->key.event, sample->key.address, sample->times, sample->key.place,
	};
	return true;
}

static int by_event_and_address(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

// The samples of an event from one address up to another. *places: the meanings of their addresses,
// as bits.
static uint64_t samples_between(const struct annotation *a, unsigned event, uint64_t from,
				uint64_t to, unsigned *places)
{
	uint64_t samples = 0;
	size_t low = 0, high = a->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct place *p = &a->place[middle];

		if (p->event < event || (p->event == event && p->address < from))
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < a->count && a->place[low].event == event && a->place[low].address < to;
	     low++) {
		samples += a->place[low].samples;
		*places |= 1u << a->place[low].place;
	}
	return samples;
}

//
// A function
//

// The address of the next instruction, or the end of the function.
static uint64_t end_of(const struct listing *l, size_t i, const struct named *function)
{
	return i + 1 < l->count ? l->instruction[i + 1].address : function->end;
}

static void print_json_instruction(const struct annotation *a, const struct function *f,
				   const struct named *line,
				   const struct instruction *i, uint64_t samples)
{
	json_t *object = json_pack("{s:s, s:s, s:o, s:s, s:I, s:f}", "event",
				   a->file.event[f->event].name, "function",
				   f->named->name, "address", json_hexadecimal(i->address, 1),
				   "instruction", i->text,
				   "samples", (json_int_t)samples, "share",
				   (double)samples / (double)f->samples);
	const char *number = line ? strrchr(line->name, ':') : NULL;

	if (number) {
		json_object_set_new(object, "file",
				    json_stringn(line->name, (size_t)(number - line->name)));
		json_object_set_new(object, "line", json_integer(atoll(number + 1)));
	}
	print_json(object);
}

static void print_instruction(const struct function *f, const struct instruction *i,
			      uint64_t samples)
{
	const char *begin = colour_of_share(samples, f->samples);

	if (samples)
		printf("%s%8" PRIu64 " %5.1f%%%s", begin, samples,
		       100.0 * (double)samples / (double)f->samples, colour_end(begin));
	else
		printf("%8s %6s", "", "");
	printf("  %" PRIx64 ":  %s\n", i->address, i->text);
}

static void print_heading(const struct annotation *a, const struct function *f, unsigned places)
{
	const struct sampled_event *e = &a->file.event[f->event];

	printf("%s%s%s: %" PRIu64 " of %" PRIu64 " samples (%.1f%%) of %s\n",
	       colour(COLOUR_HEADING), f->named->name,
	       colour(COLOUR_END), f->samples, e->samples,
	       100.0 * (double)f->samples / (double)e->samples, e->name);
	for (unsigned place = 0; place < PMU_PLACES; place++)
		if (places >> place & 1)
			printf("addresses: %s\n", pmu_place_text((enum pmu_place)place));
	printf("\n samples  share  instruction\n");
}

static bool print_function(const struct annotation *a, const struct function *f)
{
	struct listing listing = {NULL, 0, 0};
	const char *last = "";
	unsigned places = 0;
	const bool ok = listing_read(&listing, a->elf, a->objdump, f->named->address,
				     f->named->end);

	samples_between(a, f->event, f->named->address, f->named->end, &places);
	if (ok && !a->json)
		print_heading(a, f, places);
	for (size_t i = 0; ok && i < listing.count; i++) {
		const struct instruction *instruction = &listing.instruction[i];
		const uint64_t samples = samples_between(a, f->event, instruction->address,
							 end_of(&listing, i, f->named), &places);

		const struct named *line = names_find(&a->lines, instruction->address);

		if (a->json) {
			if (samples)
				print_json_instruction(a, f, line, instruction, samples);
			continue;
		}
		if (line && strcmp(line->name, last))
			printf("%17s%s%s%s\n", "", colour(COLOUR_FAINT), line->name,
			       colour(COLOUR_END));
		last = line ? line->name : last;
		print_instruction(f, instruction, samples);
	}
	listing_free(&listing);
	return ok;
}

//
// Selection of functions
//

static int by_samples(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->named->address < y->named->address ? -1 : 1;
}

static bool is_asked_for(const struct annotation *a, const struct named *function)
{
	for (int i = 0; i < a->asked_count; i++)
		if (!strcmp(a->asked[i], function->name))
			return true;
	return !a->asked_count;
}

// The requested functions with samples of an event, hottest first. NULL: no memory.
static struct function *functions_of(const struct annotation *a, unsigned event, size_t *count)
{
	struct function *f = calloc(a->file.names.count + 1, sizeof *f);
	unsigned places;

	*count = 0;
	for (size_t i = 0; f && i < a->file.names.count; i++) {
		const struct named *named = &a->file.names.of[i];
		const uint64_t samples = samples_between(a, event, named->address, named->end,
							 &places);

		if (samples && is_asked_for(a, named))
			f[(*count)++] = (struct function){named, event, samples};
	}
	if (f)
		qsort(f, *count, sizeof *f, by_samples);
	return f;
}

static bool print_event(const struct annotation *a, unsigned event, bool *any)
{
	size_t count;
	struct function *f = functions_of(a, event, &count);
	bool ok = f || no_memory();

	for (size_t i = 0; ok && i < count && (a->asked_count || !a->most || i < a->most); i++) {
		if (*any && !a->json)
			putchar('\n');
		*any = true;
		ok = print_function(a, &f[i]);
	}
	free(f);
	return ok;
}

// Whether the program contains a function of this name. False after a complaint.
static bool has_function(const struct annotation *a, const char *name)
{
	const struct names *const names = &a->file.names;
	const char **known = calloc(names->count + 1, sizeof *known);

	for (size_t i = 0; known && i < names->count; i++) {
		known[i] = names->of[i].name;
		if (!strcmp(known[i], name)) {
			free(known);
			return true;
		}
	}
	if (known)
		complain("%s: there is no function '%s'%s", a->file.path, name,
			 nearest_of(known, names->count, sizeof *known, name));
	free(known);
	return false;
}

static bool all_are_known(const struct annotation *a)
{
	for (int i = 0; i < a->asked_count; i++)
		if (!has_function(a, a->asked[i]))
			return false;
	return !a->event || samples_find_event(&a->file, a->event) >= 0;
}

static bool print_all(const struct annotation *a)
{
	bool any = false;

	for (unsigned i = 0; i < a->file.event_count; i++)
		if ((!a->event || samples_is_event(&a->file.event[i], a->event)) &&
		    !print_event(a, i, &any))
			return false;
	if (any && !a->json)
		samples_print_remarks(&a->file, stdout);
	if (!any && a->asked_count)
		complain("%s: no samples in a function '%s'", a->file.path, a->asked[0]);
	else if (!any && a->event)
		complain("%s: no samples of an event '%s' in functions", a->file.path, a->event);
	else if (!any)
		complain("%s: no samples in functions with names", a->file.path);
	return any;
}

static bool annotate(struct annotation *a)
{
	if (!samples_read(&a->file, take_sample, a) || !all_are_known(a) ||
	    !image_find(&a->file, a->elf, &a->elf))
		return false;
	if (!a->elf) {
		complain("%s: no ELF file is at hand (--elf=IMAGE)", a->file.path);
		return false;
	}
	qsort(a->place, a->count, sizeof *a->place, by_event_and_address);
	return source_lines_read(&a->lines, a->elf) && print_all(a);
}

//
// Command line
//

static bool read_most(const char *text, size_t *most)
{
	uint64_t number;

	if (!read_number(text, '\0', &number)) {
		complain("'%s' is not a number of functions", text);
		return false;
	}
	*most = number;
	return true;
}

static bool read_options(int argc, char **argv, struct annotation *a)
{
	static const struct option known[] = {
		{"input", required_argument, NULL, 'i'}, {"event", required_argument, NULL, 'e'},
		{"elf", required_argument, NULL, 'E'}, {"objdump", required_argument, NULL, 'O'},
		{"functions", required_argument, NULL, 'n'}, {"json", no_argument, NULL, 'j'}, {0},
	};
	const char *input = NULL;

	for (int option; (option = getopt_long(argc, argv, "i:e:n:j", known, NULL)) != -1;) {
		bool taken = false;

		if (option == 'i')
			taken = take_once(&input, optarg, "-i");
		else if (option == 'e')
			taken = take_once(&a->event, optarg, "-e");
		else if (option == 'E')
			taken = take_once(&a->elf, optarg, "--elf");
		else if (option == 'O')
			taken = take_once(&a->objdump, optarg, "--objdump");
		else if (option == 'n')
			taken = read_most(optarg, &a->most);
		else if (option == 'j')
			taken = a->json = true;
		if (!taken)
			return false;
	}
	a->file.path = input ? input : SAMPLES_FILE;
	a->asked = argv + optind;
	a->asked_count = argc - optind;
	return true;
}

int command_annotate(int argc, char **argv)
{
	static struct annotation annotation;
	bool ok;

	annotation.most = 1;
	if (!read_options(argc, argv, &annotation))
		return usage_error();
	ok = annotate(&annotation);
	free(annotation.place);
	names_free(&annotation.lines);
	samples_free(&annotation.file);
	return ok ? PALMON_DONE : PALMON_FAILED;
}
