// SPDX-License-Identifier: BSD-2-Clause
// References of the guests to memory (references.h). As long as no counter selects an event of caches and TLBs, these
// stay as they are, so that nothing else pays; they begin empty.

#include "references.h"

#include <stdlib.h>

#include "../model/first_level.h"
#include "block.h"
#include "guest.h"
#include "happenings.h"
#include "issued.h"
#include "loads.h"
#include "machine.h"
#include "memory.h"
#include "observe.h"
#include "packages.h"
#include "timed.h"

#define PAGE	4096

struct referring {
	struct vpmu *v;			// NULL: it has no monitor yet
	unsigned core;			// of the machine
	uint64_t frame;
	bool paged;			// as of its monitor's last call: by these tables
	uint64_t cr3;
	uint64_t line;			// that was fetched last, counted from 1
	uint64_t page, physical;	// of the code that was fetched last; page: counted from 1
	unsigned rest;			// bytes that the emulator has not accessed yet of a wide operand,
	uint64_t rest_at;		// and where they begin
	struct first_level near;
};

static struct referring cpus[VPMU_CPUS];
static struct memory *memory;		// NULL: no PMU sees it
static unsigned referring_cpu;		// whose reference it is

static bool read_table(void *context, uint64_t address, uint64_t *entry)
{
	const uint64_t *at = memory_at(address, sizeof *entry);

	(void)context;
	if (at)
		*entry = *at;
	return at;
}

// What retires with its instruction happens when that has.
static void raise(void *context, unsigned core, enum happening what, uint64_t address)
{
	(void)context;
	if (!loads_raise(what))
		happenings_raise(referring_cpu, core, what, address);
}

void references_make(const struct processor *processor)
{
	const unsigned packages = machine_packages();

	memory = memory_make(processor, packages, VPMU_CPUS, raise, read_table, NULL);
	if (!memory)
		exit(1);
	if (timed_is_used) {
		memory_time(memory, packages_at);
		timed_begin(processor);
	}
	for (unsigned i = 0; i < packages; i++)
		memory->package[i].wanted = happenings_wanted;
	if (packages > 1)
		package_join(memory->package, packages, memory_size() / packages);
}

void references_start(unsigned cpu, struct vpmu *v, unsigned core, uint64_t frame)
{
	if (!memory || cpus[cpu].v)
		return;
	cpus[cpu] = (struct referring){.v = v, .core = core, .frame = frame};
	first_level_begin(&cpus[cpu].near, memory, core);
}

static void raise_retired(unsigned cpu, const enum happening *raised, size_t count)
{
	for (size_t i = 0; i < count; i++)
		happenings_raise(cpu, cpus[cpu].core, raised[i], loads_of[cpu].retired.address);
}

// The latency that a slow load exceeds.
static uint32_t slow_above(unsigned cpu)
{
	const struct vpmu *v = cpus[cpu].v;

	return vpmu_outputs(v)->slow_above[v->thread];
}

static void follow_tables(struct referring *r)
{
	const uint64_t cr3 = r->cr3;
	const bool paged = r->paged;

	r->paged = guest_tables(r->frame, &r->cr3);
	if (r->paged != paged || r->cr3 != cr3)
		first_level_forget(&r->near);
}

void references_follow(unsigned cpu)
{
	struct feed *feed = &feeds[cpu];
	enum happening raised[LOADS_RAISE_MOST];

	if (cpus[cpu].v)
		raise_retired(cpu, raised, loads_retire(&loads_of[cpu], &feed->loads, feed->position, slow_above(cpu),
							raised));
	for (struct referring *r = cpus; r < &cpus[VPMU_CPUS]; r++)
		if (r->v)
			follow_tables(r);
}

//
// What the emulator reports
//

// In the order of struct pmu_model's sources.
static unsigned source_of(enum happening what)
{
	return what < HAPPENING_LOAD_REMOTE_CACHE ? what - HAPPENING_LOAD_L1D :
	       HAPPENING_LOAD_DEVICE + 1 - HAPPENING_LOAD_L1D + what - HAPPENING_LOAD_REMOTE_CACHE;
}

static void see_load(unsigned cpu, uint64_t ip, uint64_t linear, const struct reached *reached)
{
	const uint8_t *sources = cpus[cpu].v->model->sources;
	enum happening raised[LOADS_RAISE_MOST];
	const struct load load = {
		.occurrence = {
			.ip = ip, .address = linear, .data = 1, .latency = reached->latency,
			.served = sources ? sources[source_of(reached->source)] : 0,
		},
		.source = reached->source, .translated = reached->translation != TLBS_FIRST,
	};

	raise_retired(cpu, raised, loads_see(&loads_of[cpu], &feeds[cpu].loads, observe_position(cpu), &load,
					     slow_above(cpu), raised));
}

