// SPDX-License-Identifier: BSD-2-Clause
// Defects of the SPARC T4's core PMU, as a wrapper around its model.

#include "../defects/defects.h"
#include "state.h"

extern const struct pmu_model pmu_model_sparct4;

// The names are command-line arguments: fault=precise-lost.
#define FAULTS(F)								\
	F(RESET_VALUE, "reset-value")			/* PCR1 resets with toe set */ \
	F(SELECT_STUCK, "select-stuck")			/* bit 2 of PCR1's sl never holds */ \
	F(COUNTER_STUCK, "counter-stuck")		/* bit 17 of PIC2 reads 1 */ \
	F(COUNTER_NARROW, "counter-narrow")		/* counters wrap at 28 bits */ \
	F(RESERVED_STICKS, "reserved-sticks") /* reserved bits of a PCR hold written values */ \
	F(ACCESS_UNCHECKED,	\
	  "access-unchecked") /* counters that do not exist read as 0 and take writes */ \
	F(PICNHT_IGNORED, "picnht-ignored")		/* picnht does not close a PIC */ \
	F(PICNPT_IGNORED, "picnpt-ignored")		/* picnpt does not close a PIC */ \
	F(PICNHT_OPEN, "picnht-open") /* picnht closes a PIC to user mode only */ \
	F(PICNPT_CLOSES, "picnpt-closes") /* picnpt closes a PIC to privileged mode, too */ \
	F(PIC_WRITABLE, "pic-writable")			/* neither prevents writes of a PIC */ \
	F(MASK_IGNORED, "mask-ignored")			/* all of a group counts, with any mask */ \
	F(KINDS_DEAD, "kinds-dead") /* sl 3 counts nothing unless all kinds are selected */ \
	F(SORTS_DEAD, "sorts-dead")			/* sl 4 counts nothing */ \
	F(MISSES_DEAD, "misses-dead")			/* sl 5, 16 and 25 count nothing */ \
	F(UT_IGNORED, "ut-ignored")			/* user mode counts without ut */ \
	F(ST_IGNORED, "st-ignored")			/* privileged mode counts without st */ \
	F(HT_IGNORED, "ht-ignored") /* hyperprivileged mode counts without ht */ \
	F(OV_LOST, "ov-lost")				/* an overflow leaves no ov */ \
	F(OV_WRITABLE, "ov-writable")			/* writing 1 sets ov */ \
	F(OV_UNCLEARED, "ov-uncleared")			/* writing 0 does not clear ov */ \
	F(NTC_UNCLEARED, "ntc-uncleared")		/* writing 0 does not clear ntc */ \
	F(CLEAR_ALL, "clear-all")			/* clearing one ov clears all */ \
	F(REWRITE_MISSING,	\
	  "rewrite-missing")		/* a PCR write clears the ov that it causes itself */	\
	F(NTC_MISSING, "ntc-missing")			/* ntc is never set */ \
	F(NTC_OF_STORES, "ntc-of-stores") /* ntc is set by stores to PCRs and PICs only */ \
	F(SIMULTANEOUS_LOST, "simultaneous-lost")	/* one of several overflows is seen */ \
	F(TOE_IGNORED, "toe-ignored")			/* overflows trap without toe */ \
	F(PRECISE_LOST, "precise-lost")			/* no precise trap ever */ \
	F(PRECISE_LATE, "precise-late") /* a precise trap comes at the next instruction */ \
	F(TPC_NEXT, "tpc-next") /* TPC is the next instruction's, in groups other than 3 */ \
	F(SORTS_IMPRECISE, "sorts-imprecise") /* overflows of sl 4 cause disrupting traps */ \
	F(FETCHES_IMPRECISE, "fetches-imprecise")	/* sl 5 causes disrupting traps */ \
	F(LOADS_IMPRECISE, "loads-imprecise")		/* sl 16 causes disrupting traps */ \
	F(BRANCHES_IMPRECISE, "branches-imprecise")	/* sl 25 causes disrupting traps */ \
	F(PRECISE_IN_HYPERPRIVILEGED,	\
	  "precise-in-hyperprivileged") /* neither ht nor the mode loses a trap */	\
	F(DISRUPTING_MISSING, "disrupting-missing")	/* no disrupting trap ever */ \
	F(READS_ONES, "reads-ones")			/* every register reads as ones */ \
	F(WRITES_LOST, "writes-lost")			/* no write changes a register */

