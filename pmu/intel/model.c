// SPDX-License-Identifier: BSD-2-Clause
// Model of Intel's architectural performance monitoring: two threads, each with the general and
// fixed counters of a processor of the list at the end. Registers and fields are in regs.h, those
// that a processor lacks in lacking.c; the engine counts (pmu/engine). CPUID is in cpuid.c.

#include "state.h"

//
// Counting in a cycle
//

// Returns the counters that count an occurrence, enabled or not. Unit mask 0 counts the event's
// unqualified form, and so do fixed counters.
static inline uint32_t selects(const struct engine *e, const struct occurrence *o)
{
	const struct intel_state *m = (const struct intel_state *)e;
	const uint32_t selected = o->code < ENGINE_CODES ? m->selection.of_code[o->code] :
		o->code == INTEL_EVENT_REFERENCE ? m->selection.of_code[ENGINE_CODES] : 0;

	return engine_selected(&m->selection, selected & m->accepting[o->thread][o->level & 3],
			       o->sub);
}

// A clock of any thread counts once in a cycle, even if both threads are active. Other events are
// added up.
__attribute__((noinline)) static void count_core_clocks(struct intel_state *m)
{
	struct engine *e = &m->engine;

	for (uint32_t rest = e->moving & m->core_clocks; rest; rest &= rest - 1)
		engine_take_most(e, (unsigned)__builtin_ctz(rest), selects);
}

static void intel_sum(struct engine *e)
{
	struct intel_state *m = (struct intel_state *)e;

	engine_sum(e, selects);
	if (__builtin_expect(e->moving & m->core_clocks, 0))
		count_core_clocks(m);
	m->branches_due = m->recording && intel_lbr_due(m);
	e->busy = m->branches_due;
}

//
// Registers' effect on counting
//

// Converts a fixed counter's control bits to the layout of IA32_PERFEVTSEL.
static uint64_t select_of(unsigned fixed, uint64_t control)
{
	const uint64_t mask = fixed == 3 ? INTEL_UMASK_SLOTS : 0;

	return FIELD_PUT(IA32_PERFEVTSEL, UMASK, mask) |
	       FIELD_PUT(IA32_PERFEVTSEL, OS, FIELD_GET(IA32_FIXED_CTR_CTRL, EN0_OS, control)) |
	       FIELD_PUT(IA32_PERFEVTSEL, USR, FIELD_GET(IA32_FIXED_CTR_CTRL, EN0_USR, control)) |
	       FIELD_PUT(IA32_PERFEVTSEL, AnyThread,
			 FIELD_GET(IA32_FIXED_CTR_CTRL, AnyThread0, control)) |
	       FIELD_PUT(IA32_PERFEVTSEL, INT, FIELD_GET(IA32_FIXED_CTR_CTRL, PMI0, control)) |
	       FIELD(IA32_PERFEVTSEL, EN);
}

// Returns the code of a counter's event. The reference cycles of fixed counter 2 have no code that
// a select can hold; they are ENGINE_CODES.
static unsigned code_of(unsigned number, uint64_t select)
{
	static const uint16_t fixed[INTEL_FIXED_COUNTERS] = {
		INTEL_EVENT_RETIRED, INTEL_EVENT_CYCLES, ENGINE_CODES, INTEL_EVENT_SLOTS,
	};
	const unsigned counter = number % COUNTERS;

	return counter < GENERAL ? (unsigned)FIELD_GET(IA32_PERFEVTSEL, EventSelect, select) :
	       fixed[counter - GENERAL];
}

// True if branches raise events of this code.
static bool is_of_branches(unsigned code)
{
	for (const struct model_raised *r = intel_raised; r->cpu_event < CPU_EVENT_COUNT; r++)
		if (r->code == code && r->cpu_event <= CPU_EVENT_MISPREDICTED_JUMP_INDIRECT)
			return true;
	return false;
}

#define ALL_LEVELS	0xF
#define LEVEL_0		0x1

