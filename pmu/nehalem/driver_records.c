// SPDX-License-Identifier: BSD-2-Clause
// Records of the Core i7 / Xeon 5500 core: those of precise events, in memory, and those of the
// last branches, in registers.

#include <string.h>

#include "driver.h"
#include "event.h"
#include "field.h"
#include "hal.h"
#include "lbr.h"
#include "pmu_driver.h"
#include "records.h"
#include "regs.h"

#define WORD		sizeof(uint64_t)
#define RECORD_BYTES	(NEHALEM_PEBS_WORDS * WORD)
#define AREAS_BYTES	(2 * NEHALEM_EACH_RECORD)

// Records that other counters can still write when one interrupts.
#define SPARE_RECORDS	(NEHALEM_GENERAL_COUNTERS - 1)

// Limits the length of the interrupt; the samples must fit into the ring.
#define MOST_RECORDS	(PMU_RING_SAMPLES / 8)

static const struct lbr_stack branch_records = {
	.control = MSR_IA32_DEBUGCTL, .top = MSR_LASTBRANCH_TOS, .from = MSR_LASTBRANCH_FROM_IP,
	.to = MSR_LASTBRANCH_TO_IP, .depth = NEHALEM_BRANCH_RECORDS,
};

// This CPU's buffer: two management areas (NEHALEM_AREAS; NULL if there is no buffer), then the
// records.
static inline uint64_t *buffer(enum nehalem_word part)
{
	return (uint64_t *)(uintptr_t)pmu_this_cpu()->driver_word[part];
}

static void set_buffer(uint64_t *areas, uint64_t *first, uint64_t *end)
{
	uint64_t *word = pmu_this_cpu()->driver_word;

	word[NEHALEM_AREAS] = (uintptr_t)areas;
	word[NEHALEM_FIRST_RECORD] = (uintptr_t)first;
	word[NEHALEM_END_OF_RECORDS] = (uintptr_t)end;
}

bool nehalem_reset_recording(void)
{
	bool ok = reg_write(MSR_IA32_PEBS_ENABLE, 0);

	ok &= reg_write(MSR_IA32_DS_AREA, 0);
	ok &= pmu_core_registers_reset(&nehalem_settings);
	ok &= lbr_forget(&branch_records);
	set_buffer(NULL, NULL, NULL);
	return ok;
}

//
// The buffer
//

static bool is_canonical(uint64_t address)
{
	return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}

// True if the processor writes records in the format that regs.h describes.
static bool has_records(void)
{
	uint64_t capabilities = 0;

	return reg_read(MSR_IA32_PERF_CAPABILITIES, &capabilities) &&
	       FIELD_GET(IA32_PERF_CAPABILITIES, PEBS_FMT, capabilities) == 1 &&
	       capabilities & FIELD(IA32_PERF_CAPABILITIES, PEBS_ARCH_REGS);
}

static const char *object_to_buffer(uint64_t address, uint64_t size)
{
	if (~pmu_this_cpu()->served)
		return "precise events are open";
	if (!has_records())
		return "this processor's records have another format";
	if (address % AREAS_BYTES)
		return "not aligned to 256 bytes";
	if (size < AREAS_BYTES + (1 + SPARE_RECORDS) * RECORD_BYTES)
		return "too small: 256 bytes and 4 records of 176 bytes are the least";
	if (!is_canonical(address))
		return "not a canonical address";
	if (address + size < address)
		return "longer than there are addresses";
	if (!is_canonical(address + size - 1))
		return "not canonical at its end";
	if (!hal_memory_writable(address, size))
		return "not memory that may be written";
	return NULL;
}

static void lay_out(uint64_t *area, const uint64_t *first, const uint64_t *end,
		    const uint64_t *threshold)
{
	memset(area, 0, NEHALEM_DS_WORDS * WORD);
	area[NEHALEM_DS_PEBS_BASE] = area[NEHALEM_DS_PEBS_INDEX] = (uintptr_t)first;
	area[NEHALEM_DS_PEBS_MAXIMUM] = (uintptr_t)end;
	area[NEHALEM_DS_PEBS_THRESHOLD] = (uintptr_t)threshold;
}

