// SPDX-License-Identifier: BSD-2-Clause
// libvpmu under a hostile guest, a hostile image and a faulty hypervisor: any sequence of calls on
// a vPMU of any target, with any features and any guest memory. The input varies every field of
// each structure that a caller passes, also out of its range. vpmu_checks.h has the conditions that
// hold after each step. A refused call must change nothing.

#include "fuzz.h"

#include <string.h>

#include "bytes.h"
#include "core.h"
#include "source.h"
#include "vpmu_arguments.h"
#include "vpmu_checks.h"

const char fuzz_name[] = "libvpmu";
const unsigned fuzz_inputs = 60000;

// Steps: the bytes that `step` takes. A register is chosen by kind and index. An entry of a list of
// events.
#define WRITE(kind, index, value) "\0\0" kind index value "\1"
#define ENTRY(code, umask, umask_ignored, code_ignored, exclude) \
	code umask umask_ignored code_ignored exclude
#define ALL_ENTRIES ENTRY("\0", "\0", "\xFF", "\xFF\xFF\xFF", "\0")

// An occurrence with valid fields: code, unit mask, number, thread, level, branch.
#define OCCURRENCE(code, sub, n, thread, level, branch) \
	"\0" code sub n thread level "\0\0\0\0" branch "\0\0\0\0\0\0"

const struct fuzz_word fuzz_words[] = {
	FUZZ_WORD("\0\0\0\0\0"), FUZZ_WORD("\1\0\0\0\0"), FUZZ_WORD("\2\0\0\0\0"),
	FUZZ_WORD("\3\0\0\0\0"),
	// targets, everything exposed
	FUZZ_WORD("\4\0\0\0\0"), FUZZ_WORD("\5\0\0\0\0"),
	FUZZ_WORD("\0\1\1\0\3\2" ENTRY("\xFF\0\xC0", "\0", "\1", "\0", "\0")
		  ENTRY("\x3C", "\0", "\0", "\0", "\0")),				// few
	FUZZ_WORD("\2\1\0\0\3\1" ENTRY("\x16", "\0", "\0", "\0", "\0")),
	FUZZ_WORD("\4\0\0\0\3\1" ENTRY("\3", "\0", "\x3F", "\0", "\0")),
	FUZZ_WORD("\0\0\0\0\2\2" ALL_ENTRIES ENTRY("\xFF\0\xC0", "\1", "\xFE", "\0", "\1")),
	FUZZ_WORD("\3\0\0\0\2\2" ALL_ENTRIES ENTRY("\x08", "\0", "\x0F", "\7", "\1")),
	FUZZ_WORD("\0\0\0\0\2\1" ENTRY("\xFF\0\xC0", "\0", "\0", "\0", "\0")),
	// Images of vPMUs with other lists.
	FUZZ_WORD("\x15\0\0\0\2\1" ALL_ENTRIES "\0"),
	FUZZ_WORD("\x15\0\0\0\2\2" ALL_ENTRIES ENTRY("\xFF\0\xC0", "\0", "\xFF", "\0", "\1") "\0"),
	FUZZ_WORD("\x15\0\0\0\2\1" ENTRY("\xFF\0\xC0", "\0", "\xFF", "\0", "\0") "\0"),
	FUZZ_WORD("\x15\0\0\0\2\1" ENTRY("\xFF\0\xC0", "\1", "\0", "\0", "\0") "\0"),
	FUZZ_WORD("\x15\0\0\0\2\1" ENTRY("\xFF\0\xC0", "\0", "\0", "\x3F", "\0") "\0"),
	FUZZ_WORD("\x15\0\0\0\2\1" ALL_ENTRIES "\x82\1"), FUZZ_WORD("\x15"),
	FUZZ_WORD("\x16"), FUZZ_WORD("\x17\x30"), FUZZ_WORD("\x17\x32"), FUZZ_WORD("\x17\x33"),
	FUZZ_WORD("\x18"),
	FUZZ_WORD(WRITE("\x31", "\0", "\0\0\0\0\0\x53\0\xC0")),	// Nehalem: IA32_PERFEVTSEL0
	FUZZ_WORD(WRITE("\x31", "\1", "\0\0\0\0\1\x77\1\xC0")),
	FUZZ_WORD(WRITE("\x31", "\2", "\0\0\0\0\0\x43\0\xC4")),
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
	// Nehalem's uncore: UNCORE_PERFEVTSEL0
	FUZZ_WORD(WRITE("\x51", "\0", "\0\0\0\0\0\x52\1\2")),
	FUZZ_WORD(WRITE("\x31", "\0", "\x80\x0F\0\1\0\0\0\xFF")),	// UNCORE_PERF_GLOBAL_CTRL
	FUZZ_WORD(WRITE("\x61", "\0", "\0\0\0\0\0\0\0\5")),	// UNCORE_FIXED_CTR_CTRL
	FUZZ_WORD("\5\0\0\0\0\0\0\x20\0\0\0\0\0\0\0\x20"),	// advance
	FUZZ_WORD("\x06\1" OCCURRENCE("\0\xC0", "\1", "\1", "\0", "\0", "\0") "\0\0\0\1\0\0"),
	FUZZ_WORD("\x06\2"),
	FUZZ_WORD(OCCURRENCE("\0\xC4", "\4", "\2", "\1", "\3", "\x13")), FUZZ_WORD("\7"),
	FUZZ_WORD("\x08"),
	FUZZ_WORD("\x09\0"), FUZZ_WORD("\x09\3"), FUZZ_WORD("\x0A\1"), FUZZ_WORD("\x0A\0"),
	FUZZ_WORD("\x0C"), FUZZ_WORD("\x0B" OCCURRENCE("\0\0", "\0", "\0", "\0", "\0", "\x13")),
	FUZZ_WORD("\x0D\0\x40\1"), FUZZ_WORD("\x0D\1\0\x20"), FUZZ_WORD("\x12\1"),
	FUZZ_WORD("\x14\1"),
	// records
	FUZZ_WORD("\0\0\0\0\x0C"), FUZZ_WORD("\x13\5\0\0\0\0\0\0\7\x7F"), FUZZ_WORD("\x13\7"),
};
const size_t fuzz_word_count = sizeof fuzz_words / sizeof *fuzz_words;

