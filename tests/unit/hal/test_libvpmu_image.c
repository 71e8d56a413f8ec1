// SPDX-License-Identifier: BSD-2-Clause
// libvpmu's images: their layout (libvpmu-image(5)); what is none is refused, with a reason, and changes nothing.

#include "libvpmu_image.h"

//
// Refusals
//

enum { AT_VERSION = 8, AT_LENGTH = 12, AT_TARGET = 16, HEADER = 56 };

// IEEE 802.3, bit by bit.
static void fix_checksum(uint8_t *image, size_t length)
{
	uint32_t crc = ~0u;

	for (size_t i = 0; i < length - 4; i++) {
		crc ^= image[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
	}
	for (unsigned i = 0; i < 4; i++)
		image[length - 4 + i] = (uint8_t)(~crc >> 8 * i);
}

// A Core i7's in which something goes on.
static struct vpmu_core *busy(uint8_t image[IMAGE_MOST], size_t *length)
{
	struct vpmu_core *core = make("nehalem", NULL, 0);

	assert_int_equal(vpmu_core_write(core, 0, 0x186, 0x5300C0, 0), VPMU_DONE);
	assert_int_equal(vpmu_core_write(core, 0, 0xC1, 77, 0), VPMU_DONE);
	vpmu_core_advance(core, 0, 1000, 1000);
	*length = vpmu_core_save(core, image, IMAGE_MOST);
	return core;
}

static void assert_refused(struct vpmu_core *core, const uint8_t *bytes, size_t length, enum vpmu_error error)
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
			       i >= AT_VERSION && i < AT_LENGTH ? VPMU_ERROR_VERSION : VPMU_ERROR_IMAGE);
		image[i] ^= 0x10;
	}
	for (size_t i = 0; i < length; i++)
		assert_refused(core, image, i, VPMU_ERROR_IMAGE);
	assert_refused(core, image, length + 1, VPMU_ERROR_IMAGE);
	assert_int_equal(vpmu_core_load(core, image, length), VPMU_OK);
	free(core);
}

static void an_unknown_version_is_refused_although_it_is_whole(void **state)
{
	uint8_t image[IMAGE_MOST];
	size_t length;
	struct vpmu_core *core = busy(image, &length);

	(void)state;
	image[AT_VERSION] = VPMU_IMAGE_VERSION + 1;
	fix_checksum(image, length);
	assert_refused(core, image, length, VPMU_ERROR_VERSION);
	free(core);
}

static void another_target_and_another_offer_are_refused(void **state)
{
	static const struct vpmu_event one[] = {{0xC0, 0}}, another[] = {{0xC0, 1}};
	const struct vpmu_features exposed[] = {
		{.general = 2, .fixed = 3, .any_thread = true},
		{.general = 4, .fixed = 1, .any_thread = true},
		{.general = 4, .fixed = 3},
		{.general = 4, .fixed = 3, .any_thread = true, .events = one, .event_count = 1},
		{.general = 4, .fixed = 3, .any_thread = true, .events = another, .event_count = 1},
	};
	uint8_t image[IMAGE_MOST];
	size_t length;
	struct vpmu_core *core = busy(image, &length), *knc = make("knc", NULL, 0), *other;

	(void)state;
	assert_refused(knc, image, length, VPMU_ERROR_OTHER);
	for (unsigned i = 0; i < LENGTH(exposed); i++) {
		other = make("nehalem", &exposed[i], 0);
		assert_refused(other, image, length, VPMU_ERROR_OTHER);
		assert_int_equal(vpmu_core_save(other, image, length), length);
		assert_refused(core, image, length, VPMU_ERROR_OTHER);
		if (i == 4) {
			free(other);
			other = make("nehalem", &exposed[3], 0);
			assert_refused(other, image, length, VPMU_ERROR_OTHER);
		}
		vpmu_core_save(core, image, length);
		free(other);
	}
	free(core);
	free(knc);
}

// The model's fields begin behind the threads': for a Core i7 a header of 56 bytes, 2 threads of 24 bytes and 5
// selects of 16, then its requests, 4 bytes, and the selects.
#define SELECT0		(HEADER + 2 * (24 + 5 * 16) + 4)
#define PMC0		(SELECT0 + 4 * 8)
#define FIXED_CONTROL	(PMC0 + 7 * 8)
#define GLOBAL_CONTROL	(FIXED_CONTROL + 8)

