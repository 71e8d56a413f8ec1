// SPDX-License-Identifier: BSD-2-Clause
// Meanings of the fields of the Itanium processor's monitoring registers, after the tables that
// regs.h names, and of sub-events.

#include "meaning.h"
#include "model.h"

static const struct field_meaning meanings[] = {
	{"PMC0", "fr", 0, "monitoring runs"},
	{"PMC0", "fr", 1, "monitoring is frozen"},
	{"PMC0", "overflow", 0, "no counter has overflowed"},
	{"PMC0", "overflow", MEANING_ANY,
	 "counters that have overflowed: bit n of the register is PMDn"},

	{"PMC*", "plm", 0x0, "monitors at no privilege level"},
	{"PMC*", "plm", 0x1, "monitors at privilege level 0"},
	{"PMC*", "plm", 0x8, "monitors at privilege level 3"},
	{"PMC*", "plm", 0xF, "monitors at all privilege levels"},
	{"PMC*", "plm", MEANING_ANY, "monitors at these privilege levels: bit n is level n"},
	{"PMC*", "pm", 0, "user monitor: enabled by PSR.up"},
	{"PMC*", "pm", 1, "privileged monitor: enabled by PSR.pp"},
	{"PMC*", "ism", 0, "monitors Itanium and IA-32 code"},
	{"PMC*", "ism", 1, "monitors IA-32 code only"},
	{"PMC*", "ism", 2, "monitors Itanium code only"},
	{"PMC*", "ism", 3, "monitors neither instruction set"},
	{"PMC[4-7]", "ev", 0, "an overflow is not seen outside"},
	{"PMC[4-7]", "ev", 1, "an overflow strobes a pin: BPM0 for PMC4 to BPM3 for PMC7"},
	{"PMC[4-7]", "oi", 0, "an overflow neither interrupts nor freezes"},
	{"PMC[4-7]", "oi", 1, "an overflow interrupts and freezes"},
	{"PMC[4-7]", "es", MEANING_ANY, "event code"},
	{"PMC[4-7]", "umask", MEANING_ANY, "the event's unit mask"},
	{"PMC[4-7]", "threshold", 0, "adds the events of each cycle"},
	{"PMC[4-7]", "threshold", MEANING_ANY, "counts the cycles with more events than this"},

	{"PMC[89]", "mask", 0x7FFFFFF, "any encoding matches"},
	{"PMC[89]", "mask", MEANING_ANY, "encoding bits 40:27 and 12:0 that may have any value"},
	{"PMC[89]", "match", MEANING_ANY,
	 "required values of the other encoding bits of 40:27 and 12:0"},
	{"PMC[89]", "b", 0, "B-type instructions do not match"},
	{"PMC[89]", "b", 1, "B-type instructions may match"},
	{"PMC[89]", "f", 0, "F-type instructions do not match"},
	{"PMC[89]", "f", 1, "F-type instructions may match"},
	{"PMC[89]", "i", 0, "I-type instructions do not match"},
	{"PMC[89]", "i", 1, "I-type instructions may match"},
	{"PMC[89]", "m", 0, "M-type instructions do not match"},
	{"PMC[89]", "m", 1, "M-type instructions may match"},

	{"PMC10", "tlb", 0, "captures instruction cache misses"},
	{"PMC10", "tlb", 1, "captures instruction TLB misses"},
	{"PMC10", "umask", MEANING_ANY,
	 "cache: latency of 2^(umask+2) cycles or more, none above 10; TLB: bit 2 VHPT hits, bit 3 "
	 "by software"},
	{"PMC11", "tlb", 0, "captures data cache load misses"},
	{"PMC11", "tlb", 1, "captures L1 data TLB misses"},
	{"PMC11", "umask", MEANING_ANY,
	 "cache: latency of 2^(umask+2) cycles or more, none above 10; "
	 "TLB: bit 1 L2 DTLB hits, bit 2 VHPT hits, bit 3 by software"},
	{"PMC11", "pt", 0, "data address ranges of the DBRs qualify events"},
	{"PMC11", "pt", 1, "tags pass: no data address range"},

	{"PMC12", "tar", 0, "no branches that the TAR predicted"},
	{"PMC12", "tar", 1, "captures branches that the TAR predicted"},
	{"PMC12", "tm", 0, "captures no branch"},
	{"PMC12", "tm", 1, "captures branches not taken"},
	{"PMC12", "tm", 2, "captures taken branches"},
	{"PMC12", "tm", 3, "captures branches taken or not"},
	{"PMC12", "ptm", 0, "no branch by its target prediction"},
	{"PMC12", "ptm", 1, "captures branches with a mispredicted target"},
	{"PMC12", "ptm", 2, "captures branches with a correctly predicted target"},
	{"PMC12", "ptm", 3, "captures branches with any target prediction"},
	{"PMC12", "ppm", 0, "no branch by its path prediction"},
	{"PMC12", "ppm", 1, "captures branches with a mispredicted path"},
	{"PMC12", "ppm", 2, "captures branches with a correctly predicted path"},
	{"PMC12", "ppm", 3, "captures branches with any path prediction"},
	{"PMC12", "bpt", 0, "no branches that the TAC predicted"},
	{"PMC12", "bpt", 1, "captures branches that the TAC predicted"},
	{"PMC12", "bac", 0, "no branches that the BAC predicted"},
	{"PMC12", "bac", 1, "captures branches that the BAC predicted"},
	{"PMC13", "ta", 0, "instruction address ranges of the IBRs qualify events"},
	{"PMC13", "ta", 1, "all instructions are tagged: no instruction address range"},

	{"PMD[4-7]", "count", MEANING_ANY, "the count: a carry out of bit 31 is an overflow"},
	{"PMD0", "v", 0, "nothing was captured"},
	{"PMD0", "v", 1, "an event was captured"},
	{"PMD0", "tlb", 0, "TLB mode: the VHPT had the translation"},
	{"PMD0", "tlb", 1, "TLB mode: software handled the miss"},
	{"PMD0", "address", MEANING_ANY, "the instruction cache line's address, bits 50:5"},
	{"PMD[13]", "latency", MEANING_ANY, "cache mode: cycles that the miss took"},
	{"PMD2", "address", MEANING_ANY, "the data address, bits 50:0"},
	{"PMD3", "level", 0, "TLB mode: nothing was captured"},
	{"PMD3", "level", 1, "TLB mode: the L2 data TLB had the translation"},
	{"PMD3", "level", 2, "TLB mode: the VHPT had the translation"},
	{"PMD3", "level", 3, "TLB mode: software handled the miss"},
	{"PMD17", "valid", 0, "nothing was captured"},
	{"PMD17", "valid", 1, "an event was captured"},
	{"PMD17", "slot", MEANING_ANY, "the instruction's slot in its bundle"},
	{"PMD17", "address", MEANING_ANY, "the bundle's address, bits 50:4"},
	{"PMD*", "region", MEANING_ANY, "the address's region, bits 63:61"},
	{"PMD16", "bbi", MEANING_ANY, "the next entry to be written is PMD8 plus this"},
	{"PMD16", "full", 0, "the branch trace buffer has not wrapped"},
	{"PMD16", "full", 1, "the branch trace buffer has wrapped"},
	{"PMD*", "b", 0, "a branch's target, if mp is 1; else the entry is invalid"},
	{"PMD*", "b", 1, "a branch"},
	{"PMD*", "mp", 0, "of a branch: predicted correctly"},
	{"PMD*", "mp", 1, "of a branch: mispredicted; without b: a valid target"},
	{"PMD*", "slot", 3, "of a branch: it was not taken"},
	{"PMD*", "slot", MEANING_ANY, "of a branch: the first taken one's slot in its bundle"},
	{"PMD*", "address", MEANING_ANY, "the bundle's address, bits 63:4"},

	{"[ID]BR*", "addr", MEANING_ANY, "the address that is compared with"},
	{"[ID]BR*", "mask", MEANING_ANY, "address bits that are compared"},
	{"IBR*", "plm", MEANING_ANY, "matches at these privilege levels: bit n is level n"},
	{"DBR*", "plm", MEANING_ANY, "breakpoint's privilege levels; no part in monitoring"},
	{"IBR*", "x", 0, "no breakpoint: free for monitoring"},
	{"IBR*", "x", 1, "a breakpoint: no address range for monitoring"},
	{"DBR*", "w", MEANING_ANY, "breakpoint on writes; no part in monitoring"},
	{"DBR*", "r", MEANING_ANY, "breakpoint on reads; no part in monitoring"},

	{"DCR", "pp", MEANING_ANY, "value of PSR.pp after an interruption"},
	{"DCR", "other", MEANING_ANY, "no part in monitoring"},
	{"PMV", "vector", MEANING_ANY, "the overflow interrupt's vector"},
	{"PMV", "m", 0, "the overflow interrupt is not masked"},
	{"PMV", "m", 1, "the overflow interrupt is masked"},
	{"ITC", "count", MEANING_ANY, "processor cycles"},
	{"ITM", "match", MEANING_ANY, "the interval timer interrupts when ITC reaches this"},
	{"ITV", "vector", MEANING_ANY, "the interval timer's interrupt vector"},
	{"ITV", "m", 0, "the interval timer's interrupt is not masked"},
	{"ITV", "m", 1, "the interval timer's interrupt is masked"},
	{"PSR", "up", 0, "user monitors are off"},
	{"PSR", "up", 1, "user monitors are on"},
	{"PSR", "sp", 0, "user code may read the PMDs of user monitors"},
	{"PSR", "sp", 1, "user code reads PMDs as 0"},
	{"PSR", "pp", 0, "privileged monitors are off"},
	{"PSR", "pp", 1, "privileged monitors are on"},
	{"PSR", "db", 0, "address breakpoints are off"},
	{"PSR", "db", 1, "address breakpoints are on: no address ranges for monitoring"},
	{"PSR", "cpl", MEANING_ANY, "the current privilege level"},
	{"PSR", "is", 0, "executes Itanium code"},
	{"PSR", "is", 1, "executes IA-32 code"},
};

