// SPDX-License-Identifier: BSD-2-Clause
// Behavior other than the PMU's: hand-over, exceptions, interrupts and their shadows, NMI and IRET,
// privilege levels, modes, paging. It prints the same with the plugin and without.

#include "guest.h"

struct information {
	uint32_t flags, lower, upper, device, command_line, modules, module_list, symbols[4],
		map_size, map;
};

struct module {
	uint32_t start, end, command_line, reserved;
};

#define VECTOR_ONE	0x41
#define VECTOR_TIMER	0x42
#define VECTOR_BACK	0x80	/* returns from level 3 */

static volatile uint32_t taken[256], nmi_depth, nmi_deepest, send_in_nmi;
static volatile uint32_t last_eip, step_count, step_flags;

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const struct information *information);

static void send_nmi(void)
{
	*apic(APIC_COMMAND) = 0x44400;		// NMI, to itself
}

static void send_vector(uint32_t vector)
{
	*apic(APIC_COMMAND) = 0x44000 | vector;
}

// A second NMI waits for this one's IRET.
static void take_nmi(void)
{
	nmi_depth++;
	if (nmi_depth > nmi_deepest)
		nmi_deepest = nmi_depth;
	if (send_in_nmi) {
		send_in_nmi--;
		send_nmi();
		for (volatile int i = 0; i < 100; i++)
			;
	}
	nmi_depth--;
}

static void leave_level_3(struct frame *frame);

static void take_step(void)
{
	uint32_t dr6;

	__asm__ volatile("mov %%db6, %0" : "=r"(dr6));
	step_count++;
	step_flags += dr6 >> 14 & 1;	// BS, which the processor never clears
	__asm__ volatile("mov %0, %%db6" : : "r"(dr6 & ~(1u << 14)));
}

void guest_interrupt(struct frame *frame)
{
	taken[frame->vector]++;
	last_eip = frame->eip;
	if (frame->vector == 2)
		take_nmi();
	else if (frame->vector == VECTOR_BACK)
		leave_level_3(frame);
	else if (frame->vector >= 32)
		*apic(APIC_EOI) = 0;
	else if (frame->vector == 1)
		take_step();
	else if (frame->vector != 3 && !take_exception(frame))
		fail_on(frame);
}

//
// Exceptions
//

static void check_exceptions(void)
{
	uint32_t eax, edx;

	__asm__ volatile("int3");
	is("INT3 is taken", taken[3], 1);
	expected_length = 2;
	__asm__ volatile("ud2");
	is("UD2 raises #UD", last_vector, 6);
	eax = 1;
	edx = 0;
	__asm__ volatile("divb %2" : "+a"(eax), "+d"(edx) : "q"((uint8_t)0));
	is("a division by 0 raises #DE", last_vector, 0);
	__asm__ volatile("mov %0, %%fs" : : "r"(0x7F8));
	is("a selector beyond the table raises #GP", last_vector, 13);
	is("its error code is the selector", last_error, 0x7F8);
	expected_length = 3;
	__asm__ volatile("int $0x79; .byte 0x90" ::: "memory");
	is("INT n is taken", taken[0x79], 1);
	expected_length = 0;
	__asm__ volatile("pushf; orl $0x100, (%%esp); popf; nop; nop; pushf; andl $~0x100, "
			 "(%%esp); popf"
			 ::: "memory", "cc");
	is("TF steps: NOP, NOP, PUSHF, AND, POPF", step_count, 5);
	eax = 0;
	__asm__ volatile("pushf; orl $0x100, (%%esp); popf; cpuid; nop; pushf; andl $~0x100, "
			 "(%%esp); popf"
			 : "+a"(eax) : : "ebx", "ecx", "edx", "memory", "cc");
	is("and CPUID", step_count, 10);
	is("each with DR6.BS", step_flags, 10);
}

//
// Interrupts
//

