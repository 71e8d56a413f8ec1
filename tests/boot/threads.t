#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sessions on several threads at once, two on each core: THREADS=n.
. tests/tap.sh
event=INST_RETIRED.ANY_P clock=CPU_CLK_UNHALTED.THREAD_P core_threads=2
need_samples="BR_INST_RETIRED.ALL_BRANCHES:u:p:period=1000 BR_INST_RETIRED.ALL_BRANCHES:u:lbr:period=1000"
. tests/boot/threads.sh
done_checking
