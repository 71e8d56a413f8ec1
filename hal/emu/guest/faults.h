/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that fault. */
#ifndef GUEST_FAULTS_H
#define GUEST_FAULTS_H

#include <stdbool.h>

#include "frame.h"

#include "layout.h"

#define VECTOR_DIVIDE		0
#define VECTOR_NO_DEVICE	7
#define VECTOR_NOT_PRESENT	11

/* As bits: exceptions of instructions that the emulator's clock may have counted although they fault. */
#define FAULTS_COUNTED (1u << VECTOR_DIVIDE | 1u << VECTOR_UNDEFINED | 1u << VECTOR_NO_DEVICE | \
			1u << VECTOR_NOT_PRESENT | 1u << VECTOR_GENERAL_PROTECTION)

/* Whether the clock has counted the instruction whose exception (one of these) ended the guest's quantum. */
bool faults_was_counted(const struct svm_frame *frame);

#endif