const char *nehalem_buffer(uint64_t address, uint64_t size)
{
	const char *why = object_to_buffer(address, size);
	uint64_t records = (size - AREAS_BYTES) / RECORD_BYTES;
	uint64_t *areas = (uint64_t *)(uintptr_t)address, *first = areas + AREAS_BYTES / WORD, *end;

	if (why)
		return why;
	if (records > MOST_RECORDS)
		records = MOST_RECORDS;
	end = first + records * NEHALEM_PEBS_WORDS;
	lay_out(areas, first, end, end - SPARE_RECORDS * NEHALEM_PEBS_WORDS);
	lay_out(areas + NEHALEM_EACH_RECORD / WORD, first, end, first + NEHALEM_PEBS_WORDS);
	if (!reg_write(MSR_IA32_DS_AREA, address))
		return "the processor does not take the address";
	set_buffer(areas, first, end);
	return NULL;
}

//
// Branches
//

// Adds branches to a payload and to its first word. Returns the number of words added.
static unsigned add_branches(uint64_t *first, uint64_t *words, bool *ok)
{
	const unsigned branches = lbr_read(&branch_records, words, ok);

	*first |= NEHALEM_PAYLOAD_BRANCHES | branches << NEHALEM_PAYLOAD_COUNT_LOW;
	return 2 * branches;
}

unsigned nehalem_payload(const struct pmu_counter *c, uint64_t words[PMU_PAYLOAD_WORDS])
{
	bool ok = true;
	unsigned count;

	(void)c;
	words[0] = 0;
	count = 1 + add_branches(&words[0], &words[1], &ok);
	if (!ok)
		pmu_register_faulted(pmu_this_cpu());
	return count;
}

bool nehalem_recorded_save(uint64_t values[PMU_RECORDED])
{
	return lbr_save(&branch_records, values);
}

bool nehalem_recorded_restore(const uint64_t values[PMU_RECORDED])
{
	return lbr_write(&branch_records, values);
}

//
// Records
//

// Level of a record's sample. If the counter counts only user or only system code, it is that
// level. Otherwise the record does not contain it, and the sample gets the level at which the
// records are taken.
static unsigned level_of(const struct pmu_counter *c, unsigned level)
{
	switch (c->select & (FIELD(IA32_PERFEVTSEL, USR) | FIELD(IA32_PERFEVTSEL, OS))) {
	case FIELD(IA32_PERFEVTSEL, USR):
		return 3;
	case FIELD(IA32_PERFEVTSEL, OS):
		return 0;
	default:
		return level;
	}
}

// Makes a sample of one record. The processor has reloaded every counter that the record names.
// Most records have no branches.
static bool take_record(struct pmu_cpu *cpu, const uint64_t *record, bool youngest, unsigned level,
			uint64_t now)
{
	const struct pmu_counter *c = pmu_take_record(cpu,
						      record[NEHALEM_PEBS_STATUS] & ~cpu->served);
	uint64_t first = NEHALEM_PAYLOAD_RECORD, branches[2 * NEHALEM_BRANCH_RECORDS], *words;
	unsigned count = 0;
	struct pmu_sample *sample;
	bool ok = true;

	if (!c)
		return true;
	if (youngest && c->payload)
		count = add_branches(&first, branches, &ok);
	words = pmu_place_payload(cpu, 1 + NEHALEM_PEBS_WORDS + count);
	if (!words)
		return ok;
	sample = pmu_ring_next(&cpu->ring);
	sample->ip = record[NEHALEM_PEBS_IP];
	sample->clock = now;
	sample->count = c->due - c->reload;
	sample->source = c->source;
	sample->source.level = (uint8_t)level_of(c, level);
	sample->source.words = (uint8_t)(1 + NEHALEM_PEBS_WORDS + count);
	words[0] = first;
	memcpy(&words[1], record, RECORD_BYTES);
	for (unsigned i = 0; i < count; i++)
		words[1 + NEHALEM_PEBS_WORDS + i] = branches[i];
	pmu_put_placed(cpu, 1 + NEHALEM_PEBS_WORDS + count);
	return ok;
}

// Turns a precise counter into an ordinary one that interrupts. pmu/core clears *unneeded, the
// setting that enables its records.
bool nehalem_end_records(struct pmu_counter *c, struct pmu_setting *unneeded)
{
	*unneeded = nehalem_records_setting(c->number, false);
	c->select |= FIELD(IA32_PERFEVTSEL, INT);
	return reg_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, 1ULL << c->number) &
	       reg_write(MSR_IA32_PERFEVTSEL + c->number, c->select);
}

