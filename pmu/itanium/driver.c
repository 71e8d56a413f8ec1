// SPDX-License-Identifier: BSD-2-Clause
// SKELETON, to be replaced whole.
#include "event.h"
#include "hal.h"
#include "pmu.h"
#include "regs.h"
#include "session.h"

extern const struct pmu_driver pmu_driver_itanium;
static bool yes(void) { return true; }
static uint64_t choices(const struct event_request *r) { return r->event->counters; }
static uint64_t encode(const struct event_request *r, unsigned c) { (void)c; return (uint64_t)r->event->code << 8; }
static uint32_t address(unsigned c) { return ITANIUM_PMD(c); }
static uint32_t control(unsigned c) { return ITANIUM_PMC(c); }
static bool program(const struct pmu_counter *c, unsigned n) { (void)c, (void)n; return true; }
static bool enable(uint64_t c) { (void)c; return true; }
static bool freeze(uint64_t *s) { *s = 0; return true; }
static bool rd(uint32_t a, uint64_t *v) { *v = 0; return reg_read(a, v); }
static bool wr(uint32_t a, uint64_t v) { return reg_write(a, v); }
static void interrupt(uint64_t ip, unsigned l) { pmu_overflow(&pmu_driver_itanium, ip, l); }
static enum pmu_error start(struct pmu_session *s) { return pmu_session_start(&pmu_driver_itanium, s); }
static enum pmu_error stop(struct pmu_session *s) { return pmu_session_stop(&pmu_driver_itanium, s); }
static const struct pmu_monitor_information information = {4, 32, 0x12, 0x08, 0x3FFF, 0x3FFFF, 0xF0, 0x10};
extern const struct pmu_event_table pmu_events_itanium;
const struct pmu_driver pmu_driver_itanium = {.name = "itanium", .title = "Intel Itanium", .events = &pmu_events_itanium, .information = &information,
	.session = "CPU_CYCLES", .retired = "IA64_INST_RETIRED", .counters = ITANIUM_COUNTER_MASK, .width = 32, .arm_most = 1ULL << 31,
	.features = PMU_FEATURE_FREEZE | PMU_FEATURE_QUALIFY, .probe = yes, .reset = yes, .choices = choices, .encode = encode, .address = address, .control = control,
	.program = program, .release = program, .enable = enable, .freeze = freeze, .thaw = enable, .read = rd, .write = wr,
	.overflow_status = freeze, .overflow_clear = enable, .overflow_interrupt = interrupt, .start = start, .stop = stop};
