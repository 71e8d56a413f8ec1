#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Knights Corner's machine: how its image starts, the identities of its CPUs, and QEMU's refusal of
# features that this processor lacks.
. tests/tap.sh
use_target knc img

# knc-selftest.t starts the image in the first way, knc-arguments.t in the second.
starts() {
	capture tools/run-image knc "$IMAGE.$1" run=selftest
	ended 0 && says "started by $2"
}
long "the image starts by the Linux boot protocol" starts img 'Linux boot protocol, QEMU'
long "the image starts by PVH" starts pvh PVH

# A Pentium has everything except the features that the switch to 64-bit mode needs.
lacking() {
	(
		. pmu/knc/machine
		. hal/emu/qemu/machine
		timeout 300 $(echo $command |
			sed 's/-cpu [^ ]*/-cpu pentium/; s/-smp [^ ]*//; s/-plugin [^ ]*//') \
			-kernel "$IMAGE.img" >"$work/out" 2>&1 </dev/null
	)
	says '^palmon: this image needs features that the processor lacks: long mode, PAE, NX, LAHF.?$' &&
		says '^palmon: found GenuineIntel family 5, model 4, .*; this image drives knc.?$'
}
check "the missing feature of a processor is named" lacking

workload=tests/boot/workloads/knc-processor.c
image=$BUILD/knc/workloads/knc-processor-$(echo "$PWD/$workload" | cksum | cut -d' ' -f1)
computes() {
	make_run RUN=session LEVEL=0 WORKLOAD=$workload
	ended 0 && says '^processor: 0 wrong, 1099511627776,    ab\|$'
}
check "the x87 computes, and the C library prints, without SSE" computes

# A processor whose highest CPUID leaf is 4. Identities are 4 * core + thread on the first machine,
# 2 * core + thread on the second.
threads_of_one_core() {
	for cpu in 0 1 2 3; do says "^cpu $cpu: core 0, thread $cpu\$" || return 1; done
}
check "its CPUs are four threads of one core" threads_of_one_core

two_cores() {
	. pmu/knc/machine
	cpus=4,cores=2,threads=2
	. hal/emu/qemu/machine
	capture timeout 300 $command -kernel "$image.img" -append 'run=session level=0'
	for cpu in 0 1 2 3; do says "^cpu $cpu: core $((cpu / 2)), thread $((cpu % 2))\$" ||
		return 1; done
}
check "on another machine they are two threads on each of two cores" two_cores

# refused NAME BYTES
refused() {
	printf 'int workload(void);\nint workload(void)\n{\n\t__asm__ volatile(".byte %s");\n\treturn 0;\n}\n' "$2" \
		>"$work/$1.c"
	make_run RUN=session LEVEL=0 WORKLOAD="$work/$1.c"
	[ "$status" -ne 0 ] && says '#UD invalid opcode'
}
long "CMOVNE raises #UD" refused cmovne 0x0F,0x45,0xC1
long "FUCOMIP raises #UD" refused fucomip 0xDF,0xE9
check "XORPS raises #UD" refused xorps 0x0F,0x57,0xC0
long "MFENCE raises #UD" refused mfence 0x0F,0xAE,0xF0

# without NAME CODE PATTERN: a workload that needs SSE's registers does not build, and the message
# says why.
without() {
	printf '%s\n' "$2" >"$work/$1.c"
	make_run WORKLOAD="$work/$1.c"
	[ "$status" -ne 0 ] && says "$3" &&
		says '^palmon: knc has no SSE: no function can take or return float or double'
}
check "a function that returns a double is refused" without half \
	'double half(double x); double half(double x) { return x / 2; }
	int workload(void); int workload(void) { return 0; }' \
	'SSE register return with SSE disabled'
check "and one from the C library is named" without library \
	'int atof(const char *); int workload(void); int workload(void) { return atof("1"); }' \
	"undefined reference to .atof'"
done_checking
