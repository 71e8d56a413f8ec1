#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Four CPUs: each one's counts and samples are its own, exact, and the same in each run. Then the
# ends of runs in which a CPU does not return, faults, or is missing.
. tests/tap.sh
. pmu/nehalem/machine
. hal/emu/qemu/machine

measured() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/cpus.c EVENTS=CPU_CLK_UNHALTED.REF \
		LEVEL=0 PMI="$1"
	ended 0 && says '^cpus: 0 wrong$' &&
		says 'spurious 0, .*throttled 0, samples dropped 0, register faults 0$'
}
check "four CPUs count, sample and halt exactly, each for itself" measured vector

# The run's output without the clock counts.
printed() {
	grep -A1000 '^palmon:' "$work/out" | grep -v -e ' clocks$'
}
printed >"$work/first"

repeats() {
	measured vector
	printed | diff "$work/first" -
}
long "a second run counts and samples the same, to the character" repeats
long "also with the first CPU's overflow interrupt as NMI" measured nmi

branches() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/branches.c EVENTS=CPU_CLK_UNHALTED.REF \
		LEVEL=0
	ended 0 && says '^branches: 0 wrong$'
}
long "branches are counted and recorded one by one" branches

precise() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/precise.c EVENTS=CPU_CLK_UNHALTED.REF \
		LEVEL=0
	ended 0 && says '^precise: 0 wrong$'
}
check "a precise event's record has its instruction's registers, and does not overwrite code" \
	precise

# workload NAME CODE: builds a workload with this function body, and a function that another CPU may
# run.
workload() {
	cat >"$work/$1.c" <<END
#include <stdio.h>
#include "cpus.h"
#include "stimulus.h"
#include "system.h"
int workload(void);
static volatile uint32_t zero;
__attribute__((noipa, unused)) static void divide(void *unused)
{
	(void)unused;
	__asm__ volatile("xor %%ecx, %%ecx; mov \$1, %%eax; cdq; idiv %%ecx" : : : "eax", "ecx", "edx");
}
__attribute__((unused)) static void loop(void *unused) { (void)unused; for (;;) __asm__ volatile(""); }
__attribute__((unused)) static void write(void *unused)
{
	for (;; (void)unused)
		system_call(SYSTEM_WRITE, (uint64_t)"written\n", 8);
}
__attribute__((unused)) static void write_from_0(void *unused) { (void)unused; system_call(SYSTEM_WRITE, 0, 8); }
extern uint64_t arch_gdt[];
__attribute__((unused)) static void lose_gs(void *unused)
{
	unsigned selector;
	__asm__ volatile("mov %%gs, %0" : "=r"(selector));
	arch_gdt[selector / 8] &= 0x00FFFF000000FFFF;	// its base
	divide(unused);
}
__attribute__((unused)) static void overrun(void *deep)
{
	volatile char room[1024];
	room[0] = 1;
	if (deep)
		overrun((void *)(size_t)room);
	zero += room[0];
}
int workload(void)
{
	__attribute__((unused)) unsigned cpus = hal_cpus_start();
	$2
}
END
	make_run RUN=session WORKLOAD="$work/$1.c" LEVEL=0
}

# dumps FUNCTION CPU...: the run printed one complete, uninterrupted dump for each of these CPUs, in
# any order, then the status, and nothing more.
dumps() {
	function=$1
	shift
	number=0000000000000000
	registers() {
		for name; do printf '%-6s N  ' "$name"; done | sed 's/  $//'
		echo
	}
	for cpu; do
		echo "palmon: unexpected exception or interrupt in $function: #DE divide error"
		registers rax rbx rcx rdx
		registers rsi rdi rbp rsp
		registers r8 r9 r10 r11
		registers r12 r13 r14 r15
		registers rip cs rflags ss
		registers vector error cr2
		registers cpu
	done >"$work/expected"
	echo 'palmon: status 1 (fault)' >>"$work/expected"
	sed -n '/^palmon: unexpected/,$p' "$work/out" | grep -v -e '^$' -e '^make[:[]' \
		>"$work/dumps"
	sed 's/[0-9a-f]\{16\}/N/g' "$work/dumps" | diff "$work/expected" - &&
		for cpu; do grep -q "^cpu    ${number%?}$cpu\$" "$work/dumps" ||
		{ echo "no CPU $cpu"; return 1; }; done
}

