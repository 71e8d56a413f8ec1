// SPDX-License-Identifier: BSD-2-Clause
// The architectural PMU by the letter of the manual: its description in CPUID, its registers and
// their writable bits, RDPMC in every mode, and instructions that retire once, whatever they do.
// SDM volume 2A, CPUID; volume 2B, RDMSR, RDPMC, WRMSR; volume 3B, "Architectural Performance
// Monitoring"; volume 4, Tables 2-2 and 2-15.

#include "level3.h"
#include "pmu.h"

#define IA32_MISC_ENABLE	0x1A0
#define IA32_PERF_CAPABILITIES	0x345
#define IA32_A_PMC0		0x4C1
#define MSR_OFFCORE_RSP_0	0x1A6
#define MSR_UNCORE_PMC0		0x3B0
#define MSR_UNCORE_PERFEVTSEL0	0x3C0
#define MSR_PERF_METRICS	0x329
#define MSR_LASTBRANCH_FROM	0x680
#define MSR_LASTBRANCH_TO	0x6C0

#define MISC_MONITORING	(1u << 7)	/* performance monitoring available */
#define MISC_NO_BTS	(1u << 11)
#define MISC_NO_PEBS	(1u << 12)

#define VECTOR_COUNTED	0x41		/* its handler: 2 instructions */

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

void guest_interrupt(struct frame *frame)
{
	if (frame->vector == VECTOR_BACK)
		leave_level_3();
	if (!take_exception(frame))
		fail_on(frame);
}

static void set_handler(unsigned vector, const char *to, unsigned level)
{
	idt[vector] = ((uint32_t)to & 0xFFFFu) | 0x08u << 16 |
		      (uint64_t)(0x8E00u | level << 13 | ((uint32_t)to & 0xFFFF0000u)) << 32;
}

//
// Description
//

// Leaf 1: family 6, model 1AH, stepping 5; ECX: PDCM (15), 64-bit debug store (2), no qualified
// debug store (4); EDX: debug store (21). Leaf 80000001H ECX: no AMD PMU features (23, 24, 28).
static void check_identification(void)
{
	uint32_t r[4];

	cpuid(10, 0, r);
	is("leaf 0AH ECX is reserved", r[2], 0);
	is("and EDX but for the fixed counters", r[3], 3 | 48 << 5);
	cpuid(10, 1, r);
	is("it has no second part", r[0], 0x07300403);
	cpuid(1, 0, r);
	is("leaf 1 EAX", r[0], 0x000106A5);
	is("ECX: 64-bit debug store, not qualified by level, PDCM",
	   r[2] & (1u << 15 | 1u << 4 | 1u << 2), 1u << 15 | 1u << 2);
	is("EDX: debug store", r[3] >> 21 & 1, 1);
	cpuid(0x80000001, 0, r);
	is("leaf 80000001H ECX: no other PMU", r[2] & (1u << 23 | 1u << 24 | 1u << 28), 0);
	is("IA32_MISC_ENABLE: monitoring is available, precise records too, branch traces are not",
	   rdmsr(IA32_MISC_ENABLE) & (MISC_MONITORING | MISC_NO_BTS | MISC_NO_PEBS),
	   MISC_MONITORING | MISC_NO_BTS);
	wrmsr(IA32_MISC_ENABLE, rdmsr(IA32_MISC_ENABLE) & ~(uint64_t)MISC_MONITORING);
	is("which a write does not change",
	   rdmsr(IA32_MISC_ENABLE) & (MISC_MONITORING | MISC_NO_BTS | MISC_NO_PEBS),
	   MISC_MONITORING | MISC_NO_BTS);
	// LBR format 3; trap-like records, after the instruction (6); all registers (7); format 1
	// (8); freezing in SMM (12); no full-width writes of counters (13).
	is("IA32_PERF_CAPABILITIES", rdmsr(IA32_PERF_CAPABILITIES), 0x11C3);
	is("it is read-only", wrmsr_faults(IA32_PERF_CAPABILITIES, 0x11C3), true);
}

