// SPDX-License-Identifier: BSD-2-Clause
// SKELETON, to be replaced whole.

#include "model.h"
#include "regs.h"

struct skeleton { struct model_outputs outputs; };
static const struct register_description descriptions[1];
static const char *const faults[] = {(void *)0};
static void reset(void *s, int fault, uint64_t seed) { (void)fault, (void)seed; *(struct skeleton *)s = (struct skeleton){{.quiet = MODEL_FAR}}; }
static bool rd(void *s, unsigned t, uint32_t a, uint64_t *v) { (void)s, (void)t, (void)a; *v = 0; return true; }
static bool wr(void *s, unsigned t, uint32_t a, uint64_t v, uint64_t c) { (void)s, (void)t, (void)a, (void)v, (void)c; return true; }
static bool rdc(void *s, unsigned t, uint32_t a, uint64_t *v) { return rd(s, t, a, v); }
static void identify(uint32_t l, uint32_t u, uint32_t r[4]) { (void)l, (void)u, (void)r; }
static void wires(void *s, const struct occurrence *o, size_t n) { (void)s, (void)o, (void)n; }
static void run(void *s, uint64_t c) { (void)s, (void)c; }
static const struct occurrence *clock(unsigned t, unsigned l, size_t *n) { (void)t, (void)l; *n = 0; return (void *)0; }
const struct pmu_model pmu_model_knc = {.name = "knc", .size = sizeof(struct skeleton), .threads = KNC_THREADS, .registers = descriptions,
	.register_count = 0, .faults = faults, .reset = reset, .read = rd, .write = wr, .read_counter = rdc, .identify = identify, .wires = wires, .run = run, .clock = clock};
