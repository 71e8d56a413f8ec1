// SPDX-License-Identifier: BSD-2-Clause
// libvpmu refuses malformed images with a reason, and then changes nothing. Offsets:
// libvpmu-image(5).

#include "libvpmu_image.h"

//
// Refusals
//

enum { AT_VERSION = 8, AT_LENGTH = 12, HEADER = 56 };

// A Core i7's vPMU with a running counter, and its image.
static struct vpmu_core *busy(uint8_t image[IMAGE_MOST], size_t *length)
{
	struct vpmu_core *core = make("nehalem", NULL, 0);

	assert_int_equal(vpmu_core_write(core, 0, 0x186, 0x5300C0, 0), VPMU_DONE);
	assert_int_equal(vpmu_core_write(core, 0, 0xC1, 77, 0), VPMU_DONE);
	vpmu_core_advance(core, 0, 1000, 1000);
	*length = vpmu_core_save(core, image, IMAGE_MOST);
	return core;
}

static void assert_refused(struct vpmu_core *core, const uint8_t *bytes, size_t length,
			   enum vpmu_error error)
{
	uint8_t before[IMAGE_MOST], behind[IMAGE_MOST];
	const size_t size = vpmu_core_save(core, before, sizeof before);

	assert_int_equal(vpmu_core_load(core, bytes, length), error);
	assert_int_equal(vpmu_core_save(core, behind, sizeof behind), size);
	assert_memory_equal(before, behind, size);
}

static void every_damaged_byte_and_every_length_is_noticed(void **state)
{
	uint8_t image[IMAGE_MOST];
	size_t length;
	struct vpmu_core *core = busy(image, &length);

	(void)state;
	for (size_t i = 0; i < length; i++) {
		image[i] ^= 0x10;
		assert_refused(core, image, length,
			       i >= AT_VERSION && i < AT_LENGTH ? VPMU_ERROR_VERSION :
			       VPMU_ERROR_IMAGE);
		image[i] ^= 0x10;
	}
	for (size_t i = 0; i < length; i++)
		assert_refused(core, image, i, VPMU_ERROR_IMAGE);
	assert_refused(core, image, length + 1, VPMU_ERROR_IMAGE);
	assert_int_equal(vpmu_core_load(core, image, length), VPMU_OK);
	free(core);
}

static void another_version_is_refused_although_it_is_whole(void **state)
{
	uint8_t image[IMAGE_MOST];
	size_t length;
	struct vpmu_core *core = busy(image, &length);

	(void)state;
	for (unsigned version = 0; version < 6; version++) {
		image[AT_VERSION] = (uint8_t)version;
		fix_checksum(image, length);
		if (version != 4)
			assert_refused(core, image, length, VPMU_ERROR_VERSION);
	}
	free(core);
}

// vpmu_core_load refuses the image, and vpmu_core_lacks names the reason.
static void assert_lacks(struct vpmu_core *core, const uint8_t *image, size_t length,
			 const char *what, uint32_t needed, uint32_t offered)
{
	struct vpmu_lack lack;

	assert_refused(core, image, length, VPMU_ERROR_OTHER);
	assert_true(vpmu_core_lacks(core, image, length, &lack));
	assert_string_equal(lack.what, what);
	assert_int_equal(lack.needed, needed);
	assert_int_equal(lack.offered, offered);
}

static void a_target_that_offers_less_is_refused_and_says_what_lacks(void **state)
{
	static const struct vpmu_event one[] = {{0xC0, 0}};
	static const struct {
		struct vpmu_features features;
		const char *lacks;
		uint32_t needed, offered;
	} offers[] = {
		{{.general = 2, .fixed = 3, .any_thread = true}, "general counters", 4, 2},
		{{.general = 4, .fixed = 1, .any_thread = true}, "fixed counters", 3, 1},
		{{.general = 4, .fixed = 3}, "any-thread bits", 1, 0},
		{{.general = 4, .fixed = 3, .any_thread = true, .events = one, .event_count = 1},
		 "all events", 0, 0},
	};
	uint8_t image[IMAGE_MOST];
	size_t length;
	struct vpmu_core *core = busy(image, &length), *knc = make("knc", NULL, 0);

	(void)state;
	assert_lacks(knc, image, length, "another target", 2, 4);
	for (unsigned i = 0; i < LENGTH(offers); i++) {
		struct vpmu_core *other = make("nehalem", &offers[i].features, 0);

		assert_lacks(other, image, length, offers[i].lacks, offers[i].needed,
			     offers[i].offered);
		free(other);
	}
	free(core);
	free(knc);
}

