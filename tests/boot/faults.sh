# SPDX-License-Identifier: BSD-2-Clause
# For tests of an image's self test, sourced after tap.sh: boots with a fault in a model, and looks
# for the check meant for it.

# boot_faulty SUITE FAULT
boot_faulty() {
	FAULT="$2" boot run=selftest suite="$1"
}

# caught SUITE FAULT CHECK
caught() {
	boot_faulty "$1" "$2"
	ended 1 && says "^not ok [0-9]+ - $3" && says '^palmon: status 1'
}

not_caught() {
	boot_faulty "$1" "$2"
	ended 0 && says '^# all checks passed'
}

# faults_of SUITE FEW [EXCEPT]: tests each fault of SUITE's table except those that match EXCEPT; a
# fault without a model's name belongs to SUITE's model. FEW are the faults that are always booted:
# one of each kind. The others are long; tests/unit/pmu/selftest/test_selftest.c makes all of them on
# the host.
faults_of() {
	grep -vE "^(#${3:+|$3})" "tests/vectors/$1-faults.tab" >"$work/faults"
	check "$1: faults to boot are in the table" are_listed $2
	while read -r fault meant; do
		case " $2 " in *" $fault "*) always=check ;; *) always=long ;; esac
		case $fault in
		*/*) ;;
		*) fault=$1/$fault ;;
		esac
		if [ "$meant" = - ]; then
			$always "$fault changes nothing here" not_caught "$1" "$fault"
		else
			$always "$fault is caught by '$meant'" caught "$1" "$fault" "$meant"
		fi
	done <"$work/faults"
}
are_listed() {
	printf '%s\n' "$@" | sort >"$work/few"
	cut -f 1 "$work/faults" | sort | comm -23 "$work/few" - >"$work/unlisted"
	cat "$work/unlisted"
	[ -s "$work/few" ] && [ ! -s "$work/unlisted" ]
}

# stuck_bit_is_named SUITE ADDRESS BIT REGISTER FIELD: with this bit stuck at 0, a failing check
# names the register and the field.
stuck_bit_is_named() {
	boot_faulty "$1" "stuck:$2:$3:0"
	ended 1 && says "^not ok [0-9]+ - holds: $4 " &&
		says "^#   $4\\.$5: bit $3 expected 1, found 0"
}

# unknown_fault_is_refused FAULT
unknown_fault_is_refused() {
	FAULT="$1" boot run=selftest
	[ "$status" -ne 0 ] && says "^palmon: (the emulator failed .*: )?(palmon: |ia64-machine: )?there is no fault '$1'"
}
