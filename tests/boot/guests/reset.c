// SPDX-License-Identifier: BSD-2-Clause
// A reset of the machine resets the PMU: SDM volume 3A, Table "IA-32 and Intel 64 Processor States
// Following Power-up, Reset, or INIT". The first start fills the registers and resets the machine
// through the keyboard controller. A byte of the real-time clock's memory, which no reset clears,
// marks the second start.

#include "pmu.h"

#define CMOS_INDEX	0x70
#define CMOS_DATA	0x71
#define MARK_AT		0x50
#define MARK		0xA5

static const struct {
	const char *name;
	uint32_t address;
	uint64_t filled, reset;
} registers[] = {
	{"IA32_PMC0", IA32_PMC0, 12345, 0},
	{"IA32_PMC3", IA32_PMC0 + 3, 12345, 0},
	{"IA32_FIXED_CTR0", IA32_FIXED_CTR0, 12345, 0},
	{"IA32_FIXED_CTR2", IA32_FIXED_CTR0 + 2, 12345, 0},
	{"IA32_PERFEVTSEL0", IA32_PERFEVTSEL0, INSTRUCTIONS | SELECT_OS | SELECT_EN, 0},
	{"IA32_PERFEVTSEL3", IA32_PERFEVTSEL0 + 3, INSTRUCTIONS | SELECT_OS | SELECT_EN, 0},
	{"IA32_FIXED_CTR_CTRL", IA32_FIXED_CTR_CTRL, CONTROL_OS, 0},
	{"IA32_PEBS_ENABLE", 0x3F1, 1, 0},
	{"PEBS_LD_LAT", 0x3F6, 100, 0},
	{"IA32_DEBUGCTL", 0x1D9, 1, 0},
	{"IA32_PERF_GLOBAL_CTRL", IA32_PERF_GLOBAL_CTRL, 0x70000000FULL, 0xF},
};
#define REGISTERS (sizeof registers / sizeof *registers)

void guest_interrupt(struct frame *frame);
void guest_main(void);

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

static uint8_t mark(void)
{
	outb(CMOS_INDEX, MARK_AT);
	return inb(CMOS_DATA);
}

void guest_main(void)
{
	if (mark() != MARK) {
		for (unsigned i = 0; i < REGISTERS; i++)
			wrmsr(registers[i].address, registers[i].filled);
		print("# filled, counted: ");
		print_number(rdmsr(IA32_PMC0));
		print("\n");
		outb(CMOS_INDEX, MARK_AT);
		outb(CMOS_DATA, MARK);
		outb(0x64, 0xFE);
		for (;;)
			__asm__ volatile("cli; hlt");
	}
	// First the registers, before anything can count.
	for (unsigned i = 0; i < REGISTERS; i++)
		is(registers[i].name, rdmsr(registers[i].address), registers[i].reset);
	is("status", rdmsr(IA32_PERF_GLOBAL_STATUS), 0);
	finish();
}
