#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The emulated ia64 machine executes programs. They check themselves, and end with status 0.
. tests/tap.sh
. tests/boot/ia64.sh

# runs PROGRAM [OPTION]
runs() {
	build "$1" || return
	capture timeout 300 "$MACHINE" ${2:+"$2"} -p "$PMU" -n 100000000 "$work/$1"
	ended 0
}
check "recursion deeper than the register stack: registers are spilled and filled" runs fibonacci
check "NaT bits of 100 frames come back from the backing store" runs nats
check "frames that were flushed and given up come back from memory" runs backing
check "recursion with an interruption at each instruction, whose handler flushes all registers" \
	runs stepped
check "a modulo-scheduled loop with rotating registers and predicates" runs rotation
check "quotients from an approximation are rounded as IEEE 754 asks for" runs division
check "bit fields, extensions, pointers, comparisons of each type" runs bits
check "parallel instructions" runs parallel
check "loads, stores, speculation, advanced loads, semaphores, spilled NaTs" runs memory
check "speculative and advanced loads by the memory attribute, in physical mode and translated; PSR.ed" runs deferral
check "big-endian data: loads, stores, semaphores, floating point, backing store, page walker" \
	runs big_endian
check "floating point: formats, conversions, comparisons, classes, flags" runs floating
check "floating point: pairs" runs floating_pairs
check "ISR, IFA, IIP, IPSR and IIM after interruptions" runs interruptions
check "TLBs, VHPT, keys, access rights and the faults of translation" runs translation
check "disabled floating-point registers, taken branches, transfers to a lower privilege, epc" \
	runs traps
check "data and instruction breakpoints: kinds of access, masks, levels, PSR.dd and PSR.id" runs \
	breakpoints
check "misses of TLBs, and insertions by the page walker" runs tlb
check "misses of the data TLB's first level, event address registers in TLB mode, the page walker's reads" runs misses
check "code that is written over is executed as it is then" runs code
check "the interval timer interrupts when ITC is ITM, at ITV's vector" runs timer
check "a light halt stops the monitors, and not ITC" runs halt
check "a light halt whose timer is masked ends" runs halt_unheard
check "a light halt whose timer is masked ends, with the timed clock" runs halt_unheard -t
check "entries that the ALAT replaces while nothing counts are not counted" runs replaced
check "a write of the monitor in single steps" runs write_stepped
check "PMD4 counts each instruction between two writes of PMC0" runs count
check "an overflow freezes at its instruction, and interrupts before the next" runs overflow
check "retired instructions, nops, squashed ones, floating-point operations by weight" runs retired
check "results that are flushed to zero: numbers, pairs, fields whose underflows trap" runs flushed
check "the timed clock: results that are flushed to zero" runs flushed -t
check "loads, stores, references, misaligned ones, checks of the ALAT and of NaTs" runs references
check "the register stack engine's references, each of which takes a cycle" runs stack_traffic
check "the register stack engine in a recursion spills and loads only registers that do not fit" \
	runs frames
check "a modulo-scheduled loop: instructions by predicate, turns" runs loops
check "branches by slot, and the branch trace buffer's entries" runs branches
check "one process, several and all are monitored, with the kernel and interruptions or without" runs scopes
check "the branch trace buffer has no target of a branch that traps" runs trapped
check "changes of the privilege level, for the level that they lead to" runs levels
check "qualification by opcode, instruction address and data address" runs qualified
check "an overflow of loads freezes at its load" runs overflow_load
check "branches are predicted as the tables, registers and hints have it" runs predictions
check "rare events: sub-events of branches, lines that leave L3 and come back" runs rare
check "walks through memory miss where each cache ends" runs caches
check "reads of L3 by source and outcome" runs l3_reads
check "writes of L3 by source and outcome" runs l3_writes
check "transactions on the bus, by event and initiator" runs bus
check "other agents on the bus: transactions, snoops, answers" runs snoops
check "the timed clock: other agents on the bus" runs snoops -t
check "prefetches of code that brp starts: from each level, and those that are cancelled" runs \
	prefetches
check "the timed clock: prefetches of code" runs prefetches -t
check "references to uncacheable memory, by attribute and by physical address" runs uncacheable
check "the timed clock: references to uncacheable memory" runs uncacheable -t
check "the write coalescing buffer, its evictions, and ld.bias" runs coalescing
check "the timed clock: the write coalescing buffer, its evictions, and ld.bias" runs coalescing -t
check "flushes for other reasons than branches" runs flushes
check "translated code and data: counts, and virtual addresses of misses" runs translated
check "predictions of bundles with several branches, by path and outcome" runs multiway
check "predictions of branches by stage, path and outcome" runs paths
check "predictions of branches by stage and outcome, with targets" runs stages
check "entries of the ALAT that others displace, by the file of registers" runs alat
check "event address registers hold addresses and latencies of misses" runs addresses

