// SPDX-License-Identifier: BSD-2-Clause
// Vector instructions on the first thread of a Knights Corner core: their results, their events
// (counted by hand), and undefined instructions. They are written as bytes (327364), because the
// assembler does not know them. Run with one event.

#include "knc.h"

#include "arch.h"
#include "layout.h"
#include "x86/cpu.h"

#define VPU	(0x20u << 8)

enum {
	DATA_READ = 0x00, DATA_WRITE = 0x01, VPU_READ = 0x00 | VPU, VPU_WRITE = 0x01 | VPU,
	VPU_READ_MISS = 0x03 | VPU,
	VPU_WRITE_MISS = 0x04 | VPU, VPU_STALL = 0x05 | VPU, VPU_EXECUTED = 0x16 | VPU,
	VPU_ELEMENTS = 0x18 | VPU,
};

#define LINE	64
#define WORDS	16

static uint32_t lines[400][WORDS] __attribute__((aligned(LINE)));

#define BYTES(...)	".byte " #__VA_ARGS__ "\n"
#define LOAD_1		BYTES(0x62, 0xF1, 0x78, 0x08, 0x28, 0x0E)	// vmovaps (%rsi), %zmm1
#define LOAD_2		BYTES(0x62, 0xF1, 0x78, 0x08, 0x28, 0x56, 0x01)	// vmovaps 64(%rsi), %zmm2
#define LOAD_3		BYTES(0x62, 0xF1, 0x78, 0x08, 0x28, 0x5E, 0x02)	// vmovaps 128(%rsi), %zmm3
#define LOAD_1_K1	BYTES(0x62, 0xF1, 0x78, 0x09, 0x28, \
			      0x0E)	// vmovaps (%rsi), %zmm1{%k1}
#define STORE_1		BYTES(0x62, 0xF1, 0x78, 0x08, 0x29, 0x0E)	// vmovaps %zmm1, (%rsi)
#define STORE_3		BYTES(0x62, 0xF1, 0x78, 0x08, 0x29, 0x5E, 0x02)	// vmovaps %zmm3, 128(%rsi)
#define STORE_3_K1	BYTES(0x62, 0xF1, 0x78, 0x09, 0x29, 0x5E, 0x02)
#define ADD		BYTES(0x62, 0xF1, 0x69, 0x08, 0xFE, \
			      0xD9)	// vpaddd %zmm1, %zmm2, %zmm3
#define ADD_FIRST	BYTES(0x62, 0xF1, 0x69, 0x18, 0xFE, \
			      0x1E)	// vpaddd (%rsi){1to16}, %zmm2, %zmm3
#define SUBTRACT	BYTES(0x62, 0xF1, 0x69, 0x08, 0xFA, \
			      0xD9)	// vpsubd %zmm1, %zmm2, %zmm3
#define XOR_K1		BYTES(0x62, 0xF1, 0x69, 0x09, 0xEF, \
			      0xD9)	// vpxord %zmm1, %zmm2, %zmm3{%k1}
#define ADD_FLOATS	BYTES(0x62, 0xF1, 0x68, 0x08, 0x58, \
			      0xD9)	// vaddps %zmm1, %zmm2, %zmm3
#define ADD_TO_ITSELF	BYTES(0x62, 0xF1, 0x68, 0x08, 0x58, \
			      0xDA)	// vaddps %zmm2, %zmm2, %zmm3
#define MULTIPLY_ADD	BYTES(0x62, 0xF2, 0x69, 0x08, 0xB8, \
			      0xD9)	// vfmadd231ps %zmm1, %zmm2, %zmm3
#define ADD_DOUBLES	BYTES(0x62, 0xF1, 0xE9, 0x08, 0x58, \
			      0xD9)	// vaddpd %zmm1, %zmm2, %zmm3
#define MASK(value)	"mov $" #value ", %eax\n" BYTES(0xC5, 0xF8, 0x92, 0xC8)	// kmov %eax, %k1
#define NOPS(n)		".rept " #n "\n nop\n .endr\n"

//
// Results: computed from the first and the second line into the third
//

PIECE(add, LOAD_1 LOAD_2 ADD STORE_3)
PIECE(add_first, LOAD_2 ADD_FIRST STORE_3)
PIECE(subtract, LOAD_1 LOAD_2 SUBTRACT STORE_3)
PIECE(xor, MASK(0x8001) LOAD_1 LOAD_2 LOAD_3 XOR_K1 STORE_3)
PIECE(add_floats, LOAD_1 LOAD_2 ADD_FLOATS STORE_3)
PIECE(multiply_add, LOAD_1 LOAD_2 LOAD_3 MULTIPLY_ADD STORE_3)
PIECE(add_doubles, LOAD_1 LOAD_2 ADD_DOUBLES STORE_3)
PIECE(store_some, MASK(0x00F0) LOAD_1 LOAD_2 ADD STORE_3_K1)

