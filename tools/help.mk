# SPDX-License-Identifier: BSD-2-Clause
# What `make help` prints, with no process for it.

define HELP
make run                     boot the image under QEMU: self test, PAL, a measured session
  TARGET=$(TARGET)             which PMU: $(IMAGE_TARGETS)
  WORKLOAD=file.c            measure int workload(void) of this file, called on each thread
  EVENTS=EVENT:period=N,...  events to count and sample, of any of the image's PMUs
  METRICS=METRIC,...         metrics computed from counts (palmon metrics), over several runs if need be;
                             FREQUENCY=HZ among them: those behind it are in bytes a second
  PROFILE=PROFILE,...        sets of events (palmon profiles), likewise
  THREADS=n                  how many CPUs run the workload at the same time (default: the target's)
  LEVEL=3|0                  privilege level of the workload: 3 as programs, 0 as the runtime
  RUN=selftest|session|state|all   which steps (default all)
  SUITE=name                 self test of one of the image's PMUs only: $(TARGET) $(PARTS)
  PMI=vector|nmi             how the overflow interrupt is delivered
  CALLS=n                    samples of the session with up to n callers each (1 to 64; default none)
  FAULT=[MODEL/]name         boot with this fault of a model: a defect by its name
                             (palmon selftest --list-faults), stuck:ADDRESS:BIT:VALUE, or absent:ADDRESS
  END=exit|halt|reboot|poweroff|return
                             how the run ends; return: to UEFI
  BOOT=$(subst $() ,|,$(IMAGE_FORMATS))         how the image is started
  GUESSES="NAME=VALUE ..."   what is guessed of a T4 or a Xeon Phi card (arch/sparc64, boot/BOARDS.md)
  LIVE=1                     show what is counted while it runs (palmon top), each INTERVAL=ms (default 10)
  OUT=folder                 where counts, samples and the image go, for palmon report and others, and for
                             palmon board what is found out about the board
                             (default $(OUT)); empty: nowhere
  TIMEOUT=seconds            limit of the run (default 120)
  CLOCK=unit|timed           cycles: one for each instruction (default), or as issue and caches let them pass
                             (Core i7, Itanium)
  MACHINE=path/file.machine  the emulated processor, its caches and prefetchers (hal/emu/model/README.md)
  SOCKETS=2                  two packages of two cores (Core i7), coherent with each other
  DEBUG=1                    breakpoints, steps, registers at the prompt of palmon's own emulator
make boards                  start the image by each boot loader and firmware, and print a table of how that ended;
                             MACHINES="pc q35" CPUS="1 4" MEMORIES="64M 8G"
make guest GUEST=kernel      boot a kernel with a PMU, under the monitor: Linux (bzImage, vmlinux), Multiboot 1, PVH;
                             at a terminal Ctrl-A X ends it
  APPEND=words               its command line
  INITRD=file words,file     its initrd; or modules, with their command lines
  SMP=n                      how many CPUs it has (default 1, at most 4)
  MEM=size                   memory of the machine, 512M to 3G (default 512M); 64 MiB of it are the monitor's
  QEMU_ARGS=arguments        more arguments for QEMU: disks, networks
  CLOCK=unit|timed           as above
  EXACT=0|1|all              follow every instruction: never, and no branch events; while branches count
                             (default); while anything counts
  TIMEOUT=seconds            limit of the run (default 120; at a terminal none)
make example GUEST=kernel    the same under the library's example hypervisor (one CPU, no branches)
make check                   all tests
make fuzz                    look for inputs that break parsers and models: FUZZ_SECONDS=60 for each,
                             and FUZZ_SEQUENCES=10000000 of calls of the library
make torture                 GCC's 1,653 test programs on the emulated ia64 machine, at three levels of optimization
make bench                   what the runtime costs, in instructions; build/bench.json
make                         build the image, the palmon command (build/host/palmon) and the library
make image, make host        one of them
make runtime                 the runtime as a library for other firmware and kernels, build/runtime/$(TARGET)
make libvpmu                 the PMUs as a library for hypervisors, build/libvpmu/libvpmu.a
make install                 install command and library below PREFIX=$(PREFIX) (DESTDIR is honoured)
make uninstall               remove them
make clean
V=1 with any of them         print the commands as they run
endef

help:
	@$(info $(HELP)):
