/* SPDX-License-Identifier: BSD-2-Clause */
/* Processor registers by number, and accesses that return false on a fault. Each access is one
 * bundle, listed in .fault_fixups, and sets r3 to 1 at its end. After a fault the trap handler
 * continues with the next bundle and r3 0 (traps.c). Writes are serialized as the Architecture
 * Software Developer's Manual requires (volume 2, 3.2 and 7.2). */
#ifndef IA64_REGISTERS_H
#define IA64_REGISTERS_H

#define PSR_UP_BIT	2
#define PSR_IC		(1 << 13)
#define PSR_I		(1 << 14)
#define PSR_DT		(1 << 17)
#define PSR_RT		(1 << 27)

#define FPSR_DEFAULT	0x9804C0270033F		/* the ABI's: no exceptions, extended precision */
#define MASKED_VECTOR	0x10000			/* ITV, PMV, LRR: masked */

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

/* Register numbers: bits 15:8 select the file, bits 7:0 the register. */
#define IA64_PMC	0x000u
#define IA64_PMD	0x100u
#define IA64_IBR	0x200u
#define IA64_DBR	0x300u
#define IA64_CR_DCR	0x400u
#define IA64_CR_ITM	0x401u
#define IA64_CR_ITV	0x448u
#define IA64_CR_PMV	0x449u
#define IA64_PSR	0x500u
#define IA64_AR_ITC	0x62Cu
#define IA64_FILE(reg)	((reg) & ~0xFFu)

__asm__(".section .fault_fixups, \"a\"\n.previous");

#define IA64_FIXUP	".xdata4 \".fault_fixups\", 1b - .\n"

#define IA64_READ(from, ...)									\
	__asm__ volatile("1: { .mmi\nmov %0 = " from "\nnop.m 0\nmov %1 = 1\n}\n" IA64_FIXUP	\
			 : "=r"(read), "=r"(done) : __VA_ARGS__ : "memory")

#define IA64_WRITE(to, serialize, ...)								\
	__asm__ volatile(	\
		"1: { .mmi\nmov " to " = %1 ;;\n" serialize "\nmov %0 = 1 ;;\n}\n" IA64_FIXUP	\
			 : "=r"(done) : "r"(value), ##__VA_ARGS__ : "memory")

/* Reads and writes of registers in any file, not inlined (traps.c). */
bool ia64_read_register(uint32_t reg, uint64_t *value);
bool ia64_write_register(uint32_t reg, uint64_t value);

#define IA64_INDEXED(name, file)								\
	__attribute__((always_inline)) static inline bool ia64_read_##name(uint32_t reg,	\
									   uint64_t *value)	\
	{											\
		register uint64_t done __asm__("r3");						\
		uint64_t read;									\
												\
		IA64_READ(#name "[%2]", "r"((uint64_t)reg - (file)));				\
		*value = done ? read : *value;							\
		return done;									\
	}
IA64_INDEXED(pmc, IA64_PMC)
IA64_INDEXED(pmd, IA64_PMD)
IA64_INDEXED(ibr, IA64_IBR)
IA64_INDEXED(dbr, IA64_DBR)

#define IA64_INDEXED_WRITE(name, file, serialize)						\
	__attribute__((always_inline)) static inline bool ia64_write_##name(uint32_t reg,	\
									    uint64_t value)	\
	{											\
		register uint64_t done __asm__("r3");						\
												\
		IA64_WRITE(#name "[%2]", serialize, "r"((uint64_t)reg - (file)));		\
		return done;									\
	}
IA64_INDEXED_WRITE(pmc, IA64_PMC, "srlz.d")
IA64_INDEXED_WRITE(pmd, IA64_PMD, "srlz.d")
IA64_INDEXED_WRITE(ibr, IA64_IBR, "srlz.i")
IA64_INDEXED_WRITE(dbr, IA64_DBR, "srlz.d")

#define IA64_NAMED(name, text, serialize)							\
	__attribute__((always_inline)) static inline bool ia64_read_##name(uint64_t *value)	\
	{											\
		register uint64_t done __asm__("r3");						\
		uint64_t read;									\
												\
		IA64_READ(text, "i"(0));							\
		*value = done ? read : *value;							\
		return done;									\
	}											\
	__attribute__((always_inline)) static inline bool ia64_write_##name(uint64_t value)	\
	{											\
		register uint64_t done __asm__("r3");						\
												\
		IA64_WRITE(text, serialize);							\
		return done;									\
	}
IA64_NAMED(dcr, "cr.dcr", "srlz.d")
IA64_NAMED(itm, "cr.itm", "srlz.d")
IA64_NAMED(itv, "cr.itv", "srlz.d")
IA64_NAMED(pmv, "cr.pmv", "srlz.d")
IA64_NAMED(itc, "ar.itc", "srlz.d")

__attribute__((always_inline)) static inline bool ia64_read_psr(uint64_t *value)
{
	__asm__ volatile("mov %0 = psr" : "=r"(*value) : : "memory");
	return true;
}

__attribute__((always_inline)) static inline bool ia64_write_psr(uint64_t value)
{
	register uint64_t done __asm__("r3");

	IA64_WRITE("psr.l", "srlz.i");
	return done;
}

static inline void ia64_end_interrupt(void)
{
	__asm__ volatile("mov cr.eoi = r0 ;;\nsrlz.d ;;" : : : "memory");
}

#endif
#endif
