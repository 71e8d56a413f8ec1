// SPDX-License-Identifier: BSD-2-Clause
// libvpmu's images: a vPMU that loads another one's image behaves from then on as the other one
// does.

#include "libvpmu_image.h"

static uint64_t random_state = 0x9E3779B97F4A7C15;

// xorshift64*
static uint64_t any(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 0x2545F4914F6CDD1D;
}

static uint64_t below(uint64_t limit)
{
	return (any() >> 16) % limit;
}

//
// Random steps
//

// A random value that the register accepts, with reserved bits 0. Often it is near a counter's
// overflow, or it selects an event that the steps report.
static uint64_t value_for(const struct register_description *r)
{
	static const uint16_t codes[] = {0x3C, 0xC0, 0x16, 0x2A, 0xC4, 0x12, 0x1E, 0x67, 0x66, 0x02,
					 0x03, 0x60};
	uint64_t value = any();

	if (below(3) == 0)
		value = -below(200);
	else if (below(2))
		value = (value & 0xFFFFFFFF00FF0000) | 0x430000 | codes[below(LENGTH(codes))] |
			below(2) << 8;
	for (unsigned i = 0; i < r->fields; i++)
		if (r->field[i].access == FIELD_RSVD)
			value &= ~FIELD_MASK(r->field[i].low, r->field[i].width);
	return value;
}

struct report {
	uint64_t result, value, headroom, lines, wants;
};

static struct vpmu_occurrence occurrence_for(const struct pmu_model *model, unsigned thread,
					     unsigned level)
{
	static const uint16_t codes[] = {0x3C, 0xC0, 0x16, 0x2A, 0xC4, 3, 26, 28, 0x66, 0x12, 0x0B,
					 0x103, 0x60, 0x67,
					3, 0x20, 0x2C, 0x66, 0xC0};

	return (struct vpmu_occurrence){
		.code = codes[below(LENGTH(codes))], .sub = (uint16_t)below(64),
		.n = (uint32_t)below(4),
		.thread = (uint8_t)((thread + below(2)) % model->threads), .level = (uint8_t)level,
		.isa = (uint8_t)below(2), .slot = (uint8_t)below(3),
		.type = (uint8_t)(1u << below(5)),
		.served = (uint8_t)below(4),
		.branch = (uint8_t)(below(8) << 4 | below(16)),
		.data = 1, .latency = (uint32_t)below(70), .ip = below(16) << 4,
		.address = below(1 << 20),
		.target = below(16) << 4, .opcode = any(),
	};
}

// Takes one random step. The same state of the random numbers gives the same step.
static struct report step(struct vpmu_core *core)
{
	const struct pmu_model *model = core->vpmu.model;
	const struct register_description *r = &model->registers[below(model->register_count)];
	const uint32_t address = r->address + (uint32_t)below(r->count) * r->distance;
	const unsigned thread = (unsigned)below(model->threads),
		level = below(2) ? 0 : (unsigned)below(4);
	struct vpmu_occurrence list[3];
	struct report report = {0};
	uint64_t saved;

	switch (below(12)) {
	case 0:
	case 1:
	case 2:
		vpmu_core_set_level(core, thread, 0);
		report.result = vpmu_core_write(core, thread, address, value_for(r), below(2));
		break;
	case 3:
		report.result = vpmu_core_read(core, thread, address, &report.value);
		break;
	case 4:
		report.result = vpmu_core_read_counter(core, thread, (uint32_t)below(8),
						       &report.value);
		break;
	case 5:
	case 6:
		saved = below(300);
		report.result = vpmu_core_advance(core, thread, below(2) ? saved : below(600),
						  saved);
		break;
	case 7:
		for (unsigned i = 0; i < LENGTH(list); i++)
			list[i] = occurrence_for(model, thread, level);
		report.result = vpmu_core_deliver(core, list, below(4), below(50));
		break;
	case 8:
		list[0] = occurrence_for(model, thread, level);
		report.result = vpmu_core_branch(core, thread, list);
		break;
	case 9:
		report.result = vpmu_core_set_level(core, thread, level);
		break;
	case 10:
		report.result = vpmu_core_set_halted(core, thread, below(3) == 0);
		break;
	default:
		vpmu_core_signal(core, thread);
		vpmu_core_bus_lock(core);
		vpmu_core_spflt(core, thread, below(2), 1);
		vpmu_core_interruption(core, thread, &saved);
		if (below(2))
			vpmu_core_resume(core, thread, saved);
		vpmu_core_deschedule(core, thread, below(9));
	}
	report.headroom = vpmu_core_headroom(core, thread);
	report.wants = vpmu_core_wants(core);
	report.lines = below(3) ? 0 : vpmu_core_take_lines(core, thread) << 8 |
		vpmu_core_take_strobes(core);
	return report;
}

