// SPDX-License-Identifier: BSD-2-Clause
// Instructions that fault do not retire, at whatever stage the fault is found; traps, and jumps to
// unmapped targets, retire (SDM volume 3A, "Exception Classifications"; volume 2 lists each
// instruction's exceptions). Each case executes LOOPS times at level 3 and at level 0; its handler
// continues after it. Instructions are counted at each level and at both: by counters of both
// levels alone, together with counters of one level, and together with branches. Then one case
// counts loads and stores. With the word "interruptions-count" on the command line, each interrupt
// and fault adds one to instructions, branches, loads and stores at the level where it came
// (pmu/nehalem/README.md, "What silicon counts").

#include "pmu.h"

#define LOOPS		4
#define LOOPS_TEXT	"4"
#define VECTOR_BACK	0x80
#define LEVEL_0		1
#define LEVEL_3		2
#define LEVELS		3

void guest_interrupt(struct frame *frame);
void guest_main(unsigned magic, const uint32_t *information);

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

struct fault {
	const char *code, *text;
	uint32_t levels, vector;
	uint32_t before;	// instructions before it
	uint32_t retires;	// 0: it faults; 1: it retires; 2: it retires and is a branch
};

extern const struct fault faults[], faults_end[];

// 1 + LOOPS * (1 + before + retires + 2) + 1 instructions; EBX is the address at which the handler
// continues.
#define FAULT(levels, vector, before, retires, text)						\
	".section .rodata\n .long 1f, 2f, " #levels ", " #vector ", " #before ", " #retires "\n" \
	".section .rodata.text\n 2: .asciz \"" text "\"\n .text\n"				\
	"1: mov $" LOOPS_TEXT ", %esi\n"							\
	"3: mov $9f, %ebx\n"									\
	text "\n"										\
	"9: dec %esi\n jnz 3b\n int $0x80\n"

