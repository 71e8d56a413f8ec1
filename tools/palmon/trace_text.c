// SPDX-License-Identifier: BSD-2-Clause
// Text traces: one occurrence per line, as words key=value (trace.h).

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "trace_read.h"

#define LEVEL_MAX	3
#define ISA_MAX		1
#define SLOT_MAX	2
#define KIND_MAX	(OCCURRENCE_KIND / KIND_UNIT)
#define KIND_UNIT	OCCURRENCE_KIND_CONDITIONAL	// step between two kinds

#define ENGINE_BITS (OCCURRENCE_TYPE_RSE | OCCURRENCE_TYPE_WALKER)

// The words of a line. F(KEY, name, least, most)
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
	"t, cycles, n, code, sub, cpl, isa, ip, slot, op, itype, by, addr, lat, level, taken, "
	"target, kind, mp "
	"or thread";

// A line while it is parsed.
struct line {
	const unsigned char *text, *end;
	uint64_t value[KEY_COUNT];
	uint32_t given;			// bit n: key n is present
	const unsigned char *at[KEY_COUNT];	// positions of the values
};

static int expected(struct trace *t, const struct line *l, const unsigned char *at,
		    const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static int expected(struct trace *t, const struct line *l, const unsigned char *at,
		    const char *format, ...)
{
	va_list arguments;
	char what[256];

	va_start(arguments, format);
	vsnprintf(what, sizeof what, format, arguments);
	va_end(arguments);
	return trace_fail(t, "%s:%" PRIu64 ":%zu: expected %s", t->name, t->line,
			  (size_t)(at - l->text) + 1, what);
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

// Reads an instruction type: a letter or a number.
static bool read_type(const struct line *l, const unsigned char **p, uint64_t *type)
{
	static const char letters[] = "bfimc";	// in the order of the OCCURRENCE_TYPE bits
	const char *letter;

	if (!ends_word(l, *p) && ends_word(l, *p + 1) && **p &&
	    (letter = strchr(letters, **p | 0x20))) {
		*type = 1ULL << (letter - letters);
		++*p;
		return true;
	}
	return read_number(l, p, type) && !(*type & (*type - 1));
}

// Whether the word is at *p; moves *p past it.
static bool skip_word(const struct line *l, const unsigned char **p, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(l->end - *p) < length || memcmp(*p, word, length) ||
	    !ends_word(l, *p + length))
		return false;
	*p += length;
	return true;
}

// Names of branch kinds, in the order of the OCCURRENCE_KIND numbers.
static const char *const kind_names[KIND_MAX + 1] = {"0", "cond", "call", "icall", "ret", "ijmp",
						     "jmp", "far"};

static bool read_kind(const struct line *l, const unsigned char **p, uint64_t *kind)
{
	for (*kind = 1; *kind <= KIND_MAX; ++*kind)
		if (skip_word(l, p, kind_names[*kind]))
			return true;
	return read_number(l, p, kind);
}

// The engines that can make a reference instead of the instruction.
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

// Reads the value at *p of word `key`.
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
		return expected(t, l, *p, "'=' after %s", keys[key].name);
	l->at[key] = ++*p;
	most = key == KEY_THREAD ? t->threads - 1 : keys[key].most;
	if (!read_value(l, key, p, &l->value[key]) || l->value[key] < keys[key].least ||
	    l->value[key] > most) {
		if (key == KEY_TYPE)
			return expected(t, l, l->at[key],
					"itype=m, i, f, b, c, or 0, 1, 2, 4, 8, 16");
		if (key == KEY_BY)
			return expected(t, l, l->at[key], "by=rse, vhpt");
		if (key == KEY_KIND)
			return expected(t, l, l->at[key],
					"kind=cond, call, icall, ret, ijmp, jmp, far, or 0 to 7");
		return expected(t, l, l->at[key], "%s= a number from %" PRIu64 " to %" PRIu64,
				keys[key].name, keys[key].least, most);
	}
	l->given |= 1u << key;
	return 1;
}

