// SPDX-License-Identifier: BSD-2-Clause
// The sparct4 driver on the shim: lost precise traps, and the traps that follow. A trap that is
// lost in hyperprivileged mode leaves ov set, and ntc if its instruction was a next-to-commit one
// (the manual, 10.2 and 10.3). Table 10-1, footnote 1, defines these instructions.

#include "pmu/sparct4/driver.h"

#include "pmu/vectors.h"
#include "pmu_unit.h"

#define LOST_CLOCKS	262144		// between two polls for lost traps
#define WRAP_CLOCKS	(1ULL << 30)	// for counters without samples

// Table 10-2: groups, and mask bits of sl 3 and 4.
#define KINDS		3
#define SORTS		4
#define FETCHES		5
#define DATA_MISSES	16
#define BRANCHES	0x01
#define LOADS		0x04
#define STORES		0x08
#define OTHERS		0x20
#define ATOMICS		0x08

// As GNU as encodes them.
#define ADD		0x90022001	// add %o0, 1, %o0
#define LDX		0xD45A2008	// ldx [%o0 + 8], %o2
#define LDXA		0xD4DA1009	// ldxa [%o0 + %o1] 0x80, %o2
#define CASX		0xD5F21009	// casxa [%o0] 0x80, %o1, %o2

static void deliver(const struct occurrence *signals, size_t count)
{
	assert_int_equal(shim_deliver(signals, count, 1), 1);
	shim_deliver(NULL, 0, 0);
}

// An instruction of user mode raises this event. `lost`: it enters hyperprivileged mode, and its
// trap is lost.
static void raise_event(unsigned sl, unsigned mask, uint8_t type, bool lost)
{
	const struct occurrence signals[] = {
		{.code = (uint16_t)sl, .sub = (uint16_t)mask, .n = 1, .level = USER, .ip = 0x2000,
		 .type = type},
		{.code = 26, .n = 1, .level = lost ? HYPERPRIVILEGED : USER},
	};

	deliver(signals, 2);
}

// An atomic, which is of kind Instr_other, too.
static void execute_atomic(bool lost)
{
	const struct occurrence signals[] = {
		{.code = KINDS, .sub = OTHERS, .n = 1, .level = USER, .ip = 0x2000,
		 .type = EXECUTED},
		{.code = SORTS, .sub = ATOMICS, .n = 1, .level = USER, .ip = 0x2000,
		 .type = EXECUTED},
		{.code = 26, .n = 1, .level = lost ? HYPERPRIVILEGED : USER},
	};

	deliver(signals, 3);
}

static void assert_traps(unsigned retried, unsigned done)
{
	assert_int_equal(shim_traps().retried, retried);
	assert_int_equal(shim_traps().done, done);
	assert_int_equal(shim_traps().wrong, 0);
}

static void assert_left(unsigned counter, uint64_t left)
{
	assert_int_equal(get(PCR(counter)) & (PCR_OV | PCR_NTC), left);
}

//
// A stale status skips nothing
//

// The trap of the tenth atomic is lost. The next trap is that of an addition, whether it can be
// read or not.
static void an_addition_is_not_skipped(void **state)
{
	for (unsigned readable = 0; readable < 2; readable++) {
		struct pmu_session session;

		assert_int_equal(driver_start(state), 0);
		if (readable)
			shim_instruction(ADD);
		open_and_start(&session, "Instr_other:u:period=100,Atomics:u:period=10");
		for (unsigned i = 1; i <= 10; i++)
			execute_atomic(i == 10);
		assert_left(1, PCR_OV | PCR_NTC);
		assert_traps(0, 0);
		instructions(USER, 0x3000, NOT_EXECUTED, 90);
		assert_traps(1, 0);
		assert_left(1, 0);
		assert_int_equal(count_of(&session, 0), 100);
		assert_int_equal(count_of(&session, 1), 10);
	}
}

