// SPDX-License-Identifier: BSD-2-Clause
// An external interrupt at each instruction of a stretch of code: its result is the same each time.
// The interval timer interrupts 1, 2, 3, ... cycles after the start (a cycle is an instruction),
// until the stretch ends before the interrupt. One pass uses a vector of its own, whose entry saves
// all registers in memory; another uses the overflow interrupt's vector. Then the interrupt repeats
// in each run, at DISTANCES distances. For level 0.

#include <setjmp.h>
#include <string.h>

#include "arch.h"
#include "hal.h"
#include "layout.h"
#include "system.h"
#include "itanium-fill.h"
#include "ia64/frame.h"
#include "ia64/this_cpu.h"
#include "ia64/traps.h"

#define VECTOR		0x50
#define DEEP		40 /* nested calls, of six or more registers; the register stack has 96 */
#define HALT		2000	/* cycles until the halt's interrupt */
#define BEFORE		12	/* cycles from the read of ITC to the write of ITM */
#define RETURN		400	/* cycles in which a handler that has set the timer returns */
#define WRONG		(~0ULL)	/* a stretch's result if registers differ */
#ifndef DISTANCES
#define DISTANCES	20
#endif

int workload(void);

static volatile unsigned interrupts;
static volatile uint64_t next;		// cycles until the next interrupt; 0: none follows
static volatile bool repeats;

// The handler changes all registers that a call may change.
static void interrupted(void)
{
	__asm__ volatile("mov ar.ccv = %0\nmov b6 = r0\nmov b7 = r0\nmov pr = r0, 0xFFC0\nmov r8 = "
			 "8\nmov r9 = 9\n"
			 "mov r10 = 10\nmov r11 = 11\nmov r14 = 14\nmov r15 = 15\nmov r2 = 2\nmov "
			 "r3 = 3 ;;"
			 : : "r"(16UL) : "ar.ccv", "b6", "b7", "r2", "r3", "r8", "r9", "r10", "r11",
			 "r14", "r15",
			 "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15");
	interrupts++;
	if (next)
		ia64_write_itm(hal_clock() + next);
	if (!repeats)
		next = 0;
	ia64_end_interrupt();
}

static void by_vector(struct arch_frame *)
{
	interrupted();
}

static void as_overflow(uint64_t, unsigned)
{
	interrupted();
}

//
// Stretches
//

static uint64_t mix(uint64_t a, uint64_t b)
{
	return (a ^ b) * 0x9E3779B97F4A7C15 + (a >> 29);
}

static uint64_t buffer[16];

static void prepare_static(void)
{
	fill(PAL_PERF_MON_INFO, (uintptr_t)buffer);
}

static void prepare_stacked(void)
{
	fill(PAL_HALT_INFO, (uintptr_t)buffer);
}

static uint64_t pal_static(void)
{
	return filled_among_nats(fill_call_static);
}

static uint64_t pal_stacked(void)
{
	return filled_among_nats(fill_call_stacked);
}

static uint64_t nothing(void)
{
	filled_call_nothing();
	return 0;
}

static unsigned compare_all(void)
{
	return fill_compare_all();
}

static unsigned compare_pal(void)
{
	const uint64_t index = filled_before.r[28];
	const struct pal_ret answer = pal_call(index, (uintptr_t)buffer, 0, 0);

	return fill_compare(index, &answer, false);
}

static uint64_t recurse(unsigned n, uint64_t a, uint64_t b)
{
	if (!n)
		return mix(a, b);

	const uint64_t c = mix(a, n);
	const uint64_t d = recurse(n - 1, b, c);

	return mix(mix(d, a), mix(b, c));
}

static uint64_t recursion(void)
{
	return recurse(DEEP, 1, 2);
}

// r35 of every second frame is a NaT. Returns 0 if all NaTs are unchanged.
uint64_t descend(uint64_t n, uint64_t wrong);
__asm__(".text\n"
	".global descend\n"
	".proc descend\n"
	"descend:\n"
	"	alloc r34 = ar.pfs, 2, 4, 2, 0\n"
	"	mov r35 = b0\n"
	"	mov r36 = ar.unat\n"
	"	mov r14 = -1 ;;\n"
	"	tbit.nz p6, p7 = r32, 0\n"
	"	cmp.eq p8, p0 = 0, r32\n"
	"	mov r8 = r33\n"
	"	mov ar.unat = r14\n"
	"	movl r15 = filled_before ;;\n"
	"(p6)	ld8.fill r37 = [r15]\n"
	"(p7)	mov r37 = r32 ;;\n"
	"	mov ar.unat = r36\n"
	"	adds r38 = -1, r32\n"
	"	mov r39 = r33\n"
	"(p8)	br.ret.sptk b0 ;;\n"
	"	br.call.sptk b0 = descend ;;\n"
	"	tbit.nz p6, p7 = r32, 0\n"
	"	mov b0 = r35\n"
	"	mov ar.pfs = r34 ;;\n"
	"(p6)	tnat.z.unc p8, p0 = r37\n"
	"(p7)	tnat.nz.unc p9, p0 = r37 ;;\n"
	"(p8)	mov r8 = 1\n"
	"(p9)	mov r8 = 1\n"
	"(p9)	br.ret.spnt b0 ;;\n"
	"(p7)	cmp.ne.unc p9, p0 = r37, r32 ;;\n"
	"(p9)	mov r8 = 1\n"
	"	br.ret.sptk b0 ;;\n"
	".endp descend\n");

