// SPDX-License-Identifier: BSD-2-Clause
// Images of all targets, byte for byte as libvpmu-image(5) describes them. Each test writes all
// registers, executes, and builds the expected image by hand.

#include "libvpmu_image.h"

static struct vpmu_core *core;
static uint8_t expected[IMAGE_MOST], *end;

//
// Steps
//

static void set(unsigned thread, uint32_t address, uint64_t value)
{
	assert_int_equal(vpmu_core_write(core, thread, address, value, 0), VPMU_DONE);
}

// Sets `count` registers, `distance` apart, to value, value + 1, and so on.
static void set_all(unsigned thread, uint32_t address, unsigned count, uint32_t distance,
		    uint64_t value)
{
	for (unsigned i = 0; i < count; i++)
		set(thread, address + i * distance, value + i);
}

static void run(unsigned thread, unsigned level, uint64_t cycles)
{
	assert_int_equal(vpmu_core_set_level(core, thread, level), VPMU_OK);
	assert_int_equal(vpmu_core_advance(core, thread, cycles, cycles), VPMU_OK);
}

//
// The expected image
//

static void item(unsigned bytes, uint64_t value)
{
	for (unsigned i = 0; i < bytes; i++)
		*end++ = (uint8_t)(value >> 8 * i);
}

static void items(unsigned count, unsigned bytes, uint64_t value)
{
	while (count--)
		item(bytes, value);
}

static void row(unsigned count, unsigned bytes, uint64_t value)
{
	for (unsigned i = 0; i < count; i++)
		item(bytes, value + i);
}

// assert_image_but fills the length in. All counters and any-thread bits are exposed.
static void header(const char *target, unsigned general, unsigned fixed, unsigned threads,
		   unsigned thread)
{
	end = expected;
	item(8, 0x0A1A0A0D4D505689);
	item(4, 4);
	item(4, 0);
	for (unsigned i = 0; i < 24; i++)
		item(1, *target ? (uint8_t)*target++ : 0);
	item(1, general);
	item(1, fixed);
	item(1, 1);
	item(1, threads);
	item(4, 0);
	item(8, thread);
}

// A thread that has always run. The guest sees its selects as the model holds them.
static void thread(unsigned level, uint64_t cycles, unsigned selects)
{
	item(1, level);
	item(1, 0);
	item(6, 0);
	item(8, cycles);
	item(8, cycles);
	items(2 * selects, 8, 0);
}

// Compares with the vPMU's image, except the last `unknown` bytes before the checksum.
static void assert_image_but(size_t unknown)
{
	uint8_t image[IMAGE_MOST];
	const size_t length = vpmu_core_save(core, image, sizeof image);

	memcpy(end - unknown, image + length - 4 - unknown, unknown);
	item(4, 0);
	expected[12] = (uint8_t)(end - expected);
	expected[13] = (uint8_t)((end - expected) >> 8);
	fix_checksum(expected, (size_t)(end - expected));
	assert_int_equal(length, end - expected);
	assert_memory_equal(image, expected, length);
	assert_int_equal(vpmu_core_load(core, expected, length), VPMU_OK);
	free(core);
}

//
// The targets
//

