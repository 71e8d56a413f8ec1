/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch records in registers of x86 processors, for drivers: reads, saves and restores them, and
 * checks the conditions of requests. SDM volume 3B, "Last Branch, Interrupt, and Exception
 * Recording". */
#ifndef LBR_H
#define LBR_H

#include <string.h>

#include "event.h"
#include "hal.h"
#include "pmu_driver.h"
#include "pmu_unit.h"

/* The registers of a processor's branch records. */
struct lbr_stack {
	uint32_t control;	/* its bit 0 enables recording */
	uint32_t top;		/* number of the youngest record; 0: it is always record 0 */
	uint32_t from, to;	/* first source; first target */
	uint32_t info;		/* first one with flags and cycles; 0: none */
	unsigned depth;		/* records, at most 32; with `top` a power of two */
	uint64_t copies;	/* bits of a source that are recorded as 0, but must be written as
				 * copies of bit 60 */
};

#define LBR_SIGN	(1ULL << 60)

#define LBR_ENABLE	1ULL
#define LBR_DEPTH_MOST	32

/* Words of a record: source, target, and flags if the processor has `info`. */
static inline unsigned lbr_words(const struct lbr_stack *s)
{
	return s->info ? 3 : 2;
}

/* Returns the number of a record by its age; 0 is the youngest. */
static inline uint32_t lbr_number(const struct lbr_stack *s, uint64_t top, unsigned age)
{
	return s->top ? ((uint32_t)top - age) & (s->depth - 1) : age;
}

static inline uint64_t lbr_top(const struct lbr_stack *s, bool *ok)
{
	uint64_t top = 0;

	if (s->top)
		*ok &= reg_read(s->top, &top);
	return top;
}

/* Reads one record: source, target, flags (0 without `info`). Returns false if it is empty.
 * Recording must be stopped. */
static inline bool lbr_read_record(const struct lbr_stack *s, uint32_t number, uint64_t record[3],
				   bool *ok)
{
	record[0] = record[1] = record[2] = 0;
	*ok &= reg_read(s->from + number, &record[0]);
	*ok &= reg_read(s->to + number, &record[1]);
	if (!(record[0] | record[1]))
		return false;
	if (s->info)
		*ok &= reg_read(s->info + number, &record[2]);
	return true;
}

/* Reads each record, oldest first, lbr_words of it. Returns their number. */
static inline unsigned lbr_read(const struct lbr_stack *s, uint64_t *words, bool *ok)
{
	const uint64_t top = lbr_top(s, ok);
	uint64_t record[3], *at = words;

	for (unsigned age = s->depth; age-- > 0;)
		if (lbr_read_record(s, lbr_number(s, top, age), record, ok))
			for (unsigned i = 0; i < lbr_words(s); i++)
				*at++ = record[i];
	return (unsigned)(at - words) / lbr_words(s);
}

/* Writes records as lbr_read stores them; the words after the last one are 0. With fewer than
 * `depth` records, the oldest ones stay empty. Leaves recording as it is. */
static inline bool lbr_write(const struct lbr_stack *s, const uint64_t *words)
{
	const unsigned size = lbr_words(s);
	uint64_t control = 0, top;
	unsigned count = 0;
	bool ok = reg_read(s->control, &control);

	while (count < s->depth && words[size * count] | words[size * count + 1])
		count++;
	ok &= reg_write(s->control, control & ~LBR_ENABLE);
	top = lbr_top(s, &ok);
	for (unsigned age = 0; age < s->depth; age++) {
		const uint32_t number = lbr_number(s, top, age);
		const uint64_t *of = age < count ? &words[size * (count - 1 - age)] :
			(const uint64_t[]){0, 0, 0};

		ok &= reg_write(s->from + number, of[0] | (of[0] & LBR_SIGN ? s->copies : 0));
		ok &= reg_write(s->to + number, of[1]);
		if (s->info)
			ok &= reg_write(s->info + number, of[2]);
	}
	return reg_write(s->control, control) && ok;
}

/* Clears all records, unless the youngest is empty: then all are. */
static inline bool lbr_forget(const struct lbr_stack *s)
{
	static const uint64_t nothing[PMU_RECORDED];
	uint64_t from = 0;
	bool ok = true;

	ok &= reg_read(s->from + lbr_number(s, lbr_top(s, &ok), 0), &from);
	return from ? lbr_write(s, nothing) && ok : ok;
}

/* Saves a context's records, the oldest branch first, because the youngest record can have another
 * number when it is restored. Stops recording. */
static inline bool lbr_save(const struct lbr_stack *s, uint64_t values[PMU_RECORDED])
{
	uint64_t control = 0;
	bool ok;

	memset(values, 0, PMU_RECORDED * sizeof *values);
	if (!pmu_this_cpu()->set_sessions)
		return true;
	ok = reg_read(s->control, &control) && reg_write(s->control, control & ~LBR_ENABLE);
	lbr_read(s, values, &ok);
	return ok;
}

/* The conditions of requests (event_request.branches): bits of LBR_SELECT, each of which leaves
 * branches out. */
#define LBR_LEVELS	0x003u
#define LBR_KINDS	0x1FCu

/* Returns why a request's conditions are invalid. NULL: they are valid. */
static inline const char *lbr_objection(const struct event_request *r)
{
	if (!(r->modifiers & EVENT_BRANCHES))
		return r->branches ? "conditions of branch records are lbr=N" : NULL;
	if (!r->period)
		return "branch records come with samples: they need a period";
	if (r->branches & ~(LBR_LEVELS | LBR_KINDS))
		return "conditions of branch records are bits 8 to 0, each of which leaves "
		       "branches out";
	if ((r->branches & LBR_LEVELS) == LBR_LEVELS || (r->branches & LBR_KINDS) == LBR_KINDS)
		return "these conditions of branch records leave all branches out";
	return NULL;
}

#endif