__asm__(".section .rodata\n .balign 4\n faults:\n"
	// Undefined: because of the opcode, prefix, operand, CR4 or EFER.
	FAULT(3, 6, 0, 0, "ud2")
	FAULT(3, 6, 0, 0, "lock; nop")
	FAULT(3, 6, 0, 0, ".byte 0x8E, 0xC8")			// MOV to CS
	FAULT(3, 6, 0, 0, ".byte 0x8D, 0xC0")			// LEA of a register
	FAULT(3, 6, 0, 0, ".byte 0xC5, 0xC0")			// LDS
	FAULT(3, 6, 0, 0, ".byte 0x0F, 0xC7, 0xC8")		// CMPXCHG8B
	FAULT(3, 6, 0, 0, ".byte 0xFE, 0xF8")
	FAULT(1, 6, 0, 0, "mov %eax, %cr5")
	FAULT(3, 6, 0, 0, ".byte 0x0F, 0x01, 0xF8")	// SWAPGS, in 32-bit code
	FAULT(3, 6, 0, 0, "rsm")
	FAULT(3, 6, 0, 0, "syscall")
	FAULT(3, 6, 0, 0, "sysret")
	FAULT(3, 6, 0, 0, "movaps %xmm0, %xmm1")		// CR4.OSFXSR is clear
	FAULT(1, 6, 0, 0, "mov %db4, %eax")			// CR4.DE is set
	FAULT(1, 6, 0, 0, "mov %eax, %db5")
	FAULT(3, 6, 0, 0, "vmcall")
	FAULT(3, 6, 0, 0, "vmmcall")
	FAULT(1, 6, 1, 0, "xor %eax, %eax; vmrun")
	FAULT(1, 6, 0, 0, "clgi")
	FAULT(3, 6, 0, 0, "xgetbv")

	// No coprocessor: CR0.TS and MP are set.
	FAULT(3, 7, 0, 0, "fld1")
	FAULT(3, 7, 0, 0, "fwait")

	// Privileged.
	FAULT(2, 13, 0, 0, "cli")
	FAULT(2, 13, 0, 0, "sti")
	FAULT(2, 13, 0, 0, "hlt")
	FAULT(2, 13, 0, 0, "in $0x80, %al")
	FAULT(2, 13, 0, 0, "out %al, $0x80")
	FAULT(2, 13, 0, 0, "in %dx, %eax")
	FAULT(2, 13, 0, 0, "out %eax, %dx")
	FAULT(2, 13, 0, 0, "insb")
	FAULT(2, 13, 1, 0, "mov $3, %ecx; rep outsb")
	FAULT(2, 13, 0, 0, "lgdt 0")
	FAULT(2, 13, 0, 0, "lidt 0")
	FAULT(2, 13, 0, 0, "lldt %ax")
	FAULT(2, 13, 0, 0, "ltr %ax")
	FAULT(2, 13, 0, 0, "lmsw %ax")
	FAULT(2, 13, 0, 0, "clts")
	FAULT(2, 13, 0, 0, "invlpg 0")
	FAULT(2, 13, 0, 0, "mov %cr0, %eax")
	FAULT(2, 13, 0, 0, "mov %eax, %cr3")
	FAULT(2, 13, 0, 0, "mov %db0, %eax")
	FAULT(2, 13, 0, 0, "mov %eax, %db7")
	FAULT(2, 13, 0, 0, "rdmsr")
	FAULT(2, 13, 1, 0, "mov $0x38F, %ecx; wrmsr")
	FAULT(2, 13, 1, 0, "mov $0x174, %ecx; wrmsr")
	FAULT(2, 13, 1, 0, "xor %ecx, %ecx; rdpmc")
	FAULT(2, 13, 0, 0, "rdtsc")				// CR4.TSD is set
	FAULT(2, 13, 0, 0, "sysexit")
	FAULT(3, 13, 0, 0, "sysenter")				// IA32_SYSENTER_CS is 0

	// Also at level 0.
	FAULT(1, 13, 2, 0, "mov $0x38F, %ecx; mov $-1, %edx; wrmsr")
	FAULT(1, 13, 1, 0, "mov $99, %ecx; rdpmc")
	FAULT(3, 13, 0, 0, ".rept 15; ds; .endr; nop")		// longer than 15 bytes
	FAULT(3, 13, 0, 0, ".rept 11; ds; .endr; movl $1, %ds:(%eax)")

	// Segments.
	FAULT(3, 13, 1, 0, "mov $0x1238, %eax; mov %eax, %ds")
	FAULT(3, 13, 1, 0, "mov $0x1238, %eax; mov %eax, %ss")
	FAULT(3, 13, 1, 0, "xor %eax, %eax; mov %eax, %ss")
	FAULT(3, 13, 0, 0, "ljmp $0x1238, $0")
	FAULT(3, 13, 0, 0, "lcall $0x1238, $0")
	FAULT(3, 13, 2, 0, "push $0x1238; push $0; lret")
	FAULT(3, 13, 3, 0, "push $2; push $0x1238; push $0; iret")
	FAULT(2, 13, 1, 0, "mov $0x10, %eax; mov %eax, %ds")
	FAULT(3, 11, 1, 0, "mov $0x33, %eax; mov %eax, %ds")	// not present
	FAULT(1, 12, 1, 0, "mov $0x38, %eax; mov %eax, %ss")
	FAULT(2, 12, 1, 0, "mov $0x33, %eax; mov %eax, %ss")

	// Interrupts: gates of level 0, absent gates, vectors beyond the table.
	FAULT(2, 13, 0, 0, "int $0x41")
	FAULT(3, 13, 0, 0, "int $0x90")
	FAULT(3, 13, 0, 0, "int $0xFF")
	FAULT(3, 11, 0, 0, "int $0x91")				// its gate is not present
	FAULT(3, 3, 0, 2, "int3")
	FAULT(3, 3, 0, 2, "int $3")
	FAULT(3, 4, 2, 1, "mov $0x7F, %al; inc %al; into")

	// Arithmetics and memory.
	FAULT(3, 0, 1, 0, "xor %ecx, %ecx; div %ecx")
	FAULT(3, 0, 0, 0, ".byte 0xD4, 0x00")			// AAM
	FAULT(3, 5, 1, 0, "mov $99, %eax; bound %eax, bounds")
	FAULT(3, 14, 0, 0, "mov 0x40001000, %eax")
	FAULT(3, 14, 0, 0, "incl 0x40000FFE")
	FAULT(2, 14, 0, 0, "mov 0x40002000, %eax")		// a page of level 0
	FAULT(3, 14, 0, 0, "incl 0x40003000")			// read-only
	FAULT(3, 14, 1, 2, "mov $0x40001000, %eax; jmp *%eax")
	FAULT(3, 14, 1, 2, "mov $0x40000FFE, %eax; jmp *%eax")	// continues on the next page
	".section .rodata\n faults_end:\n bounds: .long 0, 9\n .text\n");

//
// Counts of one case at one level
//

volatile uint32_t taken[32], esp_back;
uint32_t stack_3[256];
void run(const struct fault *f, uint32_t select_code, uint32_t select_data);

#define HANDLER(vector, text)								\
	".balign 16\n incl %ss:taken + 4 * " #vector "\n" text "mov %ebx, (%esp)\n iret\n"
