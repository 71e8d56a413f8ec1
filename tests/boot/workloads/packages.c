// SPDX-License-Identifier: BSD-2-Clause
// Two packages, of CPUs 0 and 1, 2 and 3: a CPU reads or writes lines that others have read or
// written. The workload checks the events that the processors and both packages count for each
// line. All memory used here belongs to the first package. Run with events=CPU_CLK_UNHALTED.REF:
// the workload programs a general counter of each CPU and of each package.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cpus.h"
#include "event.h"
#include "hal.h"
#include "pmu_driver.h"

int workload(void);

#define CPUS		4
#define PATIENCE	100000000	/* clocks */
#define LINE		64
#define LINES		256		/* per step: half of the L1 data cache */
#define FEW		24		/* at most this number of lines for calls to other CPUs */

// SDM volume 3B
#define PERFEVTSEL3	0x189
#define PMC3		0x0C4
#define GLOBAL_CTRL	0x38F
#define SELECT		0x430000	/* enabled, at all levels */
#define UNCORE_PERFEVTSEL0 0x3C0
#define UNCORE_PMC0	0x3B0
#define UNCORE_GLOBAL_CTRL 0x391
#define UNCORE_SELECT	0x400000

// Steps: a CPU, and its access to each line: L load, S store, F fetch, N non-temporal store. The
// last step is counted: `n` events per line, by CPU `by` or, with PACKAGE added, by its package.
// The last word of an offcore response's name is the response; the other words are request types,
// bits 7 to 0 of its register (the performance analysis guide, table 9).
#define PACKAGE 4
static const struct measurement {
	const char *steps;
	unsigned by;
	const char *event;
	unsigned n;
} measurements[] = {
	// No cache holds the line.
	{"0L", 0, "OFFCORE_RESPONSE_0.DEMAND_DATA_RD.LOCAL_DRAM", 1},
	{"0L", 0, "MEM_UNCORE_RETIRED.LOCAL_DRAM", 1},
	{"0L", PACKAGE, "UNC_QHL_REQUESTS.LOCAL_READS", 1},
	{"0L", PACKAGE, "UNC_GQ_TRACKER_OCCUP.RT", 0},		// requests take no time
	{"0L", PACKAGE, "UNC_GQ_CYCLES_BUSY.READ_TRACKER", 0},
	{"0N", PACKAGE, "UNC_QHL_CYCLES_NOT_EMPTY.LOCAL", 0},
	{"0N", PACKAGE, "UNC_IMC_BUSY.WRITE.CH0", 0},
	{"0L", PACKAGE + 2, "UNC_SNP_RESP_TO_REMOTE_HOME.I_STATE", 1},
	{"0L", PACKAGE + 2, "UNC_LLC_MISS.PROBE", 1},
	{"2L", 2, "OFFCORE_RESPONSE_0.DEMAND_DATA_RD.REMOTE_DRAM", 1},
	{"2L", 2, "OFFCORE_RESPONSE_0.ANY_REQUEST.ANY_LLC_MISS", 1},
	{"2L", 2, "MEM_UNCORE_RETIRED.REMOTE_DRAM", 1},
	{"2L", 2, "MEM_LOAD_RETIRED.LLC_MISS", 1},
	{"2L", PACKAGE, "UNC_QHL_REQUESTS.REMOTE_READS", 1},
	{"2L", PACKAGE, "UNC_QHL_REQUESTS.LOCAL_READS", 0},
	{"2L", PACKAGE, "UNC_IMC_NORMAL_READS.ANY", 1},
	{"2L", PACKAGE + 2, "UNC_IMC_NORMAL_READS.ANY", 0},
	{"2L", PACKAGE, "UNC_SNP_RESP_TO_LOCAL_HOME.I_STATE", 1},
	{"2L", PACKAGE, "UNC_GQ_ALLOC.PPT", 1},
	{"2L", PACKAGE + 2, "UNC_LLC_LINES_IN.E_STATE", 1},
	{"2S", 2, "OFFCORE_RESPONSE_0.DEMAND_RFO.REMOTE_DRAM", 1},
	{"2F", 2, "OFFCORE_RESPONSE_0.DEMAND_IFETCH.REMOTE_DRAM", 1},

	// One core of the other package holds it unmodified, and is snooped. If two hold it,
	// neither is snooped.
	{"2L 0L", 0, "OFFCORE_RESPONSE_0.DEMAND_DATA_RD.REMOTE_CACHE_HITM", 1},
	{"2L 0L", 0, "MEM_UNCORE_RETIRED.REMOTE_CACHE_LOCAL_HOME_HIT", 1},
	{"2L 0L", PACKAGE, "UNC_IMC_NORMAL_READS.ANY", 0},
	{"2L 0L", PACKAGE, "UNC_LLC_LINES_IN.F_STATE", 1},
	{"2L 0L", PACKAGE, "UNC_ADDR_OPCODE_MATCH.REMOTE.RSPFWDS", 1},
	{"2L 0L", PACKAGE + 2, "UNC_SNP_RESP_TO_REMOTE_HOME.FWD_S_STATE", 1},
	{"2L 0L", PACKAGE + 2, "UNC_GQ_SNOOP.GOTO_S_HIT_E", 1},
	{"2L 0L", PACKAGE + 2, "UNC_LLC_HITS.PROBE", 1},
	{"2L 3L 0L", 0, "OFFCORE_RESPONSE_0.DEMAND_DATA_RD.REMOTE_CACHE_HIT", 1},
	{"2L 3L 0F", 0, "OFFCORE_RESPONSE_0.DEMAND_IFETCH.REMOTE_CACHE_HIT", 1},
	{"0L 2L", 2, "OFFCORE_RESPONSE_0.DEMAND_DATA_RD.REMOTE_CACHE", 1},
	{"0L 2L", 2, "MEM_UNCORE_RETIRED.REMOTE_DRAM", 1},	// the home is remote (table 5)
	{"0L 2L", PACKAGE, "UNC_SNP_RESP_TO_LOCAL_HOME.FWD_S_STATE", 1},
	{"0L 2L", PACKAGE, "UNC_ADDR_OPCODE_MATCH.LOCAL.RSPFWDS", 1},
	{"0L 2L 3L", 3, "OFFCORE_RESPONSE_0.DEMAND_DATA_RD.LLC_HIT_NO_OTHER_CORE", 1},

	// The line is modified there. A read writes it back to its memory first, a write does not.
	{"0S 2L", 2, "OFFCORE_RESPONSE_0.DEMAND_DATA_RD.REMOTE_DRAM", 1},
	{"0S 2L", PACKAGE, "UNC_SNP_RESP_TO_LOCAL_HOME.WB", 1},
	{"0S 2L", PACKAGE, "UNC_GQ_SNOOP.GOTO_I_HIT_M", 1},
	{"0S 2L", PACKAGE, "UNC_QHL_REQUESTS.LOCAL_WRITES", 1},
	{"0S 2L", PACKAGE, "UNC_IMC_WRITES.FULL.ANY", 1},
	{"0S 2L", PACKAGE, "UNC_ADDR_OPCODE_MATCH.LOCAL.RSPIWB", 1},
	{"2S 0L", 0, "MEM_UNCORE_RETIRED.LOCAL_DRAM", 1},
	{"2S 0L", PACKAGE + 2, "UNC_SNP_RESP_TO_REMOTE_HOME.WB", 1},
	{"2S 0L", PACKAGE, "UNC_QHL_REQUESTS.REMOTE_WRITES", 1},
	{"2S 0L", PACKAGE, "UNC_ADDR_OPCODE_MATCH.REMOTE.RSPIWB", 1},
	{"0S 2S", 2, "OFFCORE_RESPONSE_0.DEMAND_RFO.REMOTE_CACHE_HITM", 1},
	{"0S 2S", PACKAGE, "UNC_SNP_RESP_TO_LOCAL_HOME.FWD_I_STATE", 1},
	{"0S 2S", PACKAGE, "UNC_IMC_WRITES.FULL.ANY", 0},
	{"0S 2S", PACKAGE + 2, "UNC_LLC_LINES_IN.M_STATE", 1},
	{"2S 0S", PACKAGE + 2, "UNC_SNP_RESP_TO_REMOTE_HOME.FWD_I_STATE", 1},
	{"2S 0S", PACKAGE, "UNC_ADDR_OPCODE_MATCH.REMOTE.RSPFWDI", 1},

	// Both packages hold the line, and one writes.
	{"0L 2L 0S", PACKAGE + 2, "UNC_GQ_SNOOP.GOTO_I_HIT_F", 1},
	{"0L 2L 0S", PACKAGE + 2, "UNC_SNP_RESP_TO_REMOTE_HOME.S_STATE", 1},
	{"0L 2L 0S", PACKAGE, "UNC_IMC_NORMAL_READS.ANY", 0},
	{"0L 2L 2S", PACKAGE, "UNC_GQ_SNOOP.GOTO_I_HIT_S", 1},
	{"0L 2L 2S", PACKAGE, "UNC_QHL_REQUESTS.REMOTE_READS", 1},

	// The same within a package: no probes, and no answers of other packages.
	{"0S 1L", 1, "OFFCORE_RESPONSE_0.DEMAND_DATA_RD.LLC_OTHER_CORE_HITM", 1},
	{"0S 1L", PACKAGE + 2, "UNC_GQ_ALLOC.PPT", 0},
	{"2S 3S", 3, "OFFCORE_RESPONSE_0.DEMAND_RFO.LLC_OTHER_CORE_HITM", 1},
	{"2S 3S", PACKAGE, "UNC_QHL_REQUESTS.REMOTE_READS", 0},

	// A core's answers to the snoops of others, by its state of the line.
	{"1L 0L", 1, "SNOOP_RESPONSE.HITE", 1},
	{"1S 0L", 1, "SNOOP_RESPONSE.HITM", 1},
	{"0L 1L 0S", 1, "SNOOP_RESPONSE.HIT", 1},
	{"2S 0S", 2, "SNOOP_RESPONSE.HITM", 1},
	{"2S 0L", 2, "SNOOP_RESPONSE.HITM", 1},
	{"2S 0L", 2, "SNOOP_RESPONSE.HIT", 0},
	{"2L 0L", 2, "SNOOP_RESPONSE.HITE", 1},
	{"2L 3L 0S", 2, "SNOOP_RESPONSE.HIT", 1},
	{"2L 3L 0L", 2, "SNOOP_RESPONSE.HIT", 0},		// no core is snooped
	{"1L 0L", 0, "SNOOP_RESPONSE.HITE", 0},

	// Non-temporal stores of whole lines, in stores of 8 bytes.
	{"2N", 2, "OFFCORE_RESPONSE_0.OTHER.REMOTE_DRAM", 1},
	{"2N", PACKAGE, "UNC_QHL_REQUESTS.REMOTE_WRITES", 1},
	{"2N", PACKAGE, "UNC_IMC_WRITES.FULL.ANY", 1},
	{"0N", 0, "OFFCORE_RESPONSE_0.OTHER.LLC_OTHER_CORE_HIT", 1},
	{"0N", PACKAGE, "UNC_QHL_REQUESTS.REMOTE_WRITES", 0},
};
#define MEASUREMENTS (sizeof measurements / sizeof *measurements)

