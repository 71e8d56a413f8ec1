// SPDX-License-Identifier: BSD-2-Clause
// Trace files: trace.h. Reading is in two steps: lines, out of text or binary records; and segments, in which the
// lines that overlap are put together.

#include "trace.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES	(256 * 1024)
#define RECORD_MAX	80		/* no record is longer */

#define LEVEL_MAX	3
#define ISA_MAX		1
#define SLOT_MAX	2
#define KIND_MAX	(OCCURRENCE_KIND / KIND_UNIT)
#define KIND_UNIT	OCCURRENCE_KIND_CONDITIONAL	/* kinds are numbered in these */

static const unsigned char magic[8] = {0x89, 'P', 'M', 'T', '\r', '\n', 0x1A, '\n'};

enum form {
	FORM_UNKNOWN,
	FORM_TEXT,
	FORM_BINARY,
};

// How far the lines have come.
struct reached {
	uint64_t start, end;		// of the last line
	uint64_t events;		// of all lines
};

struct trace {
	const char *name;		// of the file, for messages
	unsigned threads;
	const struct pmu_model *model;	// of whose trace it is; NULL: not known
	enum form form;
	char error[512];
	const char *expected;		// target; NULL: any
	char target[TRACE_TARGET_SIZE];

	// The part of the file that is in memory: bytes from `from` to `to` are not read yet.
	int fd;				// -1: all of it is
	off_t first;			// where in the file the trace starts
	uint64_t size;			// of the file, 0: not known
	const unsigned char *data;
	unsigned char *buffer;
	size_t from, to;
	uint64_t offset;		// of data[0] in the trace
	bool ended;			// nothing follows behind `to`

	uint64_t line;			// number of the last one
	bool begun;			// there was one that is an occurrence
	struct reached reached;
	uint64_t records;		// binary: still to come
	uint64_t record_bytes;

	// Segments: lines of batch[current] from `next`; those that happen in cycle `now`.
	struct trace_batch batch[2];
	unsigned current;
	size_t next;
	bool last;			// no line follows this batch's
	uint64_t now;
	size_t active_count;
	uint64_t active_end[TRACE_OVERLAP_MAX];
	struct occurrence active[TRACE_OVERLAP_MAX];
	struct occurrence wires[2][TRACE_OVERLAP_MAX];
	unsigned wires_current;
};

//
// The file
//

__attribute__((format(printf, 2, 3))) static int fail(struct trace *t, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(t->error, sizeof t->error, format, arguments);
	va_end(arguments);
	return -1;
}

static void start_again(struct trace *t)
{
	t->form = FORM_UNKNOWN;
	t->target[0] = '\0';
	t->model = t->expected ? pmu_model_find(t->expected) : NULL;
	t->line = 0;
	t->begun = false;
	t->reached = (struct reached){0};
	t->batch[0].count = t->batch[1].count = 0;
	t->next = t->now = t->active_count = 0;
	t->last = false;
}

struct trace *trace_open_memory(const char *name, const void *data, size_t size, unsigned threads)
{
	struct trace *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->name = name;
	t->threads = threads;
	t->fd = -1;
	t->data = data;
	t->to = t->size = size;
	t->ended = true;
	return t;
}

struct trace *trace_open(const char *path, unsigned threads)
{
	bool standard_input = !strcmp(path, "-");
	struct trace *t = trace_open_memory(standard_input ? "standard input" : path, NULL, 0, threads);
	struct stat status;

	if (!t)
		return NULL;
	t->ended = false;
	t->data = t->buffer = malloc(BUFFER_BYTES);
	t->fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (!t->buffer || t->fd < 0 || fstat(t->fd, &status) < 0) {
		trace_close(t);
		return NULL;
	}
	t->first = lseek(t->fd, 0, SEEK_CUR);
	if (S_ISREG(status.st_mode) && t->first >= 0)
		t->size = (uint64_t)(status.st_size - t->first);
	return t;
}

void trace_close(struct trace *t)
{
	int why = errno;

	if (t->fd > STDIN_FILENO)
		close(t->fd);
	free(t->buffer);
	free(t);
	errno = why;
}

