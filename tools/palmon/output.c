// SPDX-License-Identifier: BSD-2-Clause
// Writes files completely or not at all: output.h.

#include "output.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "palmon.h"

static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
#define SIGNALS (sizeof signals / sizeof *signals)

static const char *volatile doomed;	// removed when a signal ends the program

static void on_signal(int number)
{
	if (doomed)
		unlink(doomed);
	signal(number, SIG_DFL);
	raise(number);
}

// Keeps SIGHUP ignored, for nohup. The other signals are caught even if ignored, as a shell does
// for background commands.
static void catch_signals(void)
{
	for (size_t i = 0; i < SIGNALS; i++)
		if (signal(signals[i], on_signal) == SIG_IGN && signals[i] == SIGHUP)
			signal(signals[i], SIG_IGN);
}

static void block_signals(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < SIGNALS; i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

// Sets the mode that open would have set.
static void set_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	fchmod(fd, 0666 & ~mask);
}

static FILE *open_temporary(struct output *output)
{
	size_t size = strlen(output->path) + sizeof ".XXXXXX";
	FILE *file = NULL;
	sigset_t before;
	int fd;

	output->temporary = malloc(size);
	if (!output->temporary)
		return NULL;
	snprintf(output->temporary, size, "%s.XXXXXX", output->path);
	catch_signals();
	block_signals(&before);
	fd = mkstemp(output->temporary);
	if (fd >= 0)
		doomed = output->temporary;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (fd >= 0) {
		set_mode(fd);
		file = fdopen(fd, "w");
	}
	return file;
}

bool output_open(struct output *output, const char *path)
{
	struct stat status;

	*output = (struct output){.path = path};
	if (!strcmp(path, "-"))
		output->file = stdout;
	else if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
		output->file = fopen(path, "w");
	else
		output->file = open_temporary(output);
	if (output->file)
		return true;
	complain("%s: %s", path, strerror(errno));
	output_abandon(output);
	return false;
}

bool output_json(struct output *output, json_t *object)
{
	bool ok = object && json_dumpf(object, output->file, JSON_COMPACT) == 0 &&
		fputc('\n', output->file) != EOF;

	json_decref(object);
	if (!ok)
		complain("%s: %s", output->path, strerror(errno));
	return ok;
}

static void forget(struct output *output)
{
	sigset_t before;

	block_signals(&before);
	doomed = NULL;
	free(output->temporary);
	output->temporary = NULL;
	sigprocmask(SIG_SETMASK, &before, NULL);
}

bool output_commit(struct output *output)
{
	bool ok = fflush(output->file) == 0 && !ferror(output->file);

	if (output->file != stdout && fclose(output->file) != 0)
		ok = false;
	output->file = NULL;
	if (ok && output->temporary)
		ok = rename(output->temporary, output->path) == 0;
	if (!ok) {
		complain("%s: %s", output->path, strerror(errno));
		output_abandon(output);
		return false;
	}
	forget(output);
	return true;
}

void output_abandon(struct output *output)
{
	if (output->file && output->file != stdout)
		fclose(output->file);
	output->file = NULL;
	if (output->temporary && doomed)
		unlink(output->temporary);
	forget(output);
}
