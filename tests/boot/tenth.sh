# SPDX-License-Identifier: BSD-2-Clause
# A tenth of the built-in workload (boot/workload.c), with the hash that sha256sum computes. Source
# it after tap.sh.

# tenth FILE: writes the program to FILE
tenth() {
	expected=$(head -c 100000 /dev/zero | tr '\0' a | sha256sum |
		sed 's/ .*//; s/......../0x&, /g')
	sed "s/= 1000000;/= 100000;/; s/= 20000;/= 2000;/; s/= 60000,/= 6000,/
		s/^\t\t0xcdc76e5c, .*/\t\t$expected/" boot/workload.c >"$1"
}
