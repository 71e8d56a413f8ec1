// SPDX-License-Identifier: BSD-2-Clause
// Executes random kernel actions from a seed: privileged instructions, registers, ports, interrupt
// controllers, page tables, the PMU. The command line is "seed, count of steps" (decimal); with a
// third word, a second CPU counts and samples at the same time. Every 256 steps the guest prints a
// checksum of all results that must be the same on the bare machine; other results only must not
// stop the guest. Omitted are actions that end the run there (resets, sleep, shutdowns), and
// actions at which QEMU hangs (reserved bits of CR4).

#include "cpus.h"
#include "pmu.h"

#define VECTOR_PMI	0x51
#define VECTOR_TIMER	0x61
#define WINDOW		0x40000000u	/* maps a page of any physical address */
#define SPARE		0x4000000u	/* 64 MiB of memory that nothing else uses */
#define SPARE_SIZE	0x4000000u
#define MONITOR		0x1C000000u
#define MONITOR_SIZE	0x3E00000u
#define REPORT		256
#define LENGTH(a)	(sizeof(a) / sizeof *(a))

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

//
// Random numbers, and a checksum of the results
//

static uint32_t chance, trail = 0x811C9DC5;

static uint32_t any(void)
{
	chance ^= chance << 13;
	chance ^= chance >> 17;
	chance ^= chance << 5;
	return chance;
}

static uint32_t below(uint32_t limit)
{
	return any() % limit;
}

// Few bits, many bits, or any value.
static uint32_t any_value(void)
{
	switch (below(4)) {
	case 0:
		return 1u << below(32);
	case 1:
		return ~(1u << below(32));
	case 2:
		return below(256);
	}
	return any();
}

static void note(uint32_t value)
{
	trail = (trail ^ value) * 0x01000193;
}

//
// Exceptions and interrupts
//

// Address at which execution continues after an exception of the tested instruction. 0: none is
// tested.
static volatile uint32_t recover, raised, interrupts;

static void take_overflow(void)
{
	wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, rdmsr(IA32_PERF_GLOBAL_STATUS));
	if (interrupts % 2)
		wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	*apic(APIC_LVTPC) = interrupts % 3 ? VECTOR_PMI : 0x400;
}

void guest_interrupt(struct frame *frame)
{
	if (frame->vector == 1) {
		__asm__ volatile("mov %0, %%dr6\n mov %0, %%dr7" : : "r"(0));
		frame->eflags = (frame->eflags & ~0x100u) | 0x10000;
	} else if (frame->vector == 2 || frame->vector == VECTOR_PMI) {
		interrupts++;
		take_overflow();
		if (frame->vector == VECTOR_PMI)
			*apic(APIC_EOI) = 0;
	} else if (frame->vector >= 32) {
		interrupts++;
		*apic(APIC_EOI) = 0;
		outb(0x20, 0x20);
		outb(0xA0, 0x20);
	} else if (recover) {
		raised = frame->vector << 16 | (frame->error & 0xFFFF);
		frame->eip = recover;
	} else {
		fail_on(frame);
	}
}

// Returns the instruction's exception (vector and error code), or 0.
#define TRY(instruction, outputs, ...)								\
	({											\
		raised = 0;									\
		__asm__ volatile("movl $9f, recover\n" instruction "\n9: movl $0, recover"	\
				 : outputs : __VA_ARGS__ : "memory", "cc");			\
		raised;										\
	})
#define NEXT ,	/* a comma in a macro's argument */

//
// Instructions
//

