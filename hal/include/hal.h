/* SPDX-License-Identifier: BSD-2-Clause */
/* What lies beneath the runtime: silicon, QEMU with a plugin, or a host process. The same functions on all three;
 * which is linked, or found at boot, decides. */
#ifndef HAL_H
#define HAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

#include "hal_inline.h"		/* clock, CPU number, register access: this backend's short primitives */

/*
 * In hal_inline.h: HAL_CPUS, that there can be; HAL_RING_SAMPLES, for which each has space, a power of two; HAL_NMI,
 * whether overflow interrupts can be NMIs; and
 *
 * uint64_t hal_clock(void)		reference clocks (x86: the time-stamp counter)
 * unsigned hal_cpu(void)		this CPU's number, 0 to HAL_CPUS - 1; 0 is the one the program starts on
 * unsigned hal_cpu_user(void)		the same, also at the lowest privilege level
 * void hal_relax(void)			in a loop that waits for another CPU: that one may go on (a hint)
 * void *hal_cpu_data(void)		what hal_cpu_set_data was last called with on this CPU; NULL before
 * void hal_cpu_set_data(void *)
 * void hal_publish(uint32_t *number)	adds 1 to a number that this CPU alone writes; who sees it on another CPU sees
 *					all that was written before
 * bool hal_interrupts_disable(void)	turns interrupts off; whether they were on
 * void hal_interrupts_restore(bool)
 *
 * bool reg_read(uint32_t address, uint64_t *value)
 * bool reg_write(uint32_t address, uint64_t value)
 * bool reg_read_counter(uint32_t index, uint64_t *value)
 *					Executes the processor's own register instruction (x86: RDMSR, WRMSR, RDPMC).
 *					False: the access faulted, and nothing has changed.
 * void hal_pmi_mask(void)		the overflow interrupt is dropped, as the hardware does, until the unmask
 * void hal_pmi_unmask(void)		lets the interrupt controller deliver it again
 * void hal_pmi_end(void)		ends the overflow interrupt
 *
 * Where overflows are traps at the instruction that caused them (SPARC T4), also:
 *
 * bool hal_pmi_precise(void)		the caller serves an overflow that came as such a trap
 * unsigned hal_pmi_level(void)		then: that instruction's privilege level
 * bool hal_pmi_instruction(uint32_t *instruction)
 *					then: reads that instruction. False: it cannot be read.
 * void hal_pmi_skip(void)		then: that instruction has executed already; goes on after it (DONE), once
 * uint64_t reg_read_next(uint32_t address, uint64_t *fault)
 * void reg_write_next(uint32_t address, uint64_t value, uint64_t *fault)
 *					reg_read and reg_write where several accesses are made before anybody asks
 *					for faults: *fault is 1 after one, and as it was otherwise; what has faulted
 *					reads as 0. The address space is known while compiling.
 *
 * SPARC: register address A below 2^31 is ASI A / 256, virtual address A % 256 * 8; from 2^31 on it is physical address
 * F80400000000h + A % 256 * 1000h + A / 256 % 65536: a register of memory controller A % 256.
 */

/* Prepares the interrupt controller and turns interrupts on. No source is enabled. */
void hal_interrupts_start(void);

/*
 * The overflow interrupt (x86: performance-monitoring interrupt, PMI)
 */

enum hal_pmi_delivery {
	HAL_PMI_VECTOR,		/* a maskable interrupt */
	HAL_PMI_NMI,		/* a non-maskable one: interrupts-off code is sampled too */
};

/* `ip` and `level`: the interrupted instruction's address and privilege level (0: highest). */
typedef void hal_pmi_function(uint64_t ip, unsigned level);

/* Routes this CPU's overflow interrupt to `handler` and unmasks it. */
void hal_pmi_attach(hal_pmi_function *handler, enum hal_pmi_delivery delivery);

/* Has it call another handler on this CPU, which may ask for the callers of what it interrupts: `most` at most, the
 * innermost first, and of each the address of its call or one within that instruction. How many there are; where one
 * cannot be found, that is the end. `ip`, `level`: the handler's; `function_start` says where the function begins that
 * has an address, or 0. */
void hal_pmi_follow(hal_pmi_function *handler);
typedef uint64_t hal_function_start(uint64_t address);
unsigned hal_callers(uint64_t ip, unsigned level, hal_function_start *function_start, uint64_t *caller, unsigned most);

/*
 * Halt
 */