static void check_interrupts(void)
{
	*apic(APIC_SPURIOUS) = 0x1FF;
	send_vector(VECTOR_ONE);
	is("interrupts are off: one waits", taken[VECTOR_ONE], 0);
	is("in the APIC's IRR", *apic(APIC_IRR + 0x20) >> (VECTOR_ONE & 31) & 1, 1);
	__asm__ volatile("sti; cli" ::: "memory");
	is("CLI in STI's shadow is before it", taken[VECTOR_ONE], 0);
	__asm__ volatile("sti; nop; cli" ::: "memory");
	is("it is taken after STI's shadow", taken[VECTOR_ONE], 1);
	send_vector(VECTOR_ONE);
	__asm__ volatile("xor %%eax, %%eax; xor %%ecx, %%ecx; sti; cpuid; cli"
			 ::: "eax", "ebx", "ecx", "edx", "memory");
	is("and after a CPUID in STI's shadow", taken[VECTOR_ONE], 2);
	*apic(0x3E0) = 0xB;			// divide by 1
	*apic(0x320) = VECTOR_TIMER;
	*apic(0x380) = 100000;
	__asm__ volatile("sti; hlt; cli" ::: "memory");
	is("the APIC's timer ends a HLT", taken[VECTOR_TIMER], 1);
	send_vector(VECTOR_ONE);
	__asm__ volatile("sti; hlt; cli" ::: "memory");
	is("an interrupt that waits ends a HLT at once", taken[VECTOR_ONE], 3);
	send_vector(VECTOR_ONE);
	*apic(0x080) = 0xF0;
	__asm__ volatile("sti; nop; nop; cli" ::: "memory");
	is("the task priority holds it back", taken[VECTOR_ONE], 3);
	*apic(0x080) = 0;
	__asm__ volatile("sti; nop; nop; cli" ::: "memory");
	is("and lets it go", taken[VECTOR_ONE], 4);
}

static void check_nmi(void)
{
	send_nmi();
	is("an NMI is taken with interrupts off", taken[2], 1);
	send_in_nmi = 1;
	send_nmi();
	is("one sent in the handler is taken, too", taken[2], 3);
	is("but not in the handler", nmi_deepest, 1);
	send_in_nmi = 2;
	send_nmi();
	is("three, one after the other", taken[2], 6);
	is("never one in the other", nmi_deepest, 1);
	__asm__ volatile("1: movl $0x44400, (%0); nop" : : "r"(apic(APIC_COMMAND)) : "memory");
	is("and one more", taken[2], 7);
}

//
// Level 3
//

static volatile uint32_t back_esp, faults_in_user;

static void leave_level_3(struct frame *frame)
{
	faults_in_user = exceptions;
	__asm__ volatile("mov %0, %%esp; jmp *%1" : : "r"(back_esp), "r"(frame->ebx));
	__builtin_unreachable();
}

static uint32_t user_stack[256];

// EBX: the address at which to continue. CLI at level 3 raises #GP, and the handler skips it.
static void check_level_3(void)
{
	set_gate(VECTOR_BACK, 3);
	exceptions = 0;
	expected_length = 1;
	__asm__ volatile("pusha; mov %%esp, %0; push $0x23; push %1; push $2; push $0x1B; push "
			 "$1f; mov $2f, %%ebx\n"
			 "iret\n"
			 "1: cli; int $0x80\n"
			 "2: popa; mov $0x10, %%ecx; mov %%ecx, %%ds; mov %%ecx, %%es"
			 : "=m"(back_esp) : "r"(user_stack + 256) : "memory", "ecx");
	expected_length = 0;
	is("IRET goes to level 3, INT n back", taken[VECTOR_BACK], 1);
	is("CLI at level 3 faults", faults_in_user, 1);
	is("with #GP", last_vector, 13);
}

//
// Modes and paging
//

static uint32_t directory[1024] __attribute__((aligned(4096))),
	page_table[1024] __attribute__((aligned(4096)));
static uint32_t page_a[1024] __attribute__((aligned(4096))),
	page_b[1024] __attribute__((aligned(4096)));
static uint64_t pdpt[512] __attribute__((aligned(4096))),
	pae_directory[4][512] __attribute__((aligned(4096)));
static uint64_t level4[512] __attribute__((aligned(4096)));

#define WINDOW 0x40000000u

static uint32_t read_cr0(void)
{
	uint32_t value;

	__asm__ volatile("mov %%cr0, %0" : "=r"(value));
	return value;
}

