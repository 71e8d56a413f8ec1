#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon targets, palmon list: events as printed in the manuals.
. tests/tap.sh
. tests/command/command.sh

TARGETS=$(awk '!/^#/ && NF { print $1 }' pmu/targets.tab)

#
# Targets
#

every_target() {
	palmon targets
	done_quietly || return
	for target in $TARGETS; do
		grep -q "^$target " "$work/out" || { echo "$target"; show; return; }
	done
	palmon targets -j
	has_keys target title libpfm counters fixed width events features scope core_registers &&
		[ "$(sed 's/{"target":"\([a-z0-9-]*\)".*/\1/' "$work/out" | sort)" = \
			"$(printf '%s\n' $TARGETS | sort)" ]
}
check "targets lists every target" every_target

# Counters and widths: Itanium manual 6.2.2, and its interval timer; SDM volume 3B for the others.
counters_of_targets() {
	palmon targets -j
	grep -q '^{"target":"itanium",.*"counters":\[4,5,6,7,32\],"fixed":\[32\],"width":32,' \
		"$work/out" &&
		grep -q '^{"target":"nehalem",.*"counters":\[0,1,2,3,32,33,34\],"fixed":\[32,33,34\],"width":48,' \
			"$work/out" || show
}
check "targets lists counters and widths" counters_of_targets

# Scopes of registers: SDM volume 4, MSRs of processors based on Nehalem, and the performance
# analysis guide, "Latency Event" and Table 9; 327357-001, 1.4.3 (the core has one time-stamp
# counter); the registers of the uncore and of T4's memory controllers belong to the package.
scopes() {
	palmon targets
	tr -s ' \n' '  ' <"$work/out" >"$work/words"
	for line in 'nehalem Intel .*: a thread.s; of a core: OFFCORE_RSP_0, LBR_SELECT, PEBS_LD_LAT nehalem-uncore' \
		'nehalem-uncore Core .*registers: the package.s knc ' \
		'knc Intel .*registers: a thread.s; of a core: IA32_TIME_STAMP_COUNTER itanium ' \
		'itanium Intel .*registers: a thread.s sparct4 ' \
		'sparct4-dram .*registers: the package.s intel ' \
		'intel Intel .*registers: a thread.s amd ' \
		'amd AMD .*registers: a thread.s $'; do
		grep -qE "$line" "$work/words" || { echo "no line: $line"; cat "$work/words"; \
			return 1; }
	done
	palmon targets -j
	each_object '$o->{scope} eq ($o->{target} =~ /-/ ? "package" : "thread") and
		"@{$o->{core_registers}}" eq {nehalem => "OFFCORE_RSP_0 LBR_SELECT PEBS_LD_LAT",
			knc => "IA32_TIME_STAMP_COUNTER"}->{$o->{target}} // ""'
}
check "targets lists the scope of registers: thread, core or package" scopes

# libpfm4 supports neither Itanium nor the SPARC T4 (its sparc PMUs end with Niagara 2).
libpfm_names() {
	palmon targets -j
	each_object 'my %names = qw(nehalem nhm nehalem-uncore nhm_unc knc knc
		intel ix86arch);
		($o->{libpfm} // "") eq ($names{$o->{target}} // "")'
}
check "targets lists libpfm4's names" libpfm_names

#
# JSON
#

# These of the core's events need the timed clock: 5 of issued, 16 of executed, 5 of retired and 6 of
# decoded micro-ops, 7 of resources, 5 of renaming, 4 of the loop stream detector, 5 of fetch and
# decode, 4 of dispatched loads, 5 of fill buffers, 1 of machine clears; further names have it, too.
# Checks the key that only these have, and removes it for later checks.
core_events() {
	palmon list -t nehalem -j
	[ "$(grep -c ',"clock":"timed","same":""' "$work/out")" -eq 63 ] && sed -i 's/,"clock":"timed"//' \
		"$work/out"
}
# Of Knights Corner's, only cycles without an issue.
knc_events() {
	palmon list -t knc -j
	[ "$(grep -c '"clock":"timed"' "$work/out")" -eq 1 ] &&
		says '"name":"FE_STALLED".*"emulation":"modelled".*"clock":"timed"'
}
check "an in-order core's stalled cycles need the timed clock" knc_events
keys() {
	palmon list -t itanium -j
	has_keys target unit name code umask umask_care counters max precise desc iar opm dar \
		emulation same || return
	core_events && has_keys target unit name code umask umask_care counters max precise desc \
		cmask inv edge any \
		msr msr_value emulation same
}
check "list -j prints the documented keys" keys

