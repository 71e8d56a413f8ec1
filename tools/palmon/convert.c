// SPDX-License-Identifier: BSD-2-Clause
// palmon convert: writes samples in the file formats of other tools.

#define _GNU_SOURCE
#include "convert.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "image.h"
#include "palmon.h"

static bool take_sample(void *context, const struct sample *sample);

static const struct form {
	const char *option;
	bool (*take)(void *profile, const struct sample *sample);
	bool (*write)(struct profile *profile, struct output *output);
	const char *file;		// default name of the output
} forms[] = {		// in the order of the options
	{"--perf", take_sample, write_perf_data, "perf.data"},
	{"--folded", folded_take, write_folded, "-"},
	{"--html", take_sample, write_html, "palmon.html"},
};

#define FORMS (sizeof forms / sizeof *forms)

struct arguments {
	const char *input, *output, *elf, *event;
	const struct form *form;
	bool branch_callers;
	bool named;			// the command line names the output file
};

static bool no_memory(void)
{
	complain("%s", strerror(ENOMEM));
	return false;
}

//
// The profile
//

static bool take_sample(void *context, const struct sample *sample)
{
	const size_t size = offsetof(struct sample, key.step) + sample->key.steps * sizeof *sample->key.step;
	struct profile *p = context;
	struct sample **more;

	more = grow(p->sample, p->count, &p->room, sizeof *more);
	if (!more)
		return no_memory();
	p->sample = more;
	p->sample[p->count] = malloc(size);
	if (!p->sample[p->count])
		return no_memory();
	memcpy(p->sample[p->count++], sample, size);
	return true;
}

static void free_profile(struct profile *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->sample[i]);
	free(p->sample);
	folded_free(p);
	samples_free(&p->file);
}

// Orders samples by time. Samples of unknown time come first.
static int compare(const void *a, const void *b)
{
	const struct sample *x = *(struct sample *const *)a, *y = *(struct sample *const *)b;

	if (x->clock != y->clock)
		return x->clock < y->clock ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static bool find_event(struct profile *p, const char *name)
{
	p->event = samples_find_event(&p->file, name);
	return p->event >= 0;
}

static bool has_samples(const struct profile *p)
{
	if (profile_events(p))
		return true;
	complain("%s: it has no samples", p->file.path);
	return false;
}

static bool convert(struct profile *p, const struct arguments *a)
{
	struct output output;

	if (!samples_read(&p->file, a->form->take, p) || (a->event && !find_event(p, a->event)) || !has_samples(p) ||
	    !image_find(&p->file, a->elf, &p->elf) || !output_open(&output, a->output))
		return false;
	qsort(p->sample, p->count, sizeof *p->sample, compare);
	if (!a->form->write(p, &output)) {
		output_abandon(&output);
		return false;
	}
	if (!output_commit(&output))
		return false;
	if (!a->named && strcmp(a->output, "-"))
		printf("palmon: wrote %s\n", a->output);
	return true;
}

//
// Command line
//

#define OPTION_FORM 256		/* first of the options that select a format */

static bool take_form(struct arguments *a, const struct form *form)
{
	if (a->form)
		complain("one form is enough: %s or %s", a->form->option, form->option);
	else
		a->form = form;
	return a->form == form;
}

static bool read_options(int argc, char **argv, struct arguments *a)
{
	static const struct option known[] = {
		{"input", required_argument, NULL, 'i'}, {"event", required_argument, NULL, 'e'},
		{"elf", required_argument, NULL, 'E'}, {"branch-callers", no_argument, NULL, 'B'},
		{"perf", no_argument, NULL, OPTION_FORM}, {"folded", no_argument, NULL, OPTION_FORM + 1},
		{"html", no_argument, NULL, OPTION_FORM + 2}, {0},
	};

	for (int option; (option = getopt_long(argc, argv, "i:e:", known, NULL)) != -1;) {
		bool taken = false;

		if (option == 'i')
			taken = take_once(&a->input, optarg, "-i");
		else if (option == 'e')
			taken = take_once(&a->event, optarg, "-e");
		else if (option == 'E')
			taken = take_once(&a->elf, optarg, "--elf");
		else if (option == 'B')
			taken = a->branch_callers = true;
		else if (option >= OPTION_FORM)
			taken = take_form(a, &forms[option - OPTION_FORM]);
		if (!taken)
			return false;
	}
	if (optind + 1 < argc)
		complain("'%s': one FILE is enough", argv[optind + 1]);
	else if (!a->form)
		complain("which form? --perf, --folded or --html");
	else
		return true;
	return false;
}

int command_convert(int argc, char **argv)
{
	static struct profile profile;
	struct arguments arguments = {.input = NULL};
	bool ok;

	if (!read_options(argc, argv, &arguments))
		return usage_error();
	arguments.named = optind < argc;
	arguments.output = arguments.named ? argv[optind] : arguments.form->file;
	profile = (struct profile){.file.path = arguments.input ? arguments.input : SAMPLES_FILE, .event = -1};
	profile.file.branch_callers = arguments.branch_callers;
	ok = convert(&profile, &arguments);
	free_profile(&profile);
	return ok ? PALMON_DONE : PALMON_FAILED;
}
