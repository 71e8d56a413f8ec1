// SPDX-License-Identifier: BSD-2-Clause
// x86: RDMSR, WRMSR, RDPMC, RDTSC and CPUID, where they concern the PMU. The plugin executes each
// in QEMU's place, in one cycle, unless a hypervisor in the guest intercepts it.

#include <string.h>

#include "../plugin.h"
#include "../pmus.h"
#include "../report.h"
#include "../timeline.h"
#include "../unpromised.h"
#include "announce.h"
#include "references.h"
#include "x86.h"

#define CR4_TSD		(1u << 2)
#define CR4_PCE		(1u << 8)

// Exit codes of AMD's SVM (APM volume 2, appendix C), which is all that QEMU emulates.
#define EXIT_RDTSC	0x6E
#define EXIT_RDPMC	0x6F
#define EXIT_CPUID	0x72
#define EXIT_MSR	0x7C

static void check_intercept(const struct cpu *c, uint32_t exit, bool write)
{
	cpu_svm_check_intercept_param(x86_env(c), exit, write, c->here);
}

// Writes the result of RDMSR and RDPMC to EDX:EAX.
_Noreturn static void return_pair(struct cpu *c, const struct instruction *i, uint64_t value)
{
	plugin_restore(c);
	x86_registers(c)[X86_AX] = (uint32_t)value;
	x86_registers(c)[X86_DX] = value >> 32;
	x86_skip(c, i->size);
}

_Noreturn static void fault(struct cpu *c)
{
	timeline_resume(c);
	x86_raise(c, X86_GP);
}

// Synchronizes the model with all executed instructions, and, if its clock is the processor's, with
// all elapsed time.
static void settle(struct cpu *c)
{
	if (c->vpmu.model->clock_address) {
		plugin_restore(c);
		timeline_follow_clock(c, unpromised_ticks(c->qemu));
		return;
	}
	timeline_settle(c);
	if (c->vpmu.package && plugin_has_idle_time()) {
		plugin_restore(c);
		timeline_pass_idle(unpromised_ticks(c->qemu));
	}
}

//
// Registers
//

// Performance-monitoring registers of some Intel processors (SDM volume 4). QEMU lacks them, but
// reads return 0 and writes are ignored. A processor without such a register raises #GP.
static const struct {
	uint16_t first, count;
} monitoring[] = {
	{0x0C1, 10}, {0x186, 10},	// general counters, their event selects
	// fixed counters, metrics; control and status
	{0x309, 7}, {0x329, 1}, {0x38D, 4},
	// IA32_PERF_CAPABILITIES; full-width counter writes
	{0x345, 1}, {0x4C1, 10},
	// offcore responses, PEBS, PEBS load latency
	{0x1A6, 2}, {0x3F1, 1}, {0x3F6, 1},
	{0x391, 6}, {0x3B0, 16}, {0x3C0, 16},		// the uncore
	{0x040, 8}, {0x060, 8}, {0x690, 16}, {0x6D0, 16},	// branch records, except Nehalem's
};

// Returns true if the PMU handles an access to this register, even if by a fault.
static bool answers(const struct cpu *c, uint32_t address)
{
	for (size_t n = 0; n < sizeof monitoring / sizeof *monitoring; n++)
		if (address - monitoring[n].first < monitoring[n].count)
			return true;
	return pmus_has(c, address);
}

static void write_register(struct cpu *c, const struct instruction *i)
{
	const uint32_t address = (uint32_t)x86_registers(c)[X86_CX];
	const uint64_t value = x86_registers(c)[X86_DX] << 32 | (uint32_t)x86_registers(c)[X86_AX];

	if (!answers(c, address))
		return;
	check_intercept(c, EXIT_MSR, true);
	settle(c);
	timeline_begin_write(c);
	if (reporting)
		report_before_write(c, address);
	if (!vpmu_write(&c->vpmu, address, value, 1))
		fault(c);
	pmus_written(c, address, value);
	if (reporting)
		report_after_write(c, address);
	timeline_resume(c);
	plugin_changed(c);
	x86_skip(c, i->size);
}

// SDM volume 4, IA32_MISC_ENABLE: performance monitoring and PEBS are available, branch trace
// storage is not. The register is QEMU's; these bits are read-only.
#define MISC_ENABLE		0x1A0u
#define MISC_MONITORING		(1u << 7)
#define MISC_NO_BTS		(1u << 11)
#define MISC_NO_PEBS		(1u << 12)

