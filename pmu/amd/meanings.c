// SPDX-License-Identifier: BSD-2-Clause
// Meanings of the fields of the registers of AMD's core PMU, after the manuals that regs.h names.

#include "meaning.h"

static const struct field_meaning meanings[] = {
	{"*", "EVENT_SELECT", MEANING_ANY, "event code, bits 7 to 0"},
	{"*", "EVENT_SELECT_HIGH", MEANING_ANY, "event code, bits 11 to 8"},
	{"*", "UNIT_MASK", MEANING_ANY, "the event's unit mask"},
	{"*", "USR", 0, "does not count at levels 1 to 3"},
	{"*", "USR", 1, "counts at levels 1 to 3"},
	{"*", "OS", 0, "does not count at level 0"},
	{"*", "OS", 1, "counts at level 0"},
	{"*", "EDGE", 0, "counts all cycles of the condition"},
	{"*", "EDGE", 1, "counts the condition's beginnings"},
	{"*", "INT", 0, "an overflow does not interrupt"},
	{"*", "INT", 1, "an overflow interrupts"},
	{"*", "EN", 0, "the counter is disabled"},
	{"*", "EN", 1, "the counter is enabled"},
	{"*", "INV", 0, "condition: at least CNT_MASK events in a cycle"},
	{"*", "INV", 1, "condition: fewer than CNT_MASK events in a cycle"},
	{"*", "CNT_MASK", 0, "adds up the events of each cycle"},
	{"*", "CNT_MASK", MEANING_ANY, "counts cycles, by how many events they have"},
	{"*", "HG_ONLY", 0, "counts in guests and in the host"},
	{"*", "HG_ONLY", 1, "counts in guests only, if EFER.SVME is 1"},
	{"*", "HG_ONLY", 2, "counts in the host only, if EFER.SVME is 1"},
	{"*", "HG_ONLY", 3, "counts in guests and in the host, if EFER.SVME is 1"},

	{"*", "COUNT", MEANING_ANY, "the count"},

	{"*", "PerfCntrOvfl", MEANING_ANY, "counters that have overflowed: bit n is PERF_CTRn"},
	{"*", "LbrFreeze", MEANING_ANY, "an overflow interrupt has frozen the branch records"},
	{"*", "PmcFreeze", MEANING_ANY, "an overflow interrupt has frozen the counters"},
	{"*", "PerfCntrEn", MEANING_ANY, "counters that may count: bit n is PERF_CTRn"},
	{"*", "PerfCntrOvflClr", MEANING_ANY, "clears PerfCntrOvfl where it is 1"},
	{"*", "LbrFreezeClr", MEANING_ANY, "clears LbrFreeze if it is 1"},
	{"*", "PmcFreezeClr", MEANING_ANY, "clears PmcFreeze if it is 1"},
	{"*", "PerfCntrOvflSet", MEANING_ANY, "sets PerfCntrOvfl where it is 1"},
	{"*", "LbrFreezeSet", MEANING_ANY, "sets LbrFreeze if it is 1"},
	{"*", "PmcFreezeSet", MEANING_ANY, "sets PmcFreeze if it is 1"},

	{"*", "LBR", MEANING_ANY, "branch records in registers"},
	{"*", "BTF", MEANING_ANY, "TF traps on branches only"},
	{"*", "FREEZE_LBRS_ON_PMI", MEANING_ANY, "an overflow interrupt freezes branch records"},
	{"*", "FREEZE_PERFMON_ON_PMI", MEANING_ANY, "an overflow interrupt freezes the counters"},
};

const struct target_meanings target_meanings_amd = {
	.target = "amd", .meaning = meanings, .count = sizeof meanings / sizeof *meanings,
};
