#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon info: the answer of PAL_PERF_MON_INFO.
. tests/tap.sh
. tests/command/command.sh

# Table 6-24. Return value: pairs 7:0, width 15:8, cycles 23:16, retired 31:24.
palmon info -t itanium -j
check "Itanium: Table 6-24" prints "$(printf %s \
	'{"generic":4,"width":32,"cycles_event":18,"retired_event":8,"pmc_mask":"0x3fff","pmd_mask":"0x3ffff",' \
	'"cycles_mask":"0xf0","retired_mask":"0x10","pm_info":"0x08122004"}')"
palmon info -t itanium
check "the same as text" prints 'generic         4' 'width           32' 'cycles_event    0x12' \
	'retired_event   0x08' 'pmc_mask        0x3fff' 'pmd_mask        0x3ffff' \
	'cycles_mask     0xf0' \
	'retired_mask    0x10' 'pm_info         0x08122004'
# Four general counters of 48 bits, events 3C and C0 (SDM volume 3B); registers with the numbers of
# pmu/nehalem/README.md.
palmon info -t nehalem -j
check "Nehalem" prints "$(printf %s \
	'{"generic":4,"width":48,"cycles_event":60,"retired_event":192,"pmc_mask":"0x7f","pmd_mask":"0xff",' \
	'"cycles_mask":"0xf","retired_mask":"0xf","pm_info":"0xc03c3004"}')"
done_checking
