/* SPDX-License-Identifier: BSD-2-Clause */
/* The procedure interface: on every target, the architected PAL procedures for performance monitoring, and palmon's
 * own. Indices, status codes and layouts: Itanium Architecture Software Developer's Manual volume 2, chapter 11.
 * Reserved arguments must be 0. */
#ifndef PAL_H
#define PAL_H

#include <stdint.h>

#define PAL_CACHE_INFO		2
#define PAL_CACHE_SUMMARY	4
#define PAL_PTCE_INFO		6
#define PAL_VM_INFO		7
#define PAL_VM_SUMMARY		8
#define PAL_DEBUG_INFO		11
#define PAL_PERF_MON_INFO	15
#define PAL_RSE_INFO		19
#define PAL_VERSION		20
#define PAL_HALT_LIGHT		29
#define PAL_VM_PAGE_SIZE	34
#define PAL_HALT_INFO		257
/* 512-767: implementation-specific. */
#define PALMON_MONITOR_FEATURES	512
#define PALMON_MONITOR_EVENTS	513

#define PAL_SUCCESS		0
#define PAL_UNIMPLEMENTED	(-1)
#define PAL_INVALID_ARGUMENT	(-2)
#define PAL_ERROR		(-3)

struct pal_ret {
	int64_t status;
	uint64_t v1, v2, v3;
};

/*
 * Calls the procedure `index`. To be called in the most privileged mode, with interrupts off; they are off on
 * return. Unknown index: PAL_UNIMPLEMENTED. A reserved argument that is not 0, or a buffer that is not aligned to
 * 8 bytes or not writable memory: PAL_INVALID_ARGUMENT, and nothing has been written. Before pmu_begin: PAL_ERROR.
 *
 * PAL_CACHE_INFO(level, type)	Level 0 is nearest to the processor; type 1: instruction, 2: data or unified; a cache
 *				that does not exist: PAL_INVALID_ARGUMENT. v1: unified 0, write-back 1, ways 15:8,
 *				binary logarithms of the line 23:16 and of the best stride 31:24 (bytes). v2: size 31:0
 *				(bytes). The rest is not known, and 0.
 *
 * PAL_CACHE_SUMMARY		v1: levels, v2: caches in them, those of instructions and of data each for itself.
 *
 * PAL_PTCE_INFO		How ptc.e purges all translation caches, in two loops. v1: the first address; v2: how
 *				often, outer loop 63:32, inner loop 31:0; v3: what is added to the address each time,
 *				likewise.
 *
 * PAL_VM_INFO(level, type)	As PAL_CACHE_INFO, of translation caches. v1: sets 7:0 (1: fully associative), ways
 *				15:8, entries 31:16, unified 33; whether it is optimized for the region's preferred
 *				page size 32 and whether translation registers make it smaller 34 are not known, and 0.
 *				v2: page sizes; bit n: 2^n bytes.
 *
 * PAL_VM_SUMMARY		v1: hardware page walker 0, physical address bits 7:1, key bits 15:8, last protection
 *				key register 23:16, last data translation register 39:32, last instruction
 *				translation register 47:40, distinct translation caches 55:48, levels of them 63:56;
 *				hash function 31:24 is not known, and 0.
 *				v2: highest virtual address bit 7:0, region identifier bits 15:8.
 *
 * PAL_RSE_INFO			v1: physical stacked registers, v2: hints (0: enforced lazy).
 *
 * PAL_VM_PAGE_SIZE		v1: page sizes of translations, v2: of their purges; bit n: 2^n bytes.
 *
 *				These seven: PAL_UNIMPLEMENTED where the target's driver has no table of its processor.
 *
 * PAL_DEBUG_INFO		v1: instruction, v2: data debug register pairs.
 *
 * PAL_PERF_MON_INFO(buffer)	128 bytes: four 256-bit masks, at 0 implemented control registers, at 32 implemented
 *				data registers, at 64 those that can count cycles, at 96 those that can count retired
 *				instructions. v1: counter pairs 7:0, width 15:8, cycles event 23:16, retired event
 *				31:24. Register numbers and events are the target's (README.md in its folder).
 *
 * PAL_VERSION			v1: minimum, v2: current version. PAL_B revision 7:0, model 15:8; vendor 31:24;
 *				PAL_A revision 39:32, model 47:40.
 *
 * PAL_HALT_LIGHT		Freezes monitoring, waits for an interrupt, and restores the freeze state it found,
 *				before that interrupt's handler runs: nothing counts the halt, nothing loses a count.
 *
 * PAL_HALT_INFO(buffer)	64 bytes, a word for each of eight power states: exit latency 15:0, entry latency 31:16
 *				(cycles), power 59:32 (milliwatts), implemented 60, coherent 61. State 0 is the light
 *				halt; latencies and power of 0 are not known.
 *
 * PALMON_MONITOR_FEATURES	v1: fixed counters 7:0, their width 15:8; v2: all counters by number (bit n: counter n,
 *				which is bit n of the overflow status), v3: PMU_FEATURE_* (pmu.h).
 * PALMON_MONITOR_EVENTS	PAL_PERF_MON_INFO's events with all their bits. v1: cycles event, v2: retired event:
 *				code 15:0, unit mask 23:16. PAL_UNIMPLEMENTED if the monitor counts no retired
 *				instructions.
 */
struct pal_ret pal_call(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3);

/* Calls PAL as software on this processor does: ia64's procedures have their own entry and calling conventions
 * (arch/ia64/pal.S). On other processors it is pal_call. */
struct pal_ret pal_ask(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3);

#endif
