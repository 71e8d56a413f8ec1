// SPDX-License-Identifier: BSD-2-Clause
// Binary traces (trace.h).

#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "trace_read.h"

static const unsigned char magic[8] = {TRACE_FIRST_BYTE, 'P', 'M', 'T', '\r', '\n', 0x1A, '\n'};

#define LITTLE(x) _Generic((x), uint8_t: (x), uint16_t: le16toh((uint16_t)(x)), uint32_t: le32toh((uint32_t)(x)), \
			   uint64_t: le64toh(x))
#define FIELD_BYTES(name, type) sizeof(type),
#define FIELDS_TOGETHER(name, type) + sizeof(type)

static const uint8_t field_bytes[] = {TRACE_FIELDS(FIELD_BYTES)};
_Static_assert(4 TRACE_FIELDS(FIELDS_TOGETHER) <= RECORD_MAX, "length of a record");
_Static_assert(TRACE_FIELD_COUNT == 16, "a record's 2 bytes of fields");

static int record_wrong(struct trace *t, const char *what)
{
	return trace_fail(t, "%s: offset %" PRIu64 ": expected %s", t->name, t->offset + t->from, what);
}

#define OLD_VERSION		1
#define OLD_HEADER_BYTES	(TRACE_HEADER_BYTES - TRACE_TARGET_SIZE)

// Reads the target's name from a header, where it is padded with 0.
static int read_target(struct trace *t)
{
	char name[TRACE_TARGET_SIZE];
	const char *why = NULL;
	size_t length;

	memcpy(name, t->data + t->from, sizeof name);
	length = strnlen(name, sizeof name);
	for (size_t i = length; i < sizeof name; i++)
		if (name[i])
			why = "a target's name, filled with 0";
	if (length == sizeof name)
		why = "a target's name, with its end";
	if (!why && length)
		why = trace_take_target(t, name);
	if (why)
		return record_wrong(t, why);
	t->from += sizeof name;
	return 1;
}

int trace_read_header(struct trace *t)
{
	uint32_t version, zero;

	if (!trace_need(t, TRACE_HEADER_BYTES))
		return -1;
	if (t->to - t->from < sizeof magic || memcmp(t->data + t->from, magic, sizeof magic))
		return record_wrong(t, "a trace's first 8 bytes");
	if (t->to - t->from < OLD_HEADER_BYTES)
		return record_wrong(t, "a header of 56 bytes");
	memcpy(&version, t->data + t->from + 8, sizeof version);
	memcpy(&zero, t->data + t->from + 12, sizeof zero);
	memcpy(&t->records, t->data + t->from + 16, sizeof t->records);
	memcpy(&t->record_bytes, t->data + t->from + 24, sizeof t->record_bytes);
	version = LITTLE(version);
	if (version == TRACE_VERSION && t->to - t->from < TRACE_HEADER_BYTES)
		return record_wrong(t, "a header of 56 bytes");
	t->from += 8;
	if (version != TRACE_VERSION && version != OLD_VERSION)
		return record_wrong(t, "version 1 or 2");
	t->from += 4;
	if (zero)
		return record_wrong(t, "0");
	t->from += OLD_HEADER_BYTES - 12;
	t->records = LITTLE(t->records);
	t->record_bytes = LITTLE(t->record_bytes);
	return version == OLD_VERSION ? 1 : read_target(t);
}

// Reads a field if the record has it.
#define FETCH(name, where)							\
	if (fields & 1u << TRACE_##name) {					\
		__typeof__(where) fetched;					\
										\
		memcpy(&fetched, p, sizeof fetched);				\
		where = LITTLE(fetched);					\
		p += sizeof fetched;						\
	}

#define BRANCH_BITS (OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_WRONG_PATH | OCCURRENCE_WRONG_TARGET | \
		     OCCURRENCE_KIND)

