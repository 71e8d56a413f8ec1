// SPDX-License-Identifier: BSD-2-Clause
// vCPUs in threads of their own: parallel.h.

#include "parallel.h"

bool parallel_is_used;
