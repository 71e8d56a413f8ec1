/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest: its memory, its next instruction. */
#ifndef SVM_PROCESSOR_H
#define SVM_PROCESSOR_H

#include "decode.h"
#include "frame.h"
#include "mailbox.h"

/* Says which memory of the guest's its PMU may write records into, and whether it has the package's. */
void processor_describe(struct mailbox_start *start);

/* Decodes the guest's next instruction. */
struct decoded processor_decode(const struct svm_frame *frame);

/* The length of the guest's next instruction if it is SPFLT (decode_spflt), and whether it turns the user filter on;
 * else 0. */
unsigned processor_decode_spflt(const struct svm_frame *frame, bool *count);

#endif
