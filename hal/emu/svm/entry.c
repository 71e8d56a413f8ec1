// SPDX-License-Identifier: BSD-2-Clause
// Before each entry into the guest: what ends its coming quantum.

#include "entry.h"

#include "x86/cpu.h"

#define INTERCEPT_ALWAYS (SVM_INTERCEPT_NMI | SVM_INTERCEPT_RDPMC | SVM_INTERCEPT_CPUID | SVM_INTERCEPT_MSR | \
			  SVM_INTERCEPT_SHUTDOWN)
#define LOWEST_LEVEL 3

// What ends the guest's coming quantum, besides what always does, in special circumstances. While counts depend on the
// privilege level, every path from level 3 to level 0 and back does; `stepping` lets the instruction that changes it
// execute, with the alarm right behind it.
__attribute__((noinline)) static void choose_intercepts(struct svm_monitor *m, struct vmcb *vmcb, unsigned level)
{
	const bool follows = m->watched && m->prepared.follows == MAILBOX_FOLLOWS_RETURNS &&
			     !(m->nmi_blocked & m->nmi_pending);
	uint32_t intercepts = vmcb->intercept1;

	if (m->halting)
		intercepts = (intercepts & ~SVM_INTERCEPT_HLT) | SVM_INTERCEPT_INTR;
	if (m->prepared.level_matters && level) {
		intercepts |= SVM_INTERCEPT_INTR | (m->stepping ? 0 : SVM_INTERCEPT_SWINT);
		vmcb->intercept_exceptions = UINT32_MAX;
	}
	if (m->watched && m->prepared.watch == MAILBOX_WATCH_ALL)
		intercepts |= SVM_INTERCEPT_INTR;
	if (!m->stepping && !follows && (m->nmi_blocked || (m->prepared.level_matters && level != LOWEST_LEVEL)))
		intercepts |= SVM_INTERCEPT_IRET;
	vmcb->intercept1 = intercepts;
}

// While instructions matter, interruptions end the guest's quantum, so that what it has executed is one way; while only
// their number does, exceptions, whose instruction has not retired. One that is delivered comes in a quantum of one
// instruction; one that is injected, too, if kinds of instructions matter.
static void watch(struct svm_monitor *m, const struct svm_frame *frame)
{
	m->watching = !m->halting && m->pmu.box.demands.watch;
	m->watched = m->watching && !m->interrupted && !(m->pmu.box.kinds_matter && frame->vmcb->event_injection);
	m->interrupted = false;
}

void svm_prepare_entry(struct svm_frame *frame, unsigned level)
{
	struct svm_monitor *m = frame->monitor;
	uint64_t quantum;
	bool watches_all;

	m->prepared = m->pmu.box.demands;
	m->prepared.request = false;
	if (m->nmi_pending && !m->nmi_blocked && !frame->vmcb->event_injection) {
		frame->vmcb->event_injection = SVM_INJECT_VALID | SVM_INJECT_NMI | VECTOR_NMI;
		m->nmi_pending = false;
		m->nmi_blocked = true;
		m->pmu.box.returned = false;
		level = 0;
	}
	watch(m, frame);
	watches_all = m->prepared.watch == MAILBOX_WATCH_ALL;
	if (m->prepared.level_matters | watches_all)
		svm_pmu_set_level(&m->pmu, level);
	m->special = (m->prepared.level_matters | (m->watched & watches_all)) * SVM_SPECIAL_WATCH |
		     (m->stepping | (m->watching & !m->watched) | m->nmi_pending | m->nmi_blocked | m->halting) *
		     SVM_SPECIAL_OTHER;
	frame->vmcb->intercept1 = INTERCEPT_ALWAYS | SVM_INTERCEPT_HLT |
				  (run_token_is_shared && run_token_has_others() ? SVM_INTERCEPT_PAUSE : 0);
	frame->vmcb->intercept_exceptions = m->watched ? UINT32_MAX : 0;
	quantum = m->pmu.box.headroom;
	if (__builtin_expect(m->special, false)) {
		choose_intercepts(m, frame->vmcb, level);
		quantum = m->stepping || (m->watching && !m->watched) ? 1 : quantum;
	}
	svm_set_deadline(m, frame, quantum);
}
