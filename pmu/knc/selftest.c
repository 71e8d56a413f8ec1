// SPDX-License-Identifier: BSD-2-Clause
// Self test of Knights Corner's core PMU: what it says of itself to the shared suite, and what only it has. Each
// expected value follows from the guide's rules (regs.h) and the number of instructions executed. An instruction that
// starts counting with its write of a control register is not counted, one that stops it is: n instructions between two
// writes count n + 1.

#include "selftest.h"

#include "hal.h"
#include "regs.h"

#define COUNTERS	KNC_COUNTERS
#define BOTH		FIELD_MASK(0, KNC_COUNTERS)
#define BIT(counter)	(1ULL << (counter))

extern const struct pmu_driver pmu_driver_knc;
extern const struct selftest_suite selftest_suite_knc;

//
// Registers and counters
//

SELFTEST_REGISTERS(KNC_REGISTERS, SELFTEST_NUMBERED)

// IA32_PERF_GLOBAL_OVF_CTRL cannot be read: it has no reset value to look at. The time-stamp counter runs: it has
// checks of its own.
static const struct selftest_exception exceptions[] = {
	{.address = MSR_IA32_TIME_STAMP_COUNTER, .count = 1, .left_out = true},
	{.address = MSR_IA32_PERF_GLOBAL_OVF_CTRL, .count = 1, .unknown = ~0ULL},
};

static const struct selftest_written written[] = {
	{"a write takes all 40 bits: ", 0x80000000, 0x80000000}, {0},
};

// Table 1-5, Event Select, of events that do not exist: "also do not increment the counters". None has code 05H and
// unit mask 00H. The vector unit's instructions have the code of all instructions, and there are none here.
#define NO_EVENT 0x05

static const struct selftest_stop stops[] = {
	{"without EN does not count: ", FIELD(IA32_PERFEVTSEL, EN)},
	{"an event that does not exist does not count: ",
	 FIELD_PUT(IA32_PERFEVTSEL, EVENT, KNC_EVENT_RETIRED ^ NO_EVENT)},
	{"another unit's event of the same code does not count: ",
	 FIELD_PUT(IA32_PERFEVTSEL, UMASK, KNC_UMASK_P54C ^ KNC_UMASK_VPU)}, {0},
};

// Cycles are one in each cycle: they reach 1 always, and 2 never. Event 0 of unit mask 0 is data reads, an event like
// any other: the instructions between the writes make none, so that it is less than 1 in each cycle.
static const struct selftest_condition conditions[] = {
	{"CMASK 1, one event in a cycle: all cycles: ", "CPU_CLK_UNHALTED:c=1", true},
	{"CMASK 2, one event in a cycle: none: ", "CPU_CLK_UNHALTED:c=2", false},
	{"CMASK 255, one event in a cycle: none: ", "CPU_CLK_UNHALTED:c=255", false},
	{"CMASK 1 with INV, one event in a cycle: none: ", "CPU_CLK_UNHALTED:c=1:i", false},
	{"CMASK 2 with INV, one event in a cycle: all cycles: ", "CPU_CLK_UNHALTED:c=2:i", true},
	{"CMASK 255 with INV, one event in a cycle: all cycles: ", "CPU_CLK_UNHALTED:c=255:i", true},
	{"event 0, CMASK 1 with INV, no event: all cycles: ", "DATA_READ:c=1:i", true}, {0},
};

static const struct selftest_counters counters[] = {
	{.first = 0, .count = COUNTERS, .event = "INSTRUCTIONS_EXECUTED", .exact = true, .cycles = "CPU_CLK_UNHALTED",
	 .interrupt = FIELD(IA32_PERFEVTSEL, INT), .readable = true, .index = 0, .written = written, .stop = stops,
	 .condition = conditions},
};

static struct selftest_result check_read_fault(unsigned address)
{
	uint64_t value;

	return selftest_compare(1, !reg_read(address, &value));
}

static void set_counter(unsigned counter, bool interrupt, uint64_t start)
{
	selftest_set(counter, SELFTEST_ALL, interrupt, start);
}

static uint64_t clock(void)
{
	return selftest_read(MSR_IA32_TIME_STAMP_COUNTER);
}

static uint64_t count_cycles(unsigned counter, uint64_t n)
{
	selftest_set_event(counter, "CPU_CLK_UNHALTED", 0);
	selftest_run_counters(BIT(counter), n);
	return selftest_value(counter);
}

