// SPDX-License-Identifier: BSD-2-Clause
// Fields of the leaves of CPUID that describe PMUs, and the facts that they mean: Intel 64 and
// IA-32 Architectures Software Developer's Manual (SDM) volume 2A, CPUID; AMD64 Architecture
// Programmer's Manual (APM) volume 3, appendix E.

#include <inttypes.h>
#include <string.h>

#include "field.h"
#include "probe.h"

// F(identifier, leaf, subleaf, register, lowest bit, width, name, text)
#define FIELDS(F)									\
	F(STEPPING, 0x01, 0, EAX, 0, 4, "stepping", "stepping")				\
	F(MODEL, 0x01, 0, EAX, 4, 4, "model", "model, lower digit")			\
	F(FAMILY, 0x01, 0, EAX, 8, 4, "family", "family, without its extension")	\
	F(MODEL_MORE, 0x01, 0, EAX, 16, 4, "extended_model", "model, upper digit")	\
	F(FAMILY_MORE, 0x01, 0, EAX, 20, 8, "extended_family", "added to family 15")	\
	F(DTES64, 0x01, 0, ECX, 2, 1, "dtes64", "the debug store has 64-bit fields")	\
	F(DS_CPL, 0x01, 0, ECX, 4, 1, "ds_cpl", "the debug store selects by level")	\
	F(PDCM, 0x01, 0, ECX, 15, 1, "pdcm", "IA32_PERF_CAPABILITIES exists")		\
	F(HYPERVISOR, 0x01, 0, ECX, 31, 1, "hypervisor", "a hypervisor answers CPUID")	\
	F(DS, 0x01, 0, EDX, 21, 1, "ds", "debug store: BTS and PEBS")			\
	F(RTM, 0x07, 0, EBX, 11, 1, "rtm", "transactions: events inside and outside")	\
	F(PT, 0x07, 0, EBX, 25, 1, "pt", "processor trace")				\
	F(HYBRID, 0x07, 0, EDX, 15, 1, "hybrid", "cores differ: leaf 1AH")		\
	F(ARCH_LBR, 0x07, 0, EDX, 19, 1, "arch_lbr", "architectural LBR: leaf 1CH")	\
	F(EXT, 0x07, 1, EAX, 8, 1, "arch_perfmon_ext", "leaf 23H describes the PMU")	\
	F(VERSION, 0x0A, 0, EAX, 0, 8, "version", "of architectural monitoring")	\
	F(GENERAL, 0x0A, 0, EAX, 8, 8, "general", "general counters")			\
	F(GENERAL_WIDTH, 0x0A, 0, EAX, 16, 8, "general_width", "their bits")		\
	F(EVENTS, 0x0A, 0, EAX, 24, 8, "events", "architectural events that EBX covers") \
	F(ABSENT, 0x0A, 0, EBX, 0, 32, "absent", "events that do not exist, as bits")	\
	F(FIXED_BITS, 0x0A, 0, ECX, 0, 32, "fixed_bits", "fixed counters, as bits")	\
	F(FIXED, 0x0A, 0, EDX, 0, 5, "fixed", "fixed counters from 0 on")		\
	F(FIXED_WIDTH, 0x0A, 0, EDX, 5, 8, "fixed_width", "their bits")			\
	F(ANY_DEPRECATED, 0x0A, 0, EDX, 15, 1, "any_deprecated", "AnyThread is deprecated") \
	F(NATIVE_MODEL, 0x1A, 0, EAX, 0, 24, "native_model", "of this kind of core")	\
	F(CORE_TYPE, 0x1A, 0, EAX, 24, 8, "core_type", "20H: Atom, 40H: Core")		\
	F(LBR_DEPTHS, 0x1C, 0, EAX, 0, 8, "lbr_depths", "bit n: 8 (n + 1) records")	\
	F(LBR_DEEP_RESET, 0x1C, 0, EAX, 30, 1, "lbr_deep_reset", "deep sleep clears them") \
	F(LBR_LIP, 0x1C, 0, EAX, 31, 1, "lbr_lip", "addresses are linear IPs")		\
	F(LBR_CPL, 0x1C, 0, EBX, 0, 1, "lbr_cpl", "selects by level")			\
	F(LBR_FILTER, 0x1C, 0, EBX, 1, 1, "lbr_filter", "selects by kind of branch")	\
	F(LBR_CALLS, 0x1C, 0, EBX, 2, 1, "lbr_call_stack", "call-stack mode")		\
	F(LBR_MISPREDICT, 0x1C, 0, ECX, 0, 1, "lbr_mispredict", "records mispredictions") \
	F(LBR_TIMED, 0x1C, 0, ECX, 1, 1, "lbr_timed", "records cycles")			\
	F(LBR_TYPE, 0x1C, 0, ECX, 2, 1, "lbr_type", "records the kind of branch")	\
	F(LBR_EVENTS, 0x1C, 0, ECX, 16, 4, "lbr_events", "counters whose events it records") \
	F(SUBLEAVES, 0x23, 0, EAX, 0, 32, "subleaves", "of leaf 23H, as bits")		\
	F(UMASK2, 0x23, 0, EBX, 0, 1, "umask2", "selects have a second unit mask")	\
	F(EQ, 0x23, 0, EBX, 1, 1, "eq", "selects have the condition EQ")		\
	F(SLOTS, 0x23, 0, ECX, 0, 8, "slots", "of a cycle")				\
	F(GENERAL_23, 0x23, 1, EAX, 0, 32, "general_bits", "general counters, as bits")	\
	F(FIXED_23, 0x23, 1, EBX, 0, 32, "fixed_bits", "fixed counters, as bits")	\
	F(EVENTS_23, 0x23, 3, EAX, 0, 32, "event_bits", "events that exist, as bits")	\
	F(IBS, 0x80000001, 0, ECX, 10, 1, "ibs", "instruction-based sampling")		\
	F(EXT_CORE, 0x80000001, 0, ECX, 23, 1, "PerfCtrExtCore", "6 core counters")	\
	F(EXT_NB, 0x80000001, 0, ECX, 24, 1, "PerfCtrExtNB", "northbridge counters")	\
	F(DATA_BP, 0x80000001, 0, ECX, 26, 1, "DataBkptExt", "data breakpoints have masks") \
	F(PERF_TSC, 0x80000001, 0, ECX, 27, 1, "PerfTsc", "performance time-stamp counter") \
	F(EXT_LLC, 0x80000001, 0, ECX, 28, 1, "PerfCtrExtLLC", "last-level cache counters") \
	F(IBS_FFV, 0x8000001B, 0, EAX, 0, 1, "IbsFfv", "the next bits are valid")	\
	F(IBS_FETCH, 0x8000001B, 0, EAX, 1, 1, "FetchSam", "fetch sampling")		\
	F(IBS_OP, 0x8000001B, 0, EAX, 2, 1, "OpSam", "op sampling")			\
	F(IBS_RW, 0x8000001B, 0, EAX, 3, 1, "RdWrOpCnt", "the op counter can be written") \
	F(IBS_COUNT, 0x8000001B, 0, EAX, 4, 1, "OpCnt", "counts ops instead of cycles")	\
	F(IBS_TARGET, 0x8000001B, 0, EAX, 5, 1, "BrnTrgt", "records branch targets")	\
	F(IBS_MORE, 0x8000001B, 0, EAX, 6, 1, "OpCntExt", "the op counter has 27 bits")	\
	F(IBS_RIP, 0x8000001B, 0, EAX, 7, 1, "RipInvalidChk", "marks invalid RIPs")	\
	F(IBS_FUSE, 0x8000001B, 0, EAX, 8, 1, "OpBrnFuse", "marks fused branches")	\
	F(IBS_CTLX, 0x8000001B, 0, EAX, 9, 1, "IbsFetchCtlExtd", "extended fetch control") \
	F(IBS_L3, 0x8000001B, 0, EAX, 11, 1, "IbsL3MissFiltering", "selects L3 misses")	\
	F(V2, 0x80000022, 0, EAX, 0, 1, "PerfMonV2", "global registers")		\
	F(LBR_V2, 0x80000022, 0, EAX, 1, 1, "LbrStack", "branch records, version 2")	\
	F(LBR_FREEZE, 0x80000022, 0, EAX, 2, 1, "LbrAndPmcFreeze", "interrupts freeze both") \
	F(CORE_COUNTERS, 0x80000022, 0, EBX, 0, 4, "NumPerfCtrCore", "core counters")	\
	F(LBR_SIZE, 0x80000022, 0, EBX, 4, 6, "LbrStackSize", "branch records")		\
	F(NB_COUNTERS, 0x80000022, 0, EBX, 10, 6, "NumPerfCtrNB", "northbridge counters") \
	F(UMC_COUNTERS, 0x80000022, 0, EBX, 16, 6, "NumPerfCtrUmc", "memory controllers' counters")

