/* SPDX-License-Identifier: BSD-2-Clause */
/* The model's defects. */
#ifndef ITANIUM_FAULTS_H
#define ITANIUM_FAULTS_H

/* Defects that can be switched on. The names are what a person writes: fault=freeze-missing. */
#define FAULTS(F)								\
	F(RESET_VALUE, "reset-value")			/* PMC13.ta resets to 0 */ \
	F(PMC_STUCK, "pmc-stuck")			/* a unit-mask bit of PMC5 never holds */ \
	F(COUNTER_STUCK, "counter-stuck")		/* bit 17 of PMD6 reads 1 */ \
	F(COUNTER_NARROW, "counter-narrow")		/* counters wrap at 28 bits */ \
	F(SIGN_MISSING, "sign-missing")			/* counters are not sign-extended when read */ \
	F(ACCESS_UNCHECKED, "access-unchecked")		/* writes of PMV's reserved bits do not fault */ \
	F(COUNT_LOST, "count-lost")			/* one event in 2^10 is missing when a counter is read */ \
	F(FREEZE_IGNORED, "freeze-ignored")		/* counters count on while PMC0.fr is 1 */ \
	F(PLM_IGNORED, "plm-ignored")			/* all privilege levels count */ \
	F(PM_IGNORED, "pm-ignored")			/* PSR.up or PSR.pp, either enables all monitors */ \
	F(ISM_IGNORED, "ism-ignored")			/* both instruction sets count */ \
	F(UMASK_IGNORED, "umask-ignored")		/* all of an event's sub-events count */ \
	F(THRESHOLD_WRONG, "threshold-wrong")		/* greater or equal, not greater */ \
	F(OVERFLOW_LOST, "overflow-lost")		/* an overflow leaves no bit in PMC0 */ \
	F(STICKY_LOST, "sticky-lost")			/* an overflow clears the bits of earlier ones */ \
	F(SIMULTANEOUS_LOST, "simultaneous-lost")	/* of several overflows in a cycle one is seen */ \
	F(RESIDUE_LOST, "residue-lost")			/* a counter is 0 once it has overflowed */ \
	F(OI_IGNORED, "oi-ignored")			/* oi set: neither freeze nor interrupt */ \
	F(OI_ALWAYS, "oi-always")			/* oi clear: freeze and interrupt all the same */ \
	F(FREEZE_MISSING, "freeze-missing")		/* an overflow interrupts and does not freeze */ \
	F(INTERRUPT_MISSING, "interrupt-missing")	/* an overflow freezes and does not interrupt */ \
	F(INTERRUPT_TWICE, "interrupt-twice")		/* unfreezing interrupts once more */ \
	F(MASK_IGNORED, "mask-ignored")			/* PMV.m does not keep an interrupt back */ \
	F(TIMER_MISSING, "timer-missing")		/* ITC reaching ITM does not interrupt */ \
	F(TIMER_MASK_IGNORED, "timer-mask-ignored")	/* ITV.m does not keep that back */ \
	F(USER_READ_OPEN, "user-read-open")		/* PSR.sp and pm do not protect PMDs */ \
	F(READ_CLOSED, "read-closed")			/* they close PMDs to level 0, too */ \
	F(IBR_IGNORED, "ibr-ignored")			/* all instruction addresses are in range */ \
	F(OPCODE_IGNORED, "opcode-ignored")		/* all opcodes match */ \
	F(DBR_IGNORED, "dbr-ignored")			/* all data addresses are in range */ \
	F(EAR_VALID_MISSING, "ear-valid-missing")	/* a captured address is not marked valid */ \
	F(EAR_THRESHOLD_WRONG, "ear-threshold-wrong")	/* latencies of the threshold itself are not captured */ \
	F(BTB_WRAP, "btb-wrap")				/* the branch trace never says it is full */ \
	F(BTB_SLOT, "btb-slot")				/* a branch that is not taken is recorded as slot 0 */

#define FAULT_NUMBER(name, text) FAULT_##name,
enum { FAULTS(FAULT_NUMBER) NO_FAULT = -1 };

#endif
