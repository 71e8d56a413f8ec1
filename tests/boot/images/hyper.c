// SPDX-License-Identifier: BSD-2-Clause
// An image that tests an emulated PMU with the SPARC T4's registers themselves: counts of user code
// of known length, the instructions at which overflows trap, and user code's access to the PMU. It
// replaces boot/ and prints TAP. SPARC T4 Supplement, sections 10.2 and 10.3.

#include <inttypes.h>
#include <stdio.h>

#include "arch.h"
#include "../../../boot/fault.h"
#include "../../../boot/boot.h"
#include "../../../boot/summary.h"
#include "backend.h"
#include "hal.h"
#include "hyper.h"
#include "image_run.h"
#include "memory.h"
#include "stimulus.h"
#include "system.h"

// User code.
extern sparc64_user_function user_straight, user_loop, user_annulled, user_windows, user_atomic,
user_two_reads,
	user_write_counter;

__asm__(
"	.text\n"
"	.balign	32\n"
"user_straight:\n"			// 66: 64, and the return
"	.rept	64\n"
"	add	%o0, 1, %o0\n"
"	.endr\n"
"	retl\n"
"	nop\n"
"user_loop:\n"				// 3 * n + 2, with a branch and its delay slot
"1:	subcc	%o0, 1, %o0\n"
"	bne,pt	%xcc, 1b\n"
"	nop\n"
"	retl\n"
"	nop\n"
// 3 * n + 2: the last branch is not taken, and annuls its delay slot
"user_annulled:\n"
"1:	subcc	%o0, 1, %o0\n"
"	bne,a,pt %xcc, 1b\n"
"	nop\n"
"	nop\n"
"	retl\n"
"	nop\n"
"user_windows:\n"			// 9 * n + 5: calls itself n times
"	save	%sp, -176, %sp\n"
"	brz,pn	%i0, 1f\n"
"	sub	%i0, 1, %o0\n"
"	call	user_windows\n"
"	nop\n"
"	nop\n"
"	nop\n"
"1:	ret\n"
"	restore\n"
// 8: a word on the stack, from 0 to 7; returns both, new first
"user_atomic:\n"
"	add	%sp, 2047 + 128, %o1\n"
"	stx	%g0, [%o1]\n"
"	mov	7, %o0\n"
"	casx	[%o1], %g0, %o0\n"
"	ldx	[%o1], %o1\n"
"	sllx	%o1, 8, %o1\n"
"	retl\n"
"	or	%o0, %o1, %o0\n"
"user_two_reads:\n"			// 5
"	ldxa	[%g0] 0xB0, %o0\n"
"	ldxa	[%g0] 0xB0, %o1\n"
"	nop\n"
"	retl\n"
"	sub	%o1, %o0, %o0\n"
"user_write_counter:\n"			// 4
"	wr	%g0, 0xB0, %asi\n"
"	stxa	%o0, [%g0 + 8] %asi\n"
"	retl\n"
"	mov	1, %o0\n");

// WRPR to %pstate, and the bits that hold its operand (The SPARC Architecture Manual, version 9,
// A.62).
#define WRPR_PSTATE	0x8D900000u
#define WRPR_ANY	0x0007FFFFu

//
// Checks
//

// hal_execute_user(n) executes n instructions and a constant number of others.
static void user_code_counts_its_length(void)
{
	uint64_t least = 0;

	for (uint64_t n = 2; n < 60; n++) {
		start(0, 0, INSTRUCTIONS | UT);
		hal_execute_user(n);
		if (n == 2)
			least = stop(0);
		else
			check("hal_execute_user", n, least + n - 2, stop(0));
	}
	for (uint64_t n = 1; n < 2000; n += 97) {
		start(3, 0, INSTRUCTIONS | UT);
		call_user(user_loop, n);
		check("user_loop", n, USER_BEFORE + 3 * n + 2, stop(3));
	}
	end_check("user code counts its length");
}

// The cycle of the WRPR %pstate that enters user mode counts in user mode.
static void cycles_are_instructions(void)
{
	start(1, 0, CYCLES | UT);
	call_user(user_straight, 0);
	check("cycles", 0, 1 + USER_BEFORE + 66, stop(1));
	end_check("and as many cycles, plus that of the instruction that enters user mode");
}

