// SPDX-License-Identifier: BSD-2-Clause
// The ia64 machine: bundles of all templates, each slot an encoding of its unit with any operands, executed from any
// state, also as handlers of the interruptions that they cause. What the processor cannot be in must not come of it.

#include "fuzz.h"

#include <stdbool.h>
#include <string.h>

#include "model.h"
#include "../../hal/emu/ia64/machine.h"

#define MEMORY		(1 << 18)
#define CODE		0x1000
#define TABLE		0x8000
#define TABLE_BYTES	0x8000
#define VECTOR_BYTES	0x100
#define BUNDLES_MOST	64
#define INSTRUCTIONS	500

const char fuzz_name[] = "the ia64 machine";
const unsigned fuzz_inputs = 1500;
const struct fuzz_word fuzz_words[] = {FUZZ_WORD("")};	/* numbers do */
const size_t fuzz_word_count = 0;

struct input {
	const uint8_t *at, *end;
};

static uint64_t take(struct input *in)
{
	uint64_t value = 0;
	const size_t left = (size_t)(in->end - in->at), count = left < sizeof value ? left : sizeof value;

	memcpy(&value, in->at, count);
	in->at += count;
	return value;
}

static uint64_t draw(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed ^ *seed >> 32;
}

// A register's value: any, or an address in memory, which gets further.
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

// An instruction for a slot of this unit: each of its encodings is as likely. In the other bits is what the input has.
static uint64_t make_slot(enum unit unit, uint64_t bits)
{
	unsigned count = 0, chosen;

	bits &= (1ULL << SLOT_BITS) - 1;
	for (unsigned i = 0; i < ENCODINGS; i++)
		count += is_of(unit, i);
	if (!count)
		return bits;
	chosen = (unsigned)((bits * 0x9E3779B97F4A7C15) >> 32) % count;
	for (unsigned i = 0; i < ENCODINGS; i++)
		if (is_of(unit, i) && !chosen--)
			return (bits & ~ia64_formats[ia64_encodings[i].format].mask) | ia64_encodings[i].value;
	return bits;
}

static void put_bundle(unsigned template, const uint64_t slot[BUNDLE_SLOTS], uint8_t *to)
{
	const uint64_t half[] = {template | slot[0] << 5 | slot[1] << 46, slot[1] >> 18 | slot[2] << 23};

	memcpy(to, half, sizeof half);
}

static void make_bundle(struct input *in, uint8_t *to)
{
	const uint64_t first = take(in);
	const struct bundle_template *t = &ia64_templates[first >> 41 & 31];
	const uint64_t slot[] = {
		make_slot(t->unit[0], first), make_slot(t->unit[1], take(in)), make_slot(t->unit[2], take(in)),
	};

	put_bundle(first >> 41 & 31, slot, to);
}

