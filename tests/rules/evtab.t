#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The event-table compiler: its output for good tables, and its messages for bad ones.
. tests/tap.sh

compiler=evtab
. tests/rules/table.sh

# prints EXPECTED C: compares the output of C, which prints parts of the compiled table (`e` is its
# first event).
prints() {
	printf '#include <stdio.h>\n#include "%s"\nint main(void) { const struct pmu_event *e = %s; %s; return 0; }\n' \
		"$work/out" pmu_events_some.event "$2" | printed "$1"
}

#
# Good tables
#

every_key_is_taken() {
	words='code=0x10B umask=0x02 care=0x0F cmask=16 inv edge any precise clock random'
	words="$words counters=0-1,3,32-34 max=4 source=Table_8"
	lines "LOADS.ALL $words | all loads"
	good && prints 'LOADS.ALL|all loads|Table 8|70000000b|10b|2|f|16|7|4|1|1|1|1' \
		'printf("%s|%s|%s|%llx|%x|%x|%x|%u|%x|%u|%d|%d|%d|%zu", e->name, e->description, e->source,
			(unsigned long long)e->counters, e->code, e->umask, e->umask_care, e->cmask, e->modifiers,
			e->max, e->precise, e->clock, e->random,
			pmu_events_some.count)'
}
check "every key and word of a line is taken" every_key_is_taken

what_is_left_out_is_0() {
	lines 'A code=0 counters=63 max=1 source=here | what'
	good && prints '0 0 ff 0 0 0 8000000000000000' \
		'printf("%x %x %x %u %x %d %llx", e->code, e->umask,
		e->umask_care, e->cmask, e->modifiers, e->precise, (unsigned long long)e->counters)'
}
check "keys left out are 0, and every unit-mask bit matters" what_is_left_out_is_0

largest_values() {
	lines 'A code=65535 umask=255 care=0 cmask=255 max=255 counters=0-63 source=s | d'
	good && prints 'ffff ff 0 255 255 ffffffffffffffff' \
		'printf("%x %x %x %u %u %llx", e->code, e->umask,
		e->umask_care, e->cmask, e->max, (unsigned long long)e->counters)'
}
check "the largest values are taken" largest_values

comments_and_blanks() {
	lines '# one' '' '   ' "$(printf '\t')" '  # two' \
		'A code=1 counters=0 max=1 source=s | d # three' \
		"$(printf 'B\tcode=2  counters=1\tmax=1 source=s |\td')" \
		'#C code=3 counters=0 max=1 source=s | d'
	good && prints '2: A B' 'printf("%zu: %s %s", pmu_events_some.count, e[0].name, e[1].name)'
}
check "comments, blank lines and tabs are skipped" comments_and_blanks

no_newline_at_the_end() {
	printf 'A code=1 counters=0 max=1 source=s | d' >"$table"
	compile
	good && prints 'd' 'printf("%s", e->description)'
}
check "the last line needs no newline" no_newline_at_the_end

# event.h: ordered by name as strcasecmp orders.
table_is_ordered() {
	lines 'B code=1 counters=0 max=1 source=s | d' 'A_Z code=2 counters=0 max=1 source=s | d' \
		'AB code=3 counters=0 max=1 source=s | d' 'A code=4 counters=0 max=1 source=s | d' \
		'A.B code=5 counters=0 max=1 source=s | d'
	good && prints 'A A.B A_Z AB B' 'printf("%s %s %s %s %s", e[0].name, e[1].name, e[2].name, e[3].name,
		e[4].name)'
}
check "the table is in the order of its names" table_is_ordered

NAME_OF_63=N23456789012345678901234567890123456789012345678901234567890123
longest_name() {
	lines "$NAME_OF_63 code=1 counters=0 max=1 source=s | d"
	good && prints "$NAME_OF_63" 'printf("%s", e->name)'
}
check "a name of 63 characters is taken" longest_name

# EVENT_USER is 8, EVENT_OS 16 (event.h).
levels_are_modifiers() {
	lines 'A code=1 os counters=0 max=1 source=s | d' \
		'B code=1 user inv counters=0 max=1 source=s | d' \
		'C code=1 os user counters=0 max=1 source=s | d'
	good && prints '10 a 18' 'printf("%x %x %x", e[0].modifiers, e[1].modifiers, e[2].modifiers)'
}
check "os and user are levels of the event" levels_are_modifiers

