// SPDX-License-Identifier: BSD-2-Clause
// Reads the lines of samples: sample_line.h. The scanner costs a tenth of the JSON reader.

#include "sample_line.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

//
// JSON objects
//

bool sample_line_hexadecimal(const json_t *string, uint64_t *value)
{
	const char *text = json_string_value(string);
	char *end;

	if (!text || strncmp(text, "0x", 2) || !text[2] ||
	    text[2 + strspn(text + 2, "0123456789abcdef")])
		return false;
	errno = 0;
	*value = strtoull(text, &end, 16);
	return errno == 0 && !*end;
}

static bool parse_addresses(const json_t *array, uint64_t *address, size_t most)
{
	for (size_t i = 0; i < json_array_size(array); i++)
		if (i == most || !sample_line_hexadecimal(json_array_get(array, i), &address[i]))
			return false;
	return true;
}

const char *sample_line_parse(const json_t *object, unsigned events, struct sample_line *line)
{
	json_t *ip = NULL, *payload = NULL, *callers = NULL;
	json_int_t clock = 0, times = 1;
	int event = -1, cpu = 0, level = 0;

	if (json_unpack((json_t *)object, "{s:i, s:o, s?:o, s?:o, s?:I, s?:I, s?:i, s?:i}", "event",
			&event, "ip", &ip,
			"payload", &payload, "callers", &callers, "clock", &clock, "times", &times,
			"cpu", &cpu,
			"level", &level) || event < 0 || (unsigned)event >= events)
		return "a sample of one of the events";
	if (clock < 0 || times < 1 || cpu < 0 || level < 0)
		return "clock, cpu and level that are not negative, and times of at least 1";
	line->event = (unsigned)event;
	line->cpu = (unsigned)cpu;
	line->level = (unsigned)level;
	line->clock = (uint64_t)clock;
	line->times = (uint64_t)times;
	if (!sample_line_hexadecimal(ip, &line->ip))
		return "ip as \"0x...\"";
	if (!parse_addresses(payload, line->word, PMU_PAYLOAD_WORDS))
		return "a payload of \"0x...\", not too long";
	if (!parse_addresses(callers, line->frame, SAMPLE_FRAMES))
		return "callers as \"0x...\", and not too many";
	line->has_payload = payload;
	line->words = (unsigned)json_array_size(payload);
	line->frames = (unsigned)json_array_size(callers);
	return NULL;
}

//
// Text
//

enum key { KEY_EVENT, KEY_IP, KEY_CLOCK, KEY_COUNT, KEY_LEVEL, KEY_CPU, KEY_TIMES, KEY_PAYLOAD,
	  KEY_CALLERS, KEYS };

#define KEY(name) [KEY_##name]
#define WORD(text) {text, sizeof text - 1}

static const struct {
	const char *text;
	size_t length;
} keys[KEYS] = {	// in the order in which palmon writes them
	KEY(EVENT) = WORD("\"event\":"), KEY(IP) = WORD("\"ip\":"), KEY(CLOCK) = WORD("\"clock\":"),
	KEY(COUNT) = WORD("\"count\":"), KEY(LEVEL) = WORD("\"level\":"),
	KEY(CPU) = WORD("\"cpu\":"),
	KEY(TIMES) = WORD("\"times\":"), KEY(PAYLOAD) = WORD("\"payload\":"),
	KEY(CALLERS) = WORD("\"callers\":"),
};

static bool skip(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

// A number without sign, of at most 18 digits.
static bool scan_number(const char **at, uint64_t most, uint64_t *value)
{
	const char *const start = *at;
	uint64_t number = 0;

	for (; **at >= '0' && **at <= '9' && *at - start < 18; ++*at)
		number = 10 * number + (uint64_t)(**at - '0');
	*value = number;
	return *at > start && (*start != '0' || *at == start + 1) && number <= most;
}

// A string "0x..." of at most 16 digits.
static bool scan_hexadecimal(const char **at, uint64_t *value)
{
	const char *digit = *at + 3;
	uint64_t number = 0;

	if (strncmp(*at, "\"0x", 3))
		return false;
	for (; digit - *at < 19; digit++)
		if (*digit >= '0' && *digit <= '9')
			number = number << 4 | (uint64_t)(*digit - '0');
		else if (*digit >= 'a' && *digit <= 'f')
			number = number << 4 | (uint64_t)(*digit - 'a' + 10);
		else
			break;
	*value = number;
	if (digit == *at + 3 || *digit != '"')
		return false;
	*at = digit + 1;
	return true;
}

static bool scan_addresses(const char **at, uint64_t *address, unsigned most, unsigned *count)
{
	if (!skip(at, '['))
		return false;
	if (skip(at, ']'))
		return true;
	for (;;) {
		if (*count == most || !scan_hexadecimal(at, &address[*count]))
			return false;
		++*count;
		if (skip(at, ']'))
			return true;
		if (!skip(at, ','))
			return false;
	}
}

static bool scan_small(const char **at, unsigned *value)
{
	uint64_t number;
	const bool ok = scan_number(at, INT_MAX, &number);

	*value = (unsigned)number;
	return ok;
}

static bool scan_value(const char **at, enum key key, struct sample_line *line)
{
	uint64_t count;

	switch (key) {
	case KEY_EVENT:
		return scan_small(at, &line->event);
	case KEY_LEVEL:
		return scan_small(at, &line->level);
	case KEY_CPU:
		return scan_small(at, &line->cpu);
	case KEY_IP:
		return scan_hexadecimal(at, &line->ip);
	case KEY_CLOCK:
		return scan_number(at, INT64_MAX, &line->clock);
	case KEY_COUNT:
		return scan_number(at, INT64_MAX, &count);
	case KEY_TIMES:
		return scan_number(at, INT64_MAX, &line->times) && line->times;
	case KEY_PAYLOAD:
		line->has_payload = true;
		return scan_addresses(at, line->word, PMU_PAYLOAD_WORDS, &line->words);
	case KEY_CALLERS:
		return scan_addresses(at, line->frame, SAMPLE_FRAMES, &line->frames);
	default:
		return false;
	}
}

bool sample_line_scan(const char *text, unsigned events, struct sample_line *line)
{
	const char *at = text;
	unsigned key = 0, found = 0;

	line->event = line->cpu = line->level = line->words = line->frames = 0;
	line->ip = line->clock = 0;
	line->times = 1;
	line->has_payload = false;
	if (!skip(&at, '{'))
		return false;
	do {
		// A key that palmon writes earlier, or twice, is left to the JSON reader.
		while (key < KEYS && strncmp(at, keys[key].text, keys[key].length))
			key++;
		if (key == KEYS)
			return false;
		at += keys[key].length;
		if (!scan_value(&at, key, line))
			return false;
		found |= 1u << key++;
	} while (skip(&at, ','));
	if (!skip(&at, '}') || (*at && strcmp(at, "\n")))
		return false;
	return found & 1u << KEY_EVENT && found & 1u << KEY_IP && line->event < events;
}
