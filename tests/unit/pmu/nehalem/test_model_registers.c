// SPDX-License-Identifier: BSD-2-Clause
// The nehalem model's registers: reset values, the effect of a write on each bit, faults; RDPMC.

#include "steps.h"

// Effect of a write on a register's bits. Bits that are neither writable nor accepted are reserved.
static const struct rule {
	const char *name;
	uint32_t address;
	unsigned count;
	uint64_t reset;
	uint64_t writable;	/* reads as written */
	uint64_t extended;	/* reads as the value written to bit `sign` */
	unsigned sign;
	uint64_t accepted;	/* may be written as 1, but reads as 0 */
	bool read_only;
	bool shared;		/* shared by the threads of the core */
	bool canonical;		/* takes addresses only: bits 63:47 are equal */
} rules[] = {
	// SDM 3A: after reset all are 0, except the enable bits of the general counters in
	// IA32_PERF_GLOBAL_CTRL. Appendix II lists neither bit 19 nor bits above 31.
	{.name = "IA32_PERFEVTSEL", .address = PERFEVTSEL0, .count = GENERAL,
	 .writable = 0xFFF7FFFF},
	// SDM 3B: a write sets the low 32 bits, and copies bit 31 to the higher ones.
	{.name = "IA32_PMC", .address = PMC0, .count = GENERAL, .writable = 0xFFFFFFFF,
	 .extended = 0xFFFF00000000,
	 .sign = 31, .accepted = ~0ULL << 32},
	// SDM 3B: "Bits beyond the width of the fixed-function counter are reserved and must be
	// written as zeros."
	{.name = "IA32_FIXED_CTR", .address = FIXED_CTR0, .count = FIXED, .writable = COUNTER_MAX},
	{.name = "IA32_FIXED_CTR_CTRL", .address = FIXED_CTR_CTRL, .count = 1, .writable = 0xFFF},
	{.name = "IA32_PERF_GLOBAL_STATUS", .address = GLOBAL_STATUS, .count = 1,
	 .read_only = true},
	{.name = "IA32_PERF_GLOBAL_CTRL", .address = GLOBAL_CTRL, .count = 1, .reset = 0xF,
	 .writable = ALL_BITS},
	// With ClrOvfUncore, ClrOvfBuf, ClrCondChgd.
	{.name = "IA32_PERF_GLOBAL_OVF_CTRL", .address = GLOBAL_OVF_CTRL, .count = 1,
	 .accepted = ALL_BITS | 7ULL << 61},
	// LBR, BTF, and all from TR, bit 6, to FREEZE_WHILE_SMM_EN, bit 14.
	{.name = "IA32_DEBUGCTL", .address = DEBUGCTL, .count = 1, .writable = 0x7FC3},
	// LBR format 3, PEBS: trap-like, architectural registers, format 1; freezing while in SMM.
	{.name = "IA32_PERF_CAPABILITIES", .address = PERF_CAPABILITIES, .count = 1,
	 .reset = 0x11C3,
	 .read_only = true},
	// SDM 3B, "IA32_PEBS_ENABLE": four enables of records, four of load latency from bit 32.
	{.name = "IA32_PEBS_ENABLE", .address = PEBS_ENABLE, .count = 1,
	 .writable = 0xF0000000FULL},
	// The guide, "Latency Event": bits 15:0. One minimum latency on a core.
	{.name = "PEBS_LD_LAT", .address = LD_LAT, .count = 1, .writable = 0xFFFF, .shared = true},
	{.name = "IA32_DS_AREA", .address = DS_AREA, .count = 1, .writable = ~0ULL,
	 .canonical = true},
	// The guide, Table 9. One version of the event at a time.
	{.name = "OFFCORE_RSP_0", .address = OFFCORE_RSP_0, .count = 1, .writable = 0xFFFF,
	 .shared = true},
	// The guide, Table 7. SDM volume 4, MSRs of processors based on Nehalem: its scope is the
	// core.
	{.name = "LBR_SELECT", .address = LBR_SELECT, .count = 1, .writable = 0x1FF,
	 .shared = true},
	// SDM volume 4, MSRs of processors based on Nehalem, 1C9H: R/W, an index in bits 3:0.
	{.name = "LASTBRANCH_TOS", .address = LBR_TOS, .count = 1, .writable = 0xF},
	// SDM 3B, "LBR Stack": 64-bit addresses of 48 significant bits, and the source's bit 63.
	{.name = "LASTBRANCH_FROM_IP", .address = LBR_FROM, .count = 16,
	 .writable = 1ULL << 63 | COUNTER_MAX,
	 .extended = 0x7FFFULL << 48, .sign = 47, .accepted = 0x7FFFULL << 48},
	{.name = "LASTBRANCH_TO_IP", .address = LBR_TO, .count = 16, .writable = COUNTER_MAX,
	 .extended = 0xFFFFULL << 48, .sign = 47, .accepted = 0xFFFFULL << 48},
};