#define WITHOUT(vector)	HANDLER(vector, "")			/* an error code: 3 instructions */
#define WITH(vector)	HANDLER(vector, "add $4, %esp\n")	/* 4 */
#define HAS_ERROR(vector) (((vector) >= 10 && (vector) <= 14) || (vector) == 17)

extern char handlers[], back[];
__asm__(".text\n .balign 16\n handlers:\n"
	WITHOUT(0) WITHOUT(1) WITHOUT(2) WITHOUT(3) WITHOUT(4) WITHOUT(5) WITHOUT(6) WITHOUT(7)
	WITH(8) WITHOUT(9) WITH(10) WITH(11) WITH(12) WITH(13) WITH(14) WITHOUT(15) WITHOUT(
		16) WITH(17)

	// Counting begins after the first WRMSR and ends with the second one: at level 0, IRET and
	// four more.
	"run: pusha\n"
	"mov 36(%esp), %edi\n mov 40(%esp), %esi\n mov 44(%esp), %ebx\n"
	"mov %esp, esp_back\n"
	"push %ebx\n push $stack_3 + 1024\n push $0x002\n push %esi\n push (%edi)\n"
	"mov $0x38F, %ecx\n mov $0xF, %eax\n mov $1, %edx\n wrmsr\n"
	"iret\n"
	"back: mov $0x38F, %ecx\n xor %eax, %eax\n xor %edx, %edx\n wrmsr\n"
	"mov $0x10, %eax\n mov %eax, %ds\n mov %eax, %es\n mov %eax, %ss\n mov esp_back, %esp\n"
	"popa\n ret\n");
#define AROUND (1 + 4)

static bool interruptions_count;

// INT3 is a branch, not an interruption.
static uint32_t interruptions(const struct fault *f)
{
	return interruptions_count && f->vector != 3 ? LOOPS : 0;
}

enum { CLOCK, CLOCK_LEVELS, WITH_BRANCHES, WAYS };

static void prepare(unsigned way)
{
	reset_pmu();
	wrmsr(IA32_PERFEVTSEL0 + 2, INSTRUCTIONS | SELECT_USR | SELECT_OS | SELECT_EN);
	if (way != CLOCK) {
		wrmsr(IA32_PERFEVTSEL0, INSTRUCTIONS | SELECT_USR | SELECT_EN);
		wrmsr(IA32_PERFEVTSEL0 + 1, INSTRUCTIONS | SELECT_OS | SELECT_EN);
		wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_USR);
	}
	if (way == WITH_BRANCHES)
		wrmsr(IA32_PERFEVTSEL0 + 3, BRANCHES | SELECT_USR | SELECT_OS | SELECT_EN);
}

static unsigned wrong;

static void compare(const struct fault *f, const char *what, unsigned level, unsigned way,
		    uint64_t value, uint64_t expected)
{
	static const char *const ways[] = {"", " (with levels)", " (with branches)"};

	if (value == expected)
		return;
	wrong++;
	print("# ");
	print(f->text);
	print(level ? ", level 3" : ", level 0");
	print(ways[way]);
	print(": ");
	print(what);
	print(" ");
	print_hex(value);
	print(", not ");
	print_hex(expected);
	print("\n");
}

static void check(const struct fault *f, unsigned level, unsigned way)
{
	const uint32_t here = 1 + LOOPS * (1 + f->before + (f->retires != 0) + 2) + 1;
	const uint32_t handlers = LOOPS * (HAS_ERROR(f->vector) ? 4 : 3),
		there = here + interruptions(f);
	const uint32_t user = level ? there : 0, kernel = AROUND + handlers + (level ? 0 : there);

	for (unsigned i = 0; i < 32; i++)
		taken[i] = 0;
	prepare(way);
	run(f, level ? 0x1B : 0x08, level ? 0x23 : 0x10);
	compare(f, "exceptions", level, way, taken[f->vector], LOOPS);
	compare(f, "instructions", level, way, rdmsr(IA32_PMC0 + 2), user + kernel);
	if (way == CLOCK)
		return;
	compare(f, "level 3", level, way, rdmsr(IA32_PMC0), user);
	compare(f, "level 0", level, way, rdmsr(IA32_PMC0 + 1), kernel);
	compare(f, "fixed counter of level 3", level, way, rdmsr(IA32_FIXED_CTR0), user);
	// One or two IRET in each loop, JNZ, INT 80H.
	if (way == WITH_BRANCHES)
		compare(f, "branches", level, way, rdmsr(IA32_PMC0 + 3),
			1 + LOOPS * (2 + (f->retires == 2)) + 1 + interruptions(f));
}

