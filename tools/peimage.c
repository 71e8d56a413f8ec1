// SPDX-License-Identifier: BSD-2-Clause
// Makes palmon.img (arch/x86/README.md) of an x86 image: a PE32+ file (Microsoft's PE and COFF
// specification) of the section .setup, which has room for the headers; then the first two
// segments, code and data, as in memory from 1 MiB on; then the other segments, each with its
// destination address. The headers of the Linux boot protocol and of Multiboot 1 receive the
// image's length.
//
// usage: peimage ELF ENTRY RELOCATIONS OUT    the addresses of the entry and of the list of
// relocations

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_ALIGNMENT		0x200u
#define PAGE			0x1000u		/* of sections in memory */
#define SIZE_MOST		(1u << 30)

#define MACHINE_X86_64		0x8664
#define PE32_PLUS		0x20B
#define SUBSYSTEM_EFI		10
/* no lines, symbols, debug information; executable; 64 bits */
#define CHARACTERISTICS		0x22E
#define CODE			0x60000020	/* read, execute */
#define DATA			0xC0000040	/* read, write; initialized */
#define CONSTANTS		0x40000040	/* read; initialized */
#define DIRECTORIES		6
#define RELOCATIONS		5		/* directory entry: address and size */
#define RELOCATIONS_SIZE	12
#define SECTIONS		3

struct file_header {
	uint8_t dos[60];
	uint32_t signature_at;
	uint8_t dos_program[64];	/* empty; binutils expects its place */
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
	struct {
		uint32_t at, size;
	} directory[DIRECTORIES];
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

// The Linux boot protocol (Documentation/x86/boot.rst) and Multiboot 1 (3.1.2).
#define LINUX_HEADER		0x1F1u
#define LINUX_SIZE		0x1F4		/* syssize, in units of 16 bytes */
#define LINUX_MEMORY_SIZE	0x260		/* init_size */
#define MULTIBOOT_MAGIC		0x1BADB002u
#define MULTIBOOT_SEARCH	8192u
#define MULTIBOOT_LOAD_END	5		/* in words from the magic number */

// struct x86_part of arch/x86/include/x86/early.h.
struct part {
	uint32_t to, from, size, zeros;
};

static const char *elf_name;
static uint8_t *elf;
static size_t elf_size;
static const Elf64_Ehdr *elf_header;

static void fail(const char *name, const char *why)
{
	fprintf(stderr, "peimage: %s: %s\n", name, why);
	exit(1);
}

static void *allocate(size_t size)
{
	void *memory = calloc(size, 1);

	if (!memory)
		fail(elf_name, "is too large");
	return memory;
}

static void read_elf(const char *name)
{
	FILE *file = fopen(name, "rb");
	long end;

	elf_name = name;
	if (!file || fseek(file, 0, SEEK_END) || (end = ftell(file)) < 0 ||
	    fseek(file, 0, SEEK_SET))
		fail(name, strerror(errno));
	elf_size = (size_t)end;
	elf = allocate(elf_size + 1);
	if (fread(elf, 1, elf_size, file) != elf_size)
		fail(name, "cannot be read");
	fclose(file);
	elf_header = (const void *)elf;
	if (elf_size < sizeof *elf_header || memcmp(elf, ELFMAG, SELFMAG) ||
	    elf[EI_CLASS] != ELFCLASS64 ||
	    elf_header->e_machine != EM_X86_64 || elf_header->e_phoff > elf_size ||
	    (elf_size - elf_header->e_phoff) / sizeof(Elf64_Phdr) < elf_header->e_phnum)
		fail(name, "is not an ELF executable for x86-64");
}

static uint32_t aligned(uint64_t value, uint32_t alignment)
{
	return (uint32_t)((value + alignment - 1) & ~(uint64_t)(alignment - 1));
}

// Finds the loaded segments, at most `most`. Returns their number.
static unsigned find_segments(Elf64_Phdr *segment, unsigned most)
{
	unsigned found = 0;

	for (unsigned i = 0; i < elf_header->e_phnum; i++) {
		const Elf64_Phdr *p =
			(const Elf64_Phdr *)(const void *)(elf + elf_header->e_phoff) + i;

		if (p->p_type != PT_LOAD)
			continue;
		if (found == most || p->p_offset > elf_size ||
		    elf_size - p->p_offset < p->p_filesz ||
		    p->p_vaddr % PAGE || p->p_memsz > SIZE_MOST || p->p_filesz > p->p_memsz ||
		    p->p_vaddr > UINT32_MAX)
			fail(elf_name, "has unexpected segments, or one that is not page-aligned");
		segment[found++] = *p;
	}
	return found;
}

static struct headers new_headers(void)
{
	struct headers h = {
		.file = {.dos = "MZ", .signature_at = offsetof(struct file_header, signature),
			 .signature = 'P' | 'E' << 8, .machine = MACHINE_X86_64,
			 .sections = SECTIONS,
			 .optional_size = sizeof h.optional, .characteristics = CHARACTERISTICS},
		.optional = {.magic = PE32_PLUS, .section_alignment = PAGE,
			     .file_alignment = FILE_ALIGNMENT,
			     .subsystem = SUBSYSTEM_EFI, .directory_count = DIRECTORIES},
	};

