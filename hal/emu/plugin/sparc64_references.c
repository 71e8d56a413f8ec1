// SPDX-License-Identifier: BSD-2-Clause
// What the guest does to caches: sparc64_references.h. There is one CPU, and its addresses are physical: the image maps
// them to themselves (arch/sparc64). Until something of it is counted the caches stay as they are; they begin empty.

#include "sparc64_references.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "feed.h"
#include "happenings.h"
#include "memory.h"
#include "reports.h"
#include "sparc64_access.h"
#include "sparc64_class.h"

#define CPU		0
#define CORE		0
#define NOWHERE		1	// no line's address

static struct {
	struct through *caches;		// NULL: there are none yet
	uint64_t line_bytes;		// of the L1 caches
	bool watched;			// the memory
	uint64_t fetched;		// the line that was fetched last

	// The quantum: whether references matter; those of its first instruction are done. How many blocks have begun.
	bool matter, first_is_done;
	unsigned blocks;
} guest = {.fetched = NOWHERE};

// Where QEMU's niagara has memory: the hypervisor's, and the partitions', which is shared.
static bool is_hypervisor_memory(uint64_t address)
{
	return address >= 0x100000 && address < 0x4000000;
}

static bool is_memory(uint64_t address)
{
	return is_hypervisor_memory(address) || memory_at(address, 1);
}

//
// Caches
//

static void transact(uint64_t address, bool write)
{
	if (feeds[CPU].v)
		vpmu_transaction(feeds[CPU].v, address, write);
}

static void raise(void *context, enum happening what, uint64_t address)
{
	(void)context;
	happenings_raise(CPU, CORE, what, address);
	if (what == HAPPENING_L1I_INVALIDATION && address == guest.fetched)
		guest.fetched = NOWHERE;
	if (what == HAPPENING_MEMORY_READ || what == HAPPENING_MEMORY_WRITE)
		transact(address, what == HAPPENING_MEMORY_WRITE);
}

void sparc64_references_make(const struct processor *processor)
{
	static const struct processor_needs needs = {.caches = (1u << CACHES) - 1};
	struct processor_error error;

	if (processor_has(processor, &needs, &error))
		guest.caches = through_make(processor, raise, NULL);
	else
		fprintf(stderr, "palmon plugin: the machine's description: %s\n", error.text);
	if (!guest.caches)
		exit(1);
	guest.line_bytes = 1ULL << processor->cache[CACHE_L1D].line_shift;
}

void sparc64_watch_memory(void)
{
	guest.watched = true;
	reports_add(REPORTS_REFERENCES);
}

static bool do_matter(void)
{
	return guest.caches && (happenings_matter() || guest.watched);
}

static void refer(const struct sparc64_access *a, uint64_t address)
{
	if (a->commits) {
		if (guest.caches)
			through_give_up(guest.caches, address);
		transact(address, true);
		return;
	}
	for (uint64_t at = address & -guest.line_bytes; at < address + a->size; at += guest.line_bytes)
		through_refer(guest.caches, a->access, at);
}

static void fetch(uint64_t line)
{
	if (line != guest.fetched)
		through_refer(guest.caches, THROUGH_FETCH, line);
	guest.fetched = line;
}

//
// What executes
//

bool sparc64_references_begin(bool reported)
{
	guest.matter = do_matter();
	guest.first_is_done = guest.matter && reported;
	guest.blocks = 0;
	return guest.matter;
}

void sparc64_references_end(void)
{
	guest.matter = guest.first_is_done = false;
}

// A block's lines are fetched when it begins.
void sparc64_fetch(uint64_t from, uint64_t behind)
{
	uint64_t line = from & -guest.line_bytes;

	if (!guest.blocks++ && guest.first_is_done)
		guest.fetched = line;
	for (; line < behind; line += guest.line_bytes)
		fetch(line);
}

#define REGISTER_BYTES 8	// the emulator accesses more in parts of as many

// What the emulator calls back with.
#define NUMBER_SHIFT	16
#define COMMITS		(1u << 15)
#define ACCESS_SHIFT	8

// The emulator says where a place is in its memory of one kind: always as far from the address, then.
static void check_place(uint64_t address, uint64_t place)
{
	static uint64_t distances[2];
	uint64_t *distance = &distances[is_hypervisor_memory(address)];

	if (!*distance)
		*distance = place - address + 1;
	if (*distance != place - address + 1) {
		fprintf(stderr, "palmon plugin: address 0x%" PRIx64 " is another one in memory\n", address);
		fflush(stderr);
		_exit(1);
	}
}

static void accessed(unsigned cpu, qemu_plugin_meminfo_t access, uint64_t linear, void *context)
{
	const uintptr_t code = (uintptr_t)context;
	const struct sparc64_access a = {
		.size = (uint8_t)code, .commits = code & COMMITS, .access = code >> ACCESS_SHIFT & 0xF,
	};
	const bool first = guest.blocks == 1 && !(code >> NUMBER_SHIFT);
	const struct qemu_plugin_hwaddr *address;

	(void)cpu;
	if ((!guest.matter && !a.commits) || (first && guest.first_is_done))
		return;
	if (a.size > REGISTER_BYTES && linear % a.size)
		return;
	address = qemu_plugin_get_hwaddr(access, linear);
	if (!address || qemu_plugin_hwaddr_is_io(address))
		return;
	check_place(linear, qemu_plugin_hwaddr_phys_addr(address));
	refer(&a, linear);
}

// The emulator does not say what a prefetch refers to.
void sparc64_references_translate(struct qemu_plugin_insn *from, uint32_t instruction, int asi, size_t number)
{
	const struct sparc64_access a = sparc64_access_of(instruction, asi);

	if (a.commits || (a.size && reports_what == REPORTS_REFERENCES))
		qemu_plugin_register_vcpu_mem_cb(from, accessed, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
			(void *)(uintptr_t)(number << NUMBER_SHIFT | (a.commits ? COMMITS : 0) |
					    (unsigned)a.access << ACCESS_SHIFT | a.size));
}

//
// What will execute
//

void sparc64_refer_next(uint64_t address, uint32_t instruction, int asi, const uint64_t registers[32])
{
	const struct sparc64_access a = sparc64_access_of(instruction, asi);
	const uint64_t operand = sparc64_access_address(instruction, registers);

	if (!do_matter())
		return;
	fetch(address & -guest.line_bytes);
	if (a.size && a.access != THROUGH_PREFETCH && a.access != THROUGH_PREFETCH_L2 && is_memory(operand))
		refer(&a, operand);
}
