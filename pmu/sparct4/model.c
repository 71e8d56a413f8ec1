// SPDX-License-Identifier: BSD-2-Clause
// A model of the performance counters of a SPARC T4 core. Each virtual processor (strand) has four,
// each with a control register (PCR) and a counter (PIC) of 32 bits. Registers and fields are in
// regs.h; the engine (pmu/engine) counts. An occurrence's code is the group (sl), its unit-mask
// bits are the group's mask bits. The manual: SPARC T4 Supplement, sections 10.2 and 10.3.

#include "state.h"

#define COMMITS_DELAYED	0x03	/* the masks of sl 28 that its programming note names */

// Table 10-2, by group. mask: used bits; across: bits of events of all strands; conditions: bits of
// conditions, for which a cycle counts once, however many hold; precise: whether the group's
// overflows trap precisely. Omitted groups count nothing.
static const struct group {
	uint8_t mask, across, conditions;
	bool precise;
} event_groups[GROUPS] = {
	[1] = {0x1F, .conditions = 0x1F},
	[2] = {0x0F, .conditions = 0x0F},
	[SPARCT4_SL_INSTRUCTIONS] = {RAISED, .precise = true},
	[SPARCT4_SL_SORTS] = {0x3F, .precise = true},
	[5] = {0x1F, .precise = true},
	[6] = {0x3F},
	[7] = {0x0F},
	[8] = {0x0F, .across = 0x02, .conditions = 0x07},
	[9] = {0x1F, .across = 0x1F, .conditions = 0x1F},
	[10] = {0x3F},
	[11] = {0x03},
	[16] = {0x07, .precise = true},
	[17] = {0x3F},
	[18] = {0x07, .across = 0x01},
	[19] = {0x0F},
	[20] = {0x1F, .across = 0x1F, .conditions = 0x10},
	[21] = {0x3F},
	[22] = {0x3F},
	[23] = {0x07},
	[24] = {0x3F, .across = 0x3F},
	[25] = {0x0F, .precise = true},
	[SPARCT4_SL_CYCLES] = {EVERY, .conditions = EVERY},
	[SPARCT4_SL_COMMITS] = {0x0F, .across = 0x02},
};

//
// The sum of a cycle's events
//

// Returns the counters that count an occurrence by at least one of these bits. Events of all
// strands count by the level of the counter's own strand, whichever strand causes them (footnote
// 13). Other events must be those of the counter's strand.
static inline uint32_t selected(const struct sparct4_state *m, const struct occurrence *o,
				unsigned bits)
{
	const unsigned across = event_groups[o->code].across & bits;
	const uint32_t group = m->selection.of_code[o->code];
	const uint32_t all_kinds = engine_selected(&m->selection, group, SPARCT4_UNKNOWN_KIND);
	const uint32_t known = o->sub & SPARCT4_ALSO_KIND ? all_kinds : 0;
	const uint32_t own = group & m->at_level[o->level % LEVELS] &
		OF_STRAND(o->thread % STRANDS) & ~known;

	if (!across)
		return engine_selected(&m->selection, own, bits);
	return engine_selected(&m->selection, group & m->at_own_level, across) |
	       (bits == across ? 0 : engine_selected(&m->selection, own, bits & ~across));
}

// Returns the counters to which an occurrence adds `n`. *met: counters that see a condition
// instead. *committing: of both, those whose occurrence is a next-to-commit instruction.
static inline uint32_t counted_by(const struct sparct4_state *m, const struct occurrence *o,
				  uint32_t *met, uint32_t *committing)
{
	const struct group *g = &event_groups[o->code % GROUPS];
	const unsigned bits = ((o->sub & RAISED) | EVERY) & g->mask,
		conditions = bits & g->conditions;
	uint32_t counted, meeting;

	if (o->code >= GROUPS || !o->n)
		return 0;
	counted = bits != conditions ? selected(m, o, bits & ~conditions) : 0;
	meeting = conditions ? selected(m, o, conditions) : 0;
	*met |= meeting;
	*committing |= o->type & OCCURRENCE_TYPE_COMMIT ? counted | meeting : 0;
	return counted;
}

// Adds up all events. If any condition of a counter holds, it adds one more.
static void sparct4_sum(struct engine *e)
{
	struct sparct4_state *m = state_of(e);
	uint32_t moving = 0;

	e->busy = m->waiting;
	e->addends = m->met = m->committing = 0;
	for (const struct occurrence *o = e->inputs, *end = o + e->input_count; o < end; o++) {
		const uint32_t counted = counted_by(m, o, &m->met, &m->committing);

		if (counted && e->addends++ < ENGINE_ADDENDS)
			e->addend[e->addends - 1] = (struct engine_addend){counted, o->n};
		moving = engine_add(e->counter, moving, counted, o->n);
	}
	e->moving = engine_add(e->counter, moving, m->met, 1);
}

