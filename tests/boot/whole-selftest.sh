# SPDX-License-Identifier: BSD-2-Clause
# The self test of an image: each of its checks becomes a check of the script; all of them ran, and
# a second run prints the same. Source after use_target.
boot run=selftest
cp "$work/out" "$work/first"
was_ok() {
	[ "$1" = ok ] || { grep -A3 "^not ok.* - $2" "$work/first"; false; }
}
sed -n 's/ (expected .*//; s/^not ok [0-9]* - /wrong /p; s/^ok [0-9]* - /ok /p' "$work/first" \
	>"$work/results"
while read -r result name; do
	check "$name" was_ok "$result" "$name"
done <"$work/results"

all_of_them() {
	grep -q "^1\.\.$(wc -l <"$work/results")\$" "$work/first" && [ -s "$work/results" ] &&
		ended 0 && says '^# all checks passed' && says '^palmon: status 0'
}
check "the image did all its checks" all_of_them

repeats() {
	boot run=selftest
	diff "$work/first" "$work/out"
}
check "a second run prints the same, to the character" repeats
