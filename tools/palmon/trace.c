// SPDX-License-Identifier: BSD-2-Clause
// Reads trace files (trace.h) in two steps: lines (trace_text.c), then segments, which combine
// overlapping lines.

#include "trace_read.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void start_again(struct trace *t)
{
	t->target[0] = '\0';
	t->meanings = t->expected ? meanings_of(t->expected) : NULL;
	t->line = 0;
	t->begun = false;
	t->reached = (struct reached){0};
	t->batch[0].count = t->batch[1].count = 0;
	t->next = t->now = t->active_count = 0;
	t->last = false;
}

struct trace *trace_open_memory(const char *name, const void *data, size_t size, unsigned threads)
{
	struct trace *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->name = name;
	t->threads = threads;
	t->fd = -1;
	t->data = data;
	t->to = t->size = size;
	t->ended = true;
	return t;
}

struct trace *trace_open(const char *path, unsigned threads)
{
	bool standard_input = !strcmp(path, "-");
	struct trace *t = trace_open_memory(standard_input ? "standard input" : path, NULL, 0,
					    threads);
	struct stat status;

	if (!t)
		return NULL;
	t->ended = false;
	t->data = t->buffer = malloc(TRACE_BUFFER);
	t->fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (!t->buffer || t->fd < 0 || fstat(t->fd, &status) < 0) {
		trace_close(t);
		return NULL;
	}
	t->first = lseek(t->fd, 0, SEEK_CUR);
	if (S_ISREG(status.st_mode) && t->first >= 0)
		t->size = (uint64_t)(status.st_size - t->first);
	return t;
}

void trace_close(struct trace *t)
{
	int why = errno;

	if (t->fd > STDIN_FILENO)
		close(t->fd);
	free(t->buffer);
	free(t);
	errno = why;
}

const char *trace_error(const struct trace *t)
{
	return t->error;
}

void trace_expect(struct trace *t, const char *target)
{
	t->expected = target;
	t->meanings = meanings_of(target);
}

const char *trace_target(const struct trace *t)
{
	return t->target;
}

struct trace_progress trace_progress(const struct trace *t)
{
	return (struct trace_progress){.lines = t->line, .bytes = t->offset + t->from,
				       .size = t->size};
}

static bool copy_to(struct trace *t, int fd)
{
	for (;;) {
		if (!trace_need(t, 1))
			return false;
		if (t->from == t->to)
			return true;
		while (t->from < t->to) {
			ssize_t put = write(fd, t->data + t->from, t->to - t->from);

			if (put < 0 && errno != EINTR) {
				trace_fail(t, "a temporary copy of %s: %s", t->name,
					   strerror(errno));
				return false;
			}
			t->from += put > 0 ? (size_t)put : 0;
		}
	}
}

bool trace_keep(struct trace *t)
{
	FILE *file;
	bool copied;

	if (t->fd < 0 || t->first >= 0)
		return true;
	file = tmpfile();
	if (!file) {
		trace_fail(t, "a temporary copy of %s: %s", t->name, strerror(errno));
		return false;
	}
	copied = copy_to(t, fileno(file));
	if (copied) {
		if (t->fd > STDIN_FILENO)
			close(t->fd);
		t->fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, STDIN_FILENO + 1);
		t->first = 0;
		t->size = t->offset + t->from;
		trace_rewind(t);
	}
	fclose(file);
	return copied && t->fd >= 0;
}

void trace_rewind(struct trace *t)
{
	start_again(t);
	t->from = 0;
	if (t->fd < 0)
		return;
	lseek(t->fd, t->first, SEEK_SET);
	t->to = 0;
	t->offset = 0;
	t->ended = false;
}

//
// Segments
//

// Makes `next` a line unless the trace has ended. The other batch stays valid: it holds the last
// segment's event signals, and a full batch has more lines than can be active without a new
// segment.
static int have_line(struct trace *t)
{
	if (t->next < t->batch[t->current].count || t->last)
		return 1;
	t->current ^= 1;
	t->next = 0;
	if (trace_lines(t, &t->batch[t->current]) < 0) {
		t->batch[t->current].count = 0;
		return -1;
	}
	t->last = t->batch[t->current].count < TRACE_BATCH;
	return 1;
}

