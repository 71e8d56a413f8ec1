// SPDX-License-Identifier: BSD-2-Clause
// Keeps the run's result (palmon-board(5)) after the run: in a UEFI variable, which an operating
// system can show, and in a file next to the image. Skips one that cannot be written.

#include "x86/firmware.h"

#define VARIABLE	L"PalmonBoard"
#define VARIABLE_ID	{0xD76BFA24, 0x0D0E, 0x447C, \
			 {0xA2, 0x6B, 0x9A, 0xEE, 0xE0, 0xDB, 0x22, 0x72}}
#define VARIABLE_LEAST	1024u		/* bytes; if there is no room, try half as much */
#define FILE_NAME	L"palmon.board"
#define PATH_MOST	512u		/* characters */

static void keep_variable(EFI_RUNTIME_SERVICES *services, const struct x86_early *left)
{
	EFI_GUID id = VARIABLE_ID;

	UINTN size = left->result_size;

	while (EFI_ERROR(services->SetVariable((CHAR16 *)VARIABLE, &id,
					       EFI_VARIABLE_NON_VOLATILE |
					       EFI_VARIABLE_BOOTSERVICE_ACCESS |
					       EFI_VARIABLE_RUNTIME_ACCESS, size,
					       (void *)(uintptr_t)left->result)) &&
	       size >= VARIABLE_LEAST)
		size /= 2;
}

// Builds a path next to the image: its path with another last name. False: it has none, or one that
// is too long.
static bool path_of_sibling(const EFI_DEVICE_PATH *node, CHAR16 path[PATH_MOST])
{
	const CHAR16 *name = FILE_NAME;
	UINTN length = 0, folder = 0;

	for (; node && node->Type != END_DEVICE_PATH_TYPE;
	     node = (const void *)((const UINT8 *)node +
				   (node->Length[0] | (UINTN)node->Length[1] << 8))) {
		const CHAR16 *text = ((const FILEPATH_DEVICE_PATH *)node)->PathName;

		if (node->Type != MEDIA_DEVICE_PATH || node->SubType != MEDIA_FILEPATH_DP)
			continue;
		if (length && path[length - 1] != '\\')
			path[length++] = '\\';
		for (; *text && length < PATH_MOST - sizeof FILE_NAME; text++) {
			path[length++] = *text;
			folder = *text == '\\' ? length : folder;
		}
		if (*text)
			return false;
	}
	do
		path[folder++] = *name;
	while (*name++);
	return length;
}

static void keep_file(EFI_BOOT_SERVICES *services, EFI_HANDLE image, const struct x86_early *left)
{
	EFI_GUID loaded_id = LOADED_IMAGE_PROTOCOL, files_id = SIMPLE_FILE_SYSTEM_PROTOCOL;
	EFI_FILE_IO_INTERFACE *files;
	EFI_FILE_HANDLE root, file;
	EFI_LOADED_IMAGE *loaded;
	CHAR16 path[PATH_MOST];
	UINTN size = left->result_size;

	if (EFI_ERROR(services->HandleProtocol(image, &loaded_id, (void **)&loaded)) ||
	    !loaded->DeviceHandle ||
	    !path_of_sibling(loaded->FilePath, path) ||
	    EFI_ERROR(services->HandleProtocol(loaded->DeviceHandle, &files_id, (void **)&files)) ||
	    EFI_ERROR(files->OpenVolume(files, &root)))
		return;
	// an earlier file may be longer
	if (!EFI_ERROR(root->Open(root, &file, path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0)))
		file->Delete(file);
	if (!EFI_ERROR(root->Open(root, &file, path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE |
				  EFI_FILE_MODE_CREATE, 0))) {
		file->Write(file, &size, (void *)(uintptr_t)left->result);
		file->Close(file);
	}
	root->Close(root);
}

void firmware_keep_result(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, const struct x86_early *left)
{
	if (!left->result_size)
		return;
	keep_variable(system->RuntimeServices, left);
	keep_file(system->BootServices, image, left);
}
