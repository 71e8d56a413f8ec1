#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The complete self test of Itanium's image, with the same result each time.
. tests/tap.sh
use_target itanium elf
. tests/boot/whole-selftest.sh
done_checking
