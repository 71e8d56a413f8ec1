/* SPDX-License-Identifier: BSD-2-Clause */
/* The events that executing code raises on the performance monitor's event signals. Sections and
 * tables are those of the Itanium processor's reference manual. */
#ifndef IA64_EVENTS_H
#define IA64_EVENTS_H

/* Bits of unit masks (7.8): speculation, by register file; IA64_INST_RETIRED of the register stack
 * engine (table 7-30); BRANCH_TAKEN_SLOT without a taken branch (table 7-29); BUS_* (table
 * 7-22). */
#define SUB_INTEGER	1
#define SUB_FLOAT	2
#define SUB_RSE		1
#define SUB_WEIGHT	1	/* FP_OPS_RETIRED_LO: an operation's weight. The model adds these
				 * up, and derives LO and HI. */
#define SUB_NOT_TAKEN	8
#define SUB_OTHER_FLUSH	1	/* table 7-32 */
#define SUB_ANY		1	/* another processor: counts for any initiator only */
#define SUB_SELF	2
#define SUB_IO		4
#define SUB_READ	1	/* L2_DATA_REFERENCES; a semaphore is one of each */
#define SUB_WRITE	2
#define SUB_HIT		1	/* L3_READS, L3_WRITES; bits 4 and 8 are the kind of request */
#define SUB_MISS	2
#define SUB_DTC_FLUSH	4
#define SUB_IEU_FLUSH	8
#define SUB_ST_BUFFER	1	/* L2_FLUSH_DETAILS (table 7-31) */
#define SUB_ADDRESS_CONFLICT	2
#define SUB_BUS_REJECT	4
/* BRANCH_PATH, _PREDICTOR, _MULTIWAY: stage or taken in bits 3:2, outcome of the prediction in bits
 * 1:0. */
#define SUB_STAGE(stage)	((unsigned)(stage) << 2)
#define SUB_PATH_RIGHT		2
#define SUB_TAKEN		1
#define SUB_CORRECT		1
#define SUB_WRONG_PATH		2
#define SUB_WRONG_TARGET	3
/* BRANCH_PREDICTOR: a TAR hit; the third stage predicts otherwise */
#define SUB_OVERRIDDEN		SUB_STAGE(1)
#define SUB_MULTIWAY_TAKEN	0xC
#define SUB_MULTIWAY_NOT_TAKEN	8

/* Sets of sub-events: either register file; each outcome of a prediction, with these bits; the
 * paths of a stage (the first stage predicts each branch taken, 7.8); hits and misses of L3, of two
 * kinds of requests. */
#define SET(sub)	(1u << (sub))
#define NO_SUB		SET(0)
#define ONE_FILE	(SET(SUB_INTEGER) | SET(SUB_FLOAT))
#define OUTCOMES(bits) \
	(SET((bits) | SUB_CORRECT) | SET((bits) | SUB_WRONG_PATH) | SET((bits) | SUB_WRONG_TARGET))
#define PATHS(stage)		(0xFu << SUB_STAGE(stage))
#define PATHS_OF_TAKEN(stage)	(SET(SUB_STAGE(stage)) | \
				 SET(SUB_STAGE(stage) | SUB_PATH_RIGHT | SUB_TAKEN))
#define PROCESSORS	(SET(SUB_ANY) | SET(SUB_SELF))
#define INITIATORS	(PROCESSORS | SET(SUB_IO))
#define L3_RESULTS	(SET(4 | SUB_HIT) | SET(4 | SUB_MISS) | SET(8 | SUB_HIT) | \
			 SET(8 | SUB_MISS))

/* Events that the machine raises, with their codes and the set of their unit-mask bits (7.8).
 * tests/unit/hal/test_ia64_events.c compares them with events.tab, tests/boot/ia64_events.t with
 * the events that programs raise. */
