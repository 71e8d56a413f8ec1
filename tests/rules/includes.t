#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Allowed includes between folders, checked with grep. The READMEs of the folders state the rules.
. tests/tap.sh

# includes FILE...: prints the headers included in quotes, one a line.
includes() {
	grep -hoE '^#include "[^"]+"' "$@" | cut -d'"' -f2 | sort -u
}

# only ALLOWED FILE...: each header that FILE includes is one of the names or patterns in ALLOWED.
only() {
	allowed=$1
	shift
	for header in $(includes "$@"); do
		case " $allowed " in
		*" $header "*) continue ;;
		esac
		case $header in
		x86/* | sparc64/* | ia64/*) case " $allowed " in *" ${header%%/*}/* "*) \
			continue ;; esac ;;
		esac
		grep -n "\"$header\"" "$@"
		bad=1
	done
	[ -z "${bad:-}" ]
}

# never PATTERN FILE...: no line of the files matches.
never() {
	pattern=$1
	shift
	! grep -nE "$pattern" "$@"
}

targets=$(awk '!/^#/ && NF { print $1 }' pmu/targets.tab)
check "arch includes only arch" \
	only 'arch.h arch_inline.h arch_put.h layout.h x86/* sparc64/* ia64/*' \
	$(find arch -name '*.[chS]')
for target in $targets; do
	check "the $target driver includes core, HAL and its own registers" \
		only 'driver.h event.h field.h hal.h lbr.h package.h path.h plain_driver.h pmu_driver.h pmu_unit.h '\
'poll.h records.h regs.h settings.h' \
		"pmu/$target"/driver*.[ch]
	check "the $target model includes the engine, the model's contract and its own registers" \
		only '../engine/branches.h ../engine/engine.h faults.h model.h field.h regs.h '\
'state.h' $(models "$target") $(ls "pmu/$target/state.h" 2>/dev/null)
	check "the $target model's defects include its state and the shared defects" \
		only '../defects/defects.h state.h' $(ls "pmu/$target/"defects*.c 2>/dev/null) \
		/dev/null
	check "the $target self test includes no model" \
		only 'selftest.h pmu.h pmu_driver.h event.h field.h hal.h cpus.h image_run.h stimulus.h pal.h regs.h' \
		"pmu/$target/selftest.c"
	check "the $target registers are fields only" only 'field.h' "pmu/$target/regs.h"
done
check "the shared defects include the engine, mutants the events, too" \
	only '../engine/engine.h defects.h event.h mutants.h' pmu/defects/*.[ch]
check "the engine includes the model's contract and fields" only 'branches.h engine.h field.h model.h' \
	pmu/engine/*.[ch]
check "only models, the virtual PMU and its backends include model.h" never '"(model|vpmu)\.h"' \
	$(find arch boot pal pmu/core pmu/selftest hal/native hal/console -name '*.[chS]') \
	$(ls pmu/*/driver*.[ch] pmu/*/selftest.c) \
	$(ls pmu/include/*.h | grep -v model)
check "the shared self test includes core, PAL and HAL" \
	only 'suite.h selftest.h cpus.h field.h hal.h hal_state.h pal.h pmu_driver.h stimulus.h' \
	pmu/selftest/*.[ch]
check "the core knows no instruction set" never '"x86/|"sparc64/|"ia64/|"arch' \
	$(find pmu pal -name '*.[ch]')
check "PAL includes core and its own headers" only 'pmu_unit.h pal.h procedures.h' \
	$(find pal -name '*.[ch]')
check "hal/native never names the emulators" never '\bemu/|[Pp]lugin' $(git ls-files hal/native)
check "drivers, core, PAL and sessions do not include stimulus.h" never '"stimulus\.h"' \
	$(git ls-files '*.[ch]' |
		grep -vE '^(hal/(native|shim|runtime)|tests)/|/selftest\.c$|^pmu/selftest/' |
		grep -vE '^tools/palmon/mutants\.c$|^boot/(bench|state)\.c$')
check "the core includes no target" \
	only 'bytes.h callers.h counter.h event.h event_read.h field.h hal.h metric.h nearest.h overflow.h '\
'package.h pmu.h pmu_driver.h pmu_unit.h poll.h portable.h portable_layout.h profile.h records.h ring.h sample.h '\
'settings.h spread.h' \
	$(find pmu/core -name '*.[ch]')

# A target called TARGET-PART is another PMU of that processor; its files may name TARGET.
for target in $targets; do
	check "the name $target appears only in its folder, its registry line and tests" \
		never "\\b$target\\b" $(git ls-files arch boot hal pal pmu linker tools Makefile |
			grep -v -e "^pmu/$target[/-]" -e '^pmu/targets.tab$' -e '\.md$' \
			-e '\.svg$' \
				-e '\.[1357]$' -e '/library/example/' -e '^tools/palmon/examples/')
done
done_checking
