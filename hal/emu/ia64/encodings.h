/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats and encodings of ia64 instructions, as lists. The manual's tables 4-8 to 4-74. */
#ifndef IA64_ENCODINGS_H
#define IA64_ENCODINGS_H

/* ROW(name, unit, fields that determine the encoding, operands, latency, traits). The manual's
 * formats; a format whose encodings differ in latency or traits has several rows. Latency:
 * LATENCY_*, of results that are not loaded. Traits: traits.h. */
#define IA64_FORMATS(ROW) \
	ROW(A1, A, MASK5(OP, X2A, VE, X4, X2B), "r1=r2,r3", INTEGER, 0) \
	ROW(A1_ONE, A, MASK5(OP, X2A, VE, X4, X2B), "r1=r2,r3,1", INTEGER, 0) \
	ROW(A2, A, MASK4(OP, X2A, VE, X4), "r1=r2,count2,r3", INTEGER, 0) \
	ROW(A3, A, MASK5(OP, X2A, VE, X4, X2B), "r1=imm8,r3", INTEGER, 0) \
	ROW(A4, A, MASK3(OP, X2A, VE), "r1=imm14,r3", INTEGER, 0) \
	ROW(A5, A, MASK1(OP), "r1=imm22,r3a", INTEGER, 0) \
	ROW(A6, A, MASK5(OP, X2, TB, TA, C12), "p1,p2=r2,r3", INTEGER, 0) \
	ROW(A6_UNC, A, MASK5(OP, X2, TB, TA, C12), "p1,p2=r2,r3", INTEGER, TRAIT_ALWAYS) \
	ROW(A7, A, MASK5(OP, X2, TB, TA, C12), "p1,p2=r0,r3", INTEGER, 0) \
	ROW(A8, A, MASK4(OP, X2, TA, C12), "p1,p2=imm8,r3", INTEGER, 0) \
	ROW(A8_UNC, A, MASK4(OP, X2, TA, C12), "p1,p2=imm8,r3", INTEGER, TRAIT_ALWAYS) \
	ROW(A9, A, MASK6(OP, X2A, ZA, ZB, X4, X2B), "r1=r2,r3", INTEGER, 0) \
	ROW(A10, A, MASK5(OP, X2A, ZA, ZB, X4), "r1=r2,count2,r3", MULTIMEDIA, 0) \
	ROW(I1, I, MASK6(OP, ZA, ZB, I_VE, X2A, I_X2B), "r1=r2,r3,count2c", MULTIMEDIA,	\
	    TRAIT_FIRST_UNIT)	\
	ROW(I2, I, I7_MASK, "r1=r2,r3", MULTIMEDIA, 0) \
	ROW(I2_MULTIPLY, I, I7_MASK, "r1=r2,r3", MULTIMEDIA, TRAIT_FIRST_UNIT) \
	ROW(I2_MINIMUM, I, I7_MASK, "r1=r2,r3", INTEGER, 0) \
	ROW(I3, I, I7_MASK, "r1=r2,mbtype4", MULTIMEDIA, 0) \
	ROW(I4, I, I7_MASK, "r1=r2,mhtype8", MULTIMEDIA, 0) \
	ROW(I5, I, I7_MASK, "r1=r3,r2", MULTIMEDIA, 0) \
	ROW(I5_SHR, I, I7_MASK, "r1=r3,r2", INTEGER, 0) \
	ROW(I6, I, I7_MASK, "r1=r3,count5", MULTIMEDIA, 0) \
	ROW(I7, I, I7_MASK, "r1=r2,r3", MULTIMEDIA, 0) \
	ROW(I7_SHL, I, I7_MASK, "r1=r2,r3", INTEGER, 0) \
	ROW(I8, I, I7_MASK, "r1=r2,ccount5", MULTIMEDIA, 0) \
	ROW(I9, I, I7_MASK, "r1=r3", MULTIMEDIA, TRAIT_FIRST_UNIT) \
	ROW(I10, I, MASK3(OP, X2, X33), "r1=r2,r3,count6", INTEGER, TRAIT_FIRST_UNIT) \
	ROW(I11, I, MASK4(OP, X2, X33, Y13), "r1=r3,pos6,len6", INTEGER, TRAIT_FIRST_UNIT) \
	ROW(I12, I, MASK4(OP, X2, X33, Y26), "r1=r2,cpos6c,len6", INTEGER, TRAIT_FIRST_UNIT) \
	ROW(I13, I, MASK4(OP, X2, X33, Y26), "r1=imm8,cpos6c,len6", INTEGER, TRAIT_FIRST_UNIT) \
	ROW(I14, I, MASK3(OP, X2, X33), "r1=imm1,r3,cpos6b,len6", INTEGER, TRAIT_FIRST_UNIT) \
	ROW(I15, I, MASK1(OP), "r1=r2,r3,cpos6d,len4", INTEGER, TRAIT_FIRST_UNIT) \
	ROW(I16, I, MASK6(OP, X2, I_TA, I_TB, Y13, C12), "p1,p2=r3,pos6", INTEGER,	\
	    TRAIT_FIRST_UNIT)	\
	ROW(I16_UNC, I, MASK6(OP, X2, I_TA, I_TB, Y13, C12), "p1,p2=r3,pos6", INTEGER, \
	    TRAIT_ALWAYS | TRAIT_FIRST_UNIT) \
	ROW(I17, I, MASK6(OP, X2, I_TA, I_TB, Y13, C12) | MASK1(X19), "p1,p2=r3", INTEGER,	\
	    TRAIT_FIRST_UNIT)	\
	ROW(I17_UNC, I, MASK6(OP, X2, I_TA, I_TB, Y13, C12) | MASK1(X19), "p1,p2=r3", INTEGER, \
	    TRAIT_ALWAYS | TRAIT_FIRST_UNIT) \
	ROW(I18, I, MASK4(OP, X3, X6, Y26), "imm21", INTEGER, TRAIT_NOP) \
	ROW(I18_HINT, I, MASK4(OP, X3, X6, Y26), "imm21", INTEGER, 0) \
	ROW(I19, I, MASK3(OP, X3, X6), "imm21", INTEGER, 0) \
	ROW(I20, I, MASK2(OP, X3), "r2,target25c", INTEGER, TRAIT_CHECK_SPECULATIVE) \
	ROW(I21, I, MASK3(OP, X3, X22), "b1=r2,tag13", INTEGER, TRAIT_FIRST_UNIT) \
	ROW(I22, I, MASK3(OP, X3, X6), "r1=b2", INTEGER, TRAIT_FIRST_UNIT) \
	ROW(I23, I, MASK2(OP, X3), "pr=r2,mask17", INTEGER, TRAIT_FIRST_UNIT) \
	ROW(I24, I, MASK2(OP, X3), "pr.rot=imm44", INTEGER, TRAIT_FIRST_UNIT) \
	ROW(I25_IP, I, MASK3(OP, X3, X6), "r1=ip", INTEGER, TRAIT_FIRST_UNIT) \
	ROW(I25_PR, I, MASK3(OP, X3, X6), "r1=pr", INTEGER, TRAIT_FIRST_UNIT) \
	ROW(I26, I, MASK3(OP, X3, X6), "ar3=r2", FROM_APPLICATION, TRAIT_FIRST_UNIT) \
	ROW(I27, I, MASK3(OP, X3, X6), "ar3=imm8", FROM_APPLICATION, TRAIT_FIRST_UNIT) \
	ROW(I28, I, MASK3(OP, X3, X6), "r1=ar3", FROM_APPLICATION, TRAIT_FIRST_UNIT) \
	ROW(I29, I, MASK3(OP, X3, X6), "r1=r3", INTEGER, 0) \
	ROW(I30, I, MASK6(OP, X2, I_TA, I_TB, Y13, C12) | MASK1(X19), "p1,p2=imm5", INTEGER, 0) \
	ROW(I30_UNC, I, MASK6(OP, X2, I_TA, I_TB, Y13, C12) | MASK1(X19), "p1,p2=imm5", INTEGER, \
	    TRAIT_ALWAYS)	\
	ROW(M1, M, M_MASK, "r1=[r3]", INTEGER, TRAIT_HINT) \
	ROW(M1_TWO, M, M_MASK, "r1,ar.csd=[r3]", INTEGER, TRAIT_HINT) \
	ROW(M2, M, M_MASK, "r1=[r3],r2", INTEGER, TRAIT_HINT) \
	ROW(M3, M, MASK2(OP, M_X6), "r1=[r3],imm9", INTEGER, TRAIT_HINT) \
	ROW(M4, M, M_MASK, "[r3]=r2", INTEGER, TRAIT_HINT) \
	ROW(M4_TWO, M, M_MASK, "[r3]=r2,ar.csd", INTEGER, TRAIT_HINT) \
	ROW(M5, M, MASK2(OP, M_X6), "[r3]=r2,imm9b", INTEGER, TRAIT_HINT) \
	ROW(M6, M, M_MASK, "f1=[r3]", INTEGER, TRAIT_HINT) \
	ROW(M7, M, M_MASK, "f1=[r3],r2", INTEGER, TRAIT_HINT) \
	ROW(M8, M, MASK2(OP, M_X6), "f1=[r3],imm9", INTEGER, TRAIT_HINT) \
	ROW(M9, M, M_MASK, "[r3]=f2", INTEGER, TRAIT_HINT) \
	ROW(M10, M, MASK2(OP, M_X6), "[r3]=f2,imm9b", INTEGER, TRAIT_HINT) \
	ROW(M11, M, M_MASK, "f1,f2=[r3]", INTEGER, TRAIT_HINT) \
	ROW(M12_8, M, M_MASK, "f1,f2=[r3],8", INTEGER, TRAIT_HINT) \
	ROW(M12_16, M, M_MASK, "f1,f2=[r3],16", INTEGER, TRAIT_HINT) \
	ROW(M13, M, M_MASK, "[r3]", INTEGER, TRAIT_HINT) \
	ROW(M14, M, M_MASK, "[r3],r2", INTEGER, TRAIT_HINT) \
	ROW(M15, M, MASK2(OP, M_X6), "[r3],imm9", INTEGER, TRAIT_HINT) \
	ROW(M16, M, M_MASK, "r1=[r3],r2,ar.ccv", INTEGER, TRAIT_FIRST_UNIT | TRAIT_HINT) \
	ROW(M16_XCHG, M, M_MASK, "r1=[r3],r2", INTEGER, TRAIT_FIRST_UNIT | TRAIT_HINT) \
	ROW(M16_TWO, M, M_MASK, "r1=[r3],r2,ar.csd,ar.ccv", INTEGER, TRAIT_HINT) \
	ROW(M17, M, M_MASK, "r1=[r3],inc3", INTEGER, TRAIT_FIRST_UNIT | TRAIT_HINT) \
	ROW(M18, M, M_MASK, "f1=r2", TO_FLOAT, 0) \
	ROW(M19, M, M_MASK, "r1=f2", FROM_FLOAT, TRAIT_FIRST_UNIT) \
	ROW(M20, M, MASK2(OP, X3), "r2,target25c", INTEGER, TRAIT_CHECK_SPECULATIVE) \
	ROW(M21, M, MASK2(OP, X3), "f2,target25c", INTEGER, TRAIT_CHECK_SPECULATIVE | TRAIT_FLOAT) \
	ROW(M22, M, MASK2(OP, X3), "r1,target25b", INTEGER, TRAIT_CHECK_ADVANCED) \
	ROW(M23, M, MASK2(OP, X3), "f1,target25b", INTEGER, TRAIT_CHECK_ADVANCED | TRAIT_FLOAT) \
	ROW(M24, M, MASK4(OP, X3, M_X4, M_X2), "", INTEGER, 0) \
	ROW(M24_SRLZ_I, M, MASK4(OP, X3, M_X4, M_X2), "", INTEGER, TRAIT_OTHER) \
	ROW(M26, M, MASK4(OP, X3, M_X4, M_X2), "r1", INTEGER, 0) \
	ROW(M27, M, MASK4(OP, X3, M_X4, M_X2), "f1", INTEGER, 0) \
	ROW(M28, M, MASK4(OP, X3, X6, X36), "r3", INTEGER, 0) \
	ROW(M29, M, MASK3(OP, X3, X6), "ar3=r2", FROM_APPLICATION, TRAIT_FIRST_UNIT) \
	ROW(M30, M, MASK4(OP, X3, M_X4, M_X2), "ar3=imm8", FROM_APPLICATION, TRAIT_FIRST_UNIT) \
	ROW(M31, M, MASK3(OP, X3, X6), "r1=ar3", FROM_APPLICATION, TRAIT_FIRST_UNIT) \
	ROW(M32, M, MASK3(OP, X3, X6), "cr3=r2", INTEGER, 0) \
	ROW(M33, M, MASK3(OP, X3, X6), "r1=cr3", INTEGER, 0) \
	ROW(M34, M, MASK2(OP, X3), "r1=ar.pfs,sof,sol,sor", INTEGER, TRAIT_UNPREDICATED) \
	ROW(M35_L, M, MASK3(OP, X3, X6), "psr.l=r2", INTEGER, 0) \
	ROW(M35_UM, M, MASK3(OP, X3, X6), "psr.um=r2", INTEGER, 0) \
	ROW(M36, M, MASK3(OP, X3, X6), "r1=psr", INTEGER, 0) \
	ROW(M36_UM, M, MASK3(OP, X3, X6), "r1=psr.um", INTEGER, 0) \
	ROW(M37, M, MASK4(OP, X3, M_X4, M_X2), "imm21", INTEGER, 0) \
	ROW(M38, M, MASK3(OP, X3, X6), "r1=r3,r2", INTEGER, 0) \
	ROW(M39, M, MASK3(OP, X3, X6), "r1=r3,imm2", INTEGER, 0) \
	ROW(M40, M, MASK3(OP, X3, X6), "r3,imm2", INTEGER, 0) \
	ROW(M41, M, MASK3(OP, X3, X6), "r2", INTEGER, 0) \
	ROW(M42_RR, M, MASK3(OP, X3, X6), "rr[r3]=r2", INTEGER, 0) \
	ROW(M42_DBR, M, MASK3(OP, X3, X6), "dbr[r3]=r2", INTEGER, 0) \
	ROW(M42_IBR, M, MASK3(OP, X3, X6), "ibr[r3]=r2", INTEGER, 0) \
	ROW(M42_PKR, M, MASK3(OP, X3, X6), "pkr[r3]=r2", INTEGER, 0) \
	ROW(M42_PMC, M, MASK3(OP, X3, X6), "pmc[r3]=r2", INTEGER, 0) \
	ROW(M42_PMD, M, MASK3(OP, X3, X6), "pmd[r3]=r2", INTEGER, 0) \
	ROW(M42_DTR, M, MASK3(OP, X3, X6), "dtr[r3]=r2", INTEGER, 0) \
	ROW(M42_ITR, M, MASK3(OP, X3, X6), "itr[r3]=r2", INTEGER, 0) \
	ROW(M43_RR, M, MASK3(OP, X3, X6), "r1=rr[r3]", INTEGER, 0) \
	ROW(M43_DBR, M, MASK3(OP, X3, X6), "r1=dbr[r3]", INTEGER, 0) \
	ROW(M43_IBR, M, MASK3(OP, X3, X6), "r1=ibr[r3]", INTEGER, 0) \
	ROW(M43_PKR, M, MASK3(OP, X3, X6), "r1=pkr[r3]", INTEGER, 0) \
	ROW(M43_PMC, M, MASK3(OP, X3, X6), "r1=pmc[r3]", INTEGER, 0) \
	ROW(M43_PMD, M, MASK3(OP, X3, X6), "r1=pmd[r3]", INTEGER, 0) \
	ROW(M43_CPUID, M, MASK3(OP, X3, X6), "r1=cpuid[r3]", INTEGER, 0) \
	ROW(M44, M, MASK3(OP, X3, M_X4), "imm24", INTEGER, 0) \
	ROW(M45, M, MASK3(OP, X3, X6), "r3,r2", INTEGER, 0) \
	ROW(M46, M, MASK3(OP, X3, X6), "r1=r3", INTEGER, 0) \
	ROW(M47, M, MASK3(OP, X3, X6), "r3", INTEGER, 0) \
	ROW(M48, M, MASK5(OP, X3, M_X4, M_X2, Y26), "imm21", INTEGER, TRAIT_NOP) \
	ROW(M48_HINT, M, MASK5(OP, X3, M_X4, M_X2, Y26), "imm17", INTEGER, 0) \
	ROW(B1, B, MASK2(OP, BTYPE), "target25", INTEGER, TRAIT_BRANCH) \
	ROW(B1_WHILE, B, MASK2(OP, BTYPE), "target25", INTEGER, TRAIT_ALWAYS | TRAIT_BRANCH) \
	ROW(B2, B, MASK2(OP, BTYPE), "target25", INTEGER, TRAIT_UNPREDICATED | TRAIT_BRANCH) \
	ROW(B3, B, MASK1(OP), "b1=target25", INTEGER, TRAIT_BRANCH) \
	ROW(B4, B, MASK3(OP, X6, BTYPE), "b2", INTEGER, TRAIT_BRANCH) \
	ROW(B5, B, MASK1(OP), "b1=b2", INTEGER, TRAIT_BRANCH) \
	ROW(B6, B, MASK1(OP), "target25,tag13b", INTEGER, TRAIT_UNPREDICATED | TRAIT_OTHER) \
	ROW(B7, B, MASK2(OP, X6), "b2,tag13b", INTEGER, TRAIT_UNPREDICATED) \
	ROW(B8, B, MASK2(OP, X6), "", INTEGER, TRAIT_UNPREDICATED) \
	ROW(B8_RFI, B, MASK2(OP, X6), "", INTEGER, TRAIT_UNPREDICATED | TRAIT_OTHER) \
	ROW(B9, B, MASK2(OP, X6), "imm21", INTEGER, 0) \
	ROW(B9_NOP, B, MASK2(OP, X6), "imm21", INTEGER, TRAIT_NOP) \
	ROW(F1, F, MASK2(OP, X36), "f1=f3,f4,f2", FLOAT, TRAIT_WEIGHS(2)) \
	ROW(F1_PAIR, F, MASK2(OP, X36), "f1=f3,f4,f2", FLOAT, TRAIT_WEIGHS(4)) \
	ROW(F2, F, MASK3(OP, X36, X2), "f1=f3,f4,f2", INTEGER_MULTIPLY, 0) \
	ROW(F3, F, MASK2(OP, X36), "f1=f3,f4,f2", FLOAT, 0) \
	ROW(F4, F, MASK4(OP, X33, X36, TA12), "p1,p2=f2,f3", FLOAT, TRAIT_FIRST_UNIT) \
	ROW(F4_UNC, F, MASK4(OP, X33, X36, TA12), "p1,p2=f2,f3", FLOAT,	\
	    TRAIT_ALWAYS | TRAIT_FIRST_UNIT)	\
	ROW(F5, F, MASK2(OP, TA12), "p1,p2=f2,fclass9", FLOAT, TRAIT_FIRST_UNIT) \
	ROW(F5_UNC, F, MASK2(OP, TA12), "p1,p2=f2,fclass9", FLOAT,	\
	    TRAIT_ALWAYS | TRAIT_FIRST_UNIT)	\
	ROW(F6, F, MASK3(OP, X33, X36), "f1,p2=f2,f3", FLOAT,	\
	    TRAIT_ALWAYS | TRAIT_FIRST_UNIT | TRAIT_WEIGHS(1))	\
	ROW(F6_PAIR, F, MASK3(OP, X33, X36), "f1,p2=f2,f3", FLOAT, TRAIT_ALWAYS | TRAIT_WEIGHS(2)) \
	ROW(F7, F, MASK3(OP, X33, X36), "f1,p2=f3", FLOAT,	\
	    TRAIT_ALWAYS | TRAIT_FIRST_UNIT | TRAIT_WEIGHS(1))	\
	ROW(F7_PAIR, F, MASK3(OP, X33, X36), "f1,p2=f3", FLOAT, TRAIT_ALWAYS | TRAIT_WEIGHS(2)) \
	ROW(F8, F, MASK3(OP, X33, X6), "f1=f2,f3", FLOAT, TRAIT_FIRST_UNIT) \
	ROW(F8_PAIR, F, MASK3(OP, X33, X6), "f1=f2,f3", FLOAT, 0) \
	ROW(F9, F, MASK3(OP, X33, X6), "f1=f2,f3", FLOAT, TRAIT_FIRST_UNIT) \
	ROW(F9_PAIR, F, MASK3(OP, X33, X6), "f1=f2,f3", FLOAT, 0) \
	ROW(F10, F, MASK3(OP, X33, X6), "f1=f2", FLOAT, 0) \
	ROW(F11, F, MASK3(OP, X33, X6), "f1=f2", FLOAT, 0) \
	ROW(F12, F, MASK3(OP, X33, X6), "amask7,omask7", FLOAT, 0) \
	ROW(F13, F, MASK3(OP, X33, X6), "", FLOAT, 0) \
	ROW(F14, F, MASK3(OP, X33, X6), "target25f", FLOAT, 0) \
	ROW(F15, F, MASK3(OP, X33, X6), "imm21", FLOAT, 0) \
	ROW(F16, F, MASK4(OP, X33, X6, Y26), "imm21", FLOAT, 0) \
	ROW(X1, X, MASK3(OP, X3, X6), "imm62", INTEGER, 0) \
	ROW(X2_MOVL, X, MASK2(OP, VC), "r1=imm64", INTEGER, 0) \
	ROW(X3_BRL, X, MASK2(OP, BTYPE), "target64", INTEGER, 0) \
	ROW(X4_BRL, X, MASK1(OP), "b1=target64", INTEGER, 0) \
	ROW(X5, X, MASK4(OP, X3, X6, Y26), "imm62", INTEGER, 0)