static struct reached reach(unsigned cpu, struct reference *r)
{
	const struct referring *by = &cpus[cpu];

	r->core = by->core;
	r->paged = by->paged;
	r->cr3 = by->cr3;
	referring_cpu = cpu;
	if (timed_is_used)
		r->now = observe_cycle(cpu);
	else if (memory->flies)
		r->now = observe_now(cpu);
	return memory_refer(memory, r);
}

// The most frequent ones, without anything that is not needed for them. False: it is none, and is to be referred.
__attribute__((always_inline)) static inline bool refer_near(unsigned cpu, enum access access, uint64_t ip,
							     uint64_t linear, unsigned size)
{
	struct first_level *near = &cpus[cpu].near;

	referring_cpu = cpu;
	if (!first_level_refer(near, access, ip, linear, size))
		return false;
	loads_of[cpu].ip = ip;
	if (access == ACCESS_LOAD && happenings_of_loads_matter(cpu)) {
		const struct reached reached = first_level_reached(near);

		see_load(cpu, ip, linear, &reached);
	}
	return true;
}

static void refer(unsigned cpu, struct reference *r)
{
	const struct reached reached = reach(cpu, r);

	if (timed_is_used)
		timed_refer(cpu, r->access, &reached);
	first_level_remember(&cpus[cpu].near, r);
	if (!access_is_prefetch(r->access))
		loads_of[cpu].ip = r->ip;
	if ((r->access == ACCESS_LOAD || r->access == ACCESS_LOCK) && !r->internal && happenings_of_loads_matter(cpu))
		see_load(cpu, r->ip, r->linear, &reached);
}

static inline bool matters(unsigned cpu)
{
	return cpu < VPMU_CPUS && happenings_matter() && cpus[cpu].v && observe_is_inside(cpu);
}

//
// Accesses
//

// What the emulator calls back with of an instruction: its address, and, if it accesses a wide operand, that in parts,
// the operand's size in the low bits. Linear addresses have 57 bits at most.
#define WIDE_BITS 6

static void *describe(uint64_t ip, unsigned wide)
{
	return (void *)(uintptr_t)(ip << WIDE_BITS | wide);
}

static uint64_t ip_of(const void *description)
{
	return (uint64_t)((int64_t)(uintptr_t)description >> WIDE_BITS);
}

static unsigned wide_of(const void *description)
{
	return (uintptr_t)description & ((1u << WIDE_BITS) - 1);
}

// Whether this part of a wide operand is not its first one.
static bool is_rest(struct referring *r, uint64_t linear, unsigned size, unsigned wide)
{
	const bool is = r->rest && linear == r->rest_at;
	const unsigned left = is ? r->rest : wide;

	r->rest = left > size ? left - size : 0;
	r->rest_at = linear + size;
	return is;
}

// SDM volume 3A, "Local APIC Status and Location": accesses to its registers do not leave the processor.
#define LOCAL_APIC	0xFEE00000u

// One that is not near.
__attribute__((noinline)) static void refer_far(unsigned cpu, qemu_plugin_meminfo_t access, enum access kind,
						uint64_t ip, uint64_t linear, unsigned size)
{
	const struct qemu_plugin_hwaddr *address = qemu_plugin_get_hwaddr(access, linear);
	struct reference r = {.access = kind, .ip = ip, .linear = linear, .size = size};

	if (!address)
		return;
	r.physical = qemu_plugin_hwaddr_phys_addr(address);
	r.device = qemu_plugin_hwaddr_is_io(address);
	r.internal = r.device && (r.physical & -(uint64_t)PAGE) == LOCAL_APIC;
	refer(cpu, &r);
}

__attribute__((always_inline)) static inline void accessed(unsigned cpu, qemu_plugin_meminfo_t access, uint64_t linear,
							   const void *description, enum access kind)
{
	const unsigned part = 1u << qemu_plugin_mem_size_shift(access), wide = wide_of(description);
	const unsigned size = wide ? wide : part;
	const uint64_t ip = ip_of(description);

	if (issued_follows_accesses && observe_is_inside(cpu))
		issued_access(ip, linear);
	if (matters(cpu) && !(wide && is_rest(&cpus[cpu], linear, part, wide)) &&
	    !refer_near(cpu, kind, ip, linear, size))
		refer_far(cpu, access, kind, ip, linear, size);
}

