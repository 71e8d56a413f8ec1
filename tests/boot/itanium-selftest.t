#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The self test of Itanium's image: all of it, the same each time.
. tests/tap.sh
use_target itanium elf
. tests/boot/whole-selftest.sh
done_checking