#define CYCLES_BITS	40
#define IMAGE_MOST	4096
#define TARGETS		6

// The counters that do not count as long as no register is written, as a bit mask, and their
// values.
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

// Accesses that must fault by the manual do fault, and change nothing.
static void write(struct vpmu_core *core, unsigned thread, uint32_t address, uint64_t value,
		  uint64_t cycles)
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
		// If registers are not privileged, a register of an ongoing capture can have any
		// value.
		FUZZ_REQUIRE(before == behind || !manual->privileged);
	} else {
		FUZZ_REQUIRE(exists && (high || !manual->privileged) &&
			     (!r || manual_takes(r, value)));
	}
}

//
// Images
//

static uint8_t image[IMAGE_MOST], again[IMAGE_MOST];

// A call that must be refused, and the message if it is not. It must change nothing.
#define REFUSED_UNLESS(core, valid, call)							\
	do {											\
		const bool is_valid = (valid);							\
		const size_t length = is_valid ? 0 : vpmu_core_save(core, image, sizeof image);	\
												\
		FUZZ_REQUIRE((call) == is_valid);						\
		if (!is_valid)									\
			FUZZ_REQUIRE(vpmu_core_save(core, again, sizeof again) == length &&	\
				     !memcmp(image, again, length));				\
	} while (0)

// Memory for a vPMU of each target.
static void *room_of(void *rooms[TARGETS], const char *target)
{
	unsigned kind = 0;

	while (strcmp(vpmu_target(kind), target))
		kind++;
	if (!rooms[kind])
		rooms[kind] = aligned_alloc(VPMU_ALIGNMENT, vpmu_core_size(target));
	FUZZ_REQUIRE(rooms[kind]);
	return rooms[kind];
}

