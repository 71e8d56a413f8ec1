# SPDX-License-Identifier: BSD-2-Clause
# For test scripts: TAP with named checks, and runs of images. To be sourced from the top of the tree.

BUILD=${BUILD:-build}
TARGET=${TARGET:-nehalem}
IMAGE=$BUILD/$TARGET/palmon
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
tap_number=0
# Where Debian has no package of ia64's binutils, those that tools/cross has built.
command -v ia64-linux-gnu-as >/dev/null || {
	tap_ia64=${XDG_CACHE_HOME:-$HOME/.cache}/palmon
	tap_ia64=$(ls -d "$tap_ia64"/binutils-*-ia64-linux-gnu-*/bin 2>/dev/null | sort -V | tail -n 1)
	PATH=$PATH${tap_ia64:+:$tap_ia64}
}

# check NAME COMMAND...: one line of TAP; what the command prints is shown if it fails, of much its begin and its end.
check() {
	tap_name=$1
	shift
	tap_number=$((tap_number + 1))
	bad=
	if "$@" >"$work/check" 2>&1; then
		echo "ok $tap_number - $tap_name"
	else
		echo "not ok $tap_number - $tap_name"
		awk '{ line[NR] = $0 }
			END { for (i = 1; i <= NR; i++) if (i <= 20 || i > NR - 20) print "#   " line[i] }' "$work/check"
	fi
	[ -z "${TIMES:-}" ] || say_time
}

# TIMES=1: the check's processor time, with that of all that it has started.
say_time() {
	times >"$work/times"
	tap_time=$(awk -F'[ms ]' -v before="${tap_times:-0}" 'NR == 2 {
		now = 60 * $1 + $2 + 60 * $4 + $5
		print now, now - before }' "$work/times")
	tap_times=${tap_time% *}
	echo "# ${tap_time#* } s of processor time"
}

# skip NAME REASON: a check that this machine cannot do.
skip() {
	tap_number=$((tap_number + 1))
	echo "ok $tap_number - $1 # SKIP $2"
}

# with_packages NAME FILE...: whether the files are there, of packages that tools/setup check installs; if not, the test
# NAME is left out, but not where CI is set.
with_packages() {
	name=$1
	shift
	for file; do
		[ -e "$file" ] || [ -n "${CI:-}" ] || {
			skip "$name" "there is no $file: tools/setup check installs it"
			return 1
		}
	done
}

# wait_for COMMAND...: until it succeeds, a minute at most.
wait_for() {
	for tenth in $(seq 600); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	echo "in vain: $*"
	return 1
}

# own_build FOLDER: makes a folder of links to what is built, with a copy of the library: its .pc file has the prefix of
# the last make install, and other tests install, too.
own_build() {
	mkdir -p "$1"
	for built in "$BUILD"/*; do
		[ "$built" = "$BUILD/libvpmu" ] || ln -s "$(realpath "$built")" "$1/" || return
	done
	cp -a "$BUILD/libvpmu" "$1/"
}

# models [TARGET...]: sources of models, without what they all have in common: pmu/engine/*.c. All targets', by default.
models() {
	for model_of in ${*:-$(awk '!/^#/ && NF { print $1 }' pmu/targets.tab)}; do
		ls pmu/"$model_of"/*.c | grep -vE '/(driver|selftest|defects|meanings)[^/]*$'
	done
}

done_checking() {
	echo "1..$tap_number"
}

# capture COMMAND...: runs it; output in $work/out, without the serial line's carriage returns, status in $status.
capture() {
	"$@" >"$work/raw" 2>&1 </dev/null
	status=$?
	tr -d '\r' <"$work/raw" >"$work/out"
}

# Another target's image: its name, and its file's.
use_target() {
	TARGET=$1 FORMAT=$2
	IMAGE=$BUILD/$TARGET/palmon
}
FORMAT=img

# boot ARGUMENTS: runs the image. Time limits of tests end what hangs: they are long enough for a busy machine.
boot() {
	capture env TIMEOUT="${TIMEOUT:-300}" tools/run-image "$TARGET" "$IMAGE.$FORMAT" "$@"
}

# make_run VARIABLE=VALUE...: `make run` as a user calls it. A program that several scripts run is built by one of them.
make_run() {
	case $* in
	*WORKLOAD=tests/*) flock "$BUILD" make --no-print-directory BUILD="$BUILD" image TARGET="$TARGET" "$@" >/dev/null 2>&1 ;;
	esac
	capture make --no-print-directory BUILD="$BUILD" TIMEOUT="${TIMEOUT:-300}" OUT="$work/run" run TARGET="$TARGET" "$@"
}

# says PATTERN: the last run's output has a line that matches (grep -E).
says() {
	grep -qE -- "$1" "$work/out" || { echo "no line matches: $1"; cat "$work/out"; false; }
}

# session_refused PATTERN VARIABLE=VALUE...: a session with these variables fails, and its output says why.
session_refused() {
	pattern=$1
	shift
	make_run RUN=session "$@"
	[ "$status" -ne 0 ] && says "$pattern"
}

# ended STATUS: the last run's status.
ended() {
	[ "$status" -eq "$1" ] || { echo "status $status, not $1"; cat "$work/out"; false; }
}
