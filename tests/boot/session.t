#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A session on the built-in workload: counts that agree, exact sums, names, and the same output each
# time. Most other sessions measure a tenth of this workload.
. tests/tap.sh
. tests/boot/shares.sh
. tests/boot/number.sh
. tests/boot/tenth.sh

# image NAME: builds $work/NAME.c. session NAME ARGUMENTS: a session with this image.
image() {
	build_image "$work/$1.c" "$work/$1.$FORMAT"
}
session() {
	IMAGE=$work/$1
	shift
	boot run=session "$@"
	IMAGE=$BUILD/$TARGET/palmon
}
tenth "$work/tenth.c"
check "a tenth of the workload is built" image tenth

# count_of EVENT: its count in the last run's table, without commas, with any modifiers.
count_of() {
	sed -n "s/^ *\([0-9,]*\)  $1\(:[^ ]*\)* .*/\1/p" "$work/out" | tr -d ,
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
	[ -n "$fixed" ] && [ "$fixed" = "$general" ] && [ "$fixed" = "$cycles" ] &&
		[ "$fixed" = "$reference" ]
}
check "a sampling counter and three others agree to the event" counts_agree

# For example 979 samples x 100,000 + 73,539 = 97,973,539.
sum_is_exact() {
	line=$(sed -n 's/^INST_RETIRED.ANY_P: \(.*\) = .*/\1/p' "$work/out" | tr -d ,)
	set -- $line	# SAMPLES samples x PERIOD + REST
	[ $(($1 * $4 + $6)) -eq "$(count_of INST_RETIRED.ANY)" ] && [ "$6" -lt "$4" ] &&
		says 'exactly its count'
}
check "samples times period plus the remainder is the fixed counter's count" sum_is_exact

check "nothing spurious, throttled, dropped or faulting" \
	says '^overflow interrupts: [1-9][0-9,]*, spurious 0, .*throttled 0, samples dropped 0, register faults 0$'
check "the skid is measured" says '^  skid, events counted between overflow and freeze: 0 to 0$'
check "the hottest function is named" says '^ *[0-9.]+% +[0-9,]+  sha256_block '
check "an event that the backend cannot count is not shown as a number" says \
	'<not counted>  UOPS_RETIRED.ANY'
check "PAL_PERF_MON_INFO answers" says \
	'^PAL_PERF_MON_INFO: status 0, 0xc03c3004: 4 generic counters of 48 bits'

repeats() {
	boot run=session
	diff "$work/first" "$work/out"
}
long "a second run prints the same, to the character" repeats

nmi() {
	session tenth pmi=nmi
	ended 0 && counts_agree && sum_is_exact
}
check "with the overflow interrupt as NMI the sums are exact, too" nmi