#define FIELD_NUMBER(id, ...) id,
enum { FIELDS(FIELD_NUMBER) FIELD_COUNT };

#define FIELD_OF_LEAF(id, leaf, subleaf, result, low, width, name, text) \
	{leaf, subleaf, result, low, width, name, text},
static const struct probe_field fields[] = {FIELDS(FIELD_OF_LEAF)};

// The value of a field. False, 0: the CPU lacks its leaf.
static bool read_field(const struct probe_cpu *cpu, unsigned n, uint32_t *value)
{
	const struct probe_field *const f = &fields[n];
	uint32_t result[CPUID_REGISTERS];
	const bool exists = probe_leaf(cpu, f->leaf, f->subleaf, result);

	*value = (uint32_t)((result[f->result] & FIELD_MASK(f->low, f->width)) >> f->low);
	return exists;
}

static uint32_t get(const struct probe_cpu *cpu, unsigned n)
{
	uint32_t value;

	read_field(cpu, n, &value);
	return value;
}

const struct probe_field *probe_next_field(const struct probe_cpu *cpu, size_t *next,
					   uint32_t *value)
{
	while (*next < FIELD_COUNT)
		if (read_field(cpu, (unsigned)(*next)++, value))
			return &fields[*next - 1];
	return NULL;
}

