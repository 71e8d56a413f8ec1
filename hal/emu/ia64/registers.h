/* SPDX-License-Identifier: BSD-2-Clause */
/* Application and control registers by their numbers; the processor's status. */
#ifndef IA64_REGISTERS_H
#define IA64_REGISTERS_H

/* Numbers of application registers. Registers that only store a value are in `ar`, by their
 * number. */
enum {
	AR_K0 = 0, AR_RSC = 16, AR_BSP = 17, AR_BSPSTORE = 18, AR_RNAT = 19, AR_FCR = 21,
	AR_EFLAG = 24, AR_CCV = 32,
	AR_UNAT = 36, AR_FPSR = 40, AR_ITC = 44, AR_PFS = 64, AR_LC = 65, AR_EC = 66,
};

/* Control registers by their numbers. */
enum {
	CR_DCR = 0, CR_ITM = 1, CR_IVA = 2, CR_PTA = 8, CR_IPSR = 16, CR_ISR = 17, CR_IIP = 19,
	CR_IFA = 20,
	CR_ITIR = 21, CR_IIPA = 22, CR_IFS = 23, CR_IIM = 24, CR_IHA = 25, CR_LID = 64, CR_IVR = 65,
	CR_TPR = 66,
	CR_EOI = 67, CR_IRR0 = 68, CR_IRR3 = 71, CR_ITV = 72, CR_PMV = 73, CR_CMCV = 74,
	CR_LRR0 = 80, CR_LRR1 = 81,
};
#define VECTOR_MASKED	(1ULL << 16)	/* ITV, PMV, CMCV */
#define DCR_PP		(1ULL << 0)
#define DCR_BE		(1ULL << 1)

#define RSC_MODE	0x3ULL
#define RSC_PL		0xCULL

/* Processor status (manual, volume 2, section 3.3.2). */
#define PSR_BE		(1ULL << 1)
#define PSR_UP		(1ULL << 2)
#define PSR_AC		(1ULL << 3)
#define PSR_MFL		(1ULL << 4)
#define PSR_MFH		(1ULL << 5)
#define PSR_IC		(1ULL << 13)
#define PSR_I		(1ULL << 14)
#define PSR_PK		(1ULL << 15)
#define PSR_DT		(1ULL << 17)
#define PSR_DFL		(1ULL << 18)
#define PSR_DFH		(1ULL << 19)
#define PSR_SP		(1ULL << 20)
#define PSR_PP		(1ULL << 21)
#define PSR_DI		(1ULL << 22)
#define PSR_SI		(1ULL << 23)
#define PSR_DB		(1ULL << 24)
#define PSR_LP		(1ULL << 25)
#define PSR_TB		(1ULL << 26)
#define PSR_RT		(1ULL << 27)
#define PSR_CPL		(3ULL << 32)
#define PSR_IS		(1ULL << 34)
#define PSR_MC		(1ULL << 35)
#define PSR_IT		(1ULL << 36)
#define PSR_ID		(1ULL << 37)
#define PSR_DA		(1ULL << 38)
#define PSR_DD		(1ULL << 39)
#define PSR_SS		(1ULL << 40)
#define PSR_RI		(3ULL << 41)
#define PSR_ED		(1ULL << 43)
#define PSR_BN		(1ULL << 44)
#define PSR_IA		(1ULL << 45)
#define PSR_ONCE	(PSR_ID | PSR_DA | PSR_DD | PSR_ED | PSR_IA)	/* for one instruction */
/* With one of these bits set, instructions execute one at a time. */
#define PSR_SINGLE	(PSR_ONCE | PSR_SS | PSR_DFL | PSR_DFH | PSR_DB)
#define PSR_RESERVED	(1ULL | 0x7FULL << 6 | 1ULL << 16 | 15ULL << 28 | ~0ULL << 46)
/* the monitor depends on them */
#define PSR_MONITORED	(PSR_UP | PSR_SP | PSR_PP | PSR_DB | PSR_CPL | PSR_IS)

#endif