static bool no_memory(void *context, uint64_t address, void *to, size_t size)
{
	(void)context, (void)address, (void)to, (void)size;
	return false;
}

static bool no_memory_either(void *context, uint64_t address, const void *from, size_t size)
{
	return no_memory(context, address, (void *)(uintptr_t)from, size);
}

static void no_registers(void *context, unsigned thread, uint64_t registers[VPMU_REGISTERS])
{
	(void)context, (void)thread;
	memset(registers, 0, VPMU_REGISTERS * sizeof *registers);
}

static const struct vpmu_guest nothing = {NULL, no_memory, no_memory_either, no_registers};

static void memory_for_records_lacks_or_is_taken_away(void **state)
{
	uint8_t image[IMAGE_MOST];
	struct vpmu_core *with = make("nehalem", NULL, 0), *without = make("nehalem", NULL, 0);
	size_t length;
	uint32_t leaf1[4] = {0};

	(void)state;
	vpmu_core_attach(with, &nothing);
	vpmu_core_identify(with, 1, 0, leaf1);
	assert_true(leaf1[3] >> 21 & 1);	// DS (SDM volume 2A, CPUID)
	length = vpmu_core_save(with, image, sizeof image);
	assert_lacks(without, image, length, "memory for records", 1, 0);
	length = vpmu_core_save(without, image, sizeof image);
	assert_int_equal(vpmu_core_load(with, image, length), VPMU_OK);
	memset(leaf1, 0xFF, sizeof leaf1);
	vpmu_core_identify(with, 1, 0, leaf1);
	assert_false(leaf1[3] >> 21 & 1);
	free(with);
	free(without);
}

// Compares all registers of thread 0 at level 0, and CPUID leaf 0AH.
static void assert_sees_the_same(struct vpmu_core *one, struct vpmu_core *other)
{
	uint32_t leaf[2][4] = {{0}};
	struct vpmu_register r;

	for (unsigned i = 0; vpmu_core_register(one, i, &r); i++) {
		uint64_t value[2];
		const enum vpmu_result result = vpmu_core_read(one, 0, r.address, &value[0]);

		assert_int_equal(vpmu_core_read(other, 0, r.address, &value[1]), result);
		assert_int_equal(value[1], value[0]);
	}
	for (unsigned i = 0; i < 2; i++)
		vpmu_core_identify(i ? other : one, 0xA, 0, leaf[i]);
	assert_memory_equal(leaf[0], leaf[1], sizeof leaf[0]);
}

