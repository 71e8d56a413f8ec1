# SPDX-License-Identifier: BSD-2-Clause
# A workload that plays the scenarios of a protocol, TARGET-protocol.c, and what a fault of the PMU makes wrong. The
# script defines `run`, which measures the workload, and `printed`, which prints what must repeat. Source after
# use_target.

protocol() {
	run
	ended 0 && says "^$TARGET-protocol: 0 wrong\$" && says "^$TARGET-protocol: all scenarios\$"
}

# has LINE: the first run, kept in $work/first, printed it.
has() {
	grep -qxF "$1" "$work/first" || { cat "$work/first"; false; }
}

repeats() {
	protocol
	printed | diff "$work/first" -
}

# found FAULT WHAT: with this defect, this is wrong.
found() {
	run FAULT="$1"
	[ "$status" -ne 0 ] && says "^WRONG: $2"
}