// Saves a state, loads it, and saves the same bytes. Loads a changed one: either it is saved as the
// same bytes, or it is refused and nothing has changed.
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
	FUZZ_REQUIRE(vpmu_core_save(core, image, length) == length &&
		     !memcmp(image, again, length));
}

static void load_anything(struct source *s, struct vpmu_core *core)
{
	const size_t length = take(s, 2) % IMAGE_MOST, left = (size_t)(s->end - s->at);
	const size_t given = left < length ? left : length;

	FUZZ_REQUIRE(vpmu_core_load(core, s->at, given) != VPMU_OK ||
		     given == vpmu_core_image_size(core));
}

// Runs for the headroom, in which no line changes, then one cycle further.
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

//
// Events that a hypervisor reports
//

static bool executes(const struct vpmu_core *core, unsigned thread)
{
	return thread < vpmu_core_threads(core) && !core->thread[thread].halted;
}

static void deliver(struct source *s, struct vpmu_core *core)
{
	struct vpmu_occurrence list[VPMU_OCCURRENCES_MOST + 1];
	const size_t count = take(s, 1) % (VPMU_OCCURRENCES_MOST + 2);
	bool valid = count <= VPMU_OCCURRENCES_MOST;
	uint64_t cycles;

	memset(list, 0, sizeof list);
	for (size_t i = 0; i < count && s->at < s->end; i++)
		list[i] = take_occurrence(s, vpmu_core_threads(core));
	for (size_t i = 0; i < count; i++)
		valid &= is_of_instruction(&list[i]) && list[i].level <= 3 &&
			executes(core, list[i].thread);
	cycles = take(s, 5) >> take(s, 1) % CYCLES_BITS;
	REFUSED_UNLESS(core, valid, vpmu_core_deliver(core, list, count, cycles) == VPMU_OK);
}

static void branch(struct source *s, struct vpmu_core *core, unsigned thread)
{
	const struct vpmu_occurrence taken = take_occurrence(s, vpmu_core_threads(core));

	REFUSED_UNLESS(core, is_of_instruction(&taken) && executes(core, thread),
		       vpmu_core_branch(core, thread, &taken) == VPMU_OK);
}

static void advance(struct source *s, struct vpmu_core *core, unsigned thread)
{
	const uint64_t instructions = take(s, 7) >> take(s, 1) % 56, cycles = take(s, 7);
	const unsigned __int128 most = (unsigned __int128)(UINT32_MAX - 1) * cycles;
	uint64_t before[STILL_MOST], behind[STILL_MOST];
	const unsigned still = standing(core, thread, before);

	REFUSED_UNLESS(core, thread < vpmu_core_threads(core) && instructions <= most &&
		       (!instructions || executes(core, thread)),
		       vpmu_core_advance(core, thread, instructions, cycles) == VPMU_OK);
	standing(core, thread, behind);
	// A record reloads counters that have overflowed, counting or not.
	for (unsigned i = 0; i < manual->counter_count && !core->attached; i++)
		FUZZ_REQUIRE(!(still >> i & 1) || before[i] == behind[i]);
}

//
// Features
//

// Makes a vPMU of these features, in memory with its previous contents. Returns NULL if they are
// refused.
static struct vpmu_core *create(const char *target, void *room,
				const struct vpmu_features *features, uint64_t seed)
{
	struct vpmu_core *core = NULL;
	const bool valid = are_valid(features);
	const enum vpmu_error error = vpmu_core_create(&core, room, vpmu_core_size(target), target,
						       features, seed);

	FUZZ_REQUIRE(error == VPMU_OK || (error == VPMU_ERROR_FEATURES && !core));
	FUZZ_REQUIRE(valid || !core);
	FUZZ_REQUIRE(core || !valid || features->general != VPMU_ALL_COUNTERS ||
		     features->fixed != VPMU_ALL_COUNTERS);
	return core;
}

#define LIST_AT 56	/* in an image: libvpmu-image(5) */

