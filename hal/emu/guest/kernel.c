// SPDX-License-Identifier: BSD-2-Clause
// What a kernel that was loaded as a guest needs of its monitor besides a PMU: the state it begins with; the
// instructions and registers of SVM, which it has not; interrupt shadows and single steps, which exits disturb; the end
// of the run.

#include "kernel.h"

#include <string.h>

#include "configuration.h"
#include "hal.h"
#include "layout.h"
#include "nested.h"
#include "permissions.h"
#include "vmcb.h"
#include "x86/cpu.h"
#include "x86/msr.h"
#include "x86/ports.h"

#define INTERCEPT_SVM		0x7Fu	/* intercept2: VMRUN, VMMCALL, VMLOAD, VMSAVE, STGI, CLGI, SKINIT */

// interrupt_control: the monitor's flag, which is clear, masks physical interrupts.
#define VIRTUAL_INTERRUPTS	(1u << 24)
#define INTERRUPT_SHADOW	(1u << 0)

enum {
	EXIT_DEBUG = 0x41,
	EXIT_INVLPGA = 0x7A,
	EXIT_PORTS = 0x7B,
	EXIT_SHUTDOWN = 0x7F,
	EXIT_VMRUN = 0x80,
	EXIT_SKINIT = 0x86,
};

// exit_info1 of EXIT_PORTS.
#define PORTS_IN	(1u << 0)
#define PORTS_STRING	(1u << 2)
#define PORTS_SIZE(i)	((i) >> 4 & 7)		/* bytes */
#define PORTS_PORT(i)	((uint16_t)((i) >> 16))

// The guest sees no register of SVM.
#define MSR_VM_CR		0xC0010114u

// What IA32_MISC_ENABLE says of performance monitoring (SDM volume 4, Table 2-2).
#define MSR_MISC_ENABLE		0x1A0u
#define MISC_MONITORING		(KERNEL_MISC_AVAILABLE | KERNEL_MISC_NO_BTS | KERNEL_MISC_NO_PEBS)

#define VECTOR_DEBUG		1
#define VECTOR_DOUBLE_FAULT	8
#define VECTOR_PAGE_FAULT	14
#define CONTRIBUTORY		0x3C01u	/* #DE, #TS, #NP, #SS, #GP */
#define DR6_SINGLE_STEP		(1u << 14)

#define RDMSR_LENGTH		2
#define PORT_PERMISSIONS_SIZE	0x3000

// The guest's state at its start: Multiboot specification 3.2; a CPU's that has been started by startup interrupt: SDM
// volume 3A, Table 9-1.
#define CR0_PE			(1u << 0)
#define CR0_ET			(1u << 4)
#define CR0_PG			(1u << 31)
#define CR4_PSE			(1u << 4)
#define CR4_PAE			(1u << 5)
#define CR4_PGE			(1u << 7)
#define EFER_LONG		(5u << 8)	/* 64-bit mode is enabled, and is */
#define START_CR0		0x60000010u
#define START_EDX		0x000106A5u
#define ATTRIBUTES_CODE16	0x09B
#define ATTRIBUTES_CODE32	0xC9B	/* 4 GiB, 32-bit, present, level 0, execute and read, accessed */
#define ATTRIBUTES_CODE64	0xA9B
#define ATTRIBUTES_DATA32	0xC93
#define ATTRIBUTES_TSS32	0x08B
#define ATTRIBUTES_LDT		0x082
#define ATTRIBUTES_DATA16	0x093

#define INJECTED (SVM_INJECT_VALID | 7ULL << 8)	/* exit_interrupt_info: whether there is something, and its kind */

static const char has_shut_down[] = "the guest has shut down (triple fault)";

_Alignas(4096) static uint8_t port_permissions[PORT_PERMISSIONS_SIZE];
static const struct load_entry *entry_of_guest;
static const struct kernel_monitor *monitor;
static uint64_t nested_tables;

//
// The end
//

void kernel_say(const char *text)
{
	while (*text)
		hal_console_put(*text++);
}

// A reset: the emulator ends, and not as by the guest's debug-exit port.
noreturn void hal_exit(int status)
{
	(void)status;
	for (;;)
		x86_outb(PORT_KEYBOARD, PORT_KEYBOARD_RESET);
}

