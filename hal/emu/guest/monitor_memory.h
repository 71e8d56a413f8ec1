/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the monitor lives: at the top of memory, between these two. Below is the guest's memory; above, up to the end,
 * are the tables that the firmware has left there. The image is linked at MONITOR_START, and behind it the boot loader
 * puts the guest's files. */
#ifndef GUEST_MONITOR_MEMORY_H
#define GUEST_MONITOR_MEMORY_H

#define MONITOR_START	0x1C000000u	/* 448 MiB; Makefile has it, too */
#define MONITOR_END	0x1FE00000u	/* 510 MiB, of 512 */

/* Here the machine has neither memory nor devices: 512 MiB from here on read as what is absent does. */
#define HOLE_START	0x40000000u

#endif
