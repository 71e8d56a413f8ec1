/* SPDX-License-Identifier: BSD-2-Clause */
/* Performance counters of the SPARC T4's memory controllers: SPARC T4 Supplement to Oracle SPARC Architecture 2011, draft
 * D0.4, section 10.5. Addresses: hal.h. */
#ifndef SPARCT4_DRAM_REGS_H
#define SPARCT4_DRAM_REGS_H

#include "field.h"

#define DRAM_CONTROLLERS	4
#define DRAM_COUNTERS		4	/* of a controller */
#define DRAM_COUNTER_WIDTH	31

/* Of controller 0; those of the others follow. Physical addresses F80400000408h, 410h, 418h, step 1000h. */
#define DRAM_PERF_CTL_0		0x80040800
#define DRAM_PERF_COUNT01_0	0x80041000
#define DRAM_PERF_COUNT23_0	0x80041800

/* Table 10-4. */
#define DRAM_PERF_CTL_REG(F, R)		\
	F(R, sel0, 0, 4, RW, 0)		\
	F(R, sel1, 4, 4, RW, 0)		\
	F(R, sel2, 8, 4, RW, 0)		\
	F(R, sel3, 12, 4, RW, 0)	\
	F(R, RESERVED_16, 16, 48, RO, UNDEFINED)
REGISTER_FIELDS(DRAM_PERF_CTL_REG)

/* Tables 10-5 and 10-6. */
#define DRAM_PERF_COUNT01_REG(F, R)	\
	F(R, counter1, 0, 31, RW, 0)	\
	F(R, sticky1, 31, 1, RW, 0)	\
	F(R, counter0, 32, 31, RW, 0)	\
	F(R, sticky0, 63, 1, RW, 0)
REGISTER_FIELDS(DRAM_PERF_COUNT01_REG)

#define DRAM_PERF_COUNT23_REG(F, R)	\
	F(R, counter2, 0, 31, RW, 0)	\
	F(R, sticky2, 31, 1, RW, 0)	\
	F(R, counter3, 32, 31, RW, 0)	\
	F(R, sticky3, 63, 1, RW, 0)
REGISTER_FIELDS(DRAM_PERF_COUNT23_REG)

#endif
