#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# README.md's first command on a fresh Debian 13, typed by an ordinary user: the instructions that
# it prints, and the run after the user followed them. make debian does more (tests/debian).
. tests/tap.sh
. tests/debian/tree.sh
long_script "a fresh Debian 13"
with_packages "a fresh Debian 13" debootstrap:debootstrap || { done_checking; exit; }
if ! can_make trixie; then
	skip "a fresh Debian 13" "$lacks"
elif ! make_tree trixie >"$work/log" 2>&1; then
	skip "a fresh Debian 13" "no tree could be made: $(tail -n 1 "$work/log")"
else
	give_qemu "$trees/trixie"
	ordinary_user trixie RUN=selftest
fi
done_checking
