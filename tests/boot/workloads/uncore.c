// SPDX-License-Identifier: BSD-2-Clause
// The PMU that four CPUs share, two cores of two threads: its counts of all CPUs; overflows that
// each CPU serves once, whatever the others do; and the bus locks before an occupancy is counted.
// Run with events=CPU_CLK_UNHALTED.REF: the workload uses all other counters of the first CPU.

#include "uncore.h"

#include "pal.h"

//
// Counting
//

#define UNTIL_OTHERS_HALT 100000	/* by then the called CPUs are done and halt */

static uint64_t n_of_all(void)
{
	uint64_t sum = 0;

	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		sum += jobs[cpu].n;
	return sum;
}

// The package's count while each CPU executes its n instructions; the surrounding work is always
// the same.
__attribute__((noipa)) static uint64_t counted(uint32_t cpus)
{
	uint64_t clock, cycles;

	start("UNC_CLK_UNHALTED," EVERY_CYCLE);
	for (unsigned cpu = 1; cpu < CPUS; cpu++)
		if (cpus >> cpu & 1)
			call(cpu, execute);
	hal_execute(jobs[0].n);
	hal_execute(UNTIL_OTHERS_HALT);
	expect("stopped", 0, PMU_OK, pmu_stop(&session));
	wait_for(ALL & ~1u);
	clock = count_of(&session, 0);
	cycles = count_of(&session, 1);
	expect("the fixed counter and a general one", 0, clock, cycles);
	hal_execute(1000);
	expect("stands still when stopped", 0, clock, count_of(&session, 0));
	expect("closed", 0, PMU_OK, pmu_close(&session));
	return clock;
}

// Each instruction of any CPU is a cycle.
static void count(uint32_t cpus)
{
	uint64_t base, base_n;

	set_lengths(1000, 0);
	base = counted(cpus);
	base_n = n_of_all();
	for (uint64_t n = 1001; n < 15000; n = n * 3 / 2) {
		set_lengths(1000, 0);
		for (unsigned cpu = 0; cpu < CPUS; cpu++)
			if (cpus >> cpu & 1)
				jobs[cpu].n = n + 77 * cpu;
		expect("known code", cpus, n_of_all() - base_n, counted(cpus) - base);
	}
}

//
// Overflows
//

#define SAMPLED(period) "UNC_CLK_UNHALTED:period=" #period "," EVERY_CYCLE

static void (*all_execute[CPUS])(void *) = {execute, execute, execute, execute};

static void broadcast(void)
{
	set_lengths(100000, 33331);
	run_broadcast("all at once", SAMPLED(5000), ALL, all_execute);
	finish();
}

// Overflows in each phase of the surrounding code.
static void broadcast_in_phases(void)
{
	uint64_t overflows = 0;

	for (unsigned phase = 0; phase < 50; phase++) {
		set_lengths(20000 + 7 * phase, 61 + phase);
		run_broadcast("in all phases", SAMPLED(4001), ALL, all_execute);
		overflows += session.counter[0].samples;
		expect("closed", 0, PMU_OK, pmu_close(&session));
	}
	printf("%s: %" PRIu64 " overflows\n", part, overflows);
}

// One CPU keeps interrupts off.
static void execute_off(void *argument)
{
	const bool interrupts = hal_interrupts_disable();
	struct job *job = argument;
	struct pmu_statistics early, late;

	hal_execute(job->n);
	pmu_statistics(&early);
	hal_execute(job->n);
	pmu_statistics(&late);
	hal_interrupts_restore(interrupts);
	if (!job->non_maskable) {
		expect("no overflow is served without it", hal_cpu(), early.overflows,
		       late.overflows);
		expect("no interrupt comes meanwhile", hal_cpu(), early.interrupts,
		       late.interrupts);
	} else {
		expect("non-maskable ones go on", hal_cpu(), true,
		       late.overflows > early.overflows);
	}
}

static void broadcast_late(void)
{
	static void (*one_late[CPUS])(void *) = {execute, execute, execute, execute_off};

	set_lengths(200000, 0);
	run_broadcast("one that is late", SAMPLED(5000), ALL, one_late);
	finish();
}

