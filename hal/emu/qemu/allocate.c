// SPDX-License-Identifier: BSD-2-Clause

#include "allocate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

void *allocate(size_t size)
{
	const size_t lines = (size + MODEL_ALIGNMENT - 1) / MODEL_ALIGNMENT;
	void *const memory = aligned_alloc(MODEL_ALIGNMENT, lines * MODEL_ALIGNMENT);

	if (!memory) {
		fprintf(stderr, "palmon: out of memory\n");
		exit(1);
	}
	return memset(memory, 0, size);
}
