// SPDX-License-Identifier: BSD-2-Clause
// Branches and instructions counted together, branch records, and overflow interrupts of both
// counters: the results are the same whether the plugin steps single instructions or adds up whole
// blocks. It steps while a counter with edge detection is enabled, which is how the tests choose.
// The expected numbers of instructions are in the text. SDM volume 3B, "Pre-defined Architectural
// Performance Events": branch instructions retired, taken or not.

#include "level3.h"
#include "pmu.h"

#define VECTOR_SHORT	0x41
#define LVT_NMI		0x400u
#define SELECT_EDGE	(1u << 18)
#define LBR_TOS		0x1C9
#define LBR_FROM	0x680
#define LBR_TO		0x6C0
#define LBRS		16

void guest_interrupt(struct frame *frame);
void guest_main(void);

extern char short_handler[], skip_handler[], code_block[], code_loop[], code_loop_start[],
code_loop_jump[],
	code_loop_end[], user_loop[], code_next[], next_call[], next_call_end[], next_jump[];
static volatile uint32_t steps, nmis, nmi_eip, nmi_esi;
volatile uint32_t short_taken, loop_count;

__asm__(".text\n"
	"short_handler: incl short_taken\n movl $0, 0xFEE000B0\n iret\n"
	"skip_handler: addl $2, (%esp)\n incl short_taken\n iret\n"
	"code_block:" NOPS(20) "ret\n"
	"code_loop: mov $100, %esi\n"
	"code_loop_start: nop\n dec %esi\n"
	"code_loop_jump: jnz code_loop_start\n"
	"code_loop_end: ret\n"
	"code_next: call next_call\n next_call: pop %eax\n"
	"next_call_end: jmp next_jump\n next_jump: xor %eax, %eax\n"
	"jz 1f\n 1: jnz 1f\n 1: mov $2, %ecx\n loop 1f\n 1: loop 1f\n 1: .byte 0xE3, 0\n ret\n"
	"user_loop: mov $50, %ecx\n 1: nop\n loop 1b\n int $0x80\n");

void guest_interrupt(struct frame *frame)
{
	if (frame->vector == VECTOR_BACK)
		leave_level_3();
	if (frame->vector == 1) {
		steps++;
	} else if (frame->vector == 2) {
		wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
		nmis++;
		nmi_eip = frame->eip;
		nmi_esi = frame->esi;
	} else {
		fail_on(frame);
	}
}

static void prepare(bool stepped, uint32_t select)
{
	reset_pmu();
	wrmsr(IA32_PERFEVTSEL0, BRANCHES | select | SELECT_EN);
	wrmsr(IA32_PERFEVTSEL0 + 1, INSTRUCTIONS | select | SELECT_EN);
	if (stepped)
		wrmsr(IA32_PERFEVTSEL0 + 3, CYCLES | SELECT_OS | SELECT_EDGE | SELECT_EN);
}

static uint64_t both(uint64_t branches, uint64_t instructions)
{
	return branches << 32 | instructions;
}

static uint64_t counted(void)
{
	return both(rdmsr(IA32_PMC0), rdmsr(IA32_PMC0 + 1));
}

// Executes the body twice, and once more with an edge counter. `branches` and `instructions` are
// the body's own counts; they may be expressions that use the body's results.
#define CHECK(name, body, branches, instructions)						\
	for (int way_ = 0; way_ < 3; way_++) {							\
		prepare(way_ == 2, SELECT_OS);							\
		MEASURE(3ULL, body);								\
		is(name, counted(), both(branches, (instructions) + BEHIND));			\
	}

static void check_loops(void)
{
	CHECK("a loop of one instruction", "mov $300, %%ecx\n 1: loop 1b", 300, 1 + 300);
	CHECK("of two", "mov $300, %%esi\n 1: dec %%esi\n jnz 1b", 300, 1 + 600);
	CHECK("of 70, more than are planned at a time",
	      "mov $10, %%esi\n 1:" NOPS(68) "dec %%esi\n jnz 1b", 10, 1 + 700);
	CHECK("nested",
	      "mov $20, %%esi\n 1: mov $10, %%edi\n 2: nop\n dec %%edi\n jnz 2b\n dec %%esi\n jnz "
	      "1b", 20 * 11, 1 + 20 * (1 + 30 + 2));
	// One instruction is skipped when ESI is even.
	CHECK("with a condition that changes",
	      "mov $40, %%esi\n 1: test $1, %%esi\n jz 2f\n inc %%edi\n"
	      "2: dec %%esi\n jnz 1b", 80, 1 + 40 * 4 + 20);
	CHECK("whose end is in its middle",
	      "mov $50, %%esi\n 1: dec %%esi\n jz 2f\n nop\n jmp 1b\n 2:",
	      50 + 49, 1 + 50 * 2 + 49 * 2);
	CHECK("six conditions in a row",
	      "mov $20, %%esi\n 1: xor %%edi, %%edi\n jnz 2f\n jc 2f\n js 2f\n jo 2f\n"
	      "jnp 2f\n jg 2f\n nop\n 2: dec %%esi\n jnz 1b", 20 * 7, 1 + 20 * 10);
}

