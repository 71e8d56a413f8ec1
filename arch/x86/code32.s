# SPDX-License-Identifier: BSD-2-Clause
# Assembled ahead of what the compiler makes for 32-bit mode, so that it can be linked with the rest.
	.code32
