// SPDX-License-Identifier: BSD-2-Clause
// The four threads of a core of Knights Corner: registers of their own, exact counts at once, counters of all threads,
// the instruction SPFLT, the clock they share, INIT, and whose interrupt it is. Registers are programmed directly, on
// the first thread, too, which gets back what it had. Run with one event.

#include <inttypes.h>
#include <stdio.h>

#include "arch.h"
#include "hal.h"
#include "layout.h"
#include "pal.h"
#include "pmu.h"
#include "x86/cpu.h"
#include "x86/this_cpu.h"

int workload(void);

#define CPUS		4
#define OTHERS		((1u << CPUS) - 2)
#define PATIENCE	100000000	/* clocks */

// The guide, 1.4.3.
#define CLOCK		0x10
#define COUNTER(n)	(0x20 + (n))
#define SELECT(n)	(0x28 + (n))
#define SPFLT		0x2C
#define STATUS		0x2D
#define CLEAR		0x2E
#define ENABLE		0x2F

#define EXECUTED	0x16		/* INSTRUCTIONS_EXECUTED */
#define UNHALTED	0x2A		/* CPU_CLK_UNHALTED */
#define USR		(1u << 16)
#define OS		(1u << 17)
#define INT		(1u << 20)
#define ALL_THREADS	(1u << 21)	/* thread count mode */
#define EN		(1u << 22)

// arch/x86/execute.S: level 3 executes n instructions, one before them, and two to know whether n is odd and to come
// back.
#define OF_USER(n)	((n) + 3)
// n instructions between two WRMSR, of which the second still counts.
#define OF_BETWEEN(n)	((n) + 1)

static int wrong;

static void expect(const char *what, unsigned cpu, uint64_t expected, uint64_t found)
{
	if (expected != found) {
		printf("WRONG: %s, CPU %u: 0x%" PRIx64 ", not 0x%" PRIx64 "\n", what, cpu, found, expected);
		wrong++;
	}
}

static struct job {
	uint64_t n, own, all, halted[2], found[6];
	unsigned hits;
	bool halts;
} jobs[CPUS];

static volatile unsigned faults;	// of register accesses

static void put(uint32_t address, uint64_t value)
{
	if (!reg_write(address, value))
		__atomic_fetch_add(&faults, 1, __ATOMIC_SEQ_CST);
}

static uint64_t get(uint32_t address)
{
	uint64_t value = 0;

	if (!reg_read(address, &value))
		__atomic_fetch_add(&faults, 1, __ATOMIC_SEQ_CST);
	return value;
}

static struct job *mine(void)
{
	return &jobs[hal_cpu()];
}

static void everywhere(void (*function)(void *))
{
	for (unsigned cpu = 1; cpu < CPUS; cpu++)
		hal_cpu_call(cpu, function, NULL);
	function(NULL);
	expect("all come back", 0, true, hal_cpus_wait(OTHERS, PATIENCE));
}

static void on(unsigned cpu, void (*function)(void *))
{
	hal_cpu_call(cpu, function, NULL);
	expect("comes back", cpu, true, hal_cpus_wait(1u << cpu, PATIENCE));
}

//
// Registers
//

static const uint32_t registers[6] = {COUNTER(0), COUNTER(1), SELECT(0), SELECT(1), SPFLT, ENABLE};

// None of these counts: the selects' EN is clear.
static uint64_t value_of(unsigned cpu, unsigned i)
{
	const uint64_t values[6] = {
		0xA500000000 + cpu, 0x5A00000000 + cpu, 0x00310001 + (cpu << 8), 0x00020002 + (cpu << 8),
		(uint64_t)(cpu & 1) << 63 | (cpu ^ 3), cpu,
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

static void clear(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 6; i++)
		put(registers[i], 0);
	put(CLEAR, 3);
}

static void check_found(const char *what, unsigned cpu)
{
	for (unsigned i = 0; i < 6; i++)
		expect(what, cpu, value_of(cpu, i), jobs[cpu].found[i]);
}

static void separate_registers(void)
{
	everywhere(fill);
	everywhere(look);
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		check_found("registers of its own", cpu);
	everywhere(clear);
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

// At level 0, and beside the clock cycles of the same instructions.
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
	expect("PAL_HALT_LIGHT", hal_cpu(), PAL_SUCCESS, (uint64_t)pal_call(PAL_HALT_LIGHT, 0, 0, 0).status);
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
	everywhere(count_user);
	put(ENABLE, 0);
	jobs[0].all = get(COUNTER(1));
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		expect("known code at level 3", cpu, OF_USER(jobs[cpu].n), jobs[cpu].own);
		sum += jobs[cpu].own;
		n_sum += OF_USER(jobs[cpu].n);
		printf("CPU %u: %" PRIu64 "\n", cpu, jobs[cpu].own);
	}
	printf("all threads: %" PRIu64 "\n", jobs[0].all);
	expect("all threads at level 3: the sum of what each counts", 0, sum, jobs[0].all);
	// 4 * (100000 + 3) + 33331 * (1 + 2 + 3) = 599998
	expect("all threads at level 3: by hand", 0, 599998, jobs[0].all);
	expect("the same", 0, 599998, n_sum);

	everywhere(count_system);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		expect("known code at level 0", cpu, OF_BETWEEN(jobs[cpu].n), jobs[cpu].own);
		expect("its cycles", cpu, OF_BETWEEN(jobs[cpu].n), jobs[cpu].all);
	}
}

