// SPDX-License-Identifier: BSD-2-Clause
// The boot loader of the guest. Files are in the monitor's memory, behind its image: nothing that is written here
// overlaps them: all is written below that memory. A file may say anything of itself: each offset and address is
// checked.

#include "load.h"

#include <stdbool.h>
#include <string.h>

#include "monitor_memory.h"
#include "x86/memory_map.h"

// The information and what it points at: high in low memory, where few kernels are; behind one that is.
#define INFORMATION_START	0x80000u
#define INFORMATION_SIZE	0x1F000u
#define KIB			1024u
#define UPPER_START		0x100000u

#define PAGE 4096u

//
// What the boot loader gave
//

static void add_memory(struct load_source *source, uint64_t start, uint64_t end, uint32_t type)
{
	if (start < end && source->memory_entries < LOAD_MEMORY_ENTRIES)
		source->memory[source->memory_entries++] = (struct multiboot_memory){
			.size = sizeof(struct multiboot_memory) - sizeof(uint32_t),
			.start = start, .length = end - start, .type = type,
		};
}

// The monitor's memory is taken away, and what is above, where the firmware's tables are.
static void read_memory_map(const struct multiboot_information *information, struct load_source *source)
{
	const struct x86_memory_map map = {
		(const void *)(uintptr_t)information->memory_map, information->memory_map_size, X86_MEMORY_MULTIBOOT,
	};
	struct x86_memory_range range;

	for (uint32_t offset = 0; x86_memory_next(&map, &offset, &range);) {
		if (range.type == MULTIBOOT_MEMORY_RAM && range.end > MONITOR_START)
			range.end = MONITOR_START;
		add_memory(source, range.start, range.end, range.type);
	}
}

const char *load_read(const struct multiboot_information *information, struct load_source *source)
{
	const struct multiboot_module *module = (const void *)(uintptr_t)information->modules;

	if (!(information->flags & MULTIBOOT_MODULES) || !information->module_count)
		return "there is no guest: it is the first module";
	if (information->module_count > LOAD_MODULES)
		return "there are more modules than 15";
	if (!(information->flags & MULTIBOOT_MEMORY_MAP))
		return "the boot loader gave no memory map";
	for (; source->modules < information->module_count; source->modules++)
		source->module[source->modules] = module[source->modules];
	for (unsigned i = 0; i < source->modules; i++)
		if (source->module[i].start < MONITOR_START || source->module[i].end > MONITOR_END ||
		    source->module[i].start > source->module[i].end)
			return "the guest's files do not fit into the monitor's memory";
	read_memory_map(information, source);
	return NULL;
}

//
// The kernel
//

struct file {
	const uint8_t *bytes;
	uint32_t size;
};

static bool is_in_file(const struct file *file, uint32_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset;
}

// Whether the whole range is in the guest's memory.
static bool is_memory(const struct load_source *source, uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < source->memory_entries; i++) {
		const struct multiboot_memory *m = &source->memory[i];

		if (m->type == MULTIBOOT_MEMORY_RAM && start >= m->start && end <= m->start + m->length)
			return true;
	}
	return false;
}

static bool kernel_is_low;	// where the information would be

// A part of the kernel: `size` bytes of the file, then zeros up to `memory_size`.
static const char *load_part(const struct load_source *source, const struct file *file, uint32_t offset, uint32_t size,
			     uint32_t address, uint32_t memory_size, uint32_t *end)
{
	if (!is_in_file(file, offset, size) || size > memory_size)
		return "a part of the guest's kernel is not in its file";
	if (!is_memory(source, address, (uint64_t)address + memory_size))
		return "a part of the guest's kernel has an address where it has no memory";
	memcpy((void *)(uintptr_t)address, file->bytes + offset, size);
	memset((void *)(uintptr_t)(address + size), 0, memory_size - size);
	kernel_is_low |= address < INFORMATION_START + INFORMATION_SIZE && address + memory_size > INFORMATION_START;
	if (address + memory_size > *end)
		*end = address + memory_size;
	return NULL;
}

