// SPDX-License-Identifier: BSD-2-Clause
// Lists the CPUs in ACPI's table of interrupt controllers (MADT; ACPI 5.2.12).

#include "early.h"

#include "acpi.h"
#include "x86/early.h"

struct __attribute__((packed)) madt {
	struct acpi_header header;
	uint32_t apic_address, flags;
};

struct __attribute__((packed)) entry {
	uint8_t kind, length;
};

#define LOCAL_APIC	0
#define LOCAL_X2APIC	9
#define ENABLED		(1u << 0)	/* 0: there is no such CPU, or firmware keeps it off */

struct __attribute__((packed)) local_apic {
	struct entry entry;
	uint8_t processor, id;
	uint32_t flags;
};

struct __attribute__((packed)) local_x2apic {
	struct entry entry;
	uint16_t reserved;
	uint32_t id, flags;
};

static void add(uint32_t id, uint32_t flags)
{
	if (!(flags & ENABLED))
		x86_early.cpus_off++;
	else if (id > UINT8_MAX)
		x86_early.cpus_out_of_reach++;
	else if (x86_early.cpus < X86_EARLY_CPUS)
		x86_early.cpu[x86_early.cpus++] = id;
	else
		x86_early.cpus_left_out++;
}

void early_find_processors(void)
{
	const struct madt *const table = acpi_find("APIC", sizeof *table);
	uint32_t at = sizeof *table;

	while (table && table->header.length - at >= sizeof(struct entry)) {
		const struct entry *const e = (const void *)((const uint8_t *)table + at);
		const struct local_apic *const apic = (const void *)e;
		const struct local_x2apic *const x2apic = (const void *)e;

		if (e->length < sizeof *e || e->length > table->header.length - at)
			return;
		if (e->kind == LOCAL_APIC && e->length >= sizeof *apic)
			add(apic->id, apic->flags);
		else if (e->kind == LOCAL_X2APIC && e->length >= sizeof *x2apic)
			add(x2apic->id, x2apic->flags);
		at += e->length;
	}
}
