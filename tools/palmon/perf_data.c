// SPDX-License-Identifier: BSD-2-Clause
// palmon convert --perf: a perf.data file. Linux specifies its format in tools/perf/Documentation/
// perf.data-file-format.txt, and its records in include/uapi/linux/perf_event.h and
// perf_event_open(2).
//
// The program becomes process 1, which maps the image where its segments are linked. A CPU of the
// run is a CPU. Times are the run's clocks, written as nanoseconds. Limits of the format truncate:
// command names to 15 characters, records to 64 KiB.

#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "bytes_out.h"
#include "convert.h"
#include "image.h"
#include "palmon.h"

#define HEADER_SIZE	104	/* magic, sizes, three sections, 256 bits of features */
#define ATTR_SIZE	PERF_ATTR_SIZE_VER5
#define ID_SIZE		8
#define SECTION_SIZE	16
#define COMM_SIZE	16
#define PROCESS		1

/* Bit numbers of features; their sections follow in this order. */
enum {
	FEATURE_HOSTNAME = 3, FEATURE_OSRELEASE = 4, FEATURE_VERSION = 5, FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7, FEATURE_EVENT_DESC = 12,
};

struct perf_file {
	const struct profile *profile;
	struct bytes_out out;			// bytes that are not in the file yet
	size_t written;				// bytes in the file
	uint64_t sample_type;
	unsigned id[SAMPLES_EVENTS];		/* per event; 0: not in the file */
	unsigned events, cpus;
};

//
// Events
//

static uint64_t flags_of(const struct event_request *r)
{
	const uint64_t levels = r->levels;
	uint64_t flags = 1 << 8 | 1 << 9 | 1 << 23;	// mmap, comm, mmap2

	if (levels && !(levels & 1u << 3))
		flags |= 1 << 4;			// exclude_user
	if (levels && !(levels & 1u << 0))
		flags |= 1 << 5;			// exclude_kernel
	return flags | (r->modifiers & EVENT_PRECISE ? 2 << 15 : 0);	// precise_ip
}

static void add_attr(struct perf_file *f, unsigned event)
{
	const struct sampled_event *e = &f->profile->file.event[event];
	const size_t start = f->out.size;

	bytes_add_number(&f->out, PERF_TYPE_RAW, 4);
	bytes_add_number(&f->out, ATTR_SIZE, 4);
	bytes_add_number(&f->out, event_code(&e->request) | (uint64_t)e->request.umask << 16, 8);
	bytes_add_number(&f->out, e->period, 8);
	bytes_add_number(&f->out, f->sample_type, 8);
	bytes_add_number(&f->out, PERF_FORMAT_ID, 8);
	bytes_add_number(&f->out, flags_of(&e->request), 8);
	bytes_add_zeros(&f->out, 24);			// wakeup, bp_type, config1, config2
	bytes_add_number(&f->out,
			 f->sample_type & PERF_SAMPLE_BRANCH_STACK ? PERF_SAMPLE_BRANCH_ANY : 0, 8);
	bytes_add_zeros(&f->out, ATTR_SIZE - (f->out.size - start));
}

// A string in a feature's section: terminated, padded to a multiple of 64 bytes.
static void add_string(struct bytes_out *out, const char *text)
{
	const size_t length = strlen(text) + 1, padded = (length + 63) & ~(size_t)63;

	bytes_add_number(out, padded, 4);
	bytes_add(out, text, length);
	bytes_add_zeros(out, padded - length);
}

//
// Records
//

static size_t begin_record(struct perf_file *f, uint32_t type, uint16_t misc)
{
	const size_t start = f->out.size;

	bytes_add_number(&f->out, type, 4);
	bytes_add_number(&f->out, misc, 2);
	bytes_add_number(&f->out, 0, 2);
	return start;
}

static void end_record(struct perf_file *f, size_t start)
{
	bytes_add_zeros(&f->out, -(f->out.size - start) & 7);
	bytes_set_number(&f->out, start + 6, f->out.size - start, 2);
}

// The name of the process: the last part of the program's path.
static void add_comm(struct perf_file *f)
{
	const size_t start = begin_record(f, PERF_RECORD_COMM, PERF_RECORD_MISC_USER);
	const char *name = strrchr(f->profile->file.trace, '/');
	char comm[COMM_SIZE] = "";

	strncpy(comm, name ? name + 1 : f->profile->file.trace, sizeof comm - 1);
	bytes_add_number(&f->out, PROCESS, 4);
	bytes_add_number(&f->out, PROCESS, 4);
	bytes_add(&f->out, comm, sizeof comm);
	end_record(f, start);
}