// Cycles at the lowest level begin anew with each visit there: those of one visit are one assertion.
static struct selftest_result check_edge(unsigned cmask)
{
	const char *event = cmask ? "CPU_CLK_UNHALTED:u:e:c=1" : "CPU_CLK_UNHALTED:u:e";

	return selftest_compare(10, selftest_count_visits(0, event, 10));
}

#define PREFERRED FIELD(PERF_SPFLT_CONTROL, USER_PREF)

// A counter of executed instructions with this in PERF_SPFLT_CONTROL.
static void set_filtered(unsigned counter, uint64_t control)
{
	set_counter(counter, false, 0);
	selftest_write(MSR_PERF_SPFLT_CONTROL, control);
}

// A counter that is left to the program counts only while that prefers it. The other's bit is no business of its own.
#define SPFLT(n, name, control, expected) \
	{name "IA32_PERFCNTR" #n, n, 0, {{MSR_PERF_SPFLT_CONTROL, control}}, expected}

static const struct selftest_case cases[] = {
	SPFLT(0, "left to the program, not preferred: ", 1, 0),
	SPFLT(1, "left to the program, not preferred: ", 2, 0),
	SPFLT(0, "left to the program, preferred: ", 1 | PREFERRED, 101),
	SPFLT(1, "left to the program, preferred: ", 2 | PREFERRED, 101),
	SPFLT(0, "not left to the program, not preferred: ", 2, 101),
	SPFLT(1, "not left to the program, not preferred: ", 1, 101),
};

// 101 instructions with SPFLT 1, none with SPFLT 0.
static struct selftest_result check_spflt(unsigned counter)
{
	set_filtered(counter, BIT(counter));
	for (int prefer = 1; prefer >= 0; prefer--) {
		selftest_require(hal_spflt(prefer));
		selftest_run_counters(BIT(counter), 100);
	}
	return selftest_compare(101, selftest_value(counter));
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
	set_filtered(counter, BIT(counter));
	selftest_enable(BIT(counter));
	hal_execute(500);
	hal_spflt(true);
	hal_execute(n);
	hal_spflt(false);
	hal_execute(500);
	selftest_enable(0);
	return selftest_value(counter);
}

static struct selftest_result check_enclosed(unsigned counter)
{
	const uint64_t short_count = count_enclosed(counter, 1000);

	selftest_require(short_count < 1500);
	return selftest_compare(2000, count_enclosed(counter, 3000) - short_count);
}

//
// The line to the APIC, and interrupts of the whole protocol. The handlers look at the hardware alone.
//

static volatile unsigned interrupts_seen[HAL_CPUS];
static volatile uint64_t status_seen;

static unsigned seen(void)
{
	return interrupts_seen[hal_cpu()];
}

static void watch(hal_pmi_function *handler)
{
	for (unsigned i = 0; i < HAL_CPUS; i++)
		interrupts_seen[i] = 0;
	status_seen = 0;
	hal_pmi_attach(handler, HAL_PMI_VECTOR);
}

// Clears nothing.
static void on_left(uint64_t, unsigned)
{
	interrupts_seen[hal_cpu()]++;
	hal_pmi_unmask();
	hal_pmi_end();
}

// Stops all, clears what has overflowed.
static void on_served(uint64_t ip, unsigned level)
{
	selftest_enable(0);
	status_seen = selftest_overflowed();
	selftest_acknowledge(status_seen);
	on_left(ip, level);
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
	selftest_write(MSR_IA32_PERFCNTR, FIELD(IA32_PERFCNTR, COUNT));
	selftest_enable(BIT(0));
}

static void overflow_both(void)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		set_counter(i, true, -50ULL);
	selftest_run_counters(BOTH, 1000);
}

// When the status has been cleared the line has fallen, and can rise again.
static struct selftest_result check_again(unsigned counter)
{
	watch(on_served);
	selftest_overflow_once(counter, true);
	selftest_overflow_once(counter, true);
	return selftest_compare(2, seen());
}

// What comes while the entry is masked is not delivered later; the status still has it.
static struct selftest_result check_masked_status(unsigned counter)
{
	watch(on_served);
	hal_pmi_mask();
	selftest_overflow_once(counter, true);
	hal_pmi_unmask();
	hal_execute(10);
	selftest_require(!seen());
	return selftest_compare(BIT(counter), selftest_overflowed());
}

