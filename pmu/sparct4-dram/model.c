// SPDX-License-Identifier: BSD-2-Clause
// A model of the performance counters of the SPARC T4's memory controllers: four per controller, of
// 31 bits, which always count. regs.h has the registers, select codes and event signals, and names
// the manual.

#include "state.h"

//
// Counting: Table 10-7
//

// The event signals, one bit each: reads and writes by port and channel, then the others by code.
#define READS(subs)		((uint32_t)(subs))
#define WRITES(subs)		((uint32_t)(subs) << TRANSACTIONS)
/* of different ports and channels */
#define TRANSACTIONS		(DRAM_CHANNELS * DRAM_COUNTERS)
#define OTHER(name)		(1u << (2 * TRANSACTIONS + DRAM_##name))
#define OF_CHANNEL(n)		(0xFu << DRAM_COUNTERS * (n))
#define OF_PORT0		(1u << 0 | 1u << DRAM_COUNTERS)
#define OF_ALL			(OF_CHANNEL(0) | OF_CHANNEL(1))

// The signals that each select counts; for a port's selects, those of counter 0.
static const uint32_t counted[1 << DRAM_PERF_CTL_REG_sel0_WIDTH] = {
	[DRAM_READS_OF_PORT] = READS(OF_PORT0),
	[DRAM_WRITES_OF_PORT] = WRITES(OF_PORT0),
	[DRAM_TRANSACTIONS_OF_PORT] = READS(OF_PORT0) | WRITES(OF_PORT0),
	[DRAM_BANK_BUSY] = OTHER(BANK_BUSY),
	[DRAM_READ_LATENCY] = OTHER(READ_LATENCY),
	[DRAM_WRITE_LATENCY] = OTHER(WRITE_LATENCY),
	[DRAM_LATENCY] = OTHER(READ_LATENCY) | OTHER(WRITE_LATENCY),
	[DRAM_WRITEBACK_HITS] = OTHER(WRITEBACK_HITS),
	[DRAM_READS] = READS(OF_ALL),
	[DRAM_WRITES_STARVED] = OTHER(WRITES_STARVED),
	[DRAM_WRITES] = WRITES(OF_ALL),
	[DRAM_CHANNEL0] = READS(OF_CHANNEL(0)) | WRITES(OF_CHANNEL(0)),
	[DRAM_CHANNEL1] = READS(OF_CHANNEL(1)) | WRITES(OF_CHANNEL(1)),
};

// Returns the number of an occurrence's signal.
static unsigned signal_of(const struct occurrence *o)
{
	return o->code <= DRAM_WRITES_OF_PORT ? TRANSACTIONS * o->code + o->sub :
	       2 * TRANSACTIONS + o->code;
}

uint32_t sparct4_dram_selects(const struct engine *e, const struct occurrence *o)
{
	const unsigned first = DRAM_COUNTERS * o->served;
	uint32_t counters = 0;

	if (o->served >= DRAM_CONTROLLERS || o->code > DRAM_WRITES_STARVED ||
	    o->sub >= DRAM_SIGNAL_SUBS(o->code))
		return 0;
	for (unsigned n = 0; n < DRAM_COUNTERS; n++) {
		const unsigned select = sparct4_dram_select(e, first + n);
		const unsigned port = select <= DRAM_TRANSACTIONS_OF_PORT ? n : 0;

		ENGINE_PUT_BIT(counters, first + n, counted[select] << port >> signal_of(o) & 1);
	}
	return counters;
}

static void sparct4_dram_sum(struct engine *e)
{
	engine_sum(e, sparct4_dram_selects);
}

static bool sparct4_dram_passed(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	(void)cycles;
	((struct sparct4_dram_state *)e)->sticky |= wrapped;
	return false;
}

// All counters count: there is no enable. A bank conflict stops all requests of a cycle, so its
// counter adds at most 1 per cycle.
void sparct4_dram_configure(struct engine *e)
{
	e->counting = (1u << ALL_COUNTERS) - 1;
	for (unsigned i = 0; i < ALL_COUNTERS; i++) {
		e->counter[i].least = 1;
		ENGINE_PUT_BIT(e->comparing, i, sparct4_dram_select(e, i) == DRAM_BANK_BUSY);
	}
}

static const struct engine_rules rules = {
	.sum = sparct4_dram_sum, .passed = sparct4_dram_passed, .configure = sparct4_dram_configure,
};

//
// Registers
//

// Reads two counters, each with its sticky bit.
static bool read_two(const struct sparct4_dram_state *m, unsigned first, uint64_t *value)
{
	*value = 0;
	for (unsigned i = first; i < first + 2; i++)
		*value |= (engine_count(&m->engine, i) | (m->sticky >> i & 1 ? DRAM_STICKY : 0))
			  << DRAM_COUNT_LOW(i % DRAM_COUNTERS);
	return true;
}

static bool read_count01(void *state, unsigned thread, unsigned controller, uint64_t *value)
{
	(void)thread;
	return read_two(state, DRAM_COUNTERS * controller, value);
}

static bool read_count23(void *state, unsigned thread, unsigned controller, uint64_t *value)
{
	(void)thread;
	return read_two(state, DRAM_COUNTERS * controller + 2, value);
}

static bool write_two(void *state, const struct engine_access *a)
{
	struct sparct4_dram_state *m = state;
	const unsigned first = DRAM_COUNTERS * a->index +
		(a->kind == KIND_DRAM_PERF_COUNT01_REG ? 0 : 2);

	for (unsigned i = first; i < first + 2; i++) {
		const uint64_t value = a->value >> DRAM_COUNT_LOW(i % DRAM_COUNTERS);

		engine_set_count(&m->engine, i, value);
		ENGINE_PUT_BIT(m->sticky, i, value & DRAM_STICKY);
	}
	return false;
}

