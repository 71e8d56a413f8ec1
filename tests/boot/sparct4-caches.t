#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The SPARC T4's events of caches and of memory, by real code: passes over as much memory as each cache has, or more,
# and as much code. Twice as many turns: by so many the counts grow, counted by hand. Sources: Table 10-2 of the SPARC
# T4 Supplement; hal/emu/model/sparct4.machine. A set of the L1 caches has 4 lines of 32 bytes, and there is one each
# 4 KB; of the L2 cache 8, 16 KB; of the L3 cache 16 of 64 bytes, 256 KB.
. tests/tap.sh
use_target sparct4 prom

. tests/boot/sparct4-grows.sh

# passes KILOBYTES TURNS NAME=N...: an $access each $stride bytes
access='ldx [%g1], %g0' stride=64
passes() {
	words="$(defines KILOBYTES "$1");$(defines STRIDE "$stride");$(defines ACCESS "\"$access\"")"
	shift
	grows passes "$@"
}
# code KILOBYTES TURNS NAME=N...
code() {
	words=$(defines KILOBYTES "$1")
	shift
	grows code "$@"
}

#
# Loads
#

# 64 lines, 1 in each set of the L1 data cache that has any.
check "4 KB: loads miss nothing" passes 4 100 DC_miss=0 DC_miss_nospec=0 IC_miss=0 L2_clean_evict=0
# 1,024 lines: 16 in each set of the L1 data cache, 4 in each of the L2 cache.
check "64 KB: all loads miss the L1 data cache, none the L2 cache" passes 64 50 DC_miss=51200 \
	DC_miss_L2_L3_hit=51200 DC_miss_local_hit=0 L2_clean_evict=0
check "64 KB: as precise events" passes 64 50 DC_miss_nospec=51200 DC_miss_L2_L3_hit_nospec=51200 \
	DC_miss_local_hit_nospec=0 DC_evict_invalid=0
# 16,384 lines: 64 in each set of the L2 cache that has any, 4 in each of the L3 cache. The loop's line is in such a
# set. So each eighth line takes its place, and the L1 instruction cache loses it, which had it from there.
check "1 MB: the L3 cache has all lines; the loop's goes with each eighth of its set" passes 1024 2 \
	DC_miss_L2_L3_hit=32768 DC_miss_local_hit=0 IC_evict_invalid=16 IC_miss=16
check "1 MB: the L2 cache replaces clean lines" passes 1024 2 L2_clean_evict=$((32768 + 16)) L2_dirty_evict=0 \
	IC_invalid_all=16 L1_invalid_all=16
check "1 MB: the loop comes from the L3 cache" passes 1024 2 IC_miss_L2_L3_hit=16 IC_miss_L2_L3_hit_nospec=16 \
	IC_miss_nospec=16 IC_miss_local_remote_remL3_hit=0
# 131,072 lines: 32 in each set of the L3 cache. 512 in each of the L2 cache.
check "8 MB: all loads come from memory" passes 8192 1 DC_miss=131072 DC_miss_L2_L3_hit=0 DC_miss_local_hit=131072 \
	IC_miss=64
check "8 MB: as precise events" passes 8192 1 DC_miss_nospec=131072 DC_miss_local_hit_nospec=131072 \
	DC_miss_L2_L3_hit_nospec=0

# The line behind the memory and 64 others are in one set of each cache. It is used between all others, and stays in
# the L1 cache as long as in the L2 cache, which sees it once: it goes with each eighth of the others.
invalidated() {
	access='ldx [%o4], %g0\\n ldx [%g1], %g0' stride=16384
	passes 1024 5 DC_evict_invalid=40 DC_invalid_all=40 L1_invalid_all=40 DC_miss=$((64 * 5 + 40))
}
check "what the L2 cache loses leaves the L1 data cache" invalidated

