// SPDX-License-Identifier: BSD-2-Clause
// Driver of the Itanium processor's performance monitor: counting and sampling. Registers and
// fields are in regs.h.

#include "driver.h"

#include "event.h"
#include "field.h"
#include "hal.h"
#include "path.h"
#include "pmu_driver.h"
#include "poll.h"
#include "regs.h"

#define FREEZE		FIELD(PMC0, fr)
#define STATUS_COUNTING	(FIELD(PSR, up) | FIELD(PSR, pp))	/* if both are 0, nothing counts */
#define NO_SET		3U /* ism: counts in neither instruction set */
#define ALL_LEVELS	0xF
#define TIMER		(1ULL << ITANIUM_TIMER)

static uint32_t control_register(unsigned counter)
{
	return counter == ITANIUM_TIMER ? ITANIUM_ITV : ITANIUM_PMC(counter);
}

static uint32_t itanium_address(unsigned counter)
{
	return counter == ITANIUM_TIMER ? ITANIUM_ITM : ITANIUM_PMD(counter);
}

// CPUID register 3: the processor's family in bits 31:24.
#define CPUID_VERSION	3
#define FAMILY_ITANIUM	7
#define FAMILY_ITANIUM_2	0x1F

static const struct pmu_shape shape = {
	.counters = ITANIUM_COUNTER_MASK | TIMER,
	.fixed = TIMER,
	.width = ITANIUM_COUNTER_WIDTH,
	.arm_least = PMU_ARM_LEAST,
	.arm_most = 1ULL << ITANIUM_COUNTER_WIDTH,
	.features = PMU_FEATURE_FREEZE | PMU_FEATURE_GLOBAL | PMU_FEATURE_USER_READ |
		PMU_FEATURE_QUALIFY,
};

static const char *itanium_probe(struct pmu_shape *found)
{
	uint32_t version[4];

	hal_identify(CPUID_VERSION, 0, version);
	switch (version[0] >> 24) {
	case FAMILY_ITANIUM:
		*found = shape;
		return NULL;
	case FAMILY_ITANIUM_2:
		return "CPUID register 3 reports family 1FH, an Itanium 2: it has another PMU";
	default:
		return "CPUID register 3 reports another family than 7";
	}
}

static bool change(uint32_t address, uint64_t clear, uint64_t set)
{
	uint64_t value = 0;

	return reg_read(address, &value) && reg_write(address, (value & ~clear) | set);
}

//
// Freeze
//

// While PMC0.fr is 1 no counter can overflow (6.2.1, table 6-7), so the last value read is still
// valid. An interrupt reads PMC0 once and writes it once, to end the freeze. Start and stop read it
// once.
static bool read_status(uint64_t *status)
{
	*status = itanium_monitor()->frozen;
	return *status || reg_read(ITANIUM_PMC(0), status);
}

static bool write_status(uint64_t status)
{
	itanium_monitor()->frozen = 0;
	return reg_write(ITANIUM_PMC(0), status);
}

// Freezes all counters. *before: PMC0 as it was at that moment. A write of PMC0 replaces the
// overflow bits, so it would lose a bit that the hardware sets after the read. Therefore the
// function first stops the counters by PSR.
static bool stop_counting(uint64_t *before)
{
	uint64_t status = 0;
	bool ok = reg_read(ITANIUM_PSR, &status) &&
		reg_write(ITANIUM_PSR, status & ~STATUS_COUNTING);

	ok &= read_status(before) && (*before & FREEZE || write_status(*before | FREEZE));
	return reg_write(ITANIUM_PSR, status) && ok;
}

// Freezes like stop_counting, which it calls only if the monitors are not frozen yet.
static bool keep_frozen(void)
{
	uint64_t before;
	bool ok = read_status(&before);

	if (!(before & FREEZE))
		ok &= stop_counting(&before);
	itanium_monitor()->frozen = ok ? before | FREEZE : 0;
	return ok;
}

static bool itanium_freeze(uint64_t *state)
{
	*state = 0;
	return stop_counting(state);
}

// Restores PMC0 with its overflow bits. Overflow bits set since then stay, with their freeze.
static bool itanium_thaw(uint64_t state)
{
	uint64_t now, since;
	const bool ok = read_status(&now);

	since = now & ~state & FIELD(PMC0, overflow);
	if (since & itanium_monitor()->interrupting)
		since |= FREEZE;
	return write_status(state | since) && ok;
}

