/* SPDX-License-Identifier: BSD-2-Clause */
/* Header of every unit test: cmocka and the four headers that it requires. */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
