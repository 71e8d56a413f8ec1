// SPDX-License-Identifier: BSD-2-Clause
// Access to QEMU's functions and structures outside its plugin interface: unpromised.h.

#include "unpromised.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_plugin.h"

// Versions of QEMU with which the tests of this folder have passed.
static const struct {
	int64_t major, minor;
} tested[] = {{11, 1}};

struct version_triple {
	int64_t major, minor, micro;
};
struct version_info {
	const struct version_triple *qemu;
	const char *package;
};
UNPROMISED const struct version_info *qmp_query_version(void **error);

static const char *version_problem(void)
{
	static char problem[160];
	const struct version_triple *v;

	if (!qmp_query_version)
		return "this QEMU does not say its version";
	v = qmp_query_version(NULL)->qemu;
	for (size_t i = 0; i < sizeof tested / sizeof *tested; i++)
		if (v->major == tested[i].major && v->minor == tested[i].minor)
			return NULL;
	snprintf(problem, sizeof problem,
		 "QEMU %d.%d is not one of the versions that palmon was tested with (%d.%d); "
		 "try it with force=on", (int)v->major, (int)v->minor, (int)tested[0].major,
		 (int)tested[0].minor);
	return problem;
}

// The used part of QEMU's SaveVMHandlers. QEMU calls load_setup before it loads the first part of a
// saved machine, from a snapshot or a migration. Other versions of QEMU may place it elsewhere.
struct handlers {
	void (*others[14])(void);
	int (*load_setup)(void *file, void *opaque, void **error);
	void (*more[16])(void);
};

UNPROMISED int register_savevm_live(const char *name, uint32_t instance, int version,
				    const struct handlers *handlers, void *opaque);
UNPROMISED int migrate_add_blocker(void **reason, void **error);
UNPROMISED void error_setg_internal(void **error, const char *file, int line, const char *function,
				    const char *format, ...);

// The machine may have been saved without the plugin.
static int refuse_loading(void *file, void *opaque, void **error)
{
	(void)file, (void)opaque;
	error_setg_internal(error, __FILE__, __LINE__, __func__,
			    "a saved machine has no state of palmon's PMU");
	return -1;
}

void unpromised_refuse_saving(void)
{
	static const struct handlers handlers = {.load_setup = refuse_loading};
	static void *reason;

	if (reason)
		return;
	error_setg_internal(&reason, __FILE__, __LINE__, __func__,
			    "palmon's PMU is not saved with the machine");
	migrate_add_blocker(&reason, NULL);
	if (!version_problem())
		register_savevm_live("palmon", 0, 1, &handlers, NULL);
}

//
// Devices
//

#define REGION_BYTES	4096	/* more than the size of QEMU's MemoryRegion */
#define PRIORITY	1	/* higher than that of other regions at the same addresses */
UNPROMISED void *get_system_memory(void);
UNPROMISED void memory_region_init_io(void *region, void *owner,
				      const struct memory_region_ops *ops, void *device,
				      const char *name, uint64_t size);
UNPROMISED void memory_region_add_subregion_overlap(void *region, uint64_t offset, void *part,
						    int priority);

void unpromised_map(const struct memory_region_ops *ops, const char *name, uint64_t address,
		    uint64_t size)
{
	static _Alignas(16) char region[REGION_BYTES];

	memory_region_init_io(region, NULL, ops, NULL, name, size);
	memory_region_add_subregion_overlap(get_system_memory(), address, region, PRIORITY);
}

UNPROMISED bool bql_locked(void);
UNPROMISED void bql_lock_impl(const char *file, int line);
UNPROMISED void bql_unlock(void);

bool unpromised_lock(void)
{
	if (bql_locked())
		return false;
	bql_lock_impl(__FILE__, __LINE__);
	return true;
}

void unpromised_unlock(void)
{
	bql_unlock();
}

//
// Translations of one vCPU
//

UNPROMISED void tcg_cflags_set(void *cpu, uint32_t flags);

#define FLAG_UNUSED	0x80000u
#define FLAG_PC_RELATIVE 0x20000u	/* CF_PCREL */
#define FLAGS_SINGLE	0x201u		/* CF_NO_GOTO_TB, and a limit of one instruction */
#define FLAGS_CLUSTER	24		/* lowest bit of the cluster index; vCPUs with the same
					 * index share translations */

static size_t code_flags;		// their offset in QEMU's CPUState
static uint32_t shared_flags;		// QEMU's original value

