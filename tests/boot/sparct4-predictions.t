#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The SPARC T4's events of branch prediction, raised by real code: doubling a loop's turns raises
# counts by numbers counted by hand. Sources: Table 10-2 of the SPARC T4 Supplement, sl 5, 8 and 25;
# hal/emu/model/sparct4.machine: 8 return addresses, and a table of 1,024 targets, 4 per set. Both
# runs have enough turns for the predictor to learn all targets.
. tests/tap.sh
use_target sparct4 prom
. tests/boot/sparct4-grows.sh
prepare predictions

# turns CASE NAME=N...: growth of counts with 100 more turns of this case
turns() {
	words="CASE $1"
	shift
	grows predictions 100 "$@"
}
check "a loop's end is mispredicted once per turn" \
	turns loop Br_dir_mispred=100 Br_mispred=100 Br_trg_mispred=0 BTC_miss=0
long "a branch that is taken every second time is learned" turns alternate Br_dir_mispred=0 \
	Br_mispred=0
check "a jump that alternates between two targets is always mispredicted" \
	turns jump Br_trg_mispred_indir_tbl=100 Br_trg_mispred=100 \
	BTC_targ_incorrect=100 Br_mispred=100
long "such a jump raises no direction or return mispredictions" \
	turns jump Br_dir_mispred=0 Br_trg_mispred_ret_stk=0 BTC_miss=0
long "a jump to one place is learned" turns straight Br_mispred=0 BTC_targ_incorrect=0
long "8 nested calls: all returns are predicted" turns eight Br_mispred=0 \
	Br_trg_mispred_ret_stk=0 BTC_miss=0
check "12 nested calls: the 4 outermost returns are mispredicted" \
	turns twelve Br_trg_mispred_ret_stk=400 Br_trg_mispred_far_tbl=400 \
	Br_trg_mispred=400 Br_mispred=400
long "256 jumps hit the branch target cache" turns few_jumps BTC_miss=0 BTC_targ_incorrect=0 \
	Br_mispred=0
# 8 of them in each set; and the loop's own branch.
check "2,048 jumps miss the branch target cache, and are predicted at decode" turns many_jumps \
	BTC_miss=$((2049 * 100)) Br_mispred=0

# The trap handler's branches also train the predictor, so the number of mispredictions depends on
# its code. At the end, if fewer events remain to the next sample than the least that a counter can
# be armed with, that sample is omitted. All samples taken must be at their count: every thirteenth.
sampled() {
	words="CASE jump"
	OUT=$work/run counts predictions 100 Br_trg_mispred_indir_tbl:u:period=13 >/dev/null || return
	says '^Br_trg_mispred_indir_tbl:u: [5-9] samples .*: (exactly )?its count' &&
		says '^ +100\.0% +[5-9]  jump ' &&
		sed -n 's/.*"ip".*"count":\([0-9]*\),.*/\1/p' "$work/run/samples" >"$work/at" &&
		cat "$work/at" &&
		awk '$1 != 13 * NR { exit 1 } END { exit NR < 5 }' "$work/at"
}
check "mispredictions are sampled at their branch" sampled
list_predictions() {
	list sparct4 | grep 'BTC\|mispred'
}
long "each modelled event of theirs has an expected count" all_have_grown 7 list_predictions
done_checking
