/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts about the backend, for reports: its name, its clock, the events that it raises. */
#ifndef BACKEND_H
#define BACKEND_H

#include <stdbool.h>
#include <stdint.h>

/* If an instruction clock drives hal_clock: the number of instructions executed when it read
 * `clock`; otherwise `clock` itself. For differences. */
uint64_t hal_instructions(uint64_t clock);

/* The backend's name: "silicon", "QEMU plugin, unit clock", "host shim"; "unknown": a machine that
 * may be virtual and does not announce its backend (announce=off). SPARC processors do not announce
 * it, either. */
const char *hal_backend(void);

/* The meaning of a PMU's cycles. With an emulator's unit clock each instruction takes one cycle. */
enum hal_cycles {
	HAL_CYCLES_ARE_TIME,
	HAL_CYCLES_ARE_INSTRUCTIONS,
	HAL_CYCLES_ARE_MOSTLY_INSTRUCTIONS,	/* some are not (Itanium) */
};
enum hal_cycles hal_cycles(void);

/* Whether this backend ever raises an event, given by the target's code and unit mask, of the
 * cores' PMU or of the shared PMU. On silicon the answer is unknown. An instruction clock raises
 * only retired instructions and cycles. */
enum hal_happens {
	HAL_NEVER,
	HAL_HAPPENS,
	HAL_UNKNOWN,
};
enum hal_happens hal_event_happens(bool shared, uint16_t code, uint8_t umask);

#endif