// One CPU halts, and overflows or its alarm wake it.
static void halt(void *argument)
{
	struct job *job = argument;

	for (unsigned i = 0; i < 20; i++) {
		bool interrupts = hal_interrupts_disable();

		hal_alarm((uint32_t)job->n);
		expect("PAL_HALT_LIGHT", hal_cpu(), PAL_SUCCESS,
		       (uint64_t)pal_call(PAL_HALT_LIGHT, 0, 0, 0).status);
		hal_interrupts_restore(interrupts);
	}
	hal_alarm(0);
}

static void broadcast_to_halted(void)
{
	static void (*one_halts[CPUS])(void *) = {execute, halt, execute, execute};

	set_lengths(200000, 1000);
	run_broadcast("one that halts", SAMPLED(5000), ALL, one_halts);
	finish();
}

// Each CPU's own counters sample at the same time.
static void execute_sampling(void *argument)
{
	struct job *job = argument;

	pmu_select(core);
	expect("opened", hal_cpu(), true,
	       open(&job->session, "INST_RETIRED.ANY,INST_RETIRED.ANY_P:period=1777"));
	expect("started", hal_cpu(), PMU_OK, pmu_start(&job->session));
	hal_execute(job->n);
	expect("stopped", hal_cpu(), PMU_OK, pmu_stop(&job->session));
	pmu_select(uncore);
}

static void close_own(void *argument)
{
	struct job *job = argument;
	const struct pmu_counter *c = &job->session.counter[1];
	uint64_t retired = count_of(&job->session, 0);
	struct pmu_statistics own;

	pmu_select(core);
	pmu_statistics(&own);
	pmu_select(uncore);
	expect("its own counters agree", hal_cpu(), retired, count_of(&job->session, 1));
	expect("its own samples", hal_cpu(), retired / 1777, job->own_samples);
	expect("its own samples, counted", hal_cpu(), retired / 1777, c->samples);
	expect("its own faults", hal_cpu(), 0, own.faults + own.dropped + own.unclaimed);
	expect("closed", hal_cpu(), PMU_OK, pmu_close(&job->session));
}

static void broadcast_with_samples(void)
{
	static void (*all_sample[CPUS])(void *) = {
		execute_sampling, execute_sampling, execute_sampling, execute_sampling,
	};

	for (unsigned turn = 0; turn < 10; turn++) {
		set_lengths(100000 + 13 * turn, 333);
		run_broadcast("with counters of their own", SAMPLED(4001), ALL, all_sample);
		on_each(close_own);
		if (turn == 0)
			finish();
		else
			expect("closed", 0, PMU_OK, pmu_close(&session));
	}
}

//
// Starting and stopping
//

static uint64_t stops[CPUS];		// made by each CPU

static void stop_and_start(void *argument)
{
	struct job *job = argument;
	unsigned cpu = hal_cpu();

	for (unsigned i = 0; i < 20; i++) {
		enum pmu_error stopped, started;

		hal_execute(job->n / 20);
		stopped = pmu_stop(&session);
		hal_execute(job->n / 50);
		started = pmu_start(&session);
		stops[cpu] += stopped == PMU_OK;
		expect("stopped, by one of them", cpu, true, stopped == PMU_OK ||
		       stopped == PMU_STOPPED);
		expect("started, by one of them", cpu, true, started == PMU_OK ||
		       started == PMU_STARTED);
	}
}

// Successive reads never decrease.
static void read_on(void *argument)
{
	struct job *job = argument;
	uint64_t last = 0;

	for (unsigned i = 0; i < 100; i++) {
		uint64_t count = count_of(&session, i % 2);

		expect("counts go on", hal_cpu(), true, count >= last);
		last = count;
		hal_execute(job->n / 100);
	}
}