// SDM volume 3B and the guide's Appendix II: EN 22, AnyThr 21, INT 20, E 18, OS 17, USR 16, cmask
// 31:24. A write of IA32_PMC0 is sign-extended. C0H counts instructions, 3CH cycles. Both threads
// share the core's registers.
static void nehalem(void **state)
{
	(void)state;
	core = make("nehalem", NULL, 0);
	set(0, 0x186, 0x5300C0);			// interrupts
	set(0, 0x187, 0x41003C);			// not at level 0
	set(0, 0x188, 0x01000B);			// not enabled
	set(0, 0x189, 0x147013C);			// edges
	set(0, 0xC1, 0xFFFFFFFF);
	set_all(0, 0xC2, 3, 1, 0x11);
	set_all(0, 0x309, 3, 1, 0x123456789A0);
	set(0, 0x38D, 0xB3A);				// the second one counts cycles
	set(0, 0x38F, 0x20000000B);
	set(0, 0x1D9, 0x6000);
	set(0, 0x3F1, 0x100000000);
	set(0, 0x3F6, 0x40);
	set(0, 0x600, 0xFFFF800000001000);
	set(0, 0x1A6, 0x1234);
	set(0, 0x1C8, 0x155);
	set(0, 0x1C9, 5);
	set_all(0, 0x680, 16, 1, 0x1000);
	set_all(0, 0x6C0, 16, 1, 0x2000);
	run(1, 3, 7);
	run(0, 0, 1);

	header("nehalem", 4, 3, 2, 0);
	// four selects, and that of the fixed counters
	thread(0, 1, 5);
	thread(3, 7, 5);
	item(8, 0x5300C0);				// IA32_PERFEVTSEL0-3
	item(8, 0x41003C);
	item(8, 0x01000B);
	item(8, 0x147013C);
	// IA32_PMC0-3: overflowed, 11H, 12H, an edge
	item(8, 0);
	item(8, 0x11);
	item(8, 0x12);
	item(8, 0x14);
	// IA32_FIXED_CTR0-2: the second has counted a cycle
	item(8, 0x123456789A0);
	item(8, 0x123456789A2);
	item(8, 0x123456789A2);
	item(8, 0xB3A);					// IA32_FIXED_CTR_CTRL
	item(8, 0x20000000B);				// IA32_PERF_GLOBAL_CTRL
	item(8, 1);					// IA32_PERF_GLOBAL_STATUS
	item(8, 0x6000);				// IA32_DEBUGCTL
	item(8, 0x100000000);				// IA32_PEBS_ENABLE
	item(8, 0x40);					// PEBS_LD_LAT
	item(8, 0xFFFF800000001000);			// IA32_DS_AREA
	item(8, 0x1234);				// OFFCORE_RSP_0
	item(8, 0x155);					// LBR_SELECT
	item(8, 5);					// LASTBRANCH_TOS
	row(16, 8, 0x1000);				// LASTBRANCH_FROM_IP0-15
	row(16, 8, 0x2000);				// LASTBRANCH_TO_IP0-15
	items(12, 8, 0);				// thread 1: up to IA32_FIXED_CTR_CTRL,
	item(8, 0xF);					// IA32_PERF_GLOBAL_CTRL, as at reset
	items(3, 8, 0);
	item(8, 0x40);					// PEBS_LD_LAT
	item(8, 0);
	item(8, 0x1234);				// OFFCORE_RSP_0
	item(8, 0x155);					// LBR_SELECT
	items(1 + 16 + 16, 8, 0);
	item(1, 0);					// levels
	item(1, 3);
	// conditions: instruction, edge, the second fixed one
	item(4, 1 << 0 | 1 << 3 | 1 << 5);
	item(4, 1);					// thread 0's line has risen
	item(4, 0);					// no records
	items(14, 1, 0);
	assert_image_but(0);
}

// SDM volume 3B and the guide's tables 22 to 38: EN 22, occupancy reset 17 (which reads 0);
// GQ_ALLOC 03H, GQ_OCCUPANCY 02H; the read tracker is unit-mask bit 0.
static void uncore(void **state)
{
	const struct vpmu_occurrence entry = {.code = 3, .sub = 1, .n = 2};

	(void)state;
	core = make("nehalem-uncore", NULL, 0);
	assert_int_equal(vpmu_core_deliver(core, &entry, 1, 3), VPMU_OK);
	set(0, 0x3C0, 0x420102);
	set_all(0, 0x3C1, 7, 1, 0x10A);			// not enabled
	set_all(0, 0x3B0, 8, 1, 0xABCDEF012340);
	set(0, 0x394, 0xFFFFFFFFFFFF);
	set(0, 0x395, 5);
	// the fixed counter, which signals cores 0 and 2
	set(0, 0x391, 0x0005000100000000);
	set(0, 0x396, 0xA000AB1234567890);
	set(0, 0x301, 0xC3);
	run(0, 0, 1);

	header("nehalem-uncore", 8, 1, 1, 0);
	thread(0, 4, 9);
	item(8, 0x400102);				// UNCORE_PERFEVTSEL0-7
	row(7, 8, 0x10A);
	row(8, 8, 0xABCDEF012340);			// UNCORE_PMC0-7
	item(8, 0);					// UNCORE_FIXED_CTR0 has overflowed
	item(8, 5);					// UNCORE_FIXED_CTR_CTRL
	item(8, 0x0005000100000000);			// UNCORE_PERF_GLOBAL_CTRL
	// UNCORE_PERF_GLOBAL_STATUS: CHG, OVF_PMI, OVF_FC0
	item(8, 0xA000000100000000);
	item(8, 0xA000AB1234567890);			// UNCORE_ADDR_OPCODE_MATCH
	item(8, 0xC3);					// GQ_SNOOP_MESF
	item(4, 1 << 8);				// condition: the fixed counter's clock
	item(4, 1 << 0 | 1 << 2);			// cores
	// the read tracker: two entries in each of three cycles
	item(2, 6);
	items(21, 2, 0);
	// entries that counter 0's tracker does not know
	item(4, 6);
	items(7, 4, 0);
	item(4, 1);					// counter 0 waits for a bus lock
	assert_image_but(0);
}