// The image exposes two of four counters. One of them counts an event of its list, the other one
// does not.
static void on_a_target_that_offers_more_the_guest_sees_what_it_saw(void **state)
{
	static const struct vpmu_event listed[] = {{0xC0, 0}, {0x3C, 0}},
		more[] = {{0x3C, 0}, {0xC0, 1}, {0xC0, 0}};
	const struct vpmu_features fewer = {.general = 2, .fixed = 1, .events = listed,
					    .event_count = 2};
	const struct vpmu_features offers[] = {
		{.general = 4, .fixed = 3, .any_thread = true},
		{.general = 2, .fixed = 3, .events = more, .event_count = 3},
	};
	struct vpmu_core *core = make("nehalem", &fewer, 0);
	uint8_t image[IMAGE_MOST], again[IMAGE_MOST];
	struct vpmu_lack lack;
	size_t length;

	(void)state;
	assert_int_equal(vpmu_core_write(core, 0, 0x38F, 3, 0), VPMU_DONE);
	// with any-thread's bit
	assert_int_equal(vpmu_core_write(core, 0, 0x186, 0x6300C0, 0), VPMU_DONE);
	assert_int_equal(vpmu_core_write(core, 0, 0x187, 0x4301C0, 0), VPMU_DONE);
	vpmu_core_advance(core, 0, 1000, 1000);
	length = vpmu_core_save(core, image, sizeof image);
	for (unsigned i = 0; i < LENGTH(offers); i++) {
		struct vpmu_core *other = make("nehalem", &offers[i], 1);

		assert_false(vpmu_core_lacks(other, image, length, &lack));
		assert_int_equal(vpmu_core_load(other, image, length), VPMU_OK);
		assert_int_equal(vpmu_core_save(other, again, sizeof again), length);
		assert_memory_equal(again, image, length);
		for (unsigned step = 0; step < 2; step++) {
			uint64_t count;

			vpmu_core_advance(core, 0, 50, 50);
			vpmu_core_advance(other, 0, 50, 50);
			assert_sees_the_same(core, other);
			assert_int_equal(vpmu_core_read(other, 0, 0xC1, &count), VPMU_DONE);
			assert_int_equal(count, step ? 50 : 1050);
			assert_int_equal(vpmu_core_read(other, 0, 0xC2, &count), VPMU_DONE);
			assert_int_equal(count, 0);
			assert_int_equal(vpmu_core_read(other, 0, 0xC3, &count), VPMU_FAULT);
			assert_int_equal(vpmu_core_write(other, 0, 0x38F, 4, 0), VPMU_FAULT);

			// The same after a reset.
			for (unsigned j = 0; j < 2; j++) {
				struct vpmu_core *both = j ? other : core;

				vpmu_core_reset(both, VPMU_RESET_COLD, 0, 0);
				vpmu_core_write(both, 0, 0x38F, 3, 0);
				vpmu_core_write(both, 0, 0x186, 0x6300C0, 0);
				vpmu_core_write(both, 0, 0x187, 0x4301C0, 0);
			}
		}
		assert_int_equal(vpmu_core_load(core, image, length), VPMU_OK);
		free(other);
	}
	free(core);
}

static void an_event_that_lacks_is_named(void **state)
{
	static const struct vpmu_event listed[] = {{0xC0, 0}, {0x1C2, 0x0F}},
		other_list[] = {{0x3C, 0}, {0xC0, 0}};
	const struct vpmu_features needs = {.general = 4, .fixed = 3, .events = listed,
					    .event_count = 2};
	const struct vpmu_features offers = {.general = 4, .fixed = 3, .events = other_list,
					     .event_count = 2};
	struct vpmu_core *core = make("nehalem", &needs, 0), *other = make("nehalem", &offers, 0);
	uint8_t image[IMAGE_MOST];
	const size_t length = vpmu_core_save(core, image, sizeof image);

	(void)state;
	assert_lacks(other, image, length, "an event", 0x0F01C2, 0);
	free(core);
	free(other);
}

#define ALL_OF(code)		VPMU_EVENT_MASKED(code, 0, 0, false)
#define WITHOUT(code, bits)	VPMU_EVENT_MASKED(code, bits, bits, true)

