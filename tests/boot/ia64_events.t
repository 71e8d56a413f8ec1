#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The ia64 machine raises exactly the sub-events of its list (hal/emu/ia64/events.h): some program
# raises each of them, and none raises any other.
. tests/tap.sh
. tests/boot/ia64.sh

# tally PROGRAM [OPTION]: with -e the machine follows caches from the beginning, so some programs'
# own checks fail.
tally() {
	timeout 300 "$MACHINE" -e ${2:+"$2"} -p "$PMU" -n 20000000 "$work/$1" 2>&1 >/dev/null |
		grep ' 0x../.. ' >>"$work/tallies"
}
all_programs() {
	for program in addresses branches bypasses caches floating flushed l2_flushes levels memory \
		misses predictions prefetches qualified queues rare references retired snoops stack_traffic \
		tlb translation uncacheable; do
		build "$program" && tally "$program" && tally "$program" -t || return
	done
	awk '{ times[$1 " " $2] += $3 } $4 { print $1, $2, $4; bad = 1 }
		END { for (e in times) if (!times[e]) { print e, "never"; bad = 1 } exit bad }' \
			"$work/tallies"
}
check "each sub-event that is listed is raised, and no other one" all_programs

# Tallying does not change the counters.
same_counts() {
	build retired && capture "$MACHINE" -e -p "$PMU" "$work/retired" && ended 0 || return
	build predictions && capture "$MACHINE" -e -p "$PMU" "$work/predictions" && ended 0
}
check "a tally changes no count" same_counts

needs_pmu() {
	capture "$MACHINE" -e "$work/retired"
	ended 2 && says '^usage: '
}
check "without a performance monitor nothing is tallied" needs_pmu
# Compares the table's names with programs that count by hand. A program's code shows the events
# that it selects with PMC4 to PMC7, and the counts that it expects (monitor.inc: put, pmd_is). A
# name is covered if a program expects a count other than 0 for it.
all_names() {
	for source in tests/boot/ia64/*.s; do
		program=$(basename "$source" .s)
		build "$program" && ia64-linux-gnu-objdump -d "$work/$program" \
			>"$work/$program.code" || return
	done
	awk -v digits=0123456789abcdef '
		function hex(text, n, i) {
			text = tolower(text)
			for (i = 3; i <= length(text); i++)
				n = n * 16 + index(digits, substr(text, i, 1)) - 1
			return n
		}
		# a equals b in the bits of `care`.
		function same(a, b, care, bit) {
			for (bit = 1; bit < 16; bit *= 2)
				if (int(care / bit) % 2 && int(a / bit) % 2 != int(b / bit) % 2)
					return 0
			return 1
		}
		function value(pattern) {
			return match($0, pattern) ? substr($0, RSTART + 3, RLENGTH - 3) : ""
		}
		FILENAME ~ /tab$/ {
			split("", field)
			for (i = 2; i <= NF && $i != "|"; i++) {
				split($i, part, "=")
				field[part[1]] = part[2]
			}
			if (/^#/ || !("code" in field) || field["emu"] == "absent" || field["category"] == "Timer")
				next
			names++
			name[names] = $1
			code[names] = hex(field["code"])
			umask[names] = hex(field["umask"])
			care[names] = hex(field["care"])
			next
		}
		FNR == 1 { split("", control); read = "" }
		/ movl r3=0x/ { control_value = hex(value("r3=0x[0-9a-f]+")) }
		/ mov r2=[0-9]/ { number = value("r2=[0-9]+") }
		/ mov r8=[0-9]/ { monitor = value("r8=[0-9]+") }
		/ mov pmc\[r2\]=r3/ { control[number] = control_value }
		/ mov r8=pmd\[r8\]/ { read = monitor }
		/ movl r9=0x/ && read != "" {
			if (read in control && read >= 4 && read <= 7 && value("r9=0x[0-9a-f]+") != "0x0")
				for (i = 1; i <= names; i++)
					if (int(control[read] / 256) % 128 == code[i] &&
					    same(int(control[read] / 65536) % 16, umask[i], care[i]))
						shown[i] = 1
			read = ""
		}
		END {
			for (i = 1; i <= names; i++)
				if (!shown[i] && ++missing)
					print name[i], "is counted by no program"
			print names, "names"
			exit missing || names < 100
		}' pmu/itanium/events.tab "$work"/*.code
}
check "each name that is not absent is counted by hand in some program" all_names
done_checking