// A start or a stop ends a round; a CPU that has not taken its sample by then takes none: at most
// one for each start or stop. If a stop comes so close before an overflow that the counter cannot
// be armed for the rest, that sample and all later ones come late by the few missing events, which
// the counter reports (pmu_counter.slipped).
static void stop_in_phases(const char *name, void (*function[CPUS])(void *), unsigned phases)
{
	uint64_t overflows = 0, all_stops = 0;

	part = name;
	for (unsigned phase = 0; phase < phases; phase++) {
		uint64_t ends = 2, slipped;	// of the last stop and the first start

		memset(stops, 0, sizeof stops);
		set_lengths(20000 + 11 * phase, 103);
		start(SAMPLED(2003));
		at_once(function);
		pmu_stop(&session);
		pmu_statistics(&after);
		check_counts();
		for (unsigned cpu = 0; cpu < CPUS; cpu++)
			ends += 2 * stops[cpu];
		slipped = session.counter[0].slipped;
		expect("samples late, at most", 0, true, slipped <= ends / 2 * (PMU_ARM_LEAST - 1));
		on_each(take_samples);
		for (unsigned cpu = 0; cpu < CPUS; cpu++) {
			uint64_t samples = jobs[cpu].samples;

			expect("samples, at most", cpu, true,
			       samples <= session.counter[0].samples);
			expect("samples, at least", cpu, true,
			       samples + ends >= session.counter[0].samples);
			expect("between two samples are periods", cpu, true,
			       jobs[cpu].last % 2003 <= slipped);
		}
		overflows += session.counter[0].samples;
		all_stops += ends / 2;
		expect("closed", 0, PMU_OK, pmu_close(&session));
	}
	printf("%s: %" PRIu64 " overflows, %" PRIu64 " stops\n", part, overflows, all_stops);
}

// All others execute: the stop comes in any phase of a round.
static void stop_early(void *argument)
{
	struct job *job = argument;

	hal_execute(job->n % 4096);
	stops[hal_cpu()] += pmu_stop(&session) == PMU_OK;
}

static void start_and_stop(void)
{
	static void (*early[CPUS])(void *) = {execute, stop_early, execute, execute};
	static void (*two_of_them[CPUS])(void *) = {execute, read_on, stop_and_start,
						    stop_and_start};

	stop_in_phases("stopped by another CPU", early, 50);
	stop_in_phases("stopped and started by two CPUs at once", two_of_them, 40);
}

//
// Late arrivals: CPU 3 keeps interrupts off until CPU 1 stops the session, so that the round closes
// without it. One of them loses the processor in the middle of that, at each of its instructions in
// turn. Only one overflow occurs until then: all others halt, and the period is longer than the two
// CPUs' instructions.
//

#define SLICE	20000	/* instructions in a CPU's time slice, at most */
#define SOON	2000	/* instructions that cover everything to be interrupted */
#define STEP	31

static volatile bool off, in_round, first_acts;
static uint64_t left;			// of the time slice, at the interruption

static void wait_until(volatile bool *flag)
{
	for (unsigned tries = 0; tries < 10000 && !*flag; tries++)
		hal_execute(200);
}

// Starts a new time slice, and returns when only `left` instructions of it remain.
static void act_first(void)
{
	__asm__ volatile("pause");
	first_acts = true;
	hal_execute(SLICE - left);
}

static void stop_first(void *unused)
{
	(void)unused;
	act_first();
	pmu_stop(&session);
}

static void stop_second(void *unused)
{
	(void)unused;
	wait_until(&first_acts);
	pmu_stop(&session);
	pmu_start(&session);
}

static void read_first(void *unused)
{
	(void)unused;
	act_first();
	count_of(&session, 0);
}

static void arrive_late(void (*when)(void))
{
	bool interrupts = hal_interrupts_disable();

	off = true;
	when();
	hal_interrupts_restore(interrupts);
	hal_execute(SOON);
}

static void wait_for_first(void)
{
	wait_until(&first_acts);
}

static void arrive_second(void *unused)
{
	(void)unused;
	arrive_late(wait_for_first);
}

static void wait_and_act_first(void)
{
	wait_until(&in_round);
	act_first();
}

static void arrive_first(void *unused)
{
	(void)unused;
	arrive_late(wait_and_act_first);
}

