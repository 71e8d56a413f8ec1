/* SPDX-License-Identifier: BSD-2-Clause */
/* Classifies SPARC V9 instructions by their encoding. */
#ifndef QEMU_SPARC64_CLASS_H
#define QEMU_SPARC64_CLASS_H

#include <stdbool.h>
#include <stdint.h>

#define SPARC64_INSTRUCTION	4	/* bytes */

/* Whether a branch is taken. */
enum sparc64_goes { SPARC64_NEVER, SPARC64_ALWAYS, SPARC64_IF };

struct sparc64_class {
	uint64_t raises;	/* set of cpu events, without those of branches
				 * (sparc64_branch_raises) */
	uint8_t branch;		/* OCCURRENCE_KIND_* (model.h); 0: no branch */
	uint8_t goes;		/* enum sparc64_goes */
	bool annuls;		/* annuls the delay slot if the branch is not taken, or is
				 * unconditional */
	bool commits;		/* next-to-commit instruction (SPARC T4 Supplement, Table 10-1,
				 * footnote 1) */
	int32_t displacement;	/* bytes from a branch to its target; 0: the target is in
				 * registers */
};

#define SPARC64_ASI_UNKNOWN (-1)

/* `asi`: value of the ASI register, or SPARC64_ASI_UNKNOWN. */
struct sparc64_class sparc64_classify(uint32_t instruction, int asi);

/* Returns the cpu events of a branch that is taken (`goes`), or not. */
uint64_t sparc64_branch_raises(const struct sparc64_class *c, bool goes);

/* Returns true if an address space accesses memory, not registers. */
bool sparc64_asi_is_memory(int asi);

/* The registers that determine whether a branch is taken. */
struct sparc64_state {
	uint64_t registers[32];
	uint8_t ccr;
	uint64_t fsr;
};

/* Returns true if a branch is taken. */
bool sparc64_goes(uint32_t instruction, const struct sparc64_state *state);

#endif