registers_are_taken() {
	lines 'A code=1 joins msr=0x396 value=0x40001D0000000000 counters=0 max=1 source=s | d' \
		'B code=1 msr=0xFFFFFFFF value=0xFFFFFFFFFFFFFFFF counters=0 max=1 source=s | d'
	good && prints '396 40001d0000000000 1 ffffffff ffffffffffffffff 0' \
		'printf("%x %llx %d %x %llx %d",
		e[0].setting_address, (unsigned long long)e[0].setting_value, e[0].joins, e[1].setting_address,
		(unsigned long long)e[1].setting_value, e[1].joins)'
}
check "a register and its value are taken" registers_are_taken

agent() {
	lines 'A code=1 agent=I/O_hub counters=0 max=1 source=s | d' \
		'B code=1 counters=0 max=1 source=s | d'
	good && prints 'I/O hub 1' 'printf("%s %d", e[0].agent, !e[1].agent)'
}
check "an event has an agent or none" agent

dash_of_a_target() {
	printf 'A code=1 counters=0 max=1 source=s | d\n' >"$table"
	"$program" some-more-of "$table" >"$work/out" 2>"$work/messages"
	grep -q '^const struct pmu_event_table pmu_events_some_more_of = ' "$work/out"
}
check "the '-' of a target's name is '_' in C" dash_of_a_target

#
# The largest increments of events (-m)
#

most() {
	"$program" -m some "$table" >"$work/out" 2>"$work/messages"
	status=$?
	good && printf '\t{"some", %s},\n' "$@" | diff - "$work/out"
}
instructions_or_cycles() {
	lines 'A code=1 umask=2 care=0x0F counters=0 max=4 each=1 joins source=s | d' \
		'B code=1 umask=4 counters=0 max=3 source=s | d'
	most '0x1, 0x2, 0xf, 1, 1, 0' '0x1, 0x4, 0xff, 0, 0, 3'
}
check "-m: the largest increment of an instruction replaces that of a cycle" instructions_or_cycles
alike_are_one() {
	lines 'A code=1 umask=0xF2 care=0x0F counters=0 max=2 each=1 source=s | d' \
		'B code=1 umask=0x02 care=0x0F counters=0 max=5 source=s | d' \
		'C code=2 counters=0 max=2 each=1 source=s | d' \
		'D code=2 counters=1 max=2 each=2 source=s | d'
	most '0x1, 0x2, 0xf, 0, 0, 5' '0x2, 0x0, 0xff, 0, 2, 0'
}
check "-m: of lines with the same selection the largest number applies" alike_are_one
conditions_are_left_out() {
	lines 'A code=1 cmask=1 counters=0 max=1 source=s | d' \
		'B code=1 inv counters=0 max=1 source=s | d' \
		'C code=1 edge counters=0 max=1 source=s | d' \
		'D code=1 any counters=0 max=6 source=s | d'
	most '0x1, 0x0, 0xff, 0, 0, 6'
}
check "-m: lines with a condition are left out" conditions_are_left_out

#
# Properties of event codes for models (-c)
#

codes() {
	"$program" -c some-more "$table" >"$work/out" 2>"$work/messages"
	status=$?
	good && grep -qx 'const struct model_code pmu_codes_some_more\[MODEL_CODES\] = {' \
		"$work/out" &&
		grep '^	' "$work/out" >"$work/rows" && printf '\t[%s},\n' "$@" | diff - "$work/rows"
}
by_code() {
	lines 'B code=0x10 umask=1 counters=0-1 max=1 iar=yes source=s | d' \
		'A code=0xff umask=0x21 counters=0 max=2 iar=yes opm=yes dar=partial source=s | d' \
		'C code=0x10 umask=0xF2 counters=0 max=6 iar=no opm=yes shared source=s | d' \
		'T code=0x100 counters=32 max=9 source=s | d'
	codes '0x10] = {6, 1, 1, 0, 0x8001, 0x1, 0x8000' '0xff] = {2, 1, 1, 2, 0x4, 0x0, 0x0'
}
check "-c: for each code the largest number, all qualifications, and the counters of its unit masks" by_code

