/* SPDX-License-Identifier: BSD-2-Clause */
/* What is done first, before anything that a processor or a machine may lack: in 32-bit code of a 386's instructions,
 * in memory that every PC has (arch/x86/early). */
#ifndef X86_EARLY_H
#define X86_EARLY_H

/* How the image was entered; a Multiboot loader's magic number, too. Else a loader of ELF files that says nothing, as
 * coreboot. */
#define X86_ENTERED_PVH		0x00485650	/* "PVH" */
#define X86_ENTERED_LINUX	0x53726448	/* "HdrS" */
#define X86_ENTERED_EFI		0x00494645	/* "EFI" */

#ifndef __ASSEMBLER__

#include <stdint.h>
#include <stdnoreturn.h>

#include "x86/memory_map.h"

enum x86_protocol {
	X86_PROTOCOL_UNKNOWN, X86_PROTOCOL_MULTIBOOT, X86_PROTOCOL_PVH, X86_PROTOCOL_LINUX, X86_PROTOCOL_EFI,
	X86_PROTOCOL_COREBOOT,
};

#define X86_PROCESSOR_NAME 160
#define X86_EARLY_CPUS 256

/* A frame buffer; no pixels: there is none. */
struct x86_frame_buffer {
	uint64_t address;
	uint32_t width, height;		/* pixels */
	uint32_t pitch;			/* bytes of a line */
	uint32_t depth;			/* bits of a pixel: 16, 24 or 32 */
};

/* A serial port: in memory, registers of `width` bytes; width 0: I/O ports. Address 0: there is none. */
struct x86_serial_port {
	uint64_t address;
	uint32_t width;
};

/* How the run ends (end=). */
enum x86_end { X86_END_EXIT, X86_END_HALT, X86_END_REBOOT, X86_END_POWEROFF, X86_END_RETURN };

/* What ACPI says of ways to switch the machine off, and to reset it; I/O ports, 0: there is none. */
struct x86_power {
	uint64_t reset;			/* a register */
	uint8_t reset_in_memory, reset_value;
	uint8_t enable_value;		/* to `enable`: ACPI takes over, unless it has */
	uint16_t enable;
	uint16_t control[2];		/* PM1 control registers; 0, the first: it cannot be switched off */
	uint8_t off[2];			/* their types of sleep that are the state S5 */
};

/* What it has found, for the 64-bit code and the backend; all addresses are physical. */
struct x86_early {
	uint64_t clock;			/* the time-stamp counter at entry */
	uint64_t memory_end;		/* of the memory that begins with the image: a multiple of LARGE_PAGE */
	uint32_t protocol;		/* enum x86_protocol */
	uint32_t loader;		/* Linux boot protocol: type_of_loader */
	uint32_t command_line;		/* where it is; 0: there is none */
	uint32_t acpi;			/* the RSDP, if the loader says where it is, else 0 */
	uint32_t log;			/* coreboot's console in memory; 0: there is none */
	struct x86_serial_port serial;	/* coreboot's */
	struct x86_frame_buffer frame_buffer;
	uint32_t efi_serial_port;	/* among UEFI's consoles: 1 for COM1, and so on; 0: none */
	uint32_t cpus;			/* that are on, and listed here; 0: nobody says which there are */
	uint32_t cpus_left_out, cpus_off;	/* that are on, but for which there is no room; off */
	uint32_t cpus_out_of_reach;		/* on, but with APIC identities of more than xAPIC mode's 8 bits */
	uint32_t cpu[X86_EARLY_CPUS];	/* their APICs' identities, in the table's order */
	uint32_t end;			/* enum x86_end */
	uint32_t end_refused;		/* what was asked for is none of them, or not possible here */
	struct x86_power power;
	uint32_t firmware_waits;	/* UEFI's boot services: at the end, the run goes back to them */
	uint32_t status;		/* for them: hal_exit's */
	uint32_t result_size;		/* for them, too: text, bytes, and where it is */
	uint64_t result;
	char processor[X86_PROCESSOR_NAME];	/* vendor, family, model, stepping, leaves 0AH, 8000_0022H */
};

extern struct x86_early x86_early;

/* Back to the boot services, from code that runs with the page tables early_pml4 (arch/x86/image/way_back.S). */
noreturn void firmware_return(void);

/* In 32-bit mode, to such code (arch/x86/entry.S). */
noreturn void early_leave(void (*to)(void));

/* What of the image is to be copied to where it is linked, which is above all memory that is checked before: in
 * palmon.img. `to` 0 ends the list. Sizes in bytes, multiples of 8. */
struct x86_part {
	uint32_t to, from, size, zeros;	/* zeros: behind it */
};

extern const struct x86_part *x86_early_parts;	/* NULL: the loader has done it */

/* Called by entry.S with what the boot loader has left in EAX and EBX, or X86_ENTERED_* and what belongs to it. It
 * comes back if the image can run. */
void x86_early_main(uint32_t entered, uint32_t information);

/* What the loader has left: fills x86_early, and returns the memory map. */
struct x86_memory_map x86_early_read_loader(uint32_t entered, uint32_t information);

/* Calls `each` for what else it has put into memory below 4 GiB: modules, an initial RAM disk. */
void x86_early_read_modules(uint32_t entered, uint32_t information, void (*each)(uint32_t start, uint32_t end));

/*
 * The backend's, in 32-bit code, too
 */

extern const char x86_early_drives[];	/* what the image drives */

/* Finds the consoles. Before any text. */
void x86_early_find_consoles(void);

/* Finds which CPUs there are, and how the run ends. Before any end. */
void x86_early_find_machine(void);

/* Ends the run; a few words why. */
noreturn void x86_early_end(const char *why);

/* Text to the consoles. */
void x86_early_put(const char *text);

#endif
#endif
