// SPDX-License-Identifier: BSD-2-Clause
// References of the guests to memory (references.h). As long as no counter selects an event of caches and TLBs, these
// stay as they are, so that nothing else pays; they begin empty. What happens is added up, and reported at the next
// call of a monitor.

#include "references.h"

#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "feed.h"
#include "guest.h"
#include "memory.h"
#include "observe.h"

// So many instructions are executed at once, though a counter of what happens in them may overflow: as late its
// interrupt can come. And instructions do the same thing in caches so often, at most, each on the average of them: two
// references of two lines, each with its prefetches.
#define SKID		256
#define MOST		8
#define CHANNELS	3
#define PAGE		4096

// What has happened, and is to be reported: [0] wherever, [c] of lines of channel c.
struct counts {
	uint32_t of[HAPPENING_COUNT][CHANNELS + 1];
	bool some;
};

struct referring {
	struct vpmu *v;			// NULL: it has no monitor yet
	unsigned core;
	uint64_t frame;
	bool paged;			// as of its monitor's last call: by these tables
	uint64_t cr3;
	uint64_t line;			// that was fetched last, counted from 1
	uint64_t select;		// what is selected for requests and responses, or was
	uint64_t page, physical;	// of the code that was fetched last; page: counted from 1
	unsigned rest;			// bytes that the emulator has not accessed yet of a wide operand,
	uint64_t rest_at;		// and where they begin
	bool watches_loads;		// the last one is kept
	struct occurrence load;
	bool counted[HAPPENING_COUNT];	// by a counter of its core
	uint32_t counts;		// those counters, by bits
	struct counts happened;
};

static struct referring cpus[VPMU_CPUS];
static struct counts package;
static bool package_counted[HAPPENING_COUNT], some_count;
static uint32_t package_counts;
static const char *processor_name;	// NULL: the PMU's
static struct processor processor;
static struct memory *memory;
static unsigned referring_cpu;		// whose reference it is

static void count(struct counts *c, enum happening what, uint64_t address)
{
	c->of[what][0]++;
	c->of[what][1 + (address >> 6) % CHANNELS]++;
	c->some = true;
}

// What a snoop takes from a core is of its first thread.
static void raise(void *context, unsigned core, enum happening what, uint64_t address)
{
	struct referring *r = &cpus[referring_cpu];

	(void)context;
	if (package_counted[what])
		count(&package, what, address);
	if (r->core != core)
		for (r = cpus; r < &cpus[VPMU_CPUS] && (!r->v || r->core != core);)
			r++;
	if (r < &cpus[VPMU_CPUS] && r->counted[what])
		count(&r->happened, what, address);
}

static bool read_table(void *context, uint64_t address, uint64_t *entry)
{
	const uint64_t *at = memory_at(address, sizeof *entry);

	(void)context;
	if (at)
		*entry = *at;
	return at;
}

void references_describe(const char *name)
{
	processor_name = name;
}

void references_start(unsigned cpu, struct vpmu *v, const struct mailbox_start *start)
{
	static const struct processor_needs none;

	if (!v->model->raised || cpus[cpu].v)
		return;
	cpus[cpu] = (struct referring){.v = v, .core = start->core, .frame = start->frame};
	if (!vpmu_is_raised_by_memory(v->model))
		return;
	if (!memory && processor_load(&processor, processor_name ? processor_name : v->model->name, &none))
		memory = memory_make(&processor, VPMU_CPUS, raise, read_table, NULL);
	if (!memory)
		exit(1);
}

const struct processor *references_processor(void)
{
	return memory ? &processor : NULL;
}

//
// What counters select
//

// Marks what one of a group's counters counts. `select`: of requests and responses.
static bool mark_counter(const struct pmu_model *model, uint16_t code, uint8_t umask, uint64_t select,
			 bool counted[HAPPENING_COUNT])
{
	bool some = false;

	for (const struct model_raised *r = model->raised; r->happening != HAPPENING_COUNT; r++)
		if (r->happening >= HAPPENING_INSTRUCTIONS && vpmu_row_counts(model, r, code, umask, select))
			counted[r->happening] = some = true;
	return some;
}

// Counters of a thread of the model.
static unsigned counters_of_thread(const struct pmu_model *model)
{
	unsigned count = 0;

	for (size_t i = 0; i < model->group_count; i++)
		count += model->groups[i].count;
	return count;
}