// Window traps use the privileged table: 16 loads or stores, SAVED or RESTORED, RETRY. The entry to
// user mode has one privileged instruction (WRPR %pstate). Each of n calls beyond the number of
// windows spills once and fills once.
static void window_traps_are_privileged(void)
{
	uint64_t before = 0, now;

	for (uint64_t n = 0; n < 40; n++) {
		start(0, 0, INSTRUCTIONS | UT);
		start(1, 0, INSTRUCTIONS | ST);
		start(2, 0, INSTRUCTIONS | UT | ST);
		call_user(user_windows, n);
		put(PCR0 + 0, 0), put(PCR0 + 1, 0), put(PCR0 + 2, 0);
		check("user", n, USER_BEFORE + 9 * n + 5, get(PIC0 + 0));
		now = get(PIC0 + 1);
		check("both", n, get(PIC0 + 0) + now, get(PIC0 + 2));
		if (n > 10)
			check("privileged, one call more", n, 2 * 18, now - before);
		else if (n < 2)
			check("privileged", n, 1, now);
		before = now;
	}
	end_check("window traps of user code are privileged, and exact");
}

// The runtime enters user mode with WRHPR %hpstate, in hyperprivileged mode, and WRPR %pstate, in
// privileged mode. Precise events count them in these modes; their cycles count in the mode that
// they enter (section 10.2, the last programming note).
static void mode_changes(void)
{
	for (uint64_t n = 0; n < 20; n++) {
		start(0, 0, INSTRUCTIONS | ST);
		start(1, 0, CYCLES | ST);
		start(2, 0, INSTRUCTIONS | UT);
		start(3, 0, CYCLES | UT);
		if (n % 2)
			hal_execute_user(10 + n);
		else
			call_user(user_straight, 0);
		put(PCR0 + 0, 0), put(PCR0 + 1, 0), put(PCR0 + 2, 0), put(PCR0 + 3, 0);
		check("privileged instructions", n, 1, get(PIC0 + 0));
		check("privileged cycles", n, 1, get(PIC0 + 1));
		check("user cycles", n, 1 + get(PIC0 + 2), get(PIC0 + 3));
	}
	end_check("an instruction that changes the mode is the old one's, its cycle the new one's");
}

// RETRY is an instruction of the handler, also if it returns to the first user instruction, after a
// WRPR %pstate.
static void returns_are_the_handlers(void)
{
	uint64_t all[2];

	for (unsigned trapping = 0; trapping < 2; trapping++) {
		expect_traps(0);
		start(0, 0, INSTRUCTIONS | ST | HT);
		start(1, 0, INSTRUCTIONS | ST);
		start(2, 0, INSTRUCTIONS | UT);
		start(3, -1ULL, INSTRUCTIONS | UT | (trapping ? TOE : 0));
		hal_execute_user(10);
		put(PCR0 + 0, 0), put(PCR0 + 1, 0), put(PCR0 + 2, 0), put(PCR0 + 3, 0);
		check("traps", trapping, trapping, trap.taken);
		check("privileged", trapping, 1, get(PIC0 + 1));
		all[trapping] = get(PIC0 + 2);
	}
	check("user", 0, all[0], all[1]);
	end_check("a handler's RETRY to the instruction after a WRPR is not counted as one");
}

// The WRPR %pstate that leaves privileged mode overflows. The trap is taken after it has executed,
// with its address and ntc; DONE continues after it.
static void precise_trap_at_a_mode_change(void)
{
	for (unsigned counter = 0; counter < COUNTERS; counter++) {
		expect_traps(0);
		start(counter, -1ULL, INSTRUCTIONS | ST | TOE);
		start((counter + 1) % COUNTERS, 0, INSTRUCTIONS | UT);
		check("the sum of 64", counter, 64, call_user(user_straight, 0));
		check("traps", counter, 1, trap.taken);
		check("precise", counter, true, trap.precise);
		check("ntc", counter, true, trap.executed);
		check("an instruction before user mode", counter, WRPR_PSTATE,
		      instruction_at(trap.ip) & ~WRPR_ANY);
		check("user", counter, USER_BEFORE + 66, stop((counter + 1) % COUNTERS));
		check("privileged", counter, 0, stop(counter));
	}
	end_check("the instruction that leaves privileged mode executes, and traps once");
}

