// SPDX-License-Identifier: BSD-2-Clause
// Which events what happens in an emulated package's caches raises (happening.h): requests, of which each is one. A
// package has no queues there, and no other package.

#include "state.h"

#define ROW(happened, event, bits)	{.happening = HAPPENING_##happened, .code = event, .sub = bits}

// The guide does not say how lines are spread over the three channels: here one after the other.
#define BY_CHANNEL(happened, event, first)	\
	{.happening = HAPPENING_##happened, .code = event, .sub = first, .channel = 1},		\
	{.happening = HAPPENING_##happened, .code = event, .sub = 2 * (first), .channel = 2},	\
	{.happening = HAPPENING_##happened, .code = event, .sub = 4 * (first), .channel = 3}

const struct model_raised nehalem_uncore_raised[] = {
	// Table 29; table 30: lines come exclusive
	ROW(L3_READ_HIT, 0x08, 0x01), ROW(L3_WRITEBACK_HIT, 0x08, 0x02),
	ROW(L3_READ_MISS, 0x09, 0x01),		// writes never miss: it is inclusive (SDM volume 3B)
	ROW(L3_FILL, 0x0A, 0x02), ROW(L3_EVICTION_MODIFIED, 0x0B, 0x01), ROW(L3_EVICTION_EXCLUSIVE, 0x0B, 0x02),

	// Table 22: the read tracker asks the L3 cache, and gets a transaction identifier for what that has not; the
	// write tracker
	ROW(L3_READ_HIT, 0x03, 0x05), ROW(L3_READ_MISS, 0x03, 0x0F),
	ROW(L3_WRITEBACK_HIT, 0x03, 0x20),

	// What is not cached goes through the trackers, too ("Uncore Memory Subsystem"). A non-temporal store is a
	// write to memory, which has asked to make the line its own: that is a read to the home logic (table 39).
	ROW(LOAD_DEVICE, 0x03, 0x01), ROW(STORE_DEVICE, 0x03, 0x20),
	ROW(STREAM_FULL, 0x03, 0x30), ROW(STREAM_PARTIAL, 0x03, 0x30),
	ROW(STREAM_FULL, 0x20, 0x10), ROW(STREAM_PARTIAL, 0x20, 0x10),

	// Tables 31 and 32
	ROW(MEMORY_READ, 0x20, 0x10), ROW(MEMORY_WRITE, 0x20, 0x20),
	BY_CHANNEL(MEMORY_READ, 0x2C, 0x01), BY_CHANNEL(MEMORY_WRITE, 0x2F, 0x01),
	BY_CHANNEL(STREAM_FULL, 0x2F, 0x01), BY_CHANNEL(STREAM_PARTIAL, 0x2F, 0x08),

	MODEL_RAISED_END,
};
