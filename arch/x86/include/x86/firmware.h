/* SPDX-License-Identifier: BSD-2-Clause */
/* For an image that runs while UEFI's boot services wait: saving and restoring their state. */
#ifndef X86_FIRMWARE_H
#define X86_FIRMWARE_H

#include <efi.h>
#include <stdbool.h>

#include "x86/early.h"
#include "x86/linux.h"

#define FIRMWARE_MEMORY	3	/* ranges of memory that the image needs */
#define FIRMWARE_RESULT	0x10000u	/* most bytes of its result */

/* The image's link addresses, whatever its load address. */
extern const uint64_t firmware_image_start, firmware_image_end;

/* Takes the memory that the image needs: free memory, and memory of the boot services, which is
 * saved and restored. False: the processor's tables are in that memory, or there is no room to save
 * it. */
bool firmware_take_memory(EFI_BOOT_SERVICES *services);
void firmware_give_memory_back(EFI_BOOT_SERVICES *services);

/* Call with interrupts on: masks the firmware's timer, and waits until pending interrupts have been
 * served. */
void firmware_silence(void);

/* With interrupts off: runs the image while the boot services wait, then restores memory and
 * interrupt controllers. Returns the image's data. Uses its own stack (own_stack.S), because the
 * firmware's may be in the memory that is taken. */
const struct x86_early *firmware_wait_on_own_stack(void);
const struct x86_early *firmware_wait(void);

/* Stores the result (result.c): in the variable PalmonBoard, and in the file palmon.board next to
 * the image. */
void firmware_keep_result(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, const struct x86_early *left);

/* Runs the image; returns at its end (way_back.S). */
const struct x86_early *firmware_leave(uint32_t entered);

#endif
