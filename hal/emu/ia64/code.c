// SPDX-License-Identifier: BSD-2-Clause
// Pages of decoded code. A bundle is decoded when it executes first.

#include "code.h"

#include <stdlib.h>
#include <string.h>

#include "machine.h"

#define PAGE_OPS	(PAGE_BYTES / BUNDLE_BYTES * BUNDLE_SLOTS)

struct op *ia64_code_page(struct machine *m, uint64_t page)
{
	struct op *ops = m->pages[page];

	if (ops)
		return ops;
	ops = calloc(PAGE_OPS, sizeof *ops);
	if (!ops)
		abort();
	m->pages[page] = ops;
	ia64_code_changes(m, page * PAGE_BYTES, PAGE_BYTES);
	memset(m->writes, 0, sizeof m->writes);		/* so that writes to the page are noticed */
	return ops;
}

// Changes only the fields that control the next execution, because one of these instructions may be
// executing.
void ia64_code_changes(struct machine *m, uint64_t address, unsigned size)
{
	for (uint64_t at = address & ~(BUNDLE_BYTES - 1ULL); at < address + size;
	     at += BUNDLE_BYTES) {
		struct op *ops = m->pages[at / PAGE_BYTES] + at % PAGE_BYTES / BUNDLE_BYTES *
			BUNDLE_SLOTS;

		for (unsigned slot = 0; slot < BUNDLE_SLOTS; slot++) {
			ops[slot].execute = m->undecoded;
			ops[slot].always = true;
			ops[slot].bits = at;
		}
	}
}
