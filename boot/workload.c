// SPDX-License-Identifier: BSD-2-Clause
// The built-in workload: a hash, a sort and a word count. Each checks its own result.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int workload(void);

//
// SHA-256 (FIPS 180-4)
//

static const uint32_t sha256_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7,
	0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc,
	0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351,
	0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
	0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585,
	0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
	0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static inline void sha256_round(uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d,
				const uint32_t *e,
				const uint32_t *f, const uint32_t *g, uint32_t *h,
				uint32_t schedule)
{
	*h += (rotate(*e, 6) ^ rotate(*e, 11) ^ rotate(*e, 25)) + ((*e & *f) ^ (~*e & *g)) +
		schedule;
	*d += *h;
	*h += (rotate(*a, 2) ^ rotate(*a, 13) ^ rotate(*a, 22)) +
		((*a & *b) ^ (*a & *c) ^ (*b & *c));
}

static void sha256_block(uint32_t hash[8], const uint8_t block[64])
{
	uint32_t w[64], s[8];

	for (unsigned i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (unsigned i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(s, hash, sizeof s);
	// The eight working variables rotate each round, and are in place again after eight rounds.
	for (unsigned i = 0; i < 64; i++)
		w[i] += sha256_constants[i];
	for (unsigned i = 0; i < 64; i += 8) {
		sha256_round(&s[0], &s[1], &s[2], &s[3], &s[4], &s[5], &s[6], &s[7], w[i]);
		sha256_round(&s[7], &s[0], &s[1], &s[2], &s[3], &s[4], &s[5], &s[6], w[i + 1]);
		sha256_round(&s[6], &s[7], &s[0], &s[1], &s[2], &s[3], &s[4], &s[5], w[i + 2]);
		sha256_round(&s[5], &s[6], &s[7], &s[0], &s[1], &s[2], &s[3], &s[4], w[i + 3]);
		sha256_round(&s[4], &s[5], &s[6], &s[7], &s[0], &s[1], &s[2], &s[3], w[i + 4]);
		sha256_round(&s[3], &s[4], &s[5], &s[6], &s[7], &s[0], &s[1], &s[2], w[i + 5]);
		sha256_round(&s[2], &s[3], &s[4], &s[5], &s[6], &s[7], &s[0], &s[1], w[i + 6]);
		sha256_round(&s[1], &s[2], &s[3], &s[4], &s[5], &s[6], &s[7], &s[0], w[i + 7]);
	}
	for (unsigned i = 0; i < 8; i++)
		hash[i] += s[i];
}

static void sha256(uint32_t hash[8], const uint8_t *text, size_t length)
{
	static const uint32_t start[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
		0x5be0cd19,
	};
	uint8_t last[128] = {0};
	size_t whole = length / 64 * 64, rest = length - whole, blocks = rest < 56 ? 1 : 2;

	memcpy(hash, start, sizeof start);
	for (size_t i = 0; i < whole; i += 64)
		sha256_block(hash, text + i);
	memcpy(last, text + whole, rest);
	last[rest] = 0x80;
	for (unsigned i = 0; i < 8; i++)
		last[blocks * 64 - 1 - i] = (uint8_t)((uint64_t)length * 8 >> 8 * i);
	for (size_t i = 0; i < blocks; i++)
		sha256_block(hash, last + 64 * i);
}

// One million times "a": NIST's test vector.
static bool hash_a_million(void)
{
	static const uint32_t expected[8] = {
		0xcdc76e5c, 0x9914fb92, 0x81a1c7e2, 0x84d73e67, 0xf1809a48, 0xa497200e, 0x046d39cc,
		0xc7112cd0,
	};
	const size_t length = 1000000;
	uint8_t *text = malloc(length);
	uint32_t hash[8];

	if (!text)
		return false;
	memset(text, 'a', length);
	sha256(hash, text, length);
	free(text);
	return !memcmp(hash, expected, sizeof hash);
}

//
// Sort
//

struct record {
	uint32_t key;
	char name[28];
};

static int compare_records(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

static bool sort_records(void)
{
	const size_t count = 20000;
	struct record *records = calloc(count, sizeof *records);
	uint32_t random = 1, sum_before = 0, sum_after = 0;
	bool ordered = records;

	for (size_t i = 0; records && i < count; i++) {
		random = random * 1664525 + 1013904223;
		records[i].key = random;
		snprintf(records[i].name, sizeof records[i].name, "record %zu", i);
		sum_before += random;
	}
	if (records)
		qsort(records, count, sizeof *records, compare_records);
	for (size_t i = 0; records && i < count; i++) {
		ordered = ordered && (i == 0 || records[i - 1].key <= records[i].key);
		sum_after += records[i].key;
	}
	free(records);
	return ordered && sum_before == sum_after;
}

//
// Word count
//

#define WORD_SLOTS 256

struct word {
	const char *text;
	unsigned count;
};

static struct word *find_word(struct word *table, const char *text)
{
	uint32_t hash = 2166136261u;

	for (const char *c = text; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 16777619u;
	for (unsigned i = hash % WORD_SLOTS;; i = (i + 1) % WORD_SLOTS)
		if (!table[i].text || !strcmp(table[i].text, text))
			return &table[i];
}

static bool count_words(void)
{
	static const char *const vocabulary[] = {
		"counter", "overflow", "freeze", "threshold", "monitor", "branch", "sample",
		"period", "retired",
		"cycle", "stall", "queue", "occupancy", "interrupt", "privilege", "register",
	};
	const unsigned words = 60000, different = sizeof vocabulary / sizeof *vocabulary;
	struct word table[WORD_SLOTS] = {{0}};
	size_t room = words * 12ul, used = 0;
	char *text = malloc(room);
	unsigned counted = 0, distinct = 0;
	uint32_t random = 7;

	if (!text)
		return false;
	for (unsigned i = 0; i < words; i++) {
		const char *word = vocabulary[(random = random * 1664525 + 1013904223) >> 28];
		size_t length = strlen(word);

		memcpy(text + used, word, length);
		text[used + length] = i % 9 ? ' ' : '\n';
		used += length + 1;
	}
	text[used - 1] = '\0';
	for (char *save, *word = strtok_r(text, " \n", &save); word;
	     word = strtok_r(NULL, " \n", &save)) {
		struct word *slot = find_word(table, word);

		slot->text = word;
		slot->count++;
	}
	for (unsigned i = 0; i < WORD_SLOTS; i++) {
		counted += table[i].count;
		distinct += table[i].text != NULL;
	}
	free(text);
	return counted == words && distinct == different;
}

int workload(void)
{
	if (!hash_a_million())
		return 1;
	if (!sort_records())
		return 2;
	return count_words() ? 0 : 3;
}
