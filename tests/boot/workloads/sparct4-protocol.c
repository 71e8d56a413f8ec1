// SPDX-License-Identifier: BSD-2-Clause
// The SPARC T4's overflow traps on the machine: the handlers of tests/proof/sparct4-traps.pml, and
// the runtime's. A program traps at each of its instructions, while another counter holds the stale
// status of a lost trap (SPARC T4 Supplement to Oracle SPARC Architecture 2011, draft D0.4,
// sections 10.2 and 10.3). This program uses the counters without the image's session, so it ends
// the run itself.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hal.h"
#include "image_run.h"
#include "pmu_driver.h"
#include "sparc64/traps.h"
#include "stimulus.h"

int workload(void);

enum { PCR0 = 0x6400, PIC0 = 0xB000, COUNTERS = 4 };

// Table 10-1.
#define OV		(1ULL << 0)
#define TOE		(1ULL << 1)
#define UT		(1ULL << 2)
#define HT		(1ULL << 4)
#define MASK(m)		((uint64_t)(m) << 5)
#define SL(s)		((uint64_t)(s) << 11)
#define NTC		(1ULL << 18)
#define INSTRUCTIONS	(SL(3) | MASK(0x3F))
#define WRAP		(1ULL << 32)

// Counters: one that traps, one with the stale status of a lost trap, and one that the program
// reads.
enum { TRAPPING, STALE, READ_BY_PROGRAM };

static unsigned wrong;

static void expect(const char *what, const char *of, uint64_t expected, uint64_t found)
{
	if (expected == found)
		return;
	printf("WRONG: %s, %s: 0x%" PRIx64 ", not 0x%" PRIx64 "\n", what, of, found, expected);
	wrong++;
}

static void put(uint32_t address, uint64_t value)
{
	expect("register written", "all", true, reg_write(address, value));
}

static uint64_t get(uint32_t address)
{
	uint64_t value = 0;

	expect("register read", "all", true, reg_read(address, &value));
	return value;
}

//
// The program
//

#define TURNS		6
#define TURN		9		/* instructions */
#define BEFORE		9		/* before the first turn: the call, its delay slot, seven */
#define TEXT_OF(x)	#x
#define TEXT(x)		TEXT_OF(x)

// The counter that the program reads counts these reads.
#define READS		(SL(3) | MASK(0x10) | UT)	/* SPR_ring_ops, open to programs */
#define READ_FROM	0x1234

// The program's data and its results. A result is too small if an instruction was skipped, and too
// large if one executed twice.
static struct {
	uint64_t additions;
	uint64_t *end;			// the end of a chain of pointers
	uint64_t word;			// each compare and swap adds one
	uint64_t olds, reads;		// sums of its old values, and of the counter's values
	uint64_t unused[3];
	uint64_t chain[2 * TURNS + 1];
} memory;

void protocol_program(void);

__asm__(
"	.register %g2, #scratch\n"
"	.register %g3, #scratch\n"
"	.text\n"
"	.balign	32\n"
"	.global	protocol_program\n"
"protocol_program:\n"
"	mov	%o0, %g1\n"
"	clr	%g2\n"
"	add	%g1, 64, %g3\n"
"	clr	%g4\n"
"	clr	%g5\n"
"	add	%g1, 16, %o1\n"
"	mov	0x10, %o5\n"
"	.set	turn, 0\n"
"	.rept	" TEXT(TURNS) "\n"
"	add	%g2, 1, %g2\n"
"	mov	turn, %o2\n"
"	mov	turn + 1, %o3\n"
"	casx	[%o1], %o2, %o3\n"
"	add	%g4, %o3, %g4\n"
"	ldx	[%g3], %g3\n"
"	clr	%o4\n"
"	ldxa	[%o5] 0xB0, %o4\n"
"	add	%g5, %o4, %g5\n"
"	.set	turn, turn + 1\n"
"	.endr\n"
"	stx	%g2, [%g1]\n"
"	stx	%g3, [%g1 + 8]\n"
"	stx	%g4, [%g1 + 24]\n"
"	stx	%g5, [%g1 + 32]\n"
"	retl\n"
"	nop\n");

// Positions in a turn of an addition, a compare and swap, a load, and a read of a counter. The read
// of a counter is a next-to-commit instruction. It represents a load from I/O space, which the
// emulated machine does not have.
static const unsigned places[] = {0, 3, 5, 7};

#define PLACES		4
#define ATOMIC		1		/* the index of the compare and swap */
#define MIDDLE		(BEFORE + 2 * TURN)

