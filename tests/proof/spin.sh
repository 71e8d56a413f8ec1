# SPDX-License-Identifier: BSD-2-Clause
# Functions that run Spin on a model, for the scripts of this folder. Set before: model, the
# file in this folder; events, a pattern of the lines that the model prints. Spin's output and the
# path to a failure are kept in build/check/proof/MODEL, a folder for each search.

proof=$(pwd)/$BUILD/check/proof/$model
case $BUILD in /*) proof=$BUILD/check/proof/$model ;; esac
rm -rf "$proof"

# search RUN MODEL COMPILER VERIFIER: a search with the options of each; its output is $found. An
# assertion can fail millions of times: only the first failure is kept.
search() {
	run=$proof/$1
	found=$run/found
	options=$2
	mkdir -p "$run"
	cp "tests/proof/$model.pml" "$run"
	(
		cd "$run" && spin -a $options "$model.pml" && gcc -O1 -w $3 -o pan pan.c &&
			timeout 300 ./pan $4
		echo "status $?"
	) 2>&1 | awk '!/^pan:[0-9]+: assertion/ || !known[$4]++' >"$found"
}

# searched: the last search was complete: exact, with unlimited depth, in time, and within the
# memory.
searched() {
	grep -q '^status 0$' "$found" && grep -q '^Full statespace search for:' "$found" &&
		! grep -iE 'not completed|too small|out of memory|truncated|limit' "$found" ||
		{ cat "$found"; false; }
}

# scenario: prints the end of a short path to the last search's failure, in words; keeps all of
# Spin's steps.
scenario() (
	cd "$run" || return
	rm -f "$model.pml.trail"
	for depth in $(seq 20 20 400) 1000 10000 10000000; do
		[ -f "$model.pml.trail" ] || ./pan -m$depth >/dev/null 2>&1
	done
	spin -T -t -p $options "$model.pml" >trail
	spin -T -t $options "$model.pml" | grep -E "$events|assertion" | tail -n 32
	echo "(in Spin's steps, from the start: $run/trail)"
)

# sound: the last search was complete and found no failure.
sound() {
	if grep -qE 'errors: [1-9]' "$found"; then
		assertions
		scenario
		return 1
	fi
	searched
}

# holds STATES: the last search found no failure in this number of states.
holds() {
	sound || return
	states=$(awk '/ states, stored/ { print $1 }' "$found")
	[ "$states" -eq "$1" ] || { echo "$states states, not $1"; cat "$found"; false; }
}

# assertions: names of the assertions that failed in the last search.
assertions() {
	awk '/^pan:[0-9]+: assertion violated/ { print $4 }' "$found" | sort | paste -sd ' ' -
}

# fails NAME...: the last search was complete, and exactly these assertions failed.
fails() {
	searched || return
	[ "$(assertions)" = "$*" ] || { echo "failed: $(assertions)"; echo "not: $*"; scenario; \
		false; }
}

# finds [NAME]: the last search ended with a failed assertion, of this name.
finds() {
	grep -q '^status 0$' "$found" && grep -qE 'errors: [1-9]' "$found" &&
		[ -n "$(assertions)" ] &&
		[ "$(assertions)" = "${1:-$(assertions)}" ] || { cat "$found"; false; }
}

# served: the last search, with weak fairness, found no overflow that is never served.
served() {
	searched && grep -q 'errors: 0$' "$found" &&
		grep -qE 'acceptance   cycles.*fairness enabled' "$found" ||
		{ cat "$found"; false; }
}

# never_served: it found such an overflow.
never_served() {
	grep -q 'acceptance cycle' "$found" && grep -qE 'errors: 1$' "$found" ||
		{ cat "$found"; false; }
}
