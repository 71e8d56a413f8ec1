// SPDX-License-Identifier: BSD-2-Clause
// Prefetches, and lines that leave the L2 cache, on the first thread of a Knights Corner core, with
// the registers themselves. The events of each piece of code are counted by hand, from the guide's
// Table 1-6, and the caches and latencies of hal/emu/model/knc.machine. Each piece has its own
// line, which no cache holds. Run with one event.

#include "knc.h"

#define CRI	(0x10u << 8)

enum {
	DATA_READ = 0x00, DATA_READ_MISS = 0x03, PF1 = 0x11, PF1_MISS = 0x1C, PF1_DROP = 0x1E,
	IN_FLIGHT_PF1 = 0x20,
	PF2_L1 = 0x37, PF1_L2_MISS = 0x38, L2_READ_HIT_E = 0xC8 | CRI, L2_READ_MISS = 0xCB | CRI,
	VICTIM = 0xD7 | CRI, PF2 = 0xFC | CRI, PF2_MISS = 0xFE | CRI, IN_FLIGHT_PF2 = 0xFF | CRI,
	DATA_FILL = 0xF6 | CRI,
};

#define LINE	64
#define SETS	1024	/* of the L2 cache: 512 KB, 8 ways */
#define WAYS	8

static char lines[2 * WAYS * SETS * LINE] __attribute__((aligned(SETS * LINE)));

#define VPREFETCH0	"	.byte	0xC5, 0xF8, 0x18, 0x0E\n"	// (%rsi)
#define VPREFETCH1	"	.byte	0xC5, 0xF8, 0x18, 0x16\n"
#define LOAD		"	mov	(%rsi), %eax\n"
#define WAIT		"	.rept	500\n	nop\n	.endr\n"	// as long as memory takes

PIECE(first, VPREFETCH0)
PIECE(first_loaded, VPREFETCH0 LOAD)
PIECE(first_loaded_later, VPREFETCH0 WAIT LOAD)
PIECE(first_twice, VPREFETCH0 VPREFETCH0)
PIECE(first_of_loaded, LOAD VPREFETCH0)
PIECE(first_by_new_register,
      "	mov	%rsi, %rbx\n	.byte	0xC5, 0xF8, 0x18, 0x0B\n	mov	(%rbx), %eax\n")
// (%rax)
PIECE(first_of_device, "	mov	$0xFEE00000, %eax\n	.byte	0xC5, 0xF8, 0x18, 0x08\n")
PIECE(second, VPREFETCH1)
PIECE(second_loaded, VPREFETCH1 LOAD)
PIECE(second_loaded_later, VPREFETCH1 WAIT LOAD)
PIECE(second_twice, VPREFETCH1 VPREFETCH1)
PIECE(second_of_loaded, LOAD VPREFETCH1)

#define MOST 9

