# SPDX-License-Identifier: BSD-2-Clause
# Identities of counts. Source it after tap.sh.

# holds 'EXPRESSION': of $1, $2, ...: the counts of $work/counts, which has a line "EVENT COUNT" for each. In a
# subshell, because the expression is a syntax error if a count is missing, and ends the shell.
holds() {
	expression=$1
	set -- $(cut -d' ' -f2 "$work/counts")
	(eval "[ \$(($expression)) = 1 ]") || {
		echo "does not hold: $expression"
		cat "$work/counts"
		return 1
	}
}
