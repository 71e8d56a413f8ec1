// SPDX-License-Identifier: BSD-2-Clause
// Self test of Knights Corner's core PMU: its description for the shared suite, and its own checks.
// Expected values follow from the guide's rules (regs.h) and the number of instructions executed.
// The WRMSR that starts counting is not counted, the one that stops it is: n instructions between
// two writes count n + 1.

#include "selftest.h"

#include "hal.h"
#include "regs.h"
#include "stimulus.h"

#define COUNTERS	KNC_COUNTERS
#define BOTH		FIELD_MASK(0, KNC_COUNTERS)

extern const struct pmu_driver pmu_driver_knc;
extern const struct selftest_suite selftest_suite_knc;

//
// Registers and counters
//

SELFTEST_REGISTERS(KNC_REGISTERS, SELFTEST_NUMBERED)

// IA32_PERF_GLOBAL_OVF_CTRL cannot be read, so its reset value is not checked. The time-stamp
// counter runs and has its own checks.
static const struct selftest_exception exceptions[] = {
	{.address = MSR_IA32_TIME_STAMP_COUNTER, .count = 1, .left_out = true},
	{.address = MSR_IA32_PERF_GLOBAL_OVF_CTRL, .count = 1, .unknown = ~0ULL},
};

static const struct selftest_counters counters[] = {
	{.first = 0, .count = COUNTERS, .event = "INSTRUCTIONS_EXECUTED", .exact = true,
	 .cycles = "CPU_CLK_UNHALTED",
	 .interrupt = FIELD(IA32_PERFEVTSEL, INT), .readable = true, .index = 0},
};

//
// Registers
//

static uint64_t write_takes_all_40_bits(unsigned counter)
{
	return selftest_written(counter, 0x80000000);
}

static uint64_t overflow_control_cannot_be_read(unsigned)
{
	return selftest_read_faults(MSR_IA32_PERF_GLOBAL_OVF_CTRL);
}

static uint64_t rdpmc_of_counter_2_faults(unsigned)
{
	return selftest_counter_faults(COUNTERS);
}

static uint64_t rdpmc_of_counter_40000000_faults(unsigned)
{
	return selftest_counter_faults(0x40000000);
}

//
// Events (Tables 1-5 and 1-6)
//

static uint64_t counts_without_enable_bit(unsigned counter)
{
	return selftest_stopped_by(counter, FIELD(IA32_PERFEVTSEL, EN));
}

// Table 1-5, Event Select: events that do not exist "also do not increment the counters". No event
// has code 05H and unit mask 00H.
static uint64_t counts_event_that_does_not_exist(unsigned counter)
{
	return selftest_stopped_by(counter,
				   FIELD_PUT(IA32_PERFEVTSEL, EVENT, KNC_EVENT_RETIRED ^ 0x05));
}

// Returns the sum of the counts with each unit mask that differs from the event's in one bit. Code
// 16H has one such event: 20H, vector instructions (Table 1-6). None executes here.
static uint64_t counts_other_unit_masks(unsigned counter)
{
	uint64_t found = 0;

	for (unsigned bit = 0; bit < IA32_PERFEVTSEL_UMASK_WIDTH; bit++) {
		selftest_set(counter, AT_ALL, 0);
		selftest_flip(counter, FIELD_PUT(IA32_PERFEVTSEL, UMASK, 1u << bit));
		selftest_run(counter, 100);
		found += selftest_value(counter);
	}
	return found;
}

// Every second instruction of the known code is a conditional branch (arch/x86/layout.h).
static uint64_t counts_each_branch(unsigned counter)
{
	selftest_set_event(counter, "BRANCHES", 0);
	selftest_run_by(hal_execute, counter, 1000 + selftest_more());
	return selftest_value(counter);
}

// All CRI events but two count on counter 0 only (events.tab, after Linux). Both counters select L2
// misses. Some of the loads miss, because the L2 cache cannot hold all lines.
static uint64_t counter_1_counts_event_of_counter_0(unsigned)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		selftest_set_event(i, "L2_READ_MISS", 0);
	selftest_run_counters_by(hal_read_lines, BOTH, HAL_LINES_MOST);
	selftest_require(selftest_value(0));
	return selftest_value(1);
}