// One thread halts, a short and a long time, while the three others count. If it is not the first one, that counts all
// of theirs.
static void light_halt(void)
{
	for (unsigned halted = 0; halted < CPUS; halted++) {
		uint64_t sum = 0;

		everywhere(clear);
		jobs[halted].halts = true;
		if (halted)
			count_all(USR);
		everywhere(halt_or_count);
		put(ENABLE, 0);
		jobs[halted].halts = false;
		for (unsigned cpu = 0; cpu < CPUS; cpu++)
			if (cpu != halted) {
				expect("known code while one halts", cpu, OF_USER(jobs[cpu].n), jobs[cpu].own);
				sum += OF_USER(jobs[cpu].n);
			}
		expect("and all threads'", 0, halted ? sum : 0, get(COUNTER(1)));
		expect("a longer halt has no more cycles", halted, jobs[halted].halted[0], jobs[halted].halted[1]);
	}
	everywhere(clear);
}

//
// SPFLT (the guide, Table 1-1)
//

#define NOPS	20

// Prefers counters to count for NOPS instructions and one more, which the second SPFLT follows: it is still counted.
#define OF_PREFERRED	(NOPS + 2)

#define TEXT(...)	#__VA_ARGS__
#define STRING(x)	TEXT(x)

// With a register and the bytes of SPFLT of it.
#define PREFER(reg, reg32, on, off, ...)								\
	static void prefer_##reg(void)									\
	{												\
		static uint64_t saved;									\
		__asm__ volatile("mov %%" #reg ", %0\n\tmov $" STRING(on) ", %%" #reg32 "\n\t.byte " #__VA_ARGS__ \
				 "\n\t.rept " STRING(NOPS) "\n\tnop\n\t.endr\n\tmov $" STRING(off) ", %%" #reg32 \
				 "\n\t.byte " #__VA_ARGS__ "\n\tmov %0, %%" #reg : "+m"(saved) : : "memory");	\
	}

PREFER(rax, eax, 1, 0, 0xC5, 0xFB, 0xAE, 0xF0)
PREFER(rcx, ecx, 1, 0, 0xC5, 0xFB, 0xAE, 0xF1)
PREFER(rdx, edx, 1, 0, 0xC5, 0xFB, 0xAE, 0xF2)
PREFER(rbx, ebx, 1, 0, 0xC5, 0xFB, 0xAE, 0xF3)
PREFER(rsp, esp, 1, 0, 0xC5, 0xFB, 0xAE, 0xF4)
PREFER(rbp, ebp, 1, 0, 0xC5, 0xFB, 0xAE, 0xF5)
PREFER(rsi, esi, 1, 0, 0xC5, 0xFB, 0xAE, 0xF6)
PREFER(rdi, edi, 1, 0, 0xC5, 0xFB, 0xAE, 0xF7)
PREFER(r8, r8d, 3, 2, 0xC4, 0xC1, 0x7B, 0xAE, 0xF0)		// bit 0 alone
PREFER(r9, r9d, 0xFFFFFFFF, 0xFFFFFFFE, 0xC4, 0xC1, 0x7B, 0xAE, 0xF1)
PREFER(r10, r10d, 1, 0, 0xC4, 0xC1, 0x7B, 0xAE, 0xF2)
PREFER(r11, r11d, 1, 0, 0xC4, 0xC1, 0xFB, 0xAE, 0xF3)		// W set
PREFER(r12, r12d, 1, 0, 0xC4, 0xC1, 0x7F, 0xAE, 0xF4)		// L set
PREFER(r13, r13d, 1, 0, 0xC4, 0xC1, 0x7B, 0xAE, 0xF5)
PREFER(r14, r14d, 1, 0, 0x2E, 0xC4, 0xC1, 0x7B, 0xAE, 0xF6)	// a segment prefix
PREFER(r15, r15d, 1, 0, 0x67, 0xC4, 0xC1, 0x7B, 0xAE, 0xF7)	// an address size

static void (*const preferring[])(void) = {
	prefer_rax, prefer_rcx, prefer_rdx, prefer_rbx, prefer_rsp, prefer_rbp, prefer_rsi, prefer_rdi,
	prefer_r8, prefer_r9, prefer_r10, prefer_r11, prefer_r12, prefer_r13, prefer_r14, prefer_r15,
};

// The same at level 3, with RAX, in the long form; between its way there and back (arch/x86/execute.S).
void prefer_at_user_level(void);
__asm__(".text\nprefer_at_user_level:\n\t"
	"push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15; pushfq\n\t"
	"mov %rsp, %gs:" STRING(THIS_CPU_USER_RETURN) "\n\t"
	"pushq $" STRING(SEGMENT_USER_DATA) "; pushq $0; pushfq; pushq $" STRING(SEGMENT_USER_CODE) "\n\t"
	"lea 1f(%rip), %rax; push %rax; iretq\n"
	"1:	mov $1, %eax\n\t.byte 0xC4, 0xE1, 0x7B, 0xAE, 0xF0\n\t.rept " STRING(NOPS) "\n\tnop\n\t.endr\n\t"
	"mov $0, %eax\n\t.byte 0xC4, 0xE1, 0x7B, 0xAE, 0xF0\n\tint $" STRING(VECTOR_USER_RETURN) "\n");

static uint64_t preferred(void (*code)(void), uint64_t levels, uint64_t event)
{
	const bool interrupts = hal_interrupts_disable();

	put(COUNTER(0), 0);
	put(SELECT(0), event | levels | EN);
	put(SPFLT, 1);
	put(ENABLE, 1);
	code();
	put(ENABLE, 0);
	put(SPFLT, 0);
	hal_interrupts_restore(interrupts);
	return get(COUNTER(0));
}

static void prefer_everywhere(void *unused)
{
	struct job *job = mine();

	(void)unused;
	for (unsigned i = 0; i < sizeof preferring / sizeof *preferring; i++)
		job->hits += preferred(preferring[i], OS, EXECUTED) == OF_PREFERRED;
	job->found[0] = preferred(prefer_at_user_level, USR, EXECUTED);
	job->found[1] = preferred(prefer_at_user_level, USR | OS, EXECUTED);
	job->found[2] = preferred(prefer_at_user_level, OS, EXECUTED);
	job->found[3] = preferred(prefer_at_user_level, USR | OS, UNHALTED);
	put(SPFLT, 0);
	job->found[4] = hal_spflt(true) && get(SPFLT) == 1ULL << 63;
	job->found[5] = hal_spflt(false) && get(SPFLT) == 0;
}

// What the counter of a thread whose program never prefers it counts meanwhile.
static void leave_to_program(void *unused)
{
	(void)unused;
	put(COUNTER(1), 0);
	put(SELECT(1), EXECUTED | USR | OS | EN);
	put(SPFLT, 2);
	put(ENABLE, 2);
	hal_execute(50000);
}

static void leave_or_prefer(void *unused)
{
	(hal_cpu() == 2 ? leave_to_program : prefer_everywhere)(unused);
}

static void preference(void)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		jobs[cpu].hits = 0;
	everywhere(leave_or_prefer);
	on(2, look);
	expect("a program that prefers nothing", 2, 0, jobs[2].found[1]);
	on(2, clear);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		const uint64_t *found = jobs[cpu].found;

		if (cpu == 2)
			continue;
		expect("SPFLT of each register at level 0", cpu, 16, jobs[cpu].hits);
		expect("at level 3", cpu, OF_PREFERRED, found[0]);
		expect("at level 3, all levels", cpu, OF_PREFERRED, found[1]);
		expect("at level 3, level 0 counted", cpu, 0, found[2]);
		expect("at level 3, cycles", cpu, OF_PREFERRED, found[3]);
		expect("hal_spflt(true)", cpu, true, found[4]);
		expect("hal_spflt(false)", cpu, true, found[5]);
	}
}