#define VERSION_EDX_DS		(1u << 21)	/* CPUID leaf 1: debug store, with PEBS */

_Noreturn static void read_misc_enable(struct cpu *c, const struct instruction *i)
{
	uint32_t r[4] = {0};

	check_intercept(c, EXIT_MSR, false);
	plugin_restore(c);
	helper_rdmsr(x86_env(c));
	x86_registers(c)[X86_AX] |= MISC_MONITORING | MISC_NO_BTS | MISC_NO_PEBS;
	c->vpmu.model->identification->identify(c->vpmu.model, 1, 0, r);
	if (r[3] & VERSION_EDX_DS)
		x86_registers(c)[X86_AX] &= ~(uint64_t)MISC_NO_PEBS;
	x86_skip(c, i->size);
}

static void read_register(struct cpu *c, const struct instruction *i)
{
	const uint32_t address = (uint32_t)x86_registers(c)[X86_CX];
	uint64_t value;

	if (address == MISC_ENABLE && c->vpmu.model->identification->expose)
		read_misc_enable(c, i);
	if (!answers(c, address))
		return;
	check_intercept(c, EXIT_MSR, false);
	settle(c);
	if (!vpmu_read(&c->vpmu, address, &value))
		fault(c);
	timeline_resume(c);
	return_pair(c, i, value);
}

// Without permission, QEMU executes RDPMC and raises the fault.
static void read_counter(struct cpu *c, const struct instruction *i)
{
	uint64_t value;

	if (i->level && !(*X86_STATE(c->qemu, uint64_t, cr4) & CR4_PCE))
		return;
	check_intercept(c, EXIT_RDPMC, false);
	settle(c);
	if (!vpmu_read_counter(&c->vpmu, (uint32_t)x86_registers(c)[X86_CX], &value))
		fault(c);
	timeline_resume(c);
	return_pair(c, i, value);
}

// RDTSC, if the time-stamp counter is a register of the PMU.
static void read_clock(struct cpu *c, const struct instruction *i)
{
	const uint32_t address = c->vpmu.model->clock_address;
	uint64_t value;

	if (!address || (i->level && *X86_STATE(c->qemu, uint64_t, cr4) & CR4_TSD))
		return;
	check_intercept(c, EXIT_RDTSC, false);
	settle(c);
	if (!vpmu_read(&c->vpmu, address, &value))
		fault(c);
	timeline_resume(c);
	return_pair(c, i, value);
}

//
// CPUID
//

#define LEAF_VENDOR	0
#define LEAF_VERSION	1
#define LEAF_MONITORING	0xA
#define LEAF_EXTENDED	0x80000001
#define EXTENDED_EDX_RDTSCP	(1u << 27)

// Leaf 1: topology, identity and these features come from QEMU, which knows its machine. Kernels
// for x86-64 need CMOV, CLFLUSH, MMX, SSE and SSE2, which not every processor with a PMU has.
#define VERSION_ECX_OF_QEMU	(1u << 31)	/* hypervisor leaves exist */
#define VERSION_EDX_OF_QEMU	(1u << 15 | 1u << 19 | 1u << 23 | 1u << 25 | 1u << 26 | 1u << 28)

static bool can_raise(const void *context, uint16_t code, uint8_t umask)
{
	bool exact;

	return pmus_can_raise(context, false, code, umask, &exact);
}

// Answers a leaf that describes the PMU. Only architectural events that this machine raises are
// reported as available.
static void describe(const struct cpu *c, uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
	const struct pmu_model *model = c->vpmu.model;
	const struct model_features features = {
		.counters = {model->groups[0].count,
			     model->group_count > 1 ? model->groups[1].count : 0},
		.records = true, .any_thread = true, .allows = can_raise, .context = c,
	};
	uint32_t qemu[4];

	cpu_x86_cpuid(x86_env(c), leaf, subleaf, &r[0], &r[1], &r[2], &r[3]);
	if (leaf == LEAF_EXTENDED) {
		r[3] &= ~EXTENDED_EDX_RDTSCP;
		return;
	}
	memcpy(qemu, r, sizeof qemu);
	model->identification->identify(model, leaf, subleaf, r);
	if (leaf == LEAF_VERSION) {
		if (pmu_model_base(model)->variants && x86_pmu_of(c))
			r[0] = qemu[0];		// guests choose events by it
		r[1] = qemu[1];
		r[2] |= qemu[2] & VERSION_ECX_OF_QEMU;
		r[3] = (r[3] & ~VERSION_EDX_OF_QEMU) | (qemu[3] & VERSION_EDX_OF_QEMU);
	}
	if (model->identification->expose)
		model->identification->expose(leaf, r, &features);
}

