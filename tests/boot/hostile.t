#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Kernels that try to get out of the monitor, or to see or change it (guests/hostile): each ends as on the bare machine,
# or with a message.
. tests/tap.sh
. tests/boot/guests.sh
use_monitor
mkdir "$work/hostile"

# ends GUEST WORD PATTERN: the monitor, the plugin or QEMU ends the run, and says so.
ends() {
	guest "hostile/$1" APPEND="$2" && false
	ended 4 && says "$3"
}
build hostile/resets
outside='^palmon plugin: CPU 0 begins again, without its monitor$'
check "INIT, by its own APIC" ends resets init "$outside"
check "sleep, and the clock wakes it" ends resets sleep "$outside"
for port in port92 CF9 keyboard; do
	check "a reset by $port" ends resets $port 'ended without its debug-exit port'
done

# inits SMP WORD: by the I/O APIC.
inits() {
	guest hostile/inits SMP="$1" APPEND="$2" && false
	ended 4 && says '^ok 01' && says "$3"
}
build hostile/inits
check "INIT, by the I/O APIC, with one CPU" inits 1 0 "$outside"
for cpu in 0 1; do
	check "to CPU $cpu of two" inits 2 $cpu '^palmon: the guest has the I/O APIC send INIT$'
done
check "by a store to where messages go" passes hostile/inits SMP=2 APPEND=message

build hostile/smi
for how in command timer; do
	check "a system management interrupt, by the local APIC's $how" ends smi $how \
		'^palmon: the guest has raised a system management interrupt \(SMI\)$'
done
check "by its port" passes hostile/smi APPEND=port
check "bus masters" passes hostile/masters
added() {
	said='^palmon: devices of QEMU_ARGS= that are bus masters reach the monitor.s memory, too$'
	guest hostile/masters QEMU_ARGS='-device e1000' && says "$said" && guest hostile/masters QEMU_ARGS='-m 512M' &&
		! grep "$said" "$work/out"
}
check "those of QEMU_ARGS= are announced" added

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
