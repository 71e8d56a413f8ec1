// SPDX-License-Identifier: BSD-2-Clause
// Defects of the memory controllers' counters, as a wrapper around their model.

#include "../defects/defects.h"
#include "state.h"

extern const struct pmu_model pmu_model_sparct4_dram;

// The names are command-line arguments: fault=counter-narrow.
#define FAULTS(F)								\
	F(RESET_VALUE, "reset-value") /* controller 3 resets with another select */ \
	F(SELECT_STUCK, "select-stuck") /* the lowest bit of controller 1's odd selects reads 0 */ \
	F(CONTROL_WRITABLE, "control-writable") /* reserved bits of control registers hold */ \
	F(COUNTER_STUCK, "counter-stuck") /* bit 17 of controller 2's even counters reads 1 */ \
	F(COUNTER_NARROW, "counter-narrow")		/* counters have 30 bits */ \
	F(CONTROLLERS_MIXED, "controllers-mixed") /* controller 1's counts are controller 0's */ \
	F(HALVES_MIXED, "halves-mixed") /* a write of one count register writes both */ \
	F(SELECTS_MIXED, "selects-mixed") /* a write of selects 0 and 1 also writes 2 and 3 */ \
	F(COUNTER_READ_ONLY, "counter-read-only")	/* a write of counts does nothing */ \
	F(STICKY_STUCK, "sticky-stuck") /* a sticky bit that is set cannot be cleared */ \
	F(STICKY_LOST, "sticky-lost") /* a counter that wraps leaves no sticky bit */ \
	F(PORT_IGNORED, "port-ignored")			/* a port's counter counts all ports */ \
	F(TOTAL_OF_PORT, "total-of-port")		/* totals count only the counter's port */ \
	F(CHANNEL_IGNORED, "total-of-channel")		/* totals count only channel 0 */ \
	F(CHANNELS_SWAPPED, "swapped-channels")		/* channel 1 counts as 0, and 0 as 1 */ \
	F(LATENCY_OF_CYCLES,	\
	  "latency-of-cycles")	/* a queue adds 1 in a cycle, however long it is */	\
	F(RESERVED_COUNTS, "reserved-counts")	/* a reserved select counts transactions */ \
	F(READS_ONES, "reads-ones")			/* every register reads as ones */ \
	F(WRITES_LOST, "writes-lost")			/* no write changes a register */

DEFECTS(FAULTS)

#define CONTROL(n)		(ADDRESS_DRAM_PERF_CTL_REG + (n))
#define COUNT01(n)		(ADDRESS_DRAM_PERF_COUNT01_REG + (n))
#define COUNT23(n)		(ADDRESS_DRAM_PERF_COUNT23_REG + (n))
#define BIT_OF(counter, bit)	(1ULL << (DRAM_COUNT_LOW(counter) + (bit)))
#define LOWEST_OF(n)		(1ULL << DRAM_SELECT_LOW(n))

static const struct defect table[] = {
	{DEFECT_RESET_VALUE, RESETS_TO, CONTROL(3), 1, DRAM_SELECT(0) | DRAM_SELECT(2)},
	{DEFECT_SELECT_STUCK, WRITES_CLEAR, CONTROL(1), 1, LOWEST_OF(1) | LOWEST_OF(3)},
	{DEFECT_CONTROL_WRITABLE, READS_WRITTEN, CONTROL(0), DRAM_CONTROLLERS,
	 REGISTER_BITS(DRAM_PERF_CTL_REG, RO)},
	{DEFECT_COUNTER_STUCK, READS_SET, COUNT01(2), 1, BIT_OF(0, 17)},
	{DEFECT_COUNTER_STUCK, READS_SET, COUNT23(2), 1, BIT_OF(2, 17)},
	{DEFECT_COUNTER_NARROW, COUNTS_BITS, .bits = DRAM_COUNTER_WIDTH - 1},
	{DEFECT_STICKY_LOST, LEAVES_NO_STATUS, offsetof(struct sparct4_dram_state, sticky), 1,
	 ~0ULL},
	{DEFECT_READS_ONES, READS_SET, EVERY_REGISTER, ~0ULL},
	{DEFECT_WRITES_LOST, KEEPS, EVERY_REGISTER, ~0ULL},
};

//
// Counting
//