#define PRIVILEGED(I)							\
	I(clts, "clts") I(wbinvd, "wbinvd") I(invd, "invd") I(ud2, "ud2") I(rsm, "rsm")		\
	I(vmrun, ".byte 0x0F, 0x01, 0xD8") I(vmmcall, ".byte 0x0F, 0x01, 0xD9")			\
	I(vmload, ".byte 0x0F, 0x01, 0xDA") I(vmsave, ".byte 0x0F, 0x01, 0xDB")			\
	I(stgi, ".byte 0x0F, 0x01, 0xDC") I(clgi, ".byte 0x0F, 0x01, 0xDD")			\
	I(skinit, ".byte 0x0F, 0x01, 0xDE") I(invlpga, ".byte 0x0F, 0x01, 0xDF")		\
	I(vmcall, ".byte 0x0F, 0x01, 0xC1") I(vmxoff, ".byte 0x0F, 0x01, 0xC4")			\
	I(xsetbv, ".byte 0x0F, 0x01, 0xD1") I(int3, "int3") I(int32, "int $0x31")		\
	I(divide, "xor %%ecx, %%ecx\n div %%ecx") I(aam, ".byte 0xD4, 0x00") I(nmi, "int $2")	\
	I(shadow, "mov %%ss, %%eax\n mov %%eax, %%ss\n ud2") I(sti, "sti\n ud2") I(pause, "pause")

#define FUNCTION(name, text)									\
	static uint32_t try_##name(void)							\
	{											\
		uint32_t eax = 0, ecx = 0, edx = 0;						\
												\
		return TRY(text, "+a"(eax) NEXT "+c"(ecx) NEXT "+d"(edx), "b"(0));		\
	}
PRIVILEGED(FUNCTION)
#define ROW(name, text) try_##name,
static uint32_t (*const privileged[])(void) = {PRIVILEGED(ROW)};

static void step_privileged(void)
{
	note(privileged[below(LENGTH(privileged))]());
	__asm__ volatile("cli");
}

static void step_selectors(void)
{
	const uint32_t selector = below(0x60);
	uint32_t value = 0;

	note(TRY("mov %w1, %%fs", "=m"(value), "r"(selector)));
	note(TRY("mov %w1, %%gs", "=m"(value), "r"(selector)));
	note(TRY("lldt %w1", "=m"(value), "r"(below(2) ? 0 : selector | 4)));
	__asm__ volatile("xor %0, %0\n lar %1, %0" : "=&r"(value) : "r"(selector) : "cc");
	note(value);
	__asm__ volatile("xor %0, %0\n lsl %1, %0" : "=&r"(value) : "r"(selector) : "cc");
	note(value);
	__asm__ volatile("mov %w0, %%fs\n mov %w0, %%gs" : : "r"(0x10));
}

/* MP, TS, ET, NE, WP, AM, CD; NW alone is refused by processors, not by QEMU */
#define CR0_FREE	0x4005003Au
#define CR4_FREE	0x000006CFu	/* without PAE, PSE, and bits that this processor lacks */

static void step_control(void)
{
	uint32_t value = 0, cr0, cr4;

	__asm__ volatile("mov %%cr0, %0\n mov %%cr4, %1" : "=r"(cr0), "=r"(cr4));
	note(TRY("mov %1, %%cr0", "=m"(value), "r"(cr0 ^ (any_value() & CR0_FREE))));
	note(TRY("mov %1, %%cr4", "=m"(value), "r"(cr4 ^ (any_value() & CR4_FREE))));
	__asm__ volatile("mov %%cr0, %0" : "=r"(value));
	note(value);
	note(TRY("mov %1, %%cr2", "=m"(value), "r"(any_value())));
	__asm__ volatile("mov %%cr2, %0" : "=r"(value));
	note(value);
	note(TRY("mov %%cr3, %0\n mov %0, %%cr3", "=&r"(value), "m"(cr0)));
	note(TRY("lmsw %w1", "=m"(value), "r"((any_value() & 0xA) | 1)));
	__asm__ volatile("clts\n smsw %0" : "=r"(value));
	note(value);
}

static void step_debug(void)
{
	uint32_t value = 0, address = any_value();

	TRY("mov %1, %%dr0", "=m"(value), "r"(address));
	TRY("mov %1, %%dr3", "=m"(value), "r"((uint32_t)&interrupts));
	TRY("mov %1, %%dr7", "=m"(value), "r"(any_value()));
	interrupts++;
	TRY("mov %%dr7, %0", "=&r"(value), "m"(address));
	TRY("mov %1, %%dr7", "=m"(value), "r"(0));
	TRY("pushf\n orl $0x100, (%%esp)\n popf\n nop\n nop", "=m"(value), "m"(address));
}