// Events that known code raises at level 0 (Table 1-6). Some of the loads miss both caches.
static const char *const raised_names[] = {
	"BRANCHES", "CPU_CLK_UNHALTED", "EXEC_STAGE_CYCLES", "DATA_READ", "DATA_READ_OR_WRITE",
	"DATA_READ_MISS",
	"DATA_READ_MISS_OR_WRITE_MISS", "L2_READ_MISS",
};

static const struct selftest_raised raised[] = {
	SELFTEST_RAISED("BRANCHES", hal_execute, 100),
	SELFTEST_RAISED("CPU_CLK_UNHALTED", hal_execute, 100),
	SELFTEST_RAISED("EXEC_STAGE_CYCLES", hal_execute, 100),
	SELFTEST_RAISED("DATA_READ", hal_read_lines, 100),
	SELFTEST_RAISED("DATA_READ_OR_WRITE", hal_read_lines, 100),
	SELFTEST_RAISED("DATA_READ_MISS", hal_read_lines, HAL_LINES_MOST),
	SELFTEST_RAISED("DATA_READ_MISS_OR_WRITE_MISS", hal_read_lines, HAL_LINES_MOST),
	SELFTEST_RAISED("L2_READ_MISS", hal_read_lines, HAL_LINES_MOST),
};

#define EACH_RAISED	FIELD_MASK(0, sizeof raised / sizeof *raised)

static uint64_t event_counts_at_level_0_alone(unsigned event)
{
	return selftest_counts_raised(&raised[event], 0, 1);
}

//
// CMASK, INV, E (Table 1-5). The cycle event occurs once in each cycle: the sum always reaches 1
// and never 2.
//

#define CYCLES "CPU_CLK_UNHALTED"

static uint64_t threshold_1_counts_all_cycles(unsigned counter)
{
	return selftest_all_cycles(counter, CYCLES ":c=1");
}

static uint64_t threshold_2_counts_no_cycle(unsigned counter)
{
	return selftest_no_cycles(counter, CYCLES ":c=2");
}

static uint64_t threshold_255_counts_no_cycle(unsigned counter)
{
	return selftest_no_cycles(counter, CYCLES ":c=255");
}

static uint64_t inverted_threshold_1_counts_no_cycle(unsigned counter)
{
	return selftest_no_cycles(counter, CYCLES ":c=1:i");
}

static uint64_t inverted_threshold_2_counts_all_cycles(unsigned counter)
{
	return selftest_all_cycles(counter, CYCLES ":c=2:i");
}

static uint64_t inverted_threshold_255_counts_all_cycles(unsigned counter)
{
	return selftest_all_cycles(counter, CYCLES ":c=255:i");
}

// With CMASK 0 "the counter is incremented each cycle by the number of events that occurred". INV
// inverts the result of a comparison, and there is none.
static uint64_t inversion_without_threshold_changes_nothing(unsigned counter)
{
	selftest_set(counter, AT_ALL, 0);
	selftest_flip(counter, FIELD(IA32_PERFEVTSEL, INV));
	selftest_run(counter, 100);
	return selftest_value(counter);
}

// Event 0 with unit mask 0 is data reads, an ordinary event: the instructions between the writes
// read no data, so its sum is less than 1 in each cycle.
static uint64_t event_0_inverted_counts_all_cycles(unsigned counter)
{
	return selftest_all_cycles(counter, "DATA_READ:c=1:i");
}

// Each visit to level 3 is one assertion of the condition "cycle at level 3".
static uint64_t visits_counted_as_edges(unsigned counter, const char *event)
{
	selftest_set_event(counter, event, 0);
	hal_execute(10);
	selftest_run_by(selftest_visit_user, counter, 10);
	return selftest_value(counter);
}

static uint64_t edge_counts_each_visit(unsigned counter)
{
	return visits_counted_as_edges(counter, CYCLES ":u:e:c=1");
}

static uint64_t edge_without_threshold_counts_each_visit(unsigned counter)
{
	return visits_counted_as_edges(counter, CYCLES ":u:e");
}