static bool itanium_overflow_status(uint64_t *overflowed)
{
	struct itanium_monitor *m = itanium_monitor();
	const bool ok = read_status(overflowed);

	m->frozen = m->interrupted && *overflowed & FREEZE ? *overflowed : 0;
	*overflowed &= FIELD(PMC0, overflow);
	if (__builtin_expect(m->timed, false) && itanium_timer_is_due())
		*overflowed |= TIMER;
	return ok;
}

// The caller has frozen the monitors: no bit appears between the read and the write. A write of the
// timer's count clears the timer's overflow.
static bool itanium_overflow_clear(uint64_t overflowed)
{
	struct itanium_monitor *m = itanium_monitor();
	uint64_t status;

	overflowed &= FIELD(PMC0, overflow);
	if (__builtin_expect(m->interrupted && m->frozen, true)) {
		m->frozen &= ~overflowed;
		return true;
	}
	return read_status(&status) && write_status(status & ~overflowed);
}

//
// Reset
//

// Section 6.2.9 defines few registers, so reset writes all others before anything depends on them.
// It clears the breakpoint registers before the bits that apply them to monitoring. With PSR.db
// they belong to a debugger, and reset leaves them alone.
static bool reset_breakpoints(void)
{
	uint64_t status = 0;
	bool ok = reg_read(ITANIUM_PSR, &status);

	if (status & FIELD(PSR, db))
		return ok;
	// conditions before addresses
	for (unsigned i = 0; i < 2 * ITANIUM_BREAKPOINTS; i++) {
		ok &= reg_write(ITANIUM_IBR(i ^ 1), 0);
		ok &= reg_write(ITANIUM_DBR(i ^ 1), 0);
	}
	return ok;
}

static bool itanium_reset(void)
{
	struct itanium_monitor *m = itanium_monitor();
	bool ok = change(ITANIUM_PSR, STATUS_COUNTING, FIELD(PSR, sp));

	ok &= write_status(FREEZE);
	for (unsigned i = 0; i < ITANIUM_COUNTERS; i++)
		ok &= reg_write(control_register(ITANIUM_FIRST_COUNTER + i), 0);
	ok &= reg_write(ITANIUM_PMC(10), 0);
	ok &= reg_write(ITANIUM_PMC(12), 0);
	ok &= reset_breakpoints();
	ok &= reg_write(ITANIUM_PMC(8), REGISTER_RESET(PMC8));
	ok &= reg_write(ITANIUM_PMC(9), REGISTER_RESET(PMC8));
	ok &= reg_write(ITANIUM_PMC(11), REGISTER_RESET(PMC11));
	ok &= reg_write(ITANIUM_PMC(13), REGISTER_RESET(PMC13));
	for (unsigned i = 0; i < ITANIUM_PMDS; i++)
		ok &= reg_write(ITANIUM_PMD(i), 0);
	ok &= change(ITANIUM_DCR, 0, FIELD(DCR, pp));
	ok &= change(ITANIUM_PSR, 0, FIELD(PSR, pp));
	if (m->timed)
		ok &= itanium_timer_release();
	*m = (struct itanium_monitor){.privileged = true, .levels = ALL_LEVELS};
	return ok;
}

//
// Scopes (6.1.3.2)
//

// Figures 6-6 to 6-8: for each privilege, the monitor's bits and the status bits of the monitored
// processes. The figures differ only in which processes are monitored.
static const struct {
	bool privileged;
	uint8_t levels;
	uint64_t interruption;		// DCR
	uint64_t process;		// PSR
} privileges[] = {
	[PMU_PRIVILEGE_USER] = {false, 0x8, 0, FIELD(PSR, up)},
	[PMU_PRIVILEGE_KERNEL] = {false, 0x9, 0, FIELD(PSR, up)},
	[PMU_PRIVILEGE_INTERRUPTIONS] = {true, 0x9, FIELD(DCR, pp), FIELD(PSR, pp)},
};

static bool choose_scope(enum pmu_scope scope, enum pmu_privilege privilege,
			 struct pmu_scope_status *status)
{
	const uint64_t process = privileges[privilege].process;

