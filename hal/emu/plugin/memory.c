// SPDX-License-Identifier: BSD-2-Clause
// The plugin is in the emulator's process, where the machine's memory is an open file without a name.

#define _GNU_SOURCE
#include "memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// As QEMU's memory-backend-memfd calls it.
static const char file_name[] = "/memfd:memory-backend-memfd";

static struct {
	uint8_t *start;
	uint64_t address, size;
} memory;

static bool is_memory(int folder, const char *descriptor)
{
	char target[sizeof file_name - 1];

	return readlinkat(folder, descriptor, target, sizeof target) == sizeof target &&
	       !memcmp(target, file_name, sizeof target);
}

// A descriptor of the file, of our own; negative: there is none.
static int open_memory(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int file = -1;

	if (!folder)
		return -1;
	for (const struct dirent *entry; file < 0 && (entry = readdir(folder));)
		if (is_memory(dirfd(folder), entry->d_name))
			file = openat(dirfd(folder), entry->d_name, O_RDWR | O_CLOEXEC);
	closedir(folder);
	return file;
}

void memory_begins_at(uint64_t address)
{
	memory.address = address;
}

const char *memory_map(void)
{
	const int file = open_memory();
	struct stat status;
	void *start = MAP_FAILED;

	if (file < 0)
		return "the machine's memory is not shared: QEMU needs "
		       "-object memory-backend-memfd,id=memory,size=SIZE -machine memory-backend=memory";
	if (!fstat(file, &status))
		start = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (start == MAP_FAILED)
		return "the machine's memory cannot be mapped";
	memory.start = start;
	memory.size = (uint64_t)status.st_size;
	return NULL;
}

uint64_t memory_size(void)
{
	return memory.size;
}

void *memory_at(uint64_t address, size_t size)
{
	const uint64_t offset = address - memory.address;

	return offset < memory.size && size <= memory.size - offset ? memory.start + offset : NULL;
}
