// SPDX-License-Identifier: BSD-2-Clause
// The example PMU's model. The engine counts and accesses registers (pmu/engine/README.md); this
// file decides which counters count an event, and handles overflow.

#include "../engine/engine.h"
#include "regs.h"

ENGINE_REGISTER_NUMBERS(EXAMPLE_REGISTERS)

struct example_state {
	struct engine engine;
	uint64_t file[1][SLOTS];	// of the only thread
};

// The counters that count an occurrence, as a bit mask. Runs for each occurrence; a fast model
// precomputes tables.
static uint32_t selects(const struct engine *e, const struct occurrence *o)
{
	const uint64_t *select = &((const struct example_state *)e)->file[0][SLOT_SELECT];
	const uint64_t level = o->level ? FIELD(SELECT, USR) : FIELD(SELECT, OS);
	uint32_t selected = 0;

	for (unsigned i = 0; i < COUNTERS; i++)
		ENGINE_PUT_BIT(selected, i, FIELD_GET(SELECT, EVENT, select[i]) == o->code &&
			       select[i] & level);
	return selected;
}

static void example_sum(struct engine *e)
{
	engine_sum(e, selects);
}

static bool example_passed(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	(void)cycles;
	((struct example_state *)e)->file[0][SLOT_STATUS] |= wrapped;
	e->outputs.requests |= wrapped & e->raising ? 1 : 0;
	return false;
}

static void example_configure(struct engine *e)
{
	const uint64_t *file = ((const struct example_state *)e)->file[0];

	e->counting = (uint32_t)file[SLOT_ENABLE];
	e->outputs.level_matters = e->counting;
	for (unsigned i = 0; i < COUNTERS; i++)
		ENGINE_PUT_BIT(e->raising, i, file[SLOT_SELECT + i] & FIELD(SELECT, INT));
}

static const struct engine_rules rules = {
	.sum = example_sum, .passed = example_passed, .configure = example_configure,
};

ENGINE_REGISTER_TABLES(EXAMPLE_REGISTERS)

static const struct engine_hooks hooks[KINDS] = {
	[KIND_SELECT] = {.configures = true},
	[KIND_ENABLE] = {.configures = true},
	[KIND_CLEAR] = {.clears = KIND_STATUS},
};

// The saved state in addition to registers.
static const struct model_field saved[] = {
	ENGINE_SAVED(example_state, uint32_t, engine.outputs.requests, 1),
};
ENGINE_REGISTERS(example_state, 1, EXAMPLE_WIDTH, ENGINE_BY_ADDRESS(EXAMPLE_REGISTERS))

static void example_reset(const struct pmu_model *model, void *state, int fault, uint64_t seed)
{
	(void)model, (void)fault;
	engine_model_reset(&registers, &rules, state, sizeof(struct example_state), seed);
}

static bool example_field(size_t number, struct model_field *field)
{
	return engine_field(&registers, number, field);
}

static bool example_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	return engine_read(&registers, state, thread, address, value);
}

static __attribute__((noinline)) void connect(void *state, uint64_t cycles,
					      const struct occurrence *occurrences, size_t count)
{
	engine_connect(state, occurrences, count, selects, example_sum);
	engine_run(state, cycles);
}

static void example_advance(void *state, uint64_t cycles, const struct occurrence *occurrences,
			    size_t count)
{
	engine_advance(state, cycles, occurrences, count, connect);
}

// The instruction clock raises one retired instruction and one cycle per instruction.
#define CLOCK(of, at) ENGINE_EVENT(EXAMPLE_EVENT_RETIRED, 0, of, \
				   at) ENGINE_EVENT(EXAMPLE_EVENT_CYCLES, 0, of, at)
ENGINE_CLOCK_SIGNALS(1, CLOCK)

const struct pmu_model pmu_model_example = {
	.name = "example",
	.size = sizeof(struct example_state),
	ENGINE_MEMBERS(1),
	.reset = example_reset,
	.read = example_read,
	.advance = example_advance,
	.write = engine_write,
	.headroom = engine_headroom,
	.persist = &(const struct model_persist){example_field, engine_model_sync, engine_restore},
	.machine = &(const struct model_machine){ENGINE_CLOCK(1, 1)},
};
