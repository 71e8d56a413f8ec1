#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The SPARC T4's memory controllers: encode, decode, stat. SPARC T4 Supplement, section 10.5, Tables
# 10-4 to 10-7.
. tests/tap.sh
. tests/command/command.sh

# says LINE...: the last run succeeded and printed all these lines; wrapped lines are joined.
says() {
	done_quietly || return
	perl -0pi -e 's/\n {20,}/ /g' "$work/out"
	for line; do
		has_line "$line" || return
	done
}
# Reads are 8, writes A; counter 0 has the lowest four bits. Controller 3's registers are the fourth
# ones.
palmon encode -t sparct4-dram READS.MCU0 WRITES.MCU0 READ_QUEUE_LATENCY.MCU3 WRITES_COU0_PORT1.MCU3
check "selects of two controllers" says 'READS.MCU0:plm=15:ctr=0' 'WRITES.MCU0:plm=15:ctr=1' \
	'DRAM_PERF_CTL_REG0 0x80040800 0x00000000000000a8' \
	'DRAM_PERF_CTL_REG3 0x80040803 0x0000000000000014'
palmon encode -t sparct4-dram READS.MCU0:ctr=2
check "a counter of power management is refused" refuses 1 \
	'READS.MCU0: .*belong to power management'
palmon encode -t sparct4-dram READS.MCU0 WRITES.MCU0 WRITES_STARVED.MCU0
check "two counters of each controller are available" refuses 1 'compete for counters 0 and 1$'
palmon encode -t sparct4-dram READS.MCU0:period=1000
check "no samples" refuses 1 'READS.MCU0: .*do not interrupt'
palmon encode -t sparct4-dram READS
check "an event names its controller" refuses 2 'READS'

palmon decode -t sparct4-dram DRAM_PERF_CTL_REG1=0xd2a8
check "a control register has four selects" says '3:0 sel0 rw 0x8 all reads of the controller' \
	'7:4 sel1 rw 0xa all writes of the controller' \
	"11:8 sel2 rw 0x2 reads and writes from the counter's COU port" \
	'15:12 sel3 rw 0xd reserved' 'event: READS.MCU1' 'event: WRITES.MCU1' \
	'event: READS_WRITES_COU1_PORT0.MCU1'
palmon decode -t sparct4-dram DRAM_PERF_COUNT01_REG0=0x8000000500000003
check "counter 0 is the upper half" says '30:0 counter1 rw 0x3 the count' \
	'62:32 counter0 rw 0x5 the count' \
	'63 sticky0 rw 0x1 the counter has overflowed'
palmon decode -t sparct4-dram DRAM_PERF_COUNT23_REG3=0x8000000500000003
check "counter 3 is the upper half" says '30:0 counter2 rw 0x3 the count' \
	'62:32 counter3 rw 0x5 the count'

palmon info -t sparct4-dram
check "16 counters of 31 bits" says 'generic 16' 'width 31' 'pmc_mask 0xf' 'pmd_mask 0xff' \
	'cycles_mask 0x0'

# Three reads wait for 40 cycles, and complete; a write to channel 0 of another controller.
trace=$work/trace
printf '%s\n' 'cycles=40 code=4 n=3 level=1' 'cycles=3 code=0 sub=6 level=1' 'code=1 sub=3' \
	>"$trace"
palmon stat -t sparct4-dram -e READS.MCU1,READ_QUEUE_LATENCY.MCU1 \
	-e READS_WRITES_CHANNEL0.MCU0,READS.MCU0 \
	--trace="$trace" -x,
check "a trace of transactions" prints '3,,READS.MCU1,44,100.00,,' \
	'120,,READ_QUEUE_LATENCY.MCU1,44,100.00,,' \
	'1,,READS_WRITES_CHANNEL0.MCU0,44,100.00,,' '0,,READS.MCU0,44,100.00,,'
palmon stat -t sparct4-dram -M READ_LATENCY.MCU1,ALL_TRANSACTIONS --trace="$trace" -x,
metrics() {
	grep -qx ',,READ_LATENCY.MCU1,44,100.00,40,cycles' "$work/out" &&
		grep -qx ',,ALL_TRANSACTIONS,44,100.00,4,transactions' "$work/out" || show
}
check "metrics of the trace" metrics
echo 'code=0 sub=3 level=2' >"$trace"
palmon stat -t sparct4-dram -e READS.MCU2,READS_COU0_PORT0.MCU2 --trace="$trace" -x,
check "all ports are in the total" prints '1,,READS.MCU2,1,100.00,,' \
	'0,,READS_COU0_PORT0.MCU2,1,100.00,,'

# 255 * 2^32 = 1095216660480; the counter wraps 510 times.
echo 'cycles=0x100000000 code=4 n=255' >"$trace"
palmon stat -t sparct4-dram -e READ_QUEUE_LATENCY.MCU0 --trace="$trace" -x,
check "counts beyond the counter's 31 bits" prints \
	'1095216660480,,READ_QUEUE_LATENCY.MCU0,4294967296,100.00,,'
# More in a cycle than any queue holds.
echo 'cycles=100 code=4 n=100000000' >"$trace"
palmon stat -t sparct4-dram -e READ_QUEUE_LATENCY.MCU0 --trace="$trace" -x,
doubtful() {
	[ "$status" -eq 0 ] && grep -q 'counts may be wrong' "$work/messages" || show
}
check "a message says that a count may be wrong" doubtful
done_checking
