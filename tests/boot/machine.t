#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The other ways to start, and machines that lack something that the image needs: the image prints
# the reason, the status is failing, and nothing hangs.
. tests/tap.sh
. pmu/nehalem/machine
. hal/emu/qemu/machine

pvh() {
	capture tools/run-image nehalem "$IMAGE.pvh" run=selftest
	ended 0 && says 'started by PVH' && says '^# all checks passed'
}
check "the image starts by PVH" pvh

# palmon.img contains each section's contents exactly once.
same_code() {
	for section in .image .early_64 .early .early_data .text .rodata .symbols .private_data \
		.data; do
		objcopy -O binary -j $section "$IMAGE.elf" "$work/elf" && [ -s "$work/elf" ] &&
			objcopy -O binary -j $section "$IMAGE.pvh" "$work/pvh" &&
			cmp "$work/elf" "$work/pvh" &&
			perl -e '
				sub contents { local $/; open my $file, "<:raw", $_[0] or die; <$file> }
				my ($image, $part) = map { contents($_) } @ARGV;
				my $at = index $image, $part;
				exit($at < 0 || index($image, $part, $at + 1) >= 0);
			' "$IMAGE.img" "$work/elf" || { echo $section; return 1; }
	done
}
check "both are the same code and data, byte for byte" same_code

no_plugin() {
	capture timeout 300 $(echo "$command" | sed 's/-plugin [^ ]*//') -kernel "$IMAGE.img" \
		-append run=selftest
	ended "$failure" &&
		says '^palmon: started by Linux boot protocol, QEMU; this machine has no PMU of ' &&
		says '^palmon: status 1 \(no PMU\)$'
}
check "without the plugin" no_plugin
# memory MIB FORMAT: less memory than the image needs.
memory() {
	capture timeout 300 $(echo $command | sed "s/64M/$1M/g") -kernel "$IMAGE.$2"
	needs='needs memory from 0x1000000 to 0x[0-9a-f]+'
	ended "$failure" &&
		says "^palmon: this image $needs, the map has 0x0 to 0x9fc00, 0x100000 to 0x" &&
		says '^palmon: status 1 \(memory\)$'
}
for size in 2 4 6 8 10 12 24; do
	check "$size MiB" memory $size img
done
check "4 MiB, started by PVH" memory 4 pvh
enough() {
	capture timeout 300 $(echo $command | sed 's/64M/32M/g') -kernel "$IMAGE.img" \
		-append run=session
	ended "$success"
}
check "32 MiB are enough" enough

# processor MODEL LACKS FOUND: before the image uses any of them, it names the features that it is
# compiled for and the processor lacks, and identifies the processor. QEMU, target/i386/cpu.c,
# builtin_x86_defs, lists the models' features.
processor() {
	capture timeout 300 $(echo $command |
		sed "s/-cpu [^ ]*/-cpu $1/; s/-smp [^ ]*//; s/-plugin [^ ]*//") \
		-kernel "$IMAGE.${4:-img}"
	ended "$failure" &&
		says "^palmon: this image needs features that the processor lacks: $2\$" &&
		says "^palmon: found $3; this image drives nehalem, nehalem-uncore\$" &&
		says '^palmon: status 1 \(processor\)$'
}
newer='SSE, SSE2, SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT'
long "a 486" processor 486 "long mode, PAE, NX, LAHF, APIC, MSR, TSC, CMOV, MMX, FXSR, $newer" \
	'GenuineIntel family 4, model 8, stepping 0, no leaf 0AH'
check "a Pentium" processor pentium "long mode, PAE, NX, LAHF, CMOV, (MMX, )?FXSR, $newer" \
	'GenuineIntel family 5, model 4, stepping 3, no leaf 0AH'
long "a Pentium III" processor pentium3 \
	'long mode, NX, LAHF, SSE2, SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT' \
	'GenuineIntel family 6, model 7, stepping 3, no leaf 0AH'
no_pmu='leaf 0AH: EAX 0x0 EBX 0x0 EDX 0x0'
long "a Core 2 Duo" processor core2duo 'SSE4.1, SSE4.2, POPCNT' \
	"GenuineIntel family 6, model 15, stepping 11, $no_pmu"
