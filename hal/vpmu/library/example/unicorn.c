// SPDX-License-Identifier: BSD-2-Clause
// An emulator with libvpmu. Unicorn executes x86 code that counts its own instructions with a Core
// i7's PMU and takes the overflow interrupt. Compile: cc unicorn.c $(pkg-config --cflags --libs
// libvpmu unicorn)
#include <palmon/vpmu.h>
#include <stdio.h>
#include <stdlib.h>
#include <unicorn/unicorn.h>

extern const char guest[], guest_end[], handler[], handler_end[];
__asm__(".section .rodata\n"
	// instructions
	"guest: mov $0x110000, %esp; xor %edx, %edx; mov $0x186, %ecx; mov $0x5300C0, %eax; wrmsr\n"
	"mov $0xC1, %ecx; mov $-1000, %eax; wrmsr; mov $0x38F, %ecx; mov $1, %eax; wrmsr\n"
	"mov $2000, %ebx; 1: dec %ebx; jnz 1b\n"
	"mov $0x38F, %ecx; xor %eax, %eax; wrmsr; xor %ecx, %ecx; rdpmc; guest_end: nop\n"
	"handler: pushf; push %rax; push %rcx; push %rdx; mov $0x390, %ecx; mov $1, %eax; xor %edx,"
	" %edx; wrmsr\n"
	"pop %rdx; pop %rcx; pop %rax; popf; ret; handler_end: .text");

enum { PLACE = 0x100000, SIZE = 0x10000, RAX = 0, RBX, RCX, RDX, RSP, RIP, REGISTERS };
static int names[] = {UC_X86_REG_RAX, UC_X86_REG_RBX, UC_X86_REG_RCX, UC_X86_REG_RDX,
		      UC_X86_REG_RSP, UC_X86_REG_RIP};
static uint64_t r[REGISTERS];
static void *values[] = {&r[RAX], &r[RBX], &r[RCX], &r[RDX], &r[RSP], &r[RIP]};

// Called before each instruction. Delivers an overflow of the previous instruction; emulates an
// access to the PMU.
static void each(uc_engine *uc, uint64_t address, uint32_t size, void *vpmu)
{
	static bool executes;		// the previous instruction ran and is not reported yet
	const bool interrupts = !vpmu_core_advance(vpmu, 0, executes, executes) &&
				vpmu_core_take_lines(vpmu, 0) & VPMU_LINE_ROSE;
	uint8_t code[16] = {0};

	uc_reg_read_batch(uc, names, values, REGISTERS);
	uc_mem_read(uc, address, code, size);
	executes = !interrupts && code[0] != 0x0F;	// the guest's other two-byte opcodes
	if (executes)
		return;
	if (interrupts) {
		printf("interrupt: %llu iterations are left\n", (unsigned long long)r[RBX]);
		uc_mem_write(uc, r[RSP] -= sizeof address, &address, sizeof address);
	} else if (vpmu_core_execute(vpmu, 0, code[1], &r[RAX], r[RCX], &r[RDX]) != VPMU_DONE) {
		exit(1);				// and it has no #GP handler
	}
	r[RIP] = interrupts ? PLACE + (uint64_t)(handler - guest) : address + size;
	uc_reg_write_batch(uc, names, values, REGISTERS);
}

int main(void)
{
	const size_t size = vpmu_core_size("nehalem");
	struct vpmu_core *vpmu;
	uc_engine *uc;
	uc_hook hook;

	if (vpmu_core_create(&vpmu, aligned_alloc(VPMU_ALIGNMENT, size), size, "nehalem", NULL,
			     0) ||
	    uc_open(UC_ARCH_X86, UC_MODE_64, &uc) || uc_mem_map(uc, PLACE, SIZE, UC_PROT_ALL) ||
	    uc_mem_write(uc, PLACE, guest, (size_t)(handler_end - guest)) ||
	    uc_hook_add(uc, &hook, UC_HOOK_CODE, each, vpmu, 1, 0) ||
	    uc_emu_start(uc, PLACE, PLACE + (uint64_t)(guest_end - guest), 0, 0))
		return 1;
	return printf("counted: %llu\n", (unsigned long long)(r[RAX] + 1000)) < 0 || uc_close(uc);
}