static const struct {
	const char *name;
	void (*execute)(uint64_t enable, uint64_t line);
	struct {
		unsigned event, count;
	} expected[MOST];	// ends with the first count of 0; all other events count 0
} pieces[] = {
	{"vprefetch0", piece_first, {{PF1, 1}, {PF1_MISS, 1}, {PF1_L2_MISS, 1}, {L2_READ_MISS, 1},
				     {DATA_FILL, 1}}},
	// The line is allocated, but has not arrived.
	{"vprefetch0, loaded", piece_first_loaded,
	 {{PF1, 1}, {PF1_MISS, 1}, {PF1_L2_MISS, 1}, {L2_READ_MISS, 1}, {DATA_FILL, 1},
	  {DATA_READ, 1},
	  {IN_FLIGHT_PF1, 1}}},
	{"vprefetch0 by a register that has just been written", piece_first_by_new_register,
	 {{PF1, 1}, {PF1_MISS, 1}, {PF1_L2_MISS, 1}, {L2_READ_MISS, 1}, {DATA_FILL, 1},
	  {DATA_READ, 1},
	  {IN_FLIGHT_PF1, 1}}},
	{"vprefetch0, loaded later", piece_first_loaded_later,
	 {{PF1, 1}, {PF1_MISS, 1}, {PF1_L2_MISS, 1}, {L2_READ_MISS, 1}, {DATA_FILL, 1},
	  {DATA_READ, 1}}},
	{"vprefetch0 twice", piece_first_twice,
	 {{PF1, 2}, {PF1_MISS, 1}, {PF1_DROP, 1}, {PF1_L2_MISS, 1}, {L2_READ_MISS, 1},
	  {DATA_FILL, 1}}},
	{"loaded, vprefetch0", piece_first_of_loaded,
	 {{PF1, 1}, {DATA_READ, 1}, {DATA_READ_MISS, 1}, {L2_READ_MISS, 1}, {DATA_FILL, 1}}},
	{"vprefetch0 of a device", piece_first_of_device, {{PF1, 1}, {PF1_DROP, 1}}},
	{"vprefetch1", piece_second, {{PF2_L1, 1}, {PF2, 1}, {PF2_MISS, 1}, {L2_READ_MISS, 1},
				      {DATA_FILL, 1}}},
	// The load misses the L1 cache and hits the L2 cache (exclusive), whether the line has
	// arrived or not.
	{"vprefetch1, loaded", piece_second_loaded,
	 {{PF2_L1, 1}, {PF2, 1}, {PF2_MISS, 1}, {L2_READ_MISS, 1}, {DATA_FILL, 1}, {DATA_READ, 1},
	  {DATA_READ_MISS, 1}, {L2_READ_HIT_E, 1}, {IN_FLIGHT_PF2, 1}}},
	{"vprefetch1, loaded later", piece_second_loaded_later,
	 {{PF2_L1, 1}, {PF2, 1}, {PF2_MISS, 1}, {L2_READ_MISS, 1}, {DATA_FILL, 1}, {DATA_READ, 1},
	  {DATA_READ_MISS, 1}, {L2_READ_HIT_E, 1}}},
	// The second prefetch is dropped before it leaves the core.
	{"vprefetch1 twice", piece_second_twice,
	 {{PF2_L1, 2}, {PF2, 1}, {PF2_MISS, 1}, {L2_READ_MISS, 1}, {DATA_FILL, 1}}},
	{"loaded, vprefetch1", piece_second_of_loaded,
	 {{PF2_L1, 1}, {PF2, 1}, {DATA_READ, 1}, {DATA_READ_MISS, 1}, {L2_READ_MISS, 1},
	  {DATA_FILL, 1}}},
};

static const unsigned events[] = {
	DATA_READ, DATA_READ_MISS, PF1, PF1_MISS, PF1_DROP, IN_FLIGHT_PF1, PF2_L1, PF1_L2_MISS,
	L2_READ_HIT_E, L2_READ_MISS, PF2, PF2_MISS, IN_FLIGHT_PF2, DATA_FILL,
};

// One event's count. The first execution brings the code and the translation.
static uint64_t count(unsigned event, void (*execute)(uint64_t enable, uint64_t line), char *line)
{
	put(SELECT(0), event | OS | EN);
	put(COUNTER(0), 0);
	execute(0, (uint64_t)line);
	execute(1, (uint64_t)(line + LINE));
	return get(COUNTER(0));
}

static void measure_pieces(void)
{
	char *line = lines;

	for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++)
		for (unsigned e = 0; e < sizeof events / sizeof *events; e++, line += 2 * LINE) {
			unsigned expected = 0;
			uint64_t found;

			for (unsigned n = 0; n < MOST; n++)
				if (pieces[i].expected[n].count &&
				    pieces[i].expected[n].event == events[e])
					expected = pieces[i].expected[n].count;
			found = count(events[e], pieces[i].execute, line);
			if (found != expected)
				printf("event 0x%04X:\n", events[e]);
			expect(pieces[i].name, 0, expected, found);
		}
}

// Stores to twice as many lines of a set as it has ways, again and again: each line evicts a
// modified line, except the first ones.
PIECE(victims,
      "	mov	$10, %edx\n"
      "1:	mov	%rsi, %rax\n	mov	$16, %ecx\n"
      "2:	movb	$1, (%rax)\n	add	$65536, %rax\n	dec	%ecx\n	jnz	2b\n"
      "	dec	%edx\n	jnz	1b\n")

int workload(void)
{
	clear(NULL);
	measure_pieces();
	expect("victims", 0, 10 * 2 * WAYS - WAYS,
	       count(VICTIM, piece_victims, lines + SETS / 2 * LINE));
	clear(NULL);
	wrong += failed != 0;
	printf("knc-caches: %d wrong\n", wrong);
	return wrong != 0;
}
