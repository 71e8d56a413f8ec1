// SPDX-License-Identifier: BSD-2-Clause
// Parses a processor's description: processor.h.

#include "processor.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MOST	200	/* characters per line */
#define MOST		(1u << 30)	/* of any number */
#define WAYS_MOST	512
#define LINES_MOST	(1u << 22)	/* per cache */
#define LINE_SHIFT	6		/* log2 of the line size in prefetch.h and combine.h */

#define NAME(name) #name,
#define PAGE_NAME(name, shift) #name,
#define PAGE_SHIFT(name, shift) shift,
static const char *const caches[] = {PROCESSOR_CACHES(NAME) NULL};
static const char *const tlbs[] = {PROCESSOR_TLBS(NAME) NULL};
static const char *const latencies[] = {PROCESSOR_LATENCIES(NAME) NULL};
static const char *const widths[] = {PROCESSOR_WIDTHS(NAME) NULL};
static const char *const prefetchers[] = {PROCESSOR_PREFETCHERS(NAME) NULL};
static const char *const queues[] = {PROCESSOR_QUEUES(NAME) NULL};
static const char *const predictors[] = {PROCESSOR_PREDICTORS(NAME) NULL};
static const char *const pages[] = {PROCESSOR_PAGES(PAGE_NAME) NULL};
static const unsigned page_shifts[] = {PROCESSOR_PAGES(PAGE_SHIFT)};
static const char *const policies[] = {[CACHE_LRU] = "lru", [CACHE_PLRU] = "plru",
				       [CACHE_MRU] = "mru", NULL};

// The state of the parser.
struct reader {
	struct processor *p;
	struct processor_error *error;
	char *word;		/* strtok_r's position in the line */
};

__attribute__((format(printf, 2, 3))) static bool fail(struct reader *r, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(r->error->text, sizeof r->error->text, format, arguments);
	va_end(arguments);
	return false;
}

// Returns the next word of the line, or NULL.
static char *next_word(struct reader *r)
{
	return strtok_r(NULL, " \t", &r->word);
}

// Returns the index of a name, or -1.
static int index_of(const char *const *names, const char *name)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

// Takes the next word as a name. Returns its index, or -1 after reporting an error.
static int take_name(struct reader *r, const char *const *names, const char *kind)
{
	const char *name = next_word(r);
	const int index = name ? index_of(names, name) : -1;

	if (!name)
		fail(r, "a %s without a name", kind);
	else if (index < 0)
		fail(r, "there is no %s %.20s", kind, name);
	return index;
}

static bool parse_number(struct reader *r, const char *what, const char *text, unsigned *value)
{
	static const char suffixes[] = "KM";
	unsigned long long number;
	const char *suffix;
	char *end;

	errno = 0;
	number = strtoull(text, &end, 10);
	suffix = *end ? strchr(suffixes, *end) : NULL;
	if (end == text || text[0] == '-' || text[0] == '+' || errno ||
	    (*end && (!suffix || end[1])))
		return fail(r, "%.20s: %.20s is not a number", what, text);
	if (number <= MOST && suffix)
		number <<= 10 * (suffix - suffixes + 1);
	if (!number || number > MOST)
		return fail(r, "%.20s: %.20s is not from 1 to 1024M", what, text);
	*value = (unsigned)number;
	return true;
}

static bool is_power(unsigned n)
{
	return n && !(n & (n - 1));
}

//
// Arguments: KEY=VALUE, each at most once, and single words
//

enum key {
	KEY_BYTES, KEY_WAYS, KEY_LINE, KEY_POLICY, KEY_ENTRIES, KEY_PAGE, KEY_HISTORY,
	KEY_LINES, KEY_DISTANCE, KEY_FORWARD, KEY_BACKWARD, KEY_AHEAD, KEY_EACH, KEY_LATENCY,
	KEY_BUSY, KEY_EVERY, KEY_HIGH, KEYS
};
static const char *const keys[] = {
	"bytes", "ways", "line", "policy", "entries", "page", "history",
	"lines", "distance", "forward", "backward", "ahead", "each", "latency", "busy", "every",
	"high", NULL
};

enum word { WORD_INCLUSIVE, WORD_DECODED, WORD_PAIRED, WORD_UNFUSED, WORD_MERGE, WORDS };
static const char *const words[] = {"inclusive", "decoded", "paired", "unfused", "merge",
				    NULL};

