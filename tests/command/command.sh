# SPDX-License-Identifier: BSD-2-Clause
# Functions for scripts that test the palmon command. To be sourced after tests/tap.sh, from the top
# of the tree.

PALMON=$BUILD/host/palmon
[ -x "$PALMON" ] || make --no-print-directory BUILD="$BUILD" host >/dev/null ||
	{ echo 'Bail out! no palmon'; exit 1; }

# palmon ARGUMENT...: runs palmon; output in $work/out, messages in $work/messages, status in
# $status.
palmon() {
	"$PALMON" "$@" >"$work/out" 2>"$work/messages" </dev/null
	status=$?
}

# show: prints the results of the last run, and fails.
show() {
	echo "status $status"
	cat "$work/messages" "$work/out"
	false
}

# done_quietly: the last run succeeded without messages.
done_quietly() {
	[ "$status" -eq 0 ] && [ ! -s "$work/messages" ] || show
}

# prints LINE...: the last run succeeded, and its output consists of these lines.
prints() {
	printf '%s\n' "$@" >"$work/expected"
	done_quietly && diff "$work/expected" "$work/out"
}

# has_line LINE: the last run's output contains this line; white space between words may differ.
has_line() {
	sed 's/^ *//; s/ *$//; s/  */ /g' "$work/out" | grep -qxF -- "$1" ||
		{ echo "no line: $1"; show; }
}

# refuses STATUS PATTERN: the last run ended with this status and printed only one message of
# `palmon`, which matches PATTERN (grep -E), and possibly how to get help.
refuses() {
	[ "$status" -eq "$1" ] && [ ! -s "$work/out" ] && head -n 1 "$work/messages" |
		grep -qE -- "^palmon.*: .*$2" &&
		[ "$(grep -cv "^Try 'palmon" "$work/messages")" -eq 1 ] ||
		{ echo "expected $1: $2"; show; }
}

# each_object PERL: the last run's output is one JSON object per line, and PERL is true for each
# object $o.
each_object() {
	done_quietly && perl -MJSON::PP -ne '
		BEGIN { $json = JSON::PP->new }
		my $o = eval { $json->decode($_) };
		unless (ref $o eq "HASH" && eval { '"$1"' }) { print "line $.: $@ $_"; $bad = 1 }
		END { print "no line\n" unless $.; $? = $bad || !$. }' "$work/out"
}

# has_keys KEY...: each of these objects has exactly these keys.
has_keys() {
	each_object 'join(" ", sort keys %$o) eq join(" ", sort qw('"$*"'))'
}

# two_events NAME ID FILE: samples of two events on two CPUs, in functions at 0x4000. First event: 3
# in first, 2 in second_one, 1 in NAME. Second event: 1 in first, 1 elsewhere, 3 lost.
two_events() {
	perl -pe 's/\\\n//' >"$3" <<-END
		{"palmon_samples":1,"target":"nehalem","trace":"build/<b> of more than 15.elf","backend":"a backend",\\
		"cpus":2,"build_id":"$2","events":[{"event":"INST_RETIRED.ANY_P:u:period=1000","period":1000},\\
		{"event":"UNC_CLK_UNHALTED:period=500","period":500,"target":"nehalem-uncore"},\\
		{"event":"UOPS_RETIRED.ANY","period":0,"absent":true}]}
		{"symbol":"first","address":"0x4000","end":"0x4100"}
		{"symbol":"second_one","address":"0x4100","end":"0x4180"}
		{"symbol":"$1","address":"0x4180","end":"0x4200"}
		{"event":0,"ip":"0x4010","clock":1000,"count":1000,"level":3,"cpu":0}
		{"event":0,"ip":"0x4110","clock":2000,"count":2000,"level":3,"cpu":0}
		{"event":1,"ip":"0x4020","clock":600,"count":500,"level":0,"cpu":0}
		{"event":0,"ip":"0x4190","clock":900,"count":1000,"level":3,"cpu":1}
		{"event":0,"ip":"0x40fc","clock":1900,"count":2000,"level":3,"cpu":1}
		{"event":0,"ip":"0x4010","cpu":1}
		{"event":0,"ip":"0x4120","cpu":1}
		{"event":1,"ip":"0x8000","cpu":1}
		{"end":true,"cycles":7000,"dropped":0,"events":[\\
		{"count":6700,"samples":6,"rest":700,"throttled":false},\\
		{"count":1200,"samples":2,"rest":200,"throttled":false,"lost":3},\\
		{"count":0,"samples":0,"rest":0,"throttled":false}]}
	END
}

# damaged STATUS FILE ARGUMENT...: palmon ARGUMENT...=COPY either reads a copy of the file with some changed
# characters, or refuses it with this status and a message that names the copy; both occur.
damaged() {
	refusal=$1
	perl -e 'srand 3; my $to = shift; my $t = join "", <>; for my $n (1 .. 200) { my $c = $t;
		substr($c, rand length $c, 1) = chr(32 + rand 95) for 1 .. 1 + rand 3;
		$c = substr($c, 0, rand length $c) if $n % 4 == 0;
		open my $f, ">", "$to.$n"; print $f $c }' "$work/damaged" "$2"
	shift 2
	read=0 refused=0
	for n in $(seq 200); do
		palmon "$@=$work/damaged.$n"
		if [ "$status" -eq 0 ]; then
			read=$((read + 1))
		elif refuses "$refusal" "damaged.$n: " >/dev/null; then
			refused=$((refused + 1))
		else
			show
			return
		fi
	done
	[ $read -gt 10 ] && [ $refused -gt 10 ] || { echo "$read read, $refused refused"; false; }
}