// hal_execute_privileged(n) executes n instructions and a constant number of others; one more
// enters privileged mode.
static void privileged_code(void)
{
	uint64_t user, least = 0;

	start(0, 0, INSTRUCTIONS | UT);
	hal_execute_user(2);
	user = stop(0);
	for (uint64_t n = 2; n < 60; n++) {
		start(0, 0, INSTRUCTIONS | ST);
		start(1, 0, INSTRUCTIONS | UT);
		start(2, 0, CYCLES | ST);
		hal_execute_privileged(n);
		put(PCR0 + 0, 0), put(PCR0 + 1, 0), put(PCR0 + 2, 0);
		if (n == 2)
			least = get(PIC0 + 0);
		check("privileged", n, least + n - 2, get(PIC0 + 0));
		check("user", n, 0, get(PIC0 + 1));
		check("privileged cycles", n, 1 + get(PIC0 + 0), get(PIC0 + 2));
	}
	// The same code, after a WRPR %pstate that counts as privileged, whatever mode it enters.
	check("as in user mode", 0, user + 1, least);
	end_check("privileged code of known length counts its length");
}

static void traps_in_privileged_code(void)
{
	uint64_t all;

	start(1, 0, INSTRUCTIONS | ST);
	hal_execute_privileged(20);
	all = stop(1);
	for (uint64_t k = 1; k <= all; k++)
		for (unsigned asynchronous = 0; asynchronous < 2; asynchronous++) {
			expect_traps(0);
			start(0, -k, (asynchronous ? CYCLES : INSTRUCTIONS) | ST | TOE);
			start(1, 0, INSTRUCTIONS | ST);
			hal_execute_privileged(20);
			check("other count", k, all, stop(1));
			check("traps", k, 1, trap.taken);
			check("level", k, 1, trap.level);
			check("precise", k, !asynchronous, trap.precise);
			// ntc is set at WRHPR and WRPR: the first two cycles, and the first
			// privileged instruction.
			check("ntc", k, asynchronous ? k <= 2 : k == 1, trap.executed);
			stop(0);
		}
	end_check("precise and disrupting traps of privileged code outside of handlers, with their "
		  "mode");
}

// A counter that starts at 2^32 - k overflows at the k-th user instruction: the trap is there, and
// other counts are the same as without it.
static void precise_traps_are_at_the_instruction(void)
{
	for (uint64_t k = USER_BEFORE + 1; k <= USER_BEFORE + 64; k++) {
		uint64_t at = (uintptr_t)user_straight + 4 * (k - USER_BEFORE - 1);

		expect_traps(0);
		start(0, -k, INSTRUCTIONS | UT | TOE);
		start(1, 0, INSTRUCTIONS | UT);
		check("the sum of 64", k, 64, call_user(user_straight, 0));
		check("count", k, USER_BEFORE + 66 - k, stop(0));
		check("other count", k, USER_BEFORE + 66, stop(1));
		check("traps", k, 1, trap.taken);
		check("trap PC", k, at, trap.ip);
		check("precise", k, true, trap.precise);
		check("level", k, 3, trap.level);
		check("ov, not ntc", k, OV, trap.control[0] & (OV | NTC));
	}
	end_check("precise traps are at the instruction that overflows, and lose nothing");
}

static void precise_traps_in_loops(void)
{
	for (uint64_t k = USER_BEFORE + 1; k <= USER_BEFORE + 31; k++) {
		expect_traps(0);
		start(2, -k, INSTRUCTIONS | UT | TOE);
		start(1, 0, INSTRUCTIONS | UT);
		call_user(user_loop, 10);
		check("other count", k, USER_BEFORE + 32, stop(1));
		check("traps", k, 1, trap.taken);
		check("trap PC", k,
		      (uintptr_t)user_loop + 4 * (k == USER_BEFORE + 31 ? 3 :
						  (k - USER_BEFORE - 1) % 3),
		      trap.ip);
		stop(2);
	}
	end_check("also in loops and delay slots");
}

