// SPDX-License-Identifier: BSD-2-Clause
// For images whose target has a file of options (pentium.options): only 64-bit mode and the
// Pentium's instructions.

#include "x86/features.h"

const struct x86_feature x86_features[] = {X86_FEATURES_OF_ALL};
const size_t x86_feature_count = sizeof x86_features / sizeof *x86_features;
