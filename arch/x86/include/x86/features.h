/* SPDX-License-Identifier: BSD-2-Clause */
/* Features that an image needs of its processor, as CPUID bits (SDM volume 2A, CPUID; AMD64 volume
 * 3, appendix E). The image's compiler options determine which table is linked. */
#ifndef X86_FEATURES_H
#define X86_FEATURES_H

#include <stddef.h>
#include <stdint.h>

#define CPUID_FEATURES		1u
#define CPUID_MONITORING	0xAu
#define CPUID_MONITORING_AMD	0x80000022u	/* AMD64 manual volume 3, appendix E */
#define CPUID_EXTENDED		0x80000000u
#define CPUID_EXTENDED_FEATURES	0x80000001u

enum x86_cpuid_register { X86_ECX, X86_EDX };

struct x86_feature {
	const char *name;
	uint32_t leaf;
	enum x86_cpuid_register in;
	unsigned bit;
};

extern const struct x86_feature x86_features[];
extern const size_t x86_feature_count;

#define X86_FEATURE_TSC {"TSC", CPUID_FEATURES, X86_EDX, 4}

/* Features that every image needs to enter 64-bit mode and to run. */
#define X86_FEATURES_OF_ALL							\
	{"long mode", CPUID_EXTENDED_FEATURES, X86_EDX, 29},			\
	{"PAE", CPUID_FEATURES, X86_EDX, 6},					\
	{"NX", CPUID_EXTENDED_FEATURES, X86_EDX, 20},				\
	{"LAHF", CPUID_EXTENDED_FEATURES, X86_ECX, 0},				\
	{"APIC", CPUID_FEATURES, X86_EDX, 9},					\
	{"MSR", CPUID_FEATURES, X86_EDX, 5},					\
	X86_FEATURE_TSC,							\
	{"FPU", CPUID_FEATURES, X86_EDX, 0}

/* Features that GCC assumes of every x86-64 processor, unless options exclude them. */
#define X86_FEATURES_OF_SSE2							\
	{"CMOV", CPUID_FEATURES, X86_EDX, 15},					\
	{"MMX", CPUID_FEATURES, X86_EDX, 23},					\
	{"FXSR", CPUID_FEATURES, X86_EDX, 24},					\
	{"SSE", CPUID_FEATURES, X86_EDX, 25},					\
	{"SSE2", CPUID_FEATURES, X86_EDX, 26}

#endif
