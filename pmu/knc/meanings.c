// SPDX-License-Identifier: BSD-2-Clause
// Meanings of the fields of Knights Corner's PMU registers, after the guide that regs.h names.

#include "meaning.h"

static const struct field_meaning meanings[] = {
	{"*", "CLOCKS", MEANING_ANY, "core clocks since reset"},
	{"*", "COUNT", MEANING_ANY, "the count"},

	{"*", "EVENT", MEANING_ANY, "event code"},
	{"*", "UMASK", 0x00, "events of the P54C"},
	{"*", "UMASK", 0x10, "events of the core ring interface"},
	{"*", "UMASK", 0x20, "events of the vector unit"},
	{"*", "UMASK", MEANING_ANY, "a unit that has no events"},
	{"*", "USR", 0, "does not count at levels 1 to 3"},
	{"*", "USR", 1, "counts at levels 1 to 3"},
	{"*", "OS", 0, "does not count at level 0"},
	{"*", "OS", 1, "counts at level 0"},
	{"*", "E", 0, "counts all cycles of the condition"},
	{"*", "E", 1, "counts the condition's beginnings"},
	{"*", "INT", 0, "an overflow does not interrupt"},
	{"*", "INT", 1, "an overflow interrupts"},
	{"*", "THREAD_COUNT_MODE", 0, "events of this thread"},
	{"*", "THREAD_COUNT_MODE", 1, "events of all threads of the core"},
	{"IA32_PERFEVTSEL*", "EN", 0, "the counter is disabled"},
	{"IA32_PERFEVTSEL*", "EN", 1, "the counter is enabled"},
	{"*", "INV", 0, "condition: at least CMASK events in a cycle"},
	{"*", "INV", 1, "condition: fewer than CMASK events in a cycle; without CMASK nothing"},
	{"*", "CMASK", 0, "adds up the events of each cycle"},
	{"*", "CMASK", MEANING_ANY, "counts cycles, by how many events they have"},

	{"*", "SPFLT_ENABLE", MEANING_ANY,
	 "counters that count only while the user filter is on: bit n is counter n"},
	{"*", "USER_PREF", 0, "the user filter is off: those counters do not count"},
	{"*", "USER_PREF", 1, "the user filter is on: those counters count"},

	{"*", "OVF", MEANING_ANY, "counters that have overflowed: bit n is counter n"},
	{"*", "CLR_OVF", MEANING_ANY, "clears OVF where it is 1"},
	{"*", "EN", MEANING_ANY, "counters that may count: bit n is counter n"},
};

const struct target_meanings target_meanings_knc = {
	.target = "knc", .meaning = meanings, .count = sizeof meanings / sizeof *meanings,
};
