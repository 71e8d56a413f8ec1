// SPDX-License-Identifier: BSD-2-Clause
// The palmon command.

int main(void)
{
	return 2;
}
