/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's PMU, which the emulator has (hal/emu/plugin), and the monitor asks through its CPU's mailbox. */
#ifndef SVM_CALLS_H
#define SVM_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame.h"
#include "mailbox.h"
#include "model.h"

/* A CPU's. */
struct svm_pmu {
	struct mailbox box;
};

/* What all CPUs' PMUs are; valid behind the first pmu_start. */
extern struct mailbox_start svm_pmu_is;

/* Starts the first CPU's PMU, and what its core shares with others. NULL: done; else why there is none. */
const char *svm_pmu_start(struct svm_pmu *pmu, const char *target, const char *fault, const struct svm_frame *frame);

/* A further CPU's. One that has been started already goes on as it is, at level 0. */
void svm_pmu_start_further(struct svm_pmu *pmu, const struct svm_frame *frame);

/* Whether an event ever happens (MAILBOX_HAPPENS). */
bool svm_pmu_event_happens(struct svm_pmu *pmu, uint32_t event);

/* The plugin carries out the instruction for which the guest was left (MAILBOX_EXECUTE). False: it cannot. */
bool svm_pmu_execute(struct svm_pmu *pmu, uint64_t cycles);

/* What follows is as in vpmu.h. */
void svm_pmu_run(struct svm_pmu *pmu, uint64_t cycles);
bool svm_pmu_read(struct svm_pmu *pmu, uint64_t cycles, uint32_t address, uint64_t *value);
bool svm_pmu_read_counter(struct svm_pmu *pmu, uint64_t cycles, uint32_t index, uint64_t *value);
bool svm_pmu_write(struct svm_pmu *pmu, uint32_t address, uint64_t value, uint64_t cycles);
void svm_pmu_identify(struct svm_pmu *pmu, uint32_t leaf, uint32_t registers[4]);
void svm_pmu_set_level(struct svm_pmu *pmu, unsigned level);
void svm_pmu_set_halted(struct svm_pmu *pmu, bool halted);
void svm_pmu_resume(struct svm_pmu *pmu);
void svm_pmu_clock_only(struct svm_pmu *pmu);
bool svm_pmu_take_request(struct svm_pmu *pmu);

#endif