struct values {
	unsigned value[KEYS];
	bool given[KEYS], said[WORDS];
};

static bool take_value(struct reader *r, enum key key, const char *text, unsigned *value)
{
	const char *const *names = key == KEY_POLICY ? policies : key == KEY_PAGE ? pages : NULL;
	int index;

	if (!names)
		return parse_number(r, keys[key], text, value);
	index = index_of(names, text);
	*value = (unsigned)index;
	return index >= 0 || fail(r, "there is no %s %.20s", keys[key], text);
}

static bool take_values(struct reader *r, struct values *v)
{
	for (char *word; (word = next_word(r));) {
		const int single = index_of(words, word);
		char *value = strchr(word, '=');
		int key;

		if (single >= 0) {
			v->said[single] = true;
			continue;
		}
		if (!value)
			return fail(r, "%.20s is not KEY=VALUE", word);
		*value++ = '\0';
		key = index_of(keys, word);
		if (key < 0)
			return fail(r, "there is no key %.20s", word);
		if (v->given[key])
			return fail(r, "%s is there twice", word);
		v->given[key] = true;
		if (!take_value(r, (enum key)key, value, &v->value[key]))
			return false;
	}
	return true;
}

#define BIT(n) (1u << (n))

// Checks that exactly the keys in `needed` (bit mask) are given; the policy and the words in
// `allowed` are optional.
static bool check_keys(struct reader *r, const char *name, const struct values *v, unsigned needed,
		       unsigned allowed)
{
	for (unsigned key = 0; key < KEYS; key++) {
		if (needed >> key & 1 && !v->given[key])
			return fail(r, "%s has no %s", name, keys[key]);
		if (!(needed >> key & 1) && v->given[key] && key != KEY_POLICY)
			return fail(r, "%s can have no %s", name, keys[key]);
	}
	for (unsigned word = 0; word < WORDS; word++)
		if (v->said[word] && !(allowed >> word & 1))
			return fail(r, "%s cannot be %s", name, words[word]);
	return true;
}

// Sets a number that must not be set already. `most`: its largest value.
static bool set_number(struct reader *r, const char *name, enum key key, unsigned *number,
		       const struct values *v, unsigned most)
{
	if (*number)
		return fail(r, "%s is there twice", name);
	if (v->value[key] > most)
		return fail(r, "%s: %s is more than %u", name, keys[key], most);
	*number = v->value[key];
	return true;
}

//
// Caches and TLBs
//

// `lines` lines of 2^shift bytes.
static bool set_geometry(struct reader *r, const char *name, struct cache_geometry *g,
			 const struct values *v, unsigned lines, unsigned shift)
{
	const unsigned ways = v->value[KEY_WAYS], sets = ways ? lines / ways : 0;
	const enum cache_policy policy = (enum cache_policy)v->value[KEY_POLICY];

	if (g->ways)
		return fail(r, "%s is there twice", name);
	if (ways > WAYS_MOST || lines > LINES_MOST)
		return fail(r, "%s has more than %u ways, or %u lines", name, WAYS_MOST,
			    LINES_MOST);
	if (sets * ways != lines || !is_power(sets))
		return fail(r, "%s: %u lines in %u ways are not a power of two of sets", name,
			    lines, ways);
	if (policy == CACHE_PLRU && (!is_power(ways) || ways > 64))
		return fail(r, "%s: plru needs a power of two of ways, 64 at most", name);
	*g = (struct cache_geometry){ways, sets, shift, policy};
	return true;
}

static bool read_cache(struct reader *r)
{
	struct values v = {0};
	const int index = take_name(r, caches, "cache");
	unsigned line, bytes;

	if (index < 0 || !take_values(r, &v) ||
	    !check_keys(r, caches[index], &v, BIT(KEY_BYTES) | BIT(KEY_WAYS) | BIT(KEY_LINE),
			BIT(WORD_INCLUSIVE)))
		return false;
	line = v.value[KEY_LINE];
	bytes = v.value[KEY_BYTES];
	if (!is_power(line) || line < 16 || line > 4096)
		return fail(r, "%s: a line of %u bytes is not a power of two from 16 to 4096",
			    caches[index], line);
	if (bytes % line)
		return fail(r, "%s: %u bytes are no whole number of lines", caches[index], bytes);
	r->p->inclusive[index] = v.said[WORD_INCLUSIVE];
	return set_geometry(r, caches[index], &r->p->cache[index], &v, bytes / line,
			    (unsigned)__builtin_ctz(line));
}

