/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by palmon.img's 64-bit start code. */
#ifndef X86_IMAGE_H
#define X86_IMAGE_H

#include <stdint.h>
#include <stdnoreturn.h>

#include "x86/early.h"
#include "x86/linux.h"

/* Moves the image to its link address and continues in 32-bit mode. image_parameters and
 * image_command_line must hold the loader's data; no other memory of the loader is used
 * afterwards. */
noreturn void image_go_on(uint32_t entered);

#endif
