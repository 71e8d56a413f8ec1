# SPDX-License-Identifier: BSD-2-Clause
# For tests of the SPARC T4's modelled events: with twice as many turns of a workload counts grow, by numbers that are
# counted by hand. To be sourced.

PALMON=$BUILD/host/palmon
: >"$work/counted"	# names of events of which a growth other than 0 has been expected
levels=:u

# defines NAME VALUE: sed's command that has a workload do so
defines() {
	printf 's/^\\(#define %s	*\\).*/\\1%s/' "$1" "$2"
}
# counts WORKLOAD TURNS EVENTS: with the substitutions of $words; NAME=N
counts() {
	sed "$words;$(defines TURNS "$2")" "tests/boot/workloads/sparct4-$1.c" >"$work/$1.c"
	make_run RUN=session WORKLOAD="$work/$1.c" EVENTS="$3"
	[ "$status" = 0 ] && sed -n 's/^ *\([0-9,]*\)  \([A-Z][A-Za-z0-9_.]*\)[: ].*/\2=\1/p' "$work/out" | tr -d ,
}
# differ NAME=N...: what the counts of once and of twice differ by
differ() {
	for expected; do
		name=${expected%=*} by=${expected#*=}
		once=$(sed -n "s/^$name=//p" "$work/once") twice=$(sed -n "s/^$name=//p" "$work/twice")
		echo "$name: $once, $twice; by $by"
		[ -n "$once" ] && [ $((twice - once)) -eq "$by" ] || return
		[ "$by" -eq 0 ] || echo "$name" >>"$work/counted"
	done
}
events_of() {
	printf '%s\n' "$@" | sed "s/=.*/$levels/" | paste -sd,
}
# grows WORKLOAD TURNS NAME=N...: four events at most; with twice the turns
grows() {
	grown=$1 turns=$2
	shift 2
	counts "$grown" "$turns" "$(events_of "$@")" >"$work/once" &&
		counts "$grown" $((turns * 2)) "$(events_of "$@")" >"$work/twice" && differ "$@"
}

# The events of a target that are modelled.
list() {
	"$PALMON" list -t "$1" -j | grep '"emulation":"modelled"' | grep -v '"same":"[^"]' |
		sed 's/.*"name":"\([^"]*\)".*/\1/'
}
# all_have_grown LEAST COMMAND: each name that the command prints, of which there are more, is of an event that has
all_have_grown() {
	"$2" | sort >"$work/names"
	sort -u "$work/counted" | comm -23 "$work/names" - >"$work/missing"
	cat "$work/missing"
	[ ! -s "$work/missing" ] && [ "$(wc -l <"$work/names")" -gt "$1" ]
}