check "the timed clock: cycles by class, which add up to CPU_CYCLES" runs timed -t
check "the timed clock: a fetch that misses costs the latency of its line's place" runs fetches -t
check "the timed clock: requests in the bus request queue and in the in-order queue, in each cycle" \
	runs queues -t
check "the timed clock: flushes of L2's pipeline, by cause" runs l2_flushes -t
check "the timed clock: flushes by multimedia results that are used too early" runs bypasses -t
check "the timed clock: the page walker takes as long as it reads" runs walks -t
check "the timed clock: mf.a waits for loads, mf and fwb do not" runs fences -t
check "the timed clock: dispersal of bundles by template and unit" runs dispersal -t
check "predictions do not depend on the clock" runs predictions -t
check "references do not depend on the clock" runs references -t
check "misses of TLBs do not depend on the clock" runs misses -t
check "the timed clock: thresholds, with each observer" runs thresholds -t
check "the register stack engine's references, with each observer; by opcode and address" runs \
	stack_observed
check "the timed clock: the register stack engine's references, likewise" runs stack_observed -t
check "weights of floating-point operations of one cycle, with each observer" runs weights
check "the timed clock: weights of floating-point operations, likewise" runs weights -t
check "two references in a cycle, with each observer" runs pairs
check "the timed clock: two references in a cycle, likewise" runs pairs -t
check "PSR.db changes no count" runs debug_status
check "the timed clock: PSR.db changes no count" runs debug_status -t

twice() {
	build overflow && "$MACHINE" -c -p "$PMU" "$work/overflow" 2>"$work/first" &&
		"$MACHINE" -c -p "$PMU" "$work/overflow" 2>"$work/second" &&
		cmp "$work/first" "$work/second"
}
check "two runs execute the same number of instructions" twice

# ends STATUS PATTERN PROGRAM [OPTION...]
ends() {
	expected=$1 pattern=$2 program=$3
	shift 3
	build "$program" || return
	capture timeout 300 "$MACHINE" -p "$PMU" "$@" "$work/$program"
	ended "$expected" && says "$pattern" && says '^b4 '
}
check "a reserved template without a table of vectors: one line, and the state" \
	ends 3 '^ia64-machine: interruption 5400H \(code 0H, .* at 100000H slot 0' illegal
check "a branch to an address that the processor has not" \
	ends 3 'interruption 5E00H \(code 10H, address 700000000000H\) .* at 700000000000H slot 0' \
	nowhere
check "a break without a table of vectors" ends 3 'interruption 2C00H \(code 0H, address 1234H\)' \
	no_table
check "a breakpoint register that does not exist: reserved register fault" \
	ends 3 'interruption 5400H \(code 30H' reserved_register
check "a loop without an end: it ends with where it was" \
	ends 4 '^ia64-machine: 1000000 instructions are over, at ' endless -n 1000000

check "a store to where no memory is" \
	ends 3 '^ia64-machine: machine check: there is no memory at 40000000000H, at 100' no_memory
check "an insertion into the translation cache overlaps a translation register" \
	ends 3 "^ia64-machine: machine check: a translation overlaps a translation register's at 1f000H, at 100" \
	overlap_cache
check "an insertion into a translation register overlaps another one" \
	ends 3 "machine check: a translation overlaps a translation register's at 10000H, at 100" \
	overlap_register
check "the page walker's insertion overlaps a translation register" \
	ends 3 "machine check: a translation overlaps a translation register's at 8000000000004000H," overlap_walk
check "a branch to IA-32 code: faults, and where none is raised, the end" \
	ends 3 '^ia64-machine: this machine executes no IA-32 code: at 123450H, at 100' to_ia32
check "recursion without an end: the backing store leaves memory" \
	ends 3 '^ia64-machine: machine check: there is no memory at 4000000H, at 100' descent
check "a handler that causes its own interruption" \
	ends 4 '^ia64-machine: [0-9]+ instructions are over, at 1ac00H' again -n 1000000
check "a loop without an end under a limit of time" \
	ends 4 '^ia64-machine: the time is over after [0-9]+ instructions, at 100' endless -s 1

# refuses PATTERN FILE
refuses() {
	capture timeout 300 "$MACHINE" "$2"
	ended 2 && says "$1"
}
build fibonacci
head -c 40 "$work/fibonacci" >"$work/short"
head -c 100 "$work/fibonacci" >"$work/cut"
cp "$work/fibonacci" "$work/outside"
printf '\377\377\377\377\377\377\377\177' | dd of="$work/outside" bs=1 seek=24 conv=notrunc \
	2>/dev/null