levels() {
	session tenth "events=INST_RETIRED.ANY:$1,INST_RETIRED.ANY_P,INST_RETIRED.ANY_P:$2"
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
long "they add up the other way round" levels k u

level_0() {
	session tenth level=0 events=INST_RETIRED.ANY:u,INST_RETIRED.ANY_P
	ended 0 && [ "$(count_of INST_RETIRED.ANY)" = 0 ] &&
		[ "$(count_of INST_RETIRED.ANY_P)" -gt 1000000 ]
}
check "level=0: level 3 counts nothing" level_0

small_period() {
	event=INST_RETIRED.ANY_P
	session tenth "events=INST_RETIRED.ANY,$event:period=20000,$event:period=30011,$event:period=70001"
	ended 0 && says 'throttled 0' && [ "$(grep -c 'exactly its count' "$work/out")" -eq 3 ] &&
		sum_lines_agree
}
sum_lines_agree() {
	for total in $(sed -n 's/^INST_RETIRED.ANY_P: .* = \(.*\): exactly.*/\1/p' "$work/out" |
		tr -d ,); do
		[ "$total" = "$(count_of INST_RETIRED.ANY)" ] || { echo "$total"; return 1; }
	done
}
check "three counters that sample with different periods are each exact" small_period

# verdicts N: the last run has N verdicts on counts
verdicts() {
	[ "$(grep -c 'exactly its count$' "$work/out")" -eq "$1" ] || { cat "$work/out"; return 1; }
}

#
# Profiles: the numbers are those of the printed tables
#

# all_of N: the last run took at least N samples, lost none, and printed a table of all of them.
all_of() {
	taken=$(sed -n 's/^hottest functions, by \([0-9,]*\) samples of .*:$/\1/p' "$work/out")
	echo "$taken samples"
	ended 0 && says 'samples dropped 0,' &&
		says "^ .* # $taken samples, one in [0-9,]*(\$|, cycles are)" &&
		[ "$(echo "$taken" | tr -d ,)" -ge "$1" ]
}

# A ring has room for 4,096 samples. The sessions up to precise_verdict are README's three commands,
# but README's first period is 5,000.
often=12500 least=7600
[ -z "${EXTRA:-}" ] || often=5000 least=19000
more_than_a_ring() {
	boot run=session events=INST_RETIRED.ANY,CPU_CLK_UNHALTED.THREAD_P:u:period=$often
	all_of $least && says '^CPU_CLK_UNHALTED.THREAD_P:u: .*: exactly its count$' &&
		shares "$work/often"
}
check "the ring is drained while the session runs: no sample of $least is lost" more_than_a_ring

all_alike() {
	alike "$1" "$work/often" "$work/rarely" && alike "$1" "$work/often" "$work/precisely" &&
		alike "$1" "$work/rarely" "$work/precisely"
}

# A function with few of 1,000 samples has a random share.
of_readme() {
	cp "$work/first" "$work/out"
	all_of 950 && shares "$work/rarely" || return
	boot run=session events=INST_RETIRED.ANY_P:p:period=100000
	all_of 950 && shares "$work/precisely" && all_alike 20
}
check "README's profiles have the same hottest function, with the same share" of_readme
precise_verdict() {
	verdicts 0 &&
		says '^INST_RETIRED.ANY_P:p: .* = [0-9,]+: by its records, without the events that they shadow$'
}
check "precise events, which omit some, have no verdict" precise_verdict

# A precise record's payload is 23 of 16,384 words: there is room for 712 records.
precise() {
	boot run=session events=INST_RETIRED.ANY_P:p:period=25000
	all_of 3800 && ! grep 'skid' "$work/out" && shares "$work/precisely"
}
long "no precise record of 3,800 is lost" precise
of_all_functions() {
	boot run=session events=INST_RETIRED.ANY_P:period=25000
	all_of 3800 && shares "$work/rarely" && all_alike 2
}
long "all functions have the same share at period $often, at 25,000, and precisely" of_all_functions
precise_shares() {
	alike 2 "$work/often" "$work/precisely"
}
long "all functions have the same share at period $often and precisely" precise_shares

# A throttled counter has samples of the beginning only; the session takes them again, evenly.
storm() {
	rarer='one in 50 leaves no time between interrupts'
	session tenth \
		events=INST_RETIRED.ANY,INST_RETIRED.ANY_P:period=50,INST_RETIRED.ANY_P:period=7001
	ended 0 && says 'throttled [12],' && says '# [0-9,]+ samples, one in 50, then THROTTLED$' &&
		says '^INST_RETIRED.ANY_P: [0-9,]+ samples x 50, then THROTTLED, of [0-9,]+$' &&
		says "^INST_RETIRED.ANY_P: $rarer; repeated with one in 3,200\$" &&
		says '^INST_RETIRED.ANY_P: [0-9,]+ samples x 3,200 .* exactly its count$' &&
		says "^hottest .* of INST_RETIRED.ANY_P, one in 3,200 \($rarer\):\$" || return
	sed '/^hottest.*one in 3,200/,/^$/!d' "$work/out" | awk '/%/ { print $3, $1 }' | tr -d % |
		sort >"$work/storm"
	sed '/^hottest.*one in 7,001:$/,/^$/!d' "$work/out" | awk '/%/ { print $3, $1 }' |
		tr -d % | sort >"$work/even"
	alike 2 "$work/even" "$work/storm"
}
check "a storm is throttled; the session then takes fewer samples, evenly, and says so" storm

#
# Remarks on counts
#

no_samples() {
	session tenth \
		events=INST_RETIRED.ANY,UOPS_RETIRED.ANY:period=1000,INST_RETIRED.ANY_P:period=900000000
	ended 0 && verdicts 0 && ! grep 'UOPS_RETIRED.ANY: ' "$work/out"
}
check "an event that does not occur, or without samples, has no verdict" no_samples
at_level_3() {
	session tenth events=INST_RETIRED.ANY_P:u,L1D.REPL:u
	ended 0 && ! grep 'Counts at level 0' "$work/out"
}
check "counts of level 3 do not include the runtime's instructions" at_level_3
# The self test counts cache events, too: the emulator follows references, ceases to, and must
# follow them again for the session.
same_after_self_test() {
	alone=$(count_of L1D.REPL) && [ "$alone" -gt 0 ] || return
	IMAGE=$work/tenth boot run=all events=INST_RETIRED.ANY_P:u,L1D.REPL:u
	ended 0 && [ "$(count_of L1D.REPL)" = "$alone" ]
}
check "cache events are counted after the self test as without it" same_after_self_test

modifiers() {
	session tenth \
		events=INST_RETIRED.ANY_P:period=30011:u,inst_retired.any_p:k:period=100,INST_RETIRED.ANY_P:c=1:ctr=3
	ended 0 && says '^ +[0-9,]+  INST_RETIRED.ANY_P:u +0 ' &&
		says '^ +[0-9,]+  inst_retired.any_p:k +1 ' &&
		says '^ +[0-9,]+  INST_RETIRED.ANY_P:c=1:ctr=3 +3 ' &&
		says '^INST_RETIRED.ANY_P:u: [0-9]' &&
		says '^inst_retired.any_p:k: [0-9]' &&
		says \
		'^hottest functions, by [0-9,]+ samples of INST_RETIRED.ANY_P:u, one in 30,011:$' &&
		says '^hottest functions, by [0-9,]+ samples of inst_retired.any_p:k, one in 100:$'
}
check "each table has the events' modifiers, and each sampled event a table of functions" modifiers

# The return from each interrupt counts at level 0: the same number of instructions each time.
at_level_0() {
	session tenth "events=INST_RETIRED.ANY_P:k,INST_RETIRED.ANY_P:u$1"
	ended 0 && says '^Counts at level 0 include the runtime.s own instructions: ' &&
		set -- "$(count_of INST_RETIRED.ANY_P | head -n 1)" \
			"$(sed -n 's/^overflow interrupts: \([0-9,]*\),.*/\1/p' "$work/out" |
			tr -d ,)"
	count=$1 interrupts=$2
	echo "$count at level 0, $interrupts interrupts"
}
handlers() {
	at_level_0 ''
	around=$count
	[ "$interrupts" -eq 0 ] || return
	at_level_0 :period=10000
	each=$(((count - around) / interrupts))
	[ "$each" -gt 0 ] && [ $((interrupts * each + around)) -eq "$count" ] || return
	at_level_0 :period=3000
	[ $((interrupts * each + around)) -eq "$count" ]
}
check "level 0 counts runtime instructions: some around the workload, and the same number per interrupt" handlers
#
# Branches
#

