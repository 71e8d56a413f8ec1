// SPDX-License-Identifier: BSD-2-Clause
// palmon convert: writes samples in the file formats of other tools.

#define _GNU_SOURCE
#include "convert.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "palmon.h"

static const struct form {
	const char *option;
	bool (*take)(void *profile, const struct sample *sample);
	bool (*write)(struct profile *profile, struct output *output);
	const char *file;		// default name of the output
} forms[] = {		// in the order of the options
	{"--perf", profile_take, write_perf_data, "perf.data"},
	{"--folded", profile_take_callers, write_folded, "-"},
	{"--html", profile_take, write_html, "palmon.html"},
};

#define FORMS (sizeof forms / sizeof *forms)

struct arguments {
	const char *input, *output, *elf, *event, *before;
	const struct form *form;
	bool branch_callers;
	bool named;			// the command line names the output file
};

// Orders samples by time. Samples of unknown time come first.
static int compare(const void *a, const void *b)
{
	const struct profile_sample *x = a, *y = b;

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

	if (!samples_read(&p->file, a->form->take, p) || (a->event && !find_event(p, a->event)) ||
	    !has_samples(p) ||
	    !image_find(&p->file, p->program.elf, &p->elf) || !output_open(&output, a->output))
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
		{"perf", no_argument, NULL, OPTION_FORM},
		{"folded", no_argument, NULL, OPTION_FORM + 1},
		{"html", no_argument, NULL, OPTION_FORM + 2},
		{"before", required_argument, NULL, 'A'}, {0},
	};

	for (int option; (option = getopt_long(argc, argv, "i:e:", known, NULL)) != -1;) {
		bool taken = false;

		if (option == 'i')
			taken = take_once(&a->input, optarg, "-i");
		else if (option == 'e')
			taken = take_once(&a->event, optarg, "-e");
		else if (option == 'E')
			taken = take_once(&a->elf, optarg, "--elf");
		else if (option == 'A')
			taken = take_once(&a->before, optarg, "--before");
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
	else if (a->before && a->form->write != write_html)
		complain("--before=RUN is for --html");
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
	profile = (struct profile){.file.path = arguments.input ? arguments.input : SAMPLES_FILE,
				   .program.elf = arguments.elf, .event = -1};
	profile.file.branch_callers = arguments.branch_callers;
	profile.before = arguments.before;
	ok = convert(&profile, &arguments);
	profile_free(&profile);
	return ok ? PALMON_DONE : PALMON_FAILED;
}