//
// What is no SPFLT is undefined
//

static struct {
	uint64_t vector, error, rip, cs;
	unsigned count;
} undefined;

extern char undefined_at[], undefined_end[], undefined_user_end[];

static void note_undefined(struct arch_frame *frame)
{
	undefined.vector = frame->vector;
	undefined.error = frame->error;
	undefined.rip = frame->rip;
	undefined.cs = frame->cs;
	undefined.count++;
	frame->rip = (frame->rip & ~0xFULL) + 16;
}

// Each in 16 bytes, the rest of which are no-operations.
__asm__(".text\n.macro undefined bytes:vararg\n\t.balign 16, 0x90\n\t.byte \\bytes\n.endm\n\t"
	"undefined_code:\n\tjmp undefined_at\n\t.balign 16\nundefined_at:\n\t"
	"undefined 0x66, 0xC5, 0xFB, 0xAE, 0xF0\n\t"	// prefixes that must not be
	"undefined 0xF2, 0xC5, 0xFB, 0xAE, 0xF0\n\t"
	"undefined 0xF3, 0xC5, 0xFB, 0xAE, 0xF0\n\t"
	"undefined 0xF0, 0xC5, 0xFB, 0xAE, 0xF0\n\t"
	"undefined 0x48, 0xC5, 0xFB, 0xAE, 0xF0\n\t"
	"undefined 0x40, 0xC4, 0xE1, 0x7B, 0xAE, 0xF0\n\t"
	"undefined 0xC5, 0xF3, 0xAE, 0xF0\n\t"		// a second register
	"undefined 0xC5, 0xF8, 0xAE, 0xF0\n\t"		// no F2
	"undefined 0xC5, 0xFB, 0xAE, 0x30\n\t"		// memory
	"undefined 0xC5, 0xFB, 0xAE, 0xF8\n\t"		// /7
	"undefined 0xC4, 0xE2, 0x7B, 0xAE, 0xF0\n\t"	// another opcode map
	"undefined 0xC4, 0xE1, 0x03, 0xAE, 0xF0\n\t"	// a second register
	"undefined 0x0F, 0x0B\n\t"			// UD2
	"undefined 0x0F, 0x05\n\t"			// SYSCALL and SYSRET, which are off
	"undefined 0x48, 0x0F, 0x07\n\t"
	"undefined 0x0F, 0xA2, 0x0F, 0x0B\n\t"		// behind CPUID, with nothing executed between: UD2, SYSCALL
	"undefined 0x0F, 0xA2, 0x0F, 0x05\n\t"
	".balign 16, 0x90\nundefined_end: ret\n");
