// SPDX-License-Identifier: BSD-2-Clause
// The early alarm. Plugins cannot interrupt a processor. But the emulator can be told to write to the machine's memory,
// by the protocol of its own tests (QEMU, softmmu/qtest.c), through a socket that it listens at (machine). A write to
// where interrupts are sent to is a message as devices send it, here of an NMI. The emulator's main loop reads the
// socket, while the CPU waits here for the answer; so the NMI is there before the next instruction, in each run.

#include "early_alarm.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SOCKET_NAME	"/qemu-socket-"	// of a socket that was given no name, in a folder for temporary files
#define FILES_MOST	256		// that the emulator has open when it starts

#define MESSAGE_BASE	0xFEE00000u	// SDM volume 3A, "Message Address Register Format"
#define MESSAGE_TO(id)	(MESSAGE_BASE | (id) << 12)
#define MESSAGE_NMI	0x400u		// "Message Data Register Format"
#define ALL_IDENTITIES	0xFFu

#define WAITS_MOST	5		// of a second each, for an emulator that others keep waiting

static int emulator = -1;
static bool lost;		// an order was not answered
static bool alone;		// the machine has one CPU, whose local APIC may get any identity

// Whether it is the socket at which the emulator waits for orders.
static bool listens(int file, struct sockaddr_un *address, socklen_t *size)
{
	int accepts = 0;
	socklen_t accepts_size = sizeof accepts;

	*size = sizeof *address;
	memset(address, 0, sizeof *address);
	return !getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &accepts_size) && accepts &&
	       !getsockname(file, (struct sockaddr *)address, size) && address->sun_family == AF_UNIX &&
	       strstr(address->sun_path, SOCKET_NAME);
}

// From here on nobody else finds it.
void early_alarm_connect(int cpus)
{
	struct sockaddr_un address;
	socklen_t size;
	int file = 0;

	alone = cpus == 1;
	while (file < FILES_MOST && !listens(file, &address, &size))
		file++;
	if (file == FILES_MOST)
		return;
	emulator = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (emulator >= 0 && connect(emulator, (const struct sockaddr *)&address, size)) {
		close(emulator);
		emulator = -1;
	}
	unlink(address.sun_path);
}

bool early_alarm_is_there(void)
{
	return emulator >= 0;
}

static bool is_answered(void)
{
	static const char ok[] = "OK\n";
	struct pollfd answer = {.fd = emulator, .events = POLLIN};
	char text[sizeof ok];
	size_t size = 0;

	for (unsigned waits = 0; size < strlen(ok) && waits < WAITS_MOST;) {
		const bool comes = poll(&answer, 1, 1000) == 1;
		const ssize_t more = comes ? read(emulator, text + size, strlen(ok) - size) : 0;

		if (comes && more <= 0)
			return false;
		size += (size_t)more;
		waits += !comes;
	}
	return size == strlen(ok) && !memcmp(text, ok, size);
}

// The machine gives its CPUs the identities 0, 1, 2 and so on. An emulator that is ending waits for the CPU, and does
// not answer: no guest goes on then.
void early_alarm_raise(unsigned cpu)
{
	char order[64];
	const int size = snprintf(order, sizeof order, "writel 0x%x 0x%x\n", MESSAGE_TO(alone ? ALL_IDENTITIES : cpu),
				  MESSAGE_NMI);

	lost = send(emulator, order, (size_t)size, MSG_NOSIGNAL) != size || !is_answered();
}

void early_alarm_check(void)
{
	if (!lost)
		return;
	fprintf(stderr, "palmon plugin: QEMU takes no orders through the socket of its tests\n");
	fflush(stderr);
	_exit(1);
}
