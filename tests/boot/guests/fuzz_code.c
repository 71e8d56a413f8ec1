// SPDX-License-Identifier: BSD-2-Clause
// Executes random code from a seed. For each step this kernel fills a page with plausible and
// random instructions, sets up the PMU at random, and enters the code in one of these modes, with
// random registers:
//
//     long mode              64-bit, 32-bit and 16-bit code, each at levels 0 and 3
//     legacy protected mode  32-bit and 16-bit code at level 3; virtual-8086 mode
//     real mode              the first CPU only, and not if PMIs may be NMIs (`wild`), because on
//                            the path to real mode they have no handler
//
// Any exception or interrupt ends the step. A local APIC timer whose interrupt is an NMI ends code
// that raises none: processors ignore the delivery mode of that entry, QEMU does not. The code has
// its own stack and page tables; of this kernel they map only the return path.
//
//     controller (32-bit, no paging) --- enter ---> code
//            ^                                       | exception, interrupt, NMI
//            +----------- leave <--- common_64, common_32, real_common
//
// The command line is "seed, count of steps, count of CPUs" (decimal). If another number follows,
// it is the first step whose results are all printed, to find a difference. Then words:
//     wild     the code and this kernel read the PMU and write random values to it. Without this
//              word all results of the code must be the same with the PMU as without it; each 256
//              steps the first CPU prints a checksum of its results
//     x2apic   the local APIC is in x2APIC mode
//
// Omitted, because they end the run or break the return path: ports, and at level 0 LGDT, LIDT,
// LTR, LMSW, and MOV of random values to CR0, CR3 and CR4. Code in real mode writes anything below
// 10FFF0H: this kernel must be above that (AT of `build`).

#include "cpus.h"
#include "fuzz_code.h"
#include "pmu.h"

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

#define REPORT		256
#define KNC_GLOBAL_CTRL	0x2F

#define MSR_APIC_BASE	0x1B
#define MSR_EFER	0xC0000080
#define EFER_SCE	(1u << 0)
#define EFER_LME	(1u << 8)
#define EFER_NXE	(1u << 11)

#define FLAG_TF		(1u << 8)
#define FLAG_IF		(1u << 9)
#define FLAG_VM		(1u << 17)

bool wild, x2apic, trace;
static bool knc;			// the processor is Knights Corner
static struct cpu state[MOST];

//
// The path into the code, and back
//

#define NMI_STACK	0x800
#define LEGACY_STACK	0xC00

// The code's registers at its end, as common_64 and common_32 push them. Real mode has fewer.
struct found_64 {
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rbx, rdx, rcx, rax, vector,
	error, rip, cs,
		rflags, rsp, ss;
};
struct found_32 {
	uint32_t edi, esi, ebp, esp, ebx, edx, ecx, eax, vector, error, eip, cs, eflags, user_esp,
		user_ss;
};

void enter(struct context *context);
void enter_real(struct context *context);
extern char way_start[], way_end[], stubs_64[], stubs_32[], real_start[], real_end[], real_stubs[],
	real_values[];
// Values of the block in real mode.
struct real_values {
	uint32_t registers[8];		// EAX ECX EDX EBX ESP EBP ESI EDI
	uint16_t ip, flags;
	uint32_t found[8];
	uint16_t vector, found_ip, found_cs, found_flags;
};
struct context *context_real;		// of the current step in real mode

extern uint64_t idt_of_guest[256] __attribute__((alias("idt")));

//
// Tables
//

static struct space {
	uint64_t level_4[512], level_3[512], level_2[512], level_2_apic[512], level_1[512];
	uint64_t level_3_legacy[512];	// four entries are used
	struct context context;
	uint64_t gdt[512];
	uint32_t task_64[32], task_32[32];
	uint8_t rest[PAGE - 256];
} space[4] __attribute__((aligned(4096)));

static struct __attribute__((aligned(4096))) {
	uint64_t idt_64[512], idt_32[256], rest[256];
} gates;

enum {
	CODE_32 = 0x08, FLAT = 0x10, CODE_32_USER = 0x1B, FLAT_USER = 0x23, TASK_32 = 0x28,
	CODE_64 = 0x30,
	CODE_64_USER = 0x3B, CODE_16 = 0x40, DATA_16 = 0x48, STACK_16 = 0x50, CODE_16_USER = 0x5B,
	DATA_16_USER = 0x63, STACK_16_USER = 0x6B, TASK_64 = 0x70, REAL_16 = 0x80,
};

