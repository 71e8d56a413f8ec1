// SPDX-License-Identifier: BSD-2-Clause
// Saving and loading a vPMU's state as bytes (libvpmu-image(5)). The model's list of fields
// determines what is saved. Numbers are little-endian.

#include "bytes.h"
#include "core.h"

#include <string.h>

#define MAGIC_BYTES	8
#define TARGET_BYTES	24
#define HEADER_BYTES	56
#define THREAD_BYTES	24	/* without the selects */
#define SELECT_BYTES	16
#define EVENT_BYTES	7	/* an entry of the list of events */
#define CHECKSUM_BYTES	4

#define FLAG_ANY_THREAD	1
#define FLAG_RECORDS	2
#define FLAG_EVENTS	4

static const uint8_t magic[MAGIC_BYTES] = {0x89, 'V', 'P', 'M', '\r', '\n', 0x1A, '\n'};

size_t vpmu_core_image_size(const struct vpmu_core *core)
{
	const struct pmu_model *model;
	struct model_field f;
	size_t size;

	if (!core)
		return 0;
	model = core->vpmu.model;
	size = HEADER_BYTES + core->features.event_count * EVENT_BYTES +
	       model->threads * (THREAD_BYTES + core_selects(model) * SELECT_BYTES) +
	       CHECKSUM_BYTES;
	for (size_t i = 0; model->persist->field(i, &f); i++)
		size += (size_t)f.count * f.size;
	return size;
}

//
// Writing: into bytes, or comparing with given bytes
//

