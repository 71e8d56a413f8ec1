# SPDX-License-Identifier: BSD-2-Clause
# For scripts that boot an image of one workload several times. Source after use_target.

built=

# use_workload FILE: builds the image that measures this workload, once in this script, and selects
# it for `boot`. If it cannot be built, that is the last run's result.
use_workload() {
	IMAGE=$BUILD/$TARGET/workloads/$(basename "$1" .c)-$(realpath -ms "$1" | cksum |
		cut -d' ' -f1)
	case " $built " in *" $IMAGE "*) return ;; esac
	capture flock "$BUILD" make --no-print-directory BUILD="$BUILD" image TARGET="$TARGET" \
		WORKLOAD="$1"
	[ "$status" -eq 0 ] && built="$built $IMAGE"
}

# measure FILE ARGUMENTS: boots a session of this workload.
measure() {
	use_workload "$1" || return
	shift
	boot run=session "$@"
}
