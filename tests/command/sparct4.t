#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon with the SPARC T4: expected values come from the tables of the SPARC T4 Supplement to
# Oracle SPARC Architecture 2011, draft D0.4, chapter 10, and from counting
# tests/command/traces/strand.trace by hand.
. tests/tap.sh
. tests/command/command.sh

trace=tests/command/traces/strand.trace
samples=$work/samples

#
# encode: Table 10-1. ov 0, toe 1, ut 2, st 3, ht 4, mask 10:5, sl 15:11, picnpt 16, picnht 17, ntc
# 18. encode denies the counters to lower levels (picnht and picnpt 1). Programming order (10.2):
# the PIC, then the PCR.
#

# pcr SL MASK HT ST UT TOE
pcr() {
	printf '0x%016x' $((1 << 17 | 1 << 16 | $1 << 11 | $2 << 5 | $3 << 4 | $4 << 3 | $5 << 2 | $6 << 1))
}

# programs EVENT COUNTER PIC PCR: encode of this event writes counter n's registers: ASI B0 and 64,
# virtual address 8 n.
programs() {
	palmon encode -t sparct4 "$1"
	printf '%s\n' "PIC$2 0xb00$2 $3" "PCR$2 0x640$2 $4" >"$work/expected"
	done_quietly && sed '1,/^register/d; / is polled: /d; s/  */ /g' "$work/out" |
		diff "$work/expected" -
}

zero=0x0000000000000000
check "all instructions, in privileged and user mode" programs Instr_all 0 $zero \
	"$(pcr 3 0x3F 0 1 1 1)"
check "user mode" programs Instr_all:u 0 $zero "$(pcr 3 0x3F 0 0 1 1)"
check "privileged mode" programs Branches:plm=2 0 $zero "$(pcr 3 0x01 0 1 0 1)"
# Section 10.3: with ht 1 there is no precise trap.
check "hyperprivileged mode: a precise event without a trap" programs Instr_all:k 0 $zero \
	"$(pcr 3 0x3F 1 0 0 0)"
check "encode mentions it" says '^Instr_all is polled: its overflows raise no interrupt$'
check "and with a period" programs Instr_all:k:period=1000 0 0x00000000fffffc18 \
	"$(pcr 3 0x3F 1 0 0 0)"
check "and that samples come late" says '^Instr_all is polled: .*, and its samples come late$'
check "hyperprivileged mode: a disrupting event has a trap" programs Cycles:k 0 $zero \
	"$(pcr 26 0 1 0 0 1)"
# 2^32 - 1000
check "counter and period" programs cycles:u:ctr=2:period=1000 2 0x00000000fffffc18 \
	"$(pcr 26 0 0 0 1 1)"
# Footnote 13: events across strands count in all modes.
check "events of all strands, joined" programs L2_clean_evict+L2_dirty_evict 0 $zero \
	"$(pcr 24 0x03 1 1 1 1)"
check "a strand's event joined with one of all strands" programs \
	SW_pref_drop_DC_hit+DC_pref_drop_DC_hit 0 $zero \
	"$(pcr 18 0x03 1 1 1 1)"
check "two useful masks of Select" programs Sel_1+Sel_2 0 $zero "$(pcr 1 0x18 0 1 1 1)"
# The programming note on sl 28 names mask 03.
check "cycles without a commit, of the strand and of all, joined" programs Commit_0+Commit_0_all 0 \
	$zero \
	"$(pcr 28 0x03 1 1 1 1)"
check "micro-ops that commit" programs Commit_1_or_2 0 $zero "$(pcr 28 0x0C 0 1 1 1)"

four() {
	palmon encode -t sparct4 Instr_all,Cycles,DC_miss_nospec,Br_mispred
	done_quietly && [ "$(grep -c '^PCR[0-3] ' "$work/out")" -eq 4 ] || show
}
check "four events have a counter each" four

