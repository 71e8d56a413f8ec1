// SPDX-License-Identifier: BSD-2-Clause
// Registers: reads and writes of each bit, values after reset, undefined values, permissions to
// read.

#include "steps.h"

#define BITS(high, low) ((~0ULL >> (63 - (high))) & (~0ULL << (low)))

// A register after a write: bits that keep their value, and bits that read as copies of the bit
// below them.
static const struct row {
	uint32_t address;
	unsigned count, distance;
	uint64_t holds, copies;
} rows[] = {
	{PMC + 0, 1, 1, BITS(7, 4) | 1},						// table 6-7
	{PMC + 1, 3, 1, 0},
	// figures 6-13, 6-14
	{PMC + 4, 2, 1, BITS(6, 0) | BITS(14, 8) | BITS(22, 16) | BITS(25, 24)},
	{PMC + 6, 2, 1, BITS(6, 0) | BITS(14, 8) | BITS(21, 16) | BITS(25, 24)},
	// figure 6-17
	{PMC + 8, 2, 1, BITS(29, 3) | BITS(63, 33)},
	// figure 6-18
	{PMC + 10, 1, 1, BITS(3, 0) | BITS(7, 6) | BITS(19, 16) | BITS(25, 24)},
	{PMC + 11, 1, 1, BITS(3, 0) | BITS(7, 6) | BITS(19, 16) | BITS(25, 24) | BITS(28, 28)},
	// figure 6-22
	{PMC + 12, 1, 1, BITS(3, 0) | BITS(15, 6)},
	// figure 6-16
	{PMC + 13, 1, 1, 1},
	// figure 6-19, table 6-13
	{PMD + 0, 1, 1, BITS(1, 0) | BITS(50, 5) | BITS(63, 61), BITS(60, 51)},
	{PMD + 1, 1, 1, BITS(11, 0)},
	// figure 6-21, table 6-18
	{PMD + 2, 1, 1, BITS(50, 0) | BITS(63, 61), BITS(60, 51)},
	{PMD + 3, 1, 1, BITS(11, 0) | BITS(63, 62)},
	{PMD + 4, 4, 1, BITS(31, 0), BITS(63, 32)},					// table 6-5
	// table 6-22 with its note
	{PMD + 8, 8, 1, BITS(63, 0)},
	// table 6-23
	{PMD + 16, 1, 1, BITS(3, 0)},
	{PMD + 17, 1, 1, BITS(0, 0) | BITS(50, 2) | BITS(63, 61), BITS(60, 51)},
	// ASDM, 7.1.1
	{IBR + 0, 4, 2, BITS(63, 0)},
	{IBR + 1, 4, 2, BITS(59, 0) | BITS(63, 63)},
	{DBR + 0, 4, 2, BITS(63, 0)},
	{DBR + 1, 4, 2, BITS(59, 0) | BITS(63, 62)},
	// ASDM, 5.8.3.2
	{PMV, 1, 1, BITS(7, 0) | BITS(16, 16)},
	// figure 6-10
	{PSR, 1, 1, PSR_UP | PSR_SP | PSR_PP | PSR_DB},
	// ASDM, 3.1.8.10
	{ITC, 1, 1, BITS(63, 0)},
	// ASDM, 3.3.4.2
	{ITM, 1, 1, BITS(63, 0)},
	// ASDM, 5.8.3.1
	{ITV, 1, 1, BITS(7, 0) | BITS(16, 16)},
};

#define ROWS (sizeof rows / sizeof *rows)

static uint64_t expected(const struct row *row, uint64_t written)
{
	uint64_t value = written & row->holds;

	return row->copies && value & (row->copies & -row->copies) >> 1 ? value | row->copies :
	       value;
}

static void assert_holds(const struct row *row, uint32_t address, uint64_t value)
{
	put(PMC + 0, FR);	// event addresses and branches read true only while frozen
	put(address, value);
	assert_int_equal(get(address), expected(row, value));
}

