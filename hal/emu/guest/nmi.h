/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds out whose a non-maskable interrupt is: the guest's, sent by its local APIC or by a device; the alarm's; or
 * another CPU's call (run_token.h). The monitor takes all of them, and counts them here. */
#ifndef GUEST_NMI_H
#define GUEST_NMI_H

#include <stdbool.h>

#include "frame.h"

/* Counts NMIs from here on, of one CPU or of several. */
void nmi_start(bool several);

/* How many NMIs each CPU has taken and not yet reported, of several by local APIC identity; whether there is one. */
extern volatile uint8_t nmi_taken[256];
static inline bool nmi_is_taken(unsigned cpu)
{
	return nmi_taken[cpu];
}

/* On VM exit, latches the guest's NMI. True: there was a call from another CPU. */
bool nmi_notify(const struct svm_frame *frame);

/* Before VM entry, if this CPU may have waited for the run token: one NMI ended the wait. Latches a further one, which
 * is the guest's. True: there was one. */
bool nmi_notify_waited(const struct svm_frame *frame);

#endif
