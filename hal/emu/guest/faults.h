/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that fault. */
#ifndef GUEST_FAULTS_H
#define GUEST_FAULTS_H

#include <stdbool.h>

#include "frame.h"

/* Whether the emulator's clock has counted the instruction whose #UD, #NM or #GP ended the guest's turn. */
bool faults_was_counted(const struct svm_frame *frame);

#endif
