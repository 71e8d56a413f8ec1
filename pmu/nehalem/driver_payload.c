// SPDX-License-Identifier: BSD-2-Clause
// Payloads of the Core i7 / Xeon 5500 core's samples: decodes registers, a load's latency and
// branches, and finds the sampled instruction.

#include "driver.h"
#include "event.h"
#include "field.h"
#include "pmu_driver.h"
#include "regs.h"

// Parts of a payload. NULL: not present.
struct contents {
	const uint64_t *record, *branches;
	unsigned branch_count;
	bool captured;			// the payload has branches, possibly 0
};

// Returns false if the payload's length is not one that this driver writes.
static bool open_payload(const uint64_t *words, unsigned count, struct contents *c)
{
	unsigned at = 1;

	*c = (struct contents){0};
	if (!count)
		return false;
	if (words[0] & NEHALEM_PAYLOAD_RECORD) {
		c->record = &words[at];
		at += NEHALEM_PEBS_WORDS;
	}
	c->captured = words[0] & NEHALEM_PAYLOAD_BRANCHES;
	c->branches = &words[at];
	c->branch_count = words[0] >> NEHALEM_PAYLOAD_COUNT_LOW & 0xFF;
	return at + 2 * c->branch_count == count;
}

//
// The sampled instruction
//

// Events of Tables 3 and 4 at the retirement of loads and stores (the guide, "Precise Memory Access
// Events"): the access, and the part of the memory system that served it, if all of the event's
// accesses have the same one. Modified lines of another package count as its memory.
static const struct memory_event {
	uint16_t code;
	uint8_t umask;			// its only bits
	enum payload_access access;
	enum payload_served served;
} memory_events[] = {
	{NEHALEM_EVENT_MEMORY_INSTRUCTIONS, 0x01, PAYLOAD_LOAD, SERVED_UNKNOWN},
	{NEHALEM_EVENT_MEMORY_INSTRUCTIONS, 0x02, PAYLOAD_STORE, SERVED_UNKNOWN},
	{NEHALEM_EVENT_LOAD_LATENCY, NEHALEM_UMASK_LOAD_LATENCY, PAYLOAD_LOAD, SERVED_UNKNOWN},
	{NEHALEM_EVENT_LOADS, 0x01, PAYLOAD_LOAD, SERVED_L1},
	{NEHALEM_EVENT_LOADS, 0x02, PAYLOAD_LOAD, SERVED_L2},
	{NEHALEM_EVENT_LOADS, 0x04, PAYLOAD_LOAD, SERVED_L3},
	{NEHALEM_EVENT_LOADS, 0x40, PAYLOAD_LOAD, SERVED_FILL_BUFFER},
	{NEHALEM_EVENT_LOADS, 0xFF, PAYLOAD_LOAD, SERVED_UNKNOWN},
	{NEHALEM_EVENT_UNCORE_LOADS, 0x02, PAYLOAD_LOAD, SERVED_L3_MODIFIED},
	{NEHALEM_EVENT_UNCORE_LOADS, 0x08, PAYLOAD_LOAD, SERVED_REMOTE_CLEAN},
	{NEHALEM_EVENT_UNCORE_LOADS, 0x10, PAYLOAD_LOAD, SERVED_REMOTE_MEMORY},
	{NEHALEM_EVENT_UNCORE_LOADS, 0x20, PAYLOAD_LOAD, SERVED_MEMORY},
	{NEHALEM_EVENT_UNCORE_LOADS, 0x80, PAYLOAD_LOAD, SERVED_UNCACHEABLE},
	{NEHALEM_EVENT_UNCORE_LOADS, 0xFF, PAYLOAD_LOAD, SERVED_UNKNOWN},
	{NEHALEM_EVENT_STORES, 0xFF, PAYLOAD_STORE, SERVED_UNKNOWN},
};

// Returns the event's first row. NULL: it is no event of loads or of stores, or of both.
static const struct memory_event *memory_event(const struct event_request *r)
{
	for (size_t i = 0; i < sizeof memory_events / sizeof *memory_events; i++)
		if (memory_events[i].code == r->event->code &&
		    !(r->umask & ~memory_events[i].umask))
			return &memory_events[i];
	return NULL;
}

// Whether the sampled instructions load or store.
static bool is_memory_event(const struct event_request *r)
{
	return memory_event(r) || r->event->code == NEHALEM_EVENT_MEMORY_INSTRUCTIONS;
}

// Near calls are always taken.
static bool is_call_event(const struct event_request *r)
{
	return r->event->code == NEHALEM_EVENT_BRANCHES && r->umask == NEHALEM_UMASK_NEAR_CALL;
}

// True if a sampled taken branch must be the youngest branch record, because the filter excludes
// none of its kind.
static bool knows_branches(const struct event_request *r, const struct contents *c)
{
	const uint64_t calls = FIELD(LBR_SELECT, NEAR_REL_CALL) |
		FIELD(LBR_SELECT, NEAR_INDIRECT_CALL) |
			       FIELD(LBR_SELECT, CPL_EQ_0) | FIELD(LBR_SELECT, CPL_NEQ_0);

	return c->captured && !(is_call_event(r) ? r->branches & calls : r->branches);
}

// Returns the address of a branch, without the misprediction flag in bit 63.
static uint64_t source_of(const uint64_t *branch)
{
	return (uint64_t)((int64_t)(branch[0] << 1) >> 1);
}

// Returns the youngest branch record if its target is this address, else NULL.
static const uint64_t *branch_to(uint64_t ip, const struct contents *c)
{
	const uint64_t *youngest = c->branch_count ? &c->branches[2 * (c->branch_count - 1)] : NULL;

	return youngest && youngest[1] == ip ? youngest : NULL;
}

