// SPDX-License-Identifier: BSD-2-Clause
// The performance counters of the SPARC T4's memory controllers as the hardware behaves: of each controller four, of 31
// bits, which count always. Registers, select codes and signals are in regs.h, with the manual whose tables are meant.

#include <string.h>

#include "model.h"
#include "model_tables.h"
#include "regs.h"

// Defects that can be switched on. The names are what a person writes: fault=counter-narrow.
#define FAULTS(F)								\
	F(RESET_VALUE, "reset-value")			/* controller 3 resets with another select */ \
	F(SELECT_STUCK, "select-stuck")			/* the lowest bit of controller 1's odd selects reads 0 */ \
	F(CONTROL_WRITABLE, "control-writable")		/* reserved bits of control registers hold */ \
	F(COUNTER_STUCK, "counter-stuck")		/* bit 17 of controller 2's even counters reads 1 */ \
	F(COUNTER_NARROW, "counter-narrow")		/* counters have 30 bits */ \
	F(CONTROLLERS_MIXED, "controllers-mixed")	/* controller 1's counts are controller 0's */ \
	F(HALVES_MIXED, "halves-mixed")			/* a write of one register of counts is of both */ \
	F(SELECTS_MIXED, "selects-mixed")		/* selects 0 and 1 are written to 2 and 3 as well */ \
	F(COUNTER_READ_ONLY, "counter-read-only")	/* a write of counts does nothing */ \
	F(STICKY_STUCK, "sticky-stuck")			/* a sticky bit that is set cannot be cleared */ \
	F(STICKY_LOST, "sticky-lost")			/* a counter that wraps leaves no sticky bit */ \
	F(PORT_IGNORED, "port-ignored")			/* a port's counter counts those of all ports */ \
	F(TOTAL_OF_PORT, "total-of-port")		/* all reads, all writes are those of the counter's port */ \
	F(CHANNEL_IGNORED, "total-of-channel")		/* all reads, all writes are those of channel 0 */ \
	F(CHANNELS_SWAPPED, "swapped-channels")		/* channel 1 is counted as 0, 0 as 1 */ \
	F(LATENCY_OF_CYCLES, "latency-of-cycles")	/* a queue adds 1 in a cycle, however long it is */ \
	F(RESERVED_COUNTS, "reserved-counts")		/* a reserved select counts transactions */

MODEL_FAULTS(FAULTS)

struct controller {
	uint64_t control;
	uint64_t count[DRAM_COUNTERS];	// with its sticky bit
	uint64_t step[DRAM_COUNTERS];	// what each adds in a cycle
};

struct sparct4_dram_state {
	struct model_outputs outputs;	// no overflow raises a line
	const struct occurrence *signals;
	size_t signal_count;
	struct controller controller[DRAM_CONTROLLERS];
	int fault;
};

static bool has_fault(const struct sparct4_dram_state *m, int fault)
{
	return m->fault == fault;
}

//
// What a counter adds in a cycle: Table 10-7
//

static bool counts_port(const struct sparct4_dram_state *m, unsigned counter, const struct occurrence *o)
{
	return DRAM_SIGNAL_PORT(o->sub) == counter || has_fault(m, FAULT_PORT_IGNORED);
}

static bool counts_in_total(const struct sparct4_dram_state *m, unsigned counter, const struct occurrence *o)
{
	if (has_fault(m, FAULT_TOTAL_OF_PORT))
		return DRAM_SIGNAL_PORT(o->sub) == counter;
	return !has_fault(m, FAULT_CHANNEL_IGNORED) || DRAM_SIGNAL_CHANNEL(o->sub) == 0;
}

static bool counts_channel(const struct sparct4_dram_state *m, unsigned channel, const struct occurrence *o)
{
	return DRAM_SIGNAL_CHANNEL(o->sub) == (has_fault(m, FAULT_CHANNELS_SWAPPED) ? !channel : channel);
}

