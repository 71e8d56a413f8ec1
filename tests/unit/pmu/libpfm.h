/* SPDX-License-Identifier: BSD-2-Clause */
/* libpfm4, an independent encoder of events. */
#ifndef LIBPFM_H
#define LIBPFM_H

#include "unit.h"

#include <perfmon/pfmlib.h>
#include <stdlib.h>
#include <string.h>

#define LIBPFM_CODES	4

static inline void libpfm_begin(void)
{
	/* Without this variable libpfm4 encodes only events of the processor that it runs on. */
	assert_int_equal(setenv("LIBPFM_ENCODE_INACTIVE", "1", 1), 0);
	assert_int_equal(pfm_initialize(), PFM_SUCCESS);
}

static inline int libpfm_end(void **state)
{
	(void)state;
	pfm_terminate();
	return 0;
}

/* Encodes an event with libpfm4. `levels`: privilege levels if the text names none, PFM_PLM*; 0:
 * none. Stores the control register's value and the event's further register, or 0. Returns their
 * number. */
static inline int libpfm_encode(const char *text, unsigned levels, uint64_t codes[LIBPFM_CODES])
{
	pfm_pmu_encode_arg_t argument = {.codes = codes, .count = LIBPFM_CODES,
					 .size = sizeof argument};
	pfm_err_t error;

	memset(codes, 0, LIBPFM_CODES * sizeof *codes);
	error = pfm_get_os_event_encoding(text, (int)levels, PFM_OS_NONE, &argument);
	if (error != PFM_SUCCESS)
		fail_msg("libpfm: '%s': %s", text, pfm_strerror(error));
	return argument.count;
}

#endif
