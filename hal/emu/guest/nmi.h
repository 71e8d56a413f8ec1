/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose a non-maskable interrupt is: the guest's, sent by its local APIC or by a device; the alarm; another CPU's
 * call (run_token.h). All are taken in the monitor, where this counts them. */
#ifndef GUEST_NMI_H
#define GUEST_NMI_H

#include <stdbool.h>

#include "frame.h"

/* From here on they are counted. */
void nmi_start(void);

/* By local APIC: how many. Whether there is one to notify of. */
extern volatile uint8_t nmi_taken[256];
static inline bool nmi_is_taken(unsigned cpu)
{
	return nmi_taken[cpu];
}

/* At an exit's begin: a guest's own becomes pending. Whether it was a call. */
bool nmi_notify(const struct svm_frame *frame);

/* At its end, if this CPU may have waited for others, which has ended by one NMI. Whether there was one of the guest's
 * beside, which is pending now. */
bool nmi_notify_waited(const struct svm_frame *frame);

#endif
