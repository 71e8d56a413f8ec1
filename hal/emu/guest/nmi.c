// SPDX-License-Identifier: BSD-2-Clause
// Non-maskable interrupts. The monitor counts those it takes, and knows how many it has sent: the rest are the guest's.
// One that comes while another is pending merges with it, as on the bare machine. So a device's NMI that comes together
// with one of the monitor's is lost.

#include "nmi.h"

#include "alarm.h"
#include "monitor.h"
#include "run_token.h"
#include "world.h"

volatile uint8_t nmi_taken[256];
void nmi_entry(void);
void nmi_entry_alone(void);
void nmi_take_pending(void);

__asm__(".text\n"
	".balign 16, 0xCC\n"
	"nmi_entry:\n"
	"push %rax\n"
	"mov $0xFEE00020, %eax\n"
	"mov (%rax), %eax\n"
	"shr $24, %eax\n"
	"incb nmi_taken(%rax)\n"
	"pop %rax\n"
	"jmp svm_nmi_entry\n"
	"nmi_entry_alone:\n"
	"incb nmi_taken\n"
	"jmp svm_nmi_entry\n"
	"nmi_take_pending:\n"
	"stgi\n"
	"clgi\n"
	"ret\n");

// The most instructions between an exit and the point where switch.S puts the alarm off.
#define ALARM_LATEST 32

// The alarm's timer ticks once in ten instructions. A CPU that waits for the run token and takes an NMI executes some
// instructions. If it does so after switch.S has read the clock and before it sets the alarm, the alarm goes off up to
// a tick too early.
#define ALARM_EARLIEST 10

// One CPU's local APIC is the guest's, with its identity.
void nmi_start(bool several)
{
	world_take_nmis(several ? nmi_entry : nmi_entry_alone);
	if (!several)
		alarm_send_to_all();
}

// Takes all NMIs that other monitors have sent this CPU. Returns how many.
__attribute__((noinline)) static unsigned take_asked(unsigned cpu)
{
	unsigned asked = 0;

	while (run_token_is_asked(cpu)) {
		asked += run_token_take_asked(cpu);
		nmi_take_pending();
	}
	return asked;
}

// The number of NMIs taken since the last call.
static unsigned take(unsigned cpu)
{
	return __atomic_exchange_n(&nmi_taken[cpu], 0, __ATOMIC_SEQ_CST);
}

static bool is_alarm(const struct svm_frame *frame)
{
	const unsigned late = frame->vmcb->exit_code == SVM_EXIT_NMI ? ALARM_EARLIEST : ALARM_LATEST;

	return frame->monitor->pmu.box.early || frame->guest_clock + late >= frame->monitor->deadline;
}

bool nmi_notify(const struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;
	unsigned asked;

	if (!nmi_is_taken(m->cpu) && !run_token_is_asked(m->cpu))
		return false;
	asked = run_token_is_asked(m->cpu) ? take_asked(m->cpu) : 0;
	if (take(m->cpu) > asked + is_alarm(frame))
		m->nmi_pending = true;		// only set: another CPU's monitor may do so, too
	return asked;
}

bool nmi_notify_waited(const struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;
	unsigned asked;
	bool more;

	if (!nmi_is_taken(m->cpu))
		return false;
	asked = take_asked(m->cpu);
	more = take(m->cpu) > asked;
	if (more)
		m->nmi_pending = true;
	return more;
}
