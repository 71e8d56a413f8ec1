/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the structures that a caller of libvpmu passes from the fuzz target's input. Ranges and
 * rules of palmon/vpmu.h are written here a second time. */
#ifndef VPMU_ARGUMENTS_H
#define VPMU_ARGUMENTS_H

#include <string.h>

#include "palmon/vpmu.h"
#include "source.h"

/* A number below 80H, or one of this many bytes. */
static inline uint64_t take_number(struct source *s, unsigned bytes)
{
	const uint64_t first = take(s, 1);

	return first < 0x80 ? first : take(s, bytes);
}

/* An occurrence of a core with this many threads. Fields whose bit is set in the first byte may be
 * out of their range. */
static inline struct vpmu_occurrence take_occurrence(struct source *s, unsigned threads)
{
	const unsigned wild = (unsigned)take(s, 1);
	struct vpmu_occurrence o = {.code = (uint16_t)take(s, 2),
				    .sub = (uint16_t)take_number(s, 2)};

	o.n = (uint32_t)take_number(s, 4);
	o.thread = (uint8_t)take(s, 1);
	o.level = (uint8_t)take(s, 1);
	o.isa = (uint8_t)take(s, 1);
	o.type = (uint8_t)take(s, 1);
	o.slot = (uint8_t)take(s, 1);
	o.served = (uint8_t)take(s, 1);
	o.branch = (uint8_t)take(s, 1);
	o.data = (uint8_t)take(s, 1);
	o.latency = (uint32_t)take_number(s, 4);
	o.ip = take_number(s, 8);
	o.opcode = take_number(s, 8);
	o.address = take_number(s, 8);
	o.target = take_number(s, 8);
	o.thread = wild & 1 ? o.thread : (uint8_t)(o.thread % threads);
	o.level = wild & 2 ? o.level : o.level & 3;
	o.isa = wild & 4 ? o.isa : o.isa & 1;
	o.type = wild & 8 ? o.type : o.type & 0x7F;
	o.slot = wild & 16 ? o.slot : o.slot % 3;
	o.branch = wild & 32 ? o.branch : o.branch & 0x7F;
	o.data = wild & 64 ? o.data : o.data & 1;
	return o;
}

/* The ranges of palmon/vpmu.h: for fields of a branch, and for other fields. */
static inline bool is_of_instruction(const struct vpmu_occurrence *o)
{
	return o->isa <= 1 && o->type <= 0x7F && o->slot <= 2 && o->branch <= 0x7F && o->data <= 1;
}

#define LIST_ENTRIES 8

/* Sometimes invalid entries, and impossible counts. */
static inline struct vpmu_features take_features(struct source *s,
						 struct vpmu_event list[LIST_ENTRIES])
{
	const uint8_t general = (uint8_t)take(s, 1), fixed = (uint8_t)take(s, 1);
	const uint64_t seed = take(s, 1), limits = take(s, 1);
	struct vpmu_features features = {
		.general = limits & 1 ? general : VPMU_ALL_COUNTERS, .fixed = limits & 1 ? fixed :
			VPMU_ALL_COUNTERS,
		.any_thread = limits & 4, .reports = limits >> 4 & 7,
	};

	if (limits & 0x80)
		features.reports = (unsigned)take_number(s, 4);
	if (limits & 2) {
		features.events = list;
		features.event_count = take(s, 1) % (LIST_ENTRIES + 2);
	}
	for (size_t i = 0; i < features.event_count && i < LIST_ENTRIES; i++) {
		list[i].code = (uint16_t)take_number(s, 2);
		list[i].umask = (uint8_t)take(s, 1);
		list[i].umask_ignored = (uint8_t)take(s, 1);
		list[i].code_ignored = (uint16_t)take_number(s, 2);
		list[i].exclude = take(s, 1) & 1;
		if (seed & 0x80)
			continue;
		list[i].code &= (uint16_t)~list[i].code_ignored;
		list[i].umask &= (uint8_t)~list[i].umask_ignored;
	}
	if (features.event_count > LIST_ENTRIES)
		features.event_count = VPMU_LIST_MOST + 1 + (size_t)(seed << 40);
	return features;
}

/* True if the list allows an event. */
static inline bool allows(const struct vpmu_features *features, const struct vpmu_event *event)
{
	bool included = !features->events;

	for (size_t i = 0; i < features->event_count; i++) {
		const struct vpmu_event *e = &features->events[i];

		if ((event->code & ~e->code_ignored) != e->code ||
		    (event->umask & ~e->umask_ignored) != e->umask)
			continue;
		if (e->exclude)
			return false;
		included = true;
	}
	return included;
}

/* True if the list of events and the reported events are valid. */
static inline bool are_valid(const struct vpmu_features *features)
{
	bool valid = features->reports < 8 && features->event_count <= VPMU_LIST_MOST;

	for (size_t i = 0; valid && i < features->event_count; i++)
		valid = !(features->events[i].code & features->events[i].code_ignored) &&
			!(features->events[i].umask & features->events[i].umask_ignored);
	return valid;
}

/*
 * The guest's memory
 */

#define MEMORY_WORDS	256

static uint64_t memory[MEMORY_WORDS];

static inline bool reaches(uint64_t address, size_t size)
{
	return address <= sizeof memory && size <= sizeof memory - address;
}

static inline bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
	(void)context;
	if (reaches(address, size))
		memcpy(to, (char *)memory + address, size);
	return reaches(address, size);
}

static inline bool write_memory(void *context, uint64_t address, const void *from, size_t size)
{
	(void)context;
	if (reaches(address, size))
		memcpy((char *)memory + address, from, size);
	return reaches(address, size);
}

static inline void read_registers(void *context, unsigned thread,
				  uint64_t registers[VPMU_REGISTERS])
{
	(void)context, (void)thread;
	for (unsigned i = 0; i < VPMU_REGISTERS; i++)
		registers[i] = ~0ULL;
}

static const struct vpmu_guest guest = {NULL, read_memory, write_memory, read_registers};

/* A management area at 0, followed by room for some records (SDM volume 3B, "DS Save Area"). */
static inline void prepare_memory(void)
{
	static const uint64_t area[] = {[4] = 0x100, 0x100, 0x780, 0x300, 0xFFFFFFFFFFF0,
					0xFFFFFFFFFFF1};

	memset(memory, 0, sizeof memory);
	memcpy(memory, area, sizeof area);
}

#endif
