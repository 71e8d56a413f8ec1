// SPDX-License-Identifier: BSD-2-Clause
// A bundle of reserved template 06H.
	.text
	.global _start
_start:
	data8 6, 0
