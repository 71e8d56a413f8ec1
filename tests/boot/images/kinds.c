// SPDX-License-Identifier: BSD-2-Clause
// Kinds of instructions, in the image that tests the SPARC T4's PMU. Each event of sl 3 and 4 has
// the right count in code counted by reading it, and traps at each of its instructions (SPARC T4
// Supplement, Table 10-2, with its footnotes; pmu/sparct4/groups.md).

#include "hyper.h"

#include "../workloads/sparct4-kinds.h"

void hyper_kinds(uint64_t turns);

__asm__(
"	.text\n"
// A turn: 5 loads, 5 operations on the ring, 3 others, a taken branch.
"hyper_kinds:\n"
"1:	rdpr	%tl, %o3\n"
"	rdpr	%pil, %o3\n"
"	wrpr	%g0, 0, %tl\n"			// ring
"	rdhpr	%htba, %o3\n"
"	wrhpr	%o3, 0, %htba\n"		// ring
"	rd	%tick, %o3\n"
"	rd	%softint, %o3\n"
"	wr	%g0, 0, %set_softint\n"		// ring
"	ldxa	[%g0] 0x64, %o3\n"		// ring
"	ldxa	[%g0] 0xB0, %o3\n"		// ring
"	flushw\n"				// other
"	subcc	%o0, 1, %o0\n"			// other
"	bne,pt	%xcc, 1b\n"
"	nop\n"					// other
"	retl\n"
"	nop\n");

// A taken JMPL and a NOP precede the code.
static const struct event {
	const char *name;
	uint64_t select;
	const char *letters;
	uint64_t before;
	uint64_t in_a_turn;	// number in a turn of hyper_kinds
} events[] = {
	{"Branches", 3 << 11 | 0x01 << 5, "bt", 1, 1},
	{"Instr_FGU_crypto", 3 << 11 | 0x02 << 5, "f", 0, 0},
	{"Instr_ld", 3 << 11 | 0x04 << 5, "lRk", 0, 5},
	{"Instr_st", 3 << 11 | 0x08 << 5, "sK", 0, 0},
	{"SPR_ring_ops", 3 << 11 | 0x10 << 5, "r", 0, 5},
	{"Instr_other", 3 << 11 | 0x20 << 5, "oPapc", 1, 3},
	{"Instr_all", 3 << 11 | 0x3F << 5, "oPapcrsKlRkfbt", 2, 14},
	{"Instr_ld+Instr_st", 3 << 11 | 0x0C << 5, "lRksK", 0, 5},
	{"Branches_sl4", 4 << 11 | 0x01 << 5, "bt", 1, 1},
	{"Br_taken", 4 << 11 | 0x02 << 5, "t", 1, 1},
	{"Sw_count_intr", 4 << 11 | 0x04 << 5, "c", 0, 0},
	{"Atomics", 4 << 11 | 0x08 << 5, "a", 0, 0},
	{"SW_prefetch", 4 << 11 | 0x10 << 5, "p", 0, 0},
	{"Block_ld_st", 4 << 11 | 0x20 << 5, "kK", 0, 0},
	{"Branches_sl4+Br_taken", 4 << 11 | 0x03 << 5, "bt", 1, 1},
};
#define EVENTS (sizeof events / sizeof *events)

static bool is_in(const char *letters, char letter)
{
	while (*letters && *letters != letter)
		letters++;
	return *letters;
}

// Counts an event's instructions among the first `words` words.
static uint64_t count_in(const struct event *e, unsigned words)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < words; i++)
		count += is_in(e->letters, kinds[i]);
	return count;
}

static void user_kinds_count(void)
{
	check("words", 0, sizeof kinds - 1,
	      (uint64_t)(user_kinds_end - (const uint32_t *)(uintptr_t)user_kinds));
	for (unsigned i = 0; i < EVENTS; i++) {
		const struct event *e = &events[i];

		for (unsigned turns = 1; turns < 4; turns++) {
			start(i % COUNTERS, 0, e->select | UT);
			for (unsigned n = 0; n < turns; n++)
				call_user(user_kinds, 0);
			check(e->name, turns, turns * (e->before + count_in(e, sizeof kinds - 1)),
			      stop(i % COUNTERS));
		}
	}
	end_check("each event counts its kind of instruction in user code");
}

static void hyperprivileged_kinds_count(void)
{
	for (unsigned i = 0; i < EVENTS; i++) {
		const struct event *e = &events[i];
		uint64_t counts[2];

		for (unsigned n = 0; n < 2; n++) {
			start(2, 0, e->select | HT);
			hyper_kinds(10 + 20 * n);
			counts[n] = stop(2);
		}
		check(e->name, 0, 20 * e->in_a_turn, counts[1] - counts[0]);
	}
	end_check("also in hyperprivileged code");
}

// Each of an event's instructions makes a counter overflow once.
static void traps_are_at_each(void)
{
	for (unsigned i = 0; i < EVENTS; i++) {
		const struct event *e = &events[i];
		const uint64_t all = e->before + count_in(e, sizeof kinds - 1);
		uint64_t k = e->before;

		for (unsigned word = 0; word < sizeof kinds - 1; word++) {
			if (!is_in(e->letters, kinds[word]))
				continue;
			k++;
			expect_traps(0);
			start(0, -k, e->select | UT | TOE);
			start(1, 0, e->select | UT);
			start(2, 0, 3 << 11 | 0x3F << 5 | UT);
			call_user(user_kinds, 0);
			check(e->name, word, 1, trap.taken);
			check("trap PC", word, (uintptr_t)user_kinds + 4 * word, trap.ip);
			check("precise", word, true, trap.precise);
			check("ntc", word, is_in("PRra", kinds[word]), trap.executed);
			check("count", word, all - k, stop(0));
			check("other count", word, all, stop(1));
			check("all instructions", word, 2 + count_in(&events[6], sizeof kinds - 1),
			      stop(2));
		}
	}
	end_check("precise traps are at each instruction of the kind, and lose nothing");
}

// Overflows of rare instructions, with many others between.
static void traps_of_rare_kinds(void)
{
	for (uint64_t k = 1; k <= 9; k += 2) {
		expect_traps(0);
		start(0, -k, 4 << 11 | 0x08 << 5 | UT | TOE);	// atomics, four in each call
		for (unsigned n = 0; n < 3; n++)
			call_user(user_kinds, 0);
		check("traps", k, 1, trap.taken);
		check("trap PC", k, (uintptr_t)user_kinds + 4 * (25 + (k - 1) % 4), trap.ip);
		check("ntc", k, true, trap.executed);
		check("count", k, 12 - k, stop(0));
	}
	end_check("also if others come between");
}

void check_kinds(void)
{
	user_kinds_count();
	hyperprivileged_kinds_count();
	traps_are_at_each();
	traps_of_rare_kinds();
}