// Returns the image of another vPMU of the target, with other features; it may change a byte of its
// list.
static void load_another(struct source *s, struct vpmu_core *core)
{
	static struct vpmu_event list[LIST_ENTRIES];
	static void *room[TARGETS];
	const char *target = core->vpmu.model->name;
	const struct vpmu_features features = take_features(s, list);
	const unsigned change = (unsigned)take(s, 1);
	struct vpmu_core *other;
	enum vpmu_error error;
	struct vpmu_lack lack;
	size_t length;
	bool lacks;

	other = create(target, room_of(room, target), &features, 1);
	if (!other)
		return;
	if (core->attached)
		vpmu_core_attach(other, &guest);
	length = vpmu_core_save(other, image, sizeof image);
	FUZZ_REQUIRE(length);
	if (change & 0x80) {
		image[LIST_AT + (change & 0x3F)] ^= (uint8_t)take(s, 1);
		bytes_put(image + length - 4, 4, bytes_checksum(0, image, length - 4));
	}
	lacks = vpmu_core_lacks(core, image, length, &lack);
	error = vpmu_core_load(core, image, length);
	FUZZ_REQUIRE(error == (lacks ? VPMU_ERROR_OTHER : VPMU_OK) ||
		     (error == VPMU_ERROR_IMAGE && change & 0x80));
	FUZZ_REQUIRE(error || (vpmu_core_save(core, again, sizeof again) == length &&
			       !memcmp(image, again, length)));
	check_list(core);
}

//
// Other arguments
//

// Passes NULL where a pointer is required: functions refuse it.
static void without(struct source *s, struct vpmu_core *core, unsigned thread)
{
	struct vpmu_guest some = guest;
	uint64_t value = take_number(s, 8);
	const uint64_t missing = take(s, 1);

	if (missing & 1)
		some.read = NULL;
	if (missing & 2)
		some.write = NULL;
	if (missing & 4)
		some.registers = NULL;
	REFUSED_UNLESS(core, !(missing & 7), vpmu_core_attach(core, &some) == VPMU_OK);
	if (missing & 8)
		vpmu_core_attach(core, NULL);
	FUZZ_REQUIRE(vpmu_core_read(core, thread, (uint32_t)value, NULL) == VPMU_NOT_MINE);
	FUZZ_REQUIRE(vpmu_core_execute(core, thread, (uint8_t)missing, NULL, value,
				       &value) == VPMU_NOT_MINE);
	FUZZ_REQUIRE(vpmu_core_write(NULL, thread, (uint32_t)value, value, value) == VPMU_NOT_MINE);
	FUZZ_REQUIRE(vpmu_core_deliver(core, NULL, 1 + missing, value) == VPMU_ERROR_ARGUMENT);
	FUZZ_REQUIRE(vpmu_core_branch(core, thread, NULL) == VPMU_ERROR_ARGUMENT);
	FUZZ_REQUIRE(vpmu_core_load(core, NULL, (size_t)value) == VPMU_ERROR_ARGUMENT);
	FUZZ_REQUIRE(vpmu_core_save(core, NULL, SIZE_MAX) == 0);
}

static void execute(struct source *s, struct vpmu_core *core, unsigned thread)
{
	const uint8_t opcode = (uint8_t)take(s, 1);
	const struct register_description *r;
	const uint64_t rcx = take(s, 1) << 32 | take_address(s, core->vpmu.model, &r);
	uint64_t rax = take_number(s, 8), rdx = take_number(s, 8);
	const uint64_t before[] = {rax, rdx};
	const enum vpmu_result result = vpmu_core_execute(core, thread, opcode, &rax, rcx, &rdx);

	FUZZ_REQUIRE(result == VPMU_DONE || (rax == before[0] && rdx == before[1]));
	FUZZ_REQUIRE(result == VPMU_NOT_MINE || opcode == VPMU_WRMSR || opcode == VPMU_RDMSR ||
		     opcode == VPMU_RDPMC);
}

