// SPDX-License-Identifier: BSD-2-Clause
// Arguments that libvpmu refuses: numbers outside the ranges in palmon/vpmu.h, threads that the
// core lacks, NULL pointers, overlapping memory. A refused call changes nothing.

#include "libvpmu_registers.h"

#define IMAGE_MOST	4096
#define ANY32		0xFFFFFFFFu
#define ANY64		UINT64_MAX

static const char *const targets[] = {"nehalem", "nehalem-uncore", "knc", "itanium", "sparct4",
				      "sparct4-dram"};

// An image of the vPMU, to detect that a call changed its state.
static uint8_t before[IMAGE_MOST];

static void remember(void)
{
	assert_true(vpmu_core_save(core, before, sizeof before) > 0);
}

static void assert_unchanged(void)
{
	uint8_t now[IMAGE_MOST];
	const size_t length = vpmu_core_save(core, now, sizeof now);

	assert_true(length > 0);
	assert_memory_equal(now, before, length);
}

//
// Events
//

#define ALL_FLAGS (VPMU_BRANCH | VPMU_BRANCH_TAKEN | VPMU_BRANCH_WRONG_PATH | \
		   VPMU_BRANCH_WRONG_TARGET)

// The highest value of each field.
static const struct vpmu_occurrence highest = {
	.code = 0xFFFF, .sub = 0xFFFF, .n = ANY32, .isa = 1, .type = 0x7F, .slot = 2,
	.served = 0xFF,
	.branch = ALL_FLAGS | VPMU_KIND_FAR, .data = 1, .latency = ANY32, .ip = ANY64,
	.opcode = ANY64,
	.address = ANY64, .target = ANY64,
};

// Values above that: the next one, and larger ones.
static const struct vpmu_occurrence too_high[] = {
	{.isa = 2}, {.isa = 0xFF}, {.type = 0x80}, {.type = 0xFF}, {.slot = 3}, {.slot = 32},
	{.slot = 199},
	{.branch = 0x80}, {.branch = 0xFF}, {.data = 2}, {.data = 0xFF},
};

// Itanium: all monitors count at each level, unfrozen (Table 6-7; PMC4-7 at Table 6-6, PMC12 at
// 6-21), so that the model uses all fields of a branch. BRANCH_TAKEN_SLOT is event 0DH.
static void make_watching(const char *target)
{
	make(target, NULL);
	if (strcmp(target, "itanium"))
		return;
	put(0, 0x500, 4);
	put(0, 4, 0x0D << 8 | 0xFULL << 16 | 0xF);
	put(0, 12, 0xFFCF);
	put(0, 0, 0);
}

static void a_branch_with_a_field_out_of_its_range_is_refused(void **state)
{
	(void)state;
	for (unsigned t = 0; t < LENGTH(targets); t++) {
		make_watching(targets[t]);
		remember();
		for (unsigned i = 0; i < LENGTH(too_high); i++) {
			struct vpmu_occurrence branch = too_high[i];

			branch.branch |= VPMU_BRANCH | VPMU_BRANCH_TAKEN;
			assert_int_equal(vpmu_core_branch(core, 0, &branch), VPMU_ERROR_ARGUMENT);
			assert_unchanged();
		}
		assert_int_equal(vpmu_core_branch(core, 0, &highest), VPMU_OK);
		end(NULL);
	}
}

// vpmu_core_branch ignores thread, level, code, sub and n: its arguments and the branch imply them.
static void fields_that_are_not_of_a_branch_are_not_looked_at(void **state)
{
	struct vpmu_occurrence branch = {.ip = 0x1000, .target = 0x2000};

	(void)state;
	make("nehalem", NULL);
	put(0, PERFEVTSEL0, BRANCHES | OS | EN);
	// the call implies VPMU_BRANCH
	branch.branch = VPMU_BRANCH_TAKEN | VPMU_KIND_JUMP;
	assert_int_equal(vpmu_core_branch(core, 0, &branch), VPMU_OK);
	branch.thread = branch.level = 0xFF;
	branch.code = branch.sub = 0xFFFF;
	branch.n = ANY32;
	assert_int_equal(vpmu_core_branch(core, 0, &branch), VPMU_OK);
	assert_int_equal(get(0, PMC0), 2);
	end(NULL);
	// Table 7-29: BRANCH_TAKEN_SLOT, unit mask bit 2: taken in slot 2.
	make("itanium", NULL);
	put(0, 0x500, 4);
	put(0, 4, 0x0D << 8 | 4ULL << 16 | 0xF);
	put(0, 0x104, 0);
	put(0, 0, 0);
	branch.slot = 2;
	assert_int_equal(vpmu_core_branch(core, 0, &branch), VPMU_OK);
	assert_int_equal(get(0, 0x104), 1);
}