static uint32_t *code_flags_of(void *cpu)
{
	return (uint32_t *)(void *)((char *)cpu + code_flags);
}

bool unpromised_find_code_flags(void *cpu, size_t env)
{
	const uint32_t *const after = cpu;
	uint32_t *before;

	if (code_flags)
		return true;
	before = malloc(env);
	if (!before)
		return false;
	memcpy(before, cpu, env);
	tcg_cflags_set(cpu, FLAG_UNUSED);
	for (size_t i = 0; i < env / sizeof *after; i++)
		if (after[i] != before[i] && after[i] == (before[i] | FLAG_UNUSED))
			code_flags = i * sizeof *after;
	free(before);
	if (!code_flags)
		return false;
	*code_flags_of(cpu) &= ~FLAG_UNUSED;
	shared_flags = *code_flags_of(cpu);
	return true;
}

void unpromised_own_code(void *cpu, unsigned number, bool own)
{
	const uint32_t cluster = ~((1u << FLAGS_CLUSTER) - 1);
	const uint32_t flags = own ? (shared_flags & ~cluster & ~FLAG_PC_RELATIVE) |
		number << FLAGS_CLUSTER :
				     shared_flags;

	if (code_flags)
		*code_flags_of(cpu) = flags | (own ? *code_flags_of(cpu) & FLAGS_SINGLE : 0);
}

void unpromised_single_instructions(void *cpu, bool single)
{
	*code_flags_of(cpu) = single ? *code_flags_of(cpu) | FLAGS_SINGLE :
		*code_flags_of(cpu) & ~FLAGS_SINGLE;
}

//
// Unsupported configurations
//

extern UNPROMISED int use_icount;
extern UNPROMISED bool tcg_allowed;

// From QEMU's include/migration/vmstate.h.
struct vmstate_field {
	const char *name;
	size_t offset, size;
	uint64_t others[9];
};

struct vmstate_description {
	const char *name;
	uint64_t others[11];
	const struct vmstate_field *fields;
	const struct vmstate_description *const *parts;
};

extern UNPROMISED const struct vmstate_description vmstate_x86_cpu, vmstate_sparc_cpu,
	vmstate_cpu_common;

#define EACH(name) {#name, (const void *)(uintptr_t)name}
#define VARIABLE(name) {#name, &name}

static const char *missing(const char *arch)
{
	static char problem[160];
	const struct {
		const char *name;
		const void *address;
	} common[] = {
		EACH(cpu_restore_state), EACH(cpu_loop_exit), EACH(async_run_on_cpu),
		EACH(async_safe_run_on_cpu), EACH(tb_flush__exclusive_or_serial),
		EACH(qemu_get_cpu), EACH(cpu_has_work), EACH(cpus_get_elapsed_ticks),
		EACH(tcg_cflags_set), EACH(bql_locked), EACH(bql_lock_impl), EACH(bql_unlock),
		EACH(qemu_register_reset), EACH(icount_get_raw), EACH(icount_update),
		EACH(address_space_is_io), EACH(migrate_add_blocker), EACH(error_setg_internal),
		EACH(register_savevm_live), VARIABLE(address_space_memory), VARIABLE(use_icount),
		VARIABLE(tcg_allowed), VARIABLE(vmstate_cpu_common), {NULL, NULL},
	}, x86[] = {
		EACH(raise_exception_err_ra), EACH(helper_single_step), EACH(helper_read_eflags),
		EACH(helper_rdmsr), EACH(probe_access), EACH(x86_mmu_index_pl),
		EACH(cpu_x86_cpuid), EACH(cpu_svm_check_intercept_param),
		EACH(cpu_get_current_apic), EACH(apic_msr_read), EACH(apic_msr_write),
		VARIABLE(vmstate_x86_cpu),
		{NULL, NULL},
	}, sparc64[] = {
		EACH(cpu_raise_exception_ra), EACH(cpu_get_ccr), EACH(cpu_get_fsr),
		EACH(cpu_tick_get_count), EACH(get_system_memory),
		EACH(memory_region_init_io), EACH(memory_region_add_subregion_overlap),
		VARIABLE(vmstate_sparc_cpu),
		{NULL, NULL},
	}, *const lists[] = {common, strcmp(arch, "x86_64") ? sparc64 : x86};

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		for (size_t n = 0; lists[i] && lists[i][n].name; n++)
			if (!lists[i][n].address) {
				snprintf(problem, sizeof problem,
					 "this QEMU does not export %s (palmon needs QEMU "
					 "11.1 as Debian builds it)", lists[i][n].name);
				return problem;
			}
	return NULL;
}

