/* SPDX-License-Identifier: BSD-2-Clause */
/* libpfm4, which encodes events for itself. */
#ifndef LIBPFM_H
#define LIBPFM_H

#include "unit.h"

#include <perfmon/pfmlib.h>
#include <stdlib.h>
#include <string.h>

#define LIBPFM_CODES	4

static inline void libpfm_begin(void)
{
	/* It encodes events of processors it does not run on only when asked to. */
	assert_int_equal(setenv("LIBPFM_ENCODE_INACTIVE", "1", 1), 0);
	assert_int_equal(pfm_initialize(), PFM_SUCCESS);
}

static inline int libpfm_end(void **state)
{
	(void)state;
	pfm_terminate();
	return 0;
}

/* `levels`: those of an event whose text names none, PFM_PLM*; 0: it has none. The codes are the select register, and
 * the register the event needs beside it if there is one, else 0. Returns how many there are. */
static inline int libpfm_encode(const char *text, unsigned levels, uint64_t codes[LIBPFM_CODES])
{
	pfm_pmu_encode_arg_t argument = {.codes = codes, .count = LIBPFM_CODES, .size = sizeof argument};
	pfm_err_t error;

	memset(codes, 0, LIBPFM_CODES * sizeof *codes);
	error = pfm_get_os_event_encoding(text, (int)levels, PFM_OS_NONE, &argument);
	if (error != PFM_SUCCESS)
		fail_msg("libpfm: '%s': %s", text, pfm_strerror(error));
	return argument.count;
}

#endif