static void check_calls(void)
{
	CHECK("calls and returns", "mov $20, %%esi\n 1: call 3f\n dec %%esi\n jnz 1b\n jmp 4f\n"
	      "3: nop\n call 5f\n ret\n 5: ret $0\n 4:", 20 * 5 + 1, 1 + 20 * 7 + 1);
	CHECK("jumps and calls through registers and memory",
	      "mov $10, %%esi\n 1: mov $2f, %%edi\n jmp *%%edi\n nop\n 2: push $3f\n jmp "
	      "*(%%esp)\n nop\n"
	      "3: pop %%edi\n mov $5f, %%edi\n call *%%edi\n dec %%esi\n jnz 1b\n jmp 6f\n 5: "
	      "ret\n 6:", 10 * 5 + 1, 1 + 10 * 10 + 1);
	// A return to an address other than the one after its call.
	CHECK("a return to another place", "call 1f\n nop\n 1: movl $2f, (%%esp)\n ret\n nop\n 2:",
	      2, 3);
}

// The first case writes a JMP over seven no-operations further on, and restores no-operations after
// them. The second case inverts a jump's displacement: over nothing, or over the no-operation.
static void check_writes(void)
{
	CHECK("code that changes later code",
	      "mov $1f, %%edi\n xor %%eax, %%eax\n movw $0x05EB, (%%edi)\n nop\n nop\n"
	      "1: nop\n nop\n nop\n nop\n nop\n nop\n nop\n 2: movw $0x9090, (%%edi)", 1,
	      5 + 1 + 1);
	CHECK("in a loop: every second time",
	      "mov $20, %%esi\n mov $1f + 1, %%edi\n 2: xorb $1, (%%edi)\n 1: jmp 3f\n 3: nop\n "
	      "dec %%esi\n jnz 2b", 40, 2 + 10 * 5 + 10 * 4);
	CHECK("data next to code",
	      "mov $20, %%esi\n 1: incl 2f\n dec %%esi\n jnz 1b\n jmp 3f\n 2: .long 0\n 3:",
	      21, 1 + 60 + 1);
	CHECK("on two pages, with an instruction across",
	      "mov $5, %%esi\n jmp 1f\n .balign 4096\n .skip 4096 - 7\n"
	      "1: nop\n nop\n nop\n nop\n nop\n mov $1, %%edi\n dec %%esi\n jnz 1b", 1 + 5,
	      2 + 5 * 8);
}

static void set_handler(unsigned vector, const char *handler)
{
	idt[vector] = ((uint32_t)handler & 0xFFFF) | 0x08u << 16 |
		      (uint64_t)(0x8E00 | ((uint32_t)handler & 0xFFFF0000u)) << 32;
}

// A faulting instruction has not executed. Its handler, which skips it, has three instructions and
// a branch.
static void check_exceptions(void)
{
	set_handler(0, skip_handler);
	set_handler(6, skip_handler);
	set_handler(7, skip_handler);
	short_taken = 0;
	CHECK("undefined, in the middle", NOPS(5) "ud2\n" NOPS(5) "jmp 1f\n 1:", 1 + 1, 11 + 3);
	CHECK("division by 0",
	      "xor %%esi, %%esi\n xor %%edx, %%edx\n" NOPS(5) "div %%esi\n" NOPS(5) "jmp 1f\n 1:",
	      1 + 1, 13 + 3);
	__asm__ volatile("mov %%cr0, %%eax; or $8, %%eax; mov %%eax, %%cr0" ::: "eax");
	CHECK("no coprocessor", NOPS(5) "fld1\n" NOPS(5) "jmp 1f\n 1:", 1 + 1, 11 + 3);
	__asm__ volatile("clts");
	is("all were taken", short_taken, 9);
	for (unsigned vector = 0; vector < 8; vector++)
		set_gate(vector, 0);
}

