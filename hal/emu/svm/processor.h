/* SPDX-License-Identifier: BSD-2-Clause */
/* What a PMU sees of the guest: memory, registers, the next instruction. */
#ifndef SVM_PROCESSOR_H
#define SVM_PROCESSOR_H

#include "decode.h"
#include "frame.h"
#include "model.h"

/* One core: the frames of its threads, NULL where there is none. */
struct svm_core {
	struct svm_frame *thread[SVM_CPUS];
	struct model_processor processor;
};

/* Prepares a core for `attach`. Threads are added later. */
void processor_start(struct svm_core *core);

/* The registers of a thread, as a model_processor's: context is its svm_core. */
void processor_registers(void *core, unsigned thread, uint64_t registers[MODEL_REGISTERS]);

/* Decodes the guest's next instruction. */
struct decoded processor_decode(const struct svm_frame *frame);

/* The length of the guest's next instruction if it is SPFLT (decode_spflt), and whether it turns the user filter on;
 * else 0. */
unsigned processor_decode_spflt(const struct svm_frame *frame, bool *count);

#endif
