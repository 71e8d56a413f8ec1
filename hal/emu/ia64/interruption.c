// SPDX-License-Identifier: BSD-2-Clause
// Raises interruptions (manual, volume 2, section 5.5); delivery.c takes them.

#include "interruption.h"

#include "machine.h"

enum outcome ia64_interrupt(struct machine *m, enum ia64_vector vector, uint64_t isr,
			    uint64_t address)
{
	const uint64_t incomplete = m->incomplete ? ISR_IR : 0;

	m->interruption = (struct ia64_interruption){vector, isr | ISR_EI(m->slot) | incomplete,
						     address};
	return OUTCOME_INTERRUPTION;
}

enum outcome ia64_illegal(struct machine *m)
{
	return ia64_interrupt(m, VECTOR_GENERAL_EXCEPTION, CODE_ILLEGAL_OPERATION, 0);
}

enum outcome ia64_privileged(struct machine *m)
{
	return ia64_interrupt(m, VECTOR_GENERAL_EXCEPTION, CODE_PRIVILEGED, 0);
}

enum outcome ia64_privileged_register(struct machine *m)
{
	return ia64_interrupt(m, VECTOR_GENERAL_EXCEPTION, CODE_PRIVILEGED_REGISTER, 0);
}

enum outcome ia64_reserved_register(struct machine *m)
{
	return ia64_interrupt(m, VECTOR_GENERAL_EXCEPTION, CODE_RESERVED_REGISTER, 0);
}

enum outcome ia64_nat_consumed(struct machine *m, uint64_t access)
{
	return ia64_interrupt(m, VECTOR_NAT_CONSUMPTION, CODE_NAT_REGISTER | access, 0);
}
