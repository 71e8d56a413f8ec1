#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Whatever a guest does, QEMU does not crash. Two guests do anything, by a seed: guests/fuzz.c what a kernel may do, and
# guests/fuzz_code.c random code in all modes. They end with the PMU as without it, and have found the same; or, where
# they do anything to the PMU, too, they come to their end. In FUZZ_GUEST_SECONDS as many seeds as there is time for,
# from FUZZ_GUEST_SEED on (`make fuzz`); else the same few every time.
. tests/tap.sh
. tests/boot/guests.sh
build fuzz || echo "# the guest cannot be built"
export AT=0x110000		# code in real mode reaches all below
build fuzz_code $guests/fuzz_emit.c $guests/fuzz_way.S || echo "# the guest cannot be built"
gcc -O2 -shared -fPIC -Ihal/emu/qemu -o "$work/absolute.so" tests/boot/absolute.c hal/emu/qemu/unpromised.c ||
	echo "# absolute.c cannot be built"
same_time="-rtc base=2026-01-01,clock=vm"	# of the clock that battery powers, in each run

# alike GUEST VARIABLE=VALUE...: as the bare machine. Of any seed, as the bare machine whose code is for one address
# (absolute.c) also passes; and if the two bare machines differ, QEMU's own result is not certain.
alike() {
	as_bare "$same_time" "$@" && return
	[ "${FUZZ_GUEST_SECONDS:-}" ] || return
	cp "$work/bare" "$work/usual"
	as_bare "$same_time -plugin $work/absolute.so" "$@" || ! cmp "$work/bare" "$work/usual"
}

# as_bare ARGUMENTS-FOR-BARE-QEMU GUEST VARIABLE=VALUE...: the bare machine first. Where that goes nowhere, the guest
# must go nowhere with the PMU either, and have found the same as far as both have come. So it is where the guest has
# ended the bare machine.
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
		of_guest >"$work/with" && end >"$work/with.end" && diff "$work/bare.end" "$work/with.end" &&
			diff "$work/bare" "$work/with" &&
			{ [ "${FUZZ_GUEST_SECONDS:-}" ] || grep -q '^ok 01' "$work/with"; }
	fi
}

# end: how the last run has ended.
end() {
	echo "status $status"
	grep -E '^(palmon|qemu)' "$work/out" || true
}

# begin_alike FILE FILE: of the steps that are reported in both, all are the same.
begin_alike() {
	for file in "$@"; do
		grep -E '^# [0-9]+ steps: 0x[0-9A-F]+$' "$file" >"$file.steps"
	done
	paste -d'|' "$1.steps" "$2.steps" |
		awk -F'|' '$1 != "" && $2 != "" && $1 != $2 { print; differ = 1 } END { exit differ }'
}

# fuzz SEED STEPS CPUS
fuzz() {
	alike fuzz SMP="$3" APPEND="$1 $2$([ "$3" -eq 1 ] || echo ' several')"
}

# code SEED STEPS
code() {
	alike fuzz_code APPEND="$1 $2 1"
}

# wild SEED STEPS CPUS [WORDS [VARIABLE=VALUE...]]: the guest comes to its end. With other seeds than those below it
# may end the machine by itself, as by three faults in each other, or find itself destroyed; or end QEMU in a way in
# which it also ends without the PMU.
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

# Of a seed: what of the plugin's it runs with.
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
	check "seed 2" fuzz 2 2000 1
	check "seed 3, two CPUs" fuzz 3 1000 2
	check "seed 1795764533, two CPUs" fuzz 1795764533 500 2
	check "random code, seed 1" code 1 256
	check "seed 45" code 45 256
	check "seed 7002, as code for one address" \
		as_bare "$same_time -plugin $work/absolute.so" fuzz_code APPEND="7002 272 1"
	check "the PMU's registers, too" wild 3 200 1
	check "by the timed clock" wild 37 100 1 '' CLOCK=timed
	check "two CPUs, each instruction by itself" wild 32 50 2 '' BATCH=off
	check "x2APIC, and a report" \
		wild 38 100 1 x2apic QEMU_ARGS='-cpu Nehalem,+x2apic' BATCH="off,report=$work/report"
	TARGET=knc
	check "Knights Corner" wild 34 200 1
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