// CMASK 0 adds the events. Otherwise a cycle counts 1 if the events reach CMASK, or with INV if
// they do not. E counts the condition's rising edges, and has no effect without a CMASK.
static void select(struct intel_state *m, unsigned number, uint64_t before, uint64_t select)
{
	const unsigned code = code_of(number, select),
		cmask = (unsigned)FIELD_GET(IA32_PERFEVTSEL, CMASK, select),
		mask = (unsigned)FIELD_GET(IA32_PERFEVTSEL, UMASK, select);
	const bool clock = code == INTEL_EVENT_CYCLES || code == ENGINE_CODES;
	const bool any = select & FIELD(IA32_PERFEVTSEL, AnyThread);
	const bool os = select & FIELD(IA32_PERFEVTSEL, OS),
		usr = select & FIELD(IA32_PERFEVTSEL, USR);
	struct engine_counter *c = &m->engine.counter[number];

	engine_select(&m->selection, number, code_of(number, before), code, mask);
	ENGINE_PUT_BIT(m->core_clocks, number, clock && any);
	ENGINE_PUT_BIT(m->of_branches, number, is_of_branches(code));

	c->threads = any ? (1u << THREADS) - 1 : 1u << number / COUNTERS;
	c->levels = (uint8_t)((os ? LEVEL_0 : 0) | (usr ? ALL_LEVELS & ~LEVEL_0 : 0));
	for (unsigned thread = 0; thread < THREADS; thread++)
		for (unsigned level = 0; level < 4; level++)
			ENGINE_PUT_BIT(m->accepting[thread][level], number,
				       c->threads >> thread & c->levels >> level & 1);
	ENGINE_PUT_BIT(m->by_level, number, os != usr);

	c->least = (uint16_t)cmask;
	c->inverted = select & FIELD(IA32_PERFEVTSEL, INV);
	ENGINE_PUT_BIT(m->engine.comparing, number, cmask);
	ENGINE_PUT_BIT(m->engine.edges, number, cmask && select & FIELD(IA32_PERFEVTSEL, E));
	ENGINE_PUT_BIT(m->enabled, number, select & FIELD(IA32_PERFEVTSEL, EN) && (os || usr));
	ENGINE_PUT_BIT(m->interrupting, number, select & FIELD(IA32_PERFEVTSEL, INT));
}

// `processor` is NULL while the engine resets. Before version 2 only the selects enable. From
// version 4 on the status' CTR_Frz disables.
static uint32_t allowed(const struct intel_state *m, const uint64_t *file)
{
	if (m->processor && m->processor->version < INTEL_VERSION_GLOBAL)
		return (1u << GENERAL) - 1;
	return file[SLOT_IA32_PERF_GLOBAL_STATUS] & FIELD(IA32_PERF_GLOBAL_STATUS, CTR_Frz) ? 0 :
	       intel_set(file[SLOT_IA32_PERF_GLOBAL_CTRL]);
}

// The status' LBR_Frz stops recording; before version 4 no bit of it is ever set.
static bool records_branches(const struct intel_processor *p, const uint64_t *file)
{
	const uint64_t enabled = p->arch_lbr ?
		file[SLOT_IA32_LBR_CTL] & FIELD(IA32_LBR_CTL, LBREn) :
		file[SLOT_IA32_DEBUGCTL] & FIELD(IA32_DEBUGCTL, LBR);

	return p->lbr_depth && enabled &&
	       !(file[SLOT_IA32_PERF_GLOBAL_STATUS] & FIELD(IA32_PERF_GLOBAL_STATUS, LBR_Frz));
}

#define FREEZES		(FIELD(IA32_DEBUGCTL, FREEZE_PERFMON_ON_PMI) | \
			 FIELD(IA32_DEBUGCTL, FREEZE_LBRS_ON_PMI))