# can_be_read_back EVENT: encode accepts its own spelling of the event.
can_be_read_back() {
	palmon encode -t sparct4 "$1"
	cp "$work/out" "$work/first"
	palmon encode -t sparct4 "$(head -n 1 "$work/first")"
	done_quietly && diff "$work/first" "$work/out"
}
check "joined events are printed as they are read" can_be_read_back \
	St_hit_L2+St_hit_L3+St_local+St_remote:u:period=5000

# Table 10-1: open to privileged and user mode is picnht 0, picnpt 0. A program that can write it
# must not cause traps: toe 0.
opens() {
	palmon encode -t sparct4 Cycles:u:open
	has_line "PCR0 0x6400 $(printf '0x%016x' $((26 << 11 | 1 << 2)))" && has_line 'PIC0 0xb000 0x0000000000000000'
}
check "a counter that programs may read" opens
check "encode mentions that it raises no interrupt" says \
	'^Cycles is polled: its overflows raise no interrupt$'
check "'open' can be read back" can_be_read_back Instr_all:u:open

# refused EVENT PATTERN
refused() {
	palmon encode -t sparct4 "$1"
	refuses "$2" "$3"
}
check "masks that the manual does not call useful" refused Sel_0_wait+Sel_1 1 'sl 1 only 06 and 18'
check "masks that give meaningless data" refused Pick_1+Pick_2 1 'sl 2'
check "invalidations that cannot be joined" refused IC_snoop_invalid+DC_evict_invalid 1 'sl 20'
check "overlapping microtag misses" refused IC_mtag_miss+IC_mtag_miss_ptag_hit 1 'sl 7'
check "unrelated events" refused Fetch_0+Fetch_0_all 2 "cannot be joined.*'Fetch_0_all'"
check "events of two groups" refused Branches+Br_taken 2 "cannot be joined.*'Br_taken'"
check "a level that does not exist" refused Cycles:plm=4 1 'no level 2'
check "samples of a counter that programs can write" refused Cycles:u:open:period=1000 1 \
	'programs .* write'
check "a threshold" refused Cycles:c=2 1 'no threshold'
check "any thread" refused Cycles:t 1 "strand"
check "records" refused Instr_all:p 1 'no records'
check "branch records" refused Branches:lbr 1 'records no branches'
check "a counter that does not exist" refused Cycles:ctr=4 1 'counts on 0, 1, 2 and 3$'
check "five events" refused Cycles,Cycles,Cycles,Cycles,Cycles 1 \
	'compete for counters 0, 1, 2 and 3$'
check "a misspelt event" refused Intsr_all 2 'nearest name is Instr_all$'
check "an event of another target" refused IA64_INST_RETIRED 2 'target itanium has it$'
check "a misspelt modifier" refused Cycles:user 2 "no modifier 'user'"

#
# decode
#

# selects VALUE EVENT: decode of this PCR1.
selects() {
	palmon decode -t sparct4 "PCR1=$1"
	done_quietly && has_line "event: $2"
}
check "decode: an event" selects "$(pcr 16 0x07 0 1 1 1)" DC_miss_nospec
check "decode: with a mask bit that its group ignores" selects "$(pcr 8 0x21 0 1 1 1)" Fetch_0
check "decode: cycles, whatever the mask" selects "$(pcr 26 0x3F 0 1 1 1)" Cycles
check "decode: joined events" selects "$(pcr 3 0x0C 0 1 1 1)" Instr_ld+Instr_st
check "decode: joined events of which few combinations are useful" selects "$(pcr 7 0x05 0 1 1 1)" \
	IC_mtag_hit_ptag_miss+IC_mtag_miss
# nothing SL MASK
nothing() {
	palmon decode -t sparct4 "PCR1=$(pcr "$1" "$2" 0 1 1 1)"
	done_quietly && ! grep event: "$work/out"
}
check "decode: a reserved group selects no event" nothing 12 0x01
# Sel-0-wait and Sel-0-ready are 06; direction mispredicts 01, of the far table 02; microtag misses 01 and 02 overlap.
check "decode: nor do events that cannot be joined" nothing 1 0x07
check "decode: nor some of them with another one" nothing 25 0x03
check "decode: nor combinations that encode refuses" nothing 7 0x03

