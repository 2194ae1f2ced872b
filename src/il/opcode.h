// The instructions of ECMA-335 III as one table: constant, name, encoding, operand, the number of values they pop and
// push, and where control goes next. Encodings below 0x100 have one byte; 0x1NN means the two bytes FE NN. FE 19
// (`no.`) is left out because the JIT refuses it.
#ifndef CLEW_IL_OPCODE_H
#define CLEW_IL_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

// X(kind, bytes). For a switch, the bytes of its count alone.
#define IL_OPERANDS(X)                                                                \
    X(NONE, 0)                                                                        \
    X(ARGUMENT8, 1) /* argument number, unsigned */                                   \
    X(ARGUMENT16, 2)                                                                  \
    X(LOCAL8, 1) /* local number, unsigned */                                         \
    X(LOCAL16, 2)                                                                     \
    X(ALIGNMENT, 1) /* of `unaligned.` */                                             \
    X(I8, 1)        /* signed */                                                      \
    X(I32, 4)                                                                         \
    X(I64, 8)                                                                         \
    X(R32, 4)                                                                         \
    X(R64, 8)                                                                         \
    X(BRANCH8, 1) /* signed, from the end of the instruction */                       \
    X(BRANCH32, 4)                                                                    \
    X(SWITCH, 4) /* count, then as many 32-bit distances from the end of the table */ \
    X(FIELD, 4)  /* tokens */                                                         \
    X(METHOD, 4)                                                                      \
    X(TYPE, 4)                                                                        \
    X(STRING, 4)                                                                      \
    X(SIGNATURE, 4)                                                                   \
    X(TOKEN, 4) /* field, method or type */

enum il_operand {
#define X(kind, bytes) IL_OPERAND_##kind,
    IL_OPERANDS(X)
#undef X
};

enum il_flow {
    IL_FLOW_NEXT,
    IL_FLOW_CALL,      // control continues with the next instruction
    IL_FLOW_BRANCH,    // always: br, leave
    IL_FLOW_CONDITION, // sometimes: conditional branches and switch
    IL_FLOW_RETURN,    // leaves the method or the handler: ret, jmp, endfinally, endfilter
    IL_FLOW_THROW,
    IL_FLOW_PREFIX, // modifies the next instruction
};

enum { IL_VARIES = -1 }; // pops or pushes: as the signature of the callee, or of the method itself, says

