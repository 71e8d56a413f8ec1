// SPDX-License-Identifier: BSD-2-Clause
// Precise records (PEBS) in the guest's memory, without paging and through page tables, and at
// addresses without guest memory. SDM volume 3B, "Performance Monitoring (Processors Based on
// Nehalem Microarchitecture)", "Processor Event Based Sampling"; "DS Save Area and 64-Bit Mode
// Operation". After an overflow the emulated counter records the next event that follows a shadow
// of 8 (the guide's "short propagation delay"; pmu/nehalem/DECISIONS.md chooses the number).

#include "pmu.h"

#define IA32_PERF_CAPABILITIES	0x345
#define IA32_PEBS_ENABLE	0x3F1
#define IA32_DS_AREA		0x600
#define OVF_BUFFER		(1ULL << 62)
#define VECTOR_PMI		0x51
#define LVT_MASKED		0x10000u
#define BEHIND_SHADOW		9

// The DS management area and a record: 64-bit words in all modes, because CPUID reports DTES64.
struct area {
	uint64_t bts[4], base, index, maximum, threshold, reset[4];
};

struct record {
	uint64_t flags, ip, ax, bx, cx, dx, si, di, bp, sp, r8_15[8], status, address, source,
		latency;
};

#define RECORDS	8

void guest_interrupt(struct frame *frame);
void guest_main(void);

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

// Three pages. The window below maps the last two in reverse order.
static uint8_t pages[3][4096] __attribute__((aligned(4096)));
#define LAST_MEMORY	0x20000000u	/* end of memory: 512 MiB */

static void prepare(struct area *area, uint64_t area_address, uint64_t base, unsigned threshold)
{
	reset_pmu();
	*apic(APIC_LVTPC) = VECTOR_PMI;
	*area = (struct area){
		.base = base, .index = base, .maximum = base + RECORDS * sizeof(struct record),
		.threshold = base + threshold * sizeof(struct record), .reset = {-31ULL},
	};
	wrmsr(IA32_DS_AREA, area_address);
	wrmsr(IA32_PERFEVTSEL0, INSTRUCTIONS | SELECT_OS | SELECT_EN);
	wrmsr(IA32_PEBS_ENABLE, 1);
	wrmsr(IA32_PMC0, -50);
}

// 201 instructions and BEHIND. Each INC has one byte and adds one to ESI.
#define SLED "xor %%esi, %%esi\n pebs_sled:\n .rept 200\n inc %%esi\n .endr\n"
extern char pebs_sled[];

__attribute__((noinline)) static void execute(void)
{
	MEASURE(1ULL, SLED);
	wrmsr(IA32_PEBS_ENABLE, 0);
}

// The counted instruction at which each record is written: BEHIND_SHADOW instructions after the
// overflow.
static uint64_t recorded_with(unsigned record)
{
	return 50 + BEHIND_SHADOW + record * (31 + BEHIND_SHADOW);
}

#define WRITTEN	4	/* at instructions 59, 99, 139 and 179 of 205 */

static bool is_waiting(uint32_t vector)
{
	return *apic(APIC_IRR + vector / 32 * 0x10) >> vector % 32 & 1;
}

static void take_pmi(void)
{
	*apic(APIC_LVTPC) = LVT_MASKED;
	if (is_waiting(VECTOR_PMI))
		__asm__ volatile("sti\n nop\n cli");
}

static void check_record(const struct record *r, unsigned n)
{
	is("ESI: instructions before it that have retired", r->si, recorded_with(n) - 1);
	is("the IP is after the instruction", r->ip, (uint32_t)pebs_sled + r->si);
	is("status: whose it is", r->status, 1);
	is("IF is off in the flags, bit 1 on", r->flags & 0x202, 2);
	is("ECX and EDX as WRMSR has left them", r->cx | r->dx << 32, 0x38F);
}

extern char pmi_stub[];
static volatile uint32_t pmis;
__asm__(".text\npmi_stub:\n incl pmis\n movl $0, 0xFEE000B0\n iret\n");

static void check_records(struct area *area, uint64_t area_address, struct record *records,
			  uint64_t base)
{
	prepare(area, area_address, base, RECORDS);
	for (unsigned i = 0; i < RECORDS; i++)
		records[i].ip = 0x5555;
	execute();
	is("records", area->index, base + WRITTEN * sizeof(struct record));
	check_record(&records[0], 0);
	check_record(&records[WRITTEN - 1], WRITTEN - 1);
	is("nothing after them", records[WRITTEN].ip, 0x5555);
	is("the counter was set back and counts on", rdmsr(IA32_PMC0),
	   MASK_48 + 1 - 31 + (201 + BEHIND - recorded_with(WRITTEN - 1)));
	is("no overflow is left", rdmsr(IA32_PERF_GLOBAL_STATUS), 0);
	is("no interrupt", is_waiting(VECTOR_PMI), false);

	prepare(area, area_address, base, 2);
	execute();
	is("the threshold's interrupt", is_waiting(VECTOR_PMI), true);
	is("and its status", rdmsr(IA32_PERF_GLOBAL_STATUS), OVF_BUFFER);
	is("the local APIC's entry is masked", *apic(APIC_LVTPC), VECTOR_PMI | LVT_MASKED);
	take_pmi();
}

