// SPDX-License-Identifier: BSD-2-Clause
// Executes a guest's register instruction (palmon/vpmu.h): the access, and the time that it takes.

#include "core.h"

enum vpmu_result vpmu_core_execute(struct vpmu_core *core, unsigned thread, uint8_t opcode,
				   uint64_t *rax, uint64_t rcx, uint64_t *rdx)
{
	enum vpmu_result result = VPMU_NOT_MINE;
	uint64_t value;

	if (!rax || !rdx)
		return VPMU_NOT_MINE;
	value = *rdx << 32 | (uint32_t)*rax;
	if (opcode == VPMU_WRMSR)
		return vpmu_core_write(core, thread, (uint32_t)rcx, value, 1);
	if (opcode == VPMU_RDMSR)
		result = vpmu_core_read(core, thread, (uint32_t)rcx, &value);
	if (opcode == VPMU_RDPMC)
		result = vpmu_core_read_counter(core, thread, (uint32_t)rcx, &value);
	if (result == VPMU_DONE) {
		vpmu_core_advance(core, thread, 1, 1);
		*rax = (uint32_t)value;
		*rdx = value >> 32;
	}
	return result;
}
