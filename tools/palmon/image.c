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

// Takes the ID of a section with notes, if it has one.
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

static bool read_build_id(Elf *elf, const char *path, char id[SAMPLES_BUILD_ID])
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	if (elf_kind(elf) != ELF_K_ELF) {
		complain("%s: it is no ELF file", path);
		return false;
	}
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE)
			take_build_id(section, id);
	return true;
}

bool image_build_id(const char *path, char id[SAMPLES_BUILD_ID])
{
	const int file = open(path, O_RDONLY);
	bool ok = false;
	Elf *elf;

	*id = '\0';
	if (file < 0) {
		complain("%s: %s", path, strerror(errno));
		return false;
	}
	elf_version(EV_CURRENT);
	elf = elf_begin(file, ELF_C_READ, NULL);
	if (elf)
		ok = read_build_id(elf, path, id);
	else
		complain("%s: %s", path, elf_errmsg(-1));
	elf_end(elf);
	close(file);
	return ok;
}

bool image_is(const char *path, const char *build_id)
{
	char id[SAMPLES_BUILD_ID];

	if (!image_build_id(path, id))
		return false;
	if (!*build_id || !strcmp(id, build_id))
		return true;
	complain("%s: it is another image than the one that ran: its build ID is %s, and that one's %s", path,
		 *id ? id : "not there", build_id);
	return false;
}