const char *trace_error(const struct trace *t)
{
	return t->error;
}

void trace_expect(struct trace *t, const char *target)
{
	t->expected = target;
	t->model = pmu_model_find(target);
}

const char *trace_target(const struct trace *t)
{
	return t->target;
}

struct trace_progress trace_progress(const struct trace *t)
{
	return (struct trace_progress){.lines = t->line, .bytes = t->offset + t->from, .size = t->size};
}

// Reads until so many bytes are there, or the file has ended.
static bool need(struct trace *t, size_t bytes)
{
	if (t->to - t->from >= bytes || t->ended)
		return true;
	memmove(t->buffer, t->buffer + t->from, t->to - t->from);
	t->offset += t->from;
	t->to -= t->from;
	t->from = 0;
	while (t->to < bytes && !t->ended) {
		ssize_t got = read(t->fd, t->buffer + t->to, BUFFER_BYTES - t->to);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			fail(t, "%s: %s", t->name, strerror(errno));
			return false;
		}
		t->ended = got == 0;
		t->to += (size_t)got;
	}
	return true;
}

static bool copy_to(struct trace *t, int fd)
{
	for (;;) {
		if (!need(t, 1))
			return false;
		if (t->from == t->to)
			return true;
		while (t->from < t->to) {
			ssize_t put = write(fd, t->data + t->from, t->to - t->from);

			if (put < 0 && errno != EINTR) {
				fail(t, "a temporary copy of %s: %s", t->name, strerror(errno));
				return false;
			}
			t->from += put > 0 ? (size_t)put : 0;
		}
	}
}

bool trace_keep(struct trace *t)
{
	FILE *file;
	bool copied;

	if (t->fd < 0 || t->first >= 0)
		return true;
	file = tmpfile();
	if (!file) {
		fail(t, "a temporary copy of %s: %s", t->name, strerror(errno));
		return false;
	}
	copied = copy_to(t, fileno(file));
	if (copied) {
		if (t->fd > STDIN_FILENO)
			close(t->fd);
		t->fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, STDIN_FILENO + 1);
		t->first = 0;
		t->size = t->offset + t->from;
		trace_rewind(t);
	}
	fclose(file);
	return copied && t->fd >= 0;
}

void trace_rewind(struct trace *t)
{
	start_again(t);
	t->from = 0;
	if (t->fd < 0)
		return;
	lseek(t->fd, t->first, SEEK_SET);
	t->to = 0;
	t->offset = 0;
	t->ended = false;
}

//
// Text
//

// What a line's words are. F(KEY, name, least, most)
#define KEYS(F)						\
	F(START, "t", 0, TRACE_END_MAX)			\
	F(CYCLES, "cycles", 1, TRACE_END_MAX)		\
	F(N, "n", 0, UINT32_MAX)			\
	F(CODE, "code", 0, UINT16_MAX)			\
	F(SUB, "sub", 0, UINT16_MAX)			\
	F(LEVEL, "cpl", 0, LEVEL_MAX)			\
	F(ISA, "isa", 0, ISA_MAX)			\
	F(IP, "ip", 0, UINT64_MAX)			\
	F(SLOT, "slot", 0, SLOT_MAX)			\
	F(OPCODE, "op", 0, UINT64_MAX)			\
	F(TYPE, "itype", 0, OCCURRENCE_TYPE_COMMIT)	\
	F(BY, "by", OCCURRENCE_TYPE_RSE, OCCURRENCE_TYPE_WALKER) \
	F(ADDRESS, "addr", 0, UINT64_MAX)		\
	F(LATENCY, "lat", 0, UINT32_MAX)		\
	F(SERVED, "level", 0, UINT8_MAX)		\
	F(TAKEN, "taken", 0, 1)				\
	F(TARGET, "target", 0, UINT64_MAX)		\
	F(KIND, "kind", 0, KIND_MAX)			\
	F(MISPREDICTED, "mp", 0, 3)			\
	F(THREAD, "thread", 0, UINT8_MAX)

#define KEY_NUMBER(key, name, least, most) KEY_##key,
#define KEY_ROW(key, name, least, most) {name, sizeof name - 1, least, most},