check "a file that does not exist" refuses 'No such file' "$work/nothing"
check "an image for another machine" refuses 'is no ia64 executable' /bin/true
check "a text" refuses 'is no 64-bit little-endian ELF file' README.md
check "an ELF header that is cut off" refuses 'too short' "$work/short"
check "program headers that are cut off" refuses 'cut off' "$work/cut"
overlaps() {
	build fibonacci &&
		ia64-linux-gnu-ld -Ttext=0x100000 -Tdata=0x180000 -o "$work/apart" \
		"$work/memory.o" &&
		ia64-linux-gnu-readelf -lW "$work/apart" | awk '$1 == "LOAD" { print $4 }' \
		>"$work/loads" &&
		[ "$(wc -l <"$work/loads")" -ge 2 ] &&
		copy_first_address "$work/apart" && refuses 'has segments that overlap' \
		"$work/apart"
}
# Copies the first loaded segment's physical address (bytes 24 to 31 of its header) to the next
# segment.
copy_first_address() {
	headers=$(ia64-linux-gnu-readelf -hW "$1" | awk '/Start of program headers/ { print $5 }')
	first=$(ia64-linux-gnu-readelf -lW "$1" |
		awk '$2 ~ /^0x/ { if ($1 == "LOAD") { print n + 0; exit } n++ }')
	dd if="$1" of="$1" bs=1 count=8 conv=notrunc skip=$((headers + 56 * first + 24)) \
		seek=$((headers + 56 * (first + 1) + 24)) 2>/dev/null
}
check "segments that overlap" overlaps
check "an entry outside memory" refuses 'begins outside memory' "$work/outside"

# refuses_number OPTION ARGUMENT MOST: one line names the option, its argument and the range.
refuses_number() {
	capture "$MACHINE" "$1" "$2" "$work/fibonacci"
	ended 2 && says "^ia64-machine: $1: '$2' is not a number from 1 to $3\$" &&
		[ "$(wc -l <"$work/out")" -eq 1 ]
}
U64=18446744073709551615
check "a limit of instructions that is a word" refuses_number -n x $U64
check "a limit of instructions of 0" refuses_number -n 0 $U64
check "a limit of instructions that is negative" refuses_number -n -1 $U64
check "a limit of instructions above 64 bits" refuses_number -n 18446744073709551616 $U64
check "a limit of instructions without digits" refuses_number -n 0x $U64
check "a limit of time with a unit" refuses_number -s 10s $U64
check "a limit of time that is empty" refuses_number -s '' $U64
check "memory of no megabytes" refuses_number -m 0 65536
check "memory with a unit" refuses_number -m 64M 65536
check "more memory than the machine can have" refuses_number -m 65537 65536
check "a hexadecimal limit of instructions" \
	ends 4 '^ia64-machine: 4096 instructions are over, at ' endless -n 0x1000

# reads LINE EXPECTED: this line after the processor's description
describes() {
	build fibonacci
	cat hal/emu/model/merced.machine - >"$work/processor.machine" <<-END
		$1
	END
	capture "$MACHINE" -g "$work/processor.machine" "$work/fibonacci"
	ended 2 && says "$2"
}
lines=$(wc -l <hal/emu/model/merced.machine)
check "a processor with a part that there is not" describes \
	"cache L4 bytes=8M ways=16 line=64 | here" \
	"processor.machine:$((lines + 1)): there is no cache L4"
# lacks KIND NAME
lacks() {
	build fibonacci
	grep -v "^$1	$2" hal/emu/model/merced.machine >"$work/processor.machine"
	capture "$MACHINE" -g "$work/processor.machine" "$work/fibonacci"
	ended 2 && says "processor.machine: there is no $1 $2"
}
check "a processor without a latency that the machine needs" lacks latency FROM_FLOAT
check "a processor without a queue that the machine needs" lacks queue BRQ
# widens WIDTH NUMBER EXPECTED
widens() {
	build fibonacci
	sed "s/^$1.*/$1 $2 | here/" hal/emu/model/merced.machine >"$work/processor.machine"
	capture "$MACHINE" -g "$work/processor.machine" "$work/fibonacci"
	ended 2 && says "processor.machine:[0-9]*: $3"
}
check "a processor that issues too many bundles in a cycle" \
	widens 'width	BUNDLES' 9 'BUNDLES is more than 8'
check "a memory that takes too long" widens 'latency	MEMORY' 65536 \
	'MEMORY has more than 65535 cycles'
issues() {
	build rotation
	sed -E "s/^(width	[A-Z]+	).*/\1$1 | here/" hal/emu/model/merced.machine \
		>"$work/processor.machine"
	capture "$MACHINE" -t -p "$PMU" -n 1000000 -g "$work/processor.machine" "$work/rotation"
	ended 0
}
check "a processor that issues the most" issues 8
check "a processor that issues one instruction of a kind in a cycle" issues 1
done_checking