#define RULES (sizeof rules / sizeof *rules)

static void each_register(void (*check)(const struct rule *rule, uint32_t address))
{
	for (const struct rule *r = rules; r < rules + RULES; r++)
		for (unsigned i = 0; i < r->count; i++)
			check(r, r->address + i);
}

static void check_reset(const struct rule *rule, uint32_t address)
{
	for (unsigned thread = 0; thread < THREADS; thread++)
		if (get_of(thread, address) != rule->reset)
			fail_msg("%s (%#x) of thread %u resets to %#llx", rule->name, address,
				 thread, (unsigned long long)get_of(thread, address));
}

static void reset_gives_every_register_its_value(void **state)
{
	(void)state;
	each_register(check_reset);
}

static void reset_undoes_everything(void **state)
{
	(void)state;
	set_counter(0, INT, before_overflow(0, 1));
	set_counter_of(1, 5, INT, before_overflow(5, 1));
	put(DEBUGCTL, FREEZE_PERFMON_ON_PMI);
	busy();
	run(10);
	model->reset(model, pmu, -1, 0);
	connected_count = 0;
	each_register(check_reset);
	assert_int_equal(outputs()->requests, 0);
	run(10);
	each_register(check_reset);
}

// Returns a described register's bits of one access kind.
static uint64_t described(const struct register_description *d, unsigned access)
{
	uint64_t bits = 0;

	for (const struct field *f = d->field; f < d->field + d->fields; f++)
		if (f->access == access)
			bits |= (~0ULL >> (64 - f->width)) << f->low;
	return bits;
}

// The descriptions for people: the same registers, by the same names, with the same bits.
static void model_describes_these_registers(void **state)
{
	(void)state;
	assert_int_equal(model->register_count, RULES);
	for (const struct rule *r = rules; r < rules + RULES; r++) {
		const struct register_description *d = model->registers;

		while (d < model->registers + model->register_count && d->address != r->address)
			d++;
		assert_true(d < model->registers + model->register_count);
		assert_string_equal(d->name, r->name);
		assert_int_equal(d->count, r->count);
		assert_int_equal(described(d, FIELD_RW), r->writable);
		assert_int_equal(described(d, FIELD_SXT), r->extended);
		assert_int_equal(described(d, FIELD_RSVD),
				 r->read_only ? 0 : ~(r->writable | r->accepted));
	}
}

static void check_write(const struct rule *rule, uint32_t address, uint64_t value)
{
	uint64_t expected = (value & rule->writable) | (value >> rule->sign & 1 ? rule->extended :
							0);

	put(address, value);
	if (get(address) != expected)
		fail_msg("%s (%#x): written %#llx, reads %#llx", rule->name, address,
			 (unsigned long long)value, (unsigned long long)get(address));
}

// Each bit alone, and all bits except it.
static void check_bits(const struct rule *rule, uint32_t address)
{
	uint64_t all = rule->writable | rule->accepted;

	if (rule->canonical)
		return;
	for (unsigned bit = 0; bit < 64; bit++)
		if (all >> bit & 1) {
			check_write(rule, address, 1ULL << bit);
			check_write(rule, address, all & ~(1ULL << bit));
		}
}

// IA32_PERF_GLOBAL_OVF_CTRL holds nothing.
static void each_bit_reads_as_its_kind_says(void **state)
{
	(void)state;
	each_register(check_bits);
}

static void check_reserved(const struct rule *rule, uint32_t address)
{
	uint64_t all = rule->writable | rule->accepted;
	struct snapshot before = take_snapshot();

	for (unsigned bit = 0; bit < 64; bit++) {
		if (all >> bit & 1)
			continue;
		if (model->write(pmu, 0, address, 1ULL << bit, 0) ||
		    model->write(pmu, 0, address, all | 1ULL << bit, 0))
			fail_msg("%s (%#x): a write with reserved bit %u does not fault",
				 rule->name, address, bit);
		assert_nothing_changed(&before);
	}
}

