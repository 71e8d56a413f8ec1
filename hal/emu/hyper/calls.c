// SPDX-License-Identifier: BSD-2-Clause
// Calls of the PMU, through the mailbox.

#include "calls.h"

#include <string.h>

static uint64_t get(const uint64_t *from)
{
	uint64_t value;

	__asm__ volatile("ldxa [%1] %2, %0" : "=r"(value) : "r"(from), "i"(ASI_PRIMARY_LITTLE) : "memory");
	return value;
}

static void put_call(enum mailbox_call call)
{
	__asm__ volatile("stwa %r0, [%1] %2" : : "rJ"(call), "r"(&HYPER_PMU->box.call), "i"(ASI_PRIMARY_LITTLE)
			 : "memory");
}

// The emulator answers before the next instruction.
static void ring(enum mailbox_call call, uint64_t cycles)
{
	register uintptr_t base __asm__("g1") = (uintptr_t)&HYPER_PMU->box.ring - MAILBOX_RING_DISPLACEMENT;

	put_call(call);
	hyper_pmu_put(&HYPER_PMU->box.cycles, cycles);
	__asm__ volatile(".word %1" : : "r"(base), "i"(MAILBOX_RING_STW) : "memory");
}

static void ring_with(enum mailbox_call call, uint64_t value)
{
	hyper_pmu_put(&HYPER_PMU->box.value, value);
	ring(call, 0);
}

void hyper_pmu_prepare(void)
{
	memset(HYPER_PMU, 0, sizeof *HYPER_PMU);
	HYPER_PMU->box.ok = true;
}

const char *hyper_pmu_start(const char *target, const char *fault)
{
	struct hyper_pmu *const pmu = HYPER_PMU;

	if (strlen(target) >= sizeof pmu->start.target || strlen(fault) >= sizeof pmu->start.fault)
		return "its name, or its fault's, is too long";
	strcpy(pmu->start.target, target);
	strcpy(pmu->start.fault, fault);
	hyper_pmu_put(&pmu->box.self, (uintptr_t)&pmu->box);
	hyper_pmu_put(&pmu->box.address, (uintptr_t)&pmu->start);
	hyper_pmu_put(&pmu->start.frame, HYPER_FRAME);
	ring_with(MAILBOX_START, MAILBOX_VERSION);
	if (!pmu->box.answers)
		return "QEMU has no PMU: palmon's plugin is not loaded, or its memory is not shared";
	return *pmu->start.problem ? pmu->start.problem : NULL;
}

void hyper_pmu_run(uint64_t cycles)
{
	ring(MAILBOX_RUN, cycles);
}

void hyper_pmu_commit(void)
{
	ring(MAILBOX_COMMIT, 0);
}

bool hyper_pmu_report_next(uint32_t instruction)
{
	ring_with(MAILBOX_NEXT, instruction);
	return HYPER_PMU->box.ok;
}

void hyper_pmu_drop_reported(void)
{
	ring(MAILBOX_REPORTED, 0);
}

static bool read(enum mailbox_call call, uint32_t address, uint64_t *value)
{
	hyper_pmu_put(&HYPER_PMU->box.address, address);
	ring(call, 0);
	*value = get(&HYPER_PMU->box.value);
	return HYPER_PMU->box.ok;
}

bool hyper_pmu_read(uint32_t address, uint64_t *value)
{
	return read(MAILBOX_READ, address, value);
}

bool hyper_pmu_read_counter(uint32_t index, uint64_t *value)
{
	return read(MAILBOX_READ_COUNTER, index, value);
}

static bool write(enum mailbox_call call, uint32_t address, uint64_t value)
{
	hyper_pmu_put(&HYPER_PMU->box.address, address);
	hyper_pmu_put(&HYPER_PMU->box.value, value);
	ring(call, 1);
	return HYPER_PMU->box.ok;
}

bool hyper_pmu_write(uint32_t address, uint64_t value)
{
	return write(MAILBOX_WRITE, address, value);
}

bool hyper_pmu_write_counter(uint32_t index, uint64_t value)
{
	return write(MAILBOX_WRITE_COUNTER, index, value);
}

void hyper_pmu_set_level(unsigned level)
{
	ring_with(MAILBOX_SET_LEVEL, level);
}

void hyper_pmu_change_level(unsigned level)
{
	ring_with(MAILBOX_CHANGE_LEVEL, level);
}

void hyper_pmu_set_halted(bool halted)
{
	ring_with(MAILBOX_SET_HALTED, halted);
}

void hyper_pmu_take_request(void)
{
	ring(MAILBOX_TAKE_REQUEST, 0);
}

bool hyper_pmu_event_happens(uint32_t event)
{
	ring_with(MAILBOX_HAPPENS, event);
	return HYPER_PMU->box.ok;
}

uint64_t hyper_pmu_headroom(void)
{
	return get(&HYPER_PMU->box.headroom);
}
