/* SPDX-License-Identifier: BSD-2-Clause */
/* The model's defects. */
#ifndef NEHALEM_FAULTS_H
#define NEHALEM_FAULTS_H

/* Defects that can be switched on. The names are what a person writes: fault=freeze-missing. */
#define FAULTS(F)								\
	F(RESET_VALUE, "reset-value")			/* global control resets to 0 */ \
	F(SELECT_STUCK, "select-stuck")			/* a unit-mask bit of select 1 never holds */ \
	F(COUNTER_STUCK, "counter-stuck")		/* bit 17 of counter 2 reads 1 */ \
	F(COUNTER_NARROW, "counter-narrow")		/* counters wrap at 40 bits */ \
	F(WRAP_SKIPS, "wrap-skips")			/* counters of cycles wrap to 512 */ \
	F(SIGN_MISSING, "sign-missing")			/* counter writes are not extended */ \
	F(ACCESS_UNCHECKED, "access-unchecked")		/* writes of reserved bits and the like do not fault */ \
	F(COUNT_LOST, "count-lost")			/* one event in 2^10 is missing when a counter is read */ \
	F(RDPMC_SHORT, "rdpmc-short")			/* RDPMC gives 32 bits */ \
	F(EN_IGNORED, "en-ignored")			/* EN clear: counts all the same */ \
	F(GLOBAL_IGNORED, "global-ignored")		/* fixed counter 1 ignores global control */ \
	F(USR_IGNORED, "usr-ignored")			/* level 3 counts without USR */ \
	F(OS_IGNORED, "os-ignored")			/* level 0 counts without OS */ \
	F(CMASK_WRONG, "cmask-wrong")			/* greater than, not greater or equal */ \
	F(INV_IGNORED, "inv-ignored")			/* CMASK is never inverted */ \
	F(EDGE_IGNORED, "edge-ignored")			/* every asserted cycle counts */ \
	F(STATUS_LOST, "status-lost")			/* an overflow leaves no status */ \
	F(INT_MISSING, "int-missing")			/* INT set: no interrupt */ \
	F(INT_ALWAYS, "int-always")			/* INT clear: interrupt all the same */ \
	F(FREEZE_MISSING, "freeze-missing")		/* an overflow does not freeze */ \
	F(ACKNOWLEDGE_ALL, "acknowledge-all")		/* clearing one status bit clears all */ \
	F(ACKNOWLEDGE_LOST, "acknowledge-lost")		/* status bits cannot be cleared */ \
	F(RESIDUE_LOST, "residue-lost")			/* a counter stays at 0 once it has overflowed */ \
	F(SIMULTANEOUS_LOST, "simultaneous-lost")	/* of several overflows in a cycle one is seen */ \
	F(RELOAD_IGNORED, "reload-ignored")		/* a counter with its overflow pending ignores writes */ \
	F(LINE_STUCK, "line-stuck")			/* enabling any counter interrupts */ \
	F(HALT_COUNTED, "halt-counted")			/* counters count on while halted, frozen or not */ \
	F(CLOCK_SUMMED, "clock-summed")			/* any thread's clock is the sum of both */ \
	F(PORT234_BY_THREAD, "port234-by-thread")	/* the memory ports count for one thread */ \
	F(LDLAT_IGNORED, "ldlat-ignored")		/* loads of any latency count */ \
	F(LDLAT_EQUAL, "ldlat-equal")			/* greater or equal, not greater than the threshold */ \
	F(OFFCORE_IGNORED, "offcore-ignored")		/* any request and response counts */ \
	F(PEBS_INDEX_OVERRUN, "pebs-index-overrun")	/* records are written beyond the buffer's end */ \
	F(PEBS_RESET_IGNORED, "pebs-reset-ignored")	/* a record does not reload its counter */ \
	F(PEBS_THRESHOLD_IGNORED, "pebs-threshold-ignored") /* no interrupt at the buffer's threshold */ \
	F(PEBS_STATUS_LOST, "pebs-status-lost")		/* records do not say whose they are */ \
	F(PEBS_ALWAYS, "pebs-always")			/* overflows are recorded, enabled or not */ \
	F(DS_UNCANONICAL, "ds-uncanonical")		/* IA32_DS_AREA takes what is no address */ \
	F(LBR_NOT_FROZEN, "lbr-not-frozen")		/* an interrupt does not stop the branch records */ \
	F(LBR_FILTER_IGNORED, "lbr-filter-ignored")	/* branches that are to be left out are recorded */ \
	F(LBR_TOS_STUCK, "lbr-tos-stuck")		/* all branches go into one record */ \
	F(LBR_SWAPPED, "lbr-swapped")			/* source and target are exchanged */ \
	F(UNCORE_SIGNAL_LOST, "uncore-signal-lost")	/* the package's signal interrupts nobody */

#define FAULT_NUMBER(name, text) FAULT_##name,
enum { FAULTS(FAULT_NUMBER) NO_FAULT = -1 };

#endif
