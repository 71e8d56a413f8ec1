#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# READMEs and manual pages: lines that fit, standard words, what a newcomer needs first.
. tests/tap.sh

DOCUMENTS=$(git ls-files '*.md')
PAGES=$(git ls-files '*.[1357]')

# narrow FILE...: no line is longer than 100 columns, tables aside.
narrow() {
	awk '!/^ *\|/ && length > 100 { print FILENAME ":" FNR ": " length; bad = 1 } END { exit bad }' "$@"
}
# shellcheck disable=SC2086
check "no line of a README is longer than 100 columns, tables aside" narrow $DOCUMENTS

# Words that only this project used, and the standard ones. Code, in backticks or indented, may have them as names.
WORDS='baton|run token; vCPU scheduler
carriers?|backend
told|reported; notified
tells?|reports; notifies
settles?|synchronizes; advances
settled|synchronized
catch(es)? up|synchronizes; advances
what is over|remainder
offer(s|ed)?|exposes; exposed features
mend(s|ed)?|sanitizes
wires?|event signals
quiet|headroom
prefer(s|red|ences?)?|SPFLT user filter
steady|headroom
(a|the|its|their|each|every|one|next|coming) turn|quantum; time slice
turn of|quantum of; time slice of'

# standard FILE...: none of them is there. One that is comes with the words to use.
standard() {
	bad=
	for file; do
		case $file in
		*.md) sed -e 's/`[^`]*`//g' -e 's/^    .*//' "$file" ;;
		*) grep -v '^\.\\"' "$file" ;;
		esac >"$work/prose"
		echo "$WORDS" | sed 's/|\([^|]*\)$/\t\1/' | while IFS="$(printf '\t')" read -r word better; do
			grep -nwiE -- "$word" "$work/prose" |
				awk -v f="$file" -v b="$better" '{ print f ":" $0 "  [" b "]" }'
		done >"$work/found"
		[ ! -s "$work/found" ] || { cat "$work/found"; bad=1; }
	done
	[ -z "$bad" ]
}
# shellcheck disable=SC2086
check "READMEs and manual pages use the standard words" standard $DOCUMENTS $PAGES

# begins FILE...: with a heading, and then a sentence, neither a table nor a list.
begins() {
	bad=
	for file; do
		awk 'NR == 1 && !/^# / { exit 1 } NR > 1 && NF { exit !/^[A-Z`*"0-9]/ }' "$file" ||
			{ echo "$file"; bad=1; }
	done
	[ -z "$bad" ]
}
# shellcheck disable=SC2086
check "each README begins with its title and a sentence" begins $DOCUMENTS

# Each of these is found.
finds() {
	printf '# title\n\nA line %0100d.\n' 0 >"$work/wide.md"
	narrow "$work/wide.md" && return 1
	printf '# title\n\n| a table %0100d |\n' 0 >"$work/table.md"
	narrow "$work/table.md" && ! begins "$work/table.md" || return 1
	for sentence in 'It has the baton.' 'The PMU is told.' 'A quiet counter.' 'In the next turn it counts.' \
		'What is over is kept.' 'The carrier tells it.'; do
		printf '# title\n\n%s\n' "$sentence" >"$work/words.md"
		standard "$work/words.md" && { echo "$sentence"; return 1; }
	done
	printf '# title\n\nThe code `told` turns on.\n\n    baton\n' >"$work/words.md"
	standard "$work/words.md" && begins "$work/words.md"
}
check "what is otherwise is found" finds
done_checking
