/* SPDX-License-Identifier: BSD-2-Clause */
/* ELF files, of 32 and of 64 bits (System V ABI, chapters 4 and 5). */
#ifndef GUEST_LOAD_ELF_H
#define GUEST_LOAD_ELF_H

#include "load_memory.h"

struct load_elf {
	const struct load_file *file;
	bool is_64;
	uint64_t entry, segments;
	uint32_t segment_size, segment_count;
};

struct load_segment {
	uint32_t type;
	uint64_t offset, size, address, virtual_address, memory_size;
};

#define LOAD_SEGMENT		1	/* type: it is to be in memory */
#define LOAD_SEGMENT_NOTE	4

/* NULL: `elf` is filled; else why the file is no ELF file. */
const char *load_elf_read(const struct load_file *file, struct load_elf *elf);

/* A segment, of segment_count. */
struct load_segment load_elf_segment(const struct load_elf *elf, unsigned number);

/* Loads the segments to their physical addresses. NULL: done; else why not. */
const char *load_elf_segments(const struct load_source *source, const struct load_elf *elf);

#endif
