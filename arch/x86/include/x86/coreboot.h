/* SPDX-License-Identifier: BSD-2-Clause */
/* coreboot's table, which describes the machine (coreboot,
 * src/commonlib/include/commonlib/coreboot_tables.h). Only fields that this code reads have
 * names. */
#ifndef X86_COREBOOT_H
#define X86_COREBOOT_H

#include <stdint.h>

/* Addresses to search (coreboot, payloads/libpayload/arch/x86/coreboot.c). The table found may
 * point to another one. */
#define COREBOOT_LOW_START	0x00010u	/* interrupt vectors are at 0 */
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

/* Tags of records. */
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

/* The entries have the Linux boot protocol's format. */
struct __attribute__((packed)) coreboot_memory {
	struct coreboot_record record;
	uint8_t entry[];
};

#define COREBOOT_SERIAL_PORTS	1u		/* type of a port in I/O space; 2: in memory */

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