// The first case, UD2. Loads: the handler's INCL and IRET, and the IRET before it. Stores: its INCL
// and MOV, and INT 80H.
static void check_memory(unsigned level)
{
	static const char *const names[][2] = {
		{"loads, level 0", "loads, level 3"}, {"stores, level 0", "stores, level 3"},
	};
	const uint32_t select = SELECT_USR | SELECT_OS | SELECT_EN,
		expected = 2 * LOOPS + 1 + interruptions(faults);

	reset_pmu();
	wrmsr(IA32_PERFEVTSEL0, LOADS | select);
	wrmsr(IA32_PERFEVTSEL0 + 1, STORES | select);
	run(faults, level ? 0x1B : 0x08, level ? 0x23 : 0x10);
	is(names[0][level], rdmsr(IA32_PMC0), expected);
	is(names[1][level], rdmsr(IA32_PMC0 + 1), expected);
}

//
// The processor
//

#define NOWHERE	0x40000000u

static uint64_t own_gdt[8] = {
	0, 0x00CF9B000000FFFF, 0x00CF93000000FFFF, 0x00CFFB000000FFFF, 0x00CFF3000000FFFF,
	0,			// 28: task
	0x00CF73000000FFFF,	// 30: not present
	0x00CF13000000FFFF,	// of level 0, not present
};
static uint32_t task[26];
static uint8_t stack_0[4096] __attribute__((aligned(16))),
	page[4096] __attribute__((aligned(4096)));
static uint32_t directory[1024] __attribute__((aligned(4096))),
	table[1024] __attribute__((aligned(4096)));

static void set_handlers(void)
{
	for (unsigned vector = 0; vector < 18; vector++)
		idt[vector] = (((uint32_t)handlers + vector * 16) & 0xFFFFu) | 0x08u << 16 |
			      (uint64_t)(0xEE00u |
					 (((uint32_t)handlers + vector * 16) & 0xFFFF0000u)) << 32;
	idt[VECTOR_BACK] = ((uint32_t)back & 0xFFFFu) | 0x08u << 16 |
			   (uint64_t)(0xEE00u | ((uint32_t)back & 0xFFFF0000u)) << 32;
	idt[0x90] = 0;
	idt[0x91] = 0x00006E0000080000ull;
}

static void enter_paging(void)
{
	for (uint32_t i = 0; i < 1024; i++)
		directory[i] = i << 22 | 0x87;
	directory[NOWHERE >> 22] = (uint32_t)table | 7;
	page[0xFFE] = 0xB8;
	table[0] = (uint32_t)page | 7;
	table[2] = (uint32_t)page | 3;
	table[3] = (uint32_t)page | 5;
	// TSD, DE, PSE; PG, WP, NE, ET, TS, MP, PE.
	__asm__ volatile("mov %0, %%cr4; mov %1, %%cr3; mov %2, %%cr0; jmp 1f; 1:"
			 : : "r"(0x1C), "r"(directory), "r"(0x8001003B) : "memory");
}

static void load_tables(void)
{
	struct __attribute__((packed)) {
		uint16_t limit;
		uint32_t base;
	} gdt = {sizeof own_gdt - 1, (uint32_t)own_gdt}, short_idt = {0xFE * 8 - 1, (uint32_t)idt};
	const uint32_t base = (uint32_t)task;

	task[1] = (uint32_t)(stack_0 + sizeof stack_0);
	task[2] = 0x10;
	task[25] = sizeof task << 16;		// no ports
	own_gdt[5] = (sizeof task - 1) | (uint64_t)(base & 0xFFFFFFu) << 16 | 0x89ULL << 40 |
		     (uint64_t)(base >> 24) << 56;
	__asm__ volatile("lgdt %0; lidt %1; ltr %w2" : : "m"(gdt), "m"(short_idt),
			 "r"(0x28) : "memory");
}

void guest_main(unsigned magic, const uint32_t *information)
{
	static const char *const names[] = {
		"instructions that fault: counted at all levels", "at one level",
		"together with branches",
	};
	uint32_t count = 0;

	(void)magic;
	interruptions_count = has_word(information, "interruptions-count");
	start_interrupts();
	set_handlers();
	load_tables();
	enter_paging();
	for (unsigned way = CLOCK; way < WAYS; way++) {
		wrong = 0;
		for (const struct fault *f = faults; f < faults_end; f++)
			for (unsigned level = 0; level < 2; level++)
				if (f->levels >> level & 1) {
					check(f, level, way);
					count++;
				}
		is(names[way], wrong, 0);
	}
	check_memory(0);
	check_memory(1);
	print("# cases: ");
	print_number(count);
	print("\n");
	finish();
}
