// SPDX-License-Identifier: BSD-2-Clause
// Parallel instructions. Expected values follow from the figures and formulas of each instruction
// in the Architecture Software Developer's Manual, volume 3. The status is the number of the first
// wrong value.
	.include "begin.inc"

// Sets the operands r20 and r21.
.macro operands a, b
	movl r20=\a
	movl r21=\b;;
.endm

	operands 0x0102030405060708, 0x1112131415161718
	gives 0x0111031305150717, mix1.l r8=r20,r21
	gives 0x0212041406160818, mix1.r r8=r20,r21
	gives 0x0102111205061516, mix2.l r8=r20,r21
	gives 0x0304131407081718, mix2.r r8=r20,r21
	gives 0x0102030411121314, mix4.l r8=r20,r21
	gives 0x0506070815161718, mix4.r r8=r20,r21
	gives 0x0111021203130414, unpack1.h r8=r20,r21
	gives 0x0515061607170818, unpack1.l r8=r20,r21
	gives 0x0102111203041314, unpack2.h r8=r20,r21
	gives 0x0506151607081718, unpack2.l r8=r20,r21
	gives 0x0102030411121314, unpack4.h r8=r20,r21
	gives 0x0506070815161718, unpack4.l r8=r20,r21
	gives 0x0807060504030201, mux1 r8=r20,@rev
	gives 0x0105030702060408, mux1 r8=r20,@mix
	gives 0x0105020603070408, mux1 r8=r20,@shuf
	gives 0x0103050702040608, mux1 r8=r20,@alt
	gives 0x0808080808080808, mux1 r8=r20,@brcst
	gives 0x0708050603040102, mux2 r8=r20,0x1B
	gives 0x80, psad1 r8=r20,r21
	gives 0x80, psad1 r8=r21,r20
	operands 0x7FFF8000000100FF, 0x0080FF7FFF80007F
	gives 0x7F80807F7F80017F, pack2.sss r8=r20,r21
	gives 0x8000007FFF0001FF, pack2.uss r8=r20,r21
	operands 0x00008000FFFF7FFF, 0x7FFFFFFF80000000
	gives 0x7FFF80007FFF8000, pack4.sss r8=r21,r20
	operands 0x0002FFFF0003FFFE, 0x0004000500060007
	gives 0xFFFFFFFBFFFFFFF2, pmpy2.r r8=r20,r21
	gives 0x0000000800000012, pmpy2.l r8=r20,r21
	operands 0x7FFF80004000FFFF, 0x7FFF800000040001
	gives 0x3FFF40000001FFFF, pmpyshr2 r8=r20,r21,16
	gives 0x3FFF400000010000, pmpyshr2.u r8=r20,r21,16
	gives 0x000100000000FFFF, pmpyshr2 r8=r20,r21,0
	operands 0xFF01FF807F017F80, 0x0101FF8001FF0180
	gives 0x0002FE0080008000, padd1 r8=r20,r21
	gives 0x0002FE807F007F80, padd1.sss r8=r20,r21
	gives 0xFF02FFFF80FF80FF, padd1.uuu r8=r20,r21
	gives 0xFF02FE0080008000, padd1.uus r8=r20,r21
	gives 0xFE0000007E027E00, psub1 r8=r20,r21
	operands 0x7FFF800000000001, 0xFFFF000180000001
	gives 0x7FFE800180000002, padd2 r8=r20,r21
	gives 0x7FFE800180000002, padd2.sss r8=r20,r21
	gives 0x80007FFF80000000, psub2 r8=r20,r21
	gives 0x7FFF80007FFF0000, psub2.sss r8=r20,r21
	gives 0x00007FFF00000000, psub2.uuu r8=r20,r21
	gives 0x80007FFF80000000, psub2.uus r8=r20,r21
	gives 0x7FFE800180000002, padd4 r8=r20,r21
	operands 0x01FF000201FF0002, 0x02FF010402FF0104
	gives 0x01FF010301FF0103, pavg1 r8=r20,r21
	gives 0x02FF010302FF0103, pavg1.raz r8=r20,r21
	operands 0x0502FF000502FF00, 0x0205010002050100
	gives 0x01FF7F0001FF7F00, pavgsub1 r8=r20,r21
	operands 0x0011223344556677, 0x0010223044506670
	gives 0xFF00FF00FF00FF00, pcmp1.eq r8=r20,r21
	gives 0x00FF00FF00FF00FF, pcmp1.gt r8=r20,r21
	operands 0x80007FFF0001FFFF, 0x7FFF80000002FFFE
	gives 0x0000FFFF0000FFFF, pcmp2.gt r8=r20,r21
	gives 0x0000000000000000, pcmp4.eq r8=r20,r21
	gives 0x0000000000000000, pcmp4.gt r8=r20,r21
	gives 0xFFFFFFFFFFFFFFFF, pcmp4.gt r8=r21,r20
	gives 0x800080000001FFFE, pmin2 r8=r20,r21
	gives 0x7FFF7FFF0002FFFF, pmax2 r8=r20,r21
	operands 0x8001FF0000FF0180, 0x7F02010001FE0280
	gives 0x7F01010000FE0180, pmin1.u r8=r20,r21
	gives 0x8002FF0001FF0280, pmax1.u r8=r20,r21
	operands 0x40000001C0000010, 0x00010001FFFF0001
	gives 0x7FFF000380000021, pshladd2 r8=r20,1,r21
	gives 0x20010001DFFF0009, pshradd2 r8=r20,1,r21
	operands 0x8000123480001234, 4
	gives 0x0000234000002340, pshl2 r8=r20,4
	gives 0x0000234000002340, pshl2 r8=r20,r21
	gives 0x0001234000012340, pshl4 r8=r20,4
	gives 0xF8000123F8000123, pshr2 r8=r20,4
	gives 0x0800012308000123, pshr2.u r8=r20,r21
	gives 0xF8000123F8000123, pshr4 r8=r20,4
	gives 0x0800012308000123, pshr4.u r8=r20,r21
	operands 0x8000123480001234, 64
	gives 0, pshl4 r8=r20,r21
	gives 0xFFFF0000FFFF0000, pshr2 r8=r20,r21
	gives 0, shl r8=r20,r21
	gives 0xFFFFFFFFFFFFFFFF, shr r8=r20,r21
	gives 0, shr.u r8=r20,r21
	finish 0
