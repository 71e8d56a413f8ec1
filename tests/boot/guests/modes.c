// SPDX-License-Identifier: BSD-2-Clause
// Branches in 16-bit code. The same code runs in real mode, in virtual-8086 mode, and in a
// protected-mode segment, all based at BASE. Near branches wrap at 64 KiB (SDM volume 2, "JMP": a
// 16-bit target), and some cross a page's end. Then 32-bit code in a segment that does not begin at
// 0, and instructions that virtual-8086 mode forbids (SDM volume 3B, "Sensitive Instructions").
// Comments at the code count the expected results by hand.

#include "pmu.h"

#define BASE		0x10000
#define BASE_TEXT	"0x10000"
#define START		0x100
#define VECTOR_BACK	0x80
#define SELECT_EDGE	(1u << 18)
#define CODE_32		0x18	/* its base is SHIFT */
#define SHIFT		0x1000u
#define CODE_16		0x20
#define CODE_16_LOW	0x30	/* begins at 0 */
#define FLAGS		0x002
#define FLAGS_8086	0x20002	/* VM */
#define FLAGS_IOPL	0x3000

void guest_interrupt(struct frame *frame);
void guest_main(void);
void run(uint32_t flags, uint32_t cs, uint32_t eip);
void run_real(void);

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

extern char blob[], blob_end[], blob_8086[], real_back[], back[], protection[], code_32[];
uint32_t esp_back;

#define ENABLE "mov $0x38F, %ecx\n mov $0xF, %eax\n xor %edx, %edx\n wrmsr\n"
#define DISABLE "mov $0x38F, %ecx\n xor %eax, %eax\n xor %edx, %edx\n wrmsr\n"

// 112 instructions, of which 56 are branches; each line's comment gives its instructions and
// branches.
__asm__(".section .rodata\n .code16\n"
	"blob: .org blob + 0x12\n"
	"int $0x80\n"						// 1, branches: 1
	".org blob + 0x80\n"
	"jmp at_end\n"						// 1, 1
	".org blob + 0x100\n"
	"mov $20, %cx\n"					// 1
	"1: nop\n test $1, %cx\n jz 2f\n"			// 3 * 20, 20
	"inc %si\n"						// 10
	"2: loop 1b\n"						// 20, 20
	"call 3f\n"						// 1, 1
	"mov $5f - blob, %bx\n call *%bx\n"			// 2, 1
	"jmp across\n"						// 1, 1
	"3: mov $4f - blob, %bx\n jmp *%bx\n nop\n 4: ret\n"	// 3, 2
	"5: ret\n"						// 1, 1
	"blob_8086:\n"
	"mov $7, %cx\n"						// 1
	// none
	"6: cli\n nop\n sti\n nop\n pushf\n nop\n popf\n nop\n iret\n nop\n int $0x42\n hlt\n nop\n"
	"loop 6b\n"						// 7, 7
	"ud2\n"							// none
	"enter_real: mov %cr0, %eax\n and $~1, %al\n mov %eax, %cr0\n"
	"ljmp $" BASE_TEXT " / 16, $1f - blob\n"
	"1: mov %cs, %ax\n mov %ax, %ss\n mov %ax, %ds\n mov $0xF000, %sp\n"
	"lidtl real_table - blob\n"
	ENABLE
	"ljmp $" BASE_TEXT " / 16, $0x100\n"
	"real_back:\n"
	DISABLE
	"lidtl 2f - blob\n"
	"mov %cr0, %eax\n or $1, %al\n mov %eax, %cr0\n"
	"ljmpl $0x08, $real_done\n"
	"real_table: .word 0x3FF\n .long 0\n"
	"2: .word 0x7FF\n .long idt_of_guest\n"
	".org blob + 0xFFC\n"
	"across: mov $5, %cx\n"					// 1
	"1: loop 1b\n"						// 5, 5: on two pages
	"jmp near_end\n"					// 1, 1
	".org blob + 0xFF00\n"
	"near_end: nop\n"					// 1
	".byte 0xE9; .word 0x80 - 0xFF04 + 0x10000\n"		// 1, 1: to 80H
	".org blob + 0xFFEE\n"
	"at_end: xor %ax, %ax\n"				// 1
	".byte 0x74, 0x20\n"					// 1, 1: JZ to 12H
	"hlt\n"
	"blob_end:\n"

	".text\n .code32\n"
	// 1 + 30 * 3 + 2 + 1 + 1 instructions, of which 30 + 1 + 1 + 1 + 1 are branches.
	"code_32: mov $30, %esi\n 1: nop\n dec %esi\n jnz 1b\n call 2f\n jmp 3f\n 2: ret\n 3: int "
	"$0x80\n"

	// run: enters a segment or virtual-8086 mode with IRET.
	"run: pusha\n"
	"mov 36(%esp), %edi\n mov 40(%esp), %esi\n mov 44(%esp), %ebx\n"
	"mov %esp, esp_back\n"
	"push $0\n push $0\n push $0\n push $0\n push $" BASE_TEXT " / 16\n push $0xF000\n"
	"push %edi\n push %esi\n push %ebx\n"
	ENABLE
	"iret\n"
	"back:\n"
	DISABLE
	"1: mov $0x10, %eax\n mov %eax, %ds\n mov %eax, %es\n mov %eax, %ss\n mov esp_back, %esp\n "
	"popa\n ret\n"
	"run_real: pusha\n mov %esp, esp_back\n ljmp $0x20, $enter_real - blob\n"
	"real_done: mov $0x10, %eax\n mov %eax, %ss\n jmp 1b\n"

	// #GP handler, 3 instructions: skips two bytes.
	"protection: add $4, %esp\n addl $2, (%esp)\n iret\n");

