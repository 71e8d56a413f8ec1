#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The self test of the architectural PMU's image: its TAP lines are this test's.
. tests/tap.sh
use_target intel img

boot run=selftest
sed -n '/^TAP version/,$p' "$work/out" | grep -E '^(TAP|1\.\.|ok|not ok|#)'
[ "$status" -eq 0 ] || echo "Bail out! The image ended with status $status"
