// SPDX-License-Identifier: BSD-2-Clause
// Passes a program's memory references to the models of caches and TLBs (hal/emu/model). The
// program has a core of its own, pages of 4 KB, and physical addresses equal to its linear ones.

#include "../model/first_level.h"
#include "reports.h"

uint64_t tool_line, tool_entry;

static struct memory *memory;
static struct first_level first_level;
static uint64_t last_load, last_store;	// tool_executed at the last instruction that loaded, stored

static void count_cpu_event(void *context, unsigned core, enum cpu_event what, uint64_t address)
{
	(void)context, (void)core;
	reports_count(what, 1 + (unsigned)(address / FIRST_LEVEL_LINE % REPORT_CHANNELS));
}

// Invented page tables, in which each linear address is its own physical address. The tables of
// level L (1 to 4) start at L * 2^48, in the order of the addresses that they translate.
static bool read_table(void *context, uint64_t address, uint64_t *entry)
{
	enum { PRESENT = 1, LEVEL_SHIFT = 48, ENTRY_BYTES = 8, PAGE_SHIFT = 12 };
	const uint64_t level = address >> LEVEL_SHIFT,
		of = (address & ((1ULL << LEVEL_SHIFT) - 1)) / ENTRY_BYTES;

	(void)context;
	*entry = (level - 1) << LEVEL_SHIFT | of << PAGE_SHIFT | PRESENT;
	return true;
}

#define TOP_TABLE	(4ULL << 48)

static __attribute__((noinline)) struct reached refer_far(enum access access, uint64_t ip,
							  uint64_t address, unsigned size)
{
	const struct reference r = {
		.access = access, .ip = ip, .linear = address, .physical = address, .size = size,
		.paged = true, .cr3 = TOP_TABLE,
	};
	const struct reached reached = memory_refer(memory, &r);

	first_level_remember(&first_level, &r);
	return reached;
}

void tool_execute(uint64_t ip, uint64_t begun)
{
	reports_enter(ip, begun);
}

void tool_fetch(uint64_t ip, uint64_t address, uint64_t begun)
{
	reports_enter(ip, begun);
	tool_line = address / FIRST_LEVEL_LINE + 1;
	if (!first_level_refer(&first_level, ACCESS_FETCH, ip, address, 1))
		refer_far(ACCESS_FETCH, ip, address, 1);
}

void tool_load(uint64_t ip, uint64_t address, uint64_t begun_and_size)
{
	const unsigned size = begun_and_size & ((1u << TOOL_SIZE_BITS) - 1);
	struct reached reached;

	reports_enter(ip, begun_and_size >> TOOL_SIZE_BITS);
	if (reports_wishes.wanted[CPU_EVENT_LOADS] && last_load != tool_executed)
		reports_count(CPU_EVENT_LOADS, 0);
	last_load = tool_executed;
	if (first_level_refer(&first_level, ACCESS_LOAD, ip, address, size))
		reached = first_level_reached(&first_level);
	else
		reached = refer_far(ACCESS_LOAD, ip, address, size);
	reports_next.address = address;
	reports_next.latency = reached.latency;
	reports_next.source = (uint8_t)(reached.source - CPU_EVENT_LOAD_L1D);
}

void tool_store(uint64_t ip, uint64_t address, uint64_t begun_and_size)
{
	const unsigned size = begun_and_size & ((1u << TOOL_SIZE_BITS) - 1);

	reports_enter(ip, begun_and_size >> TOOL_SIZE_BITS);
	if (reports_wishes.wanted[CPU_EVENT_STORES] && last_store != tool_executed)
		reports_count(CPU_EVENT_STORES, 0);
	last_store = tool_executed;
	if (!first_level_refer(&first_level, ACCESS_STORE, ip, address, size))
		refer_far(ACCESS_STORE, ip, address, size);
}

bool tool_begin(void)
{
	if (!reports_begin())
		return false;
	tool_entry = reports_wishes.entry;
	memory = memory_make(&reports_wishes.processor, 1, 1, count_cpu_event, read_table, NULL);
	if (!memory)
		return false;
	memory->package[0].wanted = reports_wishes.wanted;
	first_level_begin(&first_level, memory, 0);
	return true;
}
