/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of decoded code. */
#ifndef IA64_CODE_H
#define IA64_CODE_H

#include <stdint.h>

struct machine;
struct op;

/* The decoded instructions of a physical page, three per bundle. A bundle is decoded when it
 * executes first. */
struct op *ia64_code_page(struct machine *m, uint64_t page);

/* `size` bytes at a physical address of a decoded page are about to change: their bundles are
 * decoded again. */
void ia64_code_changes(struct machine *m, uint64_t address, unsigned size);

#endif
