// SPDX-License-Identifier: BSD-2-Clause
// Prefetchers: prefetch.h. DECISIONS.md names the sources and the choices.

#include "prefetch.h"

#include <stdlib.h>

#define LINES_OF_PAGE	(PREFETCH_PAGE / PREFETCH_LINE)

static uint64_t line_of(uint64_t address)
{
	return address & -(uint64_t)PREFETCH_LINE;
}

static bool is_in_page(uint64_t address, uint64_t other)
{
	return address / PREFETCH_PAGE == other / PREFETCH_PAGE;
}

//
// L1D_NEXT
//

bool prefetch_next(struct prefetchers *p, const struct processor_prefetchers *of, uint64_t address,
		   uint64_t *line)
{
	const uint64_t number = address / PREFETCH_LINE + 1;
	const int offset = (int)(address % PREFETCH_LINE);

	if (!(p->recent_lines >> number % 64 & 1))
		return false;
	for (struct prefetch_recent *r = p->recent; r < p->recent + of->next_lines; r++) {
		if (r->line != number)
			continue;
		if (r->offset < 0 || offset <= r->offset) {
			r->offset = offset;
			return false;
		}
		r->line = 0;
		*line = line_of(address) + PREFETCH_LINE;
		return is_in_page(*line, address);
	}
	return false;
}

void prefetch_remember(struct prefetchers *p, const struct processor_prefetchers *of,
		       uint64_t address, int offset)
{
	if (!of->next_lines)
		return;
	p->recent[p->oldest] = (struct prefetch_recent){address / PREFETCH_LINE + 1, offset};
	p->oldest = (p->oldest + 1) % of->next_lines;
	p->recent_lines = 0;
	for (const struct prefetch_recent *r = p->recent; r < p->recent + of->next_lines; r++)
		p->recent_lines |= 1ULL << r->line % 64;
}

//
// L1D_STRIDE
//

bool prefetch_stride(struct prefetchers *p, const struct processor_prefetchers *of, uint64_t ip,
		     uint64_t address, uint64_t *line)
{
	struct prefetch_history *h = &p->history[ip & (of->stride_entries - 1)];
	const int16_t offset = (int16_t)(address % PREFETCH_PAGE + 1);
	const int16_t stride = h->last ? (int16_t)(offset - h->last) : 0;
	const bool is_regular = stride == h->stride && (unsigned)abs(stride) <= of->stride_distance;
	const uint64_t next = address + (uint64_t)(int64_t)stride;
	uint8_t asked;

	h->last = offset;
	h->stride = stride;
	if (!is_regular || !is_in_page(next, address) || line_of(next) == line_of(address))
		return false;
	asked = (uint8_t)(next % PREFETCH_PAGE / PREFETCH_LINE + 1);
	if (asked == h->asked)
		return false;
	h->asked = asked;
	*line = line_of(next);
	return true;
}

//
// L2_STREAM
//

enum { FORWARD, BACKWARD };

static struct prefetch_stream *find_stream(struct prefetchers *p,
					   const struct processor_prefetchers *of,
					   uint64_t page, unsigned *direction)
{
	for (*direction = FORWARD; *direction <= BACKWARD; ++*direction)
		for (unsigned i = 0; i < (*direction ? of->backward : of->forward); i++)
			if (p->stream[*direction][i].page == page)
				return &p->stream[*direction][i];
	return NULL;
}

// Replaces the least recently used stream.
static struct prefetch_stream *begin_stream(struct prefetchers *p,
					    const struct processor_prefetchers *of,
					    uint64_t page, unsigned direction, int line)
{
	struct prefetch_stream *s = p->stream[direction];

	for (unsigned i = 1; i < (direction ? of->backward : of->forward); i++)
		if (p->stream[direction][i].used < s->used)
			s = &p->stream[direction][i];
	*s = (struct prefetch_stream){.page = page, .used = ++p->uses, .last = line, .front = line};
	return s;
}

// Requests the next lines of a stream. The last requested line may complete a pair.
static unsigned ask(struct prefetch_stream *s, const struct processor_prefetchers *of, int step,
		    uint64_t page, uint64_t lines[PROCESSOR_EACH + 1])
{
	unsigned count = 0;

	while (count < of->each && (s->front + step - s->last) * step <= (int)of->ahead &&
	       s->front + step >= 0 &&
	       s->front + step < LINES_OF_PAGE) {
		s->front += step;
		lines[count++] = page + (uint64_t)s->front * PREFETCH_LINE;
	}
	if (count && of->paired && (s->front & 1) == (step < 0)) {
		s->front += step;
		lines[count++] = page + (uint64_t)s->front * PREFETCH_LINE;
	}
	return count;
}

// A stream begins as forward with its first request. The second request, at most `ahead` lines
// away, determines the direction.
unsigned prefetch_follow(struct prefetchers *p, const struct processor_prefetchers *of,
			 uint64_t address, uint64_t lines[PROCESSOR_EACH + 1])
{
	const uint64_t page = address / PREFETCH_PAGE;
	const int line = (int)(address % PREFETCH_PAGE / PREFETCH_LINE);
	unsigned direction;
	struct prefetch_stream *s = find_stream(p, of, page + 1, &direction);
	int step = direction == BACKWARD ? -1 : 1;

	if (s && line == s->last)
		return 0;
	if (s && (abs(line - s->last) > (int)of->ahead ||
		  (s->confirmed && (line - s->last) * step < 0))) {
		*s = (struct prefetch_stream){0};
		s = NULL;
	}
	if (!s) {
		begin_stream(p, of, page + 1, FORWARD, line);
		return 0;
	}
	if ((line - s->last) * step < 0) {
		*s = (struct prefetch_stream){0};
		s = begin_stream(p, of, page + 1, BACKWARD, line);
		step = -1;
	}
	s->used = ++p->uses;
	s->last = line;
	s->confirmed = true;
	if ((line - s->front) * step > 0)
		s->front = line;
	return ask(s, of, step, page * PREFETCH_PAGE, lines);
}
