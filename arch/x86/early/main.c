// SPDX-License-Identifier: BSD-2-Clause
// Whether this image can run here: what the processor is, and whether it has what the image is compiled for; where the
// boot loader says that there is memory. What is lacking is said, and the run ends.

#include <stdbool.h>
#include <stddef.h>

#include "arch_inline.h"
#include "layout.h"
#include "x86/cpu.h"
#include "x86/early.h"
#include "x86/features.h"
#include "x86/memory_map.h"

#define KIB			1024u
#define ABOVE_1_MIB		0x100000u
#define DEVICES_START		0xC0000000u	/* from here on memory is mapped for devices (entry.S) */

#define PVH_MAGIC		0x336EC578u
#define PVH_HAS_MEMORY_MAP	1u		/* from this version on */

#define EFLAGS_ID		(1u << 21)	/* can be changed: there is CPUID */

// The start of Xen's struct hvm_start_info (xen/include/public/arch-x86/hvm/start_info.h).
struct pvh_start_info {
	uint32_t magic, version, flags, modules;
	uint64_t module_list, command_line, acpi_table;
	uint64_t memory_map;
	uint32_t memory_map_entries, reserved;
};

extern const char image_start[], image_end[];	// linker script

struct x86_early x86_early;

//
// Text
//

static char *append(char *end, const char *text)
{
	while (*text)
		*end++ = *text++;
	*end = '\0';
	return end;
}

static char *append_hex(char *end, uint64_t value)
{
	unsigned shift = 60;

	end = append(end, "0x");
	while (shift && !(value >> shift))
		shift -= 4;
	for (; ; shift -= 4) {
		*end++ = "0123456789abcdef"[value >> shift & 0xF];
		if (!shift)
			break;
	}
	*end = '\0';
	return end;
}

static char *append_decimal(char *end, unsigned value)
{
	if (value >= 10)
		end = append_decimal(end, value / 10);
	*end++ = (char)('0' + value % 10);
	*end = '\0';
	return end;
}

static void put_range(const char *before, uint64_t start, uint64_t end)
{
	char text[64];

	append_hex(append(append_hex(text, start), " to "), end);
	x86_early_put(before);
	x86_early_put(text);
}

static void put_found(void)
{
	x86_early_put("palmon: found ");
	x86_early_put(x86_early.processor);
	x86_early_put("; this image drives ");
	x86_early_put(x86_early_drives);
	x86_early_put("\n");
}

//
// The processor
//

static bool have_cpuid(void)
{
	uint32_t before, after;

	__asm__ volatile("pushf; pop %0; mov %0, %1; xor %2, %1; push %1; popf; pushf; pop %1; push %0; popf"
			 : "=&r"(before), "=&r"(after) : "i"(EFLAGS_ID) : "cc");
	return (before ^ after) & EFLAGS_ID;
}

// All 0 of a leaf beyond the highest.
static struct x86_cpuid cpuid(uint32_t leaf)
{
	const uint32_t first = leaf & CPUID_EXTENDED, highest = have_cpuid() ? x86_cpuid(first, 0).eax : 0;

	return highest >= leaf ? x86_cpuid(leaf, 0) : (struct x86_cpuid){0, 0, 0, 0};
}

static const struct x86_feature time_stamp_counter = X86_FEATURE_TSC;

static bool have_feature(const struct x86_feature *f)
{
	const struct x86_cpuid r = cpuid(f->leaf);

	return (f->in == X86_ECX ? r.ecx : r.edx) >> f->bit & 1;
}

static char *append_characters(char *end, uint32_t four)
{
	for (; four; four >>= 8)
		*end++ = (char)four;
	return end;
}

// SDM volume 2A, CPUID, leaf 1: the extended numbers belong to family 15; the model's to family 6, too.
static char *append_model(char *end, uint32_t version)
{
	unsigned family = version >> 8 & 0xF, model = version >> 4 & 0xF;

	if (family == 0x6 || family == 0xF)
		model |= (version >> 16 & 0xF) << 4;
	if (family == 0xF)
		family += version >> 20 & 0xFF;
	end = append_decimal(append(end, " family "), family);
	end = append_decimal(append(end, ", model "), model);
	return append_decimal(append(end, ", stepping "), version & 0xF);
}

