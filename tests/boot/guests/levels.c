// SPDX-License-Identifier: BSD-2-Clause
// System calls while counters count at one privilege level only: SYSENTER and SYSEXIT in 32-bit
// code, SYSCALL and SYSRET in 64-bit code, with timer interrupts at both levels. Comments count the
// retired instructions by hand. An instruction that changes the level counts at the level at which
// it starts; one that faults does not retire. SDM volume 2B for the instructions; volume 3B,
// "Performance Monitoring", for USR and OS. With the word "interruptions-count" on the command
// line, an interrupt or a fault adds one at the level where it came.

#include "level3.h"
#include "pmu.h"

#define CALLS		2000
#define CALLS_TEXT	"2000"

#define MSR_SYSENTER_CS	0x174
#define MSR_SYSENTER_ESP 0x175
#define MSR_SYSENTER_EIP 0x176
#define MSR_EFER	0xC0000080
#define MSR_STAR	0xC0000081
#define MSR_LSTAR	0xC0000082
#define MSR_SFMASK	0xC0000084
#define EFER_SCE	1ULL
#define EFER_LME	(1ULL << 8)
#define EFER_LMA	(1ULL << 10)
#define FLAG_IF		0x200

#define APIC_LVT_TIMER	0x320
#define APIC_TIMER_COUNT 0x380
#define APIC_TIMER_DIVIDE 0x3E0
#define TIMER_PERIODIC	0x20000u
#define TIMER_MASKED	0x10000u
#define TIMER_DIVIDE_1	0xBu
#define VECTOR_TIMER	0x41
#define VECTOR_RETURN	0x50
#define PERIOD		10007	/* cycles of the machine's clock */

void guest_interrupt(struct frame *frame);
void guest_main(unsigned magic, const uint32_t *information);

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

// Counts that the code below keeps itself.
static volatile uint32_t calls, ticks, undefined, protection;

static void print_fact(const char *name, uint64_t value)
{
	print("# ");
	print(name);
	print(" ");
	print_hex(value);
	print("\n");
}

static void start_timer(void)
{
	*apic(APIC_TIMER_DIVIDE) = TIMER_DIVIDE_1;
	*apic(APIC_LVT_TIMER) = TIMER_PERIODIC | VECTOR_TIMER;
	*apic(APIC_TIMER_COUNT) = PERIOD;
}

static void stop_timer(void)
{
	*apic(APIC_TIMER_COUNT) = 0;
	*apic(APIC_LVT_TIMER) = TIMER_MASKED;
}

// Counter 0: level 3 only; counter 1: level 0 only; counter 2: both. Fixed counter 0: level 3 only.
static void select_levels(void)
{
	reset_pmu();
	wrmsr(IA32_PERFEVTSEL0, INSTRUCTIONS | SELECT_USR | SELECT_EN);
	wrmsr(IA32_PERFEVTSEL0 + 1, INSTRUCTIONS | SELECT_OS | SELECT_EN);
	wrmsr(IA32_PERFEVTSEL0 + 2, INSTRUCTIONS | SELECT_USR | SELECT_OS | SELECT_EN);
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_USR);
	calls = ticks = undefined = protection = 0;
}

#define ENABLES "$0x38F, %ecx\n mov $7, %eax\n mov $1, %edx\n"	/* enables these four counters */

// Instructions at level 0: not the WRMSR that enables counting; then one return to level 3 and,
// after its INT n, these four.
#define KERNEL_AROUND	(1 + 4)
#define DISABLE		"mov $0x38F, %ecx\n xor %eax, %eax\n xor %edx, %edx\n wrmsr\n"

static bool interruptions_count;

// `came`: the number of interrupts and faults, all at level 3 (at_3), or some at each level.
static void expect(uint64_t user, uint64_t kernel, uint32_t came, bool at_3)
{
	if (interruptions_count)
		user += came;
	if (interruptions_count && !at_3) {
		is("both", rdmsr(IA32_PMC0 + 2), user + kernel);
		is("their sum", rdmsr(IA32_PMC0) + rdmsr(IA32_PMC0 + 1), user + kernel);
		return;
	}
	is("level 3", rdmsr(IA32_PMC0), user);
	is("level 0", rdmsr(IA32_PMC0 + 1), kernel);
	is("both", rdmsr(IA32_PMC0 + 2), user + kernel);
	is("level 3, fixed counter", rdmsr(IA32_FIXED_CTR0), user);
}

//
// 32-bit code
//

extern char timer_32[], back_32[], sysenter_entry[], sysenter_user[];
void run_32(const char *code, uint32_t flags);

#define TIMER_32_LENGTH 3

