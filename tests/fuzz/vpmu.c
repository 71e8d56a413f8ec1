// SPDX-License-Identifier: BSD-2-Clause
// libvpmu as a hostile guest and a hostile image reach it: any sequence of calls on a vPMU of any target, with any
// offer; behind each step the registers are such as their manual allows.

#include "fuzz.h"

#include <string.h>

#include "core.h"

const char fuzz_name[] = "libvpmu";
const unsigned fuzz_inputs = 60000;

// Steps: the bytes that `step` takes. A register is chosen by kind and index.
#define WRITE(kind, index, value) "\0\0" kind index value "\1"

const struct fuzz_word fuzz_words[] = {
	FUZZ_WORD("\0\0\0\0\0"), FUZZ_WORD("\1\0\0\0\0"), FUZZ_WORD("\2\0\0\0\0"), FUZZ_WORD("\3\0\0\0\0"),
	FUZZ_WORD("\4\0\0\0\0"), FUZZ_WORD("\5\0\0\0\0"),				// targets, everything offered
	FUZZ_WORD("\0\1\1\0\3"), FUZZ_WORD("\2\1\0\0\3"), FUZZ_WORD("\4\0\0\0\3"),	// little
	FUZZ_WORD(WRITE("\x31", "\0", "\0\0\0\0\0\x53\0\xC0")),	// Nehalem: IA32_PERFEVTSEL0
	FUZZ_WORD(WRITE("\x31", "\1", "\0\0\0\0\1\x77\1\xC0")),
	FUZZ_WORD(WRITE("\1", "\0", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFD")),
	FUZZ_WORD(WRITE("\x41", "\0", "\0\0\0\7\0\0\0\x0F")),	// IA32_PERF_GLOBAL_CTRL
	FUZZ_WORD(WRITE("\x61", "\0", "\0\0\0\0\0\0\x0B\xBB")),	// IA32_FIXED_CTR_CTRL
	FUZZ_WORD(WRITE("\x71", "\0", "\0\0\0\0\0\0\x18\1")),	// IA32_DEBUGCTL
	FUZZ_WORD(WRITE("\x91", "\0", "\0\0\0\0\0\0\0\x0F")),	// IA32_PEBS_ENABLE
	FUZZ_WORD(WRITE("\x21", "\0", "\0\0\0\0\0\x73\0\x16")),	// Knights Corner: IA32_PERFEVTSEL0
	FUZZ_WORD(WRITE("\x11", "\0", "\0\0\0\xFF\xFF\xFF\xFF\xFD")),
	FUZZ_WORD(WRITE("\x61", "\0", "\0\0\0\0\0\0\0\3")),
	FUZZ_WORD(WRITE("\1", "\1", "\0\0\0\0\0\0\x18\x1E")),	// SPARC T4: PCR1, instructions
	FUZZ_WORD(WRITE("\x11", "\1", "\0\0\0\0\xFF\xFF\xFF\xFE")),
	FUZZ_WORD("\5\0\0\0\0\0\0\x20\0\0\0\0\0\0\0\x20"),	// advance
	FUZZ_WORD("\x06\2\0\xC0\1\1\0\0\0\0\0\0\0\0\0"), FUZZ_WORD("\7"), FUZZ_WORD("\x08"), FUZZ_WORD("\x09\0"),
	FUZZ_WORD("\x09\3"), FUZZ_WORD("\x0A\1"), FUZZ_WORD("\x0A\0"), FUZZ_WORD("\x0B\0\0"), FUZZ_WORD("\x0C"),
	FUZZ_WORD("\x0D\0\x40\1"), FUZZ_WORD("\x0D\1\0\x20"), FUZZ_WORD("\x12\1"), FUZZ_WORD("\x13\1"),
};
const size_t fuzz_word_count = sizeof fuzz_words / sizeof *fuzz_words;

#define CYCLES_BITS	40
#define IMAGE_MOST	4096
#define TARGETS		6

// The input, byte for byte; 0 behind its end.
struct source {
	const uint8_t *at, *end;
};

static uint64_t take(struct source *s, unsigned bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | (s->at < s->end ? *s->at++ : 0);
	return value;
}

//
// What must be so whatever happened
//

// The bits of a register that read as 0.
static void check_value(const struct register_description *r, uint64_t value)
{
	for (unsigned i = 0; i < r->fields; i++) {
		const struct field *f = &r->field[i];

		if (f->access == FIELD_RSVD || f->access == FIELD_IGN || f->access == FIELD_WO ||
		    f->access == FIELD_W1C)
			FUZZ_REQUIRE(!(value & FIELD_MASK(f->low, f->width)));
	}
}

static void check_register(struct vpmu_core *core, const struct register_description *r)
{
	const struct pmu_model *model = core->vpmu.model;
	uint64_t value;

	for (unsigned thread = 0; thread < model->threads; thread++)
		for (unsigned i = 0; i < r->count; i++)
			if (model->read(core->vpmu.state, thread, r->address + i * r->distance, &value))
				check_value(r, value);
}

// What a guest reads of its registers has no bits of counters that are not there.
static void check_hidden(struct vpmu_core *core)
{
	const struct pmu_model *model = core->vpmu.model;
	const unsigned level = core->vpmu.level;
	uint64_t value;

	core->vpmu.level = 0;
	for (size_t i = 0; i < model->group_count; i++) {
		const struct model_counters *g = &model->groups[i];

		if (core->offered[i] == g->count)
			continue;
		FUZZ_REQUIRE(vpmu_core_read(core, core->vpmu.thread, g->address + core->offered[i], &value) ==
			     VPMU_FAULT);
		for (const struct model_bits *b = g->bits; b && b->width; b++)
			if (vpmu_core_read(core, core->vpmu.thread, b->address, &value) == VPMU_DONE)
				FUZZ_REQUIRE(!(value & FIELD_MASK(b->low + core->offered[i] * b->width,
								  (g->count - core->offered[i]) * b->width)));
	}
	core->vpmu.level = level;
}

static void check_all(struct vpmu_core *core)
{
	const struct pmu_model *model = core->vpmu.model;

	for (size_t i = 0; i < model->register_count; i++)
		check_register(core, &model->registers[i]);
	check_hidden(core);
}

//
// Steps
//

static uint8_t image[IMAGE_MOST], again[IMAGE_MOST];

static uint32_t checksum(const uint8_t *bytes, size_t count)
{
	uint32_t crc = ~0u;

	for (; count; count--) {
		crc ^= *bytes++;
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
	}
	return ~crc;
}

// A saved state is loaded, and saved as the same bytes; so is one that has been changed, or it is refused, and then
// nothing has changed.
static void save_and_load(struct source *s, struct vpmu_core *core)
{
	const size_t length = vpmu_core_image_size(core);
	const bool mends = take(s, 1) & 1;
	unsigned changes = take(s, 1) % 4;
	uint32_t crc;

	FUZZ_REQUIRE(length <= IMAGE_MOST && vpmu_core_save(core, image, length - 1) == 0);
	FUZZ_REQUIRE(vpmu_core_save(core, image, length) == length);
	memcpy(again, image, length);
	while (changes--)
		image[take(s, 2) % length] ^= (uint8_t)take(s, 1);
	if (mends) {
		crc = checksum(image, length - 4);
		for (unsigned i = 0; i < 4; i++)
			image[length - 4 + i] = (uint8_t)(crc >> 8 * i);
	}
	if (vpmu_core_load(core, image, length) == VPMU_OK)
		memcpy(again, image, length);
	else
		FUZZ_REQUIRE(memcmp(image, again, length));
	FUZZ_REQUIRE(vpmu_core_save(core, image, length) == length && !memcmp(image, again, length));
}

static void load_anything(struct source *s, struct vpmu_core *core)
{
	const size_t length = take(s, 2) % IMAGE_MOST, left = (size_t)(s->end - s->at);
	const size_t given = left < length ? left : length;

	FUZZ_REQUIRE(vpmu_core_load(core, s->at, given) != VPMU_OK || given == vpmu_core_image_size(core));
}

// As far as headroom says that no line changes, then one cycle further.
static void run_to_the_next_line(struct vpmu_core *core, unsigned thread)
{
	const uint64_t headroom = vpmu_core_headroom(core, thread);
	const bool runs = !core->thread[thread].halted;
	const unsigned changes = VPMU_LINE_ROSE | VPMU_LINE_PRECISE;

	FUZZ_REQUIRE(headroom >= 1 && headroom <= VPMU_FAR);
	if (headroom >= 1ULL << CYCLES_BITS)
		return;
	vpmu_core_take_lines(core, thread);
	vpmu_core_advance(core, thread, runs ? headroom - 1 : 0, headroom - 1);
	FUZZ_REQUIRE(!(vpmu_core_take_lines(core, thread) & changes));
	FUZZ_REQUIRE(vpmu_core_headroom(core, thread) == 1);
	vpmu_core_advance(core, thread, runs, 1);
}

static uint32_t take_address(struct source *s, const struct pmu_model *model, const struct register_description **r)
{
	const uint64_t choice = take(s, 2);

	*r = &model->registers[choice / 16 % model->register_count];
	if (choice % 16 == 0)
		return (uint32_t)take(s, 4);
	return (*r)->address + (uint32_t)(take(s, 1) % ((*r)->count + 1u)) * (*r)->distance;
}

static void feed(struct source *s, struct vpmu_core *core)
{
	struct vpmu_occurrence list[VPMU_OCCURRENCES_MOST + 1];
	const size_t count = take(s, 1) % (VPMU_OCCURRENCES_MOST + 2);

	memset(list, 0, sizeof list);
	for (size_t i = 0; i < count && s->at < s->end; i++)
		list[i] = (struct vpmu_occurrence){
			.code = (uint16_t)take(s, 2), .sub = (uint16_t)take(s, 1), .n = (uint32_t)take(s, 1),
			.thread = (uint8_t)take(s, 1), .level = (uint8_t)take(s, 1), .type = (uint8_t)take(s, 1),
			.served = (uint8_t)take(s, 1), .branch = (uint8_t)take(s, 1), .data = take(s, 1) & 1,
			.latency = (uint32_t)take(s, 2), .ip = take(s, 1) << 4, .address = take(s, 1) << 40,
		};
	vpmu_core_feed(core, list, count, take(s, 5) >> take(s, 1) % CYCLES_BITS);
}

static const struct register_description *step(struct source *s, struct vpmu_core *core, unsigned *thread)
{
	const struct register_description *r = NULL;
	struct vpmu_occurrence branch = {0};
	uint64_t value, other;
	uint32_t address, cpuid[4] = {0};

	switch (take(s, 1) % 20) {
	case 0:
	case 1:
		address = take_address(s, core->vpmu.model, &r);
		value = take(s, 8);
		vpmu_core_write(core, *thread, address, value, take(s, 1) & 1);
		break;
	case 2:
		address = take_address(s, core->vpmu.model, &r);
		if (vpmu_core_read(core, *thread, address, &value) != VPMU_DONE)
			FUZZ_REQUIRE(value == 0);
		break;
	case 3:
		vpmu_core_read_counter(core, *thread, (uint32_t)take(s, take(s, 1) & 1 ? 4 : 1), &value);
		break;
	case 4:
		value = take(s, 8);
		vpmu_core_write_counter(core, *thread, (uint32_t)take(s, 1), value, take(s, 1) & 1);
		break;
	case 5:
		value = take(s, 7);
		vpmu_core_advance(core, *thread, value >> take(s, 1) % 56, take(s, 7));
		break;
	case 6:
		feed(s, core);
		break;
	case 7:
		if (*thread < core->vpmu.model->threads)
			run_to_the_next_line(core, *thread);
		break;
	case 8:
		vpmu_core_take_lines(core, *thread);
		vpmu_core_take_strobes(core);
		break;
	case 9:
		vpmu_core_set_level(core, *thread, (unsigned)take(s, 1));
		break;
	case 10:
		vpmu_core_set_halted(core, *thread, take(s, 1) & 1);
		break;
	case 11:
		branch.branch = (uint8_t)take(s, 1);
		branch.ip = take(s, 2);
		vpmu_core_branch(core, *thread, &branch);
		break;
	case 12:
		vpmu_core_commit(core, *thread);
		break;
	case 13:
		save_and_load(s, core);
		break;
	case 14:
		load_anything(s, core);
		break;
	case 15:
		vpmu_core_prefer(core, *thread, take(s, 1) & 1, take(s, 1) & 1);
		break;
	case 16:
		vpmu_core_interruption(core, *thread, &other);
		vpmu_core_resume(core, *thread, take(s, 1) & 1 ? other : take(s, 8));
		break;
	case 17:
		vpmu_core_signal(core, *thread);
		vpmu_core_bus_lock(core);
		vpmu_core_identify(core, (uint32_t)take(s, 1), 0, cpuid);
		break;
	case 18:
		vpmu_core_reset(core, (enum vpmu_reset)(take(s, 1) % 4), *thread, take(s, 1));
		break;
	default:
		*thread = (unsigned)take(s, 1) % (core->vpmu.model->threads + 1);
	}
	FUZZ_REQUIRE(vpmu_core_wants(core) < 8 && vpmu_core_headroom(core, 0) >= 1);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct vpmu_event few[] = {{0xC0, 0}, {0x16, 0}, {0x3C, 0}, {3, 0x3F}, {26, 0}, {8, 0}};
	static void *memory[TARGETS];
	struct source source = {data, data + size};
	const char *target = vpmu_target((unsigned)take(&source, 1) % TARGETS);
	struct vpmu_offer offer = {.general = VPMU_ALL_COUNTERS, .fixed = VPMU_ALL_COUNTERS};
	unsigned kind = 0, thread = 0, general = (unsigned)take(&source, 1), fixed = (unsigned)take(&source, 1);
	uint64_t seed = take(&source, 1), limits = take(&source, 1);
	const struct register_description *touched;
	struct vpmu_core *core;

	while (vpmu_target(kind) != target)
		kind++;
	if (!memory[kind])
		memory[kind] = aligned_alloc(VPMU_ALIGNMENT, vpmu_core_size(target));
	if (limits & 1)
		offer = (struct vpmu_offer){.general = (uint8_t)general, .fixed = (uint8_t)fixed};
	offer.any_thread = limits & 4;
	if (limits & 2) {
		offer.events = few;
		offer.event_count = sizeof few / sizeof *few;
	}
	FUZZ_REQUIRE(memory[kind]);
	if (vpmu_core_create(&core, memory[kind], vpmu_core_size(target), target, &offer, seed) != VPMU_OK)
		return 0;
	while (source.at < source.end) {
		touched = step(&source, core, &thread);
		if (touched)
			check_register(core, touched);
	}
	check_all(core);
	return 0;
}
