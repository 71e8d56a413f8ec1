// SPDX-License-Identifier: BSD-2-Clause
// Executes random code, by a seed. For each step this kernel fills a page with code that begins with plausible and with
// random instructions, sets up the PMU at random, and enters the code in one of these modes, with random registers:
//
//     long mode              64-bit, 32-bit and 16-bit code, each at levels 0 and 3
//     legacy protected mode  32-bit and 16-bit code at level 3; virtual-8086 mode
//     real mode              the first CPU only
//
// Any exception or interrupt ends the step. A local APIC timer whose interrupt is an NMI ends the code that raises none:
// processors ignore the delivery mode of that entry, QEMU does not. The code has its own page tables, in which of this
// kernel only the way back is mapped; it has a stack of its own there.
//
//     controller (32-bit, no paging) --- enter ---> code
//            ^                                       | exception, interrupt, NMI
//            +----------- leave <--- common_64, common_32, real_common
//
// The command line is "seed, count of steps, count of CPUs" (decimal); if one follows, the
// first step of which all that it has found is printed, to look for what differs; then words:
//     wild     the code and this kernel write anything to the PMU, and read it. Without this word all that the code
//              finds must be the same with the PMU as without it; a checksum of that is printed each 256 steps,
//              of the first CPU
//     x2apic   the local APIC is in x2APIC mode
//
// Left out, as these end the run or the way back: ports, and at level 0 LGDT, LIDT, LTR, LMSW, MOV to CR0, CR3 and CR4
// of random values.

#include "cpus.h"
#include "pmu.h"

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

#define LENGTH(a)	(sizeof(a) / sizeof *(a))
#define REPORT		256
#define PAGE		4096u
#define VECTOR_PMI	0x51

// The code's memory, by linear addresses: pages of code, of data, and of its stack. CPU 0 has it at the same physical
// addresses, so that code in real mode has it, too.
#define CODE		0x20000u
#define DATA		0x30000u
#define STACK		0x40000u
#define AREA_END	0x50000u
#define OTHERS		0x4000000u	/* physical: the areas of other CPUs */
#define REAL		0x10000u	/* code of this kernel for real mode */

#define MSR_APIC_BASE	0x1B
#define MSR_EFER	0xC0000080
#define EFER_SCE	(1u << 0)
#define EFER_LME	(1u << 8)
#define EFER_NXE	(1u << 11)

#define FLAG_TF		(1u << 8)
#define FLAG_IF		(1u << 9)
#define FLAG_VM		(1u << 17)

//
// Chance, and what comes of it
//

struct context;

// Of a CPU.
static struct cpu {
	uint32_t chance, trail;
	volatile uint32_t recover, raised;	// as in TRY
	struct context *context;
	uint8_t *area;				// the code's memory
} state[MOST];

static bool wild, trace, x2apic;

static uint32_t apic_read(uint32_t offset)
{
	return x2apic ? (uint32_t)rdmsr(0x800 + offset / 16) : *apic(offset);
}

static void apic_write(uint32_t offset, uint32_t value)
{
	if (x2apic)
		wrmsr(0x800 + offset / 16, value);
	else
		*apic(offset) = value;
}

static uint32_t any(struct cpu *c)
{
	c->chance ^= c->chance << 13;
	c->chance ^= c->chance >> 17;
	c->chance ^= c->chance << 5;
	return c->chance;
}

static uint32_t below(struct cpu *c, uint32_t limit)
{
	return any(c) % limit;
}

// Few bits, many, or all sorts.
static uint32_t any_value(struct cpu *c)
{
	switch (below(c, 4)) {
	case 0:
		return 1u << below(c, 32);
	case 1:
		return ~(1u << below(c, 32));
	case 2:
		return below(c, 256);
	}
	return any(c);
}

static uint64_t any_value_64(struct cpu *c)
{
	const uint32_t low = any_value(c);

	return (uint64_t)(below(c, 2) ? any_value(c) : 0) << 32 | low;
}

static void note(struct cpu *c, uint64_t value)
{
	if (trace) {
		print(" ");
		print_hex(value);
	}
	c->trail = (c->trail ^ (uint32_t)value) * 0x01000193;
	c->trail = (c->trail ^ (uint32_t)(value >> 32)) * 0x01000193;
}

//
// The way into the code, and back
//

// One page. The offsets are known to the assembler code below.
struct context {
	uint64_t registers[16];		// 000: RAX RCX RDX RBX, RSP (unused), RBP RSI RDI R8 to R15
	uint64_t frame_64[5];		// 080: RIP CS RFLAGS RSP SS
	uint32_t frame_32[9];		// 0A8: EIP CS EFLAGS ESP SS ES DS FS GS
	uint32_t unused_1;
	uint32_t cr0, cr3, cr4, efer;	// 0D0
	uint32_t task, data;		// 0E0: selectors: TR; DS, ES, FS and GS
	uint32_t lvtpc, timer;		// 0E8
	uint32_t enable[2], enable_msr;	// 0F0: global control
	uint32_t legacy;		// 0FC: 1: without long mode
	uint8_t idt[8];			// 100: for LIDT
	uint32_t saved_esp;		// 108: the controller's
	uint32_t found;			// 10C: where the registers are that the code has left
	uint64_t cr2;			// 110: found
	uint32_t x2apic;		// 118
	uint8_t stacks[PAGE - 0x11C];	// to 800 for NMI in long mode, to C00 in legacy mode, to 1000 others
};
#define NMI_STACK	0x800
#define LEGACY_STACK	0xC00

// What the code has left, as common_64 and common_32 push it. In real mode there is less.
struct found_64 {
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rbx, rdx, rcx, rax, vector, error, rip, cs,
		rflags, rsp, ss;
};
struct found_32 {
	uint32_t edi, esi, ebp, esp, ebx, edx, ecx, eax, vector, error, eip, cs, eflags, user_esp, user_ss;
};

void enter(struct context *context);
void enter_real(struct context *context);
extern char way_start[], way_end[], stubs_64[], stubs_32[], real_start[], real_end[], real_stubs[], real_values[];
// Values of the block in real mode.
struct real_values {
	uint32_t registers[8];		// EAX ECX EDX EBX ESP EBP ESI EDI
	uint16_t ip, flags;
	uint32_t found[8];
	uint16_t vector, found_ip, found_cs, found_flags;
};
struct context *context_real;

#define DISARM								\
	"cmpl $0, 0x118(%ebp)\n jne 2f\n"				\
	"movl $0, 0xFEE00380\n movl $0x10051, 0xFEE00340\n jmp 3f\n"	\
	"2: xor %edx, %edx\n xor %eax, %eax\n mov $0x838, %ecx\n wrmsr\n" \
	"mov $0x10051, %eax\n mov $0x834, %ecx\n wrmsr\n"		\
	"3:\n"