enum { KEYS(KEY_NUMBER) KEY_COUNT };

static const struct {
	const char *name;
	size_t length;
	uint64_t least, most;
} keys[] = {KEYS(KEY_ROW)};

static const char key_names[] =
	"t, cycles, n, code, sub, cpl, isa, ip, slot, op, itype, by, addr, lat, level, taken, target, kind, mp "
	"or thread";

// A line while it is read.
struct line {
	const unsigned char *text, *end;
	uint64_t value[KEY_COUNT];
	uint32_t given;			// bits of keys
	const unsigned char *at[KEY_COUNT];	// where the values were
};

static int expected(struct trace *t, const struct line *l, const unsigned char *at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static int expected(struct trace *t, const struct line *l, const unsigned char *at, const char *format, ...)
{
	va_list arguments;
	char what[256];

	va_start(arguments, format);
	vsnprintf(what, sizeof what, format, arguments);
	va_end(arguments);
	return fail(t, "%s:%" PRIu64 ":%zu: expected %s", t->name, t->line, (size_t)(at - l->text) + 1, what);
}

static bool is_blank(unsigned char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool ends_word(const struct line *l, const unsigned char *p)
{
	return p == l->end || is_blank(*p) || *p == '#';
}

static unsigned digit(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 'a' ^ 'A';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10u : 16;
}

// Reads the number at *p up to the end of the word.
static bool read_number(const struct line *l, const unsigned char **p, uint64_t *number)
{
	const unsigned char *at = *p;
	unsigned base = 10;

	if (l->end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x') {
		base = 16;
		at += 2;
	}
	*number = 0;
	if (ends_word(l, at))
		return false;
	for (; !ends_word(l, at); at++)
		if (digit(*at) >= base || __builtin_mul_overflow(*number, base, number) ||
		    __builtin_add_overflow(*number, digit(*at), number))
			return false;
	*p = at;
	return true;
}

// Instruction types are letters too.
static bool read_type(const struct line *l, const unsigned char **p, uint64_t *type)
{
	static const char letters[] = "bfimc";	// in the order of the OCCURRENCE_TYPE bits
	const char *letter;

	if (!ends_word(l, *p) && ends_word(l, *p + 1) && **p && (letter = strchr(letters, **p | 0x20))) {
		*type = 1ULL << (letter - letters);
		++*p;
		return true;
	}
	return read_number(l, p, type) && !(*type & (*type - 1));
}

// Whether a word is at *p; moves *p behind it.
static bool skip_word(const struct line *l, const unsigned char **p, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(l->end - *p) < length || memcmp(*p, word, length) || !ends_word(l, *p + length))
		return false;
	*p += length;
	return true;
}

// Kinds of branches have names. The order is that of the OCCURRENCE_KIND numbers.
static const char *const kind_names[KIND_MAX + 1] = {"0", "cond", "call", "icall", "ret", "ijmp", "jmp", "far"};

static bool read_kind(const struct line *l, const unsigned char **p, uint64_t *kind)
{
	for (*kind = 1; *kind <= KIND_MAX; ++*kind)
		if (skip_word(l, p, kind_names[*kind]))
			return true;
	return read_number(l, p, kind);
}

// Whose reference it is, if not the instruction's own.
static const struct {
	const char *name;
	uint8_t type;
} engines[] = {{"rse", OCCURRENCE_TYPE_RSE}, {"vhpt", OCCURRENCE_TYPE_WALKER}};

#define ENGINES (sizeof engines / sizeof *engines)

static bool read_engine(const struct line *l, const unsigned char **p, uint64_t *type)
{
	for (size_t i = 0; i < ENGINES; i++)
		if (skip_word(l, p, engines[i].name)) {
			*type = engines[i].type;
			return true;
		}
	return false;
}

// Reads the value at *p of a word.
static bool read_value(const struct line *l, unsigned key, const unsigned char **p, uint64_t *value)
{
	if (key == KEY_TYPE)
		return read_type(l, p, value);
	if (key == KEY_KIND)
		return read_kind(l, p, value);
	if (key == KEY_BY)
		return read_engine(l, p, value);
	return read_number(l, p, value);
}

static bool is_key(const struct line *l, const unsigned char *word, unsigned key)
{
	size_t length = keys[key].length;

	return *word == (unsigned char)keys[key].name[0] && (size_t)(l->end - word) >= length &&
	       !memcmp(word, keys[key].name, length) &&
	       (word + length == l->end || word[length] == '=' || ends_word(l, word + length));
}

// Reads the word at *p.
static int read_word(struct trace *t, struct line *l, const unsigned char **p)
{
	const unsigned char *word = *p;
	uint64_t most;
	unsigned key = 0;

	while (key < KEY_COUNT && !is_key(l, word, key))
		key++;
	if (key == KEY_COUNT)
		return expected(t, l, word, "%s", key_names);
	if (l->given >> key & 1)
		return expected(t, l, word, "%s= once", keys[key].name);
	*p = word + keys[key].length;
	if (*p == l->end || **p != '=')
		return expected(t, l, *p, "'=' behind %s", keys[key].name);
	l->at[key] = ++*p;
	most = key == KEY_THREAD ? t->threads - 1 : keys[key].most;
	if (!read_value(l, key, p, &l->value[key]) || l->value[key] < keys[key].least || l->value[key] > most) {
		if (key == KEY_TYPE)
			return expected(t, l, l->at[key], "itype=m, i, f, b, c, or 0, 1, 2, 4, 8, 16");
		if (key == KEY_BY)
			return expected(t, l, l->at[key], "by=rse, vhpt");
		if (key == KEY_KIND)
			return expected(t, l, l->at[key], "kind=cond, call, icall, ret, ijmp, jmp, far, or 0 to 7");
		return expected(t, l, l->at[key], "%s= a number from %" PRIu64 " to %" PRIu64, keys[key].name,
				keys[key].least, most);
	}
	l->given |= 1u << key;
	return 1;
}

// Takes over a line's cycles. False: they are wrong.
static inline bool take_cycles(struct reached *r, uint64_t start, uint64_t cycles, uint32_t n)
{
	uint64_t end, events;

	if (start < r->start || __builtin_add_overflow(start, cycles, &end) || end > TRACE_END_MAX ||
	    __builtin_mul_overflow(cycles, n, &events) || __builtin_add_overflow(r->events, events, &events) ||
	    events > TRACE_EVENTS_MAX)
		return false;
	*r = (struct reached){start, end, events};
	return true;
}

static int cycles_wrong(struct trace *t, const struct line *l, uint64_t start)
{
	if (start < t->reached.start)
		return expected(t, l, l->at[KEY_START], "t= from %" PRIu64 ", where the line before starts",
				t->reached.start);
	if (start + l->value[KEY_CYCLES] > TRACE_END_MAX)
		return expected(t, l, l->at[l->given >> KEY_CYCLES & 1 ? KEY_CYCLES : KEY_START],
				"an end no later than cycle %llu", TRACE_END_MAX);
	return expected(t, l, l->at[l->given >> KEY_CYCLES & 1 ? KEY_CYCLES : KEY_N],
			"no more than %llu events in all", TRACE_EVENTS_MAX);
}

static void make_occurrence(const struct line *l, struct occurrence *o)
{
	const uint64_t *value = l->value;

	*o = (struct occurrence){
		.code = (uint16_t)value[KEY_CODE], .sub = (uint16_t)value[KEY_SUB], .n = (uint32_t)value[KEY_N],
		.thread = (uint8_t)value[KEY_THREAD], .level = (uint8_t)value[KEY_LEVEL],
		.isa = (uint8_t)value[KEY_ISA], .type = (uint8_t)(value[KEY_TYPE] | value[KEY_BY]),
		.slot = (uint8_t)value[KEY_SLOT],
		.served = (uint8_t)value[KEY_SERVED], .data = l->given >> KEY_ADDRESS & 1,
		.latency = (uint32_t)value[KEY_LATENCY], .ip = value[KEY_IP], .opcode = value[KEY_OPCODE],
		.address = value[KEY_ADDRESS], .target = value[KEY_TARGET],
	};
	if (l->given & (1u << KEY_TAKEN | 1u << KEY_KIND)) {
		bool taken = l->given >> KEY_TAKEN & 1 ? value[KEY_TAKEN] : true;

		o->branch = (uint8_t)(OCCURRENCE_BRANCH | (taken ? OCCURRENCE_TAKEN : 0) | value[KEY_KIND] * KIND_UNIT);
	}
	o->branch |= (value[KEY_MISPREDICTED] & 1 ? OCCURRENCE_WRONG_PATH : 0) |
		     (value[KEY_MISPREDICTED] & 2 ? OCCURRENCE_WRONG_TARGET : 0);
}

// Words that a sub-event may say, too.
#define SAID_TWICE (1u << KEY_TAKEN | 1u << KEY_KIND | 1u << KEY_MISPREDICTED | 1u << KEY_SLOT | 1u << KEY_SERVED)

static int check_agreement(struct trace *t, const struct line *l, struct occurrence *o)
{
	const char *wrong = t->model && l->given & SAID_TWICE ? trace_agree(t->model, o) : NULL;

	return wrong ? expected(t, l, l->at[l->given >> KEY_SUB & 1 ? KEY_SUB : KEY_CODE], "%s", wrong) : 1;
}

// The targets' names, with commas between them.
static void list_targets(char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (const struct pmu_model *const *m = pmu_models; *m && used < size; m++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", (*m)->name);
}

// Whose trace it is. What is wrong with that; NULL: nothing. The text is there until the next call.
static const char *take_target(struct trace *t, const char *name)
{
	const struct pmu_model *model = pmu_model_find(name);
	static char why[256];
	char targets[160];

	if (!model) {
		list_targets(targets, sizeof targets);
		snprintf(why, sizeof why, "one of these targets: %s", targets);
		return why;
	}
	if (t->expected && strcmp(name, t->expected)) {
		snprintf(why, sizeof why, "a trace of %s; this is one of %s", t->expected, name);
		return why;
	}
	snprintf(t->target, sizeof t->target, "%s", name);
	t->model = model;
	if (model->threads < t->threads)
		t->threads = model->threads;
	return NULL;
}

// "target=NAME": a branch's target is a number.
static bool is_header(const struct line *l, const unsigned char *p)
{
	static const char key[] = "target=";
	const size_t length = sizeof key - 1;

	return (size_t)(l->end - p) > length && !memcmp(p, key, length) && !(p[length] >= '0' && p[length] <= '9') &&
	       !ends_word(l, p + length);
}

static int read_header_line(struct trace *t, const struct line *l, const unsigned char *p)
{
	const unsigned char *name = p + strlen("target="), *end = name;
	char target[TRACE_TARGET_SIZE];
	const char *why;

	while (!ends_word(l, end))
		end++;
	if (t->begun || t->target[0])
		return expected(t, l, p, "target= a number; target=NAME is the first line");
	if ((size_t)(end - name) >= sizeof target)
		return expected(t, l, name, "target= a target's name");
	snprintf(target, sizeof target, "%.*s", (int)(end - name), (const char *)name);
	why = take_target(t, target);
	if (why)
		return expected(t, l, name, "%s", why);
	while (end < l->end && is_blank(*end))
		end++;
	return end == l->end || *end == '#' ? 0 : expected(t, l, end, "the end of the line behind target=NAME");
}

// Reads a line into the batch, if it is not empty.
static int read_line(struct trace *t, struct line *l, struct trace_batch *batch)
{
	const unsigned char *p = l->text;
	uint64_t start;

	for (;;) {
		while (p < l->end && is_blank(*p))
			p++;
		if (p == l->end || *p == '#')
			break;
		if (!l->given && is_header(l, p))
			return read_header_line(t, l, p);
		if (read_word(t, l, &p) < 0)
			return -1;
	}
	if (!l->given)
		return 0;
	if (!(l->given >> KEY_CODE & 1))
		return expected(t, l, p, "code=");
	start = l->given >> KEY_START & 1 ? l->value[KEY_START] : t->reached.end;
	if (!take_cycles(&t->reached, start, l->value[KEY_CYCLES], (uint32_t)l->value[KEY_N]))
		return cycles_wrong(t, l, start);
	t->begun = true;
	batch->start[batch->count] = t->reached.start;
	batch->end[batch->count] = t->reached.end;
	batch->line[batch->count] = t->line;
	make_occurrence(l, &batch->occurrence[batch->count]);
	return check_agreement(t, l, &batch->occurrence[batch->count++]);
}

static int read_text(struct trace *t, struct trace_batch *batch)
{
	while (batch->count < TRACE_BATCH) {
		struct line l = {.value = {[KEY_CYCLES] = 1, [KEY_N] = 1}};
		const unsigned char *newline = NULL;

		if (t->to > t->from)
			newline = memchr(t->data + t->from, '\n', t->to - t->from);
		if (!newline && !need(t, TRACE_LINE_MAX + 1))
			return -1;
		if (t->from == t->to)
			return 0;
		l.text = t->data + t->from;
		if (!newline)
			newline = memchr(l.text, '\n', t->to - t->from);
		l.end = newline ? newline : t->data + t->to;
		for (unsigned key = 0; key < KEY_COUNT; key++)
			l.at[key] = l.text;
		t->line++;
		if (l.end - l.text > TRACE_LINE_MAX)
			return expected(t, &l, l.text + TRACE_LINE_MAX, "the end of the line");
		if (read_line(t, &l, batch) < 0)
			return -1;
		t->from = (size_t)(l.end - t->data) + (newline != NULL);
	}
	return 0;
}

//
// Binary records
//

#define LITTLE(x) _Generic((x), uint8_t: (x), uint16_t: le16toh((uint16_t)(x)), uint32_t: le32toh((uint32_t)(x)), \
			   uint64_t: le64toh(x))
#define FIELD_BYTES(name, type) sizeof(type),
#define FIELDS_TOGETHER(name, type) + sizeof(type)

static const uint8_t field_bytes[] = {TRACE_FIELDS(FIELD_BYTES)};
_Static_assert(4 TRACE_FIELDS(FIELDS_TOGETHER) <= RECORD_MAX, "length of a record");
_Static_assert(TRACE_FIELD_COUNT == 16, "a record's 2 bytes of fields");

static int record_wrong(struct trace *t, const char *what)
{
	return fail(t, "%s: offset %" PRIu64 ": expected %s", t->name, t->offset + t->from, what);
}

#define OLD_VERSION		1
#define OLD_HEADER_BYTES	(TRACE_HEADER_BYTES - TRACE_TARGET_SIZE)

// The name in a header, which is filled with 0 up to its end.
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
		why = take_target(t, name);
	if (why)
		return record_wrong(t, why);
	t->from += sizeof name;
	return 1;
}

