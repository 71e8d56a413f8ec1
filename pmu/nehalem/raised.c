// SPDX-License-Identifier: BSD-2-Clause
// PMU events that cpu events of the emulated core raise (cpu_event.h). With the unit clock, no
// mechanism of the core raises cycles in which something waits, and uops. README.md lists events
// that no clock raises.

#include "state.h"

#define ROW(happened, event, bits)	{.cpu_event = CPU_EVENT_##happened, .code = event, \
					 .sub = bits}

// Events that the architecture defines, raised by one cpu event or a range of them.
#define EXACT(happened, event, bits)	EXACT_TO(happened, happened, event, bits)
#define EXACT_TO(first, last, event, bits) \
	{.cpu_event = CPU_EVENT_##first, .up_to = CPU_EVENT_##last, .exact = true, .code = event, \
	 .sub = bits}
#define ROW_TO(first, last, event, bits) \
	{.cpu_event = CPU_EVENT_##first, .up_to = CPU_EVENT_##last, .code = event, .sub = bits}

// Four cpu events, one for each state of a line: I, S, E, M. `all`: bits that all four raise.
#define BY_STATE(happened, event, i, s, e, m, all)						\
	ROW(happened##_I, event, (i) | (all)), ROW(happened##_S, event, (s) | (all)),		\
	ROW(happened##_E, event, (e) | (all)), ROW(happened##_M, event, (m) | (all))

// OFFCORE_RESPONSE_0, Table 9: a request and its response.
#define OFFCORE(happened, asked, answered) {						\
	.cpu_event = CPU_EVENT_##happened, .code = NEHALEM_EVENT_OFFCORE_RESPONSE,	\
	.sub = NEHALEM_UMASK_OFFCORE_RESPONSE, .request = (asked), .response = (answered),	\
}
#define BY_ANSWER(happened, asked)							\
	OFFCORE(happened##_L3, asked, 0x01), OFFCORE(happened##_SHARED, asked, 0x02),	\
	OFFCORE(happened##_MODIFIED, asked, 0x04), OFFCORE(happened##_MEMORY, asked, 0x40),	\
	OFFCORE(happened##_REMOTE_HITM, asked, 0x08), OFFCORE(happened##_REMOTE_MEMORY, asked, 0x20)

#define INTERRUPTION(event, bits) \
	{.cpu_event = CPU_EVENT_INTERRUPTED, .interruption = true, .exact = true, .code = event, \
	 .sub = bits}
#define TIMED(happened, event, bits) \
	{.cpu_event = CPU_EVENT_##happened, .clock = MODEL_TIMED_CLOCK, .code = event, .sub = bits}
#define UNTIMED(happened, event, bits) \
	{.cpu_event = CPU_EVENT_##happened, .clock = MODEL_UNIT_CLOCK, .code = event, .sub = bits}
#define LOAD(happened, bits) ROW(happened, NEHALEM_EVENT_LOADS, bits)

// Table 6: all branches, and those of one kind.
#define BRANCHES(first, last, kind) \
	EXACT_TO(first, last, NEHALEM_EVENT_BRANCHES, NEHALEM_UMASK_ALL_BRANCHES | (kind))

// Table 18, and SDM volume 3B: near branches only; bit 40: taken. An emulated core executes only
// instructions that retire.
#define EXECUTED(happened, bits) ROW(BRANCH_##happened, 0x88, bits)

// Table 18: mispredictions of near branches. Direct jumps and calls are never mispredicted, because
// the decoder knows their targets.
#define WRONG(happened, bits)	ROW(MISPREDICTED_##happened, 0x89, bits)

#define RETIRED_AND_EXECUTED(happened, retired, executed) ROW(happened, 0xC7, retired), \
	ROW(happened, 0x10, executed)

// SDM volume 3B, processors based on Intel Core microarchitecture: the slow length decoder takes
// six cycles.
#define CYCLES_OF_SLOW_DECODER 6

const struct model_raised nehalem_raised[] = {
	EXACT_TO(BRANCH, BRANCH_NOT_TAKEN, NEHALEM_EVENT_BRANCHES, 0),
	ROW_TO(BRANCH, BRANCH_NOT_TAKEN, 0xE0, 0x01),
	BRANCHES(BRANCH, BRANCH, 0),
	BRANCHES(BRANCH_CONDITIONAL, BRANCH_CONDITIONAL, NEHALEM_UMASK_CONDITIONAL),
	EXECUTED(CONDITIONAL, 0x41),
	BRANCHES(BRANCH_CALL, BRANCH_CALL_INDIRECT, NEHALEM_UMASK_NEAR_CALL),
	EXECUTED(CALL, 0x50), EXECUTED(CALL_INDIRECT, 0x60),
	BRANCHES(BRANCH_RETURN, BRANCH_FAR, 0),
	EXECUTED(RETURN, 0x48), EXECUTED(JUMP_INDIRECT, 0x44), EXECUTED(JUMP, 0x42),
	BRANCHES(BRANCH_NOT_TAKEN, BRANCH_NOT_TAKEN, NEHALEM_UMASK_CONDITIONAL),
	EXECUTED(NOT_TAKEN, 0x01),

	// Table 18
	ROW_TO(MISPREDICTED_CONDITIONAL, MISPREDICTED_JUMP_INDIRECT, NEHALEM_EVENT_MISPREDICTED, 0),
	WRONG(CONDITIONAL, 0x41), WRONG(NOT_TAKEN, 0x01), WRONG(CALL_INDIRECT, 0x60),
	ROW(MISPREDICTED_CALL_INDIRECT, NEHALEM_EVENT_MISPREDICTED, 0x02), WRONG(RETURN, 0x48),
	WRONG(JUMP_INDIRECT, 0x44), ROW(MISSED_CALL_RETURN, 0xE5, 0x01),
	ROW(REDIRECTED, 0xE6, 0x01), ROW(REDIRECTED_CONDITIONAL, 0xA7, 0x01),

	// Interrupts and faults, as an X5570 counts them (see BARRIER below): instructions,
	// branches, loads, stores.
	INTERRUPTION(NEHALEM_EVENT_RETIRED, 0),
	INTERRUPTION(NEHALEM_EVENT_RETIRED, NEHALEM_UMASK_RETIRED),
	INTERRUPTION(NEHALEM_EVENT_BRANCHES, 0),
	INTERRUPTION(NEHALEM_EVENT_BRANCHES, NEHALEM_UMASK_ALL_BRANCHES),
	INTERRUPTION(0x0B, 0x01), INTERRUPTION(0x0B, 0x02),

	// Tables 20 and 1. With the unit clock each instruction enters the queue, because there is
	// no loop stream detector.
	UNTIMED(DECODED, 0xD0, 0x01), UNTIMED(DECODED, 0x17, 0x01), UNTIMED(FUSED, 0x17, 0x01),
	UNTIMED(FUSED, 0xA6, 0x01), ROW(FUSED, 0xC2, 0x04),
	{.cpu_event = CPU_EVENT_LENGTH_CHANGED, .clock = MODEL_UNIT_CLOCK,
	 .each = CYCLES_OF_SLOW_DECODER, .code = 0x87, .sub = 0x01},

	// Tables 3, 8 and 1; FP_MMX_TRANS by Intel's event list. Each instruction takes one cycle,
	// even a divide.
	EXACT(LOADS, 0x0B, 0x01), EXACT(STORES, 0x0B, 0x02),
	EXACT(MMX, NEHALEM_EVENT_RETIRED, 0x04),
	ROW(X87_BEHIND_MMX, 0xCC, 0x01), ROW(MMX_BEHIND_X87, 0xCC, 0x02),
	UNTIMED(DIVIDE, 0x14, 0x01),
	ROW(MULTIPLY, 0x14, 0x02),

	// SSEX_UOPS_RETIRED, FP_COMP_OPS_EXE; then SIMD_INT_128, SIMD_INT_64, FP_COMP_OPS_EXE.MMX:
	// Intel's event list. All executed instructions retire.
	RETIRED_AND_EXECUTED(SCALAR_SINGLE, 0x02, 0x64),
	RETIRED_AND_EXECUTED(PACKED_SINGLE, 0x01, 0x54),
	RETIRED_AND_EXECUTED(SCALAR_DOUBLE, 0x08, 0xA4),
	RETIRED_AND_EXECUTED(PACKED_DOUBLE, 0x04, 0x94),
	RETIRED_AND_EXECUTED(PACKED_INTEGER, 0x10, 0x08),
	ROW(MULTIPLY_128, 0x12, 0x01), ROW(SHIFT_128, 0x12, 0x02), ROW(PACK_128, 0x12, 0x04),
	ROW(UNPACK_128, 0x12, 0x08), ROW(LOGIC_128, 0x12, 0x10), ROW(ARITHMETIC_128, 0x12, 0x20),
	ROW_TO(MULTIPLY_64, SHUFFLE_64, 0x10, 0x02),
	ROW(MULTIPLY_64, 0xFD, 0x01), ROW(SHIFT_64, 0xFD, 0x02), ROW(PACK_64, 0xFD, 0x04),
	ROW(UNPACK_64, 0xFD, 0x08), ROW(LOGIC_64, 0xFD, 0x10), ROW(ARITHMETIC_64, 0xFD, 0x20),

	// An X5570 does not count FLD1, but counts FISTTP and each DIV and IDIV (see below).
	ROW(COMPUTATION, NEHALEM_EVENT_RETIRED, 0x02),

	// An X5570 counts these as stores and loads (V. Weaver, D. Terpstra, S. Moore,
	// "Non-Determinism and Overcount on Modern Hardware Performance Counter Implementations",
	// 2013). Table 3's sources add up to the loads, so a software prefetch needs a source: the
	// L1 data cache, as on later processors, "regardless of the data source" (Intel's event
	// list of Skylake, MEM_LOAD_RETIRED.L1_HIT).
	EXACT(BARRIER, 0x0B, 0x02), EXACT(PREFETCH, 0x0B, 0x01), LOAD(PREFETCH, 0x01),

	// Tables 16 and 19
	ROW(L1I_HIT, 0x80, 0x01), ROW(L1I_MISS, 0x80, 0x02), ROW(L1I_EVICTION, 0x81, 0x02),
	BY_STATE(L1D_LOAD, 0x40, 0x01, 0x02, 0x04, 0x08, 0),
	BY_STATE(L1D_LOAD, 0x43, 0, 0, 0, 0, 0x03),
	BY_STATE(L1D_STORE, 0x41, 0x01, 0x02, 0x04, 0x08, 0),
	BY_STATE(L1D_STORE, 0x43, 0, 0, 0, 0, 0x03),
	ROW(L1D_LOCK_S, 0x42, 0x03), ROW(L1D_LOCK_E, 0x42, 0x05), ROW(L1D_LOCK_M, 0x42, 0x09),
	BY_STATE(L1D_LOCK, 0x43, 0, 0, 0, 0, 0x03),
	ROW(LOAD_DEVICE, 0x43, 0x01), ROW(STORE_DEVICE, 0x43, 0x01),
	ROW(L1D_FILL, 0x51, 0x01), ROW(L1D_FILL_MODIFIED, 0x51, 0x02),
	ROW(L1D_EVICTION_MODIFIED, 0x51, 0x04), ROW(L1D_SNOOP_MODIFIED, 0x51, 0x08),
	ROW(SNOOP_S, 0xB8, 0x01), ROW(SNOOP_E, 0xB8, 0x02), ROW(SNOOP_M, 0xB8, 0x04),
	ROW(L1D_PREFETCH_REQUEST, 0x4E, 0x01), ROW(L1D_PREFETCH_MISS, 0x4E, 0x02),
	ROW(L1D_PREFETCH_TRIGGER, 0x4E, 0x04),
	// A line that the L1 data cache has modified is never in state S in the L2 cache.
	ROW(L1D_WRITEBACK_I, 0x28, 0x01), ROW(L1D_WRITEBACK_E, 0x28, 0x04),
	ROW(L1D_WRITEBACK_M, 0x28, 0x08),

	// Tables 11 and 14: L2_RQSTS, L2_DATA_RQSTS, L2_WRITE
	BY_STATE(L2_LOAD, 0x24, 0x02, 0x01, 0x01, 0x01, 0),
	BY_STATE(L2_LOAD, 0x26, 0x01, 0x02, 0x04, 0x08, 0),
	BY_STATE(L2_STORE, 0x24, 0x08, 0x04, 0x04, 0x04, 0),
	BY_STATE(L2_STORE, 0x26, 0x01, 0x02, 0x04, 0x08, 0),
	BY_STATE(L2_STORE, 0x27, 0x01, 0x02, 0x04, 0x08, 0),
	BY_STATE(L2_LOCK, 0x24, 0x08, 0x04, 0x04, 0x04, 0),
	BY_STATE(L2_LOCK, 0x26, 0x01, 0x02, 0x04, 0x08, 0),
	BY_STATE(L2_LOCK, 0x27, 0x10, 0x20, 0x40, 0x80, 0),
	BY_STATE(L2_FETCH, 0x24, 0x20, 0x10, 0x10, 0x10, 0),

	// The L2 cache's prefetcher: a read hits a shared line, a read for ownership misses it
	// (SDM).
	BY_STATE(L2_PREFETCH_LOAD, 0x24, 0x80, 0x40, 0x40, 0x40, 0),
	BY_STATE(L2_PREFETCH_LOAD, 0x26, 0x10, 0x20, 0x40, 0x80, 0),
	BY_STATE(L2_PREFETCH_STORE, 0x24, 0x80, 0x80, 0x40, 0x40, 0),
	BY_STATE(L2_PREFETCH_STORE, 0x26, 0x10, 0x20, 0x40, 0x80, 0),
	BY_STATE(L2_PREFETCH_FETCH, 0x24, 0x80, 0x40, 0x40, 0x40, 0),

	// Table 12: L2_LINES_IN, L2_LINES_OUT; table 13: L2_TRANSACTIONS, of which 80 is any
	ROW(L2_FILL_SHARED, 0xF1, 0x02), ROW(L2_FILL_EXCLUSIVE, 0xF1, 0x04),
	ROW(L2_EVICTION_CLEAN, 0xF2, 0x01), ROW(L2_EVICTION_MODIFIED, 0xF2, 0x02),
	ROW(L2_EVICTION_PREFETCH_CLEAN, 0xF2, 0x04), ROW(L2_EVICTION_PREFETCH_MODIFIED, 0xF2, 0x08),
	BY_STATE(L2_LOAD, 0xF0, 0, 0, 0, 0, 0x81), BY_STATE(L2_STORE, 0xF0, 0, 0, 0, 0, 0x82),
	BY_STATE(L2_LOCK, 0xF0, 0, 0, 0, 0, 0x82), BY_STATE(L2_FETCH, 0xF0, 0, 0, 0, 0, 0x84),
	ROW(L1D_WRITEBACK_I, 0xF0, 0x90), ROW(L1D_WRITEBACK_E, 0xF0, 0x90),
	ROW(L1D_WRITEBACK_M, 0xF0, 0x90),
	ROW(L2_FILL_SHARED, 0xF0, 0xA0), ROW(L2_FILL_EXCLUSIVE, 0xF0, 0xA0),
	ROW(L2_EVICTION_MODIFIED, 0xF0, 0xC0),
	ROW(L2_EVICTION_PREFETCH_MODIFIED, 0xF0, 0xC0),
	BY_STATE(L2_PREFETCH_LOAD, 0xF0, 0, 0, 0, 0, 0x88),
	BY_STATE(L2_PREFETCH_STORE, 0xF0, 0, 0, 0, 0, 0x88),
	BY_STATE(L2_PREFETCH_FETCH, 0xF0, 0, 0, 0, 0, 0x88),

	// The architectural events (SDM): unit mask 4F counts all references, 41 the misses,
	// including those of prefetchers (the guide, "L1D, L2 Cache Access and More Offcore
	// events"; the SDM says that it excludes them).
	ROW(L3_READ_HIT, 0x2E, 0x02), ROW(L3_READ_MISS, 0x2E, 0x41),
	BY_ANSWER(OFFCORE_LOAD, 0x01), BY_ANSWER(OFFCORE_STORE, 0x02),
	BY_ANSWER(OFFCORE_FETCH, 0x04),
	BY_ANSWER(OFFCORE_PREFETCH_LOAD, 0x10), BY_ANSWER(OFFCORE_PREFETCH_STORE, 0x20),
	BY_ANSWER(OFFCORE_PREFETCH_FETCH, 0x40),
	// A request that gets a line from another package's cache snoops its cores.
	OFFCORE(OFFCORE_LOAD_REMOTE_HIT, 0x01, 0x10), OFFCORE(OFFCORE_FETCH_REMOTE_HIT, 0x04, 0x10),
	OFFCORE(OFFCORE_PREFETCH_LOAD_REMOTE_HIT, 0x10, 0x10),
	OFFCORE(OFFCORE_PREFETCH_FETCH_REMOTE_HIT, 0x40, 0x10),
	OFFCORE(L3_WRITEBACK_HIT, 0x08, 0x01),

	// Devices: "Demand Data Rd" includes partial reads, "other" I/O and partial writes.
	// Non-temporal stores to this package's memory count as answered by another core, those to
	// another package's memory do not (the guide, "Errata").
	OFFCORE(LOAD_DEVICE, 0x01, 0x80), OFFCORE(STORE_DEVICE, 0x80, 0x80),
	OFFCORE(STREAM_FULL, 0x80, 0x02), OFFCORE(STREAM_PARTIAL, 0x80, 0x02),
	OFFCORE(STREAM_AWAY, 0x80, 0x20),
	ROW(LOAD_DEVICE, 0xB0, 0x20), ROW(STORE_DEVICE, 0xB0, 0x20),

	// Table 3
	LOAD(LOAD_L1D, 0x01), LOAD(LOAD_L2, 0x02), LOAD(LOAD_L3, 0x04), LOAD(LOAD_SHARED, 0x08),
	LOAD(LOAD_MODIFIED, 0x08), LOAD(LOAD_MEMORY, 0x10), LOAD(LOAD_MEMORY_SHARED, 0x10),
	LOAD(LOAD_REMOTE_CACHE, 0x10), LOAD(LOAD_REMOTE_MEMORY, 0x10),
	LOAD(LOAD_REMOTE_MEMORY_SHARED, 0x10), TIMED(LOAD_FILL, NEHALEM_EVENT_LOADS, 0x40),
	LOAD(LOAD_TLB_MISS, 0x80),
	ROW(LOAD_MODIFIED, NEHALEM_EVENT_UNCORE_LOADS, 0x02),
	ROW(LOAD_MEMORY, NEHALEM_EVENT_UNCORE_LOADS, 0x20),
	ROW(LOAD_MEMORY_SHARED, NEHALEM_EVENT_UNCORE_LOADS, 0x20),
	ROW(LOAD_REMOTE_CACHE, NEHALEM_EVENT_UNCORE_LOADS, 0x08),
	ROW(LOAD_REMOTE_MEMORY, NEHALEM_EVENT_UNCORE_LOADS, 0x10),
	ROW(LOAD_REMOTE_MEMORY_SHARED, NEHALEM_EVENT_UNCORE_LOADS, 0x10),
	ROW(LOAD_DEVICE, NEHALEM_EVENT_UNCORE_LOADS, 0x80),
	ROW(TLB_STORE_MISS, NEHALEM_EVENT_STORES, 0x01),
	ROW(LOAD_SLOW, NEHALEM_EVENT_LOAD_LATENCY, NEHALEM_UMASK_LOAD_LATENCY),		// Table 4
	ROW(TLB_FETCH_MISS, 0xC8, 0x20),

	// Table 15: DTLB_LOAD_MISSES, DTLB_MISSES, ITLB_MISSES. 80: walks for large pages, 02: all
	// walks.
	ROW(TLB_LOAD_MISS, 0x08, 0x01), ROW(TLB_LOAD_SECOND, 0x08, 0x10),
	ROW(TLB_LOAD_WALK, 0x08, 0x02), ROW(TLB_LOAD_WALK_LARGE, 0x08, 0x82),
	ROW(TLB_LOAD_MISS, 0x49, 0x01), ROW(TLB_LOAD_SECOND, 0x49, 0x10),
	ROW(TLB_LOAD_WALK, 0x49, 0x02), ROW(TLB_LOAD_WALK_LARGE, 0x49, 0x82),
	ROW(TLB_STORE_MISS, 0x49, 0x01), ROW(TLB_STORE_SECOND, 0x49, 0x10),
	ROW(TLB_STORE_WALK, 0x49, 0x02), ROW(TLB_STORE_WALK_LARGE, 0x49, 0x82),
	ROW(TLB_FETCH_MISS, 0x85, 0x01), ROW(TLB_FETCH_SECOND, 0x85, 0x10),
	ROW(TLB_FETCH_WALK, 0x85, 0x02), ROW(TLB_FETCH_WALK_LARGE, 0x85, 0x82),
	ROW(TLB_FETCH_LARGE_HIT, 0x82, 0x01), ROW(TLB_FETCH_FLUSH, 0xAE, 0x01),

	// Tables 16 and 1: events of each cycle of the timed clock.
	TIMED(FILL_PENDING, 0x48, 0x01), TIMED(FILL_FULL, 0x48, 0x02),
	TIMED(DIVIDER_BUSY, 0x14, 0x01),

	// Tables 1 and 20: the pipeline of the timed clock. Ports 2 to 4 count both threads.
	TIMED(UOP_ISSUED, 0x0E, 0x01), TIMED(UOP_ISSUED_FUSED, 0x0E, 0x02),
	TIMED(UOP_PORT_0, NEHALEM_EVENT_PORTS, 0x41), TIMED(UOP_PORT_1, NEHALEM_EVENT_PORTS, 0x42),
	TIMED(UOP_PORT_2, NEHALEM_EVENT_PORTS, 0x84), TIMED(UOP_PORT_3, NEHALEM_EVENT_PORTS, 0x88),
	TIMED(UOP_PORT_4, NEHALEM_EVENT_PORTS, 0x90), TIMED(UOP_PORT_5, NEHALEM_EVENT_PORTS, 0x60),
	TIMED(UOP_RETIRED, 0xC2, 0x01), TIMED(UOP_SLOT_RETIRED, 0xC2, 0x02),
	TIMED(LOADS_FULL, 0xA2, 0x03), TIMED(SCHEDULER_FULL, 0xA2, 0x05),
	TIMED(STORES_FULL, 0xA2, 0x09), TIMED(REORDER_FULL, 0xA2, 0x11),
	TIMED(REGISTER_READ_STALL, 0xD2, 0x04), TIMED(SERIALIZED, 0xD2, 0x08),
	TIMED(LOOP_UOP, 0xA8, 0x01), TIMED(LOAD_ALIAS, 0x07, 0x01),	// Tables 20, 17
	TIMED(PARTIAL_FLAGS_STALL, 0xD2, 0x01), TIMED(PARTIAL_STALL, 0xD2, 0x02),
	TIMED(CONTROL_WORD_STALL, 0xA2, 0x21), TIMED(MXCSR_STALL, 0xA2, 0x41),
	TIMED(CLEARING, 0xC3, 0x01),					// Table 21
	TIMED(LOAD_DISPATCHED, 0x13, 0x01), TIMED(LOAD_BLOCKED, 0x13, 0x04),	// the event list

	// Tables 16, 19, 20 and 21: fetch and decode. Uops of the sequencer enter the queue, too.
	TIMED(FRONT_WRITTEN, 0x17, 0x01), TIMED(FRONT_WRITES, 0x1E, 0x01),
	TIMED(FRONT_DECODED, 0xD0, 0x01), TIMED(FRONT_PAIRED, 0xA6, 0x01),
	TIMED(FRONT_FIRST, 0x18, 0x01), TIMED(FRONT_TWO, 0x19, 0x01),
	TIMED(FRONT_UOPS, 0xD1, 0x01), TIMED(FRONT_MICROCODED, 0xD1, 0x03),
	TIMED(FRONT_FOLDED, 0xD1, 0x04), TIMED(FRONT_SYNCED, 0xD1, 0x09),
	TIMED(FRONT_LCP, 0x87, 0x01), TIMED(FRONT_FULL, 0x87, 0x04), TIMED(FRONT_LATE, 0x80, 0x04),
	TIMED(FRONT_REPLAYS, 0x1F, 0x01), TIMED(FRONT_LONG, 0x20, 0x01),

	// MISALIGN_MEM_REF
	ROW(SPLIT_LOAD, 0x05, 0x01), ROW(SPLIT_STORE, 0x05, 0x02),

	// Table 16; the event list. A locked access across lines locks the bus.
	TIMED(LOCK_FILL, 0x53, 0x01), TIMED(LOAD_HIT_PREFETCH, 0x4C, 0x01),
	ROW(SPLIT_LOCK, 0xF4, 0x10), ROW(SELF_MODIFIED, 0xC3, 0x04),
	ROW(LOAD_AT_RETIREMENT, 0x06, 0x04),

	MODEL_RAISED_END,
};

// Table 5
const uint8_t nehalem_sources[] = {0x1, 0x3, 0x4, 0x5, 0x6, 0xC, 0xF, 0x2, 0x8, 0xD, 0xB, 0xA};