__asm__(".section .way, \"awx\", @progbits\n"
	".balign 4096\n way_start:\n"
	".code32\n"
	"enter: pusha\n mov 36(%esp), %ebp\n mov %esp, 0x108(%ebp)\n"
	"mov 0xD8(%ebp), %eax\n mov %eax, %cr4\n mov 0xD4(%ebp), %eax\n mov %eax, %cr3\n"
	"mov $0xC0000080, %ecx\n mov 0xDC(%ebp), %eax\n xor %edx, %edx\n wrmsr\n"
	"lea 0xC00(%ebp), %esp\n mov 0xD0(%ebp), %eax\n mov %eax, %cr0\n jmp 1f\n"
	"1: lidt 0x100(%ebp)\n mov 0xE0(%ebp), %eax\n ltr %ax\n"
	// The timer, its interrupt an NMI; the PMU's.
	"cmpl $0, 0x118(%ebp)\n jne 2f\n"
	"movl $0x400, 0xFEE00320\n movl $0xB, 0xFEE003E0\n mov 0xEC(%ebp), %eax\n mov %eax, 0xFEE00380\n"
	"mov 0xE8(%ebp), %eax\n mov %eax, 0xFEE00340\n jmp 3f\n"
	"2: xor %edx, %edx\n mov $0x400, %eax\n mov $0x832, %ecx\n wrmsr\n"
	"mov $0xB, %eax\n mov $0x83E, %ecx\n wrmsr\n mov 0xEC(%ebp), %eax\n mov $0x838, %ecx\n wrmsr\n"
	"mov 0xE8(%ebp), %eax\n mov $0x834, %ecx\n wrmsr\n"
	"3: mov 0xF8(%ebp), %ecx\n mov 0xF0(%ebp), %eax\n mov 0xF4(%ebp), %edx\n wrmsr\n"
	"mov 0xE4(%ebp), %eax\n mov %eax, %ds\n mov %eax, %es\n mov %eax, %fs\n mov %eax, %gs\n"
	"cmpl $0, %ss:0xFC(%ebp)\n jne 4f\n"
	"ljmp $0x30, $enter_64\n"
	"4: lea 0xA8(%ebp), %esp\n mov %ss:(%ebp), %eax\n mov %ss:8(%ebp), %ecx\n mov %ss:16(%ebp), %edx\n"
	"mov %ss:24(%ebp), %ebx\n mov %ss:48(%ebp), %esi\n mov %ss:56(%ebp), %edi\n mov %ss:40(%ebp), %ebp\n iret\n"

	".code64\n"
	"enter_64: mov %ebp, %ebp\n lea 0x80(%rbp), %rsp\n mov 0(%rbp), %rax\n mov 8(%rbp), %rcx\n"
	"mov 16(%rbp), %rdx\n mov 24(%rbp), %rbx\n mov 48(%rbp), %rsi\n mov 56(%rbp), %rdi\n"
	"mov 64(%rbp), %r8\n mov 72(%rbp), %r9\n mov 80(%rbp), %r10\n mov 88(%rbp), %r11\n mov 96(%rbp), %r12\n"
	"mov 104(%rbp), %r13\n mov 112(%rbp), %r14\n mov 120(%rbp), %r15\n mov 40(%rbp), %rbp\n iretq\n"

	// An NMI within these pages is over, or has come before the code.
	"nmi_64: cmpl $0, 20(%rsp)\n jne common_64\n cmpl $way_start, 16(%rsp)\n jb common_64\n"
	"cmpl $way_end, 16(%rsp)\n jae common_64\n"
	"add $16, %rsp\n iretq\n"
	"common_64: push %rax\n push %rcx\n push %rdx\n push %rbx\n push %rbp\n push %rsi\n push %rdi\n push %r8\n"
	"push %r9\n push %r10\n push %r11\n push %r12\n push %r13\n push %r14\n push %r15\n"
	"xor %eax, %eax\n mov %rax, %dr7\n cld\n"
	"mov %rsp, %rbp\n and $~0xFFF, %rbp\n mov %esp, 0x10C(%rbp)\n mov %cr2, %rax\n mov %rax, 0x110(%rbp)\n"
	"pushq $0x10\n push %rbp\n pushq $2\n pushq $0x08\n mov $leave_paged, %eax\n push %rax\n iretq\n"

	".code32\n"
	"nmi_32: cmpl $way_start, 8(%esp)\n jb common_32\n cmpl $way_end, 8(%esp)\n jae common_32\n"
	"add $8, %esp\n iret\n"
	"common_32: pusha\n xor %eax, %eax\n mov %eax, %dr7\n cld\n mov %esp, %ebp\n and $~0xFFF, %ebp\n"
	"mov %esp, %ss:0x10C(%ebp)\n mov %cr2, %eax\n mov %eax, %ss:0x110(%ebp)\n"
	"push $2\n push $0x08\n push $leave_paged\n iret\n"

	// The interrupt table is the code's, until paging has ended; the entries are silent by then.
	"leave_paged: mov $0x10, %eax\n mov %eax, %ds\n mov %eax, %es\n mov %eax, %fs\n mov %eax, %gs\n mov %eax, %ss\n"
	DISARM
	"mov 0xF8(%ebp), %ecx\n xor %eax, %eax\n xor %edx, %edx\n wrmsr\n"
	"mov $0x11, %eax\n mov %eax, %cr0\n jmp 1f\n"
	"1: mov $0xC0000080, %ecx\n xor %eax, %eax\n xor %edx, %edx\n wrmsr\n mov $0x600, %eax\n mov %eax, %cr4\n"
	"lidt idt_of_controller\n mov 0x108(%ebp), %esp\n popa\n ret\n"

	"enter_real: pusha\n mov 36(%esp), %ebp\n mov %ebp, context_real\n mov %esp, 0x108(%ebp)\n"
	"cmpl $0, 0x118(%ebp)\n jne 2f\n"
	"movl $0x400, 0xFEE00320\n movl $0xB, 0xFEE003E0\n mov 0xEC(%ebp), %eax\n mov %eax, 0xFEE00380\n"
	"mov 0xE8(%ebp), %eax\n mov %eax, 0xFEE00340\n jmp 3f\n"
	"2: xor %edx, %edx\n mov $0x400, %eax\n mov $0x832, %ecx\n wrmsr\n"
	"mov $0xB, %eax\n mov $0x83E, %ecx\n wrmsr\n mov 0xEC(%ebp), %eax\n mov $0x838, %ecx\n wrmsr\n"
	"mov 0xE8(%ebp), %eax\n mov $0x834, %ecx\n wrmsr\n"
	"3: mov 0xF8(%ebp), %ecx\n mov 0xF0(%ebp), %eax\n mov 0xF4(%ebp), %edx\n wrmsr\n"
	"ljmp $0x80, $real_enter - real_start\n"
	"leave_real: lidt %cs:idt_of_controller\n"
	"mov $0x10, %eax\n mov %eax, %ds\n mov %eax, %es\n mov %eax, %fs\n mov %eax, %gs\n mov %eax, %ss\n"
	"mov context_real, %ebp\n mov 0x108(%ebp), %esp\n push $2\n popf\n xor %eax, %eax\n"
	"mov %eax, %dr7\n"
	DISARM
	"mov 0xF8(%ebp), %ecx\n xor %eax, %eax\n xor %edx, %edx\n wrmsr\n"
	"mov $0x11, %eax\n mov %eax, %cr0\n mov $0x600, %eax\n mov %eax, %cr4\n"
	"pushf\n push %cs\n push $1f\n iret\n 1: popa\n ret\n"
	".balign 8\n idt_of_controller: .word 0x7FF\n .long idt_of_guest\n"

	".code64\n .balign 16\n stubs_64:\n .set vector, 0\n .rept 256\n .balign 16\n"
	".if (vector != 8) && ((vector < 10) || (vector > 14)) && (vector != 17)\n push $0\n .endif\n"
	"push $vector\n .if vector == 2\n jmp nmi_64\n .else\n jmp common_64\n .endif\n .set vector, vector + 1\n .endr\n"
	".code32\n .balign 16\n stubs_32:\n .set vector, 0\n .rept 256\n .balign 16\n"
	".if (vector != 8) && ((vector < 10) || (vector > 14)) && (vector != 17)\n push $0\n .endif\n"
	"push $vector\n .if vector == 2\n jmp nmi_32\n .else\n jmp common_32\n .endif\n .set vector, vector + 1\n .endr\n"
	".balign 4096\n way_end:\n"

	// Copied to REAL.
	".section .rodata\n .code16\n"
	"real_start:\n"
	"real_enter: mov %cr0, %eax\n and $~1, %al\n mov %eax, %cr0\n ljmp $0x1000, $1f - real_start\n"
	"1: lidtl %cs:real_idt - real_start\n mov $0x4000, %ax\n mov %ax, %ss\n mov $0x3000, %ax\n mov %ax, %ds\n"
	"mov %ax, %es\n mov %ax, %fs\n mov %ax, %gs\n movl %cs:real_values - real_start + 16, %esp\n"
	"pushw %cs:real_values - real_start + 34\n pushw $0x2000\n pushw %cs:real_values - real_start + 32\n"
	"movl %cs:real_values - real_start, %eax\n movl %cs:real_values - real_start + 4, %ecx\n"
	"movl %cs:real_values - real_start + 8, %edx\n movl %cs:real_values - real_start + 12, %ebx\n"
	"movl %cs:real_values - real_start + 20, %ebp\n movl %cs:real_values - real_start + 24, %esi\n"
	"movl %cs:real_values - real_start + 28, %edi\n iretw\n"
	"real_common: movl %eax, %cs:real_values - real_start + 36\n movl %ecx, %cs:real_values - real_start + 40\n"
	"movl %edx, %cs:real_values - real_start + 44\n movl %ebx, %cs:real_values - real_start + 48\n"
	"movl %esp, %cs:real_values - real_start + 52\n movl %ebp, %cs:real_values - real_start + 56\n"
	"movl %esi, %cs:real_values - real_start + 60\n movl %edi, %cs:real_values - real_start + 64\n"
	"popw %cs:real_values - real_start + 70\n popw %cs:real_values - real_start + 72\n"
	"popw %cs:real_values - real_start + 74\n"
	"mov %cr0, %eax\n or $1, %al\n mov %eax, %cr0\n ljmpl $0x08, $leave_real\n"
	".balign 8\n real_idt: .word 0x3FF\n .long 0x18000\n"
	"real_values: .skip 80\n"
	".balign 16\n real_stubs:\n .set vector, 0\n .rept 256\n .balign 16\n"
	"movb $vector, %cs:real_values - real_start + 68\n jmp real_common\n .set vector, vector + 1\n .endr\n"
	"real_end:\n"
	".text\n .code32\n");

