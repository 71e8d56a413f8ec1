#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Counts of the plugin for QEMU 11 that do not depend on how they are measured: with samples and
# without, precise or not, with a threshold of one, with QEMU's instruction clock and without, on
# one thread and on several. All are counted by hand. The processor has no prefetchers.
. tests/tap.sh
. tests/boot/number.sh
. tests/qemu.sh
use_qemu qemu-system-x86_64 image
grep -v '^prefetcher' hal/emu/model/nehalem.machine >"$work/plain.machine"
export MACHINE="$work/plain.machine"
unset FAULT CLOCK

# session WORKLOAD EVENTS [ARGUMENT...]: prints the workload's counts at level 3, NAME=N...
session() {
	workload=$1 events=$2
	shift 2
	image=$work/$(basename "$workload" .c)
	[ -e "$image.$FORMAT" ] || build_image "$workload" "$image.$FORMAT" || return
	IMAGE=$image boot run=session events="$events" "$@"
	ended 0 && sed -n 's/^ *\([0-9,]*\)  \([A-Z][A-Za-z0-9_.:=]*\) .*/\2=\1/p' "$work/out" |
		tr -d , >"$work/counts"
	cat "$work/counts"
}
counts() {
	grep -qx "$1" "$work/counts"
}

# misses.c: 5 turns, each 4,096 times CALL, MOV, RET, CALL, MOV, 100 of DEC and JNZ, RET, ADD, DEC,
# JNZ. Four more instructions per turn and three for the whole program; then the call and the INT
# around it (known.c).
MISSES=tests/boot/workloads/misses.c N=20480
INSTRUCTIONS=$((N * 209 + 5 * 4 + 3 + 2))
UNCORE=UNC_LLC_MISS.READ INST=INST_RETIRED.ANY_P:u MISS=MEM_LOAD_RETIRED.LLC_MISS:u

uncore() {
	session $MISSES $INST,$MISS,$UNCORE && counts $INST=$INSTRUCTIONS && counts $MISS=$N &&
		of_all=$(sed -n "s/^$UNCORE=//p" "$work/counts") || return
	for period in $periods; do
		session $MISSES "$INST,$MISS,$UNCORE:period=$period" &&
			counts $INST=$INSTRUCTIONS && counts $MISS=$N &&
			says "^$UNCORE: [0-9]* samples x .*: exactly its count\$" &&
			says 'freeze: 0 to 0$' || return
		sampled=$(sed -n "s/^$UNCORE=//p" "$work/counts")
		echo "uncore: $of_all, with samples $sampled"
		[ "$of_all" -ge $N ] && [ "$sampled" -ge $N ] ||
			return	# each of the program's misses reads a line
	done
}
periods=1000
[ -z "${EXTRA:-}" ] || periods='100 1000 1009'
check "samples of the uncore's misses: no instruction and no miss is lost" uncore
# The core counts no event that the same instruction raises.
uncore_alone() {
	session $MISSES "$INST,$UNCORE:period=1000" && counts $INST=$INSTRUCTIONS
}
check "likewise if the core counts nothing else" uncore_alone

# XOR, MOV; 20,000 times MOV from memory, ADD, AND, DEC, JNZ; XOR, RET; the call and the INT. Each
# load is from another line of 64 KB, which the L1 data cache does not hold.
cat >"$work/loads.c" <<'END'
int workload(void);
char memory[65536] __attribute__((aligned(4096)));
__asm__(".text\n.global workload\n.type workload, @function\n"
	"workload: xor %edx, %edx\n mov $20000, %ecx\n"
	"1: mov memory(%rdx), %rax\n add $64, %edx\n and $0xFFFF, %edx\n dec %ecx\n jnz 1b\n"
	"xor %eax, %eax\n ret\n.size workload, . - workload\n");
END
LENGTH=$((5 * 20000 + 6))
# threads N [,EVENT]
threads() {
	session "$work/loads.c" "$INST$2" threads="$1" && ! grep 'NOT ITS' "$work/out" || return
	row=$(sed -n "s/^\([ 0-9,]*\)  $INST\$/\1/p" "$work/out" | tr -d ,)
	echo $row
	[ "$(echo $row)" = "$(yes $LENGTH | head -n "$1" | tr '\n' ' ')$((LENGTH * $1))" ]
}
for n in 2 4; do
	check "$n threads" threads $n
	for event in MEM_INST_RETIRED.LOADS:u:period=100 MEM_LOAD_RETIRED.L2_HIT:u:p:period=100 \
		MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_4:u:p:period=100; do
		case $n$event in
		2*LATENCY* | 4*L2_HIT*) always=check ;;
		*) always=long ;;
		esac
		$always "$n threads count the same with samples of $event" threads $n ,$event
	done
done