//
// SPFLT: a counter with its bit set in PERF_SPFLT_CONTROL counts only while the user filter is on.
// The other counter's bit has no effect on it.
//

#define PREFERRED	FIELD(PERF_SPFLT_CONTROL, USER_PREF)
#define OTHER(counter)	((counter) ^ 1)

static void prefer(bool count)
{
	selftest_require(hal_spflt(count));
}

static uint64_t count_filtered(unsigned counter, uint64_t filter)
{
	selftest_set(counter, AT_ALL, 0);
	selftest_write(MSR_PERF_SPFLT_CONTROL, filter);
	selftest_run(counter, 100);
	return selftest_value(counter);
}

static uint64_t own_bit_stops_without_filter(unsigned counter)
{
	return count_filtered(counter, BIT(counter));
}

static uint64_t own_bit_counts_with_filter(unsigned counter)
{
	return count_filtered(counter, BIT(counter) | PREFERRED);
}

static uint64_t other_bit_does_not_stop(unsigned counter)
{
	return count_filtered(counter, BIT(OTHER(counter)));
}

static uint64_t spflt_starts_and_stops_counting(unsigned counter)
{
	selftest_set(counter, AT_ALL, 0);
	selftest_write(MSR_PERF_SPFLT_CONTROL, BOTH);
	prefer(true);
	selftest_run(counter, 100);
	prefer(false);
	selftest_run(counter, 100);
	return selftest_value(counter);
}

// Executes n instructions three times; SPFLT encloses the second n.
static void execute_enclosed(uint64_t n)
{
	hal_execute(n);
	prefer(true);
	hal_execute(n);
	prefer(false);
	hal_execute(n);
}

static uint64_t enclosed_code_counts_exactly(unsigned counter)
{
	selftest_set(counter, AT_ALL, 0);
	selftest_write(MSR_PERF_SPFLT_CONTROL, BOTH);
	selftest_run_by(execute_enclosed, counter, 1000 + selftest_more());
	return selftest_value(counter);
}

static uint64_t filter_after_spflt(uint64_t filter)
{
	selftest_write(MSR_PERF_SPFLT_CONTROL, filter);
	prefer(true);
	return selftest_read(MSR_PERF_SPFLT_CONTROL);
}

static uint64_t spflt_sets_user_pref_with_bits_clear(unsigned)
{
	return filter_after_spflt(0);
}

static uint64_t spflt_sets_user_pref_with_bits_set(unsigned)
{
	return filter_after_spflt(BOTH);
}

//
// The interrupt line to the APIC (1.4.3). After the status is cleared the line is low and can rise
// again.
//

static void serve_interrupts(unsigned counter)
{
	selftest_watch(counter, WATCH_UNMASKS, 0);
}

static void overflow_both(void)
{
	selftest_set_all(AT_ALL | INTERRUPTING, -50ULL);
	selftest_run_all(1000);
}

static uint64_t next_overflow_interrupts_again(unsigned counter)
{
	serve_interrupts(counter);
	selftest_overflow_once(counter, INTERRUPTING);
	selftest_overflow_once(counter, INTERRUPTING);
	return selftest_seen()->interrupts;
}

// An interrupt that arrives while the LVT entry is masked is not delivered later; the status still
// shows the overflow.
static uint64_t masked_overflow_stays_in_status(unsigned counter)
{
	serve_interrupts(counter);
	hal_pmi_mask();
	selftest_overflow_once(counter, INTERRUPTING);
	hal_pmi_unmask();
	hal_execute(10);
	selftest_require_equal(selftest_seen()->interrupts, 0);
	selftest_expect(BIT(counter));
	return selftest_overflowed();
}

static uint64_t one_interrupt_finds_both_overflows(unsigned counter)
{
	serve_interrupts(counter);
	overflow_both();
	selftest_require_equal(selftest_seen()->interrupts, 1);
	return selftest_seen()->status;
}

