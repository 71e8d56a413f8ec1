// SPDX-License-Identifier: BSD-2-Clause
// Branch records in registers: requests them, attaches them to samples, keeps them in contexts.

#include "driver.h"

#define FLAG_MISPREDICTED	(1ULL << 63)

static bool is_architectural(void)
{
	return intel_found.lbr.control == MSR_IA32_LBR_CTL;
}

unsigned intel_branch_records(void)
{
	return intel_found.lbr.depth;
}

PMU_RARE bool intel_reset_branches(void)
{
	if (!intel_found.lbr.depth)
		return true;
	if (is_architectural())		// the write of the depth clears the records
		return reg_write(MSR_IA32_LBR_CTL, 0) &
		       reg_write(MSR_IA32_LBR_DEPTH, intel_found.lbr.depth);
	return reg_write(MSR_LBR_SELECT, 0) & lbr_forget(&intel_found.lbr);
}

//
// Requests
//

static struct pmu_setting *need(struct pmu_setting *s, uint32_t address, uint64_t mask,
				uint64_t value)
{
	*s = (struct pmu_setting){.address = address, .mask = mask, .value = value};
	return s + 1;
}

#define RECORDED(excluded, recorded) \
	| (r->branches & FIELD(LBR_SELECT, excluded) ? 0 : FIELD(IA32_LBR_CTL, recorded))
#define CONTROL(excluded, recorded)	| FIELD(IA32_LBR_CTL, recorded)

// A processor without filters records all branches, and reserves their bits.
static struct pmu_setting *need_architectural(struct pmu_setting *s, const struct event_request *r)
{
	const uint64_t enable = FIELD(IA32_LBR_CTL, LBREn);
	const bool filters = intel_found.lbr_filters;

	return need(s, MSR_IA32_LBR_CTL, enable | (filters ? 0 INTEL_BRANCH_KINDS(CONTROL) : 0),
		    enable | (filters ? 0 INTEL_BRANCH_KINDS(RECORDED) : 0));
}

// From version 4 on, the interrupt sets LBR_Frz in the status. A write of this bit to
// IA32_PERF_GLOBAL_STATUS_RESET, which reads as 0, ends the freeze: at the open, and by pmu_resume
// at the end of each interrupt. Before version 4 the interrupt clears IA32_DEBUGCTL.LBR.
PMU_RARE static unsigned needed_settings(const struct event_request *r, unsigned counter,
					 struct pmu_setting settings[PMU_EVENT_SETTINGS])
{
	const uint64_t record = (is_architectural() ? 0 : FIELD(IA32_DEBUGCTL, LBR)) |
		FIELD(IA32_DEBUGCTL, FREEZE_LBRS_ON_PMI);
	const uint64_t frozen = FIELD(IA32_PERF_GLOBAL_STATUS, LBR_Frz);
	struct pmu_setting *s = settings;

	(void)counter;
	if (!(r->modifiers & EVENT_BRANCHES))
		return 0;
	if (!is_architectural())
		s = need(s, MSR_LBR_SELECT, REGISTER_BITS(LBR_SELECT, RW), r->branches);
	if (intel_found.streamlined)
		s = need(s, MSR_IA32_PERF_GLOBAL_STATUS_RESET, frozen, frozen);
	s = need(s, MSR_IA32_DEBUGCTL, record, record);
	if (is_architectural())
		s = need_architectural(s, r);
	return (unsigned)(s - settings);
}

const struct pmu_settings intel_settings = {.needed = needed_settings};

//
// Payloads
//

// The first word of a payload contains the number of branches, and whether the format has flags and
// cycles. A source and a target follow for each branch, oldest first. Bit 63 of the source means
// mispredicted; bits 63 to 48 of the target are cycles. So 32 records of each format fit.
#define PAYLOAD_FLAGS		(1u << 8)
#define PAYLOAD_CYCLES		(1u << 9)
#define CYCLES_LOW		48

static uint64_t canonical(uint64_t address)
{
	return (uint64_t)((int64_t)(address << 16) >> 16);
}

static void pack(const struct intel_format *f, const uint64_t record[3], uint64_t words[2])
{
	const uint64_t flags = f->info ? record[2] : record[0] & f->flags;
	uint64_t cycles = f->info ? FIELD_GET(LBR_INFO, CYC_CNT, record[2]) :
		f->cycles ? record[1] >> CYCLES_LOW : 0;

	if (is_architectural() && !(record[2] & FIELD(IA32_LBR_INFO, CYC_CNT_VALID)))
		cycles = 0;
	words[0] = (canonical(record[0]) & ~FLAG_MISPREDICTED) | (flags & FLAG_MISPREDICTED);
	words[1] = (record[1] & FIELD(LASTBRANCH_TO_IP, ADDRESS)) | cycles << CYCLES_LOW;
}

unsigned intel_payload(const struct pmu_counter *c, uint64_t words[PMU_PAYLOAD_WORDS])
{
	const struct lbr_stack *s = &intel_found.lbr;
	const struct intel_format *f = intel_format(intel_found.lbr_format);
	bool ok = true;
	const uint64_t top = lbr_top(s, &ok);
	uint64_t record[3];
	unsigned count = 0;

	(void)c;
	for (unsigned age = s->depth; age-- > 0;)
		if (lbr_read_record(s, lbr_number(s, top, age), record, &ok))
			pack(f, record, &words[1 + 2 * count++]);
	words[0] = count | (f->info || f->flags ? PAYLOAD_FLAGS : 0) |
		(f->info || f->cycles ? PAYLOAD_CYCLES : 0);
	if (!ok)
		pmu_register_faulted(pmu_this_cpu());
	return 1 + 2 * count;
}

static struct payload_part *explain_branch(struct payload_part *p, uint64_t first,
					   const uint64_t *b)
{
	*p++ = (struct payload_part){"branch", canonical(b[0]), PAYLOAD_ADDRESS, NULL};
	if (first & PAYLOAD_FLAGS)
		*p++ = (struct payload_part){"mispredicted", !!(b[0] & FLAG_MISPREDICTED),
					     PAYLOAD_NUMBER, NULL};
	*p++ = (struct payload_part){"target", canonical(b[1]), PAYLOAD_ADDRESS, NULL};
	if (first & PAYLOAD_CYCLES)
		*p++ = (struct payload_part){"cycles", b[1] >> CYCLES_LOW, PAYLOAD_NUMBER, NULL};
	return p;
}

unsigned intel_explain(const struct event_request *r, const uint64_t *words, unsigned count,
		       struct payload_part parts[PAYLOAD_PARTS])
{
	const uint64_t branches = count ? words[0] & 0xFF : 0;
	struct payload_part *p = parts;

	(void)r;
	if (branches > INTEL_BRANCH_RECORDS || 1 + 2 * branches != count)
		return 0;
	for (uint64_t i = 0; i < branches; i++)
		p = explain_branch(p, words[0], &words[1 + 2 * i]);
	return (unsigned)(p - parts);
}

//
// Contexts
//

PMU_RARE bool intel_save_branches(uint64_t values[PMU_RECORDED])
{
	return lbr_save(&intel_found.lbr, values);
}

PMU_RARE bool intel_restore_branches(const uint64_t values[PMU_RECORDED])
{
	return !intel_found.lbr.depth || lbr_write(&intel_found.lbr, values);
}
