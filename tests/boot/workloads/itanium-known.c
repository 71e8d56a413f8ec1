// SPDX-License-Identifier: BSD-2-Clause
// Functions for ia64 whose events can be counted by reading them. Each is a loop, and three bundles
// around it: 9 instructions.
//
//    dot     100,000 turns of 6 instructions: two loads of doubles, and a multiply-add
//    walk    16,384 turns of 3, in 130 calls: a load of another line of 64 bytes. All loads of the
//            large structure (256 KB, twice) miss L1D and L2, which replace the least recently used
//            line. Each line of the small one (4 KB, 128 times) misses once.
//    spill   20,000 turns of 6: a register is spilled and filled
//    choose  65,535 turns of 9, and 3 more if its branch is not taken: if bit 0 of a 16-bit Galois
//            shift register of the longest period is 0. The register takes all values but 0; bit 0
//            is 0 for 32,767 of them.

#include <stdint.h>

#define LINES_LARGE	4096
#define LINES_SMALL	64
#define LINE		64

struct line {
	_Alignas(LINE) uint64_t word;
};

// An address range that is matched begins at a multiple of its size.
_Alignas(LINES_LARGE * LINE) struct line large[LINES_LARGE];
_Alignas(LINES_SMALL * LINE) struct line small[LINES_SMALL];
static const double pair[2] = {1.5, 2};

void dot(const double *a, const double *b);
void walk(const struct line *first, uint64_t lines_less_1);
void spill(uint64_t *place);
void choose(void);
int workload(void);

#define FUNCTION(name)	".proc " #name "\n.global " #name "\n.balign 128\n" #name ":\n"
// LC is preserved for the caller.
#define TIMES(n)		\
	"{ .mii\n"		\
	"	mov r14=" n "\n" \
	"	mov.i r31=ar.lc\n" \
	"	nop.i 0;;\n"	\
	"}\n"			\
	"{ .mii\n"		\
	"	mov r15=r32\n"	\
	"	mov.i ar.lc=r14\n" \
	"	mov r16=1;;\n"	\
	"}\n"			\
	"1:\n"
#define END(name)			\
	"	br.cloop.sptk.few 1b;;\n" \
	"}\n"				\
	"{ .mib\n"			\
	"	nop.m 0\n"		\
	"	mov.i ar.lc=r31\n"	\
	"	br.ret.sptk.few b0;;\n"	\
	"}\n"				\
	".endp " #name "\n"

__asm__(".text\n"
	FUNCTION(dot)
	TIMES("99999")
	"{ .mmf\n"
	"	ldfd f6=[r32]\n"
	"	ldfd f7=[r33]\n"
	"	nop.f 0;;\n"
	"}\n"
	"{ .mfb\n"
	"	nop.m 0\n"
	"	fma.d f8=f6,f7,f8\n"
	END(dot)

	FUNCTION(walk)
	TIMES("r33")
	"{ .mib\n"
	"	ld8 r17=[r15],64\n"
	"	nop.i 0\n"
	END(walk)

	FUNCTION(spill)
	TIMES("19999")
	"{ .mii\n"
	"	st8.spill [r15]=r16\n"
	"	nop.i 0\n"
	"	nop.i 0;;\n"
	"}\n"
	"{ .mib\n"
	"	ld8.fill r16=[r15]\n"
	"	nop.i 0\n"
	END(spill)

	FUNCTION(choose)
	TIMES("65534")
	"{ .mii\n"
	"	mov r17=0xB400\n"
	"	tbit.nz p6,p7=r16,0\n"
	"	shr.u r18=r16,1;;\n"
	"}\n"
	"{ .mib\n"
	"(p6)	xor r16=r17,r18\n"
	"(p7)	mov r16=r18\n"
	"(p6)	br.cond.dptk.few 2f;;\n"
	"}\n"
	"{ .mii\n"
	"	nop.m 0\n"
	"	nop.i 0\n"
	"	nop.i 0;;\n"
	"}\n"
	"2:\n"
	"{ .mib\n"
	"	nop.m 0\n"
	"	nop.i 0\n"
	END(choose));

int workload(void)
{
	uint64_t place;

	dot(&pair[0], &pair[1]);
	walk(large, LINES_LARGE - 1);
	walk(large, LINES_LARGE - 1);
	for (unsigned i = 0; i < LINES_LARGE * 2 / LINES_SMALL; i++)
		walk(small, LINES_SMALL - 1);
	spill(&place);
	choose();
	return 0;
}