// The address in a record is that of the next instruction. If the branch records show whether a
// branch led there, the sampled instruction is known: that branch, or else the instruction that
// ends at the address (the guide, "Precise Execution Events"). For loads and stores the latter is
// known without branch records: "one simply moves the samples up one instruction". An event with a
// threshold belongs to a cycle, not to an instruction.
struct pmu_location nehalem_locate(const struct event_request *r, uint64_t ip,
				   const uint64_t *words, unsigned count)
{
	const uint64_t *branch;
	struct contents c;
	bool known;

	if (!open_payload(words, count, &c) || !c.record)
		return (struct pmu_location){ip, PMU_PLACE_INTERRUPTED};
	known = knows_branches(r, &c);
	branch = known ? branch_to(ip, &c) : NULL;
	if (branch && !r->cmask)
		return (struct pmu_location){source_of(branch), PMU_PLACE_SAMPLED};
	if (!r->cmask && (is_memory_event(r) || (known && !is_call_event(r))))
		return (struct pmu_location){ip - 1, PMU_PLACE_SAMPLED};
	return (struct pmu_location){ip, PMU_PLACE_NEXT};
}

//
// Decoding
//

static const char *const registers[NEHALEM_PEBS_STATUS] = {
	"flags", "ip", "ax", "bx", "cx", "dx", "si", "di", "bp", "sp", "r8", "r9", "r10", "r11",
	"r12", "r13", "r14",
	"r15",
};

// The guide's Table 5 lists all sources.
static const struct {
	const char *text;
	enum payload_served served;
} sources[] = {
	{"a miss, of an unknown kind", SERVED_UNKNOWN},
	{"this core's first-level cache", SERVED_L1},
	{"a fill buffer: the line was on its way", SERVED_FILL_BUFFER},
	{"this core's second-level cache", SERVED_L2},
	{"the last-level cache, no other core asked", SERVED_L3},
	{"the last-level cache, another core's clean copy", SERVED_L3_CLEAN},
	{"the last-level cache, another core's modified copy", SERVED_L3_MODIFIED},
	{"the last-level cache, no details (not supported)", SERVED_L3},
	{"another package's cache, a clean copy of local memory", SERVED_REMOTE_CLEAN},
	{"another package's cache, a modified copy (not supported)", SERVED_REMOTE_MODIFIED},
	{"local memory, the line is shared now", SERVED_MEMORY_SHARED},
	{"remote memory, the line is shared now", SERVED_REMOTE_MEMORY_SHARED},
	{"local memory, the line is exclusive now", SERVED_MEMORY},
	{"remote memory, the line is exclusive now", SERVED_REMOTE_MEMORY},
	{"input or output", SERVED_IO},
	{"uncacheable memory", SERVED_UNCACHEABLE},
};

static enum payload_kind record_kind(unsigned word)
{
	if (word == NEHALEM_PEBS_IP)
		return PAYLOAD_ADDRESS;
	return word < NEHALEM_PEBS_IP ? PAYLOAD_NUMBER : PAYLOAD_CONTENTS;
}

static struct payload_part *explain_record(struct payload_part *p, const uint64_t *record)
{
	for (unsigned i = 0; i < NEHALEM_PEBS_STATUS; i++)
		*p++ = (struct payload_part){registers[i], record[i], record_kind(i), NULL};
	return p;
}

static struct payload_part *explain_access(struct payload_part *p, const struct memory_event *m)
{
	*p++ = (struct payload_part){"access", m->access, PAYLOAD_NUMBER, NULL};
	if (m->served != SERVED_UNKNOWN)
		*p++ = (struct payload_part){"served", m->served, PAYLOAD_NUMBER, NULL};
	return p;
}

static struct payload_part *explain_load(struct payload_part *p, const uint64_t *record)
{
	const uint64_t source = record[NEHALEM_PEBS_SOURCE] & 0xF;

	*p++ = (struct payload_part){"address", record[NEHALEM_PEBS_ADDRESS], PAYLOAD_ADDRESS,
				     NULL};
	*p++ = (struct payload_part){"source", source, PAYLOAD_CODE, sources[source].text};
	*p++ = (struct payload_part){"served", sources[source].served, PAYLOAD_NUMBER, NULL};
	*p++ = (struct payload_part){"latency", record[NEHALEM_PEBS_LATENCY], PAYLOAD_NUMBER, NULL};
	return p;
}

static struct payload_part *explain_branches(struct payload_part *p, const uint64_t *branches,
					     unsigned count)
{
	for (const uint64_t *b = branches, *end = b + 2 * count; b < end; b += 2) {
		*p++ = (struct payload_part){"branch", source_of(b), PAYLOAD_ADDRESS, NULL};
		*p++ = (struct payload_part){"mispredicted",
					     FIELD_GET(LASTBRANCH_FROM_IP, MISPRED, b[0]),
					     PAYLOAD_NUMBER, NULL};
		*p++ = (struct payload_part){"target", b[1], PAYLOAD_ADDRESS, NULL};
	}
	return p;
}

unsigned nehalem_explain_payload(const struct event_request *r, const uint64_t *words,
				 unsigned count, struct payload_part parts[PAYLOAD_PARTS])
{
	struct payload_part *p = parts;
	struct contents c;

	if (!open_payload(words, count, &c) || c.branch_count > NEHALEM_BRANCH_RECORDS)
		return 0;
	if (c.record)
		p = explain_record(p, c.record);
	if (c.record && r->event->setting_address == MSR_PEBS_LD_LAT)
		p = explain_load(p, c.record);
	if (c.record && !r->cmask && memory_event(r))
		p = explain_access(p, memory_event(r));
	p = explain_branches(p, c.branches, c.branch_count);
	return (unsigned)(p - parts);
}
