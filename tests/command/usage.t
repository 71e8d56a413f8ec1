#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The palmon command: help, wrong usage, exit statuses, output that cannot be written.
. tests/tap.sh
. tests/command/command.sh

COMMANDS='targets list metrics profiles encode decode info selftest stat record report trace'
NEED_TARGET='list metrics profiles encode decode info selftest stat record'

overview_has_every_command() {
	palmon --help
	done_quietly || return
	for command in $COMMANDS help; do
		grep -qE "^  $command +[^ ]" "$work/out" || { echo "$command"; show; return; }
	done
	has_line 'period=N sample each N events'
}
check "--help has a line for every command, and the event grammar" overview_has_every_command

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

# fits: so does what is printed for people, in a terminal of 80 columns.
fits() {
	palmon "$@"
	done_quietly && ! grep -nE '.{81}' "$work/out"
}
for command in '' $COMMANDS; do
	check "palmon help $command fits into 80 columns" fits help $command
done
check "so do targets" fits targets
for target in nehalem nehalem-uncore itanium sparct4-dram; do
	check "so do events, $target" fits list -t $target
	check "so do metrics, $target" fits metrics -t $target
	check "so do profiles, $target" fits profiles -t $target
done
check "so do registers" fits decode -t itanium PMC0=0xf1 PMC4=0 PMC8=1 PMC10=0 PMC11=0x1230 PMC12=0xffff PMC13=1 PMD0=3

version() {
	palmon --version
	done_quietly && grep -qxE 'palmon [0-9]+\.[0-9]+' "$work/out"
}
check "--version" version

palmon
check "a command is needed" refuses 2 'command'
palmon lits
check "an unknown command is named, with those there are" refuses 2 "'lits'.* list .* decode"
palmon help lits
check "so it is when its help is asked for" refuses 2 "'lits'.* list .* decode"
palmon --bogus
check "an unknown option is named" refuses 2 "'--bogus'"

for command in $COMMANDS; do
	palmon $command --bogus
	check "palmon $command: an unknown option is named" refuses 2 "'--bogus'"
done
# What else a command needs is there.
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
	check "palmon $command: an unknown target is named, with all there are" refuses 2 "'pentium'.*nehalem.*itanium"
	palmon $command $(arguments $command)
	check "palmon $command: a target is needed" refuses 2 "-t.*nehalem"
	palmon $command -t
	check "palmon $command: -t needs a name" refuses 2 "'t'"
done
for command in list metrics profiles; do
	palmon $command -t itanium A B
	check "palmon $command: one pattern is enough" refuses 2 "'B'"
done
for command in info selftest; do
	palmon $command -t itanium A
	check "palmon $command: an argument too many is named" refuses 2 "'A'"
done
palmon targets A
check "palmon targets: an argument too many is named" refuses 2 "'A'"
palmon stat -t itanium -e NO_SUCH --trace=/dev/null
check "palmon stat: an unknown event is named" refuses 2 "'NO_SUCH'"
palmon stat -t itanium -M NO_SUCH --trace=/dev/null
check "palmon stat: an unknown metric is named" refuses 2 "'NO_SUCH'"
palmon stat -t nehalem -P NO_SUCH --trace=/dev/null
check "palmon stat: an unknown profile is named" refuses 2 "'NO_SUCH'"
palmon record -t itanium -e NO_SUCH:period=2 --trace=/dev/null
check "palmon record: an unknown event is named" refuses 2 "'NO_SUCH'"
palmon encode -t itanium
check "palmon encode: events are needed" refuses 2 'events'
palmon decode -t itanium
check "palmon decode: registers are needed" refuses 2 'registers'

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
check "a full disk is noticed: selftest" full_disk selftest -t nehalem

# 128 + SIGPIPE; also when the caller ignores the signal.
reader_is_gone() {
	{ sleep 0.2; (trap '' PIPE; "$PALMON" list -t itanium -j); echo $? >"$work/status"; } 2>"$work/messages" | true
	[ "$(cat "$work/status")" -eq 141 ] && [ ! -s "$work/messages" ]
}
check "it ends quietly when nobody reads any more" reader_is_gone

# The manual page: every command, and no complaint of mandoc where there is one.
documented() {
	for command in $COMMANDS; do
		grep -qx "\.Cm $command" tools/palmon/palmon.1 && grep -qx "\.Ss $command" tools/palmon/palmon.1 ||
			{ echo "$command"; return 1; }
	done
}
check "the manual page has every command" documented
well_formed() {
	command -v mandoc >/dev/null || return 0
	mandoc -T lint -W warning tools/palmon/palmon.1
}
check "the manual page is well-formed" well_formed
done_checking
