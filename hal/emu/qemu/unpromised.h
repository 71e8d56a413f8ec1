/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions and variables that QEMU 11.1 exports outside its plugin interface. They may change with each version of
 * QEMU: unpromised_check refuses untested versions. Only this header and unpromised.c depend on the layout of QEMU's
 * structures. */
#ifndef QEMU_UNPROMISED_H
#define QEMU_UNPROMISED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNPROMISED __attribute__((weak))	/* so that the plugin loads, and names a missing one */

/* QEMU's state of the vCPU that the calling thread executes. */
extern UNPROMISED __thread void *current_cpu;

/* Brings the vCPU's state to the point before the instruction whose callback returns to `return_address`. */
UNPROMISED bool cpu_restore_state(void *cpu, uintptr_t return_address);

/* Ends the block that the vCPU executes; it continues where its state says. */
UNPROMISED _Noreturn void cpu_loop_exit(void *cpu);

/* Calls `function` in the vCPU's thread, outside translated code, before its next block. */
union run_on_cpu_data {
	int number;
	uint64_t value;
};
typedef void run_on_cpu(void *cpu, union run_on_cpu_data data);
UNPROMISED void async_run_on_cpu(void *cpu, run_on_cpu *function, union run_on_cpu_data data);

/* Likewise while no vCPU executes. */
UNPROMISED void async_safe_run_on_cpu(void *cpu, run_on_cpu *function, union run_on_cpu_data data);

/* Flushes all translated code; while no vCPU executes. */
UNPROMISED void tb_flush__exclusive_or_serial(void);

/* Returns the vCPU with this number, from 0, or NULL. */
UNPROMISED void *qemu_get_cpu(int number);
UNPROMISED bool cpu_has_work(void *cpu);

/* Calls `function` at each reset of the machine. */
UNPROMISED void qemu_register_reset(void (*function)(void *data), void *data);

/* Whether a physical address has no memory: a device, or nothing. */
struct qemu_address_space;
extern UNPROMISED struct qemu_address_space address_space_memory;
UNPROMISED bool address_space_is_io(struct qemu_address_space *space, uint64_t address);

/* With -icount: the machine's number of executed instructions; adds those of the vCPU's current block to it. */
UNPROMISED int64_t icount_get_raw(void);
UNPROMISED void icount_update(void *cpu);

/* The clock that the guest's time-stamp counters follow; with -icount it counts instructions, and idle time. */
UNPROMISED int64_t cpus_get_elapsed_ticks(void);

/*
 * x86
 */

UNPROMISED _Noreturn void raise_exception_err_ra(void *env, int vector, int error_code, uintptr_t return_address);

/* Raises the fault of an access of `size` bytes within a page, at the privilege level of `mmu_index`, or returns. NULL:
 * a device. */
enum unpromised_access { UNPROMISED_LOAD, UNPROMISED_STORE };
UNPROMISED void *probe_access(void *env, uint64_t linear, int size, enum unpromised_access access, int mmu_index,
			      uintptr_t return_address);
UNPROMISED int x86_mmu_index_pl(void *env, unsigned level);

/* The effect of EFLAGS.TF after an instruction: #DB. */
UNPROMISED _Noreturn void helper_single_step(void *env);

/* RFLAGS of a vCPU whose state was restored. */
UNPROMISED uint64_t helper_read_eflags(void *env);

/* RDMSR of the register in ECX. */
UNPROMISED void helper_rdmsr(void *env);

UNPROMISED void cpu_x86_cpuid(void *env, uint32_t leaf, uint32_t subleaf, uint32_t *eax, uint32_t *ebx, uint32_t *ecx,
			      uint32_t *edx);

/* Leaves a guest's guest with this exit code, if its hypervisor intercepts it. */
UNPROMISED void cpu_svm_check_intercept_param(void *env, uint32_t exit_code, uint64_t parameter,
					      uintptr_t return_address);

/* Registers of the local APIC in x2APIC mode, by MSR number less 800H. Not 0: they are not accessible. */
UNPROMISED void *cpu_get_current_apic(void);
UNPROMISED int apic_msr_read(void *apic, int number, uint64_t *value);
UNPROMISED int apic_msr_write(void *apic, int number, uint64_t value);

/*
 * SPARC
 */

/* Raises a trap at the instruction whose callback returns to `return_address`; 0: at the restored state. */
UNPROMISED _Noreturn void cpu_raise_exception_ra(void *env, int type, uintptr_t return_address);

