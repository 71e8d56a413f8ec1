// SPDX-License-Identifier: BSD-2-Clause
// Reads an image's lines from a console log: log.h.

#define _GNU_SOURCE
#include "log.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define CHECKSUM_DIGITS	8
#define NUMBER_MOST	1000000000	/* greatest number of a line */

static const char digits[] = "0123456789";

static bool read_checksum(const char *text, uint32_t *checksum)
{
	char *end;

	if (strspn(text, "0123456789abcdef") != CHECKSUM_DIGITS)
		return false;
	*checksum = (uint32_t)strtoul(text, &end, 16);
	return true;
}

// Parses "@NUMBER TEXT CHECKSUM", or with another sign. Ignores white space that a terminal adds to
// the end.
static bool is_whole(const char *at, unsigned *number, const char **text, size_t *length)
{
	const size_t size = strlen(at);
	size_t end = size;
	unsigned long first;
	uint32_t checksum;
	char *behind;

	while (end && strchr("\r\n \t", at[end - 1]))
		end--;
	if (end < CHECKSUM_DIGITS + 4 || at[end - CHECKSUM_DIGITS - 1] != ' ' || !strchr(digits, at[1]))
		return false;
	if (!read_checksum(at + end - CHECKSUM_DIGITS, &checksum))
		return false;
	end -= CHECKSUM_DIGITS + 1;
	if ((uint32_t)crc32(0, (const Bytef *)at, (uInt)end) != checksum)
		return false;
	first = strtoul(at + 1, &behind, 10);
	if (*behind != ' ' || first > NUMBER_MOST)
		return false;
	*number = (unsigned)first;
	*text = behind + 1;
	*length = (size_t)(at + end - *text);
	return true;
}

static struct log_run *begin_run(struct log *log)
{
	struct log_run *runs = reallocarray(log->run, log->runs + 1, sizeof *runs);

	if (!runs)
		return NULL;
	log->run = runs;
	runs[log->runs] = (struct log_run){0};
	return &runs[log->runs++];
}

static bool add(struct log_run *r, unsigned number, const char *text, size_t length)
{
	if (r->count == r->room) {
		const size_t room = r->room ? 2 * r->room : 1024;
		char **lines = reallocarray(r->line, room, sizeof *lines);
		unsigned *numbers;

		if (!lines)
			return false;
		r->line = lines;
		numbers = reallocarray(r->number, room, sizeof *numbers);
		if (!numbers)
			return false;
		r->number = numbers;
		r->room = room;
	}
	r->line[r->count] = strndup(text, length);
	r->number[r->count] = number;
	r->expected = number + 1;
	r->complete = !strcmp(r->line[r->count] ? r->line[r->count] : "", "end");
	return r->line[r->count++];
}

// A line that begins no run continues the last one, unless that is complete or the number is too
// low.
static int take_line(struct log *log, unsigned number, const char *text, size_t length)
{
	struct log_run *run = log->runs ? &log->run[log->runs - 1] : NULL;

	if (!number)
		run = begin_run(log);
	else if (!run || run->complete || number < run->expected) {
		log->before++;
		return 1;
	}
	return run && add(run, number, text, length) ? 1 : -1;
}

int log_take(struct log *log, const char *text, bool anything_before)
{
	unsigned number;
	size_t length;

	for (const char *at = text; (at = strchr(at, log->sign)); at++) {
		const char *line;

		if (!anything_before && at != text)
			return 0;
		if (is_whole(at, &number, &line, &length))
			return take_line(log, number, line, length);
	}
	return 0;
}

#define RANGES_SHOWN 5

size_t log_missing(const struct log_run *r, char *text, size_t size)
{
	size_t next = 0, missing = 0, used = 0;
	unsigned ranges = 0;

	*text = '\0';
	for (size_t i = 0; i < r->count; next = r->number[i++] + 1) {
		const size_t more = r->number[i] - next;

		missing += more;
		if (!more || ++ranges > RANGES_SHOWN || used >= size)
			continue;
		used += (size_t)snprintf(text + used, size - used, more > 1 ? "%s%zu-%zu" : "%s%zu",
					 used ? ", " : "", next, next + more - 1);
	}
	if (ranges > RANGES_SHOWN && used < size)
		snprintf(text + used, size - used, ", ...");
	return missing;
}

void log_free(struct log *log)
{
	for (size_t i = 0; i < log->runs; i++) {
		for (size_t j = 0; j < log->run[i].count; j++)
			free(log->run[i].line[j]);
		free(log->run[i].line);
		free(log->run[i].number);
	}
	free(log->run);
}