static uint64_t nats(void)
{
	return descend(DEEP, 0) ? WRONG : 0;
}

static jmp_buf place;

static uint64_t jump(unsigned n, uint64_t a)
{
	static volatile bool far = true;

	if (!n && far)
		longjmp(place, (int)a | 1);
	return n ? mix(jump(n - 1, mix(a, n)), a) : 0;
}

static uint64_t jumps(void)
{
	volatile double kept = 2.5;
	const int back = setjmp(place);

	return back ? mix((uint64_t)back, (uint64_t)(kept * 4)) : jump(DEEP, 7);
}

static uint64_t jumps_among_nats(void)
{
	return filled_among_nats(jumps);
}

// The first interrupt ends the halt; the freeze state must be unchanged.
static uint64_t halt(void)
{
	const bool on = arch_interrupts_disable();
	uint64_t before = 0, after = 1;
	struct pal_ret answer;

	ia64_read_pmc(IA64_PMC + 0, &before);
	answer = pal_ask(PAL_HALT_LIGHT, 0, 0, 0);
	ia64_read_pmc(IA64_PMC + 0, &after);
	arch_interrupts_restore(on);
	return mix((uint64_t)answer.status, before ^ after);
}

static uint64_t asks(uint64_t a)
{
	const uint64_t end = system_call(SYSTEM_EXTEND_HEAP, 0, 0);

	return mix(mix(system_call(SYSTEM_WRITE, (uintptr_t)"", 0), recurse(20, a, 3)), end);
}

static uint64_t calls(void)
{
	return ia64_call_user((ia64_user_function *)asks, 5);
}

static uint64_t system_calls(void)
{
	return filled_among_nats(calls);
}

static const struct stretch {
	const char *name;
	uint64_t (*run)(void);
	unsigned least;			// instructions, from reading the code
	void (*prepare)(void);		// called before the run; NULL: nothing
	unsigned (*compare)(void);
	bool halts;
} stretches[] = {
	// Each register is loaded twice and stored twice.
	{"all registers", nothing, 4 * 280, prepare_static, compare_all, false},
	{"PAL, static convention", pal_static, 4 * 280, prepare_static, compare_pal, false},
	{"PAL, stacked convention", pal_stacked, 4 * 280, prepare_stacked, compare_pal, false},
	{"recursion", recursion, DEEP * 10, NULL, NULL, false},
	{"recursion with NaTs", nats, DEEP * 20, NULL, NULL, false},
	{"setjmp and longjmp", jumps_among_nats, DEEP * 5, NULL, NULL, false},
	{"after a light halt", halt, 50, NULL, NULL, true},
	{"system calls", system_calls, 300, NULL, NULL, false},
};

//
// Interrupts
//

// Runs a stretch with an interrupt after `after` cycles (0: none), and further ones every
// `distance` cycles (0: none). Returns the stretch's result. For a stretch that halts, one more
// interrupt ends the halt, and `after` begins there.
static uint64_t run(const struct stretch *s, uint64_t vector, uint64_t after, uint64_t distance)
{
	const uint64_t first = s->halts ? HALT : BEFORE + after;
	uint64_t result;

	if (s->prepare)
		s->prepare();
	interrupts = 0;
	repeats = distance;
	next = distance ? distance : s->halts ? BEFORE + after : 0;
	ia64_write_itv(after || s->halts ? vector : MASKED_VECTOR);
	ia64_write_itm(hal_clock() + first);
	result = s->run();
	next = 0;
	ia64_write_itv(MASKED_VECTOR | vector);
	return s->compare && s->compare() ? WRONG : result;
}

static bool is_same(const struct stretch *s, uint64_t vector, uint64_t after, uint64_t distance,
		    uint64_t expected)
{
	const uint64_t result = run(s, vector, after, distance);

	if (result != expected || result == WRONG)
		printf("%s, vector %" PRIX64 "H: %" PRIX64 "H instead of %" PRIX64
		       "H, interrupted after %" PRIu64
		       " cycles, each %" PRIu64 "\n", s->name, vector, result, expected, after,
		       distance);
	return result == expected && result != WRONG;
}

static bool each(const struct stretch *s, uint64_t vector)
{
	const uint64_t expected = run(s, vector, 0, 0);
	unsigned after = 0, most = 0;

	do {
		if (!is_same(s, vector, ++after, 0, expected))
			return false;
	} while (interrupts > s->halts);
	for (unsigned i = 0; i < DISTANCES; i++) {
		if (!is_same(s, vector, 1, RETURN + i, expected))
			return false;
		if (interrupts > most)
			most = interrupts;
	}
	printf("%s, vector %" PRIX64 "H: the same %u times, and with up to %u interrupts\n",
	       s->name, vector, after - 1, most);
	return after > s->least && most > 1;
}

int workload(void)
{
	const uint64_t handler = ia64_this_cpu.pmi_handler;
	bool right = true;

	arch_attach(VECTOR, by_vector);
	arch_attach_pmi(as_overflow, false);
	for (unsigned i = 0; right && i < sizeof stretches / sizeof *stretches; i++)
		right = each(&stretches[i], VECTOR) && each(&stretches[i], ARCH_PMI_VECTOR);
	ia64_this_cpu.pmi_handler = handler;
	return !right;
}
