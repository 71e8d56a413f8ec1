/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions on the bus (7.6.5), and the answers of the other processor's cache to those of this
 * processor (table 7-24). */
#ifndef IA64_BUS_H
#define IA64_BUS_H

#include <stdint.h>

struct machine;
struct occurrence;

/* By their names in table 7-23. */
enum ia64_transaction {
	TRANSACTION_BRL_CODE, TRANSACTION_BRL_DATA, TRANSACTION_BRIL, TRANSACTION_BWL,
	TRANSACTION_BIL, TRANSACTION_BRP, TRANSACTION_BWP,
};

/* Raises the events of a transaction. `initiator`: SUB_SELF, SUB_ANY (the other processor), or
 * SUB_IO. The other processor's cache answers a transaction of this processor. */
void ia64_transact(struct machine *m, const struct occurrence *o, enum ia64_transaction t,
		   unsigned initiator, uint64_t address);

#endif
