#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The palmon command: help, wrong usage, exit statuses, output that cannot be written.
. tests/tap.sh
. tests/command/command.sh

COMMANDS='targets list metrics profiles encode decode info selftest stat record report fetch board convert diff
	state annotate top qemu doctor probe'
NEED_TARGET='list metrics profiles encode decode info selftest stat record'

overview_has_every_command() {
	palmon --help
	done_quietly || return
	for command in $COMMANDS help; do
		grep -qE "^  $command +[^ ]" "$work/out" || { echo "$command"; show; return; }
	done
	has_line 'period=N sample each N events'
}
check "--help prints a line for every command, and the event grammar" overview_has_every_command

# The parser's words: the manual page explains all of them; --help all but synonyms.
modifiers_are_told() {
	sed -n 's/^\t{"\([a-z]*\)", .*EVENT_.*/&/p; s/^\tNUMBER("\([a-z]*\)".*/&/p' \
		pmu/core/event_modifiers.c |
		grep -oE '(\{|NUMBER\()"[a-z]+"' | grep -oE '[a-z]+' >"$work/words"
	[ "$(wc -l <"$work/words")" -ge 30 ] || { cat "$work/words"; return 1; }
	palmon --help
	sed -n '/Modifiers:/,$p' "$work/out" >"$work/told"
	sed -n '/^Modifiers:/,$p' tools/palmon/palmon-events.7 >"$work/manual"
	for word in $(grep -vxE 'usr|sup|pebs|precise' "$work/words"); do
		grep -qw -e "$word" "$work/told" || { echo "--help: $word"; return 1; }
	done
	for word in $(cat "$work/words"); do
		grep -E '^\.(It|Cm|Pq)' "$work/manual" | grep -qw -e "$word" ||
			{ echo "palmon-events.7: $word"; return 1; }
	done
}
check "each modifier is in --help and in the manual page" modifiers_are_told

helps() {
	palmon help "$1"
	done_quietly && head -n 1 "$work/out" | grep -q "^usage: palmon $1" || { show; return; }
	cp "$work/out" "$work/help"
	palmon "$1" --help
	done_quietly && cmp "$work/help" "$work/out" || return
	palmon "$1" -h
	done_quietly && cmp "$work/help" "$work/out" || return
	palmon "$1" -j --help
	done_quietly && cmp "$work/help" "$work/out"
}
for command in $COMMANDS; do
	check "palmon help $command and palmon $command --help are the same" helps "$command"
done

# fits ARGUMENT...: the command's text fits a terminal of 80 columns.
fits() {
	palmon "$@"
	done_quietly && ! grep -nE '.{81}' "$work/out"
}
for command in '' $COMMANDS; do
	check "palmon help $command fits into 80 columns" fits help $command
done
check "targets fit, too" fits targets
for target in nehalem nehalem-uncore itanium sparct4-dram; do
	check "events fit, $target" fits list -t $target
	check "metrics fit, $target" fits metrics -t $target
done
for target in nehalem knc; do
	check "profiles fit, $target" fits profiles -t $target
done
check "registers fit" fits decode -t itanium PMC0=0xf1 PMC4=0 PMC8=1 PMC10=0 PMC11=0x1230 \
	PMC12=0xffff PMC13=1 PMD0=3

version() {
	palmon --version
	done_quietly && grep -qxE 'palmon [0-9]+\.[0-9]+' "$work/out"
}
check "--version" version

# overview ARGUMENT...: prints the same as --help.
overview() {
	palmon --help
	cp "$work/out" "$work/help"
	palmon "$@"
	done_quietly && cmp "$work/help" "$work/out"
}
check "palmon help is the overview" overview help
check "palmon help --help is the overview, too" overview help --help
check "and palmon help help" overview help help
palmon help list stat
check "help of two commands" refuses 2 "'stat'"
palmon help --bogus
check "an option of help" refuses 2 "'--bogus'"

palmon
check "a missing command" refuses 2 'command'
palmon lits
check "an unknown command: the list of commands" refuses 2 "'lits'.* list .* decode"
palmon help lits
check "help of an unknown command" refuses 2 "'lits'.* list .* decode"
palmon --bogus
check "an unknown option" refuses 2 "'--bogus'"
palmon stst
check "a misspelled command: the nearest one" \
	refuses 2 "no command 'stst'; the nearest name is stat; commands are: targets "
