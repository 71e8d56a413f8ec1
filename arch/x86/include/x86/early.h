/* SPDX-License-Identifier: BSD-2-Clause */
/* The early code (arch/x86/early), which runs before anything that a processor or a machine may
 * lack: 32-bit code of a 386's instructions, in memory that every PC has. */
#ifndef X86_EARLY_H
#define X86_EARLY_H

/* How the image was entered, or a Multiboot loader's magic number. Any other value: an ELF loader
 * that passes nothing, such as coreboot. */
#define X86_ENTERED_PVH		0x00485650	/* "PVH" */
#define X86_ENTERED_LINUX	0x53726448	/* "HdrS" */
#define X86_ENTERED_EFI		0x00494645	/* "EFI" */

#ifndef __ASSEMBLER__

#include <stdint.h>
#include <stdnoreturn.h>

#include "x86/memory_map.h"

enum x86_protocol {
	X86_PROTOCOL_UNKNOWN, X86_PROTOCOL_MULTIBOOT, X86_PROTOCOL_PVH, X86_PROTOCOL_LINUX,
	X86_PROTOCOL_EFI, X86_PROTOCOL_COREBOOT,
};

#define X86_PROCESSOR_NAME 160
#define X86_EARLY_CPUS 256

/* A frame buffer; no pixels: none. */
struct x86_frame_buffer {
	uint64_t address;
	uint32_t width, height;		/* pixels */
	uint32_t pitch;			/* bytes of a line */
	uint32_t depth;			/* bits of a pixel: 16, 24 or 32 */
};

/* A serial port. width: bytes of a register in memory; 0: I/O ports. Address 0: none. */
struct x86_serial_port {
	uint64_t address;
	uint32_t width;
};

/* How the run ends (end=). */
enum x86_end { X86_END_EXIT, X86_END_HALT, X86_END_REBOOT, X86_END_POWEROFF, X86_END_RETURN };

/* ACPI's data for switching the machine off and resetting it; I/O ports; 0: none. */
struct x86_power {
	uint64_t reset;			/* address of the reset register */
	uint8_t reset_in_memory, reset_value;
	uint8_t enable_value;		/* writing it to `enable` turns ACPI mode on */
	uint16_t enable;
	uint16_t control[2];		/* PM1 control; first 0: cannot be switched off */
	uint8_t off[2];			/* their sleep types of state S5 */
};

/* Results for the 64-bit code and the backend; addresses are physical. */
struct x86_early {
	uint64_t clock;			/* the time-stamp counter at entry */
	uint64_t memory_end;		/* end of the image's memory, on a large page */
	uint32_t protocol;		/* enum x86_protocol */
	uint32_t loader;		/* Linux boot protocol: type_of_loader */
	uint32_t command_line;		/* address; 0: none */
	uint32_t acpi;			/* address of the RSDP, from the loader; or 0 */
	uint32_t log;			/* coreboot's console in memory; 0: none */
	struct x86_serial_port serial;	/* coreboot's */
	struct x86_frame_buffer frame_buffer;
	uint32_t efi_serial_port;	/* among UEFI's consoles: 1 for COM1, and so on; 0: none */
	uint32_t cpus;			/* CPUs that are on, in `cpu`; 0: no list */
	uint32_t cpus_left_out, cpus_off;	/* on, but without room in `cpu`; off */
	uint32_t cpus_out_of_reach;		/* on, but with APIC IDs above 255 */
	uint32_t cpu[X86_EARLY_CPUS];	/* APIC IDs, in the table's order */
	uint32_t end;			/* enum x86_end */
	uint32_t end_refused;		/* end= is unknown, or impossible here */
	struct x86_power power;
	uint32_t firmware_waits;	/* UEFI's boot services wait: the run returns to them */
	uint32_t status;		/* for the boot services: hal_exit's status */
	uint32_t result_size;		/* for the boot services: size of the text at `result` */
	uint64_t result;
	char processor[X86_PROCESSOR_NAME];	/* vendor, family, model, stepping, leaves 0AH,
						 * 8000_0022H */
};

extern struct x86_early x86_early;

/* Returns to the boot services, from code that runs with the page tables early_pml4
 * (arch/x86/image/way_back.S). */
noreturn void firmware_return(void);

/* From 32-bit mode to such code (arch/x86/entry.S). */
noreturn void early_leave(void (*to)(void));

/* palmon.img: a part of the image to copy to its link address, which is above all memory used
 * before. `to` 0 ends the list. Sizes in bytes, multiples of 8. */
struct x86_part {
	uint32_t to, from, size, zeros;	/* zeros: bytes to clear after the part */
};

extern const struct x86_part *x86_early_parts;	/* NULL: the loader has copied the parts */

/* Called by entry.S with the boot loader's EAX and EBX, or with X86_ENTERED_* and the address of
 * the loader's data. Returns if the image can run. */
void x86_early_main(uint32_t entered, uint32_t information);

/* Reads the loader's data: fills x86_early, and returns the memory map. */
struct x86_memory_map x86_early_read_loader(uint32_t entered, uint32_t information);

/* Calls `each` for each module and initial RAM disk that the loader put below 4 GiB. */
void x86_early_read_modules(uint32_t entered, uint32_t information,
			    void (*each)(uint32_t start, uint32_t end));

/*
 * The backend's functions, compiled as 32-bit code
 */

extern const char x86_early_drives[];	/* the PMU that the image drives, for messages */

/* Finds the consoles. Call before any text. */
void x86_early_find_consoles(void);

/* Finds the CPUs, and how the run ends. Call before any end. */
void x86_early_find_machine(void);

/* Ends the run. `why`: a few words. */
noreturn void x86_early_end(const char *why);

/* Writes text to the consoles. */
void x86_early_put(const char *text);

#endif
#endif
