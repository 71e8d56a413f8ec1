// SPDX-License-Identifier: BSD-2-Clause

#include "combine.h"

static struct combining_buffer *find(struct combining *c, uint64_t line)
{
	for (struct combining_buffer *b = c->buffer; b < c->buffer + PROCESSOR_QUEUE; b++)
		if (b->line == line)
			return b;
	return NULL;
}

static void empty(struct combining *c, struct combining_buffer *b, struct combined *out)
{
	*out = (struct combined){
		.address = (b->line - 1) * COMBINE_LINE, .whole = b->bytes == UINT64_MAX,
	};
	for (unsigned part = 0; part < COMBINE_LINE; part += COMBINE_PART)
		out->parts += (b->bytes >> part & UINT8_MAX) != 0;
	*b = (struct combining_buffer){0};
	c->held--;
}

static struct combining_buffer *first_begun(struct combining *c)
{
	struct combining_buffer *first = NULL;

	for (struct combining_buffer *b = c->buffer; b < c->buffer + PROCESSOR_QUEUE; b++)
		if (b->line && (!first || b->begun < first->begun))
			first = b;
	return first;
}

bool combine_store(struct combining *c, unsigned buffers, uint64_t address, unsigned size,
		   bool *begins, struct combined *out)
{
	const uint64_t bytes = UINT64_MAX >> (COMBINE_LINE - size) << address % COMBINE_LINE;
	struct combining_buffer *b = find(c, address / COMBINE_LINE + 1);
	bool leaves = false;

	*begins = !b;
	if (!b && bytes == UINT64_MAX) {
		*out = (struct combined){address & -(uint64_t)COMBINE_LINE, true,
					 COMBINE_LINE / COMBINE_PART};
		return true;
	}
	if (!b) {
		leaves = c->held == buffers;
		if (leaves)
			empty(c, first_begun(c), out);
		b = find(c, 0);
		*b = (struct combining_buffer){.line = address / COMBINE_LINE + 1,
					       .begun = ++c->begun};
		c->held++;
	}
	b->bytes |= bytes;
	if (b->bytes == UINT64_MAX) {
		empty(c, b, out);
		leaves = true;
	}
	return leaves;
}

bool combine_take(struct combining *c, uint64_t address, struct combined *out)
{
	struct combining_buffer *b = c->held ? find(c, address / COMBINE_LINE + 1) : NULL;

	if (b)
		empty(c, b, out);
	return b;
}

bool combine_take_any(struct combining *c, struct combined *out)
{
	struct combining_buffer *b = c->held ? first_begun(c) : NULL;

	if (b)
		empty(c, b, out);
	return b;
}
