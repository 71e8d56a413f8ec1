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

// A register's value: any, or an address in memory, which gets further.
static uint64_t any(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 62 ? (*seed >> 32) % MEMORY & ~7ULL : *seed;
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

static void make_bundle(struct input *in, uint8_t *to)
{
	const uint64_t first = take(in);
	const struct bundle_template *t = &ia64_templates[first >> 41 & 31];
	const uint64_t slot[] = {
		make_slot(t->unit[0], first), make_slot(t->unit[1], take(in)), make_slot(t->unit[2], take(in)),
	};
	const uint64_t half[] = {(first >> 41 & 31) | slot[0] << 5 | slot[1] << 46, slot[1] >> 18 | slot[2] << 23};

	memcpy(to, half, sizeof half);
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
		make_bundle(&in, m->memory + CODE + BUNDLE_BYTES * bundles++);
	for (unsigned at = 0; bundles && at < TABLE_BYTES; at += VECTOR_BYTES)
		memcpy(m->memory + TABLE + at, m->memory + CODE + BUNDLE_BYTES * (at / VECTOR_BYTES % bundles),
		       BUNDLE_BYTES);
	make_state(m, seed);
	for (unsigned i = 0; i < INSTRUCTIONS && ia64_run(m, 1) == OUTCOME_NEXT; i++)
		require_state(m);
	ia64_free(m);
	free(m);
	free(state);
	return 0;
}