static bool counts(const struct sparct4_dram_state *m, unsigned counter, unsigned select, const struct occurrence *o)
{
	const bool read = o->code == DRAM_READS_OF_PORT, write = o->code == DRAM_WRITES_OF_PORT;

	switch (select) {
	case DRAM_READS_OF_PORT:
		return read && counts_port(m, counter, o);
	case DRAM_WRITES_OF_PORT:
		return write && counts_port(m, counter, o);
	case DRAM_TRANSACTIONS_OF_PORT:
		return (read || write) && counts_port(m, counter, o);
	case DRAM_LATENCY:
		return o->code == DRAM_READ_LATENCY || o->code == DRAM_WRITE_LATENCY;
	case DRAM_READS:
		return read && counts_in_total(m, counter, o);
	case DRAM_WRITES:
		return write && counts_in_total(m, counter, o);
	case DRAM_CHANNEL0:
	case DRAM_CHANNEL1:
		return (read || write) && counts_channel(m, select - DRAM_CHANNEL0, o);
	case DRAM_BANK_BUSY:
	case DRAM_READ_LATENCY:
	case DRAM_WRITE_LATENCY:
	case DRAM_WRITEBACK_HITS:
	case DRAM_WRITES_STARVED:
		return o->code == select;
	default:
		return (read || write) && has_fault(m, FAULT_RESERVED_COUNTS);
	}
}

// Bank conflicts stop all requests of a cycle, once.
static bool adds_one(const struct sparct4_dram_state *m, unsigned select)
{
	return select == DRAM_BANK_BUSY || (has_fault(m, FAULT_LATENCY_OF_CYCLES) && select >= DRAM_READ_LATENCY &&
					    select <= DRAM_LATENCY);
}

static uint64_t step_of(const struct sparct4_dram_state *m, unsigned controller, unsigned counter)
{
	const unsigned select = (unsigned)(m->controller[controller].control >> DRAM_SELECT_LOW(counter) & 0xF);
	uint64_t sum = 0;

	for (const struct occurrence *o = m->signals; o < m->signals + m->signal_count; o++)
		if (o->served == controller && o->sub < DRAM_SIGNAL_SUBS(o->code) && counts(m, counter, select, o))
			sum += o->n;
	return adds_one(m, select) ? sum != 0 : sum;
}

// Redoes what signals and selects make of the cycles to come.
static void derive(struct sparct4_dram_state *m)
{
	for (unsigned i = 0; i < DRAM_CONTROLLERS; i++)
		for (unsigned n = 0; n < DRAM_COUNTERS; n++)
			m->controller[i].step[n] = step_of(m, i, n);
}

static void sparct4_dram_connect(void *state, const struct occurrence *occurrences, size_t count)
{
	struct sparct4_dram_state *m = state;

	m->signals = count ? occurrences : &nothing;
	m->signal_count = count;
	derive(m);
}

//
// The passing of cycles
//

static unsigned counter_width(const struct sparct4_dram_state *m)
{
	return has_fault(m, FAULT_COUNTER_NARROW) ? DRAM_COUNTER_WIDTH - 1 : DRAM_COUNTER_WIDTH;
}

static uint64_t count_on(const struct sparct4_dram_state *m, uint64_t count, uint64_t step, uint64_t cycles)
{
	const unsigned width = counter_width(m);
	const unsigned __int128 sum = (unsigned __int128)step * cycles + (count & DRAM_COUNT_MASK);
	const bool sets_sticky = sum >> width && !has_fault(m, FAULT_STICKY_LOST);

	return ((uint64_t)sum & FIELD_MASK(0, width)) | (count & DRAM_STICKY) | (sets_sticky ? DRAM_STICKY : 0);
}

static void sparct4_dram_run(void *state, uint64_t cycles)
{
	struct sparct4_dram_state *m = state;

	for (unsigned i = 0; i < DRAM_CONTROLLERS; i++)
		for (unsigned n = 0; n < DRAM_COUNTERS; n++) {
			struct controller *c = &m->controller[i];

			c->count[n] = count_on(m, c->count[n], c->step[n], cycles);
		}
}

//
// Registers
//

MODEL_REGISTER_TABLE(DRAM_REGISTERS, REGISTER_NUMBERED)

// Which register an address is; REGISTER_KINDS if none.
static unsigned locate(uint32_t address, unsigned *controller)
{
	unsigned kind = 0;

	while (kind < REGISTER_KINDS && address - descriptions[kind].address >= DRAM_CONTROLLERS)
		kind++;
	*controller = kind < REGISTER_KINDS ? address - descriptions[kind].address : 0;
	return kind;
}

