// SPDX-License-Identifier: BSD-2-Clause
// palmon top: prints an image's counts and hottest functions while it runs, from the lines that it
// prints each interval (palmon-samples(5)): as rows, or in place on a terminal.

#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "colour.h"
#include "image.h"
#include "palmon.h"
#include "rates.h"

#define IPS_MOST	128	/* addresses in a line, at most */
#define FUNCTIONS_SHOWN	8
#define CHECKSUM	8	/* hexadecimal digits */

struct function {
	const char *name;
	unsigned samples;
};

struct top {
	struct rates rates;
	char *name[RATES_EVENTS];	/* names of its events */
	uint64_t ip[IPS_MOST];
	unsigned samples;
	struct names names;

	bool pass, in_place;
	char *held;			/* unfinished line of the program */
	unsigned shown;			/* lines on the terminal that the next ones overwrite */
	uint64_t intervals, wrong;
};

//
// Lines
//

static bool take_number(char **at, uint64_t *number)
{
	char *end;

	if (!**at || !strchr("0123456789abcdef", **at))
		return false;
	errno = 0;
	*number = strtoull(*at, &end, 16);
	if (errno || (*end && *end != ' '))
		return false;
	*at = end + (*end == ' ');
	return true;
}

// Parses "RUN INDEX PERIOD HAPPENS NAME". Index 0 begins a run.
static bool take_event(struct top *t, char *at)
{
	uint64_t run, index, period, happens;
	struct rates *r = &t->rates;

	if (!take_number(&at, &run) || !take_number(&at, &index) || !take_number(&at, &period) ||
	    !take_number(&at, &happens) || !*at || index > (run == r->run ? r->events : 0) ||
	    index >= RATES_EVENTS)
		return false;
	if (!index)
		r->events = r->headed = 0;
	r->clock = index ? r->clock : 0;
	free(t->name[index]);
	t->name[index] = strdup(at);
	for (char *c = t->name[index]; c && *c; c++)
		*c = (unsigned char)*c < ' ' || *c == 0x7F ? '?' : *c;
	r->event[index] = (struct rates_event){.name = t->name[index], .absent = !happens};
	r->run = (unsigned)run;
	r->events = (unsigned)index + 1;
	return t->name[index];
}

// Parses "RUN CLOCK COUNT... | IP...".
static bool take_interval(struct top *t, char *at)
{
	uint64_t run, clock, counts[RATES_EVENTS];
	unsigned count = 0;

	if (!take_number(&at, &run) || !take_number(&at, &clock))
		return false;
	while (count < RATES_EVENTS && take_number(&at, &counts[count]))
		count++;
	if (*at++ != '|' || count != t->rates.events || run != t->rates.run)
		return false;
	at += *at == ' ';
	for (t->samples = 0; t->samples < IPS_MOST && take_number(&at, &t->ip[t->samples]);)
		t->samples++;
	return !*at && rates_take(&t->rates, clock, counts);
}

//
// Output
//

static int by_samples(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return strcmp(x->name, y->name);
}

// The functions of the interval's samples, most samples first.
static unsigned functions_of(const struct top *t, struct function *f)
{
	unsigned count = 0;

	for (unsigned i = 0; i < t->samples; i++) {
		const char *name = names_function(&t->names, t->ip[i]);
		unsigned j = 0;

		while (j < count && strcmp(f[j].name, name))
			j++;
		if (j == count)
			f[count++] = (struct function){name, 0};
		f[j].samples++;
	}
	qsort(f, count, sizeof *f, by_samples);
	return count;
}

// Erases the lines in place. Uses no other terminal state, so there is nothing to restore at exit.
static void clear(struct top *t)
{
	if (t->shown)
		printf("\033[%uA\r\033[J", t->shown);
	t->shown = 0;
}

static void print_in_place(struct top *t)
{
	struct function f[IPS_MOST];
	const unsigned functions = functions_of(t, f);
	const struct rates *r = &t->rates;
	char text[40], sum[40];

	clear(t);
	printf("%s%.3f ms%s of run %u: events a second, and in all\n", colour(COLOUR_HEADING),
	       rates_time(r) * 1e3, colour(COLOUR_END), r->run + 1);
	t->shown = 1;
	for (unsigned i = 0; i < r->events; i++)
		if (!r->event[i].absent) {
			printf("%18s %18s  %.40s\n", rates_grouped(rates_of(r, &r->event[i]), text),
			       rates_grouped((double)r->event[i].count, sum), r->event[i].name);
			t->shown++;
		}
	for (unsigned i = 0; i < functions && i < FUNCTIONS_SHOWN; i++) {
		const char *begin = colour_of_share(f[i].samples, t->samples);

		printf("%s%17.1f%%%s %18u  %.40s\n", begin, 100.0 * f[i].samples / t->samples,
		       colour_end(begin), f[i].samples, f[i].name);
		t->shown++;
	}
	fflush(stdout);
}