# once EVENT N PAGES: an event that occurs at most once per cycle counts N, also with threshold one,
# and 0 with threshold two.
once() {
	session $MISSES "$1:u,$1:u:c=1,$1:u:c=2" pages="$3" && counts "$1:u=$2" &&
		counts "$1:u:c=1=$2" &&
		counts "$1:u:c=2=0"
}
check "a load that misses is one event in one cycle" once MEM_LOAD_RETIRED.LLC_MISS $N 2m
check "so is a TLB miss" once DTLB_LOAD_MISSES.ANY $N 4k
# A page walk may read memory in the cycle of its load. An event that occurs n times in a cycle adds
# n, and counts once for each of the thresholds 1 to n. A walk has four levels.
sums() {
	session $MISSES "$1:u,$1:u:c=1,$1:u:c=2,$1:u:c=3" pages=4k &&
		cp "$work/counts" "$work/small" &&
		session $MISSES "$1:u,$1:u:c=4,$1:u:c=5,$1:u:c=6" pages=4k &&
		cat "$work/small" "$work/counts" | awk -F= '/:c=/ { sum += $3; next } { all = $2 }
			END { print sum, all; exit !(all >= '$N' && sum == all) }'
}
for event in OFFCORE_RESPONSE_0.DEMAND_DATA_RD.LOCAL_DRAM L2_RQSTS.LD_MISS; do
	case $event in L2*) always=long ;; *) always=check ;; esac
	$always "$event: counts above each threshold add up to the count" sums $event
done

# P misses overflow the counter, and the next miss is recorded (SDM volume 3B, "PEBS").
precise() {
	session $MISSES "$MISS:p:period=$1,$MISS" && counts $MISS=$N || return
	samples=$((N / ($1 + 1)))
	tr -d , <"$work/out" |
		grep "^$MISS:p: $samples samples x $1 + $((N - samples * ($1 + 1))) = " &&
		says "^  100\.0% +$samples  misses " &&
		says '^  addresses of [0-9]* samples: the sampled instruction$'
}
check "precise records of misses: the expected number, all in the function that misses" precise 100
long "one in 1,009" precise 1009
# A time slice of one of two CPUs is REFERRING_TURN instructions (turns.c); N turns of the workload
# are 6 N instructions. The core takes the line from the other core once per time slice, by the load
# or by the store, and then keeps it. In 4 of 6 positions the load comes first (after the store, at
# DEC, JNZ or NOP, or at the load).
TURN=$(sed -n 's/^#define REFERRING_TURN[[:blank:]]*//p' hal/emu/qemu/turns.c)
HITM=SNOOP_RESPONSE.HITM:u
for separate in 1 8; do
	sed "s/^\(#define SEPARATE	\).*/\1$separate/" tests/boot/workloads/false-sharing.c \
		>"$work/sharing-$separate.c"
done
sharing() {
	session "$work/sharing-$1.c" "$HITM,OFFCORE_RESPONSE_0.DEMAND_DATA_RD.LLC_OTHER_CORE_HITM:u" \
		threads=3 || return
	of_threads=$(sed -n "s/^\([ 0-9,]*\)  $HITM\$/\1/p" "$work/out" | tr -d , |
		awk '{ print $1, $2, $3 }')
	echo "$of_threads"
	shift
	for possible; do
		[ "$of_threads" != "$possible" ] || return 0
	done
	return 1
}
# A thread's first and last time slices are cut short: in each a CPU may take the line once more, or
# not. A CPU that starts first also finds the line unmodified.
turns=$((600000 / TURN)) more=$((600000 / TURN + 1)) less=$((600000 / TURN - 1))
check "two cores that write to one line take it from each other once per time slice" sharing 1 \
	"$turns 0 $turns" \
	"$turns 0 $more" "$more 0 $turns" "$more 0 $more" "$more 0 $less" "$less 0 $more"
long "they do not if each has its own line" sharing 8 "0 0 0"
# The recorded loads of these programs: a line that both threads use, and no slow load at all.
slow_loads() {
	make_run RUN=session WORKLOAD="$work/sharing-$1.c" THREADS=3 \
		EVENTS=MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_4:u:p:period=20
	ended 0 || return
	"$BUILD/host/palmon" report -i "$work/run/samples" --shared -x ';' >"$work/report" 2>&1
	cat "$work/report"
}
shared() {
	slow_loads 1
	awk -F';' '/another core.s modified copy;workload$/ { print $2, $5, $6 }' "$work/report" \
		>"$work/rows"
	line=$(sed -n '1s/ .*//p' "$work/rows")
	printf '%s\n' "$line 0 0" "$line 8 2" | diff - "$work/rows"
}
check "palmon report --shared shows who shares the line: thread 0 its first word, thread 2 the second" \
	shared
unshared() {
	slow_loads 8
	grep ': it has no samples$' "$work/report"
}
long "with a line for each there is no slow load" unshared

# guest NAME [OPTION...]: builds and boots a Multiboot kernel
guest() {
	name=$1
	shift
	[ -e "$work/$name" ] || tests/boot/guests/build "$name" "$work/$name" || return
	capture timeout 300 "$qemu" -M pc \
		-cpu Nehalem -accel tcg \
		"$@" -m 64M -plugin "$BUILD/plugin/palmon-qemu.so,pmu=nehalem" \
		-nodefaults -display none -serial stdio \
		-no-reboot -device isa-debug-exit,iobase=0xf4,iosize=1 -kernel "$work/$name"
	! grep '^not ok' "$work/out" && says "^1\.\.0*$(grep -c '^ok ' "$work/out")\$"
}
check "repeated strings retire once, by QEMU's instruction clock" guest strings \
	-icount shift=0,sleep=off
check "and without it" guest strings
done_checking
