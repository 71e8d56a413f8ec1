# SPDX-License-Identifier: BSD-2-Clause
# The text of `make help`, and the check that rejects undocumented goals and variables. Neither
# starts a process. A line that begins with "make GOAL" documents a goal; one that begins with two
# blanks and "NAME=", a variable.

define HELP
make run                     boot the image under QEMU: self test, PAL, a measured session
  TARGET=$(TARGET)             the PMU: $(IMAGE_TARGETS)
  WORKLOAD=file.c            measure int workload(void) of this file, called on each thread
  EVENTS=EVENT:period=N,...  events to count and sample, of any of the image's PMUs
  EVENTS_FILE=file.json      event file of Intel's form whose events EVENTS names, too
  METRICS=METRIC,...         metrics computed from counts (palmon metrics), in several runs if necessary;
                             after FREQUENCY=HZ, metrics are in bytes per second
  PROFILE=PROFILE,...        sets of events (palmon profiles), in several runs if necessary
  THREADS=n                  number of CPUs that run the workload at the same time (default: the target's)
  LEVEL=3|0                  privilege level of the workload: 3 like a program, 0 like the runtime
  PAGES=4k|2m                page size of the program's memory (Core i7, Xeon Phi; default 2m,
                             and 4k for the measurement that runs without arguments)
  REGISTERS=1                show averages of register contents in precise samples (EVENT:p), by address
  RUN=selftest|session|state|all   steps to run (default all); shows failures and a summary of the self test
  SUITE=name                 self test of one of the image's PMUs only: $(TARGET) $(PARTS)
  PMI=vector|nmi             delivery of the overflow interrupt
  CALLS=n                    record up to n callers with each sample (0 to 64; default 16, without OUT none)
  TICKS=n                    every n ticks of the timer (1000 or more) sample events without a period: time-based
                             sampling, without callers
  MULTIPLEX=n                more events than counters in one run: groups of events take turns of n ticks of the
                             timer (1000 or more); their counts are estimates, marked ~
  SCOPE=process|processes|system[:user|:kernel|:interruptions]
                             the monitored processes, and up to which level (Itanium; default
                             :interruptions)
  FAULT=[MODEL/]name         inject a fault into a model: a defect by its name
                             (palmon selftest --list-faults), stuck:ADDRESS:BIT:VALUE, or absent:ADDRESS
  END=exit|halt|reboot|poweroff|return
                             end of the run; return: to UEFI
  BOOT=$(subst $() ,|,$(IMAGE_FORMATS))         how to start the image
  GUESSES="NAME=VALUE ..."   values guessed for a T4 or a Xeon Phi card (arch/sparc64, boot/BOARDS.md)
  LIVE=1                     show counts while the image runs (palmon top)
  INTERVAL=ms                interval of LIVE=1 (default 10)
  OUT=folder                 folder for counts, samples and the image (palmon report and others), and for the
                             facts about the board (palmon board)
                             (default $(OUT)); empty: none
  TIMEOUT=seconds            time limit of the run (default 120)
  QEMU_ARGS=arguments        more arguments for QEMU
  CLOCK=unit|timed           unit: a cycle per instruction (default); timed: cycles of a modelled pipeline
                             (all but the SPARC T4)
  MACHINE=path/file.machine  the emulated processor, its caches and prefetchers (hal/emu/model/README.md)
  CPU=name                   QEMU's model of a processor, with its PMU (targets of several processors)
  PMU=name                   the PMU of another processor of the target (its README.md)
  SOCKETS=2                  two packages of two cores (Core i7), coherent with each other
  OVERCOUNT=interruptions    each interrupt and fault also counts as an instruction, a branch, a load and a store,
                             as on a Xeon X5570 (Core i7)
  CONSOLE=name,...           console of a PC: auto, com1 to com4, vga and others (boot/README.md)
  DEBUG=1                    breakpoints, steps, registers at the prompt of palmon's own emulator
make iso                     make a bootable CD or USB image with the arguments of make run (x86)
  MENU_SECONDS=n             timeout of its menu (default 5)
make boards                  start the image with each boot loader and firmware, and print a table of the results
  MACHINES="pc q35"          QEMU's machines
  CPUS="1 4"                 numbers of CPUs
  MEMORIES="64M 8G"          sizes of memory