static void read_vendor(const struct probe_cpu *cpu, char vendor[13])
{
	uint32_t zero[CPUID_REGISTERS];

	probe_leaf(cpu, 0, 0, zero);
	memcpy(vendor, &zero[EBX], 4);
	memcpy(vendor + 4, &zero[EDX], 4);
	memcpy(vendor + 8, &zero[ECX], 4);
}

static void read_hypervisor(const struct probe_cpu *cpu, char name[13])
{
	uint32_t first[CPUID_REGISTERS];

	if (get(cpu, HYPERVISOR) && probe_leaf(cpu, 0x40000000, 0, first))
		memcpy(name, &first[EBX], 12);
}

// Names come from the machine or from a file.
static void clean(char name[13])
{
	name[12] = '\0';
	for (; *name; name++)
		if (*name < ' ' || *name > '~')
			*name = '?';
}

bool probe_alike(const struct probe_cpu *a, const struct probe_cpu *b)
{
	char vendors[2][13] = {"", ""}, hypervisors[2][13] = {"", ""};
	uint32_t first, second;

	for (unsigned n = 0; n < FIELD_COUNT; n++)
		if (read_field(a, n, &first) != read_field(b, n, &second) || first != second)
			return false;
	read_vendor(a, vendors[0]);
	read_vendor(b, vendors[1]);
	read_hypervisor(a, hypervisors[0]);
	read_hypervisor(b, hypervisors[1]);
	return !memcmp(vendors[0], vendors[1], 12) && !memcmp(hypervisors[0], hypervisors[1], 12);
}

//
// Facts
//

// Architectural events in the order of their bits (SDM volume 3B, "Pre-Defined Architectural
// Performance Events").
static const char *const events[] = {
	"UnHalted Core Cycles", "Instruction Retired", "UnHalted Reference Cycles",
	"LLC Reference", "LLC Misses", "Branch Instruction Retired", "Branch Misses Retired",
	"Topdown Slots", "Topdown Backend Bound", "Topdown Bad Speculation",
	"Topdown Frontend Bound", "Topdown Retiring", "LBR Inserts",
};
#define EVENT_COUNT	(sizeof events / sizeof *events)