// Settings with which every part of a PMU changes: for each register a value, plus random ones of
// the bits in `any`, or a value close to a counter's overflow.
static const struct setting {
	const char *target;
	uint32_t address, count;
	uint64_t value, any;
	bool counter;
} settings[] = {
	{"nehalem", 0xC1, 4, .counter = true},
	{"nehalem", 0x309, 3, 0xFFFFFFFFFF00, 0xFF},
	// instructions; edges, interrupts, any thread
	{"nehalem", 0x186, 4, 0x5300C0, 0x340001},
	{"nehalem", 0x38D, 1, 0xBBB, 0x444},
	{"nehalem", 0x38F, 1, 0x70000000F, 0},
	{"nehalem", 0x1D9, 1, 0, 0x3801},			// freezes, branch records
	{"nehalem", 0x3F1, 1, 0, 0xF0000000F},
	{"nehalem", 0x3F6, 1, 0, 0x3F},
	{"nehalem", 0x1A6, 1, 0, 0xFFFF},
	{"nehalem", 0x1C8, 1, 0, 0x1FF},
	{"intel", 0xC1, 8, .counter = true},
	{"intel", 0x186, 8, 0x5300C0, 0x340001},
	{"intel", 0x38D, 1, 0xBBBB, 0x4444},
	{"intel", 0x38F, 1, 0xF000000FF, 0},
	{"intel", 0x1D9, 1, 0, 0x1801},			// freezes
	{"amd", 0xC0010004, 4, .counter = true},
	{"amd", 0xC0010209, 1, .counter = true},
	{"amd", 0xC001020B, 1, .counter = true},
	{"amd", 0xC0010000, 4, 0x5300C0, 0x40000},		// edges
	{"amd", 0xC0010208, 1, 0x5300C0, 0x40000},
	{"amd", 0xC001020A, 1, 0x5300C0, 0x40000},
	{"amd", 0xC0000301, 1, 0x3F, 0},
	{"amd", 0x1D9, 1, 0, 0x1801},				// freezes
	{"knc", 0x20, 2, 0xFFFFFFFF80, 0x7F},
	// instructions, cycles; edges, any thread
	{"knc", 0x28, 2, 0x530016, 0x0104203C},
	{"knc", 0x2C, 1, 0, 0x8000000000000003},
	{"knc", 0x2F, 1, 3, 0},
	{"sparct4", 0xB000, 4, .counter = true},
	{"sparct4", 0x6400, 4, 0x1806, 0xFFFE},			// sl 3 and others
	{"sparct4", 0xB001, 3, 0xFFFFFFF8, 7},
	{"sparct4", 0x6401, 1, 0x1FEE, 0},			// all instructions, precisely
	{"sparct4", 0x6402, 1, 0xD01E, 0},			// cycles
	{"sparct4", 0x6403, 1, 0xE01E, 0xE0},			// committed micro-ops, soon
	{"itanium", 0x500, 1, 0x4, 0x200000},			// PSR.up
	{"itanium", 73 + 0x400, 1, 0x30, 0},			// not masked
	{"itanium", 4, 4, 0x660F, 0x30},			// loads, and their captures
	{"itanium", 5, 1, 0x080F, 0x30},
	{"itanium", 6, 1, 0x670F, 0x20},
	{"itanium", 10, 1, 0xF, 0x30080},
	{"itanium", 11, 1, 0x1000000F, 0x30080},
	{"itanium", 12, 1, 0xFF8F, 0x40},
	{"itanium", 13, 1, 1, 0},
	{"itanium", 0x104, 4, .counter = true},
	{"itanium", 0, 1, 0, 0},
	{"nehalem-uncore", 0x3B0, 8, 0xFFFFFFFFFF00, 0xFF},
	{"nehalem-uncore", 0x3C0, 8, 0x520102, 0x1C0F00},	// occupancies
	{"nehalem-uncore", 0x3C6, 2, 0x500000, 0x2F0F2F},
	{"nehalem-uncore", 0x395, 1, 5, 0},
	{"nehalem-uncore", 0x391, 1, 0xF0001000000FF, 1ULL << 63},
	{"sparct4-dram", 0x80040800, 4, 0, 0xFFFF},
	{"sparct4-dram", 0x80041000, 4, 0x7FFFFF007FFFFF00, 0xFF000000FF},
};

