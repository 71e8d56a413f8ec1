// SPDX-License-Identifier: BSD-2-Clause
// Non-maskable interrupts with several CPUs: sent to a CPU's identity, to logical destinations, and
// by a device; while nothing counts, and while all CPUs count and overflow. All lines are the same
// on the bare machine. SDM volume 3A, "Interrupt Command Register", "Logical Destination Mode"; the
// I/O APIC's redirection table.

#include "cpus.h"
#include "pmu.h"

#define VECTOR_PMI	0x51
#define LOGICAL		0x800u
#define APIC_LOGICAL	0x0D0
#define APIC_FORMAT	0x0E0
#define FLAT		0xFFFFFFFFu
#define CLUSTERS	0x0FFFFFFFu
#define APIC_LINT0	0x350
#define MASKED		0x10000u

// Ways in which CPUs wait.
enum { HALT, PAUSE, WORK };

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

static volatile uint32_t come, nmis[MOST], depth[MOST], nested, overflows, way, format,
	logical[MOST], set, count_now;
static uint32_t count;

void guest_interrupt(struct frame *frame)
{
	if (frame->vector == 2) {
		nested |= depth[self()]++;
		nmis[self()]++;
		for (volatile uint32_t i = 0; i < 10; i++)
			;
		depth[self()]--;
	} else if (frame->vector == VECTOR_PMI) {
		overflows++;
		wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - 3000);
		wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, FIXED0);
		*apic(APIC_LVTPC) = VECTOR_PMI;
		*apic(APIC_EOI) = 0;
	} else {
		fail_on(frame);
	}
}

// From here on this CPU's counter overflows every 3,000 instructions.
static void count_here(void)
{
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | CONTROL_PMI);
	wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - 3000);
	*apic(APIC_LVTPC) = VECTOR_PMI;
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
}

static void set_logical(void)
{
	*apic(APIC_FORMAT) = format;
	*apic(APIC_LOGICAL) = logical[self()] << 24;
	__asm__ volatile("lock incl %0" : "+m"(set));
}

// The emulator switches to another CPU when this one pauses.
static void work(void)
{
	__asm__ volatile("sti" ::: "memory");
	for (volatile uint32_t i = 0; i < 100; i++)
		;
	relax();
}

void cpu_main(void)
{
	uint32_t last = 0, counts = 0;

	begin_cpu();
	__asm__ volatile("lock incl %0" : "+m"(come));
	for (;;) {
		if (last != format) {
			last = format;
			set_logical();
		}
		if (counts != count_now) {
			counts = count_now;
			count_here();
		}
		if (way == HALT)
			__asm__ volatile("sti; hlt" ::: "memory");
		else if (way == PAUSE)
			__asm__ volatile("sti; pause" ::: "memory");
		else
			work();
	}
}

static uint32_t seen(void)
{
	uint32_t all = 0;

	for (uint32_t cpu = 0; cpu < count; cpu++)
		all |= (nmis[cpu] & 15) << 4 * cpu;
	return all;
}

static void forget(void)
{
	for (uint32_t cpu = 0; cpu < count; cpu++)
		nmis[cpu] = 0;
}

static void pauses(void)
{
	for (uint32_t i = 0; i < 200; i++)
		relax();
}

// The number of NMIs that each CPU received from one command: a digit for each CPU, the first one's
// lowest.
static uint32_t received(uint32_t destination, uint32_t command)
{
	forget();
	send(destination, command);
	pauses();
	return seen();
}

static void set_all(uint32_t value)
{
	set = 0;
	way = PAUSE;
	format = value;
	send(0xFF, COMMAND_NMI);	// wakes halted CPUs
	set_logical();
	wait_for(&set, count);
	is("all have their logical identities", set, count);
}

