// SPDX-License-Identifier: BSD-2-Clause
// Reads an image's blocks from a console log: log.h. The log is untrusted input.

#define _GNU_SOURCE
#include "log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "grow.h"
#include "palmon.h"

#define BEGIN		"@{"
#define LAST		"{\"end\":"
#define STATUS_LINE	"palmon: status "
#define CHECKSUM_DIGITS	8

// Parses "@TEXT CHECKSUM". Ignores white space that a terminal adds to the end.
static bool parse(const char *at, size_t *length, uint32_t *checksum)
{
	size_t end = strlen(at);

	while (end && strchr("\r\n \t", at[end - 1]))
		end--;
	if (end < CHECKSUM_DIGITS + 3 || at[end - CHECKSUM_DIGITS - 1] != ' ' ||
	    strspn(at + end - CHECKSUM_DIGITS, "0123456789abcdef") != CHECKSUM_DIGITS)
		return false;
	*checksum = (uint32_t)strtoul(at + end - CHECKSUM_DIGITS, NULL, 16);
	*length = end - CHECKSUM_DIGITS - 2;
	return true;
}

static struct log_block *last_block(const struct log *log)
{
	return log->blocks ? &log->block[log->blocks - 1] : NULL;
}

static struct log_block *begin_block(struct log *log)
{
	struct log_block *const more = reallocarray(log->block, log->blocks + 1, sizeof *more);

	if (!more)
		return NULL;
	log->block = more;
	more[log->blocks] = (struct log_block){0};
	return &more[log->blocks++];
}

static int add(struct log_block *block, const char *text, size_t length)
{
	char **const lines = block ? grow(block->line, block->count, &block->room, sizeof *lines) :
		NULL;

	if (!lines)
		return -1;
	block->line = lines;
	lines[block->count] = strndup(text, length);
	if (!lines[block->count])
		return -1;
	block->complete = !strncmp(lines[block->count++], LAST, strlen(LAST));
	return 1;
}

// The checksum is that of all lines of the block so far: after a damaged line, the next ones are
// checked again.
static int take(struct log *log, const char *text, size_t length, uint32_t checksum)
{
	struct log_block *const block = last_block(log);
	const bool open = block && !block->complete;
	const bool first = (uint32_t)crc32(0, (const Bytef *)text, (uInt)length) == checksum;
	const bool next = (uint32_t)crc32(log->checksum, (const Bytef *)text,
					  (uInt)length) == checksum;

	log->checksum = checksum;
	if (first)
		return add(begin_block(log), text, length);
	if (open && next)
		return add(block, text, length);
	if (open && !block->damaged)
		block->damaged = block->count + 1;
	log->before += !open && next;
	return 0;
}

int log_take(struct log *log, const char *text, bool anything_before)
{
	for (const char *at = text; (at = strstr(at, BEGIN)); at++) {
		uint32_t checksum;
		size_t length;

		if (!anything_before && at != text)
			return 0;
		if (parse(at, &length, &checksum))
			return take(log, at + 1, length, checksum);
	}
	return 0;
}

// Replaces zeros by blanks, so that they end no line: Linux puts four bytes before the contents of
// a UEFI variable.
static bool take_line(struct log *log, char *line, size_t length)
{
	const char *status;

	for (size_t i = 0; i < length; i++)
		if (!line[i])
			line[i] = ' ';
	status = strstr(line, STATUS_LINE);
	if (status)
		snprintf(log->status, sizeof log->status, "%.*s", (int)strcspn(status, "\r\n"),
			 status);
	return log_take(log, line, true) >= 0;
}

bool log_read(struct log *log, FILE *file, const char *name)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	bool ok = true;

	while (ok && (length = getline(&line, &room, file)) >= 0)
		ok = take_line(log, line, (size_t)length);
	free(line);
	if (!ok)
		complain("%s", strerror(ENOMEM));
	else if (ferror(file))
		complain("%s: %s", name, strerror(errno));
	return ok && !ferror(file);
}

bool log_is(const struct log_block *block, const char *kind)
{
	return !strncmp(block->line[0], kind, strlen(kind));
}

size_t log_count(const struct log *log, const char *kind)
{
	size_t count = 0;

	for (size_t i = 0; i < log->blocks; i++)
		count += log_is(&log->block[i], kind);
	return count;
}

const struct log_block *log_choose(const struct log *log, const char *kind, uint64_t wanted,
				   const char *name)
{
	const size_t count = log_count(log, kind);
	size_t to_pass = wanted ? wanted : count;

	for (size_t i = 0; wanted <= count && i < log->blocks; i++)
		if (log_is(&log->block[i], kind) && !--to_pass)
			return &log->block[i];
	if (count)
		complain("%s: there are %zu results in it", name, count);
	else if (log->before)
		complain("%s: the first line of the result is damaged or lost, and with it the "
			 "meaning of the other "
			 "%zu lines", name, log->before);
	else if (*log->status)
		complain("%s: it has no result: the run ended with '%s'", name, log->status);
	else
		complain("%s: it has no result of a palmon image", name);
	return NULL;
}

bool log_is_whole(const struct log_block *block, const char *name)
{
	if (block->damaged)
		complain("%s: line %zu of the result is damaged or lost", name, block->damaged);
	if (!block->complete)
		complain("%s: the result is cut off: its last line is damaged or lost", name);
	return !block->damaged && block->complete;
}

void log_free(struct log *log)
{
	for (size_t i = 0; i < log->blocks; i++) {
		for (size_t j = 0; j < log->block[i].count; j++)
			free(log->block[i].line[j]);
		free(log->block[i].line);
	}
	free(log->block);
}