// One interrupt, which finds both.
static struct selftest_result check_both(unsigned)
{
	watch(on_served);
	overflow_both();
	selftest_require(seen() == 1);
	return selftest_compare(BOTH, status_seen);
}

// The guide, 1.4.3.9: the other counter overflows while the interrupt of the first is being served. The handler finds
// both, and no second interrupt follows.
static struct selftest_result check_rapid(unsigned)
{
	watch(on_slow);
	set_counter(0, true, -50ULL);
	set_counter(1, true, -300ULL);
	selftest_run_counters(BOTH, 1000);
	hal_execute(10);
	selftest_require(seen() == 1);
	return selftest_compare(BOTH, status_seen);
}

static struct selftest_result check_restarted(unsigned)
{
	watch(on_restarted);
	selftest_overflow_once(0, true);
	hal_execute(10);
	return selftest_compare(2, seen());
}

// It is one line for both: it falls when neither counter's status is left. While it is up another overflow asks for
// nothing.
static struct selftest_result check_line_shared(unsigned counter)
{
	watch(on_left);
	overflow_both();
	selftest_acknowledge(BIT(counter));
	selftest_overflow_once(counter, true);
	selftest_require(seen() == 1);
	selftest_acknowledge(BOTH);
	selftest_overflow_once(counter, true);
	return selftest_compare(2, seen());
}

//
// The core's other threads
//

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

static void begin_there(void *)
{
	selftest_require(pmu_begin(&pmu_driver_knc, false) == PMU_OK);
}

// Puts something into each of the thread's registers, with EN and without counting.
static void fill_registers(void *)
{
	set_counter(0, true, -50ULL);
	set_counter(1, true, 1000);
	selftest_write(MSR_PERF_SPFLT_CONTROL, PREFERRED | BOTH);
	hal_pmi_mask();
	selftest_run_counters(BIT(0), 1000);
	selftest_enable(BIT(1));
	selftest_enable(BOTH);
}

// Whatever another thread writes, this one's registers stay as reset has left them.
static struct selftest_result check_own_registers(unsigned n)
{
	const unsigned cpu = cpu_of_thread(n);
	struct selftest_register own[SELFTEST_REGISTERS_MAX];
	const unsigned count = selftest_registers(&selftest_suite_knc, own);
	uint64_t found = 0;

	selftest_call(cpu, begin_there, NULL);
	selftest_call(cpu, fill_registers, NULL);
	for (size_t i = 0; i < count; i++)
		if (own[i].defined)
			found |= selftest_read(own[i].address);
	selftest_call(cpu, begin_there, NULL);
	return selftest_compare(0, found);
}

static uint64_t counted_there;

// Leaves both counters stopped.
static void count_user_there(void *)
{
	selftest_set(0, SELFTEST_USER, false, 0);
	selftest_run_user(BIT(0), 1000);
	counted_there = selftest_value(0);
}

// Only another thread executes at level 3: what a counter of this one sees of that.
static uint64_t count_from_here(unsigned n, const char *event)
{
	const unsigned cpu = cpu_of_thread(n);

	counted_there = 0;
	selftest_call(cpu, begin_there, NULL);
	selftest_set_event(0, event, 0);
	selftest_enable(BIT(0));
	selftest_call(cpu, count_user_there, NULL);
	selftest_enable(0);
	selftest_require(counted_there >= 1000);
	return selftest_value(0);
}

static struct selftest_result check_any_thread(unsigned n)
{
	const uint64_t counted_here = count_from_here(n, "INSTRUCTIONS_EXECUTED:u:t");

	return selftest_compare(counted_there, counted_here);
}

static struct selftest_result check_own_thread(unsigned n)
{
	return selftest_compare(0, count_from_here(n, "INSTRUCTIONS_EXECUTED:u"));
}

static void overflow_there(void *)
{
	watch(on_served);
	selftest_overflow_once(0, true);
}

// An overflow interrupts its own thread: as a bit for each that has been.
static struct selftest_result check_own_line(unsigned n)
{
	const unsigned cpu = cpu_of_thread(n);
	uint64_t found = 0;

	watch(on_served);
	selftest_call(cpu, overflow_there, NULL);
	hal_execute(10);
	for (unsigned i = 0; i < HAL_CPUS; i++)
		found |= (uint64_t)(interrupts_seen[i] != 0) << i;
	selftest_call(cpu, begin_there, NULL);
	return selftest_compare(1ULL << cpu, found);
}

//
// The time-stamp counter, which is hal_clock
//

#define JUMP	(1ULL << 40)	/* some minutes */