static void prepare(struct vpmu_core *core)
{
	const struct vpmu_occurrence entries = {.code = 3, .sub = 0x7F, .n = 3};

	vpmu_core_deliver(core, &entries, 1, 2);			// queues are not empty
	for (unsigned i = 0; i < LENGTH(settings); i++) {
		const struct setting *s = &settings[i];

		for (unsigned n = 0; !strcmp(s->target, core->vpmu.model->name) && n < s->count;
		     n++)
			for (unsigned thread = 0; thread < core->vpmu.model->threads; thread++)
				vpmu_core_write(core, thread, s->address + n,
						s->counter ? (uint32_t)-below(300) :
						s->value | (any() & s->any), 0);
	}
}

// Scenes: a rare condition just before the save, and an action after it that shows whether the
// condition was restored.
struct scene {
	const char *target;
	void (*before)(struct vpmu_core *core);
	// its result, compared in addition to all registers
	uint64_t (*behind)(struct vpmu_core *core);
};

static void deliver(struct vpmu_core *core, struct vpmu_occurrence o, uint64_t cycles)
{
	o.n = 1;
	assert_int_equal(vpmu_core_deliver(core, &o, 1, cycles), VPMU_OK);
}

static void awake(struct vpmu_core *core)
{
	for (unsigned thread = 0; thread < core->vpmu.model->threads; thread++) {
		vpmu_core_set_halted(core, thread, false);
		vpmu_core_set_level(core, thread, 0);
	}
}

static void set(struct vpmu_core *core, unsigned thread, uint32_t address, uint64_t value)
{
	assert_int_equal(vpmu_core_write(core, thread, address, value, 0), VPMU_DONE);
}

// Counters that count cycles without an event while their thread is at one level. The thread keeps
// its level while another one executes. USR, EN, INV, CMASK.
static void leave_threads_at_levels(struct vpmu_core *core, uint32_t select, uint32_t control,
				    uint64_t value)
{
	const unsigned threads = core->vpmu.model->threads;

	awake(core);
	for (unsigned thread = 0; thread < threads; thread++) {
		set(core, thread, select, 0x1C10000);
		set(core, thread, control, value);
		deliver(core, (struct vpmu_occurrence){.thread = (uint8_t)thread,
						       .level = below(2) ? 3 : 0}, 1);
	}
	assert_int_equal(vpmu_core_advance(core, (unsigned)below(threads), 1, 1), VPMU_OK);
}

static void leave_nehalem_at_levels(struct vpmu_core *core)
{
	leave_threads_at_levels(core, 0x186, 0x38F, 1);
}

static void leave_knc_at_levels(struct vpmu_core *core)
{
	leave_threads_at_levels(core, 0x28, 0x2F, 1);
}

static void leave_amd_at_levels(struct vpmu_core *core)
{
	leave_threads_at_levels(core, 0xC0010200, 0xC0000301, 1);
}

static uint64_t one_more(struct vpmu_core *core)
{
	return vpmu_core_advance(core, core->vpmu.thread, 1, 1);
}

// Counts committed micro-ops right after a store to a PCR: their overflow is late (supplement's
// note on sl 28).
static void overflow_late(struct vpmu_core *core)
{
	awake(core);
	set(core, 0, 0xB003, 0xFFFFFFFF);
	set(core, 0, 0x6403, 0xE07C);
	deliver(core, (struct vpmu_occurrence){.code = 28, .sub = 3}, 1);
}

// A halted thread keeps its level: at user level it may not read this PIC (picnpt, Table 10-1).
static void halt_a_user(struct vpmu_core *core)
{
	awake(core);
	set(core, 0, 0x6400, 0x10000);
	vpmu_core_set_level(core, 0, 3);
	vpmu_core_set_halted(core, 0, true);
}

static uint64_t read_a_pic(struct vpmu_core *core)
{
	uint64_t value;

	return vpmu_core_read(core, 0, 0xB000, &value);
}

#define BRANCH_TAKEN_SLOT	0x0D
#define L1D_READ_MISSES		0x66

static const struct vpmu_occurrence a_load = {.code = L1D_READ_MISSES, .type = 8, .latency = 40,
					      .data = 1};

static void monitor_itanium(struct vpmu_core *core)
{
	awake(core);
	set(core, 0, 13, 1);			// no ranges
	set(core, 0, 8, ~0x1C0000007ULL);	// any instruction
	set(core, 0, 9, ~0x1C0000007ULL);
	set(core, 0, 0x500, 4);			// PSR.up
	set(core, 0, 0, 0);			// no freeze
}

