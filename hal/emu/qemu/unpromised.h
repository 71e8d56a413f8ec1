/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions and variables that QEMU 11.1 exports outside its plugin interface. They may change with
 * each version of QEMU: unpromised_check refuses untested versions. Only this header and
 * unpromised.c depend on the layout of QEMU's structures. */
#ifndef QEMU_UNPROMISED_H
#define QEMU_UNPROMISED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNPROMISED __attribute__((weak))	/* weak, so that the plugin loads and can name a
						 * missing symbol */

/* QEMU's CPUState of the calling thread's vCPU. */
extern UNPROMISED __thread void *current_cpu;

/* Restores the vCPU's state to the point before the instruction whose callback returns to
 * `return_address`. */
UNPROMISED bool cpu_restore_state(void *cpu, uintptr_t return_address);

/* Ends the executing block; the vCPU continues at the address in its state. */
UNPROMISED _Noreturn void cpu_loop_exit(void *cpu);

/* Calls `function` in the vCPU's thread, outside translated code, before its next block. */
union run_on_cpu_data {
	int number;
	uint64_t value;
};
typedef void run_on_cpu(void *cpu, union run_on_cpu_data data);
UNPROMISED void async_run_on_cpu(void *cpu, run_on_cpu *function, union run_on_cpu_data data);

/* The same, while no vCPU executes. */
UNPROMISED void async_safe_run_on_cpu(void *cpu, run_on_cpu *function, union run_on_cpu_data data);

/* Flushes all translated code. Call while no vCPU executes. */
UNPROMISED void tb_flush__exclusive_or_serial(void);

/* Returns the vCPU with this number, from 0, or NULL. */
UNPROMISED void *qemu_get_cpu(int number);
UNPROMISED bool cpu_has_work(void *cpu);

/* Calls `function` at each reset of the machine. */
UNPROMISED void qemu_register_reset(void (*function)(void *data), void *data);

/* Returns true if a physical address is not memory (a device, or unmapped). */
struct qemu_address_space;
extern UNPROMISED struct qemu_address_space address_space_memory;
UNPROMISED bool address_space_is_io(struct qemu_address_space *space, uint64_t address);

/* With -icount: the number of instructions that the machine has executed; updates it by those of
 * the vCPU's current block. */
UNPROMISED int64_t icount_get_raw(void);
UNPROMISED void icount_update(void *cpu);

/* The clock of the guest's time-stamp counters. With -icount it counts instructions, and idle
 * time. */
UNPROMISED int64_t cpus_get_elapsed_ticks(void);

/*
 * x86
 */

UNPROMISED _Noreturn void raise_exception_err_ra(void *env, int vector, int error_code,
						 uintptr_t return_address);

/* Raises the fault of an access of `size` bytes within a page, at the privilege level of
 * `mmu_index`, or returns the host address; NULL: a device. */
enum unpromised_access { UNPROMISED_LOAD, UNPROMISED_STORE };
UNPROMISED void *probe_access(void *env, uint64_t linear, int size, enum unpromised_access access,
			      int mmu_index, uintptr_t return_address);
UNPROMISED int x86_mmu_index_pl(void *env, unsigned level);

/* Raises #DB after an instruction with EFLAGS.TF set. */
UNPROMISED _Noreturn void helper_single_step(void *env);

/* RFLAGS of a vCPU whose state is restored. */
UNPROMISED uint64_t helper_read_eflags(void *env);

/* RDMSR of the register in ECX. */
UNPROMISED void helper_rdmsr(void *env);

UNPROMISED void cpu_x86_cpuid(void *env, uint32_t leaf, uint32_t subleaf, uint32_t *eax,
			      uint32_t *ebx, uint32_t *ecx, uint32_t *edx);

/* Exits a nested guest with this exit code, if its hypervisor intercepts the event. */
UNPROMISED void cpu_svm_check_intercept_param(void *env, uint32_t exit_code, uint64_t parameter,
					      uintptr_t return_address);

/* Registers of the local APIC in x2APIC mode, by MSR number minus 800H. Nonzero: not accessible. */
UNPROMISED void *cpu_get_current_apic(void);
UNPROMISED int apic_msr_read(void *apic, int number, uint64_t *value);
UNPROMISED int apic_msr_write(void *apic, int number, uint64_t value);

/*
 * SPARC
 */

/* Raises a trap at the instruction whose callback returns to `return_address`; 0: at the restored
 * state. */