void intel_configure(struct engine *e)
{
	struct intel_state *m = (struct intel_state *)e;
	uint32_t counters = 0, freezing = 0;

	m->recording = 0;
	for (unsigned thread = 0; thread < THREADS; thread++) {
		counters |= OF_THREAD(thread, allowed(m, m->file[thread]));
		if (m->file[thread][SLOT_IA32_DEBUGCTL] & FREEZES)
			freezing |= OF_THREAD(thread, (1u << COUNTERS) - 1);
		if (m->processor && records_branches(m->processor, m->file[thread]))
			m->recording |= (uint8_t)(1u << thread);
	}
	counters &= m->enabled & ~e->absent;
	engine_enable(e, counters);
	e->raising = m->interrupting;
	e->breaking = e->raising & freezing;
	e->outputs.level_matters = counters & m->by_level || m->recording;
	e->outputs.branches_matter = e->counting & m->of_branches || m->recording;
	e->outputs.recording = m->recording;
	e->looks = e->counting & m->core_clocks || m->recording;
}

//
// Overflows
//

// SDM volume 3B, "Freezing LBR and Performance Counters on PMI", and "Streamlined Freeze" of
// version 4: the request freezes, even if the APIC masks the interrupt.
static void interrupt(struct intel_state *m, unsigned thread)
{
	uint64_t *file = m->file[thread], *status = &file[SLOT_IA32_PERF_GLOBAL_STATUS];
	const bool streamlined = m->processor->version >= INTEL_VERSION_FROZEN;
	const uint64_t debugctl = file[SLOT_IA32_DEBUGCTL];

	m->engine.outputs.requests |= 1u << thread;
	if (debugctl & FIELD(IA32_DEBUGCTL, FREEZE_PERFMON_ON_PMI)) {
		if (streamlined)
			*status |= FIELD(IA32_PERF_GLOBAL_STATUS, CTR_Frz);
		else
			file[SLOT_IA32_PERF_GLOBAL_CTRL] = 0;
	}
	if (debugctl & FIELD(IA32_DEBUGCTL, FREEZE_LBRS_ON_PMI)) {
		if (streamlined)
			*status |= FIELD(IA32_PERF_GLOBAL_STATUS, LBR_Frz);
		else
			file[SLOT_IA32_DEBUGCTL] &= ~FIELD(IA32_DEBUGCTL, LBR);
	}
}

static bool intel_passed(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	struct intel_state *m = (struct intel_state *)e;

	if (m->branches_due)
		intel_lbr_passed(m, cycles);
	for (unsigned thread = 0; thread < THREADS; thread++) {
		const uint32_t own = THREAD_SET(thread, wrapped);

		m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS] |=
			(own & INTEL_GENERAL_MASK) | (uint64_t)(own >> GENERAL) <<
			INTEL_FIRST_FIXED;
		if (THREAD_SET(thread, wrapped & e->raising))
			interrupt(m, thread);
	}
	if (!(wrapped & e->breaking))
		return false;
	intel_configure(e);
	return true;
}

static const struct engine_rules rules = {
	.sum = intel_sum, .passed = intel_passed, .configure = intel_configure,
};

//
// Registers
//

static void follow_select(void *state, const struct engine_access *a)
{
	select(state, COUNTERS * a->thread + a->index, a->before, a->held);
}

// A new event or condition starts without a previous condition.
static bool select_written(void *state, const struct engine_access *a)
{
	struct intel_state *m = state;
	const unsigned number = COUNTERS * a->thread + a->index;

	if (a->held != a->before) {
		m->engine.asserted &= ~(1u << number);
		m->engine.late_asserted &= ~(1u << number);
	}
	return false;
}

static void follow_fixed_control(void *state, const struct engine_access *a)
{
	const unsigned first = COUNTERS * a->thread + GENERAL;

	for (unsigned i = 0; i < INTEL_FIXED_COUNTERS; i++)
		select(state, first + i, 0,
		       select_of(i, a->held >> i * INTEL_FIXED_CONTROL_BITS));
}

static bool read_full_width(void *state, unsigned thread, unsigned index, uint64_t *value)
{
	*value = engine_count(state, COUNTERS * thread + index);
	return true;
}