static bool read_tlb(struct reader *r)
{
	struct values v = {0};
	const int index = take_name(r, tlbs, "tlb");

	if (index < 0 || !take_values(r, &v) ||
	    !check_keys(r, tlbs[index], &v, BIT(KEY_ENTRIES) | BIT(KEY_WAYS) | BIT(KEY_PAGE), 0))
		return false;
	return set_geometry(r, tlbs[index], &r->p->tlb[index][v.value[KEY_PAGE]], &v,
			    v.value[KEY_ENTRIES], page_shifts[v.value[KEY_PAGE]]);
}

//
// Prefetchers
//

// One argument of a prefetcher: key, offset of its member, largest value.
struct prefetcher_key {
	enum key key;
	size_t place;
	unsigned most;
};

#define PREFETCHER_KEY(name, member, most) {KEY_##name, \
					    offsetof(struct processor_prefetchers, member), most}
#define PREFETCHER_KEYS 4

static const struct prefetcher_key prefetcher_keys[PREFETCHERS][PREFETCHER_KEYS] = {
	[PREFETCHER_L1D_NEXT] = {PREFETCHER_KEY(LINES, next_lines, PROCESSOR_NEXT_LINES)},
	[PREFETCHER_L1D_STRIDE] = {
		PREFETCHER_KEY(ENTRIES, stride_entries, PROCESSOR_STRIDES),
		PREFETCHER_KEY(DISTANCE, stride_distance, PROCESSOR_DISTANCE),
	},
	[PREFETCHER_L2_STREAM] = {
		PREFETCHER_KEY(FORWARD, forward, PROCESSOR_STREAMS),
		PREFETCHER_KEY(BACKWARD, backward, PROCESSOR_STREAMS),
		PREFETCHER_KEY(AHEAD, ahead, PROCESSOR_AHEAD),
		PREFETCHER_KEY(EACH, each, PROCESSOR_EACH),
	},
};

static bool read_prefetcher(struct reader *r)
{
	struct processor_prefetchers *p = &r->p->prefetchers;
	const int index = take_name(r, prefetchers, "prefetcher");
	const struct prefetcher_key *k, *end;
	struct values v = {0};
	unsigned needed = 0;

	if (index < 0 || !take_values(r, &v))
		return false;
	k = prefetcher_keys[index];
	for (end = k; end < k + PREFETCHER_KEYS && end->most; end++)
		needed |= BIT(end->key);
	if (!check_keys(r, prefetchers[index], &v, needed,
			index == PREFETCHER_L2_STREAM ? BIT(WORD_PAIRED) : 0))
		return false;
	for (; k < end; k++)
		if (!set_number(r, prefetchers[index], k->key,
				(unsigned *)(void *)((char *)p + k->place), &v, k->most))
			return false;
	if (!is_power(p->stride_entries | !p->stride_entries))
		return fail(r, "L1D_STRIDE: %u entries are not a power of two", p->stride_entries);
	p->paired |= v.said[WORD_PAIRED];
	return true;
}

//
// Branch predictors
//

static bool read_table(struct reader *r, const char *name, struct cache_geometry *g,
		       const struct values *v)
{
	if (v->given[KEY_POLICY])
		return fail(r, "%s can have no policy", name);
	if (v->value[KEY_ENTRIES] > PROCESSOR_TARGETS)
		return fail(r, "%s has more than %u entries", name, PROCESSOR_TARGETS);
	return set_geometry(r, name, g, v, v->value[KEY_ENTRIES], 0);
}

