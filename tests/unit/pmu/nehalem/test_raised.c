// SPDX-License-Identifier: BSD-2-Clause
// PMU events that cpu events of instructions, caches and TLBs raise, by the performance analysis
// guide's tables 1, 3, 6, 8, 9, 11 to 16, 18, 20, 22, 29 to 32, and Intel's event list
// (intel/perfmon, NHM-EP); for Knights Corner, Table 1-6 of 327357-001. Software prefetches are
// loads; fences, CLFLUSH and CPUID are stores, as an X5570 counts them (Weaver, Terpstra, Moore,
// 2013).

#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "event.h"
#include "pmu.h"
#include "pmu_driver.h"
#include "vpmu.h"

#define NAME(name) #name,
static const char *const names[] = {CPU_EVENTS(NAME)};

#define NEAR_TAKEN	"BRANCH_CONDITIONAL BRANCH_CALL BRANCH_CALL_INDIRECT BRANCH_RETURN " \
			"BRANCH_JUMP_INDIRECT " \
			"BRANCH_JUMP "
#define WRONG		"MISPREDICTED_CONDITIONAL MISPREDICTED_NOT_TAKEN " \
			"MISPREDICTED_CALL_INDIRECT " \
			"MISPREDICTED_RETURN MISPREDICTED_JUMP_INDIRECT "
#define BRANCHES	NEAR_TAKEN "BRANCH BRANCH_FAR BRANCH_NOT_TAKEN "

