// SPDX-License-Identifier: BSD-2-Clause

#include "load_memory.h"

#include <string.h>

#include "monitor_memory.h"

// What the guest is passed: high in low memory, where few kernels are; behind one that is.
#define PLACE_START	0x80000u
#define PLACE_SIZE	0x1F000u
#define UPPER_START	0x100000u

#define INITRD_ALIGNMENT 4u	/* of each archive in it (Linux, Documentation/driver-api/early-userspace) */

struct load_file load_module(const struct load_source *source, unsigned module)
{
	const struct multiboot_module *m = &source->module[module];

	return (struct load_file){(const void *)(uintptr_t)m->start, m->end - m->start};
}

bool load_is_memory(const struct load_source *source, uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < source->memory_entries; i++) {
		const struct multiboot_memory *m = &source->memory[i];

		if (m->type == MULTIBOOT_MEMORY_RAM && start >= m->start && start <= end &&
		    end <= m->start + m->length && end <= MONITOR_START)
			return true;
	}
	return false;
}

//
// The kernel
//

static uint32_t kernel_end = UPPER_START;
static bool kernel_is_low;	// where the place is

const char *load_part(const struct load_source *source, const struct load_file *file, uint64_t offset, uint64_t size,
		      uint64_t address, uint64_t memory_size)
{
	uint8_t *to = (void *)(uintptr_t)address;

	if (!load_is_in_file(file, offset, size) || size > memory_size)
		return "a part of the guest's kernel is not in its file";
	if (memory_size > MONITOR_START || !load_is_memory(source, address, address + memory_size))
		return "a part of the guest's kernel has an address where it has no memory";
	memcpy(to, file->bytes + offset, size);
	memset(to + size, 0, memory_size - size);
	kernel_is_low |= address < PLACE_START + PLACE_SIZE && address + memory_size > PLACE_START;
	if (address + memory_size > kernel_end)
		kernel_end = (uint32_t)(address + memory_size);
	return NULL;
}

uint32_t load_kernel_end(void)
{
	return kernel_end;
}

//
// What it is passed
//

// Where the next item goes, and the end of the space for them.
static uint32_t place, place_end;

const char *load_choose_place(const struct load_source *source)
{
	place = PLACE_START;
	if (kernel_is_low) {
		place = (kernel_end + LOAD_PAGE - 1) & ~(LOAD_PAGE - 1);
		kernel_end = place + PLACE_SIZE;
	}
	place_end = place + PLACE_SIZE;
	return load_is_memory(source, place, place_end) ? NULL :
		"the guest's kernel leaves no memory for boot information";
}

void *load_take(uint32_t size, uint32_t alignment)
{
	const uint32_t at = (place + alignment - 1) & ~(alignment - 1);

	if (at > place_end || size > place_end - at)
		return NULL;
	place = at + size;
	return (void *)(uintptr_t)at;
}

uint32_t load_put(const void *from, uint32_t size)
{
	void *to = load_take(size, sizeof(uint32_t));

	if (to)
		memcpy(to, from, size);
	return load_address(to);
}

uint32_t load_put_text(const char *text)
{
	const size_t size = strlen(text) + 1;

	return size > PLACE_SIZE ? 0 : load_put(text, (uint32_t)size);
}

static uint64_t initrd_size(const struct load_source *source)
{
	uint64_t size = 0;

	for (unsigned i = 1; i < source->modules; i++)
		size = ((size + INITRD_ALIGNMENT - 1) & ~(uint64_t)(INITRD_ALIGNMENT - 1)) +
			load_module(source, i).size;
	return size;
}

bool load_put_initrd(const struct load_source *source, uint64_t most, uint32_t *start, uint32_t *size)
{
	const uint64_t all = initrd_size(source), end = most < MONITOR_START ? most : MONITOR_START;
	uint64_t at = (end - all) & ~(uint64_t)(LOAD_PAGE - 1);

	*start = *size = 0;
	if (!all)
		return true;
	if (all > end || at < kernel_end || !load_is_memory(source, at, at + all))
		return false;
	*start = (uint32_t)at;
	*size = (uint32_t)all;
	for (unsigned i = 1; i < source->modules; i++) {
		const struct load_file file = load_module(source, i);

		for (; at % INITRD_ALIGNMENT; at++)
			*(uint8_t *)(uintptr_t)at = 0;
		memcpy((void *)(uintptr_t)at, file.bytes, file.size);
		at += file.size;
	}
	return true;
}

const char *load_command_line(const struct load_source *source)
{
	const char *line = (const char *)(uintptr_t)source->module[0].command_line;

	while (*line && *line != ' ')
		line++;
	return *line ? line + 1 : line;
}
