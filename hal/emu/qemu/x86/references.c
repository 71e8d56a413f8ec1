// SPDX-License-Identifier: BSD-2-Clause
// Memory references of x86 vCPUs: references.h.

#include "references.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../model/first_level.h"
#include "../allocate.h"
#include "../block.h"
#include "../follow.h"
#include "../predictions.h"
#include "../bytes.h"
#include "../parallel.h"
#include "../plugin.h"
#include "../pmus.h"
#include "../threads.h"
#include "../timed.h"
#include "../timeline.h"
#include "../unpromised.h"
#include "x86.h"

#define LINE	REFERENCES_LINE

// A vCPU's references.
struct referring {
	bool paged;			// four-level page tables at cr3 are enabled
	uint64_t cr3;
	unsigned rest;			// bytes of a wide operand that QEMU has not accessed yet
	uint64_t rest_at;		// linear address of those bytes
	unsigned core;			// core number of the machine model
	struct first_level near;
};

static struct processor processor;
static struct memory *memory;		// NULL: not yet allocated
static struct referring *referring[CPUS_MOST];
static struct cpu *by;			// the vCPU that makes the reference

bool references_begin(const char *machine)
{
	static const struct processor_needs none;
	struct processor_error error;

	if (!processor_load(&processor, machine, &none))
		return false;
	if (!timed_begin(&processor, &error)) {
		fprintf(stderr, "%s: %s\n", machine, error.text);
		return false;
	}
	if (!processor.inclusive[CACHE_L3])
		pmus_refuse_packages();
	return true;
}

void references_predict(const struct cpu *c)
{
	predictions_start(c->number, c->core->package_number * PACKAGE_CORES + c->core->number,
			  c->vpmu.thread, &processor.predictor);
}