/* Waits in the light low-power state until an interrupt has been taken. Call with interrupts off; they are off
 * on return. `woken` is called once, before anything else in whatever interrupt ends the wait. */
void hal_halt(void (*woken)(void));

/* Raises an interrupt that does nothing but end a halt, once, after `ticks` of the backend's own timer (some
 * nanoseconds each). */
void hal_alarm(uint32_t ticks);

/* Has `function` called like an overflow interrupt's handler, each `clocks`, for overflows that raise none; 0: no more.
 * Only where a PMU has such. */
void hal_poll(hal_pmi_function *function, uint64_t clocks);

/*
 * Code whose length is known
 */

/* Executes n instructions (n >= 2) plus a constant number; the second does so at the lowest privilege level. */
void hal_execute(uint64_t n);
void hal_execute_user(uint64_t n);

/* Where there is a level between the two (SPARC: privileged, below hyperprivileged): the same at that level. */
void hal_execute_privileged(uint64_t n);

/* Loads one byte from each of `lines` consecutive lines of 64 bytes (at most HAL_LINES_MOST), in memory that every
 * privilege level may read. A cache of less than 64 * lines bytes cannot hold them all. */
#define HAL_LINES_MOST	16384
void hal_read_lines(uint64_t lines);

/* SPARC T4: rounds (1 or more) of known code. Each round consists of these instructions in this order, followed by the
 * delay slot of HAL_TAKEN. HAL_COUNTED is SETHI %hi(FC000H), %g0, the software count instruction. HAL_TAKEN branches to
 * the round's beginning; it is not taken in the last round. */
enum hal_kind {
	HAL_COUNTED, HAL_ATOMIC, HAL_PREFETCH, HAL_BLOCK_STORE, HAL_LOAD, HAL_STORE, HAL_STATE_WRITE, HAL_NOT_TAKEN,
	HAL_DELAY_SLOT, HAL_ARITHMETIC, HAL_TAKEN
};
void hal_execute_kinds(uint64_t rounds);
uint64_t hal_kind_address(enum hal_kind kind);	/* of the round's instruction */

/* SPARC T4: conditional branches (1 or more) with pseudo-random directions, some of which every predictor gets wrong;
 * and code of more lines than the first-level instruction cache holds, each with one jump, to the next line. */
void hal_execute_random(uint64_t branches);
void hal_execute_far(void);

/* Where memory controllers have counters (SPARC T4): stores 64 bytes to each of so many lines, from `address` on, which
 * is aligned to that; the data go to memory at once, past the caches. Which data is not defined. */
void hal_write_lines(uint64_t address, unsigned lines);

/* Calls the function as programs run: at the lowest privilege level, with a stack of its own and interrupts on. It may
 * use its own data, the C library and the heap; of the runtime hal_clock, hal_cpu_user, hal_relax, hal_execute,
 * hal_spflt, hal_read_lines, hal_execute_kinds, hal_execute_random and hal_execute_far; of the PMU reg_read_counter,
 * where counters are open to it. Each CPU can do so at the same time. */
int hal_run_user(int (*function)(void));

/* reg_read_counter, executed at the lowest privilege level. Only where counters can be closed to it. On SPARC also: the
 * same in privileged mode, and a write of a counter at the lowest level. False: the access trapped. */
bool hal_read_counter_user(uint32_t index, uint64_t *value);
bool hal_read_counter_privileged(uint32_t index, uint64_t *value);
bool hal_write_counter_user(uint32_t index, uint32_t value);

/* For programs, at any privilege level: turns the calling thread's user filter on or off, by which counters that are
 * left to it (EVENT:spflt) count or not. False: the processor has no such instruction. */
bool hal_spflt(bool count);

/* Writes `first` to control register `address`, executes exactly n instructions (n >= 8), writes `second`. False: a
 * write has faulted; if it was the first one, nothing more has been done. */
bool hal_execute_between(uint32_t address, uint64_t first, uint64_t second, uint64_t n);

/* One load from an address, whose line is in no cache before, and some more instructions, until it has been served.
 * Only where a PMU records addresses of loads. */
void hal_load(const volatile uint64_t *address);

/* Addresses [from, to). */
struct hal_range {
	uint64_t from, to;
};

/* Writes what the caches have of these ranges to memory and takes it out of them, or all that they have; and empties
 * the TLBs as far as the processor can. Of this CPU, and of those that share them with it. Nobody may write there
 * meanwhile. */
void hal_flush(const struct hal_range *ranges, unsigned count);

/* Which pages programs' memory is in, for people: "pages of 2 MiB". */
const char *hal_pages(void);