void undefined_code(void);

#define UNDEFINED_ONES	17
#define BEHIND_CPUID	15	/* the first of those */

// What is undefined from number i on, and the instructions that count meanwhile.
static uint64_t execute_undefined(unsigned i)
{
	const uint64_t at = (uint64_t)undefined_at + 16 * i;

	undefined.count = 0;
	put(COUNTER(0), 0);
	put(ENABLE, 1);
	__asm__ volatile("call *%0" : : "r"(at) : "memory", "cc", "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9",
			 "r10", "r11");
	put(ENABLE, 0);
	return get(COUNTER(0));
}

static void undefined_instructions(void)
{
	const bool interrupts = hal_interrupts_disable();
	uint64_t counted[UNDEFINED_ONES];

	arch_attach(VECTOR_UNDEFINED, note_undefined);
	put(SPFLT, 2);
	put(SELECT(0), EXECUTED | OS | EN);
	for (unsigned i = 0; i < UNDEFINED_ONES; i++) {
		counted[i] = execute_undefined(i);
		// It, and those behind it.
		expect("undefined ones", 0, UNDEFINED_ONES - i, undefined.count);
		expect("vector", 0, 6, undefined.vector);
		expect("error code", 0, 0, undefined.error);
		// UD2 or SYSCALL behind CPUID, which is two bytes long.
		expect("address of the last", 0, (uint64_t)undefined_at + 16 * (UNDEFINED_ONES - 1) + 2, undefined.rip);
		expect("level", 0, 0, undefined.cs & 3);
	}
	// Each has added its handler's instructions, not itself; and CPUID, where that is before it.
	for (unsigned i = 0; i < UNDEFINED_ONES - 1; i++)
		expect("counted for an undefined one", i, counted[0] - counted[1] + (i >= BEHIND_CPUID),
		       counted[i] - counted[i + 1]);
	expect("the preference is as it was", 0, 2, get(SPFLT));
	put(SPFLT, 0);
	put(SELECT(0), 0);
	hal_interrupts_restore(interrupts);
}

