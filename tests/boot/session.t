#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A session on the built-in workload: counts that agree, sums that are exact, names, and the same again each time.
. tests/tap.sh

# count_of EVENT: its number in the last run's table of counts, without commas.
count_of() {
	sed -n "s/^ *\([0-9,]*\)  $1 .*/\1/p" "$work/out" | tr -d ,
}

session_succeeds() {
	boot run=session
	cp "$work/out" "$work/first"
	ended 0 && says '^palmon: status 0'
}
check "the session ends with success" session_succeeds

tens_of_millions() {
	count=$(count_of INST_RETIRED.ANY)
	echo "INST_RETIRED.ANY $count"
	[ "$count" -gt 10000000 ] && [ "$count" -lt 100000000 ]
}
check "the workload is some tens of millions of instructions" tens_of_millions

counts_agree() {
	fixed=$(count_of INST_RETIRED.ANY) general=$(count_of INST_RETIRED.ANY_P)
	cycles=$(count_of CPU_CLK_UNHALTED.THREAD) reference=$(count_of CPU_CLK_UNHALTED.REF)
	echo "$fixed $general $cycles $reference"
	[ -n "$fixed" ] && [ "$fixed" = "$general" ] && [ "$fixed" = "$cycles" ] && [ "$fixed" = "$reference" ]
}
check "a counter that samples and three that do not agree to the event" counts_agree

# 979 samples x 100,000 + 73,539 = 97,973,539, computed here.
sum_is_exact() {
	line=$(sed -n 's/^INST_RETIRED.ANY_P: \(.*\) = .*/\1/p' "$work/out" | tr -d ,)
	set -- $line	# SAMPLES samples x PERIOD + REST
	[ $(($1 * $4 + $6)) -eq "$(count_of INST_RETIRED.ANY)" ] && [ "$6" -lt "$4" ] && says 'exactly its count'
}
check "samples times period plus the rest is the fixed counter's count" sum_is_exact

check "nothing spurious, throttled, dropped or faulting" \
	says '^overflow interrupts: [1-9][0-9,]*, spurious 0, .*throttled 0, samples dropped 0, register faults 0$'
check "the skid is measured" says '^  skid, events counted between overflow and freeze: 0 to 0$'
check "the hottest function is named" says '^ *[0-9.]+% +[0-9,]+  sha256_block '
check "what the carrier cannot count is not shown as a number" says '<not counted>  UOPS_RETIRED.ANY'
check "PAL_PERF_MON_INFO is answered" says '^PAL_PERF_MON_INFO: status 0, 0xc03c3004: 4 generic counters of 48 bits'

repeats() {
	boot run=session
	diff "$work/first" "$work/out"
}
check "a second run prints the same, to the character" repeats

nmi() {
	boot run=session pmi=nmi
	ended 0 && counts_agree && sum_is_exact
}
check "with the overflow interrupt as NMI the sums are exact too" nmi