const char *unpromised_check(const char *arch, bool force)
{
	const char *problem = missing(arch);

	return problem || force ? problem : version_problem();
}

static void check_emulation(void *unused)
{
	(void)unused;
	if (tcg_allowed)
		return;
	fprintf(stderr, "palmon: the PMU needs QEMU's own emulation (-accel tcg)\n");
	exit(1);
}

// QEMU chooses its accelerator only after it has loaded the plugin.
void unpromised_need_emulation(void)
{
	qemu_register_reset(check_emulation, NULL);
}

//
// Field offsets, from QEMU's migration tables
//

static size_t offset_in(const struct vmstate_description *table, const char *field)
{
	for (const struct vmstate_field *f = table->fields; f && f->name; f++)
		if (!strcmp(f->name, field))
			return f->offset;
	return 0;
}

static size_t offset_of(const char *arch, const char *field)
{
	const struct vmstate_description *table = strcmp(arch, "x86_64") ? &vmstate_sparc_cpu :
		&vmstate_x86_cpu;

	return table ? offset_in(table, field) : 0;
}

bool unpromised_find(const char *arch, const struct unpromised_field *fields, size_t count)
{
	for (const struct unpromised_field *f = fields; f < fields + count; f++) {
		*f->offset = offset_of(arch, f->name);
		if (!*f->offset)
			return false;
	}
	return true;
}

// Returns the offset of a field in every CPUState; 0: not found.
static size_t common_offset(const char *field)
{
	size_t offset = offset_in(&vmstate_cpu_common, field);

	for (const struct vmstate_description *const *part = vmstate_cpu_common.parts;
	     !offset && part && *part; part++)
		offset = offset_in(*part, field);
	return offset;
}

bool unpromised_waits(void *cpu)
{
	static size_t halted;

	if (!halted)
		halted = common_offset("halted");
	return halted && *(const uint32_t *)(void *)((char *)cpu + halted) && !cpu_has_work(cpu);
}

bool unpromised_translate(uint64_t linear, uint64_t *physical)
{
	static size_t offset;
	int32_t *pending, before;
	bool is;

	if (!offset)
		offset = common_offset("exception_index");
	if (!offset)
		return false;
	pending = (int32_t *)(void *)((char *)current_cpu + offset);
	before = *pending;
	is = qemu_plugin_translate_vaddr(linear, physical);
	*pending = before;
	return is;
}

//
// The instruction clock
//

bool unpromised_takes_turns(void)
{
	return use_icount;
}

// Offset in CPUState of the low 16 bits of the vCPU's instruction budget; 0: no instruction clock.
static size_t budget;

static uint16_t *budget_of(void *cpu)
{
	return (uint16_t *)(void *)((char *)cpu + budget);
}

void unpromised_pass_instruction(void)
{
	if (budget)
		--*budget_of(current_cpu);
}

void unpromised_take_back_instruction(void)
{
	if (budget)
		++*budget_of(current_cpu);
}

void unpromised_pass_rest(void)
{
	if (budget)
		*budget_of(current_cpu) = 0;
}

int64_t unpromised_instructions(void)
{
	if (!use_icount)
		return 0;
	icount_update(current_cpu);
	return icount_get_raw();
}

// QEMU refuses to read its clock while current_cpu executes, because the instructions executed so
// far may not be counted. icount_update has just counted them.
uint64_t unpromised_ticks(void *cpu)
{
	void *const before = current_cpu;
	uint64_t ticks;

	if (use_icount && cpu)
		icount_update(cpu);
	current_cpu = NULL;
	ticks = (uint64_t)cpus_get_elapsed_ticks();
	current_cpu = before;
	return ticks;
}

// Returns true if incrementing the value at this offset decrements the clock.
static bool is_budget(void *cpu, size_t offset)
{
	uint16_t *const candidate = (uint16_t *)(void *)((char *)cpu + offset);
	int64_t before, after;

	icount_update(cpu);
	before = icount_get_raw();
	++*candidate;
	icount_update(cpu);
	after = icount_get_raw();
	--*candidate;
	icount_update(cpu);
	return after == before - 1 && icount_get_raw() == before;
}

// The budget lies shortly before the processor's registers.
bool unpromised_find_clock(void *cpu, size_t env)
{
	if (!use_icount || budget)
		return true;
	for (size_t offset = env - 2; offset > env - 64; offset -= 2)
		if (is_budget(cpu, offset)) {
			budget = offset;
			return true;
		}
	return false;
}