// Cases: a counter traps at an instruction, while another one, `stale`, has the status of a lost
// trap.
static const struct stale {
	const char *events;		// of the counter that traps, and of the stale one
	uint32_t instruction;		// the trapping instruction; 0: it cannot be read
	unsigned sl, mask;		// the event that it raises
	bool executed;
	unsigned stale_sl, stale_mask;	// the event that the stale counter has counted
	bool stale_ntc;
	bool first;			// the stale counter is counter 0, and not 1
} stale[] = {
	// A load from I/O space has executed. A counter of branches, or of privileged mode, has not
	// overflowed at it.
	{"Instr_ld:u:period=4,Branches:u:period=4", LDX, KINDS, LOADS, true, KINDS, BRANCHES,
	 false},
	{"Instr_ld:u:period=4,Br_mispred:u:period=4", LDX, KINDS, LOADS, true, 25, 1, false},
	{"Instr_ld:u:period=4,BTC_miss:u:period=4", LDX, KINDS, LOADS, true, FETCHES, 8, false},
	{"Instr_ld:u:period=4,Instr_st:u:period=4", LDX, KINDS, LOADS, true, KINDS, STORES, false},
	// A cache miss may be this load's; but a counter of all loads has counted this one.
	{"Instr_ld:u:period=4,IC_miss_nospec:u:period=4", LDX, KINDS, LOADS, true, FETCHES, 1,
	 false},
	{"Instr_all:u:period=4,DC_miss_nospec:u:period=4", LDX, KINDS, LOADS, true, DATA_MISSES, 1,
	 false},
	{"DC_miss_nospec:u:period=4,BTC_miss:u:period=4", LDX, DATA_MISSES, 1, true, FETCHES, 8,
	 false},
	// A load from memory has not executed; the ntc is that of an earlier load from I/O space.
	{"DC_miss_nospec:u:period=4,IC_miss_nospec:u:period=4", LDX, DATA_MISSES, 1, false, FETCHES,
	 1, true},
	{"Instr_ld:u:period=4,DC_miss_nospec:u:period=4", LDX, KINDS, LOADS, false, DATA_MISSES, 1,
	 true},
	{"Instr_ld:u:period=4,IC_miss_nospec:u:period=4", LDX, KINDS, LOADS, false, FETCHES, 1,
	 true},
	{"Instr_ld:u:period=4,DC_miss_nospec:u:period=4", 0, KINDS, LOADS, false, DATA_MISSES, 1,
	 true},
	{"Instr_ld:u:period=4,Instr_st:u:period=4", LDX, KINDS, LOADS, false, KINDS, STORES, true},
	// A load of an alternate space may be a ring operation. This one is not.
	{"Instr_ld:u:period=4:ctr=1,SPR_ring_ops:u:period=4:ctr=0", LDXA, KINDS, LOADS, false,
	 KINDS, 0x10, true, true},
	// An atomic has executed, with any status of other counters.
	{"Atomics:u:period=4,IC_miss_nospec:u:period=4", CASX, SORTS, ATOMICS, true, FETCHES, 1,
	 false},
	{"Atomics:u:period=4,ITLB_miss:u:period=4", CASX, SORTS, ATOMICS, true, FETCHES, 0x10,
	 false},
	// A counter that has counted since its overflow is not at 0.
	{"Instr_ld:u:period=4,Instr_all:u:period=4", LDX, KINDS, LOADS, true, KINDS, OTHERS, false},
	{"Instr_ld:u:period=4,Instr_all:u:period=4", LDX, KINDS, LOADS, false, KINDS, OTHERS, true},
	// With ht there is no precise trap: ov and ntc belong to another instruction.
	{"Instr_ld:u:period=4,IC_miss_nospec:plm=9:period=4", LDX, KINDS, LOADS, true, FETCHES, 1,
	 false},
	{"Instr_ld:u:period=4,IC_miss_nospec:plm=9:period=4", LDX, KINDS, LOADS, false, FETCHES, 1,
	 true},
	{"Instr_ld:u:period=4,Instr_all:plm=11:period=4", LDX, KINDS, LOADS, false, KINDS, OTHERS,
	 true},
};

static void only_the_counter_that_has_trapped_says(void **state)
{
	for (const struct stale *s = stale; s < stale + LENGTH(stale); s++) {
		struct pmu_session session;

		print_message("%s, %08X, case %d\n", s->events, s->instruction, (int)(s - stale));
		assert_int_equal(driver_start(state), 0);
		if (s->instruction)
			shim_instruction(s->instruction);
		open_and_start(&session, s->events);
		for (unsigned i = 1; i <= 4; i++)
			raise_event(s->stale_sl, s->stale_mask, s->stale_ntc ? EXECUTED :
				    NOT_EXECUTED, i == 4);
		assert_left(!s->first, PCR_OV | (s->stale_ntc ? PCR_NTC : 0));
		for (unsigned i = 1; i <= 4; i++)
			raise_event(s->sl, s->mask, s->executed ? EXECUTED : NOT_EXECUTED, false);
		assert_traps(!s->executed, s->executed);
	}
}

// An instruction of privileged mode raises this event.
static void raise_privileged(unsigned sl, unsigned mask, bool lost)
{
	const struct occurrence signals[] = {
		{.code = (uint16_t)sl, .sub = (uint16_t)mask, .n = 1, .level = PRIVILEGED,
		 .ip = 0x1000},
		{.code = 26, .n = 1, .level = lost ? HYPERPRIVILEGED : PRIVILEGED},
	};

	deliver(signals, 2);
}