// Appendix II: "Software must read-modify-write or explicitly clear reserved bits." SDM 2, WRMSR:
// setting them faults.
static void reserved_bits_fault_and_change_nothing(void **state)
{
	(void)state;
	each_register(check_reserved);
}

static void check_read_only(const struct rule *rule, uint32_t address)
{
	struct snapshot before = take_snapshot();

	if (!rule->read_only)
		return;
	assert_false(model->write(pmu, 0, address, 0, 0));
	assert_false(model->write(pmu, 0, address, rule->reset, 0));
	assert_nothing_changed(&before);
}

// SDM 2, WRMSR: a write of any value to a read-only register faults.
static void read_only_registers_fault_on_any_write(void **state)
{
	(void)state;
	each_register(check_read_only);
}

static unsigned differences(const struct snapshot *a, const struct snapshot *b)
{
	unsigned count = 0;

	for (unsigned thread = 0; thread < THREADS; thread++)
		for (unsigned i = 0; i < REGISTERS; i++)
			count += a->value[thread][i] != b->value[thread][i];
	return count;
}

static void check_reach(const struct rule *rule, uint32_t address)
{
	if (!rule->writable)
		return;
	for (unsigned thread = 0; thread < THREADS; thread++) {
		// A different value for each thread, without bits to extend.
		const uint64_t value = rule->writable & (thread ? 0x222222222222 : 0x155555555555);
		struct snapshot before = take_snapshot(), now;

		put_of(thread, address, value);
		now = take_snapshot();
		assert_int_equal(differences(&before, &now), rule->shared ? 2 : 1);
		assert_int_equal(get_of(thread, address), value);
		if (rule->shared)
			assert_int_equal(get_of(!thread, address), value);
	}
}

// SDM 3B: each logical processor has its own registers, except those that a core has once according
// to the guide.
static void write_reaches_its_register_and_thread_only(void **state)
{
	(void)state;
	each_register(check_reach);
}

// A linear address has 48 bits; the ones above are copies of bit 47 (SDM 1, "Canonical
// Addressing").
static void debug_store_address_must_be_canonical(void **state)
{
	static const uint64_t good[] = {0, 0x1000, 0x7FFFFFFFFFFF, 0xFFFF800000000000, ~0ULL};
	static const uint64_t bad[] = {0x800000000000, 0xFFFF7FFFFFFFFFFF, 1ULL << 63, 1ULL << 48,
				       0xFFFE800000000000};

	(void)state;
	for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
		put(DS_AREA, good[i]);
		assert_int_equal(get(DS_AREA), good[i]);
	}
	put(DS_AREA, 0x1000);
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_false(model->write(pmu, 0, DS_AREA, bad[i], 5));
		assert_int_equal(get(DS_AREA), 0x1000);
	}
}

static void unknown_registers_fault(void **state)
{
	static const uint32_t unknown[] = {
		0, 0x10, PMC0 - 1, PMC0 + GENERAL, PERFEVTSEL0 - 1, PERFEVTSEL0 + GENERAL,
		DEBUGCTL - 1, DEBUGCTL + 1,
		FIXED_CTR0 - 1, FIXED_CTR0 + FIXED, PERF_CAPABILITIES - 1, PERF_CAPABILITIES + 1,
		FIXED_CTR_CTRL - 1,
		OFFCORE_RSP_0 - 1, OFFCORE_RSP_0 + 1, LBR_SELECT - 1, LBR_TOS + 1, PEBS_ENABLE - 1,
		PEBS_ENABLE + 1,
		LD_LAT - 1, LD_LAT + 1, DS_AREA - 1, DS_AREA + 1, LBR_FROM - 1, LBR_FROM + BRANCHES,
		LBR_TO - 1, LBR_TO + BRANCHES, 0x800000C1, UINT32_MAX,
	};
	struct snapshot before = take_snapshot();
	uint64_t value;

	(void)state;
	for (unsigned i = 0; i < sizeof unknown / sizeof *unknown; i++) {
		assert_false(model->read(pmu, 0, unknown[i], &value));
		assert_false(model->write(pmu, 0, unknown[i], 0, 0));
		assert_nothing_changed(&before);
	}
}

// model.h: "the access faults, and nothing has changed".
static void faulting_write_lets_no_cycle_pass(void **state)
{
	(void)state;
	set_counter(0, 0, 0);
	busy();
	assert_false(model->write(pmu, 0, PERFEVTSEL0, 1U << 19, 5));
	assert_false(model->write(pmu, 0, PMC0 + GENERAL, 0, 5));
	assert_int_equal(get(PMC0), 0);
}

