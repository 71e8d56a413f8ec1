// SPDX-License-Identifier: BSD-2-Clause
// The example PMU's driver. regs.h defines registers and fields.

#include "plain_driver.h"
#include "regs.h"

#define COUNTER_MASK	FIELD_MASK(0, EXAMPLE_COUNTERS)
#define USER_LEVELS	0xE	/* USR selects all of these */

static const char *example_objection(const struct event_request *r)
{
	const unsigned user = r->levels & USER_LEVELS;

	if (r->modifiers & ~(EVENT_USER | EVENT_OS) || r->branches || r->latency || r->tlb ||
	    r->sets || r->extra ||
	    r->cmask || r->code_range.given || r->data_range.given || r->opcode.given)
		return "this PMU has the modifiers u and k only";
	if (user && user != USER_LEVELS && user != 8)
		return "levels 1 to 3 are counted together (USR)";
	return NULL;
}

static uint64_t example_encode(const struct event_request *r, unsigned counter)
{
	(void)counter;
	return FIELD_PUT(SELECT, EVENT, event_code(r)) |
	       FIELD_PUT(SELECT, USR, !!(r->modifiers & EVENT_USER)) |
	       FIELD_PUT(SELECT, OS, !!(r->modifiers & EVENT_OS)) | FIELD(SELECT, INT);
}

static const struct plain_registers registers = {
	.counter = ADDRESS_COUNTER,
	.select = ADDRESS_SELECT,
	.enable = ADDRESS_ENABLE,
	.status = ADDRESS_STATUS,
	.clear = ADDRESS_CLEAR,
	.count = EXAMPLE_COUNTERS,
};

static const struct pmu_shape shape = {
	.counters = COUNTER_MASK,
	.width = EXAMPLE_WIDTH,
	.arm_least = PMU_ARM_LEAST,
	.arm_most = 1ULL << (EXAMPLE_WIDTH - 1),
	.features = PMU_FEATURE_GLOBAL,
};

static const char *example_probe(struct pmu_shape *found)
{
	uint64_t value;

	if (!reg_read(registers.status, &value))
		return "a read of STATUS faults";
	*found = shape;
	return NULL;
}

static bool example_reset(void)
{
	return plain_reset(&registers);
}

static uint64_t example_choices(const struct event_request *request)
{
	return example_objection(request) ? 0 : plain_choices(&registers, request);
}

static uint32_t example_address(unsigned counter)
{
	return registers.counter + counter;
}

static uint32_t example_control(unsigned counter)
{
	return registers.select + counter;
}

static bool example_program(const struct pmu_counter *counters, unsigned count)
{
	return plain_program(&registers, counters, count);
}

static bool example_release(const struct pmu_counter *counters, unsigned count)
{
	return plain_release(&registers, counters, count);
}

static bool example_enable(uint64_t counters)
{
	return reg_write(registers.enable, counters);
}

static bool example_freeze(uint64_t *state)
{
	return plain_freeze(&registers, state);
}

static bool example_overflow_status(uint64_t *overflowed)
{
	return plain_read(registers.status, overflowed);
}

static bool example_overflow_clear(uint64_t overflowed)
{
	return reg_write(registers.clear, overflowed);
}

// A counter may overflow after the first read of the status; the second read serves it.
static bool example_hold(bool *more)
{
	*more = true;
	return example_enable(0);
}

extern const struct pmu_driver pmu_driver_example;

static void example_overflow_interrupt(uint64_t ip, unsigned level)
{
	pmu_overflow(&pmu_driver_example, ip, level);
}

static enum pmu_error example_start(struct pmu_session *session)
{
	return pmu_session_start(&pmu_driver_example, session);
}

static enum pmu_error example_stop(struct pmu_session *session)
{
	return pmu_session_stop(&pmu_driver_example, session);
}

static const struct pmu_signal signal = {.interrupt = example_overflow_interrupt,
					 .hold = example_hold};

// PAL_PERF_MON_INFO: control registers 0 to n - 1 are SELECT, data registers 0 to n - 1 are
// COUNTER.
static const struct pmu_monitor_information information = {
	.summary = PMU_SUMMARY(EXAMPLE_COUNTERS, EXAMPLE_WIDTH, EXAMPLE_EVENT_CYCLES,
			       EXAMPLE_EVENT_RETIRED),
	.control_mask = COUNTER_MASK, .data_mask = COUNTER_MASK,
	.cycles_mask = COUNTER_MASK, .retired_mask = COUNTER_MASK,
};

extern const struct pmu_event_table pmu_events_example;

const struct pmu_driver pmu_driver_example = {
	.name = "example",
	.title = "example, made by tools/new-pmu",
	.events = &pmu_events_example,
	.information = &information,
	.session = "RETIRED:period=1000,CYCLES",
	.retired = "RETIRED",
	.cycles = "CYCLES",
	.shape = &shape,
	.probe = example_probe,
	.reset = example_reset,
	.objection = example_objection,
	.choices = example_choices,
	.encode = example_encode,
	.signal = &signal,
	.address = example_address,
	.control = example_control,
	.program = example_program,
	.release = example_release,
	.enable = example_enable,
	.freeze = example_freeze,
	.thaw = example_enable,
	.read = plain_read,
	.write = plain_write,
	.overflow_status = example_overflow_status,
	.overflow_clear = example_overflow_clear,
	.start = example_start,
	.stop = example_stop,
};
