#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# QEMU functions and variables that the plugin needs beyond the plugin interface: if one is missing,
# or QEMU has another version, QEMU ends with a line that says so. A program of this test calls the
# plugin as QEMU does.
. tests/tap.sh
. tests/qemu.sh
use_qemu qemu-system-x86_64

# Weak symbols that the plugin uses if they exist, without the C library's.
nm -D "$plugin" | awk '$1 == "w" && $2 !~ /^_/ { print $2 }' >"$work/names"
variables='address_space_memory use_icount tcg_allowed vmstate_cpu_common vmstate_x86_cpu vmstate_sparc_cpu'

# host FILE MINOR [LACKING]: a program that defines all of them except LACKING and reports version
# QEMU 11.MINOR. QEMU's types: include/plugins/qemu-plugin.h (qemu_info_t), qapi/misc.json
# (VersionInfo).
host() {
	lacking=${3:-}
	{
		cat <<-END
			#include <dlfcn.h>
			#include <stdbool.h>
			#include <stdint.h>
			#include <stdio.h>
			__thread void *current_cpu;
			static struct { int64_t major, minor, micro; } version = {11, $2, 0};
			static struct { void *qemu; char *package; } versions = {&version, ""};
			static struct {
				const char *name;
				struct { int min, cur; } version;
				bool is_system;
				int cpus, most;
			} info = {"", {2, 7}, true, 1, 1};
			void *qmp_query_version(void **error) { (void)error; return &versions; }
			int main(int argc, char **argv)
			{
				void *plugin = dlopen(argv[1], RTLD_LAZY);
				int (*install)(uint64_t, void *, int, char **) =
					plugin ? dlsym(plugin, "qemu_plugin_install") : 0;
				if (!install) {
					fprintf(stderr, "%s\n", dlerror());
					return 99;
				}
				info.name = argv[2];
				return install(1, &info, argc - 3, argv + 3);
			}
		END
		grep -vx -e current_cpu -e qmp_query_version -e "$lacking" "$work/names" |
			while read -r name; do
			case " $variables " in
			*" $name "*) echo "uint64_t $name[16];" ;;
			*) echo "void $name(void) { }" ;;
			esac
		done
	} >"$work/host.c"
	gcc -w -rdynamic -o "$1" "$work/host.c"
}

# ends ARCH MESSAGE [ARGUMENT...]: the plugin refuses with exactly this line.
ends() {
	arch=$1 message=$2
	shift 2
	capture "$work/host" "$plugin" "$arch" "$@"
	[ "$status" -eq 1 ] && [ "$(cat "$work/out")" = "palmon: $message" ] ||
		{ echo "$status"; cat "$work/out"; return 1; }
}
debian='palmon needs QEMU 11.1 as Debian builds it'
no_pmu="the processors of this QEMU have no PMU 'none' (pmu=)"

complete() {
	host "$work/host" 1 && ends x86_64 "$no_pmu" pmu=none && ends sparc64 "$no_pmu" pmu=none
}
check "with all of them the plugin goes on" complete
# without NAME: makes $work/host a copy of the complete program, with another first letter in the
# symbol's name. The linker may store a name as the end of a longer one; then compiles the program.
without() {
	perl -0777 -pe "s/\\0\\K[a-z](?=${1#?}\\0)/Z/g" "$work/complete" >"$work/host" || return
	if cmp -s "$work/complete" "$work/host"; then
		host "$work/host" 1 "$1"
	fi
}
missing() {
	[ "$(wc -l <"$work/names")" -gt 30 ] && host "$work/host" 1 &&
		cp "$work/host" "$work/complete" || return
	while read -r name; do
		[ "$name" != current_cpu ] && [ "$name" != qmp_query_version ] || continue
		without "$name" || return
		named=
		for arch in x86_64 sparc64; do
			ends $arch "$no_pmu" pmu=none >"$work/ends" ||
				{ ends $arch "this QEMU does not export $name ($debian)" \
				pmu=none && named=1; } ||
				{ echo "without $name: $arch"; return 1; }
		done
		[ "$named" ] || { echo "$name is not missed"; return 1; }
	done <"$work/names"
}
check "each missing symbol is named" missing
untested="QEMU 11.2 is not one of the versions that palmon was tested with (11.1); try it with force=on"
version() {
	host "$work/host" 2 && ends x86_64 "$untested" pmu=none && ends x86_64 "$no_pmu" pmu=none \
		force=on
}
check "an untested version needs force=on" version
other() {
	host "$work/host" 1 &&
		ends riscv64 'the plugin has no PMU for the processors of this QEMU' pmu=nehalem
}
check "QEMU for other processors" other
done_checking