	itanium_monitor()->privileged = privileges[privilege].privileged;
	itanium_monitor()->levels = privileges[privilege].levels;
	*status = (struct pmu_scope_status){
		.mask = STATUS_COUNTING, .monitored = process,
		.others = scope == PMU_SCOPE_SYSTEM ? process : 0,
	};
	return change(ITANIUM_DCR, FIELD(DCR, pp), privileges[privilege].interruption) &&
	       change(ITANIUM_PSR, STATUS_COUNTING | FIELD(PSR, sp),
		      process | FIELD_PUT(PSR, sp, privileges[privilege].privileged));
}

static bool enter_process(uint64_t status)
{
	return change(ITANIUM_PSR, STATUS_COUNTING, status);
}

//
// Counters
//

// The register reads as sign-extended; the driver returns 32 bits.
static bool itanium_read(uint32_t address, uint64_t *value)
{
	bool ok;

	if (__builtin_expect(address == ITANIUM_ITM, false))
		return itanium_timer_read(value);
	*value = 0;
	ok = reg_read(address, value);
	*value &= FIELD(PMD4, count);
	return ok;
}

static bool itanium_write(uint32_t address, uint64_t value)
{
	if (__builtin_expect(address == ITANIUM_ITM, false))
		return itanium_timer_write(value);
	return reg_write(address, value);
}

// Leaves the monitors frozen until `enable`. It writes the control register first, because a
// counter without levels does not keep its value.
static bool itanium_program(const struct pmu_counter *c, unsigned count)
{
	struct itanium_monitor *m = itanium_monitor();
	bool ok = keep_frozen();

	for (const struct pmu_counter *end = c + count; c < end; c++) {
		const uint64_t bit = 1ULL << c->number;

		ok &= itanium_empty_recorders(c);
		if (c->number == ITANIUM_TIMER) {
			m->timed = true;
			ok &= itanium_timer_program(c);
			continue;
		}
		m->select[c->number - ITANIUM_FIRST_COUNTER] = c->select;
		m->live |= bit;
		m->interrupting = (m->interrupting & ~bit) | (c->select & FIELD(PMC4, oi) ? bit :
							      0);
		ok &= reg_write(control_register(c->number), c->select & REGISTER_BITS(PMC4, RW));
		ok &= reg_write(c->address, c->start);
	}
	return ok;
}

static bool itanium_release(const struct pmu_counter *c, unsigned count)
{
	struct itanium_monitor *m = itanium_monitor();
	bool ok = true;

	for (const struct pmu_counter *end = c + count; c < end; c++) {
		ok &= itanium_empty_recorders(c);
		if (c->number == ITANIUM_TIMER) {
			m->timed = false;
			ok &= itanium_timer_release();
			continue;
		}
		m->live &= ~(1ULL << c->number);
		m->interrupting &= ~(1ULL << c->number);
		ok &= reg_write(control_register(c->number), 0);
		ok &= reg_write(c->address, 0);
	}
	return ok;
}

// Selects exactly the counters that count after the freeze. It turns other counters off by their
// instruction sets (ism), not by their levels: a counter without levels loses its value.
static bool choose(struct itanium_monitor *m, uint64_t counters)
{
	uint64_t changed = m->live ^ counters;
	bool ok = true;

	for (; changed; changed &= changed - 1) {
		unsigned counter = (unsigned)__builtin_ctzll(changed);
		uint64_t select = m->select[counter - ITANIUM_FIRST_COUNTER] &
			REGISTER_BITS(PMC4, RW);

		if (!(counters >> counter & 1))
			select |= FIELD_PUT(PMC4, ism, NO_SET);
		ok &= reg_write(control_register(counter), select);
	}
	m->live = counters;
	return ok;
}

