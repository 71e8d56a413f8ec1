/* SPDX-License-Identifier: BSD-2-Clause */
/* The plugin's connection with the emulator. */
#ifndef PLUGIN_PLUGIN_H
#define PLUGIN_PLUGIN_H

/* Has the emulator translate all code anew, before a guest executes any more. */
void plugin_translate_anew(void);

#endif
