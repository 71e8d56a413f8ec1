/* SPDX-License-Identifier: BSD-2-Clause */
/* A core that executes in order, with two pipes that its threads share: the cycles in which its
 * instructions issue.
 *
 *     thread 0 --+                         +--> U pipe --+
 *     thread 1 --+--> one thread a cycle --+             +--> execution stage (E), write-back
 *     thread 2 --+    each at most every   +--> V pipe --+    one instruction or pair at a time
 *     thread 3 --+    other cycle
 *
 * An instruction issues when it enters stage E. It waits until its operands are there; other
 * threads issue meanwhile. A load does not wait for its data: the first instruction that uses the
 * data does. The caller decides which instructions pair, and passes instructions in the order in
 * which inorder_next selects their threads. */
#ifndef MODEL_INORDER_H
#define MODEL_INORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "processor.h"

#define INORDER_THREADS		4
#define INORDER_REGISTERS	64
#define INORDER_VECTORS		32	/* the first register of the vector unit */
#define INORDER_DISTANCE	2	/* cycles between two issues of a thread, at least */

/* An instruction. In a set of registers, bit n is register n; the caller numbers the registers. */
struct inorder_instruction {
	uint8_t stages;		/* cycles in stage E, at least 1 */
	uint8_t latency;	/* cycles from its last one in stage E to the use of its result */
	bool uses;		/* itself uses the data that it loads */
	uint64_t reads, writes;	/* sets of registers */
	uint64_t addresses;	/* set of registers in its addresses */
};

/* Reasons for which an instruction waits, as bits. */
#define INORDER_ADDRESS	(1u << 0)	/* a register of its address */
#define INORDER_VECTOR	(1u << 1)	/* a register of the vector unit */
#define INORDER_DATA	(1u << 2)	/* another register */

struct inorder_thread {
	uint64_t next;		/* first cycle in which it may issue */
	uint64_t issued;	/* cycle of its last issue */
	uint64_t done;		/* last cycle of its last instruction in stage E */
	uint64_t ready[INORDER_REGISTERS];	/* by register: first cycle of its use */
	uint64_t addressed[INORDER_REGISTERS];	/* of its use in an address */
};

/* Initialize with inorder_begin. All cycles count from 1. */
struct inorder {
	const struct processor *processor;
	uint64_t busy;		/* last cycle in which stage E is occupied */
	unsigned last;		/* the thread that issued last */
	struct inorder_thread thread[INORDER_THREADS];
};

/* The entries of a .machine file that the core needs, as a set (struct processor_needs). */
#define INORDER_LATENCIES (1ull << LATENCY_L1D | 1ull << LATENCY_L2 | 1ull << LATENCY_MEMORY |	\
			   1ull << LATENCY_MISPREDICTED | 1ull << LATENCY_ADDRESS)

void inorder_begin(struct inorder *c, const struct processor *processor);

/* Returns the first cycle in which the thread may issue, as far as known. */
static inline uint64_t inorder_when(const struct inorder *c, unsigned thread)
{
	const uint64_t next = c->thread[thread].next;

	return next > c->busy ? next : c->busy + 1;
}

/* Returns the thread, of a set that is not empty, that issues first: in the same cycle, the one
 * whose turn it is. */
unsigned inorder_next(const struct inorder *c, unsigned threads);

/* Returns the reasons (INORDER_*) for which the thread's next instruction cannot issue in a cycle;
 * 0: it can. *until: the cycle in which it can. */
unsigned inorder_waits(const struct inorder *c, unsigned thread,
		       const struct inorder_instruction *i, uint64_t cycle, uint64_t *until);

/* The thread issues nothing before a cycle. */
void inorder_delay(struct inorder *c, unsigned thread, uint64_t until);

/* The thread's instruction issues in this cycle: that of inorder_when, or that of the instruction
 * with which it pairs. `longer`: further cycles in stage E; `late`: cycles by which its loaded data
 * come later than from the L1 data cache. */
void inorder_issue(struct inorder *c, unsigned thread, const struct inorder_instruction *i,
		   uint64_t cycle, uint64_t longer, unsigned late);

/* The thread's last instruction flushes the pipeline: a mispredicted branch, or an interruption. */
void inorder_flush(struct inorder *c, unsigned thread);

#endif