static void run_program(void)
{
	memset(&memory, 0, sizeof memory);
	for (unsigned i = 0; i < 2 * TURNS; i++)
		memory.chain[i] = (uintptr_t)&memory.chain[i + 1];
	sparc64_call_user(protocol_program, (uintptr_t)&memory);
}

// . each instruction executed once; s one was skipped; r one executed twice.
static char outcome(void)
{
	const uint64_t below = TURNS * (TURNS - 1) / 2, reads = TURNS * READ_FROM + below;
	const uint64_t *const end = &memory.chain[TURNS];

	if (memory.additions < TURNS || memory.end < end || memory.word < TURNS ||
	    memory.reads < reads)
		return 's';
	return memory.additions > TURNS || memory.end > end || memory.olds > below ||
	       memory.reads > reads ? 'r' : '.';
}

//
// The stale status of a lost trap
//

static const struct stale {
	const char *name;
	const char *event;		// the driver's name; NULL: not for sessions
	uint64_t control;		// 0: no stale status
	bool ntc, counted_since;
	bool may_count_load;		// also reads of counters
} stales[] = {
	{"none", NULL, 0, false, false, false},
	{"Atomics with ntc", "Atomics", SL(4) | MASK(8) | UT | TOE, true, false, false},
	{"Atomics without", "Atomics", SL(4) | MASK(8) | UT | TOE, false, false, false},
	{"IC_miss with ntc", "IC_miss_nospec", SL(5) | MASK(7) | UT | TOE, true, false, true},
	{"IC_miss without", "IC_miss_nospec", SL(5) | MASK(7) | UT | TOE, false, false, true},
	{"IC_miss without, counted since", "IC_miss_nospec", SL(5) | MASK(7) | UT | TOE, false,
	 true, true},
	{"IC_miss that does not trap, without", NULL, SL(5) | MASK(7) | UT, false, false, true},
};

#define STALES (sizeof stales / sizeof *stales)

#define BETWEEN	20		/* instructions */

// A write of 1 leaves ov and ntc set. The counter counts in this mode until its control value is
// written. That store, a next-to-commit instruction, makes the counter overflow, or an instruction
// before it does.
static void lose_trap(const struct stale *s)
{
	put(PCR0 + STALE, 0);
	if (!s->control)
		return;
	put(PIC0 + STALE, WRAP - (s->ntc ? BETWEEN + 1 : BETWEEN / 2));
	expect("writes", s->name, true,
	       hal_execute_between(PCR0 + STALE, INSTRUCTIONS | HT, s->control | OV | NTC,
				   BETWEEN));
	expect("left", s->name, s->control | OV | (s->ntc ? NTC : 0), get(PCR0 + STALE));
	put(PIC0 + STALE, s->counted_since);
}

//
// Handlers
//

enum kind { OTHER, ALWAYS_NTC, LOAD };

struct counter {
	bool traps, ov, ntc, zero, counts_load, counts_each_load;
};

// For the model's rules that examine several counters: whether all admitted counters have ntc.
static bool have_ntc(const struct counter *c, bool at_zero, bool that_trap, bool that_count)
{
	bool with = false, without = false;

	for (unsigned i = 0; i < COUNTERS; i++) {
		if (!c[i].ov || (at_zero && !c[i].zero) || (that_trap && !c[i].traps) ||
		    (that_count && !c[i].counts_load))
			continue;
		with |= c[i].ntc;
		without |= !c[i].ntc;
	}
	return with && !without;
}

static bool any_ntc(enum kind kind, const struct counter *c)
{
	(void)kind;
	for (unsigned i = 0; i < COUNTERS; i++)
		if (c[i].traps && c[i].ov && c[i].ntc)
			return true;
	return false;
}

static bool instruction_and_any_ntc(enum kind kind, const struct counter *c)
{
	return kind != OTHER && any_ntc(kind, c);
}

static bool counters(enum kind kind, const struct counter *c)
{
	(void)kind;
	return have_ntc(c, true, true, false);
}

static bool counters_at_any_count(enum kind kind, const struct counter *c)
{
	(void)kind;
	return have_ntc(c, false, true, false);
}

static bool instruction_then_all_counters(enum kind kind, const struct counter *c)
{
	return kind == ALWAYS_NTC || (kind == LOAD && have_ntc(c, true, false, true));
}

static bool instruction_then_counters(enum kind kind, const struct counter *c)
{
	if (kind == LOAD && c[TRAPPING].ov && c[TRAPPING].zero && c[TRAPPING].counts_each_load)
		return c[TRAPPING].ntc;
	return kind == ALWAYS_NTC || (kind == LOAD && have_ntc(c, true, true, true));
}