// An image's list, and the list of the vPMU that loads it. Each entry of the image's list must be
// covered by an entry of the vPMU's: libvpmu-image(5).
static const struct moved {
	struct vpmu_event needs[3], offers[3];
	uint8_t needed, offered;
	const char *lacks;		// NULL: nothing
	uint32_t event;
} moved[] = {
	{{{.code = 0xC0, .umask = 1}}, {ALL_OF(0xC0)}, 1, 1, NULL, 0},
	{{ALL_OF(0xC0)}, {{.code = 0xC0, .umask = 1}}, 1, 1, "an event", 0xC0},
	{{ALL_OF(0xC0)}, {VPMU_EVENT_ANY}, 1, 1, NULL, 0},
	{{VPMU_EVENT_ANY}, {ALL_OF(0xC0)}, 1, 1, "an event", 0},
	{{{0xC0, 0x10, 0x0F, 0, false}}, {{0xC0, 0x10, 0x2F, 0, false}}, 1, 1, NULL, 0},
	{{{0xC0, 0x10, 0x2F, 0, false}}, {{0xC0, 0x10, 0x0F, 0, false}}, 1, 1, "an event",
	 0x1000C0},
	{{{0xC0, 0, 0, 3, false}}, {{0xC0, 0, 0, 7, false}}, 1, 1, NULL, 0},
	{{{0xC0, 0, 0, 7, false}}, {{0xC0, 0, 0, 3, false}}, 1, 1, "an event", 0xC0},
	// Two entries that cover one only together do not suffice.
	{{ALL_OF(0xC0)},
	 {VPMU_EVENT_MASKED(0xC0, 1, 0, false), VPMU_EVENT_MASKED(0xC0, 1, 1, false)}, 1, 2,
	 "an event", 0xC0},
	// The image must not allow an event that the vPMU excludes.
	{{ALL_OF(0xC0)}, {ALL_OF(0xC0), WITHOUT(0xC0, 0x10)}, 1, 2, "events that are excluded here",
	 0x1000C0},
	{{WITHOUT(0xC0, 0x10), ALL_OF(0xC0)}, {ALL_OF(0xC0), WITHOUT(0xC0, 0x10)}, 2, 2, NULL, 0},
	{{ALL_OF(0xC0), WITHOUT(0xC0, 0x10)}, {ALL_OF(0xC0), WITHOUT(0xC0, 0x30)}, 2, 2, NULL, 0},
	{{ALL_OF(0xC0), WITHOUT(0xC0, 0x30)}, {ALL_OF(0xC0), WITHOUT(0xC0, 0x10)}, 2, 2,
	 "events that are excluded here", 0x1000C0},
	{{{.code = 0xC0, .umask = 1}}, {VPMU_EVENT_ANY, WITHOUT(0xC0, 0x10), WITHOUT(0x3C, 0)}, 1,
	 3, NULL, 0},
	{{{.code = 0xC0, .umask = 0x11}}, {VPMU_EVENT_ANY, WITHOUT(0xC0, 0x10)}, 1, 2,
	 "events that are excluded here", 0x1000C0},
	{{WITHOUT(0xC0, 0x10)}, {ALL_OF(0x3C)}, 1, 1, NULL, 0},		// allows nothing
	{{{.code = 0xC0}}, {{.code = 0xC0}}, 0, 1, NULL, 0},		// an empty list, likewise
};

static void a_list_that_allows_no_more_is_taken(void **state)
{
	uint8_t image[IMAGE_MOST], again[IMAGE_MOST];

	(void)state;
	for (unsigned i = 0; i < LENGTH(moved); i++) {
		const struct moved *m = &moved[i];
		const struct vpmu_features needs = {.general = 4, .events = m->needs,
						    .event_count = m->needed};
		const struct vpmu_features offers = {.general = 4, .events = m->offers,
						     .event_count = m->offered};
		struct vpmu_core *from = make("nehalem", &needs, 0),
			*to = make("nehalem", &offers, 0);
		const size_t length = vpmu_core_save(from, image, sizeof image);
		struct vpmu_lack lack;

		if (m->lacks) {
			assert_lacks(to, image, length, m->lacks, m->event, 0);
			assert_true(vpmu_core_lacks(to, image, length, &lack));
			assert_int_equal((uint32_t)lack.event.umask << 16 | lack.event.code,
					 m->event);
		} else {
			assert_false(vpmu_core_lacks(to, image, length, &lack));
			assert_int_equal(vpmu_core_load(to, image, length), VPMU_OK);
			assert_int_equal(vpmu_core_save(to, again, sizeof again), length);
			assert_memory_equal(again, image, length);
		}
		free(from);
		free(to);
	}
}