types() {
	number='[0-9]+' string='"[^"]*"' boolean='(true|false)'
	common="\"target\":$string,\"unit\":\"core\",\"name\":$string,\"code\":$number,\"umask\":$number"
	common="$common,\"umask_care\":$number,\"counters\":\\[$number(,$number)*\\],\"max\":$number"
	common="$common,\"precise\":$boolean,\"desc\":$string"
	applies='(true|false|"partial")'
	palmon list -t itanium -j
	applies="\"iar\":$applies,\"opm\":$applies,\"dar\":$applies"
	emulation='"emulation":"(exact|modelled|absent)"'
	! grep -vE "^\\{$common,$applies,$emulation,\"same\":$string\\}$" "$work/out" || return
	core_events || return
	flags="\"inv\":$boolean,\"edge\":$boolean,\"any\":$boolean"
	flags="\"cmask\":$number,$flags,\"msr\":$number,\"msr_value\":$number"
	! grep -vE "^\\{$common,$flags,$emulation,\"same\":$string\\}$" "$work/out"
}
check "list -j prints integers, booleans and strings as documented" types

#
# Itanium: each row of section 7.8, and no other names. Exceptions: unit mask 0 of retired
# instructions counts them whether they are tagged or not (Table 7-30), so no qualification applies.
# For BUS_BRQ_LIVE_REQ_HI, _LO the manual prints "2 (each)", and that each is two bits of a count.
#

rows_of_the_manual() {
	palmon list -t itanium -j
	done_quietly || return
	perl -MJSON::PP -e '
		my ($json, %found) = JSON::PP->new;
		my %untagged = map { $_ => 1 } qw(IA64_INST_RETIRED IA64_TAGGED_INST_RETIRED.ALL);
		open my $list, "<", $ARGV[0] or die;
		while (<$list>) { my $o = $json->decode($_); $found{$o->{name}} = $o unless $o->{same}; }
		open my $vectors, "<", $ARGV[1] or die;
		while (<$vectors>) {
			next if /^#/;
			chomp;
			my ($name, $code, $umask, $counters, $max, @applies) = split /\t/;
			my ($first, $last) = split /-/, $counters;
			$umask = "xxxx" if $umask eq "Ignored";
			(my $bits = $umask) =~ tr/x/0/;
			(my $care = $umask) =~ tr/01x/110/;
			@applies = ("no") x 3 if $untagged{$name};
			$max = 3 if $name =~ /^BUS_BRQ_LIVE_REQ_/;
			my %word = (yes => "1", no => "0", none => "0", partial => "partial");
			my $expected = join " ", oct $code, oct "0b$bits", oct "0b$care", "$first..$last", $max,
				map { $word{$_} } @applies;
			my $o = delete $found{$name} or do { print "no $name\n"; $bad = 1; next };
			my @c = @{$o->{counters}};
			my $is = join " ", $o->{code}, $o->{umask}, $o->{umask_care}, "$c[0]..$c[-1]", $o->{max},
				map { "$o->{$_}" } qw(iar opm dar);
			next if $is eq $expected && @c == $last - $first + 1;
			print "$name: $is, not $expected\n";
			$bad = 1;
		}
		$bad = 1 unless delete $found{ITC};
		print "not in the manual: $_\n" for sort keys %found;
		exit($bad || %found ? 1 : 0)' "$work/out" tests/vectors/itanium-events.tab
}
check "list prints each event as section 7.8 does" rows_of_the_manual

