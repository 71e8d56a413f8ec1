// SPDX-License-Identifier: BSD-2-Clause
// The register interface of every model, as a guest uses it: any sequence of accesses, events and
// interruptions, and any memory for the model's records.

#include "fuzz.h"

#include <string.h>

#include "source.h"
#include "vpmu.h"

const char fuzz_name[] = "the models' registers";
const unsigned fuzz_inputs = 100000;
// The start of an input, and steps that make the first target write records: the bytes that `step`
// takes.
#define ADDRESSES "\1\1\1\1\1\1\1\1\2\2\2\2\2\2\3\3\3\3\3\3\3\3\4\4\4\4\4\4\4\4"
#define WRITE(kind, index, value) "\0\0" kind index value "\0"

const struct fuzz_word fuzz_words[] = {
	FUZZ_WORD("\0\0\1"),
	FUZZ_WORD(WRITE("\x91", "\0", "\0\0\0\0\0\0\0\x0F")),			// IA32_PEBS_ENABLE
	FUZZ_WORD(WRITE("\x31", "\0", "\0\0\0\0\0\x43\1\xC0")),			// IA32_PERFEVTSEL0
	FUZZ_WORD(WRITE("\x31", "\1", "\0\0\0\0\0\x53\4\xC4")),			// IA32_PERFEVTSEL1
	FUZZ_WORD(WRITE("\1", "\0", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFD")),	// IA32_PMC0
	FUZZ_WORD(WRITE("\1", "\1", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE")),	// IA32_PMC1
	FUZZ_WORD(WRITE("\x71", "\0", "\0\0\0\0\0\0\x18\1")),			// IA32_DEBUGCTL
	// An instruction, and a taken branch, in each cycle.
	FUZZ_WORD(
		"\4\2\0\xC0\1\1\0\0\0\0\0\0\0\0\0\0" ADDRESSES
		"\0\xC4\4\1\0\0\0\0\0\0\3\0\0\0" ADDRESSES),
	FUZZ_WORD("\5\0\0\0\0\x20\0"),			// run 32 cycles
	FUZZ_WORD("\6"),
	// the buffer's maximum, threshold, index, a counter's reset
	FUZZ_WORD("\x08\0\0\0\0\0\0\4\0\6"),
	FUZZ_WORD("\x08\0\0\0\0\0\0\1\0\7"),
	FUZZ_WORD("\x08\0\0\0\0\0\0\0\x60\5"),
	FUZZ_WORD("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFD\x08"),
	// The same for the third target, whose threads have user filters and share registers.
	FUZZ_WORD("\2\0"),
	// IA32_PERFEVTSEL0: any thread
	FUZZ_WORD(WRITE("\x21", "\0", "\0\0\0\0\0\x73\0\x16")),
	// IA32_PERFEVTSEL1: an edge
	FUZZ_WORD(WRITE("\x21", "\1", "\0\0\0\0\1\xD7\0\x16")),
	FUZZ_WORD(WRITE("\x11", "\0", "\0\0\0\xFF\xFF\xFF\xFF\xFD")),		// IA32_PERFCNTR0
	// PERF_SPFLT_CONTROL
	FUZZ_WORD(WRITE("\x31", "\0", "\x80\0\0\0\0\0\0\3")),
	// IA32_PERF_GLOBAL_OVF_CTRL
	FUZZ_WORD(WRITE("\x51", "\0", "\0\0\0\0\0\0\0\3")),
	// IA32_PERF_GLOBAL_CTRL
	FUZZ_WORD(WRITE("\x61", "\0", "\0\0\0\0\0\0\0\3")),
	FUZZ_WORD(
		"\4\2\0\x16\0\1\1\0\0\0\0\0\0\0\0\0" ADDRESSES
		"\0\x2A\0\1\2\3\0\0\0\0\0\0\0\0" ADDRESSES),
	FUZZ_WORD("\x09\1\1"),
	FUZZ_WORD("\x0A\1"),
};
const size_t fuzz_word_count = sizeof fuzz_words / sizeof *fuzz_words;

#define SIGNALS_MAX	4
#define CYCLES_BITS	40	/* upper limit for one step */

// The memory that a model can access, from address 0, and whether it has read the processor's
// registers.
#define MEMORY_SIZE	1024

struct machine {
	uint8_t memory[MEMORY_SIZE];
	bool seen;
};

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
	struct machine *machine = context;

	machine->seen = true;
	if (size > MEMORY_SIZE || address > MEMORY_SIZE - size)
		return false;
	memcpy(to, machine->memory + address, size);
	return true;
}

static bool write_memory(void *context, uint64_t address, const void *from, size_t size)
{
	struct machine *machine = context;

	machine->seen = true;
	if (size > MEMORY_SIZE || address > MEMORY_SIZE - size)
		return false;
	memcpy(machine->memory + address, from, size);
	return true;
}

static void read_registers(void *context, unsigned thread, uint64_t registers[MODEL_REGISTERS])
{
	struct machine *machine = context;

	machine->seen = true;
	for (unsigned i = 0; i < MODEL_REGISTERS; i++)
		registers[i] = 16 * i + thread;
}

static void take_signals(struct source *s, const struct pmu_model *model,
			 struct occurrence *signals, size_t *count)
{
	*count = take(s, 1) % (SIGNALS_MAX + 1);
	for (size_t i = 0; i < *count; i++)
		signals[i] = (struct occurrence){
			.code = (uint16_t)take(s, 2), .sub = (uint16_t)take(s, 1),
			.n = (uint32_t)take(s, 1),
			.thread = (uint8_t)(take(s, 1) % model->threads), .level = take(s, 1) & 3,
			.isa = take(s, 1) & 1, .type = (uint8_t)(1u << (take(s, 1) & 3)),
			.slot = take(s, 1) % 3,
			.served = (uint8_t)take(s, 1), .branch = take(s, 1) & 0x7F,
			.data = take(s, 1) & 1,
			.latency = (uint32_t)take(s, 2), .ip = take(s, 8), .opcode = take(s, 6),
			.address = take(s, 8), .target = take(s, 8),
		};
}

// Runs for the model's headroom, then one cycle further.
static void run_to_the_next_request(struct vpmu *v, struct machine *machine)
{
	uint64_t headroom = vpmu_headroom(v);

	if (headroom >= 1ULL << CYCLES_BITS)
		headroom = 1;
	machine->seen = false;
	vpmu_run(v, headroom - 1);
	FUZZ_REQUIRE(!machine->seen);
	vpmu_run(v, 1);
	vpmu_take_request(v);
}

// One step of a guest or of its machine. A refused access must leave its output unchanged.
static void step(struct source *s, struct vpmu *v, struct machine *machine,
		 struct occurrence signals[2][SIGNALS_MAX], unsigned *current)
{
	const struct pmu_model *model = v->model;
	const struct register_description *r;
	uint64_t value, saved;
	uint32_t address;
	size_t count;

	switch (take(s, 1) % 11) {
	case 0:
	case 1:
		address = take_address(s, model, &r);
		value = take(s, 8);
		vpmu_write(v, address, value, take(s, 1) & 1);
		break;
	case 2:
		vpmu_read(v, take_address(s, model, &r), &value);
		break;
	case 3:
		vpmu_read_counter(v, (uint32_t)take(s, take(s, 1) & 1 ? 4 : 1), &value);
		break;
	case 4:
		*current ^= 1;
		take_signals(s, model, signals[*current], &count);
		vpmu_connect(v, signals[*current], count);
		break;
	case 5:
		value = take(s, 5);
		vpmu_run(v, value >> (take(s, 1) % CYCLES_BITS));
		break;
	case 6:
		run_to_the_next_request(v, machine);
		break;
	case 7:
		if (model->machine->signal)
			model->machine->signal(v->state, v->thread);
		break;
	case 8:
		value = take(s, 8);
		memcpy(machine->memory + take(s, 1) % (MEMORY_SIZE / 8) * 8, &value, sizeof value);
		break;
	case 9:
		vpmu_spflt(v, take(s, 1) & 1, take(s, 1) & 1);
		break;
	default:
		v->thread = (unsigned)(take(s, 1) % model->threads);
		if (!model->machine->interruption)
			break;
		model->machine->interruption(v->state, v->thread, &saved);
		model->machine->resume(v->state, v->thread, take(s, 1) & 1 ? saved : take(s, 8));
	}
	FUZZ_REQUIRE(!(vpmu_outputs(v)->requests >> model->threads));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct occurrence signals[2][SIGNALS_MAX];
	struct source source = {data, data + size};
	const struct pmu_model *model;
	struct machine machine = {0};
	const struct model_processor processor = {&machine, read_memory, write_memory,
						  read_registers};
	unsigned targets = 0, current = 0;
	struct vpmu v;
	void *state;

	while (pmu_models[targets])
		targets++;
	model = pmu_models[take(&source, 1) % targets];
	state = aligned_alloc(MODEL_ALIGNMENT,
			      (model->size + MODEL_ALIGNMENT - 1) & -MODEL_ALIGNMENT);
	FUZZ_REQUIRE(state && vpmu_start(&v, model, state, 0, "", take(&source, 1)));
	if (model->records && take(&source, 1) & 1)
		model->records->attach(state, &processor);
	while (source.at < source.end)
		step(&source, &v, &machine, signals, &current);
	free(state);
	return 0;
}