UNPROMISED _Noreturn void cpu_raise_exception_ra(void *env, int type, uintptr_t return_address);

/* Condition codes and the FSR, which QEMU stores in parts. */
UNPROMISED uint64_t cpu_get_ccr(void *env);
UNPROMISED uint64_t cpu_get_fsr(void *env);

/* The value of a timer's register, e.g. %stick. */
UNPROMISED uint64_t cpu_tick_get_count(void *timer);

/* A device's registers in physical memory. `offset`: from the start of the device; `size`:
 * bytes. */
#define MEMTX_OK		0u
#define MEMTX_DECODE_ERROR	2u	/* no such register; the access faults */
#define DEVICE_BIG_ENDIAN	1u
struct mem_tx_attrs {
	uint64_t unused;
};
struct memory_region_ops {
	void (*unused[2])(void);
	unsigned (*read)(void *device, uint64_t offset, uint64_t *value, unsigned size,
			 struct mem_tx_attrs attrs);
	unsigned (*write)(void *device, uint64_t offset, uint64_t value, unsigned size,
			  struct mem_tx_attrs attrs);
	unsigned endianness;
	struct {
		unsigned least, most;		/* access sizes in bytes */
		bool unaligned;
		void (*unused)(void);
	} valid;
	struct {
		unsigned least, most;
		bool unaligned;
	} impl;
};

/* The plugin's functions on top of these */

/* Returns NULL if all symbols exist and this version of QEMU is tested or `force` is set; else the
 * problem in one line. `arch`: "x86_64" or "sparc64". */
const char *unpromised_check(const char *arch, bool force);

/* Finds the offsets of `count` fields in QEMU's CPUState, by their names in QEMU's migration
 * tables. Returns false if one is missing. */
struct unpromised_field {
	const char *name;
	size_t *offset;
};
bool unpromised_find(const char *arch, const struct unpromised_field *fields, size_t count);

/* Like qemu_plugin_translate_vaddr, but without the pending exception that the latter leaves on
 * SPARC if there is no translation. */
bool unpromised_translate(uint64_t linear, uint64_t *physical);

/* Ends QEMU with a message if an accelerator other than TCG executes the guest, because it would
 * call no plugin. */
void unpromised_need_emulation(void);

/* Makes QEMU refuse to save and load the machine's state, which would lack the PMU. */
void unpromised_refuse_saving(void);

/* Returns true if QEMU has its instruction clock, so that one thread executes all vCPUs
 * alternately. */
bool unpromised_takes_turns(void);

/* Returns true if the vCPU is halted and no pending interrupt ends this. */
bool unpromised_waits(void *cpu);

/* `own`: the vCPU gets its own translations, each for one linear address. Otherwise vCPUs and all
 * addresses of the same memory share translations, and blocks have their usual size. Call while no
 * vCPU executes. */
void unpromised_own_code(void *cpu, unsigned number, bool own);

/* Locates QEMU's flags for that. Call outside translated code, before the vCPU's first block. */
bool unpromised_find_code_flags(void *cpu, size_t env);

/* Limits the vCPU's blocks to one instruction, or restores their usual size. Call while the vCPU
 * executes, or before its own code is translated. */
void unpromised_single_instructions(void *cpu, bool single);

/* Takes QEMU's global lock; QEMU releases it if a callback does not return. Returns false if the
 * thread already holds it. */
bool unpromised_lock(void);
void unpromised_unlock(void);

/* Adds one instruction of the executing vCPU to QEMU's instruction clock, if there is one. */
void unpromised_pass_instruction(void);

/* Subtracts one instruction that QEMU counted but that did not execute. Call outside translated
 * code. */
void unpromised_take_back_instruction(void);

/* Adds all instructions that the executing vCPU could execute before QEMU next checks its
 * timers. */
void unpromised_pass_rest(void);

/* Returns the machine's instruction count by QEMU's instruction clock; 0: no such clock. */
int64_t unpromised_instructions(void);

/* Maps a device into the machine's physical memory, with priority over all else there. */
void unpromised_map(const struct memory_region_ops *ops, const char *name, uint64_t address,
		    uint64_t size);

/* The machine's clock (cpus_get_elapsed_ticks). `cpu`: the executing vCPU, with restored state, or
 * NULL. */
uint64_t unpromised_ticks(void *cpu);

/* Locates a vCPU's budget of the instruction clock. Call outside translated code. Returns false if
 * there is a clock but its budget is not found. */
bool unpromised_find_clock(void *cpu, size_t env);

#endif