// Returns whether these inputs add the same as the present ones.
static inline bool adds_same(const struct sparct4_state *m, const struct occurrence *inputs,
			     size_t count)
{
	const struct engine *e = &m->engine;
	uint32_t same = 0, met = 0, committing = 0;

	if (e->addends > ENGINE_ADDENDS)
		return false;
	for (const struct occurrence *o = inputs, *end = o + count; o < end; o++) {
		const uint32_t counted = counted_by(m, o, &met, &committing);

		if (counted && (same == e->addends || e->addend[same].counters != counted ||
				e->addend[same].n != o->n))
			return false;
		same += counted != 0;
	}
	return same == e->addends && met == m->met && committing == m->committing;
}

static const struct engine_rules rules = {
	.sum = sparct4_sum, .passed = sparct4_passed, .lower_headroom = sparct4_limit,
	.configure = sparct4_configure_overflows,
};

//
// Cycles
//

// Sets the levels of the strands. In the cycle of an instruction that changes the mode, precise
// events belong to the old mode and asynchronous ones to the new mode (the last programming note of
// section 10.2); the strand is in the new mode. If occurrences of one kind name several levels, the
// strand is at the least privileged of them, because instructions lead down.
__attribute__((noinline)) static void change_levels(struct sparct4_state *m)
{
	struct engine *e = &m->engine;
	uint8_t weight[STRANDS] = {0};		// rank of the occurrence that set the level

	for (const struct occurrence *o = e->inputs, *end = o + e->input_count; o < end; o++) {
		const unsigned strand = o->thread % STRANDS;
		const uint8_t level = o->level % LEVELS;
		const bool precise = o->code < GROUPS && event_groups[o->code].precise;
		const uint8_t here = (uint8_t)(1 + level + (precise ? 0 : LEVELS));

		if (here > weight[strand]) {
			weight[strand] = here;
			e->level[strand] = level;
		}
	}
	sparct4_configure_overflows(e);
}

// New inputs that add the same as the present ones need no new sum.
static inline void set_inputs(struct sparct4_state *m, const struct occurrence *occurrences,
			      size_t count)
{
	struct engine *e = &m->engine;
	bool changes = false;

	e->inputs = count ? occurrences : &engine_nothing;
	e->input_count = count;
	for (size_t i = 0; i < count; i++)
		changes |= e->level[occurrences[i].thread % STRANDS] != occurrences[i].level;
	if (!changes && adds_same(m, e->inputs, count))
		return;
	engine_sync(e);
	if (changes)
		change_levels(m);
	engine_derive_with(e, sparct4_sum);
}

static __attribute__((noinline)) void connect(void *state, uint64_t cycles,
					      const struct occurrence *occurrences, size_t count)
{
	set_inputs(state, occurrences, count);
	engine_run(state, cycles);
}

static void sparct4_advance(void *state, uint64_t cycles, const struct occurrence *occurrences,
			    size_t count)
{
	engine_advance(state, cycles, occurrences, count, connect);
}

// Runs cycles in which overflows of these counters are those of next-to-commit instructions.
// Usually no counter wraps in these cycles or in pending ones, and then the counters need not be
// synchronized.
static void run_committing(struct sparct4_state *m, uint32_t counters, uint64_t cycles)
{
	struct engine *e = &m->engine;
	const uint64_t uncounted = e->pending + cycles;
	bool wraps = e->busy || uncounted < cycles;	// the sum exceeds 64 bits

	for (uint32_t rest = e->moving; rest; rest &= rest - 1)
		wraps |= engine_before_wrap(e, (unsigned)__builtin_ctz(rest)) < uncounted;
	if (wraps)
		engine_sync(e);
	m->wrapped = 0;
	m->all_commit = wraps ? counters : 0;
	engine_run(e, cycles);
	if (wraps)
		engine_sync(e);
	m->all_commit = 0;
}

// Runs the cycles of a store to a PCR or PIC, which is itself a next-to-commit instruction.
// Synchronizes the counters.
static void store(struct sparct4_state *m, unsigned strand, uint64_t cycles)
{
	run_committing(m, m->precise & OF_STRAND(strand), cycles);
	engine_sync(&m->engine);
}

static void sparct4_commit(void *state)
{
	run_committing(state, UINT32_MAX, 1);
}

//
// Registers
//

