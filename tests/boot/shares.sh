# SPDX-License-Identifier: BSD-2-Clause
# Compares profiles of sessions by the shares of their functions. Source after tap.sh.

# shares FILE: writes the last run's functions with their shares to FILE.
shares() {
	awk '/^ +[0-9.]+% / { print $3, $1 }' "$work/out" | tr -d % | sort >"$1"
}

# alike LEAST FILE FILE: the shares of each function with LEAST percent or more in either file
# differ by at most two points.
alike() {
	join -a 1 -a 2 -e 0 -o 0,1.2,2.2 "$2" "$3" | awk -v least="$1" '
		$2 >= least || $3 >= least { compared++; if ($2 - $3 > 2 || $3 - $2 > 2) { print; bad = 1 } }
		END { if (!compared) print "nothing is compared"; exit bad || !compared }'
}