__asm__(".text\n"
	"timer_32:\n"
	"incl ticks\n"
	"movl $0, 0xFEE000B0\n"
	"iret\n"

	"run_32:\n"
	"pusha\n"
	"mov 36(%esp), %esi\n"
	"mov 40(%esp), %edi\n"
	"mov %esp, user_esp_back\n"
	"push $0x23\n push $user_stack + 1024\n push %edi\n push $0x1B\n push %esi\n"
	"mov " ENABLES
	"wrmsr\n"
	"iret\n"
	"back_32:\n"
	DISABLE
	"mov user_esp_back, %esp\n"
	"mov $0x10, %eax\n mov %eax, %ds\n mov %eax, %es\n"
	"popa\n"
	"ret\n"

	// 3 instructions. STI delays interrupts until SYSEXIT has executed.
	"sysenter_entry:\n"
	"incl calls\n"
	"sti\n"
	"sysexit\n"

	// 1 + 6 * CALLS + 1 instructions.
	"sysenter_user:\n"
	"mov $" CALLS_TEXT ", %ebx\n"
	"1: mov $2f, %edx\n"
	"mov %esp, %ecx\n"
	"sysenter\n"
	"nop\n"
	"2: nop\n"
	"dec %ebx\n"
	"jnz 1b\n"
	"int $0x80\n");

static void set_gate_32(unsigned vector, unsigned level, const char *to)
{
	idt[vector] = ((uint32_t)to & 0xFFFFu) | 0x08u << 16 |
		      (uint64_t)(0x8E00u | level << 13 | ((uint32_t)to & 0xFFFF0000u)) << 32;
}

static void prepare_32(void)
{
	set_gate_32(VECTOR_TIMER, 0, timer_32);
	set_gate_32(VECTOR_BACK, 3, back_32);
	wrmsr(MSR_SYSENTER_CS, 0x08);
	wrmsr(MSR_SYSENTER_ESP, (uint32_t)(user_stack + 128));
	wrmsr(MSR_SYSENTER_EIP, (uint32_t)sysenter_entry);
}

static void check_sysenter(uint32_t flags)
{
	select_levels();
	start_timer();
	run_32(sysenter_user, flags);
	stop_timer();
	print_fact("SYSENTER: calls", calls);
	print_fact("interrupts came", ticks != 0);
	expect(1 + 6ULL * CALLS + 1,
	       KERNEL_AROUND + 3ULL * CALLS + (uint64_t)TIMER_32_LENGTH * ticks, ticks, true);
}

// Reads and writes the registers themselves while a counter counts at one level only.
static void check_sysenter_registers(void)
{
	select_levels();
	wrmsr(IA32_PERF_GLOBAL_CTRL, 7);
	print_fact("IA32_SYSENTER_CS while levels matter", rdmsr(MSR_SYSENTER_CS));
	wrmsr(MSR_SYSENTER_CS, 0x18);
	print_fact("written", rdmsr(MSR_SYSENTER_CS));
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	print_fact("afterwards", rdmsr(MSR_SYSENTER_CS));
}

//
// 64-bit code
//

// 08: 32-bit code, 10: data; for level 3, 18: 32-bit code, 20: data, 28: 64-bit code; 30: 64-bit
// code, 38: data; 40: task.
static uint64_t gdt_64[10] = {
	0, 0x00CF9B000000FFFF, 0x00CF93000000FFFF, 0x00CFFB000000FFFF, 0x00CFF3000000FFFF,
	0x00AFFB000000FFFF, 0x00AF9B000000FFFF, 0x00CF93000000FFFF,
};
static uint64_t idt_64[256][2];
static uint32_t task_64[26];
static uint8_t stack_64[4096] __attribute__((aligned(16)));
static uint64_t level_4[512] __attribute__((aligned(4096))),
	level_3[512] __attribute__((aligned(4096)));
static uint64_t level_2[4][512] __attribute__((aligned(4096)));

extern char timer_64[], back_64[], undefined_64[], protection_64[], syscall_entry[], syscall_user[],
	syscall_once[];
extern char sysret_once[], undefined_user[], protected_user[], return_user[], return_64[];
void run_64(const char *code, uint32_t flags);

#define TIMER_64_LENGTH 7
#define FAULT_LENGTH	6

