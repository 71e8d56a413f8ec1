// SPDX-License-Identifier: BSD-2-Clause
// Valgrind's tool: inserts calls into a program's code that count its instructions, fetches, loads
// and stores (tool.h).
//
// Valgrind translates a program block by block and passes each block through the tool. A block has
// one entry, and several exits besides its end. Instructions are counted where that costs least: as
// an argument of the next call, or by an addition before an exit, a guarded call and the end.

#include "tool.h"
#include "valgrind.h"

#define LINE_SHIFT	6

// The block under construction. `begun`: instructions since the last call or addition.
struct block {
	IRSB *out;
	const IRTypeEnv *types;
	uint64_t begun, ip, line;	// line: the last fetched one, plus 1; 0: unknown
};

static void add(struct block *b, IRStmt *statement)
{
	addStmtToIRSB(b->out, statement);
}

static IRExpr *number(uint64_t value)
{
	return mkIRExpr_HWord(value);
}

// Loads one of the tool's variables into a temporary.
static IRExpr *variable(struct block *b, const uint64_t *where)
{
	const IRTemp value = newIRTemp(b->out->tyenv, Ity_I64);

	add(b, IRStmt_WrTmp(value, IRExpr_Load(Iend_LE, Ity_I64, number((uintptr_t)where))));
	return IRExpr_RdTmp(value);
}

static IRExpr *operation(struct block *b, IROp op, IRType type, IRExpr *first, IRExpr *second)
{
	const IRTemp result = newIRTemp(b->out->tyenv, type);

	add(b, IRStmt_WrTmp(result, IRExpr_Binop(op, first, second)));
	return IRExpr_RdTmp(result);
}

static void add_begun(struct block *b)
{
	if (!b->begun)
		return;
	add(b, IRStmt_Store(Iend_LE, number((uintptr_t)&tool_executed),
			    operation(b, Iop_Add64, Ity_I64, variable(b, &tool_executed),
				      number(b->begun))));
	b->begun = 0;
}

static void call(struct block *b, const HChar *name, void *function, IRExpr **arguments,
		 IRExpr *guard)
{
	IRDirty *dirty = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function), arguments);

	if (guard)
		dirty->guard = guard;
	add(b, IRStmt_Dirty(dirty));
}

// Returns the instructions that the next call must count. A guarded call may not happen, so an
// addition counts them first.
static uint64_t take_begun(struct block *b, const IRExpr *guard)
{
	uint64_t begun;

	if (guard)
		add_begun(b);
	begun = b->begun;
	b->begun = 0;
	return begun;
}

static void fetch(struct block *b, uint64_t address, IRExpr *guard)
{
	const uint64_t begun = take_begun(b, guard);

	call(b, "tool_fetch", tool_fetch,
	     mkIRExprVec_3(number(b->ip), number(address), number(begun)), guard);
}

static void refer(struct block *b, bool stores, IRExpr *address, unsigned size, IRExpr *guard)
{
	const uint64_t begun = take_begun(b, guard) << TOOL_SIZE_BITS | size;

	call(b, stores ? "tool_store" : "tool_load", stores ? (void *)tool_store :
	     (void *)tool_load, mkIRExprVec_3(number(b->ip), address, number(begun)), guard);
}

// An instruction fetches its lines, except the one fetched last. At the beginning of a block, that
// line depends on the path of the program and is checked at run time.
static void execute(struct block *b, uint64_t ip, unsigned size)
{
	const uint64_t first = (ip >> LINE_SHIFT) + 1, last = ((ip + size - 1) >> LINE_SHIFT) + 1;

	tool_entered |= ip == tool_entry;
	b->ip = ip;
	b->begun++;
	if (tool_watches) {
		add_begun(b);
		call(b, "tool_execute", tool_execute, mkIRExprVec_2(number(ip), number(0)),
		     operation(b, Iop_CmpLT64U, Ity_I1, variable(b, &tool_watched),
			       variable(b, &tool_executed)));
	}
	if (!b->line)
		fetch(b, ip, operation(b, Iop_CmpNE64, Ity_I1, variable(b, &tool_line),
				       number(first)));
	else if (first != b->line)
		fetch(b, ip, NULL);
	if (last != first)
		fetch(b, (last - 1) << LINE_SHIFT, NULL);
	b->line = last;
}