#define BUILD_ID_MOST	20

static void add_build_id(struct perf_file *f)
{
	const char *id = f->profile->file.build_id;
	const size_t size = strlen(id) / 2;

	bytes_add_number(&f->out, size > BUILD_ID_MOST ? BUILD_ID_MOST : size, 1);
	bytes_add_zeros(&f->out, 3);
	for (size_t i = 0; i < BUILD_ID_MOST; i++) {
		const char digits[] = {i < size ? id[2 * i] : '0', i < size ? id[2 * i + 1] : '0',
				       '\0'};

		bytes_add_number(&f->out, strtoul(digits, NULL, 16), 1);
	}
}

static void add_mapping(void *context, uint64_t address, uint64_t size, uint64_t offset)
{
	struct perf_file *f = context;
	const bool id = *f->profile->file.build_id;
	const size_t start = begin_record(f, PERF_RECORD_MMAP2,
					  PERF_RECORD_MISC_USER |
					  (id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));
	char path[PATH_MAX];

	if (!realpath(f->profile->elf, path))
		snprintf(path, sizeof path, "%s", f->profile->elf);
	bytes_add_number(&f->out, PROCESS, 4);
	bytes_add_number(&f->out, PROCESS, 4);
	bytes_add_number(&f->out, address, 8);
	bytes_add_number(&f->out, size, 8);
	bytes_add_number(&f->out, offset, 8);
	if (id)
		add_build_id(f);
	else
		bytes_add_zeros(&f->out, 24);		// device, inode and its generation
	bytes_add_number(&f->out, 5, 4);		// PROT_READ, PROT_EXEC
	bytes_add_number(&f->out, 2, 4);		// MAP_PRIVATE
	bytes_add(&f->out, path, strlen(path) + 1);
	end_record(f, start);
}

// Innermost frame first, as in perf.
static void add_chain(struct perf_file *f, const struct origin *o)
{
	bytes_add_number(&f->out, o->frames + 2, 8);
	bytes_add_number(&f->out, PERF_CONTEXT_USER, 8);
	for (unsigned i = 0; i <= o->frames; i++)
		bytes_add_number(&f->out, profile_frame(o, i), 8);
}

// Taken branches and their targets, youngest first.
static void add_branches(struct perf_file *f, const struct origin *o)
{
	const size_t start = f->out.size;
	uint64_t count = 0;

	bytes_add_number(&f->out, 0, 8);
	for (unsigned i = o->steps; i-- > 1;) {
		const struct sample_step *from = &o->step[i - 1], *to = &o->step[i];

		if (from->kind != STEP_BRANCH || to->kind != STEP_TARGET || from->not_taken)
			continue;
		bytes_add_number(&f->out, from->address, 8);
		bytes_add_number(&f->out, to->address, 8);
		bytes_add_number(&f->out, from->mispredicted ? 1 : 2, 8);
		count++;
	}
	bytes_set_number(&f->out, start, count, 8);
}

