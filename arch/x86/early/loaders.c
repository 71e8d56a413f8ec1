// SPDX-License-Identifier: BSD-2-Clause
// Reads the data that a boot loader left in memory, for each protocol. The data is untrusted.

#include <stddef.h>

#include "x86/coreboot.h"
#include "x86/early.h"
#include "x86/linux.h"
#include "x86/pvh.h"

#define KIB			1024u
#define ABOVE_1_MIB		0x100000u

#define EFI_TABLES_MOST		256u

// UEFI's system table of 64-bit firmware, and the structures that it points to (UEFI specification
// 4.3, 4.6).
struct __attribute__((packed)) efi_system_table {
	uint8_t unused[104];
	uint64_t tables, table;
};

struct efi_table {
	uint32_t id[4];
	uint64_t address;
};

struct linux_parameters image_parameters;
char image_command_line[LINUX_COMMAND_LINE];

static struct x86_memory_map map_of(uint64_t address, uint32_t size, enum x86_memory_format format)
{
	if (address > UINT32_MAX)
		return (struct x86_memory_map){0};
	return (struct x86_memory_map){(const void *)(uintptr_t)address, size, format};
}

// Returns a 64-bit address that 32-bit code can read; otherwise 0.
static uint32_t readable(uint64_t address)
{
	return address > UINT32_MAX ? 0 : (uint32_t)address;
}

// Builds a map from the sizes below 640 KiB and above 1 MiB, for loaders without a map.
static struct x86_memory_map two_sizes(const struct multiboot_information *m)
{
	static struct multiboot_memory entries[] = {
		{sizeof *entries - sizeof(uint32_t), 0, 0, X86_MEMORY_RAM},
		{sizeof *entries - sizeof(uint32_t), ABOVE_1_MIB, 0, X86_MEMORY_RAM},
	};

	entries[0].length = (uint64_t)m->memory_lower_kib * KIB;
	entries[1].length = (uint64_t)m->memory_upper_kib * KIB;
	return (struct x86_memory_map){(const void *)entries, sizeof entries, X86_MEMORY_MULTIBOOT};
}

// Copies the command line, because the loader may have put it where the image is copied to.
static void keep_command_line(const char *line)
{
	for (unsigned i = 0; i < LINUX_COMMAND_LINE - 1 && line[i]; i++)
		image_command_line[i] = line[i];
	x86_early.command_line = (uint32_t)(uintptr_t)image_command_line;
}

static struct x86_memory_map read_multiboot(const struct multiboot_information *m)
{
	x86_early.protocol = X86_PROTOCOL_MULTIBOOT;
	if (m->flags & MULTIBOOT_COMMAND_LINE)
		keep_command_line((const char *)(uintptr_t)m->command_line);
	if (m->flags & MULTIBOOT_MEMORY_MAP)
		return map_of(m->memory_map, m->memory_map_size, X86_MEMORY_MULTIBOOT);
	return m->flags & MULTIBOOT_MEMORY ? two_sizes(m) : (struct x86_memory_map){0};
}

static struct x86_memory_map read_pvh(const struct pvh_start_info *p)
{
	uint32_t entries = p->memory_map_entries;

	if (p->magic != PVH_MAGIC)
		return (struct x86_memory_map){0};
	x86_early.protocol = X86_PROTOCOL_PVH;
	if (readable(p->command_line))
		keep_command_line((const char *)(uintptr_t)readable(p->command_line));
	x86_early.acpi = readable(p->acpi_table);
	if (p->version < PVH_HAS_MEMORY_MAP)
		return (struct x86_memory_map){0};
	if (entries > X86_MEMORY_MAP_MOST / sizeof(struct x86_pvh_memory))
		entries = X86_MEMORY_MAP_MOST / sizeof(struct x86_pvh_memory);
	return map_of(p->memory_map, entries * (uint32_t)sizeof(struct x86_pvh_memory),
		      X86_MEMORY_PVH);
}

//
// The Linux boot protocol, also as image/efi.c fills it in for UEFI
//

static bool is_id(const uint32_t *a, const uint32_t *b)
{
	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
}

// Returns ACPI's RSDP from UEFI's tables: of ACPI 2.0, otherwise of 1.0.
static uint32_t acpi_of_efi(const struct linux_parameters *p)
{
	static const uint32_t acpi_2[] = {0x8868E871, 0x11D3E4F1, 0x800022BC, 0x81883CC7},
			      acpi_1[] = {0xEB9D2D30, 0x11D32D88, 0x9000169A, 0x4DC13F27};
	const struct efi_system_table *system = (const void *)(uintptr_t)p->efi_table;
	const struct efi_table *table;
	uint32_t found = 0;

	if (p->efi_signature != LINUX_EFI_64 || p->efi_table_high || !system ||
	    !readable(system->table) ||
	    system->tables > EFI_TABLES_MOST)
		return 0;
	table = (const void *)(uintptr_t)system->table;
	for (uint32_t i = 0; i < (uint32_t)system->tables; i++) {
		const bool is_2 = is_id(table[i].id, acpi_2);

		if (is_2 || is_id(table[i].id, acpi_1))
			found = readable(table[i].address);
		if (is_2)
			break;
	}
	return found;
}

static struct x86_memory_map read_linux(const struct linux_parameters *p,
					enum x86_protocol protocol)
{
	const uint32_t entries = p->memory_entries < LINUX_MEMORY_MOST ? p->memory_entries :
		LINUX_MEMORY_MOST;

