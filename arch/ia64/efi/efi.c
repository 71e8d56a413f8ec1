// SPDX-License-Identifier: BSD-2-Clause
// Entry as an EFI application: converts the load options and the memory map to a boot loader's
// parameters, and ends the boot services. Structures and numbers are from the UEFI specification
// (4.3, 4.4, 7.2, 7.4, 9.1).

#include <stddef.h>

#include "ia64/parameters.h"

#define COMMAND_LINE_SIZE	1024
#define MEMORY_MAP_SIZE		0x8000

struct efi_header {
	uint64_t signature;
	uint32_t revision, size, check, reserved;
};

// A function descriptor: code address and global pointer.
struct efi_function;
struct efi_system_table;
uint64_t efi_call(const struct efi_function *f, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e);
const struct boot_parameters *efi_take_over(uint64_t image, const struct efi_system_table *table);

struct efi_boot_services {
	struct efi_header header;
	const struct efi_function *priority[2], *pages[2], *get_memory_map, *pool[2], *events[6], *interfaces[3],
		*handle_protocol, *reserved, *protocols[4], *images[4], *exit_boot_services;
};

struct efi_system_table {
	struct efi_header header;
	const uint16_t *vendor;
	uint32_t revision;
	const void *consoles[6];
	const void *runtime_services;
	const struct efi_boot_services *boot;
};

struct efi_loaded_image {
	uint32_t revision;
	uint64_t parent;
	const struct efi_system_table *table;
	const void *device, *path, *reserved;
	uint32_t options_size;
	const uint16_t *options;
};

_Static_assert(offsetof(struct efi_boot_services, get_memory_map) == 56 &&
	       offsetof(struct efi_boot_services, handle_protocol) == 152 &&
	       offsetof(struct efi_boot_services, exit_boot_services) == 232 &&
	       offsetof(struct efi_system_table, boot) == 96 && offsetof(struct efi_loaded_image, options) == 56,
	       "layouts");

static const struct {
	uint32_t a;
	uint16_t b, c;
	uint8_t d[8];
} loaded_image_protocol = {0x5B1B31A1, 0x9562, 0x11D2, {0x8E, 0x3F, 0x00, 0xA0, 0xC9, 0x69, 0x72, 0x3B}};

// Converts 16-bit characters to ASCII. Skips the first word, the application's name, unless it
// contains '='.
static void copy_options(const struct efi_loaded_image *image, char line[COMMAND_LINE_SIZE])
{
	const size_t size = image->options ? image->options_size / sizeof *image->options : 0;
	size_t length = 0;

	for (size_t i = 0; i < size && image->options[i] && length < COMMAND_LINE_SIZE - 1; i++)
		line[length++] = image->options[i] < 0x80 ? (char)image->options[i] : '?';
	line[length] = '\0';
	for (size_t i = 0; i < length && line[i] != '='; i++)
		if (line[i] == ' ' || i + 1 == length) {
			for (size_t j = 0; j <= i; j++)
				line[j] = ' ';
			break;
		}
}

// NULL: the boot services did not end.
const struct boot_parameters *efi_take_over(uint64_t image, const struct efi_system_table *table)
{
	static _Alignas(16) char memory_map[MEMORY_MAP_SIZE], command_line[COMMAND_LINE_SIZE];
	static struct boot_parameters parameters;
	const struct efi_boot_services *const boot = table->boot;
	const struct efi_loaded_image *loaded = NULL;
	uint64_t size, key, descriptor_size;
	uint32_t version;

	if (!efi_call(boot->handle_protocol, image, (uintptr_t)&loaded_image_protocol, (uintptr_t)&loaded, 0, 0))
		copy_options(loaded, command_line);
	// ExitBootServices fails if the map has changed: try again once.
	for (unsigned i = 0; i < 2; i++) {
		size = sizeof memory_map;
		if (efi_call(boot->get_memory_map, (uintptr_t)&size, (uintptr_t)memory_map, (uintptr_t)&key,
			     (uintptr_t)&descriptor_size, (uintptr_t)&version))
			return NULL;
		parameters = (struct boot_parameters){(uintptr_t)command_line, (uintptr_t)table,
						      (uintptr_t)memory_map, size, descriptor_size};
		if (!efi_call(boot->exit_boot_services, image, key, 0, 0, 0))
			return &parameters;
	}
	return NULL;
}