// X(constant, name, encoding, operand, pops, pushes, flow)
#define IL_OPCODES(X)                                                  \
    X(NOP, "nop", 0x000, NONE, 0, 0, NEXT)                             \
    X(BREAK, "break", 0x001, NONE, 0, 0, NEXT)                         \
    X(LDARG_0, "ldarg.0", 0x002, NONE, 0, 1, NEXT)                     \
    X(LDARG_1, "ldarg.1", 0x003, NONE, 0, 1, NEXT)                     \
    X(LDARG_2, "ldarg.2", 0x004, NONE, 0, 1, NEXT)                     \
    X(LDARG_3, "ldarg.3", 0x005, NONE, 0, 1, NEXT)                     \
    X(LDLOC_0, "ldloc.0", 0x006, NONE, 0, 1, NEXT)                     \
    X(LDLOC_1, "ldloc.1", 0x007, NONE, 0, 1, NEXT)                     \
    X(LDLOC_2, "ldloc.2", 0x008, NONE, 0, 1, NEXT)                     \
    X(LDLOC_3, "ldloc.3", 0x009, NONE, 0, 1, NEXT)                     \
    X(STLOC_0, "stloc.0", 0x00A, NONE, 1, 0, NEXT)                     \
    X(STLOC_1, "stloc.1", 0x00B, NONE, 1, 0, NEXT)                     \
    X(STLOC_2, "stloc.2", 0x00C, NONE, 1, 0, NEXT)                     \
    X(STLOC_3, "stloc.3", 0x00D, NONE, 1, 0, NEXT)                     \
    X(LDARG_S, "ldarg.s", 0x00E, ARGUMENT8, 0, 1, NEXT)                \
    X(LDARGA_S, "ldarga.s", 0x00F, ARGUMENT8, 0, 1, NEXT)              \
    X(STARG_S, "starg.s", 0x010, ARGUMENT8, 1, 0, NEXT)                \
    X(LDLOC_S, "ldloc.s", 0x011, LOCAL8, 0, 1, NEXT)                   \
    X(LDLOCA_S, "ldloca.s", 0x012, LOCAL8, 0, 1, NEXT)                 \
    X(STLOC_S, "stloc.s", 0x013, LOCAL8, 1, 0, NEXT)                   \
    X(LDNULL, "ldnull", 0x014, NONE, 0, 1, NEXT)                       \
    X(LDC_I4_M1, "ldc.i4.m1", 0x015, NONE, 0, 1, NEXT)                 \
    X(LDC_I4_0, "ldc.i4.0", 0x016, NONE, 0, 1, NEXT)                   \
    X(LDC_I4_1, "ldc.i4.1", 0x017, NONE, 0, 1, NEXT)                   \
    X(LDC_I4_2, "ldc.i4.2", 0x018, NONE, 0, 1, NEXT)                   \
    X(LDC_I4_3, "ldc.i4.3", 0x019, NONE, 0, 1, NEXT)                   \
    X(LDC_I4_4, "ldc.i4.4", 0x01A, NONE, 0, 1, NEXT)                   \
    X(LDC_I4_5, "ldc.i4.5", 0x01B, NONE, 0, 1, NEXT)                   \
    X(LDC_I4_6, "ldc.i4.6", 0x01C, NONE, 0, 1, NEXT)                   \
    X(LDC_I4_7, "ldc.i4.7", 0x01D, NONE, 0, 1, NEXT)                   \
    X(LDC_I4_8, "ldc.i4.8", 0x01E, NONE, 0, 1, NEXT)                   \
    X(LDC_I4_S, "ldc.i4.s", 0x01F, I8, 0, 1, NEXT)                     \
    X(LDC_I4, "ldc.i4", 0x020, I32, 0, 1, NEXT)                        \
    X(LDC_I8, "ldc.i8", 0x021, I64, 0, 1, NEXT)                        \
    X(LDC_R4, "ldc.r4", 0x022, R32, 0, 1, NEXT)                        \
    X(LDC_R8, "ldc.r8", 0x023, R64, 0, 1, NEXT)                        \
    X(DUP, "dup", 0x025, NONE, 1, 2, NEXT)                             \
    X(POP, "pop", 0x026, NONE, 1, 0, NEXT)                             \
    X(JMP, "jmp", 0x027, METHOD, 0, 0, RETURN)                         \
    X(CALL, "call", 0x028, METHOD, IL_VARIES, IL_VARIES, CALL)         \
    X(CALLI, "calli", 0x029, SIGNATURE, IL_VARIES, IL_VARIES, CALL)    \
    X(RET, "ret", 0x02A, NONE, IL_VARIES, 0, RETURN)                   \
    X(BR_S, "br.s", 0x02B, BRANCH8, 0, 0, BRANCH)                      \
    X(BRFALSE_S, "brfalse.s", 0x02C, BRANCH8, 1, 0, CONDITION)         \
    X(BRTRUE_S, "brtrue.s", 0x02D, BRANCH8, 1, 0, CONDITION)           \
    X(BEQ_S, "beq.s", 0x02E, BRANCH8, 2, 0, CONDITION)                 \
    X(BGE_S, "bge.s", 0x02F, BRANCH8, 2, 0, CONDITION)                 \
    X(BGT_S, "bgt.s", 0x030, BRANCH8, 2, 0, CONDITION)                 \
    X(BLE_S, "ble.s", 0x031, BRANCH8, 2, 0, CONDITION)                 \
    X(BLT_S, "blt.s", 0x032, BRANCH8, 2, 0, CONDITION)                 \
    X(BNE_UN_S, "bne.un.s", 0x033, BRANCH8, 2, 0, CONDITION)           \
    X(BGE_UN_S, "bge.un.s", 0x034, BRANCH8, 2, 0, CONDITION)           \
    X(BGT_UN_S, "bgt.un.s", 0x035, BRANCH8, 2, 0, CONDITION)           \
    X(BLE_UN_S, "ble.un.s", 0x036, BRANCH8, 2, 0, CONDITION)           \
    X(BLT_UN_S, "blt.un.s", 0x037, BRANCH8, 2, 0, CONDITION)           \
    X(BR, "br", 0x038, BRANCH32, 0, 0, BRANCH)                         \
    X(BRFALSE, "brfalse", 0x039, BRANCH32, 1, 0, CONDITION)            \
    X(BRTRUE, "brtrue", 0x03A, BRANCH32, 1, 0, CONDITION)              \
    X(BEQ, "beq", 0x03B, BRANCH32, 2, 0, CONDITION)                    \
    X(BGE, "bge", 0x03C, BRANCH32, 2, 0, CONDITION)                    \
    X(BGT, "bgt", 0x03D, BRANCH32, 2, 0, CONDITION)                    \
    X(BLE, "ble", 0x03E, BRANCH32, 2, 0, CONDITION)                    \
    X(BLT, "blt", 0x03F, BRANCH32, 2, 0, CONDITION)                    \
    X(BNE_UN, "bne.un", 0x040, BRANCH32, 2, 0, CONDITION)              \
    X(BGE_UN, "bge.un", 0x041, BRANCH32, 2, 0, CONDITION)              \
    X(BGT_UN, "bgt.un", 0x042, BRANCH32, 2, 0, CONDITION)              \
    X(BLE_UN, "ble.un", 0x043, BRANCH32, 2, 0, CONDITION)              \
    X(BLT_UN, "blt.un", 0x044, BRANCH32, 2, 0, CONDITION)              \
    X(SWITCH, "switch", 0x045, SWITCH, 1, 0, CONDITION)                \
    X(LDIND_I1, "ldind.i1", 0x046, NONE, 1, 1, NEXT)                   \
    X(LDIND_U1, "ldind.u1", 0x047, NONE, 1, 1, NEXT)                   \
    X(LDIND_I2, "ldind.i2", 0x048, NONE, 1, 1, NEXT)                   \
    X(LDIND_U2, "ldind.u2", 0x049, NONE, 1, 1, NEXT)                   \
    X(LDIND_I4, "ldind.i4", 0x04A, NONE, 1, 1, NEXT)                   \
    X(LDIND_U4, "ldind.u4", 0x04B, NONE, 1, 1, NEXT)                   \
    X(LDIND_I8, "ldind.i8", 0x04C, NONE, 1, 1, NEXT)                   \
    X(LDIND_I, "ldind.i", 0x04D, NONE, 1, 1, NEXT)                     \
    X(LDIND_R4, "ldind.r4", 0x04E, NONE, 1, 1, NEXT)                   \
    X(LDIND_R8, "ldind.r8", 0x04F, NONE, 1, 1, NEXT)                   \
    X(LDIND_REF, "ldind.ref", 0x050, NONE, 1, 1, NEXT)                 \
    X(STIND_REF, "stind.ref", 0x051, NONE, 2, 0, NEXT)                 \
    X(STIND_I1, "stind.i1", 0x052, NONE, 2, 0, NEXT)                   \
    X(STIND_I2, "stind.i2", 0x053, NONE, 2, 0, NEXT)                   \
    X(STIND_I4, "stind.i4", 0x054, NONE, 2, 0, NEXT)                   \
    X(STIND_I8, "stind.i8", 0x055, NONE, 2, 0, NEXT)                   \
    X(STIND_R4, "stind.r4", 0x056, NONE, 2, 0, NEXT)                   \
    X(STIND_R8, "stind.r8", 0x057, NONE, 2, 0, NEXT)                   \
    X(ADD, "add", 0x058, NONE, 2, 1, NEXT)                             \
    X(SUB, "sub", 0x059, NONE, 2, 1, NEXT)                             \
    X(MUL, "mul", 0x05A, NONE, 2, 1, NEXT)                             \
    X(DIV, "div", 0x05B, NONE, 2, 1, NEXT)                             \
    X(DIV_UN, "div.un", 0x05C, NONE, 2, 1, NEXT)                       \
    X(REM, "rem", 0x05D, NONE, 2, 1, NEXT)                             \
    X(REM_UN, "rem.un", 0x05E, NONE, 2, 1, NEXT)                       \
    X(AND, "and", 0x05F, NONE, 2, 1, NEXT)                             \
    X(OR, "or", 0x060, NONE, 2, 1, NEXT)                               \
    X(XOR, "xor", 0x061, NONE, 2, 1, NEXT)                             \
    X(SHL, "shl", 0x062, NONE, 2, 1, NEXT)                             \
    X(SHR, "shr", 0x063, NONE, 2, 1, NEXT)                             \
    X(SHR_UN, "shr.un", 0x064, NONE, 2, 1, NEXT)                       \
    X(NEG, "neg", 0x065, NONE, 1, 1, NEXT)                             \
    X(NOT, "not", 0x066, NONE, 1, 1, NEXT)                             \
    X(CONV_I1, "conv.i1", 0x067, NONE, 1, 1, NEXT)                     \
    X(CONV_I2, "conv.i2", 0x068, NONE, 1, 1, NEXT)                     \
    X(CONV_I4, "conv.i4", 0x069, NONE, 1, 1, NEXT)                     \
    X(CONV_I8, "conv.i8", 0x06A, NONE, 1, 1, NEXT)                     \
    X(CONV_R4, "conv.r4", 0x06B, NONE, 1, 1, NEXT)                     \
    X(CONV_R8, "conv.r8", 0x06C, NONE, 1, 1, NEXT)                     \
    X(CONV_U4, "conv.u4", 0x06D, NONE, 1, 1, NEXT)                     \
    X(CONV_U8, "conv.u8", 0x06E, NONE, 1, 1, NEXT)                     \
    X(CALLVIRT, "callvirt", 0x06F, METHOD, IL_VARIES, IL_VARIES, CALL) \
    X(CPOBJ, "cpobj", 0x070, TYPE, 2, 0, NEXT)                         \
    X(LDOBJ, "ldobj", 0x071, TYPE, 1, 1, NEXT)                         \
    X(LDSTR, "ldstr", 0x072, STRING, 0, 1, NEXT)                       \
    X(NEWOBJ, "newobj", 0x073, METHOD, IL_VARIES, 1, CALL)             \
    X(CASTCLASS, "castclass", 0x074, TYPE, 1, 1, NEXT)                 \
    X(ISINST, "isinst", 0x075, TYPE, 1, 1, NEXT)                       \
    X(CONV_R_UN, "conv.r.un", 0x076, NONE, 1, 1, NEXT)                 \
    X(UNBOX, "unbox", 0x079, TYPE, 1, 1, NEXT)                         \
    X(THROW, "throw", 0x07A, NONE, 1, 0, THROW)                        \
    X(LDFLD, "ldfld", 0x07B, FIELD, 1, 1, NEXT)                        \
    X(LDFLDA, "ldflda", 0x07C, FIELD, 1, 1, NEXT)                      \
    X(STFLD, "stfld", 0x07D, FIELD, 2, 0, NEXT)                        \
    X(LDSFLD, "ldsfld", 0x07E, FIELD, 0, 1, NEXT)                      \
    X(LDSFLDA, "ldsflda", 0x07F, FIELD, 0, 1, NEXT)                    \
    X(STSFLD, "stsfld", 0x080, FIELD, 1, 0, NEXT)                      \
    X(STOBJ, "stobj", 0x081, TYPE, 2, 0, NEXT)                         \
    X(CONV_OVF_I1_UN, "conv.ovf.i1.un", 0x082, NONE, 1, 1, NEXT)       \
    X(CONV_OVF_I2_UN, "conv.ovf.i2.un", 0x083, NONE, 1, 1, NEXT)       \
    X(CONV_OVF_I4_UN, "conv.ovf.i4.un", 0x084, NONE, 1, 1, NEXT)       \
    X(CONV_OVF_I8_UN, "conv.ovf.i8.un", 0x085, NONE, 1, 1, NEXT)       \
    X(CONV_OVF_U1_UN, "conv.ovf.u1.un", 0x086, NONE, 1, 1, NEXT)       \
    X(CONV_OVF_U2_UN, "conv.ovf.u2.un", 0x087, NONE, 1, 1, NEXT)       \
    X(CONV_OVF_U4_UN, "conv.ovf.u4.un", 0x088, NONE, 1, 1, NEXT)       \
    X(CONV_OVF_U8_UN, "conv.ovf.u8.un", 0x089, NONE, 1, 1, NEXT)       \
    X(CONV_OVF_I_UN, "conv.ovf.i.un", 0x08A, NONE, 1, 1, NEXT)         \
    X(CONV_OVF_U_UN, "conv.ovf.u.un", 0x08B, NONE, 1, 1, NEXT)         \
    X(BOX, "box", 0x08C, TYPE, 1, 1, NEXT)                             \
    X(NEWARR, "newarr", 0x08D, TYPE, 1, 1, NEXT)                       \
    X(LDLEN, "ldlen", 0x08E, NONE, 1, 1, NEXT)                         \
    X(LDELEMA, "ldelema", 0x08F, TYPE, 2, 1, NEXT)                     \
    X(LDELEM_I1, "ldelem.i1", 0x090, NONE, 2, 1, NEXT)                 \
    X(LDELEM_U1, "ldelem.u1", 0x091, NONE, 2, 1, NEXT)                 \
    X(LDELEM_I2, "ldelem.i2", 0x092, NONE, 2, 1, NEXT)                 \
    X(LDELEM_U2, "ldelem.u2", 0x093, NONE, 2, 1, NEXT)                 \
    X(LDELEM_I4, "ldelem.i4", 0x094, NONE, 2, 1, NEXT)                 \
    X(LDELEM_U4, "ldelem.u4", 0x095, NONE, 2, 1, NEXT)                 \
    X(LDELEM_I8, "ldelem.i8", 0x096, NONE, 2, 1, NEXT)                 \
    X(LDELEM_I, "ldelem.i", 0x097, NONE, 2, 1, NEXT)                   \
    X(LDELEM_R4, "ldelem.r4", 0x098, NONE, 2, 1, NEXT)                 \
    X(LDELEM_R8, "ldelem.r8", 0x099, NONE, 2, 1, NEXT)                 \
    X(LDELEM_REF, "ldelem.ref", 0x09A, NONE, 2, 1, NEXT)               \
    X(STELEM_I, "stelem.i", 0x09B, NONE, 3, 0, NEXT)                   \
    X(STELEM_I1, "stelem.i1", 0x09C, NONE, 3, 0, NEXT)                 \
    X(STELEM_I2, "stelem.i2", 0x09D, NONE, 3, 0, NEXT)                 \
    X(STELEM_I4, "stelem.i4", 0x09E, NONE, 3, 0, NEXT)                 \
    X(STELEM_I8, "stelem.i8", 0x09F, NONE, 3, 0, NEXT)                 \
    X(STELEM_R4, "stelem.r4", 0x0A0, NONE, 3, 0, NEXT)                 \
    X(STELEM_R8, "stelem.r8", 0x0A1, NONE, 3, 0, NEXT)                 \
    X(STELEM_REF, "stelem.ref", 0x0A2, NONE, 3, 0, NEXT)               \
    X(LDELEM, "ldelem", 0x0A3, TYPE, 2, 1, NEXT)                       \
    X(STELEM, "stelem", 0x0A4, TYPE, 3, 0, NEXT)                       \
    X(UNBOX_ANY, "unbox.any", 0x0A5, TYPE, 1, 1, NEXT)                 \
    X(CONV_OVF_I1, "conv.ovf.i1", 0x0B3, NONE, 1, 1, NEXT)             \
    X(CONV_OVF_U1, "conv.ovf.u1", 0x0B4, NONE, 1, 1, NEXT)             \
    X(CONV_OVF_I2, "conv.ovf.i2", 0x0B5, NONE, 1, 1, NEXT)             \
    X(CONV_OVF_U2, "conv.ovf.u2", 0x0B6, NONE, 1, 1, NEXT)             \
    X(CONV_OVF_I4, "conv.ovf.i4", 0x0B7, NONE, 1, 1, NEXT)             \
    X(CONV_OVF_U4, "conv.ovf.u4", 0x0B8, NONE, 1, 1, NEXT)             \
    X(CONV_OVF_I8, "conv.ovf.i8", 0x0B9, NONE, 1, 1, NEXT)             \
    X(CONV_OVF_U8, "conv.ovf.u8", 0x0BA, NONE, 1, 1, NEXT)             \
    X(REFANYVAL, "refanyval", 0x0C2, TYPE, 1, 1, NEXT)                 \
    X(CKFINITE, "ckfinite", 0x0C3, NONE, 1, 1, NEXT)                   \
    X(MKREFANY, "mkrefany", 0x0C6, TYPE, 1, 1, NEXT)                   \
    X(LDTOKEN, "ldtoken", 0x0D0, TOKEN, 0, 1, NEXT)                    \
    X(CONV_U2, "conv.u2", 0x0D1, NONE, 1, 1, NEXT)                     \
    X(CONV_U1, "conv.u1", 0x0D2, NONE, 1, 1, NEXT)                     \
    X(CONV_I, "conv.i", 0x0D3, NONE, 1, 1, NEXT)                       \
    X(CONV_OVF_I, "conv.ovf.i", 0x0D4, NONE, 1, 1, NEXT)               \
    X(CONV_OVF_U, "conv.ovf.u", 0x0D5, NONE, 1, 1, NEXT)               \
    X(ADD_OVF, "add.ovf", 0x0D6, NONE, 2, 1, NEXT)                     \
    X(ADD_OVF_UN, "add.ovf.un", 0x0D7, NONE, 2, 1, NEXT)               \
    X(MUL_OVF, "mul.ovf", 0x0D8, NONE, 2, 1, NEXT)                     \
    X(MUL_OVF_UN, "mul.ovf.un", 0x0D9, NONE, 2, 1, NEXT)               \
    X(SUB_OVF, "sub.ovf", 0x0DA, NONE, 2, 1, NEXT)                     \
    X(SUB_OVF_UN, "sub.ovf.un", 0x0DB, NONE, 2, 1, NEXT)               \
    X(ENDFINALLY, "endfinally", 0x0DC, NONE, 0, 0, RETURN)             \
    X(LEAVE, "leave", 0x0DD, BRANCH32, 0, 0, BRANCH)                   \
    X(LEAVE_S, "leave.s", 0x0DE, BRANCH8, 0, 0, BRANCH)                \
    X(STIND_I, "stind.i", 0x0DF, NONE, 2, 0, NEXT)                     \
    X(CONV_U, "conv.u", 0x0E0, NONE, 1, 1, NEXT)                       \
    X(ARGLIST, "arglist", 0x100, NONE, 0, 1, NEXT)                     \
    X(CEQ, "ceq", 0x101, NONE, 2, 1, NEXT)                             \
    X(CGT, "cgt", 0x102, NONE, 2, 1, NEXT)                             \
    X(CGT_UN, "cgt.un", 0x103, NONE, 2, 1, NEXT)                       \
    X(CLT, "clt", 0x104, NONE, 2, 1, NEXT)                             \
    X(CLT_UN, "clt.un", 0x105, NONE, 2, 1, NEXT)                       \
    X(LDFTN, "ldftn", 0x106, METHOD, 0, 1, NEXT)                       \
    X(LDVIRTFTN, "ldvirtftn", 0x107, METHOD, 1, 1, NEXT)               \
    X(LDARG, "ldarg", 0x109, ARGUMENT16, 0, 1, NEXT)                   \
    X(LDARGA, "ldarga", 0x10A, ARGUMENT16, 0, 1, NEXT)                 \
    X(STARG, "starg", 0x10B, ARGUMENT16, 1, 0, NEXT)                   \
    X(LDLOC, "ldloc", 0x10C, LOCAL16, 0, 1, NEXT)                      \
    X(LDLOCA, "ldloca", 0x10D, LOCAL16, 0, 1, NEXT)                    \
    X(STLOC, "stloc", 0x10E, LOCAL16, 1, 0, NEXT)                      \
    X(LOCALLOC, "localloc", 0x10F, NONE, 1, 1, NEXT)                   \
    X(ENDFILTER, "endfilter", 0x111, NONE, 1, 0, RETURN)               \
    X(UNALIGNED, "unaligned.", 0x112, ALIGNMENT, 0, 0, PREFIX)         \
    X(VOLATILE, "volatile.", 0x113, NONE, 0, 0, PREFIX)                \
    X(TAIL, "tail.", 0x114, NONE, 0, 0, PREFIX)                        \
    X(INITOBJ, "initobj", 0x115, TYPE, 1, 0, NEXT)                     \
    X(CONSTRAINED, "constrained.", 0x116, TYPE, 0, 0, PREFIX)          \
    X(CPBLK, "cpblk", 0x117, NONE, 3, 0, NEXT)                         \
    X(INITBLK, "initblk", 0x118, NONE, 3, 0, NEXT)                     \
    X(RETHROW, "rethrow", 0x11A, NONE, 0, 0, THROW)                    \
    X(SIZEOF, "sizeof", 0x11C, TYPE, 0, 1, NEXT)                       \
    X(REFANYTYPE, "refanytype", 0x11D, NONE, 1, 1, NEXT)               \
    X(READONLY, "readonly.", 0x11E, NONE, 0, 0, PREFIX)