// The hypervisor leaves from which a guest reads which events this machine raises: palmon-qemu(1).
// An event is its code in bits 15:0, its unit mask in 23:16, and bit 31 for the PMU that the cores
// share.
static uint32_t raised(uint32_t event)
{
	uint32_t r[4];

	cpuid(0x40005002, event, r);
	return r[0];
}

static void check_leaves(void)
{
	uint32_t r[4];

	cpuid(0x40005000, 0, r);
	is("hypervisor leaves end with 40005002H", r[0], 0x40005002);
	is("their signature: palm", r[1], 'p' | 'a' << 8 | 'l' << 16 | 'm' << 24);
	is("onpl", r[2], 'o' | 'n' << 8 | 'p' << 16 | 'l' << 24);
	is("ugin", r[3], 'u' | 'g' << 8 | 'i' << 16 | 'n' << 24);
	cpuid(0x40005001, 0, r);
	is("version 1", r[0], 1);
	is("the unit clock, without options", r[1] | r[2], 0);
	is("INST_RETIRED is raised when the architecture says so", raised(0xC0), 3);
	is("L1D.REPL by a model of the cache", raised(0x51 | 1 << 16), 1);
	is("UOPS_ISSUED.ANY never", raised(0x0E | 1 << 16), 0);
	is("UNC_LLC_MISS.READ, of the uncore, by a model", raised(0x09 | 1 << 16 | 1u << 31), 1);
	is("which the core does not raise", raised(0x09 | 1 << 16), 0);
}

//
// Registers
//

static bool is_absent(uint32_t msr)
{
	return rdmsr_faults(msr) && wrmsr_faults(msr, 0);
}

static void check_absent(void)
{
	is("no fifth general counter", is_absent(IA32_PMC0 + 4), true);
	is("nor its select", is_absent(IA32_PERFEVTSEL0 + 4), true);
	is("no eighth", is_absent(IA32_PMC0 + 7) && is_absent(IA32_PERFEVTSEL0 + 7), true);
	is("no fourth fixed counter", is_absent(IA32_FIXED_CTR0 + 3), true);
	is("no counter can be written whole", is_absent(IA32_A_PMC0), true);
	is("not the last one", is_absent(IA32_A_PMC0 + 3), true);
	is("no metrics", is_absent(MSR_PERF_METRICS), true);
	is("no seventeenth branch record, from", is_absent(MSR_LASTBRANCH_FROM + 16), true);
	is("nor to", is_absent(MSR_LASTBRANCH_TO + 16), true);
	is("none where processors before have them", is_absent(0x40) && is_absent(0x60), true);
	is("no second offcore response", is_absent(MSR_OFFCORE_RSP_0 + 1), true);
	is("no ninth counter of the package's PMU", is_absent(MSR_UNCORE_PMC0 + 8), true);
	is("nor its select", is_absent(MSR_UNCORE_PERFEVTSEL0 + 8), true);
}

// All writable bits can be set at once; each reserved bit faults alone.
static void check_bits(const char *name, uint32_t msr, uint64_t held)
{
	uint64_t faulting = 0;

	wrmsr(msr, held);
	is(name, rdmsr(msr), held);
	for (unsigned bit = 0; bit < 64; bit++)
		if (!(held >> bit & 1) && wrmsr_faults(msr, 1ULL << bit))
			faulting |= 1ULL << bit;
	is("all other bits fault", faulting, ~held);
	is("and change nothing", rdmsr(msr), held);
	wrmsr(msr, 0);
}

static void check_registers(void)
{
	uint64_t faulting = 0;

	reset_pmu();
	check_bits("global control holds 7 bits", IA32_PERF_GLOBAL_CTRL, ALL);
	check_bits("fixed control: levels, any thread, PMI of three counters", IA32_FIXED_CTR_CTRL,
		   0xFFF);
	check_bits("fixed counters hold 48", IA32_FIXED_CTR0 + 2, MASK_48);
	for (unsigned bit = 0; bit < 64; bit++)
		if (wrmsr_faults(IA32_PERF_GLOBAL_OVF_CTRL, 1ULL << bit))
			faulting |= 1ULL << bit;
	is("overflow control takes the counters' bits and 61 to 63", faulting, ~(ALL | 7ULL << 61));
	wrmsr(IA32_PMC0, 0x5555555580000001);
	is("a general counter's bit 31 is extended to 48, and EDX ignored", rdmsr(IA32_PMC0),
	   0xFFFF80000001);
	wrmsr(IA32_PMC0, 0xFFFFFFFF7FFFFFFF);
	is("also if it is 0", rdmsr(IA32_PMC0), 0x7FFFFFFF);
}

