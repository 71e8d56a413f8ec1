// SPDX-License-Identifier: BSD-2-Clause
// The alarm that ends the guest's quantum on a given instruction: an HPET timer for each CPU, 64 bits wide, in one-shot
// mode, its match delivered as a message that raises an NMI. The guest's local APIC, with its timer, stays the guest's.

#include "alarm.h"

#include "arch.h"
#include "x86/apic.h"

#define HPET_BASE		0xFED00000u
#define HPET_CAPABILITIES	0x000	/* bits 12:8: the last timer; high half: femtoseconds in a tick */
#define HPET_CONFIGURATION	0x010	/* bit 0: the main counter runs */
#define HPET_COUNTER		0x0F0
#define HPET_TIMER(n)		(0x100 + 0x20 * (n))
#define HPET_COMPARATOR(n)	(0x108 + 0x20 * (n))
#define HPET_MESSAGE(n)		(0x110 + 0x20 * (n))	/* low half: data; high half: address */
#define HPET_MESSAGE_TO(id)	(APIC_BASE | (id) << 12)
#define HPET_ALL_IDENTITIES	0xFFu

#define HPET_RUN		(1u << 0)
#define HPET_TIMER_INTERRUPT	(1u << 2)
#define HPET_TIMER_MESSAGE	(1u << 14)
#define HPET_TIMER_CAN_MESSAGE	(1u << 15)

#define FEMTOSECONDS_IN_TICK	10000000u	/* QEMU's HPET: ten instructions at shift=0 */
#define CLOCKS_IN_TICK		10

// Instructions from the clock's reading to the write that starts the counter (1), less those from the clock's
// reading to the alarm's write in switch.S (26), and what switch.S has added to the clock (CLOCK_EXTRA).
#define START_DISTANCE		(1 - 26 + 27)

static uint64_t phase;		// frame.alarm_phase, of all CPUs; 0: the counter has not been started

static volatile uint32_t *hpet(uint32_t offset)
{
	return (volatile uint32_t *)(uintptr_t)(HPET_BASE + offset);
}

// From 0, and then it runs for ever.
static void start_counter(void)
{
	uint64_t clock;

	*hpet(HPET_CONFIGURATION) &= ~HPET_RUN;
	*hpet(HPET_COUNTER) = 0;
	*hpet(HPET_COUNTER + 4) = 0;
	// RDTSC and the write in a sequence of fixed length.
	__asm__ volatile("rdtsc\n\t"
			 "movl %2, (%1)\n\t"
			 "shl $32, %%rdx\n\t"
			 "or %%rdx, %%rax"
			 : "=&a"(clock) : "r"(hpet(HPET_CONFIGURATION)), "r"(HPET_RUN) : "rdx", "memory");
	phase = -(clock + START_DISTANCE);
}

const char *alarm_start(struct svm_frame *frame, unsigned cpu)
{
	if (*hpet(HPET_CAPABILITIES + 4) != FEMTOSECONDS_IN_TICK)
		return "no HPET of 100 MHz";
	if ((*hpet(HPET_CAPABILITIES) >> 8 & 0x1F) < cpu || !(*hpet(HPET_TIMER(cpu)) & HPET_TIMER_CAN_MESSAGE))
		return "the HPET cannot send messages: QEMU needs -global hpet.msi=on";
	*hpet(HPET_COMPARATOR(cpu) + 4) = ALARM_FAR;
	*hpet(HPET_MESSAGE(cpu)) = APIC_LVT_NMI;
	*hpet(HPET_MESSAGE(cpu) + 4) = HPET_MESSAGE_TO(x86_apic_id());
	*hpet(HPET_TIMER(cpu)) = HPET_TIMER_INTERRUPT | HPET_TIMER_MESSAGE;
	if (!phase)
		start_counter();
	frame->alarm_register = frame->alarm_timer = hpet(HPET_COMPARATOR(cpu));
	frame->alarm_phase = phase;
	return NULL;
}

void alarm_send_to_all(void)
{
	*hpet(HPET_MESSAGE(0) + 4) = HPET_MESSAGE_TO(HPET_ALL_IDENTITIES);
}

void alarm_ring(const struct svm_frame *other)
{
	uint64_t ticks = (arch_clock() + phase + ALARM_RING_CLOCKS) / CLOCKS_IN_TICK + 1;

	other->alarm_timer[0] = (uint32_t)ticks;
	other->alarm_timer[1] = (uint32_t)(ticks >> 32);
}