// Every bit alone, every bit but one, all and none.
static void each_bit_of_each_register(void **state)
{
	(void)state;
	for (const struct row *row = rows; row < rows + ROWS; row++)
		for (unsigned i = 0; i < row->count; i++) {
			uint32_t address = row->address + i * row->distance;
			uint64_t reserved = address == PMV ||
				address == ITV ? BITS(15, 13) | BITS(11, 8) : 0;

			for (unsigned bit = 0; bit < 64; bit++) {
				assert_holds(row, address, (1ULL << bit) & ~reserved);
				assert_holds(row, address, ~(1ULL << bit) & ~reserved);
			}
			assert_holds(row, address, ~reserved);
			assert_holds(row, address, 0);
		}
}

static void no_register_is_another(void **state)
{
	(void)state;
	put(PMC + 0, FR);
	for (unsigned turn = 0; turn < 2; turn++)
		for (unsigned r = 0; r < ROWS; r++)
			for (unsigned i = 0; i < rows[r].count; i++) {
				uint32_t address = rows[r].address + i * rows[r].distance;
				uint64_t value = 0x8000000000000001ULL * (address + 1) & ~0xEF00ULL;

				if (address < 8 || (address >= PMC + 10 && address <= PMC + 12))
					// these change others: PMC0 all, the rest if plm is 0
					continue;
				if (turn == 0)
					put(address, value);
				else
					assert_int_equal(get(address), expected(&rows[r], value));
			}
}

// ASDM, 5.8.3.1 and 5.8.3.2: bits 15:13 and 11:8 are reserved; a write that sets one faults,
// without effect.
static void reserved_bits_of_vectors_fault(void **state)
{
	(void)state;
	for (uint32_t vector = ITV; vector <= PMV; vector++) {
		put(vector, PMV_M | 0xE1);
		for (unsigned bit = 0; bit < 64; bit++) {
			bool reserved = (bit >= 8 && bit < 12) || (bit >= 13 && bit < 16);

			assert_int_equal(model->write(pmu, 0, vector, 0x1E | 1ULL << bit, 0),
					 !reserved);
			if (reserved)
				assert_int_equal(get(vector), PMV_M | 0xE1);
			put(vector, PMV_M | 0xE1);
		}
	}
}

// ASDM: unimplemented PMC and PMD numbers read zero, and ignore writes. Numbers of other files
// fault.
static void registers_that_are_not_there(void **state)
{
	uint64_t value;

	(void)state;
	for (uint32_t address = 0; address < 0x700; address++) {
		bool exists = (address < PMC + 14) || (address >= PMD && address < PMD + 18) ||
			      (address >= IBR && address < IBR + 8) ||
			      (address >= DBR && address < DBR + 8) ||
			      address == DCR || address == PMV || address == PSR ||
			      address == ITC ||
			      address == ITM || address == ITV;

		if (exists)
			continue;
		value = 77;
		assert_int_equal(model->write(pmu, 0, address, ~0ULL, 0), address < IBR);
		assert_int_equal(model->read(pmu, 0, address, &value), address < IBR);
		if (address < IBR)
			assert_int_equal(value, 0);
	}
	assert_false(model->read(pmu, 0, UINT32_MAX, &value));
	assert_false(model->write(pmu, 0, 0x80000104, 1, 0));
}

// Section 6.2.9.
static void reset_values(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		reset_with(-1, seed);
		assert_int_equal(get(PMC + 8), 0xF00000003FFFFFF8ULL);
		assert_int_equal(get(PMC + 9), 0xF00000003FFFFFF8ULL);
		assert_int_equal(get(PMC + 13), 1);
		assert_int_equal(get(PMC + 11) & PT, PT);
		for (uint32_t n = 4; n < 8; n++)
			assert_int_equal(get(PMC + n) & (OI | EV), 0);
		assert_int_equal(get(PMV) & PMV_M, PMV_M);
		assert_int_equal(get(PSR), 0);
		assert_int_equal(outputs()->requests, 0);
		assert_int_equal(outputs()->strobes, 0);
	}
}

