// SPDX-License-Identifier: BSD-2-Clause
// Passes the results of early/ to boot_main; removes words that boot loaders add to the command
// line.

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "arch.h"
#include "x86/early.h"
#include "x86/traps.h"

#define COMMAND_LINE_SIZE 1024

void arch_main(void);

// Loaders of the Linux boot protocol, by bits 7:4 of type_of_loader (Linux,
// Documentation/x86/boot.rst).
static const char *const linux_protocol[] = {
	"Linux boot protocol, LILO", "Linux boot protocol, Loadlin",
	"Linux boot protocol, a boot sector",
	"Linux boot protocol, Syslinux", "Linux boot protocol, Etherboot, gPXE or iPXE",
	"Linux boot protocol, ELILO", [7] = "Linux boot protocol, GRUB",
	"Linux boot protocol, U-Boot",
	"Linux boot protocol, Xen", "Linux boot protocol, Gujin", "Linux boot protocol, QEMU",
	"Linux boot protocol, Arcturus", "Linux boot protocol, kexec", "Linux boot protocol",
	"Linux boot protocol, a loader that has no number",
};

static const char *name_protocol(void)
{
	static const char *const protocols[] = {
		[X86_PROTOCOL_UNKNOWN] = "an unknown boot loader",
		[X86_PROTOCOL_MULTIBOOT] = "Multiboot 1",
		[X86_PROTOCOL_PVH] = "PVH", [X86_PROTOCOL_EFI] = "UEFI",
		[X86_PROTOCOL_COREBOOT] = "coreboot",
	};
	const char *const name = x86_early.protocol == X86_PROTOCOL_LINUX ?
		linux_protocol[x86_early.loader >> 4 & 0xF] : protocols[x86_early.protocol];

	return name ? name : "Linux boot protocol";
}

// Whether the loader added this word: GRUB's and Syslinux's name of the image; UEFI's name of a
// Linux initrd.
static bool is_loaders(const char *word)
{
	return !strncmp(word, "BOOT_IMAGE=", 11) || !strncmp(word, "initrd=", 7);
}

// Whether the word is the image's file name, which Multiboot loaders and UEFI's shell put first: it
// has a folder or an extension, and no '='.
static bool is_file_name(const char *word, size_t length)
{
	return (x86_early.protocol == X86_PROTOCOL_MULTIBOOT ||
		x86_early.protocol == X86_PROTOCOL_EFI) &&
		strcspn(word, "./\\") < length && !memchr(word, '=', length);
}

static void copy_command_line(char to[COMMAND_LINE_SIZE], const char *from)
{
	const char *const end = to + COMMAND_LINE_SIZE - 1;

	for (bool first = true; *from; first = false) {
		const size_t length = strcspn(from, " ");

		if (length && !is_loaders(from) && !(first && is_file_name(from, length)))
			for (size_t i = 0; i < length && to < end; i++)
				*to++ = from[i];
		from += length;
		while (*from == ' ')
			from++;
		if (*from && to < end)
			*to++ = ' ';
	}
	*to = '\0';
}

// Called by entry.S.
void arch_main(void)
{
	static char command_line[COMMAND_LINE_SIZE];
	static struct arch_handover handover = {.command_line = command_line,
						.processor = x86_early.processor};

	handover.protocol = name_protocol();
	handover.clock_at_entry = x86_early.clock;
	handover.memory_end = x86_early.memory_end;
	if (x86_early.command_line)
		copy_command_line(command_line, (const char *)(uintptr_t)x86_early.command_line);
	x86_descriptors_start();
	x86_memory_protect(handover.memory_end);
	boot_main(&handover);
}