// A counter of another mode cannot have trapped. If the instruction cannot be read, its mode is
// unknown: it may have changed the mode.
static void a_counter_of_another_mode_says_nothing(void **state)
{
	struct pmu_session session;

	shim_instruction(LDX);
	open_and_start(&session, "Instr_ld:u:period=4:ctr=1,Instr_ld:plm=2:period=4:ctr=0");
	for (unsigned i = 1; i <= 4; i++)
		raise_privileged(KINDS, LOADS, i == 4);
	assert_left(0, PCR_OV);
	for (unsigned i = 0; i < 4; i++)
		raise_event(KINDS, LOADS, EXECUTED, false);
	assert_traps(0, 1);

	assert_int_equal(driver_start(state), 0);
	open_and_start(&session, "Instr_all:u:period=4,Instr_all:plm=2:period=4");
	for (unsigned i = 1; i <= 4; i++)
		raise_event(KINDS, OTHERS, EXECUTED, i == 4);
	assert_left(0, PCR_OV | PCR_NTC);
	for (unsigned i = 0; i < 4; i++)
		raise_privileged(KINDS, OTHERS, false);
	assert_traps(1, 0);
}

// The one case that cannot be decided: two counters are at 0, either may have counted the load, and
// one has ntc. The load is never skipped. It may execute twice.
static void what_cannot_be_decided_is_not_skipped(void **state)
{
	for (unsigned executed = 0; executed < 2; executed++) {
		struct pmu_session session;

		assert_int_equal(driver_start(state), 0);
		shim_instruction(LDX);
		open_and_start(&session, "DC_miss_nospec:u:period=4,IC_miss_nospec:u:period=4");
		for (unsigned i = 1; i <= 4; i++)
			raise_event(FETCHES, 1, executed ? NOT_EXECUTED : EXECUTED, i == 4);
		for (unsigned i = 1; i <= 4; i++)
			raise_event(DATA_MISSES, 1, executed ? EXECUTED : NOT_EXECUTED, false);
		assert_int_equal(shim_traps().done, 0);
		assert_int_equal(shim_traps().retried, 1);
		assert_int_equal(shim_traps().wrong, executed);
	}
}

//
// Each instruction
//

enum { LISTED, WORD, EVENT, OF_SL_4, NTC, TEXT, COLUMNS };

static struct rows encodings;

// A counter of this event traps at an instruction. With `stale`, a counter of fetches has lost its
// trap before.
static void trap_at(const struct row *r, const char *event, bool executed, bool stale,
		    bool stale_ntc)
{
	struct event_request counted;
	struct pmu_session session;
	char events[96];

	assert_int_equal(driver_start(NULL), 0);
	shim_instruction((uint32_t)hexadecimal(r->field[WORD]));
	counted = request(event);
	snprintf(events, sizeof events, "%s:u:period=4,IC_miss_nospec:u:period=4", event);
	open_and_start(&session, events);
	for (unsigned i = 1; stale && i <= 4; i++)
		raise_event(FETCHES, 1, stale_ntc ? EXECUTED : NOT_EXECUTED, i == 4);
	for (unsigned i = 1; i <= 4; i++)
		raise_event(event_code(&counted), counted.umask, executed ? EXECUTED : NOT_EXECUTED,
			    false);
	assert_traps(!executed, executed);
}

static bool is_ntc(const struct row *r)
{
	return !strcmp(r->field[NTC], "ntc");
}

static bool accesses_memory(const struct row *r)
{
	return hexadecimal(r->field[WORD]) >> 30 == 3 && !is_ntc(r) &&
	       !strstr(r->field[TEXT], "prefetch");
}

// The footnote names these instructions, or they access PICs, which are not translated. It does not
// name others that footnotes 6 to 9 of Table 10-2 list next to RDASR, WRASR, LDSTUB and SWAP:
// RDCCR, WRY, LDSTUBA, ...
static bool is_named(const struct row *r)
{
	static const char *const names[] = {
		"CASA", "CASXA", "LDSTUB", "SWAP", "WRHPR", "WRPR", "RDHPR", "RDPR", "HALT",
		"LDXA_0XB0", "STXA_0XB0",
	};
	static const char *const texts[] = {"md5", "sha1", "sha256", "sha512", "mpmul", "montmul",
					    "montsqr"};

	for (unsigned i = 0; i < LENGTH(names); i++)
		if (!strcmp(r->field[LISTED], names[i]))
			return true;
	for (unsigned i = 0; i < LENGTH(texts); i++)
		if (!strncmp(r->field[TEXT], texts[i], strlen(texts[i])))
			return true;
	return false;
}

