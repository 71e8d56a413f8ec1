// SPDX-License-Identifier: BSD-2-Clause
// A vPMU's state as bytes (libvpmu-image(5)). What of a model is saved, its fields say. All numbers have their lowest
// byte first.

#include "bytes.h"
#include "core.h"

#include <string.h>

#define MAGIC_BYTES	8
#define TARGET_BYTES	24
#define HEADER_BYTES	56
#define THREAD_BYTES	24	/* without its selects */
#define SELECT_BYTES	16
#define EVENT_BYTES	3	/* of those that are allowed */
#define CHECKSUM_BYTES	4

#define FLAG_ANY_THREAD	1
#define FLAG_RECORDS	2
#define FLAG_EVENTS	4

static const uint8_t magic[MAGIC_BYTES] = {0x89, 'V', 'P', 'M', '\r', '\n', 0x1A, '\n'};

static uint32_t events_checksum(const struct vpmu_features *features)
{
	uint32_t crc = 0;

	for (size_t i = 0; i < features->event_count; i++) {
		uint8_t event[EVENT_BYTES];

		bytes_put(event, 2, features->events[i].code);
		event[2] = features->events[i].umask;
		crc = bytes_checksum(crc, event, sizeof event);
	}
	return crc;
}

size_t vpmu_core_image_size(const struct vpmu_core *core)
{
	const struct pmu_model *model = core->vpmu.model;
	const size_t thread = THREAD_BYTES + core_selects(model) * SELECT_BYTES;
	size_t size = HEADER_BYTES + model->threads * thread + CHECKSUM_BYTES;
	struct model_field f;

	for (size_t i = 0; model->field(i, &f); i++)
		size += (size_t)f.count * f.size;
	return size;
}

//
// Writing: into bytes, or beside bytes that must be the same
//

struct sink {
	uint8_t *to;			// NULL: what is written is only compared
	const uint8_t *same;
	bool differs;
};

static void write(struct sink *sink, unsigned bytes, uint64_t value)
{
	if (sink->to) {
		bytes_put(sink->to, bytes, value);
		sink->to += bytes;
	} else {
		sink->differs |= bytes_get(sink->same, bytes) != value;
		sink->same += bytes;
	}
}

static void write_header(const struct vpmu_core *core, struct sink *sink)
{
	const char *name = core->vpmu.model->name;
	unsigned flags = (core->features.any_thread ? FLAG_ANY_THREAD : 0) | (core->attached ? FLAG_RECORDS : 0) |
			 (core->features.events ? FLAG_EVENTS : 0);

	for (unsigned i = 0; i < MAGIC_BYTES; i++)
		write(sink, 1, magic[i]);
	write(sink, 4, VPMU_IMAGE_VERSION);
	write(sink, 4, vpmu_core_image_size(core));
	for (unsigned i = 0; i < TARGET_BYTES; i++) {
		write(sink, 1, (uint8_t)*name);
		name += *name != '\0';
	}
	write(sink, 1, core->exposed[0]);
	write(sink, 1, core->exposed[1]);
	write(sink, 1, flags);
	write(sink, 1, core->vpmu.model->threads);
	write(sink, 4, events_checksum(&core->features));
	write(sink, 8, core->vpmu.thread);
}

static void write_thread(const struct vpmu_core *core, const struct core_thread *t, struct sink *sink)
{
	write(sink, 1, t->level);
	write(sink, 1, t->halted);
	write(sink, 6, t->held);
	write(sink, 8, t->enabled);
	write(sink, 8, t->running);
	for (unsigned i = 0; i < core_selects(core->vpmu.model); i++) {
		write(sink, 8, t->shown[i].mask);
		write(sink, 8, t->shown[i].value);
	}
}

static uint64_t get_integer(const void *from, unsigned size)
{
	switch (size) {
	case 1:
		return *(const uint8_t *)from;
	case 2:
		return *(const uint16_t *)from;
	case 4:
		return *(const uint32_t *)from;
	default:
		return *(const uint64_t *)from;
	}
}

static void put_integer(void *to, unsigned size, uint64_t value)
{
	switch (size) {
	case 1:
		*(uint8_t *)to = (uint8_t)value;
		break;
	case 2:
		*(uint16_t *)to = (uint16_t)value;
		break;
	case 4:
		*(uint32_t *)to = (uint32_t)value;
		break;
	default:
		*(uint64_t *)to = value;
	}
}

static void write_field(const void *state, const struct model_field *f, struct sink *sink)
{
	const char *at = (const char *)state + f->offset;

	for (unsigned i = 0; i < f->count; i++, at += f->distance)
		write(sink, f->size, get_integer(at, f->size));
}

// All but the checksum.
static void write_all(const struct vpmu_core *core, struct sink *sink)
{
	const struct pmu_model *model = core->vpmu.model;
	struct model_field f;

	model->sync(core->vpmu.state);
	write_header(core, sink);
	for (unsigned thread = 0; thread < model->threads; thread++)
		write_thread(core, &core->thread[thread], sink);
	for (size_t i = 0; model->field(i, &f); i++)
		write_field(core->vpmu.state, &f, sink);
}

size_t vpmu_core_save(struct vpmu_core *core, uint8_t *bytes, size_t size)
{
	const size_t length = vpmu_core_image_size(core);
	struct sink sink = {.to = bytes};

	if (size < length)
		return 0;
	write_all(core, &sink);
	bytes_put(sink.to, CHECKSUM_BYTES, bytes_checksum(0, bytes, length - CHECKSUM_BYTES));
	return length;
}

