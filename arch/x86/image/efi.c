// SPDX-License-Identifier: BSD-2-Clause
// palmon.img as a UEFI application: converts load options, memory map, screen and serial console to
// the data of a Linux boot loader. The boot services wait until the run has ended, and end it. If
// the image needs memory of theirs that cannot be saved, they end before the run. (UEFI
// specification; the declarations are gnu-efi's.)

#include <efi.h>

#include "layout.h"
#include "x86/cpu.h"
#include "x86/firmware.h"
#include "x86/image.h"
#include "x86/ports.h"

#define MEMORY_MAP_SIZE		0x8000		/* bytes, for some 600 entries; on the stack */
#define EXIT_TRIES		4		/* the map may change before ExitBootServices */
#define CONSOLES_SIZE		2048
#define EISA_SERIAL_PORT	EISA_PNP_ID(0x501)

extern const uint32_t image_load_end;	// multiboot.S

EFI_STATUS EFIAPI efi_entry(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

static EFI_SYSTEM_TABLE *system_table;

static void put(const char *text)
{
	CHAR16 character[3] = {0};

	for (; *text; text++) {
		const bool line = *text == '\n';

		character[0] = line ? '\r' : (CHAR16)*text;
		character[1] = line ? '\n' : 0;
		system_table->ConOut->OutputString(system_table->ConOut, character);
	}
}

static void *protocol_of(EFI_HANDLE handle, EFI_GUID id)
{
	void *protocol;

	return EFI_ERROR(system_table->BootServices->HandleProtocol(handle, &id, &protocol)) ?
	       NULL : protocol;
}

// Converts 16-bit characters to ASCII.
static void take_options(EFI_HANDLE image)
{
	const EFI_LOADED_IMAGE *const loaded = protocol_of(image, (EFI_GUID)LOADED_IMAGE_PROTOCOL);
	const CHAR16 *const options = loaded ? loaded->LoadOptions : NULL;
	const UINT32 size = options ? loaded->LoadOptionsSize / sizeof *options : 0;

	for (UINT32 i = 0; i < size && i < LINUX_COMMAND_LINE - 1 && options[i]; i++)
		image_command_line[i] = options[i] < 0x80 ? (char)options[i] : '?';
}

static void take_screen(void)
{
	EFI_GUID id = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
	EFI_GRAPHICS_OUTPUT_PROTOCOL *graphics;
	const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *mode;

	if (EFI_ERROR(system_table->BootServices->LocateProtocol(&id, NULL, (void **)&graphics)))
		return;
	mode = graphics->Mode->Info;
	if (mode->PixelFormat > PixelBitMask)	// no frame buffer in memory
		return;
	image_parameters.screen_kind = LINUX_SCREEN_EFI;
	image_parameters.width = (uint16_t)mode->HorizontalResolution;
	image_parameters.height = (uint16_t)mode->VerticalResolution;
	image_parameters.depth = 32;
	image_parameters.pitch = (uint16_t)(mode->PixelsPerScanLine * 4);
	image_parameters.frame_buffer = (uint32_t)graphics->Mode->FrameBufferBase;
	image_parameters.frame_buffer_high = (uint32_t)(graphics->Mode->FrameBufferBase >> 32);
}

// Finds a serial port among the firmware's consoles: an ACPI device in a path of the variable
// ConOut.
static void take_serial_port(void)
{
	UINT8 paths[CONSOLES_SIZE];
	EFI_GUID id = EFI_GLOBAL_VARIABLE;
	UINTN size = sizeof paths;
	const UINT8 *node = paths;

	if (EFI_ERROR(system_table->RuntimeServices->GetVariable((CHAR16 *)L"ConOut", &id, NULL,
								 &size, paths)))
		return;
	while (node + sizeof(EFI_DEVICE_PATH) <= paths + size) {
		const EFI_DEVICE_PATH *const path = (const void *)node;
		const ACPI_HID_DEVICE_PATH *const device = (const void *)node;
		const UINTN length = path->Length[0] | (UINTN)path->Length[1] << 8;

		if (length < sizeof *path || length > (UINTN)(paths + size - node))
			return;
		if (path->Type == ACPI_DEVICE_PATH && path->SubType == ACPI_DP &&
		    length >= sizeof *device &&
		    device->HID == EISA_SERIAL_PORT)
			x86_early.efi_serial_port = device->UID + 1;
		node += length;
	}
}

// Memory that the firmware keeps, and its tables, are reserved; memory of loaders and boot services
// is free.
static uint32_t type_of(UINT32 type)
{
	enum { RAM = 1, RESERVED = 2, ACPI = 3, ACPI_NVS = 4 };

	switch (type) {
	case EfiLoaderCode:
	case EfiLoaderData:
	case EfiBootServicesCode:
	case EfiBootServicesData:
	case EfiConventionalMemory:
		return RAM;
	case EfiACPIReclaimMemory:
		return ACPI;
	case EfiACPIMemoryNVS:
		return ACPI_NVS;
	default:
		return RESERVED;
	}
}

static void add_memory(uint64_t start, uint64_t length, uint32_t type)
{
	struct linux_memory *const memory = image_parameters.memory;
	const uint8_t count = image_parameters.memory_entries;

	if (count && memory[count - 1].type == type &&
	    memory[count - 1].start + memory[count - 1].length == start)
		memory[count - 1].length += length;
	else if (count < LINUX_MEMORY_MOST)
		memory[image_parameters.memory_entries++] =
			(struct linux_memory){start, length, type};
}

static void convert_memory_map(const UINT8 *map, UINTN size, UINTN descriptor_size)
{
	image_parameters.memory_entries = 0;
	for (UINTN at = 0; at + descriptor_size <= size; at += descriptor_size) {
		const EFI_MEMORY_DESCRIPTOR *const d = (const void *)(map + at);

		add_memory(d->PhysicalStart, d->NumberOfPages * SMALL_PAGE, type_of(d->Type));
	}
}

// Whether the range is free memory: for the image at its link address, and for the code that moves
// it.
static bool is_memory(uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < image_parameters.memory_entries; i++) {
		const struct linux_memory *const m = &image_parameters.memory[i];

		if (m->type == 1 && m->start <= start && m->start + m->length >= end)
			return true;
	}
	return false;
}