// The guide's tables 1-2 to 1-9: EN 22, INT 20, OS 17, USR 16; 16H counts instructions, 2AH cycles.
static void knc(void **state)
{
	(void)state;
	core = make("knc", NULL, 0);
	set(1, 0x10, 0x123456789);			// all threads share the clock
	set(0, 0x28, 0x530016);
	set(0, 0x29, 0x243002A);			// cmask 2: never met
	set(0, 0x20, 0xFFFFFFFFFF);
	set(0, 0x21, 0x77);
	set(0, 0x2C, 0x8000000000000002);
	set(0, 0x2F, 3);
	set_all(2, 0x20, 2, 1, 0x9876543210);
	set_all(2, 0x28, 2, 1, 0x13001A);		// not enabled
	run(3, 3, 5);
	run(0, 0, 1);

	header("knc", 2, 0, 4, 0);
	thread(0, 1, 2);
	thread(0, 0, 2);
	thread(0, 0, 2);
	thread(3, 5, 2);
	item(8, 0x123456789);				// IA32_TIME_STAMP_COUNTER
	// IA32_PERFCNTR0-1: the first has overflowed
	item(8, 0);
	item(8, 0x77);
	item(8, 0x530016);				// IA32_PERFEVTSEL0-1
	item(8, 0x243002A);
	item(8, 0x8000000000000002);			// PERF_SPFLT_CONTROL
	item(8, 1);					// IA32_PERF_GLOBAL_STATUS
	item(8, 3);					// IA32_PERF_GLOBAL_CTRL
	item(8, 0x123456789);				// thread 1
	items(7, 8, 0);
	item(8, 0x123456789);				// thread 2
	row(2, 8, 0x9876543210);
	row(2, 8, 0x13001A);
	items(3, 8, 0);
	item(8, 0x123456789);				// thread 3
	items(7, 8, 0);
	items(3, 1, 0);					// levels
	item(1, 3);
	item(4, 1);					// condition: the instruction
	item(8, 6);					// cycles
	item(4, 1);					// thread 0's line has risen,
	item(4, 1);					// and is up
	assert_image_but(0);
}

