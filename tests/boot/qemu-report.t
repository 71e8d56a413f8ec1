#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The plugin's report on PMUs (report=), and counting a guest from outside (events=, cr3=). The
# expected numbers are the hand counts of tests/boot/guests/report.c, and the measurements of
# palmon's image itself.
. tests/tap.sh
. tests/qemu.sh
use_qemu qemu-system-x86_64 image
tests/boot/guests/build report "$work/guest" || { echo 'Bail out!'; exit 1; }

# machine ARGUMENTS KERNEL [QEMU-ARGUMENT...]: boots the kernel with these plugin arguments.
machine() {
	arguments=$1 kernel=$2
	shift 2
	capture timeout 300 "$qemu" -M pc -cpu Nehalem -accel tcg -icount shift=0,sleep=off -m 64M \
		-plugin "$plugin,pmu=nehalem$arguments" -nodefaults -display none -serial stdio \
		-no-reboot \
		-device isa-debug-exit,iobase=0xf4,iosize=1 -kernel "$kernel" "$@"
}
# passes: the guest's own checks of its counts pass.
passes() {
	! grep '^not ok' "$work/out" && says "^1\.\.0*$(grep -c '^ok ' "$work/out")\$"
}
# has LINE: the report contains this line, whatever the column widths.
has() {
	sed 's/  */ /g; s/^ //' "$work/report" | grep -Fqx -- "$1" ||
		{ echo "not there: $1"; cat "$work/report"; false; }
}

reports() {
	machine ",report=$work/report" "$work/guest" && passes
	has 'CPU 0: thread 0 of core 0 of package 0, PMU nehalem' &&
		has 'overflow interrupts: 4 delivered, 1 masked; skid: 0 to 0 instructions' &&
		has '308 308 0 general 0 INSTRUCTION_RETIRED:k' &&
		has '8 0 8 general 0 INSTRUCTION_RETIRED:u' &&
		has '402 0 402 general 2 INSTRUCTION_RETIRED:u' &&
		has 'not raised general 1 BPU_CLEARS.EARLY:k' &&
		has 'not raised general 1 raw=0x77fe:k (select 0x4277fe)' &&
		has 'Package 0, PMU nehalem-uncore' && has 'nothing was selected' &&
		[ "$(grep -cE 'general|fixed' "$work/report")" -eq 5 ]
}
check "counts of each select by level; interrupts, skid, events that are never raised" reports
same_without() {
	cp "$work/out" "$work/with" && machine '' "$work/guest" && diff "$work/with" "$work/out"
}
check "the guest sees the same without a report" same_without

# Two sets of counters: the events need five general counters, and there are four.
outside='INST_RETIRED.ANY:u/INST_RETIRED.ANY_P:u/INST_RETIRED.ANY_P:u:c=1/INST_RETIRED.ANY_P:u:c=2'
outside=$outside,,CPU_CLK_UNHALTED.THREAD_P:u,,bpu_clears.early
counts_outside() {
	cp "$work/report" "$work/without"
	machine ",report=$work/report,events=$outside" "$work/guest" && passes &&
		diff "$work/with" "$work/out" || return
	has 'CPU 0, counted from outside' && has '410 INST_RETIRED.ANY:u' &&
		has '410 INST_RETIRED.ANY_P:u' &&
		has '410 INST_RETIRED.ANY_P:u:c=1' && has '0 INST_RETIRED.ANY_P:u:c=2' &&
		has '410 CPU_CLK_UNHALTED.THREAD_P:u' && has 'not raised BPU_CLEARS.EARLY'
}
check "from outside: 410 instructions at level 3, counted by hand" counts_outside
guest_unchanged() {
	sed '/outside/,$d' "$work/report" | sed '$d' | diff "$work/without" -
}
check "the guest's counts are the same as without" guest_unchanged
in_space() {
	space=$(nm "$work/guest" | awk '$3 == "second_space" { print "0x" $1 }')
	machine ",events=INST_RETIRED.ANY,cr3=$space" "$work/guest"
	cp "$work/out" "$work/report"
	has "CPU 0, counted from outside, address space 0x$(printf %x "$space")" &&
		has '101 INST_RETIRED.ANY'
}
check "in one address space: 101 instructions; reported on standard error" in_space

