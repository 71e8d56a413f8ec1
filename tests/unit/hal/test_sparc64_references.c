// SPDX-License-Identifier: BSD-2-Clause
// What the plugin makes of a SPARC guest's fetches and accesses, as QEMU reports them: which lines are referred to. The
// numbers follow from lines of 32 bytes in the L1 and L2 caches, of 64 in the L3 cache.

#include "unit.h"

#include <string.h>

#include "../../../hal/emu/plugin/sparc64_class.c"
#include "../../../hal/emu/plugin/sparc64_access.c"
#include "../../../hal/emu/plugin/sparc64_references.c"

#define CODE		0x200000ULL
#define DATA		0x300000ULL
#define LDX		0xD25A2008	/* ldx [%o0 + 8], %o1 */
#define STX		0xD2722008	/* stx %o1, [%o0 + 8] */
#define NO_OPERATION	0x01000000
#define BLOCK_LOAD	0xE19A1E09	/* ldda [%o0 + %o1] 0xF0, %f16 */
#define BLOCK_COMMIT	0xE1BA1C09	/* stda %f16, [%o0 + %o1] 0xE0 */

//
// In the place of QEMU and of what else there is
//

struct feed feeds[VPMU_CPUS];
enum reports reports_what = REPORTS_REFERENCES;
static unsigned happened[HAPPENING_COUNT];
static bool counted;
static struct {
	void (*call)(unsigned cpu, qemu_plugin_meminfo_t access, uint64_t linear, void *context);
	void *context;
} translated[8];
static bool device;

void happenings_raise(unsigned cpu, unsigned core, enum happening what, uint64_t address)
{
	(void)cpu, (void)core, (void)address;
	happened[what]++;
}

void reports_add(enum reports what)
{
	(void)what;
}

bool happenings_matter(void)
{
	return counted;
}

void *memory_at(uint64_t address, size_t size)
{
	(void)address, (void)size;
	return NULL;
}

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction,
				      void (*call)(unsigned cpu, qemu_plugin_meminfo_t access, uint64_t linear,
						   void *context),
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw access, void *context)
{
	(void)flags, (void)access;
	translated[(uintptr_t)instruction - 1].call = call;
	translated[(uintptr_t)instruction - 1].context = context;
}

static uint64_t reported;	// the address

struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t access, uint64_t linear)
{
	(void)access;
	reported = linear;
	return (struct qemu_plugin_hwaddr *)&reported;
}

bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *address)
{
	(void)address;
	return device;
}

uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *address)
{
	(void)address;
	return reported - 0x100000;
}

//
// A guest
//

static int start(void **state)
{
	static const struct processor_needs none;
	static struct processor processor;

	(void)state;
	memset(&guest, 0, sizeof guest);
	guest.fetched = NOWHERE;
	memset(happened, 0, sizeof happened);
	memset(translated, 0, sizeof translated);
	assert_true(processor_load(&processor, "sparct4", &none));
	sparc64_references_make(&processor);
	counted = true;
	device = false;
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(guest.caches);
	return 0;
}

// The block's instruction of this number.
static void translate(uint32_t instruction, size_t number)
{
	sparc64_references_translate((struct qemu_plugin_insn *)(number + 1), instruction, 0x80, number);
}

static void access_by(size_t number, uint64_t address)
{
	if (translated[number].call)
		translated[number].call(0, 0, address, translated[number].context);
}

// So many instructions from there on.
static void execute(uint64_t address, unsigned count)
{
	sparc64_fetch(address, address + 4 * count);
}

static unsigned sum(enum happening first)
{
	return happened[first] + happened[first + 1] + happened[first + 2] + happened[first + 3];
}

static void lines_are_fetched_once_in_a_row(void **state)
{
	(void)state;
	assert_true(sparc64_references_begin(false));
	execute(CODE + 28, 10);		// the last instruction of a line, 8 of the next one, 1 of the third
	assert_int_equal(sum(HAPPENING_FETCHED_L1), 3);
	assert_int_equal(happened[HAPPENING_FETCHED_MEMORY], 2);
	assert_int_equal(happened[HAPPENING_FETCHED_L3], 1);
	execute(CODE + 64, 4);		// still in the third
	assert_int_equal(sum(HAPPENING_FETCHED_L1), 3);
	execute(CODE, 1);
	assert_int_equal(happened[HAPPENING_FETCHED_L1], 1);
}

