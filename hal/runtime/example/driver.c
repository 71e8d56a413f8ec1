// SPDX-License-Identifier: BSD-2-Clause
// A UEFI driver with palmon's runtime. When started, it tests the processor's PMU and publishes the
// result as the variable PalmonSelftest. gnu-efi enters and relocates it, but it calls none of
// gnu-efi's functions: they need SSE, which not every firmware has turned on.

#include <efi.h>

#include "host.h"
#include "palmon_host.h"
#include "palmon_runtime.h"

#define VARIABLE_ID	{0x0D0B2A2E, 0x55F4, 0x4A0C, \
			 {0x8A, 0x3E, 0x0C, 0x7B, 0x1C, 0x6E, 0x52, 0x19}}
#define TEXT_SIZE	8192u

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

// The report. The firmware does not run during the self test, so it is kept until the end.
static char text[TEXT_SIZE];
static UINTN length;

static void add(const char *more, size_t size)
{
	while (size-- && length < TEXT_SIZE - 1)
		text[length++] = *more++;
}

static void add_value(const char *name, unsigned value)
{
	char digits[10];
	size_t count = 0;

	while (name[count])
		count++;
	add(name, count);
	count = sizeof digits;
	do
		digits[--count] = (char)('0' + value % 10);
	while (value /= 10);
	add(digits + count, sizeof digits - count);
}

// Keeps the lines of failed checks; the others begin with "ok".
void palmon_host_put(const char *line, size_t size)
{
	if (line[0] == 'n')
		add(line, size);
}

// An unexpected exception, when no output is possible: stops the processor with the address in RDX.
void host_end(unsigned vector, uint64_t ip)
{
	for (;;)
		__asm__ volatile("cli; hlt" : : "a"(vector), "d"(ip));
}

// Firmware runs no code at level 3.
bool palmon_host_run_user(void (*function)(uint64_t argument), uint64_t argument)
{
	(void)function, (void)argument;
	return false;
}

static void print(EFI_SYSTEM_TABLE *system)
{
	for (UINTN i = 0; i < length; i++) {
		CHAR16 character[] = {text[i] == '\n' ? '\r' : (CHAR16)text[i],
				      text[i] == '\n' ? '\n' : 0, 0};

		system->ConOut->OutputString(system->ConOut, character);
	}
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	EFI_GUID id = VARIABLE_ID;
	struct palmon_result r = {0};
	const char *lacks;
	UINTN result;

	(void)image;
	host_take_interrupts();
	lacks = palmon_probe();
	if (!lacks)
		r = palmon_selftest();
	host_give_interrupts_back();
	result = length;
	add_value("palmon: checks ", r.checks);
	add_value(", failed ", r.failed);
	add_value(", skipped ", r.skipped);
	system->RuntimeServices->SetVariable((CHAR16 *)L"PalmonSelftest", &id,
					     EFI_VARIABLE_BOOTSERVICE_ACCESS |
					     EFI_VARIABLE_RUNTIME_ACCESS,
					     length - result, text + result);
	add(lacks ? "; no PMU\n" : "\n", lacks ? 9 : 1);
	print(system);
	return lacks ? EFI_UNSUPPORTED : r.failed ? EFI_DEVICE_ERROR : EFI_SUCCESS;
}
