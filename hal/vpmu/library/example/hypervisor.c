// SPDX-License-Identifier: BSD-2-Clause
// A minimal hypervisor with libvpmu. Its guest is a program for a processor with seven
// instructions. The guest counts its own instructions with a Core i7's PMU, takes the overflow
// interrupt, and halts. Halfway through, the hypervisor migrates it. Compile: cc hypervisor.c
// $(pkg-config --cflags --libs libvpmu)

#include <palmon/vpmu.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TARGET		"nehalem"
#define THREAD		0
#define IA32_PMC0		0x0C1
#define IA32_PERFEVTSEL0	0x186
#define IA32_GLOBAL_STATUS	0x38E
#define IA32_GLOBAL_CTRL	0x38F
#define IA32_GLOBAL_OVF_CTRL	0x390
#define SLICE		300	/* most instructions between two exits */
#define ENABLED		0x530000	/* IA32_PERFEVTSEL: USR, OS, INT, EN */

enum opcode { NOP, LOOP, WRMSR, RDMSR, RDPMC, HLT, IRET };

struct instruction {
	enum opcode opcode;
	uint32_t operand;	// address or index; LOOP: the target
	uint64_t value;		// value to write; LOOP: number of iterations
};

#define HANDLER 9	/* index of the overflow interrupt's handler */

static const struct instruction program[] = {
	{WRMSR, IA32_GLOBAL_CTRL, 0},
	{WRMSR, IA32_PERFEVTSEL0, ENABLED | 0xC0},	// INST_RETIRED.ANY_P
	{WRMSR, IA32_PMC0, (uint32_t)-1000},
	{WRMSR, IA32_GLOBAL_CTRL, 1},
	{NOP, 0, 0},
	{LOOP, 4, 2000},				// 2000 times NOP, LOOP
	{WRMSR, IA32_GLOBAL_CTRL, 0},
	{RDPMC, 0, 0},
	{HLT, 0, 0},
	[HANDLER] = {RDMSR, IA32_GLOBAL_STATUS, 0},
	{WRMSR, IA32_GLOBAL_OVF_CTRL, 1},
	{IRET, 0, 0},
};

struct guest {
	unsigned ip, return_ip;
	uint64_t loops, executed, result, status, interrupts, first_interrupt;
	bool in_handler, pending, halted;
};

static void fail(const char *what)
{
	fprintf(stderr, "example: %s\n", what);
	exit(1);
}

static struct vpmu_core *make_vpmu(void)
{
	// Expose two of the four counters, no fixed ones, no sibling thread's events, and only two
	// events: instructions and cycles with any unit mask.
	static const struct vpmu_event events[] = {
		VPMU_EVENT_MASKED(0xC0, 0, 0, false), VPMU_EVENT_MASKED(0x3C, 0, 0, false),
	};
	static const struct vpmu_features features = {.general = 2, .events = events,
						      .event_count = 2};
	const size_t size = vpmu_core_size(TARGET);
	void *memory = aligned_alloc(VPMU_ALIGNMENT, size);
	struct vpmu_core *vpmu;
	enum vpmu_error error;

	if (vpmu_version() < VPMU_VERSION)
		fail("the library is older than the header");
	if (!memory)
		fail("no memory");
	error = vpmu_core_create(&vpmu, memory, size, TARGET, &features, 0);
	if (error)
		fail(vpmu_error_text(error));
	return vpmu;
}

// Migrates the vPMU to other memory. A real hypervisor also migrates the guest's registers and
// memory.
static struct vpmu_core *migrate(struct vpmu_core *from)
{
	const size_t size = vpmu_core_image_size(from);
	struct vpmu_core *to = make_vpmu();
	uint8_t *image = malloc(size);
	enum vpmu_error error;

	if (!image || vpmu_core_save(from, image, size) != size)
		fail("not saved");
	error = vpmu_core_load(to, image, size);
	if (error)
		fail(vpmu_error_text(error));
	printf("migrated: %zu bytes\n", size);
	free(image);
	free(from);
	return to;
}

// Checks the result of an intercepted access. This guest has no #GP handler.
static void check(enum vpmu_result result)
{
	if (result == VPMU_FAULT || result == VPMU_NOT_MINE)
		fail("the guest got a general protection fault");
}

// Emulates an instruction that a real processor intercepts. vpmu_core_write counts its own
// instruction; the hypervisor reports the others after the access.
static void exit_to_hypervisor(struct vpmu_core *vpmu, struct guest *guest,
			       const struct instruction *i)
{
	uint64_t value = 0;

	switch (i->opcode) {
	case WRMSR:
		check(vpmu_core_write(vpmu, THREAD, i->operand, i->value, 1));
		return;
	case RDMSR:
		check(vpmu_core_read(vpmu, THREAD, i->operand, &value));
		guest->status = value;
		break;
	case RDPMC:
		check(vpmu_core_read_counter(vpmu, THREAD, i->operand, &value));
		guest->result = value;
		break;
	default:
		guest->halted = true;
	}
	vpmu_core_advance(vpmu, THREAD, 1, 1);
}

// Executes up to `most` instructions that are not intercepted, as a processor does between two
// exits.
static uint64_t run(struct guest *guest, uint64_t most)
{
	uint64_t executed = 0;

	for (; executed < most; executed++) {
		const struct instruction *i = &program[guest->ip];

		if (i->opcode == NOP) {
			guest->ip++;
		} else if (i->opcode == LOOP) {
			guest->ip = ++guest->loops < i->value ? i->operand : guest->ip + 1;
		} else if (i->opcode == IRET) {
			guest->ip = guest->return_ip;
			guest->in_handler = false;
		} else {
			break;
		}
	}
	return executed;
}

// The interrupt controller: takes the vPMU's line, and starts the handler.
static void deliver(struct vpmu_core *vpmu, struct guest *guest)
{
	guest->pending |= (vpmu_core_take_lines(vpmu, THREAD) & VPMU_LINE_ROSE) != 0;
	if (!guest->pending || guest->in_handler)
		return;
	if (!guest->interrupts++)
		guest->first_interrupt = guest->executed;
	guest->return_ip = guest->ip;
	guest->ip = HANDLER;
	guest->in_handler = true;
	guest->pending = false;
}

int main(void)
{
	struct vpmu_core *vpmu = make_vpmu();
	struct guest guest = {0};
	bool migrated = false;

	while (!guest.halted) {
		const uint64_t headroom = vpmu_core_headroom(vpmu, THREAD);
		const uint64_t executed = run(&guest, headroom < SLICE ? headroom : SLICE);

		guest.executed += executed;
		vpmu_core_advance(vpmu, THREAD, executed, executed);
		deliver(vpmu, &guest);
		if (guest.executed > 500 && !migrated) {
			vpmu = migrate(vpmu);
			migrated = true;
		}
		if (program[guest.ip].opcode != NOP && program[guest.ip].opcode != LOOP &&
		    program[guest.ip].opcode != IRET) {
			exit_to_hypervisor(vpmu, &guest, &program[guest.ip++]);
			guest.executed++;
			deliver(vpmu, &guest);
		}
	}
	printf("interrupts: %" PRIu64 ", the first after instruction %" PRIu64 ", status 0x%" PRIx64
	       "\n", guest.interrupts, guest.first_interrupt, guest.status);
	printf("counted: %" PRIu64 "\n", guest.result + 1000);
	free(vpmu);
	return 0;
}
