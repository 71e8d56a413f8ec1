/* SPDX-License-Identifier: BSD-2-Clause */
/* coreboot's table, in which it says what machine it has started (coreboot, src/commonlib/include/commonlib/
 * coreboot_tables.h). Only what is read here has a name. */
#ifndef X86_COREBOOT_H
#define X86_COREBOOT_H

#include <stdint.h>

/* Where it is looked for (coreboot, payloads/libpayload/arch/x86/coreboot.c); what is found can point elsewhere. */
#define COREBOOT_LOW_START	0x00010u	/* at 0 are interrupt vectors */
#define COREBOOT_LOW_END	0x01000u
#define COREBOOT_HIGH_START	0xF0000u
#define COREBOOT_HIGH_END	0x100000u
#define COREBOOT_ALIGNMENT	16u
#define COREBOOT_HEADER_MOST	256u
#define COREBOOT_SIZE_MOST	0x100000u

#define COREBOOT_SIGNATURE	0x4F49424Cu	/* "LBIO" */

struct coreboot_table {
	uint32_t signature, header_size, header_checksum, size, checksum, records;
};

/* Kinds of records. */
#define COREBOOT_MEMORY		0x01u
#define COREBOOT_SERIAL		0x0Fu
#define COREBOOT_FORWARD	0x11u
#define COREBOOT_FRAME_BUFFER	0x12u
#define COREBOOT_LOG		0x17u		/* the console in memory */
#define COREBOOT_ACPI		0x43u		/* the RSDP */

struct coreboot_record {
	uint32_t tag, size;
};

struct __attribute__((packed)) coreboot_address {
	struct coreboot_record record;
	uint64_t address;
};

/* The entries are as in the Linux boot protocol. */
struct __attribute__((packed)) coreboot_memory {
	struct coreboot_record record;
	uint8_t entry[];
};

#define COREBOOT_SERIAL_PORTS	1u		/* kind; 2: in memory */

struct coreboot_serial {
	struct coreboot_record record;
	uint32_t kind, address, baud, width;
};

struct __attribute__((packed)) coreboot_frame_buffer {
	struct coreboot_record record;
	uint64_t address;
	uint32_t width, height, pitch;
	uint8_t depth;
};

#endif
