// SPDX-License-Identifier: BSD-2-Clause
// The PMU's registers of a CPU: by the target that drives it, otherwise from the lists here, which
// have no target: Intel SDM volume 4, "Architectural MSRs"; AMD64 Architecture Programmer's Manual
// (APM) volume 2, "Debug and Performance Resources", and appendix A.

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "field.h"
#include "probe.h"
#include "shim.h"

//
// The target
//

static const struct probe_cpu *answering;

static void identify(const struct pmu_model *model, uint32_t leaf, uint32_t subleaf,
		     uint32_t registers[CPUID_REGISTERS])
{
	(void)model;
	probe_leaf(answering, leaf, subleaf, registers);
}

// The objection of a driver to the CPU. NULL: it accepts the CPU.
static const char *probe_driver(const struct pmu_driver *driver, const struct probe_cpu *cpu)
{
	static const struct model_identification identification = {.identify = identify};
	static struct pmu_model model;
	const char *why;

	if (!shim_start(driver->name, ""))
		return "no memory";
	model = *shim_vpmu()->model;
	model.identification = &identification;
	shim_vpmu()->model = &model;
	answering = cpu;
	why = pmu_probe(driver);
	shim_end();
	return why;
}

// libpfm4's name of the architectural PMU.
#define ARCHITECTURAL	"ix86arch"

const struct pmu_driver *probe_target(const struct probe_cpu *cpu, const char **why)
{
	const struct pmu_driver *found = NULL;

	*why = NULL;
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++) {
		const struct pmu_model *const model = pmu_model_find((*d)->name);
		const char *objection;

		if (!model->identification || model->package)
			continue;
		objection = probe_driver(*d, cpu);
		found = found || objection ? found : *d;
		if (pmu_driver_is(*d, ARCHITECTURAL, strlen(ARCHITECTURAL)))
			*why = objection;
	}
	return found;
}

static bool is_extended(const struct probe_cpu *cpu)
{
	struct probe_facts facts;

	probe_facts(cpu, &facts);
	probe_facts_end(&facts);
	return facts.extended;
}

// The target whose registers the CPU may have: the one that accepts it, otherwise the architectural
// one, unless the PMU is AMD's.
static const struct pmu_model *model_for(const struct probe_cpu *cpu)
{
	const char *why;
	const struct pmu_driver *driver = probe_target(cpu, &why);

	if (!driver && !is_extended(cpu))
		driver = find_target(ARCHITECTURAL);
	return driver ? pmu_model_find(driver->name) : NULL;
}

//
// Registers without a target
//

#define IA32_PERF_CAPABILITIES(F, R)		\
	F(R, LBR_FMT, 0, 6, RO, 0)		\
	F(R, PEBS_TRAP, 6, 1, RO, 0)		\
	F(R, PEBS_ARCH_REGS, 7, 1, RO, 0)	\
	F(R, PEBS_FMT, 8, 4, RO, 0)		\
	F(R, FREEZE_WHILE_SMM, 12, 1, RO, 0)	\
	F(R, FW_WRITE, 13, 1, RO, 0)		\
	F(R, PEBS_BASELINE, 14, 1, RO, 0)	\
	F(R, PERF_METRICS, 15, 1, RO, 0)	\
	F(R, PEBS_OUTPUT_PT, 16, 1, RO, 0)	\
	F(R, ZERO_17, 17, 47, IGN, 0)

#define IA32_PEBS_ENABLE(F, R)			\
	F(R, PEBS_EN_PMC, 0, 8, RW, 0)		\
	F(R, RESERVED_8, 8, 24, RSVD, 0)	\
	F(R, PEBS_EN_FIXED, 32, 16, RW, 0)	\
	F(R, RESERVED_48, 48, 16, RSVD, 0)