static bool write_full_width(void *state, const struct engine_access *a)
{
	engine_set_count(state, COUNTERS * a->thread + a->index, a->value);
	return false;
}

static bool set_status(void *state, const struct engine_access *a)
{
	struct intel_state *m = state;

	m->file[a->thread][SLOT_IA32_PERF_GLOBAL_STATUS] |= a->value;
	return true;
}

// A record's register holds copies of bit 47 where its format has neither flags nor cycles.
static bool record_written(void *state, const struct engine_access *a)
{
	struct intel_state *m = state;
	uint64_t *held = engine_stored(&m->engine, a->thread, a->kind, a->index);

	*held = intel_lbr_extend(m->processor, a->kind, *held);
	return false;
}

// A general counter is in use while its event select is not 0, a fixed one while it counts at some
// level, the interrupt while a counter's INT or PMI is set.
static bool read_in_use(void *state, unsigned thread, unsigned index, uint64_t *value)
{
	const struct intel_state *m = state;
	const uint64_t *file = m->file[thread], control = file[SLOT_IA32_FIXED_CTR_CTRL];
	bool interrupts = false;

	(void)index;
	*value = 0;
	for (unsigned i = 0; i < GENERAL; i++) {
		const uint64_t selected = file[SLOT_IA32_PERFEVTSEL + i];

		interrupts |= selected & FIELD(IA32_PERFEVTSEL, INT);
		if (selected & FIELD(IA32_PERFEVTSEL, EventSelect))
			*value |= 1ULL << i;
	}
	for (unsigned i = 0; i < INTEL_FIXED_COUNTERS; i++) {
		const uint64_t own = control >> i * INTEL_FIXED_CONTROL_BITS;

		interrupts |= own & FIELD(IA32_FIXED_CTR_CTRL, PMI0);
		if (own & (FIELD(IA32_FIXED_CTR_CTRL, EN0_OS) | FIELD(IA32_FIXED_CTR_CTRL,
								       EN0_USR)))
			*value |= 1ULL << (INTEL_FIRST_FIXED + i);
	}
	*value |= FIELD_PUT(IA32_PERF_GLOBAL_INUSE, PMI_InUse, interrupts);
	return true;
}

ENGINE_REGISTER_TABLES(INTEL_REGISTERS)

static const struct engine_hooks hooks[KINDS] = {
	[KIND_IA32_PERFEVTSEL] = {.follow = follow_select, .written = select_written},
	[KIND_IA32_A_PMC] = {.made = true, .read = read_full_width, .written = write_full_width},
	[KIND_IA32_FIXED_CTR_CTRL] = {.follow = follow_fixed_control},
	[KIND_IA32_PERF_GLOBAL_CTRL] = {.configures = true},
	[KIND_IA32_PERF_GLOBAL_STATUS_RESET] = {.clears = KIND_IA32_PERF_GLOBAL_STATUS,
						.configures = true},
	[KIND_IA32_PERF_GLOBAL_STATUS_SET] = {.made = true, .written = set_status},
	[KIND_IA32_PERF_GLOBAL_INUSE] = {.made = true, .read = read_in_use},
	[KIND_IA32_DEBUGCTL] = {.configures = true},
	[KIND_LBR_SELECT] = {.configures = true},
	[KIND_LASTBRANCH_FROM_IP] = {.written = record_written},
	[KIND_LASTBRANCH_TO_IP] = {.written = record_written},
	[KIND_IA32_LBR_CTL] = {.configures = true},
	[KIND_IA32_LBR_DEPTH] = {.accepts = intel_arch_lbr_accepts,
				 .written = intel_arch_lbr_cleared},
	[KIND_IA32_LBR_FROM_IP] = {.made = true},
	[KIND_IA32_LBR_TO_IP] = {.made = true},
};

static const struct model_field saved[] = {
	ENGINE_SAVED_LEVELS(THREADS),
	ENGINE_SAVED(intel_state, uint32_t, engine.asserted, (1u << THREADS * COUNTERS) - 1),
	ENGINE_SAVED(intel_state, uint32_t, engine.outputs.requests, (1u << THREADS) - 1),
	ENGINE_SAVED(intel_state, uint16_t, elapsed, INTEL_LBR_CYCLES_MOST),
};

