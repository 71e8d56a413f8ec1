#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Subjects of commits: at most 72 characters, so that `git log --oneline` shows them whole. Older
# commits than FIRST and merges are exempt.
. tests/tap.sh

FIRST=3f3dc67ad86a

# long_subjects: prints each subject of its input that is too long.
long_subjects() {
	perl -CS -lne 'print length, ": $_" if length > 72'
}
subjects_fit() {
	! git log --no-merges --format=%s "$FIRST..HEAD" | long_subjects | grep .
}
name="no commit's subject is longer than 72 characters"
if [ "$(git rev-parse --is-shallow-repository 2>/dev/null)" = true ]; then
	skip "$name" "a shallow clone lacks commits"
elif ! git merge-base --is-ancestor "$FIRST" HEAD 2>/dev/null; then
	skip "$name" "the commit $FIRST is not in this history"
else
	check "$name" subjects_fit
fi
longer_is_found() {
	of_72=$(printf '%072d' 0)
	[ "$(printf '%s\n' "$of_72" "1$of_72" | long_subjects)" = "73: 1$of_72" ]
}
check "a subject of 73 characters is found" longer_is_found
done_checking