# Tables 7-20 and 7-22: bus transactions of any initiator. Tables 7-26 and 7-32: flushes for any
# reason.
other_names() {
	palmon list -t itanium -j bus_all
	sed -i '/"same":""/d; s/"desc":"[^"]*"/"desc":""/' "$work/out"
	prints "$(printf %s '{"target":"itanium","unit":"core","name":"BUS_ALL","code":71,"umask":1,"umask_care":7,' \
		'"counters":[4,5,6,7],"max":1,"precise":false,"desc":"","iar":false,"opm":false,"dar":false,' \
		'"emulation":"modelled","same":"BUS_ALL.ANY"}')" || return
	palmon list -t itanium pipeline_flush
	grep -qE '^0x33/0f +4-7 +1 +PIPELINE_FLUSH$' "$work/out" &&
		tr -s ' \n' ' ' <"$work/out" |
		grep -q ' the same as PIPELINE_FLUSH.OTHER_FLUSH + ' || show
}
check "list prints further names from the manual's tables, and the events they stand for" \
	other_names

# No I/O agent of the machine's bus invalidates lines by reads, and no way of L1D is predicted.
absent_names() {
	palmon list -t itanium -j
	each_object '$o->{emulation} eq "absent" or $o->{name} !~ /^BUS_RD_INVAL.*\.IO$/' || return
	palmon list -t itanium -j 'pipeline_flush.*'
	each_object '($o->{emulation} eq "absent") == ($o->{name} =~ /[.]L1D_WAY/)' ||
		return
	palmon list -t itanium pipeline_flush.l1d_waymp_flush
	grep -q '\[absent\]$' "$work/out" || show
}
check "list marks unit masks that nothing raises" absent_names

# The three kinds of qualification in one event: section 7.8, ALAT_INST_CHKA_LDC.INTEGER.
one_event() {
	palmon list -t itanium -j alat_inst_chka_ldc.integer
	sed -i 's/"desc":"[^"]*"/"desc":""/' "$work/out"
	prints "$(printf %s '{"target":"itanium","unit":"core","name":"ALAT_INST_CHKA_LDC.INTEGER","code":54,' \
		'"umask":1,"umask_care":3,"counters":[4,5,6,7],"max":2,"precise":false,"desc":"",' \
		'"iar":true,"opm":true,"dar":"partial","emulation":"exact","same":""}')"
}
check "an event that data ranges qualify partly" one_event

# Performance analysis guide, table 1; cmask, inv and edge of ARITH.DIV: its text.
divides() {
	palmon list -t nehalem -j arith.div
	sed -i 's/"desc":"[^"]*"/"desc":""/' "$work/out"
	prints "$(printf %s '{"target":"nehalem","unit":"core","name":"ARITH.DIV","code":20,"umask":1,' \
		'"umask_care":255,"counters":[0,1,2,3],"max":1,"precise":false,"desc":"",' \
		'"cmask":1,"inv":true,"edge":true,"any":false,"msr":0,"msr_value":0,"emulation":"modelled","same":""}')"
}
check "an event with a threshold, inversion and edge detection" divides

# Retirement is exact, because the architecture defines it. Execution and caches are modelled. An
# offcore response counts if the machine has both the request and the answer. An RFO that takes a
# line from another package snoops that package's cores. The L3 cache contains the cores'
# write-backs. Devices answer loads and OTHER requests, i.e. stores. Non-temporal stores seem to hit
# another core (the guide, "Errata").
emulated() {
	palmon list -t nehalem -j
	each_object '$o->{emulation} eq ({"INST_RETIRED.ANY" => "exact", "BR_INST_RETIRED.NEAR_CALL" => "exact",
		"MEM_INST_RETIRED.STORES" => "exact", "INST_RETIRED.X87" => "modelled",
		"BR_INST_EXEC.ANY" => "modelled", "BR_INST_DECODED" => "modelled",
		"MACRO_INSTS.DECODED" => "modelled", "ILD_STALL.LCP" => "modelled",
		"BR_MISP_EXEC.COND" => "modelled", "BR_MISP_EXEC.DIRECT" => "absent",
		"L1D.REPL" => "modelled", "L2_RQSTS.MISS" => "modelled", "DTLB_MISSES.ANY" => "modelled",
		"L2_RQSTS.PREFETCHES" => "modelled", "L1D_PEND_MISS.PENDING" => "modelled",
		"UOPS_EXECUTED.PORT0" => "modelled",
		"ILD_STALL.MRU" => "absent"}->{$o->{name}} // $o->{emulation})' &&
		each_object '$o->{same} or $o->{name} !~ /^OFFCORE_RESPONSE_0\.(\w+)\.(\w+)$/ or
			($o->{emulation} eq "modelled") ==
			(($2 ne "REMOTE_CACHE_HIT" or index($1, "RFO") < 0) and
			 ($1 ne "COREWB" or $2 =~ /^(ANY_CACHE|ANY_LOCATION|LLC_HIT_NO|LOCAL_CACHE)/) and
			 ($1 ne "OTHER" or
			  $2 !~ /^(LOCAL_DRAM|LLC_HIT_NO|LLC_OTHER_CORE_HITM|REMOTE_CACHE(_HITM?)?$)/) and
			 ($2 ne "IO_CSR_MMIO" or $1 =~ /^(DEMAND_DATA|ANY_DATA|ANY_REQUEST|DATA_I|OTHER)/))'
}
check "list marks the Nehalem events that a machine model raises" emulated

