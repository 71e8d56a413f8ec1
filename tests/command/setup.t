#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/setup: package names in each Debian release, messages to an ordinary user, packages that
# root installs. Programs of this test replace dpkg and apt.
. tests/tap.sh

mkdir "$work/bin"
# program NAME: makes a shell script of standard input.
program() {
	{ echo '#!/bin/sh'; cat; } >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}
# machine INSTALLED KNOWN [LISTS]: the names of installed packages, and of packages that apt knows;
# LISTS is empty if apt has no lists. apt's commands are written to $work/ran, and `install`
# installs.
machine() {
	printf '%s\n' $1 | sort >"$work/installed"
	printf '%s\n' $2 | sort >"$work/known"
	: >"$work/ran"
	rm -f "$work/lists"
	[ -z "${3-yes}" ] || echo list >"$work/lists"
	program dpkg-query <<-END
		sed 's/^/installed /' "$work/installed"
	END
	program apt-cache <<-END
		[ ! -e "$work/lists" ] || grep "^\$2" "$work/known"
	END
	program apt-get <<-END
		case \$* in
		indextargets*) cat "$work/lists" 2>/dev/null; exit ;;
		update*) echo list >"$work/lists" ;;
		install*) echo "\$*" | tr ' ' '\n' | grep -vxE -- '-.*|install' >>"$work/installed" ;;
		esac
		echo "\$*" >>"$work/ran"
	END
}
# setup WHO ARGUMENT...
setup() {
	echo "echo $1" | program id
	shift
	capture env PATH="$work/bin:$PATH" tools/setup "$@"
}

# Packages in Debian's archives with differing names: bookworm, trixie, and a made-up later release.
debian12='binutils-ia64-linux-gnu binutils-ia64-linux-gnu-dbg binutils-source gcc-11-source gcc-12-source
	xen-hypervisor-4.17-amd64 xen-hypervisor-4.17-amd64-dbg xen-hypervisor-common'
debian13='binutils-source gcc-12-source gcc-13-source gcc-14-source gcc-14-source-nvptx
	xen-hypervisor-4.20-amd64 xen-hypervisor-4.20-amd64-dbg xen-hypervisor-common'
later='binutils-source gcc-9-source gcc-10-source xen-hypervisor-4.9-amd64 xen-hypervisor-4.21-amd64'

# lists PATTERN LINE...: the packages of image-ia64, check and extra that match the pattern.
lists() {
	pattern=$1
	shift
	setup 1000 --list image-ia64 check extra
	ended 0 && grep -xE "$pattern" "$work/out" >"$work/found"
	printf '%s\n' "$@" | diff - "$work/found"
}
differing='gcc-.*-source|xen-.*|binutils-(ia64.*|source)'
machine '' "$debian12"
check "names in Debian 12" lists "$differing" binutils-ia64-linux-gnu gcc-12-source \
	binutils-source \
	xen-hypervisor-4.17-amd64
machine '' "$debian13"
check "names in Debian 13" lists "$differing" \
	binutils-source gcc-14-source xen-hypervisor-4.20-amd64
machine '' "$later"
check "the newest by number, not by letters" lists "$differing" binutils-source gcc-10-source \
	xen-hypervisor-4.21-amd64
machine 'gcc-13-source binutils-ia64-linux-gnu xen-hypervisor-4.17-amd64' "$debian13"
check "an installed package is as good as a newer one" lists "$differing" \
	binutils-ia64-linux-gnu gcc-13-source \
	binutils-source xen-hypervisor-4.17-amd64

no_qemu() {
	setup 1000 --list image-x86 image-sparc64 image-ia64 plugin iso host check extra fuzz
	ended 0 && [ "$(wc -l <"$work/out")" -gt 50 ] && ! grep -E '^qemu-system' "$work/out"
}
machine '' "$debian13"
check "Debian's own QEMU is in no group" no_qemu

# groups EXPECTED ARGUMENT...: of the tests' two groups, make with these arguments sets up these.
groups() {
	expected=$1
	shift
	capture make --no-print-directory -n MAKE=true setup "$@"
	sed -n '/^tools\/setup /,/[^\\]$/p' "$work/out" >"$work/asked"
	[ "$(tr -s '\t \\' '\n' <"$work/asked" | grep -xE 'check|extra' | xargs)" = "$expected" ] ||
		{ cat "$work/asked"; false; }
}
check "make check needs the packages of most tests" groups check check EXTRA=
check "make check EXTRA=1 needs the extra packages, too" groups 'check extra' check EXTRA=1

