/* SPDX-License-Identifier: BSD-2-Clause */
/* A context that was put aside (pmu_context_save), as bytes, in a layout that depends neither on the processor's byte
 * order nor on the compiler. Another CPU, process or machine with the same PMU can resume it. palmon-state(5) has the
 * layout. These functions access no register. */
#ifndef PORTABLE_H
#define PORTABLE_H

#include <stddef.h>
#include <stdint.h>

#include "pmu.h"

#define PMU_PORTABLE_VERSION	1
#define PMU_PORTABLE_SESSIONS	16	/* in one context, at most */
#define PMU_PORTABLE_NAME	24	/* bytes of a target's name, with a 0 at its end at least */

/* The greatest length: header, sessions, counters, settings, recorded words, checksum. */
#define PMU_PORTABLE_MOST	(64 + PMU_PORTABLE_SESSIONS * (8 + PMU_SESSION_SETTINGS * 32) + \
				 PMU_COUNTER_NUMBERS * 64 + PMU_RECORDED * 8 + 4)

/* Errors in the bytes of a context. */
enum pmu_portable_error {
	PMU_PORTABLE_OK,
	PMU_PORTABLE_MAGIC,		/* not a context */
	PMU_PORTABLE_VERSION_UNKNOWN,	/* another layout */
	PMU_PORTABLE_LENGTH,		/* cut off, or longer than its parts */
	PMU_PORTABLE_CHECKSUM,
	PMU_PORTABLE_TARGET,		/* of another target */
	PMU_PORTABLE_WIDTH,		/* of a PMU with this name, but with other counters, or another width */
	PMU_PORTABLE_UNUSED,		/* bytes or bits that must be 0 are not */
	PMU_PORTABLE_ROOM,		/* too many sessions, or too many events or settings in one */
	PMU_PORTABLE_LEVEL,		/* a privilege level that does not exist */
	PMU_PORTABLE_RECORDED,		/* more recorded words than the target has, or a last one that is 0 */
	PMU_PORTABLE_NUMBER,		/* a counter that the target lacks */
	PMU_PORTABLE_TWICE,		/* a repeated counter, session number, or setting of a session */
	PMU_PORTABLE_FLAGS,		/* of a counter: not possible on the target, or with its period */
	PMU_PORTABLE_PERIOD,		/* a period that no session can have */
	PMU_PORTABLE_START,		/* a value that a counter's register cannot start from */
	PMU_PORTABLE_SELECT,		/* a select of no event of the target */
	PMU_PORTABLE_SETTING,		/* bits of a register that no event of its session needs */
	PMU_PORTABLE_OVERLAP,		/* bits of a register with two values */
	PMU_PORTABLE_ERRORS,
};

/* Writes a context. Returns its bytes; 0: more than `size`, or more sessions than PMU_PORTABLE_SESSIONS. The context is
 * unchanged: if another machine resumes it, call pmu_portable_forget instead of restoring it. */
size_t pmu_portable_write(const struct pmu_context *context, uint8_t *bytes, size_t size);

/* Returns the name of the bytes' target, without other checks; NULL: they are too short, or have no target. */
const char *pmu_portable_target(const uint8_t *bytes, size_t size);

/* Reads a context for a PMU with this driver into the caller's memory: `sessions` has space for `room`, and belongs to
 * the context until they are closed or it is forgotten. Any bytes are safe: each field must be possible for requests to
 * the driver, and derived fields (register addresses, samples' sources) are recomputed. On an error the context is
 * unchanged. pmu_context_restore then resumes its sessions. Searches the whole table of events for each counter and
 * setting: not for a trap path. */
enum pmu_portable_error pmu_portable_read(const struct pmu_driver *driver, const uint8_t *bytes, size_t size,
					  struct pmu_session *sessions, unsigned room, struct pmu_context *context);

/* Discards a context that has not been restored. Its sessions are closed. */
void pmu_portable_forget(struct pmu_context *context);

/* Explains an error in words. */
const char *pmu_portable_explain(enum pmu_portable_error error);

#endif
