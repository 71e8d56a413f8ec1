// SPDX-License-Identifier: BSD-2-Clause
// Writes an image's measurements to the files of a folder: run_write.h.

#define _GNU_SOURCE
#include "run_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image.h"
#include "output.h"
#include "palmon.h"
#include "samples.h"

#define PATH_SIZE	4096


static const char *const files[] = {"samples", "counts.json", "symbols", "image.elf",
				    "selftest.tap"};

static bool name_file(const struct run_place *f, const char *name, char path[PATH_SIZE])
{
	if (snprintf(path, PATH_SIZE, "%s/%s", f->folder, name) < PATH_SIZE)
		return true;
	complain("%s: %s", f->folder, strerror(ENAMETOOLONG));
	return false;
}

// Removes the files of an earlier run.
bool run_prepare(const struct run_place *f)
{
	char path[PATH_SIZE];

	if (mkdir(f->folder, 0777) && errno != EEXIST) {
		complain("%s: %s", f->folder, strerror(errno));
		return false;
	}
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		if (!name_file(f, files[i], path))
			return false;
		if (unlink(path) && errno != ENOENT) {
			complain("%s: %s", path, strerror(errno));
			return false;
		}
	}
	return true;
}

typedef bool write_function(const struct run_place *f, const struct log_block *block,
			    struct output *output);

static bool write_file(const struct run_place *f, const struct log_block *block, const char *name,
		       write_function *write)
{
	struct output output;
	char path[PATH_SIZE];

	if (!name_file(f, name, path) || !output_open(&output, path))
		return false;
	if (write(f, block, &output))
		return output_commit(&output);
	output_abandon(&output);
	return false;
}

static bool begins(const char *line, const char *with)
{
	return !strncmp(line, with, strlen(with));
}

// A line of counts.json. The event of a metric is a name, that of a sample a number.
static bool is_count(const char *line)
{
	return begins(line, "{\"counter-value\":") || begins(line, "{\"event\":\"");
}

static bool is_sample(const char *line)
{
	return begins(line, "{\"event\":") && !is_count(line);
}

static bool put_line(struct output *output, const char *line)
{
	return fprintf(output->file, "%s\n", line) > 0;
}

//
// Files
//

// Writes all lines but the counts. Adds to the first one the name of the measured program, which
// the image does not know.
static bool write_samples(const struct run_place *f, const struct log_block *block,
			  struct output *output)
{
	json_t *const header = json_loads(block->line[0], 0, NULL);
	bool ok = header && !json_object_set_new(header, "trace", json_string(f->name)) &&
		output_json(output, header);

	for (size_t i = 1; ok && i < block->count; i++)
		ok = is_count(block->line[i]) || put_line(output, block->line[i]);
	return ok;
}

static bool write_counts(const struct run_place *f, const struct log_block *block,
			 struct output *output)
{
	bool ok = true;

	(void)f;
	for (size_t i = 1; ok && i < block->count; i++)
		ok = !is_count(block->line[i]) || put_line(output, block->line[i]);
	return ok;
}

static bool put_symbol(const char *line, struct output *output)
{
	const char *name, *address, *end;
	json_t *const symbol = json_loads(line, 0, NULL);
	const bool ok = !json_unpack(symbol, "{s:s, s:s, s:s}", "symbol", &name, "address",
				     &address, "end", &end);

	if (ok)
		fprintf(output->file, "%llx %llx %s\n", strtoull(address, NULL, 16),
			strtoull(end, NULL, 16) - strtoull(address, NULL, 16), name);
	json_decref(symbol);
	return ok;
}

static bool write_symbols(const struct run_place *f, const struct log_block *block,
			  struct output *output)
{
	bool ok = true;

	(void)f;
	for (size_t i = 1; ok && i < block->count; i++)
		ok = !begins(block->line[i], "{\"symbol\":") || put_symbol(block->line[i], output);
	if (!ok)
		complain("a function of the result is not understood");
	return ok;
}

static bool write_image(const struct run_place *f, const struct log_block *block,
			struct output *output)
{
	FILE *from = fopen(f->elf, "r");
	char bytes[65536];
	size_t size = 0;
	bool ok = from;

	(void)block;
	while (ok && (size = fread(bytes, 1, sizeof bytes, from)) > 0)
		ok = fwrite(bytes, 1, size, output->file) == size;
	ok = ok && !ferror(from);
	if (!ok)
		complain("%s: %s", f->elf, strerror(errno));
	if (from)
		fclose(from);
	return ok;
}

//
// All files
//

// Reads the first line. False after a complaint: this command cannot read the result.
static bool read_first(const char *line, char build_id[SAMPLES_BUILD_ID])
{
	json_t *const header = json_loads(line, 0, NULL);
	const char *target = NULL, *id = "";
	int version = 0;
	const bool ok = !json_unpack(header, "{s:i, s:s, s?:s}", "palmon_samples", &version,
				     "target", &target,
				     "build_id", &id);
	const bool known = ok && version == SAMPLES_VERSION && strlen(id) < SAMPLES_BUILD_ID &&
		pmu_driver_find(target);

	if (version > SAMPLES_VERSION)
		complain("the result is of version %d, and this palmon reads version %d", version,
			 SAMPLES_VERSION);
	else if (!known && ok && !pmu_driver_find(target))
		complain("the log is of an unknown target: '%s'", target);
	else if (!known)
		complain("the first line of the result is not understood");
	snprintf(build_id, SAMPLES_BUILD_ID, "%s", id);
	json_decref(header);
	return known;
}

// Samples that were only counted by address have a number of times.
static uint64_t count_samples(const struct log_block *block)
{
	static const char times[] = ",\"times\":";
	uint64_t samples = 0;

	for (size_t i = 1; i < block->count; i++) {
		const char *const many = strstr(block->line[i], times);

		samples += !is_sample(block->line[i]) ? 0 :
			many ? strtoull(many + strlen(times), NULL, 10) : 1;
	}
	return samples;
}

bool run_write(const struct log_block *block, const struct run_place *f, uint64_t *samples)
{
	char build_id[SAMPLES_BUILD_ID];
	bool ok = read_first(block->line[0], build_id) &&
		write_file(f, block, "samples", write_samples) &&
		  write_file(f, block, "counts.json", write_counts) &&
		  write_file(f, block, "symbols", write_symbols);

	if (ok && f->elf)
		ok = image_is(f->elf, build_id) && write_file(f, block, "image.elf", write_image);
	*samples = count_samples(block);
	return ok;
}
