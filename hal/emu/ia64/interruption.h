/* SPDX-License-Identifier: BSD-2-Clause */
/* Interruptions: their vectors, their bits of ISR, and functions that raise them. */
#ifndef IA64_INTERRUPTION_H
#define IA64_INTERRUPTION_H

#include <stdint.h>

#include "execute.h"

/* Interruptions by their vectors' offsets in the table (manual, volume 2, table 5-8). */
enum ia64_vector {
	VECTOR_VHPT = 0x0000, VECTOR_INSTRUCTION_TLB = 0x0400, VECTOR_DATA_TLB = 0x0800,
	VECTOR_ALTERNATE_INSTRUCTION_TLB = 0x0C00, VECTOR_ALTERNATE_DATA_TLB = 0x1000,
	VECTOR_DATA_NESTED_TLB = 0x1400, VECTOR_INSTRUCTION_KEY_MISS = 0x1800,
	VECTOR_DATA_KEY_MISS = 0x1C00,
	VECTOR_DIRTY_BIT = 0x2000, VECTOR_INSTRUCTION_ACCESS_BIT = 0x2400,
	VECTOR_DATA_ACCESS_BIT = 0x2800,
	VECTOR_BREAK = 0x2C00, VECTOR_EXTERNAL_INTERRUPT = 0x3000, VECTOR_PAGE_NOT_PRESENT = 0x5000,
	VECTOR_KEY_PERMISSION = 0x5100, VECTOR_INSTRUCTION_ACCESS_RIGHTS = 0x5200,
	VECTOR_DATA_ACCESS_RIGHTS = 0x5300, VECTOR_GENERAL_EXCEPTION = 0x5400,
	VECTOR_DISABLED_FP = 0x5500,
	VECTOR_NAT_CONSUMPTION = 0x5600, VECTOR_SPECULATION = 0x5700, VECTOR_UNALIGNED = 0x5A00,
	VECTOR_DEBUG = 0x5900, VECTOR_FP_FAULT = 0x5C00, VECTOR_FP_TRAP = 0x5D00,
	VECTOR_LOWER_PRIVILEGE = 0x5E00, VECTOR_TAKEN_BRANCH = 0x5F00, VECTOR_SINGLE_STEP = 0x6000,
	/* Interruptions that end the run, because they go to firmware or to parts that this
	 * processor lacks: an access outside memory; a translation that overlaps a translation
	 * register; IA-32 code. */
	VECTOR_MACHINE_CHECK = 0x10000, VECTOR_OVERLAP, VECTOR_NO_IA32,
};

/* ISR (manual, volume 2, section 3.3.5.2): kind of access, slot, and a code in bits 15:0. */
#define ISR_X		(1ULL << 32)	/* an instruction was fetched */
#define ISR_W		(1ULL << 33)
#define ISR_R		(1ULL << 34)
#define ISR_NA		(1ULL << 35)	/* no access: a query of an address */
#define ISR_SP		(1ULL << 36)	/* a speculative load */
#define ISR_RS		(1ULL << 37)	/* the register stack engine */
#define ISR_IR		(1ULL << 38)	/* the frame is incomplete */
#define ISR_NI		(1ULL << 39)	/* PSR.ic was 0 */
#define ISR_EI(slot)	((uint64_t)(slot) << 41)

/* Codes of the general exception vector and of NaT consumption (manual, volume 2, section 8.3). */
#define CODE_ILLEGAL_OPERATION	0x00
#define CODE_PRIVILEGED		0x10
#define CODE_PRIVILEGED_REGISTER 0x20
#define CODE_RESERVED_REGISTER	0x30
#define CODE_DISABLED_TRANSITION 0x40
#define CODE_NAT_REGISTER	0x10
#define CODE_NAT_PAGE		0x20

/* ISR of instructions that query an address without an access: a code in bits 3:0, and the bits
 * that they set (manual, volume 2, table 5-1). */
#define ACCESS_TPA		(ISR_NA | 0)
#define ACCESS_FLUSH		(ISR_NA | ISR_R | 1)
#define ACCESS_PROBE		(ISR_NA | 2)
#define ACCESS_KEY		(ISR_NA | 3)
#define ACCESS_LFETCH		(ISR_NA | ISR_R | 4)
#define ACCESS_PROBE_FAULT	(ISR_NA | 5)

/* ISR's codes of traps; several can be set at once. */
#define TRAP_FP			1
#define TRAP_LOWER_PRIVILEGE	2
#define TRAP_TAKEN_BRANCH	4
#define TRAP_SINGLE_STEP	8
#define TRAP_UNIMPLEMENTED	16	/* an unimplemented instruction address */

struct ia64_interruption {
	enum ia64_vector vector;
	uint64_t isr;		/* without ni */
	uint64_t address;	/* IFA's, for an access; IIM's, for a break */
};

/* Raises an interruption: sets machine.interruption, and returns OUTCOME_INTERRUPTION. `isr`: ISR
 * without ei and ni. */
enum outcome ia64_interrupt(struct machine *m, enum ia64_vector vector, uint64_t isr,
			    uint64_t address);

/* Raise an interruption: illegal operation; privileged operation; privileged register; reserved
 * register or field. */
enum outcome ia64_illegal(struct machine *m);
enum outcome ia64_privileged(struct machine *m);
enum outcome ia64_privileged_register(struct machine *m);
enum outcome ia64_reserved_register(struct machine *m);

/* Raises NaT consumption. `access`: ISR_R, ISR_W, ISR_NA with its code, if the operand is an
 * address; else 0. */
enum outcome ia64_nat_consumed(struct machine *m, uint64_t access);

#endif
