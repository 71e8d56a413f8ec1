// SPDX-License-Identifier: BSD-2-Clause
// Events of Nehalem's caches and TLBs, and those that only Knights Corner has. Each scenario raises
// them with a few references and counts them by hand. The last test checks that the scenarios raise
// each event of the memory system that a model counts: no counter waits for an event that never
// occurs.

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "happened.h"
#include "model.h"

#define LINE	64u
#define PAGE	4096u
#define TABLES	0x10000000u
#define LARGE	(1u << 7)

// Steps: core, kind, and number of a line of 64 bytes. xN repeats the step for N lines, each 512
// after the previous one, or the number after '+'. Lines 512 apart share a set of the L1 and L2
// caches, which hold 8 lines of it, so that x16 evicts all earlier lines. With paging, lines 32768
// and up are in pages of 2 MB.
//	L load  l across the line's end  S store  s across the line's end  K locked  k across the
//	line's end  F fetch  A prefetch instruction
//	N, n non-temporal store of the whole line, of 8 bytes of it  D, d load, store of a device
//	! fence
//	P, Q VPREFETCH0, VPREFETCH1  p, q the same of a device  w so many cycles pass
static const struct scenario {
	// N, S, L: with prefetcher L1D_NEXT, L1D_STRIDE, L2_STREAM (two lines each); K: Knights
	// Corner; P: two packages; T: timed clock
	const char *machine;
	bool paged;
	// NAME=COUNT of core 0, CORE:NAME=COUNT; a package: its first core
	const char *steps, *happen;
} scenarios[] = {
	// Queues, on the timed clock. The sixteen lines that evict modified ones are read; of the
	// eight lines written back, the L3 cache holds all.
	{"T", false, "0L0",
	 "GQ_READ_ENTERS=1 GQ_READ_LEAVES=1 GQ_RESPONSE_ENTERS=1 GQ_RESPONSE_LEAVES=1 "
	 "GQ_MISS_ENTERS=1 GQ_MISS_LEAVES=1 GQ_READ_TOKEN_ENTERS=1 GQ_READ_TOKEN_LEAVES=1 "
	 "QHL_LOCAL_READ_ENTERS=1 QHL_LOCAL_READ_LEAVES=1 IMC_READ_ENTERS=1 IMC_READ_LEAVES=1"},
	{"T", false, "0L0 1L0",
	 "GQ_READ_ENTERS=2 GQ_RESPONSE_ENTERS=2 GQ_MISS_ENTERS=1 QHL_LOCAL_READ_ENTERS=1"},
	{"T", false, "0L0 0L0 0w160 0L0", "LOAD_MEMORY=1 LOAD_FILL=1 LOAD_L1D=1 L1D_LOAD_E=2"},
	{"T", false, "0S0 0L512x16",
	 "GQ_READ_ENTERS=17 GQ_WRITE_ENTERS=1 GQ_WRITE_LEAVES=1 QHL_LOCAL_WRITE_ENTERS=0"},
	{"T", false, "0N0", "GQ_WRITE_ENTERS=1 GQ_WRITE_TOKEN_ENTERS=1 GQ_WRITE_TOKEN_LEAVES=1 "
	 "QHL_LOCAL_READ_ENTERS=1 IMC_WRITE_ENTERS=1 IMC_WRITE_LEAVES=1 GQ_READ_ENTERS=0"},
	{"T", false, "0n0 0!0", "GQ_WRITE_ENTERS=1 IMC_PARTIAL_ENTERS=1 IMC_PARTIAL_LEAVES=1"},
	{"T", false, "0D0 0d0", "GQ_READ_ENTERS=1 GQ_WRITE_ENTERS=1 GQ_RESPONSE_ENTERS=0"},
	{"TP", false, "2L0",
	 "2:GQ_READ_ENTERS=1 2:GQ_MISS_ENTERS=1 QHL_REMOTE_READ_ENTERS=1 QHL_REMOTE_READ_LEAVES=1 "
	 "IMC_READ_ENTERS=1 GQ_PEER_ENTERS=1 GQ_PEER_LEAVES=1 GQ_READ_ENTERS=0"},
	{"TP", false, "2S0 0L0",
	 "QHL_REMOTE_WRITE_ENTERS=1 QHL_REMOTE_WRITE_LEAVES=1 IMC_WRITE_ENTERS=1 "
	 "QHL_LOCAL_READ_ENTERS=1 2:GQ_PEER_ENTERS=1"},
	{"TP", false, "0S0 2L0",
	 "QHL_LOCAL_WRITE_ENTERS=1 QHL_LOCAL_WRITE_LEAVES=1 QHL_REMOTE_READ_ENTERS=1"},

	// Fetches. The L1 instruction cache has 4 ways: a fifth line evicts the first.
	{"", false, "0F0 0F0", "L1I_MISS=1 L1I_HIT=1 L2_FETCH_I=1 OFFCORE_FETCH_MEMORY=1"},
	{"", false, "0F0 0F512x4", "L1I_MISS=5 L1I_EVICTION=1"},
	{"", false, "0L0 0F0", "L2_FETCH_E=1"},
	{"", false, "0L0 1L0 0F0", "L2_FETCH_S=1"},
	{"", false, "0S0 0L64x8+64 0F0", "L1D_WRITEBACK_E=1 L2_FETCH_M=1"},
	{"", false, "1S0 0F0", "OFFCORE_FETCH_MODIFIED=1 1:L1D_SNOOP_MODIFIED=1"},
	{"", false, "1L0 0F0", "OFFCORE_FETCH_SHARED=1"},
	{"", false, "0F0 0F512x16 0F0", "L1I_MISS=18 L2_FETCH_I=18 OFFCORE_FETCH_L3=1"},

	// The L1 data cache by state. The L2 cache returns a written-back line as modified.
	{"", false, "0L0 0L0",
	 "L1D_LOAD_I=1 L1D_LOAD_E=1 L1D_FILL=1 LOAD_MEMORY=1 LOAD_L1D=1 L2_LOAD_I=1 "
	 "L3_READ_MISS=1 L3_FILL=1 MEMORY_READ=1 OFFCORE_LOAD_MEMORY=1 L2_FILL_EXCLUSIVE=1"},
	{"", false, "0S0 0S0 0L0",
	 "L1D_STORE_I=1 L1D_STORE_M=1 L1D_LOAD_M=1 L2_STORE_I=1 OFFCORE_STORE_MEMORY=1"},
	{"", false, "0L0 0S0", "L1D_STORE_E=1"},
	{"", false, "0L0 1L0 0L0 0S0",
	 "L1D_LOAD_S=1 L1D_STORE_S=1 L2_STORE_S=1 OFFCORE_STORE_SHARED=1 "
	 "1:OFFCORE_LOAD_SHARED=1 1:LOAD_SHARED=1 1:L2_FILL_SHARED=1"},
	{"", false, "0K0 0K0", "L1D_LOCK_I=1 L1D_LOCK_M=1 L2_LOCK_I=1 LOAD_MEMORY=1 LOAD_L1D=1"},
	{"", false, "0L0 0K0", "L1D_LOCK_E=1"},
	{"", false, "0L0 1L0 0K0", "L1D_LOCK_S=1 L2_LOCK_S=1"},
	{"", false, "0S0 0L64x8+64 0L0",
	 "L1D_WRITEBACK_E=1 L2_LOAD_M=1 L1D_FILL_MODIFIED=1 LOAD_L2=1"},
	{"", false, "0S0 0L64x8+64 0L0 0L576x8+64", "L1D_WRITEBACK_E=1 L1D_WRITEBACK_M=1"},
	// Line 0, in constant use in the L1 data cache, is evicted from the L2 cache, which does
	// not see the uses.
	{"", false,
	 "0S0 0L512 0S0 0L1024 0S0 0L1536 0S0 0L2048 0S0 0L2560 0S0 0L3072 0S0 0L3584 0S0 0L4096 "
	 "0S0 "
	 "0L64x8+64", "L1D_STORE_M=8 L1D_WRITEBACK_I=1"},
	{"", false, "0S0 1L0", "L1D_SNOOP_MODIFIED=1 1:OFFCORE_LOAD_MODIFIED=1 1:LOAD_MODIFIED=1"},
	{"", false, "0S0 1S0", "L1D_SNOOP_MODIFIED=1 1:OFFCORE_STORE_MODIFIED=1"},

	// The L2 cache by state: after eight more lines of its set, a line is in the L2 cache only.
	{"", false, "0L0 0L64x8+64 0L0", "L2_LOAD_E=1"},
	{"", false, "0L0 1L0 0L64x8+64 0L0", "L2_LOAD_S=1"},
	{"", false, "0L0 0L64x8+64 0S0", "L2_STORE_E=1"},
	{"", false, "0S0 0L64x8+64 0S0", "L2_STORE_M=1"},
	{"", false, "0L0 0L64x8+64 0K0", "L2_LOCK_E=1"},
	{"", false, "0S0 0L64x8+64 0K0", "L2_LOCK_M=1"},
	{"", false, "0L0 0L512x16", "L2_EVICTION_CLEAN=9"},
	{"", false, "0L0 0L512x16 0L0",
	 "OFFCORE_LOAD_L3=1 LOAD_L3=1 L3_READ_HIT=1 L3_READ_MISS=17"},
	{"", false, "0L0 0L512x16 0S0", "OFFCORE_STORE_L3=1"},
	{"", false, "0S0 0L512x16", "L2_EVICTION_MODIFIED=1 L3_WRITEBACK_HIT=1"},

	// The L3 cache has 16 ways; lines 8192 apart share a set.
	{"", false, "0L0 0L8192x16+8192", "L3_EVICTION_EXCLUSIVE=1"},
	{"", false, "0S0 0L8192x16+8192", "L3_EVICTION_MODIFIED=1 MEMORY_WRITE=1"},

	// Prefetchers.
	{"N", false, "0L0 0l0",
	 "L1D_PREFETCH_TRIGGER=1 L1D_PREFETCH_REQUEST=1 L1D_PREFETCH_MISS=1 L1D_LOAD_I=1"},
	{"S", false, "0L0 0L1 0L2 0L3",
	 "L1D_PREFETCH_TRIGGER=2 L1D_PREFETCH_REQUEST=2 L1D_PREFETCH_MISS=2 "
	 "L1D_LOAD_I=3"},
	{"L", false, "0L0 0L1", "L2_PREFETCH_LOAD_I=2 OFFCORE_PREFETCH_LOAD_MEMORY=2"},
	{"L", false, "0S0 0S1", "L2_PREFETCH_STORE_I=2 OFFCORE_PREFETCH_STORE_MEMORY=2"},
	{"L", false, "0F0 0F1", "L2_PREFETCH_FETCH_I=2 OFFCORE_PREFETCH_FETCH_MEMORY=2"},
	// Line 2 is present. The load of a distant line makes the stream start again.
	{"L", false, "0L2 0L50 0L0 0L1", "L2_PREFETCH_LOAD_E=1 L2_PREFETCH_LOAD_I=1"},
	{"L", false, "0L2 0L50 0S0 0S1", "L2_PREFETCH_STORE_E=1"},
	{"L", false, "0L2 0L50 0F0 0F1", "L2_PREFETCH_FETCH_E=1"},
	{"L", false, "0L2 1L2 0L50 0L0 0L1", "L2_PREFETCH_LOAD_S=1"},
	{"L", false, "0L2 1L2 0L50 0S0 0S1",
	 "L2_PREFETCH_STORE_S=1 OFFCORE_PREFETCH_STORE_SHARED=1"},
	{"L", false, "0L2 1L2 0L50 0F0 0F1", "L2_PREFETCH_FETCH_S=1"},
	{"L", false, "0S2 0L66x8+64 0L50 0L0 0L1", "L2_PREFETCH_LOAD_M=1"},
	{"L", false, "0S2 0L66x8+64 0L50 0S0 0S1", "L2_PREFETCH_STORE_M=1"},
	{"L", false, "0S2 0L66x8+64 0L50 0F0 0F1", "L2_PREFETCH_FETCH_M=1"},
	{"L", false, "1L2 0L0 0L1", "OFFCORE_PREFETCH_LOAD_SHARED=1"},
	{"L", false, "1L2 0F0 0F1", "OFFCORE_PREFETCH_FETCH_SHARED=1"},
	{"L", false, "1S2 0L0 0L1", "OFFCORE_PREFETCH_LOAD_MODIFIED=1"},
	{"L", false, "1S2 0S0 0S1", "OFFCORE_PREFETCH_STORE_MODIFIED=1"},
	{"L", false, "1S2 0F0 0F1", "OFFCORE_PREFETCH_FETCH_MODIFIED=1"},
	{"L", false, "0L2 0L514x16 0L0 0L1", "OFFCORE_PREFETCH_LOAD_L3=1"},
	{"L", false, "0L2 0L514x16 0S0 0S1", "OFFCORE_PREFETCH_STORE_L3=1"},
	{"L", false, "0L2 0L514x16 0F0 0F1", "OFFCORE_PREFETCH_FETCH_L3=1"},
	// A prefetch evicts a clean or a modified line from a full set of the L2 cache.
	{"L", false, "0L514x8 0L0 0L1", "L2_EVICTION_PREFETCH_CLEAN=1 L2_EVICTION_CLEAN=0"},
	{"L", false, "0S514x8 0L4162x7+64 0L4674 0L0 0L1",
	 "L2_EVICTION_PREFETCH_MODIFIED=1 L2_EVICTION_MODIFIED=0"},

	// Non-temporal stores, devices, references that cross lines.
	{"", false, "0N0 0n1 0n2 0!0", "STREAM_FULL=1 STREAM_PARTIAL=2"},
	{"", false, "0D0 0d0", "LOAD_DEVICE=1 STORE_DEVICE=1"},
	{"", false, "0l0 0s2", "SPLIT_LOAD=1 SPLIT_STORE=1 L1D_LOAD_I=2 L1D_STORE_I=2"},
	{"", false, "0k0", "SPLIT_STORE=1 SPLIT_LOCK=1 L1D_LOCK_I=2"},
	// Locked, of a device, across pages; not: across lines of a page, stores.
	{"", false, "0K0 0D1 0l63", "LOAD_AT_RETIREMENT=3"},
	{"", false, "0L0 0l0 0s63 0d1", "LOAD_AT_RETIREMENT=0"},

	// The timed clock: the line arrives in cycle 160.
	{"T", false, "0L0 0K0 0w160 0K0", "LOCK_FILL=1"},
	{"T", false, "0A0 0L0 0S0 0w160 0L0", "LOAD_HIT_PREFETCH=1 LOAD_FILL=1"},
	{"T", false, "0L0 0L0", "LOAD_HIT_PREFETCH=0 LOAD_FILL=1"},

	// A store to code in the L1 instruction cache invalidates the line there. The L1 data cache
	// has the line before the fetch, after it, in state S, or not.
	{"", false, "0F0 0S0 0S0 0F0", "SELF_MODIFIED=1 L1I_MISS=2"},
	{"", false, "0S0 0F0 0S0 0F0 0S0", "SELF_MODIFIED=2 L1I_MISS=2"},
	{"", false, "0L0 0F0 0K0", "SELF_MODIFIED=1"},
	{"", false, "0F0 0L0 0S0 0F0", "SELF_MODIFIED=1"},
	{"", false, "0F0 1F0 0S0", "SELF_MODIFIED=1 1:SELF_MODIFIED=0"},
	{"", false, "0F0 0L0 0F512x4 0S0", "SELF_MODIFIED=0"},

	// Knights Corner's prefetches. Memory takes 500 cycles, the L2 cache 23. The L1 data cache
	// has 8 ways; lines 64 apart share a set.
	{"K", false, "0P0",
	 "VPREFETCH0_MISS=1 L2_VPREFETCH0_I=1 L1D_FILL=1 L2_LOAD_I=0 OFFCORE_LOAD_MEMORY=1"},
	{"K", false, "0P0 0L0 0S0 0K0", "IN_FLIGHT_VPREFETCH0=3 L1D_LOAD_E=1"},
	{"K", false, "0P0 0w499 0L0", "IN_FLIGHT_VPREFETCH0=1"},
	{"K", false, "0P0 0w500 0L0", "IN_FLIGHT_VPREFETCH0=0"},
	{"K", false, "0P0 0P0 0Q0 0w500 0P0 0Q0",
	 "VPREFETCH0_MISS=1 VPREFETCH0_DROPPED=1 VPREFETCH1_DROPPED=1 "
	 "VPREFETCH0_HIT=1 L2_VPREFETCH1_E=1 L2_VPREFETCH1_I=0"},
	{"K", false, "0p0 0q0",
	 "VPREFETCH0_DROPPED=1 VPREFETCH1_DROPPED=1 L2_VPREFETCH0_I=0 L2_VPREFETCH1_I=0"},
	{"K", false, "0Q0 0L0",
	 "L2_VPREFETCH1_I=1 L1D_LOAD_I=1 L2_LOAD_E=1 IN_FLIGHT_VPREFETCH1=1"},
	{"K", false, "0Q0 0w500 0Q0 0P0", "L2_VPREFETCH1_E=1 L2_VPREFETCH0_E=1 VPREFETCH0_MISS=1"},
	{"K", false, "0Q0 0w500 0P0 0w22 0L0", "IN_FLIGHT_VPREFETCH0=1"},
	{"K", false, "0Q0 0w500 0P0 0w23 0L0", "IN_FLIGHT_VPREFETCH0=0"},
	{"K", false, "0L0 1L0 0Q0 0L64x8+64 0P0", "L2_VPREFETCH1_S=1 L2_VPREFETCH0_S=1"},
	{"K", false, "0S0 0L64x8+64 0Q0 0P0", "L2_VPREFETCH1_M=1 L2_VPREFETCH0_M=1"},
	{"K", false, "0P0 1L0",
	 "IN_FLIGHT_VPREFETCH0=0 1:IN_FLIGHT_VPREFETCH0=0 1:IN_FLIGHT_VPREFETCH1=0"},

	// Its L1 data cache writes back to the L2 cache.
	{"K", false, "0S0 0L64x8+64", "L1D_EVICTION_MODIFIED=1 L1D_WRITEBACK_E=1"},

	// Snoops.
	{"K", false, "0L0 1L0", "SNOOP_E=1 SNOOP_S=0 SNOOP_M=0 1:SNOOP_I=0 1:SNOOP_E=0"},
	{"K", false, "0L0 1L0 1S0", "SNOOP_E=1 SNOOP_S=1"},
	{"K", false, "0S0 1L0", "SNOOP_M=1"},
	{"K", false, "0S0 1S0 0L0", "SNOOP_M=1 1:SNOOP_M=1"},

	// Two packages, of cores 0 and 1, and 2 and 3. All memory belongs to the first package. The
	// line is in no cache; in one core of the other package, now or earlier; in two cores
	// there.
	{"P", false, "0L0",
	 "L3_FILL=1 MEMORY_READ=1 OFFCORE_LOAD_MEMORY=1 LOAD_MEMORY=1 2:PROBE_MISS=1 "
	 "2:PROBE_REMOTE_I=1"},
	{"P", false, "2L0",
	 "2:L3_FILL=1 MEMORY_READ_REMOTE=1 MEMORY_READ=0 2:OFFCORE_LOAD_REMOTE_MEMORY=1 "
	 "2:LOAD_REMOTE_MEMORY=1 PROBE_MISS=1 PROBE_LOCAL_I=1"},
	{"P", false, "2L0 0L0",
	 "2:PROBE_HIT=1 2:PROBE_REMOTE_FORWARD_S=1 2:PROBE_E_TO_S=1 ANSWER_REMOTE_FORWARD_S=1 "
	 "HOME_READ=1 MEMORY_READ=0 OFFCORE_LOAD_REMOTE_HITM=1 LOAD_REMOTE_CACHE=1 "
	 "L3_FILL_FORWARD=1 L2_FILL_SHARED=1"},
	{"P", false, "0L0 2L0",
	 "PROBE_HIT=1 PROBE_LOCAL_FORWARD_S=1 PROBE_E_TO_S=1 ANSWER_FORWARD_S=1 "
	 "HOME_READ_REMOTE=1 2:OFFCORE_LOAD_REMOTE_HITM=1 2:LOAD_REMOTE_MEMORY_SHARED=1 "
	 "2:L3_FILL_FORWARD=1"},
	{"P", false, "2L0 3L0 0L0",
	 "OFFCORE_LOAD_REMOTE_HIT=1 LOAD_REMOTE_CACHE=1 2:PROBE_E_TO_S=1"},
	// Both packages have the line; one evicts it: the one that read it last, or the other.
	{"P", false, "0L0 2L0 0L0 3L0", "LOAD_L1D=1 3:LOAD_L3=1 3:L2_FILL_SHARED=1 2:PROBE_HIT=0"},
	{"P", false, "0L0 2L0 0L8192x16+8192 0L0",
	 "L3_EVICTION_SHARED=1 2:PROBE_F_TO_S=1 2:PROBE_REMOTE_FORWARD_S=1 "
	 "OFFCORE_LOAD_REMOTE_HIT=1 OFFCORE_LOAD_MEMORY=17 HOME_READ=1"},
	{"P", false, "2L0 0L0 0L8192x16+8192 0L0",
	 "L3_EVICTION_FORWARD=1 2:PROBE_S_TO_S=1 2:PROBE_REMOTE_S=1 "
	 "OFFCORE_LOAD_MEMORY=17 LOAD_MEMORY_SHARED=1 LOAD_MEMORY=16 MEMORY_READ=17"},
	{"P", false, "0L0 2L0 2L8192x16+8192 2L0",
	 "PROBE_S_TO_S=1 PROBE_LOCAL_S=1 2:LOAD_REMOTE_MEMORY_SHARED=2 "
	 "2:OFFCORE_LOAD_REMOTE_MEMORY=17"},
	// A modified line is written to memory for a read, and forwarded to the new owner for a
	// write. A probe asks a core that may have modified the line, or that must invalidate it.
	{"P", false, "2L0 0L0", "2:SNOOP_E=1"},
	{"P", false, "2L0 3L0 0L0", "2:SNOOP_S=0 3:SNOOP_S=0"},
	{"P", false, "2L0 3L0 0S0", "2:SNOOP_S=1 3:SNOOP_S=1"},
	{"P", false, "2S0 0L0", "2:SNOOP_M=1 2:SNOOP_S=0 2:SNOOP_I=0"},
	{"P", false, "2S0 0S0", "2:SNOOP_M=1 2:SNOOP_I=0"},
	{"P", false, "0S0 2L0",
	 "L1D_SNOOP_MODIFIED=1 PROBE_LOCAL_WB=1 PROBE_M_TO_I=1 ANSWER_WB=1 MEMORY_WRITE=1 "
	 "HOME_READ_REMOTE=1 MEMORY_READ_REMOTE=0 2:OFFCORE_LOAD_REMOTE_MEMORY=1 "
	 "2:LOAD_REMOTE_MEMORY=1 2:L3_FILL=1"},
	{"P", false, "2S0 0L0",
	 "2:PROBE_REMOTE_WB=1 2:PROBE_M_TO_I=1 ANSWER_REMOTE_WB=1 MEMORY_WRITE_REMOTE=1 "
	 "HOME_READ=1 MEMORY_READ=0 OFFCORE_LOAD_MEMORY=1 LOAD_MEMORY=1"},
	{"P", false, "0S0 2S0",
	 "PROBE_LOCAL_FORWARD_I=1 PROBE_M_TO_I=1 ANSWER_FORWARD_I=1 MEMORY_WRITE=0 "
	 "HOME_READ_REMOTE=1 2:OFFCORE_STORE_REMOTE_HITM=1 2:L3_FILL_MODIFIED=1"},
	{"P", false, "2S0 0S0",
	 "2:PROBE_REMOTE_FORWARD_I=1 ANSWER_REMOTE_FORWARD_I=1 OFFCORE_STORE_REMOTE_HITM=1"},
	{"P", false, "2L0 0S0",
	 "2:PROBE_REMOTE_FORWARD_I=1 2:PROBE_E_TO_I=1 OFFCORE_STORE_REMOTE_HITM=1 L3_FILL=1"},
	{"P", false, "0S0 0S8192x16+8192 2L0",
	 "L3_EVICTION_MODIFIED=1 MEMORY_WRITE=1 PROBE_LOCAL_I=1 "
	 "2:LOAD_REMOTE_MEMORY=1"},
	{"P", false, "2S0 2S8192x16+8192", "2:L3_EVICTION_MODIFIED=1 MEMORY_WRITE_REMOTE=1"},
	// A store to a line that both packages have requests ownership.
	{"P", false, "0L0 2L0 0S0",
	 "2:PROBE_F_TO_I=1 2:PROBE_REMOTE_S=1 HOME_READ=1 OFFCORE_STORE_L3=1"},
	{"P", false, "0L0 2L0 2S0",
	 "PROBE_S_TO_I=1 PROBE_LOCAL_S=1 HOME_READ_REMOTE=2 2:OFFCORE_STORE_L3=1"},
	{"P", false, "0L0 2L0 2L8192x16+8192 2S0", "PROBE_S_TO_I=1 2:OFFCORE_STORE_REMOTE_MEMORY=1 "
	 "MEMORY_READ_REMOTE=17"},
	// Non-temporal stores.
	{"P", false, "2N0 2n1 2n2 2!0",
	 "2:STREAM_AWAY=3 STREAM_FULL_REMOTE=1 STREAM_PARTIAL_REMOTE=2"},
	{"P", false, "2S0 0N0", "2:PROBE_REMOTE_WB=1 MEMORY_WRITE_REMOTE=1 STREAM_FULL=1"},
	{"P", false, "2L0 0N0", "2:PROBE_REMOTE_S=1 2:PROBE_E_TO_I=1 ANSWER_REMOTE_FORWARD_I=0"},
	// Other requests.
	{"P", false, "2F0", "2:OFFCORE_FETCH_REMOTE_MEMORY=1"},
	{"P", false, "0L0 2F0", "2:OFFCORE_FETCH_REMOTE_HITM=1"},
	{"P", false, "0L0 1L0 2F0", "2:OFFCORE_FETCH_REMOTE_HIT=1"},
	{"LP", false, "2L0 2L1", "2:OFFCORE_PREFETCH_LOAD_REMOTE_MEMORY=2"},
	{"LP", false, "0L2 2L0 2L1",
	 "2:OFFCORE_PREFETCH_LOAD_REMOTE_HITM=1 2:OFFCORE_PREFETCH_LOAD_REMOTE_MEMORY=1"},
	{"LP", false, "0L2 1L2 2L0 2L1", "2:OFFCORE_PREFETCH_LOAD_REMOTE_HIT=1"},
	{"LP", false, "2S0 2S1", "2:OFFCORE_PREFETCH_STORE_REMOTE_MEMORY=2"},
	{"LP", false, "0L2 2S0 2S1", "2:OFFCORE_PREFETCH_STORE_REMOTE_HITM=1"},
	{"LP", false, "2F0 2F1", "2:OFFCORE_PREFETCH_FETCH_REMOTE_MEMORY=2"},
	{"LP", false, "0L2 2F0 2F1", "2:OFFCORE_PREFETCH_FETCH_REMOTE_HITM=1"},
	{"LP", false, "0L2 1L2 2F0 2F1", "2:OFFCORE_PREFETCH_FETCH_REMOTE_HIT=1"},

	// Translations: 64 entries for data, in sets of 4, and 128 for code; a second level of 512.
	// Lines 64 apart are in separate pages. Pages of 2 MB have 7 entries for code; one of them
	// is used twice.
	{"", true, "0L0 0L0", "TLB_LOAD_MISS=1 TLB_LOAD_WALK=1 LOAD_TLB_MISS=1"},
	{"", true, "0L0 0L1024x4+1024 0L0", "TLB_LOAD_MISS=6 TLB_LOAD_SECOND=1 TLB_LOAD_WALK=5"},
	{"", true, "0S0 0S1024x4+1024 0S0", "TLB_STORE_MISS=6 TLB_STORE_SECOND=1 TLB_STORE_WALK=5"},
	{"", true, "0F0 0F2048x4+2048 0F0", "TLB_FETCH_MISS=6 TLB_FETCH_SECOND=1 TLB_FETCH_WALK=5"},
	{"", true, "0L32768 0S65536", "TLB_LOAD_WALK_LARGE=1 TLB_STORE_WALK_LARGE=1"},
	{"", true, "0F32768 0F32832", "TLB_FETCH_WALK_LARGE=1 TLB_FETCH_LARGE_HIT=1"},
};

