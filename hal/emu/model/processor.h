/* SPDX-License-Identifier: BSD-2-Clause */
/* A processor as described by a `.machine` file: sizes of its parts, and latencies. README.md has
 * the format. */
#ifndef MODEL_PROCESSOR_H
#define MODEL_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "caches.h"

/* The names in a file. A file lists only parts that its processor has. */
#define PROCESSOR_CACHES(N) N(L1I) N(L1D) N(L2) N(L3)
#define PROCESSOR_TLBS(N) N(ITLB) N(DTLB) N(STLB)	/* STLB: second level of the other two */
#define PROCESSOR_LATENCIES(N)									\
	/* cycles from load to use, by source; L3_SHARED, L3_MODIFIED: in another core's cache */ \
	N(L1D) N(L2) N(L2_FLOAT) N(L3) N(L3_FLOAT) N(L3_SHARED) N(L3_MODIFIED) N(MEMORY)	\
	/* of other packages' caches and memory */						\
	N(REMOTE_CACHE) N(REMOTE_MEMORY)							\
	/* added by the second TLB; each reference of a page walk takes a load's latency */	\
	N(STLB)											\
	/* from an operation to the use of its result; out of order: BYPASS, TO_FLOAT and	\
	 * FROM_FLOAT are added between units (pipeline.h) */					\
	N(INTEGER) N(MULTIMEDIA) N(FLOAT) N(INTEGER_MULTIPLY) N(TO_FLOAT) N(FROM_FLOAT) N(	\
		FROM_APPLICATION)	\
	/* from an operation to the use of its result in an address, at least */		\
	N(ADDRESS)										\
	/* from a multimedia operation to the first use elsewhere that flushes nothing; and to	\
	 * an earlier use, after the flush */							\
	N(BYPASS) N(BYPASS_FLUSH)								\
	/* cycles lost */									\
	N(FLUSH) N(BUBBLE_2) N(BUBBLE_3)							\
	/* a mispredicted branch; a length-changing prefix; fetch after a taken branch, after	\
	 * one that only the decoder finds; each iteration of a loop from the loop stream	\
	 * detector; a read of flags of several instructions; of a register after a part of	\
	 * it */										\
	N(MISPREDICTED) N(LCP) N(TAKEN) N(REDIRECTED) N(LOOP) N(PARTIAL_FLAGS) N(PARTIAL)	\
	/* from a store's data to the use of a load's result from the store buffer; if the	\
	 * store does not contain all of the load */						\
	N(FORWARD) N(FORWARD_FAILED)
/* Instructions per cycle: Itanium's by kind of unit, and bundles; ISSUE, RETIRE: of any kind;
 * LENGTHS: from the length decoder */
#define PROCESSOR_WIDTHS(N) N(M) N(I) N(F) N(B) N(BUNDLES) N(ISSUE) N(RETIRE) N(LENGTHS)
#define PROCESSOR_PREFETCHERS(N) N(L1D_NEXT) N(L1D_STRIDE) N(L2_STREAM)
/* Numbers of entries.
 * A core has line fill buffers (FILL), which also combine non-temporal stores. Before issue it has
 * queues of INSTRUCTIONS and UOPS; then a REORDER buffer, a SCHEDULER, and buffers of LOADS and
 * STORES (pipeline.h).
 * A package has the global queue's trackers (GQ_*), the home logic's entries for its own requests
 * (QHL_LOCAL with other packages, else QHL_ALONE) and for requests of other packages (QHL_REMOTE),
 * and the memory controller's queues of each channel (IMC_*).
 * Itanium has a bus request queue (BRQ), and the bus has an in-order queue (IOQ). */
#define PROCESSOR_QUEUES(N) \
	N(FILL) N(INSTRUCTIONS) N(UOPS) N(REORDER) N(SCHEDULER) N(LOADS) N(STORES)		\
	N(GQ_READ) N(GQ_WRITE) N(GQ_PEER) N(QHL_LOCAL) N(QHL_ALONE) N(QHL_REMOTE) \
	N(IMC_READ) N(IMC_WRITE) N(BRQ) N(IOQ)
#define PROCESSOR_PREDICTORS(N) N(TARGETS) N(INDIRECT) N(PATTERNS) N(RETURNS)
#define PROCESSOR_PAGES(N) N(4K, 12) N(64K, 16) N(2M, 21) N(1G, 30)

#define PROCESSOR_ENUM_CACHE(name) CACHE_##name,
#define PROCESSOR_ENUM_TLB(name) TLB_##name,
#define PROCESSOR_ENUM_LATENCY(name) LATENCY_##name,
#define PROCESSOR_ENUM_WIDTH(name) WIDTH_##name,
#define PROCESSOR_ENUM_PREFETCHER(name) PREFETCHER_##name,
#define PROCESSOR_ENUM_QUEUE(name) QUEUE_##name,
#define PROCESSOR_ENUM_PREDICTOR(name) PREDICTOR_##name,
#define PROCESSOR_ENUM_PAGE(name, shift) PAGE_##name,
enum processor_cache { PROCESSOR_CACHES(PROCESSOR_ENUM_CACHE) CACHES };
enum processor_tlb { PROCESSOR_TLBS(PROCESSOR_ENUM_TLB) TLBS };
enum processor_latency { PROCESSOR_LATENCIES(PROCESSOR_ENUM_LATENCY) LATENCIES };
enum processor_width { PROCESSOR_WIDTHS(PROCESSOR_ENUM_WIDTH) WIDTHS };
enum processor_prefetcher { PROCESSOR_PREFETCHERS(PROCESSOR_ENUM_PREFETCHER) PREFETCHERS };
enum processor_queue { PROCESSOR_QUEUES(PROCESSOR_ENUM_QUEUE) QUEUES };
enum processor_predictors { PROCESSOR_PREDICTORS(PROCESSOR_ENUM_PREDICTOR) PREDICTORS };
enum processor_page { PROCESSOR_PAGES(PROCESSOR_ENUM_PAGE) PAGES };

