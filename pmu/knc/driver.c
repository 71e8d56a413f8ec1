// SPDX-License-Identifier: BSD-2-Clause
// SKELETON, to be replaced whole.

#include "event.h"
#include "hal.h"
#include "pmu.h"
#include "regs.h"
#include "session.h"

extern const struct pmu_driver pmu_driver_knc;
static bool yes(void) { return true; }
static bool probe(void) { uint32_t leaf[4]; hal_identify(1, 0, leaf); return (leaf[0] >> 8 & 0xF) == 0xB; }
static uint64_t choices(const struct event_request *r) { return r->event->counters; }
static uint64_t encode(const struct event_request *r, unsigned c) { (void)c; return r->event->code; }
static uint32_t address(unsigned c) { return MSR_IA32_PERFCNTR + c; }
static bool program(const struct pmu_counter *c, unsigned n) { (void)c, (void)n; return true; }
static bool enable(uint64_t c) { return reg_write(MSR_IA32_PERF_GLOBAL_CTRL, c); }
static bool freeze(uint64_t *s) { *s = 0; return true; }
static bool rd(uint32_t a, uint64_t *v) { *v = 0; return reg_read(a, v); }
static bool wr(uint32_t a, uint64_t v) { return reg_write(a, v); }
static bool status(uint64_t *v) { *v = 0; return true; }
static bool clear(uint64_t v) { return reg_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, v); }
static void interrupt(uint64_t ip, unsigned l) { pmu_overflow(&pmu_driver_knc, ip, l); }
static enum pmu_error start(struct pmu_session *s) { return pmu_session_start(&pmu_driver_knc, s); }
static enum pmu_error stop(struct pmu_session *s) { return pmu_session_stop(&pmu_driver_knc, s); }
static const struct pmu_monitor_information information = {.summary = PMU_SUMMARY(2, 40, KNC_EVENT_CYCLES, KNC_EVENT_RETIRED)};
extern const struct pmu_event_table pmu_events_knc;
extern const struct pmu_metric_table pmu_metrics_knc;
const struct pmu_driver pmu_driver_knc = {
	.name = "knc", .title = "Intel Xeon Phi (Knights Corner)", .events = &pmu_events_knc, .metrics = &pmu_metrics_knc,
	.information = &information, .session = "INSTRUCTIONS_EXECUTED,CPU_CLK_UNHALTED", .retired = "INSTRUCTIONS_EXECUTED",
	.counters = 3, .width = KNC_COUNTER_WIDTH, .arm_least = PMU_ARM_LEAST, .arm_most = 1ULL << 39, .features = PMU_FEATURE_GLOBAL,
	.probe = probe, .reset = yes, .choices = choices, .encode = encode, .address = address, .control = address, .program = program,
	.release = program, .enable = enable, .freeze = freeze, .thaw = enable, .read = rd, .write = wr, .overflow_status = status,
	.overflow_clear = clear, .overflow_interrupt = interrupt, .start = start, .stop = stop,
};
