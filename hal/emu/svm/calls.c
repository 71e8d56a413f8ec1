// SPDX-License-Identifier: BSD-2-Clause
// Calls of the PMU, through the mailbox.

#include "calls.h"

#include <string.h>

#include "processor.h"
#include "x86/cpu.h"

struct mailbox_start svm_pmu_is;

// The emulator answers before the next instruction.
static void ring(struct svm_pmu *pmu, enum mailbox_call call, uint64_t cycles)
{
	pmu->box.call = call;
	pmu->box.cycles = cycles;
	__asm__ volatile("movl %1, %0" : "=m"(pmu->box.ring) : "i"(MAILBOX_RING) : "memory");
}

static void start(struct svm_pmu *pmu, const struct svm_frame *frame)
{
	unsigned thread;

	svm_pmu_is.package = x86_topology(&svm_pmu_is.core, &thread);
	svm_pmu_is.thread = thread;
	svm_pmu_is.frame = (uintptr_t)frame;
	pmu->box.self = (uintptr_t)&pmu->box;
	pmu->box.address = (uintptr_t)&svm_pmu_is;
	pmu->box.value = MAILBOX_VERSION;
	ring(pmu, MAILBOX_START, 0);
}

const char *svm_pmu_start(struct svm_pmu *pmu, const char *target, const char *fault, const struct svm_frame *frame)
{
	if (strlen(target) >= sizeof svm_pmu_is.target || strlen(fault) >= sizeof svm_pmu_is.fault)
		return "its name, or its fault's, is too long";
	strcpy(svm_pmu_is.target, target);
	strcpy(svm_pmu_is.fault, fault);
	processor_describe(&svm_pmu_is);
	start(pmu, frame);
	if (!pmu->box.answers)
		return "QEMU has no PMU: palmon's plugin is not loaded, or its memory is not shared";
	return *svm_pmu_is.problem ? svm_pmu_is.problem : NULL;
}

void svm_pmu_start_further(struct svm_pmu *pmu, const struct svm_frame *frame)
{
	start(pmu, frame);
}

bool svm_pmu_event_happens(struct svm_pmu *pmu, uint32_t event)
{
	pmu->box.value = event;
	ring(pmu, MAILBOX_HAPPENS, 0);
	return pmu->box.ok;
}

void svm_pmu_run(struct svm_pmu *pmu, uint64_t cycles)
{
	ring(pmu, MAILBOX_RUN, cycles);
}

static bool read(struct svm_pmu *pmu, enum mailbox_call call, uint64_t cycles, uint32_t address, uint64_t *value)
{
	pmu->box.address = address;
	ring(pmu, call, cycles);
	*value = pmu->box.value;
	return pmu->box.ok;
}

bool svm_pmu_read(struct svm_pmu *pmu, uint64_t cycles, uint32_t address, uint64_t *value)
{
	return read(pmu, MAILBOX_READ, cycles, address, value);
}

bool svm_pmu_read_counter(struct svm_pmu *pmu, uint64_t cycles, uint32_t index, uint64_t *value)
{
	return read(pmu, MAILBOX_READ_COUNTER, cycles, index, value);
}

bool svm_pmu_write(struct svm_pmu *pmu, uint32_t address, uint64_t value, uint64_t cycles)
{
	pmu->box.address = address;
	pmu->box.value = value;
	ring(pmu, MAILBOX_WRITE, cycles);
	return pmu->box.ok;
}

bool svm_pmu_execute(struct svm_pmu *pmu, uint64_t cycles)
{
	ring(pmu, MAILBOX_EXECUTE, cycles);
	return pmu->box.ok;
}

void svm_pmu_identify(struct svm_pmu *pmu, uint32_t leaf, uint32_t registers[4])
{
	pmu->box.address = leaf;
	memcpy(pmu->box.registers, registers, sizeof pmu->box.registers);
	ring(pmu, MAILBOX_IDENTIFY, 0);
	memcpy(registers, pmu->box.registers, sizeof pmu->box.registers);
}

void svm_pmu_set_level(struct svm_pmu *pmu, unsigned level)
{
	if (level == pmu->box.level)
		return;
	pmu->box.value = level;
	ring(pmu, MAILBOX_SET_LEVEL, 0);
}

void svm_pmu_set_halted(struct svm_pmu *pmu, bool halted)
{
	pmu->box.value = halted;
	ring(pmu, MAILBOX_SET_HALTED, 0);
}

void svm_pmu_resume(struct svm_pmu *pmu)
{
	ring(pmu, MAILBOX_RESUME, 0);
}

void svm_pmu_clock_only(struct svm_pmu *pmu)
{
	ring(pmu, MAILBOX_CLOCK_ONLY, 0);
}

bool svm_pmu_take_request(struct svm_pmu *pmu)
{
	if (!pmu->box.demands.request)
		return false;
	ring(pmu, MAILBOX_TAKE_REQUEST, 0);
	return true;
}