// The guide, 1.4.3.9: the other counter overflows 250 instructions later, while the first interrupt
// is being served. The handler finds both overflows, and no second interrupt follows.
static uint64_t overflow_while_another_is_served(unsigned counter)
{
	selftest_watch(counter, WATCH_UNMASKS | WATCH_SLOW, 0);
	selftest_set_all(AT_ALL | INTERRUPTING, -300ULL);
	selftest_write_value(counter, FIELD(IA32_PERFCNTR, COUNT) - 49);
	selftest_run_all(1000);
	hal_execute(10);
	selftest_require_equal(selftest_seen()->interrupts, 1);
	return selftest_seen()->status;
}

static uint64_t overflow_after_handlers_start_interrupts(unsigned counter)
{
	selftest_watch(counter, WATCH_UNMASKS | WATCH_RESTARTS, 0);
	selftest_overflow_once(counter, INTERRUPTING);
	hal_execute(10);
	return selftest_seen()->interrupts;
}

// Both counters share one line. It falls when no status bit is left. While it is high, another
// overflow requests no interrupt.
static uint64_t line_stays_up_with_others_status(unsigned counter)
{
	selftest_watch(counter, WATCH_UNMASKS | WATCH_NOTHING, 0);
	overflow_both();
	selftest_acknowledge(BIT(counter));
	selftest_overflow_once(counter, INTERRUPTING);
	if (!selftest_require_equal(selftest_seen()->interrupts, 1))
		return 0;
	selftest_acknowledge(BOTH);
	selftest_overflow_once(counter, INTERRUPTING);
	return selftest_seen()->interrupts;
}

//
// The core's other threads
//

// Writes each register, makes the counters overflow, and then sets EN without counting.
static void use_all_registers(void *)
{
	selftest_set_all(AT_ALL | INTERRUPTING, -50ULL);
	selftest_write(MSR_PERF_SPFLT_CONTROL, PREFERRED | BOTH);
	hal_pmi_mask();
	selftest_run_all(1000);
	selftest_set_all(AT_ALL | INTERRUPTING, 1000);
	selftest_write(MSR_IA32_PERF_GLOBAL_CTRL, BOTH);
}

// Returns the bits of registers that differ from their reset value, 0.
static uint64_t registers_left_alone_by_thread(unsigned thread)
{
	struct selftest_register own[SELFTEST_REGISTERS_MAX];
	const unsigned count = selftest_registers(&selftest_suite_knc, own);
	uint64_t found = 0;

	selftest_on_thread(thread, use_all_registers, NULL);
	for (size_t i = 0; i < count; i++)
		if (own[i].defined)
			found |= selftest_read(own[i].address);
	return found;
}

// On the other thread: counts 1000 instructions at level 3. Leaves both counters stopped.
static void count_user_code(void *counted)
{
	selftest_set(0, AT_USER, 0);
	selftest_run_by(hal_execute_user, 0, 1000);
	*(uint64_t *)counted = selftest_value(0);
}

// Both counters count an event while only the other thread executes at level 3. Expects that
// thread's own count.
static uint64_t count_of_other_thread(unsigned thread, const char *event)
{
	uint64_t counted = 0;

	for (unsigned i = 0; i < COUNTERS; i++)
		selftest_set_event(i, event, 0);
	selftest_enable(BOTH);
	selftest_on_thread(thread, count_user_code, &counted);
	selftest_expect(counted);
	selftest_require_equal(counted > 999, true);
	selftest_enable(0);
	selftest_require_equal(selftest_value(1), selftest_value(0));
	return selftest_value(0);
}

static uint64_t thread_count_mode_counts_other_thread(unsigned thread)
{
	return count_of_other_thread(thread, "INSTRUCTIONS_EXECUTED:u:t");
}

static uint64_t other_thread_is_not_counted(unsigned thread)
{
	const uint64_t found = count_of_other_thread(thread, "INSTRUCTIONS_EXECUTED:u");

	selftest_expect(0);
	return found;
}

static void overflow_here(void *)
{
	serve_interrupts(0);
	selftest_overflow_once(0, INTERRUPTING);
}

