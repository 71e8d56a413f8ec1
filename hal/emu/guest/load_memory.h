/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's memory while it is loaded: the parts of its kernel, its files, and what it is passed. All is written
 * below the monitor's memory, where the files are that are read. */
#ifndef GUEST_LOAD_MEMORY_H
#define GUEST_LOAD_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "load.h"

#define LOAD_PAGE 4096u

/* A file may say anything of itself: each offset and address is checked. */
struct load_file {
	const uint8_t *bytes;
	uint32_t size;
};

static inline bool load_is_in_file(const struct load_file *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset;
}

static inline uint32_t load_address(const void *what)
{
	return (uint32_t)(uintptr_t)what;
}

/* A module as a file. */
struct load_file load_module(const struct load_source *source, unsigned module);

/* Whether the whole range is in the guest's memory below the monitor's. */
bool load_is_memory(const struct load_source *source, uint64_t start, uint64_t end);

/* A part of the kernel: `size` bytes of the file, then zeros up to `memory_size`. NULL: done; else why not. */
const char *load_part(const struct load_source *source, const struct load_file *file, uint64_t offset, uint64_t size,
		      uint64_t address, uint64_t memory_size);

/* The first address behind all parts of the kernel, and at least 1 MiB. */
uint32_t load_kernel_end(void);

/* Chooses where the guest is passed what it is passed. Call it when the kernel is there. NULL: done; else why not. */
const char *load_choose_place(const struct load_source *source);

/* Takes memory there; `alignment` is a power of 2. NULL: there is no more. load_put copies something there, and a text:
 * 0: it does not fit. */
void *load_take(uint32_t size, uint32_t alignment);
uint32_t load_put(const void *from, uint32_t size);
uint32_t load_put_text(const char *text);

/* Copies all files but the kernel, as one, to the highest memory below `most`. False: they do not fit. Else `start` and
 * `size`, 0 if there are none. */
bool load_put_initrd(const struct load_source *source, uint64_t most, uint32_t *start, uint32_t *size);

/* The kernel's command line without its first word, which is its file's name. */
const char *load_command_line(const struct load_source *source);

#endif
