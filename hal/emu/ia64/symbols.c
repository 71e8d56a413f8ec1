// SPDX-License-Identifier: BSD-2-Clause
// The functions of an ELF file, by libelf.

#include "symbols.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

static int by_address(const void *a, const void *b)
{
	const uint64_t first = ((const struct symbol *)a)->address,
		second = ((const struct symbol *)b)->address;

	return (first > second) - (first < second);
}

// Labels in code count as functions, because assembly often has no types. Labels of the compiler
// are omitted.
static void add(struct symbols *symbols, const char *name, const GElf_Sym *symbol)
{
	const unsigned type = GELF_ST_TYPE(symbol->st_info);

	if (!name || !*name || *name == '.' || symbol->st_shndx == SHN_UNDEF ||
	    symbol->st_shndx == SHN_ABS ||
	    (type != STT_FUNC && type != STT_NOTYPE))
		return;

	struct symbol *more = realloc(symbols->list, (symbols->count + 1) * sizeof *more);
	char *copy = strdup(name);

	if (more)
		symbols->list = more;
	if (more && copy)
		more[symbols->count++] = (struct symbol){copy, symbol->st_value};
	else
		free(copy);
}

struct symbols symbols_read(const uint8_t *file, size_t size)
{
	struct symbols symbols = {0};
	char *copy = malloc(size);		// libelf may write into its input
	Elf *elf = NULL;

	if (copy) {
		memcpy(copy, file, size);
		elf_version(EV_CURRENT);
		elf = elf_memory(copy, size);
	}
	for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB ||
		    !(data = elf_getdata(section, NULL)))
			continue;

		GElf_Sym symbol;
		for (int i = 0; gelf_getsym(data, i, &symbol); i++)
			add(&symbols, elf_strptr(elf, header.sh_link, symbol.st_name), &symbol);
	}
	elf_end(elf);
	free(copy);
	if (symbols.count)
		qsort(symbols.list, symbols.count, sizeof *symbols.list, by_address);
	return symbols;
}

void symbols_free(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++)
		free(symbols->list[i].name);
	free(symbols->list);
}

const struct symbol *symbols_at(const struct symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (symbols->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &symbols->list[low - 1] : NULL;
}

const struct symbol *symbols_find(const struct symbols *symbols, const char *name)
{
	for (size_t i = 0; i < symbols->count; i++)
		if (!strcmp(symbols->list[i].name, name))
			return &symbols->list[i];
	return NULL;
}
