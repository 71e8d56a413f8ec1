// SPDX-License-Identifier: BSD-2-Clause
// Self test of Knights Corner's core PMU. Each expected value follows from the guide's rules (regs.h) and the number of
// instructions executed. An instruction that starts counting with its write of a control register is not counted, one
// that stops it is: n instructions between two writes count n + 1.

#include "selftest.h"

#include "hal.h"
#include "regs.h"

#define COUNTERS	KNC_COUNTERS
#define BOTH		FIELD_MASK(0, KNC_COUNTERS)
#define COUNT		FIELD(IA32_PERFCNTR, COUNT)
#define LEVELS		(EVENT_USER | EVENT_OS)

extern const struct pmu_driver pmu_driver_knc;
extern const struct selftest_suite selftest_suite_knc;

//
// Registers
//

SELFTEST_REGISTERS(KNC_REGISTERS, SELFTEST_NUMBERED)

// IA32_PERF_GLOBAL_OVF_CTRL cannot be read: it has no reset value to look at. The time-stamp counter runs: it has
// checks of its own.
static const struct selftest_exception exceptions[] = {
	{.address = MSR_IA32_TIME_STAMP_COUNTER, .count = 1, .left_out = true},
	{.address = MSR_IA32_PERF_GLOBAL_OVF_CTRL, .count = 1, .unknown = ~0ULL},
};

static struct selftest_result check_read_fault(unsigned address)
{
	uint64_t value;

	return selftest_compare(1, !reg_read(address, &value));
}

//
// Steps of a check
//

static uint64_t bit(unsigned counter)
{
	return 1ULL << counter;
}

static uint64_t select(unsigned umask, unsigned code, unsigned modifiers, unsigned cmask)
{
	return FIELD_PUT(IA32_PERFEVTSEL, EVENT, code) | FIELD_PUT(IA32_PERFEVTSEL, UMASK, umask) |
	       FIELD_PUT(IA32_PERFEVTSEL, CMASK, cmask) |
	       FIELD_PUT(IA32_PERFEVTSEL, USR, !!(modifiers & EVENT_USER)) |
	       FIELD_PUT(IA32_PERFEVTSEL, OS, !!(modifiers & EVENT_OS)) |
	       FIELD_PUT(IA32_PERFEVTSEL, THREAD_COUNT_MODE, !!(modifiers & EVENT_ANY)) |
	       FIELD_PUT(IA32_PERFEVTSEL, INV, !!(modifiers & EVENT_INV)) |
	       FIELD_PUT(IA32_PERFEVTSEL, E, !!(modifiers & EVENT_EDGE)) | FIELD(IA32_PERFEVTSEL, EN);
}

static void set_event(unsigned counter, uint64_t value)
{
	selftest_write(MSR_IA32_PERFEVTSEL + counter, value);
}

static void set_count(unsigned counter, uint64_t count)
{
	selftest_write(MSR_IA32_PERFCNTR + counter, count & COUNT);
}

static uint64_t count_of(unsigned counter)
{
	return selftest_read(MSR_IA32_PERFCNTR + counter);
}

// Sets a counter up to count executed instructions from `start`.
static void set_counter(unsigned counter, unsigned modifiers, bool interrupt, uint64_t start)
{
	set_event(counter, select(KNC_UMASK_P54C, KNC_EVENT_RETIRED, modifiers, 0) |
			   FIELD_PUT(IA32_PERFEVTSEL, INT, interrupt));
	set_count(counter, start);
}

static void enable(uint64_t counters)
{
	selftest_write(MSR_IA32_PERF_GLOBAL_CTRL, counters);
}

static uint64_t overflow_status(void)
{
	return selftest_read(MSR_IA32_PERF_GLOBAL_STATUS);
}

static void clear(uint64_t overflowed)
{
	selftest_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, overflowed);
}

// Counts with the given counters over exactly n instructions at the highest level.
static void count_between(uint64_t counters, uint64_t n)
{
	selftest_execute_between(MSR_IA32_PERF_GLOBAL_CTRL, counters, 0, n);
}

// The same over n instructions at the lowest level and some constant number at the highest.
static void count_user(uint64_t counters, uint64_t n)
{
	enable(counters);
	hal_execute_user(n);
	enable(0);
}

// What a counter counts over 100 instructions, as it has been set up.
static struct selftest_result compare_100(uint64_t expected, unsigned counter)
{
	count_between(bit(counter), 100);
	return selftest_compare(expected, count_of(counter));
}

//
// Counters
//

static struct selftest_result check_write(unsigned counter)
{
	set_count(counter, 0x80000000);
	return selftest_compare(0x80000000, count_of(counter));
}

static struct selftest_result check_wrap(unsigned counter)
{
	set_counter(counter, LEVELS, false, -1ULL);
	return compare_100(100, counter);
}

static struct selftest_result check_exact(unsigned counter)
{
	const uint64_t n = 3000;