struct sink {
	uint8_t *to;			// NULL: compare with `same` only
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

static void write_event(const struct vpmu_event *entry, struct sink *sink)
{
	write(sink, 2, entry->code);
	write(sink, 1, entry->umask);
	write(sink, 2, entry->code_ignored);
	write(sink, 1, entry->umask_ignored);
	write(sink, 1, entry->exclude);
}

static void write_header(const struct vpmu_core *core, struct sink *sink)
{
	const char *name = core->vpmu.model->name;
	unsigned flags = (core->features.any_thread ? FLAG_ANY_THREAD : 0) |
		(core->attached ? FLAG_RECORDS : 0) |
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
	write(sink, 4, core->features.event_count);
	write(sink, 8, core->vpmu.thread);
	for (size_t i = 0; i < core->features.event_count; i++)
		write_event(&core->features.events[i], sink);
}

static void write_thread(const struct vpmu_core *core, const struct core_thread *t,
			 struct sink *sink)
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

// Writes everything except the checksum.
static void write_all(const struct vpmu_core *core, struct sink *sink)
{
	const struct pmu_model *model = core->vpmu.model;
	struct model_field f;

	model->persist->sync(core->vpmu.state);
	write_header(core, sink);
	for (unsigned thread = 0; thread < model->threads; thread++)
		write_thread(core, &core->thread[thread], sink);
	for (size_t i = 0; model->persist->field(i, &f); i++)
		write_field(core->vpmu.state, &f, sink);
}

size_t vpmu_core_save(struct vpmu_core *core, uint8_t *bytes, size_t size)
{
	const size_t length = vpmu_core_image_size(core);
	struct sink sink = {.to = bytes};

	if (!core || !bytes || size < length || core_contains(core, bytes, length))
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
#define AT_GENERAL	40
#define AT_FIXED	41
#define AT_FLAGS	42
#define AT_THREADS	43
#define AT_EVENTS	44
#define AT_RUNNING	48

// Checks as much of an image as is possible without a vPMU.
static enum vpmu_error check_bytes(const uint8_t *bytes, size_t length)
{
	if (!bytes)
		return VPMU_ERROR_ARGUMENT;
	if (length < HEADER_BYTES + CHECKSUM_BYTES || memcmp(bytes, magic, sizeof magic))
		return VPMU_ERROR_IMAGE;
	if (bytes_get(bytes + AT_VERSION, 4) != VPMU_IMAGE_VERSION)
		return VPMU_ERROR_VERSION;
	if (bytes_get(bytes + AT_LENGTH, 4) != length ||
	    bytes_get(bytes + length - CHECKSUM_BYTES, CHECKSUM_BYTES) !=
		    bytes_checksum(0, bytes, length - CHECKSUM_BYTES) ||
	    bytes_get(bytes + AT_EVENTS, 4) > (length - HEADER_BYTES - CHECKSUM_BYTES) /
	    EVENT_BYTES ||
	    (bytes_get(bytes + AT_EVENTS, 4) && !(bytes[AT_FLAGS] & FLAG_EVENTS)))
		return VPMU_ERROR_IMAGE;
	return VPMU_OK;
}

static struct vpmu_event event_at(const uint8_t *bytes, size_t number)
{
	const uint8_t *at = bytes + HEADER_BYTES + number * EVENT_BYTES;

	return (struct vpmu_event){
		.code = (uint16_t)bytes_get(at, 2), .umask = at[2],
		.code_ignored = (uint16_t)bytes_get(at + 3, 2),
		.umask_ignored = at[5], .exclude = at[6] & 1,
	};
}

static bool is_same(const struct vpmu_event *one, const struct vpmu_event *other)
{
	return one->code == other->code && one->umask == other->umask &&
	       one->code_ignored == other->code_ignored &&
	       one->umask_ignored == other->umask_ignored && one->exclude == other->exclude;
}

static bool is_target(const struct pmu_model *model, const uint8_t *bytes)
{
	const char *name = model->name;

	for (size_t i = 0; i < TARGET_BYTES; i++, name += *name != '\0')
		if (bytes[AT_TARGET + i] != (uint8_t)*name)
			return false;
	return bytes[AT_THREADS] == model->threads;
}

// Whether the image's list of events is the list of vpmu_core_create.
static bool is_own_list(const struct vpmu_features *offers, const uint8_t *bytes)
{
	const size_t count = bytes_get(bytes + AT_EVENTS, 4);

	if (!offers->events || offers->event_count != count)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct vpmu_event entry = event_at(bytes, i);

		if (!is_same(&entry, &offers->events[i]))
			return false;
	}
	return true;
}

// Sets the features' list to the image's list, copied to `list`; or to the list of
// vpmu_core_create, if they are equal.
static bool take_list(struct vpmu_features *features, struct vpmu_event list[VPMU_EVENTS_MOST],
		      const uint8_t *bytes)
{
	const size_t count = bytes_get(bytes + AT_EVENTS, 4);

	if (is_own_list(features, bytes))
		return true;
	if (count > VPMU_EVENTS_MOST)
		return false;
	features->event_count = count;
	features->events = list;
	for (size_t i = 0; i < count; i++)
		list[i] = event_at(bytes, i);
	return true;
}

static struct vpmu_lack lack_of(const char *what, size_t needed, size_t offered)
{
	return (struct vpmu_lack){.what = what, .needed = (uint32_t)needed,
				  .offered = (uint32_t)offered};
}

// Whether the image's list of events allows more than the vPMU's. Uses the trial vPMU's list.
static bool lacks_events(const struct vpmu_core *core, const uint8_t *bytes, struct vpmu_lack *lack)
{
	struct vpmu_features needs = core->offers;
	const struct vpmu_event *entry;

	if (!take_list(&needs, core->trial->list, bytes)) {
		*lack = lack_of("room for its list of events", bytes_get(bytes + AT_EVENTS, 4),
				VPMU_EVENTS_MOST);
		return true;
	}
	entry = needs.events == core->offers.events ? NULL : features_lack(&core->offers, &needs);
	if (!entry)
		return false;
	*lack = lack_of(entry->exclude ? "events that are excluded here" : "an event",
			(size_t)entry->umask << 16 | entry->code, 0);
	lack->event = *entry;
	return true;
}

// Finds the first missing feature of a valid image.
static bool find_lack(const struct vpmu_core *core, const uint8_t *bytes, struct vpmu_lack *lack)
{
	const struct vpmu_features *offers = &core->offers;
	const unsigned flags = bytes[AT_FLAGS];

	if (!is_target(core->vpmu.model, bytes))
		*lack = lack_of("another target", bytes[AT_THREADS], core->vpmu.model->threads);
	else if (bytes[AT_GENERAL] > core->offered[0])
		*lack = lack_of("general counters", bytes[AT_GENERAL], core->offered[0]);
	else if (bytes[AT_FIXED] > core->offered[1])
		*lack = lack_of("fixed counters", bytes[AT_FIXED], core->offered[1]);
	else if (flags & FLAG_ANY_THREAD && !offers->any_thread)
		*lack = lack_of("any-thread bits", 1, 0);
	else if (flags & FLAG_RECORDS && !core->attached)
		*lack = lack_of("memory for records", 1, 0);
	else if (!(flags & FLAG_EVENTS) && offers->events)
		*lack = lack_of("all events", 0, 0);
	else
		return flags & FLAG_EVENTS && lacks_events(core, bytes, lack);
	return true;
}

bool vpmu_core_lacks(const struct vpmu_core *core, const uint8_t *bytes, size_t length,
		     struct vpmu_lack *lack)
{
	if (!lack)
		return false;
	if (core && !check_bytes(bytes, length) && find_lack(core, bytes, lack))
		return true;
	*lack = lack_of("nothing", 0, 0);
	return false;
}

// Gives the trial vPMU the image's features, all of which `core` offers.
static void take_features(struct vpmu_core *trial, const struct vpmu_core *core,
			  const uint8_t *bytes)
{
	trial->exposed[0] = bytes[AT_GENERAL];
	trial->exposed[1] = bytes[AT_FIXED];
	trial->attached = bytes[AT_FLAGS] & FLAG_RECORDS;
	trial->processor = core->processor;
	trial->features = core->offers;
	trial->features.any_thread = bytes[AT_FLAGS] & FLAG_ANY_THREAD;
	if (bytes[AT_FLAGS] & FLAG_EVENTS)
		take_list(&trial->features, trial->list, bytes);
}

// Whether the header equals the one that the trial vPMU writes, with numbers of counters that its
// processor can have.
static bool check_header(const struct vpmu_core *trial, const uint8_t *bytes)
{
	const struct pmu_model *model = trial->vpmu.model;
	struct sink sink = {.same = bytes};

	for (size_t i = 0; i < model->group_count; i++)
		if (trial->exposed[i] < model->groups[i].fewest)
			return false;
	write_header(trial, &sink);
	return !sink.differs && trial->vpmu.thread < model->threads &&
	       features_are_valid(&trial->features);
}

static const uint8_t *read_thread(const struct vpmu_core *core, struct core_thread *t,
				  const uint8_t *bytes, bool *valid)
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

static const uint8_t *read_field(void *state, const struct model_field *f, const uint8_t *bytes,
				 bool *valid)
{
	char *at = (char *)state + f->offset;

	for (unsigned i = 0; i < f->count; i++, at += f->distance, bytes += f->size) {
		const uint64_t value = bytes_get(bytes, f->size);

		*valid &= !(value & ~f->allowed);
		put_integer(at, f->size, value & f->allowed);
	}
	return bytes;
}

// Whether the guest's view of the selects is consistent with the model's registers.
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
			valid &= features_filter(core, address, &value, &select, &filtered) &&
				value == held &&
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
	if (!trial->attached && model->records)
		// a reset keeps the guest attached
		model->records->attach(trial->vpmu.state, NULL);
	trial->vpmu.thread = (unsigned)bytes_get(bytes + AT_RUNNING, 8);
	bytes += HEADER_BYTES + trial->features.event_count * EVENT_BYTES;
	for (unsigned thread = 0; thread < model->threads; thread++)
		bytes = read_thread(trial, &trial->thread[thread], bytes, &valid);
	if (!valid)
		return false;
	trial->vpmu.level = trial->thread[trial->vpmu.thread].level;
	trial->vpmu.halted = trial->thread[trial->vpmu.thread].halted;
	vpmu_resume(&trial->vpmu);
	for (size_t i = 0; model->persist->field(i, &f); i++)
		bytes = read_field(trial->vpmu.state, &f, bytes, &valid);
	if (!valid || !model->persist->restore(trial->vpmu.state) || !check_selects(trial) ||
	    !features_rest(trial))
		return false;
	write_all(trial, &sink);
	return !sink.differs;
}