noreturn void kernel_end(const char *why)
{
	if (monitor)
		monitor->last_words();
	kernel_say("palmon: ");
	kernel_say(why);
	kernel_say("\n");
	hal_exit(1);
}

//
// Exits
//

// Of the guest's next instruction. The map is that of all CPUs.
static bool ports_are_open;

static void set_ports(uint16_t first, unsigned count, bool intercepted)
{
	for (unsigned port = first; port < first + count; port++) {
		const uint8_t bit = (uint8_t)(1 << port % 8);

		port_permissions[port / 8] = (uint8_t)((port_permissions[port / 8] & ~bit) | (intercepted ? bit : 0));
	}
}

static void close_ports(void)
{
	set_ports(PORT_KEYBOARD_DATA, 1, true);
	set_ports(PORT_KEYBOARD, 1, true);
	set_ports(PORT_SYSTEM_CONTROL, 1, true);
	set_ports(PORT_DEBUG_EXIT, PORT_DEBUG_EXIT_COUNT, true);
	set_ports(PORT_CONFIGURATION_DMA, PORT_CONFIGURATION_DMA_COUNT, true);
	ports_are_open = false;
}

// QEMU restores no interrupt shadow of STI or MOV to SS when the guest's quantum has ended there. It leaves the error
// codes of the guest's exceptions where events are injected, and nothing is injected when the guest has left.
struct kernel_exit kernel_begin_exit(struct svm_frame *frame)
{
	struct vmcb *vmcb = frame->vmcb;

	vmcb->interrupt_control &= ~(uint64_t)VIRTUAL_INTERRUPTS;
	vmcb->tlb_control = 0;
	vmcb->event_injection = 0;
	kernel_sanitize(vmcb);
	if (ports_are_open)
		close_ports();
	return (struct kernel_exit){
		.shadow = vmcb->interrupt_shadow & INTERRUPT_SHADOW,
		.steps = vmcb->exit_code != SVM_EXIT_NMI && vmcb->exit_code != SVM_EXIT_INTR &&
			 vmcb->rflags & SVM_RFLAGS_TF,
		.rip = vmcb->rip,
	};
}

void kernel_end_exit(struct svm_frame *frame, const struct kernel_exit *exit)
{
	if (!exit->steps || frame->vmcb->rip == exit->rip || frame->vmcb->event_injection)
		return;
	frame->vmcb->dr6 |= DR6_SINGLE_STEP;
	kernel_inject(frame, VECTOR_DEBUG);
}

void kernel_step_alone(struct svm_frame *frame)
{
	frame->vmcb->interrupt_control |= VIRTUAL_INTERRUPTS;
	frame->vmcb->intercept1 &= ~SVM_INTERCEPT_INTR;
	kernel_set_alarm(frame, 1);
}

void kernel_step(struct svm_frame *frame, const struct kernel_exit *exit)
{
	set_ports(exit->port, exit->ports, false);
	ports_are_open = exit->ports;
	kernel_step_alone(frame);
}

static uint64_t misc_enable(void)
{
	uint64_t value = 0;

	x86_rdmsr(MSR_MISC_ENABLE, &value);
	return (value & ~(uint64_t)MISC_MONITORING) | monitor->misc_enable;
}

// RDMSR of EFER: the guest has no SVM; of IA32_MISC_ENABLE: it has a PMU. The others are the PMU's, or do not exist.
static bool exit_register(struct svm_frame *frame)
{
	const uint32_t msr = (uint32_t)frame->rcx;

	if (msr != SVM_MSR_EFER && msr != MSR_MISC_ENABLE)
		return false;
	svm_give_value(frame, msr == SVM_MSR_EFER ? frame->vmcb->efer & ~(uint64_t)SVM_EFER_SVME : misc_enable());
	kernel_skip(frame, RDMSR_LENGTH);
	return true;
}

// The address line 20 stays on: without it the monitor would find every second MiB of its memory in the one before.
static void write_with_a20(uint16_t port, uint8_t value)
{
	static bool output_port_follows;	// the keyboard controller's

	if (port == PORT_SYSTEM_CONTROL || (port == PORT_KEYBOARD_DATA && output_port_follows))
		value |= A20_ON;
	if (port != PORT_SYSTEM_CONTROL)
		output_port_follows = port == PORT_KEYBOARD && value == PORT_KEYBOARD_OUTPUT;
	if (port != PORT_KEYBOARD || value != PORT_KEYBOARD_A20_OFF)
		x86_outb(port, value);
}

