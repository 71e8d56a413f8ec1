// SPDX-License-Identifier: BSD-2-Clause
// Shared by the kernel and the payload: a console on a 16550 that is already set up, and privilege
// level 3 (user.S).

#include "host.h"
#include "palmon_host.h"

#define LINE_STATUS	5
#define READY		0x20

uint16_t host_serial_port;

void palmon_host_put(const char *text, size_t size)
{
	const uint16_t line_status = (uint16_t)(host_serial_port + LINE_STATUS);
	uint8_t status;

	for (; host_serial_port && size; text++, size--) {
		do
			__asm__ volatile("inb %1, %0" : "=a"(status) : "Nd"(line_status));
		while (!(status & READY));
		__asm__ volatile("outb %0, %1" : : "a"(*text), "Nd"(host_serial_port));
	}
}

bool palmon_host_run_user(void (*function)(uint64_t argument), uint64_t argument)
{
	host_set_gate(HOST_USER_RETURN, host_user_return, 3);
	host_call_user(function, argument);
	return true;
}

void host_put(const char *text)
{
	while (*text)
		palmon_host_put(text++, 1);
}

void host_put_value(const char *text, uint64_t value)
{
	const char digit = (char)('0' + value % 10);

	host_put(text);
	if (value >= 10)
		host_put_value("", value / 10);
	palmon_host_put(&digit, 1);
}
