// SPDX-License-Identifier: BSD-2-Clause
// The pages of programs' memory. Page tables for small pages come from the end of memory.

#include "memory.h"

#include <stddef.h>

#include "x86/traps.h"

static bool small_pages;

const char *hal_pages(void)
{
	return small_pages ? "pages of 4 KiB" :
	       "pages of 2 MiB, which miss the TLBs rarely (PAGES=4k has small ones)";
}

const char *hal_use_small_pages(void)
{
	void *const tables = memory_take(x86_memory_tables_size());

	if (!tables)
		return "there is no memory for page tables";
	x86_memory_divide(tables);
	small_pages = true;
	return NULL;
}
