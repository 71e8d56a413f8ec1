/* SPDX-License-Identifier: BSD-2-Clause */
/* What the emulator has to report. */
#ifndef PLUGIN_PLUGIN_H
#define PLUGIN_PLUGIN_H

#include <stdbool.h>

/* Whether code that is translated reports the guests' blocks; and their references to memory. It does not at first:
 * nothing pays for that before a counter counts, or looks at references. From the call on it does; what has been
 * translated is translated anew, before a guest executes any more. References are reported with their blocks. */
extern bool plugin_reports_blocks, plugin_reports_references;
void plugin_report(bool references);

#endif
