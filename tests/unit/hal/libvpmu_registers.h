/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of the vPMUs under test. test_libvpmu.c names the manuals. */
#ifndef LIBVPMU_REGISTERS_H
#define LIBVPMU_REGISTERS_H

#include "libvpmu.h"

/* Nehalem */
enum {
	PMC0 = 0xC1, PERFEVTSEL0 = 0x186, DEBUGCTL = 0x1D9, FIXED_CTR0 = 0x309,
	FIXED_CTR_CTRL = 0x38D,
	GLOBAL_STATUS = 0x38E, GLOBAL_CTRL = 0x38F, GLOBAL_OVF_CTRL = 0x390, PEBS_ENABLE = 0x3F1,
	CAPABILITIES = 0x345, DS_AREA = 0x600,
};

#define USR		(1ULL << 16)
#define OS		(1ULL << 17)
#define INT		(1ULL << 20)
#define ANY		(1ULL << 21)
#define EN		(1ULL << 22)
#define INSTRUCTIONS	0xC0ULL
#define CYCLES		0x3CULL
#define BRANCHES	0xC4ULL
#define WIDTH_48	(1ULL << 48)

/* Knights Corner */
enum { KNC_COUNT0 = 0x20, KNC_SELECT0 = 0x28, KNC_SPFLT = 0x2C, KNC_CTRL = 0x2F };
#define KNC_INSTRUCTIONS 0x16ULL

/* SPARC T4 */
enum { PCR0 = 0x6400, PIC0 = 0xB000 };
#define T4_SL(sl)	((uint64_t)(sl) << 11)
#define T4_OV		1ULL
#define T4_TOE		2ULL
#define T4_UT		4ULL
#define T4_ST		8ULL
#define T4_HT		16ULL
#define T4_ALL_KINDS	(0x3FULL << 5)
#define T4_NPT		(1ULL << 16)

static inline void go(unsigned thread, uint64_t instructions)
{
	assert_int_equal(vpmu_core_advance(core, thread, instructions, instructions), VPMU_OK);
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

#endif