static const char *const names[] = {
#define NAME(name) #name,
	CPU_EVENTS(NAME)
};

static struct processor processor;
static uint64_t cycle;
static struct memory *memory;
static bool shown[CPU_EVENT_COUNT];

// Maps 2 MB in pages of 4 KB, and the memory above in pages of 2 MB, all identity mappings.
static bool read_entry(void *context, uint64_t address, uint64_t *entry)
{
	const uint64_t table = (address - TABLES) / PAGE, index = address % PAGE / 8;

	(void)context;
	if (address < TABLES || table > 3)
		return false;
	*entry = table == 3 ? index * PAGE : table == 2 && index ? index << 21 | LARGE :
		TABLES + (table + 1) * PAGE;
	*entry |= 1;
	return true;
}

// Counts a package's event as one of its first core.
static void count_queued(void *context, unsigned package, enum cpu_event what, uint64_t address,
			 uint64_t now)
{
	(void)now;
	count_cpu_event(context, 2 * package, what, address);
}

static void begin(const struct scenario *s)
{
	static const struct processor_needs none;
	const unsigned packages = strchr(s->machine, 'P') ? 2 : 1;

	free(memory);
	assert_true(processor_load(&processor, strchr(s->machine, 'K') ? "knc" : "nehalem", &none));
	processor.prefetchers = (struct processor_prefetchers){0};
	if (strchr(s->machine, 'N'))
		processor.prefetchers.next_lines = 4;
	if (strchr(s->machine, 'S')) {
		processor.prefetchers.stride_entries = 256;
		processor.prefetchers.stride_distance = 2048;
	}
	if (strchr(s->machine, 'L')) {
		processor.prefetchers.forward = processor.prefetchers.backward = 16;
		processor.prefetchers.ahead = 8;
		processor.prefetchers.each = 2;
	}
	memory = memory_make(&processor, packages, 2, count_cpu_event, read_entry, NULL);
	assert_non_null(memory);
	if (packages > 1)
		package_join(memory->package, packages, 1ULL << 30);
	if (strchr(s->machine, 'T'))
		memory_time(memory, count_queued);
	forget_cpu_events();
}