static void ask(struct source *s, struct vpmu_core *core, unsigned thread)
{
	const uint64_t a = take_number(s, 8), b = take_number(s, 8), c = take_number(s, 8);
	const bool exists = thread < vpmu_core_threads(core);
	uint64_t enabled, running, scaled;
	struct vpmu_register description;
	uint32_t lvtpc = (uint32_t)a;
	uint8_t vector;

	FUZZ_REQUIRE((vpmu_core_deschedule(core, thread, a) == VPMU_OK) == exists);
	FUZZ_REQUIRE((vpmu_core_times(core, thread, &enabled, &running) == VPMU_OK) == exists);
	FUZZ_REQUIRE(exists || (!enabled && !running));
	FUZZ_REQUIRE(!vpmu_scale(a, b, c, &scaled) || (unsigned __int128)a * b / c == scaled);
	FUZZ_REQUIRE(vpmu_core_register(core, (unsigned)a, &description) || !description.name);
	FUZZ_REQUIRE(vpmu_deliver(&lvtpc, &vector) == VPMU_DELIVER_NOTHING ||
		     lvtpc == ((uint32_t)a | 1 << 16));
	vpmu_core_misc_enable(core, a);
	vpmu_core_worst_headroom(core);
	FUZZ_REQUIRE(vpmu_error_text((enum vpmu_error)(b & 0xF)));
	vpmu_target((unsigned)c);
}

static void identify(struct source *s, struct vpmu_core *core)
{
	uint32_t cpuid[4] = {(uint32_t)take(s, 1), 1, 2, 3}, before[4];
	const unsigned parts = (unsigned)take_number(s, 4), leaf = (unsigned)take_number(s, 4),
		subleaf = leaf >> 8;

	vpmu_core_identify(core, leaf, subleaf, cpuid);
	memcpy(before, cpuid, sizeof before);
	FUZZ_REQUIRE((vpmu_core_filter(core, parts, leaf, subleaf, cpuid) == VPMU_OK) ==
		     (parts < 4));
	FUZZ_REQUIRE(parts < 4 || !memcmp(before, cpuid, sizeof before));
}

//
// Steps
//

// 0 or 1, as in an instruction; sometimes any number.
static uint64_t take_cycles(struct source *s)
{
	const uint64_t cycles = take_number(s, 8);

	return cycles < 0x80 ? cycles & 1 : cycles;
}

static void change_level(struct source *s, struct vpmu_core *core, unsigned thread)
{
	const unsigned level = (unsigned)take_number(s, 4);

	REFUSED_UNLESS(core, executes(core, thread), vpmu_core_commit(core, thread) == VPMU_OK);
	REFUSED_UNLESS(core, executes(core, thread) && level <= 3,
		       vpmu_core_change_level(core, thread, level) == VPMU_OK);
}

static void set_level(struct source *s, struct vpmu_core *core, unsigned thread)
{
	const unsigned level = (unsigned)take_number(s, 4);

	REFUSED_UNLESS(core, thread < vpmu_core_threads(core) && level <= 3,
		       vpmu_core_set_level(core, thread, level) == VPMU_OK);
}

static void interrupt(struct source *s, struct vpmu_core *core, unsigned thread)
{
	const bool exists = thread < vpmu_core_threads(core);
	uint64_t saved;

	REFUSED_UNLESS(core, exists, vpmu_core_interruption(core, thread, &saved) == VPMU_OK);
	saved = take(s, 1) & 1 ? saved : take(s, 8);
	REFUSED_UNLESS(core, exists, vpmu_core_resume(core, thread, saved) == VPMU_OK);
}

static void access_counter(struct source *s, struct vpmu_core *core, unsigned thread, bool writes)
{
	const uint32_t index = (uint32_t)take(s, take(s, 1) & 1 ? 4 : 1);
	uint64_t value = writes ? take(s, 8) : 0;

	if (writes)
		vpmu_core_write_counter(core, thread, index, value, take_cycles(s));
	else if (vpmu_core_read_counter(core, thread, index, &value) != VPMU_DONE)
		FUZZ_REQUIRE(value == 0);
}