// Leaf 23H, if it exists, describes this core's events, leaf 0AH those that all cores have.
static uint32_t available_events(const struct probe_cpu *cpu)
{
	const uint32_t covered = get(cpu, EVENTS);
	const uint64_t exist = (1ULL << (covered < 32 ? covered : 32)) - 1;

	if (get(cpu, EXT) && get(cpu, SUBLEAVES) & 1u << 3)
		return get(cpu, EVENTS_23);
	return (uint32_t)exist & ~get(cpu, ABSENT);
}

static void find_events(const struct probe_cpu *cpu, struct probe_facts *facts)
{
	const uint32_t available = available_events(cpu);

	for (unsigned i = 0; i < EVENT_COUNT; i++)
		json_array_append_new(available >> i & 1 ? facts->available : facts->absent,
				      json_string(events[i]));
}

// Versions 2 to 4 report the number of fixed counters, from version 5 on also as bits.
static uint32_t fixed_counters(const struct probe_cpu *cpu)
{
	const uint32_t version = get(cpu, VERSION);
	const uint32_t counted = (1u << get(cpu, FIXED)) - 1;

	if (version < 2)
		return 0;
	return version < 5 ? counted : counted | get(cpu, FIXED_BITS);
}

// Leaf 23H, subleaf 1: the counters of this kind of core.
static void describe_extension(const struct probe_cpu *cpu, struct probe_facts *facts)
{
	char general[PROBE_TEXT / 4], fixed[PROBE_TEXT / 4];

	if (!get(cpu, EXT) || !(get(cpu, SUBLEAVES) & 1u << 1))
		return;
	format_counters(get(cpu, GENERAL_23), general, sizeof general);
	format_counters(get(cpu, FIXED_23), fixed, sizeof fixed);
	add_text(facts->pmu, sizeof facts->pmu,
		 "; by leaf 23H general counters %s, fixed counters %s", general, fixed);
}

static void describe_architectural(const struct probe_cpu *cpu, struct probe_facts *facts)
{
	char fixed[PROBE_TEXT / 4];

	facts->offered = get(cpu, VERSION);
	if (!facts->offered) {
		snprintf(facts->pmu, sizeof facts->pmu, "no PMU is offered: CPUID.0AH %s",
			 probe_leaf(cpu, 0x0A, 0, (uint32_t[CPUID_REGISTERS]){0}) ?
			 "reports version 0" : "does not exist");
		return;
	}
	format_counters(fixed_counters(cpu), fixed, sizeof fixed);
	add_text(facts->pmu, sizeof facts->pmu,
		 "architectural performance monitoring, version %" PRIu32 ": %" PRIu32
		 " general counters of %" PRIu32 " bits", get(cpu, VERSION), get(cpu, GENERAL),
		 get(cpu, GENERAL_WIDTH));
	if (*fixed)
		add_text(facts->pmu, sizeof facts->pmu, ", fixed counters %s of %" PRIu32 " bits",
			 fixed, get(cpu, FIXED_WIDTH));
	describe_extension(cpu, facts);
	find_events(cpu, facts);
}

#define LEGACY_COUNTERS	4	/* of all processors since the Athlon */
#define EXTENDED_COUNTERS 6

static void describe_extended(const struct probe_cpu *cpu, struct probe_facts *facts)
{
	const bool v2 = get(cpu, V2), core = get(cpu, EXT_CORE);

	facts->offered = v2 || core || !get(cpu, HYPERVISOR);
	if (!facts->offered) {
		add_text(facts->pmu, sizeof facts->pmu,
			 "no PMU is offered: CPUID reports neither PerfCtrExtCore nor PerfMonV2, "
			 "and a hypervisor need not have the 4 counters of older processors");
		return;
	}
	add_text(facts->pmu, sizeof facts->pmu, "%s: %" PRIu32 " core counters of 48 bits",
		 v2 ? "PerfMonV2" : core ? "PerfCtrExtCore" : "older processors' counters",
		 v2 ? get(cpu, CORE_COUNTERS) : core ? EXTENDED_COUNTERS : LEGACY_COUNTERS);
	if (get(cpu, NB_COUNTERS))
		add_text(facts->pmu, sizeof facts->pmu, ", %" PRIu32 " northbridge counters",
			 get(cpu, NB_COUNTERS));
	if (get(cpu, LBR_V2))
		add_text(facts->pmu, sizeof facts->pmu, ", %" PRIu32 " branch records",
			 get(cpu, LBR_SIZE));
	if (get(cpu, IBS))
		add_text(facts->pmu, sizeof facts->pmu, ", instruction-based sampling");
}