# The image measures its workload at level 3, where nothing else executes.
cat >"$work/reported.c" <<'END'
int workload(void);
int workload(void)
{
	for (volatile int turns = 0; turns < 100000; turns++)
		;
	return 0;
}
END
image() {
	make --no-print-directory BUILD="$BUILD" TARGET="$TARGET" image WORKLOAD="$work/reported.c" \
		>/dev/null || return
	image=$(ls -t "$BUILD/$TARGET"/workloads/reported*.img | head -n 1)
	events='MEM_INST_RETIRED.LOADS:u BR_INST_RETIRED.ALL_BRANCHES:u INST_RETIRED.ANY_P:u'
	machine ",report=$work/report,events=$(echo $events | tr ' ' /)" "$image" \
		-append "run=session events=$(echo $events | tr ' ' ,):period=10000"
	says ': exactly its count$' || return
	for event in $events; do
		count=$(sed -n "s/^ *\\([0-9,]*\\)  $event .*/\\1/p" "$work/out" | tr -d ,)
		[ -n "$count" ] && has "$count $event" &&
			grep -qE "^ +$count +0 +$count +general . +$event\$" "$work/report" ||
			{ echo "$event: $count"; cat "$work/report"; return 1; }
	done
	samples=$(sed -n 's/.*: \([0-9]*\) samples x .*/\1/p' "$work/out") &&
		has "overflow interrupts: $samples delivered, 0 masked; skid: 0 to 0 instructions"
}
check "the counts of palmon's image, in the report and from outside" image

# eight SMP INTERRUPTED PACKAGES: boots guests/smp.c on eight CPUs.
tests/boot/guests/build smp "$work/smp" || { echo 'Bail out!'; exit 1; }
eight() {
	machine ",report=$work/report,events=BR_MISP_EXEC.ANY/MEM_LOAD_RETIRED.L1D_HIT" \
		"$work/smp" -smp "$1" \
		-append "$2"
	passes || return
	[ "$(grep -c ', PMU nehalem$' "$work/report")" -eq 8 ] &&
		[ "$(grep -c '^Package ' "$work/report")" -eq "$3" ] &&
		[ "$(grep -cE '^ +104 +104 +0 +general 0' "$work/report")" -eq 8 ] &&
		[ "$(grep -c '^overflow interrupts: 1 delivered, 0 masked; skid: ' \
		"$work/report")" -eq "$2" ]
}
long "-smp 8: eight cores, of which the uncore interrupts four" eight 8 4 1
check "-smp 8,cores=4,threads=2: the uncore interrupts all" eight 8,sockets=1,cores=4,threads=2 8 1
long "-smp 8,sockets=2,cores=4: it interrupts the package's four" eight 8,sockets=2,cores=4 4 2
too_many() {
	for smp in 4,cores=1,threads=4 9,cores=9 3,sockets=3; do
		capture timeout 60 "$qemu" -M q35 -cpu Nehalem -accel tcg -display none \
			-plugin "$plugin,pmu=nehalem" -smp "$smp"
		[ "$status" -ne 0 ] &&
			says '^palmon: CPU [0-9]* is thread .*: a core with the PMU ' &&
			says \
			' nehalem has 2 threads, a package at most 8 cores, a machine at most 2 ' &&
			says ' packages \(-smp\)$' || return
	done
}
check "-smp with more threads, cores or packages is refused" too_many

# refused ARGUMENTS MESSAGE: QEMU does not start, and prints the reason.
refused() {
	capture timeout 60 "$qemu" -M none -display none -plugin "$plugin,pmu=nehalem$1"
	[ "$status" -ne 0 ] && says "^palmon: $2"
}
refusals() {
	misspelled="there is no event 'INST_RETIRED.ANYP'; the nearest name is INST_RETIRED.ANY"
	refused ",report=$work/none/at/all" "report=$work/none/at/all: No such file or directory" &&
		refused ,events=INST_RETIRED.ANYP "events=: $misspelled" &&
		refused ,events=INST_RETIRED.ANY_P:period=9 \
		'events=: events are counted, and not sampled' &&
		refused ,events=INST_RETIRED.ANY_P:t 'events=: each vCPU is counted by itself' &&
		refused ,events=INST_RETIRED.ANY_P:c=256 'events=: ' &&
		refused ,events=INST_RETIRED.ANY:ctr=0 'events=: ' &&
		refused ,cr3=0x1000 'cr3= requires events=' &&
		refused ,events=INST_RETIRED.ANY,cr3=here 'cr3=: the address of page tables'
}
check "impossible arguments are refused in one line" refusals
full() {
	machine ,report=/dev/full "$work/guest"
	says '^palmon: the report cannot be written \(report=/dev/full\)$'
}
check "a report that cannot be written" full
ended_by() {
	rm -f "$work/report"
	timeout -s "$1" 5 "$qemu" -M pc -cpu Nehalem -accel tcg -icount shift=0,sleep=off \
		-display none \
		-plugin "$plugin,pmu=nehalem,report=$work/report" >"$work/raw" 2>&1
	has 'nothing was selected' && has 'overflow interrupts: 0 delivered, 0 masked'
}
check "a report when SIGTERM ends QEMU" ended_by TERM
long "a report when SIGINT ends QEMU" ended_by INT
done_checking
