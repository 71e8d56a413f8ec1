/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of a model's defects: the steps that reveal a defect, and the value that the last step
 * yields on a sound PMU. Include after the target's steps.h. */
#ifndef FAULTS_H
#define FAULTS_H

#include "device.h"

#define STEPS_MOST 12

/* One step. `act` returns its value. */
struct step {
	uint64_t (*act)(const struct step *s);
	unsigned thread;
	uint32_t address;
	uint64_t value;
	const struct occurrence *list;
	size_t count;
};

/* Rows of a defect; there may be several. `sound`: the value by the rules of the model's other
 * tests. */
struct fault_row {
	const char *name;
	struct step step[STEPS_MOST];
	uint64_t sound;
};

/* The target's table. `seed`: for the reset before each row. */
static const struct fault_table {
	const struct fault_row *row;
	size_t count;
	uint64_t seed;
} table;

static inline uint64_t step_put(const struct step *s)
{
	put_of(s->thread, s->address, s->value);
	return s->value;
}

static inline uint64_t step_try(const struct step *s)
{
	return model->write(pmu, s->thread, s->address, s->value, 0);
}

static inline uint64_t step_get(const struct step *s)
{
	return get_of(s->thread, s->address) & s->value;
}

static inline uint64_t step_read_counter(const struct step *s)
{
	uint64_t value;

	return model->user->read_counter(pmu, 0, s->address, &value) ? value : UINT64_MAX;
}

static inline uint64_t step_run(const struct step *s)
{
	if (s->list)
		set_inputs(s->list, s->count);
	run(s->value);
	return 0;
}

static inline uint64_t step_halt(const struct step *s)
{
	no_signals();
	run(s->value);
	return 0;
}

/* Returns the requests since the last call. */
static inline uint64_t step_requests(const struct step *s)
{
	const uint64_t requests = outputs()->requests;

	(void)s;
	outputs()->requests = 0;
	return requests;
}

/* Steps: write; write, value 1 if it does not fault; read; read of some bits; unprivileged counter
 * read. */
#define PUT_OF(of, at, what)	{step_put, .thread = (of), .address = (at), .value = (what)}
#define PUT(at, what)		PUT_OF(0, at, what)
#define TAKES(at, what)		{step_try, .address = (at), .value = (what)}
#define BITS_OF(of, at, bits)	{step_get, .thread = (of), .address = (at), .value = (bits)}
#define BITS(at, bits)		BITS_OF(0, at, bits)
#define GET(at)			BITS(at, ~0ULL)
#define READ_COUNTER(index)	{step_read_counter, .address = (index)}
/* Steps that run cycles: with new inputs, with the present inputs, without inputs. */
#define EVENTS(cycles, ...)	{step_run, .value = (cycles), .list = LIST(__VA_ARGS__), \
				 .count = LENGTH(__VA_ARGS__)}
#define CYCLES_MORE(cycles)	{step_run, .value = (cycles)}
#define HALTED(cycles)		{step_halt, .value = (cycles)}
#define REQUESTS		{step_requests}

static inline uint64_t result_of(const struct fault_row *row, int fault)
{
	uint64_t value = 0;

	reset_with(fault, table.seed);
	for (const struct step *s = row->step; s < row->step + STEPS_MOST && s->act; s++)
		value = s->act(s);
	no_signals();
	return value;
}

static inline void every_fault_shows_in_its_rows(void **state)
{
	(void)state;
	for (const struct fault_row *row = table.row; row < table.row + table.count; row++) {
		const uint64_t sound = result_of(row, -1);

		if (sound != row->sound)
			fail_msg("without '%s': %#llx, not %#llx", row->name,
				 (unsigned long long)sound, (unsigned long long)row->sound);
		if (result_of(row, fault_number(row->name)) == row->sound)
			fail_msg("fault '%s' does not show", row->name);
	}
}

static inline void every_fault_has_a_row(void **state)
{
	(void)state;
	for (const char *const *name = vpmu_faults(model); *name; name++) {
		bool found = false;

		for (const struct fault_row *row = table.row; row < table.row + table.count; row++)
			found |= !strcmp(*name, row->name);
		if (!found)
			fail_msg("fault '%s' has no row", *name);
	}
}

#define FAULT_TABLE(rows)	{(rows), sizeof (rows) / sizeof *(rows)}
#define FAULT_TESTS		TEST(every_fault_shows_in_its_rows), TEST(every_fault_has_a_row)

#endif