	set_counter(counter, LEVELS, false, 0);
	count_between(bit(counter), n);
	return selftest_compare(n + 1, count_of(counter));
}

static uint64_t clock(void)
{
	return selftest_read(MSR_IA32_TIME_STAMP_COUNTER);
}

// What a counter counts over n instructions in cycles, and how far the clock gets with that.
static uint64_t count_cycles(unsigned counter, uint64_t n, uint64_t *clocks)
{
	const uint64_t before = clock();

	set_event(counter, select(KNC_UMASK_P54C, KNC_EVENT_CYCLES, LEVELS, 0));
	set_count(counter, 0);
	count_between(bit(counter), n);
	*clocks = clock() - before;
	return count_of(counter);
}

// How many cycles instructions take is the processor's business: as many more as its clock says (Table 1-3: core clock
// cycles), whatever is around them.
static struct selftest_result check_cycles(unsigned counter)
{
	uint64_t short_clocks, clocks;
	const uint64_t short_count = count_cycles(counter, 1000, &short_clocks);
	const uint64_t count = count_cycles(counter, 3000, &clocks);

	selftest_require(clocks > short_clocks);
	return selftest_compare(clocks - short_clocks, count - short_count);
}

static struct selftest_result check_rdpmc(unsigned counter)
{
	const uint64_t expected = 0xF00DFACE5A + counter;

	set_count(counter, expected);
	return selftest_compare(expected, selftest_read_counter(counter));
}

static struct selftest_result check_rdpmc_fault(unsigned index)
{
	uint64_t value;

	return selftest_compare(1, !reg_read_counter(index, &value));
}

static struct selftest_result check_enable(unsigned counter)
{
	set_counter(counter, LEVELS, false, 0);
	set_event(counter, selftest_read(MSR_IA32_PERFEVTSEL + counter) & ~FIELD(IA32_PERFEVTSEL, EN));
	return compare_100(0, counter);
}

// The other counter is enabled; this one must stand still.
static struct selftest_result check_global(unsigned counter)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		set_counter(i, LEVELS, false, 0);
	count_between(BOTH & ~bit(counter), 100);
	return selftest_compare(0, count_of(counter));
}

// Table 1-5, Event Select: "also do not increment the counters". No event has code 05H and unit mask 00H.
static struct selftest_result check_illegal(unsigned counter)
{
	set_event(counter, select(KNC_UMASK_P54C, 0x05, LEVELS, 0));
	return compare_100(0, counter);
}

// The vector unit's instructions have the code of all instructions, and there are none here.
static struct selftest_result check_unit(unsigned counter)
{
	set_event(counter, select(KNC_UMASK_VPU, KNC_EVENT_RETIRED, LEVELS, 0));
	return compare_100(0, counter);
}

//
// Qualification
//

static struct selftest_result check_os_at_os(unsigned counter)
{
	set_counter(counter, EVENT_OS, false, 0);
	return compare_100(101, counter);
}

static struct selftest_result check_user_at_os(unsigned counter)
{
	set_counter(counter, EVENT_USER, false, 0);
	return compare_100(0, counter);
}

// What 2000 more instructions at the lowest level add: whatever the way there and back counts drops out.
static uint64_t user_difference(unsigned counter, unsigned levels)
{
	uint64_t short_count;

	set_counter(counter, levels, false, 0);
	count_user(bit(counter), 1000);
	short_count = count_of(counter);
	set_count(counter, 0);
	count_user(bit(counter), 3000);
	return count_of(counter) - short_count;
}

static struct selftest_result check_user_at_user(unsigned counter)
{
	return selftest_compare(2000, user_difference(counter, EVENT_USER));
}

static struct selftest_result check_os_at_user(unsigned counter)
{
	return selftest_compare(0, user_difference(counter, EVENT_OS));
}

// Interrupts come while level 3 counts, and their handler does not.
static struct selftest_result check_user_interrupted(unsigned counter)
{
	uint64_t undisturbed;

	set_counter(counter, EVENT_USER, false, 0);
	count_user(bit(counter), 10000);
	undisturbed = count_of(counter);
	set_count(counter, 0);
	hal_alarm(5000);
	count_user(bit(counter), 10000);
	return selftest_compare(undisturbed, count_of(counter));
}

// Event 0 of unit mask 0 is data reads, an event like any other: the instructions between the writes make none, so that
// it is less than 1 in each cycle. The other counter counts these.
static struct selftest_result check_event_0(unsigned counter)
{
	const unsigned other = !counter;

	set_event(counter, select(KNC_UMASK_P54C, KNC_EVENT_DATA_READ, LEVELS | EVENT_INV, 1));
	set_event(other, select(KNC_UMASK_P54C, KNC_EVENT_CYCLES, LEVELS, 0));
	count_between(BOTH, 1000);
	selftest_require(count_of(other) > 0);
	return selftest_compare(count_of(other), count_of(counter));
}

