// SPDX-License-Identifier: BSD-2-Clause
// Dispatch: index to procedure.

#include "cpu.h"
#include "procedures.h"

#include <stddef.h>

// The classes of indices: static 0-255, stacked 256-511, implementation-specific 512-767. Of each, as far as any are
// implemented.
#define STATIC_PROCEDURES		35
#define STACKED_FIRST			256
#define STACKED_PROCEDURES		2
#define IMPLEMENTATION_FIRST		512
#define IMPLEMENTATION_PROCEDURES	2

#define PROCEDURES(F)								\
	F(PAL_CACHE_INFO, pal_processor_info)					\
	F(PAL_VM_SUMMARY, pal_processor_info)					\
	F(PAL_DEBUG_INFO, pal_debug_info)					\
	F(PAL_PERF_MON_INFO, pal_perf_mon_info)					\
	F(PAL_RSE_INFO, pal_processor_info)					\
	F(PAL_VERSION, pal_version)						\
	F(PAL_HALT_LIGHT, pal_halt_light)					\
	F(PAL_VM_PAGE_SIZE, pal_processor_info)					\
	F(PAL_HALT_INFO, pal_halt_info)						\
	F(PALMON_MONITOR_FEATURES, palmon_monitor)				\
	F(PALMON_MONITOR_EVENTS, palmon_monitor)

// Where a procedure is in a table without gaps: the classes one after the other.
#define PLACE(index)								\
	((index) < STACKED_FIRST ? (index) :					\
	 (index) < IMPLEMENTATION_FIRST ? STATIC_PROCEDURES + (index) - STACKED_FIRST :	\
	 STATIC_PROCEDURES + STACKED_PROCEDURES + (index) - IMPLEMENTATION_FIRST)
#define PLACES (STATIC_PROCEDURES + STACKED_PROCEDURES + IMPLEMENTATION_PROCEDURES)

#define NUMBER(index, function) NUMBER_##index,
#define BY_PLACE(index, function) [PLACE(index)] = NUMBER_##index,
#define FUNCTION(index, function) [NUMBER_##index] = (function),

enum { NUMBER_NONE, PROCEDURES(NUMBER) };

static struct pal_ret refuse(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3)
{
	(void)index, (void)a1, (void)a2, (void)a3;
	return (struct pal_ret){.status = pmu_this_cpu() ? PAL_UNIMPLEMENTED : PAL_ERROR};
}

static const uint8_t number_at[PLACES] = {PROCEDURES(BY_PLACE)};
static pal_procedure *const procedure[] = {[NUMBER_NONE] = refuse, PROCEDURES(FUNCTION)};

// One call, and nothing but it: a result that comes from several places is put together in memory.
struct pal_ret pal_call(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3)
{
	uint64_t number = NUMBER_NONE;

	if (__builtin_expect(!pmu_this_cpu(), false))
		number = NUMBER_NONE;
	else if (index < STATIC_PROCEDURES)
		number = number_at[index];
	else if (index - STACKED_FIRST < STACKED_PROCEDURES)
		number = number_at[STATIC_PROCEDURES + index - STACKED_FIRST];
	else if (index - IMPLEMENTATION_FIRST < IMPLEMENTATION_PROCEDURES)
		number = number_at[STATIC_PROCEDURES + STACKED_PROCEDURES + index - IMPLEMENTATION_FIRST];
	return procedure[number](index, a1, a2, a3);
}
