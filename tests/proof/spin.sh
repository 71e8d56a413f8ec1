# SPDX-License-Identifier: BSD-2-Clause
# Searches of a model by Spin, for the scripts of this folder. Before: model, the file in this folder; events, a pattern
# of the lines that the model prints. What Spin printed, and the way to a failure, are kept in
# build/check/proof/MODEL, a folder for each search.

proof=$(pwd)/$BUILD/check/proof/$model
case $BUILD in /*) proof=$BUILD/check/proof/$model ;; esac
rm -rf "$proof"

# search RUN MODEL COMPILER VERIFIER: a search with the options of each; its output in $found. An assertion's failures
# may be millions: the first one is kept.
search() {
	run=$proof/$1
	found=$run/found
	options=$2
	mkdir -p "$run"
	cp "tests/proof/$model.pml" "$run"
	(
		cd "$run" && spin -a $options "$model.pml" && gcc -O1 -w $3 -o pan pan.c && timeout 300 ./pan $4
		echo "status $?"
	) 2>&1 | awk '!/^pan:[0-9]+: assertion/ || !known[$4]++' >"$found"
}

# searched: the last search was complete: not approximate, not cut at some depth, in time, and within the memory.
searched() {
	grep -q '^status 0$' "$found" && grep -q '^Full statespace search for:' "$found" &&
		! grep -iE 'not completed|too small|out of memory|truncated|limit' "$found" || { cat "$found"; false; }
}

# scenario: the end of a short way to what the last search has found, in words; all of Spin's steps are kept.
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

# sound: the last search was complete and found nothing wrong.
sound() {
	if grep -qE 'errors: [1-9]' "$found"; then
		assertions
		scenario
		return 1
	fi
	searched
}

# holds STATES: it found nothing wrong among so many states.
holds() {
	sound || return
	states=$(awk '/ states, stored/ { print $1 }' "$found")
	[ "$states" -eq "$1" ] || { echo "$states states, not $1"; cat "$found"; false; }
}

# assertions: the names of those that failed in the last search.
assertions() {
	awk '/^pan:[0-9]+: assertion violated/ { print $4 }' "$found" | sort | paste -sd ' ' -
}

# fails NAME...: the last search was complete and found just these assertions to fail.
fails() {
	searched || return
	[ "$(assertions)" = "$*" ] || { echo "failed: $(assertions)"; echo "not: $*"; scenario; false; }
}

# finds [NAME]: the last search ended with a failed assertion, of this name.
finds() {
	grep -q '^status 0$' "$found" && grep -qE 'errors: [1-9]' "$found" && [ -n "$(assertions)" ] &&
		[ "$(assertions)" = "${1:-$(assertions)}" ] || { cat "$found"; false; }
}

# served: the last search, with weak fairness, found no overflow that is never served.
served() {
	searched && grep -q 'errors: 0$' "$found" && grep -qE 'acceptance   cycles.*fairness enabled' "$found" ||
		{ cat "$found"; false; }
}

# never_served: it found one.
never_served() {
	grep -q 'acceptance cycle' "$found" && grep -qE 'errors: 1$' "$found" || { cat "$found"; false; }
}
