// SPDX-License-Identifier: BSD-2-Clause
// The console and the end of the run by calls to the simulator that executes the image.

#include "arch.h"
#include "backend.h"
#include "console.h"
#include "ia64/simulator.h"
#include "image_run.h"

void hal_console_put(char c)
{
	if (c == '\n')
		ia64_simulator('\r', 0, SIMULATOR_PUT_CHAR);
	ia64_simulator((uint8_t)c, 0, SIMULATOR_PUT_CHAR);
}

void hal_console_write(const char *text, size_t size)
{
	for (const char *end = text + size; text < end; text++)
		hal_console_put(*text);
}

noreturn void hal_exit(int status)
{
	for (;;)
		ia64_simulator((uint64_t)status, 0, SIMULATOR_EXIT);
}

const char *hal_backend(void)
{
	return hal_cycles() == HAL_CYCLES_ARE_TIME ? "ia64-machine, timed clock" :
	       "ia64-machine, unit clock";
}
