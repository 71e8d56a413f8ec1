# SPDX-License-Identifier: BSD-2-Clause
# Checks that the image of a target with one CPU and no NMIs refuses these variables of `make run`.
# Source after use_target.
value='the value is to be:'
check "overflow interrupts that are NMIs are refused" session_refused \
	"^palmon: pmi=nmi: $value vector \\(" PMI=nmi
check "two threads are refused" session_refused "^palmon: threads=2: $value 1 \\(this image" \
	THREADS=2
check "two packages are refused" session_refused \
	"^palmon: SOCKETS=2: the machine of $TARGET has 1 package\$" SOCKETS=2