// FREEZE_PERFMON_ON_PMI clears global control, FREEZE_LBRS_ON_PMI clears IA32_DEBUGCTL.LBR; status
// stays.
static void check_freeze(void)
{
	reset_pmu();
	*apic(APIC_LVTPC) = 0x10000;
	wrmsr(IA32_DEBUGCTL, 1 << 12 | 1 << 11 | 1);
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | CONTROL_PMI);
	wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - 10);
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
	__asm__ volatile(NOPS(100));
	is("an overflow that freezes clears global control", rdmsr(IA32_PERF_GLOBAL_CTRL), 0);
	is("and LBR of IA32_DEBUGCTL", rdmsr(IA32_DEBUGCTL), 1 << 12 | 1 << 11);
	is("and has status, though the interrupt is masked", rdmsr(IA32_PERF_GLOBAL_STATUS),
	   FIXED0);
	wrmsr(IA32_DEBUGCTL, 0);
}

//
// Modes
//

extern char real_start[], real_end[], back_from_virtual[], fault_in_virtual[];
static volatile uint32_t saved_esp __attribute__((used)), virtual_faults;
static volatile uint64_t long_rax, long_rdx;

// At 7000H: RDPMC in real mode, called from 32-bit code. At 7100H: in virtual-8086 mode.
__asm__(".section .rodata\n"
	"real_start:\n"
	"pusha\n"
	"mov %esp, 0x7E00\n"
	"ljmp $0x38, $0x7000 + (1f - real_start)\n"
	".code16\n"
	"1: mov $0x40, %ax\n mov %ax, %ds\n mov %ax, %ss\n"
	"mov %cr0, %eax\n and $0xFE, %al\n mov %eax, %cr0\n"
	"ljmp $0, $0x7000 + (2f - real_start)\n"
	"2: xor %ax, %ax\n mov %ax, %ds\n mov %ax, %ss\n"
	"mov $0x40000001, %ecx\n"
	"rdpmc\n"
	"mov %eax, 0x7E10\n"
	"mov %edx, 0x7E14\n"
	"mov %cr0, %eax\n or $1, %al\n mov %eax, %cr0\n"
	"ljmpl $0x08, $0x7000 + (3f - real_start)\n"
	".code32\n"
	"3: mov $0x10, %eax\n mov %eax, %ds\n mov %eax, %es\n mov %eax, %ss\n"
	"mov 0x7E00, %esp\n"
	"popa\n"
	"ret\n"
	".org real_start + 0x100\n"
	".code16\n"
	"rdpmc\n"
	"int $0x80\n"
	".code32\n"
	"real_end:\n"
	".text\n"
	"fault_in_virtual:\n"
	"mov $0x10, %ecx\n mov %ecx, %ds\n mov %ecx, %es\n"
	"incl virtual_faults\n"
	"back_from_virtual:\n"
	"mov $0x10, %ecx\n mov %ecx, %ds\n mov %ecx, %es\n"
	"mov saved_esp, %esp\n"
	"popa\n"
	"ret\n"
	// Sets EFLAGS.VM and IOPL 3; ECX is RDPMC's.
	"go_virtual:\n"
	"pusha\n"
	"mov %esp, saved_esp\n"
	"xor %eax, %eax\n"
	"push %eax\n push %eax\n push %eax\n push %eax\n push %eax\n push $0x7800\n"
	"push $0x23002\n push %eax\n push $0x7100\n"
	"iret\n");

static void set_pce(bool on)
{
	__asm__ volatile("mov %0, %%cr4" : : "r"(on ? 0x100 : 0));
}

