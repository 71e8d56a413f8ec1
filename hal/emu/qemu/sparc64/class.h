/* SPDX-License-Identifier: BSD-2-Clause */
/* What a SPARC V9 instruction is, by its encoding. */
#ifndef QEMU_SPARC64_CLASS_H
#define QEMU_SPARC64_CLASS_H

#include <stdbool.h>
#include <stdint.h>

#define SPARC64_INSTRUCTION	4	/* bytes */

/* Whether a branch goes to its target. */
enum sparc64_goes { SPARC64_NEVER, SPARC64_ALWAYS, SPARC64_IF };

struct sparc64_class {
	uint64_t raises;	/* a set of happenings; of a branch, what it raises as one is not among them */
	uint8_t branch;		/* its kind: OCCURRENCE_KIND_* (model.h); 0: it is none */
	uint8_t goes;		/* enum sparc64_goes */
	bool annuls;		/* its delay slot, if the branch does not go, or always goes */
	bool commits;		/* a next-to-commit instruction (SPARC T4 Supplement, Table 10-1, footnote 1) */
	int32_t displacement;	/* from a branch to its target; 0: it is in registers */
};

#define SPARC64_ASI_UNKNOWN (-1)

/* `asi`: what the ASI register holds, or SPARC64_ASI_UNKNOWN. */
struct sparc64_class sparc64_classify(uint32_t instruction, int asi);

/* What a branch raises as one that goes, or does not. */
uint64_t sparc64_branch_raises(const struct sparc64_class *c, bool goes);

/* Whether an address space is one of memory, not of registers. */
bool sparc64_asi_is_memory(int asi);

/* What a branch depends on. */
struct sparc64_state {
	uint64_t registers[32];
	uint8_t ccr;
	uint64_t fsr;
};

/* Whether a branch goes to its target. */
bool sparc64_goes(uint32_t instruction, const struct sparc64_state *state);

#endif