make guest                   boot a kernel on QEMU with a PMU (palmon qemu); at a terminal Ctrl-A X ends it
  GUEST=kernel               the kernel: Linux (bzImage, vmlinux), Multiboot 1, PVH
  APPEND=words               its command line
  INITRD=file words,file     its initrd; or modules, with their command lines
  SMP=n                      number of CPUs (default 1, at most 16)
  MEM=size                   memory of the machine (default 512M)
  QEMU_ARGS=arguments        more arguments for QEMU: disks, networks
  CLOCK=unit|timed           as above
  OVERCOUNT=interruptions    as above
  TIMEOUT=seconds            time limit of the run (default 120; at a terminal none)
make quick                   unit tests, command tests, rules, and a boot of each target, in minutes
make check                   all tests
  TEST_TIMEOUT=seconds       time limit of each test (default 1200)
  TIMES=1                    print the processor time of each check of a script
  EXTRA=1                    also run long checks, which repeat others with other values, and install large packages
                             that one or two tests need (tools/setup --list extra); about 45 minutes
make debian                  README.md's two commands on fresh trees of Debian, as a user and as root; needs root
  SUITES="bookworm trixie"   the releases (default: both)
make fuzz                    search for inputs that break parsers and models
  FUZZ_SECONDS=n             seconds for each of them (default 60)
  FUZZ_SEQUENCES=n           sequences of library calls (default 10000000)
  FUZZ_FLOATING=n            floating-point instructions of the ia64 machine (default 10000000)
  FUZZ_GUEST_SECONDS=n       seconds for guests (default 600)
make torture                 GCC's own test programs on the emulated ia64 machine, at three levels of optimization
make bench                   measure the runtime's cost, in instructions; writes build/bench.json
make bench-host              measure the programs of this computer
make                         build the image, the palmon command (build/host/palmon) and the library
make image                   build the image
make host                    build the palmon command
make runtime                 the runtime as a library for other firmware and kernels, build/runtime/$(TARGET)
make libvpmu                 the PMUs as a library for hypervisors, static and shared, in build/libvpmu
  LIBVPMU_CC=compiler        compile it for another processor
  LIBVPMU_BINUTILS=prefix    with the binutils of this prefix
  LIBVPMU_SHARED=            no shared library
make install                 install command and library
make install-libvpmu         install the library only: header, manual pages, pkg-config file, examples
make uninstall               remove both
make uninstall-libvpmu       remove the library
  PREFIX=folder              folder to install to (default /usr/local)
  DESTDIR=folder             put the installed files below this folder, for packages
make setup                   install the Debian packages that are missing
make clean                   remove all built files
make help                    this text
With all of them:
  V=1                        print the commands as they run, and each check of a run's self test
  CC=compiler                compiler for programs of this computer
  BUILD=folder               output folder (default build)
  XDG_CACHE_HOME=folder      cache of compilers and C libraries, in its folder palmon (default ~/.cache)
endef

help:
	@$(info $(HELP)):

# The documented names, each with its kind before it: "goal:run", "variable:TARGET".
documented := $(subst =, ,$(subst $(newline)make ,$(newline)goal:,$(subst $(newline)$(space)$(space),\
	$(newline)variable:,$(newline)$(HELP))))
documented_as = $(patsubst $(1):%,%,$(filter $(1):%,$(documented)))
# Undocumented names: goals used by other goals; variables of make itself.
HELP_GOALS := $(call documented_as,goal)
HELP_VARIABLES := $(call documented_as,variable)
OTHER_GOALS := all images $(IMAGE_TARGETS:%=image-%) FORCE
OTHER_VARIABLES := SHELL MAKE MAKEFLAGS MFLAGS
.PHONY: $(HELP_GOALS) $(OTHER_GOALS)

# known KIND,NAME,DOCUMENTED,OTHERS: ends make if NAME is neither in DOCUMENTED nor in OTHERS.
lists_all = ("make help" lists all)
known = $(if $(filter $(2),$(3) $(4)),,$(error there is no $(1) '$(2)'$(call nearest,$(2),$(3)) $(lists_all)))
# A goal with one of these characters is a file.
is_file = $(findstring /,$(1))$(findstring .,$(1))
given = $(if $(filter command,$(origin $(1))),$(1))
$(foreach g,$(MAKECMDGOALS),$(if $(call is_file,$(g)),,$(call known,goal,$(g),$(HELP_GOALS),$(OTHER_GOALS))))
$(foreach v,$(.VARIABLES),$(if $(call given,$(v)),$(call known,variable,$(v),$(HELP_VARIABLES),$(OTHER_VARIABLES))))