// Returns a bit mask of the CPUs that were interrupted.
static uint64_t overflow_interrupts_its_own_thread(unsigned thread)
{
	uint64_t found = 0;

	serve_interrupts(0);
	selftest_on_thread(thread, overflow_here, NULL);
	hal_execute(10);
	for (unsigned i = 0; i < HAL_CPUS; i++)
		found |= (uint64_t)(selftest_seen_on(i)->interrupts != 0) << i;
	selftest_expect(BIT(selftest_thread(thread)));
	return found;
}

//
// The time-stamp counter (hal_clock), and halts
//

static uint64_t clock(void)
{
	return selftest_read(MSR_IA32_TIME_STAMP_COUNTER);
}

// The processor determines how many cycles instructions take. So the check compares differences:
// 2000 further instructions must take as many further clocks as the counter counts cycles (Table
// 1-3: core clock cycles), whatever the overhead. IA32_PERF_GLOBAL_CTRL is 0 while the clock is
// measured, because the clock does not depend on it (Table 1-2). Each measurement is the second one
// of the same code, which is then in the caches.
static uint64_t clock_runs_as_fast_as_cycles(unsigned counter)
{
	uint64_t clocks[2], cycles[2];

	for (unsigned n = 0; n < 4; n++) {
		const unsigned i = n % 2;

		clocks[i] = -clock();
		hal_execute(1000 + 2000 * i);
		clocks[i] += clock();
		selftest_set_event(counter, CYCLES, 0);
		selftest_run(counter, 1000 + 2000 * i);
		cycles[i] = selftest_value(counter);
	}
	selftest_require(clocks[1] > clocks[0]);
	selftest_expect(cycles[1] - cycles[0]);
	return clocks[1] - clocks[0];
}

#define JUMP	(1ULL << 40)	/* minutes, at the frequencies of these processors */
#define FEW_CYCLES 4096

// Returns the clock's value before it was moved.
static uint64_t move_clock(uint64_t clocks)
{
	const uint64_t before = clock();

	selftest_write(MSR_IA32_TIME_STAMP_COUNTER, before + clocks);
	return before;
}

// No other code reads the counter meanwhile. It continues, but only for the few cycles that this
// takes.
static uint64_t clock_can_be_written(unsigned)
{
	uint64_t before, moved;

	hal_interrupts_disable();
	before = move_clock(JUMP);
	moved = clock() - before;
	move_clock(-JUMP);
	return moved / FEW_CYCLES;
}

static void read_clock(void *value)
{
	*(uint64_t *)value = clock();
}

static uint64_t clock_is_shared_with_thread(unsigned thread)
{
	const uint64_t before = move_clock(JUMP);
	uint64_t there = before;

	selftest_on_thread(thread, read_clock, &there);
	move_clock(-JUMP);
	return (there - before) / JUMP;
}

static void nothing(void)
{
}

// Halts for this many ticks of the timer, without a freeze.
static void halt(uint64_t ticks)
{
	const bool interrupts = hal_interrupts_disable();

	hal_alarm((uint32_t)ticks);
	hal_halt(nothing);
	hal_interrupts_restore(interrupts);
}

// The machine determines how many cycles a tick of the timer takes and when exactly it ends a halt,
// so the check compares a long halt with a short one.
static uint64_t clock_runs_in_halt(unsigned)
{
	uint64_t cycles[2];

	for (unsigned i = 0; i < 2; i++) {
		cycles[i] = -clock();
		halt(i ? 1000000 : 5000);
		cycles[i] += clock();
	}
	return cycles[1] > cycles[0] + 1000;
}

static uint64_t halt_counts_nothing(unsigned counter)
{
	selftest_set(counter, AT_ALL, 0);
	selftest_run_by(halt, counter, 5000 + selftest_more());
	return selftest_value(counter);
}

//
// Sessions
//

// Both counters overflow together.
static void sample_both(uint64_t n)
{
	selftest_start("INSTRUCTIONS_EXECUTED:u:period=1000,INSTRUCTIONS_EXECUTED:u:period=1000");
	hal_execute_user(n);
	selftest_stop();
}

static uint64_t first_of_both_is_exact(unsigned)
{
	sample_both(10000 + selftest_more());
	return selftest_count(0);
}

static uint64_t second_of_both_is_exact(unsigned)
{
	sample_both(10000 + selftest_more());
	return selftest_count(1);
}

