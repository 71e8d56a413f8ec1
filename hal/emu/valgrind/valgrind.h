/* SPDX-License-Identifier: BSD-2-Clause */
/* Valgrind's tool interface as Debian packages it, and library functions that tools lack. */
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

/* Moves a file descriptor out of the program's range, where programs cannot close it. Only
 * valgrind's core headers declare it. */
extern Int VG_(safe_fd)(Int fd);

#endif