static const struct {
	const char *target, *event, *cpu_events;
	bool timed;	// by that clock
} counts[] = {
	{"nehalem", "BRANCH_INSTRUCTIONS_RETIRED", BRANCHES},
	{"nehalem", "BR_INST_RETIRED.ALL_BRANCHES", BRANCHES},
	{"nehalem", "BR_INST_RETIRED.CONDITIONAL", "BRANCH_CONDITIONAL BRANCH_NOT_TAKEN "},
	{"nehalem", "BR_INST_RETIRED.NEAR_CALL", "BRANCH_CALL BRANCH_CALL_INDIRECT "},
	{"nehalem", "BR_INST_DECODED", BRANCHES},
	{"nehalem", "BR_INST_EXEC.COND", "BRANCH_CONDITIONAL BRANCH_NOT_TAKEN "},
	{"nehalem", "BR_INST_EXEC.DIRECT", "BRANCH_JUMP "},
	{"nehalem", "BR_INST_EXEC.INDIRECT_NON_CALL", "BRANCH_JUMP_INDIRECT "},
	{"nehalem", "BR_INST_EXEC.RETURN_NEAR", "BRANCH_RETURN "},
	{"nehalem", "BR_INST_EXEC.DIRECT_NEAR_CALL", "BRANCH_CALL "},
	{"nehalem", "BR_INST_EXEC.INDIRECT_NEAR_CALL", "BRANCH_CALL_INDIRECT "},
	{"nehalem", "BR_INST_EXEC.TAKEN", NEAR_TAKEN},
	{"nehalem", "BR_INST_EXEC.ANY", NEAR_TAKEN "BRANCH_NOT_TAKEN "},
	{"nehalem", "MISPREDICTED_BRANCH_RETIRED", WRONG},
	{"nehalem", "BR_MISP_EXEC.COND", "MISPREDICTED_CONDITIONAL MISPREDICTED_NOT_TAKEN "},
	{"nehalem", "BR_MISP_EXEC.INDIRECT_NON_CALL", "MISPREDICTED_JUMP_INDIRECT "},
	{"nehalem", "BR_MISP_EXEC.RETURN_NEAR", "MISPREDICTED_RETURN "},
	{"nehalem", "BR_MISP_EXEC.NEAR_CALLS", "MISPREDICTED_CALL_INDIRECT "},
	{"nehalem", "BR_MISP_EXEC.TAKEN",
	 "MISPREDICTED_CONDITIONAL MISPREDICTED_CALL_INDIRECT MISPREDICTED_RETURN "
					  "MISPREDICTED_JUMP_INDIRECT "},
	{"nehalem", "BR_MISP_EXEC.ANY", WRONG},
	{"nehalem", "BR_MISP_EXEC.DIRECT", ""},
	{"nehalem", "BPU_MISSED_CALL_RET", "MISSED_CALL_RETURN "},
	{"nehalem", "BACLEAR.CLEAR", "REDIRECTED "},
	{"nehalem", "BACLEAR.BAD_TARGET", ""},
	{"nehalem", "MEM_INST_RETIRED.LOADS", "LOADS PREFETCH "},
	{"nehalem", "MEM_INST_RETIRED.STORES", "STORES BARRIER "},
	{"nehalem", "MEM_LOAD_RETIRED.L1D_HIT", "LOAD_L1D PREFETCH "},
	{"nehalem", "BACLEAR_FORCE_IQ", "REDIRECTED_CONDITIONAL "},
	{"nehalem", "BR_MISP_RETIRED.NEAR_CALL", "MISPREDICTED_CALL_INDIRECT "},
	{"nehalem", "FP_COMP_OPS_EXE.MMX",
	 "MULTIPLY_64 SHIFT_64 PACK_64 UNPACK_64 LOGIC_64 ARITHMETIC_64 SHUFFLE_64 "},
	{"nehalem", "FP_COMP_OPS_EXE.SSE_FP",
	 "SCALAR_SINGLE PACKED_SINGLE SCALAR_DOUBLE PACKED_DOUBLE "},
	{"nehalem", "FP_COMP_OPS_EXE.SSE2_INTEGER", "PACKED_INTEGER "},
	{"nehalem", "FP_COMP_OPS_EXE.SSE_FP_PACKED", "PACKED_SINGLE PACKED_DOUBLE "},
	{"nehalem", "FP_COMP_OPS_EXE.SSE_FP_SCALAR", "SCALAR_SINGLE SCALAR_DOUBLE "},
	{"nehalem", "FP_COMP_OPS_EXE.SSE_SINGLE_PRECISION", "SCALAR_SINGLE PACKED_SINGLE "},
	{"nehalem", "FP_COMP_OPS_EXE.SSE_DOUBLE_PRECISION", "SCALAR_DOUBLE PACKED_DOUBLE "},
	{"nehalem", "SIMD_INT_128.PACKED_MPY", "MULTIPLY_128 "},
	{"nehalem", "SIMD_INT_128.PACKED_SHIFT", "SHIFT_128 "},
	{"nehalem", "SIMD_INT_128.PACK", "PACK_128 "},
	{"nehalem", "SIMD_INT_128.UNPACK", "UNPACK_128 "},
	{"nehalem", "SIMD_INT_128.PACKED_LOGICAL", "LOGIC_128 "},
	{"nehalem", "SIMD_INT_128.PACKED_ARITH", "ARITHMETIC_128 "},
	{"nehalem", "SIMD_INT_128.SHUFFLE_MOVE", ""},
	{"nehalem", "SIMD_INT_64.PACKED_MPY", "MULTIPLY_64 "},
	{"nehalem", "SIMD_INT_64.PACKED_SHIFT", "SHIFT_64 "},
	{"nehalem", "SIMD_INT_64.PACK", "PACK_64 "},
	{"nehalem", "SIMD_INT_64.UNPACK", "UNPACK_64 "},
	{"nehalem", "SIMD_INT_64.PACKED_LOGICAL", "LOGIC_64 "},
	{"nehalem", "SIMD_INT_64.PACKED_ARITH", "ARITHMETIC_64 "},
	{"nehalem", "SIMD_INT_64.SHUFFLE_MOVE", ""},
	{"nehalem", "L1D.M_EVICT", "L1D_EVICTION_MODIFIED "},
	{"nehalem", "SNOOP_RESPONSE.HIT", "SNOOP_S "},
	{"nehalem", "SNOOP_RESPONSE.HITE", "SNOOP_E "},
	{"nehalem", "SNOOP_RESPONSE.HITM", "SNOOP_M "},
	{"nehalem", "MACHINE_CLEARS.SMC", "SELF_MODIFIED "},
	{"nehalem", "MACHINE_CLEARS.MEM_ORDER", ""},
	{"nehalem", "SQ_MISC.SPLIT_LOCK", "SPLIT_LOCK "},
	{"nehalem", "STORE_BLOCKS.AT_RET", "LOAD_AT_RETIREMENT "},
	{"nehalem", "OFFCORE_REQUESTS.L1D_WRITEBACK", ""},
	{"nehalem", "INST_RETIRED.X87", "COMPUTATION "},
	{"nehalem", "INST_RETIRED.MMX", "MMX "},
	{"nehalem", "FP_MMX_TRANS.TO_FP", "X87_BEHIND_MMX "},
	{"nehalem", "FP_MMX_TRANS.TO_MMX", "MMX_BEHIND_X87 "},
	{"nehalem", "FP_MMX_TRANS.ANY", "X87_BEHIND_MMX MMX_BEHIND_X87 "},
	{"nehalem", "ARITH.MUL", "MULTIPLY "},
	{"nehalem", "ARITH.CYCLES_DIV_BUSY", "DIVIDE "},
	{"nehalem", "SSEX_UOPS_RETIRED.PACKED_SINGLE", "PACKED_SINGLE "},
	{"nehalem", "SSEX_UOPS_RETIRED.SCALAR_SINGLE", "SCALAR_SINGLE "},
	{"nehalem", "SSEX_UOPS_RETIRED.PACKED_DOUBLE", "PACKED_DOUBLE "},
	{"nehalem", "SSEX_UOPS_RETIRED.SCALAR_DOUBLE", "SCALAR_DOUBLE "},
	{"nehalem", "SSEX_UOPS_RETIRED.VECTOR_INTEGER", "PACKED_INTEGER "},
	{"nehalem", "MACRO_INSTS.DECODED", "DECODED "},
	{"nehalem", "MACRO_INSTS.FUSIONS_DECODED", "FUSED "},
	{"nehalem", "UOPS_RETIRED.MACRO_FUSED", "FUSED "},
	{"nehalem", "INST_QUEUE_WRITES", "DECODED FUSED "},
	{"nehalem", "ILD_STALL.LCP", "LENGTH_CHANGED "},
	{"nehalem", "UOPS_RETIRED.ANY", ""},
	{"nehalem", "ILD_STALL.IQ_FULL", ""},
	{"nehalem", "INST_QUEUE_WRITES", "FRONT_WRITTEN ", true},
	{"nehalem", "INST_QUEUE_WRITE_CYCLES", "FRONT_WRITES ", true},
	{"nehalem", "MACRO_INSTS.DECODED", "FRONT_DECODED ", true},
	{"nehalem", "MACRO_INSTS.FUSIONS_DECODED", "FRONT_PAIRED ", true},
	{"nehalem", "UOPS_RETIRED.MACRO_FUSED", "FUSED ", true},
	{"nehalem", "INST_DECODED.DEC0", "FRONT_FIRST ", true},
	{"nehalem", "TWO_UOP_INSTS_DECODED", "FRONT_TWO ", true},
	{"nehalem", "UOPS_DECODED.ANY", "FRONT_UOPS FRONT_MICROCODED FRONT_SYNCED ", true},
	{"nehalem", "UOPS_DECODED.STALL_CYCLES", "FRONT_UOPS FRONT_MICROCODED FRONT_SYNCED ", true},
	{"nehalem", "UOPS_DECODED.MS", "FRONT_MICROCODED ", true},
	{"nehalem", "UOPS_DECODED.MS_CYCLES_ACTIVE", "FRONT_MICROCODED ", true},
	{"nehalem", "UOPS_DECODED.ESP_FOLDING", "FRONT_FOLDED ", true},
	{"nehalem", "UOPS_DECODED.ESP_SYNC", "FRONT_SYNCED ", true},
	{"nehalem", "ILD_STALL.LCP", "FRONT_LCP ", true},
	{"nehalem", "ILD_STALL.IQ_FULL", "FRONT_FULL ", true},
	{"nehalem", "ILD_STALL.ANY", "FRONT_LCP FRONT_FULL ", true},
	{"nehalem", "L1I.CYCLES_STALLED", "FRONT_LATE ", true},
	{"nehalem", "LSD_REPLAY.COUNT", "FRONT_REPLAYS ", true},
	{"nehalem", "LSD_OVERFLOW", "FRONT_LONG ", true},
	{"nehalem", "RAT_STALLS.FLAGS", "PARTIAL_FLAGS_STALL ", true},
	{"nehalem", "RAT_STALLS.REGISTERS", "PARTIAL_STALL ", true},
	{"nehalem", "RAT_STALLS.ANY",
	 "PARTIAL_FLAGS_STALL PARTIAL_STALL REGISTER_READ_STALL SERIALIZED ", true},
	{"nehalem", "RESOURCE_STALLS.FPCW", "CONTROL_WORD_STALL ", true},
	{"nehalem", "RESOURCE_STALLS.MXCSR", "MXCSR_STALL ", true},
	{"nehalem", "RESOURCE_STALLS.ANY",
	 "LOADS_FULL SCHEDULER_FULL STORES_FULL REORDER_FULL CONTROL_WORD_STALL MXCSR_STALL ",
	 true},
	{"nehalem", "MACHINE_CLEARS.CYCLES", "CLEARING ", true},
	{"nehalem", "LOAD_DISPATCH.RS", "LOAD_DISPATCHED ", true},
	{"nehalem", "LOAD_DISPATCH.MOB", "LOAD_BLOCKED ", true},
	{"nehalem", "LOAD_DISPATCH.ANY", "LOAD_DISPATCHED LOAD_BLOCKED ", true},
	{"nehalem", "LOAD_HIT_PRE", "LOAD_HIT_PREFETCH ", true},
	{"nehalem", "L1D_CACHE_LOCK_FB_HIT", "LOCK_FILL ", true},
	{"knc", "BRANCHES", BRANCHES},
	{"knc", "BRANCHES_MISPREDICTED", WRONG},
	{"nehalem", "L1D.REPL", "L1D_FILL "},
	{"nehalem", "L1D_CACHE_LD.I_STATE", "L1D_LOAD_I "},
	{"nehalem", "L1D_CACHE_ST.MESI", "L1D_STORE_I L1D_STORE_S L1D_STORE_E L1D_STORE_M "},
	{"nehalem", "L1D_CACHE_LOCK.HIT", "L1D_LOCK_S L1D_LOCK_E L1D_LOCK_M "},
	{"nehalem", "L1D_WB_L2.E_STATE", "L1D_WRITEBACK_E "},
	{"nehalem", "L1I.READS", "L1I_HIT L1I_MISS "},
	{"nehalem", "L2_RQSTS.LD_HIT", "L2_LOAD_S L2_LOAD_E L2_LOAD_M "},
	{"nehalem", "L2_RQSTS.MISS", "L2_LOAD_I L2_STORE_I L2_LOCK_I L2_FETCH_I L2_PREFETCH_LOAD_I "
				"L2_PREFETCH_STORE_I L2_PREFETCH_STORE_S L2_PREFETCH_FETCH_I "},
	{"nehalem", "L2_RQSTS.RFOS",
	 "L2_STORE_I L2_STORE_S L2_STORE_E L2_STORE_M L2_LOCK_I L2_LOCK_S L2_LOCK_E "
				     "L2_LOCK_M "},
	{"nehalem", "L2_DATA_RQSTS.DEMAND.M_STATE", "L2_LOAD_M L2_STORE_M L2_LOCK_M "},
	{"nehalem", "L2_WRITE.LOCK.HIT", "L2_LOCK_S L2_LOCK_E L2_LOCK_M "},
	{"nehalem", "L2_LINES_OUT.ANY",
	 "L2_EVICTION_CLEAN L2_EVICTION_MODIFIED L2_EVICTION_PREFETCH_CLEAN "
					"L2_EVICTION_PREFETCH_MODIFIED "},
	{"nehalem", "L2_LINES_OUT.PREFETCH_DIRTY", "L2_EVICTION_PREFETCH_MODIFIED "},
	{"nehalem", "L2_TRANSACTIONS.FILL", "L2_FILL_SHARED L2_FILL_EXCLUSIVE "},
	{"nehalem", "L2_RQSTS.PREFETCHES",
	 "L2_PREFETCH_LOAD_I L2_PREFETCH_LOAD_S L2_PREFETCH_LOAD_E "
					   "L2_PREFETCH_LOAD_M L2_PREFETCH_STORE_I "
					   "L2_PREFETCH_STORE_S "
					   "L2_PREFETCH_STORE_E L2_PREFETCH_STORE_M "
					   "L2_PREFETCH_FETCH_I "
					   "L2_PREFETCH_FETCH_S L2_PREFETCH_FETCH_E "
					   "L2_PREFETCH_FETCH_M "},
	{"nehalem", "L2_DATA_RQSTS.PREFETCH.S_STATE", "L2_PREFETCH_LOAD_S L2_PREFETCH_STORE_S "},
	{"nehalem", "LLC_MISSES", "L3_READ_MISS "},
	{"nehalem", "LLC_REFERENCES", "L3_READ_HIT L3_READ_MISS "},
	{"nehalem", "MEM_LOAD_RETIRED.OTHER_CORE_L2_HIT_HITM", "LOAD_SHARED LOAD_MODIFIED "},
	{"nehalem", "MEM_UNCORE_RETIRED.OTHER_CORE_L2_HITM", "LOAD_MODIFIED "},
	{"nehalem", "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_80", "LOAD_SLOW "},
	{"nehalem", "MEM_UNCORE_RETIRED.REMOTE_DRAM",
	 "LOAD_REMOTE_MEMORY LOAD_REMOTE_MEMORY_SHARED "},
	{"nehalem", "MEM_UNCORE_RETIRED.REMOTE_CACHE_LOCAL_HOME_HIT", "LOAD_REMOTE_CACHE "},
	{"nehalem", "MEM_UNCORE_RETIRED.LOCAL_DRAM", "LOAD_MEMORY LOAD_MEMORY_SHARED "},
	{"nehalem", "DTLB_LOAD_MISSES.WALK_COMPLETED", "TLB_LOAD_WALK TLB_LOAD_WALK_LARGE "},
	{"nehalem", "DTLB_MISSES.STLB_HIT", "TLB_LOAD_SECOND TLB_STORE_SECOND "},
	{"nehalem", "ITLB_MISSES.LARGE_WALK_COMPLETED", "TLB_FETCH_WALK_LARGE "},
	{"nehalem", "OFFCORE_RESPONSE_0.DEMAND_DATA_RD.LOCAL_DRAM", "OFFCORE_LOAD_MEMORY "},
	{"nehalem", "OFFCORE_RESPONSE_0.DATA_IN.LLC_OTHER_CORE_HITM",
	 "OFFCORE_LOAD_MODIFIED OFFCORE_STORE_MODIFIED "
								  "OFFCORE_PREFETCH_LOAD_MODIFIED "
								"OFFCORE_PREFETCH_STORE_MODIFIED "},
	{"nehalem", "OFFCORE_RESPONSE_0.PF_IFETCH.LOCAL_DRAM", "OFFCORE_PREFETCH_FETCH_MEMORY "},
	{"nehalem", "OFFCORE_RESPONSE_0.COREWB.LOCAL_CACHE", "L3_WRITEBACK_HIT "},
	{"nehalem", "OFFCORE_RESPONSE_0.DATA_IN.REMOTE_DRAM",
	 "OFFCORE_LOAD_REMOTE_MEMORY OFFCORE_STORE_REMOTE_MEMORY "
							   "OFFCORE_PREFETCH_LOAD_REMOTE_MEMORY "
							   "OFFCORE_PREFETCH_STORE_REMOTE_MEMORY "},
	{"nehalem", "OFFCORE_RESPONSE_0.DEMAND_DATA.REMOTE_CACHE",
	 "OFFCORE_LOAD_REMOTE_HIT OFFCORE_LOAD_REMOTE_HITM "
								 "OFFCORE_STORE_REMOTE_HITM "},
	{"nehalem", "OFFCORE_RESPONSE_0.OTHER.REMOTE_DRAM", "STREAM_AWAY "},
	{"nehalem", "OFFCORE_RESPONSE_0.DEMAND_RFO.REMOTE_CACHE_HIT", ""},
	{"nehalem-uncore", "UNC_LLC_HITS.ANY", "L3_READ_HIT L3_WRITEBACK_HIT "},
	{"nehalem-uncore", "UNC_LLC_LINES_OUT.M_STATE", "L3_EVICTION_MODIFIED "},
	{"nehalem-uncore", "UNC_GQ_ALLOC.RT", "L3_READ_HIT L3_READ_MISS LOAD_DEVICE "},
	{"nehalem-uncore", "UNC_IMC_WRITES.PARTIAL.ANY", "STREAM_PARTIAL STREAM_PARTIAL_REMOTE "},
	{"nehalem-uncore", "UNC_GQ_ALLOC.RT_LLC_MISS", "L3_READ_MISS "},
	{"nehalem-uncore", "UNC_QHL_REQUESTS.LOCAL_WRITES", "MEMORY_WRITE "},
	{"nehalem-uncore", "UNC_IMC_NORMAL_READS.ANY", "MEMORY_READ MEMORY_READ_REMOTE "},
	{"nehalem-uncore", "UNC_QHL_REQUESTS.LOCAL_READS",
	 "MEMORY_READ STREAM_FULL STREAM_PARTIAL HOME_READ "},
	{"nehalem-uncore", "UNC_QHL_REQUESTS.REMOTE_READS",
	 "STREAM_FULL_REMOTE STREAM_PARTIAL_REMOTE "
							    "HOME_READ_REMOTE MEMORY_READ_REMOTE "},
	{"nehalem-uncore", "UNC_DRAM_READ_CAS.CH2", "MEMORY_READ MEMORY_READ_REMOTE "},
	{"nehalem-uncore", "UNC_DRAM_READ_CAS.AUTOPRE_CH2", ""},
	{"nehalem-uncore", "UNC_DRAM_WRITE_CAS.CH0",
	 "MEMORY_WRITE MEMORY_WRITE_REMOTE STREAM_FULL STREAM_PARTIAL "
						     "STREAM_FULL_REMOTE STREAM_PARTIAL_REMOTE "},
	{"nehalem-uncore", "UNC_SNP_RESP_TO_LOCAL_HOME.HITM",
	 "PROBE_LOCAL_FORWARD_S PROBE_LOCAL_WB "},
	{"nehalem-uncore", "UNC_SNP_RESP_TO_REMOTE_HOME.HIT",
	 "PROBE_REMOTE_S PROBE_REMOTE_FORWARD_I "},
	{"nehalem-uncore", "UNC_GQ_SNOOP.GOTO_S", "PROBE_E_TO_S PROBE_S_TO_S PROBE_F_TO_S "},
	{"nehalem-uncore", "UNC_GQ_SNOOP.GOTO_I_HIT_M", "PROBE_M_TO_I "},
	{"nehalem-uncore", "UNC_GQ_SNOOP.GOTO_S_HIT_M", ""},
	{"nehalem-uncore", "UNC_ADDR_OPCODE_MATCH.REMOTE.RSPIWB", "ANSWER_REMOTE_WB "},
	{"nehalem-uncore", "UNC_ADDR_OPCODE_MATCH.IOH.RSPIWB", ""},
	{"nehalem-uncore", "UNC_GQ_ALLOC.RT", "GQ_READ_ENTERS ", true},
	{"nehalem-uncore", "UNC_GQ_TRACKER_OCCUP.RT", "GQ_READ_ENTERS ", true},
	{"nehalem-uncore", "UNC_GQ_TRACKER_OCCUP.RT", ""},
	{"nehalem-uncore", "UNC_GQ_TRACKER_OCCUP.RT_LLC_MISS", "GQ_MISS_ENTERS ", true},
	{"nehalem-uncore", "UNC_GQ_TRACKER_OCCUP.RT_TO_RTID_ACQUIRED", "GQ_READ_TOKEN_ENTERS ",
	 true},
	{"nehalem-uncore", "UNC_GQ_CYCLES_FULL.WRITE_TRACKER", "GQ_WRITE_ENTERS ", true},
	{"nehalem-uncore", "UNC_GQ_CYCLES_BUSY.PEER_PROBE_TRACKER", "GQ_PEER_ENTERS ", true},
	{"nehalem-uncore", "UNC_QHL_OCCUPANCY.LOCAL", "QHL_LOCAL_READ_ENTERS ", true},
	{"nehalem-uncore", "UNC_QHL_OCCUPANCY.IOH", "", true},
	{"nehalem-uncore", "UNC_QHL_CYCLES_NOT_EMPTY.REMOTE",
	 "QHL_REMOTE_READ_ENTERS QHL_REMOTE_WRITE_ENTERS ", true},
	{"nehalem-uncore", "UNC_IMC_NORMAL_OCCUPANCY.CH1", "IMC_READ_ENTERS ", true},
	{"nehalem-uncore", "UNC_IMC_BUSY.WRITE.CH2", "IMC_WRITE_ENTERS ", true},
	{"nehalem-uncore", "UNC_LLC_MISS.READ", "L3_READ_MISS ", true},
	{"knc", "DATA_READ",
	 "L1D_LOAD_I L1D_LOAD_S L1D_LOAD_E L1D_LOAD_M L1D_LOCK_I L1D_LOCK_S L1D_LOCK_E "
			     "L1D_LOCK_M "},
	{"knc", "DATA_WRITE_MISS", "L1D_LOCK_I L1D_STORE_I "},
	{"knc", "LONG_CODE_PAGE_WALK", "TLB_FETCH_WALK TLB_FETCH_WALK_LARGE "},
	{"knc", "L2_READ_MISS", "L2_LOAD_I L2_FETCH_I L2_VPREFETCH0_I L2_VPREFETCH1_I "},
	{"knc", "L2_DATA_READ_MISS_MEM_FILL", "OFFCORE_LOAD_MEMORY "},
	{"knc", "L1_DATA_PF1", "VPREFETCH0_HIT VPREFETCH0_MISS VPREFETCH0_DROPPED "},
};