static void check_interrupts(void)
{
	CHECK("an interrupt in the middle",
	      "sti\n" NOPS(5) "movl $0x44041, 0xFEE00300\n" NOPS(5) "cli\n jmp 1f\n 1:",
	      1 + 1, 14 + 3);
	for (int stepped = 0; stepped < 2; stepped++) {
		loop_count = 20000;
		short_taken = 0;
		*apic(0x3E0) = 0xB;
		*apic(0x320) = 0x20000 | VECTOR_SHORT;
		*apic(0x380) = 15000;		// periodic
		prepare(stepped, SELECT_OS);
		MEASURE(3ULL,
			"mov loop_count, %%esi\n sti\n 1: lea 1(%%edi), %%edi\n nop\n dec %%esi\n "
			"jnz 1b\n cli");
		*apic(0x320) = 0x10000;
		is("timer interrupts in a loop", short_taken > 0, true);
		is("each is three instructions, one of them a branch", counted(),
		   both(loop_count + short_taken, 3 + 4 * loop_count + 3 * short_taken + BEHIND));
		__asm__ volatile("sti; nop; nop; cli" ::: "memory");
	}
}

// Counter 0 counts branches, counter 1 instructions. The NMI arrives after the n-th event, at which
// the counter overflows.
#define CHECK_OVERFLOW(name, counter, n, body, eip, esi)					\
	for (int way_ = 0; way_ < 3; way_++) {							\
		prepare(way_ == 2, SELECT_OS);							\
		nmis = 0;									\
		*apic(APIC_LVTPC) = LVT_NMI;							\
		wrmsr(IA32_PERFEVTSEL0 + (counter), rdmsr(IA32_PERFEVTSEL0 + (counter)) |	\
		      SELECT_INT);	\
		wrmsr(IA32_PMC0 + (counter), -(n));						\
		MEASURE(3ULL, "mov $0xFFFF, %%esi\n" body);					\
		is(name ": how often, ESI, EIP", both(nmis << 16 | nmi_esi, nmi_eip),		\
		   both(1 << 16 | (esi), (uint32_t)(eip)));					\
	}

// The body's first instruction is a MOV; CALL is the second instruction and the first branch.
static void check_overflows(void)
{
	CHECK_OVERFLOW("the fifth instruction, in a block", 1, 5, "call code_block\n",
		       code_block + 3, 0xFFFF);
	CHECK_OVERFLOW("the tenth branch, in a loop", 0, 10, "call code_loop\n", code_loop_start,
		       100 - 9);
	CHECK_OVERFLOW("the 101st, at its end", 0, 101, "call code_loop\n", code_loop_end, 0);
	CHECK_OVERFLOW("the 100th instruction, in a loop", 1, 3 + 32 * 3 + 1, "call code_loop\n",
		       code_loop_start + 1, 100 - 32);
	CHECK_OVERFLOW("the 102nd", 1, 3 + 33 * 3, "call code_loop\n", code_loop_start, 100 - 33);
}

//
// Branch records
//

struct records {
	uint32_t top;
	uint64_t from[LBRS], to[LBRS];
};

static void read_records(struct records *r)
{
	r->top = (uint32_t)rdmsr(LBR_TOS);
	for (uint32_t i = 0; i < LBRS; i++) {
		r->from[i] = rdmsr(LBR_FROM + i);
		r->to[i] = rdmsr(LBR_TO + i);
	}
}

#define RECORD(body)								\
	__asm__ volatile("mov $0x1D9, %%ecx\n mov $1, %%eax\n xor %%edx, %%edx\n wrmsr\n"	\
			 body							\
			 "\n mov $0x1D9, %%ecx\n xor %%eax, %%eax\n xor %%edx, %%edx\n wrmsr"	\
			 : : : "eax", "ebx", "ecx", "edx", "esi", "edi", "memory", "cc")

// 1 CALL, 99 iterations of the loop, and RET.
static void check_records(void)
{
	struct records r;

	for (int stepped = 0; stepped < 2; stepped++) {
		const uint32_t top = (uint32_t)rdmsr(LBR_TOS);
		uint32_t loops = 0;

		prepare(stepped, SELECT_OS);
		RECORD("call code_loop");
		read_records(&r);
		is("101 branches were recorded", r.top, (top + 101) % LBRS);
		is("the last one is the return", r.from[r.top], (uint32_t)code_loop_end);
		for (uint32_t i = 0; i < LBRS; i++)
			loops += r.from[i] == (uint32_t)code_loop_jump &&
				r.to[i] == (uint32_t)code_loop_start;
		is("the others are the loop's", loops, LBRS - 1);
	}
}