// SDM 3B: a write sets the low 32 bits; bit 31 is copied to bits 47:32.
static void general_counter_write_extends_bit_31(void **state)
{
	static const uint64_t pairs[][2] = {
		{0x7FFFFFFF, 0x7FFFFFFF},
		{0x80000000, 0xFFFF80000000},
		{0xFFFFFFFF, 0xFFFFFFFFFFFF},
		{0x123480000000, 0xFFFF80000000},
		{0xFFFFFFFF7FFFFFFF, 0x7FFFFFFF},
		{0xFFFFFFFFFFFFFFFE, 0xFFFFFFFFFFFE},
	};

	(void)state;
	for (unsigned counter = 0; counter < GENERAL; counter++)
		for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
			put(PMC0 + counter, pairs[i][0]);
			assert_int_equal(get(PMC0 + counter), pairs[i][1]);
		}
}

// SDM 3B: CPUID leaf 0AH: fixed counters have 48 bits. A write is not extended.
static void fixed_counter_write_reaches_all_48_bits(void **state)
{
	static const uint64_t values[] = {0x80000000, 0xFFFFFFFF, 0x800000000000, 0xA5A5A5A5A5A5,
					  COUNTER_MAX};

	(void)state;
	for (unsigned counter = 0; counter < FIXED; counter++)
		for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
			put(FIXED_CTR0 + counter, values[i]);
			assert_int_equal(get(FIXED_CTR0 + counter), values[i]);
		}
}

// Values above 32 bits, different for each counter of each thread.
static uint64_t distinct_value(unsigned thread, unsigned counter)
{
	return COUNTER_MAX - 16 * thread - counter;
}

// SDM 2, RDPMC: ECX bit 30 selects the fixed counters, the bits below it are the index.
static void rdpmc_reads_each_counter_of_its_thread(void **state)
{
	uint64_t value;

	(void)state;
	for (unsigned thread = 0; thread < THREADS; thread++)
		for (unsigned i = 0; i < COUNTERS; i++)
			put_of(thread, counter_address(i), distinct_value(thread, i));
	for (unsigned thread = 0; thread < THREADS; thread++)
		for (unsigned i = 0; i < COUNTERS; i++) {
			uint32_t index = i < GENERAL ? i : 0x40000000 + i - GENERAL;

			assert_true(model->user->read_counter(pmu, thread, index, &value));
			assert_int_equal(value, distinct_value(thread, i));
		}
}

static void rdpmc_sees_what_counts(void **state)
{
	uint64_t value;

	(void)state;
	set_counter(4, 0, COUNTER_MAX - 2);
	busy();
	run(10);
	assert_true(model->user->read_counter(pmu, 0, 0x40000000, &value));
	assert_int_equal(value, 7);
}

static void rdpmc_of_other_indices_faults(void **state)
{
	static const uint32_t indices[] = {
		GENERAL, 5, 32, 0xC1, 0x40000003, 0x40000020, 0x40000309, 0x20000000, 0x80000000,
		0x80000001, 0xC0000000, 0xBFFFFFFF, UINT32_MAX,
	};
	uint64_t value;

	(void)state;
	for (unsigned i = 0; i < sizeof indices / sizeof *indices; i++)
		if (model->user->read_counter(pmu, 0, indices[i], &value))
			fail_msg("RDPMC of %#x does not fault", indices[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reset_gives_every_register_its_value),
		TEST(reset_undoes_everything),
		TEST(model_describes_these_registers),
		TEST(each_bit_reads_as_its_kind_says),
		TEST(reserved_bits_fault_and_change_nothing),
		TEST(read_only_registers_fault_on_any_write),
		TEST(write_reaches_its_register_and_thread_only),
		TEST(debug_store_address_must_be_canonical),
		TEST(unknown_registers_fault),
		TEST(faulting_write_lets_no_cycle_pass),
		TEST(general_counter_write_extends_bit_31),
		TEST(fixed_counter_write_reaches_all_48_bits),
		TEST(rdpmc_reads_each_counter_of_its_thread),
		TEST(rdpmc_sees_what_counts),
		TEST(rdpmc_of_other_indices_faults),
	};

	return cmocka_run_group_tests_name("nehalem model: registers", tests, find_model,
					   release_model);
}
