// SPDX-License-Identifier: BSD-2-Clause
// Two threads of a hypervisor, each with its own vPMU of every target, do the same at the same
// time: for the thread sanitizer, and for the results, which must be equal.

#include <palmon/vpmu.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE_MOST	4096
#define STEPS		1000
#define HYPERVISORS	2

struct hypervisor {
	const char *target;
	uint8_t image[IMAGE_MOST];
	size_t length;
	unsigned done;		// accesses
};

// xorshift64*
static uint64_t any(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545F4914F6CDD1D >> 16;
}

// Selects, counters and their controls of all targets.
static uint32_t address(uint64_t *state)
{
	static const uint32_t first[] = {0xC1, 0x186, 0x309, 0x38D, 0x3F1, 0x680, 0x20, 0x28, 0x2C,
					 0x3B0, 0x3C0, 0x391,
					 0x6400, 0xB000, 0, 4, 0x104, 0x80040800, 0x80041000,
					 0xC0000300, 0xC0010000, 0xC0010200};

	return first[any(state) % (sizeof first / sizeof *first)] + (uint32_t)(any(state) % 8);
}

static void step(struct hypervisor *h, struct vpmu_core *core, uint64_t *state)
{
	const unsigned thread = (unsigned)(any(state) % vpmu_core_threads(core));
	const uint32_t at = address(state);
	uint64_t value = any(state) % 4 ? any(state) % 0x1000000 : any(state);

	vpmu_core_set_level(core, thread, 0);
	h->done += vpmu_core_write(core, thread, at, value, 1) == VPMU_DONE;
	h->done += vpmu_core_read(core, thread, at, &value) == VPMU_DONE;
	vpmu_core_set_level(core, thread, (unsigned)(any(state) % 4));
	vpmu_core_advance(core, thread, any(state) % 100, 100);
	vpmu_core_take_lines(core, thread);
	h->length = vpmu_core_save(core, h->image, sizeof h->image);
	if (vpmu_core_load(core, h->image, h->length) != VPMU_OK)
		abort();
}

static void *run(void *argument)
{
	struct hypervisor *h = argument;
	const size_t size = vpmu_core_size(h->target);
	void *memory = aligned_alloc(VPMU_ALIGNMENT, size);
	struct vpmu_core *core;
	uint64_t state = 1;

	if (!memory || vpmu_core_create(&core, memory, size, h->target, NULL, 0) != VPMU_OK)
		abort();
	for (unsigned i = 0; i < STEPS; i++)
		step(h, core, &state);
	free(memory);
	return NULL;
}

int main(void)
{
	static struct hypervisor hypervisors[HYPERVISORS];
	pthread_t threads[HYPERVISORS];

	for (unsigned number = 0; vpmu_target(number); number++) {
		for (unsigned i = 0; i < HYPERVISORS; i++) {
			hypervisors[i] = (struct hypervisor){.target = vpmu_target(number)};
			if (pthread_create(&threads[i], NULL, run, &hypervisors[i]))
				abort();
		}
		for (unsigned i = 0; i < HYPERVISORS; i++)
			pthread_join(threads[i], NULL);
		printf("%s: %u accesses done, %s\n", hypervisors[0].target, hypervisors[0].done,
		       memcmp(&hypervisors[0], &hypervisors[1], sizeof *hypervisors) ? "different" :
		       "the same");
	}
	return 0;
}
