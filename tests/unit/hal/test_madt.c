// SPDX-License-Identifier: BSD-2-Clause
// Which CPUs the parser of ACPI's MADT finds (ACPI 6.4, 5.2.12: table 5.19; 5.2.12.2 local APIC,
// 5.2.12.12 local x2APIC). The tables are written by hand.

#include "unit.h"

#include <string.h>

#include "../../../hal/native/x86/early/early.h"
#include "x86/early.h"

struct x86_early x86_early;

static uint8_t table[4096];
static uint32_t size;

const void *acpi_find(const char signature[4], uint32_t least)
{
	return size >= least && !memcmp(signature, "APIC", 4) ? table : NULL;
}

// The MADT's header of 36 bytes, the local APICs' address, and flags; put() appends entries.
static void begin(void)
{
	memset(table, 0, sizeof table);
	memset(&x86_early, 0, sizeof x86_early);
	size = 44;
}

static void put(const uint8_t *bytes, uint32_t count)
{
	memcpy(table + size, bytes, count);
	size += count;
}

#define PUT(...) put((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void find(void)
{
	memcpy(table + 4, &size, sizeof size);
	early_find_processors();
}

static void no_table_has_no_processors(void **state)
{
	(void)state;
	begin();
	size = 0;
	early_find_processors();
	assert_int_equal(x86_early.cpus, 0);
}

static void processors_are_those_that_are_enabled(void **state)
{
	(void)state;
	begin();
	PUT(0, 8, 1, 0x10, 1, 0, 0, 0);
	PUT(1, 12, 2, 0, 0, 0, 0xC0, 0xFE, 0, 0, 0, 0);			// an I/O APIC
	PUT(0, 8, 2, 0x12, 0, 0, 0, 0);				// disabled
	PUT(0, 8, 3, 0x14, 2, 0, 0, 0);				// disabled, online capable
	// identity 256: beyond xAPIC mode
	PUT(9, 16, 0, 0, 0x00, 0x01, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0);
	PUT(9, 16, 0, 0, 0xFF, 0x00, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0);	// identity 255
	PUT(4, 6, 0xFF, 0, 0, 1);					// an NMI's line
	PUT(0, 8, 4, 0x16, 1, 0, 0, 0);
	find();
	assert_int_equal(x86_early.cpus, 3);
	assert_int_equal(x86_early.cpu[0], 0x10);
	assert_int_equal(x86_early.cpu[1], 255);
	assert_int_equal(x86_early.cpu[2], 0x16);
	assert_int_equal(x86_early.cpus_out_of_reach, 1);
	assert_int_equal(x86_early.cpus_off, 2);
}

static void entries_that_cannot_be_end_the_table(void **state)
{
	(void)state;
	begin();
	PUT(0, 8, 1, 1, 1, 0, 0, 0);
	PUT(0, 0, 2, 2, 1, 0, 0, 0);					// length 0
	PUT(0, 8, 3, 3, 1, 0, 0, 0);
	find();
	assert_int_equal(x86_early.cpus, 1);
	begin();
	PUT(0, 4, 1, 1);						// too short for its type
	PUT(0, 8, 2, 2, 1, 0, 0, 0);
	PUT(0, 8, 3, 3);						// truncated
	find();
	assert_int_equal(x86_early.cpus, 1);
	assert_int_equal(x86_early.cpu[0], 2);
}

static void processors_beyond_the_room_are_counted(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < X86_EARLY_CPUS + 3; i++)
		PUT(0, 8, 1, (uint8_t)i, 1, 0, 0, 0);
	find();
	assert_int_equal(x86_early.cpus, X86_EARLY_CPUS);
	assert_int_equal(x86_early.cpus_left_out, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_table_has_no_processors),
		cmocka_unit_test(processors_are_those_that_are_enabled),
		cmocka_unit_test(entries_that_cannot_be_end_the_table),
		cmocka_unit_test(processors_beyond_the_room_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
