// SPDX-License-Identifier: BSD-2-Clause
// The four threads of a core of Knights Corner: separate registers, exact counts at the same time,
// counters of all threads, the shared clock, INIT, and the thread that an overflow interrupts. The
// workload programs registers directly, also on the first thread, and restores that thread's
// registers. Run with one event.

#include "knc.h"

#include "cpus.h"
#include "pal.h"
#include "pmu.h"
#include "stimulus.h"

// n instructions between two WRMSR, of which the second still counts.
#define OF_BETWEEN(n)	((n) + 1)

static struct job {
	uint64_t n, own, all, halted[2], found[6];
	unsigned hits;
	bool halts;
} jobs[CPUS];

static struct job *mine(void)
{
	return &jobs[hal_cpu()];
}

//
// Registers
//

// None of these values counts: the selects' EN is clear.
static uint64_t value_of(unsigned cpu, unsigned i)
{
	const uint64_t values[6] = {
		0xA500000000 + cpu, 0x5A00000000 + cpu, 0x00310001 + (cpu << 8),
		0x00020002 + (cpu << 8), (uint64_t)(cpu & 1) << 63 | (cpu ^ 3), cpu,
	};

	return values[i];
}

static void fill(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 6; i++)
		put(registers[i], value_of(hal_cpu(), i));
}

static void look(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 6; i++)
		mine()->found[i] = get(registers[i]);
}

static void check_found(const char *what, unsigned cpu)
{
	for (unsigned i = 0; i < 6; i++)
		expect(what, cpu, value_of(cpu, i), jobs[cpu].found[i]);
}

static void separate_registers(void)
{
	everywhere(fill, NULL);
	everywhere(look, NULL);
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		check_found("registers of its own", cpu);
	everywhere(clear, NULL);
}

//
// Counts
//

static void count_all(uint64_t levels)
{
	put(COUNTER(1), 0);
	put(SELECT(1), EXECUTED | levels | ALL_THREADS | EN);
	put(ENABLE, 2);
}

static void count_user(void *unused)
{
	const uint64_t others = get(ENABLE);

	(void)unused;
	put(COUNTER(0), 0);
	put(SELECT(0), EXECUTED | USR | EN);
	put(ENABLE, others | 1);
	hal_execute_user(mine()->n);
	put(ENABLE, others);
	mine()->own = get(COUNTER(0));
}

// At level 0, together with the clock cycles of the same instructions.
static void count_system(void *unused)
{
	(void)unused;
	put(COUNTER(0), 0);
	put(COUNTER(1), 0);
	put(SELECT(0), EXECUTED | OS | EN);
	put(SELECT(1), UNHALTED | OS | USR | EN);
	hal_execute_between(ENABLE, 3, 0, mine()->n);
	mine()->own = get(COUNTER(0));
	mine()->all = get(COUNTER(1));
}

static void halt(uint64_t ticks, uint64_t *counted)
{
	bool interrupts;

	put(COUNTER(0), 0);
	put(SELECT(0), UNHALTED | OS | USR | EN);
	interrupts = hal_interrupts_disable();
	put(ENABLE, 1);
	hal_alarm((uint32_t)ticks);
	expect("PAL_HALT_LIGHT", hal_cpu(), PAL_SUCCESS,
	       (uint64_t)pal_call(PAL_HALT_LIGHT, 0, 0, 0).status);
	put(ENABLE, 0);
	hal_interrupts_restore(interrupts);
	*counted = get(COUNTER(0));
}

static void halt_or_count(void *unused)
{
	if (!mine()->halts) {
		count_user(unused);
		return;
	}
	halt(20000, &mine()->halted[0]);
	halt(900000, &mine()->halted[1]);
}