static const char entry_is_elsewhere[] = "the guest's kernel is to be entered where nothing of it is";

static const struct multiboot_header *find_header(const struct file *file)
{
	const uint32_t size = 3 * sizeof(uint32_t);

	for (uint32_t offset = 0; offset + size <= MULTIBOOT_HEADER_SEARCH; offset += 4) {
		const struct multiboot_header *h = (const void *)(file->bytes + offset);

		if (!is_in_file(file, offset, size))
			return NULL;
		if (h->magic == MULTIBOOT_HEADER_MAGIC && h->magic + h->flags + h->checksum == 0)
			return h;
	}
	return NULL;
}

// The header says where the file goes: 3.1.3. `load_end_address` 0: all of it; `bss_end_address` 0: there is none.
static const char *load_by_addresses(const struct load_source *source, const struct file *file,
				     const struct multiboot_header *h, uint32_t *end)
{
	const uint32_t header = (uint32_t)((const uint8_t *)h - file->bytes);
	const uint32_t before = h->header_address - h->load_address, offset = header - before;
	const char *problem;
	uint32_t size, memory_size;

	if (!is_in_file(file, header, sizeof *h) || h->load_address > h->header_address || before > header)
		return "the addresses in the guest's Multiboot header contradict each other";
	size = h->load_end_address ? h->load_end_address - h->load_address : file->size - offset;
	memory_size = h->bss_end_address ? h->bss_end_address - h->load_address : size;
	problem = load_part(source, file, offset, size, h->load_address, memory_size, end);
	return problem || h->entry_address - h->load_address < memory_size ? problem : entry_is_elsewhere;
}

// 32-bit ELF: System V ABI, chapters 4 and 5.
struct elf_header {
	uint8_t identification[16];
	uint16_t type, machine;
	uint32_t version, entry, segments, sections, flags;
	uint16_t size, segment_size, segment_count, section_size, section_count, section_names;
};

struct elf_segment {
	uint32_t type, offset, virtual_address, address, size, memory_size, flags, alignment;
};

#define ELF_MAGIC	"\177ELF\1\1"	/* 32 bits, least significant byte first */
#define ELF_LOAD	1

static const char *load_by_segments(const struct load_source *source, const struct file *file, uint32_t *entry,
				    uint32_t *end)
{
	const struct elf_header *elf = (const void *)file->bytes;
	const char *problem = NULL;
	uint32_t first = UINT32_MAX;
	bool has_entry = false;

	if (!is_in_file(file, 0, sizeof *elf) || memcmp(elf->identification, ELF_MAGIC, sizeof ELF_MAGIC - 1))
		return "the guest's kernel is no 32-bit ELF file, and its header has no addresses";
	if (elf->segment_size < sizeof(struct elf_segment) ||
	    !is_in_file(file, elf->segments, (uint64_t)elf->segment_size * elf->segment_count))
		return "the guest's kernel lacks program headers";
	*entry = elf->entry;
	for (unsigned i = 0; i < elf->segment_count && !problem; i++) {
		const struct elf_segment *s = (const void *)(file->bytes + elf->segments + i * elf->segment_size);

		if (s->type != ELF_LOAD || !s->memory_size)
			continue;
		problem = load_part(source, file, s->offset, s->size, s->address, s->memory_size, end);
		// An entry that is a virtual address is meant where that segment is.
		if (elf->entry - s->virtual_address < s->memory_size && s->address < first) {
			*entry = elf->entry - s->virtual_address + s->address;
			first = s->address;
		}
		has_entry |= *entry - s->address < s->memory_size;
	}
	return problem || has_entry ? problem : entry_is_elsewhere;
}

