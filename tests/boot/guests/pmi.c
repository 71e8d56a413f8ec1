// SPDX-License-Identifier: BSD-2-Clause
// The overflow interrupt: as vector and as NMI, masked by its own delivery, pending while
// interrupts are off, at levels 0 and 3; freezing; branch records. SDM volume 3B, "Performance
// Monitoring", "Generating an Interrupt on Overflow", "Last Branch Recording"; volume 3A, "Local
// Vector Table".

#include "level3.h"
#include "pmu.h"

#define VECTOR_PMI	0x51
#define VECTOR_OTHER	0x61	/* of a higher class */
#define LVT_NMI		0x400u
#define LVT_MASKED	0x10000u

void guest_interrupt(struct frame *frame);
void guest_main(void);

static volatile uint32_t pmis, nmis, others, depth, deepest, pmi_eip, pmi_level, keep_masked,
	nmi_work;
static volatile uint64_t status_seen, control_seen;

// Clears the overflows that it read and, unless the test sets keep_masked, unmasks the APIC's
// entry.
static void take_pmi(const struct frame *frame)
{
	pmi_eip = frame->eip;
	pmi_level = frame->cs & 3;
	status_seen = rdmsr(IA32_PERF_GLOBAL_STATUS);
	control_seen = rdmsr(IA32_PERF_GLOBAL_CTRL);
	wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, status_seen);
	if (!keep_masked)
		*apic(APIC_LVTPC) &= ~LVT_MASKED;
}

void guest_interrupt(struct frame *frame)
{
	if (frame->vector == VECTOR_BACK)
		leave_level_3();
	depth++;
	if (depth > deepest)
		deepest = depth;
	if (frame->vector == 2) {
		nmis++;
		take_pmi(frame);
		for (volatile uint32_t i = 0; i < nmi_work; i++)
			;
	} else if (frame->vector == VECTOR_PMI) {
		pmis++;
		take_pmi(frame);
		*apic(APIC_EOI) = 0;
	} else if (frame->vector == VECTOR_OTHER) {
		others++;
		*apic(APIC_EOI) = 0;
	} else if (!take_exception(frame)) {
		fail_on(frame);
	}
	depth--;
}

static void prepare(uint32_t entry)
{
	reset_pmu();
	pmis = nmis = others = deepest = keep_masked = nmi_work = 0;
	status_seen = control_seen = 0;
	*apic(APIC_LVTPC) = entry;
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | CONTROL_PMI);
}

// The counter overflows at the n-th instruction from the enabling WRMSR on.
static void overflow_after(uint64_t n)
{
	wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - n);
}

static bool is_waiting(uint32_t vector)
{
	return *apic(APIC_IRR + vector / 32 * 0x10) >> vector % 32 & 1;
}

static void check_vector(void)
{
	prepare(VECTOR_PMI);
	overflow_after(50);
	MEASURE(FIXED0, "sti\n" NOPS(100) "cli\n");
	is("one interrupt", pmis, 1);
	is("status says whose", status_seen, FIXED0);
	is("the counter counts on: it is not frozen", control_seen, FIXED0);
	is("instructions after it are counted", rdmsr(IA32_FIXED_CTR0) > 50 + BEHIND, true);
	is("cleared", rdmsr(IA32_PERF_GLOBAL_STATUS), 0);

	prepare(VECTOR_PMI);
	keep_masked = 1;
	overflow_after(50);
	MEASURE(FIXED0, "sti\n" NOPS(100) "cli\n");
	is("its delivery masks the entry", *apic(APIC_LVTPC), VECTOR_PMI | LVT_MASKED);
	overflow_after(50);
	MEASURE(FIXED0, "sti\n" NOPS(100) "cli\n");
	is("a masked one is lost", pmis, 1);
	is("but has status", rdmsr(IA32_PERF_GLOBAL_STATUS), FIXED0);

	prepare(VECTOR_PMI);
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS);
	overflow_after(50);
	MEASURE(FIXED0, "sti\n" NOPS(100) "cli\n");
	is("none without PMI in fixed control", pmis, 0);
	is("but status", rdmsr(IA32_PERF_GLOBAL_STATUS), FIXED0);

	prepare(VECTOR_PMI);
	wrmsr(IA32_FIXED_CTR_CTRL, 0);
	wrmsr(IA32_PERFEVTSEL0 + 1, INSTRUCTIONS | SELECT_OS | SELECT_INT | SELECT_EN);
	wrmsr(IA32_PMC0 + 1, -30);
	MEASURE(2ULL, "sti\n" NOPS(100) "cli\n");
	is("a general counter's with INT", pmis, 1);
	is("status", status_seen, 2);
}