// The cpu events that raise the event, each once, in the order of cpu_event.h.
static void list(const struct pmu_model *model, const struct pmu_event *e,
		 enum model_clock_kind clock, char *text, size_t size)
{
	*text = '\0';
	for (unsigned what = 0; what < CPU_EVENT_COUNT; what++) {
		bool counted = false;

		for (const struct model_raised *r = model->machine->raised;
		     r->cpu_event != CPU_EVENT_COUNT; r++)
			counted |= model_is_raised_by(r, what) && model_is_by_clock(r, clock) &&
				   vpmu_row_counts(model, r, e->code, e->umask, e->setting_value);
		if (counted)
			snprintf(text + strlen(text), size - strlen(text), "%s ", names[what]);
	}
}

// True if both have the same words, in any order.
static bool are_same(const char *one, const char *other)
{
	char words[1024], *rest = words;

	if (strlen(one) != strlen(other))
		return false;
	snprintf(words, sizeof words, "%s", one);
	for (const char *word; (word = strsep(&rest, " ")) && *word;)
		if (!strstr(other, word))
			return false;
	return true;
}

static void events_count_what_the_tables_say(void **state)
{
	char found[1024];

	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		const struct pmu_driver *driver = pmu_driver_find(counts[i].target);
		const struct pmu_event *e = event_find(driver->events, counts[i].event,
						       strlen(counts[i].event));

		assert_non_null(e);
		list(pmu_model_find(counts[i].target), e, counts[i].timed ? MODEL_TIMED_CLOCK :
		     MODEL_UNIT_CLOCK, found, sizeof found);
		if (!are_same(found, counts[i].cpu_events))
			fail_msg("%s counts %s, not %s", counts[i].event, found,
				 counts[i].cpu_events);
	}
}

