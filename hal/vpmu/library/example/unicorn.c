// SPDX-License-Identifier: BSD-2-Clause
// An emulator with libvpmu: Unicorn executes x86 code, which counts itself with a Core i7's PMU, and takes the overflow
// interrupt. Compile: cc unicorn.c $(pkg-config --cflags --libs libvpmu unicorn)

#include <palmon/vpmu.h>

#include <stdio.h>
#include <stdlib.h>
#include <unicorn/unicorn.h>

#define PLACE	0x100000	/* the guest's memory: its code, and its stack at the end */
#define SIZE	0x10000

extern const char guest[], guest_end[], handler[], handler_end[];
__asm__(".section .rodata\n"
	"guest: xor %edx, %edx; mov $0x186, %ecx; mov $0x5300C0, %eax; wrmsr\n"	// instructions; USR, OS, INT, EN
	"mov $0xC1, %ecx; mov $-1000, %eax; wrmsr; mov $0x38F, %ecx; mov $1, %eax; wrmsr\n"
	"mov $2000, %ebx; 1: dec %ebx; jnz 1b\n"
	"mov $0x38F, %ecx; xor %eax, %eax; wrmsr; xor %ecx, %ecx; rdpmc\n"
	"guest_end: nop\n"
	"handler: pushf; push %rax; push %rcx; push %rdx; mov $0x390, %ecx; mov $1, %eax; xor %edx, %edx; wrmsr\n"
	"pop %rdx; pop %rcx; pop %rax; popf; ret\n"
	"handler_end: .text");

static struct vpmu_core *vpmu;
static bool executes;		// the instruction before this one, and is not reported yet

static void set_64(uc_engine *uc, int reg, uint64_t value)
{
	uc_reg_write(uc, reg, &value);
}

static uint64_t get_64(uc_engine *uc, int reg)
{
	uint64_t value = 0;

	uc_reg_read(uc, reg, &value);
	return value;
}

// RDMSR, WRMSR and RDPMC, which are left out of what Unicorn executes.
static void carry_out(uc_engine *uc, unsigned opcode, uint64_t next)
{
	const uint32_t ecx = (uint32_t)get_64(uc, UC_X86_REG_RCX);
	uint64_t value = (uint32_t)get_64(uc, UC_X86_REG_RAX) | get_64(uc, UC_X86_REG_RDX) << 32;
	const enum vpmu_result result = opcode == 0x30 ? vpmu_core_write(vpmu, 0, ecx, value, 1) :
					opcode == 0x32 ? vpmu_core_read(vpmu, 0, ecx, &value) :
							 vpmu_core_read_counter(vpmu, 0, ecx, &value);

	if (result == VPMU_FAULT || result == VPMU_NOT_MINE)
		exit(1);		// #GP, for which this guest has no handler
	if (opcode != 0x30) {
		vpmu_core_advance(vpmu, 0, 1, 1);
		set_64(uc, UC_X86_REG_RAX, (uint32_t)value);
		set_64(uc, UC_X86_REG_RDX, value >> 32);
	}
	set_64(uc, UC_X86_REG_RIP, next);
}

// Before each instruction: an overflow of the one before interrupts here.
static void each(uc_engine *uc, uint64_t address, uint32_t size, void *unused)
{
	uint8_t code[2] = {0};

	(void)unused;
	if (executes)
		vpmu_core_advance(vpmu, 0, 1, 1);
	executes = false;
	if (vpmu_core_take_lines(vpmu, 0) & VPMU_LINE_ROSE) {
		const uint64_t stack = get_64(uc, UC_X86_REG_RSP) - sizeof address;

		printf("interrupt: %llu iterations are left\n", (unsigned long long)get_64(uc, UC_X86_REG_RBX));
		uc_mem_write(uc, stack, &address, sizeof address);
		set_64(uc, UC_X86_REG_RSP, stack);
		set_64(uc, UC_X86_REG_RIP, PLACE + (uint64_t)(handler - guest));
		return;
	}
	uc_mem_read(uc, address, code, sizeof code);
	if (size == 2 && code[0] == 0x0F && (code[1] == 0x30 || code[1] == 0x32 || code[1] == 0x33))
		carry_out(uc, code[1], address + size);
	else
		executes = true;
}

int main(void)
{
	const size_t size = vpmu_core_size("nehalem");
	uc_engine *uc;
	uc_hook hook;

	if (vpmu_core_create(&vpmu, aligned_alloc(VPMU_ALIGNMENT, size), size, "nehalem", NULL, 0) ||
	    uc_open(UC_ARCH_X86, UC_MODE_64, &uc) || uc_mem_map(uc, PLACE, SIZE, UC_PROT_ALL) ||
	    uc_mem_write(uc, PLACE, guest, (size_t)(handler_end - guest)) ||
	    uc_hook_add(uc, &hook, UC_HOOK_CODE, each, NULL, 1, 0))
		return 1;
	set_64(uc, UC_X86_REG_RSP, PLACE + SIZE);
	if (uc_emu_start(uc, PLACE, PLACE + (uint64_t)(guest_end - guest), 0, 0))
		return 1;
	printf("counted: %llu\n", (unsigned long long)(get_64(uc, UC_X86_REG_RAX) + 1000));
	return uc_close(uc);
}
