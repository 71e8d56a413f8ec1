/* SPDX-License-Identifier: BSD-2-Clause */
/* What palmon.img's start in 64-bit mode shares. */
#ifndef X86_IMAGE_H
#define X86_IMAGE_H

#include <stdint.h>
#include <stdnoreturn.h>

#include "x86/early.h"
#include "x86/linux.h"

/* With what the loader has left in image_parameters and image_command_line: moves the image to where it is linked, and
 * goes on in 32-bit mode. Nothing of the loader's is used any more. */
noreturn void image_go_on(uint32_t entered);

#endif