//
// Registers
//

static void step_register(void)
{
	static const uint32_t kept[] = {
		0x174, 0x175, 0x176, 0x277, 0x200, 0x201, 0x202, 0x250, 0x2FF, 0xC0000081,
		0xC0000082, 0xC0000084, 0xC0000102,
	};
	static const uint32_t groups[] = {0, 0, 0x400, 0x40000000, 0xC0000080, 0xC0010000,
					  0xC0010100};
	uint32_t msr = kept[below(LENGTH(kept))], low = any_value(), high = any_value() & 0xFF;

	if (below(2)) {
		note(TRY("wrmsr", "+a"(low) NEXT "+d"(high), "c"(msr)));
		low = high = 0;
		note(TRY("rdmsr", "+a"(low) NEXT "+d"(high), "c"(msr)));
		note(low);
		note(high);
		return;
	}
	msr = groups[below(LENGTH(groups))] + below(0x400);
	TRY("rdmsr", "+a"(low) NEXT "+d"(high), "c"(msr));
	if (msr == 0xC0000080)
		low &= 0x801;		// stay on the same machine, and out of long mode
	if (msr == 0x1B)
		low = 0xFEE00100 | (below(2) ? 0x800 : 0), high = 0;
	if (msr != 0x10 || below(4))
		TRY("wrmsr", "+a"(low) NEXT "+d"(high), "c"(msr));
	if (msr == 0x1B)
		wrmsr(0x1B, 0xFEE00900);
}

static void step_identify(void)
{
	static const uint32_t same[] = {0x80000002, 0x80000003, 0x80000004, 0x80000005, 0x80000006};
	uint32_t r[4];

	cpuid(any_value(), below(4), r);
	cpuid(same[below(LENGTH(same))], 0, r);
	note(r[0] ^ r[1] ^ r[2] ^ r[3]);
}

//
// The PMU
//

// The PMU writes its records where the guest says; the bare machine has no PMU and writes none. The
// records must therefore not overwrite the guest's own code, data and tables. The description of
// their buffer (DS) is on a page that nothing else writes.
static uint64_t description[512] __attribute__((aligned(4096)));
static uint64_t area[2 * 512] __attribute__((aligned(4096)));	/* the second page: records that
								 * begin in the first */

// In a page of the guest's own, or outside of it, for example from `others` on.
static uint64_t any_place(const void *own, uint64_t others)
{
	const uint64_t outside[] = {MONITOR + below(MONITOR_SIZE), 0x100000000ull << below(30),
				    others + any_value()};
	const uint32_t which = below(6);

	return which < LENGTH(outside) ? outside[which] : (uint32_t)own + (below(4096) & ~7u);
}

static uint32_t any_select(void)
{
	static const uint32_t events[] = {
		INSTRUCTIONS, CYCLES, BRANCHES, 0x00C5, 0x010B, 0x020B, 0x100B, 0x0151, 0x01B7,
	};

	return (below(8) ? events[below(LENGTH(events))] : below(0x10000)) |
	       (below(0x80) << 16 & ~0x80000u) |
	       (below(2) ? SELECT_EN : 0) | (below(4) ? 0 : any() & 0xFF800000);
}

static uint64_t before_overflow(void)
{
	return (MASK_48 + 1 - below(below(2) ? 50 : 3000)) & MASK_48;
}

static void try_wrmsr(uint32_t msr, uint64_t value)
{
	uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);

	TRY("wrmsr", "+a"(low) NEXT "+d"(high), "c"(msr));
}

static void try_rdmsr(uint32_t msr)
{
	uint32_t low, high;

	TRY("rdmsr", "=a"(low) NEXT "=d"(high), "c"(msr));
}