// Enables exactly these counters. An unserved overflow keeps the freeze: its interrupt is pending,
// and events counted before its handler runs would be lost.
static bool itanium_enable(uint64_t counters)
{
	struct itanium_monitor *m = itanium_monitor();
	const uint64_t monitors = counters & ITANIUM_COUNTER_MASK;
	uint64_t before;
	bool ok = true;

	if (__builtin_expect(m->timed, false))
		ok = itanium_timer_enable(counters & TIMER);
	m->interrupted = false;
	if (!counters) {
		if (m->frozen)
			return write_status(m->frozen) && ok;
		ok &= stop_counting(&before);
		m->frozen = ok ? before | FREEZE : 0;
		return ok;
	}
	if (__builtin_expect(monitors != m->live, false)) {
		ok &= keep_frozen();
		ok &= choose(m, monitors);
	}
	ok &= read_status(&before);
	if (!(before & FREEZE) || __builtin_expect((before & m->interrupting) != 0, false))
		return (!m->frozen || write_status(before)) && ok;
	if (__builtin_expect(m->sampled, false))
		ok &= itanium_release_sampled(m);
	return write_status(before & ~FREEZE) && ok;
}

static const uint32_t recorded[] = {
	ITANIUM_PMD(0), ITANIUM_PMD(1), ITANIUM_PMD(2), ITANIUM_PMD(3), ITANIUM_PMD(8),
	ITANIUM_PMD(9),
	ITANIUM_PMD(10), ITANIUM_PMD(11), ITANIUM_PMD(12), ITANIUM_PMD(13), ITANIUM_PMD(14),
	ITANIUM_PMD(15), ITANIUM_PMD(16), ITANIUM_PMD(17),
};

static const struct pmu_records records = {
	.registers = recorded, .count = sizeof recorded / sizeof *recorded,
	.recorded = itanium_recorded, .payload = itanium_payload,
	.explain = itanium_explain_payload,
	.locate = itanium_locate,
};
static const struct pmu_settings settings = {.needed = itanium_settings,
					     .available = itanium_available};
static const struct pmu_scopes scope = {.choose = choose_scope, .enter = enter_process};

//
// The interrupt, sessions
//

static const struct pmu_polling poll = {
	.polled = itanium_polled, .clocks = ITANIUM_LOOK_CLOCKS, .begin = pmu_poll_counters,
	.look = pmu_poll,
};

// The overflow interrupt finds the monitors frozen, and no further status bit appears. The timer's
// interrupt freezes nothing, so this function freezes the monitors: the recorders' contents are
// valid only then (6.2.7, 6.2.8.2).
static bool itanium_hold(bool *more)
{
	struct itanium_monitor *m = itanium_monitor();
	uint64_t before;

	m->interrupted = true;
	m->frozen = 0;
	*more = m->timed;
	return __builtin_expect(!*more, true) || !itanium_timer_is_due() || stop_counting(&before);
}

extern const struct pmu_driver pmu_driver_itanium;

static void itanium_overflow_interrupt(uint64_t ip, unsigned level)
{
	pmu_overflow(&pmu_driver_itanium, ip, level);
}

static enum pmu_error itanium_start(struct pmu_session *session)
{
	return pmu_session_start(&pmu_driver_itanium, session);
}

static enum pmu_error itanium_stop(struct pmu_session *session)
{
	return pmu_session_stop(&pmu_driver_itanium, session);
}

static const struct pmu_signal signal = {.interrupt = itanium_overflow_interrupt,
					 .hold = itanium_hold};

//
// PAL
//

// Table 6-24.
static const struct pmu_monitor_information information = {
	.summary = PMU_SUMMARY(ITANIUM_COUNTERS, ITANIUM_COUNTER_WIDTH, ITANIUM_EVENT_CYCLES,
			       ITANIUM_EVENT_RETIRED),
	.control_mask = FIELD_MASK(0, ITANIUM_PMCS),
	.data_mask = FIELD_MASK(0, ITANIUM_PMDS),
	.cycles_mask = ITANIUM_COUNTER_MASK,
	.retired_mask = 1ULL << ITANIUM_FIRST_COUNTER,
};

#define KILOBYTES	1024
#define SPLIT		0
#define UNIFIED		1
#define WRITE_THROUGH	0
#define WRITE_BACK	1
#define LOGARITHM(n)	((uint64_t)__builtin_ctzll(n))

// The layout of PAL_CACHE_INFO's answer. The optimal stride is a line.
#define CACHE(level, type, unified, write, ways, line, size)					\
	{PMU_ANSWER_CACHE, level, type,								\
	 (unified) | (write) << 1 | (ways) << 8 | LOGARITHM(line) << 16 | LOGARITHM(line) << 24, \
	 size, 0}

