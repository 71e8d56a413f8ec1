// SPDX-License-Identifier: BSD-2-Clause

#include "parallel.h"

bool parallel_is_used;
