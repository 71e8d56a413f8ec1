// SPDX-License-Identifier: BSD-2-Clause
// The ia64 machine: executes bundles of all templates, with encodings of each slot's unit and any
// operands, from any state, also as handlers of the interruptions that they cause, with both
// clocks, and with any settings of the performance monitor. The resulting state must be possible on
// a processor. Executing several instructions at a time must give the same results, and the same
// registers of the monitor, as single steps.

#include "fuzz.h"

#include <stdbool.h>
#include <string.h>

#include "model.h"
#include "../../hal/emu/ia64/machine.h"
#include "../../hal/emu/ia64/monitor.h"
#include "../../hal/emu/ia64/stack.h"
#include "../../hal/emu/ia64/translation.h"
#include "../../pmu/itanium/regs.h"

#define MEMORY		(1 << 18)
#define CODE		0x1000
#define TABLE		0x8000
#define TABLE_BYTES	0x8000
#define VECTOR_BYTES	0x100
#define BUNDLES_MOST	64
#define INSTRUCTIONS	500
#define AT_ONCE		7
#define BACKING_STORE	0x20000

// Bits of the input's first number, the seed.
#define SEED_MONITORED		(1 << 0)
#define SEED_FLOATING		(1 << 1)
#define SEED_BREAKPOINTS	(1 << 2)
#define SEED_TIMED		(1 << 3)
#define SEED_UNCOUNTED		(3 << 4)	/* both set: the monitor neither counts nor
						 * records */
#define SEED_ANYWHERE		(3 << 6)	/* both set: branches and references leave memory */
#define SEED_HAS(seed, bits)	(((seed) & (bits)) == (bits))
#define SEED_LEVEL_0		(1 << 20)

const char fuzz_name[] = "the ia64 machine";
const unsigned fuzz_inputs = 1000;
const struct fuzz_word fuzz_words[] = {FUZZ_WORD("")};	/* only numbers do */
const size_t fuzz_word_count = 0;

struct input {
	const uint8_t *at, *end;
};

static uint64_t take(struct input *in)
{
	uint64_t value = 0;
	const size_t left = (size_t)(in->end - in->at), count = left < sizeof value ? left :
		sizeof value;

	memcpy(&value, in->at, count);
	in->at += count;
	return value;
}

static uint64_t draw(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed ^ *seed >> 32;
}

// Returns a register's value: any, or an address in memory, with which more instructions succeed.
static uint64_t any(uint64_t *seed)
{
	const uint64_t value = draw(seed);

	return value >> 62 ? (value >> 32) % MEMORY & ~7ULL : value;
}

static bool is_of(enum unit unit, unsigned encoding)
{
	const enum unit of = ia64_formats[ia64_encodings[encoding].format].unit;

	return of == unit || (of == UNIT_A && (unit == UNIT_I || unit == UNIT_M));
}

// Valid operands of alloc: sof in bits 19:13, sol in 26:20, sor in 30:27.
static uint64_t fit_frame(uint64_t bits)
{
	const uint64_t sof = (bits >> 13 & 127) % 97, sol = (bits >> 20 & 127) % (sof + 1);
	const uint64_t sor = (bits >> 27 & 15) % (sof / 8 + 1);

	return (bits & ~(0x3FFFFULL << 13)) | sof << 13 | sol << 20 | sor << 27;
}

// Makes an instruction of the register stack; make_slot chooses these more often than others.
static uint64_t make_stack_slot(enum unit unit, uint64_t bits)
{
	static const uint16_t of_memory[] = {IA64_ALLOC, IA64_FLUSHRS, IA64_LOADRS},
			      of_branches[] = {IA64_BR_RET, IA64_BR_CALL_B, IA64_COVER, IA64_RFI};
	const unsigned number = bits >> 6 & 3;
	const unsigned chosen = unit == UNIT_B ? of_branches[number] : of_memory[number % 3];

	bits = chosen == IA64_ALLOC ? fit_frame(bits) : bits & ~63ULL;	// otherwise with p0
	return (bits & ~ia64_formats[ia64_encodings[chosen].format].mask) |
	       ia64_encodings[chosen].value;
}

