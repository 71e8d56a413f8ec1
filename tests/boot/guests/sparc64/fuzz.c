// SPDX-License-Identifier: BSD-2-Clause
// Random code on a SPARC: instructions of all kinds, legal and illegal, in hyperprivileged,
// privileged and user mode; traps skip their instruction. The guest prints a checksum of the
// results, which do not include time, to compare with the machine without the PMU. The command
// line: a seed; steps; the PMU's use: 0 idle, 1 counters count, 2 the code also accesses the PMU at
// random, and must only reach its end. Encodings: The SPARC Architecture Manual, version 9,
// appendix E; PMU: SPARC T4 Supplement, section 10.2.

#include <stdint.h>

#define UART		((volatile uint8_t *)0x1F10000000)	/* QEMU's niagara: a 16550 */
#define COMMAND_LINE	((const char *)0xFFF0010000)
#define WORDS		64
#define DATA		512
#define REPORT		100		/* steps */
enum { UNUSED, COUNTING, WILD };

struct registers {
	uint64_t g[8], o[8], l[8], i[8], windows, y, pil;
};
void execute(const uint32_t *code, unsigned level, struct registers *r);
void fuzz_main(void);
extern volatile uint64_t traps;

static uint32_t random_state, code[WORDS + 2];
static uint64_t data[DATA / 8], sum;
static unsigned way;

//
// Console
//

static void put(char c)
{
	while (!(UART[5] & 0x20))
		;
	UART[0] = (uint8_t)c;
}

static void print(const char *text)
{
	while (*text)
		put(*text++);
}

static void print_hex(uint64_t value)
{
	for (int shift = 60; shift >= 0; shift -= 4)
		put("0123456789abcdef"[value >> shift & 15]);
}

static uint32_t number(const char **text)
{
	uint32_t value = 0;

	while (**text == ' ')
		++*text;
	for (; **text >= '0' && **text <= '9'; ++*text)
		value = value * 10 + (uint32_t)(**text - '0');
	return value;
}

//
// Code
//

static uint32_t below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return (uint32_t)((uint64_t)random_state * n >> 32);
}

static uint32_t any(void)
{
	return below(0x10000) << 16 | below(0x10000);
}

// %g2 and %g3 hold addresses of data; %g0, %g6, %g7, %o6 and %i6 are not changed.
static uint32_t destination(void)
{
	static const uint8_t registers[] = {
		1, 4, 5, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
		28, 29, 31,
	};

	return registers[below(sizeof registers)];
}

static uint32_t source(void)
{
	return below(8) ? destination() : 0;
}

static uint32_t format3(uint32_t op, uint32_t op3, uint32_t rd, uint32_t rs1, uint32_t rest)
{
	return op << 30 | rd << 25 | op3 << 19 | rs1 << 14 | (rest & 0x3FFF);
}

// A register or a 13-bit immediate.
static uint32_t operand(void)
{
	return below(2) ? source() : 0x2000 | below(0x2000);
}

static uint32_t arithmetic(void)
{
	static const uint8_t op3[] = {
		0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D,
		0x0E, 0x0F,
		0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x1A, 0x1B, 0x1C, 0x1E, 0x1F,
		0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2C, 0x2D, 0x2E, 0x2F,
	};

	const uint8_t chosen = op3[below(sizeof op3)];

	// QEMU aborts at shift immediates with reserved bits set.
	return format3(2, chosen, destination(), source(),
		       chosen >= 0x25 && chosen <= 0x27 ? 0x2000 | below(32) : operand());
}

// For loads and stores: an offset within the data, mostly aligned.
static uint32_t offset(void)
{
	return 0x2000 | (below(4) ? below(DATA / 2 / 8) * 8 : below(DATA / 2 - 8));
}

static uint32_t memory(void)
{
	static const uint8_t op3[] = {
		0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0D, 0x0E,
		0x0F, 0x20, 0x22, 0x23, 0x24, 0x26, 0x27, 0x2D,
	};

	return format3(3, op3[below(sizeof op3)], destination(), 2 + below(2), offset());
}