static void check_interrupts_off(void)
{
	prepare(VECTOR_PMI);
	overflow_after(50);
	MEASURE(FIXED0, NOPS(100));
	is("interrupts are off: it waits", pmis, 0);
	is("in the APIC's IRR", is_waiting(VECTOR_PMI), true);
	is("the entry is masked already", *apic(APIC_LVTPC), VECTOR_PMI | LVT_MASKED);
	__asm__ volatile("sti; nop; nop; cli" ::: "memory");
	is("until they are on", pmis, 1);

	prepare(VECTOR_PMI);
	overflow_after(11);
	MEASURE(FIXED0, NOPS(10) "sti\n cli\n" NOPS(10));
	is("CLI in STI's shadow is before the interrupt that STI's overflow raises", pmis, 0);
	__asm__ volatile("sti; nop; nop; cli" ::: "memory");
	is("which comes later", pmis, 1);

	prepare(VECTOR_PMI);
	overflow_after(11);
	MEASURE(FIXED0, NOPS(8) "sti\n mov %%ss, %%ecx\n mov %%ecx, %%ss\n cli\n" NOPS(10));
	is("the same in the shadow of MOV to SS", pmis, 0);
	__asm__ volatile("sti; nop; nop; cli" ::: "memory");
	is("it comes later", pmis, 1);

	prepare(VECTOR_PMI);
	overflow_after(50);
	*apic(APIC_COMMAND) = 0x44000 | VECTOR_OTHER;
	MEASURE(FIXED0, NOPS(100));
	__asm__ volatile("sti; nop; nop; cli" ::: "memory");
	is("with another one that waits: both", pmis + others, 2);

	prepare(VECTOR_PMI);
	*apic(0x080) = 0x60;
	overflow_after(50);
	MEASURE(FIXED0, "sti\n" NOPS(100) "cli\n");
	is("the task priority holds it back", pmis, 0);
	*apic(0x080) = 0;
	__asm__ volatile("sti; nop; nop; cli" ::: "memory");
	is("and lets it go", pmis, 1);
}

static void check_nmi(void)
{
	prepare(LVT_NMI);
	overflow_after(50);
	MEASURE(FIXED0, NOPS(100));
	is("as an NMI, with interrupts off", nmis, 1);
	is("status", status_seen, FIXED0);

	// While NMIs are blocked, the handler's work makes the counter overflow again.
	prepare(LVT_NMI);
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | CONTROL_PMI | (CONTROL_OS | CONTROL_PMI) << 4);
	wrmsr(IA32_FIXED_CTR1, MASK_48 + 1 - 200);
	overflow_after(50);
	nmi_work = 1000;
	MEASURE(FIXED0 | FIXED1, NOPS(100));
	is("a second one in the handler waits for its IRET", nmis, 2);
	is("never one in the other", deepest, 1);
	is("the second one's status", status_seen, FIXED1);

	prepare(LVT_NMI);
	overflow_after(3);
	MEASURE(FIXED0, "sti\n nop\n hlt\n cli\n");
	is("the third instruction, an HLT, overflows: an NMI ends it", nmis, 1);

	prepare(LVT_NMI);
	*apic(APIC_COMMAND) = 0x44400;
	is("the guest's own NMI, too", nmis, 1);
	overflow_after(50);
	MEASURE(FIXED0, "movl $0x44400, 0xFEE00300\n" NOPS(100));
	is("both", nmis, 3);
}

// "Valid Interrupt Vectors": no vector below 16 is delivered. "Local Vector Table": of the other
// delivery modes, SMI would call the firmware; INIT and ExtINT are not supported by this entry.
static void check_other_entries(void)
{
	static const struct {
		const char *name;
		uint32_t value;
	} entries[] = {
		{"vector 0: nothing", 0}, {"vector 15: nothing", 15},
		{"SMI: nothing", 0x200 | VECTOR_PMI},
		{"INIT: nothing", 0x500 | VECTOR_PMI}, {"ExtINT: nothing", 0x700 | VECTOR_PMI},
	};

	for (uint32_t i = 0; i < sizeof entries / sizeof *entries; i++) {
		prepare(entries[i].value);
		overflow_after(50);
		MEASURE(FIXED0, "sti\n" NOPS(100) "cli\n");
		is(entries[i].name, pmis + nmis, 0);
		is("but status", rdmsr(IA32_PERF_GLOBAL_STATUS), FIXED0);
	}
}

extern char user_loop[];

__asm__(".text\n"
	"user_loop:\n"
	".rept 100\n nop\n .endr\n"
	"int $0x80\n");

