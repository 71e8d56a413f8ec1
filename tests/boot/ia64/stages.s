// SPDX-License-Identifier: BSD-2-Clause
// BRANCH_PREDICTOR (10H) by stage and outcome: the table of predicted.inc. Unit masks: stage in
// bits 3:2; 0 all, 1 correct, 2 wrong path, 3 wrong target.
	.include "begin.inc"
	.include "monitor.inc"
	.include "predicted.inc"
	monitors_off
	counted_behind_training 0x10, 0x3210
	counted 44, 29, 9, 6
	counted_behind_training 0x10, 0x7654
	counted 6, 3, 1, 1
	counted_behind_training 0x10, 0xBA98
	counted 15, 10, 2, 3
	counted_behind_training 0x10, 0xFEDC
	counted 24, 16, 6, 2
	counted_behind_training 0x0D, 0x8421	// BRANCH_TAKEN_SLOT: all are in slot 2; as many as predictions
	counted 0, 0, 28, 44 - 28
	finish 0
	predicted_body
