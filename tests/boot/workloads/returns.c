// SPDX-License-Identifier: BSD-2-Clause
// A workload that returns at once: its session is all that a session needs otherwise.

int workload(void);

int workload(void)
{
	return 0;
}
