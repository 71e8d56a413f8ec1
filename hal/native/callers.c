// SPDX-License-Identifier: BSD-2-Clause
// The callers of the code that an overflow interrupt has interrupted, found by arch/.

#include "arch.h"
#include "callers.h"

void hal_pmi_follow(hal_pmi_function *handler)
{
	arch_follow_calls(handler);
}

unsigned hal_callers(uint64_t ip, unsigned level, hal_function_start *function_start,
		     uint64_t *caller, unsigned most)
{
	return arch_callers(ip, level, function_start, caller, most);
}
