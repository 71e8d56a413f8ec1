// SPDX-License-Identifier: BSD-2-Clause
// The Linux boot protocol (Linux, Documentation/x86/boot.rst): a bzImage, entered at its 64-bit entry if it has one,
// else at its 32-bit entry.

#include <string.h>

#include "load_kernels.h"
#include "x86/linux.h"

// What boot.rst wants: descriptors of flat segments, code's at 10H, data's at 18H.
#define SELECTOR_CODE		0x10
#define DESCRIPTOR_CODE_32	0x00CF9B000000FFFFu
#define DESCRIPTOR_CODE_64	0x00AF9B000000FFFFu
#define DESCRIPTOR_DATA		0x00CF93000000FFFFu

#define SECTOR			512u
#define PARAGRAPH		16u
#define SETUP_SECTORS_OLDEST	4	/* where the header says 0 */
#define LOADED_HIGH_AT		0x100000u

#define PAGE_PRESENT_WRITE	0x003
#define PAGE_LARGE		0x080
#define LARGE_PAGE_SIZE		0x200000u
#define TABLE_ENTRIES		512u
#define GIBS			4u

typedef uint64_t page_table[TABLE_ENTRIES];

bool load_is_linux(const struct load_file *file)
{
	const struct linux_parameters *p = (const void *)file->bytes;

	return load_is_in_file(file, 0, LINUX_HEADER_END) && p->boot_flag == LINUX_BOOT_FLAG &&
	       p->header == LINUX_HEADER_MAGIC;
}

// The 32-bit code of the file goes where the header says.
static const char *load_code(const struct load_source *source, const struct load_file *file,
			     const struct linux_parameters *header, uint32_t *address)
{
	const uint64_t sectors = header->setup_sectors ? header->setup_sectors : SETUP_SECTORS_OLDEST;
	const uint64_t offset = (sectors + 1) * SECTOR, size = (uint64_t)header->code_paragraphs * PARAGRAPH;
	const uint64_t at = header->relocatable ? header->preferred_address : LOADED_HIGH_AT;

	if (header->version < LINUX_VERSION_NEEDED)
		return "the guest's kernel has an older boot protocol than 2.10 (Linux 2.6.31)";
	if (!(header->load_flags & LINUX_LOADED_HIGH))
		return "the guest's kernel is a zImage, which is loaded below 1 MiB";
	if (!load_is_in_file(file, offset, size))
		return "the guest's kernel is cut off: its file is shorter than its header says";
	// Decompressed it needs more, and may move to the address that it prefers.
	if (!load_is_memory(source, header->preferred_address, header->preferred_address + header->memory_needed))
		return "the guest's kernel needs more memory than there is";
	*address = (uint32_t)at;
	return load_part(source, file, offset, size, at, size > header->memory_needed ? size : header->memory_needed);
}

// Every address of the first 4 GiB is itself. 0: there is no memory for that.
static uint32_t put_tables(void)
{
	page_table *tables = load_take((2 + GIBS) * sizeof *tables, LOAD_PAGE);

	if (!tables)
		return 0;
	memset(tables, 0, 2 * sizeof *tables);
	tables[0][0] = (uintptr_t)tables[1] | PAGE_PRESENT_WRITE;
	for (uint32_t i = 0; i < GIBS; i++)
		tables[1][i] = (uintptr_t)tables[2 + i] | PAGE_PRESENT_WRITE;
	for (uint64_t i = 0; i < GIBS * TABLE_ENTRIES; i++)
		tables[2 + i / TABLE_ENTRIES][i % TABLE_ENTRIES] =
			i * LARGE_PAGE_SIZE | PAGE_PRESENT_WRITE | PAGE_LARGE;
	return load_address(tables);
}

static void put_memory(const struct load_source *source, struct linux_parameters *p)
{
	for (unsigned i = 0; i < source->memory_entries; i++)
		p->memory[i] = (struct linux_memory){
			source->memory[i].start, source->memory[i].length, source->memory[i].type,
		};
	p->memory_entries = (uint8_t)source->memory_entries;
}

// The zero page: the file's header, and what a boot loader adds.
static struct linux_parameters *put_parameters(const struct load_source *source, const struct load_file *file)
{
	const uint32_t end = LINUX_HEADER_MAGIC_AT + file->bytes[LINUX_HEADER_MAGIC_AT - 1];
	struct linux_parameters *p = load_take(sizeof *p, LOAD_PAGE);

	if (!p)
		return NULL;
	memset(p, 0, sizeof *p);
	memcpy((uint8_t *)p + LINUX_HEADER, file->bytes + LINUX_HEADER,
	       (end < LINUX_HEADER_END ? end : LINUX_HEADER_END) - LINUX_HEADER);
	p->loader = LINUX_LOADER_UNKNOWN;
	put_memory(source, p);
	return p;
}

static const char *pass(const struct load_source *source, const struct load_file *file, struct load_entry *entry)
{
	static const char too_long[] = "the guest's command line is too long";
	struct linux_parameters *p = put_parameters(source, file);
	const char *line = load_command_line(source);
	uint32_t initrd, initrd_size;
	uint64_t descriptors[] = {0, 0, DESCRIPTOR_CODE_32, DESCRIPTOR_DATA};

	if (!p)
		return too_long;
	if (strlen(line) > p->command_line_most)
		return "the guest's command line is longer than its kernel reads";
	p->command_line = load_put_text(line);
	p->code32_start = entry->address;
	if (!load_put_initrd(source, p->initrd_address_most + 1ULL, &initrd, &initrd_size))
		return "the guest's initrd does not fit into its memory";
	p->initrd = initrd;
	p->initrd_size = initrd_size;
	if (p->more_load_flags & LINUX_ENTRY_64) {
		descriptors[SELECTOR_CODE / sizeof *descriptors] = DESCRIPTOR_CODE_64;
		entry->address += LINUX_ENTRY_64_OFFSET;
		entry->tables = put_tables();
		if (!entry->tables)
			return too_long;
	}
	entry->selector = SELECTOR_CODE;
	entry->descriptors = load_put(descriptors, sizeof descriptors);
	entry->descriptors_size = sizeof descriptors;
	entry->esi = load_address(p);
	return p->command_line && entry->descriptors ? NULL : too_long;
}

const char *load_linux(const struct load_source *source, struct load_entry *entry)
{
	const struct load_file file = load_module(source, 0);
	const char *problem = load_code(source, &file, (const void *)file.bytes, &entry->address);

	if (!problem)
		problem = load_choose_place(source);
	return problem ? problem : pass(source, &file, entry);
}
