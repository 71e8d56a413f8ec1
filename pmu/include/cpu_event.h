/* SPDX-License-Identifier: BSD-2-Clause */
/* Cpu events: everything in an emulated processor that a PMU could count. They are properties of
 * its instructions (hal/emu/qemu), and effects of memory references on caches and TLBs
 * (hal/emu/model). */
#ifndef CPU_EVENT_H
#define CPU_EVENT_H

#include <stdbool.h>

/* A retired branch, in the order of OCCURRENCE_KIND_* (model.h): unknown kind; taken conditional;
 * and so on; last, conditional, not taken. */
#define CPU_EVENTS_OF_BRANCHES(H)								\
	H(BRANCH) H(BRANCH_CONDITIONAL) H(BRANCH_CALL) H(BRANCH_CALL_INDIRECT) H(BRANCH_RETURN)	\
	H(BRANCH_JUMP_INDIRECT) H(BRANCH_JUMP) H(BRANCH_FAR) H(BRANCH_NOT_TAKEN)

/* The prediction of a near branch:
 *	MISPREDICTED_*		wrong direction of a conditional branch, taken or not taken; wrong
 *				target of an indirect call, a return, an indirect jump
 *	MISSED_CALL_RETURN	the branch target buffer lacks a call or return
 *	MISSED_TAKEN		it lacks a taken branch
 *	STALE_TARGET		it has another target
 *	REDIRECTED*		the decoder redirects the fetch; for a conditional branch */
#define CPU_EVENTS_OF_PREDICTIONS(H)								\
	H(MISPREDICTED_CONDITIONAL) H(MISPREDICTED_NOT_TAKEN) H(MISPREDICTED_CALL_INDIRECT)	\
	H(MISPREDICTED_RETURN) H(MISPREDICTED_JUMP_INDIRECT) H(MISSED_CALL_RETURN) H(MISSED_TAKEN) \
	H(STALE_TARGET) H(REDIRECTED) H(REDIRECTED_CONDITIONAL)

/* Other properties of a retired instruction. */
#define CPU_EVENTS_OF_INSTRUCTIONS(H)								\
	/* first instruction after an exception or interrupt */					\
	H(INTERRUPTED)										\
	/* second instruction of a pair that issues together; both refer to memory; both refer	\
	 * to one bank of the cache; its address uses a result of the instruction issued just	\
	 * before */										\
	H(PAIRED) H(PAIRED_REFERENCES) H(BANK_CONFLICT) H(INTERLOCKED)				\
	/* decoded alone, or as the second instruction of a fused pair */			\
	H(DECODED) H(FUSED)									\
	/* a prefix changes the length of the rest */						\
	H(LENGTH_CHANGED)									\
	/* loads; stores; repeated string instructions included */				\
	H(LOADS) H(STORES)									\
	/* x87; MMX; first instruction of one kind after the other kind */			\
	H(X87) H(MMX) H(X87_BEHIND_MMX) H(MMX_BEHIND_X87)					\
	/* divide or square root; multiply; of any numbers */					\
	H(DIVIDE) H(MULTIPLY)									\
	/* arithmetic in XMM registers of one micro-operation: on one or four floats, one or	\
	 * two doubles, integers */								\
	H(SCALAR_SINGLE) H(PACKED_SINGLE) H(SCALAR_DOUBLE) H(PACKED_DOUBLE) H(PACKED_INTEGER)	\
	/* integer operation of one micro-operation, in XMM and in MMX registers: multiply,	\
	 * shift, pack, unpack, logical, addition or comparison; in MMX registers also		\
	 * shuffle */										\
	H(MULTIPLY_128) H(SHIFT_128) H(PACK_128) H(UNPACK_128) H(LOGIC_128) H(ARITHMETIC_128)	\
	H(MULTIPLY_64) H(SHIFT_64) H(PACK_64) H(UNPACK_64) H(LOGIC_64) H(ARITHMETIC_64) H(	\
		SHUFFLE_64)	\
	/* x87 computation or conversion to an integer; integer divide */			\
	H(COMPUTATION)										\
	/* SPARC: reads a state register; writes one, or accesses a register in an address	\
	 * space; barrier or instruction flush (x86: SFENCE, MFENCE, CLFLUSH, CPUID); floating	\
	 * point, graphics, cryptography; others except branch, load, store and atomic */	\
	H(STATE_READ) H(REGISTER) H(BARRIER) H(FLOATING) H(PLAIN)				\
	/* SPARC: atomic; prefetch; block load or store; software count instruction */		\
	H(ATOMIC) H(PREFETCH) H(BLOCK) H(SOFTWARE_COUNT)