// The privileged count of user_windows(20) without a trap, as in window_traps_are_privileged. Each
// of these instructions then overflows once.
static void precise_traps_in_privileged_code(void)
{
	uint64_t all;

	start(1, 0, INSTRUCTIONS | ST);
	call_user(user_windows, 20);
	all = stop(1);
	for (uint64_t k = 2; k <= all; k++) {
		uint64_t place = (k - 2) % 18;

		expect_traps(0);
		start(0, -k, INSTRUCTIONS | ST | TOE);
		start(1, 0, INSTRUCTIONS | ST);
		start(2, 0, INSTRUCTIONS | UT);
		call_user(user_windows, 20);
		put(PCR0 + 1, 0), put(PCR0 + 2, 0);
		check("privileged", k, all, get(PIC0 + 1));
		check("user", k, USER_BEFORE + 9 * 20 + 5, get(PIC0 + 2));
		check("traps", k, 1, trap.taken);
		check("level", k, 1, trap.level);
		check("place in the table's entry", k, 4 * place, trap.ip % 128);
		stop(0);
	}
	end_check("precise traps in privileged handlers");
}

// An instruction that overflows in user mode may then spill or fill, and its handler may overflow,
// too. The instruction must count once. The traps change the number of spills.
static void precise_traps_in_both(void)
{
	const uint64_t all = USER_BEFORE + 9 * 8 + 5;

	for (uint64_t k = USER_BEFORE + 1; k <= all; k++)
		for (uint64_t j = 2; j < 100; j += 5) {
			expect_traps(0);
			start(0, -k, INSTRUCTIONS | UT | TOE);
			start(1, -j, INSTRUCTIONS | ST | TOE);
			start(2, 0, INSTRUCTIONS | UT);
			start(3, 0, INSTRUCTIONS | ST);
			call_user(user_windows, 8);
			check("user", k, all, stop(2));
			check("user, that overflows", k, all - k, stop(0));
			check("traps", k, 1 + (stop(3) >= j), trap.taken);
			stop(1);
		}
	end_check(
		"precise traps at an instruction and in its handler: the instruction counts once");
}

static void next_to_commit(void)
{
	for (uint64_t k = USER_BEFORE + 1; k <= USER_BEFORE + 8; k++) {
		expect_traps(0);
		start(0, -k, INSTRUCTIONS | UT | TOE);
		start(1, 0, INSTRUCTIONS | UT);
		check("its result", k, 0x700, call_user(user_atomic, 0));
		check("other count", k, USER_BEFORE + 8, stop(1));
		check("traps", k, 1, trap.taken);
		check("trap PC", k, (uintptr_t)user_atomic + 4 * (k - USER_BEFORE - 1), trap.ip);
		check("ntc", k, k == USER_BEFORE + 4, trap.executed);
		stop(0);
	}
	end_check("at a compare and swap ntc is set, it has executed once, and DONE continues "
		  "after it");
}

// Several counters overflow at once: one trap.
static void several_counters(void)
{
	expect_traps(0);
	start(0, -10ULL, INSTRUCTIONS | UT | TOE);
	start(1, -10ULL, INSTRUCTIONS | UT | TOE);
	start(3, -11ULL, INSTRUCTIONS | UT | TOE);
	call_user(user_straight, 0);
	check("traps", 0, 2, trap.taken);
	check("PIC0", 0, USER_BEFORE + 66 - 10, stop(0));
	check("PIC1", 0, USER_BEFORE + 66 - 10, stop(1));
	check("PIC3", 0, USER_BEFORE + 66 - 11, stop(3));
	end_check("counters that overflow together trap once, a later one again");
}

// The trap comes after the k-th cycle; the first cycle is that of the WRPR that enters user mode.
// The emulated processor takes the trap at once.
static void disrupting_traps(void)
{
	for (unsigned leave = 0; leave < 5; leave++)
		for (uint64_t k = USER_BEFORE + 2; k <= USER_BEFORE + 20; k++) {
			expect_traps(leave);
			start(2, -k, CYCLES | UT | TOE);
			start(1, 0, INSTRUCTIONS | UT);
			call_user(user_straight, 0);
			check("other count", k, USER_BEFORE + 66, stop(1));
			check("traps", k, leave + 1, trap.taken);
			check("trap PC", k, (uintptr_t)user_straight + 4 * (k - 1 - USER_BEFORE),
			      trap.ip);
			check("precise", k, false, trap.precise);
			stop(2);
		}
	end_check("disrupting traps come after the cycle, and again while ov is set");
}

