// SPDX-License-Identifier: BSD-2-Clause
// The parser of boot loaders' memory maps, with maps of real machines and with malformed maps. Each
// map is a heap block of exactly its size; the address sanitizer reports a read past its end.
// Formats: Multiboot specification 0.6.96, section 3.3, mmap_*;
// xen/include/public/arch-x86/hvm/start_info.h; Linux, Documentation/x86/zero-page.rst.

#include "unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../pmu/core/random.h"
#include "x86/memory_map.h"

enum { RAM = 1, RESERVED = 2, ACPI_NVS = 4 };

#define MIB 0x100000ull

struct entry {
	uint64_t start, length;
	uint32_t type;
	uint32_t size;		// Multiboot: the entry's size field, in bytes; 0: the correct size
};

static struct x86_memory_map map;

static int forget_map(void **state)
{
	(void)state;
	free((void *)map.entries);
	map.entries = NULL;
	return 0;
}

static uint32_t entry_size(enum x86_memory_format format)
{
	return format == X86_MEMORY_LINUX ? 20 : 24;
}

// Builds the map from these entries, without its last `cut` bytes.
static void set_map(enum x86_memory_format format, const struct entry *entry, size_t count,
		    uint32_t cut)
{
	uint8_t bytes[4096], *end = bytes;

	for (; count; entry++, count--) {
		const uint32_t size = entry->size ? entry->size : 20, reserved = 0;

		assert_true(end - bytes < 4000);
		if (format == X86_MEMORY_MULTIBOOT) {
			memcpy(end, &size, 4);
			end += 4;
		}
		memcpy(end, &entry->start, 8);
		memcpy(end + 8, &entry->length, 8);
		memcpy(end + 16, &entry->type, 4);
		memcpy(end + 20, &reserved, 4);
		end += size == 24 ? 24 : format == X86_MEMORY_MULTIBOOT ? 20 : entry_size(format);
	}
	forget_map(NULL);
	map.format = format;
	map.size = (uint32_t)(end - bytes) - cut;
	map.entries = memcpy(malloc(map.size + !map.size), bytes, map.size);
}

#define SET_MAP(cut, ...)								\
	do {										\
		const struct entry entries_[] = {__VA_ARGS__};				\
		set_map(format, entries_, sizeof entries_ / sizeof *entries_, cut);	\
	} while (0)
#define EACH_FORMAT(format)	\
	for (enum x86_memory_format format = X86_MEMORY_MULTIBOOT; format <= X86_MEMORY_LINUX; \
	     format++)

// QEMU's BIOS reports this map for a PC of 64 MiB.
static void memory_ends_where_its_entry_does(void **state)
{
	(void)state;
	EACH_FORMAT(format) {
		SET_MAP(0, {0, 0x9FC00, RAM}, {0x9FC00, 0x400, RESERVED},
			{0xF0000, 0x10000, RESERVED},
			{0x100000, 0x3EE0000, RAM}, {0x3FE0000, 0x20000, RESERVED},
			{0xFFFC0000, 0x40000, RESERVED});
		assert_int_equal(0x3FE0000, x86_memory_end(&map, 16 * MIB));
		assert_int_equal(0x9FC00, x86_memory_end(&map, 0x8000));
		assert_int_equal(0xA0000, x86_memory_end(&map, 0xA0000));
		assert_int_equal(0x9FC00, x86_memory_end(&map, 0x9FC00));
		assert_int_equal(64 * MIB, x86_memory_end(&map, 64 * MIB));
	}
}

// EDK II's OVMF has a hole at 8 MiB. GRUB's lsefimmap prints this map; RAM includes the memory of
// boot services.
static void a_hole_ends_it(void **state)
{
	(void)state;
	EACH_FORMAT(format) {
		SET_MAP(0, {0, 0xA0000, RAM}, {0x100000, 0x706000, RAM},
			{0x806000, 0x2000, ACPI_NVS},
			{0x808000, 0x8000, RAM}, {0x810000, 0xF0000, ACPI_NVS},
			{0x900000, 0xE5A0000, RAM});
		assert_int_equal(0x806000, x86_memory_end(&map, 2 * MIB));
		assert_int_equal(0xEEA0000, x86_memory_end(&map, 16 * MIB));
	}
}

