/* SPDX-License-Identifier: BSD-2-Clause */
/* What the emulator has to report of the guests: nothing at first, so that nothing pays for it before a counter counts,
 * or looks at references. */
#ifndef PLUGIN_REPORTS_H
#define PLUGIN_REPORTS_H

#include <stdbool.h>

#include "qemu.h"

/* Whether code that is translated reports the number of the guests' instructions, and what depends on it (numbers.h);
 * their blocks; and their references to memory, with their blocks. */
extern bool reports_numbers, reports_blocks, reports_references;

/* From here on it does. What has been translated is translated anew, before a guest executes any more. */
void reports_add_numbers(void);
void reports_add_blocks(void);
void reports_add_references(void);

/* Connects the plugin with the emulator, by `connect`: now, and again when code is to be translated anew. */
void reports_begin(qemu_plugin_id_t id, void (*connect)(qemu_plugin_id_t id));

#endif
