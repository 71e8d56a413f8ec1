// SPDX-License-Identifier: BSD-2-Clause
// For images compiled with -march=x86-64 (GCC manual, "x86 Options").

#include "x86/features.h"

const struct x86_feature x86_features[] = {X86_FEATURES_OF_ALL, X86_FEATURES_OF_SSE2};
const size_t x86_feature_count = sizeof x86_features / sizeof *x86_features;