extern uint64_t idt_of_guest[256] __attribute__((alias("idt")));

//
// Tables
//

#define P	1u
#define RW	2u
#define US	4u
#define LARGE	0x80u
#define NX	(1ull << 63)

static struct space {
	uint64_t level_4[512], level_3[512], level_2[512], level_2_apic[512], level_1[512];
	uint64_t level_3_legacy[512];	// four are used
	struct context context;
	uint64_t gdt[512];
	uint32_t task_64[32], task_32[32];
	uint8_t rest[PAGE - 256];
} space[4] __attribute__((aligned(4096)));

static struct __attribute__((aligned(4096))) {
	uint64_t idt_64[512], idt_32[256], rest[256];
} gates;

enum {
	CODE_32 = 0x08, FLAT = 0x10, CODE_32_USER = 0x1B, FLAT_USER = 0x23, TASK_32 = 0x28, CODE_64 = 0x30,
	CODE_64_USER = 0x3B, CODE_16 = 0x40, DATA_16 = 0x48, STACK_16 = 0x50, CODE_16_USER = 0x5B, DATA_16_USER = 0x63,
	STACK_16_USER = 0x6B, TASK_64 = 0x70, REAL_16 = 0x80,
};

static uint64_t segment(uint32_t base, uint32_t access)
{
	return 0xFFFF | (uint64_t)(base & 0xFFFFFF) << 16 | (uint64_t)access << 40 | (uint64_t)(base >> 24) << 56;
}

static void make_descriptors(struct space *s)
{
	uint64_t *g = s->gdt;

	g[CODE_32 / 8] = 0x00CF9B000000FFFF;
	g[FLAT / 8] = 0x00CF93000000FFFF;
	g[CODE_32_USER / 8] = 0x00CFFB000000FFFF;
	g[FLAT_USER / 8] = 0x00CFF3000000FFFF;
	g[CODE_64 / 8] = 0x00AF9B000000FFFF;
	g[CODE_64_USER / 8] = 0x00AFFB000000FFFF;
	g[CODE_16 / 8] = segment(CODE, 0x9B);
	g[DATA_16 / 8] = segment(DATA, 0x93);
	g[STACK_16 / 8] = segment(STACK, 0x93);
	g[CODE_16_USER / 8] = segment(CODE, 0xFB);
	g[DATA_16_USER / 8] = segment(DATA, 0xF3);
	g[STACK_16_USER / 8] = segment(STACK, 0xF3);
	g[REAL_16 / 8] = segment(REAL, 0x9B);
}

// LTR makes them busy.
static void make_tasks(struct space *s)
{
	const uint32_t context = (uint32_t)&s->context;

	s->task_64[9] = context + PAGE;			// IST1
	s->task_64[11] = context + NMI_STACK;		// IST2
	s->task_64[1] = context + PAGE;			// RSP0
	s->task_32[1] = context + LEGACY_STACK;
	s->task_32[2] = FLAT;
	s->gdt[TASK_32 / 8] = segment((uint32_t)s->task_32, 0x89) - 0xFFFF + 103;
	s->gdt[TASK_64 / 8] = segment((uint32_t)s->task_64, 0x89) - 0xFFFF + 103;
	s->gdt[TASK_64 / 8 + 1] = 0;
}

