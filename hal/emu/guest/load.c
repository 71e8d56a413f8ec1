// SPDX-License-Identifier: BSD-2-Clause
// What the image's boot loader gave, and which kind of kernel that is. Files are in the monitor's memory, behind its
// image, and behind that memory, too, if the machine has more. The guest's memory is written below them.

#include "load.h"

#include "load_kernels.h"
#include "monitor_memory.h"
#include "x86/memory_map.h"

#define BELOW_4_GIB		0xFFFFFFFFu
#define MEMORY_RESERVED		2

static void add_memory(struct load_source *source, uint64_t start, uint64_t end, uint32_t type)
{
	if (start >= end || source->memory_entries == LOAD_MEMORY_ENTRIES)
		return;
	source->memory[source->memory_entries++] = (struct multiboot_memory){
		.size = sizeof(struct multiboot_memory) - sizeof(uint32_t),
		.start = start, .length = end - start, .type = type,
	};
	if (type == MULTIBOOT_MEMORY_RAM && end <= BELOW_4_GIB && end > source->memory_end)
		source->memory_end = end;
}

// Of memory the monitor's is taken away, and what is between that and where the guest's goes on.
static void read_memory_map(const struct multiboot_information *information, struct load_source *source)
{
	const struct x86_memory_map map = {
		(const void *)(uintptr_t)information->memory_map, information->memory_map_size, X86_MEMORY_MULTIBOOT,
	};
	struct x86_memory_range range;

	for (uint32_t offset = 0; x86_memory_next(&map, &offset, &range);) {
		if (range.type != MULTIBOOT_MEMORY_RAM || range.start >= MONITOR_START || range.end <= MONITOR_START) {
			add_memory(source, range.start, range.end, range.type);
			continue;
		}
		add_memory(source, range.start, MONITOR_START, range.type);
		add_memory(source, MONITOR_START, range.end < GUEST_CONTINUES ? range.end : GUEST_CONTINUES,
			   MEMORY_RESERVED);
		add_memory(source, GUEST_CONTINUES, range.end, range.type);
	}
}

const char *load_read(const struct multiboot_information *information, struct load_source *source)
{
	const struct multiboot_module *module = (const void *)(uintptr_t)information->modules;
	uint64_t end;

	if (!(information->flags & MULTIBOOT_MODULES) || !information->module_count)
		return "there is no guest: it is the first module";
	if (information->module_count > LOAD_MODULES)
		return "there are more modules than 15";
	if (!(information->flags & MULTIBOOT_MEMORY_MAP))
		return "the boot loader gave no memory map";
	read_memory_map(information, source);
	end = source->memory_end > GUEST_CONTINUES ? source->memory_end : MONITOR_END;
	for (; source->modules < information->module_count; source->modules++) {
		const struct multiboot_module *m = &module[source->modules];

		if (m->start < MONITOR_START || m->end > end || m->start > m->end)
			return "the guest's files do not fit into the monitor's memory: more memory may help";
		source->module[source->modules] = *m;
	}
	return NULL;
}

const char *load_guest(const struct load_source *source, struct load_entry *entry)
{
	const struct load_file file = load_module(source, 0);

	if (load_is_multiboot(&file))
		return load_multiboot(source, entry);
	return load_is_linux(&file) ? load_linux(source, entry) : load_pvh(source, entry);
}
