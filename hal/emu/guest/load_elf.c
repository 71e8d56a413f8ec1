// SPDX-License-Identifier: BSD-2-Clause

#include "load_elf.h"

#include <string.h>

struct elf32_header {
	uint8_t identification[16];
	uint16_t type, machine;
	uint32_t version, entry, segments, sections, flags;
	uint16_t size, segment_size, segment_count, section_size, section_count, section_names;
};

struct elf32_segment {
	uint32_t type, offset, virtual_address, address, size, memory_size, flags, alignment;
};

struct elf64_header {
	uint8_t identification[16];
	uint16_t type, machine;
	uint32_t version;
	uint64_t entry, segments, sections;
	uint32_t flags;
	uint16_t size, segment_size, segment_count, section_size, section_count, section_names;
};

struct elf64_segment {
	uint32_t type, flags;
	uint64_t offset, virtual_address, address, size, memory_size, alignment;
};

/* Least significant byte first. */
#define ELF_MAGIC_32	"\177ELF\1\1"
#define ELF_MAGIC_64	"\177ELF\2\1"
#define ELF_MAGIC_SIZE	6

const char *load_elf_read(const struct load_file *file, struct load_elf *elf)
{
	const struct elf32_header *h = (const void *)file->bytes;
	const struct elf64_header *wide = (const void *)file->bytes;

	if (load_is_in_file(file, 0, sizeof *h) && !memcmp(h->identification, ELF_MAGIC_32, ELF_MAGIC_SIZE))
		*elf = (struct load_elf){file, false, h->entry, h->segments, h->segment_size, h->segment_count};
	else if (load_is_in_file(file, 0, sizeof *wide) && !memcmp(h->identification, ELF_MAGIC_64, ELF_MAGIC_SIZE))
		*elf = (struct load_elf){
			file, true, wide->entry, wide->segments, wide->segment_size, wide->segment_count,
		};
	else
		return "the guest's kernel is no ELF file";
	if (elf->segment_size < (elf->is_64 ? sizeof(struct elf64_segment) : sizeof(struct elf32_segment)) ||
	    !load_is_in_file(file, elf->segments, (uint64_t)elf->segment_size * elf->segment_count))
		return "the guest's kernel lacks program headers";
	return NULL;
}

struct load_segment load_elf_segment(const struct load_elf *elf, unsigned number)
{
	const void *at = elf->file->bytes + elf->segments + number * elf->segment_size;
	const struct elf32_segment *s = at;
	const struct elf64_segment *wide = at;

	if (elf->is_64)
		return (struct load_segment){
			wide->type, wide->offset, wide->size, wide->address, wide->virtual_address, wide->memory_size,
		};
	return (struct load_segment){s->type, s->offset, s->size, s->address, s->virtual_address, s->memory_size};
}

const char *load_elf_segments(const struct load_source *source, const struct load_elf *elf)
{
	const char *problem = NULL;

	for (unsigned i = 0; i < elf->segment_count && !problem; i++) {
		const struct load_segment s = load_elf_segment(elf, i);

		if (s.type == LOAD_SEGMENT && s.memory_size)
			problem = load_part(source, elf->file, s.offset, s.size, s.address, s.memory_size);
	}
	return problem;
}
