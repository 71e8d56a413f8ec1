// SPDX-License-Identifier: BSD-2-Clause
// CPUs that are restarted again and again, in any state. All lines are the same on the bare
// machine. SDM volume 3A, "MP Initialization", "Local APIC State After It Receives an INIT Reset".

#include "cpus.h"
#include "pmu.h"

#define VECTOR_CALL	0x52
#define APIC_LOGICAL	0x0D0
#define APIC_FORMAT	0x0E0
#define TIMES		10

// The other CPU's activity until its restart.
enum { HALT, HALT_DEAD, PAUSE, WORK, IN_NMI, IN_INTERRUPT, COUNT, INIT_ITSELF, WAYS };
static const char *const ways[] = {
	"halted", "halted, interrupts off", "pausing", "working", "in its NMI handler",
	"in an interrupt's handler",
	"counting, if it can", "not started: it has sent itself INIT",
};

static const struct {
	const char *name;
	uint32_t offset, value;
} after_init[] = {
	{"task priority", 0x080, 0}, {"logical destination", APIC_LOGICAL, 0},
	{"format", APIC_FORMAT, 0xFFFFFFFF},
	{"spurious vector", APIC_SPURIOUS, 0xFF}, {"in service", 0x120, 0},
	{"timer", 0x320, 0x10000},
	{"counters", APIC_LVTPC, 0x10000}, {"LINT0", 0x350, 0x10000}, {"LINT1", 0x360, 0x10000},
	{"error", 0x370, 0x10000}, {"initial count", 0x380, 0}, {"divide", 0x3E0, 0},
};
#define REGISTERS (sizeof after_init / sizeof *after_init)

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

static volatile uint32_t come, way, calls, nmis, stuck, seen[REGISTERS];
static uint32_t has_pmu;

// Loops for ever, with all ones in a register that the next start clears.
static void rest(void)
{
	__asm__ volatile("or $-1, %ebp\n"
			 "1: pause\n"
			 "jmp 1b");
}

void guest_interrupt(struct frame *frame)
{
	if (frame->vector == 2) {
		nmis++;
		stuck = way == IN_NMI;
		if (stuck)
			rest();
	} else if (frame->vector == VECTOR_CALL) {
		calls++;
		stuck = way == IN_INTERRUPT;
		if (stuck)
			rest();
		*apic(APIC_EOI) = 0;
	} else {
		fail_on(frame);
	}
}

static void count_forever(void)
{
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS);
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
}

void cpu_main(void)
{
	for (uint32_t i = 0; i < REGISTERS; i++)
		seen[i] = *apic(after_init[i].offset);
	begin_cpu();
	if (has_pmu)
		wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	*apic(APIC_LOGICAL) = 0x12000000;
	*apic(APIC_FORMAT) = 0x0FFFFFFF;
	*apic(APIC_LVTPC) = 0x55;
	*apic(0x370) = 0x56;
	*apic(0x080) = 0x20;
	if (way == COUNT && has_pmu)
		count_forever();
	__asm__ volatile("lock incl %0" : "+m"(come));
	if (way == INIT_ITSELF)
		send(self(), COMMAND_INIT);
	if (way == HALT_DEAD)
		__asm__ volatile("cli; hlt" ::: "memory");
	__asm__ volatile("sti" ::: "memory");
	for (;;) {
		if (way == HALT || way == IN_INTERRUPT)
			__asm__ volatile("hlt" ::: "memory");
		else
			relax();
		for (volatile uint32_t i = 0; way == WORK && i < 100; i++)
			;
	}
}

static void pauses(void)
{
	for (uint32_t i = 0; i < 100; i++)
		relax();
}

static void enter(void)
{
	stuck = 0;
	if (way == IN_NMI)
		send(1, COMMAND_NMI);
	else if (way == IN_INTERRUPT)
		send(1, COMMAND_FIXED | VECTOR_CALL);
	else
		return;
	wait_for(&stuck, 1);
}

static void check_way(uint32_t w)
{
	const uint32_t before = come;

	way = w;
	for (uint32_t i = 0; i < TIMES; i++) {
		send(1, COMMAND_INIT);
		pauses();
		send(1, COMMAND_STARTUP);
		wait_for(&come, before + i + 1);
		pauses();
		enter();
	}
	print("# ");
	print(ways[w]);
	print("\n");
	is("started again each time", come - before, TIMES);
	is("registers that it had set: zero at its start (SDM volume 3A, Table 9-1)",
	   start_registers, 0);
	way = PAUSE;
	send(1, COMMAND_INIT);
	send(1, COMMAND_STARTUP);	// without a pause
	wait_for(&come, before + TIMES + 1);
	pauses();
	is("without a pause between", come - before, TIMES + 1);
	nmis = calls = 0;
	send(1, COMMAND_NMI);
	wait_for(&nmis, 1);
	is("NMIs are not blocked", nmis, 1);
	send(1, COMMAND_FIXED | VECTOR_CALL);
	wait_for(&calls, 1);
	is("nor interrupts", calls, 1);
}

static void check_what_is_ignored(void)
{
	const uint32_t before = come;

	print("# commands that no CPU heeds\n");
	send(1, COMMAND_STARTUP);
	pauses();
	is("startup without INIT", come - before, 0);
	send(7, COMMAND_INIT);
	send(7, COMMAND_STARTUP);
	pauses();
	is("a CPU that is not there", come - before, 0);
	send(1, 0x8500);		// level-triggered, deasserted
	send(1, COMMAND_STARTUP);
	pauses();
	is("INIT's deassertion", come - before, 0);
	send(1, COMMAND_INIT);
	send(1, COMMAND_STARTUP);
	wait_for(&come, before + 1);
	send(1, COMMAND_STARTUP);
	pauses();
	is("a second startup", come - before, 1);
}

// In the emulator's APIC, each word of a register's 16 bytes accesses the register.
static void check_aliases(void)
{
	const uint32_t before = come;

	print("# the command register's other words\n");
	*apic(0x314) = 1 << 24;
	*apic(APIC_COMMAND + 4) = COMMAND_INIT;
	*apic(APIC_COMMAND + 12) = COMMAND_STARTUP;
	wait_for(&come, before + 1);
	pauses();
	is("INIT and startup", come - before, 1);
	nmis = 0;
	*apic(APIC_COMMAND + 8) = COMMAND_NMI;
	wait_for(&nmis, 1);
	is("NMI", nmis, 1);
}

#define IA32_APIC_BASE	0x1B

// The emulator does not move the registers.
static void check_base(void)
{
	const uint64_t base = rdmsr(IA32_APIC_BASE);
	const uint32_t version = *apic(0x030);

	wrmsr(IA32_APIC_BASE, base + 0x100000);
	is("the APIC is told to move", rdmsr(IA32_APIC_BASE), base + 0x100000);
	is("it is where it was", *apic(0x030), version);
	calls = 0;
	*apic(APIC_COMMAND) = COMMAND_SELF | COMMAND_FIXED | VECTOR_CALL;
	__asm__ volatile("sti; nop; cli" ::: "memory");
	is("and works there", calls, 1);
	wrmsr(IA32_APIC_BASE, base);
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	uint32_t r[4];

	(void)magic;
	(void)information;
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	cpuid(10, 0, r);
	has_pmu = r[0] & 0xFF;
	prepare_start();
	for (uint32_t w = 0; w < WAYS; w++)
		check_way(w);
	for (uint32_t i = 0; i < REGISTERS; i++)
		is(after_init[i].name, seen[i], after_init[i].value);
	check_what_is_ignored();
	check_aliases();
	check_base();
	finish();
}