static void plain_access(unsigned cpu, qemu_plugin_meminfo_t access, uint64_t linear, void *description)
{
	if (qemu_plugin_mem_is_store(access))
		accessed(cpu, access, linear, description, ACCESS_STORE);
	else
		accessed(cpu, access, linear, description, ACCESS_LOAD);
}

static void locked_access(unsigned cpu, qemu_plugin_meminfo_t access, uint64_t linear, void *description)
{
	if (qemu_plugin_mem_is_store(access))
		accessed(cpu, access, linear, description, ACCESS_LOCK);
}

static void streaming_access(unsigned cpu, qemu_plugin_meminfo_t access, uint64_t linear, void *description)
{
	accessed(cpu, access, linear, description, ACCESS_STREAM);
}

static void fences(unsigned cpu, void *context)
{
	(void)context;
	referring_cpu = cpu;
	if (!matters(cpu))
		return;
	if (timed_is_used)
		timed_wait(cpu, memory_fence(memory, cpus[cpu].core, observe_cycle(cpu)));
	else
		memory_fence(memory, cpus[cpu].core, 0);
}

// In the cycle behind that in which the last one leaves.
void references_lock_bus(unsigned cpu)
{
	if (matters(cpu))
		timed_wait(cpu, memory_lock_bus(memory, cpus[cpu].core, observe_cycle(cpu)) + 1);
}

// The guest changes CR3, or invalidates a page. Which one, the emulator does not say: all are.
static void invalidates(unsigned cpu, void *context)
{
	(void)context;
	if (cpu >= VPMU_CPUS || !cpus[cpu].v || !observe_is_inside(cpu))
		return;
	tlbs_flush(&memory->core[cpus[cpu].core].tlbs);
	cpus[cpu].page = cpus[cpu].line = 0;
	first_level_forget(&cpus[cpu].near);
	happenings_raise(cpu, cpus[cpu].core, HAPPENING_TLB_FETCH_FLUSH, 0);
}

// MOV to CR3: 0F 22 /3. INVLPG: 0F 01 /7 with memory. Behind a REX prefix, perhaps.
static bool is_invalidation(const struct qemu_plugin_insn *instruction)
{
	const uint8_t *bytes = qemu_plugin_insn_data(instruction);
	const size_t prefix = (bytes[0] & 0xF0) == 0x40;

	if (qemu_plugin_insn_size(instruction) < prefix + 3 || bytes[prefix] != 0x0F)
		return false;
	return bytes[prefix + 1] == 0x22 ? (bytes[prefix + 2] >> 3 & 7) == 3 :
	       bytes[prefix + 1] == 0x01 && (bytes[prefix + 2] >> 3 & 7) == 7 && bytes[prefix + 2] >> 6 != 3;
}

// A locked access reads and writes, and is one reference: its write.
void references_translate(struct qemu_plugin_insn *instruction, const struct classes *classes)
{
	const bool locked = classes->kinds & CLASS_LOCKED;

	if (is_invalidation(instruction))
		qemu_plugin_register_vcpu_insn_exec_cb(instruction, invalidates, QEMU_PLUGIN_CB_NO_REGS, NULL);
	else if (classes->kinds & CLASS_FENCE)
		qemu_plugin_register_vcpu_insn_exec_cb(instruction, fences, QEMU_PLUGIN_CB_NO_REGS, NULL);
	else if (classes->loads || classes->stores)
		qemu_plugin_register_vcpu_mem_cb(instruction,
						 locked ? locked_access :
						 classes->kinds & CLASS_STREAM ? streaming_access : plain_access,
						 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
						 describe(qemu_plugin_insn_vaddr(instruction), classes->wide));
}

//
// Prefetches
//

// What the emulator calls back with of one: bytes from the access that it is beside, its address's low bits, by which
// prefetchers know it, the hint, how wide the access is, and whether it is a load.
union beside {
	struct {
		int32_t distance;
		uint8_t ip, hint, wide;
		bool loads;
	} is;
	void *context;
};

// By the guest's tables, if there are such.
static bool translates(const struct referring *r, uint64_t linear, uint64_t *physical)
{
	struct walk w;

	if (!r->paged || !walk_tables(&w, r->cr3, linear, read_table, NULL))
		return false;
	*physical = w.physical;
	return true;
}

// The page that the access is in has been translated. Others are translated by the tables. A prefetch never faults, and
// is of memory only.
static bool find_data(const struct referring *r, const struct qemu_plugin_hwaddr *address, uint64_t linear,
		      uint64_t target, uint64_t *physical)
{
	if (target / PAGE == linear / PAGE) {
		*physical = qemu_plugin_hwaddr_phys_addr(address) + target - linear;
		return !qemu_plugin_hwaddr_is_io(address);
	}
	return translates(r, target, physical) && memory_at(*physical, 1);
}

