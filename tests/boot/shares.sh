# SPDX-License-Identifier: BSD-2-Clause
# Profiles of sessions, compared by the shares of their functions. To be sourced behind tap.sh.

# shares FILE: the last run's functions with their shares.
shares() {
	awk '/^ +[0-9.]+% / { print $3, $1 }' "$work/out" | tr -d % | sort >"$1"
}

# alike LEAST FILE FILE: functions with a share of LEAST or more in either have the same in both, within two points.
alike() {
	join -a 1 -a 2 -e 0 -o 0,1.2,2.2 "$2" "$3" | awk -v least="$1" '
		$2 >= least || $3 >= least { compared++; if ($2 - $3 > 2 || $3 - $2 > 2) { print; bad = 1 } }
		END { if (!compared) print "nothing is compared"; exit bad || !compared }'
}
