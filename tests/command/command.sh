# SPDX-License-Identifier: BSD-2-Clause
# For scripts that test the palmon command. To be sourced after tests/tap.sh, from the top of the tree.

PALMON=$BUILD/host/palmon
[ -x "$PALMON" ] || make --no-print-directory BUILD="$BUILD" host >/dev/null || { echo 'Bail out! no palmon'; exit 1; }

# palmon ARGUMENT...: runs it; output in $work/out, messages in $work/messages, status in $status.
palmon() {
	"$PALMON" "$@" >"$work/out" 2>"$work/messages" </dev/null
	status=$?
}

# show: what the last run did.
show() {
	echo "status $status"
	cat "$work/messages" "$work/out"
	false
}

# done_quietly: the last run ended well, with no messages.
done_quietly() {
	[ "$status" -eq 0 ] && [ ! -s "$work/messages" ] || show
}

# prints LINE...: the last run ended well, and its output is these lines.
prints() {
	printf '%s\n' "$@" >"$work/expected"
	done_quietly && diff "$work/expected" "$work/out"
}

# has_line LINE: the last run's output has this line, blanks at its ends and how many there are between words apart.
has_line() {
	sed 's/^ *//; s/ *$//; s/  */ /g' "$work/out" | grep -qxF -- "$1" || { echo "no line: $1"; show; }
}

# refuses STATUS PATTERN: the last run ended with this status, printed nothing but one message of `palmon`, perhaps how
# to get help, and the message matches (grep -E).
refuses() {
	[ "$status" -eq "$1" ] && [ ! -s "$work/out" ] && head -n 1 "$work/messages" | grep -qE -- "^palmon.*: .*$2" &&
		[ "$(grep -cv "^Try 'palmon" "$work/messages")" -eq 1 ] || { echo "expected $1: $2"; show; }
}

# each_object PERL: the last run's output is one JSON object a line, and PERL, with $o an object, is true of each.
each_object() {
	done_quietly && perl -MJSON::PP -ne '
		BEGIN { $json = JSON::PP->new }
		my $o = eval { $json->decode($_) };
		unless (ref $o eq "HASH" && eval { '"$1"' }) { print "line $.: $@ $_"; $bad = 1 }
		END { print "no line\n" unless $.; $? = $bad || !$. }' "$work/out"
}

# has_keys KEY...: so does each object have exactly these keys.
has_keys() {
	each_object 'join(" ", sort keys %$o) eq join(" ", sort qw('"$*"'))'
}
