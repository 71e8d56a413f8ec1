/* SPDX-License-Identifier: BSD-2-Clause */
/* The model's defects. */
#ifndef SPARCT4_FAULTS_H
#define SPARCT4_FAULTS_H

/* Defects that can be switched on. The names are what a person writes: fault=precise-lost. */
#define FAULTS(F)								\
	F(RESET_VALUE, "reset-value")			/* PCR1 resets with toe set */ \
	F(SELECT_STUCK, "select-stuck")			/* bit 2 of PCR1's sl never holds */ \
	F(COUNTER_STUCK, "counter-stuck")		/* bit 17 of PIC2 reads 1 */ \
	F(COUNTER_NARROW, "counter-narrow")		/* counters wrap at 28 bits */ \
	F(RESERVED_STICKS, "reserved-sticks")		/* reserved bits of a PCR hold what is written */ \
	F(ACCESS_UNCHECKED, "access-unchecked")		/* counters that do not exist read as 0 and take writes */ \
	F(PICNHT_IGNORED, "picnht-ignored")		/* picnht keeps nobody from a PIC */ \
	F(PICNPT_IGNORED, "picnpt-ignored")		/* picnpt keeps nobody from a PIC */ \
	F(MASK_IGNORED, "mask-ignored")			/* all of a group counts, whatever the mask */ \
	F(UT_IGNORED, "ut-ignored")			/* user mode counts without ut */ \
	F(ST_IGNORED, "st-ignored")			/* privileged mode counts without st */ \
	F(HT_IGNORED, "ht-ignored")			/* hyperprivileged mode counts without ht */ \
	F(OV_LOST, "ov-lost")				/* an overflow leaves no ov */ \
	F(OV_WRITABLE, "ov-writable")			/* writing 1 sets ov */ \
	F(OV_UNCLEARED, "ov-uncleared")			/* writing 0 does not clear ov */ \
	F(CLEAR_ALL, "clear-all")			/* clearing one ov clears all */ \
	F(REWRITE_MISSING, "rewrite-missing")		/* a PCR write clears the ov that it causes itself */ \
	F(NTC_MISSING, "ntc-missing")			/* ntc is never set */ \
	F(SIMULTANEOUS_LOST, "simultaneous-lost")	/* of several overflows at once one is seen */ \
	F(TOE_IGNORED, "toe-ignored")			/* overflows trap without toe */ \
	F(PRECISE_LOST, "precise-lost")			/* no precise trap ever */ \
	F(PRECISE_LATE, "precise-late")			/* a precise trap comes at the next instruction */ \
	F(PRECISE_IN_HYPERPRIVILEGED, "precise-in-hyperprivileged") /* neither ht nor the mode loses a trap */ \
	F(DISRUPTING_MISSING, "disrupting-missing")	/* no disrupting trap ever */

#define FAULT_NUMBER(name, text) FAULT_##name,
enum { FAULTS(FAULT_NUMBER) NO_FAULT = -1 };

#endif