static void make_gates(void)
{
	for (uint32_t n = 0; n < 256; n++) {
		const uint32_t to_64 = (uint32_t)stubs_64 + n * 16, to_32 = (uint32_t)stubs_32 + n * 16;
		const uint32_t level = n == 3 || n == 4 || n >= 0x80 ? 3 : 0;
		const uint64_t access = 0x8E00u | level << 13;

		gates.idt_64[2 * n] = (to_64 & 0xFFFF) | CODE_64 << 16 |
				      (access | (n == 2 ? 2 : 1) | (to_64 & 0xFFFF0000ull)) << 32;
		gates.idt_32[n] = (to_32 & 0xFFFF) | CODE_32 << 16 | (access | (to_32 & 0xFFFF0000ull)) << 32;
	}
}

static void map(struct space *s, const void *from, const void *to)
{
	for (uint32_t page = (uint32_t)from; page < (uint32_t)to; page += PAGE)
		s->level_1[page / PAGE] = page | P | RW;
}

// Of the code's pages some may not be written, executed, or are not there.
static uint64_t any_page(struct cpu *c, uint32_t physical)
{
	static const uint64_t flags[] = {P | US, P | RW, 0, P | RW | US | NX, P | RW | US | 0x18, P | RW | US | 0x100};

	return physical | (below(c, 8) ? P | RW | US : flags[below(c, LENGTH(flags))]);
}

static void make_pages(struct cpu *c, struct space *s)
{
	for (uint32_t page = CODE; page < AREA_END; page += PAGE)
		s->level_1[page / PAGE] = any_page(c, (uint32_t)c->area + page - CODE);
}

static void make_space(struct cpu *c, struct space *s)
{
	s->level_4[0] = (uint32_t)s->level_3 | P | RW | US;
	s->level_3[0] = (uint32_t)s->level_2 | P | RW | US;
	s->level_3[3] = (uint32_t)s->level_2_apic | P | RW | US;
	s->level_3_legacy[0] = (uint32_t)s->level_2 | P;
	s->level_3_legacy[3] = (uint32_t)s->level_2_apic | P;
	s->level_2[0] = (uint32_t)s->level_1 | P | RW | US;
	s->level_2_apic[503] = 0xFEE00000 | P | RW | LARGE;
	make_pages(c, s);
	map(s, way_start, way_end);
	map(s, &gates, &gates + 1);
	map(s, &s->context, s + 1);
	make_descriptors(s);
	make_tasks(s);
	c->context = &s->context;
}

static void load_descriptors(struct space *s)
{
	const struct __attribute__((packed)) {
		uint16_t limit;
		uint32_t base;
	} pointer = {0x8F, (uint32_t)s->gdt};

	__asm__ volatile("lgdt %0" : : "m"(pointer));
}

//
// The controller's own exceptions
//

// By its descriptors: the code may change what its local APIC says.
static uint32_t own_number(void)
{
	struct __attribute__((packed)) {
		uint16_t limit;
		uint32_t base;
	} pointer;

	__asm__ volatile("sgdt %0" : "=m"(pointer));
	return pointer.base < (uint32_t)space ? 0 : (pointer.base - (uint32_t)space) / sizeof *space;
}

void guest_interrupt(struct frame *frame)
{
	struct cpu *c = &state[own_number()];

	if (frame->vector == 2 || frame->vector >= 32) {
		if (frame->vector != 2)
			apic_write(APIC_EOI, 0);
	} else if (c->recover) {
		c->raised = frame->vector;
		frame->eip = c->recover;
	} else {
		fail_on(frame);
	}
}

static bool try_wrmsr(struct cpu *c, uint32_t msr, uint64_t value)
{
	c->raised = 0;
	__asm__ volatile("movl $1f, %[recover]\n wrmsr\n 1: movl $0, %[recover]"
			 : [recover] "=m"(c->recover) : "c"(msr), "A"(value) : "memory");
	return !c->raised;
}

static uint64_t try_rdmsr(struct cpu *c, uint32_t msr)
{
	uint64_t value = 0;

	c->raised = 0;
	__asm__ volatile("movl $1f, %[recover]\n rdmsr\n 1: movl $0, %[recover]"
			 : [recover] "=m"(c->recover), "+A"(value) : "c"(msr) : "memory");
	return value;
}

//
// The PMU
//

#define PEBS_ENABLE	0x3F1
#define DS_AREA		0x600

// In a page of data, which the code has; or anywhere.
static uint64_t any_place(struct cpu *c)
{
	const uint64_t places[] = {
		DATA + below(c, 0x10000), CODE + below(c, 0x1000), AREA_END - below(c, 200), 0xFFFFFFFFFFFFFFFFull - below(c, 200),
		0xFEE00000u + below(c, 0x1000), any_value_64(c), 0x7FFFFFFFFF80ull + below(c, 0x100), 0,
	};

	return places[below(c, LENGTH(places))];
}

// Selects that the manual allows.
static uint32_t sound_select(struct cpu *c)
{
	static const uint16_t events[] = {
		INSTRUCTIONS, CYCLES, BRANCHES, 0x00C5, LOADS, STORES, 0x100B, 0x0151, 0x01B7, 0x4F2E, 0x01CB, 0x0185,
	};

	return (below(c, 4) ? events[below(c, LENGTH(events))] : below(c, 0x10000)) |
	       (below(c, 4) << 16) | (below(c, 8) ? 0 : 1u << 18) | (below(c, 2) ? SELECT_INT : 0) |
	       (below(c, 8) ? 0 : 1u << 21) | (below(c, 8) ? SELECT_EN : 0) | (below(c, 8) ? 0 : SELECT_INV) |
	       (below(c, 6) ? 0 : below(c, 4) << SELECT_CMASK);
}

static uint64_t before_overflow(struct cpu *c)
{
	return (MASK_48 + 1 - below(c, below(c, 2) ? 50 : 3000)) & MASK_48;
}

// A register and a value that the processor with this PMU accepts, and QEMU, which has not got it.
static uint32_t sound_write(struct cpu *c, uint64_t *value)
{
	const uint32_t i = below(c, 4);

	switch (below(c, 7)) {
	case 0:
	case 1:
		*value = sound_select(c);
		return IA32_PERFEVTSEL0 + i;
	case 2:
		*value = (uint32_t)before_overflow(c);
		return IA32_PMC0 + i;
	case 3:
		*value = before_overflow(c);
		return IA32_FIXED_CTR0 + i % 3;
	case 4:
		*value = any(c) & 0xBBB;
		return IA32_FIXED_CTR_CTRL;
	case 5:
		*value = any(c) & ALL;
		return IA32_PERF_GLOBAL_OVF_CTRL;
	default:
		*value = below(c, 4) ? ALL : ALL & ((uint64_t)any(c) << 32 | any(c));
		return IA32_PERF_GLOBAL_CTRL;
	}
}

