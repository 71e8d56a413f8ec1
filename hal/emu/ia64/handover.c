// SPDX-License-Identifier: BSD-2-Clause
// The state in which a program starts. r28 has the address of boot parameters, as the boot loader
// ELILO passes them to Linux. The command line and the memory map are set. They are in the last
// page of memory, which the map omits.

#include "handover.h"

#include <string.h>

#include "machine.h"

#define CONVENTIONAL_MEMORY	7	/* EfiConventionalMemory */
#define PARAMETERS		28	/* general register */

struct boot_parameters {
	uint64_t command_line, efi_system_table;
	uint64_t memory_map, memory_map_size, descriptor_size;
	uint32_t descriptor_version;
	uint16_t console[4];
	uint64_t fpswa, initrd, initrd_size;
};

struct memory_descriptor {
	uint32_t type, padding;
	uint64_t physical, virtual, pages, attributes;
};

bool ia64_hand_over(struct machine *m, const char *arguments)
{
	const uint64_t at = m->memory_size - PAGE_BYTES;
	const uint64_t line = at + sizeof(struct boot_parameters) +
		sizeof(struct memory_descriptor);
	const struct memory_descriptor memory = {CONVENTIONAL_MEMORY, 0, 0, 0, at / PAGE_BYTES, 0};
	const struct boot_parameters parameters = {
		.command_line = line, .memory_map = at + sizeof parameters,
		.memory_map_size = sizeof memory,
		.descriptor_size = sizeof memory, .descriptor_version = 1,
	};

	if (strlen(arguments) >= m->memory_size - line)
		return false;
	memcpy(m->memory + at, &parameters, sizeof parameters);
	memcpy(m->memory + parameters.memory_map, &memory, sizeof memory);
	memcpy(m->memory + line, arguments, strlen(arguments) + 1);
	m->gr[PARAMETERS] = at;
	return true;
}