static bool read_predictor(struct reader *r)
{
	static const unsigned needed[] = {
		[PREDICTOR_TARGETS] = BIT(KEY_ENTRIES) | BIT(KEY_WAYS),
		[PREDICTOR_INDIRECT] = BIT(KEY_ENTRIES) | BIT(KEY_WAYS) | BIT(KEY_HISTORY),
		[PREDICTOR_PATTERNS] = BIT(KEY_ENTRIES) | BIT(KEY_HISTORY),
		[PREDICTOR_RETURNS] = BIT(KEY_ENTRIES),
	};
	struct processor_predictor *p = &r->p->predictor;
	const int index = take_name(r, predictors, "predictor");
	const char *const name = predictors[index < 0 ? 0 : index];
	struct values v = {0};

	if (index < 0 || !take_values(r, &v) ||
	    !check_keys(r, name, &v, needed[index], index == PREDICTOR_TARGETS ? BIT(WORD_DECODED) :
			0))
		return false;
	switch ((enum processor_predictors)index) {
	case PREDICTOR_TARGETS:
		p->decoder = v.said[WORD_DECODED];
		return read_table(r, name, &p->targets, &v);
	case PREDICTOR_INDIRECT:
		return read_table(r, name, &p->indirect, &v) &&
		       set_number(r, name, KEY_HISTORY, &p->indirect_history, &v,
				  PROCESSOR_INDIRECT_HISTORY);
	case PREDICTOR_PATTERNS:
		if (!is_power(v.value[KEY_ENTRIES]) || v.value[KEY_ENTRIES] == 1)
			return fail(r, "%s: %u entries are not a power of two", name,
				    v.value[KEY_ENTRIES]);
		return set_number(r, name, KEY_ENTRIES, &p->patterns, &v, PROCESSOR_PATTERNS) &&
		       set_number(r, name, KEY_HISTORY, &p->history, &v, PROCESSOR_HISTORY);
	default:
		return set_number(r, name, KEY_ENTRIES, &p->returns, &v, PROCESSOR_RETURNS);
	}
}

//
// Numbers
//

static bool read_number(struct reader *r, const char *const *names, const char *kind,
			unsigned *numbers)
{
	const int index = take_name(r, names, kind);
	const char *text;

	if (index < 0)
		return false;
	text = next_word(r);
	if (!text)
		return fail(r, "%s %s without a number", kind, names[index]);
	if (numbers[index])
		return fail(r, "%s %s is there twice", kind, names[index]);
	if (!parse_number(r, names[index], text, &numbers[index]))
		return false;
	text = next_word(r);
	return !text || fail(r, "%.20s is too much", text);
}

static bool read_latency(struct reader *r)
{
	if (!read_number(r, latencies, "latency", r->p->latency))
		return false;
	for (unsigned i = 0; i < LATENCIES; i++)
		if (r->p->latency[i] > PROCESSOR_LATENCY)
			return fail(r, "%s has more than %u cycles", latencies[i],
				    PROCESSOR_LATENCY);
	return true;
}

static bool read_width(struct reader *r)
{
	if (!read_number(r, widths, "width", r->p->width))
		return false;
	for (unsigned i = 0; i < WIDTHS; i++)
		if (r->p->width[i] > PROCESSOR_WIDTH)
			return fail(r, "%s is more than %u", widths[i], PROCESSOR_WIDTH);
	return true;
}

static bool read_queue(struct reader *r)
{
	if (!read_number(r, queues, "queue", r->p->queue))
		return false;
	for (unsigned i = 0; i < QUEUES; i++) {
		const unsigned most = i == QUEUE_REORDER ? PROCESSOR_REORDER : PROCESSOR_QUEUE;

		if (r->p->queue[i] > most)
			return fail(r, "%s has more than %u entries", queues[i], most);
	}
	return true;
}

//
// Micro-ops
//

// Parses one micro-op: load, sta, std, none, or p and the numbers of ports. Returns false after a
// failure.
static bool take_ports(struct reader *r, const char *text, uint8_t *ports)
{
	static const struct {
		const char *name;
		uint8_t ports;
	} names[] = {
		{"load", 1u << PROCESSOR_LOAD}, {"sta", 1u << PROCESSOR_STORE_ADDRESS},
		{"std", 1u << PROCESSOR_STORE_DATA}, {"none", 0},
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(text, names[i].name)) {
			*ports = names[i].ports;
			return true;
		}
	*ports = 0;
	if (*text++ != 'p' || !*text || text[strspn(text, "012345")])
		return fail(r, "%.20s is none of p0 to p012345, load, sta, std, none", text - 1);
	for (; *text; text++)
		*ports |= (uint8_t)(1u << (*text - '0'));
	return true;
}

