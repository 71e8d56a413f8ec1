# SPDX-License-Identifier: BSD-2-Clause
# Fresh trees of Debian's releases, in which tests type the first commands of README.md as on a new
# machine. To be sourced after tests/tap.sh, from the top of the repository.
#
# Each command in a tree has its own mount and process namespaces. When it ends or is interrupted,
# the kernel ends the processes that it has started and unmounts its mounts.

trees=$work/trees
mkdir "$trees"
apart=
trap '[ -z "$apart" ] || kill -KILL "$apart"; rm -rf --one-file-system "$work"' EXIT

# apart COMMAND...: runs it in its own namespaces. A signal during the run ends it, too.
apart() {
	unshare --mount --pid --fork --kill-child "$@" </dev/null &
	apart=$!
	wait "$apart"
	set -- $?
	apart=
	return "$1"
}

# can_make SUITE: true if a tree of this release can be made here. Sets $mirror, one of apt's
# mirrors, or $lacks.
can_make() {
	lacks="only root can make a tree of Debian"
	[ "$(id -u)" -eq 0 ] || return
	lacks="needs Debian's package debootstrap"
	command -v debootstrap >/dev/null || return
	lacks="this machine allows no namespaces"
	apart true 2>/dev/null || return
	lacks="no mirror of apt's can be reached, or none has $1"
	for mirror in $(apt-get indextargets --no-release-info --format '$(REPO_URI)' | sort -u |
		grep -v security); do
		! /usr/lib/apt/apt-helper download-file "${mirror%/}/dists/$1/InRelease" \
			"$work/InRelease" \
			>"$work/log" 2>&1 || return 0
	done
	return 1
}

# make_tree SUITE: makes $trees/SUITE, with git, make and a user. root and the user have a clone of
# this repository, with the uncommitted changes.
make_tree() {
	tree=$trees/$1
	apart debootstrap --variant=minbase --include=git,make "$1" "$tree" "$mirror" &&
		{ cp -L /etc/hosts /etc/resolv.conf "$tree/etc/" || true; } &&
		apt-config dump Acquire::http::Proxy Acquire::https::Proxy \
		>"$tree/etc/apt/apt.conf.d/90proxy" &&
		echo force-unsafe-io >"$tree/etc/dpkg/dpkg.cfg.d/quick" &&
		chroot "$tree" useradd -m user || return
	# Removed files are skipped.
	git ls-files | while read -r file; do [ ! -e "$file" ] || echo "$file"; done >"$work/files"
	for home in root home/user; do
		git clone -q . "$tree/$home/palmon" &&
			xargs -d '\n' cp --parents -t "$tree/$home/palmon" <"$work/files" || return
	done
	chown -R --reference="$tree/home/user" "$tree/home/user"
}

# give_qemu TREE: copies this machine's cached QEMU for the tree's users. Without one, they fetch
# it.
give_qemu() {
	cached=${XDG_CACHE_HOME:-$HOME/.cache}/palmon/qemu
	[ -d "$cached" ] || return 0
	mkdir -p "$1/home/user/.cache/palmon" && cp -a "$cached" "$1/home/user/.cache/palmon/" &&
		chown -R --reference="$1/home/user" "$1/home/user/.cache"
}

# type_in TREE USER COMMAND: runs it in the user's clone, with /sys and pseudo-terminals, as on a
# machine. Like capture: output in $work/out, status in $status.
type_in() {
	home=/home/$2
	[ "$2" != root ] || home=/root
	capture apart --mount-proc="$1/proc" sh -c 'mount -t sysfs -o ro sysfs "$1/sys" &&
		mount -t devpts -o ptmxmode=0666 devpts "$1/dev/pts" && shift && exec "$@"' \
		on_machine "$1" chroot --userspec="$2:$2" --groups= "$1" env -i HOME="$home" \
		PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin \
		${EXTRA:+"EXTRA=$EXTRA"} \
		${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
		sh -c "cd ~/palmon && $3"
}

# The first commands of an ordinary user in TREE, and their results.
refused() {
	type_in "$1" user 'make run'
	ended 2 && [ "$(grep -c '^palmon: ' "$work/out")" -eq 1 ] &&
		[ "$(wc -l <"$work/out")" -le 2 ] &&
		sed -n 's/^palmon: packages are missing; install them with: sudo //p' "$work/out" \
		>"$work/command" &&
		[ -s "$work/command" ]
}
installs() {
	type_in "$1" root "DEBIAN_FRONTEND=noninteractive $(cat "$work/command") -y"
	ended 0
}
complete() {
	type_in "$1" root 'make --no-print-directory setup'
	ended 0 && [ ! -s "$work/out" ] || { cat "$work/out"; false; }
}
# runs TREE USER ARGUMENTS: make run with these arguments; its self test passes.
runs() {
	type_in "$1" "$2" "make run $3"
	ended 0 && says '^palmon: status 0 \(success\)$' &&
		awk '/^self test: / { all = $3 == $5 && $3 > 100 } END { exit !all }' "$work/out"
}
# healthy TREE USER: palmon doctor knows the QEMU from the cache and misses nothing that the image needs.
healthy() {
	type_in "$1" "$2" 'build/host/palmon doctor image-x86'
	ended 0 && says '^nothing is missing$' &&
		says '^  qemu-system-x86_64 .*/palmon/qemu/bin/.* \([0-9.]+, cached\)$'
}

# ordinary_user SUITE ARGUMENTS: the checks of an ordinary user's first commands, with make run's arguments.
ordinary_user() {
	check "$1: make run names the missing packages in one line, and the command that installs them" \
		refused "$trees/$1"
	check "$1: that command installs them" installs "$trees/$1"
	check "$1: nothing else was missing" complete "$trees/$1"
	check "$1: make run $2" runs "$trees/$1" user "$2"
	check "$1: palmon doctor" healthy "$trees/$1" user
}