__asm__(".text\n.code64\n"
	"timer_64:\n"
	"push %rax\n"
	"mov $ticks, %eax\n"
	"incl (%rax)\n"
	"mov $0xFEE000B0, %eax\n"
	"movl $0, (%rax)\n"
	"pop %rax\n"
	"iretq\n"

	// Each handler skips the two bytes of the instruction.
	"undefined_64:\n"
	"push %rax\n"
	"mov $undefined, %eax\n"
	"incl (%rax)\n"
	"pop %rax\n"
	"addq $2, (%rsp)\n"
	"iretq\n"
	"protection_64:\n"
	"mov $protection, %eax\n"
	"incl (%rax)\n"
	"add $8, %rsp\n"
	"addq $2, (%rsp)\n"
	"nop\n"
	"iretq\n"

	// Called from 32-bit code.
	".code32\n"
	"run_64:\n"
	"pusha\n"
	"mov 36(%esp), %esi\n"
	"mov 40(%esp), %edi\n"
	"mov %esp, user_esp_back\n"
	"ljmp $0x30, $1f\n"
	".code64\n"
	"1: mov $user_stack + 1024, %eax\n push $0x23\n push %rax\n push %rdi\n push $0x2B\n push "
	"%rsi\n"
	"mov " ENABLES
	"wrmsr\n"
	"iretq\n"
	"back_64:\n"
	DISABLE
	"mov $far_32, %eax\n"
	"ljmp *(%rax)\n"
	".code32\n"
	"2: mov $0x10, %eax\n mov %eax, %ss\n mov %eax, %ds\n mov %eax, %es\n"
	"mov user_esp_back, %esp\n"
	"popa\n"
	"ret\n"
	".data\n"
	"far_32: .long 2b\n .word 0x08\n"
	".text\n.code64\n"

	// 2 instructions. EDI points to `calls`.
	"syscall_entry:\n"
	"incl (%rdi)\n"
	"sysretq\n"

	// 2 + 4 * CALLS + 1 instructions.
	"syscall_user:\n"
	"mov $calls, %edi\n"
	"mov $" CALLS_TEXT ", %ebx\n"
	"1: syscall\n"
	"nop\n"
	"dec %ebx\n"
	"jnz 1b\n"
	"int $0x80\n"

	// 1 instruction if it faults, and 1 more.
	"syscall_once:\n"
	"mov $calls, %edi\n"
	"syscall\n"
	"int $0x80\n"

	// SYSRET is forbidden at level 3.
	"sysret_once:\n"
	".byte 0x0F, 0x07\n"
	"int $0x80\n"

	// 2 instructions and 1.
	"undefined_user:\n"
	"nop\n"
	"ud2\n"
	"ud2\n"
	"nop\n"
	"int $0x80\n"

	// 2 instructions and 1: privileged instructions, an invalid selector, and INT n with a gate
	// of level 0.
	"protected_user:\n"
	"nop\n"
	".byte 0x0F, 0x30\n"
	".byte 0x66, 0xF4\n"
	"mov $0x1238, %eax\n"
	"mov %eax, %ds\n"
	"int $0x41\n"
	"int $0x80\n"

	// 2 instructions. At level 0 an IRET to an invalid selector of level 3; then the return: 7.
	"return_user:\n"
	"int $0x50\n"
	"int $0x80\n"
	"return_64:\n"
	"push $0x23\n push $0\n push $2\n push $0x123B\n push $0\n"
	"iretq\n"
	"add $40, %rsp\n"
	"iretq\n"
	".code32\n");

static void set_gate_64(unsigned vector, unsigned level, const char *to)
{
	idt_64[vector][0] = ((uint32_t)to & 0xFFFFu) | 0x30u << 16 |
			    (uint64_t)(0x8E00u | level << 13 | ((uint32_t)to & 0xFFFF0000u)) << 32;
}

struct __attribute__((packed)) table_pointer {
	uint16_t limit;
	uint32_t base;
};

// Enters long mode, with 4 GiB identity-mapped for all levels; this code continues in its 32-bit
// segment.
static void enter_long_mode(void)
{
	const struct table_pointer gdt = {sizeof gdt_64 - 1, (uint32_t)gdt_64};
	const struct table_pointer idt = {sizeof idt_64 - 1, (uint32_t)idt_64};
	const uint32_t task = (uint32_t)task_64;

	level_4[0] = (uint32_t)level_3 | 7;
	for (uint32_t i = 0; i < 4; i++)
		level_3[i] = (uint32_t)level_2[i] | 7;
	for (uint64_t i = 0; i < 2048; i++)
		level_2[i / 512][i % 512] = i << 21 | 0x87;
	task_64[1] = (uint32_t)(stack_64 + sizeof stack_64);
	gdt_64[8] = (sizeof task_64 - 1) | (uint64_t)(task & 0xFFFFFFu) << 16 | 0x89ULL << 40 |
		    (uint64_t)(task >> 24) << 56;
	set_gate_64(6, 0, undefined_64);
	set_gate_64(13, 0, protection_64);
	set_gate_64(VECTOR_TIMER, 0, timer_64);
	set_gate_64(VECTOR_BACK, 3, back_64);
	set_gate_64(VECTOR_RETURN, 3, return_64);
	wrmsr(MSR_EFER, EFER_LME);
	__asm__ volatile("mov %0, %%cr4; mov %1, %%cr3; mov %%cr0, %%eax; or $0x80000000, %%eax; "
			 "mov %%eax, %%cr0\n"
			 "lgdt %2; lidt %3; ltr %w4; ljmp $0x08, $1f\n 1:"
			 : : "r"(0x20), "r"(level_4), "m"(gdt), "m"(idt), "r"(0x40) : "eax",
			 "memory");
	wrmsr(MSR_STAR, (uint64_t)(0x30 | 0x1B << 16) << 32);
	wrmsr(MSR_LSTAR, (uint32_t)syscall_entry);
}

