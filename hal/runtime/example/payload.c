// SPDX-License-Identifier: BSD-2-Clause
// A coreboot payload with palmon's runtime: an ELF file that is called in 32-bit mode with the
// address of coreboot's table. It tests the PMU, writes the report to the serial port that the
// table names, and returns the number of failed checks.

#include "host.h"
#include "palmon_runtime.h"

// coreboot, src/commonlib/include/commonlib/coreboot_tables.h.
#define SIGNATURE	0x4F49424Cu	/* LBIO */
#define TAG_SERIAL	0x0Fu
#define SERIAL_IO	1

struct table {
	uint32_t signature, header_size, header_checksum, size, checksum, records;
};

struct record {
	uint32_t tag, size;
	uint32_t type, address;			// of the serial port
};

#define NOT_TESTED	0xFFFFFFFFu		// the processor lacks the PMU

void host_end(unsigned vector, uint64_t ip)
{
	host_put_value("payload: exception ", vector);
	host_put_value(" at ", ip);
	host_put("\n");
	for (;;)
		__asm__ volatile("cli; hlt");
}

static void find_serial_port(const struct table *table)
{
	const char *at = (const char *)table + table->header_size, *end = at + table->size;
	const struct record *r = (const void *)at;

	if (table->signature != SIGNATURE)
		return;
	for (; at < end && r->size; at += r->size, r = (const void *)at)
		if (r->tag == TAG_SERIAL && r->type == SERIAL_IO)
			host_serial_port = (uint16_t)r->address;
}

uint32_t host_main(uint32_t table)
{
	struct palmon_result result = {.failed = NOT_TESTED};

	find_serial_port((const struct table *)(uintptr_t)table);
	host_take_interrupts();
	if (!palmon_probe())
		result = palmon_selftest();
	host_give_interrupts_back();
	host_put_value("payload: checks ", result.checks);
	host_put_value(", skipped ", result.skipped);
	host_put("\n");
	return result.failed;
}