// Branches to the next instruction. The plugin cannot see whether a conditional branch to the next
// instruction is taken, and treats it as not taken.
static void check_records_of_next(void)
{
	const struct {
		const char *from, *to;
	} taken[] = {	// the newest first, after the return
		{next_call_end, next_jump}, {code_next, next_call},
	};
	struct records r;

	for (int stepped = 0; stepped < 2; stepped++) {
		uint32_t different = 0;

		prepare(stepped, SELECT_OS);
		RECORD("call code_next");
		read_records(&r);
		for (uint32_t i = 0; i < sizeof taken / sizeof *taken; i++) {
			const uint32_t n = (r.top - 1 - i) % LBRS;

			different += r.from[n] != (uint32_t)taken[i].from ||
				r.to[n] != (uint32_t)taken[i].to;
		}
		is("calls and jumps to the next instruction are recorded", different, 0);
	}
}

//
// Both ways
//

#define NUMBERS 60

uint32_t numbers[NUMBERS];
void work(void);

static __attribute__((noinline)) uint32_t fibonacci(uint32_t n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

// A sort, a recursion, and repeated string instructions.
__attribute__((noinline)) void work(void)
{
	uint32_t seed = 1, count = sizeof numbers / 4;
	void *from = numbers, *to = numbers + 1;

	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = seed = seed * 1103515245 + 12345;
	for (int gap = NUMBERS / 2; gap; gap /= 2)
		for (int i = gap; i < NUMBERS; i++)
			for (int j = i; j >= gap && numbers[j - gap] > numbers[j]; j -= gap) {
				const uint32_t other = numbers[j];

				numbers[j] = numbers[j - gap];
				numbers[j - gap] = other;
			}
	numbers[0] += fibonacci(9);
	count -= 20;
	__asm__ volatile("rep movsl" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
}

// Compares addresses without bit 63 of FROM (mispredicted), which depends on earlier branches.
static void check_both_ways(void)
{
	uint64_t counts[2];
	struct records records[2];
	uint32_t different = 0;

	for (int stepped = 0; stepped < 2; stepped++) {
		reset_pmu();
		while (rdmsr(LBR_TOS) % LBRS)
			RECORD("jmp 1f\n 1:");
		prepare(stepped, SELECT_OS);
		MEASURE(3ULL, "call work");
		counts[stepped] = counted();
		RECORD("call work");
		read_records(&records[stepped]);
	}
	is("a program has as many branches and instructions both ways", counts[0], counts[1]);
	is("they are some", counts[0] >> 32 > 1000, true);
	is("and the same branches are recorded: top", records[0].top, records[1].top);
	for (uint32_t i = 0; i < LBRS; i++)
		different += (uint32_t)records[0].from[i] != (uint32_t)records[1].from[i] ||
			records[0].to[i] != records[1].to[i];
	is("and records", different, 0);
}

static void check_steps(void)
{
	for (int stepped = 0; stepped < 2; stepped++) {
		steps = 0;
		prepare(stepped, SELECT_OS);
		MEASURE(3ULL,
			"pushf; orl $0x100, (%%esp); popf; nop; jmp 1f; 1: nop; pushf; andl "
			"$~0x100, (%%esp)\n"
			      "popf");
		is("TF steps from the instruction after POPF to the next POPF", steps, 6);
	}
}

static void check_level_3(void)
{
	for (int stepped = 0; stepped < 2; stepped++) {
		prepare(stepped, SELECT_USR);
		wrmsr(IA32_PERF_GLOBAL_CTRL, 3);
		at_level_3(user_loop, 0, FLAGS_OFF);
		wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
		is("at level 3, INT n is a branch", counted(), both(50 + 1, 1 + 100 + 1));
	}
}

void guest_main(void)
{
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	set_handler(VECTOR_SHORT, short_handler);
	check_loops();
	check_calls();
	check_writes();
	check_exceptions();
	check_interrupts();
	check_overflows();
	check_records();
	check_records_of_next();
	check_both_ways();
	check_steps();
	check_level_3();
	finish();
}
