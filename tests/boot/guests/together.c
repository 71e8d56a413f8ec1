// SPDX-License-Identifier: BSD-2-Clause
// Several CPUs that use their own PMUs at once: they count branches, record them, and take overflow
// interrupts. Also code that one CPU changes while another executes it, system calls, INIT of a CPU
// in any state of counting, and time-stamp counters after counting has ended. SDM volume 3A, "MP
// Initialization", "Handling Self- and Cross-Modifying Code"; volume 3B, "Performance Monitoring".

#include "cpus.h"
#include "pmu.h"

#define VECTOR_PMI	0x51
#define LVT_NMI		0x400u
#define LBR_TOS		0x1C9
#define LBR_FROM	0x680
#define LBRS		16
#define MSR_SYSENTER_CS	0x174
#define MSR_SYSENTER_ESP 0x175
#define MSR_SYSENTER_EIP 0x176
#define MSR_EFER	0xC0000080
#define EFER_SCE	1

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

static uint32_t count;			// CPUs
static void (*volatile work[MOST])(uint32_t cpu);
static volatile uint32_t come, arrived, nmis[MOST], pmis[MOST], esi_then[MOST], spins;
static volatile uint64_t results[MOST][4];

void guest_interrupt(struct frame *frame)
{
	const uint32_t cpu = self();

	if (frame->vector != 2 && frame->vector != VECTOR_PMI)
		fail_on(frame);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	esi_then[cpu] = frame->esi;
	if (frame->vector == 2) {
		nmis[cpu]++;
		while (spins)		// until INIT
			relax();
		return;
	}
	pmis[cpu]++;
	*apic(APIC_EOI) = 0;
}

// The other CPUs wait here for work.
void cpu_main(void)
{
	const uint32_t cpu = self();

	begin_cpu();
	wrmsr(IA32_DEBUGCTL, 0);	// INIT may preserve its value
	reset_pmu();
	__asm__ volatile("lock incl %0" : "+m"(come));
	for (;;) {
		while (!work[cpu])
			relax();
		work[cpu](cpu);
		work[cpu] = 0;
	}
}

static void finish_work(void)
{
	for (uint32_t cpu = 1; cpu < count; cpu++)
		for (uint32_t i = 0; i < 1000000 && work[cpu]; i++)
			relax();
}

static void all(void (*f)(uint32_t cpu))
{
	arrived = 0;
	for (uint32_t cpu = 1; cpu < count; cpu++)
		work[cpu] = f;
	f(0);
	finish_work();
}

static void meet(void)
{
	__asm__ volatile("lock incl %0" : "+m"(arrived));
	while (arrived % count)
		relax();
}

static void select(uint32_t levels)
{
	reset_pmu();
	wrmsr(IA32_PERFEVTSEL0, BRANCHES | levels | SELECT_EN);
	wrmsr(IA32_PERFEVTSEL0 + 1, INSTRUCTIONS | levels | SELECT_EN);
}

static uint64_t both(uint64_t branches, uint64_t instructions)
{
	return branches << 32 | instructions;
}

static uint64_t counted(void)
{
	return rdmsr(IA32_PMC0) << 32 | rdmsr(IA32_PMC0 + 1);
}

//
// Counts and records: each CPU has code of its own
//

#define OWN_SIZE	16
extern char own_code[];
__asm__(".text\n .balign 16\n own_code: .rept 4\n .balign 16\n 1: nop\n dec %esi\n jnz 1b\n ret\n "
	".endr\n");

// 1 + 3 * loops + 1 instructions, 1 + loops + 1 branches; the code around it has no other branch.
static void execute_own(uint32_t cpu, uint32_t loops)
{
	__asm__ volatile("mov $0x1D9, %%ecx\n mov $1, %%eax\n xor %%edx, %%edx\n wrmsr\n"
			 "mov $0x38F, %%ecx\n mov $3, %%eax\n wrmsr\n"
			 "call *%%edi\n"
			 "mov $0x38F, %%ecx\n xor %%eax, %%eax\n xor %%edx, %%edx\n wrmsr\n"
			 "mov $0x1D9, %%ecx\n wrmsr"
			 : "+S"(loops) : "D"(own_code + cpu * OWN_SIZE) : "eax", "ecx", "edx",
			 "memory", "cc");
}

static uint32_t loops_of(uint32_t cpu)
{
	return 700 * (cpu + 1);
}

static void count_own(uint32_t cpu)
{
	select(SELECT_OS);
	meet();
	execute_own(cpu, loops_of(cpu));
	results[cpu][0] = counted();
	results[cpu][1] = 0;
	for (uint32_t i = 0; i < LBRS; i++)
		results[cpu][1] += rdmsr(LBR_FROM + i) - (uint32_t)(own_code + cpu * OWN_SIZE) <
			OWN_SIZE;
}