static void an_occurrence_with_a_field_out_of_its_range_is_refused(void **state)
{
	(void)state;
	for (unsigned t = 0; t < LENGTH(targets); t++) {
		struct vpmu_occurrence list[VPMU_OCCURRENCES_MOST];

		make_watching(targets[t]);
		remember();
		for (unsigned at = 0; at < VPMU_OCCURRENCES_MOST; at++)
			for (unsigned i = 0; i < LENGTH(too_high) + 4; i++) {
				memset(list, 0, sizeof list);
				if (i < LENGTH(too_high))
					list[at] = too_high[i];
				else if (i < LENGTH(too_high) + 2)
					list[at].level = i == LENGTH(too_high) ? 4 : 0xFF;
				else
					list[at].thread = i & 1 ? (uint8_t)vpmu_core_threads(core) :
						0xFF;
				assert_int_equal(vpmu_core_deliver(core, list, at + 1, 1),
						 VPMU_ERROR_ARGUMENT);
				assert_unchanged();
			}
		assert_int_equal(vpmu_core_deliver(core, list, VPMU_OCCURRENCES_MOST + 1, 1),
				 VPMU_ERROR_ARGUMENT);
		assert_int_equal(vpmu_core_deliver(core, list, SIZE_MAX, 1), VPMU_ERROR_ARGUMENT);
		assert_int_equal(vpmu_core_deliver(core, NULL, 1, 1), VPMU_ERROR_ARGUMENT);
		assert_unchanged();
		assert_int_equal(vpmu_core_deliver(core, NULL, 0, 1), VPMU_OK);
		for (unsigned i = 0; i < VPMU_OCCURRENCES_MOST; i++)
			list[i] = highest;
		list[0].level = 3;
		list[1].thread = (uint8_t)(vpmu_core_threads(core) - 1);
		assert_int_equal(vpmu_core_deliver(core, list, VPMU_OCCURRENCES_MOST, ANY64),
				 VPMU_OK);
		end(NULL);
	}
}

//
// Threads
//

static uint64_t number[2];		// a call's results
static uint32_t leaf[4];

// Calls with a thread argument, and the result for a thread that the core lacks, on every target.
#define CALLS_WITH_THREAD(C)									\
	C(vpmu_core_set_level(core, thread, 0), VPMU_ERROR_ARGUMENT)				\
	C(vpmu_core_set_halted(core, thread, true), VPMU_ERROR_ARGUMENT)			\
	C(vpmu_core_read(core, thread, PERFEVTSEL0, number), VPMU_NOT_MINE)			\
	C(vpmu_core_write(core, thread, PERFEVTSEL0, 0, 1), VPMU_NOT_MINE)			\
	C(vpmu_core_read_counter(core, thread, 0, number), VPMU_NOT_MINE)			\
	C(vpmu_core_write_counter(core, thread, 0, 0, 1), VPMU_NOT_MINE)			\
	C(vpmu_core_execute(core, thread, VPMU_RDPMC, &number[0], 0, &number[1]), VPMU_NOT_MINE) \
	C(vpmu_core_spflt(core, thread, true, 1), VPMU_NOT_MINE)				\
	C(vpmu_core_interruption(core, thread, number), VPMU_ERROR_ARGUMENT)			\
	C(vpmu_core_resume(core, thread, ANY64), VPMU_ERROR_ARGUMENT)				\
	C(vpmu_core_advance(core, thread, 1, 1), VPMU_ERROR_ARGUMENT)				\
	C(vpmu_core_branch(core, thread, &highest), VPMU_ERROR_ARGUMENT)			\
	C(vpmu_core_commit(core, thread), VPMU_ERROR_ARGUMENT)					\
	C(vpmu_core_change_level(core, thread, 0), VPMU_ERROR_ARGUMENT)				\
	C(vpmu_core_signal(core, thread), VPMU_ERROR_ARGUMENT)					\
	C(vpmu_core_headroom(core, thread), VPMU_FAR)						\
	C(vpmu_core_deschedule(core, thread, 1), VPMU_ERROR_ARGUMENT)				\
	C(vpmu_core_times(core, thread, &number[0], &number[1]), VPMU_ERROR_ARGUMENT)

