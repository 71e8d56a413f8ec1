// SPDX-License-Identifier: BSD-2-Clause
// palmon convert --pprof: pprof's protocol buffer, compressed by gzip. Fields: proto/profile.proto
// in pprof; encoding: Protocol Buffers, "Encoding". Each sample has one value per event: the number
// of events that it stands for.

#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "convert.h"
#include "image.h"
#include "palmon.h"

// Field numbers by message.
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6, PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12,
	VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2,
	SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3,
	LABEL_KEY = 1, LABEL_NUM = 3,
	MAPPING_ID = 1, MAPPING_MEMORY_START = 2, MAPPING_MEMORY_LIMIT = 3, MAPPING_FILE_OFFSET = 4,
	MAPPING_FILENAME = 5, MAPPING_BUILD_ID = 6,
	LOCATION_ID = 1, LOCATION_MAPPING_ID = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4,
	LINE_FUNCTION_ID = 1,
	FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3,
};

#define WIRE_VARINT	0
#define WIRE_BYTES	2

#define MAPPINGS_MOST	16

struct pprof {
	const struct profile *profile;
	struct bytes_out out;
	struct numbers strings, locations, functions;	// locations: by address
	struct {
		uint64_t start, limit;
	} mapping[MAPPINGS_MOST];
	unsigned mappings;
	unsigned column[SAMPLES_EVENTS];		// column of each event's value
	unsigned columns;
};

//
// Encoding
//

static void add_varint(struct bytes_out *out, uint64_t value)
{
	for (; value > 0x7F; value >>= 7)
		bytes_add_number(out, (value & 0x7F) | 0x80, 1);
	bytes_add_number(out, value, 1);
}

static void add_integer(struct bytes_out *out, unsigned field, uint64_t value)
{
	add_varint(out, field << 3 | WIRE_VARINT);
	add_varint(out, value);
}

static void add_bytes(struct bytes_out *out, unsigned field, const void *bytes, size_t size)
{
	add_varint(out, field << 3 | WIRE_BYTES);
	add_varint(out, size);
	bytes_add(out, bytes, size);
}

// Adds a finished message and frees it.
static void add_message(struct bytes_out *out, unsigned field, struct bytes_out *message)
{
	add_bytes(out, field, message->byte, message->size);
	out->failed |= message->failed;
	bytes_free(message);
}

// The index of a string in the string table; adds a new string.
static unsigned string(struct pprof *w, const char *text)
{
	bool is_new;
	const unsigned number = numbers_find(&w->strings, text, &is_new);

	if (is_new)
		add_bytes(&w->out, PROFILE_STRING_TABLE, text, strlen(text));
	return number;
}

static void add_value_type(struct pprof *w, unsigned field, const char *type)
{
	struct bytes_out message = {0};

	add_integer(&message, VALUE_TYPE_TYPE, string(w, type));
	add_integer(&message, VALUE_TYPE_UNIT, string(w, "count"));
	add_message(&w->out, field, &message);
}

//
// Locations
//

static void add_mapping(void *context, uint64_t address, uint64_t size, uint64_t offset)
{
	struct pprof *w = context;
	struct bytes_out message = {0};

	if (w->mappings == MAPPINGS_MOST)
		return;
	w->mapping[w->mappings].start = address;
	w->mapping[w->mappings++].limit = address + size;
	add_integer(&message, MAPPING_ID, w->mappings);
	add_integer(&message, MAPPING_MEMORY_START, address);
	add_integer(&message, MAPPING_MEMORY_LIMIT, address + size);
	add_integer(&message, MAPPING_FILE_OFFSET, offset);
	add_integer(&message, MAPPING_FILENAME, string(w, w->profile->elf));
	add_integer(&message, MAPPING_BUILD_ID, string(w, w->profile->file.build_id));
	add_message(&w->out, PROFILE_MAPPING, &message);
}

