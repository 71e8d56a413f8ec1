/* SPDX-License-Identifier: BSD-2-Clause */
/* A fuzz target: libFuzzer's entry point, and words that make inputs likely to get past the first check when there is
 * no libFuzzer (seeded.c). */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define FUZZ_INPUT_MAX	4096

struct fuzz_word {
	const char *bytes;
	size_t size;
};

#define FUZZ_WORD(bytes) {bytes, sizeof (bytes) - 1}

extern const struct fuzz_word fuzz_words[];
extern const size_t fuzz_word_count;
extern const char fuzz_name[];
extern const unsigned fuzz_inputs;	/* so many take a second or two */

/* Returns 0. Whatever the input, it must not crash, hang, or break a promise of the header it is about. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A broken promise. */
#define FUZZ_REQUIRE(condition)		\
	do {				\
		if (!(condition))	\
			abort();	\
	} while (0)

#endif