// Counter 0 with a threshold on the cycles of counter 1. They are one in each cycle: they reach 1 always, and 2 never.
static struct selftest_result threshold(unsigned modifiers, unsigned cmask, bool all_cycles)
{
	set_event(0, select(KNC_UMASK_P54C, KNC_EVENT_CYCLES, LEVELS | modifiers, cmask));
	set_event(1, select(KNC_UMASK_P54C, KNC_EVENT_CYCLES, LEVELS, 0));
	count_between(BOTH, 1000);
	return selftest_compare(all_cycles ? count_of(1) : 0, count_of(0));
}

static struct selftest_result check_reached(unsigned cmask)
{
	return threshold(0, cmask, true);
}

static struct selftest_result check_missed(unsigned cmask)
{
	return threshold(0, cmask, false);
}

static struct selftest_result check_inverted_reached(unsigned cmask)
{
	return threshold(EVENT_INV, cmask, false);
}

static struct selftest_result check_inverted_missed(unsigned cmask)
{
	return threshold(EVENT_INV, cmask, true);
}

// Cycles at the lowest level begin anew with each visit there: those of one visit are one assertion.
static struct selftest_result check_edge(unsigned cmask)
{
	const unsigned visits = 10;

	set_event(0, select(KNC_UMASK_P54C, KNC_EVENT_CYCLES, EVENT_USER | EVENT_EDGE, cmask));
	hal_execute(10);	// whatever held before has ended
	enable(bit(0));
	for (unsigned i = 0; i < visits; i++)
		hal_execute_user(100);
	enable(0);
	return selftest_compare(visits, count_of(0));
}

//
// SPFLT
//

#define PREFERRED FIELD(PERF_SPFLT_CONTROL, USER_PREF)

// A counter of executed instructions with this in PERF_SPFLT_CONTROL.
static void set_filtered(unsigned counter, uint64_t control)
{
	set_counter(counter, LEVELS, false, 0);
	selftest_write(MSR_PERF_SPFLT_CONTROL, control);
}

static struct selftest_result check_not_preferred(unsigned counter)
{
	set_filtered(counter, bit(counter));
	return compare_100(0, counter);
}

static struct selftest_result check_preferred(unsigned counter)
{
	set_filtered(counter, bit(counter) | PREFERRED);
	return compare_100(101, counter);
}

// The other counter is left to the program, this one is not.
static struct selftest_result check_not_left(unsigned counter)
{
	set_filtered(counter, BOTH & ~bit(counter));
	return compare_100(101, counter);
}

static struct selftest_result check_spflt_set(unsigned counter)
{
	set_filtered(counter, bit(counter));
	selftest_require(hal_spflt(true));
	return compare_100(101, counter);
}

static struct selftest_result check_spflt_clear(unsigned counter)
{
	set_filtered(counter, bit(counter) | PREFERRED);
	selftest_require(hal_spflt(false));
	return compare_100(0, counter);
}

static struct selftest_result check_spflt_register(unsigned enables)
{
	selftest_write(MSR_PERF_SPFLT_CONTROL, enables);
	selftest_require(hal_spflt(true));
	return selftest_compare(PREFERRED | enables, selftest_read(MSR_PERF_SPFLT_CONTROL));
}

// What is counted over n instructions and some constant number, which the program has enclosed, of all that run.
static uint64_t count_enclosed(unsigned counter, uint64_t n)
{
	set_filtered(counter, bit(counter));
	enable(bit(counter));
	hal_execute(500);
	hal_spflt(true);
	hal_execute(n);
	hal_spflt(false);
	hal_execute(500);
	enable(0);
	return count_of(counter);
}

static struct selftest_result check_enclosed(unsigned counter)
{
	const uint64_t short_count = count_enclosed(counter, 1000);

	selftest_require(short_count < 1500);
	return selftest_compare(2000, count_enclosed(counter, 3000) - short_count);
}

//
// Overflow
//

static struct selftest_result check_status(unsigned counter)
{
	set_counter(counter, LEVELS, false, -1ULL);
	count_between(bit(counter), 100);
	return selftest_compare(bit(counter), overflow_status());
}

// Each bit stays until it is cleared: whatever is read, written to the counter, counted.
static struct selftest_result check_sticky(unsigned counter)
{
	check_status(counter);
	set_count(counter, 0);
	count_between(bit(counter), 100);
	clear(0);
	return selftest_compare(bit(counter), overflow_status());
}

static struct selftest_result check_write_pending(unsigned counter)
{
	check_status(counter);
	set_count(counter, 12345);
	return selftest_compare(12345, count_of(counter));
}

static struct selftest_result check_residue(unsigned counter)
{
	set_counter(counter, LEVELS, false, -100ULL);
	count_between(bit(counter), 1000);
	return selftest_compare(901, count_of(counter));
}

