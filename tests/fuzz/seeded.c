// SPDX-License-Identifier: BSD-2-Clause
// Runs a fuzz target without libFuzzer: the same inputs every time, made of its words, of numbers and of any bytes.
// Prints TAP.

#include <stdio.h>
#include <string.h>

#include "fuzz.h"

#define PIECES_MAX	60

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

// A word, a number as text, or some bytes.
static size_t add_piece(uint8_t *input, size_t size)
{
	char number[24];
	uint64_t value = any() >> below(64);

	switch (below(8)) {
	case 0:
		return add(input, size, &value, 1 + below(sizeof value));
	case 1:
		return add(input, size, number, (size_t)sprintf(number, "%llu", (unsigned long long)value));
	case 2:
		return add(input, size, number, (size_t)sprintf(number, "0x%llx", (unsigned long long)value));
	default:
		if (fuzz_word_count) {
			const struct fuzz_word *word = &fuzz_words[below(fuzz_word_count)];

			return add(input, size, word->bytes, word->size);
		}
		return add(input, size, &value, sizeof value);
	}
}

int main(void)
{
	for (unsigned i = 0; i < fuzz_inputs; i++) {
		uint8_t input[FUZZ_INPUT_MAX], *copy;
		size_t size = 0;

		for (uint64_t pieces = below(PIECES_MAX); pieces; pieces--)
			size = add_piece(input, size);
		for (uint64_t changes = below(3); changes && size; changes--)
			input[below(size)] = (uint8_t)any();
		copy = malloc(size + !size);		// where a sanitizer sees the end
		memcpy(copy, input, size);
		LLVMFuzzerTestOneInput(copy, size);
		free(copy);
	}
	printf("ok 1 - %u inputs for %s, as every time\n1..1\n", fuzz_inputs, fuzz_name);
	return 0;
}
