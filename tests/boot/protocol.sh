# SPDX-License-Identifier: BSD-2-Clause
# A workload that plays the scenarios of a protocol, TARGET-protocol.c, and the failures that a
# fault of the PMU causes in it. The script defines `run`, which measures the workload, and
# `printed`, which prints the output that must repeat. Source after use_target.
. tests/boot/workload.sh

protocol() {
	run
	ended 0 && says "^$TARGET-protocol: 0 wrong\$" && says "^$TARGET-protocol: all scenarios\$"
}

# has LINE: the first run, kept in $work/first, printed this line.
has() {
	grep -qxF "$1" "$work/first" || { cat "$work/first"; false; }
}

repeats() {
	protocol
	printed | diff "$work/first" -
}

# found FAULT TEXT: with this defect the workload reports the failed check TEXT.
found() {
	FAULT=$1 run
	[ "$status" -ne 0 ] && says "^WRONG: $2"
}
