// SPDX-License-Identifier: BSD-2-Clause
// Names for code addresses.

#include "symbols.h"

extern const struct symbol symbols_start[], symbols_end[];	// tools/symbols
extern const char text_code_end[];				// linker script

const struct symbol *symbol_find(uint64_t address)
{
	size_t low = 0, high = (size_t)(symbols_end - symbols_start);

	if (address >= (uintptr_t)text_code_end)
		return NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols_start[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &symbols_start[low - 1] : NULL;
}

uint64_t symbol_start(uint64_t address)
{
	const struct symbol *symbol = symbol_find(address);

	return symbol ? symbol->address : 0;
}

#define NOTE_HEADER 16	/* bytes of the linker's note before the ID: sizes, type, "GNU" */

extern const uint8_t build_id_start[], build_id_end[];		// linker script

void symbols_build_id(char text[SYMBOLS_BUILD_ID])
{
	const uint8_t *byte = build_id_start + NOTE_HEADER;

	for (; byte < build_id_end && byte < build_id_start + NOTE_HEADER + SYMBOLS_BUILD_ID / 2;
	     byte++) {
		*text++ = "0123456789abcdef"[*byte >> 4];
		*text++ = "0123456789abcdef"[*byte & 0xF];
	}
	*text = '\0';
}

const struct symbol *symbol_at(size_t number)
{
	return number < (size_t)(symbols_end - symbols_start) ? &symbols_start[number] : NULL;
}

uint64_t symbol_end(size_t number)
{
	const struct symbol *next = symbol_at(number + 1);

	return next && next->address < (uintptr_t)text_code_end ? next->address :
	       (uintptr_t)text_code_end;
}

size_t symbol_number(uint64_t address)
{
	const struct symbol *symbol = symbol_find(address);

	return symbol ? (size_t)(symbol - symbols_start) : SIZE_MAX;
}