static uint64_t segment(uint32_t base, uint32_t access)
{
	return 0xFFFF | (uint64_t)(base & 0xFFFFFF) << 16 | (uint64_t)access << 40 |
	       (uint64_t)(base >> 24) << 56;
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

// LTR sets their busy bit.
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
		const uint32_t to_64 = (uint32_t)stubs_64 + n * 16,
			to_32 = (uint32_t)stubs_32 + n * 16;
		const uint32_t level = n == 3 || n == 4 || n >= 0x80 ? 3 : 0;
		const uint64_t access = 0x8E00u | level << 13;

		gates.idt_64[2 * n] = (to_64 & 0xFFFF) | CODE_64 << 16 |
				      (access | (n == 2 ? 2 : 1) | (to_64 & 0xFFFF0000ull)) << 32;
		gates.idt_32[n] = (to_32 & 0xFFFF) | CODE_32 << 16 |
			(access | (to_32 & 0xFFFF0000ull)) << 32;
	}
}

static void map(struct space *s, const void *from, const void *to)
{
	for (uint32_t page = (uint32_t)from; page < (uint32_t)to; page += PAGE)
		s->level_1[page / PAGE] = page | P | RW;
}

// Some of the code's pages are read-only, not executable, or not present.
static uint64_t any_page(struct cpu *c, uint32_t physical)
{
	static const uint64_t flags[] = {P | US, P | RW, 0, P | RW | US | NX, P | RW | US | 0x18,
					 P | RW | US | 0x100};

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

// Found by its descriptor table: the code may change its local APIC's identity.
static uint32_t own_number(void)
{
	struct __attribute__((packed)) {
		uint16_t limit;
		uint32_t base;
	} pointer;

	__asm__ volatile("sgdt %0" : "=m"(pointer));
	return pointer.base < (uint32_t)space ? 0 :
	       (pointer.base - (uint32_t)space) / sizeof *space;
}

void guest_interrupt(struct frame *frame)
{
	struct cpu *c = &state[own_number()];

	if (frame->vector == 2 || frame->vector >= 32) {
		if (frame->vector != 2)
			apic_write(APIC_EOI, 0);
	} else if (c->recover) {
		frame->eip = c->recover;
	} else {
		fail_on(frame);
	}
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
	uint32_t flags = 2 | (any(k->c) & 0x8D5);	// arithmetic flags

	flags |= below(k->c, 2) ? FLAG_IF : 0;
	flags |= below(k->c, 8) ? 0 : FLAG_TF;
	if (!below(k->c, 4))
		flags |= any(k->c) & 0x247400;		// ID, AC, NT, IOPL, DF; not RF
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
	// TSD DE PGE PCE OSFXSR OSXMMEXCPT
	x->cr4 = 0x20 | (below(k->c, 4) ? 0x600 : any(k->c) & 0x78C);
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
	const uint32_t stack = (k->bits == 16 ? 0 : STACK) + (below(k->c, 4) ? 0xF00 :
							      below(k->c, 2 * PAGE));

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
	static const uint32_t entries[] = {VECTOR_PMI, 0x400, VECTOR_PMI, 0x10051, 0x400, 0x200,
					   0x500, 0x700, 0x0F};
	const uint64_t enable = below(k->c, 8) ? ALL : 0;

	x->lvtpc = wild ? entries[below(k->c, LENGTH(entries))] : 0x10000 | VECTOR_PMI;
	x->timer = 300 + below(k->c, 3000);
	x->enable_msr = knc ? KNC_GLOBAL_CTRL : IA32_PERF_GLOBAL_CTRL;
	x->enable[0] = knc ? (uint32_t)enable & 3 : (uint32_t)enable;
	x->enable[1] = knc ? 0 : (uint32_t)(enable >> 32);
	x->x2apic = x2apic;
}

// Mask of the flags to compare. After these exceptions they are ignored: random code may form an
// omitted instruction, such as a SETcc that faults (allowed() in fuzz_emit.c).
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
	note(k->c, (uint64_t)v->vector << 48 | (uint64_t)v->found_ip << 32 | v->found_cs << 16 |
	     v->found_flags);
}

static void run_paged(struct code *k, struct context *x)
{
	struct found_64 *f;
	struct found_32 *legacy;

	enter(x);
	if (x->legacy) {
		legacy = (struct found_32 *)x->found;
		legacy->esp = 0;	// it belongs to the return path
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

// Ends interrupts in service, and takes pending ones.
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
	while (k.mode == REAL_MODE && (c != state || wild));
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
	c->pages = s->level_1;
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

// The firmware may take some cycles more with the PMU. From here on the time-stamp counter is the
// same.
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

void guest_main(uint32_t magic, const uint32_t *information)
{
	const char *words = second_word(information);
	uint32_t cpus, r[4];

	(void)magic;
	seed = next_number(&words);
	count = next_number(&words);
	cpus = next_number(&words);
	traced = next_number(&words);
	wild = has_word(information, "wild");
	start_interrupts();
	make_gates();
	if (cpus > 1)
		start_others();
	cpuid(1, 0, r);
	knc = (r[0] >> 8 & 0xF) == 0xB;
	x2apic = has_word(information, "x2apic");
	begin_apic();
	align_time();
	run(0);
	while (done + 1 < cpus)
		relax();
	is("goes on to the end", true, true);
	finish();
}
