// SPDX-License-Identifier: BSD-2-Clause
// libvpmu as a hostile guest and a hostile image reach it: any sequence of calls on a vPMU of any target, with any
// features, and any memory of the guest; behind each step the registers are such as their manual allows (manual.h).

#include "fuzz.h"

#include <string.h>

#include "bytes.h"
#include "core.h"
#include "manual.h"
#include "source.h"

const char fuzz_name[] = "libvpmu";
const unsigned fuzz_inputs = 60000;

// Steps: the bytes that `step` takes. A register is chosen by kind and index.
#define WRITE(kind, index, value) "\0\0" kind index value "\1"

const struct fuzz_word fuzz_words[] = {
	FUZZ_WORD("\0\0\0\0\0"), FUZZ_WORD("\1\0\0\0\0"), FUZZ_WORD("\2\0\0\0\0"), FUZZ_WORD("\3\0\0\0\0"),
	FUZZ_WORD("\4\0\0\0\0"), FUZZ_WORD("\5\0\0\0\0"),				// targets, everything exposed
	FUZZ_WORD("\0\1\1\0\3"), FUZZ_WORD("\2\1\0\0\3"), FUZZ_WORD("\4\0\0\0\3"),	// little
	FUZZ_WORD(WRITE("\x31", "\0", "\0\0\0\0\0\x53\0\xC0")),	// Nehalem: IA32_PERFEVTSEL0
	FUZZ_WORD(WRITE("\x31", "\1", "\0\0\0\0\1\x77\1\xC0")),
	FUZZ_WORD(WRITE("\1", "\0", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFD")),
	FUZZ_WORD(WRITE("\x41", "\0", "\0\0\0\7\0\0\0\x0F")),	// IA32_PERF_GLOBAL_CTRL
	FUZZ_WORD(WRITE("\x61", "\0", "\0\0\0\0\0\0\x0B\xBB")),	// IA32_FIXED_CTR_CTRL
	FUZZ_WORD(WRITE("\x71", "\0", "\0\0\0\0\0\0\x18\1")),	// IA32_DEBUGCTL
	FUZZ_WORD(WRITE("\x91", "\0", "\0\0\0\0\0\0\0\x0F")),	// IA32_PEBS_ENABLE
	FUZZ_WORD(WRITE("\xE1", "\0", "\0\0\0\0\0\0\0\x0F")),	// LASTBRANCH_TOS
	FUZZ_WORD(WRITE("\x21", "\0", "\0\0\0\0\0\x73\0\x16")),	// Knights Corner: IA32_PERFEVTSEL0
	FUZZ_WORD(WRITE("\x11", "\0", "\0\0\0\xFF\xFF\xFF\xFF\xFD")),
	FUZZ_WORD(WRITE("\x61", "\0", "\0\0\0\0\0\0\0\3")),
	FUZZ_WORD(WRITE("\1", "\1", "\0\0\0\0\0\0\x18\x1E")),	// SPARC T4: PCR1, instructions
	FUZZ_WORD(WRITE("\x11", "\1", "\0\0\0\0\xFF\xFF\xFF\xFE")),
	FUZZ_WORD("\0\1" "\x61" "\0" "\0\0\0\0\0\0\0\4" "\1"),	// Itanium: PSR.up
	FUZZ_WORD(WRITE("\x21", "\0", "\0\0\0\0\0\0\x08\x3F")),	// PMC4, instructions
	FUZZ_WORD(WRITE("\1", "\0", "\0\0\0\0\xFF\xFF\xFF\xFE")),
	FUZZ_WORD(WRITE("\x11", "\0", "\0\0\0\0\0\0\0\0")),	// PMC0
	FUZZ_WORD(WRITE("\x51", "\0", "\0\0\0\0\0\x52\1\2")),	// Nehalem's uncore: UNCORE_PERFEVTSEL0
	FUZZ_WORD(WRITE("\x31", "\0", "\x80\x0F\0\1\0\0\0\xFF")),	// UNCORE_PERF_GLOBAL_CTRL
	FUZZ_WORD(WRITE("\x61", "\0", "\0\0\0\0\0\0\0\5")),	// UNCORE_FIXED_CTR_CTRL
	FUZZ_WORD("\5\0\0\0\0\0\0\x20\0\0\0\0\0\0\0\x20"),	// advance
	FUZZ_WORD("\x06\2\0\xC0\1\1\0\0\0\0\0\0\0\0\0"), FUZZ_WORD("\7"), FUZZ_WORD("\x08"), FUZZ_WORD("\x09\0"),
	FUZZ_WORD("\x09\3"), FUZZ_WORD("\x0A\1"), FUZZ_WORD("\x0A\0"), FUZZ_WORD("\x0B\x13\x20\0"), FUZZ_WORD("\x0C"),
	FUZZ_WORD("\x0D\0\x40\1"), FUZZ_WORD("\x0D\1\0\x20"), FUZZ_WORD("\x12\1"), FUZZ_WORD("\x14\1"),
	FUZZ_WORD("\0\0\0\0\x0C"), FUZZ_WORD("\x13\5\0\0\0\0\0\0\7\x7F"), FUZZ_WORD("\x13\7"),	// records
};
const size_t fuzz_word_count = sizeof fuzz_words / sizeof *fuzz_words;

#define CYCLES_BITS	40
#define IMAGE_MOST	4096
#define TARGETS		6

//
// What must be so whatever happened
//

static const struct manual *manual;

// A register as the model has it, whatever is exposed. False: the thread cannot read it.
static bool look(struct vpmu_core *core, unsigned thread, uint32_t address, uint64_t *value)
{
	return core->vpmu.model->read(core->vpmu.state, thread, address, value);
}

static void check_register(struct vpmu_core *core, uint32_t address)
{
	const struct manual_register *r = manual_find(manual, address);
	uint64_t value;

	for (unsigned thread = 0; r && thread < core->vpmu.model->threads; thread++)
		if (look(core, thread, address, &value))
			FUZZ_REQUIRE(manual_allows(r, value));
}

// What a guest reads of its registers has no bits of counters that are not there, and their own fault.
static void check_hidden(struct vpmu_core *core, unsigned thread)
{
	uint64_t value;

	vpmu_core_set_level(core, thread, 0);
	for (size_t i = 0; i < core->vpmu.model->group_count; i++) {
		const struct model_counters *g = &core->vpmu.model->groups[i];

		if (core->exposed[i] < g->count)
			FUZZ_REQUIRE(vpmu_core_read(core, thread, g->address + core->exposed[i], &value) ==
				     VPMU_FAULT);
	}
	for (unsigned i = 0; i < manual->bit_count; i++) {
		const struct manual_counter_bits *b = &manual->bits[i];
		const unsigned exposed = core->exposed[b->group];

		if (exposed == b->counters)
			continue;
		FUZZ_REQUIRE(vpmu_core_read(core, thread, b->address, &value) == VPMU_DONE);
		FUZZ_REQUIRE(!(value & MANUAL_BITS(b->low + b->counters * b->width - 1, b->low + exposed * b->width)));
	}
}

static void check_all(struct vpmu_core *core)
{
	for (unsigned i = 0; i < manual->register_count; i++)
		for (unsigned n = 0; n < manual->registers[i].count; n++)
			check_register(core, manual->registers[i].address + n * manual->registers[i].distance);
	for (unsigned thread = 0; thread < core->vpmu.model->threads; thread++)
		check_hidden(core, thread);
}

// The counters that stand still as long as nothing is written, by their bits, and what they are.
#define STILL_MOST 8

static unsigned standing(struct vpmu_core *core, unsigned thread, uint64_t counts[STILL_MOST])
{
	uint64_t enable;
	unsigned still;

	if (!manual->counter_count || thread >= core->vpmu.model->threads)
		return 0;
	look(core, thread, manual->enable, &enable);
	still = manual->inverted ? enable & 1 ? ~0u : 0 : ~(unsigned)enable;
	for (unsigned i = 0; i < manual->counter_count; i++)
		look(core, thread, manual->counters + i, &counts[i]);
	return still & ((1u << manual->counter_count) - 1);
}

static void advance(struct vpmu_core *core, unsigned thread, uint64_t instructions, uint64_t cycles)
{
	uint64_t before[STILL_MOST], behind[STILL_MOST];
	const unsigned still = standing(core, thread, before);

	vpmu_core_advance(core, thread, instructions, cycles);
	standing(core, thread, behind);
	// A record sets counters back that have overflowed, counting or not.
	for (unsigned i = 0; i < manual->counter_count && !core->attached; i++)
		FUZZ_REQUIRE(!(still >> i & 1) || before[i] == behind[i]);
}

// What faults is what the manual says, at least, and changes nothing.
static void write(struct vpmu_core *core, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	const struct manual_register *r = manual_find(manual, address);
	const bool exists = thread < core->vpmu.model->threads;
	const bool high = exists && core->thread[thread].level == 0;
	uint64_t before = 0, behind = 0;
	enum vpmu_result result;

	if (exists)
		look(core, thread, address, &before);
	result = vpmu_core_write(core, thread, address, value, cycles);
	if (result == VPMU_FAULT || result == VPMU_NOT_MINE) {
		if (exists)
			look(core, thread, address, &behind);
		// Elsewhere a capture that goes on reads as anything.
		FUZZ_REQUIRE(before == behind || !manual->privileged);
	} else {
		FUZZ_REQUIRE(exists && (high || !manual->privileged) && (!r || manual_takes(r, value)));
	}
}

//
// The guest's memory
//

#define MEMORY_WORDS	256

static uint64_t memory[MEMORY_WORDS];

static bool reaches(uint64_t address, size_t size)
{
	return address <= sizeof memory && size <= sizeof memory - address;
}

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
	(void)context;
	if (reaches(address, size))
		memcpy(to, (char *)memory + address, size);
	return reaches(address, size);
}

static bool write_memory(void *context, uint64_t address, const void *from, size_t size)
{
	(void)context;
	if (reaches(address, size))
		memcpy((char *)memory + address, from, size);
	return reaches(address, size);
}

static void read_registers(void *context, unsigned thread, uint64_t registers[VPMU_REGISTERS])
{
	(void)context, (void)thread;
	for (unsigned i = 0; i < VPMU_REGISTERS; i++)
		registers[i] = ~0ULL;
}

static const struct vpmu_guest guest = {NULL, read_memory, write_memory, read_registers};

// A management area at 0 with room for some records behind it (SDM volume 3B, "DS Save Area").
static void prepare_memory(void)
{
	static const uint64_t area[] = {[4] = 0x100, 0x100, 0x780, 0x300, 0xFFFFFFFFFFF0, 0xFFFFFFFFFFF1};

	memset(memory, 0, sizeof memory);
	memcpy(memory, area, sizeof area);
}

//
// Steps
//

static uint8_t image[IMAGE_MOST], again[IMAGE_MOST];

// A saved state is loaded, and saved as the same bytes; so is one that has been changed, or it is refused, and then
// nothing has changed.
static void save_and_load(struct source *s, struct vpmu_core *core)
{
	const size_t length = vpmu_core_image_size(core);
	const bool sanitizes = take(s, 1) & 1;
	unsigned changes = take(s, 1) % 4;

	FUZZ_REQUIRE(length <= IMAGE_MOST && vpmu_core_save(core, image, length - 1) == 0);
	FUZZ_REQUIRE(vpmu_core_save(core, image, length) == length);
	memcpy(again, image, length);
	while (changes--)
		image[take(s, 2) % length] ^= (uint8_t)take(s, 1);
	if (sanitizes)
		bytes_put(image + length - 4, 4, bytes_checksum(0, image, length - 4));
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

static void step(struct source *s, struct vpmu_core *core, unsigned *thread)
{
	const struct register_description *r;
	struct vpmu_occurrence branch = {0};
	struct vpmu_counter counter;
	uint64_t value, other;
	uint32_t address, cpuid[4] = {0};

	switch (take(s, 1) % 21) {
	case 0:
	case 1:
		address = take_address(s, core->vpmu.model, &r);
		value = take(s, 8);
		write(core, *thread, address, value, take(s, 1) & 1);
		check_register(core, address);
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
		advance(core, *thread, value >> take(s, 1) % 56, take(s, 7));
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
		vpmu_core_change_level(core, *thread, (unsigned)take(s, 1));
		break;
	case 13:
		save_and_load(s, core);
		break;
	case 14:
		load_anything(s, core);
		break;
	case 15:
		vpmu_core_spflt(core, *thread, take(s, 1) & 1, take(s, 1) & 1);
		break;
	case 16:
		vpmu_core_interruption(core, *thread, &other);
		vpmu_core_resume(core, *thread, take(s, 1) & 1 ? other : take(s, 8));
		break;
	case 17:
		vpmu_core_signal(core, *thread);
		vpmu_core_bus_lock(core);
		address = (uint32_t)take(s, 1);
		vpmu_core_identify(core, address, 0, cpuid);
		vpmu_core_filter(core, address, address, 0, cpuid);
		if (vpmu_core_counter(core, *thread, address % 8, &counter) == VPMU_OK)
			FUZZ_REQUIRE(!counter.counts || counter.exposed);
		break;
	case 18:
		vpmu_core_reset(core, (enum vpmu_reset)(take(s, 1) % 4), *thread, take(s, 1));
		break;
	case 19:
		memory[take(s, 1)] = take(s, 8);
		break;
	default:
		*thread = (unsigned)take(s, 1) % (core->vpmu.model->threads + 1);
	}
	FUZZ_REQUIRE(vpmu_core_wants(core) < 8 && vpmu_core_headroom(core, 0) >= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct vpmu_event few[] = {{0xC0, 0}, {0x16, 0}, {0x3C, 0}, {3, 0x3F}, {26, 0}, {8, 0}};
	static void *room[TARGETS];
	struct source source = {data, data + size};
	const char *target = vpmu_target((unsigned)take(&source, 1) % TARGETS);
	struct vpmu_features features = {.general = VPMU_ALL_COUNTERS, .fixed = VPMU_ALL_COUNTERS};
	unsigned kind = 0, thread = 0, general = (unsigned)take(&source, 1), fixed = (unsigned)take(&source, 1);
	uint64_t seed = take(&source, 1), limits = take(&source, 1);
	struct vpmu_core *core;

	while (vpmu_target(kind) != target)
		kind++;
	if (!room[kind])
		room[kind] = aligned_alloc(VPMU_ALIGNMENT, vpmu_core_size(target));
	if (limits & 1)
		features = (struct vpmu_features){.general = (uint8_t)general, .fixed = (uint8_t)fixed};
	features.any_thread = limits & 4;
	features.reports = limits >> 4 & 7;
	manual = &manuals[0];
	while (strcmp(manual->target, target))
		manual++;
	if (limits & 2) {
		features.events = few;
		features.event_count = sizeof few / sizeof *few;
	}
	FUZZ_REQUIRE(room[kind]);
	if (vpmu_core_create(&core, room[kind], vpmu_core_size(target), target, &features, seed) != VPMU_OK)
		return 0;
	prepare_memory();
	if (limits & 8)
		vpmu_core_attach(core, &guest);
	while (source.at < source.end)
		step(&source, core, &thread);
	check_all(core);
	return 0;
}
