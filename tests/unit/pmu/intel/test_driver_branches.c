// SPDX-License-Identifier: BSD-2-Clause
// Branch records in the driver, on each processor that has them: samples, contexts, refusals.
// Branch i goes from 0xFFFF800000001000 + i to 0x2000 + i. SDM 3B, "Last Branch, Interrupt, and
// Exception Recording".

#include "unit.h"

#include <string.h>

#include "begin.h"

#define DEBUGCTL		0x1D9
#define GLOBAL_STATUS		0x38E
#define LBR_SELECT		0x1C8
#define LBR_CTL			0x14CE
#define LBR			1ULL		// of IA32_DEBUGCTL
#define FREEZE_LBRS		(1ULL << 11)
#define FREEZE_PERFMON		(1ULL << 12)
#define LBR_FRZ			(1ULL << 58)	// of IA32_PERF_GLOBAL_STATUS
#define SOURCE			0xFFFF800000001000ULL
#define PERIOD			100U

static const struct processor {
	const char *name;
	unsigned depth;
	bool cycles;			// the format has them
	uint64_t enable;		// of IA32_DEBUGCTL
} processors[] = {
	{"intel", 32, true, LBR}, {"intel-skylake", 32, true, LBR},
	{"intel-haswell", 16, false, LBR}, {"intel-arch-lbr", 32, true, 0},
};

#define EACH_PROCESSOR(p) \
	for (const struct processor *p = processors; \
	     p < processors + sizeof processors / sizeof *processors; p++)

// One branch in each cycle, from number `first` on. Odd branches are mispredicted.
static void run_branches(unsigned first, unsigned count)
{
	for (unsigned i = first; i < first + count; i++) {
		// the last one must stay until the next is given
		static struct occurrence signals[2];
		static unsigned turn;
		struct occurrence *s = &signals[turn = !turn];

		*s = (struct occurrence){.code = 0xC4, .n = 1, .ip = SOURCE + i,
					 .target = 0x2000 + i,
					 .branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN};
		if (i & 1)
			s->branch |= OCCURRENCE_WRONG_PATH;
		assert_int_equal(shim_deliver(s, 1, 1), 1);
	}
}

static struct event_request start_branches(struct pmu_session *session, const char *text)
{
	open_and_start(session, text);
	return request_of(driver(), text);
}

// Requires that the next sample has the branches first to first + count - 1, in this order. The
// cycles of the first one, and of number `resumed`, can be any number.
static void assert_branches_at(const struct processor *p, const struct event_request *r,
			       unsigned first, unsigned count, unsigned resumed)
{
	static const char *const names[] = {"branch", "mispredicted", "target", "cycles"};
	struct payload_part parts[PAYLOAD_PARTS];
	uint64_t words[PMU_PAYLOAD_WORDS];
	struct pmu_sample s;
	const unsigned each = p->cycles ? 4 : 3;

	assert_true(pmu_take_sample_with_payload(&s, words));
	assert_int_equal(s.source.words, 1 + 2 * count);
	assert_int_equal(driver()->records->explain(r, words, s.source.words, parts),
			 each * count);
	for (unsigned i = 0; i < each * count; i++)
		assert_string_equal(parts[i].name, names[i % each]);
	for (unsigned i = 0; i < count; i++) {
		assert_int_equal(parts[each * i].value, SOURCE + first + i);
		assert_int_equal(parts[each * i + 1].value, (first + i) & 1);
		assert_int_equal(parts[each * i + 2].value, 0x2000 + first + i);
		if (p->cycles && i && i != resumed)
			assert_int_equal(parts[each * i + 3].value, 1);
	}
}

static void assert_branches(const struct processor *p, const struct event_request *r,
			    unsigned first, unsigned count)
{
	assert_branches_at(p, r, first, count, 0);
}

#define EACH_BRANCH	"BRANCH_INSTRUCTIONS_RETIRED:lbr:period=100"

// Each interrupt freezes the records; the driver ends the freeze.
static void samples_carry_the_last_branches(void **state)
{
	(void)state;
	EACH_PROCESSOR(p) {
		struct pmu_session session;
		struct event_request r;
		struct pmu_sample s;

		begin(p->name);
		r = start_branches(&session, EACH_BRANCH);
		run_branches(0, 3 * PERIOD);
		assert_int_equal(get(DEBUGCTL), p->enable | FREEZE_LBRS | FREEZE_PERFMON);
		if (!p->enable)		// LBREn, OS, USR, and all kinds
			assert_int_equal(get(LBR_CTL), 0x7F0007);
		assert_int_equal(get(GLOBAL_STATUS) & LBR_FRZ, 0);
		assert_int_equal(pmu_close(&session), PMU_OK);
		assert_int_equal(get(DEBUGCTL), FREEZE_PERFMON);
		if (!p->enable)
			assert_int_equal(get(LBR_CTL), 0);
		for (unsigned i = 1; i <= 3; i++)
			assert_branches(p, &r, i * PERIOD - p->depth, p->depth);
		assert_false(pmu_take_sample(&s));
	}
}

static void branches_that_have_not_been_are_left_out(void **state)
{
	(void)state;
	EACH_PROCESSOR(p) {
		struct pmu_session session;
		struct event_request r;

		begin(p->name);
		r = start_branches(&session, "BRANCH_INSTRUCTIONS_RETIRED:lbr:period=5");
		run_branches(0, 5);
		assert_int_equal(pmu_close(&session), PMU_OK);
		assert_branches(p, &r, 0, 5);
	}
}

