// SPDX-License-Identifier: BSD-2-Clause
// Accesses to the PMU in a virtual machine that the guest runs. An access that its hypervisor
// intercepts exits before it has any effect; another one is executed and counts as one instruction.
// AMD64 Architecture Programmer's Manual volume 2, appendix B (the VMCB) and C (exit codes): QEMU
// emulates SVM.

#include "pmu.h"

#define EFER		0xC0000080
#define EFER_SVME	(1u << 12)
#define VM_HSAVE_PA	0xC0010117

enum { EXIT_RDTSC = 0x6E, EXIT_RDPMC = 0x6F, EXIT_CPUID = 0x72, EXIT_MSR = 0x7C,
      EXIT_VMMCALL = 0x81 };
enum { TRAP_RDTSC = 1u << 14, TRAP_RDPMC = 1u << 15, TRAP_CPUID = 1u << 18, TRAP_MSR = 1u << 28 };
enum { TRAP_VMRUN = 1u << 0, TRAP_VMMCALL = 1u << 1 };

static uint8_t vmcb[4096] __attribute__((aligned(4096)));
static uint8_t host_state[4096] __attribute__((aligned(4096)));
static uint8_t msr_permissions[8192] __attribute__((aligned(4096)));
static uint8_t stack[4096] __attribute__((aligned(16)));

void guest_interrupt(struct frame *frame);
void guest_main(void);

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

static uint32_t *word(uint32_t at)
{
	return (uint32_t *)(vmcb + at);
}

static void set_segment(uint32_t at, uint16_t selector, uint16_t attributes)
{
	*word(at) = selector | (uint32_t)attributes << 16;
	*word(at + 4) = UINT32_MAX;
}

#define READ(reg) ({ uint32_t r_; __asm__ volatile("mov %%" reg ", %0" : "=r"(r_)); r_; })

// Runs the virtual machine from there until it exits.
__attribute__((noipa)) static void run(const char *from, uint32_t traps)
{
	for (uint32_t i = 0; i < sizeof vmcb; i++)
		vmcb[i] = 0;
	*word(0x0C) = traps;
	*word(0x10) = TRAP_VMRUN | TRAP_VMMCALL;
	*word(0x48) = (uint32_t)msr_permissions;
	*word(0x58) = 1;			// address space
	set_segment(0x400, (uint16_t)READ("ds"), 0xC93);
	set_segment(0x410, (uint16_t)READ("cs"), 0xC9B);
	set_segment(0x420, (uint16_t)READ("ss"), 0xC93);
	set_segment(0x430, (uint16_t)READ("ds"), 0xC93);
	*word(0x4D0) = (uint32_t)rdmsr(EFER);
	*word(0x548) = READ("cr4");
	*word(0x558) = READ("cr0");
	*word(0x570) = 2;
	*word(0x578) = (uint32_t)from;
	*word(0x5D8) = (uint32_t)(stack + sizeof stack);
	__asm__ volatile("vmsave\n vmrun\n vmload\n stgi" : : "a"(vmcb) : "ebx", "ecx", "edx",
			 "memory", "cc");
}

// Each ends with VMMCALL. The tested instruction has two bytes.
extern const char cpuid_code[], cpuid_at[], cpuid_plain[], rdmsr_code[], rdmsr_at[], rdmsr_plain[],
wrmsr_code[],
	wrmsr_at[], wrmsr_plain[], rdpmc_code[], rdpmc_at[], rdpmc_plain[], rdtsc_code[],
	rdtsc_at[], rdtsc_plain[];
#define CODE(name, before)							\
	#name "_code: " before "\n" #name "_at: " #name "\n vmmcall\n"		\
	#name "_plain: " before "\n nop\n vmmcall\n"
__asm__(".text\n"
	CODE(cpuid, "xor %eax, %eax")
	CODE(rdmsr, "mov $0xC1, %ecx")
	CODE(wrmsr, "mov $0xC1, %ecx\n mov $1000, %eax\n xor %edx, %edx")
	CODE(rdpmc, "xor %ecx, %ecx")
	CODE(rdtsc, "nop"));

static const struct {
	const char *name, *code, *at, *plain;		// plain: a NOP instead of the access
	uint32_t trap, exit, information;
} accesses[] = {
	{"CPUID", cpuid_code, cpuid_at, cpuid_plain, TRAP_CPUID, EXIT_CPUID, 0},
	{"RDMSR", rdmsr_code, rdmsr_at, rdmsr_plain, TRAP_MSR, EXIT_MSR, 0},
	{"WRMSR", wrmsr_code, wrmsr_at, wrmsr_plain, TRAP_MSR, EXIT_MSR, 1},
	{"RDPMC", rdpmc_code, rdpmc_at, rdpmc_plain, TRAP_RDPMC, EXIT_RDPMC, 0},
	{"RDTSC", rdtsc_code, rdtsc_at, rdtsc_plain, TRAP_RDTSC, EXIT_RDTSC, 0},
};

// Instructions of the virtual machine and around it, counted by the first fixed counter.
__attribute__((noipa)) static uint64_t instructions(const char *from, uint32_t traps)
{
	wrmsr(IA32_FIXED_CTR0, 0);
	run(from, traps);
	return rdmsr(IA32_FIXED_CTR0);
}

void guest_main(void)
{
	for (uint32_t i = 0; i < sizeof msr_permissions; i++)
		msr_permissions[i] = 0xFF;
	wrmsr(EFER, rdmsr(EFER) | EFER_SVME);
	wrmsr(VM_HSAVE_PA, (uint32_t)host_state);
	start_interrupts();
	reset_pmu();
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS);
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
	for (unsigned i = 0; i < sizeof accesses / sizeof *accesses; i++) {
		const uint32_t at = (uint32_t)accesses[i].at;
		uint64_t carried_out;

		wrmsr(IA32_PMC0, 12);
		print("# ");
		print(accesses[i].name);
		print("\n");
		run(accesses[i].code, accesses[i].trap);
		is("intercepted, it exits", *word(0x70), accesses[i].exit);
		is("which of RDMSR and WRMSR it is", *word(0x78), accesses[i].information);
		is("at the instruction", *word(0x578), at);
		is("and has written nothing", rdmsr(IA32_PMC0), 12);
		carried_out = instructions(accesses[i].code, 0);
		is("else it is carried out: VMMCALL exits", *word(0x70), EXIT_VMMCALL);
		is("after it", *word(0x578), at + 2);
		is("which WRMSR alone has written", rdmsr(IA32_PMC0),
		   accesses[i].exit == EXIT_MSR &&
		   accesses[i].information ? 1000 : 12);
		is("it counts as one instruction", carried_out, instructions(accesses[i].plain, 0));
	}
	finish();
}
