// SPDX-License-Identifier: BSD-2-Clause
// Meanings of the fields of the Core i7 / Xeon 5500 uncore PMU's registers, after the manuals that
// regs.h names.

#include "meaning.h"

static const struct field_meaning meanings[] = {
	{"*", "EVTSEL", MEANING_ANY, "event code"},
	{"*", "EVTMSK", MEANING_ANY, "the event's unit mask"},
	{"*", "OCC_CTR_RST", MEANING_ANY, "starts the tracker of the queue's occupancy anew"},
	{"*", "E", 0, "counts all cycles of the condition"},
	{"*", "E", 1, "counts the condition's beginnings"},
	{"*", "PMI", 0, "an overflow signals nobody"},
	{"*", "PMI", 1, "an overflow signals the selected cores"},
	{"*", "EN", 0, "the counter is disabled"},
	{"*", "EN", 1, "the counter is enabled"},
	{"*", "INV", 0, "condition: at least CMASK events in a cycle"},
	{"*", "INV", 1, "condition: fewer than CMASK events in a cycle"},
	{"*", "CMASK", 0, "adds up the events of each cycle"},
	{"*", "CMASK", MEANING_ANY, "counts cycles, by how many events they have"},

	{"*", "COUNT", MEANING_ANY, "the count"},

	{"*", "EN_PC", MEANING_ANY, "general counters that may count: bit n is UNCORE_PMCn"},
	{"*", "EN_FC0", MEANING_ANY, "the fixed counter may count"},
	{"*", "EN_PMI_CORE", MEANING_ANY, "cores that an overflow signals: bit n is core n"},
	{"*", "PMI_FRZ", 0, "an overflow does not stop the counters"},
	{"*", "PMI_FRZ", 1, "an overflow that signals stops the counters"},
	{"*", "OVF_PC", MEANING_ANY, "general counters that have overflowed: bit n is UNCORE_PMCn"},
	{"*", "OVF_FC0", MEANING_ANY, "the fixed counter has overflowed"},
	{"*", "OVF_PMI", MEANING_ANY, "an overflow has signalled"},
	{"*", "CHG", MEANING_ANY, "another bit has been set"},
	{"*", "CLR_OVF_PC", MEANING_ANY, "clears OVF_PC where it is 1"},
	{"*", "CLR_OVF_FC0", MEANING_ANY, "clears OVF_FC0 if it is 1"},
	{"*", "CLR_OVF_PMI", MEANING_ANY, "clears OVF_PMI if it is 1"},
	{"*", "CLR_CHG", MEANING_ANY, "clears CHG if it is 1"},

	{"*", "ADDR", MEANING_ANY, "the address that matches, bits 39 to 3"},
	{"*", "OPCODE", MEANING_ANY, "the message's opcode that matches"},
	{"*", "MATCH_SELECT", 0, "nothing matches"},
	{"*", "MATCH_SELECT", 1, "address and opcode must match"},
	{"*", "MATCH_SELECT", 2, "the opcode must match"},
	{"*", "MATCH_SELECT", 3, "the opcode must match"},
	{"*", "MATCH_SELECT", 4, "the address must match"},
	{"*", "MATCH_SELECT", 5, "the address must match"},
	{"*", "MATCH_SELECT", MEANING_ANY, "the address or the opcode must match"},
	{"*", "[MESF]_TO_S", MEANING_ANY, "counts lines made shared that were in this state"},
	{"*", "[MESF]_TO_I", MEANING_ANY, "counts lines made invalid that were in this state"},
};

const struct target_meanings target_meanings_nehalem_uncore = {
	.target = "nehalem-uncore", .meaning = meanings,
	.count = sizeof meanings / sizeof *meanings,
};
