// SPDX-License-Identifier: BSD-2-Clause
// BRANCH_PATH (0FH) by stage, path and outcome: the table of predicted.inc. Unit masks: stage in
// bits 3:2; 0 wrong, not taken, 1 wrong, taken, 2 right, not taken, 3 right, taken. TARs predict
// taken branches only (7.8), so two of the first stage's counts are 0.
	.include "begin.inc"
	.include "monitor.inc"
	.include "predicted.inc"
	monitors_off
	counted_behind_training 0x0F, 0x3210
	counted 5, 4, 11, 24
	counted_behind_training 0x0F, 0x7654
	counted 1, 0, 0, 4
	counted_behind_training 0x0F, 0xBA98
	counted 1, 1, 6, 7
	counted_behind_training 0x0F, 0xFEDC
	counted 3, 3, 5, 13
	counted_behind_training 0x0D, 0x8421	// BRANCH_TAKEN_SLOT: all are in slot 2
	counted 0, 0, 24 + 4, 11 + 5
	finish 0
	predicted_body