DEFECTS(FAULTS)

// State of the wrapper, stored after the model's state.
struct own {
	uint32_t due;		// bit mask: strands with a delayed precise trap
	bool storing;		// the model executes a store to a PCR or PIC
};

#define PCRS	SPARCT4_PCR0, COUNTERS
#define STATUS_OF_ALL	offsetof(struct sparct4_state, file[0][SLOT_PCR]), COUNTERS

static const struct defect table[] = {
	{DEFECT_RESET_VALUE, RESETS_TO, SPARCT4_PCR0 + 1, 1, FIELD(PCR, toe)},
	{DEFECT_SELECT_STUCK, WRITES_CLEAR, SPARCT4_PCR0 + 1, 1, FIELD_PUT(PCR, sl, 4)},
	{DEFECT_COUNTER_STUCK, READS_SET, SPARCT4_PIC0 + 2, 1, 1ULL << 17},
	{DEFECT_COUNTER_NARROW, COUNTS_BITS, .bits = 28},
	{DEFECT_RESERVED_STICKS, READS_WRITTEN, PCRS, REGISTER_BITS(PCR, RO)},
	{DEFECT_ACCESS_UNCHECKED, INDEX_UNCHECKED, COUNTERS, INT32_MAX, 0},
	{DEFECT_PICNHT_IGNORED, HOLDS_CLEAR, PCRS, FIELD(PCR, picnht)},
	{DEFECT_PICNPT_IGNORED, HOLDS_CLEAR, PCRS, FIELD(PCR, picnpt)},
	{DEFECT_MASK_IGNORED, HOLDS_SET, PCRS, FIELD(PCR, mask)},
	{DEFECT_OV_LOST, LEAVES_NO_STATUS, STATUS_OF_ALL, FIELD(PCR, ov)},
	{DEFECT_NTC_MISSING, LEAVES_NO_STATUS, STATUS_OF_ALL, FIELD(PCR, ntc)},
	{DEFECT_SIMULTANEOUS_LOST, .kind = WRAPS_ONE},
	{DEFECT_TOE_IGNORED, HOLDS_SET, PCRS, FIELD(PCR, toe)},
	{DEFECT_READS_ONES, READS_SET, EVERY_REGISTER, ~0ULL},
	{DEFECT_WRITES_LOST, KEEPS, EVERY_REGISTER, ~0ULL},
};

// Groups that count nothing (dead), and groups whose overflows do not trap precisely (imprecise).
static const struct {
	int defect;
	unsigned sl;
} dead[] = {
	{DEFECT_SORTS_DEAD, SPARCT4_SL_SORTS}, {DEFECT_MISSES_DEAD, 5}, {DEFECT_MISSES_DEAD, 16},
	{DEFECT_MISSES_DEAD, 25},
}, imprecise[] = {
	{DEFECT_SORTS_IMPRECISE, SPARCT4_SL_SORTS}, {DEFECT_FETCHES_IMPRECISE, 5},
	{DEFECT_LOADS_IMPRECISE, 16},
	{DEFECT_BRANCHES_IMPRECISE, 25},
};

// Returns the value that a PCR holds after a write of `value`. A dead group is replaced by group 0.
static uint64_t held(const void *state, uint32_t address, uint64_t value)
{
	const uint64_t sl = FIELD_GET(PCR, sl, value), mask = FIELD_GET(PCR, mask, value);
	bool counts = !(has_defect(state, DEFECT_KINDS_DEAD) && sl == SPARCT4_SL_INSTRUCTIONS &&
			mask != SPARCT4_ALL_KINDS);

	for (size_t i = 0; i < sizeof dead / sizeof *dead; i++)
		counts &= !(has_defect(state, dead[i].defect) && sl == dead[i].sl);
	return counts || address - SPARCT4_PCR0 >= COUNTERS ? value : value & ~FIELD(PCR, sl);
}

