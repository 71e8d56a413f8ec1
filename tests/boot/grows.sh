# SPDX-License-Identifier: BSD-2-Clause
# Counts of passes over memory, and how they grow when the number of turns doubles. Source it after
# tap.sh.

# count WORKLOAD EVENTS WORD=VALUE...: prints the workload's counts, NAME=N, with these macros
# defined so
count() {
	cp "tests/boot/workloads/$1.c" "$work/workload.c"
	events=$2
	shift 2
	for word; do
		sed -i "s|^\(#define ${word%%=*}	[	]*\).*|\1${word#*=}|" \
			"$work/workload.c"
	done
	make_run RUN=session LEVEL=0 WORKLOAD="$work/workload.c" EVENTS="$events"
	[ "$status" = 0 ] && sed -n 's/^ *\([0-9,]*\)  \([A-Z][A-Za-z0-9_.:=]*\) .*/\2=\1/p' \
		"$work/out" | tr -d ,
}
# grows TURNS WORKLOAD [WORD=VALUE...] -- NAME=N...: doubling the turns raises each count by N;
# N+FEW allows up to FEW more
grows() {
	turns=$1 workload=$2 words= events=
	shift 2
	while [ "$1" != -- ]; do
		words="$words$1
"
		shift
	done
	shift
	for expected; do
		events=$events${events:+,}${expected%=*}
	done
	IFS='
'
	count "$workload" "$events" TURNS="$turns" $words >"$work/once" &&
		count "$workload" "$events" TURNS=$((2 * turns)) $words >"$work/twice" || return 1
	unset IFS
	for expected; do
		name=${expected%=*} n=${expected##*=} few=0
		once=$(sed -n "s/^$name=//p" "$work/once") twice=$(sed -n "s/^$name=//p" \
			"$work/twice")
		echo "$name: $once, $twice; by $n"
		case $n in *+*) few=${n#*+} ;; esac
		grown=$((twice - once)) n=${n%+*}
		[ -n "$once" ] && [ "$grown" -ge "$n" ] && [ "$grown" -le $((n + few)) ] || return 1
	done
}