// The counter in the lower and the one in the upper half of a register.
#define LOWER(kind) ((kind) == KIND_DRAM_PERF_COUNT01_REG ? 1 : 2)
#define UPPER(kind) ((kind) == KIND_DRAM_PERF_COUNT01_REG ? 0 : 3)
#define OTHER(kind) ((kind) == KIND_DRAM_PERF_COUNT01_REG ? KIND_DRAM_PERF_COUNT23_REG : KIND_DRAM_PERF_COUNT01_REG)

// Whose counts a controller's registers are.
static struct controller *counts_of(struct sparct4_dram_state *m, unsigned controller)
{
	return &m->controller[controller == 1 && has_fault(m, FAULT_CONTROLLERS_MIXED) ? 0 : controller];
}

static bool sparct4_dram_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	struct sparct4_dram_state *m = state;
	unsigned controller, kind = locate(address, &controller);
	const uint64_t *count = counts_of(m, controller)->count;

	(void)thread;
	if (kind == REGISTER_KINDS)
		return false;
	if (kind == KIND_DRAM_PERF_CTL_REG) {
		*value = m->controller[controller].control;
		return true;
	}
	*value = count[UPPER(kind)] << 32 | count[LOWER(kind)];
	if (has_fault(m, FAULT_COUNTER_STUCK) && controller == 2)
		*value |= 1ULL << (17 + DRAM_COUNT_LOW(kind == KIND_DRAM_PERF_COUNT01_REG ? 0 : 2));
	return true;
}

static void write_control(struct sparct4_dram_state *m, unsigned controller, uint64_t value)
{
	uint64_t *control = &m->controller[controller].control;
	uint64_t writable = REGISTER_BITS(DRAM_PERF_CTL_REG, RW);
	const uint64_t lower = DRAM_SELECT(0) | DRAM_SELECT(1);

	if (has_fault(m, FAULT_CONTROL_WRITABLE))
		writable = ~0ULL;
	if (has_fault(m, FAULT_SELECT_STUCK) && controller == 1)
		value &= ~(1ULL << DRAM_SELECT_LOW(1) | 1ULL << DRAM_SELECT_LOW(3));
	if (has_fault(m, FAULT_SELECTS_MIXED))
		value = (value & lower) | (value & lower) << DRAM_SELECT_LOW(2);
	*control = (*control & ~writable) | (value & writable);
	derive(m);
}

static void write_count(const struct sparct4_dram_state *m, uint64_t *count, uint64_t value)
{
	const uint64_t keeps = has_fault(m, FAULT_STICKY_STUCK) ? *count & DRAM_STICKY : 0;

	*count = (value & (DRAM_STICKY | FIELD_MASK(0, counter_width(m)))) | keeps;
}

static void write_counts(struct sparct4_dram_state *m, unsigned controller, unsigned kind, uint64_t value)
{
	uint64_t *count = counts_of(m, controller)->count;

	if (has_fault(m, FAULT_COUNTER_READ_ONLY))
		return;
	write_count(m, &count[UPPER(kind)], value >> 32);
	write_count(m, &count[LOWER(kind)], value & UINT32_MAX);
}

static bool sparct4_dram_write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	struct sparct4_dram_state *m = state;
	unsigned controller, kind = locate(address, &controller);

	(void)thread;
	if (kind == REGISTER_KINDS)
		return false;
	sparct4_dram_run(m, cycles);
	if (kind == KIND_DRAM_PERF_CTL_REG) {
		write_control(m, controller, value);
		return true;
	}
	write_counts(m, controller, kind, value);
	if (has_fault(m, FAULT_HALVES_MIXED))
		write_counts(m, controller, OTHER(kind), value);
	return true;
}

// No unprivileged instruction reads these counters.
static bool sparct4_dram_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	(void)state, (void)thread, (void)index;
	*value = 0;
	return false;
}

// Bits that the seed chooses, others for each controller (the finalizer of splitmix64).
static uint64_t undefined_bits(uint64_t seed, unsigned controller)
{
	uint64_t z = seed + (controller + 1) * 0x9E3779B97F4A7C15;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	return z ^ z >> 31;
}