// In address spaces that are memory, at an address in %g2 or %g3; CASA and CASXA.
static uint32_t alternate(void)
{
	static const uint8_t op3[] = {
		0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x1B, 0x1D, 0x1E,
		0x1F, 0x30, 0x33, 0x36, 0x37, 0x3C, 0x3E, 0x2D,
	};
	static const uint8_t asis[] = {
		0x80, 0x81, 0x82, 0x88, 0x8A, 0x04, 0x0C, 0x10, 0x11, 0x18, 0x14, 0x1C, 0xD0, 0xD2,
	};

	return format3(3, op3[below(sizeof op3)], destination(), 2 + below(2),
		       (uint32_t)asis[below(sizeof asis)] << 5);
}

static uint32_t floating(void)
{
	static const uint16_t opf[] = {
		0x01, 0x02, 0x05, 0x06, 0x09, 0x0A, 0x41, 0x42, 0x45, 0x46, 0x49, 0x4A, 0x4D, 0x4E,
		0x69, 0x81, 0x82, 0xC4, 0xC8, 0xC6, 0xD1, 0xD2, 0x43, 0x47,
	};

	return format3(2, below(8) ? 0x34 : 0x35, below(32), below(32),
		       (uint32_t)opf[below(sizeof opf / sizeof *opf)] << 5 | below(32));
}

// Forward by few instructions: Bicc, BPcc, BPr, FBfcc; annulled or not.
static uint32_t branch(void)
{
	const uint32_t by = 1 + below(4), annulled = below(2) << 29;

	switch (below(4)) {
	case 0: return annulled | below(16) << 25 | 2u << 22 | by;
	case 1: return annulled | below(16) << 25 | 1u << 22 | below(4) << 20 | below(2) << 19 | by;
	case 2: return annulled | below(8) << 25 | 3u << 22 | below(2) << 19 | source() << 14 | by;
	default: return annulled | below(16) << 25 | 6u << 22 | by;
	}
}

// Conditional moves, SAVE and RESTORE, FLUSH, FLUSHW, SAVED and RESTORED, PREFETCH, MEMBAR,
// undefined instructions. Not DONE and RETRY, at which QEMU aborts at trap level 0.
static uint32_t other(void)
{
	switch (below(9)) {
	case 0: return format3(2, 0x2C, destination(), below(32),
			       below(2) << 13 | below(4) << 11 | source());
	case 1: return format3(2, 0x3C, destination(), 0, 0x2000 | below(0x1000));
	case 2: return format3(2, 0x3D, destination(), 0, 0x2000 | below(0x1000));
	case 3: return format3(2, 0x3B, 0, 2, offset());
	case 4: return format3(2, 0x2B, 0, 0, 0);
	case 5: return format3(2, 0x31, below(8), 0, 0);
	case 6: return format3(3, 0x2D, below(32), 2, offset());
	case 7: return format3(2, 0x28, 0, 15, 0x2000 | below(128));
	default: return below(0x400000);						// ILLTRAP
	}
}

// Tcc, except with the trap numbers that end the code; RD and WR; RDPR and WRPR; RDHPR and WRHPR.
static uint32_t privileged(void)
{
	static const uint8_t state[] = {0, 2, 3, 5, 6, 15, 19},
		read_state[] = {0, 2, 3, 6, 15, 19, 22};
	static const uint8_t pr[] = {6, 8, 9, 10, 11, 12, 13, 14};
	static const uint8_t read_pr[] = {0, 1, 2, 3, 5, 6, 8, 9, 10, 11, 12, 13, 14, 16};

	switch (below(7)) {
	case 0: return format3(2, 0x3A, below(16), 0,
			       0x2000 | (below(2) ? below(0x7F) : 0x81 + below(0x7F)));
	case 1: return format3(2, 0x28, destination(), read_state[below(sizeof read_state)], 0);
	case 2: return format3(2, 0x30, state[below(sizeof state)], source(),
			       0x2000 | below(0x100));
	case 3: return format3(2, 0x2A, destination(), read_pr[below(sizeof read_pr)], 0);
	case 4: return format3(2, 0x32, pr[below(sizeof pr)], 0, 0x2000 | below(8));
	// %hpstate, %htba
	case 5: return format3(2, 0x29, destination(), below(2) ? 0 : 5, 0);
	// %hpstate: HPRIV
	default: return format3(2, 0x33, 0, 0, 0x2000 | (below(2) ? 4 : 0));
	}
}