// Returns an instruction for a slot of this unit. All encodings have the same probability, except
// those of the register stack. The other bits come from the input.
static uint64_t make_slot(enum unit unit, uint64_t bits)
{
	unsigned count = 0, chosen;

	if ((unit == UNIT_M || unit == UNIT_B) && (bits * 0xD1B54A32D192ED03) >> 61 == 0)
		return make_stack_slot(unit, bits & ((1ULL << SLOT_BITS) - 1));
	bits &= (1ULL << SLOT_BITS) - 1;
	for (unsigned i = 0; i < ENCODINGS; i++)
		count += is_of(unit, i);
	if (!count)
		return bits;
	chosen = (unsigned)((bits * 0x9E3779B97F4A7C15) >> 32) % count;
	for (unsigned i = 0; i < ENCODINGS; i++)
		if (is_of(unit, i) && !chosen--)
			return (bits & ~ia64_formats[ia64_encodings[i].format].mask) |
			       ia64_encodings[i].value;
	return bits;
}

static void put_bundle(unsigned template, const uint64_t slot[BUNDLE_SLOTS], uint8_t *to)
{
	const uint64_t half[] = {template | slot[0] << 5 | slot[1] << 46,
				 slot[1] >> 18 | slot[2] << 23};

	memcpy(to, half, sizeof half);
}

static void make_bundle(struct input *in, uint8_t *to)
{
	const uint64_t first = take(in);
	const struct bundle_template *t = &ia64_templates[first >> 41 & 31];
	const uint64_t slot[] = {
		make_slot(t->unit[0], first), make_slot(t->unit[1], take(in)),
		make_slot(t->unit[2], take(in)),
	};

	put_bundle(first >> 41 & 31, slot, to);
}

// A bundle with one executed floating-point instruction, between nops.
#define MFI	0xC
static void make_floating_bundle(struct input *in, uint8_t *to)
{
	const uint64_t slot[] = {
		ia64_encodings[IA64_NOP_M].value, make_slot(UNIT_F, take(in)) & ~63ULL,
		ia64_encodings[IA64_NOP_I].value,
	};

	put_bundle(MFI, slot, to);
}

// A bundle that branches.
#define MIB	0x11
static void put_branch(struct machine *m, uint64_t from, uint64_t to)
{
	const uint64_t distance = (to - from) / BUNDLE_BYTES;
	const uint64_t slot[] = {
		ia64_encodings[IA64_NOP_M].value, ia64_encodings[IA64_NOP_I].value,
		ia64_encodings[IA64_BR_COND].value | (distance & 0xFFFFF) << 13 |
		(distance >> 20 & 1) << 36,
	};

	put_bundle(MIB, slot, m->memory + from);
}

// Fills memory with bundles from CODE on. One of them is each interruption's handler. `returns`: a
// handler then continues at any place in the code, and so does the code's end; the handler of
// illegal operations, which are frequent, does so at once.
static unsigned make_code(struct machine *m, struct input *in, uint64_t seed, bool returns)
{
	unsigned bundles = 0;

	while (bundles < BUNDLES_MOST && in->at < in->end)
		(seed & SEED_FLOATING ? make_floating_bundle : make_bundle)
			(in, m->memory + CODE + BUNDLE_BYTES * bundles++);
	for (unsigned at = 0; bundles && at < TABLE_BYTES; at += VECTOR_BYTES) {
		const unsigned end = TABLE + at + (at == VECTOR_GENERAL_EXCEPTION ? 0 :
						   BUNDLE_BYTES);

		memcpy(m->memory + TABLE + at,
		       m->memory + CODE + BUNDLE_BYTES * (at / VECTOR_BYTES % bundles),
		       BUNDLE_BYTES);
		if (returns)
			put_branch(m, end, CODE + BUNDLE_BYTES * (draw(&seed) % bundles));
	}
	if (returns && bundles)
		put_branch(m, CODE + BUNDLE_BYTES * bundles,
			   CODE + BUNDLE_BYTES * (draw(&seed) % bundles));
	return bundles;
}