#
# list, info, metrics, profiles
#

listed() {
	palmon list -t sparct4 Fetch_0_all
	done_quietly && has_line '0x08/02 0-3 1 Fetch_0_all' && grep -qE 'of all strands( \[|$)' \
		"$work/out"
}
check "list marks events of all strands" listed
palmon list -t sparct4 -j
check "list -j: no keys of missing features" has_keys target unit name code umask umask_care \
	counters max \
	precise desc emulation
check "list -j: the groups that Table 10-2 marks as precise" each_object \
	'!!$o->{precise} == !!grep { $_ == $o->{code} } 3, 4, 5, 16, 25'

# Four pairs of 32 bits; cycles are sl 26, retired instructions sl 3.
palmon info -t sparct4 -j
check "info" prints "$(printf %s \
	'{"generic":4,"width":32,"cycles_event":26,"retired_event":3,"pmc_mask":"0xf","pmd_mask":"0xf",' \
	'"cycles_mask":"0xf","retired_mask":"0xf","pm_info":"0x031a2004"}')"

palmon metrics -t sparct4 -j Br_trg_mispred_far_tbl_only
check "metrics: the manual's formula" prints "$(printf %s \
	'{"target":"sparct4","name":"Br_trg_mispred_far_tbl_only",' \
	'"formula":"Br_trg_mispred_far_tbl - Br_trg_mispred_ret_stk","unit":"branches","table":"Table 10-2, sl 25"}')"

palmon profiles -t sparct4 -j
check "profiles: a run per four events" each_object '$o->{runs} == int((@{$o->{events}} + 3) / 4) &&
	$o->{runs} == $o->{"runs-least"}'

#
# stat: compared with hand counts of the trace
#

# counts "EVENTS" COUNT...
counts() {
	palmon stat -t sparct4 -e "$1" --trace="$trace" -x,
	shift
	printf '%s\n' "$@" >"$work/expected"
	done_quietly && cut -d, -f1 "$work/out" | diff "$work/expected" -
}
check "stat: instructions of each level" counts Instr_all,Instr_all:u,Instr_all:plm=2,Instr_all:k \
	19 16 3 5
check "stat: cycles of each level" counts Cycles,Cycles:u,Cycles:plm=2,Cycles:k 23 20 3 5
check "stat: kinds of instructions" counts Instr_ld,Instr_st,Instr_other,Branches 7 4 4 4
check "stat: joined kinds: an instruction of both counts once" counts \
	Instr_ld+Instr_st,Branches_sl4+Br_taken,Br_taken,Atomics 11 4 4 0
check "stat: events of all strands in all modes, and in user mode" counts \
	L2_dirty_evict,L2_dirty_evict:u,L2_clean_evict+L2_dirty_evict,SPR_ring_ops:k 3 1 3 5
check "stat: mispredicted branches" counts \
	Br_mispred,Br_dir_mispred,Br_trg_mispred_far_tbl,Br_trg_mispred_ret_stk 4 2 2 1

# Footnote 13: events across strands count in the mode of the strand that owns the counter.
trace=tests/command/traces/strands.trace
check "stat: events of no strand count in the own strand's mode" counts \
	Fetch_0_all,Fetch_0_all:u,Fetch_0_all:plm=3,Fetch_0 3 3 0 3
check "stat: other strands' events count in events of all strands" counts \
	L2_clean_evict,L2_clean_evict:u,Cycles:plm=11,Cycles:k 4 4 15 2
check "stat: an instruction that changes the mode counts in the old one" counts \
	Instr_all:k,Instr_all:plm=2,Instr_all:u,SPR_ring_ops:k 3 1 1 1
check "stat: and its cycle in the new one" counts \
	Cycles:k,Cycles:plm=2,Cycles:u,PQ_tag_wait:u 2 1 12 1
