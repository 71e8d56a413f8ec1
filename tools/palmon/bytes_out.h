/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of a file that is being made, in memory: numbers have their lowest byte first. */
#ifndef BYTES_OUT_H
#define BYTES_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: empty. */
struct bytes_out {
	uint8_t *byte;
	size_t size, room;
	bool failed;		/* there was no memory: what was added since is not there */
};

void bytes_add(struct bytes_out *out, const void *bytes, size_t size);
void bytes_add_zeros(struct bytes_out *out, size_t size);

/* The `size` lowest bytes of a number. */
void bytes_add_number(struct bytes_out *out, uint64_t number, unsigned size);

/* Writes a number over what is at `at`. */
void bytes_set_number(struct bytes_out *out, size_t at, uint64_t number, unsigned size);

void bytes_free(struct bytes_out *out);

#endif