// How many cycles instructions take is the processor's business: as many more as a counter counts (Table 1-3: core
// clock cycles), whatever is around them. The clock does not depend on IA32_PERF_GLOBAL_CTRL, which is 0 (Table 1-2).
static struct selftest_result check_clock_runs(unsigned counter)
{
	uint64_t clocks[2], cycles[2];

	for (unsigned i = 0; i < 2; i++) {
		clocks[i] = -clock();
		hal_execute(1000 + 2000 * i);
		clocks[i] += clock();
		cycles[i] = count_cycles(counter, 1000 + 2000 * i);
	}
	selftest_require(clocks[1] > clocks[0]);
	return selftest_compare(cycles[1] - cycles[0], clocks[1] - clocks[0]);
}

#define FEW_CYCLES 4096

// Nobody else looks at it meanwhile; it goes on but for the few cycles that this takes.
static struct selftest_result check_clock_written(unsigned)
{
	const bool interrupts = hal_interrupts_disable();
	const uint64_t before = clock();
	uint64_t after;

	selftest_write(MSR_IA32_TIME_STAMP_COUNTER, before + JUMP);
	after = clock();
	selftest_write(MSR_IA32_TIME_STAMP_COUNTER, after - JUMP);
	hal_interrupts_restore(interrupts);
	return selftest_compare(JUMP / FEW_CYCLES, (after - before) / FEW_CYCLES);
}

static uint64_t clock_there;

static void read_clock_there(void *)
{
	clock_there = clock();
}

static struct selftest_result check_clock_shared(unsigned n)
{
	const unsigned cpu = cpu_of_thread(n);
	const uint64_t before = clock();

	clock_there = 0;
	selftest_write(MSR_IA32_TIME_STAMP_COUNTER, before + JUMP);
	selftest_call(cpu, read_clock_there, NULL);
	selftest_write(MSR_IA32_TIME_STAMP_COUNTER, clock() - JUMP);
	return selftest_compare(1, (clock_there - before) / JUMP);
}

//
// The runtime on top: sessions, halts
//

// Two counters that both sample: what 20000 more instructions at the lowest level add.
static uint64_t sample_both(unsigned event, uint64_t n)
{
	pmu_begin(&pmu_driver_knc, false);
	selftest_start("INSTRUCTIONS_EXECUTED:u:period=1000,INSTRUCTIONS_EXECUTED:u:period=1000");
	hal_execute_user(n);
	selftest_stop();
	return selftest_count(event);
}

static struct selftest_result check_session_both(unsigned event)
{
	const uint64_t short_count = sample_both(event, 10000);

	return selftest_compare(20000, sample_both(event, 30000) - short_count);
}

// Both overflow together each time: one interrupt for two overflows.
static struct selftest_result check_session_interrupts(unsigned)
{
	struct pmu_statistics s;

	sample_both(0, 10500);
	pmu_statistics(&s);
	return selftest_compare(10, s.interrupts);
}

// One that is dropped because the vector's entry is masked is served when the session stops.
static struct selftest_result check_session_masked(unsigned)
{
	struct pmu_sample sample;
	unsigned samples = 0;

	selftest_start("INSTRUCTIONS_EXECUTED,INSTRUCTIONS_EXECUTED:period=1000");
	hal_pmi_mask();
	hal_execute(1500);
	selftest_stop();
	while (pmu_take_sample(&sample))
		samples++;
	selftest_require(selftest_count(0) == selftest_count(1));
	return selftest_compare(1, samples);
}

static void nothing(void)
{
}

// Around a halt of so many timer ticks, with nothing frozen: what an event counts, the cycles that pass.
static uint64_t halt_for(uint32_t ticks, unsigned counter, uint64_t *cycles)
{
	const bool interrupts = hal_interrupts_disable();
	const uint64_t before = clock();

	set_counter(counter, false, 0);
	selftest_enable(BIT(counter));
	hal_alarm(ticks);
	hal_halt(nothing);
	selftest_enable(0);
	*cycles = clock() - before;
	hal_interrupts_restore(interrupts);
	return selftest_value(counter);
}

static struct selftest_result check_halt_count(unsigned counter)
{
	uint64_t cycles;
	const uint64_t around_short = halt_for(5000, counter, &cycles);

	return selftest_compare(around_short, halt_for(15000, counter, &cycles));
}

