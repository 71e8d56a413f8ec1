// SPDX-License-Identifier: BSD-2-Clause
// A workload that returns at once, to measure a session's own work.

int workload(void);

int workload(void)
{
	return 0;
}