#
# Lists and their products
#

products() {
	lines '%OF READS value=0x01 | reads' '%OF WRITES value=0x02 | writes' \
		'  %FROM NEAR	value=0x10 |	near memory' '%FROM FAR value=0x20 | far memory' \
		'A.%OF.%FROM code=5 counters=0-3 max=2 joins source=Table_1 msr=0x1A6 | %OF of %FROM' \
		'A code=6 counters=0 max=1 source=s | d'
	good && prints '5: A A.READS.FAR A.READS.NEAR A.WRITES.FAR A.WRITES.NEAR' \
		'printf("%zu: %s %s %s %s %s", pmu_events_some.count, e->name, e[1].name, e[2].name, e[3].name,
			e[4].name)' &&
		prints 'writes of far memory|Table 1|5|f|2|1|1a6|22' \
		'e += 3; printf("%s|%s|%x|%llx|%u|%d|%x|%llx",
			e->description, e->source, e->code, (unsigned long long)e->counters, e->max, e->joins,
			e->setting_address, (unsigned long long)e->setting_value)'
}
check "an event is made for each combination of the lists' members" products

values_are_joined() {
	lines '%L X value=0x3 | x' 'A.%L code=5 counters=0 max=1 source=s msr=0x10 value=0x6 | d'
	good && prints 'A.X 7 d' 'printf("%s %llx %s", e->name, (unsigned long long)e->setting_value, e->description)'
}
check "a member's value is ORed into the event's, and its words need not be used" values_are_joined

a_part_of_a_name() {
	lines '%N 10 value=0x10 | 16' '%N 20 value=0x20 | 32' \
		'ABOVE_%N code=5 counters=0 max=1 source=s | over %N cycles'
	good && prints 'ABOVE_10 over 16 cycles, ABOVE_20 over 32 cycles' \
		'printf("%s %s, %s %s", e->name, e->description, e[1].name, e[1].description)'
}
check "a list can stand for a part of a word" a_part_of_a_name

# %A is not a part of %AB.
list_of_a_longer_name() {
	lines '%A X value=1 | x' '%AB Y value=2 | y' \
		'E.%AB.%A code=5 counters=0 max=1 source=s | %AB and %A'
	good && prints 'E.Y.X y and x 3' 'printf("%s %s %llx", e->name, e->description,
		(unsigned long long)e->setting_value)'
}
check "a list's name is not taken for a longer one's" list_of_a_longer_name

longest_product() {
	lines '%L 90123 value=1 | x' \
		"$(printf %.58s "$NAME_OF_63")%L code=1 counters=0 max=1 source=s | d"
	good && prints "$(printf %.58s "$NAME_OF_63")90123" 'printf("%s", e->name)'
}
check "a product's name can have 63 characters" longest_product

# Prints NAME=TEXT of each alias.
OF_EACH='for (size_t i = 0; i < pmu_events_some.alias_count; i++) {
		printf("%s=%s ", pmu_events_some.alias[i].name, pmu_events_some.alias[i].text);
	}
	printf("%s", e->name)'
other_names() {
	rest='code=1 counters=0 max=1 source=s joins | d'
	lines "A.X $rest" "A.Y $rest" "B $rest" "C $rest" 'other = A.X' 'a.old = A.Y' \
		'ALL = A.X+Y' 'Both = b+C'
	good && prints 'a.old=A.Y ALL=A.X+Y Both=b+C other=A.X A.X' "$OF_EACH"
}
check "aliases of events are taken, in order" other_names
names_of_lists() {
	lines '%OF R value=1 | reads' '%OF W value=2 | writes' \
		'A.%OF.X code=1 counters=0 max=1 source=s | d' \
		'Z.%OF = A.%OF.X'
	good && prints 'Z.R=A.R.X Z.W=A.W.X A.R.X' "$OF_EACH"
}
check "an alias with a list gives one alias per member" names_of_lists
no_other_names() {
	lines 'A code=1 counters=0 max=1 source=s | d'
	good && prints 'A' "$OF_EACH"
}
check "a table needs no aliases" no_other_names

