/* SPDX-License-Identifier: BSD-2-Clause */
/* What the examples share: one CPU's interrupts while palmon's runtime has it; of those that are not a UEFI driver, the
 * way to 64-bit mode and a serial port. */
#ifndef HOST_H
#define HOST_H

#include <stdint.h>

/* Exceptions and interrupts come here from now on; those of devices are masked. Then all is as before. */
void host_take_interrupts(void);
void host_give_interrupts_back(void);

/* Then: has an interrupt, which code of this privilege level may ask for, come to this entry. */
void host_set_gate(unsigned vector, void (*entry)(void), unsigned level);

/* Provided by the example: an exception that nobody expects, at this address. */
void host_end(unsigned vector, uint64_t ip);

/* Provided by the example: what start.S calls, with the argument with which it has been called itself, if any, and
 * what it returns. It is on this stack, which is painted before. */
uint32_t host_main(uint32_t argument);
#define HOST_STACK_PAINT 0x5A5A5A5Au
extern uint32_t host_stack[], host_stack_end[];

/* Calls the function at privilege level 3; how it comes back (user.S). */
#define HOST_USER_RETURN 0xE2
void host_call_user(void (*function)(uint64_t argument), uint64_t argument);
void host_user_return(void);

/* The I/O port of the serial port that palmon_host_put and these write to. 0, as at first: nowhere. */
extern uint16_t host_serial_port;
void host_put(const char *text);
void host_put_value(const char *text, uint64_t value);

#endif