// Registers of both processors' PMUs, and their neighbors.
static uint32_t any_pmu_register(struct cpu *c)
{
	static const struct {
		uint16_t first, count;
	} groups[] = {
		{0x0C1, 8}, {0x186, 8}, {0x309, 3}, {0x38D, 4}, {0x3F0, 8}, {0x1A0, 8}, {0x1C8, 2}, {0x1D9, 3}, {0x600, 1},
		{0x680, 16}, {0x6C0, 16}, {0x391, 6}, {0x3B0, 16}, {0x3C0, 16}, {0x345, 1}, {0x020, 16}, {0x010, 1},
		{0x004, 8},
	};
	const uint32_t n = below(c, LENGTH(groups));

	return groups[n].first + below(c, groups[n].count);
}

static uint32_t any_write(struct cpu *c, uint64_t *value)
{
	uint32_t msr;

	if (!wild || below(c, 2))
		return sound_write(c, value);
	*value = below(c, 3) ? any_value_64(c) : below(c, 2) ? any_place(c) : before_overflow(c);
	msr = any_pmu_register(c);
	// The time-stamp counter of QEMU's own clock cannot go anywhere; the others are below the PMU's.
	if (msr == 0x10 && below(c, 4))
		msr = PEBS_ENABLE, *value &= 0xF0000000Full;
	return msr;
}

// Knights Corner's: select, count, global control.
static void start_knc(struct cpu *c)
{
	for (uint32_t n = 0; n < 2; n++) {
		try_wrmsr(c, 0x28 + n, (below(c, 4) ? 0x16 : below(c, 0x3000)) | below(c, 4) << 16 | SELECT_EN |
			  (below(c, 2) ? SELECT_INT : 0));
		try_wrmsr(c, 0x20 + n, 0x10000000000ull - 1 - below(c, 1000));
	}
}

static void start_pmu(struct cpu *c)
{
	uint64_t value, *records = (uint64_t *)(c->area + DATA - CODE + 0x1000);
	uint32_t msr;

	for (uint32_t n = below(c, 8); n; n--) {
		msr = any_write(c, &value);
		try_wrmsr(c, msr, value);
	}
	if (!wild)
		return;
	if (!below(c, 8)) {
		for (uint32_t n = 0; n < 9; n++)
			records[n] = any_place(c);
		try_wrmsr(c, DS_AREA, below(c, 2) ? DATA + 0x1000 : any_place(c));
		try_wrmsr(c, PEBS_ENABLE, below(c, 16) | (uint64_t)below(c, 16) << 32);
	}
	if (!below(c, 4))
		try_wrmsr(c, IA32_DEBUGCTL, below(c, 4) ? 0x1801 : any_value(c));
	start_knc(c);
	for (uint32_t n = below(c, 4); n; n--)
		try_rdmsr(c, any_pmu_register(c));
}

//
// Code
//

enum mode { LONG_64, LONG_32, LONG_16, LEGACY_32, LEGACY_16, VIRTUAL_8086, REAL_MODE };

struct code {
	struct cpu *c;
	enum mode mode;
	uint32_t level, bits;
	uint8_t *page;
	uint32_t at;			// offset
	uint32_t begins[8];		// of earlier pieces
};

static void emit(struct code *k, uint32_t byte)
{
	if (k->at < 2 * PAGE)
		k->page[k->at++] = (uint8_t)byte;
}

static void emit_32(struct code *k, uint32_t value)
{
	for (uint32_t n = 0; n < 4; n++)
		emit(k, value >> 8 * n & 0xFF);
}

// MOV of a constant.
static void emit_load(struct code *k, uint32_t number, uint32_t value)
{
	if (k->bits == 16)
		emit(k, 0x66);
	emit(k, 0xB8 + number);
	emit_32(k, value);
}

static void emit_two(struct code *k, uint32_t opcode)
{
	emit(k, 0x0F);
	emit(k, opcode);
}

static bool is_privileged(const struct code *k)
{
	return !k->level;
}

// No ports; at level 0 nothing that loads tables and control registers; where the results are compared nothing that
// finds the PMU. No SETcc: where it faults, QEMU 11.1 makes flags, TF too, of what it has noted last.
static uint32_t allowed(const struct code *k, uint32_t before, uint32_t byte)
{
	if ((byte >= 0xE4 && byte <= 0xE7) || (byte >= 0xEC && byte <= 0xEF) || (byte >= 0x6C && byte <= 0x6F))
		return 0x90;
	if (before != 0x0F)
		return byte;
	if ((byte & 0xF0) == 0x90 || (is_privileged(k) && (byte <= 0x01 || byte == 0x22 || byte == 0x30)))
		return 0x1F;
	if (!wild && (byte == 0x30 || byte == 0x32 || byte == 0x33 || byte == 0xA2))
		return 0x1F;
	return byte;
}

static void emit_any(struct code *k, uint32_t count)
{
	for (; count; count--)
		emit(k, allowed(k, k->at ? k->page[k->at - 1] : 0, any(k->c) & 0xFF));
}

static void emit_allowed(struct code *k, uint32_t byte)
{
	emit(k, allowed(k, k->at ? k->page[k->at - 1] : 0, byte));
}

// An incomplete instruction before takes these, not what follows.
static void emit_apart(struct code *k)
{
	for (uint32_t n = 0; n < 12; n++)
		emit(k, 0x90);
}

// Prefixes, an opcode, a ModRM byte and some more.
static void emit_plausible(struct code *k)
{
	static const uint8_t prefixes[] = {0x66, 0x67, 0xF2, 0xF3, 0xF0, 0x2E, 0x36, 0x64, 0x48, 0x41, 0x4F};

	while (!below(k->c, 3))
		emit(k, prefixes[below(k->c, LENGTH(prefixes))]);
	if (below(k->c, 2))
		emit(k, 0x0F);
	emit_allowed(k, any(k->c) & 0xFF);
	emit_allowed(k, any(k->c) & 0xFF);
	emit_any(k, below(k->c, 6));
}

static void emit_vector(struct code *k)
{
	static const uint8_t first[] = {0xC4, 0xC5, 0x62};

	emit(k, first[below(k->c, 3)]);
	if (below(k->c, 2)) {		// one of those that Knights Corner has
		static const uint8_t opcodes[] = {0x28, 0x29, 0x58, 0x59, 0x5C, 0xFE, 0xFA, 0xEF, 0x18, 0xAE, 0xB8, 0x92};

		emit(k, 0xF1 + below(k->c, 2));
		emit(k, any(k->c) & 0xFF);
		emit(k, any(k->c) & 0xFF);
		emit(k, opcodes[below(k->c, LENGTH(opcodes))]);
		emit(k, any(k->c) & 0xFF);
	}
	emit_any(k, below(k->c, 8));
}