enum step { READ, CHOOSE, CLEAR, SERVE, STEPS };

static struct handler {
	enum step order[STEPS];
	bool (*rule)(enum kind, const struct counter *);
	const struct stale *stale;
	bool disturbed;			// counter 1 overflows first, and again after serve
	uint64_t due;
	unsigned taken, served[COUNTERS];
} handler;

static uint64_t controls(const struct handler *h, unsigned counter)
{
	return counter == TRAPPING ? INSTRUCTIONS | UT | TOE :
	       counter == STALE ? h->stale->control : 0;
}

static enum kind kind_at(uint64_t ip)
{
	const uint32_t instruction = *(const uint32_t *)(uintptr_t)ip,
		op3 = instruction >> 19 & 0x3F;

	if (instruction >> 30 != 3)
		return OTHER;
	return op3 == 0x3E ? ALWAYS_NTC : LOAD;		// CASXA
}

static bool choose(const struct handler *h, uint64_t ip)
{
	struct counter c[COUNTERS] = {0};

	for (unsigned i = TRAPPING; i <= STALE; i++) {
		const uint64_t pcr = get(PCR0 + i);

		c[i] = (struct counter){
			.traps = controls(h, i) & TOE, .ov = pcr & OV, .ntc = pcr & NTC,
			.zero = !get(PIC0 + i),
			.counts_load = i == TRAPPING || h->stale->may_count_load,
			.counts_each_load = i == TRAPPING,
		};
	}
	return h->rule(kind_at(ip), c);
}

// A served counter does not overflow again.
static void serve(struct handler *h)
{
	for (unsigned i = TRAPPING; i <= STALE; i++)
		if (h->due >> i & 1) {
			h->served[i]++;
			put(PIC0 + i, 1);
		}
}

static void do_step(struct handler *h, enum step step, uint64_t ip)
{
	switch (step) {
	case READ:
		for (unsigned i = TRAPPING; i <= STALE; i++)
			h->due |= (get(PCR0 + i) & OV) << i;
		break;
	case CHOOSE:
		if (hal_pmi_precise() && choose(h, ip))
			hal_pmi_skip();
		break;
	case CLEAR:
		for (unsigned i = TRAPPING; i <= STALE; i++)
			if (h->due >> i & 1)
				put(PCR0 + i, controls(h, i));
		break;
	default:
		serve(h);
	}
}

static void handle(uint64_t ip, unsigned level)
{
	struct handler *h = &handler;

	(void)level;
	h->taken++;
	h->due = 0;
	if (h->disturbed)
		put(PIC0 + STALE, WRAP - 1);
	for (unsigned i = 0; i < STEPS; i++) {
		do_step(h, h->order[i], ip);
		if (h->order[i] == SERVE && h->disturbed)
			put(PIC0 + STALE, WRAP - 1);
	}
	h->disturbed = false;
}

static const enum step right[STEPS] = {READ, CHOOSE, CLEAR, SERVE};

// Runs the program with a trap at its k-th instruction, and returns the outcome.
static char try_instruction(const enum step order[STEPS],
			    bool (*rule)(enum kind, const struct counter *),
			    const struct stale *stale, unsigned k)
{
	handler = (struct handler){.rule = rule, .stale = stale};
	memcpy(handler.order, order, sizeof handler.order);
	for (unsigned i = 0; i < COUNTERS; i++)
		put(PCR0 + i, 0);
	put(PIC0 + READ_BY_PROGRAM, READ_FROM);
	put(PIC0 + TRAPPING, WRAP - k);
	lose_trap(stale);
	put(PCR0 + READ_BY_PROGRAM, READS);
	put(PCR0 + TRAPPING, INSTRUCTIONS | UT | TOE);
	run_program();
	put(PCR0 + TRAPPING, INSTRUCTIONS | OV | NTC);
	return outcome();
}

// Tries each of the places.
static void try_places(const enum step order[STEPS],
		       bool (*rule)(enum kind, const struct counter *),
		       const struct stale *stale, char outcomes[PLACES + 1])
{
	for (unsigned i = 0; i < PLACES; i++) {
		outcomes[i] = try_instruction(order, rule, stale, MIDDLE + places[i] + 1);
		expect("traps", stale->name, 1, handler.taken);
	}
	outcomes[PLACES] = '\0';
}

//
// Rules
//

