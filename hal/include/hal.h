/* SPDX-License-Identifier: BSD-2-Clause */
/* The contract of backends: silicon, QEMU with a plugin, or a host process. All have the same
 * functions; the linker selects the backend. */
#ifndef HAL_H
#define HAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

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
 * void hal_pmi_mask(void)		until the unmask, the interrupt controller drops the
 *					overflow interrupt
 * void hal_pmi_unmask(void)		the interrupt controller delivers it again
 * void hal_pmi_end(void)		ends the overflow interrupt
 *
 * If overflows can be traps at the instruction that caused them (SPARC T4), also:
 *
 * bool hal_pmi_precise(void)		whether the caller is the handler of such a trap. If so:
 * unsigned hal_pmi_level(void)		that instruction's privilege level
 * bool hal_pmi_instruction(uint32_t *instruction)
 *					reads that instruction. False: it cannot be read.
 * void hal_pmi_skip(void)		that instruction has executed already; the handler returns
 *					to the next one (DONE), once
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

/* Prepares the interrupt controller and turns interrupts on. No source is enabled. */
void hal_interrupts_start(void);

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

/* hal_pmi_follow installs another handler on this CPU, which may unwind the interrupted stack by
 * hal_callers. That stores at most `most` callers, the innermost first, each as an address within
 * its call instruction, and returns their number. The list ends at the first caller that is not
 * found. `ip`, `level`: the handler's arguments. `function_start` returns the beginning of the
 * function at an address, or 0. */
void hal_pmi_follow(hal_pmi_function *handler);
typedef uint64_t hal_function_start(uint64_t address);
unsigned hal_callers(uint64_t ip, unsigned level, hal_function_start *function_start, uint64_t *caller, unsigned most);

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

/* Calls `function` like an overflow interrupt's handler every `clocks`, for counters that overflow
 * without an interrupt; 0: stops. Only for PMUs with such counters. */
void hal_poll(hal_pmi_function *function, uint64_t clocks);

/*
 * Code of known length
 */

/* Executes n instructions (n >= 2) plus a constant number; hal_execute_user does so at the lowest
 * privilege level. */
void hal_execute(uint64_t n);
void hal_execute_user(uint64_t n);

/* The same at the level between the two, if there is one (SPARC: privileged, below
 * hyperprivileged). */
void hal_execute_privileged(uint64_t n);

/* Loads one byte from each of `lines` consecutive lines of 64 bytes (at most HAL_LINES_MOST), in
 * memory that every privilege level may read. A cache of less than 64 lines bytes cannot hold them
 * all. */
#define HAL_LINES_MOST	16384
void hal_read_lines(uint64_t lines);

/* SPARC T4: rounds (1 or more) of known code. Each round consists of these instructions in this
 * order, followed by the delay slot of HAL_TAKEN. HAL_COUNTED is SETHI %hi(FC000H), %g0, the
 * software count instruction. HAL_TAKEN branches to the round's beginning; it is not taken in the
 * last round. */
enum hal_kind {
	HAL_COUNTED, HAL_ATOMIC, HAL_PREFETCH, HAL_BLOCK_STORE, HAL_LOAD, HAL_STORE, HAL_STATE_WRITE, HAL_NOT_TAKEN,
	HAL_DELAY_SLOT, HAL_ARITHMETIC, HAL_TAKEN
};
void hal_execute_kinds(uint64_t rounds);
uint64_t hal_kind_address(enum hal_kind kind);	/* of the round's instruction */

/* SPARC T4: conditional branches (1 or more) with pseudo-random directions, some of which every
 * predictor gets wrong; and code of more lines than the first-level instruction cache holds, each
 * with one jump, to the next line. */
void hal_execute_random(uint64_t branches);
void hal_execute_far(void);

/* If memory controllers have counters (SPARC T4): stores 64 undefined bytes to each of `lines`,
 * from `address` on, which is aligned to 64; the data bypasses the caches. */
void hal_write_lines(uint64_t address, unsigned lines);

/* Calls the function as a program: at the lowest privilege level, with its own stack and interrupts
 * on. It may use its own data, the C library and the heap; of the runtime hal_clock, hal_cpu_user,
 * hal_relax, hal_execute, hal_spflt, hal_read_lines, hal_execute_kinds, hal_execute_random and
 * hal_execute_far; of the PMU reg_read_counter, for counters that are open to it. All CPUs can do
 * so at the same time. */
int hal_run_user(int (*function)(void));

/* reg_read_counter, executed at the lowest privilege level. Only for processors that can deny that
 * level the counters. On SPARC also: the same in privileged mode, and a write of a counter at the
 * lowest level. False: the access trapped. */
bool hal_read_counter_user(uint32_t index, uint64_t *value);
bool hal_read_counter_privileged(uint32_t index, uint64_t *value);
bool hal_write_counter_user(uint32_t index, uint32_t value);

/* For programs, at any privilege level: turns the calling thread's user filter on or off, which
 * enables counters that follow it (EVENT:spflt). False: the processor has no such instruction. */
bool hal_spflt(bool count);

/* Writes `first` to control register `address`, executes exactly n instructions (n >= 8), writes
 * `second`. False: a write faulted; if it was the first one, the function returned at once. */
