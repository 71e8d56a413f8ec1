// SPDX-License-Identifier: BSD-2-Clause
// x86: memory and registers of the executing vCPU, for PMUs that write records (PEBS).

#include "../bytes.h"
#include "../plugin.h"
#include "../unpromised.h"
#include "x86.h"

// Returns true if the whole range is memory, not a device, and writable if `write`.
static bool is_memory(uint64_t linear, size_t size, bool write)
{
	uint64_t physical;

	for (uint64_t page = linear & -(uint64_t)X86_PAGE; page < linear + size; page += X86_PAGE)
		if (!qemu_plugin_translate_vaddr(page, &physical) ||
		    address_space_is_io(&address_space_memory, physical) ||
		    (write && !x86_writable(plugin_running(), page)))
			return false;
	return true;
}

static bool read_memory(void *context, uint64_t linear, void *to, size_t size)
{
	GByteArray *bytes = bytes_of(NULL, size);

	(void)context;
	if (!is_memory(linear, size, false) || !qemu_plugin_read_memory_vaddr(linear, bytes, size))
		return false;
	memcpy(to, bytes->data, size);
	return true;
}

static bool write_memory(void *context, uint64_t linear, const void *from, size_t size)
{
	(void)context;
	return is_memory(linear, size, true) &&
	       qemu_plugin_write_memory_vaddr(linear, bytes_of(from, size));
}

// The registers in the order of Nehalem's record.
static void read_registers(void *context, unsigned thread, uint64_t to[MODEL_REGISTERS])
{
	static const uint8_t order[] = {
		X86_AX, X86_BX, X86_CX, X86_DX, X86_SI, X86_DI, X86_BP, X86_SP, 8, 9, 10, 11, 12,
		13, 14, 15,
	};
	struct cpu *c = plugin_running();

	(void)context, (void)thread;
	plugin_restore(c);
	*to++ = helper_read_eflags(x86_env(c));
	*to++ = *X86_STATE(c->qemu, uint64_t, ip);
	for (size_t n = 0; n < sizeof order; n++)
		*to++ = x86_registers(c)[order[n]];
}

const struct model_processor x86_around = {.read = read_memory, .write = write_memory,
					   .registers = read_registers};