static void entries_in_any_order_are_joined(void **state)
{
	(void)state;
	EACH_FORMAT(format) {
		SET_MAP(0, {0x3000000, 0x1000000, RAM}, {0x1000000, 0x1000000, RAM},
			{0x2000000, 0x1000000, RAM},
			{0x5000000, 0x1000000, RAM});
		assert_int_equal(0x4000000, x86_memory_end(&map, 16 * MIB));
		SET_MAP(0, {0x1800000, 0x1000000, RAM}, {0xF00000, 0xA00000, RAM});
		assert_int_equal(0x2800000, x86_memory_end(&map, 16 * MIB));
	}
}

static void what_is_said_to_be_both_is_no_memory(void **state)
{
	(void)state;
	EACH_FORMAT(format) {
		SET_MAP(0, {0x2000000, 0x1000, RESERVED}, {0x100000, 0x4000000, RAM});
		assert_int_equal(0x2000000, x86_memory_end(&map, 16 * MIB));
		SET_MAP(0, {0x100000, 0x4000000, RAM}, {0x800000, 0x900000, RESERVED});
		assert_int_equal(16 * MIB, x86_memory_end(&map, 16 * MIB));
		SET_MAP(0, {0x100000, 0x4000000, RAM}, {0x800000, 0x800000, RESERVED},
			{0x4100000, 1, RESERVED});
		assert_int_equal(0x4100000, x86_memory_end(&map, 16 * MIB));
		SET_MAP(0, {0x100000, 0x4000000, RAM}, {0x3000000, 0x1000, 77},
			{0x2000000, 0x1000, 0});
		assert_int_equal(0x2000000, x86_memory_end(&map, 16 * MIB));
	}
}

static void empty_entries_are_nothing(void **state)
{
	(void)state;
	EACH_FORMAT(format) {
		SET_MAP(0, {0x1800000, 0, RESERVED}, {0x1000000, 0, RAM},
			{0x1000000, 0x1000000, RAM},
			{0x2000000, 0, RAM});
		assert_int_equal(0x2000000, x86_memory_end(&map, 16 * MIB));
		SET_MAP(0, {0x1000000, 0, RAM});
		assert_int_equal(16 * MIB, x86_memory_end(&map, 16 * MIB));
	}
}

static void sizes_beyond_all_addresses_end_there(void **state)
{
	(void)state;
	EACH_FORMAT(format) {
		SET_MAP(0, {0x1000000, UINT64_MAX, RAM});
		assert_true(UINT64_MAX == x86_memory_end(&map, 16 * MIB));
		SET_MAP(0, {0x1000000, 0x1000000, RAM}, {UINT64_MAX - 1, UINT64_MAX, RAM},
			{UINT64_MAX - 1, UINT64_MAX, RESERVED});
		assert_int_equal(0x2000000, x86_memory_end(&map, 16 * MIB));
	}
}

static void memory_above_4_gib_is_found(void **state)
{
	(void)state;
	EACH_FORMAT(format) {
		SET_MAP(0, {0x100000000, 0x40000000, RAM}, {0x100000, 0xFFF00000, RAM});
		assert_true(0x140000000 == x86_memory_end(&map, 16 * MIB));
		SET_MAP(0, {0x100000000, 0x40000000, RAM}, {0x100000, 0xBFF00000, RAM});
		assert_true(0xC0000000 == x86_memory_end(&map, 16 * MIB));
	}
}

static void an_entry_that_is_cut_is_left_out(void **state)
{
	(void)state;
	EACH_FORMAT(format)
		for (uint32_t cut = 1; cut <= entry_size(format); cut++) {
			SET_MAP(cut, {0x1000000, 0x1000000, RAM}, {0x2000000, 0x1000000, RAM});
			assert_int_equal(0x2000000, x86_memory_end(&map, 16 * MIB));
		}
	EACH_FORMAT(format) {
		SET_MAP(entry_size(format), {0x1000000, 0x1000000, RAM});
		assert_int_equal(16 * MIB, x86_memory_end(&map, 16 * MIB));
	}
}