// A write that is carried out for the guest.
static void write_port(uint16_t port, uint32_t how, uint32_t value)
{
	if (how & PORTS_STRING)
		kernel_end("the guest writes a string to a port that the monitor watches");
	if (port >= PORT_CONFIGURATION_DMA - 3)
		configuration_write(port, PORTS_SIZE(how), value);
	else if (PORTS_SIZE(how) == 1)
		write_with_a20(port, (uint8_t)value);
	else
		kernel_end("the guest writes more than a byte to a port that the monitor watches");
}

// Reads are the guest's own, and the write that ends the run.
static void exit_port(struct svm_frame *frame, struct kernel_exit *exit)
{
	struct vmcb *vmcb = frame->vmcb;
	const uint32_t how = (uint32_t)vmcb->exit_info1;
	const uint16_t port = PORTS_PORT(how), end = (uint16_t)(port + PORTS_SIZE(how));
	const bool ends = !(how & PORTS_IN) && port < PORT_DEBUG_EXIT + PORT_DEBUG_EXIT_COUNT && end > PORT_DEBUG_EXIT;
	static bool said;	// it may be tried more than once

	if (ends && !said)
		monitor->last_words();
	said |= ends;
	if (ends || how & PORTS_IN) {
		exit->port = port;
		exit->ports = PORTS_SIZE(how);
		return;
	}
	write_port(port, how, (uint32_t)vmcb->rax);
	kernel_skip(frame, vmcb->exit_info2 - vmcb->rip);
}

bool kernel_exit_double_fault(struct svm_frame *frame)
{
	const uint64_t injected = frame->vmcb->exit_interrupt_info;
	const uint64_t vector = frame->vmcb->exit_code - SVM_EXIT_EXCEPTION;
	const uint8_t first = (uint8_t)injected;
	uint32_t doubles = CONTRIBUTORY;

	if ((injected & INJECTED) != (SVM_INJECT_VALID | SVM_INJECT_EXCEPTION) || vector >= 32)
		return false;
	if (first == VECTOR_DOUBLE_FAULT && CONTRIBUTORY >> vector & 1)
		kernel_end(has_shut_down);
	if (first == VECTOR_PAGE_FAULT)
		doubles |= 1u << VECTOR_PAGE_FAULT;
	else if (!(first < 32 && CONTRIBUTORY >> first & 1))
		return false;
	if (!(doubles >> vector & 1))
		return false;
	kernel_inject(frame, SVM_INJECT_ERROR_CODE | VECTOR_DOUBLE_FAULT);
	return true;
}

void kernel_watch_injection(struct vmcb *vmcb)
{
	const uint8_t vector = (uint8_t)vmcb->event_injection;

	if ((vmcb->event_injection & INJECTED) == (SVM_INJECT_VALID | SVM_INJECT_EXCEPTION) && vector < 32 &&
	    (CONTRIBUTORY | 1u << VECTOR_DOUBLE_FAULT) >> vector & 1)
		vmcb->intercept_exceptions |= CONTRIBUTORY;
}

bool kernel_exit(struct svm_frame *frame, struct kernel_exit *exit)
{
	const uint64_t code = frame->vmcb->exit_code;

	// A trap: the instruction has executed and does not raise it again.
	if (code == EXIT_DEBUG)
		kernel_inject(frame, VECTOR_DEBUG);
	if (code == SVM_EXIT_MSR)
		return exit_register(frame);
	if (code == EXIT_SHUTDOWN)
		kernel_end(has_shut_down);
	if (code == EXIT_PORTS)
		exit_port(frame, exit);
	else if (code == EXIT_INVLPGA || (code >= EXIT_VMRUN && code <= EXIT_SKINIT))
		kernel_inject(frame, VECTOR_UNDEFINED);
	else
		return false;
	return true;
}

//
// The start
//