# Twin loads, block loads and atomics are none of these events; they move the lines all the same.
other_access() {
	access=$1
	passes 64 10 DC_miss=0 DC_miss_nospec=0 St_hit_L2="$2"
}
check "twin loads are not counted" other_access 'ldda [%g1] 0xE2, %o4' 0
check "atomics are not counted" other_access 'ldstub [%g1], %o5' 0

#
# Stores
#

access='stx %g0, [%g1]' stride=64
check "64 KB: the L2 cache has all stores' lines" passes 64 10 St_hit_L2=10240 St_hit_L3=0 St_local=0 DC_miss=0
check "1 MB: the L3 cache has them, and takes modified ones" passes 1024 2 St_hit_L2=0 St_hit_L3=32768 St_local=0 \
	L2_dirty_evict=32768
check "8 MB: they come from memory" passes 8192 1 St_hit_L2=0 St_hit_L3=0 St_local=131072 L2_dirty_evict=131072

#
# Code
#

# Its line behind the no-operations is one more.
check "8 KB of code: no misses" code 8 100 IC_miss=0 IC_miss_nospec=0 IC_evict_invalid=0
check "64 KB of code: each line misses, and the L2 cache has it" code 64 5 IC_miss=10245 IC_miss_nospec=10245 \
	IC_miss_L2_L3_hit=10245 IC_miss_L2_L3_hit_nospec=10245
# Of two lines of 32 bytes one brings the other one into the L3 cache.
more_code() {
	words=$(defines KILOBYTES 32)
	counts code 1 "$(events_of "$@")" >"$work/once"
	words=$(defines KILOBYTES 64)
	counts code 1 "$(events_of "$@")" >"$work/twice"
	differ "$@"
}
check "32 KB more of code: half of the lines come from memory" more_code IC_miss=1024 IC_miss_L2_L3_hit=512 \
	IC_miss_local_remote_remL3_hit=512 IC_miss_local_hit_nospec=512

#
# Memory controllers: neighbouring lines belong to different controllers, then ports, then channels
# (pmu/sparct4-dram/DECISIONS.md)
#

# controllers ACCESS NAME=N...: of each, two at a time
controllers() {
	access=$1 levels=
	shift
	for one; do
		set -- "$@" "${one%=*}.MCU0=${one#*=}" "${one%=*}.MCU1=${one#*=}" "${one%=*}.MCU2=${one#*=}" \
			"${one%=*}.MCU3=${one#*=}"
		shift
	done
	passes 8192 1 "$@"
}
LOAD='ldx [%g1], %g0' STORE='stx %g0, [%g1]'
check "reads of each controller" controllers "$LOAD" READS=32768 WRITES=0
check "writes" controllers "$STORE" READS=32768 WRITES=32768
check "reads of each port" controllers "$LOAD" READS_COU0_PORT0=8192 READS_COU0_PORT1=8192
check "writes of each port" controllers "$STORE" WRITES_COU0_PORT0=8192 WRITES_COU0_PORT1=8192
check "both, of each port" controllers "$STORE" READS_WRITES_COU0_PORT0=16384 READS_WRITES_COU0_PORT1=16384
check "both, of each channel" controllers "$STORE" READS_WRITES_CHANNEL0=32768 READS_WRITES_CHANNEL1=32768

#
# Samples, and names
#

sampled() {
	words=$(defines KILOBYTES 64)
	access=$LOAD
	counts passes 20 "$1:period=1000" >/dev/null || return
	says "^$1: 20 samples .*: exactly" && says '^ +100\.0% +20  pass ' || return
	[ "$(sed -n 's/.*between overflow and freeze: .* to \([0-9]*\)$/\1/p' "$work/out")" -le "$2" ]
}
check "misses are sampled" sampled DC_miss:u 256
check "and at the very instruction" sampled DC_miss_nospec:u 0

# Of the memory controllers all but the other owner's ports.
names() {
	list sparct4 | grep -v 'BTC\|mispred'
	list sparct4-dram | grep -v _COU1_
}
check "no event of theirs is called modelled of which no count was expected" all_have_grown 60 names
done_checking