static void overflow_both(bool interrupt)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		set_counter(i, LEVELS, interrupt, -50ULL);
	count_between(BOTH, 1000);
}

static struct selftest_result check_simultaneous(unsigned unused)
{
	(void)unused;
	overflow_both(false);
	return selftest_compare(BOTH, overflow_status());
}

static struct selftest_result check_clear_one(unsigned counter)
{
	overflow_both(false);
	clear(bit(counter));
	return selftest_compare(BOTH & ~bit(counter), overflow_status());
}

static struct selftest_result check_clear_both(unsigned unused)
{
	(void)unused;
	overflow_both(false);
	clear(BOTH);
	return selftest_compare(0, overflow_status());
}

//
// The line to the APIC, and interrupts. The handlers look at the hardware alone.
//

static volatile unsigned interrupts_seen[HAL_CPUS];
static volatile uint64_t status_seen, control_seen;

static unsigned seen(void)
{
	return interrupts_seen[hal_cpu()];
}

static void watch(hal_pmi_function *handler, enum hal_pmi_delivery delivery)
{
	for (unsigned i = 0; i < HAL_CPUS; i++)
		interrupts_seen[i] = 0;
	status_seen = control_seen = 0;
	hal_pmi_attach(handler, delivery);
}

// Stops all, clears what has overflowed.
static void stop_and_clear(void)
{
	interrupts_seen[hal_cpu()]++;
	control_seen = selftest_read(MSR_IA32_PERF_GLOBAL_CTRL);
	enable(0);
	status_seen = overflow_status();
	clear(status_seen);
}

// Leaves the vector's entry masked, as its delivery has.
static void on_masked(uint64_t ip, unsigned level)
{
	(void)ip, (void)level;
	stop_and_clear();
	hal_pmi_end();
}

// The whole protocol, but for the start.
static void on_served(uint64_t ip, unsigned level)
{
	(void)ip, (void)level;
	stop_and_clear();
	hal_pmi_unmask();
	hal_pmi_end();
}

// Takes its time before it stops anything.
static void on_slow(uint64_t ip, unsigned level)
{
	hal_execute(500);
	on_served(ip, level);
}

// Starts counter 0 again, so that it overflows at once; the second time not.
static void on_restarted(uint64_t ip, unsigned level)
{
	on_served(ip, level);
	if (seen() > 1)
		return;
	set_count(0, -1ULL);
	enable(bit(0));
}

// Clears nothing.
static void on_left(uint64_t ip, unsigned level)
{
	(void)ip, (void)level;
	interrupts_seen[hal_cpu()]++;
	hal_pmi_unmask();
	hal_pmi_end();
}

static void overflow_once(unsigned counter, bool interrupt)
{
	set_counter(counter, LEVELS, interrupt, -50ULL);
	count_between(bit(counter), 1000);
}

static struct selftest_result check_interrupt(unsigned counter)
{
	watch(on_masked, HAL_PMI_VECTOR);
	overflow_once(counter, true);
	return selftest_compare(1, seen());
}

static struct selftest_result check_no_interrupt(unsigned counter)
{
	watch(on_masked, HAL_PMI_VECTOR);
	overflow_once(counter, false);
	return selftest_compare(0, seen());
}

static struct selftest_result check_nmi(unsigned counter)
{
	bool interrupts = hal_interrupts_disable();

	watch(on_masked, HAL_PMI_NMI);
	overflow_once(counter, true);
	hal_interrupts_restore(interrupts);
	return selftest_compare(1, seen());
}

// This hardware does not freeze.
static struct selftest_result check_no_freeze(unsigned counter)
{
	watch(on_masked, HAL_PMI_VECTOR);
	overflow_once(counter, true);
	return selftest_compare(bit(counter), control_seen);
}

// The local vector table's entry is masked on delivery, and a second overflow is not delivered.
static struct selftest_result check_mask(unsigned counter)
{
	watch(on_masked, HAL_PMI_VECTOR);
	overflow_once(counter, true);
	overflow_once(counter, true);
	return selftest_compare(1, seen());
}

// When the status has been cleared the line has fallen, and can rise again.
static struct selftest_result check_again(unsigned counter)
{
	watch(on_served, HAL_PMI_VECTOR);
	overflow_once(counter, true);
	overflow_once(counter, true);
	return selftest_compare(2, seen());
}

// What comes while the entry is masked is not delivered later; the status still has it.
static struct selftest_result check_masked_status(unsigned counter)
{
	watch(on_masked, HAL_PMI_VECTOR);
	hal_pmi_mask();
	overflow_once(counter, true);
	hal_pmi_unmask();
	hal_execute(10);
	selftest_require(!seen());
	return selftest_compare(bit(counter), overflow_status());
}

static struct selftest_result check_both_once(unsigned unused)
{
	(void)unused;
	watch(on_served, HAL_PMI_VECTOR);
	overflow_both(true);
	return selftest_compare(1, seen());
}

