/* SPDX-License-Identifier: BSD-2-Clause */
/* What the image leaves to UEFI's boot services as it has found it, if it runs while they wait. */
#ifndef X86_FIRMWARE_H
#define X86_FIRMWARE_H

#include <efi.h>
#include <stdbool.h>

#include "x86/early.h"
#include "x86/linux.h"

#define FIRMWARE_MEMORY	3	/* pieces of memory that the image needs */
#define FIRMWARE_RESULT	0x10000u	/* bytes of its result, at most */

/* The addresses that the image is linked for, wherever it is now. */
extern const uint64_t firmware_image_start, firmware_image_end;

/* Takes the memory that the image needs, also what boot services have, which get it back as it was; all of it
 * is memory that these or nobody has. False: the processor's tables are in it, or there is no room to save it. */
bool firmware_take_memory(EFI_BOOT_SERVICES *services);
void firmware_give_memory_back(EFI_BOOT_SERVICES *services);

/* While interrupts are on: no more come from the firmware's timer. What was on its way has come to the firmware. */
void firmware_silence(void);

/* With interrupts off: boot services wait while the image runs; then memory and interrupt controllers are as they were.
 * Returns what the image has left. On a stack of its own (way_back.S): the firmware's may be in that memory. */
const struct x86_early *firmware_wait_on_own_stack(void);
const struct x86_early *firmware_wait(void);

/* Keeps the result (result.c): in the variable PalmonBoard, and in the file palmon.board beside the image. */
void firmware_keep_result(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, const struct x86_early *left);

/* Runs the image; comes back at its end (way_back.S). */
const struct x86_early *firmware_leave(uint32_t entered);

#endif