// Calls without a thread argument, and the result without a core.
#define CALLS_WITH_CORE(C)									\
	C(vpmu_core_threads(core), 0)								\
	C(vpmu_core_reset(core, VPMU_RESET_COLD, 0, 0), VPMU_ERROR_ARGUMENT)			\
	C(vpmu_core_attach(core, NULL), VPMU_ERROR_ARGUMENT)					\
	C(vpmu_core_identify(core, 0xA, 0, leaf), VPMU_ERROR_ARGUMENT)				\
	C(vpmu_core_filter(core, VPMU_FILTER_IDENTITY, 0, 0, leaf), VPMU_ERROR_ARGUMENT)	\
	C(vpmu_core_misc_enable(core, 5), 5)							\
	C(vpmu_core_register(core, 0, &(struct vpmu_register){0}), false)			\
	C(vpmu_core_counter(core, 0, 0, &(struct vpmu_counter){0}), VPMU_ERROR_ARGUMENT)	\
	C(vpmu_core_deliver(core, &highest, 1, 1), VPMU_ERROR_ARGUMENT)				\
	C(vpmu_core_bus_lock(core), VPMU_ERROR_ARGUMENT)					\
	C(vpmu_core_worst_headroom(core).instructions, 0)					\
	C(vpmu_core_worst_headroom(core).cycles, 0)						\
	C(vpmu_core_wants(core), 0)								\
	C(vpmu_core_take_lines(core, 0), 0)							\
	C(vpmu_core_take_strobes(core), 0)							\
	C(vpmu_core_image_size(core), 0)							\
	C(vpmu_core_save(core, image, sizeof image), 0)						\
	C(vpmu_core_load(core, before, length), VPMU_ERROR_ARGUMENT)				\
	C(vpmu_core_lacks(core, before, length, &(struct vpmu_lack){0}), false)

#define REFUSED(call, result) assert_int_equal(call, result);

static void a_thread_that_the_core_lacks_is_refused(void **state)
{
	struct vpmu_counter counter;

	(void)state;
	for (unsigned t = 0; t < LENGTH(targets); t++) {
		const unsigned lacking[] = {vpmu_core_threads(make(targets[t], NULL)), 32, 64, 255,
					    256, ~0u};

		remember();
		for (unsigned i = 0; i < LENGTH(lacking); i++) {
			const unsigned thread = lacking[i];

			number[0] = number[1] = 1;
			CALLS_WITH_THREAD(REFUSED)
			assert_int_equal(number[0], 0);
			assert_int_equal(number[1], 0);
			assert_int_equal(vpmu_core_counter(core, thread, 0, &counter),
					 VPMU_ERROR_ARGUMENT);
			assert_int_equal(counter.address, 0);
			if (thread >= 32)		// a package's PMU takes a core's number
				assert_int_equal(vpmu_core_take_lines(core, thread), 0);
		}
		assert_unchanged();
		end(NULL);
	}
}

//
// NULL
//