static void name_processor(void)
{
	const struct x86_cpuid vendor = cpuid(0), monitoring = cpuid(CPUID_MONITORING);
	char *end = x86_early.processor;

	if (!have_cpuid()) {
		append(end, "a processor without CPUID");
		return;
	}
	end = append_characters(append_characters(append_characters(end, vendor.ebx), vendor.edx), vendor.ecx);
	end = append_model(end, cpuid(CPUID_FEATURES).eax);
	if (vendor.eax < CPUID_MONITORING) {
		append(end, ", no leaf 0AH");
		return;
	}
	end = append_hex(append(end, ", leaf 0AH: EAX "), monitoring.eax);
	append_hex(append(append_hex(append(end, " EBX "), monitoring.ebx), " EDX "), monitoring.edx);
}

static void check_processor(void)
{
	bool lacks = false;

	for (size_t i = 0; i < x86_feature_count; i++) {
		if (have_feature(&x86_features[i]))
			continue;
		x86_early_put(lacks ? ", " : "palmon: this image needs what the processor lacks: ");
		x86_early_put(x86_features[i].name);
		lacks = true;
	}
	if (!lacks)
		return;
	x86_early_put("\n");
	put_found();
	x86_early_end("processor");
}

//
// What the boot loader has left
//

// A map of what is below 640 KiB, and what is above 1 MiB: all that some say.
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

static struct x86_memory_map read_multiboot(const struct multiboot_information *m)
{
	x86_early.protocol = X86_PROTOCOL_MULTIBOOT;
	if (m->flags & MULTIBOOT_COMMAND_LINE)
		x86_early.command_line = m->command_line;
	if (m->flags & MULTIBOOT_MEMORY_MAP)
		return (struct x86_memory_map){(const void *)(uintptr_t)m->memory_map, m->memory_map_size,
					       X86_MEMORY_MULTIBOOT};
	return m->flags & MULTIBOOT_MEMORY ? two_sizes(m) : (struct x86_memory_map){0};
}

// Addresses of 64 bits; here those of 32 can be read.
static struct x86_memory_map read_pvh(const struct pvh_start_info *p)
{
	uint32_t entries = p->memory_map_entries;

	x86_early.protocol = X86_PROTOCOL_PVH;
	if (p->command_line <= UINT32_MAX)
		x86_early.command_line = (uint32_t)p->command_line;
	if (p->version < PVH_HAS_MEMORY_MAP || p->memory_map > UINT32_MAX)
		return (struct x86_memory_map){0};
	if (entries > X86_MEMORY_MAP_MOST / sizeof(struct x86_pvh_memory))
		entries = X86_MEMORY_MAP_MOST / sizeof(struct x86_pvh_memory);
	return (struct x86_memory_map){(const void *)(uintptr_t)p->memory_map,
				       entries * (uint32_t)sizeof(struct x86_pvh_memory), X86_MEMORY_PVH};
}

static void need_memory(const struct x86_memory_map *map, uint64_t start, uint64_t end)
{
	const char *before = ", the map has ";
	struct x86_memory_range range;

	if (x86_memory_end(map, start) >= end)
		return;
	put_range("palmon: this image needs memory from ", start, end);
	for (uint32_t offset = 0; x86_memory_next(map, &offset, &range);)
		if (range.type == X86_MEMORY_RAM && range.start < range.end) {
			put_range(before, range.start, range.end);
			before = ", ";
		}
	x86_early_put("\n");
	x86_early_end("memory");
}

// A loader without a memory map has at least loaded the image.
static void check_memory(const struct x86_memory_map *map)
{
	const uint64_t start = (uintptr_t)image_start, end = (uintptr_t)image_end;

	x86_early.memory_end = end;
	if (!map->size)
		return;
	need_memory(map, TRAMPOLINE, TRAMPOLINE + SMALL_PAGE);
	need_memory(map, start, end);
	x86_early.memory_end = x86_memory_end(map, start);
	if (x86_early.memory_end > DEVICES_START)
		x86_early.memory_end = DEVICES_START;
	x86_early.memory_end &= ~(uint64_t)(LARGE_PAGE - 1);
}

void x86_early_main(uint32_t magic, uint32_t information)
{
	const struct pvh_start_info *pvh = (const void *)(uintptr_t)information;
	struct x86_memory_map map = {0};

	if (have_feature(&time_stamp_counter))
		x86_early.clock = arch_clock();
	name_processor();
	check_processor();
	if (magic == MULTIBOOT_LOADER_MAGIC)
		map = read_multiboot((const void *)(uintptr_t)information);
	else if (pvh->magic == PVH_MAGIC)
		map = read_pvh(pvh);
	check_memory(&map);
}