static struct selftest_result check_both_seen(unsigned unused)
{
	(void)unused;
	watch(on_served, HAL_PMI_VECTOR);
	overflow_both(true);
	return selftest_compare(BOTH, status_seen);
}

// The guide, 1.4.3.9: the other counter overflows while the interrupt of the first is being served. The handler finds
// both, and no second interrupt follows.
static void overflow_rapidly(void)
{
	watch(on_slow, HAL_PMI_VECTOR);
	set_counter(0, LEVELS, true, -50ULL);
	set_counter(1, LEVELS, true, -300ULL);
	count_between(BOTH, 1000);
	hal_execute(10);
}

static struct selftest_result check_rapid_seen(unsigned unused)
{
	(void)unused;
	overflow_rapidly();
	return selftest_compare(BOTH, status_seen);
}

static struct selftest_result check_rapid_once(unsigned unused)
{
	(void)unused;
	overflow_rapidly();
	return selftest_compare(1, seen());
}

static struct selftest_result check_restarted(unsigned unused)
{
	(void)unused;
	watch(on_restarted, HAL_PMI_VECTOR);
	overflow_once(0, true);
	hal_execute(10);
	return selftest_compare(2, seen());
}

// While the line is up another overflow asks for nothing.
static struct selftest_result check_line_up(unsigned unused)
{
	(void)unused;
	watch(on_left, HAL_PMI_VECTOR);
	overflow_once(0, true);
	overflow_once(1, true);
	return selftest_compare(1, seen());
}

// It is one line for both: it falls when neither counter's status is left.
static struct selftest_result check_line_shared(unsigned counter)
{
	watch(on_left, HAL_PMI_VECTOR);
	overflow_both(true);
	clear(bit(counter));
	overflow_once(counter, true);
	selftest_require(seen() == 1);
	clear(BOTH);
	overflow_once(counter, true);
	return selftest_compare(2, seen());
}

//
// The core's other threads
//

#define CPU_CLOCKS (1ULL << 30)

// The CPU that is the core's n-th thread behind this one.
static unsigned cpu_of_thread(unsigned n)
{
	const unsigned cpus = hal_cpus_start();
	unsigned own_core, own_thread, core, thread;

	hal_topology(hal_cpu(), &own_core, &own_thread);
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		hal_topology(cpu, &core, &thread);
		if (core == own_core && thread == (own_thread + n) % KNC_THREADS)
			return cpu;
	}
	selftest_skip("this core has no such thread");
	return hal_cpu();
}

static void begin_there(void *unused)
{
	(void)unused;
	selftest_require(pmu_begin(&pmu_driver_knc, false) == PMU_OK);
}

static void call(unsigned cpu, void (*function)(void *argument), void *argument)
{
	if (cpu == hal_cpu())
		return;
	hal_cpu_call(cpu, function, argument);
	selftest_require(hal_cpus_wait(1u << cpu, CPU_CLOCKS));
}

// Puts something into each of the thread's registers, with EN and without counting.
static void fill_registers(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < COUNTERS; i++)
		set_counter(i, LEVELS | EVENT_ANY, true, 1000);
	selftest_write(MSR_PERF_SPFLT_CONTROL, PREFERRED | BOTH);
	set_count(0, -50ULL);
	hal_pmi_mask();
	count_between(bit(0), 1000);
	enable(bit(1));
	enable(BOTH);
}

// Whatever another thread writes, this one's registers stay as reset has left them.
static struct selftest_result check_own_registers(unsigned n)
{
	const unsigned cpu = cpu_of_thread(n);
	struct selftest_register own[SELFTEST_REGISTERS_MAX];
	const unsigned count = selftest_registers(&selftest_suite_knc, own);
	uint64_t found = 0;

	call(cpu, begin_there, NULL);
	call(cpu, fill_registers, NULL);
	for (size_t i = 0; i < count; i++)
		if (own[i].defined)
			found |= selftest_read(own[i].address);
	call(cpu, begin_there, NULL);
	return selftest_compare(0, found);
}

static uint64_t counted_there;

// Leaves both counters stopped.
static void count_user_there(void *unused)
{
	(void)unused;
	set_counter(0, EVENT_USER, false, 0);
	count_user(bit(0), 1000);
	counted_there = count_of(0);
}

// Only another thread executes at level 3: what a counter of this one sees of that.
static uint64_t count_from_here(unsigned n, unsigned modifiers)
{
	const unsigned cpu = cpu_of_thread(n);

	counted_there = 0;
	call(cpu, begin_there, NULL);
	set_counter(0, EVENT_USER | modifiers, false, 0);
	enable(bit(0));
	call(cpu, count_user_there, NULL);
	enable(0);
	selftest_require(counted_there >= 1000);
	return count_of(0);
}

