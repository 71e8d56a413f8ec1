#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon metrics: tables of the Itanium manual's chapter 7.
. tests/tap.sh
. tests/command/command.sh

palmon metrics -t itanium -j
check "the keys are the documented ones" has_keys target name formula unit table
all_strings() {
	! grep -vE '^\{("[a-z]+":"[^"]+",?){5}\}$' "$work/out"
}
check "all values are strings" all_strings

tables() {
	for table in 2 4 6 8 11 13 14 15 21 25 27 28; do
		grep -q "\"table\":\"Table 7-$table\"" "$work/out" ||
			{ echo "Table 7-$table"; bad=1; }
	done
	[ -z "$bad" ]
}
check "each table with formulas is represented" tables

# row NAME FORMULA TABLE
row() {
	palmon metrics -t itanium -j "$1"
	done_quietly && [ "$(sed 's/"unit":"[^"]*",//' "$work/out")" = \
		"{\"target\":\"itanium\",\"name\":\"$1\",\"formula\":\"$2\",\"table\":\"Table $3\"}" ] || show
}
check "a derived event" row RSE_STORES_RETIRED.d 'RSE_REFERENCES_RETIRED - RSE_LOADS_RETIRED' 7-4
check "a ratio of two events" row DATA_SPECULATION_MISS_RATIO \
	'ALAT_INST_FAILED_CHKA_LDC.ALL / ALAT_INST_CHKA_LDC.ALL' 7-8
check "a ratio of derived events" row DTLB_MISS_RATIO 'DTLB_MISSES / DTLB_REFERENCES.d' 7-28

for_people() {
	palmon metrics -t itanium rse_stores
	done_quietly && has_line RSE_STORES_RETIRED.d &&
		has_line 'RSE_REFERENCES_RETIRED - RSE_LOADS_RETIRED' &&
		grep -q 'Table 7-4\]' "$work/out" && ! grep -E '^.{81}' "$work/out"
}
check "as text: name, formula, table in 80 columns" for_people

palmon metrics -t itanium NO_SUCH
check "a pattern without match is a failure" refuses 1 "'NO_SUCH'"

#
# Remarks of the performance analysis guide accompany its formulas
#

palmon metrics -t nehalem -j INSTRUCTION_STARVATION
check "a caveat has its own key" has_line '{"target":"nehalem","name":"INSTRUCTION_STARVATION",'\
'"formula":"UOPS_ISSUED.STALL_CYCLES - RESOURCE_STALLS.ANY","unit":"cycles",'\
'"table":"Branch Mispredictions, Wasted Work","caveat":"needs Hyper-Threading off: else it includes the cycles in '\
'which the other thread issues"}'
caveat() {
	palmon metrics -t nehalem TOTAL_CYCLES
	done_quietly && has_line 'Note: includes halted cycles; follows changes of the frequency.'
}
check "as text: a note" caveat

# 10 cycles, with uops in 4 of them, in three pieces (Figure 5: total cycles = stall + active).
printf '%s\n' 't=0 cycles=10 code=0x3C' 't=1 cycles=2 code=0xB1 sub=0x3F' \
	't=4 code=0xB1 sub=0x3F n=6' \
	't=8 code=0xB1 sub=0x1' >"$work/trace"
palmon stat -t nehalem -M TOTAL_CYCLES,AVERAGE_STALL_LENGTH,EXECUTION_STALL_RATIO \
	--trace="$work/trace" -x,
cycle_accounting() {
	done_quietly && has_line ',,TOTAL_CYCLES,10,100.00,10,cycles' &&
		has_line ',,AVERAGE_STALL_LENGTH,10,100.00,1.500000,cycles' &&
		has_line ',,EXECUTION_STALL_RATIO,10,100.00,0.600000,ratio'
}
check "cycle accounting of a trace: 6 stalled cycles in 4 stalls, of 10" cycle_accounting
palmon stat -t nehalem -M TOTAL_CYCLES --trace="$work/trace"
check "stat prints the caveat" has_line \
	'TOTAL_CYCLES: includes halted cycles; follows changes of the frequency.'
palmon stat -t nehalem -M TOTAL_CYCLES --trace="$work/trace" -j
json_caveat() {
	done_quietly && grep -q '"caveat":"includes halted cycles; follows changes of the frequency"' "$work/out"
}
check "JSON has the caveat" json_caveat

# Two divides of 20 cycles. The divider is idle when counting starts, which is an edge of that
# condition, too.
printf '%s\n' 't=0 code=0xc0 cycles=10' 't=10 code=0x14 sub=1 cycles=20' \
	't=40 code=0x14 sub=1 cycles=20' \
	't=70 code=0xc0' >"$work/trace"
palmon stat -t nehalem -M DIVIDE_DURATION -e ARITH.DIV --trace="$work/trace"
edges() {
	done_quietly && has_line '3 ARITH.DIV' &&
		has_line \
		'DIVIDE_DURATION: too short: counting that starts, or continues after an' &&
		has_line 'overflow interrupt, while the divider is idle adds one divide.'
}
check "a metric of edges mentions the edge at the start" edges

# The guide's stall decomposition, shares of 1000 cycles: 50 hits of the L2 cache of 6 cycles, 3 loads
# from memory of 60 ns at 2 GHz, 4 page walks of 30 cycles, a divider that is busy for 80 cycles.
printf '%s\n' 't=0 cycles=1000 code=0x3c' 't=0 cycles=50 code=0xcb sub=2' \
	't=0 cycles=3 code=0x0f sub=0x20' 't=0 cycles=4 code=0x08 sub=2' \
	't=0 cycles=80 code=0x14 sub=1' >"$work/trace"
terms=ALL_COUNTED_STALL_SHARE_LEAST
for term in DIVIDE PAGE_WALK REMOTE_DRAM LOCAL_DRAM L3_UNSHARED L2_HIT; do
	terms=${term}_STALL_SHARE,$terms
done
palmon stat -t nehalem -M "FREQUENCY=2000000000,WALK_CYCLES=30,$terms" --trace="$work/trace" -x,
shares() {
	for share in L2_HIT_STALL_SHARE,1000,100.00,0.300000 L3_UNSHARED_STALL_SHARE,1000,100.00,0 \
		LOCAL_DRAM_STALL_SHARE,1000,100.00,0.360000 REMOTE_DRAM_STALL_SHARE,1000,100.00,0 \
		PAGE_WALK_STALL_SHARE,1000,100.00,0.120000 DIVIDE_STALL_SHARE,1000,100.00,0.080000 \
		ALL_COUNTED_STALL_SHARE_LEAST,1000,100.00,0.860000; do
		has_line ",,$share,ratio" || return
	done
}
check "the terms of the stall decomposition, each with its share of the cycles" shares
palmon stat -t nehalem -M LOCAL_DRAM_STALL_SHARE --trace="$work/trace"
check "nanoseconds need a frequency" refuses 2 "NAME=VALUE before it: 'FREQUENCY'"
palmon stat -t nehalem -M FREQUENCY=1000000000,ALL_COUNTED_STALLS_MOST --trace="$work/trace"
check "page walks need a cost" refuses 2 "NAME=VALUE before it: 'WALK_CYCLES'"

# Uncore: 60 lines of 64 bytes in 100 cycles of its clock.
printf '%s\n' 't=0 cycles=100 code=0x3FF' 't=0 cycles=60 code=0x2C sub=1' >"$work/trace"
palmon stat -t nehalem-uncore -M IMC_READ_BANDWIDTH_CH0 --trace="$work/trace" -x,
check "bandwidth of a channel of memory" has_line \
	',,IMC_READ_BANDWIDTH_CH0,100,100.00,38.400000,bytes/cycle'
# The guide: "Read Bandwidth (ch0) = 64*UNC_IMC_NORMAL_READS.CH0* Frequency/Cycles": 64 * 60 * 2133000000 / 100.
palmon stat \
	-t nehalem-uncore -M IMC_READ_BANDWIDTH_CH0,FREQUENCY=2133000000,IMC_READ_BANDWIDTH_CH0 \
	--trace="$work/trace" -x,
seconds() {
	done_quietly && has_line ',,IMC_READ_BANDWIDTH_CH0,100,100.00,38.400000,bytes/cycle' &&
		has_line ',,IMC_READ_BANDWIDTH_CH0,100,100.00,81907200000,bytes/s'
}
check "in bytes per second with a frequency before it" seconds
palmon stat -t nehalem-uncore -M FREQUENCY=1000,IMC_READ_BANDWIDTH_CH0 --trace="$work/trace" -j
check "JSON has bytes per second" grep -q '"metric-value":38400.0,"metric-unit":"bytes/s"' \
	"$work/out"
palmon stat -t nehalem-uncore -M FREQUENCY=2.66GHz,IMC_READ_BANDWIDTH_CH0 --trace="$work/trace"
check "an invalid value" refuses 2 "'FREQUENCY=2.66GHz': a value has"
palmon stat -t nehalem-uncore -M IMC_READ_BANDWIDTH_CH0,FREQUENCY=1000 --trace="$work/trace"
check "an unused value" refuses 2 "no metric after it needs 'FREQUENCY'"

# A miss: the L3 cache answers after 20 cycles, the line arrives after 120, the home logic takes 50.
# "Miss latency = L3 CACHE response Latency + MQPI * QPI response latency + MQHL * QHL latency":
# (120 - 20 - 0.6 * 50) / 0.4 = 175.
printf '%s\n' 't=0 cycles=200 code=0x3FF' 't=10 code=0x3 sub=0x6' 't=30 code=0x103 sub=0x4' \
	't=30 code=0x20 sub=0x10' \
	't=80 code=0x120 sub=0x10' 't=130 code=0x103 sub=0x2' >"$work/trace"
palmon stat -t nehalem-uncore -M M_QPI=0.4,M_QHL=0.6,QPI_RESPONSE_LATENCY --trace="$work/trace" -x,
check "QuickPath's response latency, from the cores' fractions and the uncore's latencies" \
	has_line ',,QPI_RESPONSE_LATENCY,200,100.00,175,cycles'
palmon stat -t nehalem-uncore -M QPI_RESPONSE_LATENCY --trace="$work/trace"
check "without the fractions" refuses 2 "NAME=VALUE before it: 'M_QHL'"
done_checking