	return h;
}

static struct section new_section(const char *name, uint32_t kind, uint64_t at, uint64_t size,
				  uint64_t file_at, uint64_t file_size)
{
	struct section s = {
		.size = (uint32_t)size, .at = (uint32_t)at,
		.file_size = aligned(file_size, FILE_ALIGNMENT),
		.file_at = (uint32_t)file_at, .characteristics = kind,
	};

	memcpy(s.name, name, strlen(name));
	return s;
}

// Sets the fields that depend on sections, and the entry's address in memory.
static void complete(struct headers *h, uint64_t base, uint64_t entry)
{
	const struct section *last = &h->section[h->file.sections - 1];

	h->optional.code_size = h->section[0].file_size;
	h->optional.code_at = h->section[0].at;
	for (unsigned i = 1; i < h->file.sections; i++)
		h->optional.data_size += h->section[i].file_size;
	h->optional.image_base = base;
	h->optional.image_size = aligned(last->at + (uint64_t)last->size, PAGE);
	h->optional.entry = (uint32_t)(entry - base);
	if (entry < base + h->optional.code_at || entry - base >= h->optional.image_size)
		fail(elf_name, "has no entry at this address");
}

static void write_file(const char *name, const void *bytes, size_t size)
{
	FILE *out = fopen(name, "wb");

	if (!out || fwrite(bytes, 1, size, out) != size || fclose(out))
		fail(name, strerror(errno));
}

// The contents of .setup: before the loaded segments, also in memory if UEFI loads the image.
static const uint8_t *find_setup(uint32_t *size)
{
	const Elf64_Shdr *s = (const void *)(elf + elf_header->e_shoff);

	if (elf_header->e_shoff > elf_size ||
	    (elf_size - elf_header->e_shoff) / sizeof *s < elf_header->e_shnum ||
	    elf_header->e_shstrndx >= elf_header->e_shnum)
		fail(elf_name, "is cut off");
	for (unsigned i = 0; i < elf_header->e_shnum; i++) {
		const uint64_t name = s[elf_header->e_shstrndx].sh_offset + s[i].sh_name;

		if (name > elf_size || elf_size - name < sizeof ".setup" ||
		    memcmp(elf + name, ".setup", sizeof ".setup"))
			continue;
		if (s[i].sh_size % PAGE || s[i].sh_size < PAGE || s[i].sh_offset > elf_size ||
		    elf_size - s[i].sh_offset < s[i].sh_size)
			break;
		*size = (uint32_t)s[i].sh_size;
		return elf + s[i].sh_offset;
	}
	fail(elf_name, "has no section .setup of pages");
	return NULL;
}

static void put_word(uint8_t *to, uint32_t value)
{
	memcpy(to, &value, sizeof value);
}

static uint32_t *find_multiboot(uint8_t *bytes)
{
	for (uint32_t at = 0; at < MULTIBOOT_SEARCH; at += sizeof(uint32_t)) {
		uint32_t *const header = (void *)(bytes + at);

		if (header[0] == MULTIBOOT_MAGIC && !(header[0] + header[1] + header[2]))
			return header;
	}
	fail(elf_name, "has no Multiboot header at its start");
	return NULL;
}

// UEFI may load the image anywhere, and the image relocates itself. Loaders that require a list of
// relocations find one without effect.
static void make_image(uint64_t entry, uint64_t relocations, const char *out)
{
	enum { FIRST = 2, MOST = 8 };
	Elf64_Phdr segment[MOST];
	struct headers h = new_headers();
	const unsigned count = find_segments(segment, MOST);
	uint32_t setup_size, base, parts_at, end;
	const uint8_t *const setup = find_setup(&setup_size);
	struct part part[MOST + 1] = {0};
	uint8_t *bytes;

	if (count <= FIRST)
		fail(elf_name, "lacks segments to load, or to copy");
	base = (uint32_t)segment[0].p_vaddr - setup_size;
	parts_at = aligned(segment[1].p_vaddr + segment[1].p_memsz, PAGE) - base;
	end = parts_at + aligned((count - FIRST + 1) * sizeof *part, 16);
	for (unsigned i = FIRST; i < count; i++) {
		struct part *const p = &part[i - FIRST];

		p->to = (uint32_t)segment[i].p_vaddr;
		p->from = base + end;
		p->size = aligned(segment[i].p_filesz, 8);
		p->zeros = segment[i].p_memsz > p->size ? aligned(segment[i].p_memsz - p->size, 8) :
			0;
		end += aligned(p->size, 16);
	}
	end = aligned(end, FILE_ALIGNMENT);
	if (base + end > part[0].to)
		fail(elf_name, "is too large: it would be loaded where it is copied to");
	bytes = allocate(end);
	for (unsigned i = 0; i < count; i++)
		memcpy(bytes + (i < FIRST ? segment[i].p_vaddr : part[i - FIRST].from) - base,
		       elf + segment[i].p_offset, segment[i].p_filesz);
	memcpy(bytes + parts_at, part, (count - FIRST + 1) * sizeof *part);

	h.optional.headers_size = setup_size;
	h.section[0] = new_section(".text", CODE, setup_size, segment[0].p_memsz, setup_size,
				   segment[0].p_memsz);
	h.section[1] = new_section(".data", DATA, segment[1].p_vaddr - base, segment[1].p_memsz,
				   segment[1].p_vaddr - base, segment[1].p_memsz);
	h.section[2] = new_section(".parts", CONSTANTS, parts_at, end - parts_at, parts_at,
				   end - parts_at);
	h.optional.directory[RELOCATIONS].at = (uint32_t)(relocations - base);
	h.optional.directory[RELOCATIONS].size = RELOCATIONS_SIZE;
	complete(&h, base, entry);
	h.optional.image_base = 0;
	memcpy(bytes, setup, setup_size);
	_Static_assert(sizeof h <= LINUX_HEADER, "there is room for the headers");
	memcpy(bytes, &h, sizeof h);
	put_word(bytes + LINUX_SIZE, (end - setup_size + 15) / 16);
	put_word(bytes + LINUX_MEMORY_SIZE, aligned(end - setup_size, PAGE));
	find_multiboot(bytes)[MULTIBOOT_LOAD_END] = base + end;
	write_file(out, bytes, end);
	free(bytes);
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fputs("usage: peimage ELF ENTRY RELOCATIONS OUT\n", stderr);
		return 2;
	}
	read_elf(argv[1]);
	make_image(strtoull(argv[2], NULL, 16), strtoull(argv[3], NULL, 16), argv[4]);
	free(elf);
	return 0;
}
