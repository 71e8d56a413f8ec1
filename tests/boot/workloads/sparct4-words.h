// SPDX-License-Identifier: BSD-2-Clause
// Words of a workload that a test changes in the image, without another build
// (tests/boot/sparct4-words.sh).

#ifndef SPARCT4_WORDS_H
#define SPARCT4_WORDS_H

#include <stdint.h>

// WORD(name, value): the constant `name`. The assembler defines it, so the compiler does not know
// its value.
#define WORD(name, value)									\
	extern const uint32_t name;								\
	__asm__(".pushsection .rodata\n .balign 4\n .globl " #name "\n" #name		\
		": .word " #value "\n .popsection")

#endif