static void user_access(void)
{
	uint64_t value;

	start(0, 0, INSTRUCTIONS | UT);
	check("two reads in a row", 0, 1, call_user(user_two_reads, 0));
	check("count of both", 0, USER_BEFORE + 5, stop(0));
	check("a write", 0, 1, call_user(user_write_counter, 0x12345678));
	check("the written value", 0, 0x12345678, get(PIC0 + 1));
	check("open", 0, true, hal_read_counter_user(0, &value));
	put(PCR0, PICNPT);
	check("picnpt", 0, false, hal_read_counter_user(0, &value));
	put(PCR0, PICNHT);
	check("picnht", 0, false, hal_read_counter_user(0, &value));
	put(PCR0, 0);
	check("a counter that there is not", 0, false, hal_read_counter_user(COUNTERS, &value));
	end_check("user code reaches a PIC if its PCR lets it");
}

// A read of a PIC also sets ntc.
static void overflow_at_access(void)
{
	for (uint64_t k = USER_BEFORE + 1; k <= USER_BEFORE + 5; k++) {
		expect_traps(0);
		start(0, 0, INSTRUCTIONS | UT);
		start(1, -k, INSTRUCTIONS | UT | TOE);
		check("two reads in a row", k, 1, call_user(user_two_reads, 0));
		check("count", k, USER_BEFORE + 5, stop(0));
		check("traps", k, 1, trap.taken);
		check("trap PC", k, (uintptr_t)user_two_reads + 4 * (k - USER_BEFORE - 1), trap.ip);
		check("ntc", k, k <= USER_BEFORE + 2, trap.executed);
		stop(1);
	}
	end_check("so do reads of a PIC");
}

// Halts of different lengths execute the same instructions.
static void halt_counts_nothing(void)
{
	uint64_t counts[3], clocks[3];

	for (unsigned i = 0; i < 3; i++) {
		uint64_t from;

		hal_interrupts_disable();
		start(0, 0, CYCLES | UT | ST | HT);
		from = hal_clock();
		hal_alarm(10000 * (i + 1));
		hal_halt(NULL);
		clocks[i] = hal_clock() - from;
		counts[i] = stop(0);
		check("it has waited", i, true, clocks[i] >= 10000 * (i + 1) &&
		      clocks[i] < 10000 * (i + 1) + 2000);
	}
	check("count of the second", 0, counts[0], counts[1]);
	check("count of the third", 0, counts[0], counts[2]);
	end_check("nothing counts in a halt");
}

// Reads a counter of all levels, and then the clock, in instructions.
static void read_both(uint64_t *count, uint64_t *clock)
{
	__asm__ volatile("ldxa [%%g0] 0xB0, %0\n\trd %%stick, %1" : "=&r"(*count), "=r"(*clock));
	*clock = hal_instructions(*clock);
}

static void clock_agrees(void)
{
	uint64_t count[2], clock[2];

	start(0, 0, INSTRUCTIONS | UT | ST | HT);
	for (uint64_t n = 0; n < 30; n++) {
		read_both(&count[0], &clock[0]);
		call_user(user_windows, n);
		read_both(&count[1], &clock[1]);
		check("count", n, clock[1] - clock[0], count[1] - count[0]);
	}
	stop(0);
	end_check("a counter of all levels and the clock agree, whatever traps occur");
}

// 3 * 4 + 2 instructions: a taken branch executes its delay slot.
static void precise_traps_and_annulled(void)
{
	static const unsigned place[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 3, 4, 5};
	const uint64_t all = sizeof place / sizeof *place;

	for (uint64_t k = 1; k <= all; k++) {
		expect_traps(0);
		start(2, -(USER_BEFORE + k), INSTRUCTIONS | UT | TOE);
		start(1, 0, INSTRUCTIONS | UT);
		call_user(user_annulled, 4);
		check("other count", k, USER_BEFORE + all, stop(1));
		check("traps", k, 1, trap.taken);
		check("trap PC", k, (uintptr_t)user_annulled + 4 * place[k - 1], trap.ip);
		stop(2);
	}
	end_check("precise traps where delay slots are annulled");
}

