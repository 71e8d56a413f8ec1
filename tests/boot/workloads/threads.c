// SPDX-License-Identifier: BSD-2-Clause
// The C library on several threads at once: the threads share the heap, and each thread has its own
// state of the library between calls. Each line is printed in one piece.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal.h"
#include "stimulus.h"

int workload(void);

#define ROUNDS	100
#define BLOCKS	8
#define LINES	20
#define NUMBERS	6

// Blocks of many sizes, each filled with the thread's number until it is freed.
static int damaged_blocks(unsigned thread)
{
	unsigned char *block[BLOCKS] = {0};
	size_t size[BLOCKS];
	int damaged = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned i = round * 5 % BLOCKS;

		for (size_t at = 0; block[i] && at < size[i]; at++)
			damaged += block[i][at] != thread;
		free(block[i]);
		size[i] = 1 + (round * 37 + thread * 11) % 500;
		block[i] = malloc(size[i]);
		if (!block[i])
			return -1;
		memset(block[i], (int)thread, size[i]);
	}
	for (unsigned i = 0; i < BLOCKS; i++)
		free(block[i]);
	return damaged;
}

// While other threads use random numbers and words, too.
static int wrong_numbers(unsigned thread)
{
	int number[NUMBERS], wrong = 0;

	srand(thread);
	for (unsigned i = 0; i < NUMBERS; i++)
		number[i] = rand();
	hal_relax();
	srand(thread);
	for (unsigned i = 0; i < NUMBERS; i++) {
		hal_execute(3000);
		wrong += rand() != number[i];
	}
	return wrong;
}

static int wrong_words(unsigned thread)
{
	char text[] = "a0 b0 c0 d0", expected[] = "a0";
	int wrong = 0;

	for (char *c = text; *c; c++)
		if (*c == '0')
			*c = (char)('0' + thread);
	expected[1] = (char)('0' + thread);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
		wrong += strcmp(word, expected) != 0;
		expected[0]++;
		hal_execute(9000);
	}
	return wrong + (expected[0] != 'e');
}

static int wrong_error(unsigned thread)
{
	errno = (int)thread + 100;
	hal_execute(30000);
	return errno != (int)thread + 100;
}

int workload(void)
{
	const unsigned thread = hal_cpu_user();
	int wrong = 0;

	for (unsigned turn = 0; turn < LINES; turn++) {
		wrong += wrong_numbers(thread) + wrong_words(thread) + wrong_error(thread) +
			damaged_blocks(thread);
		printf("thread %u says line %u: %d wrong, and that is all\n", thread, turn, wrong);
	}
	return wrong;
}
