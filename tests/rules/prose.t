#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# READMEs, manual pages and comments: their length, and the rates of words that hide a sentence's subject (rules/words).
. tests/tap.sh

DOCUMENTS=$(git ls-files '*.md')
READMES=$(git ls-files '*README.md')
RECIPES=$(git ls-files '*RECIPES.md')
PROSE=$(git ls-files '*.md' '*.[1357]' '*.[chSs]' '*.inc' '*.ld' '*.t' '*.sh' '*.mk' '*.tab' \
	Makefile .ci tools tests |
	grep -v -e '^tests/vectors/' -e '^tests/rules/words$' | sort -u)

# narrow FILE...: no line is longer than 100 columns, tables aside.
narrow() {
	awk '!/^ *\|/ && length > 100 { print FILENAME ":" FNR ": " length; bad = 1 } END { exit bad }' "$@"
}
# shellcheck disable=SC2086
check "no line of a document is longer than 100 columns, tables aside" narrow $DOCUMENTS

# short FILE...: a README is read from top to bottom; of recipes, one at a time.
short() {
	awk 'FNR == 1 { most = FILENAME == "README.md" ? 200 : FILENAME ~ /RECIPES.md$/ ? 240 : 120 }
		FNR == most + 1 { print FILENAME ": more than " most " lines"; bad = 1 }
		END { exit bad }' "$@"
}
# shellcheck disable=SC2086
check "the top README has 200 lines at most, each other one 120, recipes of a target 240" short $READMES $RECIPES

few_words() {
	count=$(cat "$@" | wc -w)
	echo "$count words"
	[ "$count" -le 30000 ]
}
# shellcheck disable=SC2086
check "the READMEs have 30,000 words at most" few_words $READMES

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
check "each document begins with its title and a sentence" begins $DOCUMENTS

# decided FILE...: each test that a table of decisions names is a file, or a function of a test.
decided() {
	grep -h '^|' "$@" | awk -F'|' '{ print $(NF - 1) }' | grep -oE '`[^`]+`' | tr -d '`' |
		sed 's/.*[:/]//' |
		grep -E '\.(t|c|s|pml)$|^[a-z0-9]+_[a-z0-9_]+$' | sort -u >"$work/tests"
	git ls-files | sed 's/.*[/]//; p; s/\.[a-z]*$//' >"$work/known"
	git grep -hoE '^static void [a-z0-9_]+\(void' -- tests | sed 's/^static void //; s/(.*//' \
		>>"$work/known"
	sort -u "$work/known" | comm -23 "$work/tests" - >"$work/unknown"
	cat "$work/unknown"
	[ -s "$work/tests" ] && [ ! -s "$work/unknown" ]
}
# shellcheck disable=SC2046
check "each test that a DECISIONS.md names exists" decided $(git ls-files '*DECISIONS.md')

picture() {
	tools/picture 'make run' <README.md | cmp - boot/run.svg
}
check "README.md's picture shows its example, whose lines documents.t compares with a run" picture

# rare FILE...: per 1,000 words, "what" occurs 3 times at most, "behind" and "beside" 0.7 times.
rare() {
	tests/rules/words "$@" >"$work/rates" || return
	cat "$work/rates"
	awk '{
		for (i = 2; i < NF; i++)
			if (($i == "what" && $(i + 1) + 0 > 3) || ($i ~ /^be(hind|side)$/ && $(i + 1) + 0 > 0.7))
				bad = 1
	} END { exit bad || !NR }' "$work/rates"
}
# shellcheck disable=SC2086
check "words that stand for a subject are rare" rare $PROSE
sed 's/^/# /' "$work/rates"
# shellcheck disable=SC2086
check "nothing \"has\" or \"lets\" something do its work" tests/rules/words -c $PROSE

# The checks find these.
finds() {
	printf '# title\n\nA line %0100d.\n' 0 >"$work/wide.md"
	narrow "$work/wide.md" && return 1
	printf '# title\n\n| a table %0100d |\n' 0 >"$work/table.md"
	narrow "$work/table.md" && ! begins "$work/table.md" || return 1
	yes '' | head -n 121 >"$work/long.md"
	short "$work/long.md" && return 1
	yes 'ten words of text in a line of a file' | head -n 4000 >"$work/many.md"
	few_words "$work/many.md" && return 1
	printf '// %s\n' 'Reads what is behind it.' >"$work/hidden.c"
	rare "$work/hidden.c" && return 1
	for sentence in 'It has QEMU call it.' 'This lets a counter overflow.' \
		'The core has the monitor execute.'; do
		printf '// %s\n' "$sentence" >"$work/causes.c"
		tests/rules/words -c "$work/causes.c" && { echo "$sentence"; return 1; }
	done
	printf '| a decision | reason | manual | `test_%s.c` |\n' nothing >"$work/decisions.md"
	decided "$work/decisions.md" && return 1
	printf 'char *text = "what has QEMU call it"; // The counter has a width. It has to be read.\n' >"$work/good.c"
	rare "$work/good.c" && tests/rules/words -c "$work/good.c"
}
check "each of these rules finds a violation" finds
done_checking
