/* SPDX-License-Identifier: BSD-2-Clause */
/* Processor state registers, address spaces, and register accesses whose fault comes back as `false`: the entry in
 * .fault_fixups sends the trap handler to the other exit. Volatile although they jump: an access whose value nobody
 * uses must still be made, for its fault. (UltraSPARC Architecture 2005, chapters 5 and 10.) */
#ifndef SPARC64_REGISTERS_H
#define SPARC64_REGISTERS_H

#include "sparc64/guesses.h"

#define PSTATE_IE		0x02
#define PSTATE_PRIV		0x04
#define PSTATE_PEF		0x10

#define HPSTATE_HPRIV		0x04

#define FPRS_FEF		0x04

#define ASI_AS_IF_USER_PRIMARY	0x10
#define ASI_PRIMARY		0x80	/* without translation, in hyperprivileged mode */
#define ASI_BLOCK_PRIMARY	0xF0	/* the same manual: 64 bytes, from or to the caches */
#define ASI_BLOCK_COMMIT_PRIMARY 0xE0	/* UltraSPARC Architecture 2007: 64 bytes of FPU registers, to memory */
/* Numbers of control registers: below 2^31 the address space and an eighth of the address in it; from there on physical
 * addresses, 256 units each with the same ones. */
#define REGISTER_PHYSICAL	0x80000000
#define PHYSICAL_BASE		0xF80400000000
#define PHYSICAL_STRIDE_SHIFT	12

#define SOFTINT_STICK		(1u << 16)	/* %stick_cmpr */
#define STICK_CMPR_OFF		(1ULL << 63)

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

#define SPARC64_FAULT_FIXUP(from, to)			\
	".pushsection .fault_fixups, \"a\"\n"		\
	".balign 4\n"					\
	".word " from " - ., " to " - .\n"		\
	".popsection\n"

/* A control register's address space, and its address in it. */
static inline uint64_t sparc64_register_asi(uint32_t number)
{
	return number < REGISTER_PHYSICAL ? number >> 8 : ASI_PRIMARY;
}

static inline uint64_t sparc64_register_address(uint32_t number)
{
	uint64_t low = number & 0xFF;

	return number < REGISTER_PHYSICAL ? low << 3 :
					    PHYSICAL_BASE + (low << PHYSICAL_STRIDE_SHIFT) + (number >> 8 & 0xFFFF);
}

/* The interrupts that this code uses and that are pending: SOFTINT_STICK, or 0. */
static inline uint64_t sparc64_softint(void)
{
	uint64_t softint;

	__asm__ volatile("rd %%softint, %0" : "=r"(softint));
	return softint & SOFTINT_STICK;
}

/* An address space that is known while compiling is in the instruction; another one goes into %asi before. */
/* Not a jump, as the store: GCC 12 loses the result of an asm goto that is inlined in a row. Where a fault lands is in
 * a section that no function is in. */
#define SPARC64_LOAD(before, load, space, constraint)							\
	__asm__ volatile(before "1: " load " [%r3] " space ", %0\n2:\n"					\
			 ".pushsection .text.faults, \"ax\"\n3: ba,pt %%xcc, 2b\nclr %1\n.popsection\n"	\
			 SPARC64_FAULT_FIXUP("1b", "3b")						\
			 : "=&r"(loaded), "+&r"(done) : constraint(asi), "rJ"(address) : "memory")

__attribute__((always_inline))
static inline bool sparc64_load_asi(uint64_t asi, uint64_t address, uint64_t *value)
{
	uint64_t loaded, done = 1;

	if (__builtin_constant_p(asi))
		SPARC64_LOAD("", "ldxa", "%2", "i");
	else
		SPARC64_LOAD("wr %2, 0, %%asi\n", "ldxa", "%%asi", "r");
	if (done)
		*value = loaded;
	return done;
}

/* Loads a word as a program would, with its translations and its rights. False: a program could not. */
static inline bool sparc64_load_as_user(uint64_t address, uint32_t *value)
{
	const uint64_t asi = ASI_AS_IF_USER_PRIMARY;
	uint64_t loaded, done = 1;

	SPARC64_LOAD("", "lduwa", "%2", "i");
	if (done)
		*value = (uint32_t)loaded;
	return done;
}

/* Accesses whose faults are asked for once, after several: *fault is 1 then, and what was to be read 0. The address
 * space is known while compiling. No memory depends on what these registers do. */
__attribute__((always_inline))
static inline uint64_t sparc64_load_asi_next(uint64_t asi, uint64_t address, uint64_t *fault)
{
	uint64_t loaded;

	__asm__ volatile("1: ldxa [%r2] %3, %0\n2:\n"
			 ".pushsection .text.faults, \"ax\"\n"
			 "3: clr %0\nba,pt %%xcc, 2b\nmov 1, %1\n.popsection\n"
			 SPARC64_FAULT_FIXUP("1b", "3b")
			 : "=&r"(loaded), "+r"(*fault) : "rJ"(address), "i"(asi));
	return loaded;
}

__attribute__((always_inline))
static inline void sparc64_store_asi_next(uint64_t asi, uint64_t address, uint64_t value, uint64_t *fault)
{
	__asm__ volatile("1: stxa %r2, [%r1] %3\n2:\n"
			 ".pushsection .text.faults, \"ax\"\n"
			 "3: ba,pt %%xcc, 2b\nmov 1, %0\n.popsection\n"
			 SPARC64_FAULT_FIXUP("1b", "3b")
			 : "+r"(*fault) : "rJ"(address), "rJ"(value), "i"(asi));
}

#define SPARC64_STORE(before, space, constraint)							\
	__asm__ volatile goto(before "1: stxa %r2, [%r1] " space "\n" SPARC64_FAULT_FIXUP("1b", "%l[fault]")	\
			      : : constraint(asi), "rJ"(address), "rJ"(value) : "memory" : fault)

__attribute__((always_inline))
static inline bool sparc64_store_asi(uint64_t asi, uint64_t address, uint64_t value)
{
	if (__builtin_constant_p(asi))
		SPARC64_STORE("", "%0", "i");
	else
		SPARC64_STORE("wr %0, 0, %%asi\n", "%%asi", "r");
	return true;
fault:
	return false;
}

#endif
#endif