// Marks what counters of all threads count, one of which may count what another one does, and returns which do, by
// bits. What a group that counts one event only counts is the clock's.
static uint32_t mark(const struct pmu_model *model, void *state, uint64_t select, bool counted[HAPPENING_COUNT])
{
	const unsigned of_thread = counters_of_thread(model);
	struct model_event event;
	uint32_t some = 0;

	memset(counted, 0, HAPPENING_COUNT * sizeof *counted);
	for (unsigned thread = 0; thread < model->threads; thread++)
		for (unsigned i = 0; i < model->groups[0].count; i++)
			if (vpmu_selects(model, state, thread, i, &event) &&
			    mark_counter(model, event.code, event.umask, select, counted))
				some |= 1u << (thread * of_thread + i);
	return some;
}

#define COUNTERS_MOST 32	// of a core, all threads'

// How many instructions may come until something overflows, if each raises MOST on these counters.
static uint64_t measure(const struct pmu_model *model, void *state, uint32_t counters)
{
	struct model_most most[COUNTERS_MOST];
	struct model_headroom headroom;

	if (!counters)
		return MODEL_FAR;
	for (unsigned i = 0; i < COUNTERS_MOST; i++)
		most[i] = (struct model_most){.instruction = counters >> i & 1 ? MOST : 1};
	model->headroom(state, most, &headroom);
	return headroom.instructions > SKID ? headroom.instructions : SKID;
}

uint64_t references_headroom(unsigned cpu)
{
	const struct vpmu *v = cpus[cpu].v;
	uint64_t shared, own;

	if (!some_count || !v)
		return MODEL_FAR;
	own = measure(v->model, v->state, cpus[cpu].counts);
	shared = v->package ? measure(v->package->model, v->package->state, package_counts) : MODEL_FAR;
	return own < shared ? own : shared;
}

void references_select(unsigned cpu, uint32_t address, uint64_t value)
{
	struct referring *r = &cpus[cpu];

	if (!r->v || !memory)
		return;
	if (value && r->v->model->raised_select && address == r->v->model->raised_select)
		r->select = value;
	some_count = false;
	for (r = cpus; r < &cpus[VPMU_CPUS]; r++) {
		const struct vpmu *v = r->v;

		if (!v)
			continue;
		r->counts = mark(v->model, v->state, r->select, r->counted);
		if (v->package)
			package_counts = mark(v->package->model, v->package->state, 0, package_counted);
		some_count |= r->counts | package_counts;
	}
}

bool references_happen(unsigned cpu, bool shared, uint16_t code, uint8_t umask)
{
	const struct vpmu *v = cpus[cpu].v;
	bool exact;

	if (!v || (shared && !v->package))
		return false;
	return vpmu_happens(shared ? v->package->model : v->model, code, umask, cpus[cpu].select, &exact);
}

//
// Reports
//

// The occurrences of what has happened, at this level of this thread. How many.
static size_t collect(const struct pmu_model *model, const struct counts *c, unsigned thread, unsigned level,
		      struct occurrence *occurrences)
{
	size_t count = 0;

	for (const struct model_raised *r = model->raised; r->happening != HAPPENING_COUNT; r++)
		if (c->of[r->happening][r->channel])
			occurrences[count++] = (struct occurrence){
				.code = r->code, .sub = r->sub, .n = c->of[r->happening][r->channel],
				.thread = (uint8_t)thread, .level = (uint8_t)level,
				.opcode = (uint64_t)r->response << 8 | r->request,
			};
	return count;
}

#define ROWS_MOST FEED_BESIDE_MOST	// of a model

// In the last of `cycles` that pass; if none does, in one without anything else.
static void report(struct referring *r, uint64_t cycles)
{
	struct occurrence occurrences[ROWS_MOST];
	struct vpmu *v = r->v;
	const size_t count = collect(v->model, &r->happened, v->thread, v->level, occurrences);

	if (cycles) {
		feed_pass(&feeds[r - cpus], cycles, occurrences, count);
	} else {
		v->model->connect(v->state, occurrences, count);
		v->model->run(v->state, 1);
		vpmu_resume(v);
	}
	r->happened = (struct counts){0};
}

static void report_package(struct vpmu *v)
{
	struct occurrence signals[ROWS_MOST];
	struct vpmu_package *p = v->package;
	const struct occurrence *clock;
	size_t count;

	vpmu_package_sync(p);
	clock = model_clock(p->model, 0, 0, &count);
	p->model->connect(p->state, signals, collect(p->model, &package, 0, 0, signals));
	p->model->run(p->state, 1);
	p->model->connect(p->state, clock, count);
	vpmu_package_sync(p);
	package = (struct counts){0};
}