// A floating-point instruction that is executed, between nops.
#define MFI	0xC
static void make_floating_bundle(struct input *in, uint8_t *to)
{
	const uint64_t slot[] = {
		ia64_encodings[IA64_NOP_M].value, make_slot(UNIT_F, take(in)) & ~63ULL,
		ia64_encodings[IA64_NOP_I].value,
	};

	put_bundle(MFI, slot, to);
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
	m->psr = any(&seed) & ~PSR_RESERVED & ~(PSR_RI | PSR_IT | PSR_IS) & (seed & 1 << 20 ? ~PSR_CPL : ~0ULL);
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

// Numbers that arithmetic overflows and underflows with, or that are special; some exceptions trap.
static void enable_floating_traps(struct machine *m, uint64_t seed)
{
	static const struct ia64_float numbers[] = {
		{1ULL << 63, 0xFFFF, 0}, {~0ULL, 0x103FE, 0}, {1ULL << 63, 0x0FC01, 1}, {3ULL << 62, 0x13FFE, 0},
		{1, 0x0C001, 0}, {0, 0, 0}, {1ULL << 63, 0x1FFFF, 1}, {0xC000000000000001, 0x1FFFF, 0},
		{0xB504F333F9DE6484, 0xFFFF, 0}, {1ULL << 62, 0xFC01, 1}, {0x3F80000000800000, 0x1003E, 0},
	};

	for (unsigned i = 2; i < FLOAT_REGISTERS; i++)
		m->fr[i] = numbers[draw(&seed) % (sizeof numbers / sizeof *numbers)];
	m->ar[AR_FPSR] &= ~(63ULL | 1ULL << 25 | 1ULL << 38 | 1ULL << 51);	/* traps, and td of three fields */
	m->ar[AR_FPSR] |= (draw(&seed) & 56) | (draw(&seed) & 1 ? 7 : draw(&seed) & 7);
	m->psr &= ~(PSR_DFL | PSR_DFH);
}

// Each pair names a page of memory, or a few bytes, for any kinds of access and levels; with PSR.db or without.
static void set_breakpoints(struct machine *m, uint64_t seed)
{
	for (uint32_t i = 0; i < 8; i += 2) {
		const uint64_t masks[] = {~0xFFFULL, ~0xFFULL, ~7ULL, ~0ULL};

		for (uint32_t file = FILE_IBR; file <= FILE_DBR; file += FILE_DBR - FILE_IBR) {
			const uint64_t mask = masks[draw(&seed) & 3] & ((1ULL << 56) - 1);

			vpmu_write(&m->pmu, file + i, (file == FILE_IBR ? CODE : 0) + draw(&seed) % 0x1000, 0);
			vpmu_write(&m->pmu, file + i + 1, mask | (draw(&seed) | draw(&seed)) >> 56 << 56, 0);
		}
	}
	m->psr |= draw(&seed) & PSR_DB;
	ia64_set_context(m);
}

// An interruption was raised for a reason that the processor's status had before.
static void require_reason(const struct machine *m, uint64_t psr, uint64_t fpsr)
{
	const unsigned code = m->interruption.isr & 0xFFFF;

	switch (m->interruption.vector) {
	case VECTOR_DEBUG:
		FUZZ_REQUIRE(psr & PSR_DB && m->monitored);
		break;
	case VECTOR_FP_FAULT:	// invalid, denormal, zero: bits 2:0 and 6:4; software assistance: bits 3 and 7
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
	FUZZ_REQUIRE(!m->fr[0].significand && !m->fr[0].exponent && m->fr[1].significand == 1ULL << 63);
	FUZZ_REQUIRE(m->slot < BUNDLE_SLOTS && m->ip % BUNDLE_BYTES == 0);
	FUZZ_REQUIRE(m->frame.sof <= STACKED_REGISTERS && m->frame.sol <= m->frame.sof &&
		     m->frame.sor * 8 <= m->frame.sof);
	FUZZ_REQUIRE(m->dirty + m->frame.sof <= STACKED_REGISTERS && -m->dirty <= m->frame.sof);
	FUZZ_REQUIRE(m->bottom < STACKED_REGISTERS && !(m->bsp & 7) && !(m->psr & (PSR_RESERVED | PSR_RI)));
}

static void ignore_char(void *context, char c)
{
	(void)context, (void)c;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, data + size};
	const uint64_t seed = take(&in);
	const struct pmu_model *model = pmu_model_find("itanium");
	void *state = aligned_alloc(MODEL_ALIGNMENT, (model->size + MODEL_ALIGNMENT - 1) & -(size_t)MODEL_ALIGNMENT);
	struct machine *m = malloc(sizeof *m);
	struct processor processor;
	unsigned bundles = 0;

	FUZZ_REQUIRE(state && m && ia64_load_processor(&processor, "merced") && ia64_make(m, &processor, MEMORY));
	FUZZ_REQUIRE(!(seed & 1) || ia64_attach(m, model, state, NULL, seed));
	m->put_char = ignore_char;
	while (bundles < BUNDLES_MOST && in.at < in.end)
		(seed & 2 ? make_floating_bundle : make_bundle)(&in, m->memory + CODE + BUNDLE_BYTES * bundles++);
	for (unsigned at = 0; bundles && at < TABLE_BYTES; at += VECTOR_BYTES)
		memcpy(m->memory + TABLE + at, m->memory + CODE + BUNDLE_BYTES * (at / VECTOR_BYTES % bundles),
		       BUNDLE_BYTES);
	make_state(m, seed);
	if (seed & 2)
		enable_floating_traps(m, seed);
	if (seed & 4 && m->monitored)
		set_breakpoints(m, seed);
	for (unsigned i = 0; i < INSTRUCTIONS; i++) {
		const uint64_t psr = m->psr, fpsr = m->ar[AR_FPSR];

		m->interruption = (struct ia64_interruption){0};
		if (ia64_run(m, 1) != OUTCOME_NEXT)
			break;
		require_state(m);
		require_reason(m, psr, fpsr);
	}
	ia64_free(m);
	free(m);
	free(state);
	return 0;
}
