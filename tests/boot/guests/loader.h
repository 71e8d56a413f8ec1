/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the loader of these tests share (loader.c). */
#ifndef TEST_LOADER_H
#define TEST_LOADER_H

#include <stdint.h>

/* As the Linux boot protocol and coreboot have entries of a memory map; PVH's are longer, Multiboot's begin with their
 * size. */
struct __attribute__((packed)) range {
	uint64_t start, length;
	uint32_t type;
};

#define RANGES 32

/* What the words say. */
struct told {
	struct range range[RANGES];
	uint32_t ranges;
	uint32_t magic, sizes[2], has_sizes;
	uint32_t pvh;			/* the entry; 0: another protocol */
	uint64_t linux_at, linux_64_at;	/* where the image goes; 0: another protocol */
	uint32_t coreboot;		/* where its table goes; 0: another protocol */
	uint32_t serial[2];		/* coreboot's: port or address, and the size of a register (0: a port) */
	uint32_t calls;			/* the file returns */
	uint32_t interrupts;		/* that wait */
	uint32_t ring;			/* coreboot's console in memory, of 4 KiB */
	uint32_t screen[4];		/* a frame buffer's address, width, height, bytes of a line; 32 bits a pixel */
	const char *command_line;
};

/* Start the file, and do not come back. */
void start_linux(const struct told *told, const uint8_t *file, uint32_t size);
void make_coreboot_table(const struct told *told);

#endif
