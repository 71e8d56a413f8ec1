/* SPDX-License-Identifier: BSD-2-Clause */
/* What the emulator is asked to say of x86 code. */
#ifndef PLUGIN_X86_H
#define PLUGIN_X86_H

#include "qemu.h"

/* The emulator translates a block. */
void x86_observe(struct qemu_plugin_tb *block);

#endif