static uint32_t faults_in_virtual_mode(uint32_t index)
{
	virtual_faults = 0;
	__asm__ volatile("call go_virtual" : : "c"(index) : "memory", "cc");
	return virtual_faults;
}

static void check_real_and_virtual_mode(void)
{
	volatile uint8_t *low = 0;
	const uint64_t general_protection = idt[13];

	__asm__("" : "+r"(low));		// address 0 is valid
	for (const char *from = real_start; from < real_end; from++)
		low[0x7000 + (from - real_start)] = (uint8_t)*from;
	wrmsr(IA32_FIXED_CTR1, 0x123456789ABC);
	__asm__ volatile("call *%0" : : "r"(0x7000) : "eax", "ecx", "edx", "memory");
	is("RDPMC in real mode", *(volatile uint64_t *)(low + 0x7E10), 0x123456789ABC);
	set_handler(13, fault_in_virtual, 0);
	set_handler(VECTOR_BACK, back_from_virtual, 3);
	is("in virtual-8086 mode without CR4.PCE it faults", faults_in_virtual_mode(0), 1);
	set_pce(true);
	is("with it, it does not", faults_in_virtual_mode(0), 0);
	is("but for a counter that does not exist", faults_in_virtual_mode(4), 1);
	set_pce(false);
	set_gate(VECTOR_BACK, 3);
	idt[13] = general_protection;
}

static uint64_t level4[512] __attribute__((aligned(4096))),
	level3[512] __attribute__((aligned(4096)));
static uint64_t level2[4][512] __attribute__((aligned(4096)));

// The upper halves of RAX, RCX and RDX, which RDPMC and the MSR instructions ignore, are all ones.
static void check_long_mode(void)
{
	level4[0] = (uint32_t)level3 | 3;
	for (uint32_t i = 0; i < 4; i++)
		level3[i] = (uint32_t)level2[i] | 3;
	for (uint64_t i = 0; i < 2048; i++)
		level2[i / 512][i % 512] = i << 21 | 0x83;
	wrmsr(0xC0000080, 0x100);	// LME
	__asm__ volatile("mov %0, %%cr4; mov %1, %%cr3; mov %%cr0, %%eax; or $0x80000000, %%eax; "
			 "mov %%eax, %%cr0\n"
			 "ljmp $0x30, $1f\n"
			 ".code64\n"
			 "1: mov $-1, %%rax\n mov %%rax, %%rdx\n mov $0xFFFFFFFF40000001, %%rcx\n"
			 "rdpmc\n"
			 "mov $long_rax, %%ebx\n mov %%rax, (%%rbx)\n"
			 "mov $long_rdx, %%ebx\n mov %%rdx, (%%rbx)\n"
			 "push $0x08\n mov $2f, %%eax\n push %%rax\n lretq\n"
			 ".code32\n"
			 "2: mov %%cr0, %%eax; and $0x7FFFFFFF, %%eax; mov %%eax, %%cr0"
			 : : "r"(0x20), "r"(level4) : "eax", "ebx", "ecx", "edx", "memory");
	wrmsr(0xC0000080, 0);
	set_pce(false);
	is("RDPMC in 64-bit code: RAX", long_rax, 0x56789ABC);
	is("RDX", long_rdx, 0x1234);
}

//
// Instructions that retire once
//

extern char counted_handler[], skip_division[], skip_bound[], skip_protection[], map_page[],
	counted_trap[];
static volatile uint8_t from[4096], to[4096];
static uint32_t directory[1024] __attribute__((aligned(4096)));
static const uint32_t bounds[2] __attribute__((used)) = {1, 2};

#define PAGE_TO_MAP	0x10000000u

// Handlers of 2, 2, 2, 3, 4 and 1 instructions. Those that skip an instruction skip 2 bytes.
__asm__(".text\n"
	"counted_handler:\n"
	"movl $0, 0xFEE000B0\n"
	"iret\n"
	"skip_division:\n"
	"addl $2, (%esp)\n"
	"iret\n"
	"skip_bound:\n"
	"addl $6, (%esp)\n"
	"iret\n"
	"skip_protection:\n"
	"addl $2, 4(%esp)\n"
	"add $4, %esp\n"
	"iret\n"
	"map_page:\n"
	"movl $0x10000083, directory + 0x40 * 4\n"
	"invlpg 0x10000000\n"
	"add $4, %esp\n"
	"iret\n"
	"counted_trap:\n"
	"iret\n");