// One or two bytes, all of which may be fatal to the code only.
static void emit_special(struct code *k)
{
	static const uint8_t one[] = {
		0xF4, 0xFA, 0xFB, 0xCC, 0xCE, 0xF1, 0x9D, 0xCF, 0xCB, 0xC3, 0xC9, 0x9C, 0x60, 0x61, 0x0E, 0x1F, 0xCA,
	};
	static const uint8_t two[] = {
		0x05, 0x06, 0x07, 0x08, 0x09, 0x0B, 0x31, 0x34, 0x35, 0x77, 0xA0, 0xA1, 0xA8, 0xAA, 0xFF, 0x0E,
	};

	if (below(k->c, 2))
		emit(k, one[below(k->c, LENGTH(one))]);
	else
		emit_two(k, two[below(k->c, LENGTH(two))]);
}

// Where the results are compared: at level 0 only registers that accept any value, as the code may change itself.
static void emit_msr(struct code *k)
{
	uint64_t value;
	uint32_t msr = any_write(k->c, &value);

	if (!wild && is_privileged(k))
		msr = IA32_PMC0 + below(k->c, 4);

	emit_apart(k);
	if (wild && below(k->c, 2)) {
		static const uint8_t reads[] = {0x32, 0x33, 0x33, 0xA2, 0xA2, 0x31};

		emit_load(k, 1, below(k->c, 2) ? msr : below(k->c, 8) | (below(k->c, 2) ? 1u << 30 : 0));
		if (below(k->c, 2))
			emit_load(k, 0, below(k->c, 2) ? below(k->c, 16) : 0x40000000 + below(k->c, 256));
		emit_two(k, reads[below(k->c, LENGTH(reads))]);
		return;
	}
	emit_load(k, 1, msr);
	emit_load(k, 0, (uint32_t)value);
	emit_load(k, 2, (uint32_t)(value >> 32));
	emit_two(k, 0x30);
}

static void emit_string(struct code *k)
{
	static const uint8_t strings[] = {0xA4, 0xA5, 0xA6, 0xA7, 0xAA, 0xAB, 0xAC, 0xAD, 0xAE, 0xAF};

	emit_load(k, 1, below(k->c, 600));
	if (below(k->c, 3))
		emit_load(k, 7, k->bits == 16 ? below(k->c, PAGE) : DATA + below(k->c, PAGE));
	if (below(k->c, 3))
		emit_load(k, 6, k->bits == 16 ? below(k->c, PAGE) : DATA + below(k->c, PAGE));
	emit(k, below(k->c, 2) ? 0xF3 : 0xF2);
	emit(k, strings[below(k->c, LENGTH(strings))]);
}

// LOOP to an earlier piece.
static void emit_loop(struct code *k)
{
	const uint32_t back = k->at + 2 - k->begins[below(k->c, LENGTH(k->begins))];

	if (back > 128)
		return;
	emit(k, 0xE2);
	emit(k, (uint32_t)-(int32_t)back & 0xFF);
}

// An address of 32 bits as operand, if the mode has it: false: it has not.
static bool emit_absolute(struct code *k, uint32_t opcode, uint32_t field, uint32_t address)
{
	if (k->bits == 16)
		return false;
	emit(k, opcode);
	if (k->bits == 64) {
		emit(k, field << 3 | 4);
		emit(k, 0x25);
	} else {
		emit(k, field << 3 | 5);
	}
	emit_32(k, address);
	return true;
}

// Writes a byte of the code itself.
static void emit_modification(struct code *k)
{
	const uint32_t to = k->at + below(k->c, 40);

	if (k->mode == REAL_MODE || k->mode == VIRTUAL_8086) {
		emit(k, 0x2E);
		emit(k, 0xC6);
		emit(k, 0x06);
		emit(k, to & 0xFF);
		emit(k, to >> 8);
	} else if (!emit_absolute(k, 0xC6, 0, CODE + to)) {
		return;
	}
	emit(k, allowed(k, 0x0F, allowed(k, 0, any(k->c) & 0xFF)));
}

// An entry of the page tables; INVLPG or not.
static void emit_page_change(struct code *k)
{
	static const uint8_t flags[] = {P, RW, US, 0x20, 0x40, 0x18, 0x80};
	const struct space *s = (const struct space *)(const void *)((const char *)k->c->context -
								      __builtin_offsetof(struct space, context));
	const uint32_t page = CODE + below(k->c, 0x30) * PAGE;

	emit_apart(k);
	if (!is_privileged(k) || !emit_absolute(k, 0x80, 6, (uint32_t)&s->level_1[page / PAGE]))
		return;
	emit(k, flags[below(k->c, LENGTH(flags))]);
	if (!below(k->c, 4))
		return;
	emit(k, 0x0F);
	emit_absolute(k, 0x01, 7, page);
}

// Control registers are read, and CR3 written with what it has; debug registers get what there is.
static void emit_control(struct code *k)
{
	static const uint8_t control[] = {0xC0, 0xD0, 0xD8, 0xE0};

	if (below(k->c, 2)) {
		emit_two(k, 0x20);
		emit(k, control[below(k->c, LENGTH(control))]);
	} else if (below(k->c, 2)) {
		emit_apart(k);
		emit_load(k, 0, k->c->context->cr3);
		emit_two(k, 0x22);
		emit(k, 0xD8);
	} else {
		emit_two(k, 0x21 + 2 * below(k->c, 2));
		emit(k, 0xC0 | below(k->c, 64));
	}
}

// Without the command register: that of this CPU's own, only.
static void emit_apic(struct code *k)
{
	static const uint16_t registers[] = {
		0x20, 0x30, 0x80, 0xA0, 0xB0, 0xD0, 0xE0, 0xF0, 0x100, 0x180, 0x200, 0x280, 0x320, 0x330, 0x340, 0x340,
		0x350, 0x360, 0x370, 0x390, 0x3E0, 0x3F0, 0x400,
	};
	const uint32_t to = registers[below(k->c, LENGTH(registers))];

	emit_apart(k);
	if (below(k->c, 4) == 0 && !x2apic && emit_absolute(k, 0xC7, 0, 0xFEE00300)) {
		emit_32(k, COMMAND_SELF | COMMAND_FIXED | (below(k->c, 2) ? 0x400 : 0x60 + below(k->c, 0x80)));
	} else if (x2apic && is_privileged(k)) {
		emit_load(k, 1, 0x800 + to / 16);
		emit_load(k, 0, 0x10000 | (0x50 + below(k->c, 0x80)));
		emit_load(k, 2, 0);
		emit_two(k, below(k->c, 2) || !wild ? 0x32 : 0x30);
	} else if (to == 0xF0 || below(k->c, 2)) {
		emit_absolute(k, 0x8B, below(k->c, 4), 0xFEE00000 + to);
	} else if (emit_absolute(k, 0xC7, 0, 0xFEE00000 + to)) {
		emit_32(k, 0x10000 | (0x50 + below(k->c, 0x80)));
	}
}