// Bits that are both compared and ignored, and flags that are not defined.
static void an_entry_that_is_not_valid_is_refused(void **state)
{
	static const struct vpmu_event one[] = {{0xC0, 0x10, 0x0F, 0x3, false}};
	const struct vpmu_features listed = {.general = 4, .events = one, .event_count = 1};
	static const struct {
		uint8_t at, bits;
	} wrong[] = {{0, 0x01}, {2, 0x01}, {3, 0x40}, {5, 0x10}, {6, 0x02}, {6, 0x80}};
	uint8_t image[IMAGE_MOST];

	(void)state;
	for (unsigned i = 0; i < LENGTH(wrong); i++) {
		struct vpmu_core *core = make("nehalem", &listed, 0),
			*other = make("nehalem", NULL, 0);
		const size_t length = vpmu_core_save(core, image, sizeof image);

		image[HEADER + wrong[i].at] ^= wrong[i].bits;
		fix_checksum(image, length);
		assert_refused(other, image, length, VPMU_ERROR_IMAGE);
		free(core);
		free(other);
	}
}

// A vPMU copies an image's list, for which it has limited room, only if the list differs from the
// one that the vPMU was created with.
static void a_long_list_has_room_where_it_is_known(void **state)
{
	static struct vpmu_event events[VPMU_EVENTS_MOST + 1];
	static uint8_t image[IMAGE_MOST + 7 * (VPMU_EVENTS_MOST + 1)];
	struct vpmu_features all = {.general = 4, .fixed = 3, .any_thread = true};
	struct vpmu_features listed = {.general = 4, .fixed = 3, .any_thread = true,
				       .events = events};

	(void)state;
	for (unsigned i = 0; i < LENGTH(events); i++)
		events[i] = (struct vpmu_event){(uint16_t)i, 1};
	for (unsigned more = 0; more < 2; more++) {
		struct vpmu_core *core, *same, *open = make("nehalem", &all, 0);
		size_t length;

		listed.event_count = VPMU_EVENTS_MOST + more;
		core = make("nehalem", &listed, 0);
		same = make("nehalem", &listed, 0);
		length = vpmu_core_save(core, image, sizeof image);
		assert_int_equal(length, vpmu_core_image_size(open) + 7 * listed.event_count);
		assert_int_equal(vpmu_core_load(same, image, length), VPMU_OK);
		assert_int_equal(vpmu_core_load(open, image, length), more ? VPMU_ERROR_OTHER :
				 VPMU_OK);
		free(core);
		free(same);
		free(open);
	}
}

// Offset of the model's part: it follows the header of 56 bytes and, for each thread, 24 bytes and
// 16 bytes for each select.
#define MODEL(threads, selects)	(HEADER + (threads) * (24 + (selects) * 16))

enum {
	// Core i7: 53 registers of each thread, then levels, conditions, lines, pending records,
	// and cycles until they are written.
	SELECT0 = MODEL(2, 5), PMC0 = SELECT0 + 4 * 8, FIXED_CONTROL = PMC0 + 7 * 8,
	GLOBAL_CONTROL = FIXED_CONTROL + 8, GLOBAL_STATUS = GLOBAL_CONTROL + 8,
	PEBS_ENABLE = GLOBAL_STATUS + 16,
	LOAD_LATENCY = PEBS_ENABLE + 8, DS_AREA = LOAD_LATENCY + 8, FROM_IP = DS_AREA + 4 * 8,
	TO_IP = FROM_IP + 16 * 8,
	LEVELS = SELECT0 + 2 * 53 * 8, CONDITIONS = LEVELS + 2, LINES = CONDITIONS + 4,
	DUE = LINES + 4, LEFT = DUE + 4,

	// Its uncore: 22 registers, conditions, cores, 22 queues, unknown entries, waiting
	// counters.
	UNCORE_SELECT0 = MODEL(1, 9), UNCORE_CONDITIONS = UNCORE_SELECT0 + 22 * 8,
	CORES = UNCORE_CONDITIONS + 4,
	QUEUES = CORES + 4, UNKNOWN = QUEUES + 22 * 2, WAITING = UNKNOWN + 8 * 4,

	// Knights Corner: 8 registers of each of four threads, then levels, conditions, cycles,
	// lines that have risen, lines that are up.
	CLOCK = MODEL(4, 2), COUNTER0 = CLOCK + 8, STATUS = CLOCK + 6 * 8,
	KNC_LEVELS = CLOCK + 4 * 8 * 8, RISEN = KNC_LEVELS + 4 + 4 + 8, UP = RISEN + 4,