static void make_imprecise(struct sparct4_state *m, unsigned sl)
{
	for (unsigned i = 0; i < STRANDS * COUNTERS; i++)
		if (FIELD_GET(PCR, sl, *pcr_of(m, i)) == sl) {
			ENGINE_PUT_BIT(m->precise, i, false);
			ENGINE_PUT_BIT(m->trapping, i, false);
			ENGINE_PUT_BIT(m->holding, i, *pcr_of(m, i) & FIELD(PCR, toe));
		}
}

// Levels that count although their bit is clear.
static const struct {
	int defect;
	unsigned level;
} levels[] = {
	{DEFECT_UT_IGNORED, SPARCT4_USER}, {DEFECT_ST_IGNORED, SPARCT4_PRIVILEGED},
	{DEFECT_HT_IGNORED, SPARCT4_HYPERPRIVILEGED},
};

static void configure(void *state)
{
	struct sparct4_state *m = state;
	const bool never_lost = has_defect(m, DEFECT_PRECISE_IN_HYPERPRIVILEGED);

	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		if (has_defect(m, levels[i].defect)) {
			m->at_level[levels[i].level] = ~0u;
			m->engine.outputs.level_matters = true;
		}
	for (size_t i = 0; i < sizeof imprecise / sizeof *imprecise; i++)
		if (has_defect(m, imprecise[i].defect))
			make_imprecise(m, imprecise[i].sl);
	for (unsigned i = 0; i < STRANDS * COUNTERS && never_lost; i++)
		ENGINE_PUT_BIT(m->trapping, i, m->precise >> i & 1 &&
			       *pcr_of(m, i) & FIELD(PCR, toe));
	m->trapping = has_defect(m, DEFECT_PRECISE_LOST) ? 0 : m->trapping;
	m->holding = has_defect(m, DEFECT_DISRUPTING_MISSING) ? 0 : m->holding;
	for (unsigned strand = 0; strand < STRANDS; strand++)
		sparct4_update_line(m, strand);
	sparct4_configure_overflows(state);
	m->engine.raising |= never_lost ? m->trapping & ~m->waiting : 0;
}

//
// Delayed traps
//

static void sum(struct engine *e)
{
	const struct own *own = defective_own(e);

	defective_sum(e);
	e->busy = ((struct sparct4_state *)e)->waiting | own->due;
}

// Returns whether the precise traps of these wrapped counters come one instruction late.
static bool is_late(struct sparct4_state *m, uint32_t wrapped)
{
	bool late = has_defect(m, DEFECT_PRECISE_LATE);

	for (uint32_t rest = has_defect(m, DEFECT_TPC_NEXT) ? wrapped : 0; rest; rest &= rest - 1)
		late |= FIELD_GET(PCR, sl, *pcr_of(m, (unsigned)__builtin_ctz(rest))) !=
			SPARCT4_SL_INSTRUCTIONS;
	return late;
}

// Delays the traps of this cycle to the next one.
static void delay_traps(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	struct own *own = defective_own(e);
	const uint32_t before = e->outputs.precise;

	e->outputs.precise = 0;
	defective_passed(e, cycles, wrapped);
	own->due = e->outputs.precise;
	e->outputs.precise = before;
}

static bool passed(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	struct sparct4_state *m = (struct sparct4_state *)e;
	struct own *own = defective_own(e);
	const uint32_t due = own->due;
	uint64_t before[STRANDS * COUNTERS];

	for (unsigned i = 0; i < STRANDS * COUNTERS; i++)
		before[i] = *pcr_of(m, i);
	own->due = 0;
	if (is_late(m, wrapped))
		delay_traps(e, cycles, wrapped);
	else
		defective_passed(e, cycles, wrapped);
	e->outputs.precise |= due;
	for (unsigned i = 0; i < STRANDS * COUNTERS && has_defect(e, DEFECT_NTC_OF_STORES) &&
	     !own->storing; i++)
		*pcr_of(m, i) &= before[i] | ~FIELD(PCR, ntc);
	return true;
}

static void lower_headroom(struct engine *e)
{
	const struct own *own = defective_own(e);

	defective_lower_headroom(e);
	if (own->due)
		e->outputs.headroom = e->before_break = 0;
}

//
// Accesses
//

static bool store(void *state, unsigned strand, uint32_t address, uint64_t value, uint64_t cycles)
{
	struct own *own = defective_own(state);
	bool stored;

	own->storing = true;
	stored = defective_write(state, strand, address, value, cycles);
	own->storing = false;
	return stored;
}