// How many cycles a tick of the timer takes is the machine's business, and when exactly it ends a halt.
static struct selftest_result check_halt_clock(unsigned)
{
	uint64_t short_cycles, cycles;

	halt_for(5000, 0, &short_cycles);
	halt_for(1000000, 0, &cycles);
	return selftest_compare(1, cycles > short_cycles + 1000);
}

//
// The suite
//

#define EACH_COUNTER(name, run) {name "IA32_PERFCNTR0", run, 0}, {name "IA32_PERFCNTR1", run, 1},
#define EACH_THREAD(name, run)								\
	{name "the next thread", run, 1}, {name "the second next thread", run, 2},	\
	{name "the third next thread", run, 3},

static const struct selftest_check checks[] = {
	{"IA32_PERF_GLOBAL_OVF_CTRL cannot be read", check_read_fault, MSR_IA32_PERF_GLOBAL_OVF_CTRL},
	{"RDPMC of counter 2 faults", selftest_no_counter, COUNTERS},
	{"RDPMC of counter 40000000H faults", selftest_no_counter, 0x40000000},
	{"E counts each visit to level 3 once", check_edge, 1},
	{"E without CMASK counts each visit to level 3 once", check_edge, 0},
	EACH_COUNTER("SPFLT 1 lets count, SPFLT 0 does not: ", check_spflt)
	EACH_COUNTER("what SPFLT encloses counts exactly: ", check_enclosed)
	{"SPFLT sets USER_PREF, without counters left to it", check_spflt_register, 0},
	{"SPFLT sets USER_PREF, with both counters left to it", check_spflt_register, BOTH},
	EACH_COUNTER("cleared and unmasked, the next overflow interrupts: ", check_again)
	EACH_COUNTER("LVTPC masked: the status has the overflow: ", check_masked_status)
	{"both counters overflow in one cycle: one interrupt finds both", check_both, 0},
	{"an overflow while another is served: found with it, no second interrupt", check_rapid, 0},
	{"an overflow at once behind the handler's start interrupts", check_restarted, 0},
	EACH_COUNTER("the line stays up with the other's status: ", check_line_shared)
	EACH_THREAD("registers are left alone by ", check_own_registers)
	EACH_THREAD("thread count mode counts ", check_any_thread)
	EACH_THREAD("without thread count mode does not count ", check_own_thread)
	EACH_THREAD("an overflow interrupts its own thread: ", check_own_line)
	EACH_COUNTER("the time-stamp counter runs without counters, as fast as cycles of ", check_clock_runs)
	{"the time-stamp counter can be written", check_clock_written, 0},
	EACH_THREAD("the time-stamp counter is shared with ", check_clock_shared)
	{"session: both overflow together: the first is exact", check_session_both, 0},
	{"session: both overflow together: the second is exact", check_session_both, 1},
	{"session: both overflow together: an interrupt each period", check_session_interrupts, 0},
	{"session: an overflow while LVTPC is masked is served", check_session_masked, 0},
	EACH_COUNTER("a halt counts nothing: ", check_halt_count)
	{"the time-stamp counter runs in a halt", check_halt_clock, 0},
};

const struct selftest_suite selftest_suite_knc = {
	.driver = &pmu_driver_knc,
	.has = SELFTEST_GLOBAL | SELFTEST_LEVELS | SELFTEST_INTERRUPTS | SELFTEST_NMI | SELFTEST_MASKS | SELFTEST_HALTS,
	SELFTEST_LIST(counters),
	.enable = MSR_IA32_PERF_GLOBAL_CTRL,
	.status = MSR_IA32_PERF_GLOBAL_STATUS,
	.clear = MSR_IA32_PERF_GLOBAL_OVF_CTRL,
	.freeze_address = MSR_IA32_PERF_GLOBAL_CTRL,	// it never is
	.freeze_mask = BOTH,
	.sessions = {
		.overflowing = "INSTRUCTIONS_EXECUTED,INSTRUCTIONS_EXECUTED:period=1000",
		.user = "INSTRUCTIONS_EXECUTED:u,INSTRUCTIONS_EXECUTED:u:period=1000",
		.storm = "INSTRUCTIONS_EXECUTED,INSTRUCTIONS_EXECUTED:period=50",
		.nmi = "INSTRUCTIONS_EXECUTED,INSTRUCTIONS_EXECUTED:period=10",
	},
	SELFTEST_LIST(registers),
	SELFTEST_LIST(exceptions),
	SELFTEST_LIST(cases),
	SELFTEST_LIST(checks),
};