// The error in a record's values; NULL: none.
static const char *values_wrong(const struct trace *t, const struct occurrence *o)
{
	const unsigned type = o->type & ~ENGINE_BITS;

	if (o->level > LEVEL_MAX)
		return "a privilege level from 0 to 3";
	if (o->isa > ISA_MAX)
		return "an instruction set 0 or 1";
	if (o->slot > SLOT_MAX)
		return "a slot from 0 to 2";
	if (type > OCCURRENCE_TYPE_COMMIT || type & (type - 1))
		return "an instruction type 0, 1, 2, 4, 8 or 16";
	if ((o->type & ENGINE_BITS) == ENGINE_BITS)
		return "a reference by one of RSE and VHPT";
	if (o->branch & ~BRANCH_BITS ||
	    (!(o->branch & OCCURRENCE_BRANCH) && o->branch & (OCCURRENCE_TAKEN | OCCURRENCE_KIND)))
		return "a branch's bits";
	if (o->thread >= t->threads)
		return "a thread that the processor has";
	return NULL;
}

// Reads the fields after IP, which most records lack. Returns the position after them.
#define RARE_FIELDS ((unsigned)(~0u << TRACE_ISA))

__attribute__((noinline)) static const unsigned char *fetch_rare(struct occurrence *o, unsigned fields,
								 const unsigned char *p)
{
	FETCH(ISA, o->isa)
	FETCH(SLOT, o->slot)
	FETCH(OPCODE, o->opcode)
	FETCH(TYPE, o->type)
	FETCH(ADDRESS, o->address)
	FETCH(LATENCY, o->latency)
	FETCH(SERVED, o->served)
	FETCH(BRANCH, o->branch)
	FETCH(TARGET, o->target)
	FETCH(THREAD, o->thread)
	o->data = fields >> TRACE_ADDRESS & 1;
	return p;
}

// The length of a record, in bytes.
static size_t record_length(uint16_t fields)
{
	size_t length = 2 * sizeof(uint16_t);

	for (unsigned i = 0; i < TRACE_FIELD_COUNT; i++)
		length += fields >> i & 1 ? field_bytes[i] : 0;
	return length;
}

// Reads the record at *record and moves *record past it. Returns the error; NULL: none.
static inline const char *read_record(const struct trace *t, const unsigned char **record, struct reached *reached,
				      struct occurrence *o)
{
	const unsigned char *p = *record;
	uint64_t start = reached->end, cycles = 1;
	uint16_t fields;

	*o = (struct occurrence){.n = 1};
	memcpy(&fields, p, sizeof fields);
	memcpy(&o->code, p + sizeof fields, sizeof o->code);
	fields = LITTLE(fields);
	o->code = LITTLE(o->code);
	p += sizeof fields + sizeof o->code;
	FETCH(START, start)
	FETCH(CYCLES, cycles)
	FETCH(N, o->n)
	FETCH(SUB, o->sub)
	FETCH(LEVEL, o->level)
	FETCH(IP, o->ip)
	if (fields & RARE_FIELDS)
		p = fetch_rare(o, fields, p);
	if (fields & (RARE_FIELDS | 1u << TRACE_LEVEL)) {
		const char *wrong = values_wrong(t, o);

		if (!wrong && t->meanings)
			wrong = trace_agree(t->meanings, o);
		if (wrong)
			return wrong;
	}
	if (cycles == 0 || !take_cycles(reached, start, cycles, o->n))
		return "cycles from the last record's start on, and an end and a number of events below 2^56";
	*record = p;
	return NULL;
}

// Whether the next record is complete; the end of the file may cut it off.
static bool is_whole(const struct trace *t)
{
	size_t left = t->to - t->from;
	uint16_t fields;

	if (left < 2 * sizeof fields)
		return false;
	memcpy(&fields, t->data + t->from, sizeof fields);
	return left >= record_length(LITTLE(fields));
}

// Makes sure that the next record is in memory.
static int have_record(struct trace *t)
{
	if (!trace_need(t, RECORD_MAX))
		return -1;
	if (is_whole(t))
		return 1;
	t->from = t->to;
	return record_wrong(t, "more: the file is cut off");
}

