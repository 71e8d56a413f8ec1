#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compares the performance monitor's counts of programs that count by hand, on the emulated ia64
# machine, with the machine's log of executed instructions: each counter that a program reads must
# hold the log's number.
. tests/tap.sh
. tests/boot/ia64.sh

# The log also shows a program's accesses to its monitors: writes of PMC and PMD, and the values it
# reads. For some events the expected count follows from the log. Others are left out, and so are
# counters with qualification or a threshold, counters that overflow, and those enabled by PSR.pp.
cat >"$work/follow.awk" <<'END_AWK'
function hex(text, i, n) {
	for (i = 1; i <= length(text); i++)
		n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return n
}
function bit(value, number) {
	return int(value / 2 ^ number) % 2
}
# Adds one to each counter that counts one of these event codes at this level.
function happens(codes, level, i) {
	for (i = 4; i <= 7 && !frozen; i++)
		if (monitored && bit(control[i], level) && index(codes, sprintf("%02x", int(control[i] / 256) % 128)))
			count[i]++
}
function is_followed(i, code, umask) {
	code = sprintf("%02x", int(control[i] / 256) % 128)
	umask = int(control[i] / 65536) % 16
	if (foreign[i] || qualified || bit(control[i], 5) || bit(control[i], 6) || int(control[i] / 1048576) % 8)
		return 0
	return code == "08" ? umask == 0 : code == "0d" ? umask < 8 : index("12 30 31 63 65 6c 6d 70 71 72", code)
}
/^[0-9a-f]+ [0-2] / {
	slot = $2
	happens("08 12", $3)
	if ($4 && / nop\.[mib]/)
		happens("30", $3)
	if (!$4 && !/( br\.| nop\.b)/)
		happens("31", $3)
	if (/ sum 0x4/)
		monitored = 1
	if (!$4)
		next
	if (/ mov pmc\[/) {
		if ($5 == "0") {
			frozen = hex($6) % 2
			qualified = opcode != "f00000003ffffff8" || outside != "" || data != ""
		} else if ($5 == "8")
			opcode = $6
		else if ($5 == "d")
			outside = hex($6) % 2 ? "" : "on"
		else if ($5 == "b")
			data = bit(hex(substr($6, length($6) - 7)), 28) ? "" : "on"
		else if (index("4567", $5))
			control[$5] = hex($6)
	}
	if (/ mov pmd\[/ && index("4567", $5)) {
		count[$5] = length($6) < 8 ? hex($6) : 0
		foreign[$5] = length($6) >= 8
	}
	if (/ mov r[0-9]+=pmd\[/ && index("4567", $5) && frozen && is_followed($5 + 0)) {
		compared++
		if (hex($7) != count[$5]) {
			printf "PMD%d, event code %xH: ", $5, control[$5] / 256 % 128
			print hex($7), "counted,", count[$5], "in the log"
			bad = 1
		}
	}
}
/^(load|store|semaphore|check|prefetch|fill|spill) / {
	kind = $1
	happens("63" (kind ~ /load|fill/ ? " 6c" : "") (kind ~ /store|spill/ ? " 6d" : "") \
		(kind ~ /fill|spill/ ? " 65 12" : "") (kind == "fill" ? " 72" : ""), $4)
	if (hex(substr($2, length($2))) % ($3 == 10 ? 16 : $3))
		happens(kind == "load" ? "70" : kind == "store" ? "71" : "", $4)
}
/^branch / {
	for (i = 4; i <= 7 && !frozen; i++)
		if (monitored && bit(control[i], $3) && int(control[i] / 256) % 128 == 13 && bit(control[i], 16 + slot))
			count[i]++
}
BEGIN {
	opcode = "f00000003ffffff8"
	frozen = 1
}
END {
	print compared + 0, "counters compared"
	exit bad || compared < least
}
END_AWK

# follows PROGRAM NUMBER: at least this number of counter reads are compared.
follows() {
	build "$1" || return
	timeout 300 "$MACHINE" -l "$work/log" -p "$PMU" -n 1000000 "$work/$1" >/dev/null 2>&1 &&
		awk -v least="$2" -f "$work/follow.awk" "$work/log"
}
while read -r program number; do
	check "$program: the values of $number counters that it reads" follows "$program" "$number"
done <<'END'
addresses 6
alat 3
branches 6
bus 2
count 1
frames 7
halt 2
l3_reads 1
l3_writes 3
loops 7
multiway 3
paths 3
predictions 1
qualified 3
rare 2
references 5
retired 4
stack_traffic 11
stages 3
translated 7
END

# A counter that does not stop while frozen disagrees with the log.
finds() {
	build retired || return
	timeout 300 "$MACHINE" -f freeze-ignored -l "$work/log" -p "$PMU" -n 1000000 \
		"$work/retired" >/dev/null 2>&1
	! awk -v least=0 -f "$work/follow.awk" "$work/log" >"$work/found" &&
		grep ' in the log$' "$work/found"
}
check "a counter that ignores the freeze is found" finds
done_checking