/* ENCODING(name, mnemonic, format, value): each operation of the manual's tables, by unit. */
#define IA64_ENCODINGS(E) \
	A_ENCODINGS(E) I_ENCODINGS(E) M_ENCODINGS(E) B_ENCODINGS(E) F_ENCODINGS(E) X_ENCODINGS(E)

/*
 * A: integer, for I and M units
 */

#define COMPARES(E, N, name, format, V, x2) \
	E(N##_LT, name ".lt", format, V(0xC, x2, 0, 0, 0)) \
	E(N##_LT_UNC, name ".lt.unc", format##_UNC, V(0xC, x2, 0, 0, 1)) \
	E(N##_LTU, name ".ltu", format, V(0xD, x2, 0, 0, 0)) \
	E(N##_LTU_UNC, name ".ltu.unc", format##_UNC, V(0xD, x2, 0, 0, 1)) \
	E(N##_EQ, name ".eq", format, V(0xE, x2, 0, 0, 0)) \
	E(N##_EQ_UNC, name ".eq.unc", format##_UNC, V(0xE, x2, 0, 0, 1)) \
	COMPARES_PARALLEL(E, N##_EQ, name ".eq", format, V, x2, 0, 1, 0) \
	COMPARES_PARALLEL(E, N##_NE, name ".ne", format, V, x2, 0, 1, 1)
#define COMPARES_PARALLEL(E, N, name, format, V, x2, tb, ta, c) \
	E(N##_AND, name ".and", format,	\
	  V(0xC, x2, tb, ta, c)) E(N##_OR, name ".or", format, V(0xD, x2, tb, ta, c))	\
	E(N##_OR_ANDCM, name ".or.andcm", format, V(0xE, x2, tb, ta, c))
#define COMPARES_ZERO(E, N, name, x2) \
	COMPARES_PARALLEL(E, N##_GT, name ".gt", A7, COMPARE, x2, 1, 0, 0) \
	COMPARES_PARALLEL(E, N##_LE, name ".le", A7, COMPARE, x2, 1, 0, 1) \
	COMPARES_PARALLEL(E, N##_GE, name ".ge", A7, COMPARE, x2, 1, 1, 0) \
	COMPARES_PARALLEL(E, N##_LT0, name ".lt", A7, COMPARE, x2, 1, 1, 1)

/* For each size of the elements: 1, 2 and, with some exceptions, 4 bytes. */
#define PARALLEL_1_2(E, N, name, suffix, x4, x2b) \
	E(N##1, name "1" suffix, A9, PARALLEL(0, 0, x4, x2b)) E(N##2, name "2" suffix, A9, \
								PARALLEL(0, 1, x4, x2b))
#define PARALLEL_1_2_4(E, N, name, suffix, x4, x2b) \
	PARALLEL_1_2(E, N, name, suffix, x4, x2b) E(N##4, name "4" suffix, A9, \
						    PARALLEL(1, 0, x4, x2b))

#define A_ENCODINGS(E) \
	E(ADD, "add", A1, ALU(0, 0, 0)) E(ADD_ONE, "add", A1_ONE, ALU(0, 0, 1)) \
	E(SUB, "sub", A1, ALU(0, 1, 1)) E(SUB_ONE, "sub", A1_ONE, ALU(0, 1, 0)) \
	E(ADDP4, "addp4", A1, ALU(0, 2, 0)) \
	E(AND, "and", A1, ALU(0, 3, 0)) E(ANDCM, "andcm", A1, ALU(0, 3, 1)) \
	E(OR, "or", A1, ALU(0, 3, 2)) E(XOR, "xor", A1, ALU(0, 3, 3)) \
	E(SHLADD, "shladd", A2, ALU(0, 4, 0)) E(SHLADDP4, "shladdp4", A2, ALU(0, 6, 0)) \
	E(SUB_IMM8, "sub", A3, ALU(0, 9, 1)) \
	E(AND_IMM8, "and", A3, ALU(0, 0xB, 0)) E(ANDCM_IMM8, "andcm", A3, ALU(0, 0xB, 1)) \
	E(OR_IMM8, "or", A3, ALU(0, 0xB, 2)) E(XOR_IMM8, "xor", A3, ALU(0, 0xB, 3)) \
	E(ADDS, "adds", A4, ALU(2, 0, 0)) E(ADDP4_IMM14, "addp4", A4, ALU(3, 0, 0)) \
	E(ADDL, "addl", A5, PUT(OP, 9)) \
	COMPARES(E, CMP, "cmp", A6, COMPARE, 0) COMPARES_ZERO(E, CMP, "cmp", 0) \
	COMPARES(E, CMP4, "cmp4", A6, COMPARE, 1) COMPARES_ZERO(E, CMP4, "cmp4", 1) \
	COMPARES(E, CMP_IMM8, "cmp", A8, COMPARE, 2) \
	COMPARES(E, CMP4_IMM8, "cmp4", A8, COMPARE, 3) \
	PARALLEL_1_2_4(E, PADD, "padd", "", 0, 0) PARALLEL_1_2(E, PADD_SSS, "padd", ".sss", 0, 1) \
	PARALLEL_1_2(E, PADD_UUU, "padd", ".uuu", 0,	\
		     2) PARALLEL_1_2(E, PADD_UUS, "padd", ".uus", 0, 3)	\
	PARALLEL_1_2_4(E, PSUB, "psub", "", 1, 0) PARALLEL_1_2(E, PSUB_SSS, "psub", ".sss", 1, 1) \
	PARALLEL_1_2(E, PSUB_UUU, "psub", ".uuu", 1,	\
		     2) PARALLEL_1_2(E, PSUB_UUS, "psub", ".uus", 1, 3)	\
	PARALLEL_1_2(E, PAVG, "pavg", "", 2, 2) PARALLEL_1_2(E, PAVG_RAZ, "pavg", ".raz", 2, 3) \
	PARALLEL_1_2(E, PAVGSUB, "pavgsub", "", 3, 2) \
	PARALLEL_1_2_4(E, PCMP_EQ, "pcmp", ".eq", 9,	\
		       0) PARALLEL_1_2_4(E, PCMP_GT, "pcmp", ".gt", 9, 1)	\
	E(PSHLADD2, "pshladd2", A10, PARALLEL(0, 1, 4, 0)) E(PSHRADD2, "pshradd2", A10, \
							     PARALLEL(0, 1, 6, 0))

/*
 * I: shifts, multimedia, bits, moves
 */

#define TESTS(E, N, name, format, y, x19) \
	E(N##_Z, name ".z", format, TEST(0, 0, 0, y, x19)) \
	E(N##_Z_UNC, name ".z.unc", format##_UNC, TEST(0, 0, 1, y, x19)) \
	E(N##_Z_AND, name ".z.and", format, TEST(0, 1, 0, y, x19)) \
	E(N##_NZ_AND, name ".nz.and", format, TEST(0, 1, 1, y, x19)) \
	E(N##_Z_OR, name ".z.or", format, TEST(1, 0, 0, y, x19)) \
	E(N##_NZ_OR, name ".nz.or", format, TEST(1, 0, 1, y, x19)) \
	E(N##_Z_OR_ANDCM, name ".z.or.andcm", format, TEST(1, 1, 0, y, x19)) \
	E(N##_NZ_OR_ANDCM, name ".nz.or.andcm", format, TEST(1, 1, 1, y, x19))

#define I_ENCODINGS(E) \
	E(PMPYSHR2, "pmpyshr2", I1, I7(0, 1, 0, 0, 3)) E(PMPYSHR2_U, "pmpyshr2.u", I1,	\
							 I7(0, 1, 0, 0, 1))	\
	E(PMPY2_R, "pmpy2.r", I2_MULTIPLY, I7(0, 1, 2, 3, 1)) E(PMPY2_L, "pmpy2.l", I2_MULTIPLY, \
								I7(0, 1, 2, 3, 3))	\
	E(MIX1_R, "mix1.r", I2, I7(0, 0, 2, 2, 0)) E(MIX1_L, "mix1.l", I2, I7(0, 0, 2, 2, 2)) \
	E(MIX2_R, "mix2.r", I2, I7(0, 1, 2, 2, 0)) E(MIX2_L, "mix2.l", I2, I7(0, 1, 2, 2, 2)) \
	E(MIX4_R, "mix4.r", I2, I7(1, 0, 2, 2, 0)) E(MIX4_L, "mix4.l", I2, I7(1, 0, 2, 2, 2)) \
	E(PACK2_USS, "pack2.uss", I2, I7(0, 1, 2, 0, 0)) E(PACK2_SSS, "pack2.sss", I2,	\
							   I7(0, 1, 2, 0, 2))	\
	E(PACK4_SSS, "pack4.sss", I2, I7(1, 0, 2, 0, 2)) \
	E(UNPACK1_H, "unpack1.h", I2, I7(0, 0, 2, 1, 0)) E(UNPACK1_L, "unpack1.l", I2,	\
							   I7(0, 0, 2, 1, 2))	\
	E(UNPACK2_H, "unpack2.h", I2, I7(0, 1, 2, 1, 0)) E(UNPACK2_L, "unpack2.l", I2,	\
							   I7(0, 1, 2, 1, 2))	\
	E(UNPACK4_H, "unpack4.h", I2, I7(1, 0, 2, 1, 0)) E(UNPACK4_L, "unpack4.l", I2,	\
							   I7(1, 0, 2, 1, 2))	\
	E(PMIN1_U, "pmin1.u", I2_MINIMUM, I7(0, 0, 2, 0, 1)) E(PMAX1_U, "pmax1.u", I2_MINIMUM,	\
							       I7(0, 0, 2, 1, 1))	\
	E(PMIN2, "pmin2", I2_MINIMUM, I7(0, 1, 2, 0, 3)) E(PMAX2, "pmax2", I2_MINIMUM,	\
							   I7(0, 1, 2, 1, 3))	\
	E(PSAD1, "psad1", I2, I7(0, 0, 2, 2, 3)) \
	E(MUX1, "mux1", I3, I7(0, 0, 3, 2, 2)) E(MUX2, "mux2", I4, I7(0, 1, 3, 2, 2)) \
	E(PSHR2, "pshr2", I5, I7(0, 1, 0, 0, 2)) E(PSHR4, "pshr4", I5, I7(1, 0, 0, 0, 2)) \
	E(SHR, "shr", I5_SHR, I7(1, 1, 0, 0, 2)) \
	E(PSHR2_U, "pshr2.u", I5, I7(0, 1, 0, 0, 0)) E(PSHR4_U, "pshr4.u", I5, I7(1, 0, 0, 0, 0)) \
	E(SHR_U, "shr.u", I5_SHR, I7(1, 1, 0, 0, 0)) \
	E(PSHR2_IMM5, "pshr2", I6, I7(0, 1, 1, 0, 3)) E(PSHR4_IMM5, "pshr4", I6,	\
							I7(1, 0, 1, 0, 3))	\
	E(PSHR2_U_IMM5, "pshr2.u", I6, I7(0, 1, 1, 0, 1)) E(PSHR4_U_IMM5, "pshr4.u", I6,	\
							    I7(1, 0, 1, 0, 1))	\
	E(PSHL2, "pshl2", I7, I7(0, 1, 0, 1, 0)) E(PSHL4, "pshl4", I7, I7(1, 0, 0, 1, 0)) \
	E(SHL, "shl", I7_SHL, I7(1, 1, 0, 1, 0)) \
	E(PSHL2_IMM5, "pshl2", I8, I7(0, 1, 3, 1, 1)) E(PSHL4_IMM5, "pshl4", I8,	\
							I7(1, 0, 3, 1, 1))	\
	E(POPCNT, "popcnt", I9, I7(0, 1, 1, 2, 1)) \
	E(SHRP, "shrp", I10, BITS5(3, 0)) \
	E(EXTR_U, "extr.u", I11, BITS5(1, 0)) E(EXTR, "extr", I11, BITS5(1, 0) | PUT(Y13, 1)) \
	E(DEP_Z, "dep.z", I12, BITS5(1, 1)) E(DEP_Z_IMM8, "dep.z", I13, BITS5(1, 1) | PUT(Y26, 1)) \
	E(DEP_IMM1, "dep", I14, BITS5(3, 1)) E(DEP, "dep", I15, PUT(OP, 4)) \
	TESTS(E, TBIT, "tbit", I16, 0, 0) TESTS(E, TNAT, "tnat", I17, 1,	\
						0) TESTS(E, TF, "tf", I30, 1, 1)	\
	E(NOP_I, "nop.i", I18, SYSTEM(0, 0, 1)) E(HINT_I, "hint.i", I18_HINT,	\
						  SYSTEM(0, 0, 1) | PUT(Y26, 1))	\
	E(BREAK_I, "break.i", I19, SYSTEM(0, 0, 0)) E(CHK_S_I, "chk.s.i", I20, SYSTEM(0, 1, 0)) \
	E(MOV_TO_B, "mov%m%i", I21, SYSTEM(0, 7, 0)) \
	E(MOV_RET_TO_B, "mov.ret%m%i", I21, SYSTEM(0, 7, 0) | PUT(X22, 1)) \
	E(MOV_FROM_B, "mov", I22, SYSTEM(0, 0, 0x31)) \
	E(MOV_TO_PR, "mov", I23, SYSTEM(0, 3, 0)) E(MOV_TO_PR_ROT, "mov", I24, SYSTEM(0, 2, 0)) \
	E(MOV_FROM_IP, "mov", I25_IP, SYSTEM(0, 0, 0x30)) E(MOV_FROM_PR, "mov", I25_PR,	\
							    SYSTEM(0, 0, 0x33))	\
	E(MOV_I_TO_AR, "mov.i", I26, SYSTEM(0, 0, 0x2A)) E(MOV_I_TO_AR_IMM8, "mov.i", I27,	\
							   SYSTEM(0, 0, 0x0A))	\
	E(MOV_I_FROM_AR, "mov.i", I28, SYSTEM(0, 0, 0x32)) \
	E(ZXT1, "zxt1", I29, SYSTEM(0, 0, 0x10)) E(ZXT2, "zxt2", I29, SYSTEM(0, 0, 0x11)) \
	E(ZXT4, "zxt4", I29, SYSTEM(0, 0, 0x12)) \
	E(SXT1, "sxt1", I29, SYSTEM(0, 0, 0x14)) E(SXT2, "sxt2", I29, SYSTEM(0, 0, 0x15)) \
	E(SXT4, "sxt4", I29, SYSTEM(0, 0, 0x16)) \
	E(CZX1_L, "czx1.l", I29, SYSTEM(0, 0, 0x18)) E(CZX2_L, "czx2.l", I29, SYSTEM(0, 0, 0x19)) \
	E(CZX1_R, "czx1.r", I29, SYSTEM(0, 0, 0x1C)) E(CZX2_R, "czx2.r", I29, SYSTEM(0, 0, 0x1D))

/*
 * M: memory, and system
 */

/* Four sizes of a type of load. */
#define LOAD_SIZES(E, F, V, N, type, x6) \
	E(LD1##N##_##F, "ld1" type "%h", F, V(x6)) E(LD2##N##_##F, "ld2" type "%h", F, V(x6 + 1)) \
	E(LD4##N##_##F, "ld4" type "%h", F, V(x6 + 2)) E(LD8##N##_##F, "ld8" type "%h", F, \
							 V(x6 + 3))
#define LOADS(E, F, V) \
	LOAD_SIZES(E, F, V, , "", 0) LOAD_SIZES(E, F, V, _S, ".s",	\
						4) LOAD_SIZES(E, F, V, _A, ".a", 8)	\
	LOAD_SIZES(E, F, V, _SA, ".sa", 0xC) LOAD_SIZES(E, F, V, _BIAS, ".bias", 0x10) \
	LOAD_SIZES(E, F, V, _ACQ, ".acq", 0x14) E(LD8_FILL_##F, "ld8.fill%h", F, V(0x1B)) \
	LOAD_SIZES(E, F, V, _C_CLR, ".c.clr", 0x20) LOAD_SIZES(E, F, V, _C_NC, ".c.nc", 0x24) \
	LOAD_SIZES(E, F, V, _C_CLR_ACQ, ".c.clr.acq", 0x28)
#define STORES(E, F, V) \
	E(ST1_##F, "st1%h", F, V(0x30)) E(ST2_##F, "st2%h", F, V(0x31)) \
	E(ST4_##F, "st4%h", F, V(0x32)) E(ST8_##F, "st8%h", F, V(0x33)) \
	E(ST1_REL_##F, "st1.rel%h", F, V(0x34)) E(ST2_REL_##F, "st2.rel%h", F, V(0x35)) \
	E(ST4_REL_##F, "st4.rel%h", F, V(0x36)) E(ST8_REL_##F, "st8.rel%h", F, V(0x37)) \
	E(ST8_SPILL_##F, "st8.spill%h", F, V(0x3B))

#define FLOAT_SIZES(E, F, V, N, type, x6) \
	E(LDFE##N##_##F, "ldfe" type "%h", F, V(x6)) E(LDF8##N##_##F, "ldf8" type "%h", F,	\
						       V(x6 + 1))	\
	E(LDFS##N##_##F, "ldfs" type "%h", F, V(x6 + 2)) E(LDFD##N##_##F, "ldfd" type "%h", F, \
							   V(x6 + 3))
#define PAIR_SIZES(E, F8, F16, V, N, type, x6) \
	E(LDFP8##N##_##F16, "ldfp8" type "%h", F16,	\
	  V(x6 + 1)) E(LDFPS##N##_##F8, "ldfps" type "%h", F8, V(x6 + 2))	\
	E(LDFPD##N##_##F16, "ldfpd" type "%h", F16, V(x6 + 3))
#define FLOAT_LOADS(E, F, V) \
	FLOAT_SIZES(E, F, V, , "", 0) FLOAT_SIZES(E, F, V, _S, ".s",	\
						  4) FLOAT_SIZES(E, F, V, _A, ".a", 8)	\
	FLOAT_SIZES(E, F, V, _SA, ".sa", 0xC) E(LDF_FILL_##F, "ldf.fill%h", F, V(0x1B)) \
	FLOAT_SIZES(E, F, V, _C_CLR, ".c.clr", 0x20) FLOAT_SIZES(E, F, V, _C_NC, ".c.nc", 0x24)
#define PAIR_LOADS(E, F8, F16, V) \
	PAIR_SIZES(E, F8, F16, V, , "", 0) PAIR_SIZES(E, F8, F16, V, _S, ".s", 4) \
	PAIR_SIZES(E, F8, F16, V, _A, ".a", 8) PAIR_SIZES(E, F8, F16, V, _SA, ".sa", 0xC) \
	PAIR_SIZES(E, F8, F16, V, _C_CLR, ".c.clr", \
		   0x20) PAIR_SIZES(E, F8, F16, V, _C_NC, ".c.nc", 0x24)
#define FLOAT_STORES(E, F, V) \
	E(STFE_##F, "stfe%h", F, V(0x30)) E(STF8_##F, "stf8%h", F,	\
					    V(0x31)) E(STFS_##F, "stfs%h", F, V(0x32))	\
	E(STFD_##F, "stfd%h", F, V(0x33)) E(STF_SPILL_##F, "stf.spill%h", F, V(0x3B))
#define LINE_FETCHES(E, F, V) \
	E(LFETCH_##F, "lfetch%h", F, V(0x2C)) E(LFETCH_EXCL_##F, "lfetch.excl%h", F, V(0x2D)) \
	E(LFETCH_FAULT_##F, "lfetch.fault%h", F, V(0x2E)) E(LFETCH_FAULT_EXCL_##F, \
							    "lfetch.fault.excl%h", F, V(0x2F))

#define EXCHANGE_SIZES(E, F, N, name, x6) \
	E(N##_1, name "1%h", F, SEMAPHORE(x6)) E(N##_2, name "2%h", F, SEMAPHORE(x6 + 1)) \
	E(N##_4, name "4%h", F, SEMAPHORE(x6 + 2)) E(N##_8, name "8%h", F, SEMAPHORE(x6 + 3))
#define COMPARE_EXCHANGES(E, N, suffix, x6) \
	E(CMPXCHG1##N, "cmpxchg1" suffix "%h", M16, SEMAPHORE(x6)) \
	E(CMPXCHG2##N, "cmpxchg2" suffix "%h", M16, SEMAPHORE(x6 + 1)) \
	E(CMPXCHG4##N, "cmpxchg4" suffix "%h", M16, SEMAPHORE(x6 + 2)) \
	E(CMPXCHG8##N, "cmpxchg8" suffix "%h", M16, SEMAPHORE(x6 + 3))

/* Registers that are accessed through an index. */
#define INDEXED(E, R, to, from) \
	E(MOV_TO_##R, "mov", M42_##R, SYSTEM(1, 0, to)) E(MOV_FROM_##R, "mov", M43_##R, \
							  SYSTEM(1, 0, from))

#define M_ENCODINGS(E) \
	LOADS(E, M1, INTEGER) LOADS(E, M2, INTEGER_R) LOADS(E, M3, INTEGER_IMM) \
	E(LD16, "ld16%h", M1_TWO, SEMAPHORE(0x28)) E(LD16_ACQ, "ld16.acq%h", M1_TWO,	\
						     SEMAPHORE(0x2C))	\
	STORES(E, M4, INTEGER) STORES(E, M5, INTEGER_IMM) \
	E(ST16, "st16%h", M4_TWO, SEMAPHORE(0x30)) E(ST16_REL, "st16.rel%h", M4_TWO,	\
						     SEMAPHORE(0x34))	\
	FLOAT_LOADS(E, M6, FLOAT) FLOAT_LOADS(E, M7, FLOAT_R) FLOAT_LOADS(E, M8, FLOAT_IMM) \
	FLOAT_STORES(E, M9, FLOAT) FLOAT_STORES(E, M10, FLOAT_IMM) \
	PAIR_LOADS(E, M11, M11, PAIR) PAIR_LOADS(E, M12_8, M12_16, PAIR_IMM) \
	LINE_FETCHES(E, M13, FLOAT) LINE_FETCHES(E, M14, FLOAT_R) LINE_FETCHES(E, M15, FLOAT_IMM) \
	COMPARE_EXCHANGES(E, _ACQ, ".acq", 0) COMPARE_EXCHANGES(E, _REL, ".rel", 4) \
	EXCHANGE_SIZES(E, M16_XCHG, XCHG, "xchg", 8) \
	E(CMP8XCHG16_ACQ, "cmp8xchg16.acq%h", M16_TWO, SEMAPHORE(0x20)) \
	E(CMP8XCHG16_REL, "cmp8xchg16.rel%h", M16_TWO, SEMAPHORE(0x24)) \
	E(FETCHADD4_ACQ, "fetchadd4.acq%h", M17, SEMAPHORE(0x12)) \
	E(FETCHADD8_ACQ, "fetchadd8.acq%h", M17, SEMAPHORE(0x13)) \
	E(FETCHADD4_REL, "fetchadd4.rel%h", M17, SEMAPHORE(0x16)) \
	E(FETCHADD8_REL, "fetchadd8.rel%h", M17, SEMAPHORE(0x17)) \
	E(SETF_SIG, "setf.sig", M18, PAIR(0x1C)) E(SETF_EXP, "setf.exp", M18, PAIR(0x1D)) \
	E(SETF_S, "setf.s", M18, PAIR(0x1E)) E(SETF_D, "setf.d", M18, PAIR(0x1F)) \
	E(GETF_SIG, "getf.sig", M19, SEMAPHORE(0x1C)) E(GETF_EXP, "getf.exp", M19,	\
							SEMAPHORE(0x1D))	\
	E(GETF_S, "getf.s", M19, SEMAPHORE(0x1E)) E(GETF_D, "getf.d", M19, SEMAPHORE(0x1F)) \
	E(CHK_S_M, "chk.s.m", M20, SYSTEM(1, 1, 0)) E(CHK_S_F, "chk.s", M21, SYSTEM(1, 3, 0)) \
	E(CHK_A_NC, "chk.a.nc", M22, SYSTEM(0, 4, 0)) E(CHK_A_CLR, "chk.a.clr", M22,	\
							SYSTEM(0, 5, 0))	\
	E(CHK_A_NC_F, "chk.a.nc", M23, SYSTEM(0, 6, 0)) E(CHK_A_CLR_F, "chk.a.clr", M23,	\
							  SYSTEM(0, 7, 0))	\
	E(INVALA, "invala", M24, MEMORY(0, 1)) E(FWB, "fwb", M24, MEMORY(0, 2)) \
	E(MF, "mf", M24, MEMORY(2, 2)) E(MF_A, "mf.a", M24, MEMORY(3, 2)) \
	E(SRLZ_D, "srlz.d", M24, MEMORY(0, 3)) E(SRLZ_I, "srlz.i", M24_SRLZ_I, MEMORY(1, 3)) \
	E(SYNC_I, "sync.i", M24, MEMORY(3, 3)) \
	E(FLUSHRS, "flushrs", M24, MEMORY(0xC, 0)) E(LOADRS, "loadrs", M24, MEMORY(0xA, 0)) \
	E(INVALA_E, "invala.e", M26, MEMORY(2, 1)) E(INVALA_E_F, "invala.e", M27, MEMORY(3, 1)) \
	E(FC, "fc", M28, SYSTEM(1, 0, 0x30)) E(FC_I, "fc.i", M28,	\
					       SYSTEM(1, 0, 0x30) | PUT(X36, 1))	\
	E(MOV_M_TO_AR, "mov.m", M29, SYSTEM(1, 0, 0x2A)) E(MOV_M_TO_AR_IMM8, "mov.m", M30,	\
							   MEMORY(8, 2))	\
	E(MOV_M_FROM_AR, "mov.m", M31, SYSTEM(1, 0, 0x22)) \
	E(MOV_TO_CR, "mov", M32, SYSTEM(1, 0, 0x2C)) E(MOV_FROM_CR, "mov", M33,	\
						       SYSTEM(1, 0, 0x24))	\
	E(ALLOC, "alloc", M34, SYSTEM(1, 6, 0)) \
	E(MOV_TO_PSR_L, "mov", M35_L, SYSTEM(1, 0, 0x2D)) E(MOV_TO_PSR_UM, "mov", M35_UM,	\
							    SYSTEM(1, 0, 0x29))	\
	E(MOV_FROM_PSR, "mov", M36, SYSTEM(1, 0, 0x25)) E(MOV_FROM_PSR_UM, "mov", M36_UM,	\
							  SYSTEM(1, 0, 0x21))	\
	E(BREAK_M, "break.m", M37, MEMORY(0, 0)) E(NOP_M, "nop.m", M48, MEMORY(1, 0)) \
	E(HINT_M, "hint.m", M48_HINT, MEMORY(1, 0) | PUT(Y26, 1)) \
	E(PROBE_R, "probe.r", M38, SYSTEM(1, 0, 0x38)) E(PROBE_W, "probe.w", M38,	\
							 SYSTEM(1, 0, 0x39))	\
	E(PROBE_R_IMM2, "probe.r", M39, SYSTEM(1, 0, 0x18)) E(PROBE_W_IMM2, "probe.w", M39,	\
							      SYSTEM(1, 0, 0x19))	\
	E(PROBE_RW_FAULT, "probe.rw.fault", M40, SYSTEM(1, 0, 0x31)) \
	E(PROBE_R_FAULT, "probe.r.fault", M40, SYSTEM(1, 0, 0x32)) \
	E(PROBE_W_FAULT, "probe.w.fault", M40, SYSTEM(1, 0, 0x33)) \
	E(ITC_D, "itc.d", M41, SYSTEM(1, 0, 0x2E)) E(ITC_I, "itc.i", M41, SYSTEM(1, 0, 0x2F)) \
	INDEXED(E, RR, 0x00, 0x10) INDEXED(E, DBR, 0x01, 0x11) INDEXED(E, IBR, 0x02, 0x12) \
	INDEXED(E, PKR, 0x03, 0x13) INDEXED(E, PMC, 0x04, 0x14) INDEXED(E, PMD, 0x05, 0x15) \
	E(MOV_FROM_CPUID, "mov", M43_CPUID, SYSTEM(1, 0, 0x17)) \
	E(ITR_D, "itr.d", M42_DTR, SYSTEM(1, 0, 0x0E)) E(ITR_I, "itr.i", M42_ITR,	\
							 SYSTEM(1, 0, 0x0F))	\
	E(SUM, "sum", M44, MEMORY(4, 0)) E(RUM, "rum", M44, MEMORY(5, 0)) \
	E(SSM, "ssm", M44, MEMORY(6, 0)) E(RSM, "rsm", M44, MEMORY(7, 0)) \
	E(PTC_L, "ptc.l", M45, SYSTEM(1, 0, 0x09)) E(PTC_G, "ptc.g", M45, SYSTEM(1, 0, 0x0A)) \
	E(PTC_GA, "ptc.ga", M45, SYSTEM(1, 0, 0x0B)) \
	E(PTR_D, "ptr.d", M45, SYSTEM(1, 0, 0x0C)) E(PTR_I, "ptr.i", M45, SYSTEM(1, 0, 0x0D)) \
	E(THASH, "thash", M46, SYSTEM(1, 0, 0x1A)) E(TTAG, "ttag", M46, SYSTEM(1, 0, 0x1B)) \
	E(TPA, "tpa", M46, SYSTEM(1, 0, 0x1E)) E(TAK, "tak", M46, SYSTEM(1, 0, 0x1F)) \
	E(PTC_E, "ptc.e", M47, SYSTEM(1, 0, 0x34))

/*
 * B: branches
 */

#define B_ENCODINGS(E) \
	E(BR_COND, "br.cond%w%p%d", B1, BRANCH(4, 0, 0)) E(BR_WEXIT, "br.wexit%w%p%d", B1_WHILE, \
							   BRANCH(4, 0, 2))	\
	E(BR_WTOP, "br.wtop%w%p%d", B1_WHILE,	\
	  BRANCH(4, 0, 3)) E(BR_CLOOP, "br.cloop%w%p%d", B2, BRANCH(4, 0, 5))	\
	E(BR_CEXIT, "br.cexit%w%p%d", B2, BRANCH(4, 0, 6)) E(BR_CTOP, "br.ctop%w%p%d", B2,	\
							     BRANCH(4, 0, 7))	\
	E(BR_CALL, "br.call%w%p%d", B3, BRANCH(5, 0, 0)) E(BR_COND_B, "br.cond%w%p%d", B4,	\
							   BRANCH(0, 0x20, 0))	\
	E(BR_IA, "br.ia%w%p%d", B4, BRANCH(0, 0x20, 1)) E(BR_RET, "br.ret%w%p%d", B4,	\
							  BRANCH(0, 0x21, 4))	\
	E(BR_CALL_B, "br.call%w%p%d", B5, BRANCH(1, 0, 0)) \
	E(BRP, "brp%b%j", B6, BRANCH(7, 0, 0)) E(BRP_B, "brp%b%j", B7, BRANCH(2, 0x10, 0)) \
	E(BRP_RET, "brp.ret%b%j", B7, BRANCH(2, 0x11, 0)) \
	E(COVER, "cover", B8, BRANCH(0, 2, 0)) E(CLRRRB, "clrrrb", B8, BRANCH(0, 4, 0)) \
	E(CLRRRB_PR, "clrrrb.pr", B8, BRANCH(0, 5, 0)) E(RFI, "rfi", B8_RFI, BRANCH(0, 8, 0)) \
	E(BSW_0, "bsw.0", B8, BRANCH(0, 0xC, 0)) E(BSW_1, "bsw.1", B8, BRANCH(0, 0xD, 0)) \
	E(EPC, "epc", B8, BRANCH(0, 0x10, 0)) \
	E(VMSW_0, "vmsw.0", B8, BRANCH(0, 0x18, 0)) E(VMSW_1, "vmsw.1", B8, BRANCH(0, 0x19, 0)) \
	E(BREAK_B, "break.b", B9, BRANCH(0, 0, 0)) E(NOP_B, "nop.b", B9_NOP, BRANCH(2, 0, 0)) \
	E(HINT_B, "hint.b", B9, BRANCH(2, 1, 0))

/*
 * F: floating point
 */

#define MULTIPLY_ADDS(E, N, name, op) \
	E(F##N, "f" name "%f", F1, MULTIPLY(op, 0)) E(F##N##_S, "f" name ".s%f", F1,	\
						      MULTIPLY(op, 1))	\
	E(F##N##_D, "f" name ".d%f", F1, MULTIPLY(op + 1, 0)) E(FP##N, "fp" name "%f", F1_PAIR, \
								MULTIPLY(op + 1, 1))
#define FLOAT_COMPARES(E, N, name, ra, rb) \
	E(FCMP_##N, "fcmp." name "%f", F4, FLOAT_COMPARE(ra, rb, 0)) \
	E(FCMP_##N##_UNC, "fcmp." name ".unc%f", F4_UNC, FLOAT_COMPARE(ra, rb, 1))
/* Both forms: a single number (opcode 0), and a pair (opcode 1). */
#define FLOAT_BOTH(E, N, name, completer, format, of_pair, x6) \
	E(F##N, "f" name completer, format, SINGLE(0, x6)) E(FP##N, "fp" name completer, of_pair, \
							     SINGLE(1, x6))
#define PARALLEL_COMPARE(E, N, name, x6) E(FPCMP_##N, "fpcmp." name "%f", F8_PAIR, SINGLE(1, x6))

#define F_ENCODINGS(E) \
	MULTIPLY_ADDS(E, MA, "ma", 0x8) MULTIPLY_ADDS(E, MS, "ms",	\
						      0xA) MULTIPLY_ADDS(E, NMA, "nma", 0xC)	\
	E(XMA_L, "xma.l", F2, MULTIPLY(0xE, 1)) E(XMA_HU, "xma.hu", F2,	\
						  MULTIPLY(0xE, 1) | PUT(X2, 2))	\
	E(XMA_H, "xma.h", F2, MULTIPLY(0xE, 1) | PUT(X2, 3)) E(FSELECT, "fselect", F3,	\
							       MULTIPLY(0xE, 0))	\
	FLOAT_COMPARES(E, EQ, "eq", 0, 0) FLOAT_COMPARES(E, LT, "lt", 0, 1) \
	FLOAT_COMPARES(E, LE, "le", 1, 0) FLOAT_COMPARES(E, UNORD, "unord", 1, 1) \
	E(FCLASS_M, "fclass.m", F5, PUT(OP, 5)) E(FCLASS_M_UNC, "fclass.m.unc", F5_UNC,	\
						  PUT(OP, 5) | PUT(TA12, 1))	\
	E(FRCPA, "frcpa%f", F6, APPROXIMATION(0, 0)) E(FPRCPA, "fprcpa%f", F6_PAIR,	\
						       APPROXIMATION(1, 0))	\
	E(FRSQRTA, "frsqrta%f", F7, APPROXIMATION(0, 1)) E(FPRSQRTA, "fprsqrta%f", F7_PAIR,	\
							   APPROXIMATION(1, 1))	\
	FLOAT_BOTH(E, MIN, "min", "%f", F8, F8_PAIR,	\
		   0x14) FLOAT_BOTH(E, MAX, "max", "%f", F8, F8_PAIR, 0x15)	\
	FLOAT_BOTH(E, AMIN, "amin", "%f", F8, F8_PAIR,	\
		   0x16) FLOAT_BOTH(E, AMAX, "amax", "%f", F8, F8_PAIR, 0x17)	\
	PARALLEL_COMPARE(E, EQ, "eq", 0x30) PARALLEL_COMPARE(E, LT, "lt",	\
						0x31) PARALLEL_COMPARE(E, LE, "le", 0x32)	\
	PARALLEL_COMPARE(E, UNORD, "unord", 0x33) PARALLEL_COMPARE(E, NEQ, "neq", 0x34) \
	PARALLEL_COMPARE(E, NLT, "nlt", 0x35) PARALLEL_COMPARE(E, NLE, "nle", 0x36) \
	PARALLEL_COMPARE(E, ORD, "ord", 0x37) \
	FLOAT_BOTH(E, MERGE_S, "merge.s", "", F9, F9_PAIR, 0x10) \
	FLOAT_BOTH(E, MERGE_NS, "merge.ns", "", F9, F9_PAIR, 0x11) \
	FLOAT_BOTH(E, MERGE_SE, "merge.se", "", F9, F9_PAIR, 0x12) \
	E(FMIX_LR, "fmix.lr", F9, SINGLE(0, 0x39)) E(FMIX_R, "fmix.r", F9, SINGLE(0, 0x3A)) \
	E(FMIX_L, "fmix.l", F9, SINGLE(0, 0x3B)) E(FSXT_R, "fsxt.r", F9, SINGLE(0, 0x3C)) \
	E(FSXT_L, "fsxt.l", F9, SINGLE(0, 0x3D)) E(FPACK, "fpack", F9, SINGLE(0, 0x28)) \
	E(FSWAP, "fswap", F9, SINGLE(0, 0x34)) E(FSWAP_NL, "fswap.nl", F9, SINGLE(0, 0x35)) \
	E(FSWAP_NR, "fswap.nr", F9, SINGLE(0, 0x36)) E(FAND, "fand", F9, SINGLE(0, 0x2C)) \
	E(FANDCM, "fandcm", F9, SINGLE(0, 0x2D)) E(FOR, "for", F9, SINGLE(0, 0x2E)) \
	E(FXOR, "fxor", F9, SINGLE(0, 0x2F)) \
	FLOAT_BOTH(E, CVT_FX, "cvt.fx", "%f", F10, F10, 0x18) \
	FLOAT_BOTH(E, CVT_FXU, "cvt.fxu", "%f", F10, F10, 0x19) \
	FLOAT_BOTH(E, CVT_FX_TRUNC, "cvt.fx.trunc", "%f", F10, F10, 0x1A) \
	FLOAT_BOTH(E, CVT_FXU_TRUNC, "cvt.fxu.trunc", "%f", F10, F10, 0x1B) \
	E(FCVT_XF, "fcvt.xf", F11, SINGLE(0, 0x1C)) E(FSETC, "fsetc%f", F12, SINGLE(0, 4)) \
	E(FCLRF, "fclrf%f", F13, SINGLE(0, 5)) E(FCHKF, "fchkf%f", F14, SINGLE(0, 8)) \
	E(BREAK_F, "break.f", F15, SINGLE(0, 0)) E(NOP_F, "nop.f", F16, SINGLE(0, 1)) \
	E(HINT_F, "hint.f", F16, SINGLE(0, 1) | PUT(Y26, 1))

/*
 * X: long ones, of two slots
 */

#define X_ENCODINGS(E) \
	E(BREAK_X, "break.x", X1, 0) E(NOP_X, "nop.x", X5, PUT(X6, 1)) \
	E(HINT_X, "hint.x", X5, PUT(X6, 1) | PUT(Y26, 1)) \
	E(MOVL, "movl", X2_MOVL, PUT(OP, 6)) E(BRL_COND, "brl.cond%w%p%d", X3_BRL, PUT(OP, 0xC)) \
	E(BRL_CALL, "brl.call%w%p%d", X4_BRL, PUT(OP, 0xD))

#define IA64_FORMAT_NAME(name, ...) FORMAT_##name,
enum ia64_format { IA64_FORMATS(IA64_FORMAT_NAME) FORMATS };

#define IA64_ENCODING_NAME(name, ...) IA64_##name,
enum ia64_encoding { IA64_ENCODINGS(IA64_ENCODING_NAME) ENCODINGS };

#endif