static void each_instruction_executes_once(void **state)
{
	unsigned named = 0;

	(void)state;
	read_rows("tests/vectors/sparct4-encodings.tab", COLUMNS, &encodings);
	for (const struct row *r = encodings.row; r < encodings.row + encodings.count; r++) {
		print_message("%s\n", r->field[TEXT]);
		for (unsigned column = EVENT; column <= OF_SL_4; column++) {
			const char *event = r->field[column];

			if (!strcmp(event, "-"))
				continue;
			trap_at(r, event, is_ntc(r), false, false);
			if (!is_ntc(r))
				trap_at(r, event, false, true, true);
			if (accesses_memory(r))			// in I/O space
				trap_at(r, event, true, false, false);
			if (is_named(r))
				trap_at(r, event, true, true, false);
		}
		named += is_named(r);
	}
	assert_true(named >= 18);
}

//
// At random
//

static unsigned random_below(unsigned n)
{
	static uint64_t x = 88172645463325252;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (unsigned)(x >> 11) % n;
}

// Instructions: their kind, and whether they are next-to-commit. Loads are from memory or I/O
// space.
static const struct {
	uint32_t word;
	uint8_t kind, sort;
	bool executed, decided;
} instructions_[] = {
	{ADD, OTHERS, 0, false, true}, {CASX, OTHERS, ATOMICS, true, true},
	{LDX, LOADS, 0, false, false},
	{LDX, LOADS, 0, true, false}, {LDXA, LOADS, 0, false, false},
};

// Whether a counter of all loads traps at this load, so that the case can be decided.
static bool counts_each(const struct pmu_session *session, uint32_t word)
{
	for (unsigned i = 0; i < session->count; i++) {
		const uint64_t pcr = get(PCR(session->counter[i].number));

		if (pcr & PCR_OV && !get(PIC(session->counter[i].number)) &&
		    (pcr & PCR_SL(31)) == PCR_SL(KINDS) &&
		    ((pcr & PCR_MASK(0x3F)) == PCR_MASK(0x3F) ||
		     (word == LDX && pcr & PCR_MASK(LOADS))))
			return true;
	}
	return false;
}

static bool has_decided;
static const struct pmu_session *watched;
static uint32_t at;

// Before the driver clears the first status, the status of all counters is complete.
static void look_first(uint32_t address, uint64_t value)
{
	(void)address, (void)value;
	if (hal_pmi_precise() && at)
		has_decided = counts_each(watched, at);
	at = 0;
}

// A random program with misses and lost traps. No unexecuted instruction is skipped. An executed
// load executes again only if no counter counts every load.
static void nothing_is_skipped_whatever_is_lost(void **state)
{
	static const char *const events[] = {
		"Instr_all", "Instr_other", "Instr_ld", "Atomics", "IC_miss_nospec",
		"DC_miss_nospec", "ITLB_miss",
		"Branches",
	};
	unsigned repeated = 0, traps = 0;

	for (unsigned turn = 0; turn < 200; turn++) {
		struct pmu_session session;
		char text[256] = "";

		assert_int_equal(driver_start(state), 0);
		for (unsigned i = 0; i < 4; i++)
			snprintf(text + strlen(text), sizeof text - strlen(text),
				 "%s%s:u:period=%u", i ? "," : "",
				 events[random_below(LENGTH(events))], 4 + random_below(12));
		open_and_start(&session, text);
		watched = &session;
		shim_watch_writes(look_first);
		for (unsigned step = 0; step < 400; step++) {
			const unsigned n = random_below(LENGTH(instructions_)),
				lost = random_below(5) == 0;
			const uint8_t type = instructions_[n].executed ? EXECUTED : NOT_EXECUTED;
			const struct shim_traps before = shim_traps();
			const struct occurrence signals[] = {
				{.code = KINDS, .sub = instructions_[n].kind, .n = 1, .level = USER,
				 .type = type},
				{.code = 26, .n = 1, .level = lost ? HYPERPRIVILEGED : USER},
				{.code = SORTS, .sub = instructions_[n].sort, .n = 1, .level = USER,
				 .type = type},
				{.code = FETCHES, .sub = random_below(4) ? 0 : 0x11, .n = 1,
				 .level = USER,
				 .type = type},
				{.code = DATA_MISSES, .sub = instructions_[n].kind == LOADS &&
				 random_below(2), .n = 1,
				 .level = USER, .type = type},
			};

			shim_instruction(instructions_[n].word);
			at = instructions_[n].word;
			has_decided = false;
			deliver(signals, LENGTH(signals));
			if (shim_traps().done > before.done)
				assert_true(instructions_[n].executed);
			if (shim_traps().wrong > before.wrong) {
				assert_false(instructions_[n].decided || has_decided);
				repeated++;
			}
			traps += shim_traps().done + shim_traps().retried > before.done +
				before.retried;
		}
		assert_int_equal(statistics().faults, 0);
	}
	print_message("%u traps, %u cannot be decided\n", traps, repeated);
	assert_true(traps > 5000 && repeated > 0 && repeated < traps / 50);
}

