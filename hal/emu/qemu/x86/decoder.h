/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef QEMU_DECODER_H
#define QEMU_DECODER_H

#include <Zydis/Zydis.h>

/* Returns a decoder for 16-, 32- or 64-bit code. */
static inline ZydisDecoder decoder_of(unsigned bits)
{
	ZydisDecoder decoder;

	if (bits == 64)
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	else if (bits == 32)
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32);
	else
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LEGACY_16, ZYDIS_STACK_WIDTH_16);
	return decoder;
}

#endif
