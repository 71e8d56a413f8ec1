# SPDX-License-Identifier: BSD-2-Clause
# For tests of the SPARC T4's modelled events: when the number of a workload's turns doubles, counts
# must grow by numbers counted by hand. To be sourced.

PALMON=$BUILD/host/palmon
: >"$work/counted"	# events with an expected growth other than 0
levels=:u

# defines NAME VALUE: prints a sed command that changes this macro's value in a workload
defines() {
	printf 's/^\\(#define %s	*\\).*/\\1%s/' "$1" "$2"
}
# counts WORKLOAD TURNS EVENTS: applies the sed commands in $words and prints NAME=N
counts() {
	sed "$words;$(defines TURNS "$2")" "tests/boot/workloads/sparct4-$1.c" >"$work/$1.c"
	make_run RUN=session WORKLOAD="$work/$1.c" EVENTS="$3"
	[ "$status" = 0 ] && sed -n 's/^ *\([0-9,]*\)  \([A-Z][A-Za-z0-9_.]*\)[: ].*/\2=\1/p' \
		"$work/out" | tr -d ,
}
# differ NAME=N...: the counts in $work/once and $work/twice differ by N
differ() {
	for expected; do
		name=${expected%=*} by=${expected#*=}
		once=$(sed -n "s/^$name=//p" "$work/once") twice=$(sed -n "s/^$name=//p" \
			"$work/twice")
		echo "$name: $once, $twice; by $by"
		[ -n "$once" ] && [ $((twice - once)) -eq "$by" ] || return
		[ "$by" -eq 0 ] || echo "$name" >>"$work/counted"
	done
}
events_of() {
	printf '%s\n' "$@" | sed "s/=.*/$levels/" | paste -sd,
}
# grows WORKLOAD TURNS NAME=N...: growth with twice the turns, of four events at most
grows() {
	grown=$1 turns=$2
	shift 2
	counts "$grown" "$turns" "$(events_of "$@")" >"$work/once" &&
		counts "$grown" $((turns * 2)) "$(events_of "$@")" >"$work/twice" && differ "$@"
}

# Prints a target's modelled events.
list() {
	"$PALMON" list -t "$1" -j | grep '"emulation":"modelled"' | grep -v '"same":"[^"]' |
		sed 's/.*"name":"\([^"]*\)".*/\1/'
}
# all_have_grown LEAST COMMAND: the command prints more than LEAST events, and a growth of each was
# expected.
all_have_grown() {
	"$2" | sort >"$work/names"
	sort -u "$work/counted" | comm -23 "$work/names" - >"$work/missing"
	cat "$work/missing"
	[ ! -s "$work/missing" ] && [ "$(wc -l <"$work/names")" -gt "$1" ]
}