// The layout of PAL_VM_SUMMARY's answer. A page walker, 44 physical address bits, 16 keys of 21
// bits, 48 data and 8 instruction translation registers, 3 distinct translation caches in 2 levels;
// 51 virtual address bits, region identifiers of 18.
#define MEMORY_1	(1 | 44 << 1 | 21 << 8 | (16 - 1) << 16 | (48 - 1ULL) << 32 |	\
			 (8 - 1ULL) << 40 | 3ULL << 48 |	\
			 2ULL << 56)
#define MEMORY_2	((ITANIUM_ADDRESS_BITS - 1) | 18 << 8)

// 4K, 8K, 16K, 64K, 256K, 1M, 4M, 16M, 256M.
#define PAGES (1 << 12 | 1 << 13 | 1 << 14 | 1 << 16 | 1 << 18 | 1 << 20 | 1 << 22 | 1 << 24 | \
	       1 << 28)

// The layout of PAL_VM_INFO's answer. Fully associative: one set with all entries as its ways.
#define TRANSLATIONS(level, type, entries)							\
	{PMU_ANSWER_TRANSLATION, level, type, 1 | (entries) << 8 | (entries) << 16, PAGES, 0}

// Part of PAL_PTCE_INFO's answer: "a single ptc.e purges all" (5.6), whatever its address.
#define ONCE		(1ULL << 32 | 1)

// Chapters 2 and 3 and Table 8-1, whose level numbers these are. Section 7.6 names the
// write-through caches. The last cache has 2 or 4 megabytes; this answer says 4.
static const struct pmu_answer answers[] = {
	CACHE(0, 1, SPLIT, WRITE_THROUGH, 4, 32, 16 * KILOBYTES),
	CACHE(0, 2, SPLIT, WRITE_THROUGH, 4, 32, 16 * KILOBYTES),
	CACHE(1, 2, UNIFIED, WRITE_BACK, 6, 64, 96 * KILOBYTES),
	CACHE(2, 2, UNIFIED, WRITE_BACK, 4, 64, 4096 * KILOBYTES),
	{PMU_ANSWER_CACHES, 0, 0, 3, 4, 0},
	{PMU_ANSWER_PURGE, 0, 0, 0, ONCE, 0},
	TRANSLATIONS(0, 1, 64),
	TRANSLATIONS(0, 2, 32),
	TRANSLATIONS(1, 2, 96),
	{PMU_ANSWER_MEMORY, 0, 0, MEMORY_1, MEMORY_2, 0},
	{PMU_ANSWER_STACK, 0, 0, 96, 0, 0},
	{PMU_ANSWER_PAGES, 0, 0, PAGES, PAGES, 0},
};

extern const struct pmu_event_table pmu_events_itanium;
extern const struct pmu_metric_table pmu_metrics_itanium;

const struct pmu_driver pmu_driver_itanium = {
	.name = "itanium",
	.title = "Intel Itanium",
	.events = &pmu_events_itanium,
	.metrics = &pmu_metrics_itanium,
	.information = &information,
	.answers = answers,
	.answer_count = sizeof answers / sizeof *answers,
	.session =
		"CPU_CYCLES,IA64_INST_RETIRED:period=100000,DATA_EAR_EVENTS:period=1000,"
		"BRANCH_EVENT:period=100000",
	.retired = "IA64_INST_RETIRED",
	.cycles = "CPU_CYCLES",
	.shape = &shape,
	.instruction_breakpoints = ITANIUM_BREAKPOINTS,
	.data_breakpoints = ITANIUM_BREAKPOINTS,
	.timer = TIMER,
	.records = &records,
	.settings = &settings,
	.poll = &poll,
	.scope = &scope,
	.signal = &signal,
	.probe = itanium_probe,
	.reset = itanium_reset,
	.choices = itanium_choices,
	.encode = itanium_encode,
	.objection = itanium_objection,
	.address = itanium_address,
	.control = control_register,
	.program = itanium_program,
	.release = itanium_release,
	.enable = itanium_enable,
	.freeze = itanium_freeze,
	.thaw = itanium_thaw,
	.read = itanium_read,
	.write = itanium_write,
	.overflow_status = itanium_overflow_status,
	.overflow_clear = itanium_overflow_clear,
	.start = itanium_start,
	.stop = itanium_stop,
};