# A test that needs packages: its TAP, or "runs".
needs_packages() (
	EXTRA=$1
	shift
	tap_number=0
	! with_packages "a test" "$@" || echo runs
)
is() {
	expected=$1
	shift
	needs_packages "$@" >"$work/out"
	echo "$expected" | diff - "$work/out"
}
skipped="ok 1 - a test # SKIP needs Debian's package absent-package"
check "without EXTRA, a test whose file is missing is skipped, with the package's name" \
	is "$skipped" "" libc6:/ absent-package:/absent
check "without EXTRA, a test whose program is missing is skipped, with the package's name" \
	is "$skipped" "" dash:sh absent-package:absent-program
check "with EXTRA, such a test is not skipped" is runs 1 absent-package:/absent \
	absent-package:absent-program
check "a test with its packages is not skipped" is runs "" dash:sh libc6:/

# long_prints EXTRA LINE...: a long check prints these lines.
long_prints() {
	(EXTRA=$1 tap_number=0 && long "a check" false) >"$work/long"
	shift
	printf '%s\n' "$@" | diff - "$work/long"
}
check "without EXTRA, a long check is skipped" long_prints "" \
	"ok 1 - a check # SKIP long; EXTRA=1 runs it"
check "with EXTRA, a long check runs" long_prints 1 "not ok 1 - a check"

# one_line LINE: the status is 1, and this line is the whole output.
one_line() {
	ended 1 && [ "$(cat "$work/out")" = "palmon: $1" ] || { cat "$work/out"; false; }
}
install='apt-get install --no-install-recommends'
missing="packages are missing; install them with: sudo"
machine 'gcc libc6-dev' "$debian13"
setup 1000 plugin
check "an ordinary user reads the missing packages and the command" one_line \
	"$missing $install libzydis-dev"
nothing_ran() {
	[ ! -s "$work/ran" ] || { cat "$work/ran"; false; }
}
check "an ordinary user installs nothing" nothing_ran
machine 'gcc libc6-dev' '' ''
setup 1000 plugin
check "on a machine without package lists" one_line \
	"$missing apt-get update && sudo $install libzydis-dev"
setup 1000 image-ia64
check "if names depend on missing lists" one_line \
	"apt has no lists of packages; get them with: sudo apt-get update"
machine '' 'gcc libc6-dev'
setup 0 image-ia64
check "a release without such a package, for root, too" one_line \
	"this release of Debian has no package binutils-ia64-linux-gnu|binutils-source gcc-*-source"

# as_root LINE...: the apt commands that ran, without their options.
as_root() {
	printf '%s\n' "$@" >"$work/expected"
	ended 0 && sed 's/ -[^ ]*//g' "$work/ran" | diff "$work/expected" -
}
machine 'gcc libc6-dev' "$debian13"
setup 0 plugin
check "root installs what is missing" as_root 'install libzydis-dev'
: >"$work/ran"
setup 0 plugin
check "root installs nothing twice" nothing_ran
machine 'gcc libc6-dev' "$debian13" ''
setup 0 plugin
check "after fetching lists" as_root 'update' 'install libzydis-dev'

cannot() {
	machine 'gcc libc6-dev' "$debian13"
	program apt-get <<-END
		echo "\$*" >>"$work/ran"
		case \$* in
		indextargets*) echo list ;;
		install*) echo 'E: Unable to locate package' >&2; exit 100 ;;
		esac
	END
	setup 0 plugin
	ended 1 && says '^E: Unable to locate' &&
		says '^palmon: could not install libzydis-dev \(see above\)$' &&
		[ "$(grep -c '^install' "$work/ran")" -eq 2 ] && grep -q '^update' "$work/ran"
}
check "a failed installation, with old and with new lists" cannot

check "an unknown group" eval 'setup 1000 nothing && ended 2 && says "no package group .nothing."'

# On this machine, with its own dpkg and apt.
real() {
	capture tools/setup --list image-x86 image-sparc64 image-ia64 plugin iso host check extra \
		fuzz
	ended 0 && ! grep '[*|]' "$work/out" &&
		apt-cache show --no-all-versions $(cat "$work/out") >"$work/shown" &&
		[ "$(grep -c '^Package: ' "$work/shown")" -eq "$(wc -l <"$work/out")" ]
}
if [ -n "$(apt-get indextargets --format '$(FILENAME)' 'Created-By: Packages' 2>/dev/null)" ]; then
	check "this machine's apt knows all of them" real
else
	skip "this machine's apt knows all of them" "it has no lists of packages"
fi
done_checking
