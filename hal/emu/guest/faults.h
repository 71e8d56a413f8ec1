/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that fault. */
#ifndef GUEST_FAULTS_H
#define GUEST_FAULTS_H

#include <stdbool.h>

#include "frame.h"

#define VECTOR_NO_DEVICE	7

/* The exceptions that end the guest's turn while a counter counts. */
#define FAULTS_INTERCEPTED	(1u << VECTOR_UNDEFINED | 1u << VECTOR_NO_DEVICE | 1u << VECTOR_GENERAL_PROTECTION)

/* Whether the emulator's clock has counted the instruction whose #UD, #NM or #GP ended the guest's turn. */
bool faults_was_counted(const struct svm_frame *frame);

#endif