/* Puts programs' code and memory into pages of 4 KiB. Other CPUs have these from their next hal_flush on. NULL: done;
 * else why they cannot be. */
const char *hal_use_small_pages(void);

/*
 * Further CPUs
 */

/* Which CPUs there are, as the machine says it. */
struct hal_processors {
	unsigned count, off;		/* that are on; and more that are not */
	unsigned out_of_reach;		/* of those that are on: hal_cpus_start cannot name them; no package has them */
	unsigned packages;
	unsigned in_package, cores;	/* CPUs in this one's, and their cores */
	unsigned used;			/* of these CPUs, by hal_cpus_start at most; it stops the others */
};

/* False: it does not say. */
bool hal_find_processors(struct hal_processors *found);

/* Starts the other CPUs of this one's package, if they do not run yet: each takes its interrupts, has a PMU if this one
 * has, and waits for work. Returns how many there are, this one included. Call with interrupts on. */
unsigned hal_cpus_start(void);

/* Then also those of the packages behind it. The runtime's PMU that cores share is the first package's: for programs
 * that access registers themselves. Returns how many CPUs there are in all. */
unsigned hal_packages_start(void);

/* Has another CPU call `function(argument)`, interrupts on, while this one goes on; a CPU does one thing at a time. */
void hal_cpu_call(unsigned cpu, void (*function)(void *argument), void *argument);

/* Waits until these CPUs (bits) have nothing to do. False: they have after so many clocks. */
bool hal_cpus_wait(uint32_t cpus, uint64_t clocks);

/* Resets a further CPU that has nothing to do by INIT, which a PMU's registers may survive (its manual says), and
 * starts it again; its overflow interrupt is not routed then. False: there is no such CPU, it is this one or has
 * something to do; or it does not come back. Call with interrupts on. */
bool hal_cpu_init(unsigned cpu);

/* Which core of its package, and which thread of that core, a CPU that has been started is. */
void hal_topology(unsigned cpu, unsigned *core, unsigned *thread);

/* A locked access across a cache-line boundary: it waits until all requests of the package have completed. */
void hal_bus_lock(void);

/*
 * Machine
 */

/* The processor's identification instruction (x86: CPUID; EAX, EBX, ECX, EDX). */
void hal_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);

/* Instructions executed up to the moment at which hal_clock was `clock`, where an instruction clock drives it;
 * elsewhere `clock` itself. For differences. */
uint64_t hal_instructions(uint64_t clock);

/* The backend's name: "silicon", "QEMU plugin, unit clock", "host shim"; "unknown": a machine that may be virtual and
 * does not say what it is (announce=off). SPARC processors do not say, either. */
const char *hal_backend(void);

/* What a cycle of the PMUs is. By an emulator's unit clock no time passes: cycles are instructions. */
enum hal_cycles {
	HAL_CYCLES_ARE_TIME,
	HAL_CYCLES_ARE_INSTRUCTIONS,
	HAL_CYCLES_ARE_MOSTLY_INSTRUCTIONS,	/* some are not (Itanium: those of the register stack engine) */
};
enum hal_cycles hal_cycles(void);

/* Whether an event (code and unit mask as the target has them) ever happens on this backend: of the cores' PMU, or of
 * the one that they share. Silicon does not say. Where counts come from an instruction clock, only retired instructions
 * and cycles happen. */
enum hal_happens {
	HAL_NEVER,
	HAL_HAPPENS,
	HAL_UNKNOWN,
};
enum hal_happens hal_event_happens(bool shared, uint16_t code, uint8_t umask);

/* Whether a caller may ask to have [address, address + size) written, or a PMU be programmed to write records there:
 * memory from hal_memory_start up to, not including, hal_memory_end (hal_state.h). */
static inline bool hal_memory_writable(uint64_t address, uint64_t size)
{
	return address >= hal_memory_start && address < hal_memory_end && hal_memory_end - address >= size;
}

void hal_console_put(char c);
void hal_console_write(const char *text, size_t size);

/* Text that is for who waits for the run's end, if there is anybody; it stays where it is. */
void hal_keep_result(const char *text, size_t size);

/* Ends the run. 0: success. On silicon, where nothing can end, the processor stops; or as end= has asked for. */
noreturn void hal_exit(int status);

/* Whether the run can end as the command line has asked for by end=. Where there are several ends, it is chosen before
 * the command line is read otherwise. */
bool hal_end_is_known(const char *asked);

#endif
