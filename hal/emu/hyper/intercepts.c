// SPDX-License-Identifier: BSD-2-Clause
// Instructions that are carried out for the guest: accesses to the PMU's registers, HALT.

#include "exit.h"

#include "arch.h"
#include "decode.h"
#include "hal.h"
#include "sparc64/registers.h"

// Memory controllers (hal.h), and where in a physical address the register of one is.
#define CONTROLLERS_MOST	256
#define CONTROLLER_REGISTER	((1u << PHYSICAL_STRIDE_SHIFT) - 1)

static uint64_t address_of(const struct hyper_frame *frame, const struct access *access)
{
	return frame->registers[access->rs1] + frame->registers[access->rs2] + (uint64_t)(int64_t)access->immediate;
}

// The register that an access to `at` is to (hal.h). False: it is to none.
static bool locate(const struct access *access, uint64_t at, uint32_t *address)
{
	const uint64_t offset = at - PHYSICAL_BASE, controller = offset >> PHYSICAL_STRIDE_SHIFT;

	if (access->alternate && access->asi != ASI_PRIMARY) {
		*address = (uint32_t)access->asi << 8 | (uint32_t)(at >> 3 & 0xFF);
		return at % 8 == 0 && at >> 11 == 0;
	}
	*address = REGISTER_PHYSICAL | (uint32_t)(offset & CONTROLLER_REGISTER) << 8 | (uint32_t)controller;
	return controller < CONTROLLERS_MOST;
}

static bool do_counter_access(bool store, uint32_t index, uint64_t *value)
{
	return store ? hyper_pmu_write_counter(index, *value) : hyper_pmu_read_counter(index, value);
}

static bool do_register_access(bool store, uint32_t address, uint64_t *value)
{
	return store ? hyper_pmu_write(address, *value) : hyper_pmu_read(address, value);
}

// Hyperprivileged code reaches all registers; the other only the PICs, if they let it.
static bool do_access(struct hyper_monitor *m, const struct access *access, uint32_t address, uint64_t *value)
{
	if (m->level == LEVEL_HYPERPRIVILEGED && do_register_access(access->store, address, value))
		return true;
	return access->alternate && access->asi == ASI_OF_PIC &&
	       do_counter_access(access->store, address & 0xFF, value);
}

static void step_over(struct hyper_frame *frame)
{
	frame->trap.tpc = frame->trap.tnpc;
	frame->trap.tnpc += 4;
}

enum outcome hyper_exit_access(struct hyper_monitor *m, struct hyper_frame *frame)
{
	uint64_t value = 0, there;
	struct access access;
	uint32_t address;

	if (!decode_access(instruction_at(frame->trap.tpc), (uint8_t)(frame->trap.tstate >> 24), &access) ||
	    !locate(&access, address_of(frame, &access), &address))
		return OUTCOME_FORWARD;
	if (access.store)
		value = frame->registers[access.rd];
	if (__builtin_expect(!do_access(m, &access, address, &value), false)) {
		// A PIC that is there lacks the privilege only.
		if (m->level == LEVEL_HYPERPRIVILEGED || !hyper_pmu_read(address, &there))
			return OUTCOME_FORWARD;
		return OUTCOME_UNPRIVILEGED;
	}
	if (!access.store) {
		if (access.rd)
			frame->registers[access.rd] = value;
		hyper_pmu_commit();
	}
	m->guest++;
	if (__builtin_expect(hyper_pmu_take_precise(), false))
		return OUTCOME_PRECISE;
	step_over(frame);
	return OUTCOME_RETURN;
}

// HALT counts; then time passes at once until %stick_cmpr, and nothing counts. Without anything to wait for it is for
// ever.
enum outcome hyper_exit_halt(struct hyper_monitor *m, struct hyper_frame *frame)
{
	step_over(frame);
	m->guest++;
	hyper_pmu_commit();
	if (frame->softint & ~SOFTINT_ALARM || hyper_pmu_has_request())
		return OUTCOME_RETURN;
	while (!is_armed(frame))
		;
	if (frame->stick_cmpr > ticks(m->guest)) {
		uint64_t wake = hyper_instructions(frame->stick_cmpr);

		hyper_pmu_set_halted(true);
		hyper_pmu_run(wake - m->guest);
		hyper_pmu_set_halted(false);
		m->guest = wake;
	}
	m->woken = true;
	return OUTCOME_RETURN;
}
