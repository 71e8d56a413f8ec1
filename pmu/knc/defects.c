// SPDX-License-Identifier: BSD-2-Clause
// Defects of Knights Corner's core PMU, injected by a wrapper around its model.

#include <string.h>

#include "../defects/defects.h"
#include "state.h"

extern const struct pmu_model pmu_model_knc;

// Names are those of fault=spflt-ignored.
#define FAULTS(F)								\
	F(RESET_VALUE, "reset-value")			/* IA32_PERF_GLOBAL_CTRL resets to 3 */ \
	F(SELECT_STUCK, "select-stuck") /* bit 5 of select 1's unit mask never holds */ \
	F(COUNTER_STUCK, "counter-stuck")		/* bit 17 of counter 1 reads 1 */ \
	F(COUNTER_NARROW, "counter-narrow")		/* counters wrap at 32 bits */ \
	F(SIGN_EXTENDED, "sign-extended") /* a counter write takes 32 bits and extends them */ \
	F(ACCESS_UNCHECKED, "access-unchecked")		/* invalid accesses do not fault */ \
	F(RDPMC_SHORT, "rdpmc-short")			/* RDPMC gives 32 bits */ \
	F(RDPMC_UNCHECKED, "rdpmc-unchecked") /* RDPMC of a counter that does not exist reads 0 */ \
	F(EN_IGNORED, "en-ignored")			/* counters count with EN clear */ \
	F(GLOBAL_IGNORED, "global-ignored") /* counter 1 ignores IA32_PERF_GLOBAL_CTRL */ \
	F(USR_IGNORED, "usr-ignored")			/* levels 1 to 3 count without USR */ \
	F(OS_IGNORED, "os-ignored")			/* level 0 counts without OS */ \
	F(LEVELS_SWAPPED, "levels-swapped")		/* OS and USR are exchanged */ \
	F(ANY_IGNORED, "any-ignored") /* thread count mode set: counts its own thread */ \
	F(ANY_ALWAYS, "any-always") /* thread count mode clear: counts all threads */ \
	F(NO_THREAD_FILTERED,	\
	  "no-thread-filtered")	/* events of no thread need thread count mode */	\
	F(THREADS_SHARE, "threads-share") /* the threads have one IA32_PERF_GLOBAL_CTRL */ \
	F(SPFLT_IGNORED, "spflt-ignored")		/* counters ignore the user filter */ \
	F(SPFLT_INVERTED, "spflt-inverted") /* counters count while USER_PREF is clear */ \
	F(SPFLT_ALWAYS, "spflt-always")			/* all counters follow the user filter */ \
	F(SPFLT_LOST, "spflt-lost") /* SPFLT does not change the user filter */ \
	F(CMASK_WRONG, "cmask-wrong")			/* greater than, not greater or equal */ \
	F(INV_IGNORED, "inv-ignored")			/* CMASK is never inverted */ \
	F(INV_ALONE, "inv-alone") /* INV without CMASK counts cycles without events */ \
	F(EDGE_IGNORED, "edge-ignored")			/* every asserted cycle counts */ \
	F(ILLEGAL_COUNTED, "illegal-counted") /* an event that does not exist counts cycles */ \
	F(EVENT_0_UNUSED, "event-0-unused") /* event 0 with unit mask 0 counts nothing */ \
	F(UMASK_IGNORED, "umask-ignored")		/* an event code counts for any unit */ \
	F(UMASK_DIGIT_IGNORED,	\
	  "umask-digit-ignored")	/* the low digit of a unit mask does not matter */	\
	F(BRANCHES_DEAD, "branches-dead")		/* BRANCHES counts nothing */ \
	F(COUNTERS_ALIKE, "counters-alike") /* counter 1 counts events of counter 0 alone */ \
	F(HALT_COUNTED, "halt-counted") /* counters count while all threads are halted */ \
	F(STATUS_LOST, "status-lost")			/* an overflow leaves no status */ \
	F(STATUS_FADES, "status-fades")			/* reading the status clears it */ \
	F(SIMULTANEOUS_LOST, "simultaneous-lost")	/* one of several overflows is seen */ \
	F(CLEAR_ALL, "clear-all")			/* clearing one status bit clears both */ \
	F(CLEAR_LOST, "clear-lost")			/* status bits cannot be cleared */ \
	F(INT_MISSING, "int-missing")			/* INT set: no interrupt */ \
	F(INT_ALWAYS, "int-always")			/* INT clear: interrupts */ \
	F(LINE_STUCK, "line-stuck")			/* the line does not fall */ \
	F(LINE_REPEATS, "line-repeats") /* an overflow interrupts although the line is up */ \
	F(LINE_OF_THREAD_0, "line-of-thread-0")		/* all threads' lines lead to thread 0 */ \
	F(CLOCK_STOPS, "clock-stops") /* the time-stamp counter stops with the counters */ \
	F(CLOCK_HALTS, "clock-halts") /* the time-stamp counter stops in a halt */ \
	F(CLOCK_SPLIT, "clock-split")			/* other threads do not see a write */ \
	F(READS_ONES, "reads-ones")			/* every register reads as ones */ \
	F(WRITES_LOST, "writes-lost")			/* no write changes a register */