ENGINE_REGISTER_TABLES(DRAM_REGISTERS)

static const struct engine_hooks hooks[KINDS] = {
	[KIND_DRAM_PERF_CTL_REG] = {.configures = true},
	[KIND_DRAM_PERF_COUNT01_REG] = {.made = true, .read = read_count01, .written = write_two},
	[KIND_DRAM_PERF_COUNT23_REG] = {.made = true, .read = read_count23, .written = write_two},
};

static const struct model_field saved[] = {
	{offsetof(struct engine, counter[0].count), sizeof(struct engine_counter), ALL_COUNTERS,
	 sizeof(uint64_t), DRAM_COUNT_MASK},
	ENGINE_SAVED(sparct4_dram_state, uint64_t, sticky, (1u << ALL_COUNTERS) - 1),
};

ENGINE_REGISTERS(sparct4_dram_state, 1, DRAM_COUNTER_WIDTH)

static void sparct4_dram_reset(const struct pmu_model *model, void *state, int fault, uint64_t seed)
{
	(void)model, (void)fault;
	engine_model_reset(&registers, &rules, state, sizeof(struct sparct4_dram_state), seed);
}

static bool sparct4_dram_field(size_t number, struct model_field *field)
{
	return engine_field(&registers, number, field);
}

static bool sparct4_dram_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	return engine_read(&registers, state, thread, address, value);
}

static __attribute__((noinline)) void connect(void *state, uint64_t cycles,
					      const struct occurrence *occurrences, size_t count)
{
	engine_connect(state, occurrences, count, sparct4_dram_selects, sparct4_dram_sum);
	engine_run(state, cycles);
}

static void sparct4_dram_advance(void *state, uint64_t cycles, const struct occurrence *occurrences,
				 size_t count)
{
	engine_advance(state, cycles, occurrences, count, connect);
}

//
// Events of a transaction. An instruction clock does not know what the memory controllers do.
//

// Neighbouring lines belong to different controllers, then ports, then channels.
static struct occurrence sparct4_dram_transaction(uint64_t address, bool write)
{
	const uint64_t line = address / DRAM_LINE, of_controller = line / DRAM_CONTROLLERS;

	return (struct occurrence){
		.code = write ? DRAM_WRITES_OF_PORT : DRAM_READS_OF_PORT, .n = 1,
		.sub = (uint16_t)(of_controller % (DRAM_COUNTERS * DRAM_CHANNELS)),
		.served = (uint8_t)(line % DRAM_CONTROLLERS),
	};
}

// Returns whether a counter with this select counts the occurrence, if it is the counter of the
// port.
static bool sparct4_dram_counts(const struct occurrence *o, uint16_t code, uint8_t umask)
{
	const uint32_t signals = code < DRAM_SELECTS && !umask ? counted[code] : 0;
	bool counts = false;

	for (unsigned port = 0; port < DRAM_COUNTERS; port++)
		counts |= signals << (code <= DRAM_TRANSACTIONS_OF_PORT ? port : 0) >>
			signal_of(o) & 1;
	return counts;
}

//
// Description of the model for backends
//

// Places of each controller's counts (Tables 10-5 and 10-6), without their sticky bits.
#define COUNT(R, c, n) {ADDRESS_##R + (c), DRAM_COUNT_LOW(n), DRAM_COUNTER_WIDTH}
#define COUNTS(c)									\
	{COUNT(DRAM_PERF_COUNT01_REG, c, 0), COUNT(DRAM_PERF_COUNT01_REG, c, 1),	\
	 COUNT(DRAM_PERF_COUNT23_REG, c, 2), COUNT(DRAM_PERF_COUNT23_REG, c, 3)}
static const struct model_bits counts[DRAM_CONTROLLERS][DRAM_COUNTERS] =
	{COUNTS(0), COUNTS(1), COUNTS(2), COUNTS(3)};

// The counters of controller c.
#define GROUP(c)										\
	{											\
		.count = DRAM_COUNTERS, .fewest = DRAM_COUNTERS, .index = UINT32_MAX,		\
		.address = ADDRESS_DRAM_PERF_COUNT01_REG + (c), .counts = counts[c],		\
		.select = ADDRESS_DRAM_PERF_CTL_REG + (c), .shift = DRAM_PERF_CTL_REG_sel0_WIDTH, \
		.code = DRAM_SELECT(0), .off_mask = DRAM_SELECT(0), .off = DRAM_SELECTS,	\
	}

static const struct model_counters groups[DRAM_CONTROLLERS] = {GROUP(0), GROUP(1), GROUP(2),
							       GROUP(3)};

const struct pmu_model pmu_model_sparct4_dram = {
	.name = "sparct4-dram",
	.size = sizeof(struct sparct4_dram_state),
	ENGINE_MEMBERS(1),
	.reset = sparct4_dram_reset,
	.read = sparct4_dram_read,
	.advance = sparct4_dram_advance,
	.write = engine_write,
	.headroom = engine_headroom,
	ENGINE_GROUPS,
	.persist = &(const struct model_persist){sparct4_dram_field, engine_model_sync,
						 engine_restore},
	.machine = &(const struct model_machine){.counts = sparct4_dram_counts},
	.package = &(const struct model_package){.cores = "sparct4",
						 .transaction = sparct4_dram_transaction},
};