// All other state is undefined: each bit of it is sometimes 0 and sometimes 1; unimplemented bits
// are always 0.
static void what_reset_leaves_undefined(void **state)
{
	(void)state;
	for (const struct row *row = rows; row < rows + ROWS; row++)
		for (unsigned i = 0; i < row->count; i++) {
			uint32_t address = row->address + i * row->distance;
			uint64_t defined = 0, ever = 0, always = ~0ULL;

			if (address == PMC + 8 || address == PMC + 9 || address == PMC + 13 ||
			    address == PSR)
				defined = ~0ULL;
			if (address >= PMC + 4 && address < PMC + 8)
				defined = OI | EV;
			if (address == PMC + 11)
				defined = PT;
			if (address == PMV || address == ITV)
				defined = PMV_M;
			for (uint64_t seed = 0; seed < 64; seed++) {
				uint64_t value;

				reset_with(-1, seed);
				value = get(address);
				assert_int_equal(value, expected(row, value));
				ever |= value;
				always &= value;
			}
			assert_int_equal(ever & ~defined, (row->holds | row->copies) & ~defined);
			assert_int_equal(always & ~defined, 0);
		}
}

static void the_same_seed_gives_the_same_state(void **state)
{
	uint64_t first[18], other = 0;

	(void)state;
	reset_with(-1, 42);
	for (uint32_t n = 0; n < 18; n++)
		first[n] = get(PMD + n);
	reset_with(-1, 42);
	for (uint32_t n = 0; n < 18; n++)
		assert_int_equal(get(PMD + n), first[n]);
	reset_with(-1, 43);
	for (uint32_t n = 0; n < 18; n++)
		other += get(PMD + n) != first[n];
	assert_true(other > 12);
}

// Sections 6.2.7 and 6.2.8.2: PMD0-3 and 8-17 read undefined values unless PMC0.fr is 1; counters
// read true.
static void capture_registers_read_true_only_while_frozen(void **state)
{
	(void)state;
	for (uint32_t n = 0; n < 18; n++) {
		uint64_t seen = 0;

		put(PMC + 0, FR);
		put(PMD + n, 1);
		assert_int_equal(get(PMD + n), 1);
		put(PMC + 0, 0);
		for (unsigned i = 0; i < 64; i++)
			seen |= get(PMD + n) ^ 1;
		assert_int_equal(seen != 0, n < 4 || n > 7);
		put(PMC + 0, FR);
		assert_int_equal(get(PMD + n), 1);
	}
}

#define LEVEL_AND_LATENCY 0xC000000000000FFFULL	/* figure 6-21, PMD3 */

// Table 6-11: with plm zero the monitor's PMDs do not keep their values, nor values written during
// that time.
static void plm_zero_loses_the_data(void **state)
{
	static const struct {
		uint32_t pmc;
		uint64_t pmds;	// bit n: PMDn
	} monitors[] = {
		{4, 1 << 4}, {5, 1 << 5}, {6, 1 << 6}, {7, 1 << 7}, {10, 3},
		{11, 1 << 2 | 1 << 3 | 1 << 17},
		{12, 0x1FF00},
	};

	(void)state;
	for (unsigned i = 0; i < 7; i++) {
		uint64_t changed = 0, lost = 0;

		for (unsigned turn = 0; turn < 64; turn++) {
			put(PMC + 0, FR);
			put(PMC + monitors[i].pmc, ALL_LEVELS);
			for (uint32_t n = 0; n < 18; n++)
				put(PMD + n, 1);
			put(PMC + monitors[i].pmc, PLM(8));
			for (uint32_t n = 0; n < 18; n++)
				assert_int_equal(get(PMD + n), 1);
			put(PMC + monitors[i].pmc, 0);
			for (uint32_t n = 0; n < 18; n++)
				changed |= (uint64_t)(get(PMD + n) != 1) << n;
			for (uint32_t n = 0; n < 18; n++)
				put(PMD + n, 1);
			put(PMC + monitors[i].pmc, ALL_LEVELS);
			for (uint32_t n = 0; n < 18; n++)
				lost |= (uint64_t)(get(PMD + n) != 1) << n;
		}
		assert_int_equal(changed, monitors[i].pmds);
		assert_int_equal(lost, monitors[i].pmds);
	}
	// The other PMCs have no plm.
	for (uint32_t n = 0; n < 18; n++)
		put(PMD + n, UINT64_MAX);
	for (uint32_t pmc = 1; pmc < 14; pmc += pmc == 3 ? 5 : pmc == 9 ? 4 : 1) {
		put(PMC + pmc, 0);
		assert_int_equal(get(PMD + 1), 0xFFF);
		assert_int_equal(get(PMD + 2), UINT64_MAX);
		assert_int_equal(get(PMD + 3), LEVEL_AND_LATENCY);
	}
}

