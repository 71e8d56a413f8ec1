/* SPDX-License-Identifier: BSD-2-Clause */
/* A fuzz target: libFuzzer's entry point, and words from which seeded.c, without libFuzzer, makes
 * inputs that are likely to pass the first checks. */
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
extern const unsigned fuzz_inputs;	/* inputs per run, chosen to take a second or two */

/* Returns 0. No input may crash it, make it hang, or break the contract of the tested header. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program: a contract is broken. */
#define FUZZ_REQUIRE(condition)		\
	do {				\
		if (!(condition))	\
			abort();	\
	} while (0)

#endif