// A Multiboot entry may be longer than 20 bytes. An entry with a shorter size, or with a size that
// exceeds the map, ends the map.
static void multiboot_entries_say_how_long_they_are(void **state)
{
	static const uint32_t wrong[] = {1, 4, 19, 100, 0x7FFFFFFF, 0xFFFFFFE8, 0xFFFFFFFC,
					 0xFFFFFFFF};
	const enum x86_memory_format format = X86_MEMORY_MULTIBOOT;

	(void)state;
	SET_MAP(0, {0x1000000, 0x1000000, RAM, 24}, {0x2000000, 0x1000000, RAM, 24},
		{0x3000000, 0x1000000, RAM});
	assert_int_equal(0x4000000, x86_memory_end(&map, 16 * MIB));
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		SET_MAP(0, {0x1000000, 0x1000000, RAM}, {0x2000000, 0x1000000, RAM, wrong[i]},
			{0x3000000, 0x1000000, RAM});
		assert_int_equal(0x2000000, x86_memory_end(&map, 16 * MIB));
	}
}

static void a_map_without_end_is_read_up_to_a_bound(void **state)
{
	uint32_t offset = 0, entries = 0;
	struct x86_memory_range range;

	(void)state;
	EACH_FORMAT(format) {
		forget_map(NULL);
		map = (struct x86_memory_map){calloc(1, X86_MEMORY_MAP_MOST), UINT32_MAX, format};
		for (uint32_t i = 0; format == X86_MEMORY_MULTIBOOT && i < X86_MEMORY_MAP_MOST;
		     i += 24)
			*(uint8_t *)&map.entries[i] = 20;
		for (offset = entries = 0; x86_memory_next(&map, &offset, &range); entries++)
			assert_int_equal(0, range.end);
		assert_int_equal(X86_MEMORY_MAP_MOST / entry_size(format), entries);
	}
}

// Reference: marks each page, and walks one page at a time.
#define PAGES 64
static uint64_t end_by_pages(const struct entry *entry, size_t count, uint64_t from)
{
	enum { NONE, MEMORY, OTHER } page[PAGES + 1] = {NONE};

	for (size_t i = 0; i < count; i++)
		for (uint64_t p = entry[i].start; p < entry[i].start + entry[i].length && p < PAGES;
		     p++)
			page[p] = entry[i].type != RAM || page[p] == OTHER ? OTHER : MEMORY;
	while (page[from] == MEMORY)
		from++;
	return from;
}

static void random_maps_agree_with_pages(void **state)
{
	uint64_t seed = 0x9E3779B97F4A7C15;

	(void)state;
	for (unsigned turn = 0; turn < 20000; turn++) {
		const enum x86_memory_format format = (enum x86_memory_format)(turn % 3);
		const size_t count = random_between(&seed, 0, 8);
		struct entry entry[8];

		for (size_t i = 0; i < count; i++)
			entry[i] = (struct entry){random_between(&seed, 0, PAGES - 1),
						  random_between(&seed, 0, 24),
						  random_chance(&seed, 70) ? RAM : RESERVED, 0};
		for (size_t i = 0; i < count; i++)
			if (entry[i].start + entry[i].length > PAGES)
				entry[i].length = PAGES - entry[i].start;
		set_map(format, entry, count, 0);
		for (uint64_t from = 0; from < PAGES; from++)
			assert_int_equal(end_by_pages(entry, count, from),
					 x86_memory_end(&map, from));
	}
}

static void random_bytes_are_read_within_their_bounds(void **state)
{
	uint64_t seed = 0xD1B54A32D192ED03;

	(void)state;
	for (unsigned turn = 0; turn < 20000; turn++) {
		const uint32_t size = (uint32_t)random_between(&seed, 0, 200);
		uint8_t *bytes = malloc(size + !size);

		forget_map(NULL);
		// Mostly small numbers, so that some entries are valid.
		for (uint32_t i = 0; i < size; i++)
			bytes[i] = random_chance(&seed, 80) ?
				(uint8_t)(20 * random_chance(&seed, 20)) :
							       (uint8_t)random_next(&seed);
		map = (struct x86_memory_map){bytes, size, (enum x86_memory_format)(turn % 3)};
		assert_true(x86_memory_end(&map, 20) >= 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_teardown(f, forget_map)
		TEST(memory_ends_where_its_entry_does), TEST(a_hole_ends_it),
		TEST(entries_in_any_order_are_joined),
		TEST(what_is_said_to_be_both_is_no_memory), TEST(empty_entries_are_nothing),
		TEST(sizes_beyond_all_addresses_end_there), TEST(memory_above_4_gib_is_found),
		TEST(an_entry_that_is_cut_is_left_out),
		TEST(multiboot_entries_say_how_long_they_are),
		TEST(a_map_without_end_is_read_up_to_a_bound), TEST(random_maps_agree_with_pages),
		TEST(random_bytes_are_read_within_their_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
