#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Data addresses of precise loads and stores, which palmon computes from instruction and registers
# (the performance analysis guide, "Precise Memory Access Events"): compared with those that the
# processor itself records with load latency, and with programs whose addresses are known.
. tests/tap.sh

# session PROGRAM EVENTS [VARIABLE=VALUE...]: measures a program; its samples are in $work/run.
session() {
	workload=$1 events=$2
	shift 2
	make_run RUN=session WORKLOAD="$workload" EVENTS="$events" "$@"
	ended 0 && says 'throttled 0, samples dropped 0, register faults 0$'
}
# view OPTION...: the report in $work/report
view() {
	"$BUILD/host/palmon" report "$@" >"$work/report" 2>&1
	status=$?
	cat "$work/report"
	[ "$status" -eq 0 ]
}

# Loads with different operands, from 100 pages.
cat >"$work/operands.c" <<'END'
static volatile char memory[128 * 4160] __attribute__((aligned(4096)));
int workload(void)
{
	for (unsigned long turn = 0; turn < 100; turn++)
		for (unsigned long i = 0; i < 100; i++) {
			const volatile char *line = memory + 4160 * i;
			unsigned long value;

			switch (i % 5) {
			case 0: __asm__ volatile("mov 8(%1), %0" : "=&r"(value) : "r"(line)); break;
			case 1: __asm__ volatile("movzbl (%1,%2,4), %k0" : "=&r"(value)
						 : "r"(memory), "r"(1040 * i)); break;
			case 2: __asm__ volatile("push (%1)\n .fill 12, 1, 0x90\n pop %0" : "=r"(value)
						 : "r"(line)); break;
			case 3: __asm__ volatile("mov %1, %%rsi\n lodsq" : "=&a"(value) : "r"(line) : "rsi");
				break;
			default: __asm__ volatile("cmp %0, (%1)\n" : "=&r"(value) : "r"(line) : "cc");
			}
		}
	return 0;
}
END
# With the event's name replaced by that of all loads, the recorded addresses are ignored.
SLOW=MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_0:u:p:lbr
recorded() {
	session "$work/operands.c" $SLOW:ldlat=3:period=17 &&
		view -i "$work/run" --working-set -x , -n 0 && grep ,0x "$work/report" >"$work/recorded"
	[ "$(awk -F, '{ n += $1 } END { print n }' "$work/recorded")" -ge 500 ] &&
		[ "$(wc -l <"$work/recorded")" -ge 100 ]
}
check "load latency records data addresses" recorded
computed() {
	mkdir "$work/computed"
	sed '1s/'"$SLOW"':ldlat=3/MEM_INST_RETIRED.LOADS:u:p:lbr/
		$s/"count":[0-9]*/"count":1000000/' "$work/run/samples" >"$work/computed/samples"
	cp "$work/run/image.elf" "$work/computed"
	head -n 1 "$work/computed/samples" | grep -q MEM_INST_RETIRED.LOADS:u:p:lbr:period &&
		view -i "$work/computed" --working-set -x , -n 0
	cut -d, -f1-4,7 "$work/recorded" >"$work/expected"
	grep ,0x "$work/report" | cut -d, -f1-4,7 | diff "$work/expected" -
}
check "the addresses computed from operands and registers are the recorded ones" computed
converted() {
	for folder in run computed; do
		"$BUILD/host/palmon" convert -i "$work/$folder" --html "$work/page.html" &&
			grep -o '"data":\[[^]]*\]' "$work/page.html" | tr , '\n' >"$work/$folder.data"
	done
	[ "$(grep -c 0x "$work/run.data")" -ge 500 ] && diff "$work/run.data" "$work/computed.data"
}
check "palmon convert computes the same ones" converted

# MOV RAX, [RAX + const]: the guide's pointer chase.
chased() {
	session tests/boot/workloads/chase.c MEM_INST_RETIRED.LOADS:u:p:period=101 &&
		! view -i "$work/run" --working-set &&
		grep 'no data addresses: the instruction overwrote a register of its address$' \
			"$work/report"
}
check "a chase through pointers overwrites its addresses" chased

# False sharing, as the guide's profile measures it. Threads 0 and 2 store 100,000 times each, once
# in five instructions, to words 0 and 1 of a line. After 997 stores the next one comes within the
# eight cycles in which nothing is recorded; the one after it is recorded: one sample in 999.
STORES=MEM_INST_RETIRED.STORES:u:p:period=997
stored() {
	session tests/boot/workloads/false-sharing.c $STORES THREADS=3 &&
		view -i "$work/run" --shared -x , >/dev/null
	grep ,0x "$work/report" | cut -d, -f5-8,10 >"$work/rows"
	printf '%s\n' 0,0,0,100,workload 8,2,0,100,workload | diff - "$work/rows"
}
check "the stores of two threads to different words of one line" stored
for_perf() {
	"$BUILD/host/palmon" convert -i "$work/run" --perf "$work/perf.data" &&
		perf script -i "$work/perf.data" -F addr,data_src 2>/dev/null >"$work/out"
	sort "$work/out" | awk '{ print $1 % 10, /OP STORE/ }' | uniq -c | awk '{ print $1, $2, $3 }' >"$work/rows"
	printf '%s\n' '100 0 1' '100 8 1' | diff - "$work/rows"
}
check "perf reads them as stores" for_perf
# Records of both events at once belong to no counter: their numbers are not known.
loaded() {
	session tests/boot/workloads/false-sharing.c \
		$STORES,MEM_UNCORE_RETIRED.OTHER_CORE_L2_HITM:u:p:period=101 THREADS=3 &&
		view -i "$work/run" --shared -x ,
	awk -F, '$4 > 0 { print $1, $5, $6, ($7 > 0), ($8 > 0), $10 }' "$work/report" | sort >"$work/rows"
	printf '%s\n' "$STORES 0 0 0 1 workload" "$STORES 8 2 0 1 workload" \
		"MEM_UNCORE_RETIRED.OTHER_CORE_L2_HITM:u:p:period=101 0 0 1 0 workload" \
		"MEM_UNCORE_RETIRED.OTHER_CORE_L2_HITM:u:p:period=101 8 2 1 0 workload" |
		diff - "$work/rows"
}
check "with these stores also the loads of modified copies" loaded
done_checking
