/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of QEMU's TCG plugin interface, version 7 (QEMU 11.1), that this plugin uses. Debian
 * packages no header for it. Names are QEMU's. unpromised.h has the functions outside the
 * interface. */
#ifndef QEMU_PLUGIN_H
#define QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_INTERFACE 7

/* Marks symbols that QEMU looks up by name. */
#define QEMU_EXPORT __attribute__((visibility("default")))

/* GLib's byte array, as far as QEMU uses it. */
typedef struct {
	uint8_t *data;
	unsigned len;
} GByteArray;

GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *array, unsigned size);

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

struct qemu_info {
	const char *target_name;	/* instruction set: "x86_64", "sparc64" */
	struct {
		int min, cur;		/* interface versions that this QEMU accepts */
	} version;
	bool is_system;			/* system emulation, not a user-mode process */
	int cpus, cpus_most;
};

/* Called by QEMU once, before it makes the machine. A nonzero result ends QEMU. */
QEMU_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc,
				    char **argv);
extern QEMU_EXPORT int qemu_plugin_version;

struct qemu_plugin_tb;		/* a block of code being translated */
struct qemu_plugin_insn;	/* an instruction of the block */
struct qemu_plugin_hwaddr;	/* the physical address of a memory access */

/* A callback's access to registers. */
enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS,
	QEMU_PLUGIN_CB_R_REGS,
	QEMU_PLUGIN_CB_RW_REGS,
	QEMU_PLUGIN_CB_RW_REGS_PC,	/* it may also change the program counter */
};

enum qemu_plugin_mem_rw {
	QEMU_PLUGIN_MEM_R = 1,
	QEMU_PLUGIN_MEM_W,
	QEMU_PLUGIN_MEM_RW,
};

enum qemu_plugin_discon_type {
	QEMU_PLUGIN_DISCON_INTERRUPT = 1,
	QEMU_PLUGIN_DISCON_EXCEPTION = 2,
	QEMU_PLUGIN_DISCON_HOSTCALL = 4,
};

typedef void qemu_plugin_simple(void *data);
typedef void qemu_plugin_vcpu(unsigned cpu, void *data);
typedef void qemu_plugin_translate(struct qemu_plugin_tb *block, void *data);
typedef void qemu_plugin_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t linear,
				void *data);
typedef void qemu_plugin_discontinuity(unsigned cpu, enum qemu_plugin_discon_type type,
				       uint64_t from, uint64_t to, void *data);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu *callback, void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_translate *callback,
					   void *data);
void qemu_plugin_register_vcpu_discon_cb(qemu_plugin_id_t id, enum qemu_plugin_discon_type types,
					 qemu_plugin_discontinuity *callback, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_simple *callback, void *data);

/* Registers a callback for QEMU's flush of all translated code, while no vCPU executes. */
void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, qemu_plugin_simple *callback, void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction, void *to, size_t size);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction,
					    qemu_plugin_vcpu *callback,
					    enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction,
				      qemu_plugin_access *callback,
				      enum qemu_plugin_cb_flags flags,
				      enum qemu_plugin_mem_rw accesses, void *data);

/* Memory of `size` bytes per vCPU. qemu_plugin_u64 is a 64-bit number in it, which translated code
 * can change without a callback. If one thread executes all vCPUs, code uses the number of the vCPU
 * that translated it. */
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *memory, unsigned cpu);

typedef struct {
	struct qemu_plugin_scoreboard *memory;
	size_t offset;
} qemu_plugin_u64;

enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64, QEMU_PLUGIN_INLINE_STORE_U64 };
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *instruction,
							 enum qemu_plugin_op op,
							 qemu_plugin_u64 number, uint64_t operand);

/* Calls back if the number, compared as unsigned with a constant, meets the condition. */
enum qemu_plugin_cond { QEMU_PLUGIN_COND_ALWAYS = 1, QEMU_PLUGIN_COND_NE = 3,
		       QEMU_PLUGIN_COND_GT = 6 };
void qemu_plugin_register_vcpu_insn_exec_cond_cb(struct qemu_plugin_insn *instruction,
						 qemu_plugin_vcpu *callback,
						 enum qemu_plugin_cb_flags flags,
						 enum qemu_plugin_cond condition,
						 qemu_plugin_u64 number, uint64_t constant,
						 void *data);

unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t linear);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *address);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *address);

bool qemu_plugin_read_memory_vaddr(uint64_t linear, GByteArray *bytes, size_t size);
bool qemu_plugin_write_memory_vaddr(uint64_t linear, GByteArray *bytes);
bool qemu_plugin_translate_vaddr(uint64_t linear, uint64_t *physical);
/* 0: success */
int qemu_plugin_read_memory_hwaddr(uint64_t physical, GByteArray *bytes, size_t size);
int qemu_plugin_write_memory_hwaddr(uint64_t physical, GByteArray *bytes);

#endif