// Neither the record nor the index is written; the buffer's status and interrupt report that.
static void check_refused(const char *where, struct area *area, uint64_t base)
{
	prepare(area, (uint32_t)area, base, RECORDS);
	execute();
	print("# ");
	print(where);
	print("\n");
	is("no record", area->index, base);
	is("status", rdmsr(IA32_PERF_GLOBAL_STATUS) & OVF_BUFFER, OVF_BUFFER);
	is("interrupt", is_waiting(VECTOR_PMI), true);
	take_pmi();
}

#define APIC_ERROR_ENTRY 0x370	/* LVT3: a register that a record would change */

static void check_outside(void)
{
	struct area *area = (struct area *)pages[0];
	volatile uint64_t *end = (volatile uint64_t *)LAST_MEMORY;
	const uint32_t entry = *apic(APIC_ERROR_ENTRY);

	check_refused("after the memory", area, LAST_MEMORY + 0x10000);
	check_refused("in the local APIC", area, 0xFEE00000 + APIC_ERROR_ENTRY);
	is("which is as it was", *apic(APIC_ERROR_ENTRY), entry);
	check_refused("in the HPET", area, 0xFED00000);
	end[-1] = end[-11] = 0x5555;
	check_refused("half in memory", area, LAST_MEMORY - sizeof(struct record) / 2);
	is("of which none is written", end[-1] + end[-11], 2 * 0x5555);
}

// A window at 1 GiB with pages of 4 KiB. All other memory is identity-mapped.
#define WINDOW	0x40000000u
static uint32_t directory[1024] __attribute__((aligned(4096))),
	table[1024] __attribute__((aligned(4096)));

static void enter_paging(void)
{
	for (uint32_t i = 0; i < 1024; i++)
		directory[i] = i << 22 | 0x83;
	directory[WINDOW >> 22] = (uint32_t)table | 3;
	table[0] = (uint32_t)pages[0] | 3;
	table[1] = (uint32_t)pages[2] | 3;
	table[2] = (uint32_t)pages[1] | 3;
	table[4] = (uint32_t)pages[1] | 1;		// read-only
	table[5] = LAST_MEMORY | 3;
	__asm__ volatile("mov %0, %%cr4; mov %1, %%cr3; mov %%cr0, %%eax; or $0x80010000, %%eax; "
			 "mov %%eax, %%cr0"
			 : : "r"(0x10), "r"(directory) : "eax", "memory");
}

static struct area *window_area(void)
{
	return (struct area *)WINDOW;
}

static void check_window(void)
{
	// the second record crosses pages
	const uint32_t base = WINDOW + 0x2000 - 3 * sizeof(struct record) / 2;
	volatile uint64_t *page_1 = (volatile uint64_t *)pages[1],
		*page_2 = (volatile uint64_t *)pages[2];

	check_records(window_area(), WINDOW, (struct record *)base, base);
	is("a record in two pages: the IP at the end of the one", page_2[512 - 11 + 1],
	   (uint32_t)pebs_sled + recorded_with(1) - 1);
	is("the status in the other", page_1[18 - 11], 1);
	for (unsigned i = 0; i < 512; i++)
		page_2[i] = 0x5555;
	check_refused("a page that is not present", window_area(), WINDOW + 0x3000);
	check_refused("a record that ends in it", window_area(),
		      WINDOW + 0x3000 - sizeof(struct record) / 2);
	check_refused("a page that is read-only", window_area(), WINDOW + 0x4000);
	check_refused("a page that maps no memory", window_area(), WINDOW + 0x5000);
	check_refused("one that maps the local APIC", window_area(), 0xFEE00000);
	is("the first page is untouched", page_2[0] + page_2[511], 2 * 0x5555);
}

// The area itself is not in memory, so the PMU cannot find a buffer.
static void check_no_area(void)
{
	struct area *area = window_area();

	prepare(area, WINDOW + 0x3000, WINDOW + 0x1000, RECORDS);
	execute();
	is("no area: no record", area->index, WINDOW + 0x1000);
	is("status", rdmsr(IA32_PERF_GLOBAL_STATUS) & OVF_BUFFER, OVF_BUFFER);
	take_pmi();
}

void guest_main(void)
{
	uint32_t r[4];

	start_interrupts();
	idt[VECTOR_PMI] = ((uint32_t)pmi_stub & 0xFFFF) | 0x08u << 16 |
			  (uint64_t)(0x8E00 | ((uint32_t)pmi_stub & 0xFFFF0000u)) << 32;
	*apic(APIC_SPURIOUS) = 0x1FF;
	cpuid(1, 0, r);
	is("CPUID: debug store, of 64-bit words", (r[3] >> 21 & 1) + (r[2] >> 2 & 1), 2);
	is("capabilities: after the instruction, all registers, format 1",
	   rdmsr(IA32_PERF_CAPABILITIES) & 0xFC0, 0x1C0);
	check_records((struct area *)pages[0], (uint32_t)pages[0], (struct record *)pages[1],
		      (uint32_t)pages[1]);
	check_outside();
	enter_paging();
	check_window();
	check_no_area();
	is("all interrupts were taken: of 2 thresholds and 10 that were refused", pmis, 12);
	finish();
}
