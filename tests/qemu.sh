# SPDX-License-Identifier: BSD-2-Clause
# For tests of the PMU in QEMU 11 (hal/emu/qemu). To be sourced behind tap.sh.

# use_qemu PROGRAM [GOAL...]: finds it ($qemu), and builds the plugin ($plugin) and the goals for $TARGET. Where there is
# no QEMU 11 and none can be fetched, the test is left out.
use_qemu() {
	qemu=$(tools/qemu "$1") || {
		skip "QEMU 11" "there is none, and it cannot be fetched: tools/qemu says why above"
		done_checking
		exit
	}
	shift
	plugin=$BUILD/plugin/palmon-qemu.so
	flock "$BUILD" make --no-print-directory BUILD="$BUILD" TARGET="$TARGET" "$plugin" "$@" >/dev/null || {
		echo "Bail out! $* cannot be built"
		exit 1
	}
}