levels() {
	boot run=session "events=INST_RETIRED.ANY:$1,INST_RETIRED.ANY_P,INST_RETIRED.ANY_P:$2"
	set -- $(count_of INST_RETIRED.ANY) $(count_of INST_RETIRED.ANY_P)
	echo "$@"
	ended 0 && [ $# -eq 3 ] && [ $(($1 + $3)) -eq "$2" ]
}
check "the two levels' counts add up" levels u k
user_most() {
	[ "$1" -gt $(($2 * 99 / 100)) ]
}
check "the workload runs at level 3" \
	user_most "$(count_of INST_RETIRED.ANY)" "$(count_of INST_RETIRED.ANY_P | head -n 1)"
check "they add up the other way round" levels k u

level_0() {
	boot run=session level=0 events=INST_RETIRED.ANY:u,INST_RETIRED.ANY_P
	ended 0 && [ "$(count_of INST_RETIRED.ANY)" = 0 ] && [ "$(count_of INST_RETIRED.ANY_P)" -gt 10000000 ]
}
check "level=0: level 3 counts nothing" level_0

small_period() {
	event=INST_RETIRED.ANY_P
	boot run=session "events=INST_RETIRED.ANY,$event:period=20000,$event:period=30011,$event:period=70001"
	ended 0 && says 'throttled 0' && [ "$(grep -c 'exactly its count' "$work/out")" -eq 3 ] && sum_lines_agree
}
sum_lines_agree() {
	for total in $(sed -n 's/^INST_RETIRED.ANY_P: .* = \(.*\): exactly.*/\1/p' "$work/out" | tr -d ,); do
		[ "$total" = "$(count_of INST_RETIRED.ANY)" ] || { echo "$total"; return 1; }
	done
}
check "three counters that sample with different periods are each exact" small_period

dropped() {
	boot run=session events=INST_RETIRED.ANY,INST_RETIRED.ANY_P:period=5000
	ended 0 && says 'samples dropped [1-9]' && sum_is_exact
}
check "samples that find no room are counted, and the count stays exact" dropped

storm() {
	boot run=session events=INST_RETIRED.ANY,INST_RETIRED.ANY_P:period=50
	ended 0 && says 'throttled 1,' && says 'THROTTLED' && says 'exactly its count' && sum_lines_agree
}
check "a storm is throttled and reported, and the count stays exact" storm

# 1,000 samples are more than there is room for with registers: 23 words each, of 16,384.
precise() {
	boot run=session events=INST_RETIRED.ANY,INST_RETIRED.ANY_P:p:period=100000
	ended 0 && says '^INST_RETIRED.ANY_P: .*exactly its count' && says 'samples dropped [1-9]' &&
		says '^hottest functions, by 712 samples:' && says '^ *[0-9.]+% +[0-9,]+  sha256_block ' &&
		says 'these are the first samples: there was no room for [0-9,]+ more' &&
		! grep 'skid' "$work/out"
}
check "a precise event is sampled by records" precise

# In a loop of a call, a return and a jump back, each branch is a third of those that are recorded, of 16 in each sample
# 5 or 6.
cat >"$work/loop.c" <<'END'
static volatile int sum;
__attribute__((noipa)) static void leaf(int n)
{
	sum += n;
}
int workload(void)
{
	for (int i = 0; i < 2000; i++)
		leaf(i);
	return 0;
}
END
branches() {
	make_run RUN=session WORKLOAD="$work/loop.c" "EVENTS=$1:period=100"
	ended 0 && says '^branches: QEMU, SVM monitor stops at each instruction' && says 'samples dropped 0' &&
		says '3[0-9]\.[0-9]% +[0-9,]+  workload\+0x[0-9a-f]+ > leaf\+0x0$' &&
		says '3[0-9]\.[0-9]% +[0-9,]+  leaf\+0x[0-9a-f]+ > workload\+0x' &&
		says '3[0-9]\.[0-9]% +[0-9,]+  workload\+0x[0-9a-f]+ > workload\+0x'
}
check "branch records: what was taken, from where to where" branches BR_INST_RETIRED.NEAR_CALL:lbr

# A call is located where it is made, not where it goes.
located() {
	branches BR_INST_RETIRED.NEAR_CALL:p:lbr && says '^ *100.0% +[0-9]+  workload '
}
check "a precise sample of a call belongs to the caller" located

filtered() {
	make_run RUN=session WORKLOAD="$work/loop.c" EVENTS=INST_RETIRED.ANY_P:lbr=0x1f4:period=1000
	ended 0 && says '^ *100.0% +[0-9]+  workload\+0x[0-9a-f]+ > leaf\+0x0$'
}
check "records of near calls only, where all others are left out" filtered

uncore() {
	boot run=session events=UNC_CLK_UNHALTED
	ended 1 && says "there is no event 'UNC_CLK_UNHALTED'; target nehalem-uncore has it" &&
		says 'a session counts events of nehalem'
}
check "an event of the uncore is refused, with where it is" uncore

no_period() {
	boot run=session "events=$1"
	ended 1 && says "$2" && ! grep -q 'counts of the workload' "$work/out"
}
check "p without a period" no_period INST_RETIRED.ANY_P:p 'INST_RETIRED.ANY_P: .* needs a period'
check "p of an event that is not precise" no_period UOPS_ISSUED.ANY:p:period=100 'writes no records of this event'
check "branch records that leave all out" no_period INST_RETIRED.ANY_P:lbr=0x1ff:period=100 'leave all branches out'
done_checking
