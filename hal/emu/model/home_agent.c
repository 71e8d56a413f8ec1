// SPDX-License-Identifier: BSD-2-Clause
// Requests between packages: a miss in the L3 cache probes all other packages and asks the home of
// the address. See the performance analysis guide, "Uncore Memory Subsystem", tables 26 to 28,
// "QuickPath Interconnect Home Logic" and "... Opcode Matching". DECISIONS.md has the choices where
// the guide is silent.

#include "package.h"

#include "traffic.h"

#define RESPONSES 5	// order of CPU_EVENTS_BY_RESPONSE
enum response { RESPONSE_I, RESPONSE_S, RESPONSE_FORWARD_S, RESPONSE_FORWARD_I, RESPONSE_WB };

enum probe { PROBE_READ, PROBE_OWN, PROBE_GIVE_UP };

// The result of a probe by kind and state of the line: response, cpu event of the state change, new
// state.
static const struct found {
	enum response response;
	enum cpu_event changes;
	enum line_state leaves;
} found[][LINE_STATES] = {
	[PROBE_READ] = {
		[LINE_SHARED] = {RESPONSE_S, CPU_EVENT_PROBE_S_TO_S, LINE_SHARED},
		[LINE_FORWARD] = {RESPONSE_FORWARD_S, CPU_EVENT_PROBE_F_TO_S, LINE_SHARED},
		[LINE_EXCLUSIVE] = {RESPONSE_FORWARD_S, CPU_EVENT_PROBE_E_TO_S, LINE_SHARED},
		[LINE_MODIFIED] = {RESPONSE_WB, CPU_EVENT_PROBE_M_TO_I, LINE_INVALID},
	},
	[PROBE_OWN] = {
		[LINE_SHARED] = {RESPONSE_S, CPU_EVENT_PROBE_S_TO_I, LINE_INVALID},
		[LINE_FORWARD] = {RESPONSE_S, CPU_EVENT_PROBE_F_TO_I, LINE_INVALID},
		[LINE_EXCLUSIVE] = {RESPONSE_FORWARD_I, CPU_EVENT_PROBE_E_TO_I, LINE_INVALID},
		[LINE_MODIFIED] = {RESPONSE_FORWARD_I, CPU_EVENT_PROBE_M_TO_I, LINE_INVALID},
	},
	[PROBE_GIVE_UP] = {
		[LINE_SHARED] = {RESPONSE_S, CPU_EVENT_PROBE_S_TO_I, LINE_INVALID},
		[LINE_FORWARD] = {RESPONSE_S, CPU_EVENT_PROBE_F_TO_I, LINE_INVALID},
		[LINE_EXCLUSIVE] = {RESPONSE_S, CPU_EVENT_PROBE_E_TO_I, LINE_INVALID},
		[LINE_MODIFIED] = {RESPONSE_WB, CPU_EVENT_PROBE_M_TO_I, LINE_INVALID},
	},
};

// Raises an event at the home of an address: `here` for a request of the home package, else
// `remote`.
static void raise_at_home_agent(struct package *p, unsigned core, enum cpu_event here,
				enum cpu_event remote,
			  uint64_t address)
{
	struct package *home = package_home_agent(p, address);

	if (home == p)
		package_raise(p, core, here, address);
	else
		package_raise(home, 0, remote, address);
}

void package_write(struct package *p, unsigned core, uint64_t address)
{
	raise_at_home_agent(p, core, CPU_EVENT_MEMORY_WRITE, CPU_EVENT_MEMORY_WRITE_REMOTE,
			    address);
	traffic_write(p, address);
}

//
// Probes
//

// The answers of all probed packages together.
struct answers {
	bool shared, forwarded, asked, modified, written_back;
};

static void answer(struct package *p, enum response response, uint64_t address)
{
	static const enum cpu_event here[RESPONSES] = {
		[RESPONSE_FORWARD_S] = CPU_EVENT_ANSWER_FORWARD_S,
		[RESPONSE_FORWARD_I] = CPU_EVENT_ANSWER_FORWARD_I,
		[RESPONSE_WB] = CPU_EVENT_ANSWER_WB,
	};
	static const enum cpu_event remote[RESPONSES] = {
		[RESPONSE_FORWARD_S] = CPU_EVENT_ANSWER_REMOTE_FORWARD_S,
		[RESPONSE_FORWARD_I] = CPU_EVENT_ANSWER_REMOTE_FORWARD_I,
		[RESPONSE_WB] = CPU_EVENT_ANSWER_REMOTE_WB,
	};
	const bool local = package_home_agent(p, address) == p;

	package_raise(p, 0, (local ? CPU_EVENT_PROBE_LOCAL_I : CPU_EVENT_PROBE_REMOTE_I) + response,
		      address);
	if (here[response])
		raise_at_home_agent(p, 0, here[response], remote[response], address);
	if (response == RESPONSE_WB)
		package_write(p, 0, address);
}

