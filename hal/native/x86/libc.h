/* SPDX-License-Identifier: BSD-2-Clause */
/* What the C library needs before it is used. */
#ifndef LIBC_H
#define LIBC_H

void libc_start(void);

#endif