// ASDM, 3.3.2 and 7.2.1: PSR.sp closes all PMDs to unprivileged reads, pm those of its monitor;
// they read as zero.
static void unprivileged_reads(void **state)
{
	static const uint8_t monitor[] = {10, 10, 11, 11, 4, 5, 6, 7, 12, 12, 12, 12, 12, 12, 12,
					  12, 12, 11};

	(void)state;
	put(PMC + 0, FR);
	for (uint32_t n = 10; n < 13; n++)
		put(PMC + n, ALL_LEVELS);
	for (uint32_t n = 0; n < 18; n++)
		put(PMD + n, 3);
	for (uint32_t n = 0; n < 18; n++)
		assert_int_equal(user_get(n), get(PMD + n));
	for (uint32_t closed = 4; closed < 13; closed++) {
		uint64_t before = get(PMC + closed);

		if (closed == 8 || closed == 9)
			continue;
		put(PMC + closed, before | PM | ALL_LEVELS);
		for (uint32_t n = 0; n < 18; n++)
			assert_int_equal(user_get(n), monitor[n] == closed ? 0 : get(PMD + n));
		put(PMC + closed, ALL_LEVELS);
	}
	put(PSR, PSR_UP | PSR_SP);
	for (uint32_t n = 0; n < 18; n++) {
		assert_int_equal(user_get(n), 0);
		assert_int_not_equal(get(PMD + n), 0);
	}
	put(PSR, PSR_UP);
	for (uint32_t n = 18; n < 600; n++)
		assert_int_equal(user_get(n), 0);
	assert_int_equal(user_get(UINT32_MAX), 0);
}

// ASDM, 7.2.1: sp and pm close PMDs to privilege levels 1 to 3. At level 0 the instruction reads
// the value.
static void level_0_reads_all(void **state)
{
	(void)state;
	put(PMC + 0, FR);
	for (uint32_t n = 4; n < 13; n += n == 7 ? 3 : 1)
		put(PMC + n, ALL_LEVELS | PM);
	for (uint32_t n = 0; n < 18; n++)
		put(PMD + n, 3);
	for (unsigned sp = 0; sp < 2; sp++) {
		put(PSR, PSR_UP | sp * PSR_SP);
		for (unsigned level = 0; level < 4; level++)
			for (uint32_t n = 0; n < 18; n++)
				assert_int_equal(get_at(level, n), level ? 0 : get(PMD + n));
	}
	assert_int_equal(get_at(0, 5), 3);
	assert_int_equal(get_at(0, 18), 0);
}

// PSR.cpl and .is follow the executing code; software that writes PSR cannot change them.
static void psr_says_what_executes(void **state)
{
	(void)state;
	for (unsigned level = 0; level < 4; level++)
		for (unsigned isa = 0; isa < 2; isa++) {
			uint64_t executes = PSR_CPL(level) | (isa ? PSR_IS : 0);

			HAPPENS({.code = CYCLES, .n = 1, .level = (uint8_t)level,
				 .isa = (uint8_t)isa});
			assert_int_equal(get(PSR), PSR_UP | executes);
			put(PSR, PSR_PP | PSR_CPL(3 - level) | PSR_IS);
			assert_int_equal(get(PSR), PSR_PP | executes);
			no_signals();
			assert_int_equal(get(PSR), PSR_PP | executes);
			put(PSR, PSR_UP);
		}
	// With several occurrences, the last one counts.
	HAPPENS({.code = CYCLES, .n = 1, .level = 1}, {.code = CYCLES, .n = 1, .level = 2});
	assert_int_equal(get(PSR), PSR_UP | PSR_CPL(2));
}