// Asks the cores that must invalidate the line. A read asks a core that is the only owner, unless
// the line is clean: the core may have modified it.
static enum line_state ask_cores(struct package *p, enum probe probe, const struct cache_line *line,
				 uint64_t address, bool *asked)
{
	const uint32_t owners = line->owners;
	const bool write = probe != PROBE_READ, one = owners && !(owners & (owners - 1));
	const bool clean = line->state == LINE_SHARED || line->state == LINE_FORWARD;
	enum line_state had;

	*asked = write ? owners != 0 : one && !clean;
	if (!*asked)
		return line->state;
	had = package_snoop(p, owners, write, address);
	return had == LINE_MODIFIED ? had : (enum line_state)line->state;
}

static void probe(struct package *p, enum probe probe, uint64_t address, struct answers *answers)
{
	struct cache_line *line = cache_find(&p->l3, address);
	const struct found *f;
	enum line_state state;
	bool asked;

	package_raise(p, 0, line ? CPU_EVENT_PROBE_HIT : CPU_EVENT_PROBE_MISS, address);
	if (!line) {
		traffic_probe(p, address, false);
		answer(p, RESPONSE_I, address);
		return;
	}
	state = ask_cores(p, probe, line, address, &asked);
	traffic_probe(p, address, asked);
	f = &found[probe][state];
	package_raise(p, 0, f->changes, address);
	answer(p, f->response, address);
	answers->shared |= f->leaves != LINE_INVALID;
	answers->written_back |= f->response == RESPONSE_WB;
	if (f->response == RESPONSE_FORWARD_S || f->response == RESPONSE_FORWARD_I) {
		answers->forwarded = true;
		answers->asked |= asked;
		answers->modified |= state == LINE_MODIFIED;
	}
	if (f->leaves == LINE_INVALID) {
		for (uint32_t rest = line->owners; rest; rest &= rest - 1)
			package_give_up(p, (unsigned)__builtin_ctz(rest), address);
		cache_flush(&p->l3, address);
	} else {
		line->state = (uint8_t)f->leaves;
	}
}

static struct answers probe_others(const struct package *p, enum probe kind, uint64_t address)
{
	struct answers answers = {0};

	for (unsigned i = 0; i < p->packages; i++)
		if (&p->all[i] != p) {
			p->all[i].now = p->now;
			probe(&p->all[i], kind, address, &answers);
		}
	return answers;
}

//
// Requests of a package
//

enum supplier package_read(struct package *p, unsigned core, bool write, uint64_t address,
			   enum line_state *state)
{
	const struct answers a = probe_others(p, write ? PROBE_OWN : PROBE_READ, address);

	*state = a.modified ? LINE_MODIFIED : a.shared ? LINE_FORWARD : LINE_EXCLUSIVE;
	p->asked = a.forwarded || a.written_back ? ASKED_HOME : ASKED_MEMORY;
	if (p->asked == ASKED_HOME)
		raise_at_home_agent(p, core, CPU_EVENT_HOME_READ, CPU_EVENT_HOME_READ_REMOTE,
				    address);
	else
		raise_at_home_agent(p, core, CPU_EVENT_MEMORY_READ, CPU_EVENT_MEMORY_READ_REMOTE,
				    address);
	if (a.forwarded)
		return a.asked || a.modified ? SUPPLIER_REMOTE_HITM : SUPPLIER_REMOTE_HIT;
	return package_home_agent(p, address) == p ? SUPPLIER_MEMORY : SUPPLIER_REMOTE_MEMORY;
}

void package_own(struct package *p, unsigned core, bool write, uint64_t address)
{
	probe_others(p, write ? PROBE_OWN : PROBE_GIVE_UP, address);
	if (write) {
		p->asked = ASKED_HOME;
		raise_at_home_agent(p, core, CPU_EVENT_HOME_READ, CPU_EVENT_HOME_READ_REMOTE,
				    address);
	}
}