static void make_state(struct machine *m, uint64_t seed)
{
	for (unsigned i = 1; i < STATIC_REGISTERS + STACKED_REGISTERS; i++) {
		m->gr[i] = any(&seed);
		m->nat[i] = i >= STATIC_REGISTERS && any(&seed) % 16 == 0;
	}
	for (unsigned i = 2; i < FLOAT_REGISTERS; i++)
		m->fr[i] = (struct ia64_float){any(&seed), any(&seed) & 0x1FFFF, any(&seed) & 1};
	for (unsigned i = 0; i < 8; i++)
		m->br[i] = any(&seed);
	m->pr = any(&seed) | 1;
	m->psr = any(&seed) & ~PSR_RESERVED & ~(PSR_RI | PSR_IT | PSR_IS);
	m->psr &= seed & SEED_LEVEL_0 ? ~PSR_CPL : ~0ULL;
	m->ar[AR_PFS] = any(&seed) & 0xC3FFFFFFFFFFULL;
	m->ar[AR_LC] = any(&seed) % 8;
	m->ar[AR_FPSR] = any(&seed) & ~(1ULL << 12 | 63ULL << 58);
	m->ar[AR_RSC] = any(&seed) & 0x3FFF001F;
	m->bsp = any(&seed) & ~7ULL;
	m->cr[CR_IVA] = TABLE;
	m->cr[CR_IFS] = any(&seed) & ~(((1ULL << 25) - 1) << 38);
	m->cr[CR_IPSR] = any(&seed) & ~PSR_RESERVED;
	m->cr[CR_IIP] = CODE;
	m->ip = CODE;
	ia64_set_context(m);
}

// Numbers with which arithmetic overflows and underflows, and special numbers; some exceptions
// trap.
static void enable_floating_traps(struct machine *m, uint64_t seed)
{
	static const struct ia64_float numbers[] = {
		{1ULL << 63, 0xFFFF, 0}, {~0ULL, 0x103FE, 0}, {1ULL << 63, 0x0FC01, 1},
		{3ULL << 62, 0x13FFE, 0},
		{1, 0x0C001, 0}, {0, 0, 0}, {1ULL << 63, 0x1FFFF, 1},
		{0xC000000000000001, 0x1FFFF, 0},
		{0xB504F333F9DE6484, 0xFFFF, 0}, {1ULL << 62, 0xFC01, 1},
		{0x3F80000000800000, 0x1003E, 0},
	};

	for (unsigned i = 2; i < FLOAT_REGISTERS; i++)
		m->fr[i] = numbers[draw(&seed) % (sizeof numbers / sizeof *numbers)];
	m->ar[AR_FPSR] &= ~(63ULL | 1ULL << 25 | 1ULL << 38 | 1ULL << 51);	/* traps, and td
										 * of three
										 * status fields */
	m->ar[AR_FPSR] |= (draw(&seed) & 56) | (draw(&seed) & 1 ? 7 : draw(&seed) & 7);
	m->psr &= ~(PSR_DFL | PSR_DFH);
}

// Each pair covers a page of memory, or a few bytes, for any kinds of access and levels; with or
// without PSR.db.
static void set_breakpoints(struct machine *m, uint64_t seed)
{
	for (uint32_t i = 0; i < 8; i += 2) {
		const uint64_t masks[] = {~0xFFFULL, ~0xFFULL, ~7ULL, ~0ULL};

		for (uint32_t file = FILE_IBR; file <= FILE_DBR; file += FILE_DBR - FILE_IBR) {
			const uint64_t mask = masks[draw(&seed) & 3] & ((1ULL << 56) - 1);

			vpmu_write(&m->pmu, file + i,
				   (file == FILE_IBR ? CODE : 0) + draw(&seed) % 0x1000, 0);
			vpmu_write(&m->pmu, file + i + 1,
				   mask | (draw(&seed) | draw(&seed)) >> 56 << 56, 0);
		}
	}
	m->psr |= draw(&seed) & PSR_DB;
	ia64_set_context(m);
}