static void write_cr0(uint32_t value)
{
	__asm__ volatile("mov %0, %%cr0; jmp 1f; 1:" : : "r"(value) : "memory");
}

static void write_cr3(const void *table)
{
	__asm__ volatile("mov %0, %%cr3" : : "r"(table) : "memory");
}

static void write_cr4(uint32_t value)
{
	__asm__ volatile("mov %0, %%cr4" : : "r"(value) : "memory");
}

static uint32_t read_window(void)
{
	return *(volatile uint32_t *)WINDOW;
}

static void check_paging(void)
{
	uint32_t cr2;

	for (uint32_t i = 0; i < 1024; i++)
		directory[i] = i << 22 | 0x83;
	directory[WINDOW >> 22] = (uint32_t)page_table | 3;
	page_table[0] = (uint32_t)page_a | 3;
	page_a[0] = 0xAAAA;
	page_b[0] = 0xBBBB;
	write_cr4(0x10);		// PSE
	write_cr3(directory);
	write_cr0(read_cr0() | 0x80000000u);
	is("paging with 4 MiB and 4 KiB pages", read_window(), 0xAAAA);
	is("the accessed bit is set", page_table[0] & 0x60, 0x20);
	page_table[0] = (uint32_t)page_b | 3;
	__asm__ volatile("invlpg %0" : : "m"(*(uint32_t *)WINDOW) : "memory");
	is("another page after INVLPG", read_window(), 0xBBBB);
	*(volatile uint32_t *)WINDOW = 0xCCCC;
	is("a write arrives there", page_b[0], 0xCCCC);
	is("the dirty bit is set", page_table[0] & 0x60, 0x60);
	page_table[0] = 0;
	write_cr3(directory);
	expected_length = 2;
	__asm__ volatile("mov (%0), %%eax" : : "c"(WINDOW) : "eax", "memory");
	__asm__ volatile("mov %%cr2, %0" : "=r"(cr2));
	is("a page that is absent raises #PF", last_vector, 14);
	is("CR2 is its address", cr2, WINDOW);
	page_table[0] = (uint32_t)page_a | 1;
	write_cr0(read_cr0() | 0x10000);	// WP
	__asm__ volatile("mov %%eax, (%0)" : : "c"(WINDOW) : "memory");
	is("a write to a read-only one, too: error code 3", last_error, 3);
	expected_length = 0;
	write_cr0(read_cr0() & ~0x80010000u);
	is("and paging is off again", read_cr0() >> 31, 0);
}

static void check_pae(void)
{
	for (uint64_t i = 0; i < 2048; i++)
		pae_directory[i / 512][i % 512] = i << 21 | 0x83;
	for (uint32_t i = 0; i < 4; i++)
		pdpt[i] = (uint32_t)pae_directory[i] | 1;
	pae_directory[1][0] = ((uint32_t)page_a & ~0x1FFFFFu) | 0x83;
	write_cr4(0x20);		// PAE
	write_cr3(pdpt);
	write_cr0(read_cr0() | 0x80000000u);
	is("paging with PAE", *(volatile uint32_t *)(WINDOW + ((uint32_t)page_a & 0x1FFFFF)),
	   0xAAAA);
	write_cr0(read_cr0() & ~0x80000000u);
}

// Enters long mode, computes a 64-bit product there, and returns.
static void check_long_mode(void)
{
	uint32_t high, efer_on;

	level4[0] = (uint32_t)pdpt | 3;
	for (uint32_t i = 0; i < 4; i++)
		pdpt[i] = (uint32_t)pae_directory[i] | 3;
	is("EFER starts as 0", rdmsr(0xC0000080), 0);
	wrmsr(0xC0000080, 0x100);	// LME
	write_cr4(0x20);
	write_cr3(level4);
	write_cr0(read_cr0() | 0x80000000u);
	efer_on = (uint32_t)rdmsr(0xC0000080);
	__asm__ volatile("ljmp $0x30, $1f\n"
			 "1: .byte 0x48; mov $0x10000, %%eax; .long 0\n"	// MOV RAX, 10000H
			 ".byte 0x48; imul %%eax, %%eax\n"
			 ".byte 0x48; shr $32, %%eax\n"
			 "push $0x08; push $2f; .byte 0x48; lret\n"
			 "2:" : "=a"(high) : : "memory", "cc");
	is("EFER has LME and LMA", efer_on, 0x500);
	is("64-bit code executes", high, 1);
	write_cr0(read_cr0() & ~0x80000000u);
	wrmsr(0xC0000080, 0);
	write_cr4(0);
	is("and long mode is left", rdmsr(0xC0000080), 0);
}