// Returns whether the PIC exists and is open to a strand at its present level (Table 10-1, picnht
// and picnpt).
static bool is_open(const struct sparct4_state *m, unsigned strand, unsigned counter)
{
	const unsigned level = m->engine.level[strand];
	const uint64_t closes = level == SPARCT4_HYPERPRIVILEGED ? 0 : FIELD(PCR, picnht) |
				(level == SPARCT4_PRIVILEGED ? 0 : FIELD(PCR, picnpt));

	return counter < COUNTERS && !(m->file[strand][SLOT_PCR + counter] & closes);
}

// Returns the mask bits that count. An instruction of unknown kind counts if all kinds are
// selected.
static unsigned selected_mask(uint64_t pcr)
{
	const unsigned used = event_groups[FIELD_GET(PCR, sl, pcr)].mask,
		mask = (unsigned)FIELD_GET(PCR, mask, pcr);

	return (mask | EVERY | (mask == SPARCT4_ALL_KINDS ? SPARCT4_UNKNOWN_KIND : 0)) & used;
}

// Derives from a PCR the events that its counter counts, and the effect of an overflow.
static void follow_pcr(void *state, const struct engine_access *a)
{
	struct sparct4_state *m = state;
	const unsigned number = COUNTERS * a->thread + a->index;
	const uint64_t pcr = a->held;
	const unsigned sl = (unsigned)FIELD_GET(PCR, sl, pcr), mask = selected_mask(pcr);
	const bool ht = pcr & FIELD(PCR, ht), st = pcr & FIELD(PCR, st), ut = pcr & FIELD(PCR, ut);
	const bool precise = event_groups[sl].precise, enabled = pcr & FIELD(PCR, toe);

	engine_select(&m->selection, number, (unsigned)FIELD_GET(PCR, sl, a->before), sl, mask);
	ENGINE_PUT_BIT(m->at_level[SPARCT4_HYPERPRIVILEGED], number, ht);
	ENGINE_PUT_BIT(m->at_level[SPARCT4_PRIVILEGED], number, st);
	ENGINE_PUT_BIT(m->at_level[SPARCT4_USER], number, ut);
	ENGINE_PUT_BIT(m->engine.outputs.counting, number, mask && (ht || st || ut));
	ENGINE_PUT_BIT(m->by_level, number, mask && (ht != st || st != ut));
	ENGINE_PUT_BIT(m->precise, number, precise);
	ENGINE_PUT_BIT(m->trapping, number, precise && enabled && !ht);
	ENGINE_PUT_BIT(m->holding, number, !precise && enabled);
	m->engine.outputs.level_matters = m->by_level;
}

static bool has_window(uint64_t pcr)
{
	return FIELD_GET(PCR, sl, pcr) == SPARCT4_SL_COMMITS &&
	       selected_mask(pcr) & COMMITS_DELAYED;
}

static bool pcr_written(void *state, const struct engine_access *a)
{
	sparct4_update_line(state, a->thread);
	sparct4_open_window(state, COUNTERS * a->thread + a->index, has_window(a->held));
	return true;
}

static bool read_pic(void *state, unsigned thread, unsigned index, uint64_t *value)
{
	const struct sparct4_state *m = state;

	*value |= (uint64_t)m->upper[thread][index] << 32;
	return true;
}

ENGINE_REGISTER_TABLES(SPARCT4_REGISTERS)

static const struct engine_hooks hooks[KINDS] = {
	[KIND_PCR] = {.follow = follow_pcr, .written = pcr_written},
	[KIND_PIC] = {.read = read_pic},
};

#define ALL_STRANDS	FIELD_MASK(0, STRANDS)

static const struct model_field saved[] = {
	ENGINE_SAVED_LEVELS(STRANDS),
	ENGINE_SAVED(sparct4_state, uint32_t, engine.outputs.requests, ALL_STRANDS),
	ENGINE_SAVED(sparct4_state, uint32_t, engine.outputs.precise, ALL_STRANDS),
	ENGINE_SAVED(sparct4_state, uint32_t, engine.outputs.held, ALL_STRANDS),
	ENGINE_SAVED(sparct4_state, uint32_t, upper, UINT32_MAX),
	ENGINE_SAVED(sparct4_state, uint8_t, window, 3),
	ENGINE_SAVED(sparct4_state, uint8_t, late, LATE_OV | LATE_NTC),
};

ENGINE_REGISTERS(sparct4_state, STRANDS, SPARCT4_COUNTER_WIDTH)

static void sparct4_reset(const struct pmu_model *model, void *state, int fault, uint64_t seed)
{
	(void)model, (void)fault;
	engine_model_reset(&registers, &rules, state, sizeof(struct sparct4_state), seed);
}

static bool sparct4_field(size_t number, struct model_field *field)
{
	return engine_field(&registers, number, field);
}

static bool sparct4_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	return engine_read(&registers, state, thread, address, value);
}

