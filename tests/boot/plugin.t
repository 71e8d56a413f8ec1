#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A QEMU that cannot load the plugin, and a plugin that is not the image's: what is wrong is said at the start, and what
# is needed.
. tests/tap.sh

emulator_of() {
	case $1 in
	nehalem) use_target nehalem svm img && program=qemu-system-x86_64 ;;
	sparct4) use_target sparct4 hyper prom && program=qemu-system-sparc64 ;;
	esac
}
needs='; it is to be QEMU 7\.2 as Debian 12 has it, with TCG plugins of interface version 1$'

# In QEMU's place: what QEMU says that was configured without plugins (include/qemu/plugin.h, qemu_plugin_opt_parse).
no_plugins() {
	emulator_of "$1"
	mkdir -p "$work/none"
	printf '#!/bin/sh\necho "%s: -plugin x.so: plugin interface not enabled in this build" >&2\nexit 1\n' \
		"$program" >"$work/none/$program"
	chmod +x "$work/none/$program"
	capture env PATH="$work/none:$PATH" tools/run-image "$TARGET" "$IMAGE.$FORMAT" run=selftest
	ended 4 && says 'plugin interface not enabled' && says "^palmon: the emulator failed \(exit code 1\)$needs"
}
guest_no_plugins() {
	emulator_of nehalem
	capture env PATH="$work/none:$PATH" GUEST="$IMAGE.elf" tools/run-guest nehalem "$IMAGE.img"
	ended 4 && says 'plugin interface not enabled' && says "^palmon: the emulator failed$needs"
}
for target in nehalem sparct4; do
	check "$target: QEMU without plugins" no_plugins $target
done
check "a guest: QEMU without plugins" guest_no_plugins

# A tree of its own, whose plugin is of another version, with more in its mailbox; its images are this one's.
tree="$work/tree"
other() {
	rm -rf "$tree" && mkdir "$tree" && git ls-files -z | xargs -0 cp --parents -t "$tree" &&
		sed -i -e "s/^#define $2 .*/#define $2 99/" -e 's/char problem.*/& char new[8];/' \
			-e 's/uint64_t cycles;/& uint64_t new;/' "$tree/$1" &&
		make --no-print-directory -s -C "$tree" build/plugin/palmon.so
}
boot_other() {
	emulator_of "$1"
	capture env BUILD="$tree/build" TIMEOUT=300 tools/run-image "$TARGET" "$IMAGE.$FORMAT" run=selftest
}

other_interface() {
	boot_other "$1"
	ended 4 && says 'plugin requires API version 99, but this QEMU supports only up to version 1$' &&
		says "^palmon: the emulator failed \(exit code 1\)$needs"
}
check "a plugin for another version of QEMU's interface" other hal/emu/plugin/qemu.h QEMU_INTERFACE
for target in nehalem sparct4; do
	check "$target: QEMU names both, and palmon what is needed" other_interface $target
done

version=$(sed -n 's/^#define MAILBOX_VERSION \([0-9]*\).*/\1/p' hal/include/mailbox.h)
other_mailbox() {
	boot_other "$1"
	ended 1 && says "its mailbox has version $version, the plugin's 99" && says '^palmon: status 1 \(no PMU\)'
}
check "a plugin with another mailbox" other hal/include/mailbox.h MAILBOX_VERSION
for target in nehalem sparct4; do
	check "$target: the image names both" other_mailbox $target
done
done_checking