palmon help anotate
check "help of a misspelled command" \
	refuses 2 "no command 'anotate'; the nearest name is annotate; commands are: targets "
palmon frobnicate
check "a word similar to no command" refuses 2 "no command 'frobnicate'; commands are: targets "
palmon list -t nehalam
check "a misspelled target: the nearest one" \
	refuses 2 "no target 'nehalam'; the nearest name is nehalem; targets are: nehalem, "
palmon info -t sparc4
check "the nearest of several targets" refuses 2 \
	"no target 'sparc4'; the nearest name is sparct4; targets are: "
palmon doctor perff
check "a misspelled use of doctor" refuses 2 \
	"no use 'perff'; the nearest name is perf; palmon doctor lists them"

# Make asks tools/nearest, which must suggest the same. Each command's name, misspelled: with a
# missing, doubled or wrong letter; two letters exchanged; half of the name.
suggests_alike() {
	for name in $COMMANDS; do
		echo "$name" | sed 's/^.//; p; s/.$//'
		echo "$name" | sed 's/^\(.\)/\1\1/'
		echo "$name" | sed 's/^\(..\)./\1x/'
		echo "$name" | sed 's/^\(.\)\(.\)/\2\1/'
		echo "$name" | cut -c "1-$((${#name} / 2))"
	done | sort -u >"$work/words"
	all=$(palmon stst; sed -n 's/.*commands are: //p' "$work/messages")
	while read -r word; do
		case " $all " in *" $word "*) continue ;; esac
		palmon "$word"
		sed -n "s/.*; the nearest name is \([a-z]*\);.*/\1/p" "$work/messages" \
			>"$work/command"
		# shellcheck disable=SC2086
		tools/nearest "$word" $all | diff - "$work/command" || { echo "$word"; return 1; }
	done <"$work/words"
	[ "$(wc -l <"$work/words")" -ge 80 ]
}
check "tools/nearest suggests the same" suggests_alike

for command in $COMMANDS; do
	palmon $command --bogus
	check "palmon $command: an unknown option" refuses 2 "'--bogus'"
done
# The other arguments that a command needs.
arguments() {
	case $1 in
	encode) echo A ;;
	decode) echo A=0 ;;
	stat) echo -e A --trace=/dev/null ;;
	record) echo -e A:period=2 --trace=/dev/null ;;
	esac
}
for command in $NEED_TARGET; do
	palmon $command -t pentium $(arguments $command)
	check "palmon $command: an unknown target: the list of targets" refuses 2 \
		"'pentium'.*nehalem.*itanium"
	palmon $command $(arguments $command)
	check "palmon $command: a missing target" refuses 2 "-t.*nehalem"
	palmon $command -t
	check "palmon $command: -t without a name" refuses 2 "'t'"
done
for command in list metrics profiles; do
	palmon $command -t itanium A B
	check "palmon $command: two patterns" refuses 2 "'B'"
done
for command in info selftest; do
	palmon $command -t itanium A
	check "palmon $command: an argument too many" refuses 2 "'A'"
done
many=$(for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do printf -- '-e A -e A -e A -e A -e A '; done)
for command in stat record; do
	palmon $command -t itanium $many --trace=/dev/null
	check "palmon $command: too many options" refuses 2 '-e is given more than 64 times$'
	palmon $command -t itanium -e A --trace=/dev/null --trace=/dev/zero
	check "palmon $command: two traces" \
		refuses 2 "--trace is given twice: '/dev/null' and '/dev/zero'$"
	palmon $command -t itanium -e A --trace=
	check "palmon $command: an empty name of a trace is refused" refuses 2 '--trace is empty$'