// One interrupt serves two overflows, each time.
static uint64_t both_cause_one_interrupt_each_period(unsigned)
{
	sample_both(10500);
	return selftest_statistics().interrupts;
}

// An interrupt that is lost because the LVT entry is masked is served when the session stops.
static uint64_t overflow_while_masked_is_served(unsigned)
{
	selftest_start("INSTRUCTIONS_EXECUTED,INSTRUCTIONS_EXECUTED:period=1000");
	hal_pmi_mask();
	hal_execute(1500);
	selftest_stop();
	selftest_require_equal(selftest_samples(0), 1);
	selftest_expect(selftest_count(0));
	return selftest_count(1);
}

//
// The suite
//

#define EACH_THREAD	0xE		/* of `threads` */

static const char *const threads[] = {"", "the next thread", "the second next thread",
				      "the third next thread"};

static const struct selftest_case cases[] = {
	{"a write takes all 40 bits: #", BOTH, 0x80000000, .run = write_takes_all_40_bits},
	{"IA32_PERF_GLOBAL_OVF_CTRL cannot be read", 0, true,
	 .run = overflow_control_cannot_be_read},
	{"RDPMC of counter 2 faults", 0, true, .run = rdpmc_of_counter_2_faults},
	{"RDPMC of counter 40000000H faults", 0, true, .run = rdpmc_of_counter_40000000_faults},

	{"without EN does not count: #", BOTH, 0, .run = counts_without_enable_bit},
	{"an event that does not exist does not count: #", BOTH, 0,
	 .run = counts_event_that_does_not_exist},
	{"another unit mask of the same code does not count: #", BOTH, 0,
	 .run = counts_other_unit_masks},
	{"BRANCHES counts each branch: #", BOTH, 1000, .run = counts_each_branch, .more = 2000},
	{"counts at level 0 alone: #", EACH_RAISED, true, .run = event_counts_at_level_0_alone,
	 .names = raised_names},
	{"an event of counter 0 does not count on counter 1", 0, 0,
	 .run = counter_1_counts_event_of_counter_0},

	{"CMASK 1, one event in a cycle: all cycles: #", BOTH,
	 .run = threshold_1_counts_all_cycles},
	{"CMASK 2, one event in a cycle: none: #", BOTH, .run = threshold_2_counts_no_cycle},
	{"CMASK 255, one event in a cycle: none: #", BOTH, .run = threshold_255_counts_no_cycle},
	{"CMASK 1 with INV, one event in a cycle: none: #", BOTH,
	 .run = inverted_threshold_1_counts_no_cycle},
	{"CMASK 2 with INV, one event in a cycle: all cycles: #", BOTH,
	 .run = inverted_threshold_2_counts_all_cycles},
	{"CMASK 255 with INV, one event in a cycle: all cycles: #", BOTH,
	 .run = inverted_threshold_255_counts_all_cycles},
	{"INV without CMASK changes nothing: #", BOTH, 101,
	 .run = inversion_without_threshold_changes_nothing},
	{"event 0, CMASK 1 with INV, no event: all cycles: #", BOTH,
	 .run = event_0_inverted_counts_all_cycles},
	{"E counts each visit to level 3 once: #", BOTH, 10, .run = edge_counts_each_visit},
	{"E without CMASK counts each visit to level 3 once: #", BOTH, 10,
	 .run = edge_without_threshold_counts_each_visit},

	{"SPFLT bit set, user filter off: #", BOTH, 0, .run = own_bit_stops_without_filter},
	{"SPFLT bit set, user filter on: #", BOTH, 101, .run = own_bit_counts_with_filter},
	{"SPFLT bit clear, user filter off: #", BOTH, 101, .run = other_bit_does_not_stop},
	{"SPFLT 1 enables counting, SPFLT 0 disables it: #", BOTH, 101,
	 .run = spflt_starts_and_stops_counting},
	{"code that SPFLT encloses counts exactly: #", BOTH, 2000,
	 .run = enclosed_code_counts_exactly, .more = 2000},
	{"SPFLT sets USER_PREF, with both SPFLT bits clear", 0, PREFERRED,
	 .run = spflt_sets_user_pref_with_bits_clear},
	{"SPFLT sets USER_PREF, with both SPFLT bits set", 0, PREFERRED | BOTH,
	 .run = spflt_sets_user_pref_with_bits_set},

	{"cleared and unmasked, the next overflow interrupts: #", BOTH, 2,
	 .run = next_overflow_interrupts_again},
	{"LVTPC masked: the status has the overflow: #", BOTH,
	 .run = masked_overflow_stays_in_status},
	{"both counters overflow in one cycle: one interrupt finds both", 0, BOTH,
	 .run = one_interrupt_finds_both_overflows},
	{"an overflow while another is served: found with it, no second interrupt", 0, BOTH,
	 .run = overflow_while_another_is_served},
	{"an overflow right after the handler's start interrupts", 0, 2,
	 .run = overflow_after_handlers_start_interrupts},
	{"the line stays up with the other's status: #", BOTH, 2,
	 .run = line_stays_up_with_others_status},

	{"registers are left alone by #", EACH_THREAD, 0, .run = registers_left_alone_by_thread,
	 .names = threads},
	{"thread count mode counts #", EACH_THREAD, .run = thread_count_mode_counts_other_thread,
	 .names = threads},
	{"without thread count mode does not count #", EACH_THREAD, 0,
	 .run = other_thread_is_not_counted,
	 .names = threads},
	{"an overflow interrupts its own thread: #", EACH_THREAD,
	 .run = overflow_interrupts_its_own_thread,
	 .names = threads},

	{"the time-stamp counter runs without counters, as fast as cycles of #", BOTH,
	 .run = clock_runs_as_fast_as_cycles},
	{"the time-stamp counter can be written", 0, JUMP / FEW_CYCLES,
	 .run = clock_can_be_written},
	{"the time-stamp counter is shared with #", EACH_THREAD, 1,
	 .run = clock_is_shared_with_thread,
	 .names = threads},
	{"the time-stamp counter runs in a halt", 0, true, .run = clock_runs_in_halt},
	{"a halt counts nothing: #", BOTH, 0, .run = halt_counts_nothing, .more = 10000},

	{"session: both overflow together: the first is exact", 0, 20000,
	 .run = first_of_both_is_exact,
	 .more = 20000},
	{"session: both overflow together: the second is exact", 0, 20000,
	 .run = second_of_both_is_exact,
	 .more = 20000},
	{"session: both overflow together: an interrupt each period", 0, 10,
	 .run = both_cause_one_interrupt_each_period},
	{"session: an overflow while LVTPC is masked is served",
	 .run = overflow_while_masked_is_served},
};