#define PerfEvtSel(F, R)			\
	F(R, EventSelect, 0, 8, RW, 0)		\
	F(R, UnitMask, 8, 8, RW, 0)		\
	F(R, User, 16, 1, RW, 0)		\
	F(R, OS, 17, 1, RW, 0)			\
	F(R, Edge, 18, 1, RW, 0)		\
	F(R, RESERVED_19, 19, 1, RSVD, 0)	\
	F(R, Int, 20, 1, RW, 0)			\
	F(R, RESERVED_21, 21, 1, RSVD, 0)	\
	F(R, En, 22, 1, RW, 0)			\
	F(R, Inv, 23, 1, RW, 0)			\
	F(R, CntMask, 24, 8, RW, 0)		\
	F(R, EventSelectHigh, 32, 4, RW, 0)	\
	F(R, RESERVED_36, 36, 4, RSVD, 0)	\
	F(R, GuestOnly, 40, 1, RW, 0)		\
	F(R, HostOnly, 41, 1, RW, 0)		\
	F(R, RESERVED_42, 42, 22, RSVD, 0)

#define PerfCtr(F, R)				\
	F(R, COUNT, 0, 48, RW, 0)		\
	F(R, RESERVED_48, 48, 16, RSVD, 0)

#define PerfCntrGlobalStatus(F, R)		\
	F(R, PerfCntrOvfl, 0, 16, RO, 0)	\
	F(R, RESERVED_16, 16, 42, IGN, 0)	\
	F(R, LbrFreeze, 58, 1, RO, 0)		\
	F(R, PmcFreeze, 59, 1, RO, 0)		\
	F(R, RESERVED_60, 60, 4, IGN, 0)

#define PerfCntrGlobalCtl(F, R)			\
	F(R, PerfCntrEn, 0, 16, RW, 0)		\
	F(R, RESERVED_16, 16, 48, RSVD, 0)

#define DebugCtl(F, R)				\
	F(R, LBR, 0, 1, RW, 0)			\
	F(R, BTF, 1, 1, RW, 0)			\
	F(R, PB, 2, 4, RW, 0)			\
	F(R, RESERVED_6, 6, 5, RSVD, 0)		\
	F(R, FreezeLbrOnPmi, 11, 1, RW, 0)	\
	F(R, FreezePerfmonOnPmi, 12, 1, RW, 0)	\
	F(R, RESERVED_13, 13, 51, RSVD, 0)

#define DbgExtnCfg(F, R)			\
	F(R, RESERVED_0, 0, 6, RSVD, 0)		\
	F(R, LbrV2En, 6, 1, RW, 0)		\
	F(R, RESERVED_7, 7, 57, RSVD, 0)

#define IBS_FETCH_CTL(F, R)			\
	F(R, IbsFetchMaxCnt, 0, 16, RW, 0)	\
	F(R, IbsFetchCnt, 16, 16, RW, 0)	\
	F(R, IbsFetchLat, 32, 16, RO, 0)	\
	F(R, IbsFetchEn, 48, 1, RW, 0)		\
	F(R, IbsFetchVal, 49, 1, RW, 0)		\
	F(R, RESULT, 50, 14, RO, 0)

#define IBS_OP_CTL(F, R)			\
	F(R, IbsOpMaxCnt, 0, 16, RW, 0)		\
	F(R, IbsOpL3MissOnly, 16, 1, RW, 0)	\
	F(R, IbsOpEn, 17, 1, RW, 0)		\
	F(R, IbsOpVal, 18, 1, RW, 0)		\
	F(R, IbsOpCntCtl, 19, 1, RW, 0)		\
	F(R, IbsOpMaxCntHigh, 20, 7, RW, 0)	\
	F(R, RESERVED_27, 27, 5, RSVD, 0)	\
	F(R, IbsOpCurCnt, 32, 27, RW, 0)	\
	F(R, RESERVED_59, 59, 5, RSVD, 0)

// G(register, number or -1, address)
#define PAIR(G, n)	G(PerfEvtSel, n, 0xC0010200 + 2 * (n)) G(PerfCtr, n, 0xC0010201 + 2 * (n))
#define OLD_PAIR(G, n)	G(PerfEvtSel, n, 0xC0010000 + (n)) G(PerfCtr, n, 0xC0010004 + (n))
#define INTEL_LIST(G)				\
	G(IA32_PERF_CAPABILITIES, -1, 0x345)	\
	G(IA32_PEBS_ENABLE, -1, 0x3F1)