static struct selftest_result check_any_thread(unsigned n)
{
	const uint64_t counted_here = count_from_here(n, EVENT_ANY);

	return selftest_compare(counted_there, counted_here);
}

static struct selftest_result check_own_thread(unsigned n)
{
	return selftest_compare(0, count_from_here(n, 0));
}

static void overflow_there(void *unused)
{
	(void)unused;
	watch(on_served, HAL_PMI_VECTOR);
	overflow_once(0, true);
}

// An overflow interrupts its own thread: as a bit for each that has been.
static struct selftest_result check_own_line(unsigned n)
{
	const unsigned cpu = cpu_of_thread(n);
	uint64_t found = 0;

	watch(on_served, HAL_PMI_VECTOR);
	call(cpu, overflow_there, NULL);
	hal_execute(10);
	for (unsigned i = 0; i < HAL_CPUS; i++)
		found |= (uint64_t)(interrupts_seen[i] != 0) << i;
	call(cpu, begin_there, NULL);
	return selftest_compare(1ULL << cpu, found);
}

//
// The time-stamp counter, which is hal_clock
//

#define JUMP	(1ULL << 40)	/* some minutes */

static uint64_t clocks_of(uint64_t n)
{
	const uint64_t before = clock();

	hal_execute(n);
	return clock() - before;
}

// It does not depend on IA32_PERF_GLOBAL_CTRL, which is 0 (Table 1-2): as many more as a counter counts cycles.
static struct selftest_result check_clock_runs(unsigned unused)
{
	const uint64_t clocks = clocks_of(1000), more = clocks_of(3000) - clocks;
	uint64_t ignored;
	const uint64_t count = count_cycles(0, 1000, &ignored);

	(void)unused;
	selftest_require(more > 0);
	return selftest_compare(count_cycles(0, 3000, &ignored) - count, more);
}

static void set_clock(uint64_t value)
{
	selftest_write(MSR_IA32_TIME_STAMP_COUNTER, value);
}

#define FEW_CYCLES 4096

// Nobody else looks at it meanwhile; it goes on but for the few cycles that this takes.
static struct selftest_result check_clock_written(unsigned unused)
{
	const bool interrupts = hal_interrupts_disable();
	const uint64_t before = clock();
	uint64_t after;

	(void)unused;
	set_clock(before + JUMP);
	after = clock();
	set_clock(after - JUMP);
	hal_interrupts_restore(interrupts);
	return selftest_compare(JUMP / FEW_CYCLES, (after - before) / FEW_CYCLES);
}

static uint64_t clock_there;

static void read_clock_there(void *unused)
{
	(void)unused;
	clock_there = clock();
}

static struct selftest_result check_clock_shared(unsigned n)
{
	const unsigned cpu = cpu_of_thread(n);
	const uint64_t before = clock();

	clock_there = 0;
	set_clock(before + JUMP);
	call(cpu, read_clock_there, NULL);
	set_clock(clock() - JUMP);
	return selftest_compare(1, (clock_there - before) / JUMP);
}

//
// The runtime on top: sessions, throttling, the light halt
//

// Two counters that both sample: what 20000 more instructions at the lowest level add.
static uint64_t sample_both(unsigned event, uint64_t n)
{
	uint64_t count;

	pmu_begin(&pmu_driver_knc, false);
	selftest_start("INSTRUCTIONS_EXECUTED:u:period=1000,INSTRUCTIONS_EXECUTED:u:period=1000");
	hal_execute_user(n);
	selftest_stop();
	count = selftest_count(event);
	return count;
}

static struct selftest_result check_session_both(unsigned event)
{
	const uint64_t short_count = sample_both(event, 10000);

	return selftest_compare(20000, sample_both(event, 30000) - short_count);
}

// Both overflow together each time: one interrupt for two overflows.
static struct selftest_result check_session_interrupts(unsigned unused)
{
	struct pmu_statistics s;

	(void)unused;
	sample_both(0, 10500);
	pmu_statistics(&s);
	return selftest_compare(10, s.interrupts);
}

// One that is dropped because the vector's entry is masked is served when the session stops.
static struct selftest_result check_session_masked(unsigned unused)
{
	struct pmu_sample sample;
	unsigned samples = 0;

	(void)unused;
	selftest_start("INSTRUCTIONS_EXECUTED,INSTRUCTIONS_EXECUTED:period=1000");
	hal_pmi_mask();
	hal_execute(1500);
	selftest_stop();
	while (pmu_take_sample(&sample))
		samples++;
	selftest_require(selftest_count(0) == selftest_count(1));
	return selftest_compare(1, samples);
}

// The period is shorter than what is left of the handler when it lets the counters go on: each NMI but the first is
// pending before the one before it has returned.
static struct selftest_result check_session_nmi(unsigned unused)
{
	(void)unused;
	pmu_begin(&pmu_driver_knc, true);
	pmu_limit_interrupts(SELFTEST_STORM_LIMIT, UINT64_MAX >> 1);
	selftest_start("INSTRUCTIONS_EXECUTED,INSTRUCTIONS_EXECUTED:period=10");
	hal_execute(5000);
	selftest_stop();
	return selftest_compare(selftest_count(0), selftest_count(1));
}