// Parses micro-ops joined by '+', each with an optional '*COUNT'; '-' alone: there are none.
static bool take_uops(struct reader *r, char *text, struct processor_uops *u)
{
	char *rest = NULL;

	if (!strcmp(text, "-"))
		return true;
	for (char *one = strtok_r(text, "+", &rest); one; one = strtok_r(NULL, "+", &rest)) {
		char *times = strchr(one, '*');
		unsigned count = 1;
		uint8_t ports;

		if (times) {
			*times++ = '\0';
			if (!parse_number(r, "micro-ops", times, &count))
				return false;
		}
		if (!take_ports(r, one, &ports))
			return false;
		if (count + u->count > PROCESSOR_UOPS_EACH)
			return fail(r, "more than %u micro-ops", PROCESSOR_UOPS_EACH);
		while (count--)
			u->ports[u->count++] = ports;
	}
	return u->count || fail(r, "no micro-ops; write '-'");
}

// Parses a form: r, m, d or s; then the width of the operands; then :1, :2, :3 or :i.
static bool take_form(struct reader *r, char *text, struct processor_uops *u)
{
	static const char *const widths_of[] = {"", "8", "16", "32", "64", "80", NULL};
	static const uint8_t bits[] = {0, 8, 16, 32, 64, 80};
	char *operands = strchr(text, ':');
	int width;

	if (operands)
		*operands++ = '\0';
	width = *text ? index_of(widths_of, text + 1) : -1;
	if (!*text || !strchr("rmds", *text) || width < 0 ||
	    (operands && (strlen(operands) != 1 || !strchr("123i", *operands))))
		return fail(r, "%.20s is not r, m, d or s, a width of 8 to 80, and "
			    ":1, :2, :3 or :i", text);
	u->form = *text;
	u->width = bits[width];
	u->operands = operands ? *operands : 0;
	return true;
}

static bool add_uops(struct reader *r, const char *name, struct processor_uops u)
{
	const struct processor_uops *const end = &r->p->uops[r->p->uops_count];

	if (strlen(name) >= sizeof u.name)
		return fail(r, "%.20s is too long a mnemonic", name);
	strcpy(u.name, name);
	for (const struct processor_uops *o = r->p->uops; o < end; o++)
		if (!strcmp(o->name, u.name) && o->form == u.form && o->width == u.width &&
		    o->operands == u.operands)
			return fail(r, "uops %s is there twice", name);
	if (r->p->uops_count == PROCESSOR_UOPS)
		return fail(r, "more than %u rows of uops", PROCESSOR_UOPS);
	r->p->uops[r->p->uops_count++] = u;
	return true;
}

static bool read_uops(struct reader *r)
{
	char *names = next_word(r), *form = next_word(r), *ports = next_word(r), *rest = NULL;
	struct processor_uops u = {.count = 0};
	struct values v = {0};
	unsigned optional = 0;

	if (!ports)
		return fail(r, "uops needs mnemonics, a form and micro-ops");
	if (!take_form(r, form, &u) || !take_uops(r, ports, &u) || !take_values(r, &v))
		return false;
	for (unsigned key = 0; key < KEYS; key++) {
		const bool cycles = key == KEY_LATENCY || key == KEY_BUSY ||
			key == KEY_EVERY || key == KEY_HIGH;

		optional |= cycles && v.given[key] ? BIT(key) : 0;
		if (cycles && v.value[key] > UINT8_MAX)
			return fail(r, "uops: more than %u cycles", UINT8_MAX);
	}
	if (v.given[KEY_POLICY])
		return fail(r, "uops can have no policy");
	if (!check_keys(r, "uops", &v, optional, BIT(WORD_UNFUSED) | BIT(WORD_MERGE)))
		return false;
	u.latency = v.given[KEY_LATENCY] ? (uint8_t)v.value[KEY_LATENCY] : 1;
	u.busy = (uint8_t)v.value[KEY_BUSY];
	u.every = (uint8_t)v.value[KEY_EVERY];
	u.high = (uint8_t)v.value[KEY_HIGH];
	if (u.high && u.high <= u.latency)
		return fail(r, "uops: high=%u is not more than the latency", u.high);
	u.unfused = v.said[WORD_UNFUSED];
	u.merge = v.said[WORD_MERGE];
	for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
		if (!add_uops(r, name, u))
			return false;
	return true;
}

