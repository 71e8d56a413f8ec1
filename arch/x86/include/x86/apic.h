/* SPDX-License-Identifier: BSD-2-Clause */
/* The local APIC's registers (SDM volume 3A, chapter "Advanced Programmable Interrupt Controller"). */
#ifndef X86_APIC_H
#define X86_APIC_H

#include <stdint.h>

#include "x86/guesses.h"

#define APIC_ID			0x020
#define APIC_TASK_PRIORITY	0x080
#define APIC_EOI		0x0B0
#define APIC_LOGICAL_DESTINATION 0x0D0	/* the identity in its highest byte */
#define APIC_DESTINATION_FORMAT	0x0E0	/* 31:28: FH flat, 0 clusters */
#define APIC_SPURIOUS		0x0F0
#define APIC_IN_SERVICE		0x100	/* 256 bits, 32 in every 16 bytes */
#define APIC_REQUESTED		0x200	/* likewise: interrupts that wait */
#define APIC_COMMAND_LOW	0x300	/* interrupt command: writing it sends */
#define APIC_COMMAND_HIGH	0x310	/* destination in its highest byte */
#define APIC_LVTT		0x320	/* timer */
#define APIC_LVT_THERMAL	0x330
#define APIC_LVTPC		0x340	/* performance counters */
#define APIC_LINT0		0x350
#define APIC_LINT1		0x360
#define APIC_LVT_ERROR		0x370
#define APIC_TIMER_INITIAL	0x380
#define APIC_TIMER_CURRENT	0x390	/* 0: it has gone off */
#define APIC_TIMER_DIVIDE	0x3E0

#define APIC_SPURIOUS_ENABLE	(1u << 8)
#define APIC_TIMER_DIVIDE_BY_1	0xBu

#define APIC_COMMAND_PENDING	(1u << 12)
#define APIC_COMMAND_FIXED	0x4000u	/* to one CPU; the vector in the lowest byte */
#define APIC_COMMAND_INIT	0x4500u
#define APIC_COMMAND_STARTUP	0x4600u	/* the page to start at in the lowest byte */

/* Local vector table entries. */
#define APIC_LVT_VECTOR		0xFFu
#define APIC_LVT_VALID		0xF0u	/* some of it: vectors below 16 are not delivered */
#define APIC_LVT_DELIVERY	0x700u
#define APIC_LVT_FIXED		0x000u
#define APIC_LVT_NMI		0x400u
#define APIC_LVT_MASKED		(1u << 16)

static inline volatile uint32_t *x86_apic_register(uint32_t offset)
{
	return (volatile uint32_t *)(uintptr_t)(APIC_BASE + offset);
}

/* This CPU's identity. */
static inline uint32_t x86_apic_id(void)
{
	return *x86_apic_register(APIC_ID) >> 24;
}

#endif