// The reference manual's tables 6-5 to 6-23, with all implemented bits set: bits 60:51 of PMD0, 2
// and 17 are copies of bit 50. PMC0.fr freezes. Architected registers: DCR, PMV, ITV, PSR (up 2, sp
// 20).
static void itanium(void **state)
{
	enum { PMD = 0x100, IBR = 0x200, DBR = 0x300, DCR = 0x400, ITM = 0x401, ITV = 0x448,
	      PMV = 0x449, PSR = 0x500,
	       ITC = 0x62C };
	static const uint64_t control[] = {
		0x270C7F, 0x36127F, 0x300816, 0x110F17,		// PMC4-7
		0xF00000003FFFFFF8, 0x5000000200000008,		// PMC8-9
		0x10F004F, 0x300008F, 0xFFCF, 0,		// PMC10-13
	};

	(void)state;
	core = make("itanium", NULL, 0x51);
	set(0, 0, 0x51);					// overflows of 4 and 6
	for (unsigned i = 0; i < LENGTH(control); i++)
		set(0, 4 + i, control[i]);
	set(0, PMD, 0x6004123456789AA3);			// bit 50: 1
	set(0, PMD + 1, 0xABC);
	set(0, PMD + 2, 0x80021234567890AB);			// bit 50: 0
	set(0, PMD + 3, 0xC000000000000123);
	set_all(0, PMD + 4, 4, 1, 0x89ABCDE0);
	set_all(0, PMD + 8, 8, 1, 0x123456789ABCDE00);
	set(0, PMD + 16, 0xB);
	set(0, PMD + 17, 0x4003FFFFFFFFFFF5);
	set_all(0, IBR, 4, 2, 0xE000000000001000);
	set_all(0, IBR + 1, 4, 2, 0x8FFFFFFFFFFFF000);
	set_all(0, DBR, 4, 2, 0x2000000000002000);
	set_all(0, DBR + 1, 4, 2, 0xCFFFFFFFFFFF0000);
	set(0, DCR, 0x123456789);
	set(0, PMV, 0x30);
	set(0, PSR, 0x100004);
	set(0, ITC, 0x1000);
	set(0, ITM, 0x2000);
	set(0, ITV, 0x10031);
	run(0, 2, 7);

	header("itanium", 4, 0, 1, 0);
	thread(2, 7, 4);
	item(8, 0x51);						// PMC0
	for (unsigned i = 0; i < LENGTH(control); i++)
		item(8, control[i]);				// PMC4-13
	item(8, 0x7FFC123456789AA3);				// PMD0-3
	item(8, 0xABC);
	item(8, 0x80021234567890AB);
	item(8, 0xC000000000000123);
	row(4, 8, 0x89ABCDE0);					// PMD4-7: their 32 bits
	row(8, 8, 0x123456789ABCDE00);				// PMD8-15
	item(8, 0xB);
	item(8, 0x4003FFFFFFFFFFF5);				// PMD17
	row(4, 8, 0xE000000000001000);				// IBR0, 2, 4, 6
	row(4, 8, 0x8FFFFFFFFFFFF000);				// IBR1, 3, 5, 7
	row(4, 8, 0x2000000000002000);				// DBRs likewise
	row(4, 8, 0xCFFFFFFFFFFF0000);
	item(8, 0x123456789);					// DCR
	item(8, 0x30);						// PMV
	item(8, 0x100004);					// PSR
	item(8, 0x1000);					// ITC without the cycles
	item(8, 0x2000);					// ITM
	item(8, 0x10031);					// ITV
	item(1, 2);						// level
	item(8, 7);						// cycles
	items(2, 4, 0);
	items(3, 1, 0);						// no load
	item(4, 0);
	items(3, 8, 0);
	item(1, 0);
	item(8, 0);						// no branch
	item(1, 0);
	item(8, 0x51);						// the seed,
	item(8, 0);						// and another random state
	assert_image_but(8);
}

