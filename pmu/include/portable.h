/* SPDX-License-Identifier: BSD-2-Clause */
/* What a CPU measures, as bytes: a context that was put aside (pmu_context_save), in a layout that depends neither on
 * the processor's byte order nor on its compiler, for another CPU, process or machine with the same PMU to go on with.
 * palmon-state(5) has the layout. Nothing here touches a register. */
#ifndef PORTABLE_H
#define PORTABLE_H

#include <stddef.h>
#include <stdint.h>

#include "pmu.h"

#define PMU_PORTABLE_VERSION	1
#define PMU_PORTABLE_SESSIONS	16	/* in one context, at most */
#define PMU_PORTABLE_NAME	24	/* bytes of a target's name, with a 0 at its end at least */

/* The longest there can be: header, sessions, counters, settings, recorded words, checksum. */
#define PMU_PORTABLE_MOST	(64 + PMU_PORTABLE_SESSIONS * (8 + PMU_SESSION_SETTINGS * 32) + \
				 PMU_COUNTER_NUMBERS * 64 + PMU_RECORDED * 8 + 4)

/* What is wrong with bytes. */
enum pmu_portable_error {
	PMU_PORTABLE_OK,
	PMU_PORTABLE_MAGIC,		/* they are no context */
	PMU_PORTABLE_VERSION_UNKNOWN,	/* of another layout */
	PMU_PORTABLE_LENGTH,		/* cut off, or longer than its parts */
	PMU_PORTABLE_CHECKSUM,
	PMU_PORTABLE_TARGET,		/* another target's */
	PMU_PORTABLE_WIDTH,		/* of a PMU with this name that has other counters, or others of their width */
	PMU_PORTABLE_UNUSED,		/* bytes or bits that must be 0 are not */
	PMU_PORTABLE_ROOM,		/* more sessions, or in one more events or settings, than there is room for */
	PMU_PORTABLE_LEVEL,		/* a privilege level that there is not */
	PMU_PORTABLE_RECORDED,		/* more recorded words than the target has, or one 0 at the end */
	PMU_PORTABLE_NUMBER,		/* a counter that the target has not */
	PMU_PORTABLE_TWICE,		/* a counter, a session's number, or a session's setting that is there twice */
	PMU_PORTABLE_FLAGS,		/* of a counter: not the target's, or not with its period */
	PMU_PORTABLE_PERIOD,		/* a period that no session can have */
	PMU_PORTABLE_START,		/* a value that a counter's register cannot start from */
	PMU_PORTABLE_SELECT,		/* no event of the target is selected so */
	PMU_PORTABLE_SETTING,		/* bits of a register that no event of its session needs */
	PMU_PORTABLE_OVERLAP,		/* bits of a register that are set in two ways */
	PMU_PORTABLE_ERRORS,
};

/* Writes a context. Returns how many bytes; 0: there are more than `size`, or more sessions than
 * PMU_PORTABLE_SESSIONS. The context is as before: who hands it over calls pmu_portable_forget, and does not restore
 * it. */
size_t pmu_portable_write(const struct pmu_context *context, uint8_t *bytes, size_t size);

/* The name of the target that bytes are of; NULL: they are too short or none's. Says nothing else of them. */
const char *pmu_portable_target(const uint8_t *bytes, size_t size);

/* Makes the context anew, for a PMU with this driver, in the caller's memory: `sessions` has room for so many, and
 * stays the context's until they are closed or it is forgotten. Any bytes are safe: each field is checked against what
 * the driver's own requests can lead to, and what follows from others (register addresses, samples' sources) is not
 * taken from them. On an error nothing has been written. The context can then be restored (pmu_context_restore), and
 * its sessions go on as they were. The whole table of events is looked at for each counter and setting: not for a trap
 * path. */
enum pmu_portable_error pmu_portable_read(const struct pmu_driver *driver, const uint8_t *bytes, size_t size,
					  struct pmu_session *sessions, unsigned room, struct pmu_context *context);

/* Gives a context up that has not been restored. Its sessions are closed. */
void pmu_portable_forget(struct pmu_context *context);

/* What an error means, in words. */
const char *pmu_portable_explain(enum pmu_portable_error error);

#endif
