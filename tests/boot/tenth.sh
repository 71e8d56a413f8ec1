# SPDX-License-Identifier: BSD-2-Clause
# Parts of the built-in workload (boot/workload.c), with the hash that sha256sum computes. Source it
# after tap.sh.

# tenth FILE: writes a program to FILE with a tenth of the work. part_of_workload FILE N: an N-th.
tenth() {
	part_of_workload "$1" 10
}
part_of_workload() {
	expected=$(head -c $((1000000 / $2)) /dev/zero | tr '\0' a | sha256sum |
		sed 's/ .*//; s/......../0x&, /g')
	sed "s/= 20000;/= $((20000 / $2));/; s/= 1000000;/= $((1000000 / $2));/
		s/= 60000,/= $((60000 / $2)),/; s/^\t\t0xcdc76e5c, .*/\t\t$expected/" \
		boot/workload.c >"$1"
}
