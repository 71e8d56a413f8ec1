/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares the C library for use. */
#ifndef LIBC_H
#define LIBC_H

void libc_start(void);

#endif
