// SPDX-License-Identifier: BSD-2-Clause
// A first domain for Xen, the guest (tests/boot/xen.t): it prints that it runs; with the word `pmu`
// it requests a PMU from Xen and counts with it; it ends the run through the debug-exit port. Names
// and numbers: Xen's public headers.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONSOLE_IO		18
#define CONSOLEIO_WRITE		0
#define PHYSDEV_OP		33
#define PHYSDEVOP_SET_IOPL	6
#define XENPMU_OP		40
#define XENPMU_INIT		4

#define IA32_PERFEVTSEL0	0x186
#define INSTRUCTIONS_AT_3	0x4100C0 /* instructions retired, at levels 1 to 3, enabled */
#define ITERATIONS		100000

#define DEBUG_EXIT		0xF4

struct start_info {
	char magic[32];
	uint64_t nr_pages, shared_info;
	uint32_t flags;
	uint64_t store_mfn;
	uint32_t store_evtchn;
	uint64_t console[2];
	uint64_t pt_base, nr_pt_frames;
	const uint64_t *mfn_list;
	uint64_t mod_start, mod_len;
	char cmd_line[1024];
};

struct xen_pmu_params {
	uint32_t major, minor;
	uint64_t val;
	uint32_t vcpu, pad;
};

void dom0_main(const struct start_info *start);
long hypercall(long a, const void *b, const void *c, long number);
uint64_t count_loop(uint32_t iterations);

_Alignas(4096) static uint8_t pmu_page[4096];

static void say(const char *text)
{
	long length = 0;

	while (text[length])
		length++;
	hypercall(CONSOLEIO_WRITE, (const void *)length, text, CONSOLE_IO);
}

static void say_number(uint64_t n)
{
	char digits[24], *d = digits + sizeof digits;

	*--d = 0;
	do
		*--d = (char)('0' + n % 10);
	while (n /= 10);
	say(d);
}

static void count(const struct start_info *start)
{
	const struct xen_pmu_params params = {.major = 0, .minor = 1,
				.val = start->mfn_list[(uintptr_t)pmu_page / sizeof pmu_page]};
	const long refused = hypercall(XENPMU_INIT, &params, NULL, XENPMU_OP);

	if (refused) {
		say("dom0: no PMU, error ");
		say_number((uint64_t)-refused);
		say("\n");
		return;
	}
	__asm__ volatile("wrmsr" : : "c"(IA32_PERFEVTSEL0), "a"(INSTRUCTIONS_AT_3), "d"(0));
	say("dom0: ");
	say_number(count_loop(ITERATIONS));
	say(" instructions\n");
}

void dom0_main(const struct start_info *start)
{
	const uint32_t iopl = 1;

	say("dom0: runs\n");
	if (start->cmd_line[0] == 'p')
		count(start);
	hypercall(PHYSDEVOP_SET_IOPL, &iopl, NULL, PHYSDEV_OP);
	__asm__ volatile("outl %0, %1" : : "a"(0), "Nd"(DEBUG_EXIT));
	for (;;)
		;
}