// CPU 3 may miss the first overflow, but no later one; each CPU that serves an overflow has one
// sample.
static void check_late(uint64_t *missed)
{
	const uint64_t overflows = session.counter[0].samples, period = session.counter[0].period;
	uint64_t samples = 0;

	pmu_statistics(&after);
	check_counts();
	expect("interrupts", 0, CPUS * overflows, after.interrupts - before.interrupts);
	on_each(take_samples);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		bool late = cpu == 3 && jobs[cpu].samples < overflows;

		*missed += late;
		samples += jobs[cpu].samples;
		expect("samples", cpu, overflows - late, jobs[cpu].samples);
		expect("the last sample's count", cpu, overflows * period, jobs[cpu].last);
		expect("a period between samples", cpu, true, jobs[cpu].consecutive);
	}
	expect("an interrupt is a sample each, or spurious", 0,
	       after.interrupts - before.interrupts, samples + after.spurious - before.spurious);
}

// Returns the number of overflows that CPU 3 missed. CPU 2 halts or executes `third`.
static uint64_t late_arrivals(const char *name, void (*second)(void *), void (*third)(void *),
			      void (*fourth)(void *))
{
	uint64_t missed = 0;

	part = name;
	set_lengths(3 * SLICE, 0);
	for (left = 0; left < SOON; left += STEP) {
		prepare(SAMPLED(30011));
		off = in_round = first_acts = false;
		call(3, fourth);
		wait_until(&off);
		expect("started", 0, PMU_OK, pmu_start(&session));
		hal_execute(3 * SLICE / 2 + SOON);	// the overflow
		in_round = true;
		call(1, second);
		if (third)
			call(2, third);
		wait_for(ALL & ~1u);
		if (!session.running)
			expect("started", 0, PMU_OK, pmu_start(&session));
		hal_execute(3 * SLICE);
		stop_between_overflows(CPUS);
		check_late(&missed);
		expect("closed", 0, PMU_OK, pmu_close(&session));
	}
	printf("%s: %" PRIu64 " of %u missed a sample\n", name, missed, (SOON + STEP - 1) / STEP);
	return missed;
}

static void arrive_at_any_time(void)
{
	late_arrivals("interrupted while it stops", stop_first, NULL, arrive_second);
	late_arrivals("interrupted while it arrives", stop_second, NULL, arrive_first);
	expect("missed", 3, 0, late_arrivals("interrupted while it reads", read_first, NULL,
					     arrive_second));
	expect("missed", 3, 0, late_arrivals("overflow while it arrives", execute, execute,
					     arrive_first));
}

// The package signals CPU 3 while CPU 3's own overflow interrupt is masked, because its own
// counters stop.
static void stop_own(void *argument)
{
	struct job *job = argument;

	pmu_select(core);
	expect("opened", 3, true, open(&job->session, "INST_RETIRED.ANY"));
	expect("started", 3, PMU_OK, pmu_start(&job->session));
	off = true;
	wait_until(&in_round);
	act_first();
	expect("stopped", 3, PMU_OK, pmu_stop(&job->session));
	expect("closed", 3, PMU_OK, pmu_close(&job->session));
	pmu_select(uncore);
}

static void signal_masked(void)
{
	for (left = 0; left < 400; left += 3) {
		part = "signalled while masked";
		prepare(SAMPLED(50021));
		off = in_round = first_acts = false;
		call(3, stop_own);
		wait_until(&off);
		expect("started", 0, PMU_OK, pmu_start(&session));
		in_round = true;
		hal_execute(6 * SLICE);
		wait_for(1 << 3);
		stop_between_overflows(CPUS);
		check_broadcast(ALL);
		expect("closed", 0, PMU_OK, pmu_close(&session));
	}
}

//
// Some CPUs only
//

static void core_interrupts(void *argument)
{
	struct pmu_statistics s;

	pmu_select(core);
	pmu_statistics(&s);
	((struct job *)argument)->samples = s.interrupts;
}

