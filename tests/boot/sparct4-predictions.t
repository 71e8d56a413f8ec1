#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The SPARC T4's events of branch prediction, by real code: with twice as many turns of a loop counts grow, counted by
# hand. Sources: Table 10-2 of the SPARC T4 Supplement, sl 5, 8 and 25; hal/emu/model/sparct4.machine, which has 8
# return addresses, and a table of 1,024 targets, 4 in a set. All targets are learned in the turns of both runs.
. tests/tap.sh
use_target sparct4 prom
. tests/boot/sparct4-grows.sh

# turns CASE NAME=N...: 100 more
turns() {
	words="$(defines CASE "$1");$(defines JUMPS "${jumps:-256}")"
	shift
	grows predictions 100 "$@"
}
check "a loop ends once a turn, unexpectedly" turns loop Br_dir_mispred=100 Br_mispred=100 Br_trg_mispred=0 BTC_miss=0
check "a branch that is taken every second time is learned" turns alternate Br_dir_mispred=0 Br_mispred=0
check "a jump to two places by turns is always wrong" turns jump Br_trg_mispred_indir_tbl=100 Br_trg_mispred=100 \
	BTC_targ_incorrect=100 Br_mispred=100
check "nor is it a matter of directions or returns" turns jump Br_dir_mispred=0 Br_trg_mispred_ret_stk=0 BTC_miss=0
check "a jump to one place is learned" turns straight Br_mispred=0 BTC_targ_incorrect=0
check "8 calls in each other: all returns are right" turns eight Br_mispred=0 Br_trg_mispred_ret_stk=0 BTC_miss=0
check "12 calls: the 4 outermost return elsewhere" turns twelve Br_trg_mispred_ret_stk=400 Br_trg_mispred_far_tbl=400 \
	Br_trg_mispred=400 Br_mispred=400
check "256 jumps have their targets" turns jumps BTC_miss=0 BTC_targ_incorrect=0 Br_mispred=0
# 8 of them in each set; and the loop's own branch.
jumps=2048
check "2,048 jumps miss the branch target cache, and are found when they are decoded" turns jumps \
	BTC_miss=$((2049 * 100)) Br_mispred=0

# The trap's handler has branches, too, by which the predictor learns: how many are wrong depends on its code. If fewer
# are left to the next sample at the end than a counter is armed for, that one is put off. All there are come at their
# count: each thirteenth.
sampled() {
	words=$(defines CASE jump)
	counts predictions 100 Br_trg_mispred_indir_tbl:u:period=13 >/dev/null || return
	says '^Br_trg_mispred_indir_tbl:u: [5-9] samples .*: (exactly )?its count' && says '^ +100\.0% +[5-9]  jump ' &&
		sed -n 's/.*"ip".*"count":\([0-9]*\),.*/\1/p' "$work/run/samples" >"$work/at" && cat "$work/at" &&
		awk '$1 != 13 * NR { exit 1 } END { exit NR < 5 }' "$work/at"
}
check "mispredictions are sampled at their branch" sampled
list_predictions() {
	list sparct4 | grep 'BTC\|mispred'
}
check "no event of theirs is called modelled of which no count was expected" all_have_grown 7 list_predictions
done_checking