enum il_opcode {
#define X(constant, name, encoding, operand, pops, pushes, flow) IL_##constant = (encoding),
    IL_OPCODES(X)
#undef X
        IL_END = 0x1FF, // the sentinel behind a body's last instruction
};

enum { IL_OPCODE_LIMIT = 0x200 };

struct il_opcode_info {
    const char *name;      // NULL: no such opcode
    uint8_t size;          // bytes of the encoding without the operand
    uint8_t operand;       // enum il_operand
    int8_t pops, pushes;   // or IL_VARIES
    uint8_t flow;          // enum il_flow
    uint8_t operand_bytes; // of a switch: its count alone
};

extern const struct il_opcode_info il_opcodes[IL_OPCODE_LIMIT];

static inline bool il_is_prefix(enum il_opcode opcode)
{
    return il_opcodes[opcode].flow == IL_FLOW_PREFIX;
}

static inline bool il_is_branch(enum il_opcode opcode)
{
    return il_opcodes[opcode].operand == IL_OPERAND_BRANCH8 || il_opcodes[opcode].operand == IL_OPERAND_BRANCH32;
}

// The opcode with a 32-bit distance for a short branch; any other opcode unchanged.
enum il_opcode il_long_branch(enum il_opcode opcode);
// False: no opcode has this name.
bool il_opcode_from_name(const char *name, enum il_opcode *out);

#endif
