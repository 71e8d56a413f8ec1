#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Colours: only on a terminal; each sequence is ended; without them the text is the same.
. tests/tap.sh
. tests/command/command.sh

two_events third 00ff00ff "$work/samples"
printf 'code=0x12 cycles=100 ip=0x4000\n' >"$work/trace"

# on_terminal VARIABLE=VALUE... -- ARGUMENT...: runs palmon with a terminal as its output.
on_terminal() {
	variables=
	while [ "$1" != -- ]; do variables="$variables $1" && shift; done
	shift
	env -u NO_COLOR TERM=xterm $variables script -qec "'$PALMON' $*" /dev/null </dev/null |
		tr -d '\r' >"$work/out"
}
coloured() {
	on_terminal -- "$@" && grep -q "$(printf '\033')\[" "$work/out" ||
		{ cat -v "$work/out"; return 1; }
	# Each line ends in the terminal's default colour.
	perl -ne 'my @s = /\033\[([0-9;]*)m/g; die "not ended: $_" if @s && $s[-1] ne "0";' \
		"$work/out" || return
	"$PALMON" "$@" >"$work/plain" && ! grep -q "$(printf '\033')" "$work/plain" &&
		sed "s/$(printf '\033')\[[0-9;]*m//g" "$work/out" | diff "$work/plain" -
}
plain() {
	"$PALMON" report -i "$work/samples" >"$work/plain" && on_terminal "$@" -- report \
		-i "$work/samples" &&
		diff "$work/plain" "$work/out"
}
for arguments in "report -i $work/samples" "report -i $work/samples --functions" \
	'list -t itanium CPU_CYCLES' \
	"stat -t itanium -M IPC --trace=$work/trace"; do
	# shellcheck disable=SC2086
	check "on a terminal, and not in a pipe: palmon ${arguments%% *}" coloured $arguments
done
check "NO_COLOR" plain NO_COLOR=1
check "a terminal without colours" plain TERM=dumb
empty() {
	on_terminal NO_COLOR= -- report -i "$work/samples" && grep -q "$(printf '\033')\[" \
		"$work/out"
}
check "an empty NO_COLOR counts as unset" empty
hot() {
	on_terminal -- report -i "$work/samples" --functions &&
		grep -q "$(printf "\033")\[1;31m *50.0%" "$work/out"
}
check "a share of half is red" hot
json() {
	on_terminal -- report -i "$work/samples" -j && ! grep -q "$(printf '\033')" "$work/out"
}
check "no colours in JSON" json
done_checking
