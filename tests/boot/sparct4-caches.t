#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The SPARC T4's events of caches and of memory, raised by real code: passes over memory, and code,
# that fits in a cache or does not. Doubling the turns raises each count by the number counted by
# hand. Sources: Table 10-2 of the SPARC T4 Supplement; hal/emu/model/sparct4.machine. A set of the
# L1 caches has 4 lines of 32 bytes, and addresses 4 KB apart share a set; the L2 cache: 8 lines, 16
# KB; the L3 cache: 16 lines of 64 bytes, 256 KB.
# Without EXTRA, one check of each kind of access and of each cache.
. tests/tap.sh
use_target sparct4 prom

. tests/boot/sparct4-grows.sh
prepare passes
prepare code

# passes KILOBYTES TURNS NAME=N...: executes the loop $access, every $stride bytes
access=load stride=64
passes() {
	words="KILOBYTES $1 STRIDE $stride ACCESS $access"
	shift
	grows passes "$@"
}
# code KILOBYTES TURNS NAME=N...
code() {
	words="KILOBYTES $1"
	shift
	grows code "$@"
}

#
# Loads
#

# 64 lines, one per set; only these sets of the L1 data cache are used.
check "4 KB: loads miss nothing" passes 4 100 DC_miss=0 DC_miss_nospec=0 IC_miss=0 L2_clean_evict=0
# 1,024 lines: 16 in each set of the L1 data cache, 4 in each set of the L2 cache.
check "64 KB: all loads miss the L1 data cache, none the L2 cache" passes 64 50 DC_miss=51200 \
	DC_miss_L2_L3_hit=51200 DC_miss_local_hit=0 L2_clean_evict=0
long "64 KB: as precise events" passes 64 50 DC_miss_nospec=51200 DC_miss_L2_L3_hit_nospec=51200 \
	DC_miss_local_hit_nospec=0 DC_evict_invalid=0
# 16,384 lines: 64 in each used set of the L2 cache, 4 in each set of the L3 cache. The loop's own
# line is in a used set. Each eighth line evicts it from the L2 cache, and with it from the L1
# instruction cache.
check "1 MB: all lines hit the L3 cache; each eighth line of its set evicts the loop's" passes \
	1024 2 \
	DC_miss_L2_L3_hit=32768 DC_miss_local_hit=0 IC_evict_invalid=16 IC_miss=16
long "1 MB: the L2 cache replaces clean lines" passes 1024 2 L2_clean_evict=$((32768 + 16)) \
	L2_dirty_evict=0 \
	IC_invalid_all=16 L1_invalid_all=16
long "1 MB: the loop's line hits the L3 cache" passes 1024 2 IC_miss_L2_L3_hit=16 \
	IC_miss_L2_L3_hit_nospec=16 \
	IC_miss_nospec=16 IC_miss_local_remote_remL3_hit=0
# 131,072 lines: 32 in each set of the L3 cache, 512 in each set of the L2 cache.
check "8 MB: all loads come from memory" passes 8192 1 DC_miss=131072 DC_miss_L2_L3_hit=0 \
	DC_miss_local_hit=131072 \
	IC_miss=64
long "8 MB: as precise events" passes 8192 1 DC_miss_nospec=131072 \
	DC_miss_local_hit_nospec=131072 \
	DC_miss_L2_L3_hit_nospec=0

# The line after the memory and 64 others are in one set of each cache. The loop uses it between all
# others, so it stays in the L1 cache. The L2 cache sees only its first use: each eighth other line
# evicts it.
invalidated() {
	access=load_after_and_load stride=16384
	passes 1024 5 DC_evict_invalid=40 DC_invalid_all=40 L1_invalid_all=40 \
		DC_miss=$((64 * 5 + 40))
}
check "a line evicted from the L2 cache leaves the L1 data cache" invalidated

# Twin loads, block loads and atomics raise none of these events, but they move the lines.
other_access() {
	access=$1
	passes 64 10 DC_miss=0 DC_miss_nospec=0 St_hit_L2="$2"
}
long "twin loads are not counted" other_access load_twin 0
check "atomics are not counted" other_access exchange 0

#
# Stores
#

access=store stride=64
long "64 KB: all stores hit the L2 cache" passes 64 10 St_hit_L2=10240 St_hit_L3=0 St_local=0 \
	DC_miss=0
check "1 MB: they hit the L3 cache, which receives modified lines" \
	passes 1024 2 St_hit_L2=0 St_hit_L3=32768 St_local=0 \
	L2_dirty_evict=32768
long "8 MB: they come from memory" passes 8192 1 St_hit_L2=0 St_hit_L3=0 St_local=131072 \
	L2_dirty_evict=131072

#
# Code
#

# One more line follows the no-operations.
long "8 KB of code: no misses" code 8 100 IC_miss=0 IC_miss_nospec=0 IC_evict_invalid=0
check "64 KB of code: each line misses, and hits the L2 cache" code 64 5 IC_miss=10245 \
	IC_miss_nospec=10245 \
	IC_miss_L2_L3_hit=10245 IC_miss_L2_L3_hit_nospec=10245
# A miss brings both 32-byte halves of a line into the L3 cache; the second half hits there.
more_code() {
	words="KILOBYTES 32"
	counts code 1 "$(events_of "$@")" >"$work/once"
	words="KILOBYTES 64"
	counts code 1 "$(events_of "$@")" >"$work/twice"
	differ "$@"
}
check "32 KB more of code: half of the lines come from memory" more_code IC_miss=1024 \
	IC_miss_L2_L3_hit=512 \
	IC_miss_local_remote_remL3_hit=512 IC_miss_local_hit_nospec=512

#
# Memory controllers: neighbouring lines belong to different controllers, then ports, then channels
# (pmu/sparct4-dram/DECISIONS.md)
#

# controllers ACCESS NAME=N...: counts these events of each controller, two at a time
controllers() {
	access=$1 levels=
	shift
	for one; do
		set -- "$@" "${one%=*}.MCU0=${one#*=}" "${one%=*}.MCU1=${one#*=}" \
			"${one%=*}.MCU2=${one#*=}" \
			"${one%=*}.MCU3=${one#*=}"
		shift
	done
	passes 8192 1 "$@"
}
long "reads of each controller" controllers load READS=32768 WRITES=0
check "writes" controllers store READS=32768 WRITES=32768
long "reads of each port" controllers load READS_COU0_PORT0=8192 READS_COU0_PORT1=8192
long "writes of each port" controllers store WRITES_COU0_PORT0=8192 WRITES_COU0_PORT1=8192
long "both, of each port" controllers store READS_WRITES_COU0_PORT0=16384 \
	READS_WRITES_COU0_PORT1=16384
check "both, of each channel" controllers store READS_WRITES_CHANNEL0=32768 \
	READS_WRITES_CHANNEL1=32768

#
# Samples, and names
#

sampled() {
	words="KILOBYTES 64 STRIDE 64 ACCESS load"
	counts passes 20 "$1:period=1000" >/dev/null || return
	says "^$1: 20 samples .*: exactly" && says '^ +100\.0% +20  load ' || return
	[ "$(sed -n 's/.*between overflow and freeze: .* to \([0-9]*\)$/\1/p' "$work/out")" \
		-le "$2" ]
}
long "misses are sampled" sampled DC_miss:u 256
check "exactly at the instruction" sampled DC_miss_nospec:u 0

# All events of the memory controllers, except the other owner's ports.
names() {
	list sparct4 | grep -v 'BTC\|mispred'
	list sparct4-dram | grep -v _COU1_
}
long "each modelled event of theirs has an expected count" all_have_grown 60 names
done_checking