#define IA64_EVENTS(E) \
	E(PIPELINE_BACKEND_FLUSH_CYCLE, 0x00, NO_SUB) E(INST_ACCESS_CYCLE, 0x01, NO_SUB) \
	E(DEPENDENCY_SCOREBOARD_CYCLE, 0x02, NO_SUB) E(DATA_ACCESS_CYCLE, 0x03, NO_SUB) \
	E(PIPELINE_ALL_FLUSH_CYCLE, 0x04, NO_SUB) E(UNSTALLED_BACKEND_CYCLE, 0x05, NO_SUB) \
	E(DEPENDENCY_ALL_CYCLE, 0x06, NO_SUB) E(MEMORY_CYCLE, 0x07, NO_SUB) \
	E(IA64_INST_RETIRED, 0x08, NO_SUB | SET(SUB_RSE)) \
	E(FP_OPS_RETIRED_LO, 0x09, SET(SUB_WEIGHT)) E(FP_FLUSH_TO_ZERO, 0x0B, NO_SUB) \
	E(BRANCH_TAKEN_SLOT, 0x0D, SET(1) | SET(2) | SET(4) | SET(SUB_NOT_TAKEN)) \
	E(BRANCH_MULTIWAY, 0x0E, OUTCOMES(SUB_MULTIWAY_TAKEN) | \
	  SET(SUB_MULTIWAY_NOT_TAKEN | SUB_CORRECT) |	\
	  SET(SUB_MULTIWAY_NOT_TAKEN | SUB_WRONG_PATH))	\
	E(BRANCH_PATH, 0x0F, PATHS_OF_TAKEN(1) | PATHS(2) | PATHS(3)) \
	E(BRANCH_PREDICTOR, 0x10, \
	  SET(SUB_OVERRIDDEN) | OUTCOMES(SUB_STAGE(1)) | OUTCOMES(SUB_STAGE(2)) |	\
	  OUTCOMES(SUB_STAGE(3)))	\
	E(CPU_CYCLES, 0x12, NO_SUB) \
	E(L1I_DEMAND_READS, 0x20, NO_SUB) E(L1I_FILLS, 0x21,	\
					    NO_SUB) E(L2_INST_DEMAND_READS, 0x22, NO_SUB)	\
	E(L1I_PREFETCH_READS, 0x24, NO_SUB) E(L2_INST_PREFETCH_READS, 0x25, NO_SUB) \
	E(ISB_LINES_IN, 0x26, NO_SUB) E(ITLB_MISSES_FETCH, 0x27,	\
					NO_SUB) E(ITLB_INSERTS_HPW, 0x28, NO_SUB)	\
	E(INST_DISPERSED, 0x2D, NO_SUB) E(EXPL_STOPS_DISPERSED, 0x2E, NO_SUB) \
	E(ALL_STOPS_DISPERSED, 0x2F, NO_SUB) \
	E(NOPS_RETIRED, 0x30, NO_SUB) E(PREDICATE_SQUASHED_RETIRED, 0x31, NO_SUB) \
	E(PIPELINE_FLUSH, 0x33,	\
	  SET(SUB_OTHER_FLUSH) | SET(SUB_DTC_FLUSH) | SET(SUB_IEU_FLUSH)) \
	E(CPU_CPL_CHANGES, 0x34, NO_SUB) \
	E(INST_FAILED_CHKS_RETIRED, 0x35, ONE_FILE) E(ALAT_INST_CHKA_LDC, 0x36, ONE_FILE) \
	E(ALAT_INST_FAILED_CHKA_LDC, 0x37, ONE_FILE) E(ALAT_REPLACEMENT, 0x38, ONE_FILE) \
	E(BUS_RD_HIT, 0x40, NO_SUB) E(BUS_RD_HITM, 0x41, NO_SUB) \
	E(BUS_RD_INVAL_HITM, 0x42, NO_SUB) E(BUS_RD_INVAL_BST_HITM, 0x43, NO_SUB) \
	E(BUS_HITM, 0x44, NO_SUB) \
	E(BUS_SNOOPS_HITM, 0x45, SET(SUB_ANY)) E(BUS_SNOOPS, 0x46, SET(SUB_ANY)) \
	E(BUS_ALL, 0x47, INITIATORS) E(BUS_PARTIAL, 0x48, SET(SUB_SELF) | SET(SUB_IO)) \
	E(BUS_BURST, 0x49, INITIATORS) E(BUS_MEMORY, 0x4A, INITIATORS) \
	E(BUS_RD_ALL, 0x4B, INITIATORS) E(BUS_RD_DATA, 0x4C, INITIATORS) \
	E(BUS_RD_PRTL, 0x4D, SET(SUB_SELF) | SET(SUB_IO)) \
	E(BUS_RD_INVAL, 0x4E, SET(SUB_SELF)) E(BUS_RD_INVAL_BST, 0x4F, PROCESSORS) \
	E(BUS_WR_WB, 0x52, INITIATORS) \
	E(BUS_IOQ_LIVE_REQ_LO, 0x57, NO_SUB) E(BUS_IOQ_LIVE_REQ_HI, 0x58, NO_SUB) \
	E(BUS_BRQ_LIVE_REQ_LO, 0x5B, NO_SUB) E(BUS_BRQ_LIVE_REQ_HI, 0x5C, NO_SUB) \
	E(BUS_BRQ_READ_REQ_INSERTED, 0x5D, NO_SUB) \
	E(DTC_MISSES, 0x60, NO_SUB) E(DTLB_MISSES, 0x61, NO_SUB) E(DTLB_INSERTS_HPW, 0x62, NO_SUB) \
	E(DATA_REFERENCES_RETIRED, 0x63, NO_SUB) E(L1D_READS_RETIRED, 0x64, NO_SUB) \
	E(RSE_REFERENCES_RETIRED, 0x65, NO_SUB) E(L1D_READ_MISSES_RETIRED, 0x66, NO_SUB) \
	E(L2_REFERENCES, 0x68, NO_SUB) \
	E(L2_DATA_REFERENCES, 0x69, SET(SUB_READ) | SET(SUB_WRITE)) \
	E(L2_MISSES, 0x6A, NO_SUB) E(LOADS_RETIRED, 0x6C, NO_SUB) E(STORES_RETIRED, 0x6D, NO_SUB) \
	E(UC_LOADS_RETIRED, 0x6E, NO_SUB) E(UC_STORES_RETIRED, 0x6F, NO_SUB) \
	E(MISALIGNED_LOADS_RETIRED, 0x70, NO_SUB) E(MISALIGNED_STORES_RETIRED, 0x71, NO_SUB) \
	E(RSE_LOADS_RETIRED, 0x72, NO_SUB) E(L2_FLUSHES, 0x76, NO_SUB) \
	E(L2_FLUSH_DETAILS, 0x77, \
	  SET(SUB_ST_BUFFER) | SET(SUB_ADDRESS_CONFLICT) | SET(SUB_BUS_REJECT)) \
	E(L3_REFERENCES, 0x7B,	\
					     NO_SUB) E(L3_MISSES, 0x7C, NO_SUB)	\
	E(L3_READS, 0x7D, L3_RESULTS) E(L3_WRITES, 0x7E, \
					L3_RESULTS) E(L3_LINES_REPLACED, 0x7F, NO_SUB)
#define IA64_EVENT_CODE(name, code, subs) EVENT_##name = (code),
enum ia64_event { IA64_EVENTS(IA64_EVENT_CODE) };
#define EVENT_CODES	128
#define EVENT_SUBS	16

/* Events that the monitor itself raises at captures; and the interval timer's event, which is not a
 * monitor's. */
#define IA64_CAPTURES(E) \
	E(BRANCH_EVENT, 0x11, NO_SUB) E(INSTRUCTION_EAR_EVENTS, 0x23, \
					NO_SUB) E(DATA_EAR_EVENTS, 0x67, NO_SUB)
#define INTERVAL_TIMER	0x100

#endif