	// SPARC T4: 8 registers of each of eight strands, then levels, lines that have risen,
	// precise traps, lines that are up, upper halves, windows, late overflows.
	PCR0 = MODEL(8, 4), PIC0 = PCR0 + 4 * 8, STRAND_LEVELS = PCR0 + 8 * 8 * 8,
	STRANDS_RISEN = STRAND_LEVELS + 8,
	STRANDS_UP = STRANDS_RISEN + 8, WINDOWS = STRANDS_UP + 4 + 128, LATE = WINDOWS + 32,

	// Its memory controllers: 4 registers, 16 counts, sticky bits.
	COUNTS = MODEL(1, 4) + 4 * 8, STICKY = COUNTS + 16 * 8,

	// Itanium: 11 implemented PMCs, 18 PMDs, 16 breakpoint registers, 6 others, then level and
	// cycles, line, pins, the tracked load's level, instruction set, slot, latency and
	// addresses, and the cycles until it is served.
	PMC_0 = MODEL(1, 4), PMC_4 = PMC_0 + 8, PMD_0 = PMC_0 + 11 * 8, PMD_4 = PMD_0 + 4 * 8,
	PMV = PMD_0 + 18 * 8 + 16 * 8 + 8, PSR = PMV + 8, ITANIUM_LEVEL = PMC_0 + 51 * 8,
	LINE = ITANIUM_LEVEL + 9,
	PINS = LINE + 4, LOAD = PINS + 4, LOAD_LEFT = LOAD + 3 + 4 + 8 + 8,
	TARGET = LOAD_LEFT + 8 + 1, FRESH = TARGET + 8,
};