static uint32_t computed(void (*execute)(uint64_t enable, uint64_t argument), const uint32_t in[3],
			 unsigned word)
{
	for (unsigned line = 0; line < 3; line++)
		for (unsigned i = 0; i < WORDS; i++)
			lines[line][i] = in[line];
	lines[0][0]++;		// the first word differs
	execute(0, (uint64_t)lines);
	return lines[2][word];
}

static const struct {
	const char *name;
	void (*execute)(uint64_t enable, uint64_t argument);
	uint32_t in[3];
	unsigned word;
	uint32_t expected;
} computations[] = {
	{"vpaddd", piece_add, {7, 0xFFFFFFFE, 0}, 15, 5},
	{"vpaddd", piece_add, {7, 100, 0}, 0, 108},
	{"vpaddd {1to16}", piece_add_first, {7, 100, 0}, 9, 108},
	{"vpsubd", piece_subtract, {7, 100, 0}, 9, 93},
	{"vpxord under a mask", piece_xor, {5, 6, 77}, 15, 3},
	{"vpxord under a mask", piece_xor, {5, 6, 77}, 14, 77},
	{"vpxord under a mask", piece_xor, {5, 6, 77}, 0, 0},
	// 1 + 2 = 3; 1 * 2 + 4 = 6; the upper half of the double 1 + 2 = 3.
	{"vaddps", piece_add_floats, {0x3F800000, 0x40000000, 0}, 3, 0x40400000},
	{"vfmadd231ps", piece_multiply_add, {0x3F800000, 0x40000000, 0x40800000}, 3, 0x40C00000},
	{"vaddpd", piece_add_doubles, {0x3FF00000, 0x40000000, 0}, 7, 0x40080000},
	{"a store under a mask", piece_store_some, {1, 2, 77}, 4, 3},
	{"a store under a mask", piece_store_some, {1, 2, 77}, 8, 77},
};

//
// Events
//

PIECE(load, LOAD_1)
PIECE(load_twice, LOAD_1 LOAD_1)
PIECE(load_none, MASK(0) LOAD_1_K1)
PIECE(load_one, MASK(0x0100) LOAD_1_K1)
PIECE(store, STORE_1)
PIECE(register, ADD)
PIECE(half, MASK(0x00FF) XOR_K1)
PIECE(doubles, ADD_DOUBLES)
PIECE(at_once, LOAD_1 ADD_FLOATS)
PIECE(soon, LOAD_1 NOPS(2) ADD_FLOATS)
PIECE(late, LOAD_1 NOPS(3) ADD_FLOATS)
PIECE(independent, LOAD_1 ADD_TO_ITSELF)
PIECE(broadcast, ADD_FIRST)

static const struct {
	const char *name;
	void (*execute)(uint64_t enable, uint64_t argument);
	unsigned reads, writes, read_misses, write_misses, stalls, executed, elements;
} pieces[] = {
	{"a load", piece_load, 1, 0, 1, 0, 0, 1, 16},
	// Both loads write the same register.
	{"two loads", piece_load_twice, 2, 0, 1, 0, 1, 2, 32},
	{"a load of no element", piece_load_none, 0, 0, 0, 0, 0, 1, 0},
	{"a load of one element", piece_load_one, 1, 0, 1, 0, 0, 1, 1},
	{"a store", piece_store, 0, 1, 0, 1, 0, 1, 16},
	{"registers only", piece_register, 0, 0, 0, 0, 0, 1, 16},
	{"half of the elements", piece_half, 0, 0, 0, 0, 0, 1, 8},
	{"doubles", piece_doubles, 0, 0, 0, 0, 0, 1, 8},
	{"use at once", piece_at_once, 1, 0, 1, 0, 1, 2, 32},
	{"use in the third cycle", piece_soon, 1, 0, 1, 0, 1, 2, 32},
	{"use in the fourth cycle", piece_late, 1, 0, 1, 0, 0, 2, 32},
	{"another register", piece_independent, 1, 0, 1, 0, 0, 2, 32},
	{"a broadcast", piece_broadcast, 1, 0, 1, 0, 0, 1, 16},
};

static unsigned next_line = 4;

// Each execution uses a new line in no cache.
static void measure(const char *name, unsigned event,
		    void (*execute)(uint64_t enable, uint64_t argument), unsigned expected)
{
	put(SELECT(0), event | OS | EN);
	put(COUNTER(0), 0);
	execute(0, (uint64_t)lines[next_line++]);
	execute(1, (uint64_t)lines[next_line++]);
	if (get(COUNTER(0)) != expected)
		printf("event 0x%04X:\n", event);
	expect(name, 0, expected, get(COUNTER(0)));
}