// Codes of the events (7.8).
#define BRANCH_TAKEN_SLOT	0x0D
#define BRANCH_MULTIWAY		0x0E
#define BRANCH_PATH		0x0F
#define BRANCH_PREDICTOR	0x10
#define ITLB_MISSES_FETCH	0x27
#define DTC_MISSES		0x60
#define DTLB_MISSES		0x61

// Sub-events of branches (7.8): unit-mask bits 3:2 and 1:0 are two fields. A branch that is not
// taken has no target to mispredict. Prediction stages are 1 to 3. The levels that serve a miss of
// the first TLB: 1 the second TLB, 2 the page walker, 3 software; a miss of the last TLB: 2 or 3.
#define TAKEN		OCCURRENCE_TAKEN
#define WRONG_PATH	OCCURRENCE_WRONG_PATH
#define WRONG_TARGET	OCCURRENCE_WRONG_TARGET

#define BRANCHES(code, mask, sub, which, are)	{code, mask, sub, which, are, 0, 0}
#define IN_SLOT(code, sub, slot)		{code, 15, sub, TAKEN, TAKEN, 1 << (slot), 0}
#define SERVED(code, mask, sub, by)		{code, mask, sub, 0, 0, 0, by}

#define PREDICTIONS(code)									\
	BRANCHES(code, 3, 1, WRONG_PATH | WRONG_TARGET, 0),					\
	BRANCHES(code, 3, 2, WRONG_PATH, WRONG_PATH),						\
	BRANCHES(code, 3, 3, WRONG_PATH | WRONG_TARGET | TAKEN, WRONG_TARGET | TAKEN)
