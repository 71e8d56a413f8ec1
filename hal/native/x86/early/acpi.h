/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables in which firmware describes the machine (ACPI specification 5.2). */
#ifndef EARLY_ACPI_H
#define EARLY_ACPI_H

#include <stdint.h>

struct __attribute__((packed)) acpi_header {
	char signature[4];
	uint32_t length;		/* of the table with this header */
	uint8_t revision, checksum;
	char names[26];			/* the maker's */
};

/* A register: in memory (space 0) or an I/O port (1); ACPI 5.2.3.2. */
struct __attribute__((packed)) acpi_address {
	uint8_t space, width, offset, access;
	uint64_t address;
};

#define ACPI_MEMORY	0
#define ACPI_PORTS	1

/* Returns a valid table below 4 GiB, or NULL. */
const struct acpi_header *acpi_table_at(uint64_t address);

/* Returns the first table with this signature, a correct checksum and at least `least` bytes, or
 * NULL. */
const void *acpi_find(const char signature[4], uint32_t least);

#endif
