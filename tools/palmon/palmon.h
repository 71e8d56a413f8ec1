/* SPDX-License-Identifier: BSD-2-Clause */
/* The palmon command: one function for each of its commands, and what they share. */
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

/* The commands, each in a file of its own name. argv[0] is "palmon COMMAND", for getopt's messages. They return an exit
 * status; whether the output could be written is main's to find out. */
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
int command_trace(int argc, char **argv);
int command_state(int argc, char **argv);
int command_qemu(int argc, char **argv);

/*
 * common.c
 */

/* Prints "palmon COMMAND: ..." and a newline on stderr. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

/* The name that complain prints; main's to set. */
void complain_as(const char *name);

/* Says how to get help. Returns PALMON_USAGE. */
int usage_error(void);

/* The end of a complaint about an unknown name: "; the nearest name is NAME", or "" if none of these is near. `entries`
 * are `count` structures of `size` bytes that begin with a name. Good until the next call. */
const char *nearest_of(const void *entries, size_t count, size_t size, const char *name);

/* The target called `name`; NULL, after a complaint that lists the targets, if there is none or name is NULL. */
const struct pmu_driver *find_target(const char *name);

/* Reads the next event of a list. False after a complaint that says which word is wrong and which name is nearest. */
bool next_event(const struct pmu_driver *driver, struct event_list *list, struct event_request *request);

/* Takes an option's argument. False after a complaint: it was there before, or is empty. */
bool take_once(const char **value, const char *argument, const char *option);

#define OPTIONS_MOST	64	/* times that an option can be there which can be there several times */

/* Takes another one's. False after a complaint: there are too many. */
bool take_another(const char **values, unsigned *count, const char *argument, const char *option);

/* Says why a session of these requests could not be opened or started. */
void complain_refusal(const struct pmu_driver *driver, enum pmu_error error, const struct pmu_refusal *refusal,
		      const struct event_request *requests);

/* The options that most commands have: -t TARGET and -j. */
struct target_options {
	const struct pmu_driver *driver;
	bool json;
};

/* Reads them; optind is behind them. False after a complaint: the command line is wrong. */
bool read_target_options(int argc, char **argv, struct target_options *options);

/* The same, and a pattern behind them; NULL: there is none. */
bool read_target_and_pattern(int argc, char **argv, struct target_options *options, const char **pattern);

/* The same, and --summary: then there is no pattern, and without -t the driver is NULL: all targets are meant. */
bool read_list_options(int argc, char **argv, struct target_options *options, const char **pattern, bool *summary);

/* Reads a number of 64 bits, decimal or 0x, up to the character `end`. */
bool read_number(const char *text, char end, uint64_t *value);

#define PATH_MOST	4096

/* The path of a file in a folder that is named from this program's: "../lib/palmon", say. False: it is not there. */
bool find_beside(const char *folder, const char *file, char *path, size_t size);

/* The file that is executed when a program is called so: itself, or one on the search path. NULL: there is none. */
char *find_program(const char *name);

/* Whether `pattern` (NULL: anything) fits `name`: a shell pattern, or without one's characters a part of it. Upper and
 * lower case are the same. */
bool name_matches(const char *name, const char *pattern);

/* Starts the host shim with this target's PMU and brings that up. False after a complaint. */
bool start_shim(const struct pmu_driver *driver, const char *fault);

/* Gives the PMU memory for the processor's records, if one of these requests is for precise samples. False after a
 * complaint. */
bool give_records_buffer(const struct event_request *requests, unsigned count);

/*
 * decode.c
 */

/* The names of the events that a counter's select means: those that say all of it; else those that leave the threshold
 * open; else several joined. Empty: there are none, or the counter's event is fixed. */
json_t *events_selected(const struct pmu_driver *driver, unsigned counter, uint64_t select);

/*
 * registers.c
 */

#define REGISTER_NAME_SIZE 64

/* A register of a model: a description and which of its equal ones. */
struct palmon_register {
	const struct register_description *description;
	uint32_t address;
	int number;			/* behind its name; -1: none */
};

bool register_by_address(const struct pmu_model *model, uint32_t address, struct palmon_register *found);

/* By name, upper or lower case, or by address in digits. */
bool register_by_name(const struct pmu_model *model, const char *text, struct palmon_register *found);

/* The one with the lowest address from `least` on. False: there is none. */
bool register_from(const struct pmu_model *model, uint64_t least, struct palmon_register *found);

void register_name(const struct palmon_register *r, char name[REGISTER_NAME_SIZE]);

/* Whose a register of the model is, and that in a word. */
enum register_scope register_scope(const struct pmu_model *model, const struct palmon_register *r);
extern const char *const register_scopes[];

/*
 * qemu.c
 */

/* The path of the script that finds a QEMU (tools/qemu), beside the plugin. NULL: it is not there. */
char *qemu_finder(void);

/*
 * print.c
 */

/* Prints one JSON object and a newline, and drops it. */
void print_json(json_t *object);

/* A number as JSON string "0x...", with `digits` digits at least. */
json_t *json_hexadecimal(uint64_t value, int digits);

/* Words of `text` in lines of at most 80 columns, `indent` blanks before each. */
void print_wrapped(const char *text, int indent);

/* The same, behind what the first line has in so many columns. */
void print_wrapped_from(int column, const char *text, int indent);

/* "4-7,32" */
void format_counters(uint64_t counters, char *text, size_t size);

/* Counter numbers as JSON array. */
json_t *json_counters(uint64_t counters);

#define EVENT_TEXT_SIZE 512

/* A request with all that can be said of it, on this counter; event_parse reads it back. */
void format_request(const struct pmu_driver *driver, const struct event_request *request, unsigned counter,
		    char text[EVENT_TEXT_SIZE]);

#endif