static void prefetches(unsigned cpu, qemu_plugin_meminfo_t access, uint64_t linear, void *context)
{
	static const enum access hints[] = {
		ACCESS_PREFETCH_ONCE, ACCESS_PREFETCH, ACCESS_PREFETCH_L2, ACCESS_PREFETCH_L2,
	};
	const union beside beside = {.context = context};
	const struct qemu_plugin_hwaddr *address;
	struct reference r = {.access = hints[beside.is.hint], .ip = beside.is.ip, .size = 1};

	if (!matters(cpu) || beside.is.loads == qemu_plugin_mem_is_store(access) ||
	    (beside.is.wide && cpus[cpu].rest + (1u << qemu_plugin_mem_size_shift(access)) != beside.is.wide))
		return;		// a part behind the first one
	address = qemu_plugin_get_hwaddr(access, linear);
	r.linear = linear + (uint64_t)(int64_t)beside.is.distance;
	if (address && find_data(&cpus[cpu], address, linear, r.linear, &r.physical))
		refer(cpu, &r);
}

void references_translate_prefetch(struct qemu_plugin_insn *of, unsigned wide, const struct prefetch *p, uint64_t ip)
{
	const union beside beside = {.is = {p->distance, (uint8_t)ip, p->hint, (uint8_t)wide, p->loads}};

	qemu_plugin_register_vcpu_mem_cb(of, prefetches, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, beside.context);
}

void references_vprefetch(unsigned cpu, enum access access, uint64_t linear)
{
	struct reference r = {.access = access, .linear = linear, .size = 1, .now = observe_now(cpu)};

	if (!happenings_matter() || !cpus[cpu].v || !translates(&cpus[cpu], linear, &r.physical))
		return;
	r.device = !memory_at(r.physical, 1);
	reach(cpu, &r);
}

void references_vector(unsigned cpu, unsigned elements, bool waits)
{
	referring_cpu = cpu;
	if (!happenings_matter() || !cpus[cpu].v)
		return;
	raise(NULL, cpus[cpu].core, HAPPENING_VECTOR, 0);
	if (waits)
		raise(NULL, cpus[cpu].core, HAPPENING_VECTOR_WAITS, 0);
	while (elements--)
		raise(NULL, cpus[cpu].core, HAPPENING_VECTOR_ELEMENT, 0);
}

void references_vector_access(unsigned cpu, bool store, uint64_t linear, unsigned size)
{
	struct reference r = {.access = store ? ACCESS_STORE : ACCESS_LOAD, .linear = linear, .size = size};
	const struct referring *by = &cpus[cpu];

	if (!happenings_matter() || !by->v || !translates(by, linear, &r.physical))
		return;
	referring_cpu = cpu;
	raise(NULL, by->core, store ? HAPPENING_VECTOR_STORE : HAPPENING_VECTOR_LOAD, r.physical);
	if (reach(cpu, &r).supplier != SUPPLIER_L1)
		raise(NULL, by->core, store ? HAPPENING_VECTOR_STORE_MISS : HAPPENING_VECTOR_LOAD_MISS, r.physical);
}

//
// Fetches
//

#define LINE 64

// The physical address of code. False: the tables are not those by which the emulator has found it.
static bool find_code(struct referring *r, uint64_t linear, uint64_t *physical)
{
	const uint64_t page = linear / PAGE + 1;
	struct walk w;

	if (page != r->page) {
		w.physical = linear;
		if (r->paged && !walk_tables(&w, r->cr3, linear, read_table, NULL))
			return false;
		r->page = page;
		r->physical = w.physical & -(uint64_t)PAGE;
	}
	*physical = r->physical + linear % PAGE;
	return true;
}

__attribute__((noinline)) static void fetch_far(unsigned cpu, uint64_t ip, uint64_t line)
{
	struct reference r = {.access = ACCESS_FETCH, .ip = ip, .linear = line, .size = 1};

	if (find_code(&cpus[cpu], line, &r.physical))
		refer(cpu, &r);
}

// A fetch is of a line, and of another one than the last.
void references_fetch(unsigned cpu, void *context)
{
	const struct block *block = context;
	struct referring *r = &cpus[cpu];

	if (!matters(cpu))
		return;
	for (uint64_t line = block->address & -(uint64_t)LINE; line < block->behind; line += LINE) {
		if (r->line == line + 1)
			continue;
		r->line = line + 1;
		if (!refer_near(cpu, ACCESS_FETCH, block->address, line, 1))
			fetch_far(cpu, block->address, line);
	}
}
