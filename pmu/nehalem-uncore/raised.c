// SPDX-License-Identifier: BSD-2-Clause
// PMU events that an emulated package's caches, queues and links to other packages raise
// (cpu_event.h). Each request is one event.

#include "state.h"

#define ROW(happened, event, bits)	{.cpu_event = CPU_EVENT_##happened, .code = event, \
					 .sub = bits}

// With the unit clock a request enters a queue and leaves it in the same cycle.
#define UNIT(happened, event, bit, number) \
	{.cpu_event = CPU_EVENT_##happened, .clock = MODEL_UNIT_CLOCK, .code = event, .sub = bit, \
	 .channel = number}
#define OF_CHANNEL(happened, event, bit, number) \
	UNIT(happened, event, bit, number), UNIT(happened, (event) | UNCORE_SIGNAL_OUT, bit, number)
#define ENTRY(happened, event, bits) OF_CHANNEL(happened, event, bits, 0)

// The guide does not say how lines are spread over the three channels; here consecutive lines are
// in consecutive channels.
#define BY_CHANNEL(happened, event, first)							\
	OF_CHANNEL(happened, event, first, 1), OF_CHANNEL(happened, event, 2 * (first), 2),	\
	OF_CHANNEL(happened, event, 4 * (first), 3)

// With the timed clock a request stays in the queue. queues.c then derives occupancies, and cycles
// in which a queue is full or not empty. These rows only declare that such events occur; the model
// ignores them.
#define TIMED(happened, event, bit, number) \
	{.cpu_event = CPU_EVENT_##happened, .clock = MODEL_TIMED_CLOCK, .code = event, .sub = bit, \
	 .channel = number}
