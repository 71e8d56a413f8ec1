// SPDX-License-Identifier: BSD-2-Clause
// Makes an EFI application for Itanium of an ELF executable: a PE32+ image (Microsoft's PE and COFF specification) of
// its two segments, code and data, at the addresses that they are linked for. It has no relocations: a loader puts it
// there, or refuses it.
//
// usage: peimage ELF ENTRY OUT    ENTRY: the address of the entry's function descriptor

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTIONS		2
#define FILE_ALIGNMENT		0x200u
#define SECTION_ALIGNMENT	0x1000u
#define IMAGE_ALIGNMENT		0x10000u	/* of its base; headers are there, and code behind */

#define MACHINE_IA64		0x200
#define PE32_PLUS		0x20B
#define SUBSYSTEM_EFI		10
#define CHARACTERISTICS		0x22F	/* no relocations, lines, symbols, debug information; executable; 64 bits */
#define CODE			0x60000020	/* read, execute */
#define DATA			0xC0000040	/* read, write; initialized */
#define DIRECTORIES		16

struct file_header {
	uint8_t dos[60];
	uint32_t signature_at;
	uint8_t dos_program[64];	/* none; binutils expects the place of one */
	uint32_t signature;
	uint16_t machine, sections;
	uint32_t time, symbols_at, symbols;
	uint16_t optional_size, characteristics;
} __attribute__((packed));

struct optional_header {
	uint16_t magic, linker;
	uint32_t code_size, data_size, bss_size, entry, code_at;
	uint64_t image_base;
	uint32_t section_alignment, file_alignment;
	uint16_t versions[6];
	uint32_t reserved, image_size, headers_size, checksum;
	uint16_t subsystem, dll;
	uint64_t stack_and_heap[4];
	uint32_t loader_flags, directory_count;
	uint64_t directories[DIRECTORIES];
} __attribute__((packed));

struct section {
	char name[8];
	uint32_t size, at, file_size, file_at, unused[3], characteristics;
} __attribute__((packed));

struct headers {
	struct file_header file;
	struct optional_header optional;
	struct section section[SECTIONS];
} __attribute__((packed));

static void fail(const char *name, const char *why)
{
	fprintf(stderr, "peimage: %s: %s\n", name, why);
	exit(1);
}

static uint8_t *read_file(const char *name, size_t *size)
{
	FILE *file = fopen(name, "rb");
	uint8_t *bytes;
	long end;

	if (!file || fseek(file, 0, SEEK_END) || (end = ftell(file)) < 0 || fseek(file, 0, SEEK_SET))
		fail(name, strerror(errno));
	*size = (size_t)end;
	bytes = malloc(*size + 1);
	if (!bytes || fread(bytes, 1, *size, file) != *size)
		fail(name, "cannot be read");
	fclose(file);
	return bytes;
}

static uint32_t aligned(uint64_t value, uint32_t alignment)
{
	return (uint32_t)((value + alignment - 1) & ~(uint64_t)(alignment - 1));
}

static void find_segments(const char *name, const uint8_t *elf, size_t size, Elf64_Phdr segment[SECTIONS])
{
	const Elf64_Ehdr *header = (const void *)elf;
	unsigned found = 0;

	if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_machine != EM_IA_64 ||
	    header->e_phoff > size || (size - header->e_phoff) / sizeof(Elf64_Phdr) < header->e_phnum)
		fail(name, "is no ELF executable for ia64");
	for (unsigned i = 0; i < header->e_phnum; i++) {
		const Elf64_Phdr *p = (const Elf64_Phdr *)(const void *)(elf + header->e_phoff) + i;

		if (p->p_type != PT_LOAD)
			continue;
		if (found == SECTIONS || p->p_offset > size || size - p->p_offset < p->p_filesz ||
		    p->p_vaddr % SECTION_ALIGNMENT || p->p_memsz > 1u << 30)
			fail(name, "has not two segments, each at a page");
		segment[found++] = *p;
	}
	if (found != SECTIONS || segment[0].p_vaddr % IMAGE_ALIGNMENT || segment[0].p_vaddr < IMAGE_ALIGNMENT ||
	    segment[1].p_vaddr < segment[0].p_vaddr + segment[0].p_memsz)
		fail(name, "has not code, and data behind it");
}

int main(int argc, char **argv)
{
	static const char names[SECTIONS][8] = {".text", ".data"};
	static const uint32_t kinds[SECTIONS] = {CODE, DATA};
	struct headers h = {
		.file = {.dos = "MZ", .signature_at = offsetof(struct file_header, signature),
			 .signature = 'P' | 'E' << 8, .machine = MACHINE_IA64, .sections = SECTIONS,
			 .optional_size = sizeof h.optional, .characteristics = CHARACTERISTICS},
		.optional = {.magic = PE32_PLUS, .section_alignment = SECTION_ALIGNMENT,
			     .file_alignment = FILE_ALIGNMENT, .headers_size = aligned(sizeof h, FILE_ALIGNMENT),
			     .subsystem = SUBSYSTEM_EFI, .directory_count = DIRECTORIES},
	};
	Elf64_Phdr segment[SECTIONS];
	uint64_t base, file_at = h.optional.headers_size;
	uint8_t *elf;
	size_t size;
	FILE *out;

	if (argc != 4) {
		fputs("usage: peimage ELF ENTRY OUT\n", stderr);
		return 2;
	}
	elf = read_file(argv[1], &size);
	find_segments(argv[1], elf, size, segment);
	base = segment[0].p_vaddr - IMAGE_ALIGNMENT;
	for (unsigned i = 0; i < SECTIONS; i++) {
		struct section *s = &h.section[i];

		memcpy(s->name, names[i], sizeof s->name);
		s->size = (uint32_t)segment[i].p_memsz;
		s->at = (uint32_t)(segment[i].p_vaddr - base);
		s->file_size = aligned(segment[i].p_filesz, FILE_ALIGNMENT);
		s->file_at = (uint32_t)file_at;
		s->characteristics = kinds[i];
		file_at += s->file_size;
	}
	h.optional.code_size = h.section[0].file_size;
	h.optional.data_size = h.section[1].file_size;
	h.optional.code_at = h.section[0].at;
	h.optional.image_base = base;
	h.optional.image_size = aligned(h.section[1].at + (uint64_t)h.section[1].size, SECTION_ALIGNMENT);
	h.optional.entry = (uint32_t)(strtoull(argv[2], NULL, 16) - base);
	if (h.optional.entry < h.optional.code_at || h.optional.entry >= h.optional.image_size)
		fail(argv[2], "is no address in the image");

	out = fopen(argv[3], "wb");
	if (!out || fwrite(&h, sizeof h, 1, out) != 1)
		fail(argv[3], strerror(errno));
	for (unsigned i = 0; i < SECTIONS; i++)
		if (fseek(out, h.section[i].file_at, SEEK_SET) ||
		    fwrite(elf + segment[i].p_offset, 1, segment[i].p_filesz, out) != segment[i].p_filesz)
			fail(argv[3], strerror(errno));
	// Up to the last section's end in the file.
	if (h.section[1].file_size > segment[1].p_filesz && (fseek(out, (long)file_at - 1, SEEK_SET) || fputc(0, out)))
		fail(argv[3], strerror(errno));
	if (fclose(out))
		fail(argv[3], strerror(errno));
	free(elf);
	return 0;
}