// Returns this CPU's management area that IA32_DS_AREA selects; it holds the address of the next
// record. NULL if there is no buffer.
static inline uint64_t *present_area(bool *ok)
{
	uint64_t *areas = buffer(NEHALEM_AREAS), address = 0;

	*ok &= reg_read(MSR_IA32_DS_AREA, &address);
	return areas ? areas + (address & NEHALEM_EACH_RECORD) / WORD : NULL;
}

// Sets the value that the next record loads into the counter.
static void set_reload(uint64_t *area, const struct pmu_counter *c)
{
	area[NEHALEM_DS_PEBS_RESET + c->number] = -c->reload & FIELD_MASK(0, NEHALEM_COUNTER_WIDTH);
}

// Chooses the period that the next record starts, for each counter with random periods.
static void choose_reloads(struct pmu_cpu *cpu, uint64_t *area)
{
	for (uint64_t left = ~cpu->served; left; left &= left - 1) {
		struct pmu_counter *c = cpu->counter[__builtin_ctzll(left)];

		if (c->spread) {
			pmu_choose_reload(c);
			set_reload(area, c);
		}
	}
}

// With random periods each record interrupts, because the next one needs another period.
static void set_threshold(const struct pmu_cpu *cpu, uint64_t *area)
{
	const uint64_t *first = buffer(NEHALEM_FIRST_RECORD), *end = buffer(NEHALEM_END_OF_RECORDS);
	bool each = area != buffer(NEHALEM_AREAS);

	for (uint64_t left = ~cpu->served; left; left &= left - 1)
		each |= cpu->counter[__builtin_ctzll(left)]->spread != 0;
	area[NEHALEM_DS_PEBS_THRESHOLD] = (uintptr_t)(each ? first + NEHALEM_PEBS_WORDS :
							     end - SPARE_RECORDS *
								     NEHALEM_PEBS_WORDS);
}

bool nehalem_take_records(struct pmu_cpu *cpu, unsigned level, uint64_t now)
{
	const uint64_t *record = buffer(NEHALEM_FIRST_RECORD),
		*end = buffer(NEHALEM_END_OF_RECORDS), *next;
	bool ok = true;
	uint64_t *area = present_area(&ok);

	if (!area)
		return ok;
	next = (const uint64_t *)(uintptr_t)area[NEHALEM_DS_PEBS_INDEX];
	if (next > end)
		next = end;		// other code has overwritten the index
	for (; record + NEHALEM_PEBS_WORDS <= next; record += NEHALEM_PEBS_WORDS)
		ok &= take_record(cpu, record, record + 2 * NEHALEM_PEBS_WORDS > next, level, now);
	area[NEHALEM_DS_PEBS_INDEX] = area[NEHALEM_DS_PEBS_BASE];
	choose_reloads(cpu, area);
	return ok;
}

// Disabling records disarms a counter. Its status is cleared, or the counter's next user would take
// it for an overflow.
static bool give_up(uint64_t counters)
{
	uint64_t enabled = 0;
	bool ok = reg_read(MSR_IA32_PEBS_ENABLE, &enabled);

	ok &= reg_write(MSR_IA32_PEBS_ENABLE,
			enabled & ~(counters | counters << IA32_PEBS_ENABLE_LL_EN_PMC_LOW));
	ok &= reg_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, counters);
	return reg_write(MSR_IA32_PEBS_ENABLE, enabled) && ok;
}

bool nehalem_release_record(const struct pmu_counter *c)
{
	return give_up(1ULL << c->number);
}

bool nehalem_program_precise(const struct pmu_counter *counters, unsigned count)
{
	const struct pmu_cpu *cpu = pmu_this_cpu();
	const uint64_t started = ~cpu->served & ~cpu->enabled;
	bool ok = cpu->driver->program(counters, count);
	uint64_t *area = present_area(&ok);

	for (uint64_t left = area ? started : 0; left; left &= left - 1)
		set_reload(area, cpu->counter[__builtin_ctzll(left)]);
	if (area)
		set_threshold(cpu, area);
	return (!started || give_up(started)) && ok;
}