static void exact_counts(void)
{
	uint64_t sum = 0, n_sum = 0;

	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		jobs[cpu].n = 100000 + 33331 * cpu;
	count_all(USR);
	everywhere(count_user, NULL);
	put(ENABLE, 0);
	jobs[0].all = get(COUNTER(1));
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		expect("known code at level 3", cpu, OF_USER(jobs[cpu].n), jobs[cpu].own);
		sum += jobs[cpu].own;
		n_sum += OF_USER(jobs[cpu].n);
		printf("CPU %u: %" PRIu64 "\n", cpu, jobs[cpu].own);
	}
	printf("all threads: %" PRIu64 "\n", jobs[0].all);
	expect("all threads at level 3: the sum of each thread's count", 0, sum, jobs[0].all);
	// 4 * (100000 + 3) + 33331 * (1 + 2 + 3) = 599998
	expect("all threads at level 3: by hand", 0, 599998, jobs[0].all);
	expect("the same", 0, 599998, n_sum);

	everywhere(count_system, NULL);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		expect("known code at level 0", cpu, OF_BETWEEN(jobs[cpu].n), jobs[cpu].own);
		expect("its cycles", cpu, OF_BETWEEN(jobs[cpu].n), jobs[cpu].all);
	}
}

// One thread halts, for a short and a long time, while the three others count. If another thread
// halts, the first one counts the instructions of all threads.
static void light_halt(void)
{
	for (unsigned halted = 0; halted < CPUS; halted++) {
		uint64_t sum = 0;

		everywhere(clear, NULL);
		jobs[halted].halts = true;
		if (halted)
			count_all(USR);
		everywhere(halt_or_count, NULL);
		put(ENABLE, 0);
		jobs[halted].halts = false;
		for (unsigned cpu = 0; cpu < CPUS; cpu++)
			if (cpu != halted) {
				expect("known code while one halts", cpu, OF_USER(jobs[cpu].n),
				       jobs[cpu].own);
				sum += OF_USER(jobs[cpu].n);
			}
		expect("and all threads'", 0, halted ? sum : 0, get(COUNTER(1)));
		expect("a longer halt has no more cycles", halted, jobs[halted].halted[0],
		       jobs[halted].halted[1]);
	}
	everywhere(clear, NULL);
}

//
// The clock
//

static uint64_t last_clock;
static volatile unsigned clock_lock, backwards;

#define LOOKS 2000

static void look_at_clock(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < LOOKS; i++) {
		uint64_t clock;

		while (__atomic_exchange_n(&clock_lock, 1, __ATOMIC_ACQUIRE))
			__asm__ volatile("pause");
		clock = i & 1 ? get(CLOCK) : hal_clock();
		backwards += clock <= last_clock;
		last_clock = clock;
		__atomic_store_n(&clock_lock, 0, __ATOMIC_RELEASE);
	}
}

// RDTSC; five instructions later RDMSR; four later RDTSC.
static void compare_clocks(void *unused)
{
	uint64_t a, b, c;

	(void)unused;
	__asm__ volatile("rdtsc\n\tshl $32, %%rdx\n\tor %%rdx, %%rax\n\tmov %%rax, %0\n\tmov %3, "
			 "%%ecx\n\trdmsr\n\t"
			 "shl $32, %%rdx\n\tor %%rdx, %%rax\n\tmov %%rax, %1\n\trdtsc\n\tshl $32, "
			 "%%rdx\n\t"
			 "or %%rdx, %%rax\n\tmov %%rax, %2"
			 : "=&r"(a), "=&r"(b), "=&r"(c) : "i"(CLOCK) : "rax", "rcx", "rdx");
	mine()->found[0] = b - a;
	mine()->found[1] = c - b;
}

#define FAR_CLOCK (1ULL << 52)

static void one_clock(void)
{
	uint64_t before, after;

	last_clock = 0;
	backwards = 0;
	everywhere(look_at_clock, NULL);
	expect("a clock goes backwards", 0, 0, backwards);
	everywhere(compare_clocks, NULL);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		expect("RDTSC, RDMSR", cpu, 5, jobs[cpu].found[0]);
		expect("RDMSR, RDTSC", cpu, 4, jobs[cpu].found[1]);
	}

	// All threads see a clock value that one thread writes.
	before = hal_clock();
	put(CLOCK, FAR_CLOCK);
	for (unsigned cpu = 1; cpu < CPUS; cpu++) {
		on(cpu, look_at_clock);
		expect("a clock goes backwards", cpu, 0, backwards);
		expect("a clock that is written", cpu, true,
		       last_clock > FAR_CLOCK && last_clock < FAR_CLOCK + PATIENCE);
	}
	after = hal_clock() - FAR_CLOCK;
	put(CLOCK, before + after);
	expect("a clock that is set back", 0, true, hal_clock() - before - after < 100);
}

//
// Interrupts
//

