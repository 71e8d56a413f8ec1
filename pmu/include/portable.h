/* SPDX-License-Identifier: BSD-2-Clause */
/* A saved context (pmu_context_save) as bytes, independent of byte order and compiler. Another CPU,
 * process or machine with the same PMU can resume it. palmon-state(5) describes the layout. These
 * functions access no register. */
#ifndef PORTABLE_H
#define PORTABLE_H

#include <stddef.h>
#include <stdint.h>

#include "pmu.h"

#define PMU_PORTABLE_VERSION	1
#define PMU_PORTABLE_SESSIONS	16	/* in a context, at most */
#define PMU_PORTABLE_NAME	24	/* bytes of a target's name, with at least one final 0 */

/* The greatest length, in bytes: header, sessions, counters, settings, recorded words, checksum. */
#define PMU_PORTABLE_MOST	(64 + PMU_PORTABLE_SESSIONS * (8 + PMU_SESSION_SETTINGS * 32) + \
				 PMU_COUNTER_NUMBERS * 64 + PMU_RECORDED * 8 + 4)

/* Errors in the bytes of a context. */
enum pmu_portable_error {
	PMU_PORTABLE_OK,
	PMU_PORTABLE_MAGIC,		/* not a context */
	PMU_PORTABLE_VERSION_UNKNOWN,	/* a layout of another version */
	PMU_PORTABLE_LENGTH,		/* cut off, or longer than its parts */
	PMU_PORTABLE_CHECKSUM,
	PMU_PORTABLE_TARGET,		/* a context of another target */
	PMU_PORTABLE_WIDTH,		/* a PMU of this name with other counters, or another
					 * counter width */
	PMU_PORTABLE_UNUSED,		/* bytes or bits that must be 0 are not */
	PMU_PORTABLE_ROOM,		/* too many sessions, or too many events or settings in a
					 * session */
	PMU_PORTABLE_LEVEL,		/* a privilege level that does not exist */
	PMU_PORTABLE_RECORDED,		/* more recorded words than the target has, or a final one
					 * that is 0 */
	PMU_PORTABLE_NUMBER,		/* a counter that the target lacks */
	PMU_PORTABLE_TWICE,		/* a repeated counter, session number, or session's
					 * setting */
	PMU_PORTABLE_FLAGS,		/* flags of a counter that the target does not allow, or
					 * that contradict its period */
	PMU_PORTABLE_PERIOD,		/* a period that no session can have */
	PMU_PORTABLE_START,		/* a value that the counter's register cannot start from */
	PMU_PORTABLE_SELECT,		/* a control value that selects no event of the target */
	PMU_PORTABLE_SETTING,		/* bits of a register that no event of the session needs */
	PMU_PORTABLE_OVERLAP,		/* two values for the same bits of a register */
	PMU_PORTABLE_ERRORS,
};

/* Writes a context as bytes. Returns their number; 0: more than `size`, or more than
 * PMU_PORTABLE_SESSIONS sessions. The context is unchanged: if another machine resumes the bytes,
 * call pmu_portable_forget instead of pmu_context_restore. */
size_t pmu_portable_write(const struct pmu_context *context, uint8_t *bytes, size_t size);

/* Returns the target name in the bytes, without other checks. NULL: they are too short, or have no
 * name. */
const char *pmu_portable_target(const uint8_t *bytes, size_t size);

/* Reads a context for a PMU with this driver into the caller's memory. `sessions` has space for
 * `room` sessions; it belongs to the context until they are closed or the context is forgotten.
 * pmu_context_restore then resumes them. Arbitrary bytes are safe: each field must be possible for
 * requests to the driver, and derived members (register addresses, sample sources) are recomputed.
 * On an error the context is unchanged. Searches the whole event table for each counter and
 * setting, so do not call it in a trap path. */
enum pmu_portable_error pmu_portable_read(const struct pmu_driver *driver, const uint8_t *bytes,
					  size_t size,
					  struct pmu_session *sessions, unsigned room,
					  struct pmu_context *context);

/* Discards a context that has not been restored. Its sessions are then closed. */
void pmu_portable_forget(struct pmu_context *context);

/* Returns an error in words. */
const char *pmu_portable_explain(enum pmu_portable_error error);

#endif
