// SPDX-License-Identifier: BSD-2-Clause
// Data and instruction breakpoints (manual, volume 2, section 7.1). While PSR.db is 1 no page
// counts as recently used, and instructions execute one at a time, so each address is checked here.
// While PSR.db is 0 none is.

#include "breakpoints.h"

#include "machine.h"
#include "monitor.h"

#define PAIRS		4
#define ALWAYS_COMPARED	(255ULL << 56)
#define DBR_W		(1ULL << 62)
#define DBR_R		(1ULL << 63)
#define IBR_X		(1ULL << 63)

// Whether a pair of registers matches one of `size` bytes at this level. A pair holds an address, a
// mask of its significant bits, levels and kinds of access.
static bool matches(struct machine *m, uint32_t file, uint64_t address, unsigned size,
		    uint64_t kinds, unsigned level)
{
	for (uint32_t i = file; m->monitored && i < file + 2 * PAIRS; i += 2) {
		uint64_t breakpoint, condition;

		if (!vpmu_read(&m->pmu, i, &breakpoint) || !vpmu_read(&m->pmu, i + 1, &condition))
			continue;
		if (!(condition & kinds) || !(condition >> (56 + level) & 1))
			continue;
		for (unsigned byte = 0; byte < size; byte++)
			if (!(((address + byte) ^ breakpoint) & (condition | ALWAYS_COMPARED)))
				return true;
	}
	return false;
}

bool ia64_data_breaks(struct machine *m, uint64_t address, unsigned size, uint64_t access,
		      unsigned level)
{
	const uint64_t kinds = (access & ISR_R ? DBR_R : 0) | (access & ISR_W ? DBR_W : 0),
		code = access & 15;

	if (!(m->psr & PSR_DB) || m->psr & PSR_DD)
		return false;
	if (access & ISR_NA && code != (ACCESS_LFETCH & 15) && code != (ACCESS_PROBE_FAULT & 15))
		return false;
	if (!matches(m, FILE_DBR, address, size, kinds, level))
		return false;
	ia64_interrupt(m, VECTOR_DEBUG, access, address);
	return true;
}

// Bits 3:0 of an instruction breakpoint do not count: it matches if it names any byte of the
// bundle.
bool ia64_instruction_breaks(struct machine *m)
{
	if (!(m->psr & PSR_DB) || m->psr & PSR_ID ||
	    !matches(m, FILE_IBR, m->ip, BUNDLE_BYTES, IBR_X, ia64_level(m)))
		return false;
	ia64_interrupt(m, VECTOR_DEBUG, ISR_X, m->ip);
	return true;
}