static void access_register(struct source *s, struct vpmu_core *core, unsigned thread, bool writes)
{
	const struct register_description *r;
	const uint32_t address = take_address(s, core->vpmu.model, &r);
	uint64_t value = writes ? take(s, 8) : 0;

	if (writes)
		write(core, thread, address, value, take_cycles(s));
	else if (vpmu_core_read(core, thread, address, &value) != VPMU_DONE)
		FUZZ_REQUIRE(value == 0);
	check_register(core, address);
}

static void reset(struct source *s, struct vpmu_core *core, unsigned thread)
{
	const unsigned kind = (unsigned)take_number(s, 4);

	REFUSED_UNLESS(core, kind < 2 ||
		       (kind == 2 && thread < vpmu_core_threads(core) &&
			core->vpmu.model->has_init),
		       vpmu_core_reset(core, (enum vpmu_reset)kind, thread, take(s, 1)) == VPMU_OK);
}

// Step numbers, the first byte of the words above. The thread is one of the core's, or one more, or
// any number.
static void step(struct source *s, struct vpmu_core *core, unsigned *thread)
{
	const unsigned kind = (unsigned)take(s, 1) % 26;

	switch (kind) {
	case 0:
	case 1:
	case 2:
		access_register(s, core, *thread, kind < 2);
		break;
	case 3:
	case 4:
		access_counter(s, core, *thread, kind == 4);
		break;
	case 5:
		advance(s, core, *thread);
		break;
	case 6:
		deliver(s, core);
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
		set_level(s, core, *thread);
		break;
	case 10:
		REFUSED_UNLESS(core, *thread < vpmu_core_threads(core),
			       vpmu_core_set_halted(core, *thread, take(s, 1) & 1) == VPMU_OK);
		break;
	case 11:
		branch(s, core, *thread);
		break;
	case 12:
		change_level(s, core, *thread);
		break;
	case 13:
		save_and_load(s, core);
		break;
	case 14:
		load_anything(s, core);
		break;
	case 15:
		vpmu_core_spflt(core, *thread, take(s, 1) & 1, take_cycles(s));
		break;
	case 16:
		interrupt(s, core, *thread);
		break;
	case 17:
		REFUSED_UNLESS(core, *thread < vpmu_core_threads(core),
			       vpmu_core_signal(core, *thread) == VPMU_OK);
		vpmu_core_bus_lock(core);
		break;
	case 18:
		reset(s, core, *thread);
		break;
	case 19:
		memory[take(s, 1)] = take(s, 8);
		break;
	case 20:
		*thread = (unsigned)take(s, 1);
		*thread = *thread < 0xF0 ? *thread % (vpmu_core_threads(core) + 1) :
			(unsigned)take(s, 4);
		break;
	case 21:
		load_another(s, core);
		break;
	case 22:
		without(s, core, *thread);
		break;
	case 23:
		execute(s, core, *thread);
		break;
	case 24:
		ask(s, core, *thread);
		break;
	default:
		identify(s, core);
	}
	FUZZ_REQUIRE(vpmu_core_wants(core) < 8 && vpmu_core_headroom(core, 0) >= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct vpmu_event list[LIST_ENTRIES];
	static void *rooms[TARGETS];
	struct source source = {data, data + size};
	const char *target = vpmu_target((unsigned)take(&source, 1) % TARGETS);
	// bytes of features
	const uint8_t seed = size > 3 ? data[3] : 0, attaches = size > 4 ? data[4] & 8 : 0;
	const struct vpmu_features features = take_features(&source, list);
	struct vpmu_core *core = create(target, room_of(rooms, target), &features, seed);
	unsigned thread = 0;

	if (!core)
		return 0;
	manual = &manuals[0];
	while (strcmp(manual->target, target))
		manual++;
	prepare_memory();
	if (attaches)
		vpmu_core_attach(core, &guest);
	while (source.at < source.end)
		step(&source, core, &thread);
	check_all(core);
	check_list(core);
	return 0;
}
