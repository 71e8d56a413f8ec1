// SPDX-License-Identifier: BSD-2-Clause
// `.machine` files: an accepted file can be emulated; for a refused one, a line and a text are
// returned.

#include "fuzz.h"

#include <string.h>

#include "../../hal/emu/model/processor.h"

const char fuzz_name[] = "the reader of .machine files";
const unsigned fuzz_inputs = 100000;
const struct fuzz_word fuzz_words[] = {
	FUZZ_WORD("cache L1I bytes=32K ways=4 line=64 | a\ncache L1D bytes=32K ways=8 line=64 "
		  "policy=plru | b\n"),
	FUZZ_WORD("cache L2 bytes=96K ways=6 line=64 inclusive | c\n"),
	FUZZ_WORD("cache L3 bytes="), FUZZ_WORD(" ways="),
	FUZZ_WORD(" line="), FUZZ_WORD(" policy=mru"), FUZZ_WORD(" policy=plru"),
	FUZZ_WORD(" | source\n"),
	FUZZ_WORD("tlb DTLB page=4K entries=64 ways=4"), FUZZ_WORD("tlb STLB page=1G entries="),
	FUZZ_WORD("512"),
	FUZZ_WORD("prefetcher L1D_NEXT lines=4 | x\n"),
	FUZZ_WORD("prefetcher L1D_STRIDE entries=256 distance=2K"),
	FUZZ_WORD("prefetcher L2_STREAM forward=16 backward=4 ahead=8 each=2"),
	FUZZ_WORD(" paired"), FUZZ_WORD("queue FILL 10 | x\n"),
	FUZZ_WORD("predictor TARGETS entries=2K ways=4 decoded | x\n"),
	FUZZ_WORD("predictor RETURNS entries="),
	FUZZ_WORD("predictor PATTERNS entries=16K history="),
	FUZZ_WORD("predictor INDIRECT entries=512 ways=4 history="),
	FUZZ_WORD("latency L2 10 | x\n"), FUZZ_WORD("width M "), FUZZ_WORD("1024M"),
	FUZZ_WORD("64K"), FUZZ_WORD("0"),
	FUZZ_WORD("4294967296"), FUZZ_WORD("# comment\n"), FUZZ_WORD("="), FUZZ_WORD("\t"),
	FUZZ_WORD("\0"),
};
const size_t fuzz_word_count = sizeof fuzz_words / sizeof *fuzz_words;

static bool is_power(unsigned n)
{
	return n && !(n & (n - 1));
}

static void require_geometry(const struct cache_geometry *g)
{
	if (!g->ways)
		return;
	FUZZ_REQUIRE(is_power(g->sets) && g->line_shift < 64 && cache_lines(g) <= 1u << 22);
	FUZZ_REQUIRE(g->policy != CACHE_PLRU || (is_power(g->ways) && g->ways <= 64));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct processor_error error;
	struct processor p;

	if (!processor_read(&p, (const char *)data, size, &error)) {
		FUZZ_REQUIRE(*error.text && strlen(error.text) < sizeof error.text - 1 &&
			     error.line <= size + 1);
		return 0;
	}
	for (unsigned i = 0; i < CACHES; i++) {
		FUZZ_REQUIRE(i == CACHE_L3 || p.cache[i].ways);
		require_geometry(&p.cache[i]);
	}
	for (unsigned i = 0; i < TLBS * PAGES; i++)
		require_geometry(&p.tlb[i / PAGES][i % PAGES]);
	FUZZ_REQUIRE(p.prefetchers.next_lines <= PROCESSOR_NEXT_LINES &&
		     p.prefetchers.each <= PROCESSOR_EACH &&
		     p.prefetchers.forward <= PROCESSOR_STREAMS &&
		     p.prefetchers.backward <= PROCESSOR_STREAMS &&
		     !p.prefetchers.forward == !p.prefetchers.backward);
	FUZZ_REQUIRE(!p.prefetchers.stride_entries ||
		     (is_power(p.prefetchers.stride_entries) &&
		      p.prefetchers.stride_entries <= PROCESSOR_STRIDES));
	FUZZ_REQUIRE(p.queue[QUEUE_FILL] <= PROCESSOR_QUEUE);
	require_geometry(&p.predictor.targets);
	require_geometry(&p.predictor.indirect);
	FUZZ_REQUIRE(cache_lines(&p.predictor.targets) <= PROCESSOR_TARGETS &&
		     cache_lines(&p.predictor.indirect) <= PROCESSOR_TARGETS);
	FUZZ_REQUIRE(!p.predictor.patterns ||
		     (is_power(p.predictor.patterns) && p.predictor.patterns > 1 &&
					       p.predictor.patterns <= PROCESSOR_PATTERNS));
	FUZZ_REQUIRE(p.predictor.history <= PROCESSOR_HISTORY &&
		     p.predictor.returns <= PROCESSOR_RETURNS &&
		     p.predictor.indirect_history <= PROCESSOR_INDIRECT_HISTORY);
	return 0;
}
