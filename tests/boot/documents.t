#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The commands of READMEs and manual pages that boot images, as they are printed, with the lines that are shown: counts
# depend on the image, words, small numbers and hexadecimal ones do not.
. tests/tap.sh
. tests/documents.sh

PATH=$(cd "$BUILD/host" && pwd):$PATH
in_place() {
	export MAKEFLAGS="--no-print-directory -- BUILD=$BUILD"
}
run_commands tests/boot/documents.t compare-form
rm -f kernel
done_checking