#
# Summary: every event of a target is exact, modelled or absent, with the same numbers as in the
# full list. Further names of events do not count. Names that differ in the contents of the event's
# additional register are one event: OFFCORE_RESPONSE_0, loads by latency, snoops by state, matches
# of opcodes.
#

# are TARGET WORD: the number of such events in the full list. An event is not absent if any of its
# names is raised.
ONE='s/^\(OFFCORE_RESPONSE_0\|MEM_INST_RETIRED.LATENCY_ABOVE\|UNC_GQ_SNOOP.GOTO_[SI]_HIT'
ONE="$ONE\\|UNC_ADDR_OPCODE_MATCH.[A-Z]*\\)[^ ]*/\\1/"
are() {
	"$PALMON" list -t "$1" -j | grep -v '"same":"[^"]' |
		sed 's/.*"name":"\([^"]*\)".*"emulation":"\([a-z]*\)".*/\1 \2/' | sed "$ONE" |
		awk -v what="$2" '$2 != "absent" || !is[$1] { is[$1] = $2 }
			END { for (name in is) n += is[name] == what; print n + 0 }'
}
for target in $TARGETS; do
	set -- "$(are "$target" exact)" "$(are "$target" modelled)" "$(are "$target" absent)"
	echo "$target $(($1 + $2 + $3)) $*"
done >"$work/counted"

# The guide's table 9 has 8 requests and 8 responses, and events that join several: hundreds of
# names.
names() {
	list_of() { "$PALMON" list -t nehalem -j | grep -v '"same":"[^"]' | grep -c "$1"; }
	all=$(list_of .) offcore=$(list_of '"name":"OFFCORE_RESPONSE_0')
	latencies=$(list_of '"name":"MEM.*LATENCY_ABOVE_')
	echo "$all names, $offcore, $latencies"; cat "$work/counted"
	[ "$offcore" -gt 200 ] && grep -q "^nehalem $((all - offcore - latencies + 2)) " \
		"$work/counted"
}
check "the summary counts events with additional registers once" names

# summarizes FILE [ARGUMENT...]: the summary with these arguments, as text and as JSON, consists of
# the file's rows.
summarizes() {
	rows=$1
	shift
	palmon list --summary "$@"
	{ echo target events exact modelled absent; cat "$rows"; } >"$work/expected"
	done_quietly && sed 's/  */ /g' "$work/out" | diff "$work/expected" - || return
	while read -r target events exact modelled absent; do
		printf '{"target":"%s","events":%s,' "$target" "$events"
		printf '"exact":%s,"modelled":%s,"absent":%s}\n' "$exact" "$modelled" "$absent"
	done <"$rows" >"$work/expected"
	palmon list -s -j "$@"
	done_quietly && diff "$work/expected" "$work/out"
}
check "the summary lists every target, with the numbers of the full lists" summarizes \
	"$work/counted"
