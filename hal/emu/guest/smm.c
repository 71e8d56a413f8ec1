// SPDX-License-Identifier: BSD-2-Clause
// System management interrupts: smm.h. While the guest executes they end its quantum, and are taken in the monitor. The
// handler's place follows SMBASE, which only the return from a handler changes: the first one, where the reset has left
// it, is replaced for one interrupt. The machine has no chipset that would have moved it (smm=off, in `machine`).

#include "smm.h"

#include <stdint.h>
#include <string.h>

#include "frame.h"
#include "x86/apic.h"
#include "x86/cpu.h"

#define COMMAND_SMI	(1u << 18 | 0x200u)	/* to itself */

// SMRAM: code at its half, and at its end the state, of which RSM takes SMBASE, at 7F00H (QEMU has AMD's format: AMD64
// Architecture Programmer's Manual volume 2, 10.2.3).
#define SMRAM		0x8000u			/* bytes of what is used: from SMBASE + 8000H on */
#define FIRST		0x38000u
#define STATE		0x7E00u
#define STATE_SIZE	0x200u

extern uint8_t smm_move[], smm_move_end[], smm_handler[], smm_handler_end[];
extern volatile uint32_t smm_base;

// In real mode; segments begin at 0, and reach 4 GiB.
__asm__(".section .rodata\n"
	".code16\n"
	"smm_move:\n"
	"addr32 mov smm_base, %eax\n"
	"addr32 mov %eax, 0x38000 + 0x7F00\n"
	"addr32 movl $0, smm_base\n"
	"rsm\n"
	"smm_move_end:\n"
	"smm_handler:\n"
	"mov $smm_message, %esi\n"
	"mov $0x3F8, %dx\n"
	"1: addr32 lodsb\n"
	"test %al, %al\n"
	"jz 2f\n"
	"out %al, %dx\n"
	"jmp 1b\n"
	"2: mov $0xFE, %al\n"
	"out %al, $0x64\n"
	"3: jmp 3b\n"
	"smm_handler_end:\n"
	"smm_message: .asciz \"\\npalmon: the guest has raised a system management interrupt (SMI)\\n\"\n"
	".data\n"
	".balign 4\n"
	"smm_base: .long 0\n"
	".text\n"
	".code64\n");

// The compiler knows no object there.
static uint8_t *low(uintptr_t address)
{
	__asm__("" : "+r"(address));
	return (uint8_t *)address;
}

// PIIX4's power management (Intel 82371AB data sheet, "DEVACTB"): writes to port B2H raise nothing, as if a handler had
// carried out what operating systems ask for there.
#define PCI_ADDRESS	0xCF8
#define DEVACTB		0x80000B58u	/* bus 0, device 1, function 3 */
#define DEVACTB_HIGHEST	0xCFF		/* its bits 31:24 */
#define APMC_ENABLE	(1u << 1)

static void ignore_port(void)
{
	__asm__ volatile("outl %0, %1" : : "a"(DEVACTB), "d"((uint16_t)PCI_ADDRESS));
	x86_outb(DEVACTB_HIGHEST, (uint8_t)(x86_inb(DEVACTB_HIGHEST) & ~APMC_ENABLE));
}

bool smm_begin(unsigned cpu)
{
	_Alignas(SMRAM) static uint8_t ram[SVM_CPUS][SMRAM];
	static uint8_t code[64], state[STATE_SIZE];
	const size_t size = (size_t)(smm_move_end - smm_move);

	if (cpu == 0)
		ignore_port();
	memcpy(ram[cpu], smm_handler, (size_t)(smm_handler_end - smm_handler));
	memcpy(code, low(FIRST), size);
	memcpy(state, low(FIRST + STATE), sizeof state);
	memcpy(low(FIRST), smm_move, size);
	smm_base = (uint32_t)(uintptr_t)ram[cpu] - SMRAM;
	*x86_apic_register(APIC_COMMAND_LOW) = COMMAND_SMI;
	for (unsigned i = 0; i < 1000 && smm_base; i++)
		__asm__ volatile("pause");
	memcpy(low(FIRST), code, size);
	memcpy(low(FIRST + STATE), state, sizeof state);
	return !smm_base;
}