static int read_header(struct trace *t)
{
	uint32_t version, zero;

	if (!need(t, TRACE_HEADER_BYTES))
		return -1;
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

// Fetches a field that the record has.
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

#define ENGINE_BITS (OCCURRENCE_TYPE_RSE | OCCURRENCE_TYPE_WALKER)

// What is wrong with a record's values; NULL: nothing.
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

// The fields behind IP, which most records do not have. Returns what follows them.
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

// The length of a record.
static size_t record_length(uint16_t fields)
{
	size_t length = 2 * sizeof(uint16_t);

	for (unsigned i = 0; i < TRACE_FIELD_COUNT; i++)
		length += fields >> i & 1 ? field_bytes[i] : 0;
	return length;
}

// Reads the record at *p. What is wrong with it; NULL: nothing, and *p is behind it.
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

		if (!wrong && t->model)
			wrong = trace_agree(t->model, o);
		if (wrong)
			return wrong;
	}
	if (cycles == 0 || !take_cycles(reached, start, cycles, o->n))
		return "cycles from the last record's start on, and an end and a number of events below 2^56";
	*record = p;
	return NULL;
}

// A record near the end of the file may be cut off.
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
	if (!need(t, RECORD_MAX))
		return -1;
	if (is_whole(t))
		return 1;
	t->from = t->to;
	return record_wrong(t, "more: the file is cut off");
}

