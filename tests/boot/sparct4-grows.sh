# SPDX-License-Identifier: BSD-2-Clause
# For tests of the SPARC T4's modelled events: when the number of a workload's turns doubles, counts
# must grow by numbers counted by hand. The workload is built once: it reads its settings from words
# of 32 bits that this script writes into the image. To be sourced.

PALMON=$BUILD/host/palmon
: >"$work/counted"	# events with an expected growth other than 0
levels=:u

# prepare PROGRAM: builds the image that measures this workload, for `counts`.
prepare() {
	program=tests/boot/workloads/sparct4-$1.c
	built=$BUILD/$TARGET/workloads/sparct4-$1-$(echo "$PWD/$program" | cksum | cut -d' ' -f1)
	flock "$BUILD" make --no-print-directory BUILD="$BUILD" image TARGET="$TARGET" \
		WORKLOAD="$program" >/dev/null && cp -r "$built.prom" "$work/$1.prom" &&
		ln -s "$(realpath "$built.elf")" "$work/$1.elf" &&
		sparc64-linux-gnu-nm "$built.elf" >"$work/$1.names" || {
		echo "Bail out! $program cannot be built"
		exit 1
	}
}
# address NAME: the address of this name in $program
address() {
	echo $((0x$(awk -v name="$1" '$3 == name { print $1 }' "$work/$program.names")))
}
# set_word NAME VALUE: changes this word of the image of $program to a number, or to the address of
# a name. The image's file holds the memory from 4 MB on (linker/sparc64.ld).
set_word() {
	case $2 in
	[0-9]*) value=$2 ;;
	*) value=$(address "$2") ;;
	esac
	printf "$(printf '\\%03o\\%03o\\%03o\\%03o' $((value >> 24)) $((value >> 16 & 255)) \
		$((value >> 8 & 255)) $((value & 255)))" |
		dd of="$work/$program.prom/openboot.bin" bs=4 \
		seek=$((($(address "$1") - 0x400000) / 4)) conv=notrunc status=none
}
# counts PROGRAM TURNS EVENTS: sets the words $words (NAME VALUE...) and prints NAME=N
counts() {
	program=$1 turns=$2 events=$3
	set -- TURNS "$turns" $words
	while [ $# -gt 0 ]; do
		set_word "$1" "$2"
		shift 2
	done
	IMAGE=$work/$program
	boot run=session events="$events"
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
	grown=$1 first=$2
	shift 2
	counts "$grown" "$first" "$(events_of "$@")" >"$work/once" &&
		counts "$grown" $((first * 2)) "$(events_of "$@")" >"$work/twice" && differ "$@"
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