bool hal_execute_between(uint32_t address, uint64_t first, uint64_t second, uint64_t n);

/* Loads from an address whose line is in no cache, and executes some more instructions until the
 * load is served. Only for PMUs that record addresses of loads. */
void hal_load(const volatile uint64_t *address);

/* Addresses [from, to). */
struct hal_range {
	uint64_t from, to;
};

/* Writes back and invalidates the lines of these ranges, or all lines, in the caches of this CPU
 * and of the CPUs that share them, and empties the TLBs as far as the processor can. No CPU may
 * write to the ranges meanwhile. */
void hal_flush(const struct hal_range *ranges, unsigned count);

/* The pages of programs' memory, for people: "pages of 2 MiB". */
const char *hal_pages(void);

/* Puts programs' code and memory into pages of 4 KiB; on other CPUs from their next hal_flush on.
 * Returns NULL, or why that is not possible. */
const char *hal_use_small_pages(void);

/*
 * Further CPUs
 */

/* The machine's list of CPUs. */
struct hal_processors {
	unsigned count, off;		/* CPUs that are on; CPUs that are off */
	unsigned out_of_reach;		/* of `count`: CPUs that hal_cpus_start cannot address; they
					 * are in no package */
	unsigned packages;
	unsigned in_package, cores;	/* CPUs and cores of this CPU's package */
	unsigned used;			/* of these CPUs: the most that hal_cpus_start uses; it
					 * stops the others */
};

/* False: the machine has no list. */
bool hal_find_processors(struct hal_processors *found);

/* Starts the other CPUs of this CPU's package, if they do not run yet. Each takes its interrupts,
 * has a PMU if this one has, and waits for work. Returns their number, including this CPU. Call
 * with interrupts on. */
unsigned hal_cpus_start(void);

/* Also starts the CPUs of the other packages, for programs that access registers themselves: the
 * runtime uses the first package's shared PMU. Returns the number of all CPUs. */
unsigned hal_packages_start(void);

/* Calls `function(argument)` on another CPU, with interrupts on, while this CPU continues. A CPU
 * executes one call at a time. */
void hal_cpu_call(unsigned cpu, void (*function)(void *argument), void *argument);

/* Waits until these CPUs (bits) are idle. False: one is busy after `clocks`. */
bool hal_cpus_wait(uint32_t cpus, uint64_t clocks);

/* Resets an idle CPU other than the first by INIT, which a PMU's registers may survive (see its
 * manual), and starts it again, without its overflow interrupt. False: there is no such CPU, it is
 * this CPU or busy, or it does not start again. Call with interrupts on. */
bool hal_cpu_init(unsigned cpu);

/* Gets a started CPU's core number in its package, and its thread number in that core. */
void hal_topology(unsigned cpu, unsigned *core, unsigned *thread);

/* Executes a locked access across a cache-line boundary, which waits until all requests of the
 * package have completed. */
void hal_bus_lock(void);

/*
 * Machine
 */

/* The processor's identification instruction (x86: CPUID; EAX, EBX, ECX, EDX). */
void hal_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);

/* If an instruction clock drives hal_clock: the number of instructions executed when it read
 * `clock`; otherwise `clock` itself. For differences. */
uint64_t hal_instructions(uint64_t clock);

/* The backend's name: "silicon", "QEMU plugin, unit clock", "host shim"; "unknown": a machine that
 * may be virtual and does not announce its backend (announce=off). SPARC processors do not announce
 * it, either. */
const char *hal_backend(void);

/* The meaning of a PMU's cycles. With an emulator's unit clock each instruction takes one cycle. */
enum hal_cycles {
	HAL_CYCLES_ARE_TIME,
	HAL_CYCLES_ARE_INSTRUCTIONS,
	HAL_CYCLES_ARE_MOSTLY_INSTRUCTIONS,	/* some are not (Itanium) */
};
enum hal_cycles hal_cycles(void);

/* Whether this backend ever raises an event, given by the target's code and unit mask, of the
 * cores' PMU or of the shared PMU. On silicon the answer is unknown. An instruction clock raises
 * only retired instructions and cycles. */
enum hal_happens {
	HAL_NEVER,
	HAL_HAPPENS,
	HAL_UNKNOWN,
};
enum hal_happens hal_event_happens(bool shared, uint16_t code, uint8_t umask);

/* Whether a caller may pass [address, address + size) for an output, or program a PMU to write
 * records there: memory in [hal_memory_start, hal_memory_end) (hal_state.h). */
static inline bool hal_memory_writable(uint64_t address, uint64_t size)
{
	return address >= hal_memory_start && address < hal_memory_end && hal_memory_end - address >= size;
}

void hal_console_put(char c);
void hal_console_write(const char *text, size_t size);

/* Keeps a pointer to a text for firmware that waits for the run's end, if any. The caller must not
 * change the text. */
void hal_keep_result(const char *text, size_t size);

/* Ends the run. 0: success. On silicon the processor stops, unless end= selects another end. */
noreturn void hal_exit(int status);

/* Whether the run can end as end= requests. A machine with several ends selects one before the rest
 * of the command line is read. */
bool hal_end_is_known(const char *asked);

#endif
