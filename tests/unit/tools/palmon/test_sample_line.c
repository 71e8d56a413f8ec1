// SPDX-License-Identifier: BSD-2-Clause
// Lines of samples: the scanner reads the lines that palmon writes, and never differs from the JSON
// reader.

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "sample_line.h"

#define EVENTS	3
#define ROUNDS	200000

static const char *const lines[] = {
	"{\"event\":0,\"ip\":\"0x4000\"}\n",
	"{\"event\":2,\"ip\":\"0xffffffffffffffff\",\"clock\":9,\"count\":999999999999,\"level\":3,"
	"\"cpu\":1}\n",
	"{\"event\":1,\"ip\":\"0x4001\",\"times\":3,\"payload\":[],\"callers\":[\"0x0\"]}",
	"{\"event\":1,\"ip\":\"0x4001\",\"cpu\":10,\"payload\":[\"0x1\",\"0x2\"],"
		"\"callers\":[\"0x3\",\"0xabcdef\"]}\n",
};

#define LINES (sizeof lines / sizeof *lines)

// The reference: the JSON reader. False: it refuses the text.
static bool parse(const char *text, struct sample_line *line)
{
	json_t *object = json_loads(text, 0, NULL);
	const bool ok = json_is_object(object) && !sample_line_parse(object, EVENTS, line);

	json_decref(object);
	return ok;
}

static void require_equal(const struct sample_line *a, const struct sample_line *b)
{
	assert_int_equal(a->event, b->event);
	assert_int_equal(a->cpu, b->cpu);
	assert_int_equal(a->level, b->level);
	assert_int_equal(a->ip, b->ip);
	assert_int_equal(a->clock, b->clock);
	assert_int_equal(a->times, b->times);
	assert_int_equal(a->has_payload, b->has_payload);
	assert_int_equal(a->words, b->words);
	assert_int_equal(a->frames, b->frames);
	assert_memory_equal(a->word, b->word, a->words * sizeof *a->word);
	assert_memory_equal(a->frame, b->frame, a->frames * sizeof *a->frame);
}

static void palmons_lines_are_scanned(void **state)
{
	(void)state;
	for (size_t i = 0; i < LINES; i++) {
		struct sample_line scanned, parsed;

		assert_true(sample_line_scan(lines[i], EVENTS, &scanned));
		assert_true(parse(lines[i], &parsed));
		require_equal(&scanned, &parsed);
	}
}

static void other_lines_are_left(void **state)
{
	static const char *const others[] = {
		"", "{}", "{\"event\":0}", "{\"event\":3,\"ip\":\"0x1\"}",
		"{\"event\":0,\"ip\":\"0x1\",\"times\":0}",
		"{\"event\":00,\"ip\":\"0x1\"}", "{\"event\":0,\"ip\":\"0x11111111111111111\"}",
		"{\"event\":0,\"ip\":\"0x\"}",
		"{\"event\":0,\"ip\":\"0xA\"}", "{\"event\":0,\"ip\":\"0x1\",}",
		"{\"event\":0,\"ip\":\"0x1\"}\n{",
		"{\"event\":0,\"ip\":\"0x1\",\"callers\":[\"0x1\",]}",
		"{\"event\":0,\"ip\":\"0x1\",\"clock\":1.5}",
		"{\"event\":0,\"ip\":\"0x1\",\"event\":0}", "{\"end\":true}",
	};
	struct sample_line line;

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false(sample_line_scan(others[i], EVENTS, &line));
}

// Random changes of a line. Text that the scanner accepts means the same to the JSON reader.
static void scanner_and_reader_agree(void **state)
{
	static const char letters[] = "0123456789xabcdef\"\",:[]{}-.e \n";
	unsigned accepted = 0;

	(void)state;
	srandom(1);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct sample_line scanned, parsed;
		char text[256];

		strcpy(text, lines[(size_t)random() % LINES]);
		for (long changes = random() % 3 + 1; changes--;)
			text[(size_t)random() % strlen(text)] =
				letters[(size_t)random() % (sizeof letters - 1)];
		if (!sample_line_scan(text, EVENTS, &scanned))
			continue;
		accepted++;
		assert_true(parse(text, &parsed));
		require_equal(&scanned, &parsed);
	}
	assert_true(accepted > ROUNDS / 100);	// shows that the comparison is not empty
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(palmons_lines_are_scanned),
		cmocka_unit_test(other_lines_are_left),
		cmocka_unit_test(scanner_and_reader_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
