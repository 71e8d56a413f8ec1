/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the monitor lives: between these two. Below is the guest's memory, and from GUEST_CONTINUES on, if the machine
 * has more than 512 MiB. If not, the tables that the firmware has left are in between. The image is linked at
 * MONITOR_START, and behind it the boot loader puts the guest's files. */
#ifndef GUEST_MONITOR_MEMORY_H
#define GUEST_MONITOR_MEMORY_H

#define MONITOR_START	0x1C000000u	/* 448 MiB; Makefile has it, too */
#define MONITOR_END	0x1FE00000u	/* 510 MiB */

#define GUEST_CONTINUES	0x20000000u	/* 512 MiB */

/* Here the machine has neither memory nor devices: what is read from here on is what is absent. */
#define HOLE_START	0x1000000000ull	/* 64 GiB */

#endif