// Reads the records that are in memory whole for sure; at least one, which is.
static int read_some_records(struct trace *t, struct trace_batch *batch)
{
	const unsigned char *const first = t->data + t->from, *p = first;
	struct reached reached = t->reached;	// a copy, for the compiler to keep in registers
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

static int read_records(struct trace *t, struct trace_batch *batch)
{
	while (batch->count < TRACE_BATCH && t->records)
		if (have_record(t) < 0 || read_some_records(t, batch) < 0)
			return -1;
	if (t->records)
		return 0;
	if (!need(t, 1))
		return -1;
	return t->record_bytes || t->from < t->to ? record_wrong(t, "the end of the file, as the header says") : 0;
}

//
// Lines
//

static int detect_form(struct trace *t)
{
	if (!need(t, sizeof magic))
		return -1;
	if (t->from == t->to || t->data[t->from] != magic[0]) {
		t->form = FORM_TEXT;
		return 1;
	}
	t->form = FORM_BINARY;
	if (t->to - t->from < sizeof magic || memcmp(t->data + t->from, magic, sizeof magic))
		return record_wrong(t, "a trace's first 8 bytes");
	return read_header(t);
}

int trace_lines(struct trace *t, struct trace_batch *batch)
{
	int result;

	batch->count = 0;
	if (t->error[0] || (t->form == FORM_UNKNOWN && detect_form(t) < 0))
		return -1;
	result = t->form == FORM_TEXT ? read_text(t, batch) : read_records(t, batch);
	return result < 0 ? -1 : batch->count > 0;
}

//
// Segments
//

// Makes sure that `next` is a line, unless there is none. The other batch is kept: it has the wires of the last
// segment, and this one, when full, has more lines than can be active without a new segment.
static int have_line(struct trace *t)
{
	if (t->next < t->batch[t->current].count || t->last)
		return 1;
	t->current ^= 1;
	t->next = 0;
	if (trace_lines(t, &t->batch[t->current]) < 0) {
		t->batch[t->current].count = 0;
		return -1;
	}
	t->last = t->batch[t->current].count < TRACE_BATCH;
	return 1;
}

// The usual case: lines that start and end together, with no other one in their cycles. NULL wires: it is not this.
static struct trace_segment simple_segment(struct trace *t)
{
	const struct trace_batch *batch = &t->batch[t->current];
	size_t first = t->next, behind = first + 1;

	while (behind < batch->count && batch->start[behind] == batch->start[first] &&
	       batch->end[behind] == batch->end[first])
		behind++;
	if (behind - first > TRACE_OVERLAP_MAX ||
	    (behind < batch->count ? batch->start[behind] < batch->end[first] : !t->last))
		return (struct trace_segment){0};
	t->next = behind;
	t->now = batch->end[first];
	return (struct trace_segment){&batch->occurrence[first], behind - first, t->now - batch->start[first]};
}

// Adds the lines that start now to the active ones.
static int activate(struct trace *t)
{
	for (;;) {
		const struct trace_batch *batch;

		if (have_line(t) < 0)
			return -1;
		batch = &t->batch[t->current];
		if (t->next == batch->count || batch->start[t->next] != t->now)
			return 1;
		if (t->active_count == TRACE_OVERLAP_MAX)
			return fail(t, "%s:%s%" PRIu64 ": expected no more than %d lines in cycle %" PRIu64, t->name,
				    t->form == FORM_TEXT ? "" : " record ", batch->line[t->next], TRACE_OVERLAP_MAX,
				    t->now);
		t->active_end[t->active_count] = batch->end[t->next];
		t->active[t->active_count++] = batch->occurrence[t->next++];
	}
}

// Up to where the first active line ends, or the next one starts.
static struct trace_segment active_segment(struct trace *t)
{
	const struct trace_batch *batch = &t->batch[t->current];
	uint64_t until = t->next < batch->count ? batch->start[t->next] : UINT64_MAX;
	struct trace_segment segment = {0};
	size_t left = 0;

	for (size_t i = 0; i < t->active_count; i++)
		if (t->active_end[i] < until)
			until = t->active_end[i];
	t->wires_current ^= 1;
	segment.wires = t->wires[t->wires_current];
	segment.count = t->active_count;
	segment.cycles = until - t->now;
	memcpy(t->wires[t->wires_current], t->active, t->active_count * sizeof *t->active);
	for (size_t i = 0; i < t->active_count; i++)
		if (t->active_end[i] > until) {
			t->active_end[left] = t->active_end[i];
			t->active[left++] = t->active[i];
		}
	t->active_count = left;
	t->now = until;
	return segment;
}

__attribute__((noinline)) static int next_segment(struct trace *t, struct trace_segment *segment)
{
	const struct trace_batch *batch;

	if (have_line(t) < 0)
		return -1;
	batch = &t->batch[t->current];
	if (!t->active_count) {
		if (t->next == batch->count)
			return 0;
		if (batch->start[t->next] > t->now) {
			*segment = (struct trace_segment){.cycles = batch->start[t->next] - t->now};
			t->now = batch->start[t->next];
			return 1;
		}
		*segment = simple_segment(t);
		if (segment->wires)
			return 1;
	}
	if (activate(t) < 0)
		return -1;
	*segment = active_segment(t);
	return 1;
}

// What must be fast: a line that is alone in its cycles.
int trace_next(struct trace *t, struct trace_segment *segment)
{
	const struct trace_batch *batch = &t->batch[t->current];
	size_t line = t->next;

	if (line + 1 >= batch->count || t->active_count || batch->start[line] != t->now ||
	    batch->start[line + 1] < batch->end[line])
		return next_segment(t, segment);
	segment->wires = &batch->occurrence[line];
	segment->count = 1;
	segment->cycles = batch->end[line] - t->now;
	t->now = batch->end[line];
	t->next = line + 1;
	return 1;
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

// Puts a field behind the record if it does not have its default value.
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

static void print_unless(FILE *file, const char *format, uint64_t value, uint64_t omitted)
{
	if (value != omitted)
		fprintf(file, format, value);
}

bool trace_print(FILE *file, const struct trace_batch *batch, uint64_t *end)
{
	for (size_t i = 0; i < batch->count; i++) {
		const struct occurrence *o = &batch->occurrence[i];
		unsigned mispredicted = (o->branch & OCCURRENCE_WRONG_PATH ? 1 : 0) |
					(o->branch & OCCURRENCE_WRONG_TARGET ? 2 : 0);

		print_unless(file, "t=%" PRIu64 " ", batch->start[i], *end);
		print_unless(file, "cycles=%" PRIu64 " ", batch->end[i] - batch->start[i], 1);
		fprintf(file, "code=0x%x", o->code);
		print_unless(file, " sub=0x%" PRIx64, o->sub, 0);
		print_unless(file, " n=%" PRIu64, o->n, 1);
		print_unless(file, " cpl=%" PRIu64, o->level, 0);
		print_unless(file, " isa=%" PRIu64, o->isa, 0);
		print_unless(file, " ip=0x%" PRIx64, o->ip, 0);
		print_unless(file, " slot=%" PRIu64, o->slot, 0);
		print_unless(file, " op=0x%" PRIx64, o->opcode, 0);
		print_unless(file, " itype=%" PRIu64, o->type & ~ENGINE_BITS, 0);
		for (size_t e = 0; e < ENGINES; e++)
			if (o->type & engines[e].type)
				fprintf(file, " by=%s", engines[e].name);
		if (o->data)
			fprintf(file, " addr=0x%" PRIx64, o->address);
		print_unless(file, " lat=%" PRIu64, o->latency, 0);
		print_unless(file, " level=%" PRIu64, o->served, 0);
		if (o->branch & OCCURRENCE_BRANCH)
			fprintf(file, " taken=%d", o->branch & OCCURRENCE_TAKEN ? 1 : 0);
		print_unless(file, " target=0x%" PRIx64, o->target, 0);
		if (o->branch & OCCURRENCE_KIND)
			fprintf(file, " kind=%s", kind_names[(o->branch & OCCURRENCE_KIND) / KIND_UNIT]);
		print_unless(file, " mp=%" PRIu64, mispredicted, 0);
		print_unless(file, " thread=%" PRIu64, o->thread, 0);
		fputc('\n', file);
		*end = batch->end[i];
	}
	return !ferror(file);
}