#
# Bad lines. The bad line is the third, between good ones.
#

# refused NAME PATTERN LINE
refused() {
	rest='code=1 counters=0 max=1 source=s | d'
	lines '%OF R value=1 | reads' "GOOD.1 $rest" "$3" "GOOD.2 $rest"
	check "$1" complains 3 "$2"
}

refused "a description is needed" "description" 'A code=1 counters=0 max=1 source=s'
refused "an empty description is refused" "A.*description" 'A code=1 counters=0 max=1 source=s |'
refused "a blank description is refused" "A.*description" 'A code=1 counters=0 max=1 source=s |   '
refused "a comment is no description" "A.*description" 'A code=1 counters=0 max=1 source=s | # d'
refused "a quote in the description is refused" "A.*quote" \
	'A code=1 counters=0 max=1 source=s | a "d"'
refused "a backslash in the description is refused" "A.*backslash" \
	'A code=1 counters=0 max=1 source=s | a \d'
refused "a name is needed" "name" '| d'
refused "a name of 64 characters is refused" "name.*63" \
	"${NAME_OF_63}4 code=1 counters=0 max=1 source=s | d"
refused "code is needed" "A lacks.*code" 'A umask=1 counters=0 max=1 source=s | d'
refused "counters are needed" "A lacks.*counters" 'A code=1 max=1 source=s | d'
refused "max is needed" "A lacks.*max" 'A code=1 counters=0 source=s | d'
refused "a max of 0 is refused" "A.*max" 'A code=1 counters=0 max=0 source=s | d'
refused "source is needed" "A lacks.*source" 'A code=1 counters=0 max=1 | d'
refused "an unknown key is named" "'colour'" 'A code=1 counters=0 max=1 source=s colour=1 | d'
refused "an unknown word is named" "'blue'" 'A code=1 counters=0 max=1 source=s blue | d'
refused "a key without a value is named" "'cmask'" 'A code=1 counters=0 max=1 source=s cmask | d'
refused "a word with a value is named" "'inv'" 'A code=1 counters=0 max=1 source=s inv=1 | d'
refused "keys are lower case" "'CODE'" 'A CODE=1 counters=0 max=1 source=s | d'
refused "an empty value is no number" "code: ''.*0 to 65535" 'A code= counters=0 max=1 source=s | d'
refused "a word is no number" "code: 'ten'.*0 to 65535" 'A code=ten counters=0 max=1 source=s | d'
refused "a number has no unit" "umask: '1k'.*0 to 255" \
	'A code=1 umask=1k counters=0 max=1 source=s | d'
refused "a number has no sign" "cmask: '-1'.*0 to 255" \
	'A code=1 cmask=-1 counters=0 max=1 source=s | d'
refused "code has 16 bits" "code: '0x10000'.*0 to 65535" \
	'A code=0x10000 counters=0 max=1 source=s | d'
refused "umask has 8 bits" "umask: '256'.*0 to 255" \
	'A code=1 umask=256 counters=0 max=1 source=s | d'
refused "care has 8 bits" "care: '0x100'.*0 to 255" \
	'A code=1 care=0x100 counters=0 max=1 source=s | d'
refused "cmask has 8 bits" "cmask: '256'.*0 to 255" \
	'A code=1 cmask=256 counters=0 max=1 source=s | d'
refused "max has 8 bits" "max: '256'.*0 to 255" 'A code=1 counters=0 max=256 source=s | d'
refused "a number too large for any type is refused" "code: '99999999999999999999'.*0 to 65535" \
	'A code=99999999999999999999 counters=0 max=1 source=s | d'
refused "counter numbers end at 63" "counters: '64'.*0 to 63" \
	'A code=1 counters=64 max=1 source=s | d'
refused "ranges of counters end at 63" "counters: '64'.*0 to 63" \
	'A code=1 counters=60-64 max=1 source=s | d'
