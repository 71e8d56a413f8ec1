// SPDX-License-Identifier: BSD-2-Clause
// Checks whether the image can run: whether the processor has the features that the image is
// compiled for, and whether there is memory where the image is linked. If not, reports the reason
// and ends the run.

#include <stdbool.h>
#include <stddef.h>

#include "arch_inline.h"
#include "layout.h"
#include "x86/cpu.h"
#include "x86/early.h"
#include "x86/features.h"
#include "x86/memory_map.h"

#define DEVICES_START		0xC0000000u	/* from here on devices are mapped (entry.S) */

#define EFLAGS_ID		(1u << 21)	/* can be changed if there is CPUID */

extern const char image_start[], image_end[];	// linker script

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

	__asm__ volatile("pushf; pop %0; mov %0, %1; xor %2, %1; push %1; popf; pushf; pop %1; "
			 "push %0; popf"
			 : "=&r"(before), "=&r"(after) : "i"(EFLAGS_ID) : "cc");
	return (before ^ after) & EFLAGS_ID;
}

// Returns all 0 for a leaf beyond the highest.
static struct x86_cpuid cpuid(uint32_t leaf)
{
	const uint32_t first = leaf & CPUID_EXTENDED,
		highest = have_cpuid() ? x86_cpuid(first, 0).eax : 0;

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

// SDM volume 2A, CPUID, leaf 1: the extended family belongs to family 15, the extended model also
// to family 6.
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
	const struct x86_cpuid of_amd = cpuid(CPUID_MONITORING_AMD);
	char *end = x86_early.processor;

	if (!have_cpuid()) {
		append(end, "a processor without CPUID");
		return;
	}
	end = append_characters(append_characters(append_characters(end, vendor.ebx), vendor.edx),
				vendor.ecx);
	end = append_model(end, cpuid(CPUID_FEATURES).eax);
	if (vendor.eax < CPUID_MONITORING) {
		end = append(end, ", no leaf 0AH");
	} else {
		end = append_hex(append(end, ", leaf 0AH: EAX "), monitoring.eax);
		end = append_hex(append(append_hex(append(end, " EBX "), monitoring.ebx), " EDX "),
				 monitoring.edx);
	}
	if (cpuid(CPUID_EXTENDED).eax >= CPUID_MONITORING_AMD) {
		end = append_hex(append(end, ", leaf 8000_0022H: EAX "), of_amd.eax);
		append_hex(append(end, " EBX "), of_amd.ebx);
	}
}

static void check_processor(void)
{
	bool lacks = false;

	for (size_t i = 0; i < x86_feature_count; i++) {
		if (have_feature(&x86_features[i]))
			continue;
		x86_early_put(lacks ? ", " :
			      "palmon: this image needs features that the processor lacks: ");
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
// Memory
//

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

// Without a map: tests whether a written word reads back.
static bool holds(uint32_t address)
{
	volatile uint32_t *const word = (void *)(uintptr_t)address;
	const uint32_t pattern = 0x5AA5C33C ^ address;

	*word = pattern;
	word[1] = ~pattern;	// drive another value on the bus
	return *word == pattern;
}

// Without a map, tests the memory where the image will be copied. If the loader has already loaded
// the image there, there is nothing to test (x86_early_parts is NULL).
static void probe_memory(uint32_t start, uint32_t end)
{
	for (uint32_t address = start; x86_early_parts && address < end; address += SMALL_PAGE) {
		if (holds(address))
			continue;
		put_range("palmon: this image needs memory from ", start, end);
		put_range(", the boot loader gives no map, and there is none from ", address, end);
		x86_early_put("\n");
		x86_early_end("memory");
	}
}

// Reports a module that palmon.img overwrites when it moves itself; the loader does not know that
// it moves. The run continues without modules.
static void report_module(uint32_t start, uint32_t end)
{
	if (start >= (uintptr_t)image_end || end <= (uintptr_t)image_start)
		return;
	put_range("palmon: this image has overwritten a boot module, from ", start, end);
	x86_early_put("\n");
}

static void check_memory(const struct x86_memory_map *map)
{
	const uint64_t start = (uintptr_t)image_start, end = (uintptr_t)image_end;

	x86_early.memory_end = end;
	if (!map->size) {
		probe_memory((uint32_t)start, (uint32_t)end);
		return;
	}
	need_memory(map, TRAMPOLINE, TRAMPOLINE + SMALL_PAGE);
	need_memory(map, start, end);
	x86_early.memory_end = x86_memory_end(map, start);
	if (x86_early.memory_end > DEVICES_START)
		x86_early.memory_end = DEVICES_START;
	x86_early.memory_end &= ~(uint64_t)(LARGE_PAGE - 1);
}

void x86_early_main(uint32_t entered, uint32_t information)
{
	struct x86_memory_map map;

	if (have_feature(&time_stamp_counter))
		x86_early.clock = arch_clock();
	map = x86_early_read_loader(entered, information);
	x86_early_find_consoles();
	x86_early_find_machine();
	name_processor();
	check_processor();
	check_memory(&map);
	if (x86_early_parts)
		x86_early_read_modules(entered, information, report_module);
}