static int cycles_wrong(struct trace *t, const struct line *l, uint64_t start)
{
	if (start < t->reached.start)
		return expected(t, l, l->at[KEY_START], "t= from %" PRIu64
				", where the line before starts", t->reached.start);
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
		.code = (uint16_t)value[KEY_CODE], .sub = (uint16_t)value[KEY_SUB],
		.n = (uint32_t)value[KEY_N],
		.thread = (uint8_t)value[KEY_THREAD], .level = (uint8_t)value[KEY_LEVEL],
		.isa = (uint8_t)value[KEY_ISA], .type = (uint8_t)(value[KEY_TYPE] | value[KEY_BY]),
		.slot = (uint8_t)value[KEY_SLOT],
		.served = (uint8_t)value[KEY_SERVED], .data = l->given >> KEY_ADDRESS & 1,
		.latency = (uint32_t)value[KEY_LATENCY], .ip = value[KEY_IP],
		.opcode = value[KEY_OPCODE],
		.address = value[KEY_ADDRESS], .target = value[KEY_TARGET],
	};
	if (l->given & (1u << KEY_TAKEN | 1u << KEY_KIND)) {
		bool taken = l->given >> KEY_TAKEN & 1 ? value[KEY_TAKEN] : true;

		o->branch = (uint8_t)(OCCURRENCE_BRANCH | (taken ? OCCURRENCE_TAKEN : 0) |
				      value[KEY_KIND] * KIND_UNIT);
	}
	o->branch |= (value[KEY_MISPREDICTED] & 1 ? OCCURRENCE_WRONG_PATH : 0) |
		     (value[KEY_MISPREDICTED] & 2 ? OCCURRENCE_WRONG_TARGET : 0);
}

// Words that a sub-event can imply.
#define SAID_TWICE (1u << KEY_TAKEN | 1u << KEY_KIND | 1u << KEY_MISPREDICTED | 1u << KEY_SLOT | \
		    1u << KEY_SERVED)

static int check_agreement(struct trace *t, const struct line *l, struct occurrence *o)
{
	const char *wrong = t->meanings && l->given & SAID_TWICE ? trace_agree(t->meanings, o) :
		NULL;

	return wrong ? expected(t, l, l->at[l->given >> KEY_SUB & 1 ? KEY_SUB : KEY_CODE], "%s",
				wrong) : 1;
}

// Whether the line is "target=NAME"; the target of a branch is a number.
static bool is_header(const struct line *l, const unsigned char *p)
{
	static const char key[] = "target=";
	const size_t length = sizeof key - 1;

	return (size_t)(l->end - p) > length && !memcmp(p, key, length) &&
	       !(p[length] >= '0' && p[length] <= '9') &&
	       !ends_word(l, p + length);
}

// The targets' names, separated by commas.
static void list_targets(char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (const struct pmu_model *const *m = pmu_models; *m && used < size; m++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
					 (*m)->name);
}

// Sets the trace's target. Returns the error, valid until the next call; NULL: none.
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
	t->meanings = meanings_of(name);
	if (model->threads < t->threads)
		t->threads = model->threads;
	return NULL;
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
	return end == l->end ||
	       *end == '#' ? 0 : expected(t, l, end, "the end of the line after target=NAME");
}

// Checks and applies a line's cycles. False: they are wrong.
static bool take_cycles(struct reached *r, uint64_t start, uint64_t cycles, uint32_t n)
{
	uint64_t end, events;

	if (start < r->start || __builtin_add_overflow(start, cycles, &end) ||
	    end > TRACE_END_MAX ||
	    __builtin_mul_overflow(cycles, n, &events) ||
	    __builtin_add_overflow(r->events, events, &events) ||
	    events > TRACE_EVENTS_MAX)
		return false;
	*r = (struct reached){start, end, events};
	return true;
}

// Reads a line into the batch unless it is empty.
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

static int read_lines(struct trace *t, struct trace_batch *batch)
{
	while (batch->count < TRACE_BATCH) {
		struct line l = {.value = {[KEY_CYCLES] = 1, [KEY_N] = 1}};
		const unsigned char *newline = NULL;

		if (t->to > t->from)
			newline = memchr(t->data + t->from, '\n', t->to - t->from);
		if (!newline && !trace_need(t, TRACE_LINE_MAX + 1))
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

int trace_lines(struct trace *t, struct trace_batch *batch)
{
	batch->count = 0;
	if (t->error[0] || read_lines(t, batch) < 0)
		return -1;
	return batch->count > 0;
}

//
// Writing
//

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
			fprintf(file, " kind=%s",
				kind_names[(o->branch & OCCURRENCE_KIND) / KIND_UNIT]);
		print_unless(file, " mp=%" PRIu64, mispredicted, 0);
		print_unless(file, " thread=%" PRIu64, o->thread, 0);
		fputc('\n', file);
		*end = batch->end[i];
	}
	return !ferror(file);
}