static void any_pmu_write(void)
{
	const uint32_t i = below(4);

	switch (below(11)) {
	case 0 ... 2:
		try_wrmsr(IA32_PERFEVTSEL0 + i, any_select());
		break;
	case 3:
		try_wrmsr(IA32_PMC0 + i, (uint32_t)before_overflow());
		break;
	case 4:
		try_wrmsr(IA32_FIXED_CTR0 + i, before_overflow());
		break;
	case 5:
		try_wrmsr(IA32_FIXED_CTR_CTRL, any() & (below(8) ? 0xBBB : 0xFFFF));
		break;
	case 6:
		try_wrmsr(IA32_DEBUGCTL, any() & (below(8) ? 0x1801 : 0x7FFF));
		break;
	case 7:
		try_wrmsr(0x3F1, below(2) ? below(16) : (uint64_t)below(16) << 32 | below(16));
		break;
	case 8:
		try_wrmsr(0x600, any_place(description, 0xC0000000));
		break;
	case 9:
		*apic(APIC_LVTPC) = below(3) ? VECTOR_PMI : below(2) ? 0x400 : 0x10000 | VECTOR_PMI;
		break;
	case 10:
		try_wrmsr(0x1A0 + below(0x50), any_value());
		break;
	}
}

static void work(void)
{
	static volatile uint32_t words[1024];

	for (uint32_t i = below(400); i; i--)
		words[i * 33 % 1024] += i & 1 ? words[i] : 1;
	__asm__ volatile("sti\n nop\n nop\n cli");
}

static void step_pmu(void)
{
	for (uint32_t i = 0; i < 8; i++)
		description[i] = any_place(area, SPARE);
	for (uint32_t i = 1 + below(6); i; i--)
		any_pmu_write();
	try_wrmsr(IA32_PERF_GLOBAL_CTRL, below(8) ? ALL & ((uint64_t)any() << 32 | any()) : any());
	work();
	for (uint32_t i = below(3); i; i--) {
		uint32_t low, high;

		TRY("rdpmc", "=a"(low) NEXT "=d"(high),
		    "c"(below(2) ? below(6) : 0x40000000 | below(4)));
		try_rdmsr(0x38D + below(4));
		try_rdmsr(0x1C8 + below(2));
		try_rdmsr(0x680 + below(0x60));
		any_pmu_write();
		note(privileged[below(LENGTH(privileged))]());
		__asm__ volatile("cli");
	}
	if (below(4))
		try_wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
}

//
// Devices
//

// Ports at which the machine ends or sleeps; the console's ports; the configuration's DMA ports,
// which have their own step.
static bool is_left_out(uint16_t port)
{
	return (port >= 0xF1 && port <= 0xF7) || port - 0x60u <= 4 ||
	       (port >= 0x8F && port <= 0x92) ||
	       port - 0xB0u <= 3 || port - 0x3F5u <= 10 || port - 0x50Du <= 15 ||
	       port - 0x600u <= 0x200 ||
	       port - 0xAE00u <= 0x200 || port - 0xCF5u <= 10 || port - 0x510u <= 0x10;
}

#define ACCESS(n, instruction)								\
	case n:										\
		__asm__ volatile(instruction : "+a"(value) : "d"(port));		\
		break;

static void step_port(void)
{
	static const uint16_t known[] = {0x20, 0x21, 0x40, 0x42, 0x43, 0x61, 0x70, 0x71, 0x80, 0xA1,
					 0x1F0, 0x4D0};
	const uint16_t port = (uint16_t)(below(2) ? known[below(LENGTH(known))] : below(0x10000));
	uint32_t value = any_value();

	if (is_left_out(port))
		return;
	switch (below(6)) {
	ACCESS(0, "inb %w1, %b0")
	ACCESS(1, "inw %w1, %w0")
	ACCESS(2, "inl %w1, %0")
	ACCESS(3, "outb %b0, %w1")
	ACCESS(4, "outw %w0, %w1")
	ACCESS(5, "outl %0, %w1")
	}
	// The first controller may be in the middle of its initialization: initialize it
	// completely, so that the next write is its mask.
	outb(0x20, 0x11);
	outb(0x21, 0x70);
	outb(0x21, 4);
	outb(0x21, 1);
	outb(0x21, 0xFF);
	outb(0xA1, 0xFF);
}