static void refer(const struct scenario *s, unsigned core, char what, uint64_t line)
{
	static const struct {
		char what;
		enum access access;
		unsigned offset, size;
		bool device;
	} kinds[] = {
		{'L', ACCESS_LOAD, 0, 8}, {'l', ACCESS_LOAD, 60, 8}, {'S', ACCESS_STORE, 0, 8},
		{'s', ACCESS_STORE, 60, 8}, {'K', ACCESS_LOCK, 0, 8}, {'k', ACCESS_LOCK, 60, 8},
		{'A', ACCESS_PREFETCH, 0, 1}, {'F', ACCESS_FETCH, 0, 1},
		{'N', ACCESS_STREAM, 0, 64}, {'n', ACCESS_STREAM, 0, 8},
		{'D', ACCESS_LOAD, 0, 4, true},
		{'d', ACCESS_STORE, 0, 4, true}, {'P', ACCESS_VPREFETCH0, 0, 1},
		{'Q', ACCESS_VPREFETCH1, 0, 1},
		{'p', ACCESS_VPREFETCH0, 0, 1, true}, {'q', ACCESS_VPREFETCH1, 0, 1, true},
	};
	size_t i = 0;

	if (what == '!') {
		memory_fence(memory, core, cycle);
		return;
	}
	if (what == 'w') {
		cycle += line;
		return;
	}
	while (kinds[i].what != what)
		assert_true(++i < sizeof kinds / sizeof *kinds);
	memory_refer(memory, &(struct reference){
		.core = core, .access = kinds[i].access, .linear = line * LINE + kinds[i].offset,
		.physical = line * LINE + kinds[i].offset, .size = kinds[i].size,
		.device = kinds[i].device,
		.paged = s->paged, .cr3 = TABLES, .now = cycle,
	});
}