static void only_some(uint32_t cpus)
{
	for (unsigned cpu = 1; cpu < CPUS; cpu++)
		on(cpu, leave);
	for (unsigned cpu = 1; cpu < CPUS; cpu++)
		if (cpus >> cpu & 1)
			on(cpu, begin);
	set_lengths(100000, 333);
	run_broadcast("two of them", SAMPLED(5000), cpus, all_execute);
	for (unsigned cpu = 1; cpu < CPUS; cpu++)
		if (!(cpus >> cpu & 1)) {
			on(cpu, core_interrupts);
			expect("interrupts of one that takes no part", cpu, 0, jobs[cpu].samples);
		}
	finish();
}

//
// Bus locks
//

static uint64_t bus_locks(void)
{
	pmu_statistics(&after);
	return after.bus_locks - before.bus_locks;
}

// One bus lock for each counter of an occupancy, at its first start.
static void lock(const char *events, unsigned occupancies)
{
	start(events);
	expect("locks of the first start", 0, occupancies, bus_locks());
	hal_execute(50000);
	for (unsigned i = 1; i <= occupancies; i++)
		expect("entries of empty queues", 0, 0, count_of(&session, i));
	expect("locks after reads", 0, occupancies, bus_locks());
	stop_between_overflows(CPUS);
	expect("overflows", 0, true, session.counter[0].samples > 0);
	expect("locks after overflows", 0, occupancies, bus_locks());
	expect("started", 0, PMU_OK, pmu_start(&session));
	on(2, execute);
	expect("locks of the second start", 0, occupancies, bus_locks());
	expect("stopped", 0, PMU_OK, pmu_stop(&session));
	for (unsigned i = 1; i <= occupancies; i++)
		expect("entries of empty queues, in the end", 0, 0, count_of(&session, i));
	expect("closed", 0, PMU_OK, pmu_close(&session));
	expect("locks at the end", 0, occupancies, bus_locks());
}

static void locks(void)
{
	part = "bus locks";
	set_lengths(5000, 0);
	lock("UNC_CLK_UNHALTED:period=5000", 0);
	lock("UNC_CLK_UNHALTED:period=5000,UNC_GQ_TRACKER_OCCUP.RT", 1);
	lock("UNC_CLK_UNHALTED:period=5000,UNC_QHL_OCCUPANCY.LOCAL", 1);
	lock("UNC_CLK_UNHALTED:period=5000,UNC_IMC_NORMAL_OCCUPANCY.CH0", 1);
	lock("UNC_CLK_UNHALTED:period=5000,UNC_GQ_TRACKER_OCCUP.RT,UNC_GQ_TRACKER_OCCUP.WT,"
	     "UNC_QHL_OCCUPANCY.IOH,"
	     "UNC_QHL_OCCUPANCY.REMOTE,UNC_QHL_OCCUPANCY.LOCAL,UNC_IMC_NORMAL_OCCUPANCY.CH0,"
	     "UNC_IMC_NORMAL_OCCUPANCY.CH1,UNC_IMC_NORMAL_OCCUPANCY.CH2", 8);
}

int workload(void)
{
	part = "all";
	core = pmu_drivers[0];
	uncore = find_uncore();
	expect("CPUs", 0, CPUS, hal_cpus_start());
	if (wrong || !uncore)
		return 1;
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		jobs[cpu].non_maskable = cpu & 1;
	on_each(begin);
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		expect("begun", cpu, true, jobs[cpu].ok);

	part = "counting";
	count(1);
	count(ALL);
	locks();
	if (wrong)	// the rest would fail, too
		return 1;
	broadcast();
	broadcast_in_phases();
	broadcast_late();
	for (unsigned cpu = 1; cpu < CPUS; cpu++) {
		jobs[cpu].non_maskable ^= true;
		on(cpu, leave);
		on(cpu, begin);
	}
	broadcast_late();
	broadcast_in_phases();
	broadcast_to_halted();
	broadcast_with_samples();
	start_and_stop();
	arrive_at_any_time();
	signal_masked();
	only_some(1 << 0 | 1 << 1);
	only_some(1 << 0 | 1 << 3);
	pmu_select(core);

	printf("uncore: %d wrong\n", wrong);
	return wrong != 0;
}