// Reads the debug-exit port, in all widths, and the ports around it.
static void step_exit_port(void)
{
	const uint16_t port = (uint16_t)(0xF1 + below(7));
	uint32_t value = 0;

	__asm__ volatile("inl %w1, %0" : "+a"(value) : "d"(port));
	__asm__ volatile("inw %w1, %w0" : "+a"(value) : "d"(port));
	note(value);
}

static void step_configuration(void)
{
	static volatile uint32_t descriptor[4] __attribute__((aligned(16)));
	const uint64_t to = below(2) ? (uint32_t)area : MONITOR + below(MONITOR_SIZE);

	descriptor[0] = __builtin_bswap32(below(32) << 16 | 8 | (below(2) ? 2 : 4));
	descriptor[1] = __builtin_bswap32(below(4096));
	descriptor[2] = 0;
	descriptor[3] = __builtin_bswap32((uint32_t)to);
	__asm__ volatile("outl %0, %w1" : : "a"(0), "d"(0x514));
	__asm__ volatile("outl %0, %w1" : : "a"(__builtin_bswap32((uint32_t)descriptor)),
			 "d"(0x518) : "memory");
}

// Without INIT, startup and SMI, which end the run.
static uint32_t any_entry(void)
{
	const uint32_t mode = below(3) ? 0 : below(2) ? 1 : 4;

	return (any() & 0x1F000) | mode << 8 | (0x70 + below(0x80));
}

static void step_apic(void)
{
	static const uint16_t entries[] = {0x320, 0x330, 0x340, 0x350, 0x360, 0x370};
	static const uint16_t others[] = {0x20, 0x80, 0xD0, 0xE0, 0xF0, 0x280, 0x380, 0x3E0, 0x000,
					  0x3F0};

	switch (below(4)) {
	case 0:
		*apic(entries[below(LENGTH(entries))]) = any_entry();
		break;
	case 1:
		*apic(others[1 + below(LENGTH(others) - 3)] & ~0xFu) = any_value();
		break;
	case 2:
		*apic(APIC_COMMAND) = (any_entry() & ~0x700u) | (below(3) ? 0 : 0x400) | 0x40000;
		break;
	case 3:
		note(*apic(0x30));
		break;
	}
	__asm__ volatile("sti\n nop\n nop\n cli");
	*apic(APIC_SPURIOUS) = 0x1FF;
	*apic(0x80) = 0;
}

// Masks entries again: at the highest rate that the bare machine endures, the 8254 leaves a guest
// no time if each instruction is an exit.
static void step_io_apic(void)
{
	volatile uint32_t *select = (volatile uint32_t *)0xFEC00000,
		*window = (volatile uint32_t *)0xFEC00010;
	const uint32_t number = below(0x40);

	*select = number;
	note(*window & (number < 0x10 ? 0xFF : 0));
	if (number >= 0x10 && number % 2 == 0) {
		*window = any_entry();
		__asm__ volatile("sti\n nop\n nop\n cli");
		*window = 0x10000;
	}
	*(volatile uint8_t *)select = (uint8_t)below(0x10);
	*(volatile uint16_t *)((uint32_t)window + below(0x30)) = (uint16_t)any();
}

// On any processor, an NMI between STI and HLT allows the timer's interrupt before HLT. Here no NMI
// arrives.
static void step_halt(void)
{
	*apic(APIC_LVTPC) = VECTOR_PMI;
	wrmsr(0x1B, 0xFEE00900);
	*apic(APIC_SPURIOUS) = 0x1FF;
	*apic(0x80) = 0;
	*apic(APIC_TIMER_DIVIDE) = 0xB;
	*apic(APIC_TIMER) = VECTOR_TIMER;
	*apic(APIC_TIMER_START) = 1000 + below(5000);
	__asm__ volatile("sti\n hlt\n cli");
}