// mask: FLAG_IF keeps interrupts off during the call; 0 allows them at level 0, too.
static void check_syscall(uint32_t flags, uint64_t mask)
{
	wrmsr(MSR_EFER, EFER_LME | EFER_SCE);
	wrmsr(MSR_SFMASK, mask);
	select_levels();
	start_timer();
	run_64(syscall_user, flags);
	stop_timer();
	print_fact("SYSCALL: calls", calls);
	print_fact("interrupts came", ticks != 0);
	expect(2 + 4ULL * CALLS + 1,
	       KERNEL_AROUND + 2ULL * CALLS + (uint64_t)TIMER_64_LENGTH * ticks, ticks, mask);
}

static void check_faults(void)
{
	wrmsr(MSR_EFER, EFER_LME);
	select_levels();
	run_64(syscall_once, FLAGS_OFF);
	print_fact("SYSCALL without EFER.SCE: #UD", undefined);
	print_fact("and calls", calls);
	expect(2, KERNEL_AROUND + FAULT_LENGTH, 1, true);
	wrmsr(MSR_EFER, EFER_LME | EFER_SCE);
	select_levels();
	run_64(sysret_once, FLAGS_OFF);
	print_fact("SYSRET at level 3: #GP", protection);
	expect(1, KERNEL_AROUND + FAULT_LENGTH, 1, true);
	select_levels();
	run_64(undefined_user, FLAGS_OFF);
	print_fact("undefined", undefined);
	expect(3, KERNEL_AROUND + 2 * FAULT_LENGTH, 2, true);
	select_levels();
	run_64(protected_user, FLAGS_OFF);
	print_fact("protected", protection);
	expect(3, KERNEL_AROUND + 4 * FAULT_LENGTH, 4, true);

	select_levels();
	run_64(return_user, FLAGS_OFF);
	print_fact("IRET to a selector that is none: #GP", protection);
	// the fault came at level 0
	expect(2, KERNEL_AROUND + FAULT_LENGTH + 7 + interruptions_count, 0, true);

	// With a counter of both levels only; then at level 0: two NOP and BEHIND.
	select_levels();
	wrmsr(IA32_PERFEVTSEL0, 0);
	wrmsr(IA32_PERFEVTSEL0 + 1, 0);
	wrmsr(IA32_FIXED_CTR_CTRL, 0);
	run_64(undefined_user, FLAGS_OFF);
	run_64(protected_user, FLAGS_OFF);
	print_fact("both", undefined << 16 | protection);
	is("counted at both levels", rdmsr(IA32_PMC0 + 2),
	   2 * (3 + KERNEL_AROUND) + 6 * FAULT_LENGTH + 6 * interruptions_count);
	wrmsr(IA32_PMC0 + 2, 0);
	undefined = 0;
	MEASURE(4ULL, "nop\n ud2\n nop\n");
	print_fact("undefined at level 0", undefined);
	is("and counted", rdmsr(IA32_PMC0 + 2), 2 + FAULT_LENGTH + BEHIND + interruptions_count);
}

static void check_efer(void)
{
	select_levels();
	wrmsr(IA32_PERF_GLOBAL_CTRL, 7);
	print_fact("EFER while levels matter", rdmsr(MSR_EFER));
	wrmsr(MSR_EFER, EFER_LME);
	print_fact("without SCE", rdmsr(MSR_EFER));
	wrmsr(MSR_EFER, EFER_LME | EFER_SCE);
	print_fact("with it again", rdmsr(MSR_EFER));
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	print_fact("afterwards", rdmsr(MSR_EFER));
}

void guest_main(unsigned magic, const uint32_t *information)
{
	(void)magic;
	interruptions_count = has_word(information, "interruptions-count");
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	prepare_32();
	check_sysenter(FLAGS_OFF);
	check_sysenter(FLAGS_ON);
	check_sysenter_registers();
	enter_long_mode();
	check_syscall(FLAGS_OFF, FLAG_IF);
	check_syscall(FLAGS_ON, FLAG_IF);
	check_syscall(FLAGS_ON, 0);
	check_faults();
	check_efer();
	finish();
}
