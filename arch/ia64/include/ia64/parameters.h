/* SPDX-License-Identifier: BSD-2-Clause */
/* Boot parameters at r28 at the image's entry, in the form that the boot loader ELILO passes to
 * Linux. */
#ifndef IA64_PARAMETERS_H
#define IA64_PARAMETERS_H

#include <stdint.h>

struct boot_parameters {
	uint64_t command_line;
	uint64_t efi_system_table;
	uint64_t memory_map, memory_map_size, descriptor_size;
};

#endif