static void check_commands(void)
{
	static const char *const ways[] = {"halted", "pausing", "working"};

	for (way = HALT; way <= WORK; way++) {
		pauses();
		print("# others are ");
		print(ways[way]);
		print("\n");
		is("to one", received(1, COMMAND_NMI), 0x10);
		is("to itself", received(0, COMMAND_NMI), 0x1);
		is("to a CPU that is not there", received(7, COMMAND_NMI), 0);
		is("to all but itself", received(0, COMMAND_OTHERS | COMMAND_NMI),
		   0x1110 & ((1u << 4 * count) - 1));
		is("to the broadcast identity", received(0xFF, COMMAND_NMI),
		   0x1111 & ((1u << 4 * count) - 1));
	}
}

static void check_logical(void)
{
	for (uint32_t cpu = 0; cpu < count; cpu++)
		logical[cpu] = 1u << cpu;
	set_all(FLAT);
	is("flat: one's bit", received(2, LOGICAL | COMMAND_NMI), 0x10);
	is("two bits", received(3, LOGICAL | COMMAND_NMI), 0x11);
	is("no CPU's", received(0x80, LOGICAL | COMMAND_NMI), 0);
	is("all", received(0xFF, LOGICAL | COMMAND_NMI), 0x1111 & ((1u << 4 * count) - 1));
	for (uint32_t cpu = 0; cpu < count; cpu++)
		logical[cpu] = (cpu / 2) << 4 | 1u << cpu % 2;
	set_all(CLUSTERS);
	is("clusters: the first one's second", received(0x02, LOGICAL | COMMAND_NMI), 0x10);
	is("both", received(0x03, LOGICAL | COMMAND_NMI), 0x11);
	is("the second one's first", received(0x11, LOGICAL | COMMAND_NMI),
	   0x0100 & ((1u << 4 * count) - 1));
	is("no one's", received(0x51, LOGICAL | COMMAND_NMI), 0);
}

static void write_io_apic(uint32_t index, uint32_t value)
{
	*(volatile uint32_t *)0xFEC00000 = index;
	*(volatile uint32_t *)0xFEC00010 = value;
}

// Starts the 8254 for one interrupt after this number of its ticks of 838 ns.
static void start_pit(uint32_t ticks)
{
	outb(0x43, 0x30);
	outb(0x40, (uint8_t)ticks);
	outb(0x40, (uint8_t)(ticks >> 8));
}

// An NMI that arrives while another one is pending is lost, as on any machine: the loop then tries
// again with another delay.
static void check_device(uint32_t cpu)
{
	forget();
	write_io_apic(0x10 + 2 * 2 + 1, cpu << 24);
	write_io_apic(0x10 + 2 * 2, 0x400);
	for (uint32_t i = 0; i < 20; i++)
		for (uint32_t tries = 0; tries < 4 && nmis[cpu] == i; tries++) {
			start_pit(5 + i + 3 * tries);
			wait_for(&nmis[cpu], i + 1);
		}
	write_io_apic(0x10 + 2 * 2, MASKED);
	is("twenty of the timer's, by the I/O APIC", nmis[cpu], 20);
	is("and no other CPU's", nmis[!cpu], 0);
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	uint32_t r[4];

	(void)magic;
	count = count_of_cpus(information);
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	cpuid(1, 0, r);
	is("no x2APIC", r[2] >> 21 & 1, 0);
	start_others();
	wait_for(&come, count - 1);
	pauses();
	check_commands();
	check_logical();
	for (way = HALT; way <= WORK; way++)
		for (uint32_t cpu = 0; cpu < 2; cpu++)
			check_device(cpu);
	cpuid(10, 0, r);
	if (r[0] & 0xFF) {
		way = PAUSE;
		count_now = 1;
		count_here();
		__asm__ volatile("sti");
		pauses();
	}
	print("# while all count, if they can\n");
	check_commands();
	for (way = HALT; way <= WORK; way++)
		for (uint32_t cpu = 0; cpu < 2; cpu++)
			check_device(cpu);
	__asm__ volatile("cli");
	is("counters, if there are any, overflow meanwhile", overflows != 0, (r[0] & 0xFF) != 0);
	is("never one in another", nested, 0);
	finish();
}
