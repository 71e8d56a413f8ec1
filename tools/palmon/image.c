// SPDX-License-Identifier: BSD-2-Clause
// ELF files of images: image.h.

#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "palmon.h"

// Reads the build ID from a section of notes, if it contains one.
static void take_build_id(Elf_Scn *section, char id[SAMPLES_BUILD_ID])
{
	Elf_Data *notes = elf_getdata(section, NULL);
	size_t at = 0, name, contents;
	GElf_Nhdr note;

	while (notes && (at = gelf_getnote(notes, at, &note, &name, &contents)) > 0) {
		const unsigned char *bytes = (const unsigned char *)notes->d_buf + contents;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof "GNU" ||
		    memcmp((const char *)notes->d_buf + name, "GNU", sizeof "GNU") ||
		    note.n_descsz > (SAMPLES_BUILD_ID - 1) / 2)
			continue;
		for (unsigned i = 0; i < note.n_descsz; i++)
			sprintf(id + 2 * i, "%02x", bytes[i]);
	}
}

// An open ELF file. False after a complaint.
struct image {
	int file;
	Elf *elf;
};

static bool open_image(struct image *image, const char *path)
{
	image->file = open(path, O_RDONLY);
	if (image->file < 0) {
		complain("%s: %s", path, strerror(errno));
		return false;
	}
	elf_version(EV_CURRENT);
	image->elf = elf_begin(image->file, ELF_C_READ, NULL);
	if (image->elf && elf_kind(image->elf) == ELF_K_ELF)
		return true;
	complain("%s: it is not an ELF file", path);
	elf_end(image->elf);
	close(image->file);
	return false;
}

static void close_image(struct image *image)
{
	elf_end(image->elf);
	close(image->file);
}

bool image_build_id(const char *path, char id[SAMPLES_BUILD_ID])
{
	Elf_Scn *section = NULL;
	struct image image;
	GElf_Shdr header;

	*id = '\0';
	if (!open_image(&image, path))
		return false;
	while ((section = elf_nextscn(image.elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE)
			take_build_id(section, id);
	close_image(&image);
	return true;
}

bool image_is(const char *path, const char *build_id)
{
	char id[SAMPLES_BUILD_ID];

	if (!image_build_id(path, id))
		return false;
	if (!*build_id || !strcmp(id, build_id))
		return true;
	complain("%s: it is not the image that ran: its build ID is %s, not %s", path,
		 *id ? id : "not there", build_id);
	return false;
}

bool image_find(const struct samples *samples, const char *named, const char **image)
{
	static char path[SAMPLES_PATH];

	*image = named;
	if (!named && *samples->build_id && samples_sibling(samples->path, "image.elf", path))
		*image = path;
	return !*image || image_is(*image, samples->build_id);
}

bool image_segments(const char *path, void (*take)(void *context, uint64_t address, uint64_t size,
						   uint64_t offset),
		    void *context)
{
	struct image image;
	GElf_Phdr header;
	size_t count = 0;

	if (!open_image(&image, path))
		return false;
	elf_getphdrnum(image.elf, &count);
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(image.elf, (int)i, &header) && header.p_type == PT_LOAD &&
		    header.p_flags & PF_X)
			take(context, header.p_vaddr, header.p_memsz, header.p_offset);
	close_image(&image);
	return true;
}

// Adds the functions of a symbol table.
static bool add_names(struct names *names, uint64_t bias, Elf *elf, Elf_Scn *section,
		      const GElf_Shdr *header)
{
	Elf_Data *table = elf_getdata(section, NULL);
	bool ok = true;
	GElf_Sym symbol;

	for (int i = 0; ok && table && gelf_getsym(table, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

		if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && name && *name && symbol.st_size &&
		    symbol.st_value)
			ok = names_add(names, bias + symbol.st_value,
				       bias + symbol.st_value + symbol.st_size, name);
	}
	return ok;
}

bool image_entry(const char *path, uint64_t *entry, bool *anywhere)
{
	const int file = open(path, O_RDONLY);
	GElf_Ehdr header;
	bool ok = false;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = file < 0 ? NULL : elf_begin(file, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header)) {
		*entry = header.e_entry;
		*anywhere = header.e_type == ET_DYN;
		ok = true;
	}
	elf_end(elf);
	if (file >= 0)
		close(file);
	return ok;
}

bool image_names(const char *path, uint64_t bias, struct names *names)
{
	Elf_Scn *section = NULL;
	struct image image;
	GElf_Shdr header;
	bool ok = true;

	if (!open_image(&image, path))
		return false;
	while (ok && (section = elf_nextscn(image.elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			ok = add_names(names, bias, image.elf, section, &header);
	close_image(&image);
	names_sort(names);
	if (!ok)
		complain("%s", strerror(ENOMEM));
	return ok;
}

const char *image_architecture(const char *path)
{
	static const struct {
		unsigned machine;
		const char *name;
	} names[] = {{EM_X86_64, "x86_64"}, {EM_SPARCV9, "sparc64"}, {EM_IA_64, "ia64"}};
	const char *name = "unknown";
	struct image image;
	GElf_Ehdr header;

	if (!path || !open_image(&image, path))
		return name;
	for (size_t i = 0; gelf_getehdr(image.elf, &header) && i < sizeof names / sizeof *names;
	     i++)
		if (names[i].machine == header.e_machine)
			name = names[i].name;
	close_image(&image);
	return name;
}