// The registers of architectural branch records are the last ones; other processors lack them.
#define OTHER_KINDS	KIND_IA32_LBR_CTL

ENGINE_REGISTERS(intel_state, THREADS, INTEL_COUNTER_WIDTH, ENGINE_BY_ADDRESS(INTEL_REGISTERS))
ENGINE_FIRST_REGISTERS(other_registers, OTHER_KINDS, intel_state, THREADS, INTEL_COUNTER_WIDTH,
		       ENGINE_BY_ADDRESS(INTEL_REGISTERS))

static void intel_reset(const struct pmu_model *model, void *state, int fault, uint64_t seed)
{
	const struct intel_processor *p = model->processor;
	struct intel_state *m = state;

	(void)fault;
	engine_model_reset(p->arch_lbr ? &registers : &other_registers, &rules, state, sizeof *m,
			   seed);
	m->processor = p;
	m->engine.mask = FIELD_MASK(0, p->width);
	for (unsigned thread = 0; thread < THREADS; thread++) {
		uint64_t *file = m->file[thread];

		file[SLOT_IA32_PERF_GLOBAL_CTRL] = FIELD_MASK(0, p->general);
		file[SLOT_IA32_PERF_CAPABILITIES] =
			FIELD_PUT(IA32_PERF_CAPABILITIES, FW_WRITE, p->full_width) |
			FIELD_PUT(IA32_PERF_CAPABILITIES, LBR_FMT, p->lbr_format);
	}
	engine_configure(&m->engine);
}

static bool intel_field(size_t number, struct model_field *field)
{
	return engine_field(&registers, number, field);
}

static bool other_field(size_t number, struct model_field *field)
{
	return engine_field(&other_registers, number, field);
}

// The time since the youngest branch record is saved as a difference, because the engine's cycles
// start again in another state.
static void intel_sync(void *state)
{
	struct intel_state *m = state;

	engine_model_sync(state);
	for (unsigned thread = 0; thread < THREADS; thread++)
		m->elapsed[thread] = intel_lbr_elapsed(m, thread, m->engine.cycles);
}

static bool intel_restore(void *state)
{
	struct intel_state *m = state;
	bool possible = engine_restore(state);

	for (unsigned thread = 0; thread < THREADS; thread++) {
		const uint64_t *file = m->file[thread];

		m->recorded_at[thread] = m->engine.cycles - m->elapsed[thread];
		for (unsigned i = 0; i < INTEL_BRANCH_RECORDS; i++)
			possible &= file[SLOT_LASTBRANCH_FROM_IP + i] ==
				intel_lbr_extend(m->processor, KIND_LASTBRANCH_FROM_IP,
						 file[SLOT_LASTBRANCH_FROM_IP + i]) &&
				file[SLOT_LASTBRANCH_TO_IP + i] ==
				intel_lbr_extend(m->processor, KIND_LASTBRANCH_TO_IP,
						 file[SLOT_LASTBRANCH_TO_IP + i]);
	}
	return possible;
}

static bool intel_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	const struct intel_state *m = state;

	return intel_lacking(m->processor, address) != ~0ULL &&
	       engine_read(&registers, state, thread, intel_arch_lbr_address(address), value);
}

static bool intel_write(void *state, unsigned thread, uint32_t address, uint64_t value,
			uint64_t cycles)
{
	const struct intel_state *m = state;
	const uint64_t lacking = intel_lacking(m->processor, address);

	return lacking != ~0ULL && !(value & lacking) &&
	       intel_lbr_takes(m->processor, address, value) &&
	       engine_write(state, thread, intel_arch_lbr_address(address), value, cycles);
}

static __attribute__((noinline)) void connect(void *state, uint64_t cycles,
					      const struct occurrence *occurrences, size_t count)
{
	engine_connect(state, occurrences, count, selects, intel_sum);
	engine_run(state, cycles);
}

