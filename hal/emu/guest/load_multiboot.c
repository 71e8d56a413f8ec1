// SPDX-License-Identifier: BSD-2-Clause
// Multiboot 1 (version 0.6.96 of the specification).

#include <string.h>

#include "load_elf.h"
#include "load_kernels.h"

#define KIB			1024u
#define UPPER_START		0x100000u
#define SELECTOR_CODE		0x08

//
// The kernel
//

static const char entry_is_elsewhere[] = "the guest's kernel is to be entered where nothing of it is";

static const struct multiboot_header *find_header(const struct load_file *file)
{
	const uint32_t size = 3 * sizeof(uint32_t);

	for (uint32_t offset = 0; offset + size <= MULTIBOOT_HEADER_SEARCH; offset += 4) {
		const struct multiboot_header *h = (const void *)(file->bytes + offset);

		if (!load_is_in_file(file, offset, size))
			return NULL;
		if (h->magic == MULTIBOOT_HEADER_MAGIC && h->magic + h->flags + h->checksum == 0)
			return h;
	}
	return NULL;
}

bool load_is_multiboot(const struct load_file *file)
{
	return find_header(file);
}

// The header says where the file goes: 3.1.3. `load_end_address` 0: all of it; `bss_end_address` 0: there is none.
static const char *load_by_addresses(const struct load_source *source, const struct load_file *file,
				     const struct multiboot_header *h)
{
	const uint32_t header = (uint32_t)((const uint8_t *)h - file->bytes);
	const uint32_t before = h->header_address - h->load_address, offset = header - before;
	const char *problem;
	uint32_t size, memory_size;

	if (!load_is_in_file(file, header, sizeof *h) || h->load_address > h->header_address || before > header)
		return "the addresses in the guest's Multiboot header contradict each other";
	size = h->load_end_address ? h->load_end_address - h->load_address : file->size - offset;
	memory_size = h->bss_end_address ? h->bss_end_address - h->load_address : size;
	problem = load_part(source, file, offset, size, h->load_address, memory_size);
	return problem || h->entry_address - h->load_address < memory_size ? problem : entry_is_elsewhere;
}

static const char *load_by_segments(const struct load_source *source, const struct load_file *file, uint32_t *entry)
{
	struct load_elf elf;
	const char *problem = load_elf_read(file, &elf);
	uint64_t first = UINT64_MAX;
	bool has_entry = false;

	if (elf.is_64 || (problem && !elf.segment_count))
		return "the guest's kernel is no 32-bit ELF file, and its header has no addresses";
	if (!problem)
		problem = load_elf_segments(source, &elf);
	if (problem)
		return problem;
	*entry = (uint32_t)elf.entry;
	for (unsigned i = 0; i < elf.segment_count; i++) {
		const struct load_segment s = load_elf_segment(&elf, i);

		if (s.type != LOAD_SEGMENT || !s.memory_size)
			continue;
		// An entry that is a virtual address is meant where that segment is.
		if (elf.entry - s.virtual_address < s.memory_size && s.address < first) {
			*entry = (uint32_t)(elf.entry - s.virtual_address + s.address);
			first = s.address;
		}
		has_entry |= *entry - s.address < s.memory_size;
	}
	return has_entry ? NULL : entry_is_elsewhere;
}

static const char *load_kernel(const struct load_source *source, const struct load_file *file, uint32_t *entry)
{
	const struct multiboot_header *h = find_header(file);

	if (h->flags & MULTIBOOT_REQUIREMENTS &
	    ~(MULTIBOOT_PAGE_ALIGN | MULTIBOOT_WANTS_MEMORY | MULTIBOOT_WANTS_VIDEO))
		return "the guest's Multiboot header requires what is not known";
	if (!(h->flags & MULTIBOOT_HAS_ADDRESSES))
		return load_by_segments(source, file, entry);
	*entry = h->entry_address;
	return load_by_addresses(source, file, h);
}

//
// What it is passed
//

static uint32_t put_text(uint32_t address)
{
	return load_put_text((const char *)(uintptr_t)address);
}

// Modules are behind the kernel, each on a page of its own.
static const char *put_modules(const struct load_source *source, struct multiboot_information *information)
{
	const uint32_t count = source->modules - 1;
	struct multiboot_module *modules = load_take(count * (uint32_t)sizeof *modules, sizeof(uint32_t));
	uint32_t end = load_kernel_end();

	if (!modules)
		return "the guest has too many modules";
	for (uint32_t i = 0; i < count; i++) {
		const struct load_file from = load_module(source, i + 1);
		const uint32_t start = (end + LOAD_PAGE - 1) & ~(LOAD_PAGE - 1);

		if (!load_is_memory(source, start, (uint64_t)start + from.size))
			return "the guest's modules do not fit into its memory";
		memcpy((void *)(uintptr_t)start, from.bytes, from.size);
		end = start + from.size;
		modules[i] = (struct multiboot_module){start, end, put_text(source->module[i + 1].command_line), 0};
		if (!modules[i].command_line)
			return "the guest's modules have too long command lines";
	}
	information->modules = load_address(modules);
	information->module_count = count;
	return NULL;
}

// memory_lower and memory_upper: what is contiguous from 0, and from 1 MiB on.
static void put_memory(const struct load_source *source, struct multiboot_information *information)
{
	const uint32_t size = source->memory_entries * (uint32_t)sizeof *source->memory;

	for (unsigned i = 0; i < source->memory_entries; i++) {
		const struct multiboot_memory *m = &source->memory[i];

		if (m->type == MULTIBOOT_MEMORY_RAM && m->start == 0)
			information->memory_lower_kib = (uint32_t)(m->length / KIB);
		if (m->type == MULTIBOOT_MEMORY_RAM && m->start == UPPER_START)
			information->memory_upper_kib = (uint32_t)(m->length / KIB);
	}
	information->memory_map = load_put(source->memory, size);
	information->memory_map_size = size;
}

const char *load_multiboot(const struct load_source *source, struct load_entry *entry)
{
	static const char name[] = "palmon";
	const struct load_file file = load_module(source, 0);
	struct multiboot_information *information;
	const char *problem = load_kernel(source, &file, &entry->address);

	if (!problem)
		problem = load_choose_place(source);
	if (problem)
		return problem;
	information = load_take(sizeof *information, sizeof(uint32_t));
	*information = (struct multiboot_information){
		.flags = MULTIBOOT_MEMORY | MULTIBOOT_COMMAND_LINE | MULTIBOOT_MODULES | MULTIBOOT_MEMORY_MAP |
			 MULTIBOOT_LOADER_NAME,
	};
	entry->selector = SELECTOR_CODE;
	entry->eax = MULTIBOOT_LOADER_MAGIC;
	entry->ebx = load_address(information);
	put_memory(source, information);
	information->command_line = put_text(source->module[0].command_line);
	information->loader_name = load_put(name, sizeof name);
	problem = put_modules(source, information);
	if (problem)
		return problem;
	return information->loader_name && information->command_line ? NULL : "the guest's command line is too long";
}