static void idle(uint32_t cpu)
{
	(void)cpu;
	meet();
}

static void halt(uint32_t cpu)
{
	nmis[cpu] = 0;
	meet();
	do
		__asm__ volatile("hlt");
	while (!nmis[cpu]);
}

static void expect_own(uint32_t cpu)
{
	is("a CPU's branches and instructions", results[cpu][0],
	   both(loops_of(cpu) + 2, 3 * loops_of(cpu) + 2 + BEHIND));
	is("its last 16 branches", results[cpu][1], LBRS);
}

// Repeats the NMI: the CPU may have taken one just before its HLT.
static void wake(uint32_t cpu)
{
	for (uint32_t i = 0; i < 100 && work[cpu]; i++) {
		send(cpu, COMMAND_NMI);
		for (int j = 0; j < 100; j++)
			relax();
	}
}

static void check_counts(void)
{
	all(count_own);
	for (uint32_t cpu = 0; cpu < count; cpu++)
		expect_own(cpu);
	for (int halts = 0; halts < 2; halts++) {
		arrived = 0;
		for (uint32_t cpu = 1; cpu < count; cpu++)
			work[cpu] = halts ? halt : idle;
		count_own(0);
		for (uint32_t cpu = 1; halts && cpu < count; cpu++)
			wake(cpu);
		finish_work();
		expect_own(0);
	}
}

//
// Interrupts: CPUs with an odd number use a vector, the others NMI, at the 100th branch
//

static void overflow_own(uint32_t cpu)
{
	nmis[cpu] = pmis[cpu] = 0;
	select(SELECT_OS);
	*apic(APIC_LVTPC) = cpu % 2 ? VECTOR_PMI : LVT_NMI;
	wrmsr(IA32_PERFEVTSEL0, BRANCHES | SELECT_OS | SELECT_INT | SELECT_EN);
	wrmsr(IA32_PMC0, -100);
	meet();
	__asm__ volatile("sti");
	execute_own(cpu, loops_of(cpu));
	__asm__ volatile("cli");
	results[cpu][0] = rdmsr(IA32_PERF_GLOBAL_STATUS);
}

static void check_overflows(void)
{
	all(overflow_own);
	for (uint32_t cpu = 0; cpu < count; cpu++) {
		is("interrupts: NMI, vector", nmis[cpu] << 16 | pmis[cpu], cpu % 2 ? 1 : 1 << 16);
		is("ESI: the call and 99 loops", esi_then[cpu], loops_of(cpu) - 99);
		is("status", results[cpu][0], 1);
	}
}

//
// Code that the last CPU changes: two bytes, INC and NOP, or a JMP to the next instruction
//

#define INC_NOP	0x9047
#define JMP	0x00EB
#define ROUNDS	200

extern volatile uint16_t changing[];
__asm__(".text\n .balign 16\n changing: inc %edi\n nop\n ret\n");
static volatile uint32_t stop;

static void change(uint32_t cpu)
{
	(void)cpu;
	while (!stop) {
		changing[0] = JMP;
		for (int i = 0; i < 20; i++)
			__asm__ volatile("nop");
		changing[0] = INC_NOP;
		relax();
	}
	changing[0] = INC_NOP;
}

// The loop's first instruction serializes. Each round: CPUID and the loop's 2, CALL, RET, and
// either two instructions or a branch.
static void check_changing(void)
{
	uint32_t increments = 0, rounds = ROUNDS;

	stop = 0;
	work[count - 1] = change;
	select(SELECT_OS);
	__asm__ volatile("mov $0x38F, %%ecx\n mov $3, %%eax\n xor %%edx, %%edx\n wrmsr\n"
			 "1: xor %%eax, %%eax\n cpuid\n call changing\n pause\n dec %%esi\n jnz "
			 "1b\n"
			 "mov $0x38F, %%ecx\n xor %%eax, %%eax\n xor %%edx, %%edx\n wrmsr\n"
			 : "+S"(rounds), "+D"(increments) : : "eax", "ebx", "ecx", "edx", "memory",
			 "cc");
	stop = 1;
	finish_work();
	is("code that changes", counted(),
	   both(3 * ROUNDS + (ROUNDS - increments), 7 * ROUNDS + ROUNDS + increments + BEHIND));
	print("# was changed: ");
	print_number(increments != 0 && increments != ROUNDS);
	print("\n");
}

//
// System calls: each CPU has its own registers for them
//

#define CALLS	60
static uint64_t own_gdt[17];
static uint8_t sysenter_stacks[MOST][512] __attribute__((aligned(16)));
static volatile uint32_t repeat;

