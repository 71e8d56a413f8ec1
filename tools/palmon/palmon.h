/* SPDX-License-Identifier: BSD-2-Clause */
/* The palmon command: one function per subcommand, and their shared functions. */
#ifndef PALMON_H
#define PALMON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "event_text.h"
#include "model.h"
#include "pmu_driver.h"

/* Exit statuses. */
enum {
	PALMON_DONE,
	PALMON_FAILED,
	PALMON_USAGE,		/* the command line is wrong */
};

/* The subcommands, each in a file of its own name. argv[0] is "palmon COMMAND", for getopt's
 * messages. They return an exit status; main checks whether standard output could be written. */
int command_targets(int argc, char **argv);
int command_list(int argc, char **argv);
int command_metrics(int argc, char **argv);
int command_profiles(int argc, char **argv);
int command_encode(int argc, char **argv);
int command_decode(int argc, char **argv);
int command_info(int argc, char **argv);
int command_selftest(int argc, char **argv);
int command_stat(int argc, char **argv);
int command_record(int argc, char **argv);
int command_report(int argc, char **argv);
int command_annotate(int argc, char **argv);
int command_fetch(int argc, char **argv);
int command_board(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_top(int argc, char **argv);
int command_state(int argc, char **argv);
int command_qemu(int argc, char **argv);
int command_probe(int argc, char **argv);

/*
 * common.c
 */

/* Prints "palmon COMMAND: ..." and a newline on standard error. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

/* Sets the name that complain prints. Called by main only. */
void complain_as(const char *name);

/* Prints how to get help. Returns PALMON_USAGE. */
int usage_error(void);

/* The end of a complaint about an unknown name: "; the nearest name is NAME", or "" if none is
 * similar. `entries`: `count` structures of `size` bytes that begin with a name. Valid until the
 * next call. */
const char *nearest_of(const void *entries, size_t count, size_t size, const char *name);

/* The target called `name`. NULL, after a complaint that lists the targets: no such target, or
 * `name` is NULL. */
const struct pmu_driver *find_target(const char *name);

/* Stores the argument of an option that may occur once. False after a complaint: a second one, or
 * an empty argument. */
bool take_once(const char **value, const char *argument, const char *option);

#define OPTIONS_MOST	64	/* occurrences of an option that may occur several times */

/* Stores the next argument of such an option. False after a complaint: too many. */
bool take_another(const char **values, unsigned *count, const char *argument, const char *option);

/* Explains why a session of these requests could not be opened or started. */
void complain_refusal(const struct pmu_driver *driver, enum pmu_error error,
		      const struct pmu_refusal *refusal, const struct event_request *requests);

#define PATH_MOST	4096

/* The path of a file in a folder relative to this program's folder, e.g. "../lib/palmon". False: no
 * such file. */
bool find_in_folder(const char *folder, const char *file, char *path, size_t size);

/* The path of the file that runs for the program name `name`: itself, or found on the search path.
 * NULL: none. */
char *find_program(const char *name);

/* Whether `name` matches `pattern`: a shell pattern, or without wildcards a substring; NULL matches
 * all. Case is ignored. */
bool name_matches(const char *name, const char *pattern);

/* Starts the host shim with this target's PMU and brings the PMU up. False after a complaint. */
bool start_shim(const struct pmu_driver *driver, const char *fault);

/* Gives the PMU memory for the processor's records if one of these requests asks for precise
 * samples. False after a complaint. */
bool give_records_buffer(const struct event_request *requests, unsigned count);

/*
 * command_line.c
 */

/* Reads the next event of a list. False after a complaint that names the wrong word and the nearest
 * name. */
bool next_event(const struct pmu_driver *driver, struct event_list *list,
		struct event_request *request);

/* The options that most subcommands share: -t TARGET and -j. */
struct target_options {
	const struct pmu_driver *driver;
	bool json;
};

/* Reads the options and advances optind past them. False after a complaint about the command
 * line. */
bool read_target_options(int argc, char **argv, struct target_options *options);

/* The same with --events and --translate. */
bool read_event_options(int argc, char **argv, struct target_options *options, bool *translate);

/* The same without it, with an optional pattern after the options; NULL: not given. */
bool read_target_and_pattern(int argc, char **argv, struct target_options *options,
			     const char **pattern);

/* The same with --events, and with --summary, which excludes a pattern. With --summary and without
 * -t the driver is NULL: all targets. */
bool read_list_options(int argc, char **argv, struct target_options *options, const char **pattern,
		       bool *summary);

/*
 * number.c
 */

/* Reads an unsigned number of 64 bits, decimal or 0x, that ends with the character `end`. */
bool read_number(const char *text, char end, uint64_t *value);

/*
 * decode.c
 */

/* The names of the events that a counter's select value means: events that match it completely;
 * otherwise those that leave the threshold open; otherwise several joined events. Empty: none, or
 * the counter is fixed. */
json_t *events_selected(const struct pmu_driver *driver, unsigned counter, uint64_t select);

/* A field's value, its meaning ("": unknown) and its bits, "7:0", in a register's value. */
uint64_t field_value(const struct field *f, uint64_t value);
const char *field_meaning(const char *target, const char *register_name, const struct field *f,
			  uint64_t value);
void format_bits(const struct field *f, char text[8]);

/*
 * registers.c
 */

#define REGISTER_NAME_SIZE 64

/* A register of a model: its description, and for a description of several equal registers, which
 * one. */
struct palmon_register {
	const struct register_description *description;
	uint32_t address;
	int number;			/* suffix of its name; -1: none */
};

bool register_by_address(const struct pmu_model *model, uint32_t address,
			 struct palmon_register *found);

/* Looks a register up by name, in upper or lower case, or by address in digits. */
bool register_by_name(const struct pmu_model *model, const char *text,
		      struct palmon_register *found);

/* The register with the lowest address that is at least `least`. False: none. */
bool register_from(const struct pmu_model *model, uint64_t least, struct palmon_register *found);

void register_name(const struct palmon_register *r, char name[REGISTER_NAME_SIZE]);

/* The CPUs that share a register of the model; register_scopes: the same in a word. */
enum register_scope register_scope(const struct pmu_model *model, const struct palmon_register *r);
extern const char *const register_scopes[];

/*
 * qemu.c
 */

/* The path of tools/qemu, which finds a QEMU, in the plugin's folder. NULL: not found. */
char *qemu_finder(void);

/*
 * print.c
 */

/* Prints a JSON object and a newline, and releases the object. */
void print_json(json_t *object);

/* A number as JSON string "0x..." with at least `digits` digits. */
json_t *json_hexadecimal(uint64_t value, int digits);

/* Prints the words of `text` in lines of at most 80 columns, each indented by `indent` blanks. */
void print_wrapped(const char *text, int indent);

/* The same if the first line already contains `column` columns. */
void print_wrapped_from(int column, const char *text, int indent);

/* Formats a bit mask of counters: "4-7,32". */
void format_counters(uint64_t counters, char *text, size_t size);

/* Counter numbers as a JSON array. */
json_t *json_counters(uint64_t counters);

#define EVENT_TEXT_SIZE 512

/* Formats a request on this counter completely, in the syntax of event_parse. */
void format_request(const struct pmu_driver *driver, const struct event_request *request,
		    unsigned counter, char text[EVENT_TEXT_SIZE]);

#endif
