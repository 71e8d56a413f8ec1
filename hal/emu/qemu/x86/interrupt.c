// SPDX-License-Identifier: BSD-2-Clause
// x86: the overflow interrupt, delivered by the local APIC through LVTPC (SDM volume 3A, "Local
// Vector Table").

#include "../bytes.h"
#include "../report.h"
#include "../unpromised.h"
#include "x86.h"

#define APIC_ID		0x020		/* register offsets; the APIC ID is in bits 31:24 */
#define APIC_LVTPC	0x340
#define X2APIC_ID	0x02		/* registers in x2APIC mode: MSR number minus 800H */
#define X2APIC_LVTPC	0x34
#define LVT_VECTOR	0x0FFu
#define LVT_DELIVERY	0x700u
#define LVT_NMI		0x400u
#define VECTOR_LEAST	16
#define LVT_MASKED	(1u << 16)
#define MESSAGE_ID_LOW	12		/* APIC ID in the address of a message: bits 19:12 */

static uint32_t read_word(uint64_t physical)
{
	GByteArray *bytes = bytes_of(NULL, sizeof(uint32_t));
	uint32_t value = 0;

	if (!qemu_plugin_read_memory_hwaddr(physical, bytes, sizeof value))
		memcpy(&value, bytes->data, sizeof value);
	return value;
}

static void write_word(uint64_t physical, uint32_t value)
{
	qemu_plugin_write_memory_hwaddr(physical, bytes_of(&value, sizeof value));
}

// LVTPC delivers an NMI or a vector; vectors below 16 are invalid ("Valid Interrupt Vectors").
// Other delivery modes do not apply.
static bool delivers(uint64_t lvtpc)
{
	const uint64_t delivery = lvtpc & LVT_DELIVERY;

	return delivery == LVT_NMI || (!delivery && (lvtpc & LVT_VECTOR) >= VECTOR_LEAST);
}

// The APIC masks LVTPC on delivery. While it is masked, requests are lost.
void x86_interrupt(struct cpu *c)
{
	void *apic = cpu_get_current_apic();
	uint64_t lvtpc, id;
	const bool x2apic = !apic_msr_read(apic, X2APIC_LVTPC, &lvtpc) &&
		!apic_msr_read(apic, X2APIC_ID, &id);

	vpmu_take_request(&c->vpmu);
	if (!x2apic) {
		lvtpc = read_word(X86_LOCAL_APIC + APIC_LVTPC);
		id = read_word(X86_LOCAL_APIC + APIC_ID) >> 24;
	}
	if (reporting)
		report_interrupt(c, !(lvtpc & LVT_MASKED));
	if (lvtpc & LVT_MASKED)
		return;
	if (x2apic)
		apic_msr_write(apic, X2APIC_LVTPC, lvtpc | LVT_MASKED);
	else
		write_word(X86_LOCAL_APIC + APIC_LVTPC, (uint32_t)lvtpc | LVT_MASKED);
	if (delivers(lvtpc))
		write_word(X86_LOCAL_APIC | id << MESSAGE_ID_LOW,
			   (uint32_t)lvtpc & (LVT_DELIVERY | LVT_VECTOR));
}
