/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the parts of the tests' loader (loader.c). */
#ifndef TEST_LOADER_H
#define TEST_LOADER_H

#include <stdint.h>

/*
 * A memory map entry of the Linux boot protocol and coreboot. PVH's entries are longer, Multiboot's
 * begin with their size.
 */
struct __attribute__((packed)) range {
	uint64_t start, length;
	uint32_t type;
};

#define RANGES 32

/* Values of the command line's words. */
struct told {
	struct range range[RANGES];
	uint32_t ranges;
	uint32_t magic, sizes[2], has_sizes;
	uint32_t pvh;			/* entry address; 0: another protocol */
	uint64_t linux_at, linux_64_at;	/* load address; 0: another protocol */
	uint32_t coreboot;		/* address of its table; 0: another protocol */
	uint32_t serial[2];		/* coreboot's: port, or address and size of a register */
	uint32_t calls;			/* the file is called, and returns */
	uint32_t interrupts;		/* number of pending interrupts */
	uint32_t ring;			/* address of coreboot's 4 KiB console in memory */
	uint32_t screen[4];		/* a frame buffer: address, width, height, bytes per line */
	const char *command_line;
};

/* Start the file; these do not return. */
void start_linux(const struct told *told, const uint8_t *file, uint32_t size);
void make_coreboot_table(const struct told *told);

#endif