// ASDM, 3.3.2 (table of the PSR's fields, state after interruption): up unchanged, pp = DCR.pp, sp
// = 0, db = 0.
static void interruptions_change_psr(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 32; i++) {
		uint64_t psr = (i & 1 ? PSR_UP : 0) | (i & 2 ? PSR_PP : 0) | (i & 4 ? PSR_SP : 0) |
			       (i & 8 ? PSR_DB : 0);
		uint64_t saved;

		put(PSR, psr);
		put(DCR, 0xFFFE | i >> 4);
		model->machine->interruption(pmu, 0, &saved);
		assert_int_equal(get(PSR), (psr & PSR_UP) | (i >> 4 ? PSR_PP : 0));
		put(PSR, 0);
		model->machine->resume(pmu, 0, saved);
		assert_int_equal(get(PSR), psr);
		assert_int_equal(get(DCR), 0xFFFE | i >> 4);
	}
}

// Section 6.1.3.2: with DCR.pp 0 a privileged monitor stops during an interruption, with 1 it
// continues.
static void interruptions_and_privileged_monitors(void **state)
{
	(void)state;
	for (unsigned pp = 0; pp < 2; pp++) {
		uint64_t saved;

		put(PSR, PSR_PP);
		put(DCR, pp);
		set_counter(4, ES(CYCLES) | PM);
		SIGNALS({.code = CYCLES, .n = 1});
		run(10);
		model->machine->interruption(pmu, 0, &saved);
		run(100);
		model->machine->resume(pmu, 0, saved);
		run(1000);
		assert_int_equal(get(PMD + 4), 1010 + pp * 100);
	}
}

// The model's descriptions cover each bit once and name every register of table 6-4.
static void descriptions_are_complete(void **state)
{
	unsigned pmcs = 0, pmds = 0;

	(void)state;
	for (size_t i = 0; i < model->register_count; i++) {
		const struct register_description *d = &model->registers[i];
		uint64_t covered = 0;

		for (unsigned f = 0; f < d->fields; f++) {
			uint64_t mask = FIELD_MASK(d->field[f].low, d->field[f].width);

			assert_int_equal(covered & mask, 0);
			covered |= mask;
		}
		assert_int_equal(covered, ~0ULL);
		for (unsigned n = 0; n < d->count; n++) {
			uint32_t address = d->address + n * d->distance;

			if (d->first >= 0)
				assert_int_equal(address & 0xFF,
						 (unsigned)d->first + n * d->distance);
			pmcs |= address < PMC + 14 ? 1u << address : 0;
			pmds |= address >= PMD && address < PMD + 18 ? 1u << (address - PMD) : 0;
		}
	}
	assert_int_equal(pmcs, 0x3FFF);		// table 6-24
	assert_int_equal(pmds, 0x3FFFF);
	assert_int_equal(model->vector_address, PMV);
	assert_int_equal(model->vector_masked, PMV_M);
	assert_int_equal(model->threads, 1);
}

// Tables 8-1 and 8-2, from the most significant byte on: EAX 00 15 10 01, EBX 00 00 <l2> 1A, ECX 00
// 9B 96 90, EDX 80 00 00 00. 89: 4 MB.
static void cpuid_2_describes_caches_and_tlbs(void **state)
{
	static const uint32_t printed[] = {0x00151001, 0x0000891A, 0x009B9690, 0x80000000};
	uint32_t registers[4] = {1, 2, 3, 4};

	(void)state;
	model->identification->identify(model, 2, 0, registers);
	assert_memory_equal(registers, printed, sizeof printed);
	registers[0] = 5;
	model->identification->identify(model, 3, 0, registers);
	assert_int_equal(registers[0], 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_bit_of_each_register),
		TEST(no_register_is_another),
		TEST(reserved_bits_of_vectors_fault),
		TEST(registers_that_are_not_there),
		TEST(reset_values),
		TEST(what_reset_leaves_undefined),
		TEST(the_same_seed_gives_the_same_state),
		TEST(capture_registers_read_true_only_while_frozen),
		TEST(plm_zero_loses_the_data),
		TEST(unprivileged_reads),
		TEST(level_0_reads_all),
		TEST(psr_says_what_executes),
		TEST(interruptions_change_psr),
		TEST(interruptions_and_privileged_monitors),
		TEST(descriptions_are_complete),
		TEST(cpuid_2_describes_caches_and_tlbs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