#define PROCESSOR_UOPS		1024	/* rows of instructions */
#define PROCESSOR_UOPS_EACH	16	/* micro-ops of an instruction */

/* The sizes of a core's prefetchers (prefetch.h). A prefetcher whose sizes are 0 does not exist. */
struct processor_prefetchers {
	unsigned next_lines;				/* L1D_NEXT: remembered lines */
	unsigned stride_entries, stride_distance;	/* L1D_STRIDE: histories; longest stride,
							 * in bytes */
	unsigned forward, backward;			/* L2_STREAM: streams by direction */
	unsigned ahead, each;				/* L2_STREAM: largest distance, in lines;
							 * lines per request */
	bool paired;					/* L2_STREAM: also completes pairs of
							 * lines */
};

/* The sizes of a core's branch predictor (predictor.h). */
struct processor_predictor {
	struct cache_geometry targets, indirect;	/* tables of branches; 1 branch per line */
	unsigned patterns;			/* counters, selected by outcomes and address; 0:
						 * one counter per target */
	unsigned history, indirect_history;	/* number of previous outcomes used */
	unsigned returns;			/* entries of the return stack; 0: returns are
						 * predicted like indirect jumps */
	bool decoder;				/* the decoder finds branches that `targets`
						 * lacks */
};

/* The micro-ops of an instruction, without those of its explicit memory operands (pipeline.h). */
struct processor_uops {
	char name[16];			/* mnemonic */
	char form;			/* operands: r registers, m memory that is read, d memory
					 * that is written, s those of a string instruction */
	char operands;			/* their number, '2' or '3'; 'i': one is immediate; '1':
					 * that is 1; 0: any */
	uint8_t width;			/* bits of the first operand; 0: any */
	bool unfused, merge;		/* the load does not fuse with the computation; the result
					 * also depends on its register's old value */
	uint8_t count;
	uint8_t ports[PROCESSOR_UOPS_EACH];	/* by micro-op: set of ports; 0: it needs none */
	uint8_t latency;		/* cycles from the operands to the result */
	uint8_t high;			/* to the upper half of a product, in DX; 0: as `latency` */
	uint8_t busy;			/* cycles for which it occupies the divider; 0: none */
	uint8_t every;			/* cycles until the next instruction issues, at least */
};
#define PROCESSOR_LOAD	2		/* ports of the micro-ops of memory references */
#define PROCESSOR_STORE_ADDRESS 3
#define PROCESSOR_STORE_DATA 4

/* Upper limits of the sizes in a file. */
#define PROCESSOR_NEXT_LINES	16
#define PROCESSOR_STRIDES	256
#define PROCESSOR_DISTANCE	4096
#define PROCESSOR_STREAMS	32	/* per direction */
#define PROCESSOR_AHEAD		64
#define PROCESSOR_EACH		8
#define PROCESSOR_QUEUE		64
#define PROCESSOR_REORDER	256
#define PROCESSOR_WIDTH		8	/* instructions, bundles */
#define PROCESSOR_LATENCY	65535	/* cycles */
#define PROCESSOR_TARGETS	8192
#define PROCESSOR_PATTERNS	65536
#define PROCESSOR_HISTORY	32
#define PROCESSOR_INDIRECT_HISTORY 16
#define PROCESSOR_RETURNS	64

struct processor {
	struct cache_geometry cache[CACHES];
	bool inclusive[CACHES];			/* the cache holds every line of the caches
						 * closer to the core */
	struct cache_geometry tlb[TLBS][PAGES];	/* a line is a page */
	unsigned latency[LATENCIES];		/* cycles; 0: unknown */
	unsigned width[WIDTHS];
	struct processor_prefetchers prefetchers;
	unsigned queue[QUEUES];			/* entries */
	struct processor_predictor predictor;
	unsigned uops_count;
	struct processor_uops uops[PROCESSOR_UOPS];	/* in the order of the file */
};

/* An error in a file. */
struct processor_error {
	unsigned line;		/* from 1; 0: the file as a whole */
	char text[120];
};

/* Parses the text of a `.machine` file, which may be arbitrary bytes. Returns false and fills
 * *error on failure. */
bool processor_read(struct processor *p, const char *text, size_t size,
		    struct processor_error *error);

/* The entries that an emulated machine needs: bit n is the n-th name of the enum. */
struct processor_needs {
	uint64_t latencies;
	uint32_t caches, widths, queues;
};

/* Returns false, and names the entry in *error, if a needed one is missing. */
bool processor_has(const struct processor *p, const struct processor_needs *needs,
		   struct processor_error *error);

/* The files of this folder, by name without the suffix; the last entry has a NULL name. */
struct processor_text {
	const char *name, *text, *end;
};
extern const struct processor_text processor_texts[];

/* Loads a file by its name in this folder, or by its path if `name` contains a '/'. Returns false
 * after printing the reason on standard error. */
bool processor_load(struct processor *p, const char *name, const struct processor_needs *needs);

#endif