//
// Faults: a swizzle (vaddps %zmm1{cdab}, %zmm2, %zmm3) and a conversion, which are undefined here;
// RDTSCP; operands that are unaligned, not mapped, or at a non-canonical address. All these
// instructions have six bytes.
//

#define NO_PAGE		0x400000000000	/* aligned, not mapped */
#define NO_ADDRESS	0x800000000000	/* not canonical */
#define ERROR_STORE	2		/* page fault error code (SDM volume 3A) */

static struct {
	unsigned count;
	uint64_t error, address;
} raised[32];

static void skip(struct arch_frame *frame)
{
	raised[frame->vector].count++;
	raised[frame->vector].error = frame->error;
	__asm__ volatile("mov %%cr2, %0" : "=r"(raised[frame->vector].address));
	frame->rip += 6;
}

PIECE(undefined,
      BYTES(0x62, 0xF1, 0x68, 0x18, 0x58, 0xD9) BYTES(0x62, 0xF1, 0x68, 0x48, 0x58, 0x1E)
      BYTES(0x0F, 0x01, 0xF9) NOPS(3))	// rdtscp
PIECE(load_none_there, MASK(0) LOAD_1_K1)

// Executes the piece, and returns the number of its exceptions with this vector.
static unsigned raises(unsigned vector, void (*execute)(uint64_t enable, uint64_t argument),
		       uint64_t argument)
{
	const unsigned before = raised[vector].count;

	put(SELECT(0), EXECUTED | OS | EN);
	execute(1, argument);
	return raised[vector].count - before;
}

static void check_faults(void)
{
	uint32_t eax = 0x80000001, ebx, ecx = 0, edx;

	arch_attach(VECTOR_UNDEFINED, skip);
	arch_attach(VECTOR_GENERAL_PROTECTION, skip);
	arch_attach(VECTOR_PAGE_FAULT, skip);
	expect("undefined instructions", 0, 3,
	       raises(VECTOR_UNDEFINED, piece_undefined, (uint64_t)lines));
	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	expect("no RDTSCP", 0, 0, edx >> 27 & 1);
	expect("a load that is not aligned", 0, 1,
	       raises(VECTOR_GENERAL_PROTECTION, piece_load, (uint64_t)lines + 4));
	expect("its error code", 0, 0, raised[VECTOR_GENERAL_PROTECTION].error);
	expect("a store", 0, 1,
	       raises(VECTOR_GENERAL_PROTECTION, piece_store, (uint64_t)lines + 32));
	expect("no canonical address", 0, 1,
	       raises(VECTOR_GENERAL_PROTECTION, piece_load, NO_ADDRESS));
	expect("a load of no page", 0, 1, raises(VECTOR_PAGE_FAULT, piece_load, NO_PAGE + LINE));
	expect("its error code", 0, 0, raised[VECTOR_PAGE_FAULT].error);
	expect("its address", 0, NO_PAGE + LINE, raised[VECTOR_PAGE_FAULT].address);
	expect("a store to no page", 0, 1, raises(VECTOR_PAGE_FAULT, piece_store, NO_PAGE));
	expect("its error code", 0, ERROR_STORE, raised[VECTOR_PAGE_FAULT].error);
	expect("a load of no element", 0, 0, raises(VECTOR_PAGE_FAULT, piece_load_none_there,
						    NO_PAGE));
}

int workload(void)
{
	clear(NULL);
	for (unsigned i = 0; i < sizeof computations / sizeof *computations; i++)
		expect(computations[i].name, computations[i].word, computations[i].expected,
		       computed(computations[i].execute, computations[i].in, computations[i].word));
	for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		measure(pieces[i].name, VPU_READ, pieces[i].execute, pieces[i].reads);
		measure(pieces[i].name, DATA_READ, pieces[i].execute, pieces[i].reads);
		measure(pieces[i].name, VPU_WRITE, pieces[i].execute, pieces[i].writes);
		measure(pieces[i].name, DATA_WRITE, pieces[i].execute, pieces[i].writes);
		measure(pieces[i].name, VPU_READ_MISS, pieces[i].execute, pieces[i].read_misses);
		measure(pieces[i].name, VPU_WRITE_MISS, pieces[i].execute, pieces[i].write_misses);
		measure(pieces[i].name, VPU_STALL, pieces[i].execute, pieces[i].stalls);
		measure(pieces[i].name, VPU_EXECUTED, pieces[i].execute, pieces[i].executed);
		measure(pieces[i].name, VPU_ELEMENTS, pieces[i].execute, pieces[i].elements);
	}
	check_faults();
	clear(NULL);
	wrong += failed != 0;
	printf("knc-vectors: %d wrong\n", wrong);
	return wrong != 0;
}