# The loop has a call, a return and a jump back. Each is a third of the recorded branches: 5 or 6 of
# the 16 in each sample.
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
check "a loop with calls is built" image loop
branches() {
	session loop "events=$1:period=100"
	ended 0 && says 'samples dropped 0' &&
		says '3[0-9]\.[0-9]% +[0-9,]+  workload\+0x[0-9a-f]+ > leaf\+0x0$' &&
		says '3[0-9]\.[0-9]% +[0-9,]+  leaf\+0x[0-9a-f]+ > workload\+0x' &&
		says '3[0-9]\.[0-9]% +[0-9,]+  workload\+0x[0-9a-f]+ > workload\+0x'
}
check "branch records: taken branches with source and target" branches BR_INST_RETIRED.NEAR_CALL:lbr

# A call belongs to the function that contains it, not to its target.
located() {
	branches BR_INST_RETIRED.NEAR_CALL:p:lbr && says '^ *100.0% +[0-9]+  workload '
}
check "a precise sample of a call belongs to the caller" located

both_images() {
	image calls && image trips
}
cp tests/boot/workloads/calls.c tests/boot/workloads/trips.c "$work"
check "workloads with known shares and trip counts are built" both_images
# functions PLACE EVENT SHARES: functions and their percentage of the samples match SHARES; the
# report describes the samples' addresses as PLACE.
functions() {
	session calls "events=$2"
	sed -n '/^hottest/,/^$/s/^ *\([0-9]*\)\.[0-9]%  *[0-9]*  \([a-z_]*\) .*/\2=\1/p' \
		"$work/out" | sort |
		tr '\n' ' ' >"$work/shares"
	cat "$work/shares"
	ended 0 && says 'samples dropped 0' && grep -qE "^$3\$" "$work/shares" &&
		says "^  addresses of [0-9]+ samples: $1\$"
}
# The shares of calls.c, to two percentage points: 1/6, 2/6, 3/6.
of_instructions='callee=3[1-5] caller=1[5-8] workload=(4[8-9]|5[0-2]) '
check "a sampled call is at its callee's first instruction, not in the function before it, and the report says so" \
	functions 'the instruction executed next, after the sampled one or its target' \
	INST_RETIRED.ANY_P:p:u:period=994 "$of_instructions"
