// SPDX-License-Identifier: BSD-2-Clause
// A host of palmon's runtime on one bare x86-64 CPU (palmon_host.h): its own interrupt descriptor
// table, the local APIC, and the time-stamp counter. Each example provides its own output.

#include "host.h"

#include "palmon_host.h"
#include "palmon_runtime.h"

#define VECTORS			256
#define VECTOR_NMI		2
#define VECTOR_GENERAL_PROTECTION 13
#define VECTOR_OVERFLOW		0xE0
#define VECTOR_ALARM		0xE1

// Local APIC (SDM volume 3A, chapter 11).
#define APIC(offset)		(*(volatile uint32_t *)(uintptr_t)(0xFEE00000u + (offset)))
#define APIC_TASK_PRIORITY	0x080
#define APIC_EOI		0x0B0
#define APIC_SPURIOUS		0x0F0
#define APIC_IN_SERVICE		0x100		/* 8 registers of 32 vectors, 16 bytes each */
#define APIC_COMMAND		0x300
#define APIC_LVTT		0x320
#define APIC_LVTPC		0x340
#define APIC_TIMER_INITIAL	0x380
#define APIC_TIMER_DIVIDE	0x3E0
#define APIC_TIMER_DIVIDE_BY_1	0xBu
#define APIC_ENABLED		0x100u
#define APIC_NMI		0x400u
#define APIC_MASKED		0x10000u
#define APIC_TO_SELF		0x44000u	/* fixed, asserted */

#define PIC_MASKS		0xFF		/* of both 8259 controllers */

struct __attribute__((packed)) table {
	uint16_t limit;
	uint64_t base;
};

struct gate {
	uint16_t offset_low, segment;
	uint8_t stack, type;
	uint16_t offset_middle;
	uint32_t offset_high, reserved;
};

// The stack frame that host_entry.S builds.
struct frame {
	uint64_t r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax, vector, error, ip, cs;
};

extern const char host_entries[];		// 16 bytes each
void host_interrupt(struct frame *frame);

static struct gate gates[VECTORS];
static struct table before;
static uint64_t flags;
static uint32_t spurious, priority, timer, initial, divide, overflow, entry = APIC_MASKED;
static uint8_t masks[2];
static palmon_handler *handler;

static uint8_t in(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static void out(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static bool in_service(unsigned vector)
{
	return APIC(APIC_IN_SERVICE + vector / 32 * 16) >> vector % 32 & 1;
}

// An interrupt that is no exception and not one of ours was pending when the processor got this
// table. It stays in service until host_give_interrupts_back, which blocks interrupts of its
// priority class and below.
void host_interrupt(struct frame *f)
{
	if ((f->vector == VECTOR_NMI || f->vector == VECTOR_OVERFLOW) && handler)
		handler(f->ip, f->cs & 3);
	else if (f->vector == VECTOR_ALARM)
		APIC(APIC_EOI) = 0;
	else if (!in_service(f->vector) && (f->vector != VECTOR_GENERAL_PROTECTION ||
					    !palmon_fault(&f->ip)))
		host_end((unsigned)f->vector, f->ip);
}

void host_set_gate(unsigned vector, void (*entry)(void), unsigned level)
{
	const uint64_t at = (uintptr_t)entry;
	uint16_t segment;

	__asm__("mov %%cs, %0" : "=r"(segment));
	gates[vector] = (struct gate){(uint16_t)at, segment, 0, (uint8_t)(0x8E | level << 5),
				      (uint16_t)(at >> 16), (uint32_t)(at >> 32), 0};
}

void host_take_interrupts(void)
{
	const struct table own = {sizeof gates - 1, (uintptr_t)gates};

	masks[0] = in(0x21);
	masks[1] = in(0xA1);
	out(0x21, PIC_MASKS);
	out(0xA1, PIC_MASKS);
	spurious = APIC(APIC_SPURIOUS);
	priority = APIC(APIC_TASK_PRIORITY);
	timer = APIC(APIC_LVTT);
	initial = APIC(APIC_TIMER_INITIAL);
	divide = APIC(APIC_TIMER_DIVIDE);
	overflow = APIC(APIC_LVTPC);
	APIC(APIC_LVTT) = timer | APIC_MASKED;
	// if interrupts are on, pending ones have reached their handlers by now
	__asm__ volatile("pushf; pop %0; cli; sidt %1" : "=r"(flags), "=m"(before) : : "memory");
	for (unsigned i = 0; i < VECTORS; i++)
		host_set_gate(i, (void (*)(void))((uintptr_t)host_entries + 16 * i), 0);
	APIC(APIC_TASK_PRIORITY) = 0;
	APIC(APIC_SPURIOUS) = spurious | APIC_ENABLED;
	__asm__ volatile("lidt %0; sti" : : "m"(own));
}

void host_give_interrupts_back(void)
{
	__asm__ volatile("cli; lidt %0" : : "m"(before));
	APIC(APIC_LVTPC) = overflow;
	APIC(APIC_LVTT) = timer;
	APIC(APIC_TIMER_DIVIDE) = divide;
	APIC(APIC_TIMER_INITIAL) = initial;
	APIC(APIC_TASK_PRIORITY) = priority;
	APIC(APIC_SPURIOUS) = spurious;
	out(0x21, masks[0]);
	out(0xA1, masks[1]);
	for (unsigned vector = VECTORS; vector-- > 32;)
		if (in_service(vector)) {
			APIC(APIC_EOI) = 0;
			APIC(APIC_COMMAND) = APIC_TO_SELF | vector;
		}
	__asm__ volatile("push %0; popf" : : "r"(flags) : "cc", "memory");
}

//
// palmon_host.h
//

uint64_t palmon_host_clock(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

// There is one CPU.
void *palmon_host_context(void)
{
	static _Alignas(PALMON_CONTEXT_ALIGNED) uint8_t context[PALMON_CONTEXT_BYTES];

	return context;
}

void palmon_host_attach(palmon_handler *called, bool non_maskable)
{
	handler = called;
	entry = non_maskable ? APIC_NMI : VECTOR_OVERFLOW;
	palmon_host_unmask();
}

void palmon_host_mask(void)
{
	APIC(APIC_LVTPC) = entry | APIC_MASKED;
}

void palmon_host_unmask(void)
{
	APIC(APIC_LVTPC) = entry;
}

void palmon_host_end(void)
{
	if (entry != APIC_NMI)
		APIC(APIC_EOI) = 0;
}

void palmon_host_halt(void)
{
	__asm__ volatile("sti; hlt; cli" : : : "memory");
}

bool palmon_host_alarm(uint32_t ticks)
{
	APIC(APIC_TIMER_DIVIDE) = APIC_TIMER_DIVIDE_BY_1;
	APIC(APIC_LVTT) = VECTOR_ALARM;
	APIC(APIC_TIMER_INITIAL) = ticks;
	return true;
}