// Bit 0 leaves out branches at level 0, bit 2 conditional ones.
static void conditions_leave_branches_out(void **state)
{
	(void)state;
	EACH_PROCESSOR(p) {
		struct pmu_session session;
		struct event_request r;

		begin(p->name);
		r = start_branches(&session, "BRANCH_INSTRUCTIONS_RETIRED:lbr=5:period=5");
		// IA32_LBR_CTL without bits 1 (level 0) and 16 (conditional branches)
		assert_int_equal(get(p->enable ? LBR_SELECT : LBR_CTL), p->enable ? 5 : 0x7E0005);
		run_branches(0, 5);
		assert_int_equal(pmu_close(&session), PMU_OK);
		assert_int_equal(get(p->enable ? LBR_SELECT : LBR_CTL), 0);
		assert_branches(p, &r, 0, 0);
	}
}

// The other context records more branches than there are branch records.
static void a_context_keeps_its_branches_and_sees_no_others(void **state)
{
	(void)state;
	EACH_PROCESSOR(p) {
		struct pmu_session session, other;
		struct pmu_context context;
		struct event_request r, of_other;
		struct pmu_sample s;

		begin(p->name);
		r = start_branches(&session, EACH_BRANCH);
		run_branches(0, PERIOD - 3);
		assert_int_equal(pmu_context_save(&context, 0, 0), PMU_OK);
		assert_int_equal(get(DEBUGCTL), FREEZE_PERFMON);
		of_other = start_branches(&other, "BRANCH_INSTRUCTIONS_RETIRED:lbr:period=7");
		run_branches(500, 7);
		assert_branches(p, &of_other, 500, 7);
		run_branches(600, 40);
		assert_int_equal(pmu_close(&other), PMU_OK);
		while (pmu_take_sample(&s))
			;
		assert_int_equal(pmu_context_restore(&context), PMU_OK);
		run_branches(PERIOD - 3, 3);
		assert_int_equal(pmu_close(&session), PMU_OK);
		assert_branches_at(p, &r, PERIOD - p->depth, p->depth, p->depth - 3);
	}
}

static void assert_objection(const char *text, const char *why)
{
	struct event_request r = request_of(driver(), text);

	assert_int_equal(driver()->choices(&r), 0);
	assert_string_equal(driver()->objection(&r), why);
}

static void requests_that_cannot_be_met_are_refused(void **state)
{
	(void)state;
	begin("intel");
	assert_objection("BRANCH_INSTRUCTIONS_RETIRED:lbr",
			 "branch records come with samples: they need a period");
	assert_objection("BRANCH_INSTRUCTIONS_RETIRED:lbr=512:period=9",
			 "conditions of branch records are bits 8 to 0, each of which leaves "
			 "branches out");
	assert_objection("BRANCH_INSTRUCTIONS_RETIRED:lbr=3:period=9",
			 "these conditions of branch records leave all branches out");
	begin("intel-guest");
	assert_objection("BRANCH_INSTRUCTIONS_RETIRED:lbr:period=9",
			 "this processor has no branch records (LBR) that the driver knows");
}

// First word: branches in bits 7 to 0, bit 8 flags, bit 9 cycles.
static void no_payload_of_another_length_is_explained(void **state)
{
	struct payload_part parts[PAYLOAD_PARTS];
	const struct event_request r = {0};
	const uint64_t words[3] = {1 | 3 << 8};

	(void)state;
	begin("intel");
	assert_int_equal(driver()->records->explain(&r, words, 3, parts), 4);
	assert_int_equal(driver()->records->explain(&r, words, 2, parts), 0);
	assert_int_equal(driver()->records->explain(&r, words, 0, parts), 0);
	assert_int_equal(driver()->records->explain(&r, (uint64_t[67]){33 | 3 << 8}, 67, parts),
			 0);
}

// Formats 1 and 2 have neither flags nor cycles, format 6 has both.
static void formats_without_a_model_are_explained(void **state)
{
	struct payload_part parts[PAYLOAD_PARTS];
	const struct event_request r = {0};
	const uint64_t words[] = {1 | 3 << 8, 0xFFFF800000001000, 0x002A800000002000};

	(void)state;
	begin("intel");
	assert_int_equal(driver()->records->explain(&r, words, 3, parts), 4);
	assert_int_equal(parts[0].value, 0xFFFF800000001000);
	assert_int_equal(parts[1].value, 1);
	assert_int_equal(parts[2].value, 0xFFFF800000002000);
	assert_int_equal(parts[3].value, 0x2A);
	assert_int_equal(driver()->records->explain(&r, (uint64_t[]){1, words[1], 5}, 3, parts), 2);
	assert_int_equal(parts[0].value, 0xFFFF800000001000);
	assert_string_equal(parts[1].name, "target");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(samples_carry_the_last_branches, driver_end),
		cmocka_unit_test_teardown(branches_that_have_not_been_are_left_out, driver_end),
		cmocka_unit_test_teardown(conditions_leave_branches_out, driver_end),
		cmocka_unit_test_teardown(a_context_keeps_its_branches_and_sees_no_others,
					  driver_end),
		cmocka_unit_test_teardown(requests_that_cannot_be_met_are_refused, driver_end),
		cmocka_unit_test_teardown(no_payload_of_another_length_is_explained, driver_end),
		cmocka_unit_test_teardown(formats_without_a_model_are_explained, driver_end),
	};

	return cmocka_run_group_tests_name("branch records", tests, NULL, NULL);
}