unasked() {
	ended 0 && ! grep -e 'registers of' -e '^ *ax ' "$work/out"
}
check "registers are printed on request only" unasked
check "with branch records it is at the call" functions 'the sampled instruction' \
	INST_RETIRED.ANY_P:p:u:lbr:period=994 "$of_instructions"
check "without records a sample is at the interrupted instruction" \
	functions 'where the program was interrupted' INST_RETIRED.ANY_P:u:period=991 \
	"$of_instructions"

# trips.c states the averages. One sample in 1009 is spread as evenly as possible over a loop of
# 3000 instructions.
trip_count() {
	session trips registers=1 events=INST_RETIRED.ANY_P:p:u:period=1009
	ended 0 && says '^registers of INST_RETIRED.ANY_P:p:u, [0-9,]+ samples at workload\+0x[0-9a-f]+:$' &&
		says '^ +cx +1000\.0 +1000\.0 +1000 +1000$' &&
		says '^ +ax +(499|500|501)\.[0-9] +57[78]\.[0-9] +[12] +(999|1000)$'
}
check "registers of precise samples reveal a loop's trip count" trip_count
filtered() {
	session loop events=INST_RETIRED.ANY_P:lbr=0x1f4:period=1000
	ended 0 && says '^ *100.0% +[0-9]+  workload\+0x[0-9a-f]+ > leaf\+0x0$'
}
check "a filter records near calls only" filtered

#
# The PMU that the cores share
#