void references_report(unsigned cpu, struct mailbox *box)
{
	const uint64_t own = (box->call == MAILBOX_WRITE || box->call == MAILBOX_EXECUTE) && box->cycles;
	const int64_t again = feeds[cpu].again;		// of these cycles no instruction has retired in so many
	const uint64_t passing = box->cycles - own > 1 + (again > 0 ? (uint64_t)again : 0) ? box->cycles - own : 0;

	for (struct referring *r = cpus; r < &cpus[VPMU_CPUS]; r++) {
		const bool passes = passing && r == &cpus[cpu] && r->v && !r->v->halted;

		if (r->v && memory)
			r->paged = guest_tables(r->frame, &r->cr3);
		if (!r->v || !r->happened.some)
			continue;
		report(r, passes ? passing : 0);
		if (passes)
			box->cycles = own;
	}
	if (package.some && cpus[cpu].v && cpus[cpu].v->package)
		report_package(cpus[cpu].v);
}

//
// What the emulator reports
//

static void refer(unsigned cpu, struct reference *r)
{
	struct referring *by = &cpus[cpu];
	struct reached reached;

	r->core = by->core;
	r->paged = by->paged;
	r->cr3 = by->cr3;
	if (memory->flies)
		r->now = observe_now(cpu);
	referring_cpu = cpu;
	reached = memory_refer(memory, r);
	if (!by->watches_loads || (r->access != ACCESS_LOAD && r->access != ACCESS_LOCK) || r->internal)
		return;
	by->load = (struct occurrence){
		.ip = r->ip, .address = r->linear, .data = 1, .latency = reached.latency,
		.served = by->v->model->sources ? by->v->model->sources[reached.source - HAPPENING_LOAD_L1D] : 0,
	};
}

static bool matters(unsigned cpu)
{
	return cpu < VPMU_CPUS && (some_count || cpus[cpu].watches_loads) && cpus[cpu].v && observe_is_inside(cpu);
}

void references_watch_loads(unsigned cpu, bool watch)
{
	cpus[cpu].watches_loads = watch;
	cpus[cpu].load = (struct occurrence){0};
}

const struct occurrence *references_last_load(unsigned cpu)
{
	return cpus[cpu].load.data ? &cpus[cpu].load : NULL;
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

static void accessed(unsigned cpu, qemu_plugin_meminfo_t access, uint64_t linear, const void *description,
		     enum access kind)
{
	const unsigned size = 1u << qemu_plugin_mem_size_shift(access), wide = wide_of(description);
	const struct qemu_plugin_hwaddr *address;
	struct reference r = {.access = kind, .ip = ip_of(description), .linear = linear, .size = wide ? wide : size};

	if (!matters(cpu) || (wide && is_rest(&cpus[cpu], linear, size, wide)))
		return;
	address = qemu_plugin_get_hwaddr(access, linear);
	if (!address)
		return;
	r.physical = qemu_plugin_hwaddr_phys_addr(address);
	r.device = qemu_plugin_hwaddr_is_io(address);
	r.internal = r.device && (r.physical & -(uint64_t)PAGE) == LOCAL_APIC;
	refer(cpu, &r);
}

static void plain_access(unsigned cpu, qemu_plugin_meminfo_t access, uint64_t linear, void *description)
{
	accessed(cpu, access, linear, description, qemu_plugin_mem_is_store(access) ? ACCESS_STORE : ACCESS_LOAD);
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
	if (matters(cpu))
		memory_fence(memory, cpus[cpu].core);
}

// The guest changes CR3, or invalidates a page. Which one, the emulator does not say: all are.
static void invalidates(unsigned cpu, void *context)
{
	(void)context;
	if (cpu >= VPMU_CPUS || !cpus[cpu].v || !observe_is_inside(cpu))
		return;
	tlbs_flush(&memory->tlbs[cpus[cpu].core]);
	cpus[cpu].page = cpus[cpu].line = 0;
	if (some_count)
		raise(NULL, cpus[cpu].core, HAPPENING_TLB_FETCH_FLUSH, 0);
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

// The page that the access is in has been translated. Others are translated by the tables. A
// prefetch never faults, and is of memory only.
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

	if (!some_count || !cpus[cpu].v || !translates(&cpus[cpu], linear, &r.physical))
		return;
	r.device = !memory_at(r.physical, 1);
	refer(cpu, &r);
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

// A fetch is of a line, and of another one than the last.
void references_fetch(unsigned cpu, void *context)
{
	const struct block *block = context;
	struct referring *r = &cpus[cpu];

	if (!matters(cpu))
		return;
	for (uint64_t line = block->address & -(uint64_t)LINE; line < block->behind; line += LINE) {
		struct reference fetch = {.access = ACCESS_FETCH, .linear = line, .size = 1};

		if (r->line == line + 1)
			continue;
		r->line = line + 1;
		if (find_code(r, line, &fetch.physical))
			refer(cpu, &fetch);
	}
}