// Branch registers point into the code, frames are valid, and the backing store is in memory.
static void stay_in_memory(struct machine *m, unsigned bundles, uint64_t seed)
{
	for (unsigned i = 0; i < 8; i++)
		m->br[i] = CODE + BUNDLE_BYTES * (draw(&seed) % (bundles + 1));
	m->psr &= ~(PSR_DT | PSR_RT | PSR_SS | PSR_TB | PSR_LP | PSR_DFL | PSR_DFH | PSR_CPL |
		    PSR_I);
	m->ar[AR_PFS] = fit_frame(draw(&seed)) >> 13 & 0x3FFFF;
	m->ar[AR_RSC] = draw(&seed) % 128 << 19;	// loadrs: number of registers
	m->bsp = BACKING_STORE + draw(&seed) % 64 * 8;
	FUZZ_REQUIRE(ia64_alloc(m, 64 + draw(&seed) % 33, draw(&seed) % 64, 0));
	ia64_set_context(m);
}

// An event that the machine raises, with any unit mask, threshold and levels, or with all or none.
static uint64_t any_event(uint64_t *seed)
{
#define CODE_OF(name, code, subs) code,
	static const uint8_t codes[] = {IA64_EVENTS(CODE_OF) IA64_CAPTURES(CODE_OF)};
	uint64_t control = draw(seed) & ~(FIELD(PMC4, es) | FIELD(PMC4, ism));

	control |= FIELD_PUT(PMC4, es, codes[draw(seed) % sizeof codes]);
	if (draw(seed) % 4)
		control &= ~FIELD(PMC4, threshold);
	if (draw(seed) % 2)
		control |= FIELD(PMC4, umask);
	return draw(seed) % 8 ? control | FIELD(PMC4, plm) : control;
}

// Recorders and qualifications are off, or arbitrary: ranges compare a few bits of addresses.
// Counters start at 0, or just below an overflow.
static void set_monitor(struct machine *m, uint64_t seed)
{
	const bool plain = draw(&seed) % 2;
	const uint64_t open = 0xF00000003FFFFFF8;
	const uint64_t off[] = {[8] = open, [9] = open, [11] = FIELD(PMC11, pt),
				[13] = FIELD(PMC13, ta)};

	vpmu_write(&m->pmu, ITANIUM_PMC(0), 1, 0);
	for (uint32_t i = ITANIUM_FIRST_COUNTER; i < ITANIUM_FIRST_COUNTER + ITANIUM_COUNTERS;
	     i++) {
		vpmu_write(&m->pmu, ITANIUM_PMC(i), any_event(&seed), 0);
		vpmu_write(&m->pmu, ITANIUM_PMD(i), draw(&seed) % 2 ? -(draw(&seed) % 8192) : 0, 0);
	}
	for (uint32_t i = 8; i < ITANIUM_PMCS; i++) {
		uint64_t control = draw(&seed);

		if (i >= 10 && i <= 12)
			control = (control & ~FIELD(PMC10, ism)) | FIELD(PMC10, plm);
		vpmu_write(&m->pmu, ITANIUM_PMC(i), plain || draw(&seed) % 2 ? off[i] : control, 0);
	}
	for (uint32_t i = 0; i < 2 * ITANIUM_BREAKPOINTS; i++) {
		vpmu_write(&m->pmu, FILE_IBR + i, (i % 2 ? 15ULL << 56 : 0) | (draw(&seed) & 0x30),
			   0);
		vpmu_write(&m->pmu, FILE_DBR + i, (i % 2 ? 15ULL << 56 : 0) | (draw(&seed) & 0x18),
			   0);
	}
	vpmu_write(&m->pmu, ITANIUM_DCR, draw(&seed) & 1, 0);
	vpmu_write(&m->pmu, ITANIUM_ITC, 0, 0);
	m->psr |= draw(&seed) & 1 ? PSR_UP | PSR_PP : draw(&seed) & 1 ? PSR_UP : PSR_PP;
	vpmu_write(&m->pmu, ITANIUM_PMC(0), 0, 0);
}

// Requires that the processor's status before gave a reason for the interruption.
static void require_reason(const struct machine *m, uint64_t psr, uint64_t fpsr)
{
	const unsigned code = m->interruption.isr & 0xFFFF;

	switch (m->interruption.vector) {
	case VECTOR_DEBUG:
		FUZZ_REQUIRE(psr & PSR_DB && m->monitored);
		break;
	// invalid, denormal, zero: bits 2:0 and 6:4; software assistance: bits 3 and 7
	case VECTOR_FP_FAULT:
		FUZZ_REQUIRE(code & 0xFF && !((code | code >> 4) & 7 & fpsr));
		break;
	case VECTOR_FP_TRAP:	// overflow, underflow, inexact: bits 13:11 and 9:7
		FUZZ_REQUIRE((code >> 11 | code >> 7) & 7 & ~(fpsr >> 3));
		break;
	default:
		break;
	}
}