#define HELD(queue, event, bit)		TIMED(queue##_ENTERS, event, bit, 0)
#define STAY_IN(queue, event, bit, number)	\
	TIMED(queue##_ENTERS, event, bit, number), \
		TIMED(queue##_LEAVES, (event) | UNCORE_SIGNAL_OUT, bit, number)
#define STAY(queue, event, bit)		STAY_IN(queue, event, bit, 0)
#define STAY_IN_CHANNELS(queue, event, first)							\
	STAY_IN(queue, event, first, 1), STAY_IN(queue, event, 2 * (first), 2), \
		STAY_IN(queue, event, 4 * (first), 3)
#define HELD_IN_CHANNELS(queue, event, first) \
	HELD(queue, event, first), HELD(queue, event, 2 * (first)), HELD(queue, event, 4 * (first))
#define TRACKER(queue, bit, number)								\
	STAY(queue, UNCORE_EVENT_GQ_ALLOC, bit), HELD(queue, UNCORE_EVENT_GQ_OCCUPANCY, bit),	\
	HELD(queue, UNCORE_EVENT_GQ_FULL, 1 << (number)), \
	HELD(queue, UNCORE_EVENT_GQ_BUSY, 1 << (number))
#define STAGE(queue, bit) \
	STAY(queue, UNCORE_EVENT_GQ_ALLOC, bit), HELD(queue, UNCORE_EVENT_GQ_OCCUPANCY, bit)
#define HOME(queue, bit, by)									\
	STAY(queue, UNCORE_EVENT_QHL_REQUESTS, bit),						\
	HELD(queue, UNCORE_EVENT_QHL_FULL, by), HELD(queue, UNCORE_EVENT_QHL_NOT_EMPTY, by)

// Table 36: a line is one column, a burst of eight times eight bytes. Each channel has two bits;
// the second counts also commands that close the page, which do not occur here.
#define BY_COLUMN(happened, event)	\
	{.cpu_event = CPU_EVENT_##happened, .code = event, .sub = 0x01, .channel = 1},	\
	{.cpu_event = CPU_EVENT_##happened, .code = event, .sub = 0x04, .channel = 2},	\
	{.cpu_event = CPU_EVENT_##happened, .code = event, .sub = 0x10, .channel = 3}

// Table 28: a snoop makes a line shared or invalid. `state`: the bit in GQ_SNOOP_MESF of the line's
// previous state.
#define BECOMES(happened, any, by_state, state)	\
	ROW(happened, UNCORE_EVENT_GQ_SNOOP, any),	\
	{.cpu_event = CPU_EVENT_##happened, .code = UNCORE_EVENT_GQ_SNOOP, .sub = by_state, \
	 .request = state}

// Tables 26 and 27
#define ANSWERS(home, event)								\
	ROW(PROBE_##home##_I, event, 0x01), ROW(PROBE_##home##_S, event, 0x02),	\
	ROW(PROBE_##home##_FORWARD_S, event, 0x04), ROW(PROBE_##home##_FORWARD_I, event, 0x08),	\
	ROW(PROBE_##home##_WB, event, 0x20)

// Table 38: answers of this package, or of another one (`who`).
#define OPCODE(happened, who, code_of_answer) \
	{.cpu_event = CPU_EVENT_##happened, .code = UNCORE_EVENT_MATCH, .sub = who, \
	 .opcode = code_of_answer}

const struct model_raised nehalem_uncore_raised[] = {
	// Tables 29 and 30
	ROW(L3_READ_HIT, 0x08, 0x01), ROW(L3_WRITEBACK_HIT, 0x08, 0x02),
	ROW(L3_READ_MISS, 0x09, 0x01),		// inclusive: writes never miss (SDM volume 3B)
	ROW(L3_FILL, 0x0A, 0x02), ROW(L3_EVICTION_MODIFIED, 0x0B, 0x01),
	ROW(L3_EVICTION_EXCLUSIVE, 0x0B, 0x02),
	ROW(PROBE_HIT, 0x08, 0x04), ROW(PROBE_MISS, 0x09, 0x04),
	ROW(L3_FILL_MODIFIED, 0x0A, 0x01), ROW(L3_FILL_FORWARD, 0x0A, 0x08),
	ROW(L3_EVICTION_SHARED, 0x0B, 0x04), ROW(L3_EVICTION_FORWARD, 0x0B, 0x10),

	// Table 22: the read tracker asks the L3 cache, and on a miss gets a transaction
	// identifier; the write tracker.
	ENTRY(L3_READ_HIT, 0x03, 0x05), ENTRY(L3_READ_MISS, 0x03, 0x0F),
	ENTRY(L3_WRITEBACK_HIT, 0x03, 0x20),

	// The peer probe tracker
	ENTRY(PROBE_HIT, 0x03, 0x40), ENTRY(PROBE_MISS, 0x03, 0x40),

	// Uncached requests use the trackers, too ("Uncore Memory Subsystem"). A non-temporal store
	// is a write to memory that has first requested ownership of the line: a read to the home
	// logic (Table 39).
	ENTRY(LOAD_DEVICE, 0x03, 0x01), ENTRY(STORE_DEVICE, 0x03, 0x20),
	ENTRY(STREAM_FULL, 0x03, 0x30), ENTRY(STREAM_PARTIAL, 0x03, 0x30),
	ENTRY(STREAM_AWAY, 0x03, 0x30),
	ENTRY(STREAM_FULL, 0x20, 0x10), ENTRY(STREAM_PARTIAL, 0x20, 0x10),
	ENTRY(STREAM_FULL_REMOTE, 0x20, 0x0C), ENTRY(STREAM_PARTIAL_REMOTE, 0x20, 0x0C),

	ANSWERS(LOCAL, 0x06), ANSWERS(REMOTE, 0x07),
	BECOMES(PROBE_E_TO_S, 0x01, 0x04, 0x02), BECOMES(PROBE_S_TO_S, 0x01, 0x04, 0x04),
	BECOMES(PROBE_F_TO_S, 0x01, 0x04, 0x08), BECOMES(PROBE_M_TO_I, 0x02, 0x08, 0x10),
	BECOMES(PROBE_E_TO_I, 0x02, 0x08, 0x20), BECOMES(PROBE_S_TO_I, 0x02, 0x08, 0x40),
	BECOMES(PROBE_F_TO_I, 0x02, 0x08, 0x80),
	OPCODE(ANSWER_FORWARD_I, 0x04, 0x19), OPCODE(ANSWER_FORWARD_S, 0x04, 0x1A),
	OPCODE(ANSWER_WB, 0x04, 0x1D),
	OPCODE(ANSWER_REMOTE_FORWARD_I, 0x02, 0x19), OPCODE(ANSWER_REMOTE_FORWARD_S, 0x02, 0x1A),
	OPCODE(ANSWER_REMOTE_WB, 0x02, 0x1D),

	// Tables 31 and 32
	ENTRY(MEMORY_READ, 0x20, 0x10), ENTRY(MEMORY_WRITE, 0x20, 0x20),
	BY_CHANNEL(MEMORY_READ, 0x2C, 0x01), BY_CHANNEL(MEMORY_WRITE, 0x2F, 0x01),
	BY_CHANNEL(STREAM_FULL, 0x2F, 0x01), BY_CHANNEL(STREAM_PARTIAL, 0x2F, 0x08),
	ENTRY(HOME_READ, 0x20, 0x10), ENTRY(HOME_READ_REMOTE, 0x20, 0x04),
	ENTRY(MEMORY_READ_REMOTE, 0x20, 0x04), ENTRY(MEMORY_WRITE_REMOTE, 0x20, 0x08),
	BY_CHANNEL(MEMORY_READ_REMOTE, 0x2C, 0x01), BY_CHANNEL(MEMORY_WRITE_REMOTE, 0x2F, 0x01),
	BY_CHANNEL(STREAM_FULL_REMOTE, 0x2F, 0x01), BY_CHANNEL(STREAM_PARTIAL_REMOTE, 0x2F, 0x08),

	BY_COLUMN(MEMORY_READ, 0x63), BY_COLUMN(MEMORY_READ_REMOTE, 0x63),
	BY_COLUMN(MEMORY_WRITE, 0x64), BY_COLUMN(MEMORY_WRITE_REMOTE, 0x64),
	BY_COLUMN(STREAM_FULL, 0x64), BY_COLUMN(STREAM_FULL_REMOTE, 0x64),
	BY_COLUMN(STREAM_PARTIAL, 0x64), BY_COLUMN(STREAM_PARTIAL_REMOTE, 0x64),

	{.cpu_event = CPU_EVENT_ONE_PACKAGE, .clock = MODEL_TIMED_CLOCK,
	 .code = UNCORE_SIGNAL_SINGLE},
	TRACKER(GQ_READ, 0x01, 0), STAGE(GQ_MISS, 0x02), STAGE(GQ_RESPONSE, 0x04),
	STAGE(GQ_READ_TOKEN, 0x08),
	STAGE(GQ_WRITE_TOKEN, 0x10), TRACKER(GQ_WRITE, 0x20, 1), TRACKER(GQ_PEER, 0x40, 2),
	HOME(QHL_REMOTE_READ, 0x04, 0x02), HELD(QHL_REMOTE_READ, UNCORE_EVENT_QHL_OCCUPANCY, 0x02),
	HOME(QHL_REMOTE_WRITE, 0x08, 0x02), HOME(QHL_LOCAL_READ, 0x10, 0x04),
	HELD(QHL_LOCAL_READ, UNCORE_EVENT_QHL_OCCUPANCY, 0x04), HOME(QHL_LOCAL_WRITE, 0x20, 0x04),
	STAY_IN_CHANNELS(IMC_READ, UNCORE_EVENT_IMC_READS, 0x01),
	HELD_IN_CHANNELS(IMC_READ, UNCORE_EVENT_IMC_OCCUPANCY, 0x01),
	HELD_IN_CHANNELS(IMC_READ, UNCORE_EVENT_IMC_BUSY, 0x01),
	STAY_IN_CHANNELS(IMC_WRITE, UNCORE_EVENT_IMC_WRITES, 0x01),
	STAY_IN_CHANNELS(IMC_PARTIAL, UNCORE_EVENT_IMC_WRITES, 0x08),
	HELD_IN_CHANNELS(IMC_WRITE, UNCORE_EVENT_IMC_BUSY, 0x08),
	HELD_IN_CHANNELS(IMC_WRITE, UNCORE_EVENT_IMC_ISOC_FULL, 0x08),

	MODEL_RAISED_END,
};
