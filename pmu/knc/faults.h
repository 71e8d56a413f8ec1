/* SPDX-License-Identifier: BSD-2-Clause */
/* The model's defects. */
#ifndef KNC_FAULTS_H
#define KNC_FAULTS_H

/* Defects that can be switched on. The names are what a person writes: fault=spflt-ignored. */
#define FAULTS(F)								\
	F(RESET_VALUE, "reset-value")			/* IA32_PERF_GLOBAL_CTRL resets to 3 */ \
	F(SELECT_STUCK, "select-stuck")			/* bit 5 of select 1's unit mask never holds */ \
	F(COUNTER_STUCK, "counter-stuck")		/* bit 17 of counter 1 reads 1 */ \
	F(COUNTER_NARROW, "counter-narrow")		/* counters wrap at 32 bits */ \
	F(SIGN_EXTENDED, "sign-extended")		/* a counter write takes 32 bits and extends them */ \
	F(ACCESS_UNCHECKED, "access-unchecked")		/* writes of reserved bits and the like do not fault */ \
	F(RDPMC_SHORT, "rdpmc-short")			/* RDPMC gives 32 bits */ \
	F(RDPMC_UNCHECKED, "rdpmc-unchecked")		/* RDPMC of a counter that does not exist reads 0 */ \
	F(EN_IGNORED, "en-ignored")			/* EN clear: counts all the same */ \
	F(GLOBAL_IGNORED, "global-ignored")		/* counter 1 ignores IA32_PERF_GLOBAL_CTRL */ \
	F(USR_IGNORED, "usr-ignored")			/* levels 1 to 3 count without USR */ \
	F(OS_IGNORED, "os-ignored")			/* level 0 counts without OS */ \
	F(LEVELS_SWAPPED, "levels-swapped")		/* OS and USR are exchanged */ \
	F(ANY_IGNORED, "any-ignored")			/* thread count mode set: counts its own thread */ \
	F(ANY_ALWAYS, "any-always")			/* thread count mode clear: counts all threads */ \
	F(NO_THREAD_FILTERED, "no-thread-filtered")	/* without it, events of no thread count for who executes */ \
	F(THREADS_SHARE, "threads-share")		/* the threads have one IA32_PERF_GLOBAL_CTRL */ \
	F(SPFLT_IGNORED, "spflt-ignored")		/* counters do not look at the preference */ \
	F(SPFLT_INVERTED, "spflt-inverted")		/* they count while it is clear */ \
	F(SPFLT_ALWAYS, "spflt-always")			/* all do, whether they are left to it or not */ \
	F(SPFLT_LOST, "spflt-lost")			/* the instruction leaves the preference as it is */ \
	F(CMASK_WRONG, "cmask-wrong")			/* greater than, not greater or equal */ \
	F(INV_IGNORED, "inv-ignored")			/* CMASK is never inverted */ \
	F(EDGE_IGNORED, "edge-ignored")			/* every asserted cycle counts */ \
	F(ILLEGAL_COUNTED, "illegal-counted")		/* an event that does not exist counts cycles */ \
	F(EVENT_0_UNUSED, "event-0-unused")		/* event 0 with unit mask 0 counts nothing */ \
	F(UMASK_IGNORED, "umask-ignored")		/* an event code counts whatever the unit is */ \
	F(HALT_COUNTED, "halt-counted")			/* counters count while all threads are halted */ \
	F(STATUS_LOST, "status-lost")			/* an overflow leaves no status */ \
	F(STATUS_FADES, "status-fades")			/* reading the status clears it */ \
	F(SIMULTANEOUS_LOST, "simultaneous-lost")	/* of several overflows in a cycle one is seen */ \
	F(CLEAR_ALL, "clear-all")			/* clearing one status bit clears both */ \
	F(CLEAR_LOST, "clear-lost")			/* status bits cannot be cleared */ \
	F(INT_MISSING, "int-missing")			/* INT set: no interrupt */ \
	F(INT_ALWAYS, "int-always")			/* INT clear: interrupt all the same */ \
	F(LINE_STUCK, "line-stuck")			/* the line does not fall */ \
	F(LINE_REPEATS, "line-repeats")			/* an overflow interrupts although the line is up */ \
	F(LINE_OF_THREAD_0, "line-of-thread-0")		/* all threads' lines lead to thread 0 */ \
	F(CLOCK_STOPS, "clock-stops")			/* the time-stamp counter stops with the counters */ \
	F(CLOCK_HALTS, "clock-halts")			/* it stops while all threads are halted */ \
	F(CLOCK_SPLIT, "clock-split")			/* a write of it reaches the writing thread only */

#define FAULT_NUMBER(name, text) FAULT_##name,
enum { FAULTS(FAULT_NUMBER) NO_FAULT = -1 };

#endif
