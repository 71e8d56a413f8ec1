// SPDX-License-Identifier: BSD-2-Clause
// The end of the run as an EFI application: the processor stops, because the boot services are
// gone.

#include "arch.h"
#include "backend.h"
#include "image_run.h"

noreturn void hal_exit(int status)
{
	(void)status;
	arch_interrupts_disable();
	for (;;)
		;
}

const char *hal_backend(void)
{
	return "the processor's";
}
