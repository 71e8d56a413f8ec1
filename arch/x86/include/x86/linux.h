/* SPDX-License-Identifier: BSD-2-Clause */
/* The Linux boot protocol's hand-over, the "zero page" (Linux, Documentation/x86/zero-page.rst,
 * boot.rst; include/uapi/linux/screen_info.h). Only fields that this code reads or writes have
 * names. */
#ifndef X86_LINUX_H
#define X86_LINUX_H

#define LINUX_PARAMETERS	0x1000		/* size in bytes */
#define LINUX_COMMAND_LINE	1024		/* longest command line, with its end */

/* Offsets, for assembly. */
#define LINUX_SCREEN_KIND	0x00F
#define LINUX_COMMAND_LINE_AT	0x228
#define LINUX_STACK		0x1E8		/* stack pointer; the word below is free */
#define LINUX_MEMORY_ENTRIES	0x1E8
#define LINUX_HEADER		0x1F1		/* the same offset as in the file */
#define LINUX_CODE32_START	0x214
#define LINUX_MEMORY_MAP	0x2D0
#define LINUX_MEMORY_SIZE	20		/* bytes of an entry */
#define LINUX_MEMORY_MOST	128		/* most entries */

#define LINUX_HEADER_MAGIC_AT	0x202		/* the byte before gives the header's end, relative
						 * to this address */
#define LINUX_HEADER_END	0x290		/* the header's largest end */

/* boot_flag, header, version, load_flags, more_load_flags, loader */
#define LINUX_BOOT_FLAG		0xAA55
#define LINUX_HEADER_MAGIC	0x53726448	/* "HdrS" */
#define LINUX_VERSION_NEEDED	0x020A		/* the first version whose header gives the needed
						 * memory and its address */
#define LINUX_LOADED_HIGH	0x01
#define LINUX_ENTRY_64		0x01
#define LINUX_LOADER_UNKNOWN	0xFF

#define LINUX_ENTRY_64_OFFSET	0x200		/* from the 32-bit entry at the code's start */

#define LINUX_SCREEN_TEXT	1		/* orig_video_isVGA: a VGA in text mode */

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

/* Kinds of screens with a frame buffer. */
#define LINUX_SCREEN_VESA	0x23
#define LINUX_SCREEN_EFI	0x70

struct __attribute__((packed)) linux_memory {
	uint64_t start, length;
	uint32_t type;		/* 1: memory */
};

struct __attribute__((packed)) linux_parameters {
	uint8_t unused_000[0x0F];
	uint8_t screen_kind;
	uint16_t unused_010;
	uint16_t width, height, depth;	/* of the frame buffer in pixels; bits of a pixel */
	uint32_t frame_buffer, unused_01c[2];
	uint16_t pitch;			/* bytes of a line */
	uint8_t unused_026[0x14];
	uint32_t frame_buffer_high;
	uint8_t unused_03e[0x32];
	uint64_t acpi;			/* address of the RSDP; 0: unknown */
	uint8_t unused_078[0x50];
	uint32_t command_line_high;
	uint8_t unused_0cc[0xF4];
	uint32_t efi_signature, efi_table, unused_1c8[4], efi_table_high;
	uint8_t unused_1dc[0xC];
	uint8_t memory_entries;
	uint8_t unused_1e9[8];
	/* From here to LINUX_HEADER_END the same as in the kernel's file. */
	uint8_t setup_sectors;		/* sectors of real-mode code after the first */
	uint16_t unused_1f2;
	uint32_t code_paragraphs;	/* syssize: 32-bit code, in units of 16 bytes */
	uint8_t unused_1f8[6];
	uint16_t boot_flag, unused_200;
	uint32_t header;
	uint16_t version;
	uint8_t unused_208[8];
	uint8_t loader;			/* type_of_loader: loader in 7:4, version in 3:0 */
	uint8_t load_flags;
	uint16_t unused_212;
	uint32_t code32_start, initrd, initrd_size, unused_220[2];
	uint32_t command_line;
	uint32_t initrd_address_most;	/* highest address that it may have */
	uint32_t unused_230;
	uint8_t relocatable, unused_235;
	uint16_t more_load_flags;	/* xloadflags */
	uint32_t command_line_most;	/* bytes, without the terminating 0 */
	uint8_t unused_23c[0x1C];
	uint64_t preferred_address;	/* of the 32-bit code */
	uint32_t memory_needed;		/* init_size: bytes from preferred_address on */
	uint8_t unused_264[0x6C];
	struct linux_memory memory[LINUX_MEMORY_MOST];
	uint8_t unused_cd0[0x330];
};

#define LINUX_EFI_64	0x34364C45u	/* efi_signature: "EL64", a 64-bit UEFI system table */

_Static_assert(offsetof(struct linux_parameters, screen_kind) == LINUX_SCREEN_KIND &&
	       offsetof(struct linux_parameters, width) == 0x12 &&
	       offsetof(struct linux_parameters, pitch) == 0x24 &&
	       offsetof(struct linux_parameters, frame_buffer_high) == 0x3A &&
	       offsetof(struct linux_parameters, acpi) == 0x70 &&
	       offsetof(struct linux_parameters, command_line_high) == 0xC8 &&
	       offsetof(struct linux_parameters, efi_signature) == 0x1C0 &&
	       offsetof(struct linux_parameters, efi_table_high) == 0x1D8 &&
	       offsetof(struct linux_parameters, memory_entries) == LINUX_MEMORY_ENTRIES &&
	       offsetof(struct linux_parameters, setup_sectors) == LINUX_HEADER &&
	       offsetof(struct linux_parameters, boot_flag) == 0x1FE &&
	       offsetof(struct linux_parameters, header) == LINUX_HEADER_MAGIC_AT &&
	       offsetof(struct linux_parameters, loader) == 0x210 &&
	       offsetof(struct linux_parameters, code32_start) == LINUX_CODE32_START &&
	       offsetof(struct linux_parameters, preferred_address) == 0x258 &&
	       offsetof(struct linux_parameters, memory_needed) == 0x260 &&
	       offsetof(struct linux_parameters, command_line) == LINUX_COMMAND_LINE_AT &&
	       offsetof(struct linux_parameters, memory) == LINUX_MEMORY_MAP &&
	       sizeof(struct linux_parameters) == LINUX_PARAMETERS, "layout");

/* palmon.img's copies of the loader's data, inside the image at any load address. */
extern struct linux_parameters image_parameters;
extern char image_command_line[LINUX_COMMAND_LINE];

#endif
#endif