// The common case: lines that start and end together, overlapped by no other line. NULL signals:
// not this case.
static struct trace_segment simple_segment(struct trace *t)
{
	const struct trace_batch *batch = &t->batch[t->current];
	size_t first = t->next, behind = first + 1;

	while (behind < batch->count && batch->start[behind] == batch->start[first] &&
	       batch->end[behind] == batch->end[first])
		behind++;
	if (behind - first > TRACE_OVERLAP_MAX ||
	    (behind < batch->count ? batch->start[behind] < batch->end[first] : !t->last))
		return (struct trace_segment){0};
	t->next = behind;
	t->now = batch->end[first];
	return (struct trace_segment){&batch->occurrence[first], behind - first,
				      t->now - batch->start[first]};
}

// Adds the lines that start now to the active ones.
static int activate(struct trace *t)
{
	for (;;) {
		const struct trace_batch *batch;

		if (have_line(t) < 0)
			return -1;
		batch = &t->batch[t->current];
		if (t->next == batch->count || batch->start[t->next] != t->now)
			return 1;
		if (t->active_count == TRACE_OVERLAP_MAX)
			return trace_fail(t, "%s:%" PRIu64
					  ": expected no more than %d lines in cycle %" PRIu64,
					  t->name, batch->line[t->next], TRACE_OVERLAP_MAX, t->now);
		t->active_end[t->active_count] = batch->end[t->next];
		t->active[t->active_count++] = batch->occurrence[t->next++];
	}
}

// The segment up to the next end of an active line or start of another line.
static struct trace_segment active_segment(struct trace *t)
{
	const struct trace_batch *batch = &t->batch[t->current];
	uint64_t until = t->next < batch->count ? batch->start[t->next] : UINT64_MAX;
	struct trace_segment segment = {0};
	size_t left = 0;

	for (size_t i = 0; i < t->active_count; i++)
		if (t->active_end[i] < until)
			until = t->active_end[i];
	t->signals_current ^= 1;
	segment.signals = t->signals[t->signals_current];
	segment.count = t->active_count;
	segment.cycles = until - t->now;
	memcpy(t->signals[t->signals_current], t->active, t->active_count * sizeof *t->active);
	for (size_t i = 0; i < t->active_count; i++)
		if (t->active_end[i] > until) {
			t->active_end[left] = t->active_end[i];
			t->active[left++] = t->active[i];
		}
	t->active_count = left;
	t->now = until;
	return segment;
}

__attribute__((noinline)) static int next_segment(struct trace *t, struct trace_segment *segment)
{
	const struct trace_batch *batch;

	if (have_line(t) < 0)
		return -1;
	batch = &t->batch[t->current];
	if (!t->active_count) {
		if (t->next == batch->count)
			return 0;
		if (batch->start[t->next] > t->now) {
			*segment = (struct trace_segment){.cycles = batch->start[t->next] - t->now};
			t->now = batch->start[t->next];
			return 1;
		}
		*segment = simple_segment(t);
		if (segment->signals)
			return 1;
	}
	if (activate(t) < 0)
		return -1;
	*segment = active_segment(t);
	return 1;
}

// Fast path: a line that shares its cycles with no other line.
int trace_next(struct trace *t, struct trace_segment *segment)
{
	const struct trace_batch *batch = &t->batch[t->current];
	size_t line = t->next;

	if (line + 1 >= batch->count || t->active_count || batch->start[line] != t->now ||
	    batch->start[line + 1] < batch->end[line])
		return next_segment(t, segment);
	segment->signals = &batch->occurrence[line];
	segment->count = 1;
	segment->cycles = batch->end[line] - t->now;
	t->now = batch->end[line];
	t->next = line + 1;
	return 1;
}