done
palmon list -t itanium -t knc
check "two targets" refuses 2 "-t is given twice: 'itanium' and 'knc'$"
palmon list -t KNC 'DATA_READ_MISS'
check "targets in upper case" has_line '0x03/00 0-1 2 DATA_READ_MISS'
palmon list -t nhm_unc 'UNC_CLK'
check "targets by libpfm's names" has_line '0x3ff/00 32 1 UNC_CLK_UNHALTED'
palmon stat -t itanium -e IPC --trace=/dev/null
check "a metric is not an event" refuses 2 "no event 'IPC'; it is a metric: -M$"
palmon stat -t itanium -M CPU_CYCLES --trace=/dev/null
check "an event is not a metric" refuses 2 "no metric 'CPU_CYCLES'; it is an event: -e$"
palmon stat -t itanium -P IPC --trace=/dev/null
check "a target without profiles" refuses 2 "itanium has no profiles, and no 'IPC'$"
palmon targets A
check "palmon targets: an argument too many" refuses 2 "'A'"
palmon stat -t itanium -e NO_SUCH --trace=/dev/null
check "palmon stat: an unknown event" refuses 2 "'NO_SUCH'"
palmon stat -t itanium -M NO_SUCH --trace=/dev/null
check "palmon stat: an unknown metric" refuses 2 "'NO_SUCH'"
palmon stat -t nehalem -P NO_SUCH --trace=/dev/null
check "palmon stat: an unknown profile" refuses 2 "'NO_SUCH'"
palmon record -t itanium -e NO_SUCH:period=2 --trace=/dev/null
check "palmon record: an unknown event" refuses 2 "'NO_SUCH'"
palmon encode -t itanium
check "palmon encode: no events" refuses 2 'events'
palmon decode -t itanium
check "palmon decode: no registers" refuses 2 'registers'
palmon state
check "palmon state: no file" refuses 2 'FILE'
palmon fetch
check "palmon fetch: no log" refuses 2 'log'
palmon fetch A B
check "palmon fetch: two logs" refuses 2 "'B'"
palmon fetch --run=0 A
check "palmon fetch: runs are numbered from 1" refuses 2 "'0'"
palmon state A B
check "palmon state: two files" refuses 2 "'B'"

full_disk() {
	"$PALMON" "$@" >/dev/full 2>"$work/messages"
	status=$?
	[ "$status" -eq 1 ] && grep -q '^palmon: .*cannot be written' "$work/messages"
}
check "a full disk is noticed: --help" full_disk --help
check "a full disk is noticed: targets" full_disk targets
check "a full disk is noticed: list" full_disk list -t itanium
check "a full disk is noticed: list -j" full_disk list -t itanium -j
check "a full disk is noticed: metrics" full_disk metrics -t itanium
check "a full disk is noticed: profiles" full_disk profiles -t nehalem
check "a full disk is noticed: encode" full_disk encode -t itanium CPU_CYCLES
check "a full disk is noticed: decode" full_disk decode -t itanium PMC4=0
check "a full disk is noticed: info" full_disk info -t itanium
check "a full disk is noticed: state" full_disk state tests/vectors/nehalem-state.hex
check "a full disk is noticed: selftest" full_disk selftest -t nehalem

# 128 + SIGPIPE; also if the caller ignores the signal.
reader_is_gone() {
	mkfifo "$work/pipe"
	: <"$work/pipe" &
	exec 9>"$work/pipe"
	wait $!
	(trap '' PIPE; "$PALMON" list -t itanium -j) >&9 2>"$work/messages"
	status=$?
	exec 9>&-
	[ $status -eq 141 ] && [ ! -s "$work/messages" ]
}
check "it ends quietly when its reader is gone" reader_is_gone

# The manual page documents every command; mandoc, if installed, does not complain.
documented() {
	for command in $COMMANDS; do
		grep -qx "\.Cm $command" tools/palmon/palmon.1 &&
			grep -qx "\.Ss $command" tools/palmon/palmon.1 ||
			{ echo "$command"; return 1; }
	done
}
check "the manual page documents every command" documented
well_formed() {
	# shellcheck disable=SC2046
	for page in $(git ls-files '*.[1357]'); do
		MANWIDTH=80 man --warnings -l "$page" 2>&1 >/dev/null || return 1
		command -v mandoc >/dev/null && { mandoc -T lint -W warning "$page" || return 1; }
	done >"$work/warnings"
	[ ! -s "$work/warnings" ] || { cat "$work/warnings"; false; }
}
check "the manual pages are well-formed" well_formed
lacks_a_section() {
	cp tools/palmon/palmon-trace.5 "$work/page.5"
	echo '.Bl -tag' >>"$work/page.5"
	[ -n "$(man --warnings -l "$work/page.5" 2>&1 >/dev/null)" ]
}
check "a malformed page is detected" lacks_a_section
done_checking