static void take_trial(struct vpmu_core *core)
{
	const struct vpmu_core *trial = core->trial;
	const struct pmu_model *model = core->vpmu.model;

	memcpy(core->vpmu.state, trial->vpmu.state, model->size);
	memcpy(core->thread, trial->thread, sizeof core->thread);
	memcpy(core->exposed, trial->exposed, sizeof core->exposed);
	core->features = trial->features;
	if (trial->features.events == trial->list) {
		memcpy(core->list, trial->list, sizeof core->list);
		core->features.events = core->list;
	}
	core->vpmu.thread = trial->vpmu.thread;
	core->vpmu.level = trial->vpmu.level;
	core->vpmu.halted = trial->vpmu.halted;
	core->vpmu.signals = trial->vpmu.signals;
	core->vpmu.signal_count = trial->vpmu.signal_count;
	core->attached = trial->attached;
	if (model->records)
		model->records->attach(core->vpmu.state, core->attached ? &core->processor : NULL);
	for (unsigned thread = 0; thread < model->threads; thread++)
		features_leave_out(core, thread);
}

enum vpmu_error vpmu_core_load(struct vpmu_core *core, const uint8_t *bytes, size_t length)
{
	const enum vpmu_error error = check_bytes(bytes, length);
	struct vpmu_core *trial;
	struct vpmu_lack lack;

	if (error)
		return error;
	if (!core || core_contains(core, bytes, length))
		return VPMU_ERROR_ARGUMENT;
	trial = core->trial;
	if (find_lack(core, bytes, &lack))
		return VPMU_ERROR_OTHER;
	take_features(trial, core, bytes);
	trial->vpmu.thread = bytes[AT_RUNNING];
	if (!check_header(trial, bytes) || length != vpmu_core_image_size(trial) ||
	    !read_all(trial, bytes))
		return VPMU_ERROR_IMAGE;
	take_trial(core);
	return VPMU_OK;
}