static void accesses_are_of_one_line_each(void **state)
{
	(void)state;
	translate(LDX, 0);
	translate(STX, 1);
	translate(NO_OPERATION, 2);
	assert_null(translated[2].call);
	sparc64_references_begin(false);
	execute(CODE, 3);
	access_by(0, DATA + 24);
	access_by(1, DATA + 32);
	assert_int_equal(happened[HAPPENING_LOADED_MEMORY], 1);
	assert_int_equal(happened[HAPPENING_STORED_L3], 1);
	assert_int_equal(sum(HAPPENING_LOADED_L1) + sum(HAPPENING_STORED_L1), 2);
	device = true;
	access_by(0, DATA + 64);
	assert_int_equal(sum(HAPPENING_LOADED_L1), 1);
}

// QEMU accesses a block in eight parts.
static void a_block_is_loaded_once(void **state)
{
	(void)state;
	translate(BLOCK_LOAD, 0);
	translate(LDX, 1);
	sparc64_references_begin(false);
	execute(CODE, 2);
	for (unsigned part = 0; part < 8; part++)
		access_by(0, DATA + 8 * part);
	assert_int_equal(sum(HAPPENING_LOADED_L1), 0);
	assert_int_equal(happened[HAPPENING_MEMORY_READ], 2);	// one is the code's
	access_by(1, DATA);
	access_by(1, DATA + 32);
	assert_int_equal(happened[HAPPENING_LOADED_L1], 2);
}

// What it writes is in no cache, whether caches matter or not.
static void a_block_commit_store_leaves_no_copy(void **state)
{
	(void)state;
	translate(LDX, 0);
	translate(BLOCK_COMMIT, 1);
	sparc64_references_begin(false);
	execute(CODE, 2);
	access_by(0, DATA);
	for (unsigned part = 0; part < 8; part++)
		access_by(1, DATA + 8 * part);
	access_by(0, DATA);
	assert_int_equal(happened[HAPPENING_LOADED_MEMORY], 2);
	sparc64_references_end();
	counted = false;
	sparc64_references_begin(false);
	access_by(1, DATA);
	counted = true;
	sparc64_references_begin(false);
	access_by(0, DATA);
	assert_int_equal(happened[HAPPENING_LOADED_MEMORY], 3);
	assert_int_equal(sum(HAPPENING_STORED_L1), 0);
}

// The instruction that is reported before it executes: ldx [%o0 + 8], %o1.
static void what_is_reported_is_not_done_again(void **state)
{
	const uint64_t registers[32] = {[8] = DATA};

	(void)state;
	translate(LDX, 0);
	translate(LDX, 1);
	sparc64_refer_next(CODE, LDX, 0x80, registers);
	assert_int_equal(happened[HAPPENING_FETCHED_MEMORY], 1);
	assert_int_equal(happened[HAPPENING_LOADED_MEMORY], 1);
	sparc64_references_begin(true);
	execute(CODE, 2);
	access_by(0, DATA + 8);
	assert_int_equal(sum(HAPPENING_FETCHED_L1) + sum(HAPPENING_LOADED_L1), 2);
	access_by(1, DATA + 8);
	assert_int_equal(happened[HAPPENING_LOADED_L1], 1);
	execute(CODE, 2);		// the same block once more, in which it is not the first instruction
	access_by(0, DATA + 8);
	assert_int_equal(happened[HAPPENING_LOADED_L1], 2);
	sparc64_refer_next(CODE, LDX, 0x80, (const uint64_t[32]){[8] = 1ULL << 40});	// no memory
	assert_int_equal(sum(HAPPENING_LOADED_L1), 3);
}

static void nothing_happens_while_nothing_is_counted(void **state)
{
	(void)state;
	translate(LDX, 0);
	counted = false;
	assert_false(sparc64_references_begin(false));
	access_by(0, DATA);
	assert_int_equal(happened[HAPPENING_MEMORY_READ], 0);
	sparc64_watch_memory();		// by the controllers' counters
	assert_true(sparc64_references_begin(false));
	access_by(0, DATA);
	assert_int_equal(happened[HAPPENING_MEMORY_READ], 1);
	sparc64_references_end();
	access_by(0, DATA + 64);
	assert_int_equal(happened[HAPPENING_MEMORY_READ], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines_are_fetched_once_in_a_row, start, end),
		cmocka_unit_test_setup_teardown(accesses_are_of_one_line_each, start, end),
		cmocka_unit_test_setup_teardown(a_block_is_loaded_once, start, end),
		cmocka_unit_test_setup_teardown(a_block_commit_store_leaves_no_copy, start, end),
		cmocka_unit_test_setup_teardown(what_is_reported_is_not_done_again, start, end),
		cmocka_unit_test_setup_teardown(nothing_happens_while_nothing_is_counted, start, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