//
// A fault of RDPMC at level 3: what its handler executes is level 0's
//

static unsigned rdpmc_faults;

#define RDPMC_LENGTH 2

static void skip_rdpmc(struct arch_frame *frame)
{
	rdpmc_faults++;
	frame->rip += RDPMC_LENGTH;
}

void read_odd_counter(void);
__asm__(".text\nread_odd_counter:\n\t"
	"push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15; pushfq\n\t"
	"mov %rsp, %gs:" STRING(THIS_CPU_USER_RETURN) "\n\t"
	"pushq $" STRING(SEGMENT_USER_DATA) "; pushq $0; pushfq; pushq $" STRING(SEGMENT_USER_CODE) "\n\t"
	"lea 1f(%rip), %rax; push %rax; iretq\n"
	"1:	mov $0x40000001, %ecx\n\trdpmc\n\t.rept " STRING(NOPS) "\n\tnop\n\t.endr\n\t"
	"int $" STRING(VECTOR_USER_RETURN) "\n");

// MOV, NOPS instructions, and INT, as in OF_USER; the RDPMC that faults is none.
#define OF_ODD_COUNTER (NOPS + 2)

static void odd_counter(void)
{
	const bool interrupts = hal_interrupts_disable();

	arch_attach(VECTOR_GENERAL_PROTECTION, skip_rdpmc);
	put(COUNTER(0), 0);
	put(SELECT(0), EXECUTED | USR | EN);
	put(ENABLE, 1);
	read_odd_counter();
	put(ENABLE, 0);
	put(SELECT(0), 0);
	arch_attach(VECTOR_GENERAL_PROTECTION, NULL);
	hal_interrupts_restore(interrupts);
	expect("faults of RDPMC at level 3", 0, 1, rdpmc_faults);
	expect("counted at level 3 around a fault of RDPMC", 0, OF_ODD_COUNTER, get(COUNTER(0)));
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

// RDTSC, five instructions later RDMSR, four later RDTSC.
static void compare_clocks(void *unused)
{
	uint64_t a, b, c;

	(void)unused;
	__asm__ volatile("rdtsc\n\tshl $32, %%rdx\n\tor %%rdx, %%rax\n\tmov %%rax, %0\n\tmov %3, %%ecx\n\trdmsr\n\t"
			 "shl $32, %%rdx\n\tor %%rdx, %%rax\n\tmov %%rax, %1\n\trdtsc\n\tshl $32, %%rdx\n\t"
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
	everywhere(look_at_clock);
	expect("a clock goes backwards", 0, 0, backwards);
	everywhere(compare_clocks);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		expect("RDTSC, RDMSR", cpu, 5, jobs[cpu].found[0]);
		expect("RDMSR, RDTSC", cpu, 4, jobs[cpu].found[1]);
	}

	// What one writes all see.
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
	// Of their own: of three threads the counter overflows, of one it is one short of it.
	jobs[2].n = BEFORE_OVERFLOW - 1 - OF_USER(0);
	everywhere(attach);
	everywhere(overflow_own);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		expect("interrupts of its own counter", cpu, cpu != 2, jobs[cpu].hits);
		expect("status", cpu, cpu != 2, jobs[cpu].own);
	}
	on(2, look);
	expect("one short of an overflow", 2, WIDTH_MASK, jobs[2].found[0]);
	everywhere(clear);

	// Of all threads: the owner's, whoever's instruction it is.
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		everywhere(attach);
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
			expect("interrupts of a counter of all threads", other, other == 0, jobs[other].hits);
		expect("its status", 0, 2, jobs[0].own);
		everywhere(clear);
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

// PAL's part, for halts.
static void begin(void *unused)
{
	(void)unused;
	expect("pmu_begin", hal_cpu(), PMU_OK, pmu_begin(pmu_drivers[0], false));
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
	everywhere(clear);

	separate_registers();
	exact_counts();
	light_halt();
	preference();
	undefined_instructions();
	odd_counter();
	one_clock();
	interrupts();
	init();
	// And all of it still holds.
	separate_registers();
	exact_counts();
	one_clock();

	expect("register faults", 0, 0, faults);
	for (unsigned i = 0; i < 6; i++)
		put(registers[i], first[i]);
	printf("knc-threads: %d wrong\n", wrong);
	return wrong != 0;
}