static void load_guarded(struct block *b, const IRLoadG *load)
{
	IRType wide, type;

	typeOfIRLoadGOp(load->cvt, &wide, &type);
	refer(b, false, load->addr, (unsigned)sizeofIRType(type), load->guard);
}

static void compare_and_swap(struct block *b, const IRCAS *swap)
{
	const unsigned size = (unsigned)sizeofIRType(typeOfIRExpr(b->types, swap->dataLo)) *
		(swap->dataHi ? 2 : 1);

	refer(b, false, swap->addr, size, NULL);
	refer(b, true, swap->addr, size, NULL);
}

static void call_helper(struct block *b, const IRDirty *helper)
{
	if (helper->mFx == Ifx_Read || helper->mFx == Ifx_Modify)
		refer(b, false, helper->mAddr, (unsigned)helper->mSize, NULL);
	if (helper->mFx == Ifx_Write || helper->mFx == Ifx_Modify)
		refer(b, true, helper->mAddr, (unsigned)helper->mSize, NULL);
}

static void take(struct block *b, IRStmt *s)
{
	const IRExpr *data;

	switch (s->tag) {
	case Ist_IMark:
		execute(b, s->Ist.IMark.addr, s->Ist.IMark.len);
		break;
	case Ist_WrTmp:
		data = s->Ist.WrTmp.data;
		if (data->tag == Iex_Load)
			refer(b, false, data->Iex.Load.addr,
			      (unsigned)sizeofIRType(data->Iex.Load.ty), NULL);
		break;
	case Ist_Store:
		refer(b, true, s->Ist.Store.addr,
		      (unsigned)sizeofIRType(typeOfIRExpr(b->types, s->Ist.Store.data)), NULL);
		break;
	case Ist_LoadG:
		load_guarded(b, s->Ist.LoadG.details);
		break;
	case Ist_StoreG:
		refer(b, true, s->Ist.StoreG.details->addr,
		      (unsigned)sizeofIRType(typeOfIRExpr(b->types, s->Ist.StoreG.details->data)),
		      s->Ist.StoreG.details->guard);
		break;
	case Ist_CAS:
		compare_and_swap(b, s->Ist.CAS.details);
		break;
	case Ist_Dirty:
		call_helper(b, s->Ist.Dirty.details);
		break;
	case Ist_Exit:
		add_begun(b);
		break;
	default:
		break;
	}
	add(b, s);
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
			const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
			IRType host_word)
{
	struct block b = {.out = deepCopyIRSBExceptStmts(in), .types = in->tyenv};
	int i = 0;

	(void)closure, (void)layout, (void)extents, (void)host, (void)guest_word, (void)host_word;
	for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
		add(&b, in->stmts[i]);
	for (; i < in->stmts_used; i++)
		take(&b, in->stmts[i]);
	add_begun(&b);
	return b.out;
}

static void begin(void)
{
	if (tool_begin())
		return;
	VG_(printf)("palmon starts this tool, not valgrind\n");
	VG_(exit)(1);
}

static void finish(Int status)
{
	(void)status;
	tool_report();
}

static void forked(ThreadId thread)
{
	(void)thread;
	tool_leave();
}

// execve replaces the program, so report before it.
static void before_call(ThreadId thread, UInt call, UWord *arguments, UInt count)
{
	(void)thread, (void)arguments, (void)count;
	if (call == __NR_execve || call == __NR_execveat)
		tool_report();
}

static void after_call(ThreadId thread, UInt call, UWord *arguments, UInt count, SysRes result)
{
	(void)thread, (void)call, (void)arguments, (void)count, (void)result;
}

static void register_tool(void)
{
	VG_(details_name)("palmon");
	VG_(details_description)("references for palmon's models of caches");
	VG_(details_copyright_author)("by palmon's authors");
	VG_(details_bug_reports_to)("palmon");
	VG_(basic_tool_funcs)(begin, instrument, finish);
	VG_(needs_syscall_wrapper)(before_call, after_call);
	VG_(atfork)(NULL, NULL, forked);
}

VG_DETERMINE_INTERFACE_VERSION(register_tool)

// The model uses calloc of a C library.
void *calloc(size_t count, size_t size);
void *calloc(size_t count, size_t size)
{
	return VG_(calloc)("palmon", count, size);
}
