/* SPDX-License-Identifier: BSD-2-Clause */
/* What is used of QEMU's interface for TCG plugins, version 1, which Debian 12's QEMU 7.2 has (docs/devel/tcg-plugins).
 * Debian packages no header of it. The names are QEMU's. */
#ifndef PLUGIN_QEMU_H
#define PLUGIN_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_INTERFACE 1

/* Functions that QEMU finds by name. */
#define QEMU_EXPORT __attribute__((visibility("default")))

struct qemu_plugin_tb;		/* a block of code that is being translated */
struct qemu_plugin_insn;	/* one of its instructions */
struct qemu_plugin_hwaddr;	/* the physical address of a memory access */
typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS,
};

enum qemu_plugin_op {
	QEMU_PLUGIN_INLINE_ADD_U64,
};

enum qemu_plugin_mem_rw {
	QEMU_PLUGIN_MEM_R = 1,
	QEMU_PLUGIN_MEM_W,
	QEMU_PLUGIN_MEM_RW,
};

/* What this QEMU is; of qemu_info_t, its beginning. */
struct qemu_info {
	const char *target_name;	/* the instruction set */
	struct {
		int least, current;
	} version;
	bool is_system;
	int cpus, cpus_most;
};

/* QEMU calls it once, before there is a machine. Not 0: the plugin cannot be used. */
QEMU_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv);
extern QEMU_EXPORT int qemu_plugin_version;

typedef void qemu_plugin_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *block);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_translate *translate);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *block);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *instruction);

/* Throws away what has been translated, with all callbacks, as soon as no CPU executes; calls `again` then. */
void qemu_plugin_reset(qemu_plugin_id_t id, void (*again)(qemu_plugin_id_t id));

/* What has been translated is thrown away. */
void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, void (*flushed)(qemu_plugin_id_t id));

/* Before each execution of the block, or of the instruction. */
typedef void qemu_plugin_execution(unsigned cpu, void *context);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, qemu_plugin_execution *executes,
					  enum qemu_plugin_cb_flags flags, void *context);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction, qemu_plugin_execution *executes,
					    enum qemu_plugin_cb_flags flags, void *context);

/* The same as code of the block's own: adds to a number. */
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *instruction, enum qemu_plugin_op operation,
						void *number, uint64_t addend);

/* Behind each access of the instruction. QEMU 7.2 takes QEMU_PLUGIN_MEM_R for stores, and QEMU_PLUGIN_MEM_W for both
 * (op_rw in its plugin-gen.c knows another order): who wants one of them must ask for both, and look. */
typedef void qemu_plugin_access(unsigned cpu, qemu_plugin_meminfo_t access, uint64_t address, void *context);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction, qemu_plugin_access *access,
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw which, void *context);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t access);	/* log2 of its bytes */
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t access, uint64_t address);
void qemu_plugin_register_vcpu_mem_inline(struct qemu_plugin_insn *instruction, enum qemu_plugin_mem_rw which,
					  enum qemu_plugin_op operation, void *number, uint64_t addend);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t access);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t access);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *address);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *address);

#endif
