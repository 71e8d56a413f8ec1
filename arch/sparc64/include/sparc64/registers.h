/* SPDX-License-Identifier: BSD-2-Clause */
/* Processor state registers, address spaces, and register accesses that return false on a fault:
 * the entry in .fault_fixups sends the trap handler to the access's second exit. The accesses are
 * volatile although they jump, because an access with an unused value must still happen for its
 * fault. (UltraSPARC Architecture 2005, chapters 5 and 10.) */
#ifndef SPARC64_REGISTERS_H
#define SPARC64_REGISTERS_H

#include "sparc64/guesses.h"

#define PSTATE_IE		0x02
#define PSTATE_PRIV		0x04
#define PSTATE_PEF		0x10

#define HPSTATE_HPRIV		0x04

#define FPRS_FEF		0x04

#define ASI_AS_IF_USER_PRIMARY	0x10
#define ASI_PRIMARY		0x80	/* untranslated in hyperprivileged mode */
#define ASI_BLOCK_PRIMARY	0xF0	/* same manual: 64 bytes, through the caches */
#define ASI_BLOCK_COMMIT_PRIMARY 0xE0	/* same, 2007 edition: 64 bytes from the FPU to memory */
/* Numbers of control registers. Below 2^31: ASI << 8 | address / 8. From 2^31 on: physical
 * addresses; 256 controllers share each offset. */
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

/* A control register's address space, and its address within that. */
static inline uint64_t sparc64_register_asi(uint32_t number)
{
	return number < REGISTER_PHYSICAL ? number >> 8 : ASI_PRIMARY;
}

static inline uint64_t sparc64_register_address(uint32_t number)
{
	uint64_t low = number & 0xFF;

	return number < REGISTER_PHYSICAL ? low << 3 :
					    PHYSICAL_BASE + (low << PHYSICAL_STRIDE_SHIFT) +
						    (number >> 8 & 0xFFFF);
}

/* Pending interrupts of those that this code uses: SOFTINT_STICK or 0. */
static inline uint64_t sparc64_softint(void)
{
	uint64_t softint;

	__asm__ volatile("rd %%softint, %0" : "=r"(softint));
	return softint & SOFTINT_STICK;
}

/* A constant address space is part of the instruction; a variable one goes to %asi first. */
/* The load is no asm goto, unlike the store: GCC 12 loses the result of an asm goto that is inlined
 * several times in a row. The code for a fault is in a section of its own. */
#define SPARC64_LOAD(before, load, space, constraint)						\
	__asm__ volatile(before "1: " load " [%r3] " space ", %0\n2:\n"				\
			 ".pushsection .text.faults, \"ax\"\n3: ba,pt %%xcc, 2b\nclr " \
			 "%1\n.popsection\n" \
			 SPARC64_FAULT_FIXUP("1b", "3b")					\
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

/* Loads a word with a program's translations and rights. False: a program could not load it. */
static inline bool sparc64_load_as_user(uint64_t address, uint32_t *value)
{
	const uint64_t asi = ASI_AS_IF_USER_PRIMARY;
	uint64_t loaded, done = 1;

	SPARC64_LOAD("", "lduwa", "%2", "i");
	if (done)
		*value = (uint32_t)loaded;
	return done;
}

/* Accesses with a common check for faults: a fault sets *fault to 1, and reads as 0. The address
 * space is constant. Memory does not depend on these registers. */
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
static inline void sparc64_store_asi_next(uint64_t asi, uint64_t address, uint64_t value,
					  uint64_t *fault)
{
	__asm__ volatile("1: stxa %r2, [%r1] %3\n2:\n"
			 ".pushsection .text.faults, \"ax\"\n"
			 "3: ba,pt %%xcc, 2b\nmov 1, %0\n.popsection\n"
			 SPARC64_FAULT_FIXUP("1b", "3b")
			 : "+r"(*fault) : "rJ"(address), "rJ"(value), "i"(asi));
}

#define SPARC64_STORE(before, space, constraint)						\
	__asm__ volatile goto(before "1: stxa %r2, [%r1] " space "\n" SPARC64_FAULT_FIXUP("1b",	\
										"%l[fault]")	\
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