// Checks that each window is possible and belongs to a counter of commits. Recomputes trap lines
// that contradict their PCRs.
static bool sparct4_restore(void *state)
{
	struct sparct4_state *m = state;
	bool possible = engine_restore(state);

	for (unsigned strand = 0; strand < STRANDS; strand++)
		sparct4_update_line(m, strand);
	for (unsigned i = 0; i < STRANDS * COUNTERS; i++) {
		possible &= m->window[i] <= SPARCT4_COMMITS_WINDOW &&
			(m->window[i] || !m->late[i]) &&
			    (!m->window[i] || has_window(*pcr_of(m, i)));
		ENGINE_PUT_BIT(m->waiting, i, m->window[i]);
	}
	engine_configure(&m->engine);
	return possible;
}

static bool sparct4_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	const bool open = is_open(state, thread, index);

	*value = open ? engine_count(state, COUNTERS * thread + index) : 0;
	return open && read_pic(state, thread, index, value);
}

// The store is an instruction that counts. For precise events the PCR changes after it, for
// asynchronous ones at once (the last programming note of section 10.2). An ov that the store
// itself causes is set again.
static bool sparct4_write(void *state, unsigned thread, uint32_t address, uint64_t value,
			  uint64_t cycles)
{
	struct sparct4_state *m = state;
	unsigned index;
	const uint32_t kind = engine_locate(&registers, address, &index),
		own = 1u << (COUNTERS * thread + index);
	uint32_t *in_group;

	if (kind == ENGINE_NO_KIND)
		return false;
	if (kind == KIND_PIC)
		m->upper[thread][index] = (uint32_t)FIELD_GET(PIC, RESERVED_32, value);
	if (kind == KIND_PIC || m->precise & own) {
		store(m, thread, cycles);
		if (kind == KIND_PCR && m->wrapped & own)
			value |= STATUS;
		return engine_write(state, thread, address, value, 0);
	}
	engine_write(state, thread, address, value, 0);
	in_group = &m->selection.of_code[FIELD_GET(PCR, sl, m->file[thread][SLOT_PCR + index])];
	*in_group &= ~(m->precise & own);
	engine_derive(&m->engine);
	store(m, thread, cycles);
	*in_group |= own;
	engine_derive(&m->engine);
	return true;
}

static bool sparct4_write_counter(void *state, unsigned thread, uint32_t index, uint64_t value,
				  uint64_t cycles)
{
	return is_open(state, thread, index) && sparct4_write(state, thread, SPARCT4_PIC0 + index,
							      value, cycles);
}

//
// Events of an instruction clock
//

#define CLOCK(of, at)								\
	ENGINE_EVENT(SPARCT4_SL_INSTRUCTIONS, SPARCT4_UNKNOWN_KIND, of, at)	\
	ENGINE_EVENT(SPARCT4_SL_CYCLES, 0, of, at)
ENGINE_CLOCK_SIGNALS(STRANDS, CLOCK)

static bool sparct4_counts(const struct occurrence *o, uint16_t code, uint8_t umask)
{
	const uint64_t pcr = FIELD_PUT(PCR, sl, code) | FIELD_PUT(PCR, mask, umask);

	return o->code == code && !(o->sub & SPARCT4_ALSO_KIND && umask == SPARCT4_ALL_KINDS) &&
	       ((o->sub & RAISED) | EVERY) & selected_mask(pcr);
}

//
// Description of the model for backends
//

static const struct model_counters groups[] = {{
	.count = COUNTERS, .address = SPARCT4_PIC0, .select = SPARCT4_PCR0, .distance = 1,
	.code = FIELD(PCR, sl), .umask = FIELD(PCR, mask),
	.off_mask = FIELD(PCR, ut) | FIELD(PCR, st) | FIELD(PCR, ht),
}};

const struct pmu_model pmu_model_sparct4 = {
	.name = "sparct4",
	.size = sizeof(struct sparct4_state),
	ENGINE_MEMBERS(STRANDS),
	.reset = sparct4_reset,
	.read = sparct4_read,
	.advance = sparct4_advance,
	.write = sparct4_write,
	.headroom = engine_headroom,
	ENGINE_GROUPS,
	.persist = &(const struct model_persist){sparct4_field, engine_model_sync, sparct4_restore},
	.machine = &(const struct model_machine){
		ENGINE_CLOCK(STRANDS, 1),
		.raised = sparct4_raised,
		.counts = sparct4_counts,
		.commit = sparct4_commit,
	},
	.user = &(const struct model_user){
		.read_counter = sparct4_read_counter,
		.write_counter = sparct4_write_counter,
		.open_address = SPARCT4_PIC0,
		.open_count = COUNTERS,
	},
};