static EFI_STATUS read_memory_map(UINTN *key)
{
	UINT8 map[MEMORY_MAP_SIZE] __attribute__((aligned(16)));
	UINTN size = sizeof map, descriptor_size;
	UINT32 version;
	const EFI_STATUS status =
		system_table->BootServices->GetMemoryMap(&size, (void *)map, key, &descriptor_size,
									   &version);

	if (!EFI_ERROR(status))
		convert_memory_map(map, size, descriptor_size);
	return status;
}

// Ends the boot services and runs the image. Returns only if they did not end.
static EFI_STATUS run_alone(EFI_HANDLE image)
{
	EFI_STATUS status = EFI_LOAD_ERROR;
	UINTN key;

	for (unsigned i = 0; i < EXIT_TRIES && !EFI_ERROR(read_memory_map(&key)); i++) {
		status = system_table->BootServices->ExitBootServices(image, key);
		if (!EFI_ERROR(status)) {
			__asm__ volatile("cli; cld");
			image_go_on(X86_ENTERED_EFI);
		}
	}
	put("palmon: the firmware's boot services do not end\n");
	return status;
}

// Ends the run as end= requests; if it returns, the caller, e.g. a shell, gets the status.
static EFI_STATUS end(const struct x86_early *left)
{
	EFI_RUNTIME_SERVICES *const services = system_table->RuntimeServices;

	switch (left->end) {
	case X86_END_RETURN:
		return left->status ? EFI_ABORTED : EFI_SUCCESS;
	case X86_END_REBOOT:
		services->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
		break;
	case X86_END_POWEROFF:
		services->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
		break;
	case X86_END_HALT:
		break;
	default:
		x86_outb(PORT_DEBUG_EXIT, left->status ? DEBUG_EXIT_FAILURE : DEBUG_EXIT_SUCCESS);
	}
	for (;;)
		__asm__ volatile("cli; hlt");
}

static EFI_STATUS run_in_place(EFI_HANDLE image)
{
	EFI_BOOT_SERVICES *const services = system_table->BootServices;
	const struct x86_early *left;
	EFI_STATUS status;
	uint64_t flags;

	services->SetWatchdogTimer(0, 0, 0, NULL);
	firmware_silence();
	__asm__ volatile("pushf; pop %0; cli" : "=r"(flags));
	left = firmware_wait_on_own_stack();
	__asm__ volatile("push %0; popf" : : "r"(flags) : "cc");
	firmware_keep_result(image, system_table, left);
	status = end(left);
	firmware_give_memory_back(services);
	return status;
}

EFI_STATUS EFIAPI efi_entry(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	UINTN key;

	system_table = system;
	image_parameters.efi_signature = LINUX_EFI_64;
	image_parameters.efi_table = (uint32_t)(uintptr_t)system;
	image_parameters.efi_table_high = (uint32_t)((uintptr_t)system >> 32);
	take_options(image);
	take_screen();
	take_serial_port();
	if (EFI_ERROR(read_memory_map(&key)) || !is_memory(IMAGE_START, image_load_end) ||
	    !is_memory(TRAMPOLINE, TRAMPOLINE + SMALL_PAGE)) {
		put("palmon: the firmware keeps memory that this image needs, at 1 MiB or at "
		    "8000H\n");
		return EFI_OUT_OF_RESOURCES;
	}
	x86_early.firmware_waits = is_memory(firmware_image_start, firmware_image_end) &&
		firmware_take_memory(system->BootServices);
	return x86_early.firmware_waits ? run_in_place(image) : run_alone(image);
}
