// SPDX-License-Identifier: BSD-2-Clause
// PVH: an ELF file with a note of Xen's that says where it is entered, in 32-bit mode (Xen, docs/misc/pvh.pandoc).

#include <string.h>

#include "load_elf.h"
#include "load_kernels.h"
#include "tables.h"
#include "x86/memory_map.h"
#include "x86/pvh.h"

#define SELECTOR_CODE		0x08
#define NOTE_ALIGNMENT		4u

struct note {
	uint32_t name_size, size, type;
};

static uint64_t aligned(uint32_t size)
{
	return ((uint64_t)size + NOTE_ALIGNMENT - 1) & ~(uint64_t)(NOTE_ALIGNMENT - 1);
}

// In a segment of notes. A number of 32 or 64 bits, of which the entry is the low half.
static bool find_entry(const struct load_file *file, const struct load_segment *notes, uint32_t *entry)
{
	const uint64_t end = notes->offset + notes->size;
	uint64_t at = notes->offset;

	if (!load_is_in_file(file, notes->offset, notes->size))
		return false;
	while (end - at >= sizeof(struct note)) {
		const struct note *n = (const void *)(file->bytes + at);
		const uint64_t name = at + sizeof *n, value = name + aligned(n->name_size);

		at = value + aligned(n->size);
		if (at > end)
			return false;
		if (n->type != PVH_NOTE_ENTRY || n->size < sizeof *entry || n->name_size != sizeof PVH_NOTE_NAME ||
		    memcmp(file->bytes + name, PVH_NOTE_NAME, sizeof PVH_NOTE_NAME))
			continue;
		memcpy(entry, file->bytes + value, sizeof *entry);
		return true;
	}
	return false;
}

static bool has_note(const struct load_elf *elf, uint32_t *entry)
{
	for (unsigned i = 0; i < elf->segment_count; i++) {
		const struct load_segment s = load_elf_segment(elf, i);

		if (s.type == LOAD_SEGMENT_NOTE && find_entry(elf->file, &s, entry))
			return true;
	}
	return false;
}

static bool is_in_kernel(const struct load_elf *elf, uint32_t entry)
{
	for (unsigned i = 0; i < elf->segment_count; i++) {
		const struct load_segment s = load_elf_segment(elf, i);

		if (s.type == LOAD_SEGMENT && entry - s.address < s.memory_size)
			return true;
	}
	return false;
}

static uint64_t put_memory(const struct load_source *source)
{
	struct x86_pvh_memory *map = load_take(source->memory_entries * (uint32_t)sizeof *map, sizeof(uint64_t));

	for (unsigned i = 0; map && i < source->memory_entries; i++)
		map[i] = (struct x86_pvh_memory){
			source->memory[i].start, source->memory[i].length, source->memory[i].type, 0,
		};
	return (uintptr_t)map;
}

static const char *pass(const struct load_source *source, struct load_entry *entry)
{
	struct pvh_start_info *info = load_take(sizeof *info, sizeof(uint64_t));
	struct pvh_module *initrd = load_take(sizeof *initrd, sizeof(uint64_t));
	uint32_t start, size;

	if (!load_put_initrd(source, UINT32_MAX, &start, &size))
		return "the guest's initrd does not fit into its memory";
	*initrd = (struct pvh_module){.start = start, .size = size};
	*info = (struct pvh_start_info){
		.magic = PVH_MAGIC, .version = PVH_HAS_MEMORY_MAP, .modules = size != 0,
		.module_list = size ? (uintptr_t)initrd : 0,
		.command_line = load_put_text(load_command_line(source)),
		.acpi_table = tables_root_pointer(),
		.memory_map = put_memory(source), .memory_map_entries = source->memory_entries,
	};
	entry->selector = SELECTOR_CODE;
	entry->ebx = load_address(info);
	return info->command_line && info->memory_map ? NULL : "the guest's command line is too long";
}

const char *load_pvh(const struct load_source *source, struct load_entry *entry)
{
	const struct load_file file = load_module(source, 0);
	struct load_elf elf;
	const char *problem = load_elf_read(&file, &elf);

	if (problem && !elf.segment_count)
		return "the guest's kernel is no ELF file, and has no Multiboot 1 header and none of Linux's "
		       "boot protocol";
	if (problem)
		return problem;
	if (!has_note(&elf, &entry->address))
		return "the guest's kernel is an ELF file without a Multiboot 1 header or a note for PVH";
	problem = load_elf_segments(source, &elf);
	if (!problem && !is_in_kernel(&elf, entry->address))
		problem = "the guest's kernel is to be entered where nothing of it is";
	if (!problem)
		problem = load_choose_place(source);
	return problem ? problem : pass(source, entry);
}