// Contradictions that no driver's probe can find.
static void find_contradictions(const struct probe_cpu *cpu, json_t *sentences)
{
	const uint32_t version = get(cpu, VERSION);
	uint32_t leaf[CPUID_REGISTERS];
	const struct {
		bool holds;
		const char *sentence;
	} rules[] = {
		{!version && (get(cpu, GENERAL) || get(cpu, FIXED)),
		 "CPUID.0AH reports counters, but version 0"},
		{version == 1 && get(cpu, FIXED),
		 "CPUID.0AH reports fixed counters, which version 1 does not have"},
		{version && version < 5 && get(cpu, FIXED_BITS),
		 "CPUID.0AH:ECX reports fixed counters as bits, which versions before 5 do not"},
		{get(cpu, EXT) && !probe_leaf(cpu, 0x23, 0, leaf),
		 "CPUID.07H.1 reports leaf 23H, which does not exist"},
		{get(cpu, ARCH_LBR) && !get(cpu, LBR_DEPTHS),
		 "CPUID.07H reports architectural LBRs, but leaf 1CH no number of records"},
		{get(cpu, HYBRID) && !get(cpu, CORE_TYPE),
		 "CPUID.07H reports cores that differ, but leaf 1AH no type of this core"},
		{get(cpu, V2) && !get(cpu, CORE_COUNTERS),
		 "CPUID.8000_0022H reports PerfMonV2, but 0 core counters"},
		{get(cpu, V2) && !get(cpu, EXT_CORE),
		 "CPUID.8000_0022H reports PerfMonV2, but CPUID.8000_0001H no PerfCtrExtCore"},
		{get(cpu, LBR_V2) && !get(cpu, LBR_SIZE),
		 "CPUID.8000_0022H reports a stack of branch records, but 0 records"},
		{get(cpu, NB_COUNTERS) && !get(cpu, EXT_NB),
		 "CPUID.8000_0022H reports northbridge counters, but CPUID.8000_0001H no "
		 "PerfCtrExtNB"},
		{get(cpu, IBS) && !get(cpu, IBS_FFV),
		 "CPUID.8000_0001H reports IBS, but CPUID.8000_001BH no features of it"},
		{!get(cpu, IBS) && get(cpu, IBS_FFV),
		 "CPUID.8000_001BH reports features of IBS, but CPUID.8000_0001H no IBS"},
	};

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (rules[i].holds)
			json_array_append_new(sentences, json_string(rules[i].sentence));
}

void probe_facts(const struct probe_cpu *cpu, struct probe_facts *facts)
{
	const uint32_t family = get(cpu, FAMILY);
	const bool more = family == 6 || family == 15;

	*facts = (struct probe_facts){
		.family = family + (family == 15 ? get(cpu, FAMILY_MORE) : 0),
		.model = get(cpu, MODEL) | (more ? get(cpu, MODEL_MORE) << 4 : 0),
		.stepping = get(cpu, STEPPING), .hybrid = get(cpu, HYBRID),
		.available = json_array(), .absent = json_array(),
		.contradictions = json_array(),
	};
	read_vendor(cpu, facts->vendor);
	read_hypervisor(cpu, facts->hypervisor);
	clean(facts->vendor);
	clean(facts->hypervisor);
	facts->extended = !strcmp(facts->vendor, "AuthenticAMD") ||
		!strcmp(facts->vendor, "HygonGenuine");
	(facts->extended ? describe_extended : describe_architectural)(cpu, facts);
	find_contradictions(cpu, facts->contradictions);
}

void probe_facts_end(struct probe_facts *facts)
{
	json_decref(facts->available);
	json_decref(facts->absent);
	json_decref(facts->contradictions);
}