fault_at_once() {
	workload at-once 'for (unsigned i = 1; i < cpus; i++) hal_cpu_call(i, divide, NULL); divide(NULL); return 0;'
	ended 2 && dumps divide 0 1 2 3
}
check "four CPUs that fault at once: a complete dump for each, then the status" fault_at_once
result() {
	"$BUILD/host/palmon" board "$work/run/palmon.board" >"$work/out" &&
		says '^status +1 \(fault in divide\)$' &&
		says '^target +nehalem$'
}
check "the result of the run names one, too" result

fault_on_2() {
	workload divide 'hal_cpu_call(2, divide, NULL); hal_cpus_wait(1 << 2, 10000000); return 0;'
	ended 2 && says 'in divide: #DE divide error' && says '^cpu    0{15}2$' &&
		says '^palmon: status 1 \(fault\)'
}
long "an exception on CPU 2 ends the run with a dump that names it" fault_on_2

programs_at_once() {
	printf '#define WAY divide_by_zero()\n#include "%s/tests/boot/workloads/fault.c"\n' "$PWD" \
		>"$work/programs.c"
	make_run RUN=session THREADS=4 WORKLOAD="$work/programs.c"
	ended 2 && dumps divide_by_zero 0 1 2 3
}
long "four threads' programs that fault at once likewise" programs_at_once

# CPU 1 writes all the time: its lines are complete, except the one that the dump interrupts.
while_another_writes() {
	workload writes \
		'hal_cpu_call(1, write, NULL); hal_execute(100000); hal_cpu_call(2, divide, NULL);
		hal_cpus_wait(1 << 2, 10000000); return 0;'
	ended 2 && says '^written$' && grep -v '^written$' "$work/out" >"$work/others" &&
		mv "$work/others" "$work/out" && dumps divide 2
}
long "a CPU that faults while another writes" while_another_writes

# CPU 1 faults while it owns the console's lock, for which CPU 3 waits.
with_the_console() {
	workload console 'hal_cpu_call(3, write, NULL); hal_cpu_call(1, write_from_0, NULL);
		hal_cpus_wait(1 << 1, 10000000); return 0;'
	ended 2 && says 'in [a-z_0-9]+: #PF page fault$' && says '^cpu    0{15}1$' &&
		says '^palmon: status 1 \(fault\)$'
}
check "a CPU that faults while it owns the console" with_the_console

# The CPU's GS segment, which the dump reads, points to page 0.
in_the_dump() {
	workload dump 'hal_cpu_call(2, lose_gs, NULL); hal_cpus_wait(1 << 2, 10000000); return 0;'
	ended 2 && says 'in divide: #DE divide error$' && says '^palmon: a fault in this dump$' &&
		says '^palmon: status 1 \(fault\)$'
}
check "a CPU that faults in its dump" in_the_dump

overrun_on_3() {
	workload overrun 'hal_cpu_call(3, overrun, &zero); hal_cpus_wait(1 << 3, 10000000); return 0;'
	ended 2 && says 'in overrun[^:]*: #(PF page|DF double) fault, the stack has overflowed$' &&
		says '^cpu    0{15}3$'
}
long "overrunning the stack of CPU 3" overrun_on_3

# Waits for idle CPUs, then for a CPU that does not return.
waits() {
	workload waits 'printf("%u CPUs, %d\n", cpus, hal_cpus_wait((1 << cpus) - 2, 1000));
		if (cpus > 1) {
			hal_cpu_call(1, loop, NULL);
			printf("in a loop, %d\n", hal_cpus_wait(1 << 1, 3000000));
		}
		return 0;'
	ended 0 && says '^4 CPUs, 1$'
}
check "waiting for idle CPUs returns at once" waits
check "waiting for a CPU that does not return ends" says '^in a loop, 0$'

# machine REPLACEMENT: runs the last workload on a machine with another -smp option.
machine() {
	image=$(ls -t "$BUILD/$TARGET"/workloads/waits-*.img | head -n 1)
	capture timeout 300 $(echo $command | sed "s/-smp [^ ]*/$1/") -kernel "$image" \
		-append 'run=session level=0 events=INST_RETIRED.ANY'
	ended "$success" && says "^$2 CPUs, 1\$" && says 'palmon: status 0'
}
long "one CPU" machine '' 1
long "two threads of one core" machine '-smp 2,cores=1,threads=2' 2
long "three cores" machine '-smp 3,cores=3,threads=1' 3
check "eight CPUs: the first four are used" machine '-smp 8,cores=4,threads=2' 4
done_checking