// The supplement's tables 10-1 to 10-3: ov 0, toe 1, ut 2, st 3, ht 4, mask from 5, sl from 11. sl
// 26 counts cycles. sl 3 counts instructions and traps precisely. sl 28 counts committed micro-ops;
// its ov is late by up to two cycles.
static void sparct4(void **state)
{
	enum { PCR = 0x6400, PIC = 0xB000 };

	(void)state;
	core = make("sparct4", NULL, 0);
	set(1, PIC, 0xFFFFFFFF);
	set(1, PCR, 0x1FEE);				// instructions, not hyperprivileged
	set(7, PIC + 3, 0x1234567800000009);
	run(1, 3, 1);
	set(0, PIC, 0xAAAAAAAAFFFFFFFF);
	set(0, PCR, 0xD01E);				// cycles
	set(0, PIC + 1, 0x100000002);
	set(0, PCR + 1, 0x7C0);				// disabled
	set(0, PIC + 2, 0x300000004);
	set(0, PCR + 2, 0x30000);			// picnpt, picnht
	set(0, PIC + 3, 0xFFFFFFFE);
	set(0, PCR + 3, 0xE03C);
	run(0, 0, 1);

	header("sparct4", 4, 0, 8, 0);
	thread(0, 1, 4);
	thread(3, 1, 4);
	for (unsigned strand = 2; strand < 8; strand++)
		thread(0, 0, 4);
	item(8, 0xD01F);				// PCR0-3: the first has overflowed
	item(8, 0x7C0);
	item(8, 0x30000);
	item(8, 0xE03C);
	item(8, 0);					// PIC0-3
	item(8, 2);
	item(8, 4);
	item(8, 0xFFFFFFFE);
	item(8, 0x1FEF);				// strand 1: PCR0 has overflowed, too
	items(7, 8, 0);
	items(5 * 8 + 7, 8, 0);				// strands 2 to 7
	item(8, 9);					// PIC3 of the last
	item(1, 0);					// levels
	item(1, 3);
	items(6, 1, 0);
	item(4, 1 << 0);				// strand 0's line has risen,
	item(4, 1 << 1);				// strand 1 traps precisely,
	item(4, 1 << 0);				// and the line is up
	item(4, 0xAAAAAAAA);				// upper halves
	item(4, 1);
	item(4, 3);
	items(28, 4, 0);
	item(4, 0x12345678);
	items(3, 1, 0);					// PCR3's window has one cycle of two left
	item(1, 1);
	items(28, 1, 0);
	items(32, 1, 0);
	assert_image_but(0);
}

// The supplement's tables 10-4 to 10-7: COUNT01 has counter 0 in its upper half, COUNT23 counter 3.
// The sticky bit is above a count's 31 bits. Bits 63:16 of a control register are reserved and read
// as any value.
static void dram(void **state)
{
	enum { CONTROL = 0x80040800, COUNT01 = 0x80041000, COUNT23 = 0x80041800 };
	uint64_t reserved[4];

	(void)state;
	core = make("sparct4-dram", NULL, 0);
	set_all(0, CONTROL, 4, 1, 0xDDD0);		// 13 and 14 are no events
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(vpmu_core_read(core, 0, CONTROL + i, &reserved[i]), VPMU_DONE);
		reserved[i] &= ~0xFFFFULL;
		set(0, COUNT01 + i, 0x0000010000000200 + i);
		set(0, COUNT23 + i, 0x8000030000000400 + i);
	}

	header("sparct4-dram", 4, 4, 1, 0);
	thread(0, 0, 4);
	for (unsigned i = 0; i < 4; i++)
		item(8, reserved[i] | (0xDDD0 + i));	// DRAM_PERF_CTL_REG0-3
	for (unsigned i = 0; i < 4; i++) {
		item(8, 0x100);				// counts of a controller
		item(8, 0x200 + i);
		item(8, 0x400 + i);
		item(8, 0x300);
	}
	item(8, 0x8888);				// sticky bits: each controller's counter 3
	assert_image_but(0);
}

// A list without any-thread bits: one event and one pattern that is excluded, of seven bytes each,
// between header and threads.
static void list(void **state)
{
	static const struct vpmu_event events[] = {{.code = 0x16},
						   {0x1C8, 0x10, 0x2F, 0x3007, true}};
	const struct vpmu_features features = {.general = 2, .events = events, .event_count = 2};
	static const uint8_t flags_threads_count[] = {4, 4, 2, 0, 0, 0}, listed[] = {
		0x16, 0, 0, 0, 0, 0, 0, 0xC8, 1, 0x10, 0x07, 0x30, 0x2F, 1,
	};
	uint8_t image[IMAGE_MOST];
	size_t length;

	(void)state;
	core = make("knc", &features, 0);
	length = vpmu_core_save(core, image, sizeof image);
	assert_memory_equal(image + 42, flags_threads_count, sizeof flags_threads_count);
	assert_memory_equal(image + 56, listed, sizeof listed);
	free(core);
	core = make("knc", NULL, 0);
	assert_int_equal(vpmu_core_image_size(core) + sizeof listed, length);
	free(core);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nehalem),
		cmocka_unit_test(uncore),
		cmocka_unit_test(knc),
		cmocka_unit_test(itanium),
		cmocka_unit_test(sparct4),
		cmocka_unit_test(dram),
		cmocka_unit_test(list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
