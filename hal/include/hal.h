/* SPDX-License-Identifier: BSD-2-Clause */
/* The contract of backends: silicon, QEMU with a plugin, a host process, or a library's host. The
 * linker selects the backend. A comment that begins with "If" names the machines that have a
 * function; others do not define it. Smaller contracts: stimulus.h, cpus.h, callers.h, backend.h,
 * image_run.h, memory.h and console.h. */
#ifndef HAL_H
#define HAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal_inline.h"		/* clock, CPU number, register access: this backend's short
				 * primitives */

/* In hal_inline.h: HAL_CPUS, the most CPUs; HAL_RING_SAMPLES, the samples in each CPU's ring, a
 * power of two; HAL_NMI, whether overflow interrupts can be NMIs; and
 *
 * uint64_t hal_clock(void)		reference clocks (x86: the time-stamp counter)
 * unsigned hal_cpu(void)		this CPU's number, from 0; the program starts on 0
 * unsigned hal_cpu_user(void)		the same, also at the lowest privilege level
 * void hal_relax(void)			while waiting for another CPU: yields to it (a hint)
 * void *hal_cpu_data(void)		this CPU's last argument of hal_cpu_set_data, or NULL
 * void hal_cpu_set_data(void *)
 * void hal_publish(uint32_t *number)	adds 1 to a number that only this CPU writes; a CPU that
 *					sees the new number also sees all earlier writes
 * bool hal_interrupts_disable(void)	turns interrupts off; returns whether they were on
 * void hal_interrupts_restore(bool)
 *
 * bool reg_read(uint32_t address, uint64_t *value)
 * bool reg_write(uint32_t address, uint64_t value)
 * bool reg_read_counter(uint32_t index, uint64_t *value)
 *					Executes the processor's own register instruction (x86:
 *					RDMSR, WRMSR, RDPMC). False: the access faulted, and nothing
 *					has changed.
 * void hal_pmi_mask(void)		from now on overflow interrupts may be lost
 * void hal_pmi_unmask(void)		later overflow interrupts are delivered, a lost one is not
 *					repeated: read the status after the unmask if a counter may
 *					have overflowed. SPARC: both do nothing
 * void hal_pmi_end(void)		ends the overflow interrupt
 *
 * If overflows can be traps at the instruction that caused them (SPARC T4), also:
 *
 * bool hal_pmi_precise(void)		whether the caller is the handler of such a trap. If so:
 * unsigned hal_pmi_level(void)		that instruction's privilege level
 * bool hal_pmi_instruction(uint32_t *instruction)
 *					reads that instruction. False: it cannot be read.
 * void hal_pmi_skip(void)		makes the trap return to the next instruction, as DONE does,
 *					if that instruction has executed already. At most once for
 *					each trap; hal_pmi_precise is false from then on
 * uint64_t reg_read_next(uint32_t address, uint64_t *fault)
 * void reg_write_next(uint32_t address, uint64_t value, uint64_t *fault)
 *					reg_read and reg_write for several accesses before a check
 *					for faults: a fault sets *fault to 1, and reads as 0;
 *					otherwise *fault is unchanged. The address space must be a
 *					constant.
 *
 * SPARC: register address A below 2^31 is ASI A / 256, virtual address A % 256 * 8. From 2^31 on it
 * is physical address F80400000000h + A % 256 * 1000h + A / 256 % 65536: a register of memory
 * controller A % 256.
 */

/*
 * The overflow interrupt (x86: performance-monitoring interrupt, PMI)
 */

enum hal_pmi_delivery {
	HAL_PMI_VECTOR,		/* a maskable interrupt */
	HAL_PMI_NMI,		/* a non-maskable one: also samples code with interrupts off */
};

/* `ip` and `level`: the interrupted instruction's address and privilege level (0: highest). */
typedef void hal_pmi_function(uint64_t ip, unsigned level);

/* Routes this CPU's overflow interrupt to `handler` and unmasks it. */
void hal_pmi_attach(hal_pmi_function *handler, enum hal_pmi_delivery delivery);

/*
 * Halt
 */

/* Waits in the light low-power state until an interrupt has been taken. Call with interrupts off;
 * they are off on return. `woken` is called once, before anything else in the handler of the
 * interrupt that ends the wait. */
void hal_halt(void (*woken)(void));

/* Raises one interrupt, which only ends a halt, after `ticks` of the backend's own timer (some
 * nanoseconds each). */
void hal_alarm(uint32_t ticks);

/* Calls `function` like an overflow interrupt's handler, for the first time `ticks` of this CPU's
 * timer from now, then `ticks` after the end of each call; 0: stops. A tick is one of hal_clock; on
 * x86, one of the local APIC's timer, where an alarm delays the next call. `function` may call
 * hal_poll. Libraries have no such timer. */
void hal_poll(hal_pmi_function *function, uint64_t ticks);

/*
 * Processor
 */

/* Gets a started CPU's core number in its package, and its thread number in that core. */
void hal_topology(unsigned cpu, unsigned *core, unsigned *thread);

/* If cores share a PMU (x86): executes a locked access across a cache-line boundary, which waits
 * until all requests of the package have completed. */
void hal_bus_lock(void);

/* The processor's identification instruction (x86: CPUID; EAX, EBX, ECX, EDX). */
void hal_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);

/* Whether a caller may pass [address, address + size) for an output, or program a PMU to write
 * records there: memory in [hal_memory_start, hal_memory_end) (hal_state.h). */
static inline bool hal_memory_writable(uint64_t address, uint64_t size)
{
	return address >= hal_memory_start && address < hal_memory_end &&
	       hal_memory_end - address >= size;
}

#endif