static uint8_t lines[MEASUREMENTS][LINES][LINE] __attribute__((aligned(4096)));

// Lines to fetch: each contains returns. FETCHES measurements fetch.
#define FETCHES 8
__asm__(".text\n .balign 4096\nfetched: .fill 8 * 256 * 64, 1, 0xC3\n .previous");
extern uint8_t fetched[FETCHES][LINES][LINE];

static const struct pmu_event *event;
static bool of_package, faulted;
static uint64_t counted;

//
// Steps
//

static void load(uint8_t *line)
{
	__asm__ volatile("movb (%0), %%al" : : "r"(line) : "rax");
}

static void store(uint8_t *line)
{
	__asm__ volatile("movb $1, (%0)" : : "r"(line) : "memory");
}

static void fetch(uint8_t *line)
{
	__asm__ volatile("call *%0" : : "r"(line) : "memory");
}

static void stream(uint8_t *line)
{
	for (unsigned i = 0; i < LINE; i += 8)
		__asm__ volatile("movnti %0, (%1)" : : "r"(0ULL), "r"(line + i) : "memory");
}

static uint64_t read_register(uint32_t address)
{
	uint64_t value = 0;

	faulted |= !reg_read(address, &value);
	return value;
}

static uint64_t count_now(void *unused)
{
	(void)unused;
	return read_register(of_package ? UNCORE_PMC0 : PMC3);
}