static void no_core_is_refused(void **state)
{
	const unsigned thread = 0;
	uint8_t image[IMAGE_MOST];
	size_t length;

	(void)state;
	make("nehalem", NULL);
	length = vpmu_core_save(core, before, sizeof before);
	end(NULL);		// sets core to NULL
	assert_null(core);
	number[1] = 1;
	CALLS_WITH_THREAD(REFUSED)
	CALLS_WITH_CORE(REFUSED)
	assert_int_equal(number[1], 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(leaf[i], 0);
}

static void no_place_for_what_is_asked_is_refused(void **state)
{
	struct vpmu_counter counter;
	uint32_t lvtpc = 0xFE;
	uint8_t vector = 1;

	(void)state;
	make("nehalem", NULL);
	remember();
	assert_int_equal(vpmu_core_read(core, 0, PERFEVTSEL0, NULL), VPMU_NOT_MINE);
	assert_int_equal(vpmu_core_read_counter(core, 0, 0, NULL), VPMU_NOT_MINE);
	assert_int_equal(vpmu_core_execute(core, 0, VPMU_RDPMC, NULL, 0, number), VPMU_NOT_MINE);
	assert_int_equal(vpmu_core_execute(core, 0, VPMU_WRMSR, number, PERFEVTSEL0, NULL),
			 VPMU_NOT_MINE);
	assert_int_equal(vpmu_core_identify(core, 0, 0, NULL), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_filter(core, VPMU_FILTER_IDENTITY, 0, 0, NULL),
			 VPMU_ERROR_ARGUMENT);
	assert_false(vpmu_core_register(core, 0, NULL));
	assert_int_equal(vpmu_core_counter(core, 0, 0, NULL), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_counter(core, 0, 7, &counter), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_counter(core, 0, ~0u, &counter), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_interruption(core, 0, NULL), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_branch(core, 0, NULL), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_times(core, 0, NULL, number), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_times(core, 0, number, NULL), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_save(core, NULL, SIZE_MAX), 0);
	assert_int_equal(vpmu_core_load(core, NULL, SIZE_MAX), VPMU_ERROR_ARGUMENT);
	assert_false(vpmu_core_lacks(core, before, sizeof before, NULL));
	assert_false(vpmu_core_lacks(core, NULL, 0, &(struct vpmu_lack){0}));
	assert_false(vpmu_scale(1, 1, 1, NULL));
	assert_int_equal(vpmu_deliver(NULL, &vector), VPMU_DELIVER_NOTHING);
	assert_int_equal(vector, 0);
	assert_int_equal(vpmu_deliver(&lvtpc, NULL), VPMU_DELIVER_NOTHING);
	assert_int_equal(lvtpc, 0xFE);
	assert_int_equal(vpmu_core_size(NULL), 0);
	assert_unchanged();
}

//
// Others
//

static void a_machine_that_lacks_a_function_is_refused(void **state)
{
	static const struct vpmu_guest whole = {NULL, no_read, no_write, no_registers};
	static const struct vpmu_guest lacking[] = {
		{.write = no_write, .registers = no_registers},
		{.read = no_read, .registers = no_registers},
		{.read = no_read, .write = no_write},
	};

	(void)state;
	for (unsigned t = 0; t < LENGTH(targets); t++) {
		make(targets[t], NULL);
		remember();
		for (unsigned i = 0; i < LENGTH(lacking); i++)
			assert_int_equal(vpmu_core_attach(core, &lacking[i]), VPMU_ERROR_ARGUMENT);
		assert_unchanged();
		assert_int_equal(vpmu_core_attach(core, &whole), VPMU_OK);
		assert_int_equal(vpmu_core_attach(core, NULL), VPMU_OK);
		assert_unchanged();
		end(NULL);
	}
}

static void numbers_out_of_range_are_refused(void **state)
{
	static const unsigned levels[] = {4, 255, 256, ~0u};

	(void)state;
	make("nehalem", NULL);
	put(0, PERFEVTSEL0, INSTRUCTIONS | OS | EN);
	remember();
	for (unsigned i = 0; i < LENGTH(levels); i++) {
		assert_int_equal(vpmu_core_set_level(core, 0, levels[i]), VPMU_ERROR_ARGUMENT);
		assert_int_equal(vpmu_core_change_level(core, 0, levels[i]), VPMU_ERROR_ARGUMENT);
	}
	assert_int_equal(vpmu_core_reset(core, (enum vpmu_reset)-1, 0, 0), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_advance(core, 0, 1, 0), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_advance(core, 0, ANY32, 1), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_advance(core, 0, 2 * (ANY32 - 1ULL) + 1, 2),
			 VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_filter(core, 4, 0, 0, leaf), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_filter(core, ~0u, 0xA, 0, leaf), VPMU_ERROR_ARGUMENT);
	assert_false(vpmu_core_register(core, ~0u, &(struct vpmu_register){0}));
	assert_null(vpmu_target(~0u));
	assert_unchanged();
	// 2^32 - 2 in a cycle
	assert_int_equal(vpmu_core_advance(core, 0, 2 * (ANY32 - 1ULL), 2), VPMU_OK);
	assert_int_equal(get(0, PMC0), 2 * (ANY32 - 1ULL));
}

// A refused call for a halted thread also leaves the current thread, which images contain, as it
// is.
static void a_halted_thread_executes_nothing(void **state)
{
	(void)state;
	make("nehalem", NULL);
	assert_int_equal(vpmu_core_set_halted(core, 1, true), VPMU_OK);
	go(0, 1);
	remember();
	assert_int_equal(vpmu_core_advance(core, 1, 1, 1), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_branch(core, 1, &highest), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_commit(core, 1), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_change_level(core, 1, 0), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_deliver(core, &(struct vpmu_occurrence){.thread = 1}, 1, 1),
			 VPMU_ERROR_ARGUMENT);
	assert_unchanged();
}

//
// Memory
//

static void features_that_are_not_valid_are_refused(void **state)
{
	static const struct vpmu_event one = {.code = 0xC0},
		code = {.code = 0xC0, .code_ignored = 0x40};
	static const struct vpmu_event umask = {.umask = 1, .umask_ignored = 1};
	static const struct vpmu_event match = VPMU_EVENT_MASKED(0xC0, 1, 3, false);
	static const struct vpmu_features cases[] = {
		{.reports = 8}, {.reports = ~0u}, {.event_count = 1}, {.general = 5}, {.fixed = 4},
		{.events = &one, .event_count = VPMU_LIST_MOST + 1},
		{.events = &one, .event_count = SIZE_MAX},
		{.events = &code, .event_count = 1}, {.events = &umask, .event_count = 1},
		{.events = &match, .event_count = 1},
	};
	const size_t size = vpmu_core_size("nehalem");
	uint8_t *memory = aligned_alloc(VPMU_ALIGNMENT, size);
	struct vpmu_core *none = NULL;

	(void)state;
	memset(memory, 0x5A, size);
	for (unsigned i = 0; i < LENGTH(cases); i++)
		assert_int_equal(vpmu_core_create(&none, memory, size, "nehalem", &cases[i], 0),
				 VPMU_ERROR_FEATURES);
	assert_int_equal(vpmu_core_create(&none, memory, size, NULL, NULL, 0), VPMU_ERROR_TARGET);
	assert_int_equal(vpmu_core_create(NULL, memory, size, "nehalem", NULL, 0),
			 VPMU_ERROR_ARGUMENT);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(memory[i], 0x5A);
	assert_null(none);
	free(memory);
}

// Overlaps by the first byte and by the last; blocks that only touch are accepted.
static void memory_that_overlaps_is_refused(void **state)
{
	static const struct vpmu_event one = {.code = 0xC0};
	const struct vpmu_features listed = {.events = &one, .event_count = 1};
	const size_t size = vpmu_core_size("nehalem");
	uint8_t *memory = aligned_alloc(VPMU_ALIGNMENT, size + 2 * VPMU_ALIGNMENT),
		*at = memory + VPMU_ALIGNMENT;
	struct vpmu_features *inside = (struct vpmu_features *)at, features = listed;
	struct vpmu_event *last = (struct vpmu_event *)(at + size) - 1;
	struct vpmu_core *made = NULL;
	size_t length;

	(void)state;
	*inside = listed;
	assert_int_equal(vpmu_core_create(&made, at, SIZE_MAX, "nehalem", inside, 0),
			 VPMU_ERROR_MEMORY);
	*last = one;
	features.events = last;
	assert_int_equal(vpmu_core_create(&made, at, size, "nehalem", &features, 0),
			 VPMU_ERROR_MEMORY);
	features.events = last + 1;
	last[1] = one;
	assert_int_equal(vpmu_core_create((struct vpmu_core **)at, at, size, "nehalem", NULL, 0),
			 VPMU_ERROR_MEMORY);
	assert_null(made);
	assert_int_equal(vpmu_core_create(&made, at, size, "nehalem", &features, 0), VPMU_OK);
	length = vpmu_core_image_size(made);
	assert_true(vpmu_core_save(made, before, sizeof before) == length &&
		    length > VPMU_ALIGNMENT);
	assert_int_equal(vpmu_core_save(made, at - length + 1, length), 0);
	assert_int_equal(vpmu_core_save(made, at + size - 1, SIZE_MAX), 0);
	assert_int_equal(vpmu_core_save(made, at + size / 2, length), 0);
	assert_int_equal(vpmu_core_load(made, before, length), VPMU_OK);
	// in the trial vPMU, which a load overwrites first
	memcpy(at + size - length, before, length);
	assert_int_equal(vpmu_core_load(made, at + size - length, length), VPMU_ERROR_ARGUMENT);
	free(memory);
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_branch_with_a_field_out_of_its_range_is_refused),
		TEST(fields_that_are_not_of_a_branch_are_not_looked_at),
		TEST(an_occurrence_with_a_field_out_of_its_range_is_refused),
		TEST(a_thread_that_the_core_lacks_is_refused),
		TEST(no_core_is_refused),
		TEST(no_place_for_what_is_asked_is_refused),
		TEST(a_machine_that_lacks_a_function_is_refused),
		TEST(numbers_out_of_range_are_refused),
		TEST(a_halted_thread_executes_nothing),
		TEST(features_that_are_not_valid_are_refused),
		TEST(memory_that_overlaps_is_refused),
	};

	return cmocka_run_group_tests_name("libvpmu, arguments", tests, NULL, NULL);
}
