// SPDX-License-Identifier: BSD-2-Clause
// The recorders in samples: reads the event address registers and the branch trace buffer into a
// payload, and explains a payload.

#include "driver.h"

#include "field.h"
#include "hal.h"

#define BUNDLE_BYTES 16

// By bit of RECORDER_*, which is also the payload's order (README.md).
static const struct recorder {
	uint8_t count;
	uint8_t valid;			// the PMD with the valid bit, which is bit 0; 0xFF: none
	uint8_t data_register[9];	// the PMDs
} recorders[] = {
	{3, 17, {2, 3, 17}},
	{2, 0, {0, 1}},
	{9, 0xFF, {16, 8, 9, 10, 11, 12, 13, 14, 15}},
};

#define RECORDERS (sizeof recorders / sizeof *recorders)

static unsigned recorders_of(const struct pmu_counter *c)
{
	const unsigned asked = (unsigned)(c->select >> SELECT_RECORDERS_LOW);

	if (c->number == ITANIUM_TIMER)
		return asked;
	switch (FIELD_GET(PMC4, es, c->select)) {
	case DATA_EAR_EVENTS:
		return asked | RECORDER_DATA;
	case INSTRUCTION_EAR_EVENTS:
		return asked | RECORDER_INSTRUCTION;
	case BRANCH_EVENT:
		return asked | RECORDER_BRANCHES;
	default:
		return asked;
	}
}

bool itanium_recorded(const struct pmu_counter *c)
{
	return recorders_of(c);
}

// Clears the recorders that a counter samples. When a recorder is turned on its contents are
// undefined, and after a session they belong to that session only.
bool itanium_empty_recorders(const struct pmu_counter *c)
{
	const unsigned mine = recorders_of(c);
	bool ok = true;

	for (unsigned r = 0; r < RECORDERS; r++)
		for (unsigned i = 0; mine >> r & 1 && i < recorders[r].count; i++)
			ok &= reg_write(ITANIUM_PMD(recorders[r].data_register[i]), 0);
	return ok;
}

// Clears the valid bits of the recorders that have been sampled, so that the next sample shows
// whether an event was captured since ("The event address registers indicate to software whether or
// not a qualified event was captured", 6.1.2.2). The branch trace has no valid bit: it keeps the
// last branches.
bool itanium_release_sampled(struct itanium_monitor *m)
{
	bool ok = true;

	for (unsigned r = 0; r < RECORDERS; r++)
		if (m->sampled >> r & 1 && recorders[r].valid != 0xFF)
			ok &= reg_write(ITANIUM_PMD(recorders[r].valid), 0);
	m->sampled = 0;
	return ok;
}

unsigned itanium_payload(const struct pmu_counter *c, uint64_t words[PMU_PAYLOAD_WORDS])
{
	const unsigned mine = recorders_of(c);
	unsigned count = 0;

	for (unsigned r = 0; mine >> r; r++)
		for (unsigned i = 0; mine >> r & 1 && i < recorders[r].count; i++, count++) {
			words[count] = 0;
			reg_read(ITANIUM_PMD(recorders[r].data_register[i]), &words[count]);
		}
	itanium_monitor()->sampled |= (uint8_t)mine;
	return count;
}

//
// Explanation of a payload
//

// Tables 6-18 and 6-20.
static struct payload_part *explain_data(struct payload_part *p, bool tlb, const uint64_t *words)
{
	const uint64_t valid = FIELD_GET(PMD17, valid, words[2]);

	*p++ = (struct payload_part){"valid", valid, PAYLOAD_NUMBER, NULL};
	if (!valid)
		return p;
	*p++ = (struct payload_part){"ip", words[2] & -BUNDLE_BYTES, PAYLOAD_ADDRESS, NULL};
	*p++ = (struct payload_part){"slot", FIELD_GET(PMD17, slot, words[2]), PAYLOAD_NUMBER,
				     NULL};
	*p++ = (struct payload_part){"address", words[0], PAYLOAD_ADDRESS, NULL};
	*p++ = tlb ? (struct payload_part){"level", FIELD_GET(PMD3, level, words[1]),
					   PAYLOAD_NUMBER, NULL} :
		     (struct payload_part){"latency", FIELD_GET(PMD3, latency, words[1]),
					   PAYLOAD_NUMBER, NULL};
	return p;
}

