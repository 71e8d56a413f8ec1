#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Kernels that try to get out of the monitor, or to see or change it (guests/hostile): each ends as on the bare machine,
# or with a message.
. tests/tap.sh
. tests/boot/guests.sh
use_monitor
mkdir "$work/hostile"

# begins_again WORD PATTERN: how a run of the guest ends that begins with the firmware.
begins_again() {
	guest hostile/resets APPEND="$1" && false
	ended 4 && says "$2"
}
build hostile/resets
outside='^palmon plugin: CPU 0 begins again, without its monitor$'
check "INIT, by its own APIC" begins_again init "$outside"
check "sleep, and the clock wakes it" begins_again sleep "$outside"
for port in port92 CF9 keyboard; do
	check "a reset by $port" begins_again $port 'ended without its debug-exit port'
done

# Without the monitor's memory, which is not there.
check "configuration by DMA" passes hostile/configuration
check "physical addresses of nothing, and the monitor's" passes hostile/above

check "a double fault" passes hostile/double
shut_down() {
	guest hostile/double APPEND=none && false
	ended 4 && says 'has shut down \(triple fault\)'
}
check "without a handler" shut_down
check "address line 20 stays on" passes hostile/a20
check "another APIC identity, and base" passes hostile/identity

# On the bare machine, too.
startup() {
	passes hostile/startup SMP=2 && of_guest >"$work/monitored" && run - "$work/hostile/startup" SMP=2 && ended 0 &&
		of_guest >"$work/bare" && diff "$work/bare" "$work/monitored"
}
check "a CPU that starts, by any vector" startup

# ports WORD: ends with value 3, on the bare machine, too.
ports() {
	guest hostile/ports APPEND="$1" && false
	ended 7 && of_guest >"$work/monitored" && run - "$work/hostile/ports" APPEND="$1" && false
	ended 7 && of_guest >"$work/bare" && grep -q '^ok 05' "$work/bare" && diff "$work/bare" "$work/monitored"
}
build hostile/ports
for width in 1 2 4; do
	check "the debug-exit port: writes of $width bytes" ports $width
done
check "a string of bytes" ports strings
check "of words" ports words
done_checking
