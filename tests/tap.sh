# SPDX-License-Identifier: BSD-2-Clause
# For test scripts, sourced from the top of the tree: TAP with named checks, and runs of images.

BUILD=${BUILD:-build}
TARGET=${TARGET:-nehalem}
IMAGE=$BUILD/$TARGET/palmon
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
tap_number=0
# Uses the ia64 binutils that tools/cross has built, if Debian has no package of them.
command -v ia64-linux-gnu-as >/dev/null || {
	tap_ia64=${XDG_CACHE_HOME:-$HOME/.cache}/palmon
	tap_ia64=$(ls -d "$tap_ia64"/binutils-*-ia64-linux-gnu-*/bin 2>/dev/null | sort -V |
		tail -n 1)
	PATH=$PATH${tap_ia64:+:$tap_ia64}
}

# check NAME COMMAND...: prints one line of TAP. If the command fails, prints the first and last 20
# lines of its output.
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

# TIMES=1: prints the processor time of the check and of all processes that it started.
say_time() {
	times >"$work/times"
	tap_time=$(awk -F'[ms ]' -v before="${tap_times:-0}" 'NR == 2 {
		now = 60 * $1 + $2 + 60 * $4 + $5
		print now, now - before }' "$work/times")
	tap_times=${tap_time% *}
	echo "# ${tap_time#* } s of processor time"
}

# skip NAME REASON: reports a check that this machine cannot run.
skip() {
	tap_number=$((tap_number + 1))
	echo "ok $tap_number - $1 # SKIP $2"
}

# long NAME COMMAND...: a check that repeats another check with other values, for as long as many
# others. Only EXTRA=1 runs it.
long() {
	if [ -n "${EXTRA:-}" ]; then
		check "$@"
	else
		skip "$1" "long; EXTRA=1 runs it"
	fi
}

# long_script NAME: ends a script whose checks are all long, without EXTRA=1.
long_script() {
	[ -n "${EXTRA:-}" ] || {
		skip "$1" "long; EXTRA=1 runs it"
		done_checking
		exit
	}
}

# with_packages NAME PACKAGE:FILE...: succeeds if each FILE exists. A FILE without a slash is a
# program in the PATH. Otherwise skips the test NAME with the name of the Debian package, and fails.
# With EXTRA=1, as in CI, it always succeeds: then the test fails without its package.
with_packages() {
	tap_test=$1
	shift
	[ -z "${EXTRA:-}" ] || return 0
	for tap_needed; do
		case ${tap_needed#*:} in
		*/*) [ -e "${tap_needed#*:}" ] ;;
		*) command -v "${tap_needed#*:}" >/dev/null ;;
		esac || {
			skip "$tap_test" "needs Debian's package ${tap_needed%%:*}"
			return 1
		}
	done
}

# wait_for COMMAND...: repeats the command until it succeeds, for a minute at most.
wait_for() {
	for tenth in $(seq 600); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	echo "in vain: $*"
	return 1
}

# own_build FOLDER: makes a build folder of links to $BUILD, with a copy of the library. make
# install writes its prefix into the library's .pc file, and other tests install at the same time.
own_build() {
	mkdir -p "$1"
	for built in "$BUILD"/*; do
		[ "$built" = "$BUILD/libvpmu" ] || ln -s "$(realpath "$built")" "$1/" || return
	done
	cp -a "$BUILD/libvpmu" "$1/"
}

# models [TARGET...]: prints the models' sources, without the common pmu/engine/*.c. Default: all
# targets.
models() {
	for model_of in ${*:-$(awk '!/^#/ && NF { print $1 }' pmu/targets.tab)}; do
		ls pmu/"$model_of"/*.c | grep -vE '/(driver|selftest|defects|meanings)[^/]*$'
	done
}

done_checking() {
	echo "1..$tap_number"
}

# capture COMMAND...: runs it with its output in $work/out, without carriage returns, and its status
# in $status.
capture() {
	"$@" >"$work/raw" 2>&1 </dev/null
	status=$?
	tr -d '\r' <"$work/raw" >"$work/out"
}

# use_target TARGET FORMAT: selects another target's image, and the format of its file.
use_target() {
	TARGET=$1 FORMAT=$2
	IMAGE=$BUILD/$TARGET/palmon
}
FORMAT=img

# boot ARGUMENTS: boots the image. The time limit ends a hanging run; it is long enough for a busy
# machine.
boot() {
	capture env TIMEOUT="${TIMEOUT:-300}" tools/run-image "$TARGET" "$IMAGE.$FORMAT" "$@"
}

# make_run VARIABLE=VALUE...: runs `make run` as a user does, but records callers only with CALLS=.
# Only one script at a time builds a program of tests/.
make_run() {
	case $* in
	*WORKLOAD=tests/*) flock "$BUILD" make --no-print-directory BUILD="$BUILD" image \
		TARGET="$TARGET" "$@" >/dev/null 2>&1 ;;
	esac
	capture make --no-print-directory BUILD="$BUILD" TIMEOUT="${TIMEOUT:-300}" OUT="$work/run" \
		CALLS=0 run \
		TARGET="$TARGET" "$@"
}

# says PATTERN: succeeds if a line of the last run's output matches (grep -E).
says() {
	grep -qE -- "$1" "$work/out" || { echo "no line matches: $1"; cat "$work/out"; false; }
}

# session_refused PATTERN VARIABLE=VALUE...: succeeds if a session with these variables fails and
# prints the reason.
session_refused() {
	pattern=$1
	shift
	make_run RUN=session "$@"
	[ "$status" -ne 0 ] && says "$pattern"
}

# ended STATUS: succeeds if the last run had this exit status.
ended() {
	[ "$status" -eq "$1" ] || { echo "status $status, not $1"; cat "$work/out"; false; }
}