// Tables 6-13 and 6-15. The page walker (level 2) or software (3) served an instruction TLB miss;
// the level numbers are those of the data recorder.
static struct payload_part *explain_instruction(struct payload_part *p, bool tlb,
						const uint64_t *words)
{
	const uint64_t valid = FIELD_GET(PMD0, v, words[0]);

	*p++ = (struct payload_part){"valid", valid, PAYLOAD_NUMBER, NULL};
	if (!valid)
		return p;
	*p++ = (struct payload_part){"line", words[0] & ~FIELD_MASK(0, PMD0_address_LOW),
				     PAYLOAD_ADDRESS, NULL};
	*p++ = tlb ? (struct payload_part){"level", 2 + FIELD_GET(PMD0, tlb, words[0]),
					   PAYLOAD_NUMBER, NULL} :
		     (struct payload_part){"latency", FIELD_GET(PMD1, latency, words[1]),
					   PAYLOAD_NUMBER, NULL};
	return p;
}

#define SLOT_NOT_TAKEN 3

// Table 6-22. An entry with both bits 0 is not valid.
static struct payload_part *explain_branch(struct payload_part *p, uint64_t entry)
{
	const uint64_t address = entry & -BUNDLE_BYTES, mispredicted = FIELD_GET(PMD8, mp, entry);

	if (entry & FIELD(PMD8, b)) {
		*p++ = (struct payload_part){"branch", address, PAYLOAD_ADDRESS, NULL};
		*p++ = FIELD_GET(PMD8, slot, entry) == SLOT_NOT_TAKEN ?
			(struct payload_part){"taken", 0, PAYLOAD_NUMBER, NULL} :
			(struct payload_part){"slot", FIELD_GET(PMD8, slot, entry), PAYLOAD_NUMBER,
					      NULL};
		*p++ = (struct payload_part){"mispredicted", mispredicted, PAYLOAD_NUMBER, NULL};
	} else if (mispredicted) {
		*p++ = (struct payload_part){"target", address, PAYLOAD_ADDRESS, NULL};
	}
	return p;
}

// Oldest branch first. The index names the next entry to be written; after a wrap this is the
// oldest one. The part `last` is the entry written last, 8 + ((8 * full + bbi - 1) % 8) (6.2.8.2);
// there is none if both fields are 0.
static struct payload_part *explain_trace(struct payload_part *p, const uint64_t *words)
{
	const unsigned next = (unsigned)FIELD_GET(PMD16, bbi, words[0]);
	const bool full = words[0] & FIELD(PMD16, full);
	const unsigned count = full ? ITANIUM_TRACE_ENTRIES : next, first = full ? next : 0;

	for (unsigned i = 0; i < count; i++)
		p = explain_branch(p, words[1 + (first + i) % ITANIUM_TRACE_ENTRIES]);
	if (count)
		*p++ = (struct payload_part){"last",
					     8 + (first + count - 1) % ITANIUM_TRACE_ENTRIES,
					     PAYLOAD_REGISTER, "PMD"};
	return p;
}

// Returns the recorders of a request; 0 if the payload's number of words does not fit them, because
// another program wrote it.
static unsigned recorders_in(const struct event_request *r, unsigned count)
{
	const unsigned mine = itanium_recorders(r);
	unsigned expected = 0;

	for (unsigned i = 0; i < RECORDERS; i++)
		expected += mine >> i & 1 ? recorders[i].count : 0;
	return count == expected ? mine : 0;
}

unsigned itanium_explain_payload(const struct event_request *r, const uint64_t *words,
				 unsigned count, struct payload_part parts[PAYLOAD_PARTS])
{
	const unsigned mine = recorders_in(r, count);
	struct payload_part *p = parts;

	if (mine & RECORDER_DATA)
		p = explain_data(p, r->tlb, words);
	else if (mine & RECORDER_INSTRUCTION)
		p = explain_instruction(p, r->tlb, words);
	if (mine & RECORDER_BRANCHES)
		p = explain_trace(p, words + count - recorders[2].count);
	return (unsigned)(p - parts);
}

// The load that missed, or the line that was fetched. The recorder has its address, so the
// interrupt's delay does not matter.
struct pmu_location itanium_locate(const struct event_request *r, uint64_t ip,
				   const uint64_t *words, unsigned count)
{
	const unsigned mine = recorders_in(r, count);

	if (mine & RECORDER_DATA && words[2] & FIELD(PMD17, valid))
		return (struct pmu_location){(words[2] & -BUNDLE_BYTES) +
					     FIELD_GET(PMD17, slot, words[2]), PMU_PLACE_SAMPLED};
	if (!(mine & RECORDER_DATA) && mine & RECORDER_INSTRUCTION && words[0] & FIELD(PMD0, v))
		return (struct pmu_location){words[0] & ~FIELD_MASK(0, PMD0_address_LOW),
					     PMU_PLACE_LINE};
	return (struct pmu_location){ip, PMU_PLACE_INTERRUPTED};
}