// The hypervisor leaves through which any guest queries the plugin: announce.h. They do not exist
// if CPUID does not report a hypervisor (-cpu ...,-hypervisor).
static bool has_announcement(const struct cpu *c)
{
	uint32_t r[4];

	cpu_x86_cpuid(x86_env(c), LEAF_VERSION, 0, &r[0], &r[1], &r[2], &r[3]);
	return plugin_announces && r[2] & VERSION_ECX_OF_QEMU;
}

static void announce(const struct cpu *c, uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
	bool exact;

	memset(r, 0, 4 * sizeof *r);
	if (leaf == ANNOUNCE_LEAF) {
		r[0] = ANNOUNCE_LEAF_EVENT;
		memcpy(&r[1], ANNOUNCE_SIGNATURE, 3 * sizeof *r);
	} else if (leaf == ANNOUNCE_LEAF_CLOCK) {
		r[0] = ANNOUNCE_VERSION;
		r[1] = c->core->signals.clock == MODEL_TIMED_CLOCK ? ANNOUNCE_CLOCK_TIMED :
			ANNOUNCE_CLOCK_UNIT;
		r[2] = c->vpmu.model->machine->interruptions_count ? ANNOUNCE_INTERRUPTIONS_COUNT :
			0;
	} else if (pmus_can_raise(c, subleaf & ANNOUNCE_EVENT_SHARED, (uint16_t)subleaf,
				  (uint8_t)(subleaf >> 16), &exact)) {
		r[0] = ANNOUNCE_RAISED | (exact ? ANNOUNCE_EXACT : 0);
	}
}

static void identify(struct cpu *c, const struct instruction *i)
{
	static const uint8_t order[] = {X86_AX, X86_BX, X86_CX, X86_DX};
	const uint32_t leaf = (uint32_t)x86_registers(c)[X86_AX],
		subleaf = (uint32_t)x86_registers(c)[X86_CX];
	const bool asks = leaf - ANNOUNCE_LEAF <= ANNOUNCE_LEAF_EVENT - ANNOUNCE_LEAF &&
		has_announcement(c);
	const bool describes = leaf == LEAF_VENDOR || leaf == LEAF_VERSION ||
		leaf == LEAF_MONITORING ||
			       (leaf == LEAF_EXTENDED && c->vpmu.model->clock_address);
	uint32_t r[4];

	if (!asks && (!describes || !c->vpmu.model->identification))
		return;
	check_intercept(c, EXIT_CPUID, false);
	if (asks)
		announce(c, leaf, subleaf, r);
	else
		describe(c, leaf, subleaf, r);
	plugin_restore(c);
	for (size_t n = 0; n < 4; n++)
		x86_registers(c)[order[n]] = r[n];
	x86_skip(c, i->size);
}

// At levels above 0, RDMSR, WRMSR and instructions that flush TLBs or caches fault: QEMU executes
// them and raises the fault.
void x86_access(struct cpu *c, const struct instruction *i)
{
	if (i->access == X86_CPUID)
		identify(c, i);
	else if (i->access == X86_RDPMC)
		read_counter(c, i);
	else if (i->access == X86_RDTSC)
		read_clock(c, i);
	else if (i->access == X86_RDTSCP)
		x86_raise(c, X86_UD);
	else if (i->access == X86_LACKING)
		x86_carry_out(c, i);
	else if (i->access == X86_WRMSR && !i->level)
		write_register(c, i);
	else if (i->access == X86_RDMSR && !i->level)
		read_register(c, i);
	else if (i->access == X86_INVALIDATES && !i->level)
		references_invalidate(c);
	else if (i->access == X86_WBINVD && !i->level)
		references_empty(c);
}
