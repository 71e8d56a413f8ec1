// SPDX-License-Identifier: BSD-2-Clause
// In-order issue of a core whose threads share two pipes: inorder.h. DECISIONS.md has the sources.

#include "inorder.h"

void inorder_begin(struct inorder *c, const struct processor *processor)
{
	*c = (struct inorder){.processor = processor, .last = INORDER_THREADS - 1};
}

unsigned inorder_next(const struct inorder *c, unsigned threads)
{
	unsigned first = INORDER_THREADS;

	for (unsigned n = 1; n <= INORDER_THREADS; n++) {
		const unsigned thread = (c->last + n) % INORDER_THREADS;

		if (threads >> thread & 1 && (first == INORDER_THREADS ||
					      inorder_when(c, thread) < inorder_when(c, first)))
			first = thread;
	}
	return first;
}

// Adds a reason if a register of the set is not there in a cycle.
static void wait_for(uint64_t set, const uint64_t *there, uint64_t cycle, unsigned reason,
		     unsigned *reasons, uint64_t *until)
{
	for (; set; set &= set - 1) {
		const uint64_t when = there[__builtin_ctzll(set)];

		*reasons |= when > cycle ? reason : 0;
		*until = when > *until ? when : *until;
	}
}

unsigned inorder_waits(const struct inorder *c, unsigned thread,
		       const struct inorder_instruction *i, uint64_t cycle, uint64_t *until)
{
	const uint64_t vectors = UINT64_MAX << INORDER_VECTORS;
	const struct inorder_thread *t = &c->thread[thread];
	unsigned reasons = 0;

	*until = cycle;
	wait_for(i->addresses, t->addressed, cycle, INORDER_ADDRESS, &reasons, until);
	wait_for(i->reads & vectors, t->ready, cycle, INORDER_VECTOR, &reasons, until);
	wait_for(i->reads & ~vectors, t->ready, cycle, INORDER_DATA, &reasons, until);
	return reasons;
}

void inorder_delay(struct inorder *c, unsigned thread, uint64_t until)
{
	struct inorder_thread *t = &c->thread[thread];

	t->next = until > t->next ? until : t->next;
}

void inorder_issue(struct inorder *c, unsigned thread, const struct inorder_instruction *i,
		   uint64_t cycle, uint64_t longer, unsigned late)
{
	struct inorder_thread *t = &c->thread[thread];
	const uint64_t done = cycle + i->stages - 1 + longer, ready = done + i->latency + late,
		addressed = cycle + c->processor->latency[LATENCY_ADDRESS];

	c->last = thread;
	c->busy = done > c->busy ? done : c->busy;
	t->issued = cycle;
	t->done = done > t->done ? done : t->done;
	inorder_delay(c, thread, cycle + INORDER_DISTANCE);
	inorder_delay(c, thread, done + 1 + (i->uses ? late : 0));
	for (uint64_t set = i->writes; set; set &= set - 1) {
		const unsigned n = (unsigned)__builtin_ctzll(set);

		t->ready[n] = ready;
		t->addressed[n] = addressed > ready ? addressed : ready;
	}
}

void inorder_flush(struct inorder *c, unsigned thread)
{
	inorder_delay(c, thread, c->thread[thread].done + 1 +
		      c->processor->latency[LATENCY_MISPREDICTED]);
}
