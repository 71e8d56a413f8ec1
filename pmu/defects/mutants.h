/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutants: defective models made from a target's lists, to prove its self test. Each field of each
 * register, and each event, is wrong in every way below. Linked into host programs only. */
#ifndef MUTANTS_H
#define MUTANTS_H

#include "defects.h"
#include "event.h"

#define MUTANT_NAME_MOST	96
#define MUTANT_ROWS_MOST	4

/*
 * Of a field, by its access kind:
 *	stuck-0, stuck-1	it reads, and the model receives, 0 or 1 in each bit
 *	stuck-reset		the same with its reset value, if that differs from both
 *	ignored			the model always receives its reset value; software reads the
 *				written value. A register whose value the hardware changes keeps
 *				it. W1C, W0C: writes clear nothing
 *	unchecked		RSVD: a written 1 does not fault
 *	swapped with FIELD	exchanged with the next field of the same width and access kind, or
 *				with the same field of the next register
 * Of an event: dead; on the next counter; at the other level (defects.h, EVENT_*).
 */
struct mutant {
	char name[MUTANT_NAME_MOST];	/* "PMC4.es stuck-0", "INST_RETIRED.ANY_P dead" */
	const char *equivalent;		/* why no software can see the mutant; NULL: some may */
	bool of_event;
	struct defect row[MUTANT_ROWS_MOST];
	size_t rows;
};

/* Stores the mutants of a defective state's model, and returns their number; those beyond `most`
 * are not stored. `readable`: whether reads of a register succeed. */
size_t mutants_of(const void *state, const struct pmu_event_table *events,
		  bool (*readable)(uint32_t address), struct mutant *list, size_t most);

#endif
