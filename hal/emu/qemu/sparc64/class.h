/* SPDX-License-Identifier: BSD-2-Clause */
/* Classifies SPARC V9 instructions by their encoding. */
#ifndef QEMU_SPARC64_CLASS_H
#define QEMU_SPARC64_CLASS_H

#include <stdbool.h>
#include <stdint.h>

#define SPARC64_INSTRUCTION	4	/* bytes */

/* Whether a branch goes to its target. */
enum sparc64_goes { SPARC64_NEVER, SPARC64_ALWAYS, SPARC64_IF };

struct sparc64_class {
	uint64_t raises;	/* set of happenings, without those of branches (sparc64_branch_raises) */
	uint8_t branch;		/* its kind: OCCURRENCE_KIND_* (model.h); 0: no branch */
	uint8_t goes;		/* enum sparc64_goes */
	bool annuls;		/* the delay slot, if the branch is not taken, or always taken */
	bool commits;		/* a next-to-commit instruction (SPARC T4 Supplement, Table 10-1, footnote 1) */
	int32_t displacement;	/* from a branch to its target, bytes; 0: the target is in registers */
};

#define SPARC64_ASI_UNKNOWN (-1)

/* `asi`: the ASI register's value, or SPARC64_ASI_UNKNOWN. */
struct sparc64_class sparc64_classify(uint32_t instruction, int asi);

/* The happenings of a branch that goes, or does not. */
uint64_t sparc64_branch_raises(const struct sparc64_class *c, bool goes);

/* Whether an address space refers to memory, not to registers. */
bool sparc64_asi_is_memory(int asi);

/* The registers that determine whether a branch goes. */
struct sparc64_state {
	uint64_t registers[32];
	uint8_t ccr;
	uint64_t fsr;
};

/* Whether a branch goes to its target. */
bool sparc64_goes(uint32_t instruction, const struct sparc64_state *state);

#endif