static void the_layout_is_the_one_that_is_documented(void **state)
{
	static const uint8_t header[] = {
		0x89, 'V', 'P', 'M', '\r', '\n', 0x1A, '\n', 1, 0, 0, 0,
	};
	uint8_t image[IMAGE_MOST];
	size_t length;
	struct vpmu_core *core = busy(image, &length);

	(void)state;
	assert_memory_equal(image, header, sizeof header);
	assert_int_equal(image[AT_LENGTH] | image[AT_LENGTH + 1] << 8, length);
	assert_string_equal((const char *)image + AT_TARGET, "nehalem");
	assert_int_equal(image[40], 4);				// general counters
	assert_int_equal(image[41], 3);				// fixed
	assert_int_equal(image[42], 1);				// any thread
	assert_int_equal(image[43], 2);				// threads
	assert_int_equal(image[HEADER + 8] | image[HEADER + 9] << 8, 1000);	// enabled
	assert_memory_equal(image + SELECT0, "\xC0\0\x53\0\0\0\0\0", 8);
	assert_memory_equal(image + PMC0, "\x35\4\0\0\0\0\0\0", 8);	// 1077
	assert_memory_equal(image + GLOBAL_CONTROL, "\x0F\0\0\0\0\0\0\0", 8);
	free(core);
}

// Appendix II leaves bit 19 of a select out; counters have 48 bits; the threads are two, levels four.
static void what_the_manual_does_not_allow_is_refused_although_it_is_whole(void **state)
{
	static const struct {
		size_t at;
		uint8_t bits;
	} wrong[] = {
		{SELECT0 + 2, 0x08}, {SELECT0 + 4, 0x01}, {PMC0 + 6, 0x01}, {PMC0 + 7, 0x80},
		{FIXED_CONTROL + 1, 0x10}, {GLOBAL_CONTROL, 0x10}, {GLOBAL_CONTROL + 4, 0x08}, {HEADER, 0x04},
		{HEADER + 1, 0x02}, {HEADER + 3, 0x01}, {HEADER + 24, 0x01}, {HEADER + 32, 0x40},
		{48, 0x02}, {SELECT0 - 4, 0x04},
	};
	uint8_t image[IMAGE_MOST];
	size_t length;
	struct vpmu_core *core = busy(image, &length);

	(void)state;
	for (unsigned i = 0; i < LENGTH(wrong); i++) {
		image[wrong[i].at] |= wrong[i].bits;
		fix_checksum(image, length);
		assert_refused(core, image, length, VPMU_ERROR_IMAGE);
		image[wrong[i].at] &= (uint8_t)~wrong[i].bits;
	}
	free(core);
}

// A Knights Corner's line is up without an overflow; threads with two clocks.
static void states_that_the_hardware_never_reaches_are_refused(void **state)
{
	enum { SELECTS = 2, COUNTS = HEADER + 4 * (24 + SELECTS * 16) + 4, CLOCKS = COUNTS + 16 * 8,
	       LINES = CLOCKS + 5 * 8 + 4 * 4 };
	struct vpmu_core *core = make("knc", NULL, 0);
	uint8_t image[IMAGE_MOST];
	const size_t length = vpmu_core_save(core, image, sizeof image);

	(void)state;
	assert_int_equal(image[LINES], 0);
	image[LINES] = 1;
	fix_checksum(image, length);
	assert_refused(core, image, length, VPMU_ERROR_IMAGE);
	image[LINES] = 0;
	image[CLOCKS + 8] ^= 1;
	fix_checksum(image, length);
	assert_refused(core, image, length, VPMU_ERROR_IMAGE);
	image[CLOCKS + 8] ^= 1;
	fix_checksum(image, length);
	assert_int_equal(vpmu_core_load(core, image, length), VPMU_OK);
	free(core);
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
		cmocka_unit_test(an_unknown_version_is_refused_although_it_is_whole),
		cmocka_unit_test(another_target_and_another_offer_are_refused),
		cmocka_unit_test(the_layout_is_the_one_that_is_documented),
		cmocka_unit_test(what_the_manual_does_not_allow_is_refused_although_it_is_whole),
		cmocka_unit_test(states_that_the_hardware_never_reaches_are_refused),
		cmocka_unit_test(too_little_room_writes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