static struct step {
	void (*refer)(uint8_t *line);
	uint8_t (*at)[LINE];
	bool counts;	// this step reads its own CPU's counter
} step;

static void perform(void *unused)
{
	const uint64_t before = step.counts ? count_now(NULL) : 0;

	(void)unused;
	for (unsigned i = 0; i < LINES; i++)
		step.refer(step.at[i]);
	__asm__ volatile("sfence" : : : "memory");
	if (step.counts)
		counted = count_now(NULL) - before;
}

//
// Counters
//

static void start(void *unused)
{
	const uint64_t select = (uint64_t)event->umask << 8 | event->code;
	const uint32_t control = of_package ? UNCORE_GLOBAL_CTRL : GLOBAL_CTRL;

	(void)unused;
	if (event->setting_address)
		faulted |= !reg_write(event->setting_address, event->setting_value);
	faulted |= !reg_write(of_package ? UNCORE_PMC0 : PMC3, 0);
	faulted |= !reg_write(of_package ? UNCORE_PERFEVTSEL0 : PERFEVTSEL3,
			      select | (of_package ? UNCORE_SELECT : SELECT));
	faulted |= !reg_write(control, read_register(control) | (of_package ? 1 : 1 << 3));
}

static void stop(void *unused)
{
	(void)unused;
	faulted |= !reg_write(of_package ? UNCORE_PERFEVTSEL0 : PERFEVTSEL3, 0);
}