static void sparct4_dram_reset(void *state, int fault, uint64_t seed)
{
	struct sparct4_dram_state *m = state;

	memset(m, 0, sizeof *m);
	m->outputs.headroom = MODEL_FAR;
	m->fault = fault;
	m->signals = &nothing;
	for (unsigned i = 0; i < DRAM_CONTROLLERS; i++)
		m->controller[i].control = REGISTER_RESET(DRAM_PERF_CTL_REG) |
					   (undefined_bits(seed, i) & REGISTER_UNDEFINED(DRAM_PERF_CTL_REG));
	if (has_fault(m, FAULT_RESET_VALUE))
		m->controller[DRAM_CONTROLLERS - 1].control ^= DRAM_SELECT(0) | DRAM_SELECT(2);
	derive(m);
}

//
// What an instruction clock can say: nothing of what the memory controllers do
//

static void sparct4_dram_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	(void)leaf, (void)subleaf, (void)registers;
}

static const struct occurrence *sparct4_dram_clock(unsigned thread, unsigned level, size_t *count)
{
	(void)thread, (void)level;
	*count = 0;
	return NULL;
}

// Neighbouring lines are different controllers', then ports', then channels'.
static struct occurrence sparct4_dram_transaction(uint64_t address, bool write)
{
	const uint64_t line = address / DRAM_LINE, of_controller = line / DRAM_CONTROLLERS;

	return (struct occurrence){
		.code = write ? DRAM_WRITES_OF_PORT : DRAM_READS_OF_PORT, .n = 1,
		.sub = (uint16_t)(of_controller % (DRAM_COUNTERS * DRAM_CHANNELS)),
		.served = (uint8_t)(line % DRAM_CONTROLLERS),
	};
}

//
// What a backend leaves out, and what is saved
//

// Each controller's.
#define GROUP(c)										\
	{											\
		.count = DRAM_COUNTERS, .fewest = DRAM_COUNTERS, .index = UINT32_MAX,		\
		.address = ADDRESS_DRAM_PERF_COUNT01_REG + (c),					\
		.select = ADDRESS_DRAM_PERF_CTL_REG + (c), .shift = DRAM_PERF_CTL_REG_sel0_WIDTH, \
		.code = DRAM_SELECT(0), .off_mask = DRAM_SELECT(0), .off = DRAM_SELECTS,	\
	}

static const struct model_counters groups[DRAM_CONTROLLERS] = {GROUP(0), GROUP(1), GROUP(2), GROUP(3)};

static const struct model_field fields[] = {
	MODEL_FIELD_EACH(sparct4_dram_state, uint64_t, controller, control,
			 REGISTER_BITS(DRAM_PERF_CTL_REG, RW) | REGISTER_UNDEFINED(DRAM_PERF_CTL_REG)),
#define COUNT(n) MODEL_FIELD_EACH(sparct4_dram_state, uint64_t, controller, count[n], DRAM_STICKY | DRAM_COUNT_MASK)
	COUNT(0), COUNT(1), COUNT(2), COUNT(3),
};

static void sparct4_dram_sync(void *state)
{
	(void)state;
}

static bool sparct4_dram_restore(void *state)
{
	derive(state);
	return true;
}

const struct pmu_model pmu_model_sparct4_dram = {
	.name = "sparct4-dram",
	.size = sizeof(struct sparct4_dram_state),
	.threads = 1,
	.cores = "sparct4",
	.registers = descriptions,
	.register_count = REGISTER_KINDS,
	.faults = fault_names,
	.reset = sparct4_dram_reset,
	.read = sparct4_dram_read,
	.write = sparct4_dram_write,
	.read_counter = sparct4_dram_read_counter,
	.identify = sparct4_dram_identify,
	.connect = sparct4_dram_connect,
	.run = sparct4_dram_run,
	.clock = sparct4_dram_clock,
	.transaction = sparct4_dram_transaction,
	.groups = groups,
	.group_count = DRAM_CONTROLLERS,
	.fields = fields,
	.field_count = sizeof fields / sizeof *fields,
	.sync = sparct4_dram_sync,
	.restore = sparct4_dram_restore,
};
