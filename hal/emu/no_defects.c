// SPDX-License-Identifier: BSD-2-Clause
// What an image has that was not asked for defects: none.

#include "model.h"

const struct pmu_model *(*const pmu_defective_models[])(void) = {NULL};