#define SOURCE(level, number, snoop) \
	(PERF_MEM_LVL_##level << PERF_MEM_LVL_SHIFT | \
	 (uint64_t)PERF_MEM_LVLNUM_##number << PERF_MEM_LVLNUM_SHIFT | \
	 PERF_MEM_SNOOP_##snoop << PERF_MEM_SNOOP_SHIFT)
#define HIT	(PERF_MEM_LVL_HIT << PERF_MEM_LVL_SHIFT)
#define REMOTE	((uint64_t)PERF_MEM_REMOTE_REMOTE << PERF_MEM_REMOTE_SHIFT)
#define MISS	(PERF_MEM_SNOOP_MISS << PERF_MEM_SNOOP_SHIFT)

// A load or a store, and the data source of a load: union perf_mem_data_src. Linux has the same
// meanings for Nehalem (ds.c of its driver for x86).
static uint64_t data_source(const struct origin *o)
{
	static const uint64_t sources[SERVED_KINDS] = {
		[SERVED_UNKNOWN] = SOURCE(NA, NA, NA),
		[SERVED_L1] = SOURCE(L1, L1, NONE) | HIT,
		[SERVED_FILL_BUFFER] = SOURCE(LFB, LFB, NONE) | HIT,
		[SERVED_L2] = SOURCE(L2, L2, NONE) | HIT,
		[SERVED_L3] = SOURCE(L3, L3, NONE) | HIT,
		[SERVED_L3_CLEAN] = SOURCE(L3, L3, HIT) | HIT,
		[SERVED_L3_MODIFIED] = SOURCE(L3, L3, HITM) | HIT,
		[SERVED_REMOTE_CLEAN] = SOURCE(REM_CCE1, L3, HIT) | HIT | REMOTE,
		[SERVED_REMOTE_MODIFIED] = SOURCE(REM_CCE1, L3, HITM) | HIT | REMOTE,
		[SERVED_MEMORY_SHARED] = SOURCE(LOC_RAM, RAM, HIT) | HIT,
		[SERVED_REMOTE_MEMORY_SHARED] = SOURCE(REM_RAM1, RAM, HIT) | HIT | REMOTE,
		[SERVED_MEMORY] = SOURCE(LOC_RAM, RAM, NONE) | MISS | HIT,
		[SERVED_REMOTE_MEMORY] = SOURCE(REM_RAM1, RAM, NONE) | MISS | HIT | REMOTE,
		[SERVED_IO] = SOURCE(IO, NA, NONE) | HIT,
		[SERVED_UNCACHEABLE] = SOURCE(UNC, NA, NONE) | HIT,
	};
	const bool load = o->access == PAYLOAD_LOAD || o->has_source || o->has_latency;
	const uint64_t operation = load ? PERF_MEM_OP_LOAD :
		o->access == PAYLOAD_STORE ? PERF_MEM_OP_STORE : PERF_MEM_OP_NA;

	return operation << PERF_MEM_OP_SHIFT |
	       sources[o->served] |
	       PERF_MEM_LOCK_NA << PERF_MEM_LOCK_SHIFT | PERF_MEM_TLB_NA << PERF_MEM_TLB_SHIFT;
}

static void add_sample(struct perf_file *f, const struct profile_sample *s)
{
	const struct origin *o = s->origin;
	const size_t start = begin_record(f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER |
					  (o->place == PMU_PLACE_SAMPLED ?
					   PERF_RECORD_MISC_EXACT_IP : 0));

	bytes_add_number(&f->out, f->id[o->event], 8);
	bytes_add_number(&f->out, o->address, 8);
	bytes_add_number(&f->out, PROCESS, 4);
	bytes_add_number(&f->out, PROCESS, 4);
	bytes_add_number(&f->out, s->clock, 8);
	bytes_add_number(&f->out, o->has_data ? s->data : 0, 8);
	bytes_add_number(&f->out, s->cpu, 4);
	bytes_add_number(&f->out, 0, 4);
	bytes_add_number(&f->out, profile_weight(f->profile, o), 8);
	if (f->sample_type & PERF_SAMPLE_CALLCHAIN)
		add_chain(f, o);
	if (f->sample_type & PERF_SAMPLE_BRANCH_STACK)
		add_branches(f, o);
	if (f->sample_type & PERF_SAMPLE_WEIGHT)
		bytes_add_number(&f->out, o->has_latency ? s->latency : 0, 8);
	if (f->sample_type & PERF_SAMPLE_DATA_SRC)
		bytes_add_number(&f->out, data_source(o), 8);
	end_record(f, start);
}

// The size of all samples' records: each is formed in the buffer, and dropped.
static size_t size_of_samples(struct perf_file *f)
{
	const size_t start = f->out.size;
	size_t size = 0;

	for (size_t i = 0; i < f->profile->count; i++)
		if (f->id[f->profile->sample[i].origin->event]) {
			add_sample(f, &f->profile->sample[i]);
			size += f->out.size - start;
			f->out.size = start;
		}
	return size;
}

//
// The file
//

static void add_feature(struct perf_file *f, unsigned feature)
{
	struct bytes_out *out = &f->out;

	switch (feature) {
	case FEATURE_HOSTNAME:
		add_string(out, "palmon");
		break;
	case FEATURE_OSRELEASE:
		add_string(out, "none");
		break;
	case FEATURE_VERSION:
		add_string(out, "palmon");
		break;
	case FEATURE_ARCH:
		add_string(out, image_architecture(f->profile->elf));
		break;
	case FEATURE_NRCPUS:
		bytes_add_number(out, f->cpus, 4);
		bytes_add_number(out, f->cpus, 4);
		break;
	case FEATURE_EVENT_DESC:
		bytes_add_number(out, f->events, 4);
		bytes_add_number(out, ATTR_SIZE, 4);
		for (unsigned i = 0; i < f->profile->file.event_count; i++) {
			if (!f->id[i])
				continue;
			add_attr(f, i);
			bytes_add_number(out, 1, 4);
			add_string(out, f->profile->file.event[i].name);
			bytes_add_number(out, f->id[i], 8);
		}
		break;
	}
}

static const unsigned features[] = {FEATURE_HOSTNAME, FEATURE_OSRELEASE, FEATURE_VERSION,
				    FEATURE_ARCH, FEATURE_NRCPUS, FEATURE_EVENT_DESC};

#define FEATURES (sizeof features / sizeof *features)

static void add_features(struct perf_file *f)
{
	const size_t table = f->out.size;

	bytes_add_zeros(&f->out, FEATURES * SECTION_SIZE);
	for (size_t i = 0; i < FEATURES; i++) {
		const size_t start = f->out.size;

		add_feature(f, features[i]);
		bytes_set_number(&f->out, table + i * SECTION_SIZE, f->written + start, 8);
		bytes_set_number(&f->out, table + i * SECTION_SIZE + 8, f->out.size - start, 8);
	}
}

// Magic, sizes of header and event attribute, then the sections of attributes, data and (none)
// event types.
static void add_header(struct perf_file *f)
{
	const size_t ids = HEADER_SIZE, attrs = ids + f->events * ID_SIZE;
	const size_t attr = ATTR_SIZE + SECTION_SIZE;
	unsigned index = 0;
	uint64_t bits = 0;

	bytes_add(&f->out, "PERFILE2", 8);
	bytes_add_number(&f->out, HEADER_SIZE, 8);
	bytes_add_number(&f->out, attr, 8);
	bytes_add_number(&f->out, attrs, 8);
	bytes_add_number(&f->out, f->events * attr, 8);
	bytes_add_number(&f->out, attrs + f->events * attr, 8);
	bytes_add_zeros(&f->out, HEADER_SIZE - f->out.size);
	for (size_t i = 0; i < FEATURES; i++)
		bits |= 1ULL << features[i];
	bytes_set_number(&f->out, HEADER_SIZE - 32, bits, 8);
	for (unsigned i = 0; i < f->events; i++)
		bytes_add_number(&f->out, i + 1, ID_SIZE);
	for (unsigned i = 0; i < f->profile->file.event_count; i++)
		if (f->id[i]) {
			add_attr(f, i);
			bytes_add_number(&f->out, ids + index++ * ID_SIZE, 8);
			bytes_add_number(&f->out, ID_SIZE, 8);
		}
}

// Chooses the fields of samples; perf requires the same fields for all events.
static void choose_parts(struct perf_file *f)
{
	const struct profile *p = f->profile;

	f->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		PERF_SAMPLE_TIME |
			 PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	f->cpus = profile_cpus(p);
	for (size_t i = 0; i < p->origins.room; i++) {
		const struct origin *o = p->origins.slot[i].element;

		if (!o || !f->id[o->event])
			continue;
		f->sample_type |= o->frames ? PERF_SAMPLE_CALLCHAIN : 0;
		f->sample_type |= o->steps ? PERF_SAMPLE_BRANCH_STACK : 0;
		f->sample_type |= o->has_latency ? PERF_SAMPLE_WEIGHT : 0;
		f->sample_type |= o->has_data || o->has_source ? PERF_SAMPLE_DATA_SRC : 0;
	}
}

#define CHUNK	65536	/* bytes to write at once, at least */

// Writes the buffer to the file and empties it. False after a complaint.
static bool flush(struct perf_file *f, struct output *output)
{
	const bool ok = !f->out.failed && fwrite(f->out.byte, 1, f->out.size,
						 output->file) == f->out.size;

	if (!ok)
		complain("%s: %s", output->path, strerror(f->out.failed ? ENOMEM : errno));
	f->written += f->out.size;
	f->out.size = 0;
	return ok;
}

static bool write_samples(struct perf_file *f, struct output *output)
{
	bool ok = true;

	for (size_t i = 0; ok && i < f->profile->count; i++) {
		if (f->id[f->profile->sample[i].origin->event])
			add_sample(f, &f->profile->sample[i]);
		if (f->out.size >= CHUNK)
			ok = flush(f, output);
	}
	return ok;
}

bool write_perf_data(struct profile *p, struct output *output)
{
	struct perf_file f = {.profile = p};
	size_t data;
	bool ok;

	if (!p->elf)
		complain("perf finds no names of functions: no ELF file is at hand (--elf=IMAGE)");
	for (unsigned i = 0; i < p->file.event_count; i++)
		f.id[i] = profile_has(p, i) ? ++f.events : 0;
	choose_parts(&f);
	add_header(&f);
	data = f.out.size;
	add_comm(&f);
	ok = !p->elf || image_segments(p->elf, add_mapping, &f);
	bytes_set_number(&f.out, 48, f.out.size - data + size_of_samples(&f), 8);
	ok = ok && write_samples(&f, output);
	add_features(&f);
	ok = ok && flush(&f, output);
	bytes_free(&f.out);
	return ok;
}