static const char *load_kernel(const struct load_source *source, const struct file *file, uint32_t *entry,
			       uint32_t *end)
{
	const struct multiboot_header *h = find_header(file);

	if (!h)
		return "the guest's kernel has no Multiboot 1 header";
	if (h->flags & MULTIBOOT_REQUIREMENTS &
	    ~(MULTIBOOT_PAGE_ALIGN | MULTIBOOT_WANTS_MEMORY | MULTIBOOT_WANTS_VIDEO))
		return "the guest's Multiboot header requires what is not known";
	if (!(h->flags & MULTIBOOT_HAS_ADDRESSES))
		return load_by_segments(source, file, entry, end);
	*entry = h->entry_address;
	return load_by_addresses(source, file, h, end);
}

//
// What it is passed
//

// Where the next item goes, and the end of the space for them.
static uint32_t place, place_end;

static const char *choose_place(const struct load_source *source, uint32_t *kernel_end)
{
	place = INFORMATION_START;
	if (kernel_is_low) {
		place = (*kernel_end + PAGE - 1) & ~(PAGE - 1);
		*kernel_end = place + INFORMATION_SIZE;
	}
	place_end = place + INFORMATION_SIZE;
	return is_memory(source, place, place_end) ? NULL : "the guest's kernel leaves no memory for boot information";
}

static void *take(uint32_t size)
{
	uint32_t at = (place + 3) & ~3u;

	if (at + size > place_end)
		return NULL;
	place = at + size;
	return (void *)(uintptr_t)at;
}

static uint32_t address_of(const void *what)
{
	return (uint32_t)(uintptr_t)what;
}

// 0: it does not fit.
static uint32_t put(const void *from, uint32_t size)
{
	void *to = take(size);

	if (to)
		memcpy(to, from, size);
	return address_of(to);
}

static uint32_t put_string(uint32_t address)
{
	const char *s = (const char *)(uintptr_t)address;

	return put(s, (uint32_t)strlen(s) + 1);
}

// Modules are behind the kernel, each on a page of its own.
static const char *put_modules(const struct load_source *source, struct multiboot_information *information,
			       uint32_t end)
{
	const uint32_t count = source->modules - 1;
	struct multiboot_module *modules = take(count * (uint32_t)sizeof *modules);

	if (!modules)
		return "the guest has too many modules";
	for (uint32_t i = 0; i < count; i++) {
		const struct multiboot_module *from = &source->module[i + 1];
		const uint32_t size = from->end - from->start, start = (end + PAGE - 1) & ~(PAGE - 1);

		if (!is_memory(source, start, (uint64_t)start + size))
			return "the guest's modules do not fit into its memory";
		memcpy((void *)(uintptr_t)start, (const void *)(uintptr_t)from->start, size);
		end = start + size;
		modules[i] = (struct multiboot_module){start, end, put_string(from->command_line), 0};
		if (!modules[i].command_line)
			return "the guest's modules have too long command lines";
	}
	information->modules = address_of(modules);
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
	information->memory_map = put(source->memory, size);
	information->memory_map_size = size;
}

const char *load_guest(const struct load_source *source, struct load_entry *entry)
{
	static const char name[] = "palmon";
	const struct multiboot_module *kernel = &source->module[0];
	const struct file file = {(const void *)(uintptr_t)kernel->start, kernel->end - kernel->start};
	struct multiboot_information *information;
	uint32_t end = UPPER_START;
	const char *problem = load_kernel(source, &file, &entry->address, &end);

	if (!problem)
		problem = choose_place(source, &end);
	if (problem)
		return problem;
	information = take(sizeof *information);
	*information = (struct multiboot_information){
		.flags = MULTIBOOT_MEMORY | MULTIBOOT_COMMAND_LINE | MULTIBOOT_MODULES | MULTIBOOT_MEMORY_MAP |
			 MULTIBOOT_LOADER_NAME,
	};
	entry->information = address_of(information);
	put_memory(source, information);
	information->command_line = put_string(kernel->command_line);
	information->loader_name = put(name, sizeof name);
	problem = put_modules(source, information, end);
	if (problem)
		return problem;
	return information->loader_name && information->command_line ? NULL : "the guest's command line is too long";
}