refused "a range goes upwards" "counters: 3-1" 'A code=1 counters=3-1 max=1 source=s | d'
refused "a range has an end" "counters: ''" 'A code=1 counters=3- max=1 source=s | d'
refused "a range has a beginning" "counters: ''" 'A code=1 counters=-3 max=1 source=s | d'
refused "an empty list of counters is refused" "counters" 'A code=1 counters= max=1 source=s | d'
refused "a counter is a number" "counters: 'any'" 'A code=1 counters=any max=1 source=s | d'
refused "a line of more than 1022 characters is refused" "1022" \
	"A code=1 counters=0 max=1 source=s | $(printf '%01012d' 0)"

# Text that only resembles the code.
refused "a description does not give the code" "A lacks.*code" \
	'A counters=0 max=1 source=s | as code=5 has it'
refused "a source does not give the code" "A lacks.*code" 'A counters=0 max=1 source=code=5 | d'
refused "a key is no name" "name" 'code=1 counters=0 max=1 source=s | d'
# Text that would break the C output, or could not be requested: a name ends at ':', '=' or ','.
refused "a quote in the name is refused" '' 'A"B code=1 counters=0 max=1 source=s | d'
refused "a backslash in the name is refused" '' 'A\B code=1 counters=0 max=1 source=s | d'
refused "a quote in the source is refused" '' 'A code=1 counters=0 max=1 source=a"b | d'
refused "a backslash in the source is refused" '' 'A code=1 counters=0 max=1 source=a\b | d'
refused "a colon in the name is refused" '' 'A:B code=1 counters=0 max=1 source=s | d'
refused "a comma in the name is refused" '' 'A,B code=1 counters=0 max=1 source=s | d'
# Lists
refused "a list has a name" "''.*capital" '% X value=1 | d'
refused "a list's name is of capital letters" "'Lx'.*capital" '%Lx X value=1 | d'
refused "a member has a name" "member.*name" '%L | d'
refused "a member has a value" "member.*value" '%L X | d'
refused "a member's value is value=" "member.*value" '%L X msr=1 | d'
refused "a member has nothing else" "member.*value" '%L X value=1 joins | d'
refused "a member's value is a number" "value: 'y'" '%L X value=y | d'
refused "a member's value has 64 bits" "value: '0x10000000000000000'" \
	'%L X value=0x10000000000000000 | d'
refused "a member's value is there once" "member.*value" '%L X value=1 value=2 | d'
refused "a member's counters are there once" "member.*counters" '%L X counters=1 counters=1 | d'
refused "a member's counters are counters" "counters: '64'" '%L X counters=64 | d'
refused "a member has a description" "description" '%L X value=1'
refused "a member's description is not empty" "X: no description" '%L X value=1 |'
refused "a member's name is a name" "name.*'X:Y'" '%L X:Y value=1 | d'
refused "a member's name is no list" "name.*'%L'" '%L %L value=1 | d'
refused "a list without members is named" "A.%L: there is no list %L" \
	'A.%L code=1 counters=0 max=1 source=s | d'
refused "a '%' alone is no list" "A.%: there is no list %" \
	'A.% code=1 counters=0 max=1 source=s | d'
refused "a list in the description only is refused" "A: .*names a list" \
	'A code=1 counters=0 max=1 source=s | d %L'

# Aliases
refused "an alias names an event" "B: there is no event A above" 'B = A'
refused "an alias names an event above it" "B: there is no event GOOD.2 above" 'B = GOOD.2'
refused "an alias has a value" "NAME = EVENT" 'B ='
refused "a blank precedes an alias's value" "NAME = EVENT" 'B =GOOD.1'
refused "an alias's value has no blanks" "NAME = EVENT" 'B = GOOD.1 + 1'
refused "an alias is a valid name" "name.*'B:C'" 'B:C = GOOD.1'
refused "an alias's list exists" "B.%NO: there is no list %NO" 'B.%NO = GOOD.%NO'
refused "another name of a list stands for events that are there" \
	"B.R: there is no event A.R above" 'B.%OF = A.%OF'
refused "another name is of events that join" "B: GOOD.1 is not an event that joins" 'B = GOOD.1+1'
refused "another name is of events that are there" "B: GOOD.3 is not an event that joins" \
	'B = GOOD.1+3'

