#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The benchmark: instructions are counted, not timed, so that it repeats, and its limits can be tested.
. tests/tap.sh

bench() {
	capture tools/bench svm "$TARGET" "$BUILD/$TARGET" "$IMAGE.multiboot" "$work/$1.json"
}

reaches() {
	bench first
	ended 0
}
check "everything measured is within its limit" reaches

repeats() {
	bench second
	diff "$work/first.json" "$work/second.json"
}
check "a second run measures the same" repeats

is_json() {
	perl -MJSON::PP -0777 -e 'my $list = decode_json(<>); @$list > 5 or die;
		$_->{name} && $_->{value} > 0 && $_->{unit} or die for @$list' "$work/first.json"
}
check "the JSON can be read" is_json
done_checking
