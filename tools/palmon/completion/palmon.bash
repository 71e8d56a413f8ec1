# SPDX-License-Identifier: BSD-2-Clause
# Completion for bash. The command itself lists its commands, options, targets and events.

# _palmon_words KIND [COMMAND] [TARGET]: prints the words of a kind, one per line.
_palmon_words() {
	case $1 in
	commands) palmon --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' ;;
	options) palmon help "$2" | grep -oE '(^|[[ ,|])--?[a-z][a-z-]*' | tr -d '[ ,|' | sort -u ;;
	targets) palmon targets -j | sed -n 's/.*"target":"\([^"]*\)".*/\1/p' ;;
	list | metrics | profiles) palmon "$1" -t "$3" -j | sed -n 's/^{[^}]*"name":"\([^"]*\)".*/\1/p' ;;
	esac 2>/dev/null
}

# _palmon_what PREVIOUS WORD: prints the kind of WORD; nothing for a file.
_palmon_what() {
	case $1 in
	palmon | help) echo commands ;;
	-t | --target) echo targets ;;
	-e | --event) echo list ;;
	-M | --metrics) echo metrics ;;
	-P | --profiles) echo profiles ;;
	*) case $2 in -*) echo options ;; esac ;;
	esac
}

_palmon() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} target= what i

	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-t | --target) target=${COMP_WORDS[i + 1]} ;;
		esac
	done
	[ "$COMP_CWORD" -ne 1 ] || before=palmon
	what=$(_palmon_what "$before" "$word")
	if [ -n "$what" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_palmon_words "$what" "${COMP_WORDS[1]}" "$target")" -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}
complete -o filenames -F _palmon palmon
