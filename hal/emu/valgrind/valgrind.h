/* SPDX-License-Identifier: BSD-2-Clause */
/* Valgrind's interface to its tools, as Debian's package has it, and what a tool has no library for. */
#ifndef TOOL_VALGRIND_H
#define TOOL_VALGRIND_H

#include "pub_tool_basics.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vkiscnums.h"

/* Moves a file descriptor to where programs neither see it nor can close it. Only the core's headers have it. */
extern Int VG_(safe_fd)(Int fd);

#endif