const struct selftest_suite selftest_suite_knc = {
	.driver = &pmu_driver_knc,
	.has = SELFTEST_GLOBAL | SELFTEST_LEVELS | SELFTEST_INTERRUPTS | SELFTEST_NMI |
		SELFTEST_MASKS | SELFTEST_HALTS,
	SELFTEST_LIST(counters),
	.enable = MSR_IA32_PERF_GLOBAL_CTRL,
	.status = MSR_IA32_PERF_GLOBAL_STATUS,
	.clear = MSR_IA32_PERF_GLOBAL_OVF_CTRL,
	.freeze_address = MSR_IA32_PERF_GLOBAL_CTRL,	// never frozen
	.freeze_mask = BOTH,
	.sessions = {
		[SELFTEST_OVERFLOWING] = "INSTRUCTIONS_EXECUTED,INSTRUCTIONS_EXECUTED:period=1000",
		[SELFTEST_AT_USER] = "INSTRUCTIONS_EXECUTED:u,INSTRUCTIONS_EXECUTED:u:period=1000",
		[SELFTEST_STORM] = "INSTRUCTIONS_EXECUTED,INSTRUCTIONS_EXECUTED:period=50",
		[SELFTEST_NMIS] = "INSTRUCTIONS_EXECUTED,INSTRUCTIONS_EXECUTED:period=10",
	},
	SELFTEST_LIST(registers),
	SELFTEST_LIST(exceptions),
	SELFTEST_LIST(cases),
};
