#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Callers of samples: from an image's lines to each format; callers from branch records, derived by
# hand; wrong ones.
. tests/tap.sh
. tests/command/command.sh

# samples LINE...: a nehalem file with functions at 0x4000, 0x4100 and 0x4200, and these samples.
samples() {
	{
		echo '{"palmon_samples":1,"target":"nehalem","trace":"image.elf","events":[' \
			'{"event":"INST_RETIRED.ANY_P:lbr:period=10","period":10}]}'
		echo '{"symbol":"leaf","address":"0x4000","end":"0x4100"}'
		echo '{"symbol":"middle","address":"0x4100","end":"0x4200"}'
		echo '{"symbol":"top","address":"0x4200","end":"0x4300"}'
		printf '{"event":0,%s}\n' "$@"
		echo '{"end":true,"cycles":100,"dropped":0,"events":[' \
			'{"count":100,"samples":'$#',"rest":0,"throttled":false}]}'
	} >"$work/samples"
}

# Three of four samples are in leaf, which middle called twice, from two places, and top once.
samples '"ip":"0x4010","callers":["0x4110","0x4210"]' \
	'"ip":"0x4020","callers":["0x4150","0x4210"]' \
	'"ip":"0x4010","callers":["0x4220"]' '"ip":"0x4110","callers":["0x4210","0x9000"]'
palmon report -i "$work/samples" --callers
rows() {
	done_quietly && has_line '2 50.0% leaf < middle < top' && has_line '1 25.0% leaf < top' &&
		has_line '1 25.0% middle < top < 0x9000' && [ "$(grep -c '%' "$work/out")" -eq 3 ]
}
check "report --callers: a row per function and its callers" rows
palmon report -i "$work/samples" --callers -j -n 1
check "report --callers as JSON" has_line \
	'{"event":"INST_RETIRED.ANY_P:lbr:period=10","samples":2,"share":0.5,"callers":"leaf < middle < top"}'
palmon report -i "$work/samples" --functions -x ,
check "other views do not list callers" prints \
	'INST_RETIRED.ANY_P:lbr:period=10,3,75.0,leaf' \
	'INST_RETIRED.ANY_P:lbr:period=10,1,25.0,middle'
palmon convert -i "$work/samples" --folded
check "folded: the outermost caller first" prints 'nehalem;0x9000;top;middle 1' \
	'nehalem;top;leaf 1' \
	'nehalem;top;middle;leaf 2'
palmon convert -i "$work/samples" --perf "$work/perf.data"
perf_script() {
	[ "$status" -eq 0 ] && perf script -i "$work/perf.data" -F ip 2>/dev/null |
		awk 'NF { print $1 }' >"$work/out"
	printf '%s\n' 4010 4110 4210 4020 4150 4210 4010 4220 4110 4210 9000 | diff - "$work/out"
}
check "perf script shows each sample's chain" perf_script

samples '"ip":"0x4110","callers":["0x4210"],"payload":["0x102","0x4010","0x4110"]'
palmon convert -i "$work/samples" --folded --branch-callers
check "a sample with callers keeps them" prints 'nehalem;top;middle 1'
# Itanium's load is in leaf, which has returned to middle when the interrupt comes.
sed -e 's/nehalem/itanium/; s/INST_RETIRED.ANY_P:lbr/DATA_EAR_EVENTS/' \
	-e 's/"payload".*/"payload":["0x9000","0xc","0x4011"]}/' \
	"$work/samples" >"$work/late"
palmon convert -i "$work/late" --folded
check "a sample from a function other than the interrupted one has no callers" prints \
	'itanium;leaf 1'

# Branch records (pmu/nehalem/README.md): their number, then pairs of source and target, oldest
# first: top calls middle, which calls leaf, which returns; then middle calls leaf again.
branches='"0x402","0x4208","0x4100","0x4108","0x4000","0x4018","0x410d","0x4118","0x4000"'
samples "\"ip\":\"0x4004\",\"payload\":[$branches]"
palmon report -i "$work/samples" --callers
check "by default, branch records are not used as callers" refuses 1 'no callers'
palmon convert -i "$work/samples" --folded --branch-callers
check "branch records: a function that has returned is not a caller" prints \
	'nehalem;top;middle;leaf 1'
# As before, but the last branch is the return to middle.
samples '"ip":"0x410e","payload":["0x302","0x4208","0x4100","0x4108","0x4000","0x4018","0x410d"]'
palmon convert -i "$work/samples" --folded --branch-callers
check "after a return: the callers of the function returned to" prints 'nehalem;top;middle 1'
# top calls middle, whose tail jump goes to leaf, which returns to top; then top calls leaf.
samples '"ip":"0x4004","payload":["0x402","0x4208","0x4100","0x4108","0x4000","0x4018","0x420d","0x4210","0x4000"]'
palmon convert -i "$work/samples" --folded --branch-callers
check "a return from its target ends a tail jump" prints 'nehalem;top;leaf 1'
# A loop in leaf, preceded by a branch from outside any function.
samples '"ip":"0x4004","payload":["0x302","0x9000","0x4000","0x4018","0x4000","0x4018","0x4004"]'
palmon convert -i "$work/samples" --folded --branch-callers
check "loops are not calls, and code outside functions ends the chain" prints 'nehalem;leaf 1'
# The youngest branch does not lead to the sample.
samples "\"ip\":\"0x4204\",\"payload\":[$branches]"
palmon convert -i "$work/samples" --folded --branch-callers
check "records that do not lead to the sample are ignored" prints 'nehalem;top 1'

for bad in '"callers":["4110"]' '"callers":[1]' "\"callers\":[$(seq -s, -f '"0x%.0f"' 65)]"; do
	samples "\"ip\":\"0x4010\",$bad"
	palmon report -i "$work/samples"
	check "report: malformed callers: $(echo "$bad" | cut -c1-24)" refuses 1 \
		':5: expected callers as "0x...", and not too many'
done
palmon report -i "$work/samples" --functions --branch-callers
check "--branch-callers is for --callers" refuses 2 'branch-callers is for --callers'
done_checking
