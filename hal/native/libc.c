// SPDX-License-Identifier: BSD-2-Clause
// newlib's system calls: console output, heap, end of the run. There are no files and no input.

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system.h"

_READ_WRITE_RETURN_TYPE write(int file, const void *buffer, size_t size)
{
	if (file != STDOUT_FILENO && file != STDERR_FILENO) {
		errno = EBADF;
		return -1;
	}
	system_call(SYSTEM_WRITE, (uintptr_t)buffer, size);
	return (_READ_WRITE_RETURN_TYPE)size;
}

_READ_WRITE_RETURN_TYPE read(int file, void *buffer, size_t size)
{
	(void)file, (void)buffer, (void)size;
	return 0;
}

int close(int file)
{
	(void)file;
	errno = EBADF;
	return -1;
}

int fstat(int file, struct stat *status)
{
	(void)file;
	status->st_mode = S_IFCHR;
	return 0;
}

int isatty(int file)
{
	return file <= STDERR_FILENO;
}

off_t lseek(int file, off_t offset, int whence)
{
	(void)file, (void)offset, (void)whence;
	return 0;
}

int kill(pid_t process, int signal)
{
	(void)process;
	_exit(128 + signal);
}

pid_t getpid(void)
{
	return 1;
}

void *sbrk(ptrdiff_t size)
{
	void *old = (void *)(uintptr_t)system_call(SYSTEM_EXTEND_HEAP, (uint64_t)size, 0);

	if (!old) {
		errno = ENOMEM;
		return (void *)-1;
	}
	return old;
}

// exit() and abort() in a workload end the run.
void _exit(int status)
{
	system_call(SYSTEM_EXIT, (uint64_t)status, 0);
	__builtin_unreachable();
}