static void do_steps(const struct scenario *s)
{
	for (const char *at = s->steps; *at;) {
		unsigned core, line, count = 1, distance = 512;
		int length = 0, more = 0;
		char what;

		assert_int_equal(sscanf(at, "%1u%c%u%n", &core, &what, &line, &length), 3);
		at += length;
		if (*at == 'x') {
			assert_int_equal(sscanf(at, "x%u%n", &count, &more), 1);
			at += more;
			if (*at == '+') {
				assert_int_equal(sscanf(at, "+%u%n", &distance, &more), 1);
				at += more;
			}
		}
		for (; count; count--, line += distance)
			refer(s, core, what, line);
		at += *at == ' ';
	}
}

static enum cpu_event find(const char *name)
{
	enum cpu_event what = 0;

	while (what < CPU_EVENT_COUNT && strcmp(names[what], name))
		what++;
	if (what == CPU_EVENT_COUNT)
		fail_msg("there is no %s", name);
	return what;
}

static void expect(const struct scenario *s)
{
	for (const char *at = s->happen; *at;) {
		unsigned core = 0, count;
		char name[64];
		enum cpu_event what;
		int length = 0;

		if (at[1] == ':') {
			core = (unsigned)(*at - '0');
			at += 2;
		}
		assert_int_equal(sscanf(at, "%63[A-Z0-9_]=%u%n", name, &count, &length), 2);
		what = find(name);
		if (happened[core][what] != count)
			fail_msg("%s: %u: %s %u, not %u", s->steps, core, name,
				 happened[core][what], count);
		shown[what] |= count;
		at += length;
		at += *at == ' ';
	}
}