extern char real_start[], real_end[];

// Code below 1 MiB, at 7000H: it enters real mode, takes a software interrupt through the table at
// 0, and returns.
static void check_real_mode(void)
{
	volatile uint32_t *vectors = 0, saved;
	volatile uint8_t *low = 0;

	__asm__("" : "+r"(vectors), "+r"(low));		// address 0 is valid
	for (const char *from = real_start; from < real_end; from++)
		low[0x7000 + (from - real_start)] = (uint8_t)*from;
	saved = vectors[0x79];
	vectors[0x79] = 0x7010;
	vectors[0x7800 / 4] = 0;
	__asm__ volatile("call *%0" : : "r"(0x7040) : "eax", "ecx", "edx", "memory");
	vectors[0x79] = saved;
	is("real mode, with an interrupt through its table", vectors[0x7800 / 4], 0x1234);
}

__asm__(".section .rodata\n"
	"real_start:\n"
	// 7010H: the interrupt handler.
	".org real_start + 0x10\n"
	".code16\n"
	"movw $0x1234, %ds:0x7800\n"
	"iret\n"
	// 7040H: from 32-bit protected mode.
	".org real_start + 0x40\n"
	".code32\n"
	"pusha\n"
	"sidt 0x7810\n"
	"mov %esp, 0x7820\n"
	"ljmp $0x38, $0x7000 + (1f - real_start)\n"
	"1: .code16\n"
	"mov $0x40, %ax\n"
	"mov %ax, %ds\n"
	"mov %ax, %ss\n"
	"mov %cr0, %eax\n"
	"and $0xFE, %al\n"
	"mov %eax, %cr0\n"
	"ljmp $0, $0x7000 + (2f - real_start)\n"
	"2: xor %ax, %ax\n"
	"mov %ax, %ds\n"
	"mov %ax, %ss\n"
	"mov $0x7F00, %sp\n"
	"lidtl 0x7000 + (4f - real_start)\n"
	"int $0x79\n"
	"mov %cr0, %eax\n"
	"or $1, %al\n"
	"mov %eax, %cr0\n"
	"ljmpl $0x08, $0x7000 + (3f - real_start)\n"
	"3: .code32\n"
	"mov $0x10, %eax\n"
	"mov %eax, %ds\n"
	"mov %eax, %ss\n"
	"mov 0x7820, %esp\n"
	"lidt 0x7810\n"
	"popa\n"
	"ret\n"
	"4: .word 0x3FF\n"
	".long 0\n"
	"real_end:\n"
	".text\n");

static void check_modules(const struct information *information)
{
	const struct module *module = (const void *)information->module_list;

	is("two modules", information->modules, 2);
	is("the first one's content", *(const uint32_t *)module[0].start, 0x0A656E6F);	// "one\n"
	is("and size", module[0].end - module[0].start, 4);
	is("the second one begins on a page", module[1].start & 0xFFF, 0);
	print("# ");
	print((const char *)module[1].command_line);
	print("\n");
}

void guest_main(uint32_t magic, const struct information *information)
{
	uint32_t eflags;

	__asm__ volatile("pushf; pop %0" : "=r"(eflags));
	is("interrupts are off at the start", eflags & 0x20200, 0);
	is("so is paging, and protected mode is on", read_cr0() & 0x80000001u, 1);
	is("EAX is the boot loader's magic number", magic, 0x2BADB002);
	is("memory, command line, modules and map are there", information->flags & 0x4D, 0x4D);
	is("639 KiB of low memory", information->lower, 639);
	print("# ");
	print((const char *)information->command_line);
	print("\n");
	check_modules(information);
	start_interrupts();
	check_exceptions();
	check_interrupts();
	check_nmi();
	check_level_3();
	check_paging();
	check_pae();
	check_long_mode();
	check_real_mode();
	finish();
}