static void intercept_registers(struct vmcb *vmcb)
{
	permissions_set(vmcb, MSR_MISC_ENABLE, PERMISSION_READ);
	permissions_set(vmcb, SVM_MSR_EFER, PERMISSION_READ);
	permissions_set(vmcb, SVM_MSR_HSAVE, PERMISSION_READ | PERMISSION_WRITE);
	permissions_set(vmcb, MSR_VM_CR, PERMISSION_READ | PERMISSION_WRITE);
	vmcb->intercept2 |= INTERCEPT_SVM;
	close_ports();
	vmcb->iopm_base = (uintptr_t)port_permissions;
}

// FS, GS, the local descriptor table and the task: not loaded by VMRUN.
static void load_rest(struct vmcb *vmcb)
{
	vmcb->fs = vmcb->gs = vmcb->ds;
	vmcb->ldtr = (struct vmcb_segment){0, ATTRIBUTES_LDT, 0xFFFF, 0};
	vmcb->tr = (struct vmcb_segment){0, ATTRIBUTES_TSS32, 0xFFFF, 0};
	__asm__ volatile("vmload %%rax" : : "a"(vmcb) : "memory");
}

void kernel_prepare(const struct load_entry *entry, const struct kernel_monitor *under)
{
	entry_of_guest = entry;
	monitor = under;
	nested_tables = nested_prepare();
}

// Where these change, QEMU throws away all translations of addresses. So the monitor has them as most kernels do: they
// do not change at each world switch.
static void set_own_control(void)
{
	uint64_t cr4;

	__asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
	__asm__ volatile("mov %0, %%cr4" : : "r"(cr4 | CR4_PSE | CR4_PGE) : "memory");
}

// In real mode. Its time-stamp counter is the machine's, whose time all its clocks have.
static void fill(struct svm_frame *frame)
{
	struct vmcb *vmcb = frame->vmcb;

	set_own_control();
	memset(frame, 0, offsetof(struct svm_frame, vmcb));
	frame->clock_offset = &frame->own_offset;
	vmcb->tsc_offset = 0;
	vmcb->ds = vmcb->es = vmcb->ss = (struct vmcb_segment){0, ATTRIBUTES_DATA16, 0xFFFF, 0};
	vmcb->gdtr = vmcb->idtr = (struct vmcb_segment){0, 0, 0xFFFF, 0};
	vmcb->cr0 = START_CR0;
	vmcb->cr3 = vmcb->cr4 = 0;
	vmcb->efer = SVM_EFER_SVME;
	vmcb->rflags = 2;
	vmcb->rsp = vmcb->rip = vmcb->rax = 0;
	vmcb->nested_cr3 = nested_tables;
	vmcb->nested_control = SVM_NESTED_PAGING;
	vmcb->tlb_control = SVM_FLUSH_ALL;
	intercept_registers(vmcb);
}

void kernel_fill(struct svm_frame *frame)
{
	const struct load_entry *entry = entry_of_guest;
	struct vmcb *vmcb = frame->vmcb;

	fill(frame);
	vmcb->cs = (struct vmcb_segment){
		entry->selector, entry->tables ? ATTRIBUTES_CODE64 : ATTRIBUTES_CODE32, UINT32_MAX, 0,
	};
	vmcb->ds = vmcb->es = vmcb->ss = (struct vmcb_segment){
		(uint16_t)(entry->selector + 8), ATTRIBUTES_DATA32, UINT32_MAX, 0,
	};
	vmcb->gdtr = (struct vmcb_segment){
		.base = entry->descriptors, .limit = entry->descriptors ? entry->descriptors_size - 1u : 0,
	};
	vmcb->idtr = (struct vmcb_segment){0};
	vmcb->cr0 = CR0_PE | CR0_ET;
	if (entry->tables) {
		vmcb->cr0 |= CR0_PG;
		vmcb->cr3 = entry->tables;
		vmcb->cr4 = CR4_PAE;
		vmcb->efer |= EFER_LONG;
	}
	vmcb->rip = entry->address;
	vmcb->rax = entry->eax;
	frame->rbx = entry->ebx;
	frame->rsi = entry->esi;
	load_rest(vmcb);
}

void kernel_fill_started(struct svm_frame *frame, uint8_t vector)
{
	fill(frame);
	frame->vmcb->cs = (struct vmcb_segment){
		(uint16_t)(vector << 8), ATTRIBUTES_CODE16, 0xFFFF, (uint64_t)vector << 12,
	};
	frame->rdx = START_EDX;
	load_rest(frame->vmcb);
}
