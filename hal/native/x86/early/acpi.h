/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables by which firmware describes the machine (ACPI specification 5.2). */
#ifndef EARLY_ACPI_H
#define EARLY_ACPI_H

#include <stdint.h>

struct __attribute__((packed)) acpi_header {
	char signature[4];
	uint32_t length;		/* of the table, this included */
	uint8_t revision, checksum;
	char names[26];			/* who made it */
};

/* A register: in memory (space 0) or an I/O port (1); ACPI 5.2.3.2. */
struct __attribute__((packed)) acpi_address {
	uint8_t space, width, offset, access;
	uint64_t address;
};

#define ACPI_MEMORY	0
#define ACPI_PORTS	1

/* A sound table below 4 GiB, else NULL. */
const struct acpi_header *acpi_table_at(uint64_t address);

/* The first table of this name, if its checksum is right and it is this long at least; NULL: there is none. */
const void *acpi_find(const char signature[4], uint32_t least);

#endif