/* Condition codes and the FSR, which QEMU keeps in parts. */
UNPROMISED uint64_t cpu_get_ccr(void *env);
UNPROMISED uint64_t cpu_get_fsr(void *env);

/* The value of a timer's register: %stick. */
UNPROMISED uint64_t cpu_tick_get_count(void *timer);

/* A device's registers in physical memory. Offsets are from its beginning, sizes in bytes. */
#define MEMTX_OK		0u
#define MEMTX_DECODE_ERROR	2u	/* there is no such register: the access faults */
#define DEVICE_BIG_ENDIAN	1u
struct mem_tx_attrs {
	uint64_t unused;
};
struct memory_region_ops {
	void (*unused[2])(void);
	unsigned (*read)(void *device, uint64_t offset, uint64_t *value, unsigned size, struct mem_tx_attrs attrs);
	unsigned (*write)(void *device, uint64_t offset, uint64_t value, unsigned size, struct mem_tx_attrs attrs);
	unsigned endianness;
	struct {
		unsigned least, most;		/* sizes */
		bool unaligned;
		void (*unused)(void);
	} valid;
	struct {
		unsigned least, most;
		bool unaligned;
	} impl;
};

/*
 * Functions of the plugin on top of these
 */

/* Returns NULL if all functions exist and this version of QEMU is tested, or `force` is set; else the problem in one
 * line. `arch`: "x86_64" or "sparc64". */
const char *unpromised_check(const char *arch, bool force);

/* Finds the offsets of `count` fields in QEMU's state of a vCPU, by their names in QEMU's migration tables. False: one
 * is missing. */
struct unpromised_field {
	const char *name;
	size_t *offset;
};
bool unpromised_find(const char *arch, const struct unpromised_field *fields, size_t count);

/* As qemu_plugin_translate_vaddr, but without the exception that it leaves pending on SPARC if there is no translation.
 * */
bool unpromised_translate(uint64_t linear, uint64_t *physical);

/* Makes QEMU end with a message if another accelerator than its own emulation executes the guest, which calls no
 * plugin. */
void unpromised_need_emulation(void);

/* Makes QEMU refuse to save and load the machine's state, which would lack the PMU. */
void unpromised_refuse_saving(void);

/* Whether QEMU has its instruction clock: one thread executes all vCPUs alternately. */
bool unpromised_takes_turns(void);

/* Whether the vCPU halts, and no interrupt is pending that ends this. */
bool unpromised_waits(void *cpu);

/* `own`: from now on the vCPU has its own blocks, each translated for one linear address; else vCPUs share them, and so
 * do all addresses of the same memory, and they have as many instructions as usual. Call while no vCPU executes. */
void unpromised_own_code(void *cpu, unsigned number, bool own);

/* Finds QEMU's flags for that; outside translated code, before the vCPU's first block. */
bool unpromised_find_code_flags(void *cpu, size_t env);

/* From now on the vCPU's blocks have one instruction, or as many as usual. Call while it executes, or before its own
 * code is translated. */
void unpromised_single_instructions(void *cpu, bool single);

/* Takes QEMU's global lock, which QEMU itself releases if a callback does not return. False: the thread has it already.
 * */
bool unpromised_lock(void);
void unpromised_unlock(void);

/* Adds one instruction of the executing vCPU to QEMU's instruction clock, if there is one. */
void unpromised_pass_instruction(void);

/* Subtracts one instruction from that clock, which QEMU has counted although it did not execute. Outside translated
 * code. */
void unpromised_take_back_instruction(void);

/* Adds all instructions that the executing vCPU would execute before QEMU checks its timers. */
void unpromised_pass_rest(void);

/* The machine's executed instructions by that clock; 0: there is no clock. */
int64_t unpromised_instructions(void);

/* Maps a device into the machine's physical memory, with priority over everything else there. */
void unpromised_map(const struct memory_region_ops *ops, const char *name, uint64_t address, uint64_t size);

/* The machine's clock (cpus_get_elapsed_ticks). `cpu`: the executing vCPU, whose state is restored; NULL: none does. */
uint64_t unpromised_ticks(void *cpu);

/* Finds a vCPU's budget of that clock; outside translated code. False: there is a clock, but its budget is not found.
 * */
bool unpromised_find_clock(void *cpu, size_t env);

#endif
