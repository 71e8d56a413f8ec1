// SPDX-License-Identifier: BSD-2-Clause
// Runs a fuzz target without libFuzzer, with the same inputs every time, made of the target's
// words, of numbers and of random bytes. Prints TAP. Without EXTRA in the environment it runs the
// first quarter of them. With -n and a number it runs this many inputs, the first of which are the
// same, and prints its progress. With a folder as argument it writes some inputs there, from which
// libFuzzer starts.

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "fuzz.h"

#define PIECES_MAX	60
#define MUCH_NOISE	8
#define LITTLE_NOISE	1000
#define INPUTS_WRITTEN	300

static uint64_t state = 1;

// xorshift64*
static uint64_t any(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545F4914F6CDD1DULL;
}

static uint64_t below(uint64_t limit)
{
	return any() % limit;
}

static size_t add(uint8_t *input, size_t size, const void *bytes, size_t count)
{
	if (count > FUZZ_INPUT_MAX - size)
		count = FUZZ_INPUT_MAX - size;
	memcpy(input + size, bytes, count);
	return size + count;
}

// A word; with probability 1 in `noise` each, some bytes, or a number as text.
static size_t add_piece(uint8_t *input, size_t size, unsigned noise)
{
	char number[24];
	uint64_t value = any() >> below(64);

	switch (below(noise)) {
	case 0:
		return add(input, size, &value, 1 + below(sizeof value));
	case 1:
		return add(input, size, number,
			   (size_t)sprintf(number, "%llu", (unsigned long long)value));
	case 2:
		return add(input, size, number,
			   (size_t)sprintf(number, "0x%llx", (unsigned long long)value));
	default:
		if (fuzz_word_count) {
			const struct fuzz_word *word = &fuzz_words[below(fuzz_word_count)];

			return add(input, size, word->bytes, word->size);
		}
		return add(input, size, &value, sizeof value);
	}
}

static size_t make_input(uint8_t input[FUZZ_INPUT_MAX])
{
	const unsigned noise = below(2) ? MUCH_NOISE : LITTLE_NOISE;
	size_t size = 0;

	for (uint64_t pieces = below(1 + below(PIECES_MAX)); pieces; pieces--)
		size = add_piece(input, size, noise);
	for (uint64_t changes = noise == MUCH_NOISE ? below(3) : 0; changes && size; changes--)
		input[below(size)] = (uint8_t)any();
	return size;
}

static void run_input(void)
{
	uint8_t input[FUZZ_INPUT_MAX], *copy;
	size_t size = make_input(input);

	copy = malloc(size + !size);		// the exact size: a sanitizer finds overruns
	memcpy(copy, input, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void run_inputs(unsigned inputs)
{
	for (unsigned i = 0; i < inputs; i++)
		run_input();
	printf("ok 1 - %u inputs for %s, as every time\n1..1\n", inputs, fuzz_name);
}

// Prints its progress twenty times.
static void run_many(unsigned inputs)
{
	const time_t start = time(NULL);

	for (unsigned i = 1; i <= inputs; i++) {
		run_input();
		if (i % (inputs / 20 + 1) == 0) {
			printf("  %u of %u, %ld seconds\n", i, inputs, (long)(time(NULL) - start));
			fflush(stdout);
		}
	}
	printf("  all %u inputs for %s have run, %ld seconds; nothing found\n", inputs, fuzz_name,
	       (long)(time(NULL) - start));
}

static bool write_inputs(const char *folder)
{
	for (unsigned i = 0; i < INPUTS_WRITTEN; i++) {
		uint8_t input[FUZZ_INPUT_MAX];
		size_t size = make_input(input);
		char path[4096];
		FILE *file;
		bool ok;

		snprintf(path, sizeof path, "%s/made-%u", folder, i);
		file = fopen(path, "w");
		ok = file && fwrite(input, 1, size, file) == size;
		if (!file || fclose(file) || !ok) {
			perror(path);
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	const char *extra = getenv("EXTRA");

	if (argc == 3 && !strcmp(argv[1], "-n")) {
		run_many((unsigned)strtoul(argv[2], NULL, 10));
		return 0;
	}
	if (argc > 1)
		return !write_inputs(argv[1]);
	run_inputs(extra && *extra ? fuzz_inputs : fuzz_inputs / 4);
	return 0;
}