static uint64_t counted(void)
{
	const uint64_t count = rdmsr(IA32_FIXED_CTR0);

	wrmsr(IA32_FIXED_CTR0, 0);
	return count;
}

// A repeated string is one instruction.
static void check_repeats(void)
{
	for (unsigned i = 0; i < sizeof from; i++)
		from[i] = (uint8_t)(i + 1);
	MEASURE(FIXED0 | 1, "mov $from, %%esi\n mov $to, %%edi\n mov $200, %%ecx\n rep movsb\n");
	is("REP MOVSB of 200 bytes", counted(), 3 + 1 + BEHIND);
	is("which are moved", to[199], 200);
	MEASURE(FIXED0 | 1, "mov $to, %%edi\n mov $1000, %%ecx\n rep stosl\n");
	is("REP STOSL", counted(), 2 + 1 + BEHIND);
	MEASURE(FIXED0 | 1,
		"mov $from, %%edi\n mov $1000, %%ecx\n mov $100, %%eax\n repne scasb\n");
	is("REPNE SCASB, which ends before its count", counted(),
	   3 + 1 + BEHIND);
	MEASURE(FIXED0 | 1, "mov $to, %%edi\n xor %%ecx, %%ecx\n rep stosb\n");
	is("one whose count is 0", counted(), 3 + BEHIND);
	MEASURE(FIXED0 | 1, "mov $to, %%edi\n mov $1, %%ecx\n rep stosb\n");
	is("and 1", counted(), 2 + 1 + BEHIND);
}

// QEMU executes a store twice if it writes to the block of code that contains it.
static void check_own_code(void)
{
	wrmsr(IA32_PERFEVTSEL0 + 2, STORES | SELECT_OS | SELECT_EN);
	wrmsr(IA32_PMC0 + 2, 0);
	MEASURE(FIXED0 | 5,
		"mov $10, %%ecx\n 1: movb $0x90, 2f\n nop\n 2: nop\n dec %%ecx\n jnz 1b\n");
	is("stores into the code around them retire once", counted(), 1 + 5 * 10 + BEHIND);
	is("and store once", rdmsr(IA32_PMC0 + 2), 10);
	wrmsr(IA32_PERFEVTSEL0 + 2, 0);
	MEASURE(FIXED0 | 1,
		"mov $10, %%ecx\n 1: movb $0x90, 2f\n nop\n 2: nop\n dec %%ecx\n jnz 1b\n");
	is("also if nothing else counts", counted(), 1 + 5 * 10 + BEHIND);
}

static void check_exceptions(void)
{
	set_handler(0, skip_division, 0);
	set_handler(3, counted_trap, 0);
	set_handler(4, counted_trap, 0);
	set_handler(5, skip_bound, 0);
	set_handler(13, skip_protection, 0);
	MEASURE(FIXED0 | 1, "xor %%ebx, %%ebx\n div %%ebx\n nop\n");
	is("a division that faults does not retire", counted(), 2 + 2 + BEHIND);
	MEASURE(FIXED0 | 1, "mov $5, %%ebx\n bound %%ebx, bounds\n nop\n");
	is("nor does BOUND", counted(), 2 + 2 + BEHIND);
	MEASURE(FIXED0 | 1, "mov $0x1238, %%ebx\n mov %%ebx, %%fs\n nop\n");
	is("nor does a MOV to FS of no selector", counted(), 2 + 3 + BEHIND);
	MEASURE(FIXED0 | 1, "nop\n int3\n nop\n");
	is("INT3 does, and IRET", counted(), 3 + 1 + BEHIND);
	MEASURE(FIXED0 | 1, "mov $0x7FFFFFFF, %%ebx\n inc %%ebx\n into\n nop\n");
	is("INTO", counted(), 4 + 1 + BEHIND);
	MEASURE(FIXED0 | 1, "xor %%ebx, %%ebx\n into\n nop\n");
	is("also if it does nothing", counted(), 3 + BEHIND);
	MEASURE(FIXED0 | 1, "int $0x41\n");
	is("INT n", counted(), 1 + 2 + BEHIND);
	MEASURE(FIXED0 | 1, "movl $0x44041, 0xFEE00300\n sti\n hlt\n cli\n");
	is("HLT that an interrupt in STI's shadow ends", counted(), 4 + 2 + BEHIND);
}

