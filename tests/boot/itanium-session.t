#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sessions on Itanium's image: PAL in its own convention, samples that add up, event address
# registers and branch trace of running code, programs, how runs end.
. tests/tap.sh
. tests/boot/ways.sh
use_target itanium elf

boot run=session
cp "$work/out" "$work/first"
check "it starts, and ends with status 0" says \
	'^palmon: Intel Itanium \(itanium\), started by boot parameters, PMU: '
ended_well() {
	ended 0 && says '^palmon: status 0 \(success\)'
}
check "the default session succeeds" ended_well

# The processor's manual, table 6-24.
check "PAL_PERF_MON_INFO answers as the manual prints" says \
	'^PAL_PERF_MON_INFO: status 0, 0x08122004: 4 generic '
check "its control registers" says '^  control registers +0-13$'
check "its data registers" says '^  data registers +0-17$'
check "its counters of cycles" says '^  can count cycles +4-7$'
check "its counter of retired instructions" says '^  can count retired +4$'

# registers_at FUNCTION FILE: the registers at its first instruction, one line each: name and value.
registers_at() {
	printf 'break %s\ncontinue\nregisters\nquit\n' "$1" |
		DEBUG=1 tools/run-image "$TARGET" "$IMAGE.$FORMAT" run=session 2>&1 |
		sed -n '/^(ia64) r0 /,$p' | sed 's/^(ia64) //' |
		awk '/^(r|pr|b)[0-9]* /{ for (i = 1; i < NF; i += 2) print $i, $(i + 1) }' >"$2"
	[ -s "$2" ]
}
# Preserved by the static convention (volume 2 of the software developer's manual, 11.10.2): r1,
# r4-r7, r12, r13, the register frame, p1-p3 and p16-p63, b0-b5, ar.pfs, BSP and the frame's size.
preserved() {
	sed -n -e '/^r[0-9]* /{/^r\(1\|[4-7]\|1[23]\|3[2-9]\|[4-9][0-9]\) /p;d}' -e '/^b[67] /d' \
		-e 's/^pr \(.*\)\(...\)\(.\)$/pr \1 \3/p;t' -e p "$1"
}
pal_preserves() {
	registers_at pal_entry "$work/before" || return
	registers_at "$(sed -n 's/^b0 0*//p' "$work/before")" "$work/after" || return
	preserved "$work/before" >"$work/kept"
	[ "$(wc -l <"$work/kept")" -ge 25 ] && preserved "$work/after" | diff "$work/kept" - &&
		! diff "$work/before" "$work/after" >/dev/null
}
check "PAL, called by the static convention, preserves its registers and the register stack" \
	pal_preserves

check "samples and period are exactly the count" \
	says '^IA64_INST_RETIRED: [0-9,]+ samples x 100,000 \+ .*: exactly its count$'
no_loss() {
	says '^overflow interrupts: [0-9,]+, spurious 0, .* throttled 0, samples dropped 0, register faults 0$'
}
check "no sample is lost, no register faults" no_loss

# Both counters count the same event.
same_counts() {
	[ "$(sed -n 's/^ *\([0-9,]*\)  IA64_INST_RETIRED .*/\1/p' "$work/first" | sort -u |
		wc -l)" -eq 1 ]
}
check "two counters of one event agree" same_counts

cat >"$work/session.c" <<'END'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static int numbers[4000];
static char steps[256 << 10];
static jmp_buf buffer;
static int rising(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
static int work(void)
{
	for (int i = 0; i < 4000; i++)
		numbers[i] = i * 7919 % 20011;
	qsort(numbers, 4000, sizeof *numbers, rising);
	for (size_t i = 0; i < sizeof steps; i += 96)
		steps[i]++;
	return 0;
}
static int deep(int n)
{
	if (!n)
		longjmp(buffer, 7);
	return deep(n - 1) + n;
}
static int jump(void)
{
	volatile double d = 2.5;
	int n = setjmp(buffer);
	if (!n)
		return deep(100);
	printf("back with %d, %.1f\n", n, d * 2);
	return 0;
}
int workload(void)
{
	static const volatile char way[] = "way 00";

	switch (way[5]) {
	case '1':
		return jump();
	case '2':
		__asm__ volatile("ssm 0x4000");
		return 0;
	case '3':
		__asm__ volatile("mov r12 = 24 ;; \n break 0");
		return 0;
	case '4':
		exit(3);
	}
	return work();
}
END
built() {
	build_ways session
	ended 0 && [ -n "$program" ]
}
check "a program, by make run" built

repeats() {
	boot_way 00
	ended 0 && says '^IA64_INST_RETIRED: [0-9,]+ samples x 100,000 ' || return
	cp "$work/out" "$work/before"
	boot_way 00
	diff "$work/before" "$work/out"
}
check "a second run prints the same, to the character" repeats

# Two loads of one cycle may both count; then the overflow is a count late.
payloads() {
	boot_way 00 events=DATA_EAR_EVENTS:lat=8:period=20,BRANCH_EVENT:period=10000,IA64_INST_RETIRED
	ended 0 && says '^DATA_EAR_EVENTS:lat=8: .*: (exactly its count|its count, but .* late, by 1 .*)$' &&
		says '^BRANCH_EVENT: .*: exactly its count$' &&
		says '^branches taken most, by [0-9,]+ branch records of BRANCH_EVENT:$'
}
check "event address registers and branch trace are sampled" payloads

not_here() {
	boot_way 00 events=PIPELINE_FLUSH
	ended 0 && says '<not counted>  PIPELINE_FLUSH ' || return
	boot_way 00 events=BUS_RD_INVAL.IO,BUS_ALL.SELF
	ended 0 && says '<not counted>  BUS_RD_INVAL.IO ' && says '^ *[1-9][0-9,]*  BUS_ALL.SELF '
}
check "an event that the machine does not raise is reported as not counted, not as 0" not_here

jumps() {
	boot_way 01
	ended 0 && says '^back with 7, 5\.0$'
}
check "setjmp and longjmp through more frames than there are registers" jumps

privileged() {
	boot_way 02
	ended 1 && says '^palmon: unexpected exception or interrupt in workload: General Exception$' &&
		says '^iip ' && says '^palmon: status 1 \(fault\)'
}
check "a program may not execute privileged instructions" privileged

lost_stack() {
	boot_way 03
	ended 1 && says '^palmon: unexpected exception or interrupt in workload: Break Instruction$' &&
		says '^palmon: status 1 \(fault\)'
}
check "a dump needs no valid stack pointer" lost_stack

exits() {
	boot_way 04
	ended 1 && says '^palmon: the workload ended the run with exit status 3$'
}
check "a program can end the run" exits
use_target itanium elf

saved() {
	boot run=state
	ended 0 && says '^saved: [0-9]+ events' && says '^gone on: '
}
check "a measurement is saved and resumed" saved

bad_command() {
	boot run=nothing
	ended 1 && says '^palmon: status 1 \(bad command line: run=nothing\)'
}
check "a bad command line is refused" bad_command

. tests/boot/one-cpu.sh

dependent() {
	cat >"$work/program.c" <<'END'
int workload(void)
{
	__asm__ volatile(".explicit\n{ .mii\nmov r14 = 1\nadds r15 = 1, r14\nnop.i 0 ;;\n}" : : : "r14", "r15");
	return 0;
}
END
	make_run RUN=session WORKLOAD="$work/program.c"
	[ "$status" -ne 0 ] && says "violates RAW dependency 'GR%"
}
check "assembly that depends on its own instruction group does not compile" dependent
done_checking
