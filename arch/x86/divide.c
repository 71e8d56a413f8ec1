// SPDX-License-Identifier: BSD-2-Clause
// Division of 128-bit numbers, which the compiler calls. libgcc's functions begin with ENDBR64 and
// use SSE, which not every target processor has.

typedef unsigned __int128 wide;

wide __udivmodti4(wide dividend, wide divisor, wide *rest);
wide __udivti3(wide dividend, wide divisor);
wide __umodti3(wide dividend, wide divisor);
__int128 __divmodti4(__int128 dividend, __int128 divisor, __int128 *rest);
__int128 __divti3(__int128 dividend, __int128 divisor);
__int128 __modti3(__int128 dividend, __int128 divisor);

// Divides bit by bit, from the highest on. Division by 0 returns all ones, and the dividend as the
// rest.
wide __udivmodti4(wide dividend, wide divisor, wide *rest)
{
	wide quotient = 0, left = 0;

	for (unsigned i = 0; i < 128; i++) {
		const wide highest = left >> 127;

		left = left << 1 | dividend >> 127;
		dividend <<= 1;
		quotient <<= 1;
		if (highest || left >= divisor) {
			left -= divisor;
			quotient |= 1;
		}
	}
	*rest = left;
	return quotient;
}

wide __udivti3(wide dividend, wide divisor)
{
	wide rest;

	return __udivmodti4(dividend, divisor, &rest);
}

wide __umodti3(wide dividend, wide divisor)
{
	wide rest;

	__udivmodti4(dividend, divisor, &rest);
	return rest;
}

static wide magnitude(__int128 n)
{
	return n < 0 ? -(wide)n : (wide)n;
}

// Rounds towards 0; the rest has the dividend's sign.
__int128 __divmodti4(__int128 dividend, __int128 divisor, __int128 *rest)
{
	wide left, quotient = __udivmodti4(magnitude(dividend), magnitude(divisor), &left);

	*rest = (__int128)(dividend < 0 ? -left : left);
	return (__int128)((dividend < 0) != (divisor < 0) ? -quotient : quotient);
}

__int128 __divti3(__int128 dividend, __int128 divisor)
{
	__int128 rest;

	return __divmodti4(dividend, divisor, &rest);
}

__int128 __modti3(__int128 dividend, __int128 divisor)
{
	__int128 rest;

	__divmodti4(dividend, divisor, &rest);
	return rest;
}
