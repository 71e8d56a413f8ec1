// SPDX-License-Identifier: BSD-2-Clause
// Starts the monitor beneath the running program: puts its trap tables in front of the program's, and has the emulator
// start the PMU.

#include "arch.h"
#include "calls.h"
#include "frame.h"
#include "hal.h"
#include "monitor.h"
#include "sparc64/registers.h"
#include "sparc64/traps.h"

#define PHASES			5	/* of the clock: as many instructions are 8 ticks */

static bool emulating;

const char *hal_backend(void)
{
	return emulating ? "QEMU, hyperprivileged monitor, unit clock" : "silicon";
}

bool hal_event_happens(bool shared, uint16_t code, uint8_t umask)
{
	return !emulating || hyper_pmu_event_happens(code | (uint32_t)umask << 16 | (shared ? MAILBOX_SHARED : 0));
}

struct hal_overhead hal_overhead(void)
{
	return (struct hal_overhead){.exits = hyper_monitor.exits, .clocks = hyper_monitor.own * 8 / 5};
}

uint64_t hal_instructions(uint64_t clock)
{
	return emulating ? hyper_instructions(clock) : clock;
}

static uint64_t tick(void)
{
	uint64_t ticks;

	__asm__ volatile("rd %%tick, %0" : "=r"(ticks));
	return hyper_instructions(ticks);
}

// Not inlined: the code around the loop must be the same each time.
__attribute__((noinline)) static uint64_t instructions_of(uint64_t n)
{
	uint64_t start = tick();

	arch_execute(n);
	return tick() - start;
}

// A clock of 1.6 ticks an instruction, from reset on, says exactly how many there were.
static bool clock_counts_instructions(void)
{
	uint64_t least = instructions_of(100);

	for (uint64_t n = 101; n < 100 + 2 * PHASES; n++)
		if (instructions_of(n) - least != n - 100)
			return false;
	return true;
}

// Ten instructions of which two trap: 16 ticks.
static uint64_t clock_of_accesses(void)
{
	uint64_t before, after;

	__asm__ volatile("rd %%stick, %0\n\t"
			 "ldxa [%%g0] %2, %%g0\n\t"
			 "nop; nop; nop\n\t"
			 "ldxa [%%g0] %2, %%g0\n\t"
			 "nop; nop; nop; nop\n\t"
			 "rd %%stick, %1"
			 : "=&r"(before), "=r"(after) : "i"(0x64));
	return after - before;
}

// The guest sees its own instructions only, whatever the clock's phase.
static bool clock_is_exact(void)
{
	bool exact = true;

	clock_of_accesses();	// with the first trap it begins
	for (unsigned n = 0; n < 2 * PHASES; n++) {
		arch_execute(2 + n);
		exact &= clock_of_accesses() == 16;
	}
	return exact;
}

static void put_entry(uint32_t *table, unsigned number, const uint32_t *code, const uint32_t *end)
{
	uint32_t *to = table + ((size_t)number << HYPER_ENTRY_SHIFT) / sizeof *to;

	for (; code < end; code++, to++) {
		*to = *code;
		__asm__ volatile("flush %0" : : "r"(to) : "memory");
	}
}

static void make_tables(void)
{
	for (unsigned i = 0; i < HYPER_PRIVILEGED_ENTRIES; i++)
		put_entry(hyper_privileged_table, i, hyper_any, hyper_raise);
	for (unsigned i = 0; i < HYPER_HYPERPRIVILEGED_ENTRIES; i++)
		put_entry(hyper_hyperprivileged_table, i, hyper_any, hyper_raise);
	put_entry(hyper_hyperprivileged_table, TT_SOFTWARE + HYPER_TRAP_RAISE, hyper_raise, hyper_enter);
	put_entry(hyper_hyperprivileged_table, TT_SOFTWARE + HYPER_TRAP_ENTER, hyper_enter, hyper_entries_end);
}

static void set_tables(uint64_t htba, uint64_t tba)
{
	__asm__ volatile("wrhpr %0, 0, %%htba; wrpr %1, 0, %%tba" : : "r"(htba), "r"(tba));
}

static void install(void)
{
	struct hyper_monitor *m = &hyper_monitor;

	make_tables();
	m->guest = hyper_instructions(hal_clock());
	__asm__ volatile("rdhpr %%htba, %0" : "=r"(m->htba));
	__asm__ volatile("rdpr %%tba, %0" : "=r"(m->tba));
	set_tables((uintptr_t)hyper_hyperprivileged_table, (uintptr_t)hyper_privileged_table);
}

static const char *start(const char *target, const char *fault)
{
	return clock_is_exact() ? hyper_pmu_start(target, fault) : "the monitor's clock does not calibrate";
}

const char *hal_emulate(const char *target, const char *fault)
{
	const char *problem;

	if (!clock_counts_instructions())
		return "its clock does not count instructions: QEMU needs -icount shift=4";
	hyper_pmu_prepare();
	install();
	problem = start(target, fault);
	if (problem) {
		set_tables(hyper_monitor.htba, hyper_monitor.tba);
		return problem;
	}
	emulating = true;
	return NULL;
}