//
// Reading, into the trial vPMU
//

#define AT_VERSION	8
#define AT_LENGTH	12
#define AT_TARGET	16
#define AT_RUNNING	48

// Whether the header, but for the thread that executes, is the one that this vPMU writes.
static enum vpmu_error check_header(const struct vpmu_core *core, const uint8_t *bytes, size_t length)
{
	struct sink sink = {.same = bytes};

	if (length < HEADER_BYTES + CHECKSUM_BYTES || memcmp(bytes, magic, sizeof magic))
		return VPMU_ERROR_IMAGE;
	if (bytes_get(bytes + AT_VERSION, 4) != VPMU_IMAGE_VERSION)
		return VPMU_ERROR_VERSION;
	if (bytes_get(bytes + AT_LENGTH, 4) != length ||
	    bytes_get(bytes + length - CHECKSUM_BYTES, CHECKSUM_BYTES) !=
		    bytes_checksum(0, bytes, length - CHECKSUM_BYTES))
		return VPMU_ERROR_IMAGE;
	write_header(core, &sink);
	if (sink.differs)
		return VPMU_ERROR_OTHER;
	return core->vpmu.thread < core->vpmu.model->threads ? VPMU_OK : VPMU_ERROR_IMAGE;
}

static const uint8_t *read_thread(const struct vpmu_core *core, struct core_thread *t, const uint8_t *bytes,
				  bool *valid)
{
	t->level = bytes[0];
	t->halted = bytes[1] & 1;
	t->held = bytes[2] & 1;
	t->enabled = bytes_get(bytes + 8, 8);
	t->running = bytes_get(bytes + 16, 8);
	*valid &= t->level < 4;
	bytes += THREAD_BYTES;
	for (unsigned i = 0; i < core_selects(core->vpmu.model); i++, bytes += SELECT_BYTES)
		t->shown[i] = (struct shown){bytes_get(bytes, 8), bytes_get(bytes + 8, 8)};
	return bytes;
}

static const uint8_t *read_field(void *state, const struct model_field *f, const uint8_t *bytes, bool *valid)
{
	char *at = (char *)state + f->offset;

	for (unsigned i = 0; i < f->count; i++, at += f->distance, bytes += f->size) {
		const uint64_t value = bytes_get(bytes, f->size);

		*valid &= !(value & ~f->allowed);
		put_integer(at, f->size, value & f->allowed);
	}
	return bytes;
}

// Whether what a guest is shown of the selects goes with what the model holds.
static bool check_selects(const struct vpmu_core *core)
{
	const struct pmu_model *model = core->vpmu.model;
	bool valid = true;

	for (unsigned thread = 0; thread < model->threads; thread++)
		for (unsigned i = 0; i < core_selects(model); i++) {
			const struct shown *shown = &core->thread[thread].shown[i];
			const uint32_t address = features_select_address(core, i);
			uint64_t held, value;
			struct shown filtered;
			unsigned select;

			model->read(core->vpmu.state, thread, address, &held);
			value = features_show(core, thread, address, held);
			valid &= features_filter(core, address, &value, &select, &filtered) && value == held &&
				 filtered.mask == shown->mask && filtered.value == shown->value;
		}
	return valid;
}

static bool read_all(struct vpmu_core *trial, const uint8_t *bytes)
{
	const struct pmu_model *model = trial->vpmu.model;
	struct sink sink = {.same = bytes};
	struct model_field f;
	bool valid = true;

	core_reset(trial, 0);
	trial->vpmu.thread = (unsigned)bytes_get(bytes + AT_RUNNING, 8);
	bytes += HEADER_BYTES;
	for (unsigned thread = 0; thread < model->threads; thread++)
		bytes = read_thread(trial, &trial->thread[thread], bytes, &valid);
	if (!valid)
		return false;
	trial->vpmu.level = trial->thread[trial->vpmu.thread].level;
	trial->vpmu.halted = trial->thread[trial->vpmu.thread].halted;
	vpmu_resume(&trial->vpmu);
	for (size_t i = 0; model->field(i, &f); i++)
		bytes = read_field(trial->vpmu.state, &f, bytes, &valid);
	if (!valid || !model->restore(trial->vpmu.state) || !check_selects(trial))
		return false;
	write_all(trial, &sink);
	return !sink.differs;
}

enum vpmu_error vpmu_core_load(struct vpmu_core *core, const uint8_t *bytes, size_t length)
{
	struct vpmu_core *trial = core->trial;
	enum vpmu_error error;

	trial->attached = core->attached;
	trial->processor = core->processor;
	trial->vpmu.thread = length > AT_RUNNING ? bytes[AT_RUNNING] : 0;
	error = check_header(trial, bytes, length);
	if (error)
		return error;
	if (length != vpmu_core_image_size(core) || !read_all(trial, bytes))
		return VPMU_ERROR_IMAGE;
	memcpy(core->vpmu.state, trial->vpmu.state, core->vpmu.model->size);
	memcpy(core->thread, trial->thread, sizeof core->thread);
	core->vpmu.thread = trial->vpmu.thread;
	core->vpmu.level = trial->vpmu.level;
	core->vpmu.halted = trial->vpmu.halted;
	if (core->attached)
		core->vpmu.model->attach(core->vpmu.state, &core->processor);
	for (unsigned thread = 0; thread < core->vpmu.model->threads; thread++)
		features_leave_out(core, thread);
	return VPMU_OK;
}