static void emit_piece(struct code *k)
{
	static void (*const structured[])(struct code *k) = {
		emit_special, emit_special, emit_msr, emit_msr, emit_string, emit_loop, emit_modification, emit_page_change,
		emit_control, emit_apic, emit_vector,
	};
	const uint32_t kind = below(k->c, 32);

	if (kind < 10)
		emit_plausible(k);
	else if (kind < 13)
		emit_any(k, 1 + below(k->c, 15));
	else if (kind < 14) {
		emit(k, 0xCD);
		emit(k, below(k->c, 2) ? 0x80 : any(k->c) & 0xFF);
	} else if (kind < 20)
		structured[below(k->c, LENGTH(structured))](k);
	else
		emit(k, 0x40 + below(k->c, 0x20));	// INC, DEC, PUSH, POP; in 64-bit code prefixes
}

// At the page's begin, or across its end. INT3 behind.
static uint32_t make_code(struct code *k)
{
	const uint32_t begin = below(k->c, 4) ? PAGE / 64 + below(k->c, 64) : PAGE - 1 - below(k->c, 30);

	for (uint32_t n = 0; n < 2 * PAGE; n += 4)
		*(uint32_t *)(k->page + n) = 0xCCCCCCCC;
	k->at = begin;
	for (uint32_t pieces = 1 + below(k->c, 24); pieces; pieces--) {
		k->begins[pieces % LENGTH(k->begins)] = k->at;
		emit_piece(k);
	}
	return begin;
}

//
// Steps
//

static uint64_t any_register(struct code *k)
{
	switch (below(k->c, 6)) {
	case 0:
		return any_value_64(k->c);
	case 1:
		return below(k->c, 300);
	case 2:
		return k->bits == 16 ? below(k->c, PAGE) : CODE + below(k->c, PAGE);
	case 3:
		return (k->bits == 16 ? 0 : 0xFEE00000) + below(k->c, 2) * 0x20;
	}
	return (k->bits == 16 ? 0 : DATA) + below(k->c, 2 * PAGE);
}

static uint32_t any_flags(struct code *k)
{
	uint32_t flags = 2 | (any(k->c) & 0x8D5);	// arithmetic

	flags |= below(k->c, 2) ? FLAG_IF : 0;
	flags |= below(k->c, 8) ? 0 : FLAG_TF;
	if (!below(k->c, 4))
		flags |= any(k->c) & 0x247400;		// ID, AC, NT, IOPL, DF; RF is not there
	return flags & ~(k->mode == REAL_MODE || k->mode == VIRTUAL_8086 ? 0x240000u : 0);
}

static void set_mode(struct code *k, struct context *x)
{
	static const struct {
		uint8_t bits, level_0_too;
		uint8_t cs[2], ss[2];		// at level 0, at level 3
	} modes[] = {
		[LONG_64] = {64, 1, {CODE_64, CODE_64_USER}, {FLAT, FLAT_USER}},
		[LONG_32] = {32, 1, {CODE_32, CODE_32_USER}, {FLAT, FLAT_USER}},
		[LONG_16] = {16, 1, {CODE_16, CODE_16_USER}, {STACK_16, STACK_16_USER}},
		[LEGACY_32] = {32, 0, {0, CODE_32_USER}, {0, FLAT_USER}},
		[LEGACY_16] = {16, 0, {0, CODE_16_USER}, {0, STACK_16_USER}},
		[VIRTUAL_8086] = {16, 0, {0, 0}, {0, 0}},
		[REAL_MODE] = {16, 1, {0, 0}, {0, 0}},
	};
	const bool user = !modes[k->mode].level_0_too || (k->mode != REAL_MODE && below(k->c, 2));

	k->level = user ? 3 : 0;
	k->bits = modes[k->mode].bits;
	x->frame_64[1] = x->frame_32[1] = modes[k->mode].cs[user];
	x->frame_64[4] = x->frame_32[4] = modes[k->mode].ss[user];
	x->data = k->bits == 16 ? (user ? DATA_16_USER : DATA_16) : user ? FLAT_USER : FLAT;
	x->legacy = k->mode >= LEGACY_32;
	x->task = x->legacy ? TASK_32 : TASK_64;
}

static void set_control(struct code *k, struct context *x, struct space *s)
{
	x->cr0 = 0x80000011 | (below(k->c, 8) ? 0x10002 : any(k->c) & 0x5002E);	// MP EM TS NE WP AM
	x->cr4 = 0x20 | (below(k->c, 4) ? 0x600 : any(k->c) & 0x78C);		// TSD DE PGE PCE OSFXSR OSXMMEXCPT
	if (wild)
		x->cr4 |= any(k->c) & 0x100;
	else
		x->cr4 &= ~0x100u;
	x->cr3 = x->legacy ? (uint32_t)s->level_3_legacy : (uint32_t)s->level_4;
	x->efer = (x->legacy ? 0 : EFER_LME) | EFER_NXE | (below(k->c, 4) ? 0 : EFER_SCE);
	*(uint16_t *)x->idt = x->legacy ? 0x7FF : 0xFFF;
	*(uint32_t *)(x->idt + 2) = x->legacy ? (uint32_t)gates.idt_32 : (uint32_t)gates.idt_64;
}

static void set_registers(struct code *k, struct context *x, uint32_t begin)
{
	const uint32_t stack = (k->bits == 16 ? 0 : STACK) + (below(k->c, 4) ? 0xF00 : below(k->c, 2 * PAGE));

	for (uint32_t n = 0; n < 16; n++)
		x->registers[n] = any_register(k);
	x->frame_64[0] = x->frame_32[0] = (k->bits == 16 ? 0 : CODE) + begin;
	x->frame_64[2] = x->frame_32[2] = any_flags(k);
	x->frame_64[3] = x->frame_32[3] = stack;
	if (k->mode != VIRTUAL_8086)
		return;
	x->frame_32[1] = CODE >> 4;
	x->frame_32[2] |= FLAG_VM;
	x->frame_32[4] = STACK >> 4;
	for (uint32_t n = 5; n < 9; n++)
		x->frame_32[n] = DATA >> 4;
	x->data = FLAT_USER;
}

static void set_pmu(struct code *k, struct context *x)
{
	static const uint32_t entries[] = {VECTOR_PMI, 0x400, VECTOR_PMI, 0x10051, 0x400, 0x200, 0x500, 0x700, 0x0F};
	const uint64_t enable = below(k->c, 8) ? ALL : 0;

	x->lvtpc = wild ? entries[below(k->c, LENGTH(entries))] : 0x10000 | VECTOR_PMI;
	x->timer = 300 + below(k->c, 3000);
	x->enable_msr = wild && !below(k->c, 2) ? 0x2F : IA32_PERF_GLOBAL_CTRL;
	x->enable[0] = x->enable_msr == 0x2F ? 3 : (uint32_t)enable;
	x->enable[1] = x->enable_msr == 0x2F ? 0 : (uint32_t)(enable >> 32);
	x->x2apic = x2apic;
}

