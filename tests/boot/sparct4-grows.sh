# SPDX-License-Identifier: BSD-2-Clause
# For tests of the SPARC T4's modelled events: when the number of a workload's turns doubles, counts
# must grow by numbers counted by hand. To be sourced.
. tests/boot/sparct4-words.sh

PALMON=$BUILD/host/palmon
: >"$work/counted"	# events with an expected growth other than 0
levels=:u

# counts PROGRAM TURNS EVENTS: measures it with the words $words (NAME VALUE...) and prints NAME=N
counts() {
	measure_with "$1" "TURNS $2 $words" events="$3"
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
# grows PROGRAM TURNS NAME=N...: growth with twice the turns, of four events at most
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
# expected. Only EXTRA=1 runs all checks that expect one.
all_have_grown() {
	"$2" | sort >"$work/names"
	sort -u "$work/counted" | comm -23 "$work/names" - >"$work/missing"
	cat "$work/missing"
	[ ! -s "$work/missing" ] && [ "$(wc -l <"$work/names")" -gt "$1" ]
}