// Bits that are 0 in the image of an idle vPMU, and that no state of the hardware can have set.
static const struct wrong {
	const char *target;
	size_t at;
	uint8_t bits;
} wrong[] = {
	// Appendix II does not define bit 19 of a select; counters have 48 bits; there are two
	// threads, four levels.
	{"nehalem", SELECT0 + 2, 0x08}, {"nehalem", SELECT0 + 4, 0x01}, {"nehalem", PMC0 + 6, 0x01},
	{"nehalem", PMC0 + 7, 0x80}, {"nehalem", FIXED_CONTROL + 1, 0x10},
	{"nehalem", GLOBAL_CONTROL, 0x10},
	{"nehalem", GLOBAL_CONTROL + 4, 0x08}, {"nehalem", HEADER, 0x04},
	{"nehalem", HEADER + 1, 0x02},
	{"nehalem", HEADER + 3, 0x01}, {"nehalem", HEADER + 24, 0x01},
	{"nehalem", HEADER + 32, 0x40},
	{"nehalem", 48, 0x02}, {"nehalem", GLOBAL_STATUS, 0x10},
	{"nehalem", GLOBAL_STATUS + 7, 0x10},
	{"nehalem", LEVELS, 0x04}, {"nehalem", CONDITIONS + 1, 0x40}, {"nehalem", LINES, 0x04},
	{"nehalem", LOAD_LATENCY, 0x01},	// both threads share the register
	{"nehalem", DS_AREA + 6, 0x01},		// not canonical
	// bits 62:48 are copies of bit 47; in a target, bits 63:48 are
	{"nehalem", FROM_IP + 5, 0x80},
	{"nehalem", FROM_IP + 6, 0x01}, {"nehalem", TO_IP + 7, 0x80},
	{"nehalem", DUE, 0x01},			// not enabled in IA32_PEBS_ENABLE
	{"nehalem", LEFT, 0x09},		// a record is due within eight cycles
	// The queues have at most 32 entries, the peer probe tracker 12. Only occupancies have
	// trackers. Four cores.
	{"nehalem-uncore", UNCORE_SELECT0 + 2, 0x02},
	{"nehalem-uncore", UNCORE_CONDITIONS + 1, 0x02},
	{"nehalem-uncore", CORES, 0x10}, {"nehalem-uncore", QUEUES, 0x21},
	{"nehalem-uncore", QUEUES + 6 * 2, 0x0D},
	{"nehalem-uncore", QUEUES + 1, 0x01}, {"nehalem-uncore", UNKNOWN, 0x01},
	{"nehalem-uncore", WAITING, 0x01},
	// Counters have 40 bits; all threads share the clock; a line is up only with a status bit
	// whose counter interrupts.
	{"knc", COUNTER0 + 5, 0x01}, {"knc", CLOCK, 0x01}, {"knc", STATUS, 0x04}, {"knc", UP, 0x01},
	{"knc", RISEN, 0x10}, {"knc", KNC_LEVELS + 3, 0x04}, {"knc", KNC_LEVELS + 5, 0x01},
	// Bits 63:19 of a PCR read as 0; a PIC's upper half is stored elsewhere; a window has two
	// cycles; nothing is late without a window; a strand's line rises only if a PCR has ov and
	// toe.
	{"sparct4", PCR0 + 2, 0x08}, {"sparct4", PCR0 + 7, 0x80}, {"sparct4", PIC0 + 4, 0x01},
	{"sparct4", STRAND_LEVELS + 7, 0x04}, {"sparct4", STRANDS_RISEN, 0x01},
	{"sparct4", STRANDS_RISEN + 5, 0x01},
	{"sparct4", STRANDS_UP, 0x01}, {"sparct4", WINDOWS, 0x03}, {"sparct4", LATE, 0x01},
	{"sparct4", WINDOWS, 0x01},		// no counter counts commits
	{"sparct4-dram", COUNTS + 3, 0x80}, {"sparct4-dram", STICKY + 2, 0x01},
	// Tables 6-5 to 6-23; reserved bits of the vector registers; one line, four pins, four
	// levels; a tracked load is served within its latency; a branch's target is a bundle; a
	// freeze ends the tracking of loads and branches.
	{"itanium", PMC_0, 0x02}, {"itanium", PMC_0 + 1, 0x01}, {"itanium", PMC_4, 0x80},
	{"itanium", PMC_4 + 3, 0x04},
	{"itanium", PMD_0, 0x04}, {"itanium", PMD_0 + 6, 0x04}, {"itanium", PMD_0 + 6, 0x08},
	{"itanium", PMD_4 + 4, 0x01}, {"itanium", PMV + 1, 0x01}, {"itanium", PSR + 4, 0x01},
	{"itanium", ITANIUM_LEVEL, 0x04}, {"itanium", LINE, 0x02},
	{"itanium", PINS, 0x10}, {"itanium", LOAD, 0x04}, {"itanium", LOAD + 1, 0x02},
	{"itanium", LOAD + 2, 0x04},
	{"itanium", LOAD_LEFT, 0x01}, {"itanium", TARGET, 0x08}, {"itanium", FRESH, 0x02},
	{"itanium", FRESH, 0x01},
};

static void what_the_hardware_never_has_is_refused_although_it_is_whole(void **state)
{
	(void)state;
	for (unsigned i = 0; i < LENGTH(wrong); i++) {
		struct vpmu_core *core = make(wrong[i].target, NULL, 0);
		uint8_t image[IMAGE_MOST];
		size_t length;

		// set undefined registers; freeze
		if (!strcmp(wrong[i].target, "itanium")) {
			for (uint32_t address = 0; address < 14; address++)
				vpmu_core_write(core, 0, address, address == 0, 0);
			vpmu_core_write(core, 0, 0x100, 0, 0);
		}
		length = vpmu_core_save(core, image, sizeof image);
		assert_int_equal(vpmu_core_load(core, image, length), VPMU_OK);
		assert_int_equal(image[wrong[i].at] & wrong[i].bits, 0);
		image[wrong[i].at] |= wrong[i].bits;
		fix_checksum(image, length);
		assert_refused(core, image, length, VPMU_ERROR_IMAGE);
		free(core);
	}
}