//
// Sampling continues
//

// A poll finds the lost trap, and later traps come.
static void sampling_goes_on(void **state)
{
	const uint64_t period = 1000, cycles = 4 * LOST_CLOCKS;
	struct pmu_session session;

	(void)state;
	assert_int_equal(sparct4()->poll->lost_clocks, LOST_CLOCKS);
	open_and_start(&session, "Instr_other:u:period=1000");
	instructions(USER, 0x1000, NOT_EXECUTED, period - 1);
	raise_event(KINDS, OTHERS, NOT_EXECUTED, true);
	assert_left(0, PCR_OV);
	instructions(USER, 0x1000, NOT_EXECUTED, LOST_CLOCKS - period - 1);
	assert_int_equal(session.counter[0].samples, 0);
	assert_int_equal(statistics().polled, 0);
	instructions(USER, 0x1000, NOT_EXECUTED, 1);
	assert_int_equal(session.counter[0].samples, 1);
	assert_int_equal(statistics().polled, 1);
	instructions(USER, 0x1000, NOT_EXECUTED, cycles - LOST_CLOCKS);
	assert_int_equal(count_of(&session, 0), cycles);
	assert_int_equal(statistics().interrupts, (cycles - LOST_CLOCKS) / period);
	assert_int_equal(statistics().polled, 1);
	assert_int_equal(shim_traps().wrong, 0);
}

// A counter without samples traps every 2^32 events. Two overflows without a poll between them
// would count as one.
static void no_count_is_lost(void **state)
{
	const uint64_t wrap = 1ULL << 32;
	struct pmu_session session;

	(void)state;
	open_and_start(&session, "Instr_all:u");
	instructions(USER, 0x1000, NOT_EXECUTED, wrap - 1);
	raise_event(KINDS, OTHERS, NOT_EXECUTED, true);
	instructions(USER, 0x1000, NOT_EXECUTED, 2 * wrap);
	assert_int_equal(count_of(&session, 0), 3 * wrap);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(count_of(&session, 0), 3 * wrap);
}

// Counters with disrupting traps only lose no trap, and are not polled. Counters that cannot trap
// are polled more often than those that may lose a trap.
static void looks_are_as_often_as_needed(void **state)
{
	static const struct {
		const char *events;
		uint64_t clocks;
	} cases[] = {
		{"Cycles:u:period=1000", 0}, {"Instr_all:u:period=1000", LOST_CLOCKS},
		{"Instr_all:u", WRAP_CLOCKS},
		{"Instr_all:u:period=1000,Instr_ld:u", LOST_CLOCKS},
		{"Instr_ld:u,Instr_all:u:period=1000", LOST_CLOCKS},
		{"Instr_all:k", 65536}, {"Instr_all:u:period=1000,Instr_all:k", 65536},
		{"Instr_all:u:open", 65536},
		{"Cycles:u,Br_mispred", WRAP_CLOCKS},
	};

	for (unsigned i = 0; i < LENGTH(cases); i++) {
		struct pmu_session session;

		assert_int_equal(driver_start(state), 0);
		open_and_start(&session, cases[i].events);
		assert_int_equal(pmu_this_cpu()->polling, cases[i].clocks);
		assert_int_equal(pmu_close(&session), PMU_OK);
		assert_int_equal(pmu_this_cpu()->polling, 0);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, driver_start, driver_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_addition_is_not_skipped),
		TEST(only_the_counter_that_has_trapped_says),
		TEST(a_counter_of_another_mode_says_nothing),
		TEST(what_cannot_be_decided_is_not_skipped),
		TEST(each_instruction_executes_once),
		TEST(nothing_is_skipped_whatever_is_lost),
		TEST(sampling_goes_on),
		TEST(no_count_is_lost),
		TEST(looks_are_as_often_as_needed),
	};

	return cmocka_run_group_tests_name("sparct4: driver, lost traps", tests, NULL, NULL);
}
