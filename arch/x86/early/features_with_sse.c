// SPDX-License-Identifier: BSD-2-Clause
// Features that GCC assumes of a processor with SSE4.2 and POPCNT (GCC manual, "x86 Options",
// -march).

#include "x86/features.h"

const struct x86_feature x86_features[] = {
	X86_FEATURES_OF_ALL,
	X86_FEATURES_OF_SSE2,
	{"SSE3", CPUID_FEATURES, X86_ECX, 0},
	{"SSSE3", CPUID_FEATURES, X86_ECX, 9},
	{"CMPXCHG16B", CPUID_FEATURES, X86_ECX, 13},
	{"SSE4.1", CPUID_FEATURES, X86_ECX, 19},
	{"SSE4.2", CPUID_FEATURES, X86_ECX, 20},
	{"POPCNT", CPUID_FEATURES, X86_ECX, 23},
};
const size_t x86_feature_count = sizeof x86_features / sizeof *x86_features;