DEFECTS(FAULTS)

// State of the wrapper, stored after the sound model's state.
struct own {
	uint32_t lines;		// bit mask: lines that have been high since reset
};

#define SELECTS		MSR_IA32_PERFEVTSEL, COUNTERS
#define ONE(R)		MSR_##R, 1
#define SELECT(name)	FIELD(IA32_PERFEVTSEL, name)

static const struct defect table[] = {
	{DEFECT_RESET_VALUE, RESETS_TO, ONE(IA32_PERF_GLOBAL_CTRL), BOTH},
	{DEFECT_SELECT_STUCK, WRITES_CLEAR, MSR_IA32_PERFEVTSEL + 1, 1,
	 FIELD_PUT(IA32_PERFEVTSEL, UMASK, 0x20)},
	{DEFECT_COUNTER_STUCK, READS_SET, MSR_IA32_PERFCNTR + 1, 1, 1ULL << 17},
	{DEFECT_COUNTER_NARROW, COUNTS_BITS, .bits = 32},
	{DEFECT_ACCESS_UNCHECKED, .kind = UNCHECKED},
	{DEFECT_RDPMC_SHORT, INDEX_READS, .bits = UINT32_MAX},
	{DEFECT_RDPMC_UNCHECKED, INDEX_UNCHECKED, COUNTERS, INT32_MAX, 0},
	{DEFECT_EN_IGNORED, HOLDS_SET, SELECTS, SELECT(EN)},
	{DEFECT_GLOBAL_IGNORED, HOLDS_SET, ONE(IA32_PERF_GLOBAL_CTRL), 2},
	{DEFECT_USR_IGNORED, HOLDS_SET, SELECTS, SELECT(USR)},
	{DEFECT_OS_IGNORED, HOLDS_SET, SELECTS, SELECT(OS)},
	{DEFECT_ANY_IGNORED, HOLDS_CLEAR, SELECTS, SELECT(THREAD_COUNT_MODE)},
	{DEFECT_ANY_ALWAYS, HOLDS_SET, SELECTS, SELECT(THREAD_COUNT_MODE)},
	{DEFECT_SPFLT_IGNORED, HOLDS_CLEAR, ONE(PERF_SPFLT_CONTROL),
	 FIELD(PERF_SPFLT_CONTROL, SPFLT_ENABLE)},
	{DEFECT_SPFLT_ALWAYS, HOLDS_SET, ONE(PERF_SPFLT_CONTROL),
	 FIELD(PERF_SPFLT_CONTROL, SPFLT_ENABLE)},
	{DEFECT_INV_IGNORED, HOLDS_CLEAR, SELECTS, SELECT(INV)},
	{DEFECT_EDGE_IGNORED, HOLDS_CLEAR, SELECTS, SELECT(E)},
	{DEFECT_HALT_COUNTED, COUNTS_HALTED, .bits = offsetof(struct knc_state, engine.counting)},
	{DEFECT_SIMULTANEOUS_LOST, .kind = WRAPS_ONE},
	{DEFECT_CLEAR_LOST, WRITES_CLEAR, ONE(IA32_PERF_GLOBAL_OVF_CTRL), BOTH},
	{DEFECT_INT_MISSING, HOLDS_CLEAR, SELECTS, SELECT(INT)},
	{DEFECT_INT_ALWAYS, HOLDS_SET, SELECTS, SELECT(INT)},
	{DEFECT_READS_ONES, READS_SET, EVERY_REGISTER, ~0ULL},
	{DEFECT_WRITES_LOST, KEEPS, EVERY_REGISTER, ~0ULL},
};

//
// Selects
//

