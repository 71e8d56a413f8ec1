/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the examples: one CPU's interrupts during the self test; for kernel and payload also
 * the entry to 64-bit mode and a serial port. */
#ifndef HOST_H
#define HOST_H

#include <stdint.h>

/* Takes over exceptions and interrupts, and masks those of devices; gives them back as they
 * were. */
void host_take_interrupts(void);
void host_give_interrupts_back(void);

/* While taken over: sets the entry of an interrupt that code of this privilege level may raise. */
void host_set_gate(unsigned vector, void (*entry)(void), unsigned level);

/* Provided by the example: called for an unexpected exception at this address. */
void host_end(unsigned vector, uint64_t ip);

/* Provided by the example: the function that start.S calls, on a stack painted before, with the
 * argument of its own call, if any. The result is start.S's result. */
uint32_t host_main(uint32_t argument);
#define HOST_STACK_PAINT 0x5A5A5A5Au
extern uint32_t host_stack[], host_stack_end[];

/* Calls the function at privilege level 3; the interrupt by which it returns (user.S). */
#define HOST_USER_RETURN 0xE2
void host_call_user(void (*function)(uint64_t argument), uint64_t argument);
void host_user_return(void);

/* I/O port of the serial port for palmon_host_put and the functions here. 0, as at first: no
 * output. */
extern uint16_t host_serial_port;
void host_put(const char *text);
void host_put_value(const char *text, uint64_t value);

#endif