# With the unit clock, each instruction is also a cycle of the package's clock, except for those
# between the starts of both sessions.
uncore() {
	session tenth events=INST_RETIRED.ANY,UNC_CLK_UNHALTED,UNC_GQ_ALLOC.PPT
	ended 0 && says '^ +<not counted>  UNC_GQ_ALLOC.PPT +0 +# nehalem-uncore, does not happen under QEMU plugin' &&
		says '^nehalem-uncore: overflow interrupts: 0,' || return
	more=$(($(count_of UNC_CLK_UNHALTED) - $(count_of INST_RETIRED.ANY)))
	echo "$more more"
	[ "$more" -gt 0 ] && [ "$more" -lt 5000 ]
}
check "events of the uncore, in one table with the cores' events" uncore
uncore_samples() {
	boot run=session events=UNC_CLK_UNHALTED:period=10000,INST_RETIRED.ANY_P:period=10000,UNC_CLK_UNHALTED
	ended 1 && says 'UNC_CLK_UNHALTED and UNC_CLK_UNHALTED compete for counter' || return
	session tenth events=UNC_CLK_UNHALTED:period=10007,INST_RETIRED.ANY_P:period=10007
	ended 0 && verdicts 2 &&
		says '^ .*  UNC_CLK_UNHALTED +fixed 0 +# nehalem-uncore, [0-9,]+ samples, one in 10,007, cycles are' &&
		[ "$(grep -c '^hottest functions, by .* samples of .*, one in 10,007:$' \
		"$work/out")" -eq 2 ] || return
	sed '/^hottest.*of UNC_CLK/,/^$/!d' "$work/out" | awk '/%/ { print $3, $1 }' | tr -d % |
		sort >"$work/uncore"
	sed '/^hottest.*of INST_/,/^$/!d' "$work/out" | awk '/%/ { print $3, $1 }' | tr -d % |
		sort >"$work/core"
	alike 2 "$work/uncore" "$work/core"
}
check "samples of the uncore belong to functions, like those of the cores" uncore_samples
part_of_workload "$work/part.c" 50
# 153 interrupts of each thread; a thread that waits for others is in arch_halt.
uncore_threads() {
	image part && session part threads=4 pmi=nmi metrics=L3_RESPONSE_LATENCY \
		events=UNC_CLK_UNHALTED:period=5000,INST_RETIRED.ANY:u
	ended 0 && verdicts 1 &&
		says '^ +[0-9,]+  UNC_CLK_UNHALTED # run 1, nehalem-uncore, cycles are' || return
	samples=$(sed -n 's/^UNC_CLK_UNHALTED: \([0-9,]*\) samples .*/\1/p' "$work/out")
	says "^nehalem-uncore: overflow interrupts: [0-9,]*, spurious 0, overflows $samples," ||
		return
	tr -d , <"$work/out" | awk '/% .*  sha256_block/ { for (i = 4; i <= 7; i++) n += $i > 30 } END { exit n != 4 }'
}
long "on four threads each thread's position is sampled, also by NMI" uncore_threads

misspelt() {
	boot run=session "events=INST_RETIRED.ANY,$1"
	ended 1 && says "$2" &&
		says '^palmon: a session counts events of nehalem and nehalem-uncore$'
}
check "a misspelt event of the uncore: its nearest name" \
	misspelt UNC_CLK_UNHALTET \
	"there is no event 'UNC_CLK_UNHALTET'; the nearest name is UNC_CLK_UNHALTED"
check "an event without its unit mask: the message lists the event's unit masks" \
	misspelt UNC_GQ_ALLOC 'there are UNC_GQ_ALLOC.PPT, '
check "a misspelt event of the cores: the nearest name" \
	misspelt INST_RETIRED.ANI 'the nearest name is INST_RETIRED.ANY$'
uncore_refused() {
	boot run=session "events=INST_RETIRED.ANY,$1"
	ended 1 && says "^palmon: events=: .*$2"
}
check "the uncore has no levels" uncore_refused UNC_CLK_UNHALTED:u \
	'UNC_CLK_UNHALTED: the uncore does not know who'
check "an unknown modifier" uncore_refused UNC_CLK_UNHALTED:nonsense \
	"there is no modifier 'nonsense'"

#
# Metrics and profiles
#

