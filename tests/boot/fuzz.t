#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Nothing that a guest does crashes QEMU. Two guests act at random from a seed: guests/fuzz.c does
# anything that a kernel may do, guests/fuzz_code.c executes random code in all modes. They end the
# same with the PMU as without it, with the same results. If they also access the PMU at random,
# they must only reach their end. FUZZ_GUEST_SECONDS=N runs as many seeds as N seconds allow,
# starting with FUZZ_GUEST_SEED (`make fuzz`); otherwise the same few seeds run every time.
. tests/tap.sh
. tests/boot/guests.sh
build fuzz || echo "# the guest cannot be built"
export AT=0x110000		# above all memory that code in real mode reaches
build fuzz_code $guests/fuzz_emit.c $guests/fuzz_way.S || echo "# the guest cannot be built"
gcc -O2 -shared -fPIC -Ihal/emu/qemu -o "$work/absolute.so" tests/boot/absolute.c \
	hal/emu/qemu/unpromised.c ||
	echo "# absolute.c cannot be built"
same_time="-rtc base=2026-01-01,clock=vm"	# time of the battery-backed clock, the same in each run

# alike GUEST VARIABLE=VALUE...: the guest runs with the PMU as on the bare machine. With an
# arbitrary seed, it may instead match a bare machine that translates code for one address
# (absolute.c). If the two bare machines differ, QEMU's own result is undefined, and the seed
# passes.
alike() {
	as_bare "$same_time" "$@" && return
	[ "${FUZZ_GUEST_SECONDS:-}" ] || return
	cp "$work/bare" "$work/usual"
	as_bare "$same_time -plugin $work/absolute.so" "$@" || ! cmp "$work/bare" "$work/usual"
}

# as_bare ARGUMENTS-FOR-BARE-QEMU GUEST VARIABLE=VALUE...: runs the bare machine first. If it does
# not finish, the guest must not finish with the PMU either, and the results that both have printed
# must agree. The same holds if the guest shut the bare machine down.
as_bare() {
	arguments=$1
	shift
	bare "$@" QEMU_ARGS="$arguments" TIMEOUT=20
	of_guest >"$work/bare" && end >"$work/bare.end"
	if [ "$status" -eq 124 ]; then
		guest "$@" QEMU_ARGS="$same_time" TIMEOUT=60
		ended 124 && of_guest >"$work/with" && begin_alike "$work/bare" "$work/with"
	else
		guest "$@" QEMU_ARGS="$same_time" TIMEOUT=600
		of_guest >"$work/with" && end >"$work/with.end" &&
			diff "$work/bare.end" "$work/with.end" &&
			diff "$work/bare" "$work/with" &&
			{ [ "${FUZZ_GUEST_SECONDS:-}" ] || grep -q '^ok 01' "$work/with"; }
	fi
}

# end: prints how the last run ended. Only the timed clock reports instructions that it lacks.
end() {
	echo "status $status"
	grep -E '^(palmon|qemu)' "$work/out" | grep -v '^palmon: not modelled:' || true
}

# begin_alike FILE FILE: all steps that both files report are the same.
begin_alike() {
	for file in "$@"; do
		grep -E '^# [0-9]+ steps: 0x[0-9A-F]+$' "$file" >"$file.steps"
	done
	paste -d'|' "$1.steps" "$2.steps" |
		awk -F'|' \
		'$1 != "" && $2 != "" && $1 != $2 { print; differ = 1 } END { exit differ }'
}

# fuzz SEED STEPS CPUS
fuzz() {
	alike fuzz SMP="$3" APPEND="$1 $2$([ "$3" -eq 1 ] || echo ' several')"
}

# code SEED STEPS
code() {
	alike fuzz_code APPEND="$1 $2 1"
}

# wild SEED STEPS CPUS [WORDS [VARIABLE=VALUE...]]: the guest reaches its end. With other seeds than
# those below it may reset the machine (a triple fault, say), find its own memory destroyed, or end
# QEMU in a way that also occurs without the PMU.
wild() {
	words="$1 $2 $3 wild ${4:-}" smp=$3
	shift 3
	[ $# -eq 0 ] || shift
	guest fuzz_code APPEND="$words" SMP="$smp" "$@" TIMEOUT=600
	if [ "$status" -eq 0 ]; then
		grep -q '^ok 01' "$work/out"
		return
	fi
	cat "$work/out"
	[ -n "${FUZZ_GUEST_SECONDS:-}" ] || return
	! says '^palmon: the guest ended with' || return 0
	end >"$work/with.end"
	bare fuzz_code APPEND="$words" SMP="$smp" "$@" TIMEOUT=60
	end | diff "$work/with.end" -
}

# The seed selects the plugin's variant.
any_wild() {
	case $(($1 / 4 % 8)) in
	0) wild "$1" 1000 1 ;;
	1) wild "$1" 500 2 '' BATCH=off ;;
	2) wild "$1" 1000 1 '' CLOCK=timed ;;
	3) wild "$1" 300 4 ;;
	4) wild "$1" 1000 1 x2apic QEMU_ARGS='-cpu Nehalem,+x2apic' ;;
	5) TARGET=knc wild "$1" 1000 1 ;;
	6) TARGET=knc wild "$1" 300 4 ;;
	7) wild "$1" 1000 1 '' BATCH="off,report=$work/report" OVERCOUNT=interruptions ;;
	esac
}

if [ -z "${FUZZ_GUEST_SECONDS:-}" ]; then
	check "a kernel, seed 1" fuzz 1 2000 1
	long "seed 2" fuzz 2 2000 1
	long "seed 3, two CPUs" fuzz 3 1000 2
	long "seed 1795764533, two CPUs" fuzz 1795764533 500 2
	check "random code, seed 1" code 1 256
	long "seed 45" code 45 256
	long "seed 7002, translated for one address" \
		as_bare "$same_time -plugin $work/absolute.so" fuzz_code APPEND="7002 272 1"
	check "random accesses to the PMU's registers" wild 3 200 1
	long "by the timed clock" wild 37 100 1 '' CLOCK=timed
	long "two CPUs, each instruction delivered separately" wild 32 50 2 '' BATCH=off
	long "x2APIC, and a report" \
		wild 38 100 1 x2apic QEMU_ARGS='-cpu Nehalem,+x2apic' \
		BATCH="off,report=$work/report"
	TARGET=knc
	long "Knights Corner" wild 34 200 1
	check "four CPUs" wild 35 40 4
else
	seed=${FUZZ_GUEST_SEED:-$(date +%s)} end=$(($(date +%s) + FUZZ_GUEST_SECONDS))
	while [ "$(date +%s)" -lt "$end" ]; do
		case $((seed % 4)) in
		0 | 1) check "seed $seed, any code with any PMU" any_wild "$seed" ;;
		2) check "seed $seed, code" code "$seed" 1000 ;;
		3) check "seed $seed, a kernel" fuzz "$seed" 2000 $((seed / 4 % 2 + 1)) ;;
		esac
		seed=$((seed + 1))
	done
fi
done_checking