// The far jump or IRET that enters, and the instructions that disable counting.
#define BRANCHES_AROUND	1
#define AROUND		(1 + 4)

enum { FIRST, AGAIN, STEPPED, WAYS };

// Counters 0 and 1: branches and instructions at all levels; 2: instructions at level 3.
static void prepare(unsigned way)
{
	reset_pmu();
	wrmsr(IA32_PERFEVTSEL0, BRANCHES | SELECT_USR | SELECT_OS | SELECT_EN);
	wrmsr(IA32_PERFEVTSEL0 + 1, INSTRUCTIONS | SELECT_USR | SELECT_OS | SELECT_EN);
	wrmsr(IA32_PERFEVTSEL0 + 2, INSTRUCTIONS | SELECT_USR | SELECT_EN);
	if (way == STEPPED)
		wrmsr(IA32_PERFEVTSEL0 + 3, CYCLES | SELECT_OS | SELECT_EDGE | SELECT_EN);
}

static void expect(const char *name, uint32_t branches, uint32_t instructions, uint32_t at_level_3)
{
	is(name, rdmsr(IA32_PMC0) << 32 | rdmsr(IA32_PMC0 + 1),
	   (uint64_t)(branches + BRANCHES_AROUND) << 32 | (instructions + AROUND));
	is("at level 3", rdmsr(IA32_PMC0 + 2), at_level_3);
}

static void set_table_gate(unsigned vector, const char *to)
{
	idt[vector] = ((uint32_t)to & 0xFFFFu) | 0x08u << 16 |
		(uint64_t)(0xEE00u | ((uint32_t)to & 0xFFFF0000u)) << 32;
}

static void copy_blob(uint32_t to)
{
	volatile uint8_t *low = (volatile uint8_t *)to;

	__asm__("" : "+r"(low));		// address 0 is valid
	for (uint32_t i = 0; i < (uint32_t)(blob_end - blob); i++)
		low[i] = (uint8_t)blob[i];
}

static void check_modes(void)
{
	for (unsigned way = FIRST; way < WAYS; way++) {
		prepare(way);
		run_real();
		expect("real mode", 56, 112, 0);
		prepare(way);
		run(FLAGS_8086 | FLAGS_IOPL, BASE / 16, START);
		expect("virtual-8086 mode", 56, 112, 112);
		prepare(way);
		run(FLAGS, CODE_16, START);
		expect("code of 16 bits in protected mode", 56, 112, 0);
		prepare(way);
		run(FLAGS, CODE_32, (uint32_t)code_32 - SHIFT);
		expect("code of 32 bits, not from 0 on", 34, 95, 0);
	}
}

// Overwrites the real-mode interrupt table, which is no longer needed.
static void check_low(void)
{
	copy_blob(0);
	for (unsigned way = FIRST; way < WAYS; way++) {
		prepare(way);
		run(FLAGS, CODE_16_LOW, START);
		expect("code of 16 bits from 0 on", 56, 112, 0);
	}
}

// Without I/O privilege CLI, STI, PUSHF, POPF, IRET, INT n, and HLT raise #GP; the UD2 at the end
// returns.
static void check_8086(void)
{
	const uint32_t eip = (uint32_t)(blob_8086 - blob);

	set_table_gate(6, back);
	for (unsigned way = FIRST; way < WAYS; way++) {
		prepare(way);
		run(FLAGS_8086, BASE / 16, eip);
		expect("instructions that virtual-8086 mode forbids", 7 + 7 * 7, 1 + 7 + 7 * 7 * 3,
		       1 + 7);
	}
	prepare(FIRST);
	wrmsr(IA32_PERFEVTSEL0, 0);		// counts cycles
	run(FLAGS_8086, BASE / 16, eip);
	is("by the clock", rdmsr(IA32_PMC0 + 1), 1 + 7 + 7 * 7 * 3 + AROUND);
	is("and at level 3", rdmsr(IA32_PMC0 + 2), 1 + 7);
}

static uint64_t own_gdt[8] = {
	0, 0x00CF9B000000FFFF, 0x00CF93000000FFFF, 0x00CF9B001000FFFF, 0x00009B010000FFFF,
	0,			// 28: task
	0x00009B000000FFFF,
};
static uint32_t task[26];
static uint8_t stack_0[4096] __attribute__((aligned(16)));
// The assembler's name of the table.
extern uint64_t idt_of_guest[256] __attribute__((alias("idt")));

static void load_tables(void)
{
	struct __attribute__((packed)) {
		uint16_t limit;
		uint32_t base;
	} gdt = {sizeof own_gdt - 1, (uint32_t)own_gdt};
	const uint32_t base = (uint32_t)task;

	task[1] = (uint32_t)(stack_0 + sizeof stack_0);
	task[2] = 0x10;
	task[25] = sizeof task << 16;
	own_gdt[5] = (sizeof task - 1) | (uint64_t)(base & 0xFFFFFFu) << 16 | 0x89ULL << 40 |
		     (uint64_t)(base >> 24) << 56;
	__asm__ volatile("lgdt %0; ltr %w1" : : "m"(gdt), "r"(0x28) : "memory");
	set_table_gate(VECTOR_BACK, back);
	set_table_gate(13, protection);
}

void guest_main(void)
{
	volatile uint32_t *vectors = 0;

	start_interrupts();
	load_tables();
	copy_blob(BASE);
	__asm__("" : "+r"(vectors));
	vectors[VECTOR_BACK] = BASE << 12 | (uint32_t)(real_back - blob);
	check_modes();
	check_8086();
	check_low();
	finish();
}
