/* SPDX-License-Identifier: BSD-2-Clause */
/* A growing buffer for the bytes of an output file. Numbers are little endian. */
#ifndef BYTES_OUT_H
#define BYTES_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An empty buffer is all zero. */
struct bytes_out {
	uint8_t *byte;
	size_t size, room;
	bool failed;		/* out of memory: bytes added since then are missing */
};

void bytes_add(struct bytes_out *out, const void *bytes, size_t size);
void bytes_add_zeros(struct bytes_out *out, size_t size);

/* Adds the `size` lowest bytes of a number. */
void bytes_add_number(struct bytes_out *out, uint64_t number, unsigned size);

/* Overwrites the bytes at offset `at` with a number of `size` bytes. */
void bytes_set_number(struct bytes_out *out, size_t at, uint64_t number, unsigned size);

void bytes_free(struct bytes_out *out);

#endif