// The ID of a function; its name identifies it.
static unsigned function(struct pprof *w, const char *name)
{
	struct bytes_out message = {0};
	bool is_new;
	const unsigned id = numbers_find(&w->functions, name, &is_new) + 1;

	if (!is_new)
		return id;
	add_integer(&message, FUNCTION_ID, id);
	add_integer(&message, FUNCTION_NAME, string(w, name));
	add_integer(&message, FUNCTION_SYSTEM_NAME, string(w, name));
	add_message(&w->out, PROFILE_FUNCTION, &message);
	return id;
}

static unsigned location(struct pprof *w, uint64_t address)
{
	struct bytes_out message = {0}, line = {0};
	char text[NAMES_PLACE];
	bool is_new;
	unsigned id;

	snprintf(text, sizeof text, "%llx", (unsigned long long)address);
	id = numbers_find(&w->locations, text, &is_new) + 1;
	if (!is_new)
		return id;
	add_integer(&message, LOCATION_ID, id);
	for (unsigned i = 0; i < w->mappings; i++)
		if (address >= w->mapping[i].start && address < w->mapping[i].limit)
			add_integer(&message, LOCATION_MAPPING_ID, i + 1);
	add_integer(&message, LOCATION_ADDRESS, address);
	add_integer(&line, LINE_FUNCTION_ID, function(w, profile_function(w->profile, address, text)));
	add_message(&message, LOCATION_LINE, &line);
	add_message(&w->out, PROFILE_LOCATION, &message);
	return id;
}

static void add_sample(struct pprof *w, const struct sample *s)
{
	struct bytes_out message = {0}, list = {0}, label = {0};

	for (unsigned i = 0; i <= s->frames; i++)
		add_varint(&list, location(w, profile_frame(s, i)));
	add_message(&message, SAMPLE_LOCATION_ID, &list);
	for (unsigned i = 0; i < w->columns; i++)
		add_varint(&list, i == w->column[s->key.event] ? profile_weight(w->profile, s) : 0);
	add_message(&message, SAMPLE_VALUE, &list);
	add_integer(&label, LABEL_KEY, string(w, "cpu"));
	add_integer(&label, LABEL_NUM, s->cpu);
	add_message(&message, SAMPLE_LABEL, &label);
	add_message(&w->out, PROFILE_SAMPLE, &message);
}

//
// The file
//

// Compresses in gzip's format.
static void compress_bytes(struct bytes_out *out)
{
	z_stream stream = {.next_in = out->byte, .avail_in = (uInt)out->size};
	struct bytes_out packed = {.failed = out->failed};

	if (packed.failed || deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL,
					  Z_DEFAULT_STRATEGY) != Z_OK) {
		out->failed = true;
		return;
	}
	bytes_add_zeros(&packed, deflateBound(&stream, out->size));
	stream.next_out = packed.byte;
	stream.avail_out = (uInt)packed.size;
	packed.failed |= !packed.failed && deflate(&stream, Z_FINISH) != Z_STREAM_END;
	packed.size = stream.total_out;
	deflateEnd(&stream);
	bytes_free(out);
	*out = packed;
}

bool write_pprof(const struct profile *p, struct output *output)
{
	struct pprof w = {.profile = p};
	bool ok = true;

	string(&w, "");
	for (unsigned i = 0; i < p->file.event_count; i++)
		if (profile_has(p, i)) {
			w.column[i] = w.columns++;
			add_value_type(&w, PROFILE_SAMPLE_TYPE, p->file.event[i].name);
		}
	for (unsigned i = 0; i < p->file.event_count && w.columns == 1; i++)
		if (profile_has(p, i)) {
			add_value_type(&w, PROFILE_PERIOD_TYPE, p->file.event[i].name);
			add_integer(&w.out, PROFILE_PERIOD, p->file.event[i].period);
		}
	ok = !p->elf || image_segments(p->elf, add_mapping, &w);
	for (size_t i = 0; i < p->count; i++)
		if (profile_has(p, p->sample[i]->key.event))
			add_sample(&w, p->sample[i]);
	compress_bytes(&w.out);
	json_decref(w.strings.of);
	json_decref(w.locations.of);
	json_decref(w.functions.of);
	return output_bytes(output, &w.out) && ok;
}
