# SPDX-License-Identifier: BSD-2-Clause
# Counts of passes over memory, and how they grow when the number of turns doubles. Source it after
# tap.sh.

. tests/boot/number.sh

# image_of WORKLOAD WORD=VALUE...: sets $image to an image with this workload and these macros,
# which is built once.
image_of() {
	image=$work/$(echo "$@" | cksum | tr ' ' -)
	[ ! -e "$image" ] || return 0
	cp "tests/boot/workloads/$1.c" "$work/workload.c"
	shift
	for word in "$@" "TURNS=$NUMBER"; do
		sed -i "s|^\(#define ${word%%=*}	[	]*\).*|\1${word#*=}|" \
			"$work/workload.c"
	done
	build_image "$work/workload.c" "$image"
}

# further arguments of the image
options=

# count WORKLOAD EVENTS TURNS=N WORD=VALUE...: prints the workload's counts, NAME=N, with these
# macros defined so
count() {
	events=$2 turns_now=${3#*=} program=$1
	shift 3
	image_of "$program" "$@" &&
		boot_with "$turns_now" "$image" run=session level=0 $options events="$events" || return
	[ "$status" = 0 ] && sed -n 's/^ *\([0-9,]*\)  \([A-Z][A-Za-z0-9_.:=]*\) .*/\2=\1/p' \
		"$work/out" | tr -d ,
}
# grows TURNS WORKLOAD [WORD=VALUE...] -- NAME=N...: doubling the turns raises each count by N;
# N+FEW allows up to FEW more. It also counts the events in $also, for later calls of grew.
also=
grows() {
	turns=$1 workload=$2 words= events=$also
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
		count "$workload" "$events" TURNS=$((2 * turns)) $words >"$work/twice" || shift $#
	unset IFS
	[ $# -gt 0 ] || { cat "$work/out"; return 1; }
	grew "$@"
}
# grew NAME=N...: the last call of grows counted this growth
grew() {
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
# over WORKLOAD KILOBYTES TURNS [WORD=VALUE... --] NAME=N...: grows, with memory of this size
over() {
	workload=$1 kilobytes=$2 turns=$3
	shift 3
	case " $* " in *' -- '*) ;; *) set -- -- "$@" ;; esac
	grows "$turns" "$workload" KILOBYTES="$kilobytes" "$@"
}