//
// Pages
//

static uint64_t pointers[4] __attribute__((aligned(32)));
static uint64_t low[512] __attribute__((aligned(4096))), high[512] __attribute__((aligned(4096))),
	window[512] __attribute__((aligned(4096))), table[512] __attribute__((aligned(4096)));

static void start_paging(void)
{
	for (uint32_t i = 0; i < 512; i++) {
		low[i] = (i * 0x200000ull) | 0x83;
		high[i] = (0xC0000000ull + i * 0x200000ull) | 0x83;
	}
	pointers[0] = (uint32_t)low | 1;
	pointers[1] = (uint32_t)window | 1;
	pointers[3] = (uint32_t)high | 1;
	__asm__ volatile("mov %%cr4, %%eax\n or $0x20, %%eax\n mov %%eax, %%cr4\n mov %0, %%cr3\n"
			 "mov %%cr0, %%eax\n or $0x80000000, %%eax\n mov %%eax, %%cr0"
			 : : "r"(pointers) : "eax", "memory");
}

static uint64_t any_address(bool *mine)
{
	*mine = false;
	switch (below(5)) {
	case 0:
		return MONITOR + (below(MONITOR_SIZE) & ~0xFFFu);
	case 1:
		return ((uint64_t)any() << 32 | (any() & ~0xFFFu)) & 0xFFFFFFF000;
	case 2:
		return 0xFFFC0000 + (below(0x40000) & ~0xFFFu);
	}
	*mine = true;
	return SPARE + (below(SPARE_SIZE) & ~0xFFFu);
}

static void step_page(void)
{
	bool mine;
	const uint64_t address = any_address(&mine);
	const uint32_t flags = below(2) ? 3 : below(0x20), offset = below(0x1000) & ~3u,
		value = any();
	volatile uint32_t *at = (volatile uint32_t *)(WINDOW + offset);
	uint32_t found = 0;

	table[0] = address | flags;
	window[0] = (uint32_t)table | (below(8) ? 3 : any() & 0x63);
	__asm__ volatile("invlpg (%0)" : : "r"(WINDOW) : "memory");
	if (below(4)) {
		const uint32_t fault = TRY("movl %1, %0", "=m"(*at), "r"(value));

		if (mine)
			note(fault);
	}
	if (TRY("movl %1, %0", "=&r"(found), "m"(*at)))
		found = 0;
	if (mine)
		note(found);
}

//
// Steps
//

// The second CPU's.
void cpu_main(void)
{
	begin_cpu();
	for (uint32_t period = 100;; period = period % 5000 + 7) {
		*apic(APIC_LVTPC) = period % 2 ? VECTOR_PMI : 0x400;
		wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | CONTROL_PMI);
		wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - period);
		wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
		for (volatile uint32_t i = 0; i < 500; i++)
			__asm__ volatile("sti\n nop\n cli");
		relax();
	}
}

static void (*const steps[])(void) = {
	step_privileged, step_selectors, step_control, step_debug, step_register, step_register,
	step_identify,
	step_pmu, step_pmu, step_pmu, step_pmu, step_port, step_port, step_exit_port,
	step_configuration, step_apic,
	step_apic, step_io_apic, step_halt, step_page, step_page, step_page,
};

void guest_main(uint32_t magic, const uint32_t *information)
{
	const char *words = second_word(information);
	const uint32_t seed = next_number(&words), count = next_number(&words);

	(void)magic;
	chance = seed * 0x9E3779B9 + 1;
	start_interrupts();
	start_paging();
	*apic(APIC_SPURIOUS) = 0x1FF;
	if (*words)
		start_others();
	for (uint32_t i = 1; i <= count; i++) {
		const uint32_t step = below(LENGTH(steps));

		steps[step]();
		if (i % REPORT == 0 || i == count) {
			print("# ");
			print_number(i);
			print(" steps: ");
			print_hex(trail);
			print("\n");
		}
	}
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	is("goes on to the end", true, true);
	finish();
}
