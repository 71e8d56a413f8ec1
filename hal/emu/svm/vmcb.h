/* SPDX-License-Identifier: BSD-2-Clause */
/* The virtual machine control block and what goes with it (AMD64 Architecture Programmer's Manual volume 2,
 * appendices B and C). */
#ifndef SVM_VMCB_H
#define SVM_VMCB_H

#include <stddef.h>
#include <stdint.h>

struct vmcb_segment {
	uint16_t selector, attributes;
	uint32_t limit;
	uint64_t base;
};

struct vmcb {
	/* Control area. */
	uint32_t intercept_cr, intercept_dr, intercept_exceptions, intercept1, intercept2;
	uint8_t reserved0[0x040 - 0x014];
	uint64_t iopm_base, msrpm_base, tsc_offset;
	uint32_t asid, tlb_control;
	uint64_t interrupt_control, interrupt_shadow, exit_code, exit_info1, exit_info2, exit_interrupt_info;
	uint64_t nested_control;
	uint8_t reserved1[0x0A8 - 0x098];
	uint64_t event_injection;
	uint64_t nested_cr3;
	uint8_t reserved2[0x400 - 0x0B8];
	/* State save area. */
	struct vmcb_segment es, cs, ss, ds, fs, gs, gdtr, ldtr, idtr, tr;
	uint8_t reserved3[0x4CB - 0x4A0];
	uint8_t cpl;
	uint8_t reserved4[0x4D0 - 0x4CC];
	uint64_t efer;
	uint8_t reserved5[0x548 - 0x4D8];
	uint64_t cr4, cr3, cr0, dr7, dr6, rflags, rip;
	uint8_t reserved6[0x5D8 - 0x580];
	uint64_t rsp;
	uint8_t reserved7[0x5F8 - 0x5E0];
	uint64_t rax;
	uint8_t reserved8[0x640 - 0x600];
	uint64_t cr2;
	uint8_t reserved9[0x1000 - 0x648];
};

_Static_assert(offsetof(struct vmcb, msrpm_base) == 0x048, "VMCB layout");
_Static_assert(offsetof(struct vmcb, exit_code) == 0x070, "VMCB layout");
_Static_assert(offsetof(struct vmcb, event_injection) == 0x0A8, "VMCB layout");
_Static_assert(offsetof(struct vmcb, tr) == 0x490, "VMCB layout");
_Static_assert(offsetof(struct vmcb, cpl) == 0x4CB, "VMCB layout");
_Static_assert(offsetof(struct vmcb, rflags) == 0x570, "VMCB layout");
_Static_assert(offsetof(struct vmcb, rax) == 0x5F8, "VMCB layout");
_Static_assert(offsetof(struct vmcb, cr2) == 0x640, "VMCB layout");
_Static_assert(sizeof(struct vmcb) == 0x1000, "VMCB layout");

/* rflags */
#define SVM_RFLAGS_TF		(1u << 8)
#define SVM_RFLAGS_IF		(1u << 9)

/* intercept1 */
#define SVM_INTERCEPT_INTR	(1u << 0)
#define SVM_INTERCEPT_NMI	(1u << 1)
#define SVM_INTERCEPT_SMI	(1u << 2)
#define SVM_INTERCEPT_RDPMC	(1u << 15)
#define SVM_INTERCEPT_CPUID	(1u << 18)
#define SVM_INTERCEPT_IRET	(1u << 20)
#define SVM_INTERCEPT_SWINT	(1u << 21)
#define SVM_INTERCEPT_PAUSE	(1u << 23)
#define SVM_INTERCEPT_HLT	(1u << 24)
#define SVM_INTERCEPT_INVLPGA	(1u << 26)
#define SVM_INTERCEPT_PORTS	(1u << 27)
#define SVM_INTERCEPT_MSR	(1u << 28)
#define SVM_INTERCEPT_SHUTDOWN	(1u << 31)
/* intercept2 */
#define SVM_INTERCEPT_VMRUN	(1u << 0)

enum svm_exit_code {
	SVM_EXIT_EXCEPTION = 0x40,	/* + vector, to 0x5F */
	SVM_EXIT_UNDEFINED = 0x46,	/* #UD */
	SVM_EXIT_PAGE_FAULT = 0x4E,	/* #PF */
	SVM_EXIT_INTR = 0x60,
	SVM_EXIT_NMI = 0x61,
	SVM_EXIT_RDPMC = 0x6F,
	SVM_EXIT_CPUID = 0x72,
	SVM_EXIT_IRET = 0x74,
	SVM_EXIT_SWINT = 0x75,
	SVM_EXIT_PAUSE = 0x77,
	SVM_EXIT_HLT = 0x78,
	SVM_EXIT_MSR = 0x7C,		/* exit_info1: 0 read, 1 write */
};

/* nested_control, tlb_control */
#define SVM_NESTED_PAGING	(1u << 0)
#define SVM_FLUSH_ALL		1u

/* event_injection */
#define SVM_INJECT_VALID	(1ULL << 31)
#define SVM_INJECT_ERROR_CODE	(1ULL << 11)
#define SVM_INJECT_NMI		(2ULL << 8)
#define SVM_INJECT_EXCEPTION	(3ULL << 8)

#define SVM_CPUID_FEATURES	0x80000001u	/* ECX bit 2: SVM */
#define SVM_CPUID_ECX_SVM	(1u << 2)
#define SVM_CPUID_REVISION	0x8000000Au
#define SVM_CPUID_EDX_NESTED	(1u << 0)
#define SVM_MSR_EFER		0xC0000080u
#define SVM_EFER_SVME		(1u << 12)
#define SVM_MSR_HSAVE		0xC0010117u

#endif