// Returns whether a counter with this select counts an occurrence, with its defects.
static bool selects_one(const struct engine *e, unsigned number, unsigned select,
			const struct occurrence *o)
{
	const unsigned port = DRAM_SIGNAL_PORT(o->sub), channel = DRAM_SIGNAL_CHANNEL(o->sub);
	const bool transaction = o->code <= DRAM_WRITES_OF_PORT &&
		o->sub < DRAM_SIGNAL_SUBS(o->code);
	const bool total = select == DRAM_READS || select == DRAM_WRITES;
	const unsigned own = number % DRAM_COUNTERS;
	struct occurrence seen = *o;

	if (transaction && has_defect(e, DEFECT_PORT_IGNORED))
		seen.sub = (uint16_t)(own + DRAM_COUNTERS * channel);
	if (transaction && has_defect(e, DEFECT_CHANNELS_SWAPPED))
		seen.sub = (uint16_t)(port + DRAM_COUNTERS * !channel);
	if ((total && has_defect(e, DEFECT_TOTAL_OF_PORT) && port != own) ||
	    (total && has_defect(e, DEFECT_CHANNEL_IGNORED) && channel))
		return false;
	if (select >= DRAM_SELECTS && has_defect(e, DEFECT_RESERVED_COUNTS))
		return transaction && o->served == number / DRAM_COUNTERS;
	return sparct4_dram_selects(e, &seen) >> number & 1;
}

static uint32_t selects(const struct engine *e, const struct occurrence *o)
{
	uint32_t counters = 0;

	for (unsigned i = 0; i < ALL_COUNTERS; i++)
		ENGINE_PUT_BIT(counters, i, selects_one(e, i, sparct4_dram_select(e, i), o));
	return counters;
}

static void sum_selected(struct engine *e)
{
	engine_sum(e, selects);
}

static void sum(struct engine *e)
{
	defective_sum_with(e, sum_selected);
}

static void configure(void *state)
{
	struct engine *e = state;

	sparct4_dram_configure(e);
	for (unsigned i = 0; i < ALL_COUNTERS && has_defect(e, DEFECT_LATENCY_OF_CYCLES); i++)
		if (sparct4_dram_select(e, i) >= DRAM_READ_LATENCY &&
		    sparct4_dram_select(e, i) <= DRAM_LATENCY)
			ENGINE_PUT_BIT(e->comparing, i, true);
}

//
// Accesses
//

// Returns the register that an access reaches.
static uint32_t place_of(const void *state, uint32_t address)
{
	const bool of_1 = address == COUNT01(1) || address == COUNT23(1);

	return of_1 && has_defect(state, DEFECT_CONTROLLERS_MIXED) ? address - 1 : address;
}

static bool read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	return defective_read(state, thread, place_of(state, address), value);
}

static void write_counts(void *state, unsigned thread, uint32_t address, uint64_t value,
			 uint64_t cycles)
{
	uint64_t kept = 0;

	if (has_defect(state, DEFECT_COUNTER_READ_ONLY)) {
		engine_run(state, cycles);
		return;
	}
	if (has_defect(state, DEFECT_STICKY_STUCK))
		defective_read(state, thread, address, &kept);
	kept &= DRAM_STICKY << DRAM_COUNT_LOW(0) | DRAM_STICKY << DRAM_COUNT_LOW(1);
	defective_write(state, thread, place_of(state, address), value | kept, cycles);
}

// A write of one register of counts can also write the other one.
static bool write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	const uint32_t in01 = address - COUNT01(0), in23 = address - COUNT23(0);
	const uint64_t lower = value & (DRAM_SELECT(0) | DRAM_SELECT(1));

	if (in01 < DRAM_CONTROLLERS || in23 < DRAM_CONTROLLERS) {
		write_counts(state, thread, address, value, cycles);
		if (has_defect(state, DEFECT_HALVES_MIXED))
			write_counts(state, thread, in01 < DRAM_CONTROLLERS ? COUNT23(in01) :
				     COUNT01(in23), value, 0);
		return true;
	}
	if (has_defect(state, DEFECT_SELECTS_MIXED))
		value = lower | lower << DRAM_SELECT_LOW(2);
	return defective_write(state, thread, address, value, cycles);
}

#define OTHERS	"the counters belong to power management (10.5): palmon may not use them"

// For mutants: fields that change nothing.
static const struct inert inert[] = {
	{CONTROL(0), DRAM_CONTROLLERS, DRAM_SELECT(2) | DRAM_SELECT(3), OF_OTHER_SOFTWARE, OTHERS},
	{COUNT23(0), DRAM_CONTROLLERS, ~0ULL, OF_OTHER_SOFTWARE, OTHERS},
	{0},
};

static const struct defective defects = {
	.rules = {sum, defective_passed, defective_lower_headroom, defective_ended,
		  defective_configure},
	.sound = &pmu_model_sparct4_dram, .names = defect_names,
	.inert = inert, .table = table, .table_size = sizeof table / sizeof *table,
	.counters = ALL_COUNTERS, .thread_size = SLOTS * sizeof(uint64_t), .configure = configure,
};

const struct pmu_model *pmu_defective_sparct4_dram(void)
{
	static struct pmu_model model;

	defective_model(&model, NULL, &defects);
	model.read = read;
	model.write = write;
	return &model;
}