#define OLD_LIST(G)	OLD_PAIR(G, 0) OLD_PAIR(G, 1) OLD_PAIR(G, 2) OLD_PAIR(G, 3)
#define EXTENDED_LIST(G)			\
	PAIR(G, 0) PAIR(G, 1) PAIR(G, 2) PAIR(G, 3) PAIR(G, 4) PAIR(G, 5)
#define OTHER_LIST(G)				\
	G(PerfCntrGlobalStatus, -1, 0xC0000300)	\
	G(PerfCntrGlobalCtl, -1, 0xC0000301)	\
	G(DebugCtl, -1, 0x1D9)			\
	G(DbgExtnCfg, -1, 0xC000010F)		\
	G(IBS_FETCH_CTL, -1, 0xC0011030)	\
	G(IBS_OP_CTL, -1, 0xC0011033)

#define FIELD_LIST(R) \
	REGISTER_FIELDS(R) static const struct field fields_##R[] = {R(FIELD_ROW, R)};
FIELD_LIST(IA32_PERF_CAPABILITIES)
FIELD_LIST(IA32_PEBS_ENABLE)
FIELD_LIST(PerfEvtSel)
FIELD_LIST(PerfCtr)
FIELD_LIST(PerfCntrGlobalStatus)
FIELD_LIST(PerfCntrGlobalCtl)
FIELD_LIST(DebugCtl)
FIELD_LIST(DbgExtnCfg)
FIELD_LIST(IBS_FETCH_CTL)
FIELD_LIST(IBS_OP_CTL)

#define DESCRIPTION(R, number, where) {						\
	.name = #R, .first = (number), .address = (where), .count = 1, .distance = 1,	\
	.fields = sizeof fields_##R / sizeof *fields_##R, .field = fields_##R},
static const struct register_description intel_list[] = {INTEL_LIST(DESCRIPTION)};
static const struct register_description old_list[] = {
	OLD_LIST(DESCRIPTION) OTHER_LIST(DESCRIPTION)};
static const struct register_description extended_list[] = {
	EXTENDED_LIST(DESCRIPTION) OTHER_LIST(DESCRIPTION)};

// The lists as models: registers.c finds registers of models.
#define LIST_MODEL(list) {.registers = (list), .register_count = sizeof (list) / sizeof *(list)}
static const struct pmu_model intel_model = LIST_MODEL(intel_list),
	old_model = LIST_MODEL(old_list), extended_model = LIST_MODEL(extended_list);

#define PERF_CTR_EXT_CORE	(1u << 23)	/* CPUID.8000_0001H:ECX */

static const struct pmu_model *list_for(const struct probe_cpu *cpu)
{
	uint32_t features[CPUID_REGISTERS];

	probe_leaf(cpu, 0x80000001, 0, features);
	if (!is_extended(cpu))
		return &intel_model;
	return features[ECX] & PERF_CTR_EXT_CORE ? &extended_model : &old_model;
}

unsigned probe_addresses(const struct probe_cpu *cpu, uint32_t address[PROBE_MSRS])
{
	const struct pmu_model *const models[] = {model_for(cpu), list_for(cpu)};
	struct palmon_register r, other;
	unsigned count = 0;

	for (unsigned m = 0; m < 2; m++)
		for (uint64_t least = 0; models[m] && count < PROBE_MSRS &&
		     register_from(models[m], least, &r); least = r.address + 1ULL)
			if (!m || !models[0] || !register_by_address(models[0], r.address, &other))
				address[count++] = r.address;
	return count;
}

//
// Values
//

// The description with the most fields: a target's model may have only those that it implements.
static bool describe(const struct pmu_model *model, const struct pmu_model *list, uint32_t address,
		     struct palmon_register *r, bool *own)
{
	struct palmon_register other;
	const bool known = model && register_by_address(model, address, r);