static bool write(void *state, unsigned strand, uint32_t address, uint64_t value, uint64_t cycles)
{
	struct sparct4_state *m = state;
	const unsigned index = address - SPARCT4_PCR0, number = COUNTERS * strand + index;
	uint64_t *pcr = m->file[strand] + SLOT_PCR, before;
	bool precise;

	if (index >= COUNTERS)
		return store(state, strand, address, value, cycles);
	engine_sync(&m->engine);
	before = pcr[index];
	precise = m->precise >> number & 1;
	if (!store(state, strand, address, value, cycles))
		return false;
	if (has_defect(m, DEFECT_OV_WRITABLE))
		pcr[index] |= value & FIELD(PCR, ov);
	if (has_defect(m, DEFECT_OV_UNCLEARED))
		pcr[index] |= before & FIELD(PCR, ov);
	if (has_defect(m, DEFECT_NTC_UNCLEARED))
		pcr[index] |= before & FIELD(PCR, ntc);
	if (has_defect(m, DEFECT_REWRITE_MISSING) && precise)
		pcr[index] &= value | ~STATUS;
	for (unsigned i = 0; i < COUNTERS && has_defect(m, DEFECT_CLEAR_ALL) &&
	     !(value & FIELD(PCR, ov)); i++)
		pcr[i] &= i == index ? ~0ULL : ~FIELD(PCR, ov);
	defective_follow(state);
	return true;
}

// Returns the PCR value by which the model decides about an access to the PIC from below
// hyperprivileged mode.
static uint64_t deciding_pcr(const struct sparct4_state *m, unsigned strand, uint64_t pcr,
			     bool writes)
{
	const uint64_t closing = FIELD(PCR, picnht) | FIELD(PCR, picnpt);

	if (has_defect(m, DEFECT_PIC_WRITABLE) && writes)
		return pcr & ~closing;
	if (m->engine.level[strand] != SPARCT4_PRIVILEGED)
		return pcr;
	if (has_defect(m, DEFECT_PICNHT_OPEN))
		return pcr & ~FIELD(PCR, picnht);
	return has_defect(m, DEFECT_PICNPT_CLOSES) && pcr & FIELD(PCR, picnpt) ? pcr |
	       FIELD(PCR, picnht) : pcr;
}

static bool read_counter(void *state, unsigned strand, uint32_t index, uint64_t *value)
{
	struct sparct4_state *m = state;
	uint64_t *pcr = &m->file[strand][SLOT_PCR + index % COUNTERS], before = *pcr;
	bool done;

	*pcr = deciding_pcr(m, strand, before, false);
	done = defective_read_counter(state, strand, index, value);
	*pcr = before;
	return done;
}

static bool write_counter(void *state, unsigned strand, uint32_t index, uint64_t value,
			  uint64_t cycles)
{
	struct sparct4_state *m = state;
	uint64_t *pcr = &m->file[strand][SLOT_PCR + index % COUNTERS];
	const uint64_t different = *pcr ^ deciding_pcr(m, strand, *pcr, true);
	bool done;

	*pcr ^= different;
	done = defective_write_counter(state, strand, index, value, cycles);
	*pcr ^= different;		// the write may set ov and ntc
	return done;
}

// For mutants: fields that change nothing.
static const struct inert inert[] = {
	{SPARCT4_PIC0, COUNTERS, FIELD(PIC, RESERVED_32), NO_EXCHANGE_SHOWS,
	 "the field holds written values and counts nothing"},
	{0},
};

static const struct defective defects = {
	.rules = {sum, passed, lower_headroom, defective_ended, defective_configure},
	.sound = &pmu_model_sparct4, .names = defect_names,
	.inert = inert, .table = table, .table_size = sizeof table / sizeof *table,
	.own = sizeof(struct own),
	.counters = COUNTERS, .thread_size = SLOTS * sizeof(uint64_t), .held = held,
	.configure = configure,
};

const struct pmu_model *pmu_defective_sparct4(void)
{
	static struct pmu_model model;
	static struct model_user user;

	defective_model(&model, &user, &defects);
	model.write = write;
	user.read_counter = read_counter;
	user.write_counter = write_counter;
	return &model;
}
