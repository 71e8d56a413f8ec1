/* SPDX-License-Identifier: BSD-2-Clause */
/* What every unit test includes: cmocka, which wants these four headers before its own. */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