static struct selftest_result check_halt_state(unsigned counter)
{
	enable(bit(counter));
	selftest_light_halt(5000);
	return selftest_compare(bit(counter), selftest_read(MSR_IA32_PERF_GLOBAL_CTRL));
}

static void nothing(void)
{
}

// Around a halt of so many timer ticks, with nothing frozen: what an event counts, the cycles that pass.
static uint64_t halt_for(uint32_t ticks, unsigned counter, uint64_t *cycles)
{
	const bool interrupts = hal_interrupts_disable();
	const uint64_t before = clock();

	set_counter(counter, LEVELS, false, 0);
	enable(bit(counter));
	hal_alarm(ticks);
	hal_halt(nothing);
	enable(0);
	*cycles = clock() - before;
	hal_interrupts_restore(interrupts);
	return count_of(counter);
}

static struct selftest_result check_halt_count(unsigned counter)
{
	uint64_t cycles;
	const uint64_t around_short = halt_for(5000, counter, &cycles);

	return selftest_compare(around_short, halt_for(15000, counter, &cycles));
}

// How many cycles a tick of the timer takes is the machine's business, and when exactly it ends a halt.
static struct selftest_result check_halt_clock(unsigned unused)
{
	uint64_t short_cycles, cycles;

	(void)unused;
	halt_for(5000, 0, &short_cycles);
	halt_for(1000000, 0, &cycles);
	return selftest_compare(1, cycles > short_cycles + 1000);
}

// An overflow whose interrupt is pending when the halt begins ends it, and is served.
static struct selftest_result check_halt_overflow(unsigned counter)
{
	bool interrupts = hal_interrupts_disable();

	watch(on_masked, HAL_PMI_VECTOR);
	overflow_once(counter, true);
	selftest_light_halt(5000);
	hal_interrupts_restore(interrupts);
	return selftest_compare(1, seen());
}

//
// The suite
//

#define CHECK(name, run, parameter) {name, run, parameter},
#define EACH_COUNTER(C, name, run) C(name "IA32_PERFCNTR0", run, 0) C(name "IA32_PERFCNTR1", run, 1)
#define EACH_THREAD(C, name, run)							\
	C(name "the next thread", run, 1) C(name "the second next thread", run, 2)	\
	C(name "the third next thread", run, 3)