// A trap after each cycle of hyperprivileged code with interrupts on: each is one instruction later
// than the last one.
static void disrupting_traps_in_hyperprivileged_code(void)
{
	uint64_t last = 0;

	arch_interrupts_enable();
	for (uint64_t k = 5; k <= 60; k++) {
		uint64_t from, to;

		expect_traps(0);
		start(2, -k, CYCLES | HT | TOE);
		__asm__ volatile("rd %%pc, %0\n\t.rept 80\n\tnop\n\t.endr\n\trd %%pc, %1"
				 : "=r"(from), "=r"(to) : : "memory");
		put(PCR0 + 2, 0);
		check("traps", k, 1, trap.taken);
		check("level", k, 0, trap.level);
		check("precise", k, false, trap.precise);
		check("inside", k, true, trap.ip > from && trap.ip <= to);
		check("one on", k, last ? last + 4 : trap.ip, trap.ip);
		last = trap.ip;
	}
	arch_interrupts_disable();
	end_check("disrupting traps of hyperprivileged code with interrupts on");
}

// An interrupt waits for user mode. The WRPR %pstate that enters user mode overflows, and its trap
// comes first, at the WRPR. DONE enters user mode, where the interrupt is taken.
static void precise_trap_before_interrupt(void)
{
	for (unsigned waits = 0; waits < 2; waits++) {
		expect_traps(0);
		start(0, -1ULL, INSTRUCTIONS | ST | TOE);
		start(1, 0, INSTRUCTIONS | UT);
		hal_alarm(waits);
		check("the sum of 64", waits, 64, call_user(user_straight, 0));
		check("traps", waits, 1, trap.taken);
		check("at the WRPR", waits, WRPR_PSTATE, instruction_at(trap.ip) & ~WRPR_ANY);
		check("ntc", waits, true, trap.executed);
		check("user", waits, USER_BEFORE + 66, stop(1));
		stop(0);
	}
	end_check("the trap of the instruction before an interrupt comes before it");
}

// An access takes the time of one instruction on the clock. Eight ticks are five instructions; five
// of the ten here are accesses.
static void accesses_take_time(void)
{
	uint64_t before, after, reads;

	__asm__ volatile("rd %%stick, %0\n\t"
			 "ldxa [%%g0] 0xB0, %2\n\tldxa [%%g0] 0xB0, %2\n\tldxa [%%g0] 0xB0, %2\n\t"
			 "stxa %%g0, [%%g0] 0xB0\n\tstxa %%g0, [%%g0] 0xB0\n\t"
			 "nop\n\tnop\n\tnop\n\tnop\n\trd %%stick, %1" : "=&r"(before), "=&r"(after),
			 "=&r"(reads));
	check("ticks of ten instructions", 0, 16, after - before);
	end_check("accesses to the PMU take their time on the clock");
}

void boot_main(const struct arch_handover *handover)
{
	static struct board_end board_end;
	static struct summary summary;

	fault_start(&summary, &board_end);
	memory_start(handover->memory_end);
	system_start();
	hal_interrupts_start();
	hal_pmi_attach(take_trap, HAL_PMI_VECTOR);
	for (unsigned i = 0; i < COUNTERS; i++)
		put(PCR0 + i, 0);
	user_code_counts_its_length();
	cycles_are_instructions();
	mode_changes();
	returns_are_the_handlers();
	precise_trap_at_a_mode_change();
	privileged_code();
	traps_in_privileged_code();
	window_traps_are_privileged();
	precise_traps_are_at_the_instruction();
	precise_traps_in_loops();
	precise_traps_in_privileged_code();
	precise_traps_in_both();
	next_to_commit();
	several_counters();
	disrupting_traps();
	user_access();
	overflow_at_access();
	halt_counts_nothing();
	clock_agrees();
	precise_traps_and_annulled();
	precise_trap_before_interrupt();
	accesses_take_time();
	check_announcement();
	check_kinds();
	disrupting_traps_in_hyperprivileged_code();
	printf("1..%u\n", checks_ended());
	printf("# clock %" PRIu64 "\n", hal_clock());
	fflush(stdout);
	hal_exit(checks_failed() != 0);
}