extern char gdt[], sysenter_entry[], sysenter_user[];
void system_calls(void);

__asm__(".text\n"
	// At level 0: 3; at each call and at the last one, 3; then four that disable counting.
	"system_calls: pusha\n mov %esp, %esi\n"
	"mov $0x38F, %ecx\n mov $0xF, %eax\n xor %edx, %edx\n wrmsr\n"
	"mov $sysenter_user, %edx\n mov %esp, %ecx\n sysexit\n"
	"sysenter_entry: test %edx, %edx\n jz 1f\n sysexit\n"
	"1: mov $0x38F, %ecx\n xor %eax, %eax\n xor %edx, %edx\n wrmsr\n"
	"mov %esi, %esp\n popa\n ret\n"
	// At level 3: 1, 5 for each call, and 2.
	"sysenter_user: mov $60, %ebx\n"
	"1: mov $2f, %edx\n mov %esp, %ecx\n sysenter\n"
	"2: dec %ebx\n jnz 1b\n"
	"xor %edx, %edx\n sysenter\n");

static void call_system(uint32_t cpu)
{
	struct __attribute__((packed)) {
		uint16_t limit;
		uint32_t base;
	} pointer = {sizeof own_gdt - 1, (uint32_t)own_gdt};
	const uint32_t code = cpu % 2 ? 0x48 : 0x68;

	__asm__ volatile("lgdt %0" : : "m"(pointer));
	wrmsr(MSR_SYSENTER_CS, code);
	wrmsr(MSR_SYSENTER_ESP, (uint32_t)(sysenter_stacks[cpu] + sizeof sysenter_stacks[cpu]));
	wrmsr(MSR_SYSENTER_EIP, (uint32_t)sysenter_entry);
	wrmsr(MSR_EFER, cpu % 2 ? EFER_SCE : 0);
	meet();
	do {
		select(SELECT_OS | SELECT_USR);
		wrmsr(IA32_PERFEVTSEL0 + 2, INSTRUCTIONS | SELECT_USR | SELECT_EN);
		wrmsr(IA32_PERFEVTSEL0 + 3, INSTRUCTIONS | SELECT_OS | SELECT_EN);
		if (cpu > 1 || repeat)
			wrmsr(IA32_PERFEVTSEL0, 0);	// no branch events
		system_calls();
		relax();
	} while (repeat);
	results[cpu][0] = counted();
	results[cpu][1] = rdmsr(IA32_PMC0 + 2) << 32 | rdmsr(IA32_PMC0 + 3);
	results[cpu][2] = rdmsr(MSR_SYSENTER_CS) << 32 | rdmsr(MSR_EFER);
	reset_pmu();
}

#define USER	(1 + 5ULL * CALLS + 2)
#define KERNEL	(3 + 3ULL * CALLS + 2 + 4)

static void check_system_calls(void)
{
	for (int i = 0; i < 9; i++)
		own_gdt[i] = ((const uint64_t *)gdt)[i];
	for (int i = 0; i < 8; i++)
		own_gdt[9 + i] = own_gdt[1 + i % 4];
	all(call_system);
	for (uint32_t cpu = 0; cpu < count; cpu++) {
		is("system calls", results[cpu][0],
		   both(cpu > 1 ? 0 : 4 * CALLS + 3, USER + KERNEL));
		is("at level 3, and 0", results[cpu][1], USER << 32 | KERNEL);
		is("registers of calls", results[cpu][2],
		   cpu % 2 ? 0x48ULL << 32 | EFER_SCE : 0x68ULL << 32);
	}
}

//
// INIT
//

static void loop_for_ever(uint32_t cpu)
{
	meet();
	select(SELECT_OS);
	execute_own(cpu, UINT32_MAX);
}

static void loop_in_nmi(uint32_t cpu)
{
	spins = 1;
	meet();
	select(SELECT_OS);
	execute_own(cpu, UINT32_MAX);
}

// Writes with an instruction that is not a plain store.
static void write_for_ever(uint32_t cpu)
{
	(void)cpu;
	meet();
	select(SELECT_OS);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 3);
	for (;;)
		__asm__ volatile("orl $0, 0xFEE000F0\n pause" ::: "memory");
}

static void call_for_ever(uint32_t cpu)
{
	call_system(cpu);
}

static void delay(void)
{
	for (int i = 0; i < 3000; i++)
		__asm__ volatile("nop");
	for (int i = 0; i < 10; i++)
		relax();
}