static const struct selftest_check checks[] = {
	{"IA32_PERF_GLOBAL_OVF_CTRL cannot be read", check_read_fault, MSR_IA32_PERF_GLOBAL_OVF_CTRL},
	EACH_COUNTER(CHECK, "a write takes all 40 bits: ", check_write)
	EACH_COUNTER(CHECK, "wraps to zero: ", check_wrap)
	EACH_COUNTER(CHECK, "counts exactly: ", check_exact)
	EACH_COUNTER(CHECK, "counts cycles: ", check_cycles)
	EACH_COUNTER(CHECK, "RDPMC reads ", check_rdpmc)
	{"RDPMC of counter 2 faults", check_rdpmc_fault, COUNTERS},
	{"RDPMC of counter 40000000H faults", check_rdpmc_fault, 0x40000000},
	EACH_COUNTER(CHECK, "without EN does not count: ", check_enable)
	EACH_COUNTER(CHECK, "without its global enable does not count: ", check_global)
	EACH_COUNTER(CHECK, "an event that does not exist does not count: ", check_illegal)
	EACH_COUNTER(CHECK, "another unit's event of the same code does not count: ", check_unit)
	EACH_COUNTER(CHECK, "event 0, CMASK 1 with INV, no event: all cycles: ", check_event_0)
	EACH_COUNTER(CHECK, "OS only, at level 0: ", check_os_at_os)
	EACH_COUNTER(CHECK, "USR only, at level 0: ", check_user_at_os)
	EACH_COUNTER(CHECK, "USR only, at level 3: ", check_user_at_user)
	EACH_COUNTER(CHECK, "OS only, at level 3: ", check_os_at_user)
	EACH_COUNTER(CHECK, "USR only, at level 3, interrupted: ", check_user_interrupted)
	{"CMASK 1, one event in a cycle: all cycles", check_reached, 1},
	{"CMASK 2, one event in a cycle: none", check_missed, 2},
	{"CMASK 255, one event in a cycle: none", check_missed, 255},
	{"CMASK 1 with INV, one event in a cycle: none", check_inverted_reached, 1},
	{"CMASK 2 with INV, one event in a cycle: all cycles", check_inverted_missed, 2},
	{"CMASK 255 with INV, one event in a cycle: all cycles", check_inverted_missed, 255},
	{"E counts each visit to level 3 once", check_edge, 1},
	{"E without CMASK counts each visit to level 3 once", check_edge, 0},
	EACH_COUNTER(CHECK, "left to the program, not preferred: ", check_not_preferred)
	EACH_COUNTER(CHECK, "left to the program, preferred: ", check_preferred)
	EACH_COUNTER(CHECK, "not left to the program, not preferred: ", check_not_left)
	EACH_COUNTER(CHECK, "SPFLT 1 lets count: ", check_spflt_set)
	EACH_COUNTER(CHECK, "SPFLT 0 lets not count: ", check_spflt_clear)
	EACH_COUNTER(CHECK, "what SPFLT encloses counts exactly: ", check_enclosed)
	{"SPFLT sets USER_PREF, without counters left to it", check_spflt_register, 0},
	{"SPFLT sets USER_PREF, with both counters left to it", check_spflt_register, BOTH},
	EACH_COUNTER(CHECK, "overflow sets the status of ", check_status)
	EACH_COUNTER(CHECK, "the status stays until it is cleared: ", check_sticky)
	EACH_COUNTER(CHECK, "can be written while its overflow is pending: ", check_write_pending)
	EACH_COUNTER(CHECK, "what counts after an overflow is kept: ", check_residue)
	{"both counters overflow in one cycle", check_simultaneous, 0},
	EACH_COUNTER(CHECK, "clears only ", check_clear_one)
	{"clears both", check_clear_both, 0},
	EACH_COUNTER(CHECK, "overflow with INT interrupts once: ", check_interrupt)
	EACH_COUNTER(CHECK, "overflow without INT does not interrupt: ", check_no_interrupt)
	EACH_COUNTER(CHECK, "overflow as NMI, interrupts off: ", check_nmi)
	EACH_COUNTER(CHECK, "overflow does not freeze: ", check_no_freeze)
	EACH_COUNTER(CHECK, "LVTPC is masked on delivery: ", check_mask)
	EACH_COUNTER(CHECK, "cleared and unmasked, the next overflow interrupts: ", check_again)
	EACH_COUNTER(CHECK, "LVTPC masked: the status has the overflow: ", check_masked_status)
	{"both counters overflow in one cycle: one interrupt", check_both_once, 0},
	{"both counters overflow in one cycle: it finds both", check_both_seen, 0},
	{"an overflow while another is served: found with it", check_rapid_seen, 0},
	{"an overflow while another is served: no second interrupt", check_rapid_once, 0},
	{"an overflow at once behind the handler's start interrupts", check_restarted, 0},
	{"a line that is up asks for nothing", check_line_up, 0},
	EACH_COUNTER(CHECK, "the line stays up with the other's status: ", check_line_shared)
	EACH_THREAD(CHECK, "registers are left alone by ", check_own_registers)
	EACH_THREAD(CHECK, "thread count mode counts ", check_any_thread)
	EACH_THREAD(CHECK, "without thread count mode does not count ", check_own_thread)
	EACH_THREAD(CHECK, "an overflow interrupts its own thread: ", check_own_line)
	{"the time-stamp counter runs without counters", check_clock_runs, 0},
	{"the time-stamp counter can be written", check_clock_written, 0},
	EACH_THREAD(CHECK, "the time-stamp counter is shared with ", check_clock_shared)
	{"session: both overflow together: the first is exact", check_session_both, 0},
	{"session: both overflow together: the second is exact", check_session_both, 1},
	{"session: both overflow together: an interrupt each period", check_session_interrupts, 0},
	{"session: an overflow while LVTPC is masked is served", check_session_masked, 0},
	{"session: NMIs that follow each other at once are exact", check_session_nmi, 0},
	EACH_COUNTER(CHECK, "a halt counts nothing: ", check_halt_count)
	{"the time-stamp counter runs in a halt", check_halt_clock, 0},
	EACH_COUNTER(CHECK, "PAL_HALT_LIGHT restores the freeze state: ", check_halt_state)
	EACH_COUNTER(CHECK, "PAL_HALT_LIGHT: a pending overflow is served: ", check_halt_overflow)
};

const struct selftest_suite selftest_suite_knc = {
	.driver = &pmu_driver_knc,
	.sessions = {
		.overflowing = "INSTRUCTIONS_EXECUTED,INSTRUCTIONS_EXECUTED:period=1000",
		.user = "INSTRUCTIONS_EXECUTED:u,INSTRUCTIONS_EXECUTED:u:period=1000",
		.storm = "INSTRUCTIONS_EXECUTED,INSTRUCTIONS_EXECUTED:period=50",
	},
	.registers = registers,
	.register_count = sizeof registers / sizeof *registers,
	.exceptions = exceptions,
	.exception_count = sizeof exceptions / sizeof *exceptions,
	.checks = checks,
	.check_count = sizeof checks / sizeof *checks,
};