long "QEMU's processor" processor qemu64 'SSSE3, SSE4.1, SSE4.2, POPCNT' \
	"AuthenticAMD family 15, model 107, stepping 1, $no_pmu"
bare() {
	capture timeout 300 $(echo "$command" | sed "s/-plugin [^ ]*//; $1") -kernel "$IMAGE.img" \
		-append run=selftest $2
	ended "$failure" && says '^palmon: status 1 \(no PMU\)$'
}
other_maker() {
	bare 's/-cpu [^ ]*/-cpu EPYC,xlevel=0x80000022/' &&
		says "^palmon: found AuthenticAMD family 23, model 1, stepping 2, $no_pmu, leaf 8000_0022H: EAX 0x0 E"
}
check "another vendor's processor, with its CPUID description of performance monitoring" other_maker
# QEMU puts its 40 MiB below ACPI's 128 KiB at the end of memory. This range begins inside the
# image.
module() {
	truncate -s 40M "$work/initrd" && bare '' "-initrd $work/initrd" &&
		says \
		'^palmon: this image has overwritten a boot module, from 0x17e0000 to 0x3fe0000$'
}
check "a loader's data that the image overwrites is named" module
check "missing features are named with PVH, too" \
	processor pentium3 'long mode, .*, POPCNT' 'GenuineIntel family 6, model 7, .*' pvh
# Five processors: the one of a binary digit lacks the features whose number in this list has that
# digit. Each feature is missing from a different set of processors, so a wrong name shows.
features=$(cat <<'END'
-lm long mode
-pae PAE
-nx NX
-lahf-lm LAHF
-apic APIC
-msr MSR
-tsc TSC
-fpu FPU
-cmov CMOV
-mmx MMX
-fxsr FXSR
-sse SSE
-sse2 SSE2
-pni SSE3
-ssse3 SSSE3
-cx16 CMPXCHG16B
-sse4.1 SSE4.1
-sse4.2 SSE4.2
-popcnt POPCNT
END
)
for digit in 1 2 4 8 16; do
	number=0 flags= names=
	while read -r flag name; do
		number=$((number + 1))
		[ $((number & digit)) -eq 0 ] || flags=$flags,$flag names="$names${names:+, }$name"
	done <<END
$features
END
	check "without $names" processor "Nehalem$flags" "$names" \
		'GenuineIntel family 6, model 26, stepping 3, .*'
done

named() {
	boot run=session
	ended 0 && says '^palmon: found GenuineIntel family 6, model 26, stepping 5, leaf 0AH: EAX 0x7300403 '
}
check "features are also named on a processor that can run the image" named
check "the image started by the Linux boot protocol" says 'started by Linux boot protocol, QEMU'

# The process of this tree whose command line contains this text.
process_with() {
	for process in $(pgrep -f "qemu-system.*$1"); do
		[ "$(readlink "/proc/$process/cwd")" = "$PWD" ] && echo "$process"
	done
}

killed() {
	TIMEOUT=300 tools/run-image nehalem "$IMAGE.img" run=session \
		events=INST_RETIRED.ANY_P:period=2000 \
		>"$work/out" 2>&1 &
	runner=$!
	emulator="process_with '$IMAGE.img -append run=session events=INST_RETIRED.ANY_P:period=2000'"
	wait_for eval "$emulator | grep -q ." && kill -9 $(eval "$emulator") || return 1
	wait $runner
	status=$?
	[ "$status" -ne 0 ] && says 'killed|failed'
}
check "an emulator that is killed is a failed run" killed

no_package() {
	mkdir -p "$work/bin"
	printf '#!/bin/sh\necho not-installed\n' >"$work/bin/dpkg-query"
	printf '#!/bin/sh\necho 1000\n' >"$work/bin/id"
	chmod +x "$work/bin/dpkg-query" "$work/bin/id"
	capture env PATH="$work/bin:$PATH" tools/setup image-x86
	ended 1 && says 'sudo apt-get install --no-install-recommends gcc .*newlib-source' &&
		[ "$(wc -l <"$work/out")" -eq 1 ]
}
check "missing packages are named in one line, with the command that installs them" no_package
done_checking