static void count_before(void *unused)
{
	(void)unused;
	counted = count_now(NULL);
}

static void count_behind(void *unused)
{
	(void)unused;
	counted = count_now(NULL) - counted;
}

static void on(unsigned cpu, void (*function)(void *))
{
	if (!cpu) {
		function(NULL);
		return;
	}
	hal_cpu_call(cpu, function, NULL);
	if (!hal_cpus_wait(1u << cpu, PATIENCE))
		faulted = true;
}

static const struct pmu_event *find(const char *name)
{
	const struct pmu_event *found = NULL;

	for (const struct pmu_driver *const *d = pmu_drivers; *d && !found; d++)
		found = event_find((*d)->events, name, strlen(name));
	return found;
}

static uint64_t measure(const struct measurement *m)
{
	const unsigned by = m->by % PACKAGE;

	of_package = m->by >= PACKAGE;
	on(by, start);
	for (const char *at = m->steps; *at; at += 2 + (at[2] == ' ')) {
		const bool last = !at[2], elsewhere = of_package || (unsigned)(*at - '0') != by;

		step.refer = at[1] == 'L' ? load : at[1] == 'S' ? store : at[1] == 'F' ? fetch :
			stream;
		step.counts = last && !elsewhere;
		if (last && elsewhere)
			on(by, count_before);
		on((unsigned)(*at - '0'), perform);
		if (last && elsewhere)
			on(by, count_behind);
	}
	on(by, stop);
	return counted;
}

//
// False sharing: CPU 0 and another one write their own bytes, of the same line or not. They
// alternate in time slices of about ten thousand instructions; the first write in each slice finds
// the line modified by the other CPU.
//

#define WRITES	200000
#define TURNS	4	/* at least this number of slices */

static const struct sharing {
	unsigned other, distance;
	const char *event;
	bool happens;
} sharings[] = {
	{1, 1, "OFFCORE_RESPONSE_0.DEMAND_RFO.LLC_OTHER_CORE_HITM", true},
	{1, LINE, "OFFCORE_RESPONSE_0.DEMAND_RFO.LLC_OTHER_CORE_HITM", false},
	{2, 1, "OFFCORE_RESPONSE_0.DEMAND_RFO.REMOTE_CACHE_HITM", true},
	{2, LINE, "OFFCORE_RESPONSE_0.DEMAND_RFO.REMOTE_CACHE_HITM", false},
};

static uint8_t shared_lines[2 * LINE] __attribute__((aligned(LINE)));

static void write_often(void *byte)
{
	for (unsigned i = 0; i < WRITES; i++)
		store(byte);
}

// CPU 0's count from its second write on.
static uint64_t share(const struct sharing *s)
{
	of_package = false;
	start(NULL);
	store(shared_lines);
	hal_cpu_call(s->other, write_often, shared_lines + s->distance);
	count_before(NULL);
	write_often(shared_lines);
	count_behind(NULL);
	faulted |= !hal_cpus_wait(1u << s->other, PATIENCE);
	stop(NULL);
	return counted;
}

static unsigned share_all(void)
{
	unsigned wrong = 0;

	for (const struct sharing *s = sharings; s < sharings + sizeof sharings / sizeof *sharings;
	     s++) {
		uint64_t n;

		event = find(s->event);
		n = share(s);
		printf("%s, CPU %u, %u bytes away: %" PRIu64 "\n", s->event, s->other, s->distance,
		       n);
		wrong += s->happens ? n < TURNS : n != 0;
	}
	return wrong;
}

int workload(void)
{
	unsigned wrong = 0, fetches = 0;

	if (hal_packages_start() != CPUS) {
		printf("WRONG: CPUs: not %u\n", CPUS);
		return 1;
	}
	for (const struct measurement *m = measurements; m < measurements + MEASUREMENTS; m++) {
		uint64_t n;

		event = find(m->event);
		if (!event) {
			printf("WRONG: there is no event %s\n", m->event);
			return 1;
		}
		step.at = strchr(m->steps, 'F') ? fetched[fetches++] : lines[m - measurements];
		n = measure(m);
		if (n < m->n * LINES || n > m->n * LINES + FEW) {
			printf("WRONG: %s: %s of %u: %" PRIu64 ", not %u\n", m->steps, m->event,
			       m->by, n, m->n * LINES);
			wrong++;
		}
	}
	wrong += share_all();
	printf("packages: %u measured, %u wrong\n", (unsigned)MEASUREMENTS, wrong + faulted);
	return wrong || faulted;
}