static void require_state(const struct machine *m)
{
	FUZZ_REQUIRE(m->pr & 1 && !m->gr[0] && !m->nat[0]);
	FUZZ_REQUIRE(!m->fr[0].significand && !m->fr[0].exponent &&
		     m->fr[1].significand == 1ULL << 63);
	FUZZ_REQUIRE(m->slot < BUNDLE_SLOTS && m->ip % BUNDLE_BYTES == 0);
	FUZZ_REQUIRE(m->frame.sof <= STACKED_REGISTERS && m->frame.sol <= m->frame.sof &&
		     m->frame.sor * 8 <= m->frame.sof);
	FUZZ_REQUIRE(m->dirty + m->frame.sof <= STACKED_REGISTERS && -m->dirty <= m->frame.sof);
	FUZZ_REQUIRE(m->bottom < STACKED_REGISTERS && !(m->bsp & 7) &&
		     !(m->psr & (PSR_RESERVED | PSR_RI)));
}

static void ignore_char(void *context, char c)
{
	(void)context, (void)c;
}

// A machine that has executed the input.
struct run {
	struct machine m;
	void *state;
	bool chooses;		/* counts depend on the loads that the data EAR chooses */
};

// Progress of each step: instructions and interruptions since the start, and whether both occurred
// in it (a trap).
struct steps {
	unsigned count;
	unsigned units[INSTRUCTIONS + 1];
	bool traps[INSTRUCTIONS + 1];
	bool ends;		/* one more step ends the run */
};

static struct run *begin(struct input in, uint64_t undefined)
{
	const uint64_t seed = take(&in);
	const struct pmu_model *model = pmu_model_find("itanium");
	struct run *run = malloc(sizeof *run);
	struct machine *m = &run->m;
	struct processor processor;
	unsigned bundles;

	FUZZ_REQUIRE(run);
	run->chooses = false;
	run->state = aligned_alloc(MODEL_ALIGNMENT,
				   (model->size + MODEL_ALIGNMENT - 1) & -(size_t)MODEL_ALIGNMENT);
	FUZZ_REQUIRE(run->state && ia64_load_processor(&processor, "merced") &&
		     ia64_make(m, &processor, MEMORY));
	if (seed & SEED_MONITORED) {
		FUZZ_REQUIRE(ia64_attach(m, model, run->state, NULL, undefined));
		if (seed & SEED_TIMED)
			ia64_set_timed(m);
	}
	m->put_char = ignore_char;
	bundles = make_code(m, &in, seed, !SEED_HAS(seed, SEED_ANYWHERE));
	make_state(m, seed);
	if (seed & SEED_FLOATING)
		enable_floating_traps(m, seed);
	if (!SEED_HAS(seed, SEED_ANYWHERE))
		stay_in_memory(m, bundles, seed);
	if (!SEED_HAS(seed, SEED_UNCOUNTED) && m->monitored)
		set_monitor(m, seed);
	if (seed & SEED_BREAKPOINTS && m->monitored)
		set_breakpoints(m, seed);
	return run;
}

static void end(struct run *run)
{
	ia64_free(&run->m);
	free(run->state);
	free(run);
}

// DATA_EAR_EVENTS (67H) of misses of caches.
static bool counts_chosen_loads(struct machine *m)
{
	uint64_t control;
	bool some = false;

	if (!m->monitored || !vpmu_read(&m->pmu, ITANIUM_PMC(11), &control) ||
	    control & FIELD(PMC11, tlb))
		return false;
	for (uint32_t i = 0; i < ITANIUM_COUNTERS; i++)
		some |= vpmu_read(&m->pmu, ITANIUM_PMC(ITANIUM_FIRST_COUNTER + i), &control) &&
			FIELD_GET(PMC4, es, control) == 0x67;
	return some;
}

