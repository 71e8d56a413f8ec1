// SPDX-License-Identifier: BSD-2-Clause
// Non-maskable interrupts, counted where the monitor takes them: the guest's are left over. One that comes while another
// one waits to be taken is the same one, as on the bare machine; so one of a device's that comes with an alarm is lost.

#include "nmi.h"

#include "baton.h"
#include "monitor.h"

volatile uint8_t nmi_taken[256];
void nmi_entry(void);

__asm__(".text\n"
	".balign 16, 0xCC\n"
	"nmi_entry:\n"
	"push %rax\n"
	"mov $0xFEE00020, %eax\n"
	"mov (%rax), %eax\n"
	"shr $24, %eax\n"
	"incb nmi_taken(%rax)\n"
	"pop %rax\n"
	"jmp svm_nmi_entry\n");

// Instructions between an exit and the place where switch.S puts the alarm off, at most.
#define ALARM_LATEST 32

void nmi_start(void)
{
	svm_take_nmis(nmi_entry);
}

static unsigned take(unsigned cpu)
{
	return __atomic_exchange_n(&nmi_taken[cpu], 0, __ATOMIC_SEQ_CST);
}

static bool is_alarm(const struct svm_frame *frame)
{
	const unsigned late = frame->vmcb->exit_code == SVM_EXIT_NMI ? 0 : ALARM_LATEST;

	return frame->guest_clock + late >= frame->monitor->deadline;
}

bool nmi_tell(const struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;

	if (!take(m->cpu))
		return false;
	if (baton_was_called(m->cpu))
		return true;
	if (!is_alarm(frame))
		m->nmi_pending = true;
	return false;
}

bool nmi_tell_waited(const struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;
	const unsigned taken = take(m->cpu);

	if (taken)
		baton_was_called(m->cpu);
	m->nmi_pending |= taken > 1;
	return taken > 1;
}
