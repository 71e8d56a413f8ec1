/* SPDX-License-Identifier: BSD-2-Clause */
/* 128-bit long doubles in memory, the more significant half first: functions for the compiler,
 * called by libc.S and programs. */
#ifndef SPARC64_QUAD_H
#define SPARC64_QUAD_H

#include <stdint.h>

void _Qp_add(uint64_t result[2], const uint64_t a[2], const uint64_t b[2]);
void _Qp_sub(uint64_t result[2], const uint64_t a[2], const uint64_t b[2]);
void _Qp_mul(uint64_t result[2], const uint64_t a[2], const uint64_t b[2]);
void _Qp_div(uint64_t result[2], const uint64_t a[2], const uint64_t b[2]);

/* 0 equal, 1 less, 2 greater, 3 not comparable. */
int _Qp_cmp(const uint64_t a[2], const uint64_t b[2]);
int _Qp_cmpe(const uint64_t a[2], const uint64_t b[2]);
int _Qp_feq(const uint64_t a[2], const uint64_t b[2]);
int _Qp_fne(const uint64_t a[2], const uint64_t b[2]);
int _Qp_flt(const uint64_t a[2], const uint64_t b[2]);
int _Qp_fle(const uint64_t a[2], const uint64_t b[2]);
int _Qp_fgt(const uint64_t a[2], const uint64_t b[2]);
int _Qp_fge(const uint64_t a[2], const uint64_t b[2]);

/* Conversions to and from integers: towards 0; to the nearest long double. */
void _Qp_xtoq(uint64_t result[2], int64_t value);
void _Qp_uxtoq(uint64_t result[2], uint64_t value);
void _Qp_itoq(uint64_t result[2], int32_t value);
void _Qp_uitoq(uint64_t result[2], uint32_t value);
int64_t _Qp_qtox(const uint64_t q[2]);
uint64_t _Qp_qtoux(const uint64_t q[2]);
int32_t _Qp_qtoi(const uint64_t q[2]);
uint32_t _Qp_qtoui(const uint64_t q[2]);

/* Conversions from and to the bits of the shorter formats. */
uint64_t quad_to_double(const uint64_t q[2]);
uint32_t quad_to_float(const uint64_t q[2]);
void quad_from_double(uint64_t result[2], uint64_t bits);
void quad_from_float(uint64_t result[2], uint32_t bits);

#endif