of_one() {
	for target in $TARGETS; do
		grep "^$target " "$work/counted" >"$work/row"
		summarizes "$work/row" -t "$target" || return
	done
}
check "the summary of one target" of_one
# tests/command/documents.t compares it with the real output.
in_each_room() {
	for target in $TARGETS; do
		grep -qxF "    \$ palmon list --summary -t $target" "pmu/$target/README.md" ||
			{ echo "$target"; return 1; }
	done
}
check "each target's README shows its summary" in_each_room
palmon list -s -t nehalem INST
check "a summary takes no pattern" refuses 2 "'INST': --summary takes no pattern"
palmon list -s -t pentium
check "a summary of an unknown target" refuses 2 "no target 'pentium'"
palmon list -j
check "without a summary a target is required" refuses 2 'which target'
palmon metrics -s -t nehalem
check "metrics have no summary" refuses 2 "invalid option -- 's'"

# The architecture defines the SPARC T4's events of instructions (Table 10-2, sl 3 and 4) and cycles
# (sl 26). Caches raise events of sl 5, 11, 16, 20 and 22 to 24, and branch prediction of 5, 8 and
# 25; but nothing is remote or belongs to another core. The memory controllers' events of queues and
# banks need the timed clock.
of_sparct4() {
	palmon list -t sparct4 -j
	each_object '$o->{emulation} eq "exact" or $o->{code} !~ /^(3|4|26)$/' &&
		each_object '$o->{emulation} ne "exact" or $o->{code} =~ /^(3|4|26)$/' &&
		each_object \
		'$o->{emulation} ne "modelled" or $o->{code} =~ /^(5|8|11|16|20|22|23|24|25)$/' &&
		each_object '$o->{emulation} eq "absent" or
			$o->{name} !~ /remote_(hit|L3|C2C)|_remote$|local_C2C|snoop|full|stall/' &&
		grep -q '"name":"Cycles".*"emulation":"exact"' "$work/out" || return
	palmon list -t sparct4 DC_miss
	grep -q ' modelled\]$' "$work/out" || { show; return; }
	palmon list -t sparct4-dram -j
	each_object '($o->{emulation} eq "absent") == !!($o->{name} =~ /STALLS|LATENCY|HITS|STARVED/)' &&
		each_object '$o->{emulation} ne "exact"'
}
check "SPARC T4's events are exact, modelled or absent as expected" of_sparct4

#
# Patterns
#

# names PATTERN: the names that list prints.
names() {
	palmon list -t itanium -j "$@"
	sed 's/.*"name":"\([^"]*\)".*/\1/' "$work/out" | tr '\n' ' '
}
is() {
	[ "$1" = "$2" ] || { echo "expected $2"; echo "found    $1"; false; }
}
FLUSHES='PIPELINE_FLUSH.DTC_FLUSH PIPELINE_FLUSH.IEU_FLUSH PIPELINE_FLUSH.L1D_WAYMP_FLUSH PIPELINE_FLUSH.OTHER_FLUSH '\
'PIPELINE_FLUSH.L1D_WAY_MISPREDICT '
check "a pattern is a part of a name" is "$(names LINE_FLUSH.)" "$FLUSHES"
check "case is ignored" is "$(names line_Flush.)" "$FLUSHES"
check "a shell pattern matches the whole name" is "$(names 'pipe*h.[d-i]*')" \
	'PIPELINE_FLUSH.DTC_FLUSH PIPELINE_FLUSH.IEU_FLUSH '
check "? is one character" is "$(names '???_CYCLES')" 'CPU_CYCLES '
palmon list -t itanium NO_SUCH
check "a pattern without match is a failure" refuses 1 "'NO_SUCH'"
palmon list -t itanium 'CYCLES?'
check "so is a shell pattern without match" refuses 1 "'CYCLES\?'"
no_pattern() {
	palmon list -t itanium -j
	[ "$(wc -l <"$work/out")" -gt 100 ] || return
	cp "$work/out" "$work/all"
	palmon list -t itanium -j '*'
	cmp "$work/all" "$work/out"
}
check "without a pattern it lists all" no_pattern

#
# Table
#

table() {
	palmon list -t itanium cpu_cycles
	done_quietly && has_line 'code counters max event' && has_line '0x12/00 4-7 1 CPU_CYCLES'
}
check "the table shows code, unit mask, counters, maximum, name" table
narrow() {
	for target in $TARGETS; do
		palmon list -t "$target"
		! grep -E '^.{81}' "$work/out" | grep -vE ' [A-Z0-9_.]{56,}$' || return
	done
}
check "the table fits in 80 columns, except for longer names" narrow
done_checking