#define STAGES(code)										\
	SERVED(code, 0xC, 0x4, 1 << 1), SERVED(code, 0xC, 0x8, 1 << 2), \
		SERVED(code, 0xC, 0xC, 1 << 3)

static const struct sub_meaning subs[] = {
	IN_SLOT(BRANCH_TAKEN_SLOT, 1, 0),
	IN_SLOT(BRANCH_TAKEN_SLOT, 2, 1),
	IN_SLOT(BRANCH_TAKEN_SLOT, 4, 2),
	BRANCHES(BRANCH_TAKEN_SLOT, 15, 8, TAKEN | WRONG_TARGET, 0),
	BRANCHES(BRANCH_MULTIWAY, 0xC, 0x8, TAKEN | WRONG_TARGET, 0),
	BRANCHES(BRANCH_MULTIWAY, 0xC, 0xC, TAKEN, TAKEN),
	PREDICTIONS(BRANCH_MULTIWAY),
	STAGES(BRANCH_PATH),
	BRANCHES(BRANCH_PATH, 3, 0, TAKEN | WRONG_TARGET | WRONG_PATH, WRONG_PATH),
	BRANCHES(BRANCH_PATH, 3, 1, TAKEN | WRONG_PATH, TAKEN | WRONG_PATH),
	BRANCHES(BRANCH_PATH, 3, 2, TAKEN | WRONG_TARGET | WRONG_PATH, 0),
	BRANCHES(BRANCH_PATH, 3, 3, TAKEN | WRONG_PATH, TAKEN),
	STAGES(BRANCH_PREDICTOR),
	PREDICTIONS(BRANCH_PREDICTOR),
	SERVED(ITLB_MISSES_FETCH, 0, 0, 1 << 2 | 1 << 3),
	SERVED(DTC_MISSES, 0, 0, 1 << 1 | 1 << 2 | 1 << 3),
	SERVED(DTLB_MISSES, 0, 0, 1 << 2 | 1 << 3),
};

const struct target_meanings target_meanings_itanium = {
	.target = "itanium", .meaning = meanings, .count = sizeof meanings / sizeof *meanings,
	.sub = subs, .sub_count = sizeof subs / sizeof *subs,
};
