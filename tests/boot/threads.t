#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sessions on several threads at once, two on each core: THREADS=n.
. tests/tap.sh
event=INST_RETIRED.ANY_P core_threads=2
. tests/boot/threads.sh
done_checking