	*own = register_by_address(list, address, &other) &&
		(!known || other.description->fields > r->description->fields);
	if (*own)
		*r = other;
	return known || *own;
}

static json_t *json_fields(const char *target, const struct palmon_register *r, uint64_t value)
{
	json_t *const fields = json_array();
	char name[REGISTER_NAME_SIZE], bits[8];

	register_name(r, name);
	for (unsigned i = 0; i < r->description->fields; i++) {
		const struct field *const f = &r->description->field[i];
		const uint64_t part = field_value(f, value);
		const bool stores = f->access != FIELD_IGN && f->access != FIELD_RSVD &&
			f->access != FIELD_SXT;

		if (!stores && !part)
			continue;
		format_bits(f, bits);
		json_array_append_new(fields, json_pack("{s:s, s:s, s:o, s:s}", "name", f->name,
							"bits", bits, "value",
							json_hexadecimal(part, 1), "meaning",
							field_meaning(target, name, f, part)));
	}
	return fields;
}

json_t *probe_registers(const struct probe_cpu *cpu, const struct pmu_driver *driver)
{
	const struct pmu_model *const model = model_for(cpu), *const list = list_for(cpu);
	json_t *const registers = json_array();

	for (unsigned i = 0; i < cpu->msr_count; i++) {
		char name[REGISTER_NAME_SIZE];
		struct palmon_register r;
		json_t *fields = NULL;
		bool own;

		snprintf(name, sizeof name, "MSR");
		if (describe(model, list, cpu->msr[i].address, &r, &own)) {
			register_name(&r, name);
			fields = json_fields(own || !driver ? "" : driver->name, &r,
					     cpu->msr[i].value);
		}
		json_array_append_new(registers, json_pack("{s:s, s:o, s:o, s:o}", "reg", name,
							   "addr",
							   json_hexadecimal(cpu->msr[i].address,
									    1),
							   "value",
							   json_hexadecimal(cpu->msr[i].value, 1),
							   "fields",
							   fields ? fields : json_array()));
	}
	return registers;
}

//
// Counters in use
//

// The value of a register's field. False: the register was not read or lacks the field.
static bool find_field(const struct pmu_model *model, const struct probe_cpu *cpu, uint32_t address,
		       const char *name, uint64_t *value)
{
	struct palmon_register r;

	if (!register_by_address(model, address, &r) || !probe_msr(cpu, address, value))
		return false;
	for (unsigned i = 0; i < r.description->fields; i++)
		if (!strcasecmp(r.description->field[i].name, name)) {
			*value = field_value(&r.description->field[i], *value);
			return true;
		}
	return false;
}

#define FIRST_FIXED	32	/* a counter's number is its bit in IA32_PERF_GLOBAL_CTRL */

static bool is_on(const struct pmu_model *model, const struct probe_cpu *cpu, uint32_t control,
		  unsigned counter)
{
	static const char *const levels[] = {"OS", "USR"};
	struct palmon_register global;
	uint64_t value, on = 0;

	if (register_by_name(model, "IA32_PERF_GLOBAL_CTRL", &global) &&
	    probe_msr(cpu, global.address, &value) && !(value >> counter & 1))
		return false;
	if (counter < FIRST_FIXED)
		return find_field(model, cpu, control, "EN", &on) && on;
	for (unsigned i = 0; i < 2 && !on; i++) {
		char name[32];

		snprintf(name, sizeof name, "EN%u_%s", counter - FIRST_FIXED, levels[i]);
		if (!find_field(model, cpu, control, name, &on))
			on = 0;
	}
	return on;
}