// Moves any value to or from any PMU register and neighboring addresses: PCR, PIC, announcements;
// HALT.
static uint32_t of_pmu(void)
{
	static const uint8_t asis[] = {0x64, 0x64, 0xB0, 0xB0, 0x6D};

	if (below(16) == 0)
		// %pstate: PRIV, PEF, IE
		return format3(2, 0x32, 6, 0, 0x2000 | 0x16);
	return format3(3, below(3) ? 0x1E : 0x1B, destination(), below(8) ? 0 : source(), 0) |
	       (uint32_t)asis[below(sizeof asis)] << 5;
}

static uint32_t instruction(void)
{
	if (way == WILD && below(6) == 0)
		return of_pmu();
	switch (below(16)) {
	case 0 ... 4: return arithmetic();
	case 5 ... 7: return memory();
	case 8: return alternate();
	case 9: return floating();
	case 10 ... 11: return branch();
	case 12: return other();
	default: return below(2) ? privileged() : arithmetic();
	}
}

#define NOP	0x01000000u

// Arithmetic follows each branch: QEMU's translator cannot handle a branch in another branch's
// delay slot, and aborts. The last instructions are targets of branches.
static void make_code(void)
{
	for (unsigned n = 0; n < WORDS; n++) {
		if (n >= WORDS - 6)
			code[n] = NOP;
		else if (n && !(code[n - 1] >> 30) && (code[n - 1] >> 22 & 7) % 4)
			code[n] = arithmetic();
		else
			code[n] = instruction();
	}
	code[WORDS] = 0x91D0207F;						// TA 7Fh
	code[WORDS + 1] = NOP;
	for (unsigned n = 0; n < WORDS + 2; n += 2)
		__asm__ volatile("flush %0" : : "r"(code + n) : "memory");
}

//
// The PMU
//

#define STORE(asi, address, value)								\
	__asm__ volatile("stxa %0, [%1] " #asi : : "r"((uint64_t)(value)), \
			 "r"((uint64_t)(address)) : "memory")

// All instructions at all levels, cycles, loads, branches; no traps. Without the PMU each store is
// a trap that is skipped.
static void start_counting(void)
{
	static const uint64_t control[] = {3u << 11 | 0x3F << 5, 26u << 11, 3u << 11 | 0x04 << 5,
					   3u << 11 | 0x08 << 5};

	for (unsigned n = 0; n < 4; n++) {
		STORE(0xB0, 8 * n, below(2) ? 0xFFFFFFFF - below(3000) : 0);
		STORE(0x64, 8 * n, control[n] | 0x1C);
	}
}

//
// Steps
//

static void note(uint64_t value)
{
	sum = (sum ^ value) * 1099511628211;
}

static void step(void)
{
	static const uint8_t levels[] = {0, 1, 3};
	struct registers r;

	make_code();
	for (unsigned n = 0; n < DATA / 8; n++)
		data[n] = (uint64_t)any() << 32 | any();
	for (unsigned n = 0; n < 8; n++) {
		r.g[n] = any(), r.o[n] = any() << below(32), r.l[n] = below(100),
			r.i[n] = (uint64_t)any() << 32;
	}
	r.g[2] = (uint64_t)data, r.g[3] = (uint64_t)data + DATA / 2;
	r.o[6] = r.i[6] = (uint64_t)data - 2047;
	traps = 0;
	execute(code, levels[below(3)], &r);
	for (const uint64_t *at = (const uint64_t *)&r; at < (const uint64_t *)(&r + 1); at++)
		if (at != &r.g[0] && at != &r.g[6] && at != &r.g[7])
			note(*at);
	for (unsigned n = 0; n < DATA / 8; n++)
		note(data[n]);
	note(traps);
}

void fuzz_main(void)
{
	const char *text = COMMAND_LINE;
	const uint32_t seed = number(&text), steps = number(&text);

	way = number(&text);
	random_state = seed * 2654435761u | 1;
	if (way != UNUSED)
		start_counting();
	for (uint32_t n = 1; n <= steps; n++) {
		step();
		if (n % REPORT == 0) {
			print("# ");
			print_hex(sum);
			print("\n");
		}
	}
	print("ok 1 - it has come to its end\n1..1\n\0040\n");
	for (;;)
		;
}