static void intel_advance(void *state, uint64_t cycles, const struct occurrence *occurrences,
			  size_t count)
{
	engine_advance(state, cycles, occurrences, count, connect);
}

static bool intel_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	const bool fixed = index & INTEL_RDPMC_FIXED;
	const uint32_t number = index & ~INTEL_RDPMC_FIXED;

	*value = 0;
	return number < (fixed ? INTEL_FIXED_COUNTERS : GENERAL) &&
	       intel_read(state, thread, (fixed ? MSR_IA32_FIXED_CTR : MSR_IA32_PMC) + number,
			  value);
}

//
// Event signals of an instruction clock
//

// A cycle has one slot. The last two are reference cycles: of general counters, of fixed counter 2.
#define CLOCK(of, at)						\
	ENGINE_EVENT(INTEL_EVENT_RETIRED, 0, of, at)		\
	ENGINE_EVENT(INTEL_EVENT_SLOTS, INTEL_UMASK_SLOTS, of, at) \
	ENGINE_EVENT(INTEL_EVENT_CYCLES, 0, of, at)		\
	ENGINE_EVENT(INTEL_EVENT_CYCLES, 1, of, at)		\
	ENGINE_EVENT(INTEL_EVENT_REFERENCE, 0, of, at)
ENGINE_CLOCK_SIGNALS(THREADS, CLOCK)

//
// Counters that a backend can leave out
//

#define GLOBAL_BITS(first)				\
	{MSR_IA32_PERF_GLOBAL_STATUS, first, 1},	\
	{MSR_IA32_PERF_GLOBAL_CTRL, first, 1},		\
	{MSR_IA32_PERF_GLOBAL_STATUS_RESET, first, 1},	\
	{MSR_IA32_PERF_GLOBAL_STATUS_SET, first, 1},	\
	{MSR_IA32_PERF_GLOBAL_INUSE, first, 1}

static const struct model_bits general_bits[] = {
	GLOBAL_BITS(0),
	{0},
};
static const struct model_bits fixed_bits[] = {
	GLOBAL_BITS(INTEL_FIRST_FIXED),
	{MSR_IA32_FIXED_CTR_CTRL, 0, INTEL_FIXED_CONTROL_BITS},
	{0},
};
static const struct model_event fixed_events[INTEL_FIXED_COUNTERS] = {
	{INTEL_EVENT_RETIRED, 0}, {INTEL_EVENT_CYCLES, 0}, {INTEL_EVENT_REFERENCE, 0},
	{INTEL_EVENT_SLOTS, INTEL_UMASK_SLOTS},
};

static const struct model_counters groups[] = {
	{
		.count = GENERAL, .address = MSR_IA32_PMC, .index = 0,
		.select = MSR_IA32_PERFEVTSEL, .distance = 1,
		.code = FIELD(IA32_PERFEVTSEL, EventSelect),
		.umask = FIELD(IA32_PERFEVTSEL, UMASK),
		.off_mask = FIELD(IA32_PERFEVTSEL, EN), .any = FIELD(IA32_PERFEVTSEL, AnyThread),
		.bits = general_bits,
	}, {
		.count = INTEL_FIXED_COUNTERS, .address = MSR_IA32_FIXED_CTR,
		.index = INTEL_RDPMC_FIXED,
		.select = MSR_IA32_FIXED_CTR_CTRL, .shift = INTEL_FIXED_CONTROL_BITS,
		.event = fixed_events,
		.off_mask = FIELD(IA32_FIXED_CTR_CTRL, EN0_OS) |
			FIELD(IA32_FIXED_CTR_CTRL, EN0_USR),
		.any = FIELD(IA32_FIXED_CTR_CTRL, AnyThread0), .bits = fixed_bits,
	},
};

//
// Processors
//

// The PMU writes no records into memory.
static void intel_attach(void *state, const struct model_processor *processor)
{
	(void)state, (void)processor;
}