// Reads records as long as the longest possible one is in memory; at least one, which the caller
// has checked.
static int read_some_records(struct trace *t, struct trace_batch *batch)
{
	const unsigned char *const first = t->data + t->from, *p = first;
	struct reached reached = t->reached;	// a copy, which can stay in registers
	const size_t room = TRACE_BATCH - batch->count, most = t->records < room ? t->records : room;
	const char *wrong = NULL;
	size_t count = 0;

	do {
		wrong = read_record(t, &p, &reached, &batch->occurrence[batch->count]);
		if (wrong)
			break;
		batch->start[batch->count] = reached.start;
		batch->line[batch->count] = t->line + count + 1;
		batch->end[batch->count++] = reached.end;
	} while (++count < most && (size_t)(t->data + t->to - p) >= RECORD_MAX);
	t->reached = reached;
	t->from += (size_t)(p - first);
	t->line += count;
	t->records -= count;
	if (wrong)
		return record_wrong(t, wrong);
	if ((size_t)(p - first) > t->record_bytes)
		return record_wrong(t, "the end of the records, as the header says");
	t->record_bytes -= (size_t)(p - first);
	return 1;
}

int trace_read_records(struct trace *t, struct trace_batch *batch)
{
	while (batch->count < TRACE_BATCH && t->records)
		if (have_record(t) < 0 || read_some_records(t, batch) < 0)
			return -1;
	if (t->records)
		return 0;
	if (!trace_need(t, 1))
		return -1;
	return t->record_bytes || t->from < t->to ? record_wrong(t, "the end of the file, as the header says") : 0;
}

//
// Writing
//

static bool write_header(struct trace_writer *w, uint64_t records, uint64_t bytes)
{
	uint32_t version = htole32(TRACE_VERSION), zero = 0;

	records = htole64(records);
	bytes = htole64(bytes);
	return fwrite(magic, sizeof magic, 1, w->file) == 1 && fwrite(&version, sizeof version, 1, w->file) == 1 &&
	       fwrite(&zero, sizeof zero, 1, w->file) == 1 && fwrite(&records, sizeof records, 1, w->file) == 1 &&
	       fwrite(&bytes, sizeof bytes, 1, w->file) == 1 &&
	       fwrite(w->target, sizeof w->target, 1, w->file) == 1;
}

bool trace_write_start(struct trace_writer *w, FILE *file, const char *target)
{
	*w = (struct trace_writer){.file = file};
	strncpy(w->target, target, sizeof w->target - 1);
	return write_header(w, 0, 0);
}

// Appends a field to the record unless it has its default value.
#define PUT(name, value, omitted)						\
	if ((value) != (omitted)) {						\
		__typeof__(value) put = LITTLE(value);				\
										\
		fields |= 1u << TRACE_##name;					\
		memcpy(p, &put, sizeof put);					\
		p += sizeof put;						\
	}

static size_t make_record(const struct occurrence *o, uint64_t start, uint64_t cycles, uint64_t last_end,
			  unsigned char record[RECORD_MAX])
{
	unsigned char *p = record + 4;
	uint16_t fields = 0, code = htole16(o->code);

	PUT(START, start, last_end)
	PUT(CYCLES, cycles, 1)
	PUT(N, o->n, 1)
	PUT(SUB, o->sub, 0)
	PUT(LEVEL, o->level, 0)
	PUT(IP, o->ip, 0)
	PUT(ISA, o->isa, 0)
	PUT(SLOT, o->slot, 0)
	PUT(OPCODE, o->opcode, 0)
	PUT(TYPE, o->type, 0)
	if (o->data) {
		uint64_t address = htole64(o->address);

		fields |= 1u << TRACE_ADDRESS;
		memcpy(p, &address, sizeof address);
		p += sizeof address;
	}
	PUT(LATENCY, o->latency, 0)
	PUT(SERVED, o->served, 0)
	PUT(BRANCH, o->branch, 0)
	PUT(TARGET, o->target, 0)
	PUT(THREAD, o->thread, 0)
	fields = htole16(fields);
	memcpy(record, &fields, sizeof fields);
	memcpy(record + 2, &code, sizeof code);
	return (size_t)(p - record);
}

bool trace_write(struct trace_writer *w, const struct trace_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		unsigned char record[RECORD_MAX];
		size_t length = make_record(&batch->occurrence[i], batch->start[i], batch->end[i] - batch->start[i],
					    w->end, record);

		if (fwrite(record, length, 1, w->file) != 1)
			return false;
		w->records++;
		w->bytes += length;
		w->end = batch->end[i];
	}
	return true;
}

bool trace_write_end(struct trace_writer *w)
{
	return fseeko(w->file, 0, SEEK_SET) == 0 && write_header(w, w->records, w->bytes) && fflush(w->file) == 0;
}
