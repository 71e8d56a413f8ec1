/* SPDX-License-Identifier: BSD-2-Clause */
/* The local APIC's registers (SDM volume 3A, chapter "Advanced Programmable Interrupt
 * Controller"). */
#ifndef X86_APIC_H
#define X86_APIC_H

#include <stdint.h>

#include "x86/guesses.h"

#define APIC_ID			0x020
#define APIC_TASK_PRIORITY	0x080
#define APIC_EOI		0x0B0
#define APIC_LOGICAL_DESTINATION 0x0D0	/* this CPU's logical ID in bits 31:24 */
#define APIC_DESTINATION_FORMAT	0x0E0	/* bits 31:28: FH flat model, 0 cluster model */
#define APIC_SPURIOUS		0x0F0
#define APIC_IN_SERVICE		0x100	/* 256 bits: 32 in each 16 bytes */
#define APIC_REQUESTED		0x200	/* pending interrupts, in the same layout */
#define APIC_COMMAND_LOW	0x300	/* interrupt command: a write sends it */
#define APIC_COMMAND_HIGH	0x310	/* destination in bits 31:24 */
#define APIC_LVTT		0x320	/* timer */
#define APIC_LVT_THERMAL	0x330
#define APIC_LVTPC		0x340	/* performance counters */
#define APIC_LINT0		0x350
#define APIC_LINT1		0x360
#define APIC_LVT_ERROR		0x370
#define APIC_TIMER_INITIAL	0x380
#define APIC_TIMER_CURRENT	0x390	/* 0: the timer has expired */
#define APIC_TIMER_DIVIDE	0x3E0

#define APIC_SPURIOUS_ENABLE	(1u << 8)
#define APIC_TIMER_DIVIDE_BY_1	0xBu

#define APIC_COMMAND_PENDING	(1u << 12)
#define APIC_COMMAND_FIXED	0x4000u	/* to one CPU; vector in bits 7:0 */
#define APIC_COMMAND_INIT	0x4500u
#define APIC_COMMAND_STARTUP	0x4600u	/* page number of the start address in bits 7:0 */

/* Local vector table entries. */
#define APIC_LVT_VECTOR		0xFFu
#define APIC_LVT_VALID		0xF0u	/* all 0: vectors below 16 are not delivered */
#define APIC_LVT_DELIVERY	0x700u
#define APIC_LVT_FIXED		0x000u
#define APIC_LVT_NMI		0x400u
#define APIC_LVT_MASKED		(1u << 16)

static inline volatile uint32_t *x86_apic_register(uint32_t offset)
{
	return (volatile uint32_t *)(uintptr_t)(APIC_BASE + offset);
}

/* This CPU's APIC ID. */
static inline uint32_t x86_apic_id(void)
{
	return *x86_apic_register(APIC_ID) >> 24;
}

#endif
