/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's memory. */
#ifndef SVM_PROCESSOR_H
#define SVM_PROCESSOR_H

#include "mailbox.h"

/* Says which memory of the guest's its PMU may write records into, and whether it has the package's. */
void processor_describe(struct mailbox_start *start);

#endif
