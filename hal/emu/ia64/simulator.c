// SPDX-License-Identifier: BSD-2-Clause
// The machine's services for a program: break 80001H with a number in r15. The first numbers are
// those of the Ski simulator.

#include "simulator.h"

#include "agents.h"
#include "control.h"
#include "cycle.h"
#include "look.h"
#include "machine.h"
#include "tally.h"

enum { CALL_PUT_CHAR = 31, CALL_EXIT = 66, CALL_HALT = 0x1001, CALL_HAPPENS = 0x1002,
       CALL_AGENT = 0x1003 };

// Returns the cycles until an interrupt can become pending; MODEL_FAR: it cannot.
static uint64_t cycles_to_wait(struct machine *m)
{
	const uint64_t to_match = ia64_control_value(m, CR_ITM) - ia64_itc(m),
		headroom = vpmu_headroom(&m->pmu);
	const bool timed = !(ia64_control_value(m, CR_ITV) & VECTOR_MASKED);

	// A match that has passed comes again after 2^64 cycles.
	return timed && to_match - 1 < headroom - 1 ? to_match : headroom;
}

// Passes cycles without instructions until an interrupt is pending, even if PSR.i masks it. If
// nothing could end the halt, it ends at once.
static enum outcome halt(struct machine *m)
{
	uint64_t cycles;

	if (!m->monitored)
		return OUTCOME_NEXT;
	ia64_close_cycle(m);
	ia64_look(m, ia64_retired(m));
	vpmu_set_halted(&m->pmu, true);
	while (ia64_acceptable(m) < 0 && (cycles = cycles_to_wait(m)) < MODEL_FAR) {
		ia64_pass_halted(m, cycles);
		ia64_look_at_timer(m);
		if (vpmu_take_request(&m->pmu))
			ia64_request(m, ia64_control_value(m, CR_PMV));
	}
	vpmu_set_halted(&m->pmu, false);
	ia64_stop(m);
	return OUTCOME_NEXT;
}

enum outcome ia64_call_simulator(struct machine *m)
{
	const uint64_t first = ia64_gr(m, 32);

	switch (ia64_gr(m, 15)) {
	case CALL_PUT_CHAR:
		m->put_char(m->context, (char)first);
		return OUTCOME_NEXT;
	case CALL_EXIT:
		m->status = (int)first;
		return OUTCOME_END;
	case CALL_HALT:
		return halt(m);
	case CALL_HAPPENS:
		return ia64_put(m, 8, ia64_event_happens(m, first, ia64_gr(m, 33)), false);
	case CALL_AGENT:
		return ia64_put(m, 8, ia64_act(m, ia64_gr(m, 33), first), false);
	default:
		return ia64_interrupt(m, VECTOR_BREAK, 0, SIMULATOR_BREAK);
	}
}