static uint64_t held_select(const void *state, unsigned counter, uint64_t select)
{
	const unsigned code = (unsigned)FIELD_GET(IA32_PERFEVTSEL, EVENT, select);
	const unsigned umask = (unsigned)FIELD_GET(IA32_PERFEVTSEL, UMASK, select);
	const uint64_t cmask = FIELD_GET(IA32_PERFEVTSEL, CMASK, select);

	if (has_defect(state, DEFECT_LEVELS_SWAPPED))
		return (select & ~(SELECT(USR) | SELECT(OS))) |
		       (select & SELECT(USR) ? SELECT(OS) : 0) |
		       (select & SELECT(OS) ? SELECT(USR) : 0);
	if (has_defect(state, DEFECT_CMASK_WRONG) && cmask && cmask < 0xFF)
		return select + FIELD_PUT(IA32_PERFEVTSEL, CMASK, 1);
	if (has_defect(state, DEFECT_ILLEGAL_COUNTED) && !knc_is_event(code, umask, counter))
		return (select & ~(SELECT(EVENT) | SELECT(UMASK))) |
		       FIELD_PUT(IA32_PERFEVTSEL, EVENT, KNC_EVENT_CYCLES);
	if ((has_defect(state, DEFECT_EVENT_0_UNUSED) && code == 0 && umask == 0) ||
	    (has_defect(state, DEFECT_BRANCHES_DEAD) && code == KNC_EVENT_BRANCHES))
		return select & ~SELECT(EN);
	if (has_defect(state, DEFECT_UMASK_DIGIT_IGNORED))
		return select & ~FIELD_PUT(IA32_PERFEVTSEL, UMASK, 0xF);
	if (has_defect(state, DEFECT_INV_ALONE) && select & SELECT(INV) && !cmask)
		return select | FIELD_PUT(IA32_PERFEVTSEL, CMASK, 1);
	return select;
}

static uint64_t held(const void *state, uint32_t address, uint64_t value)
{
	const uint32_t counter = address - MSR_IA32_PERFEVTSEL;

	if (has_defect(state, DEFECT_CLEAR_ALL) && address == MSR_IA32_PERF_GLOBAL_OVF_CTRL)
		return value & BOTH ? value | BOTH : value;
	return counter < COUNTERS ? held_select(state, counter, value) : value;
}

static void filter_events_of_no_thread(struct knc_state *m)
{
	for (unsigned i = 0; i < THREADS * COUNTERS; i++)
		for (unsigned thread = 0; thread < THREADS && knc_is_of_no_thread(m->event[i]);
		     thread++)
			if (!(m->engine.counter[i].threads >> thread & 1))
				for (unsigned level = 0; level < LEVELS; level++)
					m->accepting[thread][level] &= (uint8_t)~(1u << i);
}

static void file_under_all_units(struct knc_state *m)
{
	memset(m->of_event, 0, sizeof m->of_event);
	for (unsigned i = 0; i < THREADS * COUNTERS; i++)
		for (unsigned unit = 0; unit < UNITS; unit++)
			m->of_event[unit][m->event[i] & 0xFF] |= (uint8_t)(1u << i);
}

// Enables each counter 1 whose event counts on counter 0 only, and adds it to that event's set.
static void file_under_counter_1(struct knc_state *m)
{
	for (unsigned thread = 0; thread < THREADS; thread++) {
		const uint64_t select = m->file[thread][SLOT_IA32_PERFEVTSEL + 1];
		const unsigned code = (unsigned)FIELD_GET(IA32_PERFEVTSEL, EVENT, select),
			i = COUNTERS * thread + 1;
		const unsigned umask = (unsigned)FIELD_GET(IA32_PERFEVTSEL, UMASK, select);

		if (!knc_is_event(code, umask, 0))
			continue;
		m->of_event[m->event[i] / (KNC_UMASK_CRI << 8)][m->event[i] &
								0xFF] &= (uint8_t)~(1u << i);
		m->event[i] = (uint16_t)(code | umask << 8);
		m->of_event[umask / KNC_UMASK_CRI][code] |= (uint8_t)(1u << i);
		ENGINE_PUT_BIT(m->enabled, i, select & SELECT(EN));
	}
}

static void configure(void *state)
{
	struct knc_state *m = state;
	struct own *own = defective_own(m);
	const uint64_t inverted = has_defect(m, DEFECT_SPFLT_INVERTED) ?
		FIELD(PERF_SPFLT_CONTROL, USER_PREF) : 0;

	if (has_defect(m, DEFECT_NO_THREAD_FILTERED))
		filter_events_of_no_thread(m);
	if (has_defect(m, DEFECT_UMASK_IGNORED))
		file_under_all_units(m);
	if (has_defect(m, DEFECT_COUNTERS_ALIKE))
		file_under_counter_1(m);
	for (unsigned thread = 0; thread < THREADS; thread++)
		m->file[thread][SLOT_PERF_SPFLT_CONTROL] ^= inverted;
	knc_configure(state);
	for (unsigned thread = 0; thread < THREADS; thread++)
		m->file[thread][SLOT_PERF_SPFLT_CONTROL] ^= inverted;
	own->lines |= m->lines;
	for (unsigned thread = 0; thread < THREADS && has_defect(m, DEFECT_LINE_STUCK); thread++)
		m->engine.raising &= own->lines >> thread & 1 ? ~OF_THREAD(thread, BOTH) : ~0u;
	if (has_defect(m, DEFECT_LINE_STUCK))
		m->lines = own->lines;
	if (has_defect(m, DEFECT_LINE_REPEATS))
		m->engine.raising = m->interrupting;
}

