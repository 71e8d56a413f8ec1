# SPDX-License-Identifier: BSD-2-Clause
# For tests of an image's self test, behind tap.sh: faults of its models, and the checks that are meant for them.

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

# faults_of SUITE [EXCEPT]: each line of its table but those that match; a fault without a model's name is of its own.
faults_of() {
	grep -vE "^(#${2:+|$2})" "tests/vectors/$1-faults.tab" >"$work/faults"
	while read -r fault meant; do
		case $fault in
		*/*) ;;
		*) fault=$1/$fault ;;
		esac
		if [ "$meant" = - ]; then
			check "$fault changes nothing here" not_caught "$1" "$fault"
		else
			check "$fault is caught by '$meant'" caught "$1" "$fault" "$meant"
		fi
	done <"$work/faults"
}