// Bits of counters that are not exposed, in a vPMU that exposes one general counter of each thread
// and one of Nehalem's fixed counters. A guest cannot set these bits, but would get their
// interrupts.
static const struct wrong hidden[] = {
	{"nehalem", SELECT0 + 8, 0x01}, {"nehalem", SELECT0 + 8 + 2, 0x40},
	{"nehalem", SELECT0 + 3 * 8 + 2, 0x10},
	{"nehalem", PMC0 + 8, 0x01}, {"nehalem", PMC0 + 5 * 8 + 5, 0x80},
	{"nehalem", FIXED_CONTROL, 0x10},
	{"nehalem", GLOBAL_CONTROL, 0x02}, {"nehalem", GLOBAL_CONTROL + 4, 0x02},
	{"nehalem", GLOBAL_STATUS, 0x08},
	{"nehalem", GLOBAL_STATUS + 4, 0x04}, {"nehalem", PEBS_ENABLE, 0x02},
	{"nehalem", PEBS_ENABLE + 4, 0x02},
	{"nehalem-uncore", UNCORE_SELECT0 + 8 + 2, 0x40},
	{"nehalem-uncore", UNCORE_SELECT0 + 9 * 8, 0x01},
	{"nehalem-uncore", UNCORE_SELECT0 + 18 * 8, 0x02},
	{"knc", COUNTER0 + 8, 0x01}, {"knc", COUNTER0 + 3 * 8 + 2, 0x40},
	{"knc", COUNTER0 + 4 * 8, 0x02},
	{"knc", STATUS, 0x02}, {"knc", STATUS + 8, 0x02},
	{"sparct4", PCR0 + 8, 0x04}, {"sparct4", PCR0 + 3 * 8, 0x02}, {"sparct4", PIC0 + 8, 0x01},
	{"sparct4", STRANDS_UP + 4 + 4, 0x01},		// an upper half
};

static void counters_that_are_not_exposed_are_at_rest(void **state)
{
	(void)state;
	for (unsigned i = 0; i < LENGTH(hidden); i++) {
		const struct wrong *h = &hidden[i];
		const struct vpmu_features one = {
			.general = 1,
			.fixed = strncmp(h->target, "nehalem", 7) ? VPMU_ALL_COUNTERS : 1,
		};
		struct vpmu_core *core = make(h->target, &one, 0);
		uint8_t image[IMAGE_MOST];
		const size_t length = vpmu_core_save(core, image, sizeof image);

		assert_int_equal(vpmu_core_load(core, image, length), VPMU_OK);
		assert_int_equal(image[h->at] & h->bits, 0);
		image[h->at] |= h->bits;
		fix_checksum(image, length);
		assert_refused(core, image, length, VPMU_ERROR_IMAGE);
		free(core);
	}
}

static void too_little_room_writes_nothing(void **state)
{
	uint8_t image[IMAGE_MOST], room[IMAGE_MOST];
	size_t length;
	struct vpmu_core *core = busy(image, &length);

	(void)state;
	memset(room, 0x5A, sizeof room);
	assert_int_equal(vpmu_core_save(core, room, length - 1), 0);
	for (size_t i = 0; i < sizeof room; i++)
		assert_int_equal(room[i], 0x5A);
	assert_int_equal(vpmu_core_save(core, room, length), length);
	assert_int_equal(room[length], 0x5A);
	free(core);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_damaged_byte_and_every_length_is_noticed),
		cmocka_unit_test(another_version_is_refused_although_it_is_whole),
		cmocka_unit_test(a_target_that_offers_less_is_refused_and_says_what_lacks),
		cmocka_unit_test(memory_for_records_lacks_or_is_taken_away),
		cmocka_unit_test(on_a_target_that_offers_more_the_guest_sees_what_it_saw),
		cmocka_unit_test(an_event_that_lacks_is_named),
		cmocka_unit_test(a_list_that_allows_no_more_is_taken),
		cmocka_unit_test(an_entry_that_is_not_valid_is_refused),
		cmocka_unit_test(a_long_list_has_room_where_it_is_known),
		cmocka_unit_test(what_the_hardware_never_has_is_refused_although_it_is_whole),
		cmocka_unit_test(counters_that_are_not_exposed_are_at_rest),
		cmocka_unit_test(too_little_room_writes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