	x86_early.protocol = protocol;
	x86_early.loader = p->loader;
	x86_early.command_line = (uint32_t)(uintptr_t)image_command_line;
	x86_early.acpi = p->acpi ? readable(p->acpi) : acpi_of_efi(p);
	if (p->screen_kind == LINUX_SCREEN_EFI || p->screen_kind == LINUX_SCREEN_VESA)
		x86_early.frame_buffer = (struct x86_frame_buffer){
			p->frame_buffer | (uint64_t)p->frame_buffer_high << 32, p->width, p->height,
			p->pitch, p->depth,
		};
	return (struct x86_memory_map){(const void *)p->memory,
				       entries * (uint32_t)sizeof *p->memory, X86_MEMORY_LINUX};
}

//
// coreboot: it passes nothing to a payload, which searches for coreboot's table
//

// The Internet's checksum (RFC 1071).
static uint32_t sum_of(const uint8_t *bytes, uint32_t size)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < size; i++)
		sum += i % 2 ? (uint32_t)bytes[i] << 8 : bytes[i];
	while (sum >> 16)
		sum = (sum & 0xFFFF) + (sum >> 16);
	return ~sum & 0xFFFF;
}

// Returns a valid table between these addresses.
static const struct coreboot_table *find_table(uint32_t from, uint32_t to)
{
	for (; from < to; from += COREBOOT_ALIGNMENT) {
		const struct coreboot_table *const t = (const void *)(uintptr_t)from;

		if (t->signature == COREBOOT_SIGNATURE && t->header_size >= sizeof *t &&
		    t->header_size <= COREBOOT_HEADER_MOST && t->size <= COREBOOT_SIZE_MOST &&
		    !sum_of((const void *)t, t->header_size) &&
		    sum_of((const uint8_t *)t + t->header_size, t->size) == t->checksum)
			return t;
	}
	return NULL;
}

// Returns the record with this tag and at least this size.
static const void *record_of(const struct coreboot_table *table, uint32_t tag, uint32_t size)
{
	const uint8_t *const records = (const uint8_t *)table + table->header_size;

	for (uint32_t at = 0; table->size - at >= sizeof(struct coreboot_record);) {
		const struct coreboot_record *const r = (const void *)(records + at);

		if (r->size < sizeof *r || r->size > table->size - at)
			return NULL;
		if (r->tag == tag && r->size >= size)
			return r;
		at += r->size;
	}
	return NULL;
}

static const struct coreboot_table *find_coreboot(void)
{
	const struct coreboot_table *table = find_table(COREBOOT_LOW_START, COREBOOT_LOW_END);
	const struct coreboot_address *forward;

	if (!table)
		table = find_table(COREBOOT_HIGH_START, COREBOOT_HIGH_END);
	if (!table)
		return NULL;
	forward = record_of(table, COREBOOT_FORWARD, sizeof *forward);
	return forward && readable(forward->address) ?
		find_table(readable(forward->address), readable(forward->address) + 1) : table;
}

static struct x86_memory_map read_coreboot(const struct coreboot_table *table)
{
	const struct coreboot_memory *memory = record_of(table, COREBOOT_MEMORY, sizeof *memory);
	const struct coreboot_serial *serial = record_of(table, COREBOOT_SERIAL, sizeof *serial);
	const struct coreboot_frame_buffer *frame = record_of(table, COREBOOT_FRAME_BUFFER,
							      sizeof *frame);
	const struct coreboot_address *log = record_of(table, COREBOOT_LOG, sizeof *log),
		*acpi = record_of(table, COREBOOT_ACPI, sizeof *acpi);

	x86_early.protocol = X86_PROTOCOL_COREBOOT;
	x86_early.log = log ? readable(log->address) : 0;
	x86_early.acpi = acpi ? readable(acpi->address) : 0;
	if (serial)
		x86_early.serial = (struct x86_serial_port){
			serial->address, serial->kind == COREBOOT_SERIAL_PORTS ? 0 :
				serial->width ? serial->width : 1,
		};
	if (frame)
		x86_early.frame_buffer = (struct x86_frame_buffer){
			frame->address, frame->width, frame->height, frame->pitch, frame->depth,
		};
	if (!memory)
		return (struct x86_memory_map){0};
	return (struct x86_memory_map){(const void *)memory->entry,
				       memory->record.size -
				       (uint32_t)offsetof(struct coreboot_memory, entry),
				       X86_MEMORY_LINUX};
}

#define MODULES_MOST 64

void x86_early_read_modules(uint32_t entered, uint32_t information,
			    void (*each)(uint32_t start, uint32_t end))
{
	const struct multiboot_information *const m = (const void *)(uintptr_t)information;
	const struct linux_parameters *const p = (const void *)(uintptr_t)information;
	const struct multiboot_module *module;

	if (entered == X86_ENTERED_LINUX && p->initrd_size &&
	    p->initrd <= UINT32_MAX - p->initrd_size)
		each(p->initrd, p->initrd + p->initrd_size);
	if (entered != MULTIBOOT_LOADER_MAGIC || !(m->flags & MULTIBOOT_MODULES))
		return;
	module = (const void *)(uintptr_t)m->modules;
	for (uint32_t i = 0; i < m->module_count && i < MODULES_MOST; i++)
		each(module[i].start, module[i].end);
}

struct x86_memory_map x86_early_read_loader(uint32_t entered, uint32_t information)
{
	const void *const left = (const void *)(uintptr_t)information;
	const struct coreboot_table *coreboot;

	switch (entered) {
	case MULTIBOOT_LOADER_MAGIC:
		return read_multiboot(left);
	case X86_ENTERED_PVH:
		return read_pvh(left);
	case X86_ENTERED_LINUX:
		return read_linux(left, X86_PROTOCOL_LINUX);
	case X86_ENTERED_EFI:
		return read_linux(left, X86_PROTOCOL_EFI);
	default:
		coreboot = find_coreboot();
		return coreboot ? read_coreboot(coreboot) : (struct x86_memory_map){0};
	}
}