static void count_hit(uint64_t ip, unsigned level)
{
	(void)ip, (void)level;
	put(ENABLE, 0);
	mine()->hits++;
	mine()->own = get(STATUS);
	put(CLEAR, 3);
	hal_pmi_unmask();
	hal_pmi_end();
}

static hal_pmi_function *first_handler;

static void attach(void *unused)
{
	(void)unused;
	first_handler = hal_cpu() ? first_handler : x86_this_cpu.pmi_handler;
	mine()->hits = 0;
	mine()->own = 0;
	hal_pmi_attach(count_hit, HAL_PMI_VECTOR);
}

#define BEFORE_OVERFLOW 500
#define WIDTH_MASK	((1ULL << 40) - 1)

static void overflow_own(void *unused)
{
	(void)unused;
	put(COUNTER(0), -BEFORE_OVERFLOW & WIDTH_MASK);
	put(SELECT(0), EXECUTED | USR | INT | EN);
	put(ENABLE, 1);
	hal_execute_user(mine()->n);
	put(ENABLE, 0);
}

static void execute_user(void *unused)
{
	(void)unused;
	hal_execute_user(mine()->n);
}

static void interrupts(void)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		jobs[cpu].n = 20000 + cpu;
	// Counters of the own thread: on three threads the counter overflows, on one it ends one
	// event before its overflow.
	jobs[2].n = BEFORE_OVERFLOW - 1 - OF_USER(0);
	everywhere(attach, NULL);
	everywhere(overflow_own, NULL);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		expect("interrupts of its own counter", cpu, cpu != 2, jobs[cpu].hits);
		expect("status", cpu, cpu != 2, jobs[cpu].own);
	}
	on(2, look);
	expect("one short of an overflow", 2, WIDTH_MASK, jobs[2].found[0]);
	everywhere(clear, NULL);

	// Counters of all threads: the interrupt goes to the counter's owner, whichever thread
	// executed the instruction.
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		everywhere(attach, NULL);
		put(COUNTER(1), -BEFORE_OVERFLOW & WIDTH_MASK);
		put(SELECT(1), EXECUTED | USR | INT | ALL_THREADS | EN);
		put(ENABLE, 2);
		jobs[cpu].n = 20000;
		if (cpu)
			on(cpu, execute_user);
		else
			execute_user(NULL);
		put(ENABLE, 0);
		for (unsigned other = 0; other < CPUS; other++)
			expect("interrupts of a counter of all threads", other, other == 0,
			       jobs[other].hits);
		expect("its status", 0, 2, jobs[0].own);
		everywhere(clear, NULL);
	}
	x86_this_cpu.pmi_handler = first_handler;
}

//
// INIT (the guide, 1.4.4)
//

static void init(void)
{
	for (unsigned cpu = 1; cpu < CPUS; cpu++) {
		on(cpu, fill);
		expect("starts again after INIT", cpu, true, hal_cpu_init(cpu));
		on(cpu, look);
		check_found("registers after INIT", cpu);
		on(cpu, clear);
		jobs[cpu].n = 123456 + cpu;
		on(cpu, count_user);
		expect("known code after INIT", cpu, OF_USER(123456 + cpu), jobs[cpu].own);
	}
	expect("INIT of this one is refused", 0, false, hal_cpu_init(0));
	expect("INIT of none is refused", CPUS, false, hal_cpu_init(CPUS));
}

int workload(void)
{
	uint64_t first[6];

	expect("CPUs", 0, CPUS, hal_cpus_start());
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		unsigned core, thread;

		hal_topology(cpu, &core, &thread);
		expect("core", cpu, 0, core);
		expect("thread", cpu, cpu, thread);
	}
	if (wrong)
		return 1;
	for (unsigned i = 0; i < 6; i++)
		first[i] = get(registers[i]);
	for (unsigned cpu = 1; cpu < CPUS; cpu++)
		on(cpu, begin);
	everywhere(clear, NULL);

	separate_registers();
	exact_counts();
	light_halt();
	one_clock();
	interrupts();
	init();
	// Afterwards all of it still works.
	separate_registers();
	exact_counts();
	one_clock();

	expect("failed accesses and calls", 0, 0, failed);
	for (unsigned i = 0; i < 6; i++)
		put(registers[i], first[i]);
	printf("knc-threads: %d wrong\n", wrong);
	return wrong != 0;
}
