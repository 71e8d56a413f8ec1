/* SPDX-License-Identifier: BSD-2-Clause */
/* The PAL procedures: on every target, the architected procedures for performance monitoring, and
 * palmon's own. Indices, status codes and layouts: Itanium Architecture Software Developer's Manual
 * volume 2, chapter 11. Reserved arguments must be 0. */
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
/* Indices 512-767 are implementation-specific. */
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
 * Calls the procedure `index`. Call it in the most privileged mode with interrupts disabled; they
 * are disabled on return. PAL_UNIMPLEMENTED: unknown index. PAL_INVALID_ARGUMENT: a reserved
 * argument is not 0, or a buffer is not aligned to 8 bytes or not writable memory; nothing was
 * written. PAL_ERROR: before pmu_begin. "m:n" stands for bits m to n.
 *
 * PAL_CACHE_INFO(level, type)	Level 0 is nearest to the processor. Type 1: instruction, 2: data or
 *				unified. No such cache: PAL_INVALID_ARGUMENT. v1: unified 0,
 *				write-back 1, ways 15:8, binary logarithms of line 23:16 and best
 *				stride 31:24 (bytes). v2: size 31:0 (bytes). Other bits are unknown:
 *				0.
 *
 * PAL_CACHE_SUMMARY		v1: levels. v2: caches, with separate instruction and data caches
 *				counted separately.
 *
 * PAL_PTCE_INFO		How ptc.e purges all translation caches in two loops. v1: first
 *				address. v2: iterations of the outer loop 63:32, inner loop 31:0.
 *				v3: address increments, likewise.
 *
 * PAL_VM_INFO(level, type)	As PAL_CACHE_INFO, for translation caches. v1: sets 7:0 (1: fully
 *				associative), ways 15:8, entries 31:16, unified 33. Unknown, 0:
 *				optimized for the region's preferred page size 32, reduced by
 *				translation registers 34. v2: page sizes; bit n: 2^n bytes.
 *
 * PAL_VM_SUMMARY		v1: hardware page walker 0, physical address bits 7:1, key bits
 *				15:8, last protection key register 23:16, last data translation
 *				register 39:32, last instruction translation register 47:40,
 *				distinct translation caches 55:48, their levels 63:56; hash function
 *				31:24 is unknown: 0. v2: highest virtual address bit 7:0, region
 *				identifier bits 15:8.
 *
 * PAL_RSE_INFO			v1: physical stacked registers. v2: hints (0: enforced lazy).
 *
 * PAL_VM_PAGE_SIZE		v1: page sizes of translations. v2: page sizes of purges. Bit n: 2^n
 *				bytes.
 *
 *				These seven return PAL_UNIMPLEMENTED if the target's driver has no
 *				table of its processor.
 *
 * PAL_DEBUG_INFO		v1: instruction, v2: data debug register pairs.
 *
 * PAL_PERF_MON_INFO(buffer)	128 bytes: four 256-bit masks, at 0 implemented control registers,
 *				at 32 implemented data registers, at 64 data registers that can
 *				count cycles, at 96 data registers that can count retired
 *				instructions. v1: counter pairs 7:0, width 15:8, cycles event 23:16,
 *				retired event 31:24. Register numbers and events are the target's
 *				(README.md in its folder).
 *
 * PAL_VERSION			v1: minimum, v2: current version. PAL_B revision 7:0, model 15:8;
 *				vendor 31:24; PAL_A revision 39:32, model 47:40.
 *
 * PAL_HALT_LIGHT		Freezes monitoring, waits for an interrupt, and restores the freeze
 *				state that it found, before that interrupt's handler runs: no
 *				counter counts the halt, no count is lost.
 *
 * PAL_HALT_INFO(buffer)	64 bytes, a word for each of eight power states: exit latency 15:0,
 *				entry latency 31:16 (cycles), power 59:32 (milliwatts), implemented
 *				60, coherent 61. State 0 is the light halt. A latency or power of 0
 *				is unknown.
 *
 * PALMON_MONITOR_FEATURES	v1: fixed counters 7:0, their width 15:8. v2: all counters by number
 *				(bit n: counter n, which is bit n of the overflow status). v3:
 *				PMU_FEATURE_* (pmu_driver.h).
 * PALMON_MONITOR_EVENTS	The events of PAL_PERF_MON_INFO with all their bits. v1: cycles
 *				event, v2: retired event: code 15:0, unit mask 23:16.
 *				PAL_UNIMPLEMENTED if the PMU counts no retired instructions.
 */
struct pal_ret pal_call(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3);

/* Calls PAL as this processor's software does: on ia64, through the procedures' own entry and
 * calling conventions (arch/ia64/pal.S); elsewhere, through pal_call. */
struct pal_ret pal_ask(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3);

#endif
