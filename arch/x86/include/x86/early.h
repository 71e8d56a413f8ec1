/* SPDX-License-Identifier: BSD-2-Clause */
/* What is done first, before anything that a processor or a machine may lack: in 32-bit code of a 386's instructions,
 * in memory that every PC has (arch/x86/early). */
#ifndef X86_EARLY_H
#define X86_EARLY_H

#include <stdint.h>
#include <stdnoreturn.h>

enum x86_protocol { X86_PROTOCOL_UNKNOWN, X86_PROTOCOL_MULTIBOOT, X86_PROTOCOL_PVH };

#define X86_PROCESSOR_NAME 128

/* What it has found, for the 64-bit code, before page 0 goes away. */
struct x86_early {
	uint64_t clock;			/* the time-stamp counter at entry */
	uint64_t memory_end;		/* of the memory that begins with the image: a multiple of LARGE_PAGE */
	uint32_t protocol;		/* enum x86_protocol */
	uint32_t command_line;		/* where it is; 0: there is none */
	char processor[X86_PROCESSOR_NAME];	/* vendor, family, model, stepping, leaf 0AH */
};

extern struct x86_early x86_early;

/* Called by entry.S with what the boot loader has left in EAX (PVH: 0) and EBX. It comes back if the image can run. */
void x86_early_main(uint32_t magic, uint32_t information);

/*
 * The backend's, in 32-bit code, too
 */

extern const char x86_early_drives[];	/* what the image drives */

/* Ends the run; a few words why. */
noreturn void x86_early_end(const char *why);

/* For it: text to the console. */
void x86_early_put(const char *text);

#endif