//
// Lines
//

static bool is_text(const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((line[i] < ' ' && line[i] != '\t') || line[i] > '~')
			return false;
	return true;
}

// WORD ... | SOURCE. Every statement must name its source.
static bool read_line(struct reader *r, char *line)
{
	static const struct {
		const char *word;
		bool (*read)(struct reader *r);
	} kinds[] = {
		{"cache", read_cache}, {"tlb", read_tlb}, {"latency", read_latency},
		{"width", read_width},
		{"prefetcher", read_prefetcher}, {"queue", read_queue},
		{"predictor", read_predictor}, {"uops", read_uops},
	};
	char *source = strchr(line, '|');
	const char *word;

	if (source)
		*source++ = '\0';
	word = strtok_r(line, " \t", &r->word);
	if (!word)
		return !source || fail(r, "a source without a statement");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(word, kinds[i].word)) {
			if (!source || !source[strspn(source, " \t")])
				return fail(r, "it has no source: '| SOURCE'");
			return kinds[i].read(r);
		}
	return fail(r, "%.20s is none of cache, tlb, latency, width, prefetcher, queue, predictor, "
		    "uops", word);
}

static bool is_complete(struct reader *r)
{
	for (unsigned i = CACHE_L1I; i <= CACHE_L2; i++)
		if (!r->p->cache[i].ways)
			return fail(r, "there is no cache %s", caches[i]);
	if ((r->p->prefetchers.next_lines || r->p->prefetchers.stride_entries ||
	     r->p->prefetchers.forward ||
	     r->p->queue[QUEUE_FILL]) && (r->p->cache[CACHE_L1D].line_shift != LINE_SHIFT ||
					  r->p->cache[CACHE_L2].line_shift != LINE_SHIFT))
		return fail(r, "prefetchers and FILL need lines of %u bytes", 1u << LINE_SHIFT);
	if ((r->p->predictor.indirect.ways || r->p->predictor.patterns ||
	     r->p->predictor.returns) &&
	    !r->p->predictor.targets.ways)
		return fail(r, "there is a predictor, but no TARGETS");
	for (unsigned page = 0; page < PAGES; page++)
		if (r->p->tlb[TLB_STLB][page].ways && !r->p->tlb[TLB_DTLB][page].ways)
			return fail(r, "there is an STLB, but no DTLB for pages of %s",
				    pages[page]);
	return true;
}

bool processor_read(struct processor *p, const char *text, size_t size,
		    struct processor_error *error)
{
	struct reader r = {.p = p, .error = error};
	char line[LINE_MOST + 1];

	*p = (struct processor){0};
	*error = (struct processor_error){0};
	while (size) {
		const char *end = memchr(text, '\n', size);
		const size_t length = end ? (size_t)(end - text) : size;
		const char *comment = memchr(text, '#', length);
		const size_t kept = comment ? (size_t)(comment - text) : length;

		error->line++;
		if (length > LINE_MOST)
			return fail(&r, "more than %u characters", LINE_MOST);
		if (!is_text(text, length))
			return fail(&r, "a character that is not printable ASCII");
		memcpy(line, text, kept);
		line[kept] = '\0';
		if (!read_line(&r, line))
			return false;
		text += length + !!end;
		size -= length + !!end;
	}
	error->line = 0;
	return is_complete(&r);
}

// Checks for every entry in `needs` (bit n: names[n]). `distance`: step in `there` between entries.
static bool has(struct reader *r, const char *const *names, const char *kind, uint64_t needs,
		const unsigned *there, size_t distance)
{
	for (unsigned i = 0; names[i]; i++)
		if (needs >> i & 1 && !there[i * distance])
			return fail(r, "there is no %s %s", kind, names[i]);
	return true;
}

bool processor_has(const struct processor *p, const struct processor_needs *needs,
		   struct processor_error *error)
{
	struct reader r = {.error = error};

	error->line = 0;
	return has(&r, caches, "cache", needs->caches, &p->cache->ways,
		   sizeof *p->cache / sizeof p->cache->ways) &&
	       has(&r, latencies, "latency", needs->latencies, p->latency, 1) &&
	       has(&r, widths, "width", needs->widths, p->width, 1) &&
	       has(&r, queues, "queue", needs->queues, p->queue, 1);
}