// As an instruction may be made that has been left out.
static uint32_t flags_found(uint32_t vector)
{
	return vector >= 10 && vector <= 17 ? 0 : ~0u;
}

static volatile struct real_values *values_of_real_mode(void)
{
	return (volatile struct real_values *)(REAL + (uint32_t)(real_values - real_start));
}

static void run_real(struct code *k, struct context *x)
{
	volatile struct real_values *v = values_of_real_mode();
	volatile uint32_t *vectors = (volatile uint32_t *)0x18000;

	for (uint32_t n = 0; n < (uint32_t)(real_end - real_start); n++)
		((volatile uint8_t *)REAL)[n] = (uint8_t)real_start[n];
	for (uint32_t n = 0; n < 256; n++)
		vectors[n] = REAL << 12 | ((uint32_t)(real_stubs - real_start) + n * 16);
	for (uint32_t n = 0; n < 8; n++)
		v->registers[n] = (uint32_t)x->registers[n];
	v->registers[4] = x->frame_32[3];
	v->ip = (uint16_t)x->frame_32[0];
	v->flags = (uint16_t)x->frame_32[2];
	enter_real(x);
	v->found_flags &= (uint16_t)flags_found(v->vector);
	for (uint32_t n = 0; n < 8; n++)
		note(k->c, v->found[n]);
	note(k->c, (uint64_t)v->vector << 48 | (uint64_t)v->found_ip << 32 | v->found_cs << 16 | v->found_flags);
}

static void run_paged(struct code *k, struct context *x)
{
	struct found_64 *f;
	struct found_32 *legacy;

	enter(x);
	if (x->legacy) {
		legacy = (struct found_32 *)x->found;
		legacy->esp = 0;	// of the way back
		legacy->eflags &= flags_found(legacy->vector);
		for (uint32_t n = 0; n < sizeof *legacy / 4; n++)
			note(k->c, ((const uint32_t *)legacy)[n]);
	} else {
		f = (struct found_64 *)x->found;
		f->rflags &= flags_found((uint32_t)f->vector);
		for (uint32_t n = 0; n < sizeof *f / 8; n++)
			note(k->c, ((const uint64_t *)f)[n]);
	}
	note(k->c, x->cr2);
}

// Interrupts that wait or are being served are over.
static void calm(void)
{
	for (uint32_t n = 0; n < 8; n++)
		while (apic_read(APIC_IN_SERVICE + 16 * n))
			apic_write(APIC_EOI, 0);
	apic_write(APIC_SPURIOUS, 0x1FF);
	apic_write(0x80, 0);
	__asm__ volatile("sti\n nop\n nop\n cli");
}

static void note_data(struct cpu *c)
{
	const uint32_t *data = (const uint32_t *)(c->area + DATA - CODE);
	uint32_t sum = 0;

	for (uint32_t n = 0; n < 512; n++)
		sum = sum * 31 + data[n];
	note(c, sum);
}

static void step(struct cpu *c, struct space *s)
{
	struct code k = {.c = c, .page = c->area};
	uint64_t began;
	uint32_t begin;

	do
		k.mode = below(c, REAL_MODE + 1);
	while (k.mode == REAL_MODE && c != state);
	set_mode(&k, &s->context);
	set_control(&k, &s->context, s);
	if (!below(c, 4))
		make_pages(c, s);
	make_tasks(s);
	make_descriptors(s);
	begin = make_code(&k);
	set_registers(&k, &s->context, begin);
	set_pmu(&k, &s->context);
	start_pmu(c);
	if (trace) {
		print("\n# mode ");
		print_hex(k.mode << 4 | k.level);
		print(" at ");
		print_hex(begin);
		print(" flags ");
		print_hex(s->context.frame_64[2]);
		print(" code");
		for (uint32_t n = begin; n < k.at; n++) {
			print(" .");
			print_hex(k.page[n]);
		}
		print(" :");
	}
	began = rdtsc();
	if (k.mode == REAL_MODE)
		run_real(&k, &s->context);
	else
		run_paged(&k, &s->context);
	note_data(c);
	note(c, rdtsc() - began);
	calm();
}

static volatile uint32_t done;
static uint32_t seed, count, traced;

static void run(uint32_t number)
{
	struct cpu *c = &state[number];
	struct space *s = &space[number];

	c->chance = (seed + 1000003 * number) * 0x9E3779B9 + 1;
	c->trail = 0x811C9DC5;
	c->area = (uint8_t *)(number ? OTHERS + number * 0x100000 : CODE);
	__asm__("" : "+r"(c->area));
	make_space(c, s);
	load_descriptors(s);
	__asm__ volatile("mov %0, %%cr4" : : "r"(0x600));
	for (uint32_t i = 1; i <= count; i++) {
		trace = !number && traced && i >= traced;
		step(c, s);
		if (number || (i % REPORT && i != count))
			continue;
		print("# ");
		print_number(i);
		print(" steps: ");
		print_hex(c->trail);
		print("\n");
	}
}

// The firmware may take some cycles more with the PMU. From here on the time-stamp counter is the same.
#define TIME_BEGINS	100000000u
static void align_time(void)
{
	uint32_t instructions = TIME_BEGINS - (uint32_t)rdtsc();

	__asm__ volatile("1: loop 1b" : "+c"(instructions));
}

static void begin_apic(void)
{
	if (x2apic)
		wrmsr(MSR_APIC_BASE, rdmsr(MSR_APIC_BASE) | 0xC00);
	apic_write(APIC_SPURIOUS, 0x1FF);
}

void cpu_main(void)
{
	const uint32_t number = *apic(0x20) >> 24;

	__asm__ volatile("lidt (%0)" : : "r"(START + 0x100));
	begin_apic();
	run(number);
	__asm__ volatile("lock incl %0" : "+m"(done));
	for (;;)
		__asm__ volatile("cli; hlt");
}

static uint32_t number(const char **text)
{
	uint32_t value = 0;

	for (; **text >= '0' && **text <= '9'; ++*text)
		value = value * 10 + (uint32_t)(**text - '0');
	while (**text == ' ')
		++*text;
	return value;
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	const char *words = second_word(information);
	uint32_t cpus;

	(void)magic;
	seed = number(&words);
	count = number(&words);
	cpus = number(&words);
	traced = number(&words);
	wild = has_word(information, "wild");
	start_interrupts();
	make_gates();
	if (cpus > 1)
		start_others();
	x2apic = has_word(information, "x2apic");
	begin_apic();
	align_time();
	run(0);
	while (done + 1 < cpus)
		relax();
	is("goes on to the end", true, true);
	finish();
}
