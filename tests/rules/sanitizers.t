#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The sanitizers of the unit tests stop mistakes. gcc knows the sizes of objects only if it
# optimizes.
. tests/tap.sh

flags=$(sed -n 's/^SANITIZED := //p' Makefile)
cat >"$work/mistakes.c" <<'END'
#include <stdint.h>
#include <stdlib.h>

struct file {
	uint64_t stored[4];
};
static struct file first, second[64];

static int load(const struct file *file, int by)
{
	return (int)file[by].stored[0];
}

int main(int count, char **mistake)
{
	struct file *file = malloc(sizeof *file);

	switch (*mistake[1]) {
	case 'o': return load(&first, count * 8);	// in `second`, wherever that is
	case 'b': return (int)first.stored[count + 2];
	case 's': return 1 << (count + 40);
	case 'a': free(file); return (int)file->stored[1];
	}
	free(file);
	second[0] = first;
	return 0;
}
END
compiles() {
	[ -n "$flags" ] && gcc $flags -g -w -o "$work/mistakes" "$work/mistakes.c"
}
check "mistakes compile with the tests' flags: $flags" compiles
check "without a mistake the program ends well" "$work/mistakes" none
# stops MISTAKE MESSAGE
stops() {
	capture "$work/mistakes" "$1"
	[ "$status" -ne 0 ] && says "$2"
}
check "an access outside the object that a pointer points to is stopped" stops object \
	'insufficient space for an object'
check "an index outside an array is stopped" stops bounds 'index 4 out of bounds'
check "a shift by too many bits is stopped" stops shift 'shift exponent 42 is too large'
check "an access to freed memory is stopped" stops address 'heap-use-after-free'
done_checking
