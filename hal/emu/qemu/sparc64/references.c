// SPDX-License-Identifier: BSD-2-Clause
// Memory references of SPARC vCPUs: references.h.

#include "references.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../model/through.h"
#include "../predictions.h"
#include "operands.h"
#include "../plugin.h"
#include "../pmus.h"
#include "../timeline.h"
#include "../unpromised.h"
#include "sparc64.h"

#define NOWHERE		1	/* never a line's address */
#define REGISTER_BYTES	8	/* QEMU splits larger accesses into parts of this size */

static struct processor processor;

// A vCPU's references.
static struct referring {
	struct through *caches;			// NULL: not yet allocated
	uint64_t fetched;			// linear address of the last fetched line
	uint64_t fetched_at;			// physical address of the last fetched line
	// instruction whose references were made before it executes
	const struct instruction *done;
} all[CPUS_MOST];
static struct cpu *by;				// the vCPU that makes the reference

bool sparc64_begin_references(const char *machine)
{
	static const struct processor_needs needs = {.caches = (1u << CACHES) - 1};

	return processor_load(&processor, machine, &needs);
}

void sparc64_begin_predictions(const struct cpu *c)
{
	if (c->number < VPMU_CPUS)
		predictions_start(c->number, c->core->number, c->vpmu.thread, &processor.predictor);
}

static bool find_whether_they_matter(void)
{
	for (struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		if (c->core && c->core->package->watched)
			return true;
	for (unsigned what = CPU_EVENT_INSTRUCTIONS; what < CPU_EVENT_COUNT; what++)
		if (pmus_wanted[what])
			return true;
	return false;
}

static bool matter;

bool sparc64_references_matter(void)
{
	matter = find_whether_they_matter();
	return matter;
}

bool sparc64_references_mattered(void)
{
	return matter;
}

//
// Caches
//

static void transact(struct cpu *c, uint64_t address, bool write)
{
	vpmu_transaction(&c->vpmu, address, write);
}

static void raise(void *context, enum cpu_event what, uint64_t address)
{
	(void)context;
	timeline_happens(by, by->core, what, address);
	if (what == CPU_EVENT_L1I_INVALIDATION && address == all[by->number].fetched_at)
		all[by->number].fetched = NOWHERE;
	if (what == CPU_EVENT_MEMORY_READ || what == CPU_EVENT_MEMORY_WRITE)
		transact(by, address, what == CPU_EVENT_MEMORY_WRITE);
}

static struct referring *referring_of(struct cpu *c)
{
	struct referring *r = &all[c->number];

	by = c;
	if (r->caches)
		return r;
	r->fetched = NOWHERE;
	r->caches = through_make(&processor, raise, NULL);
	if (!r->caches) {
		fprintf(stderr, "palmon: out of memory for the machine's caches\n");
		exit(1);
	}
	return r;
}

static uint64_t line_bytes(void)
{
	return 1ULL << processor.cache[CACHE_L1D].line_shift;
}

// Refers to all lines of an access at a physical address.
static void refer(struct cpu *c, const struct sparc64_access *a, uint64_t address)
{
	struct through *caches = referring_of(c)->caches;

	if (a->commits) {
		through_give_up(caches, address);
		transact(c, address, true);
		return;
	}
	for (uint64_t at = address & -line_bytes(); at < address + a->size; at += line_bytes())
		through_refer(caches, a->access, at);
}

// Hyperprivileged code uses physical addresses.
static uint64_t physical_of(const struct instruction *i, uint64_t linear)
{
	uint64_t physical;

	return i->level != SPARC64_HYPERPRIVILEGED && unpromised_translate(linear, &physical) ?
	       physical : linear;
}

void sparc64_fetch(struct cpu *c, const struct instruction *i)
{
	struct referring *r = referring_of(c);
	const uint64_t line = c->address & -line_bytes();

	r->done = NULL;
	if (line == r->fetched || !matter)
		return;
	r->fetched = line;
	r->fetched_at = physical_of(i, line);
	through_refer(r->caches, THROUGH_FETCH, r->fetched_at);
}

// QEMU does not report a prefetch's address.
static bool is_prefetch(const struct sparc64_access *a)
{
	return a->access == THROUGH_PREFETCH || a->access == THROUGH_PREFETCH_L2;
}

static void accessed(unsigned number, qemu_plugin_meminfo_t info, uint64_t linear, void *data)
{
	struct cpu *c = plugin_cpu(number);
	const struct instruction *i = data;
	const struct sparc64_access a = sparc64_access_of(i->code, i->asi);
	const struct qemu_plugin_hwaddr *address;

	if (!matter || referring_of(c)->done == i || (a.size > REGISTER_BYTES && linear % a.size))
		return;
	address = qemu_plugin_get_hwaddr(info, linear);
	if (address && !qemu_plugin_hwaddr_is_io(address))
		refer(c, &a, qemu_plugin_hwaddr_phys_addr(address));
}

// While references are followed, the store's own reference does this.
void sparc64_commit(struct cpu *c, const struct instruction *i, uint64_t linear)
{
	if (!matter && all[c->number].caches)
		through_give_up(referring_of(c)->caches, physical_of(i, linear));
}

void sparc64_follow(struct qemu_plugin_insn *qemu, const struct instruction *i)
{
	for (struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		// a new instruction at the same host address
		if (referring_of(c)->done == i)
			referring_of(c)->done = NULL;
	if (sparc64_access_of(i->code, i->asi).size)
		qemu_plugin_register_vcpu_mem_cb(qemu, accessed, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, (void *)(uintptr_t)i);
}

void sparc64_refer_early(struct cpu *c, const struct instruction *i)
{
	const struct sparc64_access a = sparc64_access_of(i->code, i->asi);
	uint64_t physical;

	if (!matter || !a.size || is_prefetch(&a))
		return;
	physical = physical_of(i, sparc64_operand(c, i));
	if (c->prepared != i && !address_space_is_io(&address_space_memory, physical))
		refer(c, &a, physical);
	referring_of(c)->done = i;
}