// Sends INIT to the last CPU while this one counts or does not; afterwards the last CPU must work
// as before.
static void check_init(const char *name, void (*f)(uint32_t cpu), bool counts)
{
	const uint32_t cpu = count - 1;

	print("# INIT: ");
	print(name);
	print(counts ? ", while others count\n" : "\n");
	arrived = count - 2;
	come = 0;
	work[cpu] = f;
	meet();
	delay();
	work[cpu] = 0;			// it has begun; it must not run again
	if (f == loop_in_nmi) {
		nmis[cpu] = 0;
		send(cpu, COMMAND_NMI);
		wait_for(&nmis[cpu], 1);
		is("it is in its NMI handler", nmis[cpu], 1);
	}
	reset_pmu();
	if (counts) {
		select(SELECT_OS);
		__asm__ volatile("mov $0x38F, %%ecx\n mov $3, %%eax\n xor %%edx, %%edx\n wrmsr\n"
				 "mov %0, %%eax\n shl $24, %%eax\n mov %%eax, 0xFEE00310\n movl %1,"
				 " 0xFEE00300\n"
				 "movl %2, 0xFEE00300\n movl %2, 0xFEE00300\n"
				 "mov $100, %%esi\n 1: pause\n dec %%esi\n jnz 1b\n"
				 "mov $0x38F, %%ecx\n xor %%eax, %%eax\n xor %%edx, %%edx\n wrmsr\n"
				 : : "D"(cpu), "i"(COMMAND_INIT), "i"(COMMAND_STARTUP)
				 : "eax", "ecx", "edx", "esi", "memory", "cc");
		is("the sender's counts", counted(), both(100, 3 + 3 + 1 + 300 + BEHIND));
	} else {
		send(cpu, COMMAND_INIT);
		send(cpu, COMMAND_STARTUP);
	}
	repeat = spins = 0;
	wait_for(&come, 1);
	is("it is there again", come, 1);
	all(count_own);
	expect_own(0);
	expect_own(cpu);
	nmis[cpu] = 0;
	send(cpu, COMMAND_NMI);
	wait_for(&nmis[cpu], 1);
	is("and takes an NMI", nmis[cpu], 1);
}

static void check_inits(void)
{
	for (int counts = 0; counts < 2; counts++) {
		check_init("in a loop of branches", loop_for_ever, counts);
		check_init("in its NMI handler", loop_in_nmi, counts);
		check_init("at writes to its local APIC", write_for_ever, counts);
		repeat = 1;
		check_init("at system calls", call_for_ever, counts);
	}
}

//
// Time-stamp counters
//

#define TIMES	20
static volatile uint32_t turn;
static volatile uint64_t their_time;

static void tell_time(uint32_t cpu)
{
	(void)cpu;
	for (uint32_t i = 0; i < TIMES; i++) {
		while (turn != 2 * i + 1)
			relax();
		their_time = rdtsc();
		turn = 2 * i + 2;
	}
}

static void check_time(bool counting)
{
	uint32_t right = 0;

	turn = 0;
	work[1] = tell_time;
	for (uint32_t i = 0; i < TIMES; i++) {
		const uint64_t before = rdtsc();

		turn = 2 * i + 1;
		while (turn != 2 * i + 2)
			relax();
		right += before < their_time && their_time < rdtsc();
	}
	finish_work();
	is(counting ? "this CPU counts: they agree" :
	   "nothing counts: the time-stamp counters agree", right, TIMES);
}

// Counts no branches, because each read would then be a VM exit.
static void check_times(void)
{
	check_time(false);
	reset_pmu();
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS);
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
	check_time(true);
	reset_pmu();
}

// Starts another CPU while this one counts: 3 writes and a loop.
static void check_start(void)
{
	prepare_start();
	select(SELECT_OS);
	__asm__ volatile("mov $0x38F, %%ecx\n mov $3, %%eax\n xor %%edx, %%edx\n wrmsr\n"
			 "movl %0, 0xFEE00300\n movl %1, 0xFEE00300\n movl %1, 0xFEE00300\n"
			 "mov $1000, %%esi\n 1: pause\n dec %%esi\n jnz 1b\n"
			 "mov $0x38F, %%ecx\n xor %%eax, %%eax\n xor %%edx, %%edx\n wrmsr\n"
			 : : "i"(COMMAND_OTHERS | COMMAND_INIT),
			 "i"(COMMAND_OTHERS | COMMAND_STARTUP)
			 : "eax", "ecx", "edx", "esi", "memory", "cc");
	is("who starts others counts meanwhile", counted(), both(1000, 3 + 1 + 3000 + BEHIND));
	wait_for(&come, count - 1);
	is("all CPUs have come", come, count - 1);
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	(void)magic;
	count = count_of_cpus(information);
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	check_start();
	check_times();
	check_counts();
	check_times();
	check_overflows();
	check_times();
	check_changing();
	check_system_calls();
	check_times();
	if (count == 2) {		// it takes some seconds
		check_inits();
		check_times();
	}
	finish();
}