// A departure from a queue of the uncore is not an event (palmon-trace(5)).
static bool is_leaving(const struct pmu_model *model, const struct model_raised *leaves)
{
	for (const struct model_raised *r = model->machine->raised; r->cpu_event != CPU_EVENT_COUNT;
	     r++)
		if (leaves->code == (r->code | 0x100) && leaves->code != r->code &&
		    leaves->sub == r->sub &&
		    leaves->channel == r->channel &&
		    leaves->cpu_event == r->cpu_event + (r->clock == MODEL_TIMED_CLOCK))
			return true;
	return false;
}

// Each row has an event in the table; otherwise it would not be from the manual.
static void each_row_is_an_event_of_the_table(void **state)
{
	static const char *const targets[] = {"nehalem", "nehalem-uncore", "knc"};

	(void)state;
	for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
		const struct pmu_event_table *table = pmu_driver_find(targets[t])->events;
		struct pmu_model model = *pmu_model_find(targets[t]);
		struct model_machine machine = *model.machine;

		machine.interruptions_count = true;
		model.machine = &machine;
		for (const struct model_raised *r = model.machine->raised;
		     r->cpu_event != CPU_EVENT_COUNT; r++) {
			// a state
			bool some = is_leaving(&model, r) || r->cpu_event == CPU_EVENT_ONE_PACKAGE;

			for (size_t i = 0; i < table->count && !some; i++)
				some |= vpmu_row_counts(&model, r, table->event[i].code,
							table->event[i].umask,
							table->event[i].setting_value);
			if (!some)
				fail_msg("%s: no event counts %s as 0x%x, 0x%x", targets[t],
					 names[r->cpu_event], r->code, r->sub);
		}
	}
}

// Code that reports cpu events of instructions reads only their rows, and those of branches by the
// first cpu event.
static void rows_of_instructions_come_first_and_in_order(void **state)
{
	static const char *const targets[] = {"nehalem", "knc"};

	(void)state;
	for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
		unsigned last = 0, rows = 0;

		for (const struct model_raised *r = pmu_model_find(targets[t])->machine->raised;
		     r->cpu_event != CPU_EVENT_COUNT; r++) {
			const bool instructions = r->cpu_event < CPU_EVENT_INSTRUCTIONS;

			rows += instructions;
			assert_true(instructions ? r->cpu_event >= last : true);
			assert_false(instructions && last >= CPU_EVENT_INSTRUCTIONS);
			assert_true(!r->up_to || (r->up_to >= r->cpu_event &&
						  (r->up_to < CPU_EVENT_INSTRUCTIONS) ==
						  instructions));
			last = r->cpu_event;
		}
		assert_true(rows <= VPMU_KINDS_MOST);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_count_what_the_tables_say),
		cmocka_unit_test(each_row_is_an_event_of_the_table),
		cmocka_unit_test(rows_of_instructions_come_first_and_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