ninth_strand() {
	echo 'code=26 thread=8' >"$work/nine.trace"
	palmon stat -t sparct4 -e Cycles --trace="$work/nine.trace"
	[ "$status" -eq 1 ] && grep -q ':1:16: expected thread= a number from 0 to 7$' \
		"$work/messages" || show
}
check "stat: a core has eight strands" ninth_strand
trace=tests/command/traces/strand.trace

# 19 / 23, 20 / 28, 2 - 1
metrics() {
	palmon stat -t sparct4 -M IPC,User_cycles,Br_trg_mispred_far_tbl_only --trace="$trace"
	done_quietly && has_line '0.826087 IPC # instructions/cycle' &&
		has_line '0.714286 User_cycles # ratio' &&
		has_line '1 Br_trg_mispred_far_tbl_only # branches'
}
check "stat: metrics" metrics

#
# record: a precise sample is the instruction at which its counter wraps (10.3)
#

# record EVENT SUM ADDRESS...
record() {
	palmon record -t sparct4 -e "$1" --trace="$trace" -o "$samples"
	[ "$status" -eq 0 ] && grep -qxF -- "$1: $2" "$work/messages" || { show; return; }
	shift 2
	printf '%s\n' "$@" >"$work/expected"
	sed -n 's/.*"ip":"\([^"]*\)".*"level":3}/\1/p' "$samples" | diff "$work/expected" -
}
# Load, add, store, branch: the 5th, 10th and 15th instructions.
check "record: every fifth instruction" record Instr_all:period=5 '3 samples x 5 + 4 = 19' 0x10000 \
	0x10004 0x10008
check "record: the fourth branch" record Branches:period=4 '1 samples x 4 + 0 = 4' 0x1000c
check "record: the fourth cache miss" record DC_miss_nospec:period=4 '1 samples x 4 + 0 = 4' 0x10000
report() {
	palmon report -i "$samples"
	done_quietly && has_line '1 100.0% 0x0000000000010000 ####################'
}
check "report: addresses" report

# 5,010 atomics, one every 200 cycles. The tenth enters hyperprivileged mode, and its trap is lost
# (10.3). Polling, every 262,144 clocks, finds the overflow when 1,311 have been counted: 1,301 too
# late. From then on every tenth is a sample. With another counter that traps, the next trap finds
# it before another atomic.
awk 'BEGIN {
	t = 0
	for (i = 1; i <= 5010; i++) {
		print "t=" t " code=3 sub=0x20 cpl=3 ip=0x2000 itype=c"
		print "t=" t " code=4 sub=0x08 cpl=3 ip=0x2000 itype=c"
		print "t=" t++ " code=26 cpl=" (i == 10 ? 0 : 3)
		print "t=" t " cycles=199 code=3 sub=0x20 cpl=3 ip=0x3000"
		print "t=" t " cycles=199 code=26 cpl=3"
		t += 199
	}
}' >"$work/lost.trace"
# lost EVENTS LINE...
lost() {
	palmon record -t sparct4 -e "$1" --trace="$work/lost.trace" -o "$samples"
	shift
	printf '%s\n' "$@" >"$work/expected"
	[ "$status" -eq 0 ] && diff "$work/expected" "$work/messages"
}
check "record: samples continue after a lost trap" lost Atomics:u:period=10 \
	"Atomics:u:period=10: $((1 + (5010 - 1311) / 10)) samples x 10 + $((9 + 1301)) = 5010"
check "record: and at once next to a counter that traps" lost \
	Instr_other:u:period=100,Atomics:u:period=10 \
	'Instr_other:u:period=100: 10020 samples x 100 + 0 = 1002000' \
	'Atomics:u:period=10: 501 samples x 10 + 0 = 5010'
palmon record -t sparct4 -e Instr_all:k:period=5 --trace="$trace" -o "$samples"
check "record: hyperprivileged precise events have no samples" refuses 1 \
	'Instr_all:k:period=5: it raises no trap'
done_checking