name_twice() {
	lines 'A code=1 counters=0 max=1 source=s | d' "$@"
	complains "$(($# + 1))" "is there twice"
}
check "an alias is not the name of an event" name_twice 'a = A'
check "an alias is not the name of a later event" name_twice 'b = A' \
	'B code=2 counters=0 max=1 source=s | d'
check "an alias is defined once" name_twice 'B = A' 'b = A'

bad_product() {
	lines '%L X value=1 | x' "$2" "A.%L code=1 counters=0 max=1 source=s | d"
	complains 3 "$1"
}
check "a duplicate product is named" bad_product "A.X is there twice, first in line 2" \
	'A.X code=1 counters=0 max=1 source=s | d'
long_product() {
	lines '%L 123456 value=1 | x' \
		"$(printf %.58s "$NAME_OF_63")%L code=1 counters=0 max=1 source=s | d"
	complains 2 "name.*63.*'$(printf %.58s "$NAME_OF_63")123456'"
}
check "a product's name of 64 characters is refused" long_product
quote_in_a_member() {
	lines '%L X value=1 | x "y"' 'A.%L code=1 counters=0 max=1 source=s | %L'
	complains 1 'X: .*quote'
}
check "a quote in a member's words is refused" quote_in_a_member

refused "a key given twice is refused" 'code' 'A code=1 code=2 counters=0 max=1 source=s | d'

counters_are_divided() {
	lines '%L NEAR counters=0-1 | near' '%L FAR counters=2,3 value=4 | far' \
		'%P ODD counters=1,3 | odd' \
		'A.%L.%P code=1 counters=0-3 max=1 source=s | d' \
		'B.%L code=2 counters=1-2 max=1 source=s | d'
	[ "$status" -eq 0 ] && grep -q '"A.NEAR.ODD", "d", "s", "", 0x2,' "$work/out" &&
		grep -q '"A.FAR.ODD", "d", "s", "", 0x8,.* 0x4, NULL},' "$work/out" &&
		grep -q '"B.NEAR", "d", "s", "", 0x2,' "$work/out" &&
		grep -q '"B.FAR", "d", "s", "", 0x4,' "$work/out"
}
check "a member's counters are those of the event that it leaves" counters_are_divided
none_is_left() {
	lines '%L X counters=0 | x' 'A.%L code=1 counters=1 max=1 source=s | d'
	complains 2 'A.%L: no counter is left with X'
}
check "a member that leaves no counter is refused" none_is_left

#
# Bad tables
#

duplicate_is_named() {
	lines 'A code=1 counters=0 max=1 source=s | d' '' 'B code=1 counters=0 max=1 source=s | d' \
		'# c' \
		"$1 code=1 counters=0 max=1 source=s | d"
	complains 5 "$1.*line 1"
}
check "the message of a duplicate name has both lines" duplicate_is_named A
check "upper and lower case are the same name" duplicate_is_named a

no_events() {
	lines '# nothing' ''
	[ "$status" -eq 1 ] && [ ! -s "$work/out" ] && grep -q "$table:.*no events" "$work/messages"
}
check "a table without events is refused" no_events

no_file() {
	table=$work/no-such-file
	compile
	[ "$status" -eq 1 ] && [ ! -s "$work/out" ] && grep -q "$table: No such file" \
		"$work/messages"
}
check "a missing file is named" no_file

folder_is_no_file() {
	table=$work
	compile
	[ "$status" -eq 1 ] && [ ! -s "$work/out" ] && grep -q "$table.*directory" "$work/messages"
}
check "a folder is refused" folder_is_no_file
table=$work/events.tab

full_disk() {
	lines 'A code=1 counters=0 max=1 source=s | d'
	"$program" some "$table" >/dev/full 2>"$work/messages"
	[ $? -eq 1 ]
}
check "a table that cannot be written is an error" full_disk

usage() {
	"$program" "$@" >"$work/out" 2>"$work/messages"
	[ $? -eq 2 ] && [ ! -s "$work/out" ] && grep -q '^usage: ' "$work/messages"
}
check "without arguments the compiler prints its usage" usage
check "with one argument the compiler prints its usage" usage some
check "with three arguments the compiler prints its usage" usage some "$table" other
check "-m needs both arguments" usage -m some
check "-c needs both arguments" usage -c some
done_checking
