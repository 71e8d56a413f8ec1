/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine around the model that PEBS needs: a page of memory with a debug store, and registers.
 * Included after steps.h. Layouts: SDM 3B, "Debug Store (DS) Mechanism" and "PEBS Record Format for
 * Intel Core i7 Processor Family". */
#ifndef MACHINE_H
#define MACHINE_H

#define MEMORY		0x10000ULL	/* the only memory */
#define MEMORY_SIZE	4096
#define AREA		MEMORY		/* the management area: 12 words */
#define BUFFER		(MEMORY + 0x100)
#define RECORD		176		/* bytes: 22 words */

/* Indexes of words. */
enum { PEBS_BASE = 4, PEBS_INDEX = 5, PEBS_MAXIMUM = 6, PEBS_THRESHOLD = 7, PEBS_RESET = 8 };
enum { STATUS_WORD = 18, ADDRESS_WORD = 19, SOURCE_WORD = 20, LATENCY_WORD = 21 };

/* Cycles between the overflow and the recorded cycle. Our choice, because the guide has no
 * number. */
#define SHADOW		8

#define OVF_UNCORE	(1ULL << 61)
#define OVF_BUF		(1ULL << 62)

static struct machine {
	uint8_t memory[MEMORY_SIZE];
	uint64_t mark;			/* value of register 0; register n holds n more */
	unsigned thread;		/* thread of the last read */
} machine;

static inline bool is_memory(uint64_t address, size_t size)
{
	return address >= MEMORY && address - MEMORY <= MEMORY_SIZE &&
	       size <= MEMORY_SIZE - (address - MEMORY);
}

static inline bool machine_read(void *context, uint64_t address, void *to, size_t size)
{
	const struct machine *m = context;

	if (!is_memory(address, size))
		return false;
	memcpy(to, m->memory + (address - MEMORY), size);
	return true;
}

static inline bool machine_write(void *context, uint64_t address, const void *from, size_t size)
{
	struct machine *m = context;

	if (!is_memory(address, size))
		return false;
	memcpy(m->memory + (address - MEMORY), from, size);
	return true;
}

static inline void machine_registers(void *context, unsigned thread,
				     uint64_t registers[MODEL_REGISTERS])
{
	struct machine *m = context;

	m->thread = thread;
	for (unsigned i = 0; i < MODEL_REGISTERS; i++)
		registers[i] = m->mark + i;
}

static inline void attach(void)
{
	static const struct model_processor processor = {&machine, machine_read, machine_write,
							 machine_registers};

	memset(&machine, 0, sizeof machine);
	machine.mark = 1000;
	model->records->attach(pmu, &processor);
}

static inline uint64_t memory_word(uint64_t address)
{
	uint64_t value = 0;

	assert_true(machine_read(&machine, address, &value, sizeof value));
	return value;
}

static inline void set_memory_word(uint64_t address, uint64_t value)
{
	assert_true(machine_write(&machine, address, &value, sizeof value));
}

static inline uint64_t area_word(unsigned number)
{
	return memory_word(AREA + 8 * number);
}

static inline void set_area_word(unsigned number, uint64_t value)
{
	set_memory_word(AREA + 8 * number, value);
}

static inline uint64_t record_word(unsigned record, unsigned number)
{
	return memory_word(BUFFER + RECORD * record + 8 * number);
}

/* Returns the number of records by the index. */
static inline uint64_t records(void)
{
	assert_int_equal((area_word(PEBS_INDEX) - BUFFER) % RECORD, 0);
	return (area_word(PEBS_INDEX) - BUFFER) / RECORD;
}

/* Makes a buffer for this many records, of which the `threshold`th interrupts. Each record reloads
 * its counter to overflow with its `period`th event. */
static inline void set_area(unsigned size, unsigned threshold, uint64_t period)
{
	set_area_word(PEBS_BASE, BUFFER);
	set_area_word(PEBS_INDEX, BUFFER);
	set_area_word(PEBS_MAXIMUM, BUFFER + RECORD * size);
	set_area_word(PEBS_THRESHOLD, BUFFER + RECORD * threshold);
	for (unsigned i = 0; i < GENERAL; i++)
		set_area_word(PEBS_RESET + i, -period);
	put(DS_AREA, AREA);
}

/* Makes general counters of thread 0 (bit mask) count the events of `busy`, and overflow with their
 * `left`th event, precisely. */
static inline void set_precise(unsigned counters, uint64_t flags, uint64_t left)
{
	for (unsigned i = 0; i < GENERAL; i++)
		if (counters >> i & 1)
			set_counter(i, flags, before_overflow(i, left));
	put(PEBS_ENABLE, counters);
}

#endif