// True if the raised interruption has been taken; a speculative load's is not.
static bool is_delivered(const struct machine *m)
{
	return m->interruption.vector && !m->slot && m->ip == (m->cr[CR_IVA] & ~0x7FFFULL) +
	       m->interruption.vector;
}

static void step(struct run *run, struct steps *steps)
{
	struct machine *m = &run->m;

	steps->count = steps->units[0] = 0;
	while (steps->count < INSTRUCTIONS) {
		const uint64_t psr = m->psr, fpsr = m->ar[AR_FPSR], retired = ia64_retired(m);
		const unsigned units = steps->units[steps->count];

		m->interruption = (struct ia64_interruption){0};
		steps->ends = ia64_run(m, 1) != OUTCOME_NEXT;
		if (steps->ends)
			break;
		require_state(m);
		require_reason(m, psr, fpsr);
		steps->count++;
		steps->traps[steps->count] = ia64_retired(m) != retired && is_delivered(m);
		steps->units[steps->count] = units + 1 + steps->traps[steps->count];
		run->chooses |= counts_chosen_loads(m);
	}
}

// Executes the same steps, several at a time.
static void run_together(struct run *run, const struct steps *steps)
{
	for (unsigned at = 0; at < steps->count;) {
		const unsigned next = at + AT_ONCE < steps->count ? at + AT_ONCE : steps->count;

		FUZZ_REQUIRE(ia64_run(&run->m,
				      steps->units[next] - steps->units[at] - steps->traps[next]) ==
			     OUTCOME_NEXT);
		at = next;
	}
	FUZZ_REQUIRE(!steps->ends || ia64_run(&run->m, 1) != OUTCOME_NEXT);
}

// Registers that software sees, and memory.
static bool is_same(const struct machine *a, const struct machine *b)
{
	return a->ip == b->ip && a->slot == b->slot && a->psr == b->psr &&
	       ia64_retired(a) == ia64_retired(b) &&
	       a->pr == b->pr && a->bsp == b->bsp && a->dirty == b->dirty &&
	       !memcmp(a->gr, b->gr, sizeof a->gr) &&
	       !memcmp(a->br, b->br, sizeof a->br) && !memcmp(a->irr, b->irr, sizeof a->irr) &&
	       !memcmp(a->memory, b->memory, MEMORY);
}

static bool freeze(struct machine *m)
{
	uint64_t status;

	return vpmu_read(&m->pmu, ITANIUM_PMC(0), &status) &&
	       (FIELD_GET(PMC0, fr, status) ||
		vpmu_write(&m->pmu, ITANIUM_PMC(0), status | FIELD(PMC0, fr), 0));
}

static void require_same(struct run *const run[3], uint32_t address)
{
	uint64_t value[3];

	for (unsigned i = 0; i < 3; i++)
		FUZZ_REQUIRE(vpmu_read(&run[i]->m.pmu, address, &value[i]));
	FUZZ_REQUIRE(value[0] != value[1] || value[0] == value[2]);
}

// A register that differs with another seed of undefined values is undefined. PMD2, 3 and 17 hold a
// load that was chosen at random, if any.
static void require_same_monitor(struct run *stepped, struct run *other_seed, struct run *together)
{
	struct run *const run[] = {stepped, other_seed, together};

	require_same(run, ITANIUM_ITC);
	require_same(run, ITANIUM_PMC(0));
	FUZZ_REQUIRE(freeze(&stepped->m) && freeze(&other_seed->m) && freeze(&together->m));
	for (uint32_t i = 0; i < ITANIUM_PMDS; i++)
		if (i != 2 && i != 3 && i != 17)
			require_same(run, ITANIUM_PMD(i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct input in = {data, data + size};
	struct run *stepped = begin(in, 1), *other, *together;
	struct steps steps, other_steps;

	step(stepped, &steps);
	if (stepped->m.monitored) {
		other = begin(in, 2);
		step(other, &other_steps);
		if (!stepped->chooses && other_steps.count == steps.count &&
		    is_same(&stepped->m, &other->m)) {
			together = begin(in, 1);
			run_together(together, &steps);
			FUZZ_REQUIRE(is_same(&stepped->m, &together->m));
			require_same_monitor(stepped, other, together);
			end(together);
		}
		end(other);
	}
	end(stepped);
	return 0;
}
