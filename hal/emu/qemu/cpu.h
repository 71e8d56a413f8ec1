/* SPDX-License-Identifier: BSD-2-Clause */
/* A vCPU of QEMU's and its PMU. */
#ifndef QEMU_CPU_H
#define QEMU_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/classify.h"
#include "predictions.h"
#include "signals.h"
#include "vpmu.h"

#define CPUS_MOST 64

/* What a vCPU executes without a callback: block.h. */
#define BLOCK_LEVELS	4
#define BLOCK_SUMS	16
struct blocks {
	/* Translated code writes these: how many instructions may still execute, at each level; sums of what they have
	 * raised; how many instructions have begun that may fetch a line or refer to memory; the last block that has
	 * ended; the last one that has used x87 or MMX. */
	uint64_t room[BLOCK_LEVELS];
	uint64_t sum[BLOCK_SUMS];
	uint64_t begun;
	const struct block *ended, *numbers;

	uint32_t given;			/* so many instructions might execute, */
	uint8_t level;			/* at this level */
	const struct block *open;	/* it is not known how far the vCPU has come in it; NULL: there is none */

	/* The last instruction that has fetched a line or referred to memory, and `begun` when it did. The vCPU's
	 * `effects` and `load` are this instruction's: it may fault. */
	const struct instruction *referring;
	uint64_t referred;
};

/* An instruction as QEMU has translated it: for one privilege level. QEMU executes the same translation at all linear
 * addresses that lead to the same memory. */
struct instruction {
	uint64_t translated_at;		/* linear address at which it was translated */
	uint8_t size;			/* bytes, 1 to 15 */
	uint8_t level;			/* privilege level at which it executes, 0 to 3 */
	uint8_t access;			/* of the PMU: the instruction set's own code; 0: none */
	bool traps;			/* QEMU raises an exception to carry it out, after which it has retired */
	bool before_string;		/* the next one of its block is a repeated string */
	struct classes is;

	/* SPARC: */
	uint32_t code;			/* its encoding */
	uint8_t asi;			/* of a load or store: the address space */
	uint8_t slot;			/* of a branch: bytes of its delay slot; elsewhere 0 */
	bool commits;			/* a next-to-commit instruction: an overflow traps after it */
	bool changes_level;		/* its cycle is already one of the new privilege level */
};

/* What happens in a cycle because of references to memory. What has no room is added to a like one. */
#define EFFECTS_MOST 64
struct effects {
	unsigned count;
	struct effect {
		uint16_t what;		/* enum happening */
		uint16_t n;
		uint64_t address;	/* physical */
	} effect[EFFECTS_MOST];
};

/* A package: the PMU that its cores share. */
struct package_pmu {
	struct vpmu_package pmu;	/* without a model: they share none */
	struct signals signals;
	struct effects effects;		/* of the next cycle */
	bool watched;			/* its registers have been used: counters that are always enabled matter */
};

/* A core: the PMU model's state, and what its counters select. */
struct core {
	struct signals signals;
	struct package_pmu *package;
	const struct cpu *executes;	/* its vCPU whose signals the model has, if they execute in parallel */
	unsigned number;		/* in its package, from 0 */
	unsigned package_number;	/* from 0 */
	uint64_t ticks;			/* of the machine's clock: the model knows what has executed until then */
	struct effects arrived;		/* of other cores' references: in the core's next cycle */
};

/* A load that the current instruction has executed: of several, the slowest. */
struct load {
	bool is;			/* there was one */
	bool translated;		/* the first-level TLB has missed */
	enum happening source;		/* who had the data */
	struct occurrence occurrence;	/* as the PMU would record it */
};

/* The instruction that was issued last, as the next one may be paired with it: issue.h. */
struct issued {
	struct pipes pipes;
	uint64_t access;		/* linear address of its first reference to memory; 0: it has none */
};

struct cpu {
	unsigned number;		/* QEMU's, from 0 */
	void *qemu;			/* QEMU's state of it; NULL: it has not begun */
	uintptr_t here;			/* return address of the callback, until its state is restored; 0: it is */
	struct core *core;
	struct vpmu vpmu;		/* the core's model, its thread, its package */

	struct blocks blocks;
	struct block *translated;	/* all blocks of its code */

	unsigned alone;			/* so many instructions from here on have blocks of their own */

	/* The instruction that has begun, and is not known to have retired; NULL: there is none. And how many
	 * exceptions QEMU has raised since it began. */
	const struct instruction *current;
	uint64_t address;		/* linear, of the current instruction */
	uint64_t first_access;		/* linear address of its first reference to memory; 0: none is known */
	unsigned exceptions;
	uint64_t fetched;		/* 1 + address of what was fetched before the turn ended; 0: nothing */
	uint64_t fetched_line;		/* 1 + address of the line that was fetched last; 0: not known */
	uint64_t retired_at;		/* linear, of the last one that has retired */
	uint8_t next_level;		/* at which the instruction after the current one executes */

	struct instruction kept;	/* the current one, if its block is forgotten */

	/* Of a branch with a delay slot: whether it goes to its target, and where it leads. */
	bool goes;
	uint64_t leads_to;

	/* What the cycle of an instruction raises, if that was found before it executes: for the instruction
	 * `prepared`; NULL: for none. */
	const struct instruction *prepared;
	struct cycle *cycle;

	/* Instructions, each one cycle, that have retired at vpmu.level and raised nothing that is counted: the model
	 * does not know them yet. And how many more may follow them before a line of the model can change. */
	uint64_t quiet, quiet_left;

	/* Quiet instructions may have raised what is counted: it is added up (batch.h). So often each happening of the
	 * set has happened in them. */
	bool batches;
	uint64_t summed;
	uint32_t sum[HAPPENING_COUNT];
	bool referred;			/* references have raised some of those that are not in the set */

	/* What the next instruction depends on: where the last one ended, and its kinds (CLASS_*); whether x87 or MMX
	 * was used last; whether an interruption has come since, and at which level. */
	uint64_t last_next;
	uint64_t last_numbers;
	uint16_t last_kinds;
	bool interrupted;
	uint8_t interrupted_level;
	struct issued issued;

	struct effects effects;		/* of the current instruction, */
	struct load load;		/* and its load */
	bool predicted;			/* its branch has been predicted: */
	struct prediction prediction;	/* once for all that count it */
	uint64_t referenced;		/* reference cycles have passed until this tick of the machine; 0: none */
	bool halts;			/* it executes HLT: reference cycles stop */
	uint64_t retired;		/* instructions, */
	uint64_t iterations;		/* and iterations of those that repeat, but for the last one */

	/* Models that count the vCPU from outside (outside.h): a list. Each looks like a vCPU, which belongs to the one
	 * that it counts; of a vCPU of QEMU's, that is NULL. */
	struct cpu *outside, *watched;
	bool unwatched;			/* the current instruction is in an address space that is not counted */
};

/* Returns the number of instructions and iterations that the vCPU has executed, apart from those in blocks. */
static inline uint64_t cpu_progress(const struct cpu *c)
{
	return c->retired + c->iterations;
}

extern struct cpu cpus[CPUS_MOST];
extern unsigned cpus_count;

/* Cycles pass as the description of the processor says (clock=timed); else each instruction is one. Before the first
 * vCPU begins. */
extern bool timed_is_used;

#endif