metric() {
	session tenth metrics=CPI,cpi:u,L3_RESPONSE_LATENCY
	ended 0 && says '^ +1  CPI  # cycles/instruction, always 1 here:' &&
		says '^ +1  CPI:u  # cycles/instruction, always 1 here:' &&
		says '^ +<not counted>  L3_RESPONSE_LATENCY  # .*, UNC_.* does not happen under QEMU plugin'
}
check "metrics of events that occur" metric
# Metrics of both PMUs: the fractions are the cores' metrics, the latencies the uncore's. There is
# one package.
both() {
	session tenth \
		metrics=M_QPI,M_QHL,QPI_RESPONSE_LATENCY,FREQUENCY=2660000000,READ_BANDWIDTH
	ended 0 && says '^ +<not counted>  QPI_RESPONSE_LATENCY  # cycles, UNC_.* does not happen under QEMU plugin' &&
		says '^ +<not counted>  OFFCORE_RESPONSE_0.DATA_IFETCH.REMOTE_CACHE_DRAM ' &&
		says '^ +[0-9,]+  OFFCORE_RESPONSE_0.DATA_IFETCH.ANY_DRAM ' || return
	boot run=session metrics=QPI_RESPONSE_LATENCY
	ended 1 && says "^palmon: metrics=: QPI_RESPONSE_LATENCY: it needs a value, NAME=VALUE before it: 'M_QHL'"
}
check "a metric of the uncore that uses metrics of the cores, which are computed first" both
# One package without an I/O hub: all reads are its own, so their ratio is 1. A metric of another
# agent only is not counted.
agents() {
	absent="with 0 for this machine's absent"
	session tenth metrics=QHL_LOCAL_READ_RATIO,QHL_IOH_READ_RATIO,WRITE_BANDWIDTH_REMOTE
	ended 0 && says "^ +1  QHL_LOCAL_READ_RATIO  # ratio, $absent other package and I/O hub$" &&
		says "^ +0  QHL_IOH_READ_RATIO  # ratio, $absent I/O hub and other package$" &&
		says '^ +<not counted>  WRITE_BANDWIDTH_REMOTE  # .*, UNC_.* does not happen under QEMU plugin'
}
check "sums over agents that the machine lacks, with 0 for these" agents
profile() {
	session loop profile=CYCLES_AND_UOPS metrics=CPI events=INST_RETIRED.ANY:period=1009
	ended 0 && says '# run 4' &&
		says \
		'^ +[0-9,]+  INST_RETIRED.ANY +fixed 0 +# run 1, [0-9]+ samples, one in 1,009$' &&
		says '^ +2,00[0-9]  BR_INST_RETIRED.NEAR_CALL:p +[0-3] +# run 2, 0 samples, one in 200,003$' &&
		says '^ +[0-9,]+  clocks  # run 4$' &&
		says '^ +1  CPI  # cycles/instruction, always 1 here:' &&
		says '^hottest functions, by [0-9]+ samples of INST_RETIRED.ANY, one in 1,009:$'
}
check "a profile, a metric, and an event: in four runs" profile
unknown() {
	boot run=session "$1"
	ended 1 && says "$2"
}
check "a misspelt metric" unknown metrics=CPX \
	"nehalem and nehalem-uncore have no metric 'CPX'; the nearest name is CPI$"
check "an unknown modifier of a metric" unknown metrics=CPI:nonsense \
	"^palmon: metrics=: .*'nonsense'"
check "a misspelt profile" unknown profile=BRANCH_ANALISIS 'the nearest name is BRANCH_ANALYSIS$'

#
# Refused requests
#

no_period() {
	boot run=session "events=$1"
	ended 1 && says "$2" && ! grep -q 'counts of the workload' "$work/out"
}
check "p without a period" no_period INST_RETIRED.ANY_P:p 'INST_RETIRED.ANY_P: .* needs a period'
check "p of an event that is not precise" no_period UOPS_ISSUED.ANY:p:period=100 \
	'writes no records of this event'
check "a branch filter that excludes all branches" \
	no_period INST_RETIRED.ANY_P:lbr=0x1ff:period=100 'leave all branches out'
done_checking