// A branch in the bundle that the previous branch went to takes that branch's entry (6.2.8).
static void record_a_branch(struct vpmu_core *core)
{
	monitor_itanium(core);
	set(core, 0, 12, 0xFF8F);
	deliver(core, (struct vpmu_occurrence){.code = BRANCH_TAKEN_SLOT, .branch = 3, .ip = 0x100,
					       .target = 0x200},
		1);
}

static uint64_t record_its_successor(struct vpmu_core *core)
{
	awake(core);
	deliver(core, (struct vpmu_occurrence){.code = BRANCH_TAKEN_SLOT, .branch = 3,
					       .target = 0x300,
					    .ip = below(2) ? 0x200 : 0}, 1);
	return 0;
}

// A load that is not served yet, in a context in which the EAR captures loads, or in another one.
static void start_a_load(struct vpmu_core *core)
{
	monitor_itanium(core);
	set(core, 0, 11, 0x10000000 | (below(2) ? 1 : 8) | below(4) << 24);	// level 0 or 3; ism
	deliver(core, (struct vpmu_occurrence){
		.code = L1D_READ_MISSES, .type = 8, .latency = 40, .slot = (uint8_t)below(3),
		.isa = (uint8_t)below(2),
		.level = below(2) ? 3 : 0, .ip = 0x100, .address = 0x200, .data = 1,
	}, 1);
}

static uint64_t serve_it(struct vpmu_core *core)
{
	return vpmu_core_advance(core, 0, 50, 50);
}

// Loads that pass while one is tracked. They may decide that the next load is not tracked (6.2.7).
static void pass_over_loads(struct vpmu_core *core)
{
	monitor_itanium(core);
	set(core, 0, 11, 0x1000000F);
	deliver(core, a_load, 39 + below(3));
}

static uint64_t load_once_more(struct vpmu_core *core)
{
	struct vpmu_occurrence other = a_load;

	awake(core);
	other.ip = 0x100;
	deliver(core, other, 1);
	return serve_it(core);
}

static const struct scene scenes[] = {
	{"nehalem", leave_nehalem_at_levels, one_more},
	{"intel", leave_nehalem_at_levels, one_more},
	{"amd", leave_amd_at_levels, one_more},
	{"knc", leave_knc_at_levels, one_more},
	{"sparct4", overflow_late, one_more},
	{"sparct4", halt_a_user, read_a_pic},
	{"itanium", record_a_branch, record_its_successor},
	{"itanium", start_a_load, serve_it},
	{"itanium", pass_over_loads, load_once_more},
};

// A random scene of this target; often NULL, for none.
static const struct scene *choose_scene(const char *target)
{
	const struct scene *scene = &scenes[below(LENGTH(scenes))];

	return strcmp(scene->target, target) ? NULL : scene;
}

// A management area for records at address 0, with room for some records (SDM volume 3B, "DS Save
// Area").
static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
	uint64_t words[12] = {[4] = 0x100, [5] = *(uint64_t *)context, [6] = 0x10000, [7] = 0x400,
			      [8] = -20ULL};

	if (address > sizeof words || size > sizeof words - address)
		return false;
	memcpy(to, (char *)words + address, size);
	return true;
}

static bool write_memory(void *context, uint64_t address, const void *from, size_t size)
{
	if (address == 5 * 8 && size == 8)
		memcpy(context, from, size);
	return true;
}

static void read_registers(void *context, unsigned thread, uint64_t registers[VPMU_REGISTERS])
{
	(void)context, (void)thread;
	memset(registers, 0, VPMU_REGISTERS * sizeof *registers);
}

// A vPMU whose model is replaced by `model`: the target's own, or one that saves other fields.
static struct vpmu_core *make_of(const struct pmu_model *model,
				 const struct vpmu_features *features, uint64_t seed)
{
	struct vpmu_core *core = make(model->name, features, seed);

	core->vpmu.model = core->trial->vpmu.model = model;
	return core;
}

// Whether all registers of two vPMUs read the same.
static bool read_the_same(struct vpmu_core *one, struct vpmu_core *other)
{
	const struct pmu_model *model = one->vpmu.model;
	uint64_t values[2];
	bool same = true;

	awake(one);
	awake(other);
	for (const struct register_description *r = model->registers;
	     r < model->registers + model->register_count; r++)
		for (unsigned i = 0; i < r->count * model->threads; i++) {
			const uint32_t address = r->address + i / model->threads * r->distance;

			same &= vpmu_core_read(one, i % model->threads, address, &values[0]) ==
				vpmu_core_read(other, i % model->threads, address, &values[1]);
			same &= values[0] == values[1];
		}
	return same;
}