// With interrupts on at level 3; only level 3 counts.
static void check_level_3(void)
{
	prepare(VECTOR_PMI);
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_USR | CONTROL_PMI);
	overflow_after(50);
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
	at_level_3(user_loop, 0, FLAGS_ON);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	is("at level 3", pmis, 1);
	is("it comes from there", pmi_level, 3);
	is("after 50 of its instructions, or later", pmi_eip - (uint32_t)user_loop >= 50, true);
	is("which are all that counts", rdmsr(IA32_FIXED_CTR0), 101 - 50);
}

static void start_timer(uint32_t ticks)
{
	*apic(APIC_TIMER_DIVIDE) = 0xB;		// by 1
	*apic(APIC_TIMER) = VECTOR_OTHER;
	*apic(APIC_TIMER_START) = ticks;
}

// Counts the instructions of a HLT that lasts about `ticks` and of its interrupt. An uncounted HLT
// precedes it.
static uint64_t count_halt(uint32_t ticks)
{
	prepare(VECTOR_PMI);
	start_timer(1000);
	__asm__ volatile("sti; hlt; cli" ::: "memory");
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | CONTROL_USR);
	start_timer(ticks);
	MEASURE(FIXED0, "sti\n hlt\n cli\n");
	return rdmsr(IA32_FIXED_CTR0);
}

static void check_halt(void)
{
	uint64_t first = count_halt(20000);

	is("a HLT ends by its timer, which was started twice", others, 2);
	is("it is one instruction, however long", count_halt(200000), first);
	is("with its handler fewer than 1,000", first < 1000, true);
}

// SDM volume 3B, "Streamlined Freeze": IA32_DEBUGCTL.FREEZE_PERFMON_ON_PMI.
static void check_freeze(void)
{
	prepare(VECTOR_PMI);
	wrmsr(IA32_DEBUGCTL, 1 << 12);
	wrmsr(IA32_PERFEVTSEL0, INSTRUCTIONS | SELECT_OS | SELECT_EN);
	overflow_after(50);
	MEASURE(FIXED0 | 1, NOPS(100));
	wrmsr(IA32_DEBUGCTL, 0);
	is("frozen by the overflow: the other counter stands", rdmsr(IA32_PMC0), 50);
	is("and its own", rdmsr(IA32_FIXED_CTR0), 0);
	__asm__ volatile("sti; nop; nop; cli" ::: "memory");
	is("the interrupt comes", pmis, 1);
}

#define LBR_TOS		0x1C9
#define LBR_FROM	0x680
#define LBR_TO		0x6C0

extern char branch_1[], branch_2[], branch_3[], target_1[], target_2[], target_3[];

// The source of a recorded branch. Bit 63 of its record is the misprediction flag.
static uint64_t recorded_from(uint32_t record)
{
	return rdmsr(LBR_FROM + record % 16) & ~(1ull << 63);
}

// The last three branches before LBR is switched off, the newest at the top of stack.
static void check_branch_records(void)
{
	uint32_t tos;

	prepare(VECTOR_PMI | LVT_MASKED);
	wrmsr(LBR_TOS, 15);
	is("the top of stack can be written", rdmsr(LBR_TOS), 15);
	wrmsr(IA32_DEBUGCTL, 1);
	__asm__ volatile("branch_1: jmp target_1\n nop\n"
			 "target_1: mov $target_2, %%esi\n"
			 "branch_2: jmp *%%esi\n nop\n"
			 "target_2: xor %%esi, %%esi\n"
			 "branch_3: jz target_3\n nop\n"
			 "target_3: jnz target_1\n" ::: "esi", "cc");
	wrmsr(IA32_DEBUGCTL, 0);
	tos = (uint32_t)rdmsr(LBR_TOS);
	is("the last branch, conditional: from", recorded_from(tos), (uint32_t)branch_3);
	is("to", rdmsr(LBR_TO + tos), (uint32_t)target_3);
	is("the one before, through a register: from", recorded_from(tos - 1), (uint32_t)branch_2);
	is("to", rdmsr(LBR_TO + (tos - 1) % 16), (uint32_t)target_2);
	is("the one before, direct: from", recorded_from(tos - 2), (uint32_t)branch_1);
	is("to", rdmsr(LBR_TO + (tos - 2) % 16), (uint32_t)target_1);
}

void guest_main(void)
{
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	check_vector();
	check_interrupts_off();
	check_nmi();
	check_other_entries();
	check_level_3();
	check_halt();
	check_freeze();
	check_branch_records();
	finish();
}