// Each rule's outcomes at an addition, a compare and swap, a load, and a read of a counter, with
// each of the stale counters. The second and the last are next-to-commit instructions, and have
// executed when they trap.
static const struct {
	const char *name;
	bool (*rule)(enum kind, const struct counter *);
	const char *outcomes[STALES];
} rules[] = {
	// A stale ntc skips an instruction that has not executed.
	{"any ntc", any_ntc, {"....", "s.s.", "....", "s.s.", "....", "....", "...."}},
	{"an instruction that can have it, and any ntc", instruction_and_any_ntc,
	 {"....", "..s.", "....", "..s.", "....", "....", "...."}},
	// A stale counter without ntc makes an executed instruction execute again, unless the rule
	// excludes that counter. Atomics is not at 0, because it counted in earlier turns.
	{"counters at 0", counters, {"....", "....", "....", "....", ".r.r", "....", "...."}},
	{"counters at any count", counters_at_any_count,
	 {"....", "....", ".r.r", "....", ".r.r", ".r.r", "...."}},
	{"the instruction, then all counters at 0", instruction_then_all_counters,
	 {"....", "....", "....", "....", "...r", "....", "...r"}},
	{"the instruction, then counters", instruction_then_counters,
	 {"....", "....", "....", "....", "....", "....", "...."}},
};

static void compare(const char *name, const char *of, const char *expected, const char *found)
{
	printf("%s: %s: %s\n", name, of, found);
	if (!strcmp(expected, found))
		return;
	printf("WRONG: %s: %s: %s, not %s\n", name, of, found, expected);
	wrong++;
}

static void each_rule(void)
{
	char found[PLACES + 1];

	for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
		for (unsigned s = 0; s < STALES; s++) {
			try_places(right, rules[i].rule, &stales[s], found);
			compare(rules[i].name, stales[s].name, rules[i].outcomes[s], found);
		}
}

//
// Swapped steps
//

// The outcomes at the same places; the number of serves of the counter that trapped, and whether
// its ov remains set.
static const struct {
	const char *name;
	enum step order[STEPS];
	const char *outcomes;
	unsigned served;
	bool waits;
} orders[] = {
	{"the right order", {READ, CHOOSE, CLEAR, SERVE}, "....", 1, false},
	{"read and choose swapped", {CHOOSE, READ, CLEAR, SERVE}, "....", 1, false},
	// Nothing has been read, so nothing is cleared, or nothing is served.
	{"read and clear swapped", {CLEAR, CHOOSE, READ, SERVE}, "....", 1, true},
	{"read and serve swapped", {SERVE, CHOOSE, CLEAR, READ}, "....", 0, true},
	// ntc is cleared, or the counter is not at 0: an instruction whose encoding does not decide
	// executes again.
	{"choose and clear swapped", {READ, CLEAR, CHOOSE, SERVE}, "...r", 1, false},
	{"choose and serve swapped", {READ, SERVE, CLEAR, CHOOSE}, "...r", 1, false},
};

static void swapped_steps(void)
{
	char found[PLACES + 1];

	for (unsigned i = 0; i < sizeof orders / sizeof *orders; i++) {
		try_places(orders[i].order, instruction_then_counters, &stales[0], found);
		compare("order", orders[i].name, orders[i].outcomes, found);
		expect("served", orders[i].name, orders[i].served, handler.served[TRAPPING]);
		expect("waits", orders[i].name, orders[i].waits, get(PCR0 + TRAPPING) & OV);
	}
}

// A counter with ht overflows again after serve. If its status is cleared only then, this overflow
// is lost.
static void overflow_between(void)
{
	static const struct stale cycles = {"Cycles", NULL, SL(26) | UT | HT | TOE, false, false,
					    false};
	static const struct {
		const char *name;
		enum step order[STEPS];
		unsigned served;
	} clears[] = {
		{"clear, serve", {READ, CHOOSE, CLEAR, SERVE}, 2},
		{"clear and serve swapped", {READ, CHOOSE, SERVE, CLEAR}, 1},
	};

	for (unsigned i = 0; i < sizeof clears / sizeof *clears; i++) {
		handler = (struct handler){.rule = instruction_then_counters, .stale = &cycles,
					   .disturbed = true};
		memcpy(handler.order, clears[i].order, sizeof handler.order);
		put(PCR0 + STALE, 0);
		put(PIC0 + STALE, 0);
		put(PIC0 + TRAPPING, WRAP - MIDDLE);
		put(PCR0 + STALE, cycles.control);
		put(PCR0 + TRAPPING, INSTRUCTIONS | UT | TOE);
		run_program();
		put(PCR0 + TRAPPING, INSTRUCTIONS | OV | NTC);
		put(PCR0 + STALE, 0);
		printf("%s: %u of 2 overflows are served\n", clears[i].name, handler.served[STALE]);
		expect("overflows served", clears[i].name, clears[i].served, handler.served[STALE]);
		expect("the one that trapped", clears[i].name, 1, handler.served[TRAPPING]);
	}
}