// Saves a vPMU at a random moment, loads another one, and checks that both then behave alike.
static bool goes_on(const struct pmu_model *model, const struct vpmu_features *features)
{
	struct vpmu_core *here = make_of(model, features, 1), *there = make_of(model, features, 2);
	uint64_t index = 0x100, index_there;
	const struct vpmu_guest guest = {&index, read_memory, write_memory, read_registers};
	const struct vpmu_guest guest_there = {&index_there, read_memory, write_memory,
					       read_registers};
	const struct scene *scene = choose_scene(model->name);
	uint8_t image[IMAGE_MOST], other[IMAGE_MOST];
	const size_t length = vpmu_core_image_size(here);
	uint64_t before;
	bool same;

	assert_in_range(length, 64, sizeof image);
	if (below(2)) {
		vpmu_core_attach(here, &guest);
		vpmu_core_attach(there, &guest_there);
	}
	if (below(4))
		prepare(here);
	for (uint64_t steps = below(2) ? below(40) : below(4); steps; steps--)
		step(here);
	if (scene)
		scene->before(here);
	index_there = index;
	assert_int_equal(vpmu_core_save(here, image, sizeof image), length);
	same = vpmu_core_load(there, image, length) == VPMU_OK;
	before = random_state;
	if (same && scene) {
		const uint64_t seen = scene->behind(here);

		random_state = before;
		same = scene->behind(there) == seen;
	}
	for (unsigned steps = 60; same && steps; steps--) {
		struct report one, two;

		before = random_state;
		one = step(here);
		random_state = before;
		two = step(there);
		same = !memcmp(&one, &two, sizeof one);
	}
	same = same && read_the_same(here, there);
	assert_int_equal(vpmu_core_save(here, image, sizeof image), length);
	assert_int_equal(vpmu_core_save(there, other, sizeof other), length);
	same &= index == index_there && !memcmp(image, other, length);
	free(here);
	free(there);
	return same;
}

static void a_loaded_state_goes_on_as_the_saved_one_does(void **state)
{
	static const struct vpmu_event some[] = {{0xC0, 0}, {0x16, 0}, {0x3C, 0}, {3, 0x3F},
						 {26, 0}, {0x12, 1}};
	const struct vpmu_features limited = {
		.general = VPMU_ALL_COUNTERS, .fixed = VPMU_ALL_COUNTERS, .events = some,
		.event_count = LENGTH(some),
	};

	(void)state;
	for (unsigned i = 0; vpmu_target(i); i++)
		for (unsigned round = 0; round < 1000; round++)
			if (!goes_on(pmu_model_find(vpmu_target(i)), NULL) ||
			    !goes_on(pmu_model_find(vpmu_target(i)), &limited))
				fail_msg("%s goes on otherwise", vpmu_target(i));
}

#define LIVES_MOST	20000

// A model that does not save field number `left_out`.
static const struct pmu_model *whole;
static size_t left_out;

static bool field_of_the_rest(size_t number, struct model_field *field)
{
	return whole->persist->field(number + (number >= left_out), field);
}

// Number of random lives, up to LIVES_MOST, before not saving that field shows.
static unsigned lives_without(void)
{
	struct pmu_model without = *whole;
	struct model_persist persist = *whole->persist;
	unsigned lives = 0;

	persist.field = field_of_the_rest;
	without.persist = &persist;
	while (lives < LIVES_MOST && goes_on(&without, NULL))
		lives++;
	return lives;
}

// Each saved field is necessary, and the test above would notice if a model did not save it.
static void a_model_that_does_not_save_one_of_its_fields_goes_on_otherwise(void **state)
{
	struct model_field field;

	(void)state;
	for (const struct pmu_model *const *m = pmu_models; *m; m++) {
		whole = *m;
		for (left_out = 0; whole->persist->field(left_out, &field); left_out++)
			if (field.count && lives_without() == LIVES_MOST)
				fail_msg("%s goes on without field %zu, at %u", whole->name,
					 left_out, field.offset);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loaded_state_goes_on_as_the_saved_one_does),
		cmocka_unit_test(a_model_that_does_not_save_one_of_its_fields_goes_on_otherwise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