static const struct model_persist persist = {intel_field, intel_sync, intel_restore};
static const struct model_persist other_persist = {other_field, intel_sync, intel_restore};
static const struct model_machine machine = {
	ENGINE_CLOCK(THREADS, 4), .clock_references = 2,
	.raised = intel_raised,
	.leave_out = engine_leave_out,
	.set_late = engine_set_late, .count_late = engine_count_late,
};
static const struct model_records records = {intel_attach, intel_record, true};
static const struct model_user user = {.read_counter = intel_read_counter};

static const struct model_identification identification = {intel_identify, intel_expose};

/* A model of a processor: ALL or OTHER registers; name, version, general counters, width, fixed
 * counters, further fixed counters, full-width writes, AnyThread deprecated, absent events, branch
 * records. */
#define MODEL(registers_, name_, ...)						\
	.name = name_, .size = sizeof(struct intel_state),		\
	.processor = &(const struct intel_processor){__VA_ARGS__},	\
	.choose = intel_choose,						\
	.threads = THREADS, .registers = descriptions, registers_,	\
	.reset = intel_reset, .read = intel_read, .write = intel_write,	\
	.advance = intel_advance, .headroom = engine_headroom,		\
	.has_init = true,						\
	ENGINE_GROUPS,							\
	.machine = &machine, .user = &user,	\
	.records = &records, .identification = &identification

#define ALL		.register_count = KINDS, .persist = &persist
#define OTHER		.register_count = OTHER_KINDS, .persist = &other_persist
#define NO_BRANCHES	.lbr_depth = 0
#define ARCHITECTURAL	.lbr_format = INTEL_LBR_FORMAT_ARCHITECTURAL, \
	.lbr_depth = INTEL_BRANCH_RECORDS, .arch_lbr = true
#define LBR_STACK(cpuid, format, depth) \
	.signature = (cpuid), .lbr_format = (format), .lbr_depth = (depth)

/* The processors of a model, as in struct pmu_model: "DisplayFamily_DisplayModel" in SDM volume 4,
 * table 2-1. */
#define OF(...)	.processors = (const uint16_t[]){__VA_ARGS__, 0}

/* Named after processors of that kind. 06_86H is the number of QEMU's Icelake-Server before its
 * version 4. */
static const struct pmu_model variants[] = {
	{MODEL(OTHER, "intel-small", 1, 1, 32, 0, 0, false, false, 0, NO_BRANCHES)},
	{MODEL(OTHER, "intel-core-duo", 1, 2, 40, 0, 0, false, false, 0, NO_BRANCHES)},
	{MODEL(OTHER, "intel-no-fixed", 2, 2, 40, 0, 0, false, false, 0, NO_BRANCHES)},
	{MODEL(OTHER, "intel-core-2", 2, 2, 40, 3, 0, false, false, 0, NO_BRANCHES), OF(0x0617)},
	{MODEL(OTHER, "intel-haswell", 3, 4, 48, 3, 0, true, false, 0,
	       LBR_STACK(0x000306C3, 4, 16)), OF(0x062A, 0x063A, 0x063C, 0x063D)},
	{MODEL(OTHER, "intel-skylake", 4, 4, 48, 3, 0, true, false, 0,
	       LBR_STACK(0x000506E3, 5, 32)), OF(0x0655, 0x065E)},
	{MODEL(OTHER, "intel-icelake", 5, 8, 48, 4, 0, true, true, 0, NO_BRANCHES),
	 OF(0x066A, 0x0686, 0x068F)},
	{MODEL(OTHER, "intel-guest", 5, 4, 48, 2, 0x8, true, true, 0x58, NO_BRANCHES)},
	{MODEL(ALL, "intel-arch-lbr", 5, 8, 48, 4, 0, true, true, 0, ARCHITECTURAL)},
	{.name = NULL},
};

const struct pmu_model pmu_model_intel = {
	MODEL(OTHER, "intel", 5, 8, 48, 4, 0, true, false, 0, LBR_STACK(0x000706E5, 5, 32)),
	.variants = variants,
};