//
// The runtime's handler
//

struct measured {
	struct pmu_session session;
	struct pmu_statistics statistics;
};

static void open(struct measured *m, const char *events)
{
	struct event_request requests[COUNTERS];
	struct pmu_refusal refusal;
	unsigned count = 0;

	expect("begins", events, PMU_OK, pmu_begin(pmu_drivers[0], false));
	for (const char *text = events; *text; count++)
		if (event_parse(pmu_current_driver()->events, &text,
				&requests[count]) != EVENT_OK) {
			expect("event", text, true, false);
			return;
		}
	expect("opens", events, PMU_OK, pmu_open(&m->session, requests, count, &refusal));
	expect("starts", events, PMU_OK, pmu_start(&m->session));
}

static void close(struct measured *m, const char *events)
{
	expect("stops", events, PMU_OK, pmu_stop(&m->session));
	pmu_statistics(&m->statistics);
	expect("closes", events, PMU_OK, pmu_close(&m->session));
}

// Runs the program in a session, with the stale status of a lost trap in its second counter.
static char run_in_session(struct measured *m, const char *event, unsigned period,
			   const struct stale *stale)
{
	char events[96];

	snprintf(events, sizeof events, "%s:u:period=%u:ctr=0,%s:u:period=9:ctr=1", event, period,
		 stale->event);
	open(m, events);
	put(PIC0 + READ_BY_PROGRAM, READ_FROM);
	put(PCR0 + READ_BY_PROGRAM, READS);
	lose_trap(stale);
	run_program();
	close(m, events);
	expect("faults", events, 0, m->statistics.faults);
	return outcome();
}

static const char *const sampled[] = {"Instr_all", "Instr_other", "Instr_ld", "SPR_ring_ops",
				      "Atomics"};

#define PERIODS		30

// Each instruction executes once, with any event and period.
static void each_period(void)
{
	static struct measured m;
	unsigned traps = 0;

	for (unsigned s = 0; s < STALES; s++)
		for (unsigned e = 0; stales[s].event && e < sizeof sampled / sizeof *sampled; e++)
			for (unsigned period = 4; period < PERIODS; period++) {
				expect(stales[s].name, sampled[e], '.',
				       (uint64_t)run_in_session(&m, sampled[e], period,
								&stales[s]));
				traps += (unsigned)m.statistics.interrupts;
			}
	printf("the runtime's handler: %u traps\n", traps);
	expect("many traps", "all", true, traps > 1000);
}

#define PAGE		0x400000	/* the size of the runtime's page for code */
/* UltraSPARC Architecture 2005, chapter 13: a page of the primary context */
#define ASI_DMMU_DEMAP	0x5F

// The program's code is executable but not readable, so the handler cannot read it either. The
// counters decide, and no instruction is skipped. A compare and swap executes again if a stale
// counter at 0 without ntc may have counted it.
static void unreadable_program(void)
{
	static struct measured m;

	__asm__ volatile("stxa %%g0, [%0] %1; membar #Sync" : : "r"((uintptr_t)protocol_program &
								    -(uintptr_t)PAGE),
			 "i"(ASI_DMMU_DEMAP) : "memory");
	for (unsigned s = 0; s < STALES; s++) {
		const bool disagrees = !strcmp(stales[s].name, "IC_miss without");
		unsigned repeated = 0;

		for (unsigned period = 4; stales[s].event && period < PERIODS; period++) {
			const char found = run_in_session(&m, "Instr_all", period, &stales[s]);

			expect("code that cannot be read: skipped", stales[s].name, false,
			       found == 's');
			repeated += found == 'r';
		}
		expect("code that cannot be read: repeated", stales[s].name, disagrees,
		       repeated > 0);
	}
	sparc64_memory_map();
	printf("code that cannot be read: nothing is skipped\n");
}

int workload(void)
{
	hal_pmi_attach(handle, HAL_PMI_VECTOR);
	each_rule();
	swapped_steps();
	overflow_between();
	each_period();
	unreadable_program();
	printf("sparct4-protocol: all scenarios\n");
	printf("sparct4-protocol: %u wrong\n", wrong);
	fflush(stdout);
	hal_exit(wrong != 0);
}