//
// Counting and the time-stamp counter
//

static void sum(struct engine *e)
{
	defective_sum(e);
	// `passed` is called
	e->busy = has_defect(e, DEFECT_CLOCK_STOPS) || has_defect(e, DEFECT_CLOCK_HALTS);
}

static bool clock_stands(const struct knc_state *m)
{
	return (has_defect(m, DEFECT_CLOCK_STOPS) && !knc_set(m, SLOT_IA32_PERF_GLOBAL_CTRL)) ||
	       (has_defect(m, DEFECT_CLOCK_HALTS) && !m->engine.input_count);
}

// Lines that have risen since `before` interrupt thread 0.
static void lead_to_thread_0(struct knc_state *m, uint32_t before)
{
	struct model_outputs *outputs = &m->engine.outputs;

	if (has_defect(m, DEFECT_LINE_OF_THREAD_0) && outputs->requests & ~before)
		outputs->requests = before | 1;
}

static bool passed(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	struct knc_state *m = (struct knc_state *)e;
	const uint32_t before = e->outputs.requests;

	if (clock_stands(m))
		e->cycles -= cycles;
	defective_passed(e, cycles, has_defect(m, DEFECT_STATUS_LOST) ? 0 : wrapped);
	for (unsigned thread = 0; thread < THREADS && has_defect(m, DEFECT_LINE_REPEATS); thread++)
		e->outputs.requests |= THREAD_SET(thread, wrapped & m->interrupting) ?
			1u << thread : 0;
	lead_to_thread_0(m, before);
	return true;
}

//
// Accesses
//

static bool read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	struct knc_state *m = state;

	if (!defective_read(state, thread, address, value))
		return false;
	if (has_defect(m, DEFECT_STATUS_FADES) && address == MSR_IA32_PERF_GLOBAL_STATUS)
		m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS] = 0;
	return true;
}

static bool write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	struct knc_state *m = state;
	const uint64_t width = FIELD(IA32_PERFCNTR, COUNT);
	const uint32_t requests = m->engine.outputs.requests;
	uint64_t clock[THREADS];

	for (unsigned other = 0; other < THREADS; other++)
		clock[other] = m->file[other][SLOT_IA32_TIME_STAMP_COUNTER];
	if (has_defect(m, DEFECT_SIGN_EXTENDED) && address - MSR_IA32_PERFCNTR < COUNTERS)
		value = (value & ~width) | ((uint64_t)(int32_t)value & width);
	if (!defective_write(state, thread, address, value, cycles))
		return false;
	for (unsigned other = 0; other < THREADS; other++) {
		if (has_defect(m, DEFECT_CLOCK_SPLIT) && address == MSR_IA32_TIME_STAMP_COUNTER &&
		    other != thread)
			m->file[other][SLOT_IA32_TIME_STAMP_COUNTER] = clock[other];
		if (has_defect(m, DEFECT_THREADS_SHARE) && address == MSR_IA32_PERF_GLOBAL_CTRL)
			m->file[other][SLOT_IA32_PERF_GLOBAL_CTRL] = value;
	}
	lead_to_thread_0(m, requests);
	defective_follow(state);
	return true;
}

static void spflt(void *state, unsigned thread, bool count, uint64_t cycles)
{
	if (has_defect(state, DEFECT_SPFLT_LOST)) {
		engine_run(state, cycles);
		return;
	}
	pmu_model_knc.user->spflt(state, thread, count, cycles);
	defective_follow(state);
}

static const struct defective defects = {
	.rules = {sum, passed, defective_lower_headroom, defective_ended, defective_configure},
	.sound = &pmu_model_knc, .names = defect_names,
	.table = table, .table_size = sizeof table / sizeof *table, .own = sizeof(struct own),
	.counters = COUNTERS, .thread_size = SLOTS * sizeof(uint64_t), .held = held,
	.configure = configure,
};

const struct pmu_model *pmu_defective_knc(void)
{
	static struct pmu_model model;
	static struct model_user user;

	defective_model(&model, &user, &defects);
	model.read = read;
	model.write = write;
	user.spflt = spflt;
	return &model;
}