static void each_does_what_is_counted_by_hand(void **state)
{
	(void)state;
	for (const struct scenario *s = scenarios;
	     s < scenarios + sizeof scenarios / sizeof *scenarios; s++) {
		begin(s);
		do_steps(s);
		expect(s);
	}
	free(memory);
	memory = NULL;
}

// QEMU's plugin raises the others: it flushes TLBs, knows which accesses are slow, sees each
// instruction, has the vector unit, and knows each cycle of the timed clock: tests/boot/prefetch.t,
// latency.t, qemu-knc.t, qemu-timed.t, pipeline.t.
static void all_that_models_raise_has_been_shown(void **state)
{
	static const char *const models[] = {"nehalem", "nehalem-uncore", "knc"};
	bool missing = false;

	(void)state;
	shown[CPU_EVENT_TLB_FETCH_FLUSH] = shown[CPU_EVENT_LOAD_SLOW] =
		shown[CPU_EVENT_ONE_PACKAGE] = true;
	shown[CPU_EVENT_L1I_AGAIN] = true;
	for (unsigned what = CPU_EVENT_FILL_PENDING; what <= CPU_EVENT_UOP_RETIRED; what++)
		shown[what] = true;
	for (unsigned what = CPU_EVENT_VECTOR; what <= CPU_EVENT_VECTOR_STORE_MISS; what++)
		shown[what] = true;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		const struct model_raised *r = pmu_model_find(models[i])->machine->raised;

		for (; r->cpu_event != CPU_EVENT_COUNT; r++)
			if (r->cpu_event >= CPU_EVENT_INSTRUCTIONS && !shown[r->cpu_event]) {
				printf("%s: nothing shows that %s happens, which raises 0x%02x, "
				       "0x%02x\n", models[i], names[r->cpu_event], r->code, r->sub);
				missing = shown[r->cpu_event] = true;
			}
	}
	assert_false(missing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_does_what_is_counted_by_hand),
		cmocka_unit_test(all_that_models_raise_has_been_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