/* By the line's state in a cache before the reference: I (absent), S, E, M. The four are
 * consecutive. */
#define CPU_EVENTS_BY_STATE(H, name) H(name##_I) H(name##_S) H(name##_E) H(name##_M)

/* A request that misses the L2 cache, by the source of the answer: the L3 cache without snooping a
 * core; the L3 cache, for a line that another core has or had unmodified; for a line that another
 * core had modified; memory. */
#define CPU_EVENTS_BY_ANSWER(H, name) H(name##_L3) H(name##_SHARED) H(name##_MODIFIED) H( \
	name##_MEMORY)

/* A load, by the source of its data: L1D; L2; the L3 cache without snooping a core; the L3 cache,
 * for a line that another core has or had unmodified; for a line that another core had modified;
 * memory; a device; with the timed clock only, a fill buffer of a line in flight. */
#define CPU_EVENTS_BY_SOURCE(H, name)								\
	H(name##_L1D) H(name##_L2) H(name##_L3) H(name##_SHARED) H(name##_MODIFIED) H(	\
		name##_MEMORY)	\
	H(name##_DEVICE) H(name##_FILL)

/* By the cache level that has the line. The four are consecutive. */
#define CPU_EVENTS_BY_PLACE(H, name) H(name##_L1) H(name##_L2) H(name##_L3) H(name##_MEMORY)

#define CPU_EVENTS_OF_MEMORY(H)									\
	/* instruction fetches of a line; an instruction in the line fetched last; a line of	\
	 * the L1 instruction cache is replaced */						\
	H(L1I_HIT) H(L1I_MISS) H(L1I_AGAIN) H(L1I_EVICTION)					\
	/* references of the L1 data cache; those of a page walk do not count as loads */	\
	CPU_EVENTS_BY_STATE(H, L1D_WALK) CPU_EVENTS_BY_STATE(H, L1D_LOAD)			\
	CPU_EVENTS_BY_STATE(H, L1D_STORE) CPU_EVENTS_BY_STATE(H, L1D_LOCK)			\
	/* L1D lines filled; filled modified; evicted modified; modified lines taken by a	\
	 * snoop */										\
	H(L1D_FILL) H(L1D_FILL_MODIFIED) H(L1D_EVICTION_MODIFIED) H(L1D_SNOOP_MODIFIED)		\
	/* a snoop of the core, by the line's strongest state in its caches */			\
	CPU_EVENTS_BY_STATE(H, SNOOP)								\
	/* L1D writebacks, by the line's state in the L2 cache */				\
	CPU_EVENTS_BY_STATE(H, L1D_WRITEBACK)							\
	/* L1D prefetcher: triggers; requests to the L1D; requests that miss it */		\
	H(L1D_PREFETCH_TRIGGER) H(L1D_PREFETCH_REQUEST) H(L1D_PREFETCH_MISS)			\
	/* Knights Corner's VPREFETCH0 and VPREFETCH1: VPREFETCH0 in the L1 data cache;		\
	 * dropped ones; requests to the L2 cache; references to a line in flight for one */	\
	H(VPREFETCH0_HIT) H(VPREFETCH0_MISS) H(VPREFETCH0_DROPPED) H(VPREFETCH1_DROPPED)	\
	CPU_EVENTS_BY_STATE(H, L2_VPREFETCH0) CPU_EVENTS_BY_STATE(H, L2_VPREFETCH1)		\
	H(IN_FLIGHT_VPREFETCH0) H(IN_FLIGHT_VPREFETCH1)						\
	/* vector instructions of Knights Corner; their active elements; those that wait for a	\
	 * register; their references, and references that miss the L1 data cache */		\
	H(VECTOR) H(VECTOR_ELEMENT) H(VECTOR_WAITS)						\
	H(VECTOR_LOAD) H(VECTOR_LOAD_MISS) H(VECTOR_STORE) H(VECTOR_STORE_MISS)			\
	/* L2 requests: loads (prefetches into the L1D included), reads for ownership by	\
	 * stores and by locks, fetches; of the L2 prefetcher, after loads, stores and		\
	 * fetches */										\
	CPU_EVENTS_BY_STATE(H, L2_LOAD) CPU_EVENTS_BY_STATE(H,	\
						L2_STORE) CPU_EVENTS_BY_STATE(H, L2_LOCK)	\
	CPU_EVENTS_BY_STATE(H, L2_FETCH) CPU_EVENTS_BY_STATE(H, L2_PREFETCH_LOAD)		\
	CPU_EVENTS_BY_STATE(H, L2_PREFETCH_STORE) CPU_EVENTS_BY_STATE(H, L2_PREFETCH_FETCH)	\
	/* L2 lines filled on request, shared or exclusive; evicted, clean or modified, by	\
	 * other requests, by the L2 prefetcher */						\
	H(L2_FILL_SHARED) H(L2_FILL_EXCLUSIVE) H(L2_EVICTION_CLEAN) H(L2_EVICTION_MODIFIED)	\
	H(L2_EVICTION_PREFETCH_CLEAN) H(L2_EVICTION_PREFETCH_MODIFIED)				\
	/* requests that miss the L2 cache; requests of its prefetcher that miss it */		\
	CPU_EVENTS_BY_ANSWER(H, OFFCORE_LOAD) CPU_EVENTS_BY_ANSWER(H, OFFCORE_STORE)		\
	CPU_EVENTS_BY_ANSWER(H, OFFCORE_FETCH) CPU_EVENTS_BY_ANSWER(H, OFFCORE_PREFETCH_LOAD)	\
	CPU_EVENTS_BY_ANSWER(H, OFFCORE_PREFETCH_STORE) \
	CPU_EVENTS_BY_ANSWER(H, OFFCORE_PREFETCH_FETCH) \
	/* L3: reads, for ownership included; writebacks; lines filled; lines evicted, by	\
	 * state */										\
	H(L3_READ_HIT) H(L3_READ_MISS) H(L3_WRITEBACK_HIT) H(L3_WRITEBACK_MISS) H(L3_FILL)	\
	H(L3_EVICTION_EXCLUSIVE) H(L3_EVICTION_MODIFIED)					\
	/* lines of memory */									\
	H(MEMORY_READ) H(MEMORY_WRITE)								\
	/* non-temporal stores to memory: whole lines; parts of 8 bytes of other lines */	\
	H(STREAM_FULL) H(STREAM_PARTIAL)							\
	/* stores to devices */									\
	H(STORE_DEVICE)										\
	/* retired loads by the data's source; of two lines, the source of the later line */	\
	CPU_EVENTS_BY_SOURCE(H, LOAD)								\
	/* loads that miss the first-level data TLB; loads above the PMU's latency		\
	 * threshold */										\
	H(LOAD_TLB_MISS) H(LOAD_SLOW)								\
	/* translations by loads, by stores, by fetches: first-level misses; hits of the	\
	 * second level; page walks for pages of 4 KB, for larger pages */			\
	H(TLB_LOAD_MISS) H(TLB_LOAD_SECOND) H(TLB_LOAD_WALK) H(TLB_LOAD_WALK_LARGE)		\
	H(TLB_STORE_MISS) H(TLB_STORE_SECOND) H(TLB_STORE_WALK) H(TLB_STORE_WALK_LARGE)		\
	H(TLB_FETCH_MISS) H(TLB_FETCH_SECOND) H(TLB_FETCH_WALK) H(TLB_FETCH_WALK_LARGE)		\
	/* fetches from large pages that hit; flushes of the instruction TLB */			\
	H(TLB_FETCH_LARGE_HIT) H(TLB_FETCH_FLUSH)						\
	/* references that cross a line; of the stores: locked ones */				\
	H(SPLIT_LOAD) H(SPLIT_STORE) H(SPLIT_LOCK)						\
	/* loads that wait for all earlier stores: locked, of devices, across pages */		\
	H(LOAD_AT_RETIREMENT)									\
	/* locked references to a line in flight; loads from a line in flight for a prefetch	\
	 * instruction (both with the timed clock only) */					\
	H(LOCK_FILL) H(LOAD_HIT_PREFETCH)							\
	/* stores to a line that the core's L1 instruction cache holds */			\
	H(SELF_MODIFIED)									\
	/* a core with write-through L1 caches: fetches of a line; loads; stores; prefetch	\
	 * instructions into the L1D, into the L2 */						\
	CPU_EVENTS_BY_PLACE(H, FETCHED) CPU_EVENTS_BY_PLACE(H,	\
							    LOADED) CPU_EVENTS_BY_PLACE(H, STORED) \
	CPU_EVENTS_BY_PLACE(H, PREFETCHED) CPU_EVENTS_BY_PLACE(H, PREFETCHED_L2)		\
	/* and its L1 lines invalidated by evictions of the L2 cache */				\
	H(L1I_INVALIDATION) H(L1D_INVALIDATION)

/* With the timed clock only: a request enters a queue, and leaves the queue. */
#define CPU_EVENTS_BY_STAY(H, name) H(name##_ENTERS) H(name##_LEAVES)

#define CPU_EVENTS_OF_QUEUES(H)									\
	/* in each cycle of a core in which: lines are in flight to its L1D; all its fill	\
	 * buffers are in use; its divider is busy */						\
	H(FILL_PENDING) H(FILL_FULL) H(DIVIDER_BUSY)						\
	/* by an out-of-order pipeline (hal/emu/model/pipeline.h): micro-ops issued, fused ones	\
	 * as one; of these: fused ones; executed by each port */				\
	H(UOP_ISSUED) H(UOP_ISSUED_FUSED) H(UOP_PORT_0) H(UOP_PORT_1) H(UOP_PORT_2)		\
	H(UOP_PORT_3) H(UOP_PORT_4) H(UOP_PORT_5)						\
	/* in each cycle in which nothing issues because a buffer is full: reorder buffer,	\
	 * scheduler, load buffers, store buffers; because of retired registers; of a		\
	 * serializing instruction */								\
	H(REORDER_FULL) H(SCHEDULER_FULL) H(LOADS_FULL) H(STORES_FULL) H(REGISTER_READ_STALL)	\
	H(SERIALIZED)										\
	/* micro-ops that the loop stream detector delivers */					\
	H(LOOP_UOP)										\
	/* in each cycle in which a thread that executes in order could issue, and none does */	\
	H(FRONT_END_STALLED)									\
	/* loads executed without waiting for a store; that wait for one; that wait for one to	\
	 * the same place of another page */							\
	H(LOAD_DISPATCHED) H(LOAD_BLOCKED) H(LOAD_ALIAS)					\
	/* in each cycle in which nothing issues because of flags of several instructions; of	\
	 * parts of registers; of FLDCW; of LDMXCSR; in each cycle of a machine clear */	\
	H(PARTIAL_FLAGS_STALL) H(PARTIAL_STALL) H(CONTROL_WORD_STALL) H(MXCSR_STALL) H(CLEARING) \
	/* fetch and decode, in the order of enum pipeline_front_event */			\
	H(FRONT_WRITTEN) H(FRONT_WRITES) H(FRONT_DECODED) H(FRONT_PAIRED) H(FRONT_FIRST)	\
	H(FRONT_TWO) H(FRONT_UOPS) H(FRONT_MICROCODED) H(FRONT_FOLDED) H(FRONT_SYNCED)		\
	H(FRONT_LCP) H(FRONT_FULL) H(FRONT_LATE) H(FRONT_REPLAYS) H(FRONT_LONG)			\
	/* by retiring instructions: micro-ops, fused ones as one; as two */			\
	H(UOP_SLOT_RETIRED) H(UOP_RETIRED)							\
	/* in each cycle of that clock, if the machine has one package */			\
	H(ONE_PACKAGE)										\
	/* global queue: reads; their L3 look-up; if it misses, from the miss on; of that, the	\
	 * time until the home logic has the request; writes; writes that wait for a home	\
	 * logic */										\
	CPU_EVENTS_BY_STAY(H, GQ_READ) CPU_EVENTS_BY_STAY(H,	\
						GQ_RESPONSE) CPU_EVENTS_BY_STAY(H, GQ_MISS)	\
	CPU_EVENTS_BY_STAY(H, GQ_READ_TOKEN) CPU_EVENTS_BY_STAY(H, GQ_WRITE)			\
	CPU_EVENTS_BY_STAY(H, GQ_WRITE_TOKEN)							\
	/* home logic of its own package; memory controller: reads, writes of lines, of		\
	 * parts */										\
	CPU_EVENTS_BY_STAY(H, QHL_LOCAL_READ) CPU_EVENTS_BY_STAY(H, QHL_LOCAL_WRITE)		\
	CPU_EVENTS_BY_STAY(H, IMC_READ) CPU_EVENTS_BY_STAY(H, \
							   IMC_WRITE) CPU_EVENTS_BY_STAY(H, \
											IMC_PARTIAL)

/* A request that misses the L2 cache, answered by another package: by its L3 cache without snooping
 * a core; by its L3 cache after snooping cores, or with the line modified; by its memory. */
#define CPU_EVENTS_BY_REMOTE_ANSWER(H, name) H(name##_REMOTE_HIT) H(name##_REMOTE_HITM) H( \
	name##_REMOTE_MEMORY)

/* By the answer of a package's L3 cache to another package's probe: the line is absent; clean, and
 * the data stay; forwarded and shared; forwarded and invalidated; modified, and written back to
 * memory. */
#define CPU_EVENTS_BY_RESPONSE(H, name) H(name##_I) H(name##_S) H(name##_FORWARD_S) H( \
	name##_FORWARD_I) H(name##_WB)

/* Only with several packages. */
#define CPU_EVENTS_OF_PACKAGES(H)								\
	CPU_EVENTS_BY_REMOTE_ANSWER(H, OFFCORE_LOAD) CPU_EVENTS_BY_REMOTE_ANSWER(H, OFFCORE_STORE) \
	CPU_EVENTS_BY_REMOTE_ANSWER(H, OFFCORE_FETCH) \
	CPU_EVENTS_BY_REMOTE_ANSWER(H, OFFCORE_PREFETCH_LOAD) \
	CPU_EVENTS_BY_REMOTE_ANSWER(H, OFFCORE_PREFETCH_STORE)					\
	CPU_EVENTS_BY_REMOTE_ANSWER(H, OFFCORE_PREFETCH_FETCH)					\
	/* retired loads: from another package's cache, of this package's memory; from another	\
	 * package's memory, as the only copy, or not; from this package's memory, not as the	\
	 * only copy */										\
	H(LOAD_REMOTE_CACHE) H(LOAD_REMOTE_MEMORY) H(LOAD_REMOTE_MEMORY_SHARED) H(	\
		LOAD_MEMORY_SHARED)	\
	/* probes by other packages, of lines of this package's memory, of another's; the	\
	 * line's new state, shared or invalid, by its state before */				\
	H(PROBE_HIT) H(PROBE_MISS) CPU_EVENTS_BY_RESPONSE(H, PROBE_LOCAL)			\
	CPU_EVENTS_BY_RESPONSE(H, PROBE_REMOTE) H(PROBE_E_TO_S) H(PROBE_S_TO_S) H(PROBE_F_TO_S)	\
	H(PROBE_M_TO_I) H(PROBE_E_TO_I) H(PROBE_S_TO_I) H(PROBE_F_TO_I)				\
	/* L3 lines filled, and evicted, in states that need several packages */		\
	H(L3_FILL_MODIFIED) H(L3_FILL_FORWARD) H(L3_EVICTION_SHARED) H(L3_EVICTION_FORWARD)	\
	/* at the memory's package: reads of a line that a cache has, or for ownership only,	\
	 * by this package, by another; lines that another package reads, writes; its		\
	 * non-temporal stores, as in MEMORY_* */						\
	H(HOME_READ) H(HOME_READ_REMOTE) H(MEMORY_READ_REMOTE) H(MEMORY_WRITE_REMOTE)		\
	H(STREAM_FULL_REMOTE) H(STREAM_PARTIAL_REMOTE)						\
	/* non-temporal stores to another package's memory, of whole lines or parts */		\
	H(STREAM_AWAY)										\
	/* answers of this package's L3 cache, and of others', to the memory's package: the	\
	 * line is forwarded to a new owner; forwarded for a read; modified, and written back	\
	 * for a read */									\
	H(ANSWER_FORWARD_I) H(ANSWER_FORWARD_S) H(ANSWER_WB)					\
	H(ANSWER_REMOTE_FORWARD_I) H(ANSWER_REMOTE_FORWARD_S) H(ANSWER_REMOTE_WB)		\
	/* probes by other packages in the global queue; their requests at the home logic */	\
	CPU_EVENTS_BY_STAY(H, GQ_PEER) CPU_EVENTS_BY_STAY(H, QHL_REMOTE_READ)			\
	CPU_EVENTS_BY_STAY(H, QHL_REMOTE_WRITE)

#define CPU_EVENTS(H)										\
	CPU_EVENTS_OF_BRANCHES(H) CPU_EVENTS_OF_PREDICTIONS(H) CPU_EVENTS_OF_INSTRUCTIONS(H)	\
	CPU_EVENTS_OF_MEMORY(H) CPU_EVENTS_OF_QUEUES(H) CPU_EVENTS_OF_PACKAGES(H)

#define CPU_EVENT_ENUM(name) CPU_EVENT_##name,
enum cpu_event { CPU_EVENTS(CPU_EVENT_ENUM) CPU_EVENT_COUNT };

/* Numbers of the first cpu events: branches; branches and predictions; all properties of
 * instructions. Sets of these have 64 bits. */
#define CPU_EVENT_BRANCHES	(CPU_EVENT_BRANCH_NOT_TAKEN + 1)
#define CPU_EVENT_PREDICTIONS	(CPU_EVENT_REDIRECTED_CONDITIONAL + 1)
#define CPU_EVENT_INSTRUCTIONS	(CPU_EVENT_SOFTWARE_COUNT + 1)
#define CPU_EVENT_SET(name)	(1ULL << CPU_EVENT_##name)
/* a set */
#define CPU_EVENTS_PREDICTED	((1ULL << CPU_EVENT_PREDICTIONS) - (1ULL << CPU_EVENT_BRANCHES))

_Static_assert(CPU_EVENT_INSTRUCTIONS <= 64, "a set has 64 bits");

/* Whether a retiring load raises this cpu event. */
static inline bool cpu_event_is_of_loads(unsigned what)
{
	return (what >= CPU_EVENT_LOAD_L1D && what <= CPU_EVENT_LOAD_SLOW) ||
	       (what >= CPU_EVENT_LOAD_REMOTE_CACHE && what <= CPU_EVENT_LOAD_MEMORY_SHARED);
}

/* Whether a pipeline raises this cpu event in cycles that it knows later than the instructions'
 * retirement. */
static inline bool cpu_event_is_late(unsigned what)
{
	return what >= CPU_EVENT_FILL_PENDING && what <= CPU_EVENT_FRONT_LONG;
}

/* Whether fetch and decode of a pipeline raise this cpu event. */
static inline bool cpu_event_is_of_front(unsigned what)
{
	return what >= CPU_EVENT_FRONT_WRITTEN && what <= CPU_EVENT_FRONT_LONG;
}

/* Whether this cpu event needs several packages. */
static inline bool cpu_event_is_of_packages(unsigned what)
{
	return what >= CPU_EVENT_OFFCORE_LOAD_REMOTE_HIT && what < CPU_EVENT_COUNT;
}

#endif