static void check_page_faults(void)
{
	for (uint32_t i = 0; i < 1024; i++)
		directory[i] = i << 22 | 0x83;
	set_handler(14, map_page, 0);
	__asm__ volatile("mov %0, %%cr4; mov %1, %%cr3; mov %%cr0, %%eax; or $0x80000000, %%eax; "
			 "mov %%eax, %%cr0"
			 : : "r"(0x10), "r"(directory) : "eax", "memory");
	directory[PAGE_TO_MAP >> 22] = 0;
	__asm__ volatile("invlpg 0x10000000" ::: "memory");
	MEASURE(FIXED0 | 1, "nop\n mov 0x10000000, %%ebx\n nop\n");
	is("a page fault: its instruction retires once, when it is tried again", counted(),
	   3 + 4 + BEHIND);
	directory[PAGE_TO_MAP >> 22] = 0;
	__asm__ volatile("invlpg 0x10000000" ::: "memory");
	MEASURE(FIXED0 | 1, "mov $0x0FFFFF00, %%edi\n mov $0x200, %%ecx\n rep stosb\n");
	is("a page fault in the midst of REP STOSB", counted(), 2 + 1 + 4 + BEHIND);
	__asm__ volatile("mov %%cr0, %%eax; and $0x7FFFFFFF, %%eax; mov %%eax, %%cr0" ::: "eax",
			 "memory");
	set_pce(false);
}

extern char at_level_0s_gate[];

__asm__(".text\n"
	"at_level_0s_gate:\n"
	"int $0x42\n"
	"int $0x80\n");

// The error code is right while a counter counts.
static void check_error_code(void)
{
	reset_pmu();
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | CONTROL_USR);
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
	exceptions = 0;
	expected_length = 2;
	at_level_3(at_level_0s_gate, 0, FLAGS_OFF);
	expected_length = 0;
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	is("INT n that level 3 must not: #GP", exceptions << 8 | last_vector, 1 << 8 | 13);
	is("its error code is the gate's", last_error, 0x42 << 3 | 2);
}

// Reference cycles are ticks of the time-stamp counter, whatever clock drives it. The count of a
// loop is at least the difference of the inner readings of the time-stamp counter, and at most that
// of the outer ones.
static void check_reference_cycles(void)
{
	uint64_t outer, inner, cycles;
	uint32_t n = 1000000;

	reset_pmu();
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS << 8);
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED2);
	outer = rdtsc();
	cycles = rdpmc(0x40000002);
	inner = rdtsc();
	__asm__ volatile("1: dec %0\n jnz 1b" : "+r"(n) : : "cc");
	inner = rdtsc() - inner;
	cycles = rdpmc(0x40000002) - cycles;
	outer = rdtsc() - outer;
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	is("reference cycles are at least as many as the time-stamp counter's ticks",
	   cycles >= inner, true);
	is("and at most as many", cycles <= outer, true);
}

static void check_retirement(bool selects_branches)
{
	reset_pmu();
	if (selects_branches)
		wrmsr(IA32_PERFEVTSEL0, BRANCHES | SELECT_OS | SELECT_EN);
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS);
	set_handler(VECTOR_COUNTED, counted_handler, 0);
	check_repeats();
	check_own_code();
	check_exceptions();
	check_page_faults();
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	(void)magic;
	(void)information;
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	check_identification();
	check_leaves();
	check_absent();
	check_registers();
	check_freeze();
	check_real_and_virtual_mode();
	check_long_mode();
	check_error_code();
	check_reference_cycles();
	check_retirement(false);
	check_retirement(true);
	finish();
}
