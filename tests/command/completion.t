#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Completion in bash and zsh: the words offered after words of a command line.
. tests/tap.sh
. tests/command/command.sh

PATH=$(cd "$(dirname "$PALMON")" && pwd):$PATH
# complete_in_bash WORD... LAST: prints bash's offers for the last word.
complete_in_bash() {
	bash -c '. tools/palmon/completion/palmon.bash
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_palmon && printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
# In zsh, compadd gets all words; zsh selects those that begin with the last one.
complete_in_zsh() {
	zsh -f -c 'compadd() { shift; print -l -- "$@" }
		_files() { print -l -- ${words[CURRENT]}*(N) }
		run() { local -a words; words=("$@"); local CURRENT=$#; source tools/palmon/completion/_palmon }
		run "$@"' zsh "$@" >"$work/all"
	for last; do :; done
	grep -e "^$last" "$work/all"
}
# offers SHELL EXPECTED WORD...
offers() {
	"complete_in_$1" $3 "$4" | sort | tr '\n' ' ' >"$work/offered"
	[ "$(cat "$work/offered")" = "$2 " ] || { cat "$work/offered"; false; }
}
for shell in bash zsh; do
	with_packages "$shell" "$shell:$shell" || continue
	check "$shell: commands" offers $shell 'record report' palmon re
	check "$shell: commands after help" offers $shell diff 'palmon help' di
	check "$shell: options of a command" offers $shell '--fail-above' 'palmon diff' --f
	check "$shell: targets" offers $shell 'sparct4 sparct4-dram' 'palmon list -t' spa
	check "$shell: events of the target" \
		offers $shell 'CPU_CPL_CHANGES CPU_CYCLES' 'palmon stat -t itanium -e' CPU_C
	check "$shell: metrics" offers $shell 'CPI CPI_core' 'palmon stat -t knc -M' CPI
	check "$shell: files" offers $shell 'tools/palmon/palmon.h' 'palmon report -i' \
		tools/palmon/palmon.h
done
done_checking
