// SPDX-License-Identifier: BSD-2-Clause
// The alarm that ends the guest's turn on a given instruction: HPET timer 0 in one-shot mode, its match delivered
// as a message that raises an NMI. The guest's local APIC, with its timer, stays the guest's.

#include "alarm.h"

#include "arch.h"
#include "x86/apic.h"

#define HPET_BASE		0xFED00000u
#define HPET_CAPABILITIES	0x000	/* high half: femtoseconds in a tick */
#define HPET_CONFIGURATION	0x010	/* bit 0: the main counter runs */
#define HPET_COUNTER		0x0F0
#define HPET_TIMER0		0x100
#define HPET_TIMER0_COMPARATOR	0x108
#define HPET_TIMER0_MESSAGE	0x110	/* low half: data; high half: address */

#define HPET_RUN		(1u << 0)
#define HPET_TIMER_INTERRUPT	(1u << 2)
#define HPET_TIMER_MESSAGE	(1u << 14)
#define HPET_TIMER_CAN_MESSAGE	(1u << 15)

#define FEMTOSECONDS_IN_TICK	10000000u	/* QEMU's HPET: ten instructions at shift=0 */

// Instructions from the clock's reading to the write that starts the counter (1), less those from the clock's
// reading to the alarm's write in switch.S (25).
#define START_DISTANCE		(1 - 25)

static volatile uint32_t *hpet(uint32_t offset)
{
	return (volatile uint32_t *)(uintptr_t)(HPET_BASE + offset);
}

void alarm_restart(struct svm_frame *frame)
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
	frame->alarm_phase = -(clock + (uint64_t)START_DISTANCE);
}

const char *alarm_start(struct svm_frame *frame)
{
	if (*hpet(HPET_CAPABILITIES + 4) != FEMTOSECONDS_IN_TICK)
		return "no HPET of 100 MHz";
	if (!(*hpet(HPET_TIMER0) & HPET_TIMER_CAN_MESSAGE))
		return "the HPET cannot send messages: QEMU needs -global hpet.msi=on";
	*hpet(HPET_TIMER0_COMPARATOR + 4) = 0;
	*hpet(HPET_TIMER0_COMPARATOR) = UINT32_MAX;
	*hpet(HPET_TIMER0_MESSAGE) = APIC_LVT_NMI;
	*hpet(HPET_TIMER0_MESSAGE + 4) = APIC_BASE | (*x86_apic_register(APIC_ID) >> 24) << 12;
	*hpet(HPET_TIMER0) = HPET_TIMER_INTERRUPT | HPET_TIMER_MESSAGE;
	frame->alarm_register = hpet(HPET_TIMER0_COMPARATOR);
	alarm_restart(frame);
	return NULL;
}