bool references_matter(void)
{
	for (unsigned what = CPU_EVENT_INSTRUCTIONS; what < CPU_EVENT_COUNT; what++)
		if (pmus_wanted[what])
			return true;
	for (const struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		if (c->core && vpmu_locks_matter(&c->vpmu))
			return true;
	return pmus_wanted[CPU_EVENT_BANK_CONFLICT];
}

//
// The machine model
//

static bool read_table(void *context, uint64_t address, uint64_t *entry)
{
	GByteArray *bytes = bytes_of(NULL, sizeof *entry);

	(void)context;
	if (qemu_plugin_read_memory_hwaddr(address, bytes, sizeof *entry))
		return false;
	memcpy(entry, bytes->data, sizeof *entry);
	return true;
}

static unsigned cores_of_package;

// Events of loads are raised when the instruction retires.
static void raise(void *context, unsigned core, enum cpu_event what, uint64_t address)
{
	struct core *on = pmus_core(core / cores_of_package, core % cores_of_package);

	(void)context;
	if (on && !cpu_event_is_of_loads(what))
		timeline_happens(by, on, what, address);
}

#define MIB		(1ull << 20)
#define GIB		(1ull << 30)

// The machine's memory begins below 1 MiB and continues at 4 GiB, after the devices.
static uint64_t memory_size(void)
{
	uint64_t low = MIB, high = 0;

	while (low < 4 * GIB && !address_space_is_io(&address_space_memory, low))
		low += MIB;
	while (!address_space_is_io(&address_space_memory, 4 * GIB + high))
		high += MIB;
	return low + high;
}

// When the first vCPU executes, all vCPUs are known.
static void make_memory(void)
{
	unsigned packages = 1;

	cores_of_package = 1;
	for (struct cpu *c = cpus; c < &cpus[cpus_count]; c++) {
		if (c->core->package_number >= packages)
			packages = c->core->package_number + 1;
		if (c->core->number >= cores_of_package)
			cores_of_package = c->core->number + 1;
	}
	memory = memory_make(&processor, packages, cores_of_package, raise, read_table, NULL);
	if (!memory) {
		fprintf(stderr, "palmon: out of memory for the machine's caches\n");
		exit(1);
	}
	for (unsigned i = 0; i < packages; i++)
		memory->package[i].wanted = pmus_wanted;
	if (packages > 1)
		package_join(memory->package, packages, memory_size() / packages);
	if (timed_is_used) {
		memory_time(memory, threads_are_used ? NULL : timed_happens);
		timed_begin_packages(packages);
	}
}

__attribute__((noinline)) static struct referring *begin_referring(struct cpu *c)
{
	struct referring *r;

	if (!memory)
		make_memory();
	r = allocate(sizeof *r);
	r->core = c->core->package_number * cores_of_package + c->core->number;
	first_level_begin(&r->near, memory, r->core);
	timed_begin_fills(c, &memory->core[r->core].flights);
	return referring[c->number] = r;
}

static inline struct referring *referring_of(struct cpu *c)
{
	struct referring *const r = referring[c->number];

	return __builtin_expect(r != NULL, true) ? r : begin_referring(c);
}

// Before the first reference, the TLBs are empty.
void references_invalidate(struct cpu *c)
{
	struct referring *r = referring[c->number];

	if (!r)
		return;
	by = c;
	tlbs_flush(&memory->core[r->core].tlbs);
	c->fetched_line = 0;
	first_level_forget(&r->near);
	timeline_happens(c, c->core, CPU_EVENT_TLB_FETCH_FLUSH, 0);
}

void references_empty(struct cpu *c)
{
	if (!referring[c->number])
		return;
	by = c;
	timed_wait(c, memory_empty(memory, referring[c->number]->core, timed_now(c)));
	for (struct cpu *other = cpus; other < &cpus[cpus_count]; other++)
		if (referring[other->number]) {
			other->fetched_line = 0;
			first_level_forget(&referring[other->number]->near);
		}
}

//
// References
//

// In the order of `sources` in struct pmu_model.
static unsigned source_of(enum cpu_event what)
{
	return what < CPU_EVENT_LOAD_REMOTE_CACHE ? what - CPU_EVENT_LOAD_L1D :
	       CPU_EVENT_LOAD_FILL + 1 - CPU_EVENT_LOAD_L1D + what - CPU_EVENT_LOAD_REMOTE_CACHE;
}

// If an instruction has several loads, the slowest one counts.
static void see_load(struct cpu *c, uint64_t ip, uint64_t linear, const struct reached *reached)
{
	const uint8_t *sources = c->vpmu.model->machine->sources;

	if (!(c->core->signals.loads || c->outside) ||
	    (c->load.is && reached->latency <= c->load.occurrence.latency))
		return;
	c->load = (struct load){
		.is = true, .translated = reached->translation != TLBS_FIRST,
		.source = reached->source,
		.occurrence = {
			.ip = ip, .address = linear, .data = 1, .latency = reached->latency,
			.served = sources ? sources[source_of(reached->source)] : 0,
		},
	};
}

// The cycle in which the current instruction makes a reference. A load waits for its address.
static uint64_t now_of(struct cpu *c, enum access access)
{
	return !timed_is_used ? timeline_now(c) : access == ACCESS_LOAD ? timed_load(c) :
	       timed_now(c);
}

static struct reached refer(struct cpu *c, struct referring *r, struct reference *reference)
{
	struct reached reached;

	reference->core = r->core;
	reference->paged = r->paged;
	reference->cr3 = r->cr3;
	reference->now = now_of(c, reference->access);
	reached = memory_refer(memory, reference);
	if (timed_is_used)
		timed_refer(c, reference->access, reference->linear, reference->size,
			    &reached);
	first_level_remember(&r->near, reference);
	if (reached.clears)
		c->fetched_line = 0;
	if ((reference->access == ACCESS_LOAD || reference->access == ACCESS_LOCK) &&
	    !reference->internal)
		see_load(c, reference->ip, reference->linear, &reached);
	return reached;
}

// The fast path, for most references.
static bool refer_near(struct cpu *c, struct referring *r, enum access access, uint64_t ip,
		       uint64_t linear, unsigned size)
{
	by = c;
	if (timed_is_used)
		r->near.now = now_of(c, access);
	if (!first_level_refer(&r->near, access, ip, linear, size))
		return false;
	if (timed_is_used)
		timed_refer(c, access, linear, size, NULL);
	if (access == ACCESS_LOAD) {
		const struct reached reached = first_level_reached(&r->near);

		see_load(c, ip, linear, &reached);
	}
	return true;
}

static void follow_tables(struct cpu *c, struct referring *r)
{
	const uint64_t cr3 = x86_tables(c);

	if (cr3 == r->cr3 && r->paged == (cr3 != X86_NO_TABLES))
		return;
	r->cr3 = cr3;
	r->paged = cr3 != X86_NO_TABLES;
	first_level_forget(&r->near);
	c->fetched_line = 0;
}

void references_fetch(struct cpu *c, const struct instruction *i)
{
	struct referring *r = referring_of(c);

	const uint64_t ip = i->translated_at;

	for (uint64_t line = ip & -(uint64_t)LINE; line < ip + i->size; line += LINE) {
		struct reference reference = {.access = ACCESS_FETCH, .ip = ip, .linear = line,
					      .size = 1};
		struct walk w = {.physical = line};

		if (c->fetched_line == line + 1) {
			if (pmus_wanted[CPU_EVENT_L1I_AGAIN])
				timeline_happens(c, c->core, CPU_EVENT_L1I_AGAIN, 0);
			continue;
		}
		follow_tables(c, r);
		c->fetched_line = line + 1;
		if (refer_near(c, r, ACCESS_FETCH, ip, line, 1))
			continue;
		if (r->paged && !walk_tables(&w, r->cr3, line, read_table, NULL))
			continue;
		reference.physical = w.physical;
		refer(c, r, &reference);
	}
}

// Returns true if this part of a wide operand is not the first one.
static bool is_rest(struct referring *r, uint64_t linear, unsigned size, unsigned wide)
{
	const bool is = r->rest && linear == r->rest_at;
	const unsigned left = is ? r->rest : wide;

	r->rest = left > size ? left - size : 0;
	r->rest_at = linear + size;
	return is;
}

// A locked access to two lines locks the bus (SDM volume 3A, "Bus Locking"). The lock ends in the
// cycle after the last request has left.
static void lock_bus(struct cpu *c, const struct referring *r)
{
	timed_lock_bus(c, memory_lock_bus(memory, r->core, timed_now(c)) + 1);
	if (timed_is_used || !vpmu_locks_matter(&c->vpmu))
		return;
	timeline_settle(c);
	vpmu_bus_lock(&c->vpmu);
	timeline_resume(c);
}

// A locked access reads and writes, and counts as one reference, its write.
static enum access kind_of(const struct instruction *i, bool store)
{
	if (i->is.kinds & CLASS_LOCKED)
		return ACCESS_LOCK;
	if (i->is.kinds & CLASS_STREAM)
		return ACCESS_STREAM;
	return store ? ACCESS_STORE : ACCESS_LOAD;
}

static void access_memory(struct cpu *c, const struct instruction *i, qemu_plugin_meminfo_t info,
			  uint64_t linear)
{
	struct referring *r = referring_of(c);
	const bool store = qemu_plugin_mem_is_store(info);
	const enum access kind = kind_of(i, store);
	const unsigned part = 1u << qemu_plugin_mem_size_shift(info),
		size = i->is.wide ? i->is.wide : part;
	struct reference reference;
	const struct qemu_plugin_hwaddr *address;

	block_refers(c, i);
	if (!c->first_access)
		c->first_access = linear;
	if ((kind == ACCESS_LOCK && !store) ||
	    (i->is.wide && is_rest(r, linear, part, i->is.wide)) ||
	    refer_near(c, r, kind, i->translated_at, linear, size))
		return;
	address = qemu_plugin_get_hwaddr(info, linear);
	if (!address)
		return;
	reference = (struct reference){
		.access = kind, .ip = i->translated_at, .linear = linear, .size = size,
		.physical = qemu_plugin_hwaddr_phys_addr(address),
	};
	reference.device = qemu_plugin_hwaddr_is_io(address);
	reference.internal = reference.device &&
		(reference.physical & -(uint64_t)X86_PAGE) == X86_LOCAL_APIC;
	refer(c, r, &reference);
	if (kind == ACCESS_LOCK && linear % LINE + size > LINE)
		lock_bus(c, r);
}

static void accessed(unsigned number, qemu_plugin_meminfo_t info, uint64_t linear, void *data)
{
	const bool entered = parallel_enter();

	if (follow_refers)
		access_memory(plugin_cpu(number), data, info, linear);
	parallel_leave(entered);
}

// A reference of an instruction that QEMU lacks. The address is mapped.
static struct reached refer_lacking(struct cpu *c, enum access access, uint64_t linear,
				    unsigned size)
{
	struct reference reference = {.access = access, .ip = c->address, .linear = linear,
				      .size = size};
	struct referring *r = referring_of(c);

	by = c;
	follow_tables(c, r);
	qemu_plugin_translate_vaddr(linear, &reference.physical);
	reference.device = address_space_is_io(&address_space_memory, reference.physical);
	return refer(c, r, &reference);
}

void references_prefetch(struct cpu *c, enum access access, uint64_t linear)
{
	uint64_t physical;

	if ((timed_is_used || references_matter()) &&
	    qemu_plugin_translate_vaddr(linear, &physical))
		refer_lacking(c, access, linear, 1);
}

void references_vector(struct cpu *c, bool store, uint64_t linear, unsigned size)
{
	if (!timed_is_used && !references_matter())
		return;
	timeline_happens(c, c->core, store ? CPU_EVENT_VECTOR_STORE : CPU_EVENT_VECTOR_LOAD, 0);
	if (refer_lacking(c, store ? ACCESS_STORE : ACCESS_LOAD, linear,
			  size).supplier != SUPPLIER_L1)
		timeline_happens(c, c->core, store ? CPU_EVENT_VECTOR_STORE_MISS :
				 CPU_EVENT_VECTOR_LOAD_MISS, 0);
}

static void fences(unsigned number, void *unused)
{
	const bool entered = parallel_enter();
	struct cpu *c = plugin_cpu(number);

	(void)unused;
	by = c;
	timed_wait(c, memory_fence(memory, referring_of(c)->core, timed_now(c)));
	parallel_leave(entered);
}

void references_follow(struct qemu_plugin_insn *qemu, const struct instruction *i)
{
	void *const data = (void *)(uintptr_t)i;

	if (i->is.kinds & CLASS_FENCE)
		qemu_plugin_register_vcpu_insn_exec_cb(qemu, fences, QEMU_PLUGIN_CB_NO_REGS, NULL);
	else if (i->is.loads || i->is.stores)
		qemu_plugin_register_vcpu_mem_cb(qemu, accessed, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, data);
}