// The event of a counter that is on, and whether it is the target's event of cycles.
static bool add_use(json_t *uses, const struct pmu_driver *driver, unsigned counter,
		    uint64_t select)
{
	const struct pmu_event *const cycles =
		event_find(driver->events, driver->cycles, strlen(driver->cycles));
	json_t *names, *name;
	bool counts = false;
	char text[PROBE_TEXT];
	size_t i;

	if (driver->shape->fixed >> counter & 1) {
		json_array_append_new(uses, json_sprintf("fixed counter %u is enabled",
							 counter - FIRST_FIXED));
		return cycles && cycles->counters >> counter & 1;
	}
	names = events_selected(driver, counter, select);
	snprintf(text, sizeof text, "general counter %u is enabled:", counter);
	json_array_foreach(names, i, name) {
		add_text(text, sizeof text, "%s %s", i ? " or" : "", json_string_value(name));
		counts |= cycles && !strcmp(json_string_value(name), cycles->name);
	}
	if (!json_array_size(names))
		add_text(text, sizeof text, " select 0x%" PRIx64, select);
	json_decref(names);
	json_array_append_new(uses, json_string(text));
	return counts;
}

static uint64_t find_uses(const struct probe_cpu *cpu, const struct pmu_driver *driver,
			  json_t *uses)
{
	const struct pmu_model *const model = pmu_model_find(driver->name);
	uint64_t cycles = 0;

	for (uint64_t left = driver->shape->counters; left; left &= left - 1) {
		const unsigned counter = (unsigned)__builtin_ctzll(left);
		const uint32_t control = driver->control(counter);
		uint64_t select;

		if (probe_msr(cpu, control, &select) && is_on(model, cpu, control, counter) &&
		    add_use(uses, driver, counter, select))
			cycles |= 1ULL << counter;
	}
	return cycles;
}

// Event 076H: cycles not in halt (BKDG and PPR, "CPU Clocks not Halted").
#define EXTENDED_CYCLES	0x76

static uint64_t find_extended_uses(const struct probe_cpu *cpu, json_t *uses)
{
	const struct pmu_model *const list = list_for(cpu);
	uint64_t cycles = 0, global, select;
	struct palmon_register r;
	unsigned event, umask;

	for (uint64_t least = 0; register_from(list, least, &r); least = r.address + 1ULL) {
		if (r.description->field != fields_PerfEvtSel ||
		    !probe_msr(cpu, r.address, &select) || !FIELD_GET(PerfEvtSel, En, select))
			continue;
		if (probe_msr(cpu, 0xC0000301, &global) && !(global >> r.number & 1))
			continue;
		event = (unsigned)(FIELD_GET(PerfEvtSel, EventSelect, select) |
				   FIELD_GET(PerfEvtSel, EventSelectHigh, select) << 8);
		umask = (unsigned)FIELD_GET(PerfEvtSel, UnitMask, select);
		json_array_append_new(uses, json_sprintf("core counter %d is enabled: event "
							 "0x%03x, unit mask 0x%02x", r.number,
							 event, umask));
		if (event == EXTENDED_CYCLES)
			cycles |= 1ULL << r.number;
	}
	return cycles;
}

json_t *probe_uses(const struct probe *probe, const struct probe_cpu *cpu,
		   const struct pmu_driver *driver)
{
	const bool extended = is_extended(cpu);
	json_t *const uses = json_array();
	uint64_t cycles = 0;
	char counters[64];

	if (!extended && !driver) {
		json_array_append_new(uses, json_string("which counters are in use is unknown: no "
							"target drives this PMU"));
		return uses;
	}
	cycles = extended ? find_extended_uses(cpu, uses) : find_uses(cpu, driver, uses);
	if (!json_array_size(uses))
		json_array_append_new(uses, json_string("no counter is enabled"));
	format_counters(cycles, counters, sizeof counters);
	if (probe->watchdog < 0)
		json_array_append_new(uses, json_string("whether Linux's NMI watchdog uses a "
							"counter is unknown"));
	else if (!probe->watchdog)
		json_array_append_new(uses, json_string("Linux's NMI watchdog is off"));
	else if (cycles)
		json_array_append_new(uses, json_sprintf("Linux's NMI watchdog is on; it counts "
							 "cycles: counter %s", counters));
	else
		json_array_append_new(uses, json_string("Linux's NMI watchdog is on, but no "
							"enabled counter counts cycles"));
	return uses;
}