static void print_interval(struct top *t)
{
	struct function f[IPS_MOST];

	t->intervals++;
	if (t->in_place && !t->rates.json && !t->rates.separator)
		print_in_place(t);
	else
		rates_print(&t->rates, functions_of(t, f) ? f->name : "");
}

//
// The log
//

// Whether the last word is the checksum of the text before it; cuts it off.
static bool is_whole(char *line)
{
	char *last = strrchr(line, ' '), *end;

	if (!last || strlen(last + 1) != CHECKSUM ||
	    strtoul(last + 1, &end, 16) != crc32(0, (const unsigned char *)line,
						 (unsigned)(last - line)) || *end)
		return false;
	*last = '\0';
	return true;
}

// Takes an image's line. False: another line.
static bool take(struct top *t, char *line)
{
	static const char event[] = "&event ", interval[] = "&interval ";

	line[strcspn(line, "\r\n")] = '\0';
	if (!is_whole(line))
		return false;
	if (!strncmp(line, event, strlen(event))) {
		t->wrong += !take_event(t, line + strlen(event));
		return true;
	}
	if (strncmp(line, interval, strlen(interval)))
		return false;
	if (take_interval(t, line + strlen(interval)))
		print_interval(t);
	else
		t->wrong++;
	return true;
}

// Prints the text held so far, and more.
static void pass(struct top *t, const char *text)
{
	if (t->pass && (t->held || *text)) {
		clear(t);
		printf("%s%s", t->held ? t->held : "", text);
	}
	free(t->held);
	t->held = NULL;
}

// A program's unfinished line can precede an image's line. That part is held until the program
// continues its line.
static void take_line(struct top *t, const char *line)
{
	const char *sign = strrchr(line, '&');
	char *copy = sign ? strdup(sign) : NULL;

	if (!copy || !take(t, copy)) {
		pass(t, line);
	} else if (sign > line) {
		char *before = t->held;

		if (asprintf(&t->held, "%s%.*s", before ? before : "", (int)(sign - line),
			     line) < 0)
			t->held = NULL;
		free(before);
	}
	free(copy);
}

static bool follow(struct top *t, const char *path)
{
	const bool standard = !strcmp(path, "-");
	FILE *file = standard ? stdin : fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	bool ok = file;

	if (!file) {
		complain("%s: %s", path, strerror(errno));
		return false;
	}
	while (getline(&line, &size, file) >= 0) {
		take_line(t, line);
		fflush(stdout);
	}
	if (ferror(file)) {
		complain("%s: %s", path, strerror(errno));
		ok = false;
	}
	pass(t, "");
	free(line);
	if (!standard)
		fclose(file);
	if (t->wrong)
		complain("%s: %" PRIu64 " lines of intervals are not understood", path, t->wrong);
	else if (ok && !t->intervals && !t->pass)
		complain("%s: there are no lines of intervals in it (interval=, on the image's "
			 "command line)", path);
	return ok && !t->wrong && (t->intervals || t->pass);
}

//
// Command line
//

static bool read_options(int argc, char **argv, struct top *t, const char **elf)
{
	static const struct option known[] = {
		{"elf", required_argument, NULL, 'E'},
		{"field-separator", required_argument, NULL, 'x'},
		{"json", no_argument, NULL, 'j'}, {"pass", no_argument, NULL, 'p'}, {0},
	};

	for (int option; (option = getopt_long(argc, argv, "x:j", known, NULL)) != -1;) {
		bool taken = option == 'j' || option == 'p';

		t->rates.json |= option == 'j';
		t->pass |= option == 'p';
		if (option == 'E')
			taken = take_once(elf, optarg, "--elf");
		else if (option == 'x')
			taken = take_once(&t->rates.separator, optarg, "-x");
		if (!taken)
			return false;
	}
	if (argc - optind != 1)
		complain(optind == argc ? "which log? One FILE, or - for standard input" :
			 "'%s': one FILE is enough", argv[optind + 1 - (optind == argc)]);
	else if (t->rates.json && t->rates.separator)
		complain("-x or -j, not both");
	else
		return true;
	return false;
}

int command_top(int argc, char **argv)
{
	static struct top top;
	const char *elf = NULL;
	bool ok;

	if (!read_options(argc, argv, &top, &elf))
		return usage_error();
	top.rates.second = RATES_SECOND;
	top.in_place = isatty(STDOUT_FILENO);
	ok = (!elf || image_names(elf, 0, &top.names)) && follow(&top, argv[optind]);
	for (unsigned i = 0; i < RATES_EVENTS; i++)
		free(top.name[i]);
	names_free(&top.names);
	return ok ? PALMON_DONE : PALMON_FAILED;
}
