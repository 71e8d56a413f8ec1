// SPDX-License-Identifier: BSD-2-Clause
// Reads how to switch the machine off and how to reset it from ACPI's fixed description (FADT; ACPI
// 5.2.9, 7.4.2).

#include "early.h"

#include <stdbool.h>
#include <stddef.h>

#include "acpi.h"
#include "x86/early.h"

struct __attribute__((packed)) fadt {
	struct acpi_header header;
	uint32_t facs, dsdt;
	uint8_t unused_44[4];
	uint32_t smi_command;
	uint8_t acpi_enable, unused_53[11];
	uint32_t pm1a_control, pm1b_control;
	uint8_t unused_72[40];
	uint32_t flags;
	struct acpi_address reset;
	uint8_t reset_value;
};

_Static_assert(offsetof(struct fadt, smi_command) == 48 &&
	       offsetof(struct fadt, pm1a_control) == 64 &&
	       offsetof(struct fadt, flags) == 112 && offsetof(struct fadt, reset_value) == 128,
	       "layout");

#define HAS_RESET	(1u << 10)	/* flags */
#define HAS_NO_PM1	(1u << 20)

// AML (ACPI 20.2): Name(\_S5, Package {sleep type of the first register, of the second one, ...})
#define AML_ZERO	0x00
#define AML_ONE		0x01
#define AML_NAME	0x08
#define AML_BYTE	0x0A
#define AML_PACKAGE	0x12
#define AML_ROOT	'\\'
#define AML_MORE_LENGTH	6		/* bits 7:6 of a package length: number of further bytes */
#define S5_SIZE		4
#define S5_LONGEST	12		/* from the name to the end of the second number */

static bool take_number(const uint8_t **at, uint8_t *number)
{
	const uint8_t kind = *(*at)++;

	*number = kind == AML_BYTE ? *(*at)++ : kind;
	return kind == AML_BYTE || kind == AML_ZERO || kind == AML_ONE;
}

static bool is_s5(const uint8_t *at)
{
	return at[0] == '_' && at[1] == 'S' && at[2] == '5' && at[3] == '_' &&
		(at[-1] == AML_NAME || (at[-1] == AML_ROOT && at[-2] == AML_NAME));
}

// Searches for the name instead of executing the AML.
static bool find_s5(const struct acpi_header *dsdt, uint8_t off[2])
{
	const uint8_t *const code = (const void *)(dsdt + 1),
		*const end = (const uint8_t *)dsdt + dsdt->length;

	for (const uint8_t *at = code + 2; at + S5_LONGEST <= end; at++) {
		const uint8_t *value = at + S5_SIZE;

		if (!is_s5(at) || *value++ != AML_PACKAGE)
			continue;
		value += 1 + (*value >> AML_MORE_LENGTH);
		value++;			// number of elements
		if (value + 4 <= end && take_number(&value, &off[0]) &&
		    take_number(&value, &off[1]))
			return true;
	}
	return false;
}

void early_find_power(void)
{
	struct x86_power *const p = &x86_early.power;
	const struct fadt *const f = acpi_find("FACP",
					       offsetof(struct fadt, flags) + sizeof f->flags);
	const struct acpi_header *dsdt;

	if (!f)
		return;
	if (f->flags & HAS_RESET && f->header.length >= sizeof *f &&
	    f->reset.address <= UINT32_MAX &&
	    (f->reset.space == ACPI_MEMORY || f->reset.space == ACPI_PORTS)) {
		p->reset = f->reset.address;
		p->reset_in_memory = f->reset.space == ACPI_MEMORY;
		p->reset_value = f->reset_value;
	}
	dsdt = acpi_table_at(f->dsdt);
	if (f->flags & HAS_NO_PM1 || !dsdt || !find_s5(dsdt, p->off))
		return;
	p->enable = (uint16_t)f->smi_command;
	p->enable_value = f->acpi_enable;
	p->control[0] = (uint16_t)f->pm1a_control;
	p->control[1] = (uint16_t)f->pm1b_control;
}
