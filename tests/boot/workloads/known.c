// SPDX-License-Identifier: BSD-2-Clause
// Code of known length at level 3, longer on each thread: on thread t, with n = 100,000 + 12,345 t,
// 2 n + 7 instructions, plus the call and the INT around it: 2 n + 9.

#include "layout.h"

#define TEXT(x)		#x
#define NUMBER(x)	TEXT(x)

__asm__(".text\n"
	".global workload\n"
	".type workload, @function\n"
	"workload:\n"
	"str	%eax\n"				// the thread's number: hal_cpu_user
	"sub	$" NUMBER(SEGMENT_TSS) ", %eax\n"
	"shr	$" NUMBER(CPU_SEGMENTS_SHIFT) ", %eax\n"
	"imul	$12345, %eax, %ecx\n"
	"add	$100000, %ecx\n"
	"1: sub	$1, %ecx\n"
	"jnz	1b\n"
	"xor	%eax, %eax\n"
	"ret\n"
	".size workload, . - workload\n");
