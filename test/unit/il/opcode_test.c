// Compares the opcode table with System.Reflection.Emit.OpCodes of .NET 10.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "il/opcode.h"

// Name, encoding, operand bytes, pops and pushes (-1: varies), flow. The runtime calls jmp a call; nothing comes after it.
static const struct {
    const char *name;
    unsigned encoding;
    int operand_bytes, pops, pushes;
    enum il_flow flow;
} known[] = {
    {"nop", 0x0, 0, 0, 0, IL_FLOW_NEXT}, {"break", 0x1, 0, 0, 0, IL_FLOW_NEXT},
    {"ldarg.0", 0x2, 0, 0, 1, IL_FLOW_NEXT}, {"ldarg.1", 0x3, 0, 0, 1, IL_FLOW_NEXT},
    {"ldarg.2", 0x4, 0, 0, 1, IL_FLOW_NEXT}, {"ldarg.3", 0x5, 0, 0, 1, IL_FLOW_NEXT},
    {"ldloc.0", 0x6, 0, 0, 1, IL_FLOW_NEXT}, {"ldloc.1", 0x7, 0, 0, 1, IL_FLOW_NEXT},
    {"ldloc.2", 0x8, 0, 0, 1, IL_FLOW_NEXT}, {"ldloc.3", 0x9, 0, 0, 1, IL_FLOW_NEXT},
    {"stloc.0", 0xA, 0, 1, 0, IL_FLOW_NEXT}, {"stloc.1", 0xB, 0, 1, 0, IL_FLOW_NEXT},
    {"stloc.2", 0xC, 0, 1, 0, IL_FLOW_NEXT}, {"stloc.3", 0xD, 0, 1, 0, IL_FLOW_NEXT},
    {"ldarg.s", 0xE, 1, 0, 1, IL_FLOW_NEXT}, {"ldarga.s", 0xF, 1, 0, 1, IL_FLOW_NEXT},
    {"starg.s", 0x10, 1, 1, 0, IL_FLOW_NEXT}, {"ldloc.s", 0x11, 1, 0, 1, IL_FLOW_NEXT},
    {"ldloca.s", 0x12, 1, 0, 1, IL_FLOW_NEXT}, {"stloc.s", 0x13, 1, 1, 0, IL_FLOW_NEXT},
    {"ldnull", 0x14, 0, 0, 1, IL_FLOW_NEXT}, {"ldc.i4.m1", 0x15, 0, 0, 1, IL_FLOW_NEXT},
    {"ldc.i4.0", 0x16, 0, 0, 1, IL_FLOW_NEXT}, {"ldc.i4.1", 0x17, 0, 0, 1, IL_FLOW_NEXT},
    {"ldc.i4.2", 0x18, 0, 0, 1, IL_FLOW_NEXT}, {"ldc.i4.3", 0x19, 0, 0, 1, IL_FLOW_NEXT},
    {"ldc.i4.4", 0x1A, 0, 0, 1, IL_FLOW_NEXT}, {"ldc.i4.5", 0x1B, 0, 0, 1, IL_FLOW_NEXT},
    {"ldc.i4.6", 0x1C, 0, 0, 1, IL_FLOW_NEXT}, {"ldc.i4.7", 0x1D, 0, 0, 1, IL_FLOW_NEXT},
    {"ldc.i4.8", 0x1E, 0, 0, 1, IL_FLOW_NEXT}, {"ldc.i4.s", 0x1F, 1, 0, 1, IL_FLOW_NEXT},
    {"ldc.i4", 0x20, 4, 0, 1, IL_FLOW_NEXT}, {"ldc.i8", 0x21, 8, 0, 1, IL_FLOW_NEXT},
    {"ldc.r4", 0x22, 4, 0, 1, IL_FLOW_NEXT}, {"ldc.r8", 0x23, 8, 0, 1, IL_FLOW_NEXT},
    {"dup", 0x25, 0, 1, 2, IL_FLOW_NEXT}, {"pop", 0x26, 0, 1, 0, IL_FLOW_NEXT}, {"jmp", 0x27, 4, 0, 0, IL_FLOW_RETURN},
    {"call", 0x28, 4, -1, -1, IL_FLOW_CALL}, {"calli", 0x29, 4, -1, -1, IL_FLOW_CALL},
    {"ret", 0x2A, 0, -1, 0, IL_FLOW_RETURN}, {"br.s", 0x2B, 1, 0, 0, IL_FLOW_BRANCH},
    {"brfalse.s", 0x2C, 1, 1, 0, IL_FLOW_CONDITION}, {"brtrue.s", 0x2D, 1, 1, 0, IL_FLOW_CONDITION},
    {"beq.s", 0x2E, 1, 2, 0, IL_FLOW_CONDITION}, {"bge.s", 0x2F, 1, 2, 0, IL_FLOW_CONDITION},
    {"bgt.s", 0x30, 1, 2, 0, IL_FLOW_CONDITION}, {"ble.s", 0x31, 1, 2, 0, IL_FLOW_CONDITION},
    {"blt.s", 0x32, 1, 2, 0, IL_FLOW_CONDITION}, {"bne.un.s", 0x33, 1, 2, 0, IL_FLOW_CONDITION},
    {"bge.un.s", 0x34, 1, 2, 0, IL_FLOW_CONDITION}, {"bgt.un.s", 0x35, 1, 2, 0, IL_FLOW_CONDITION},
    {"ble.un.s", 0x36, 1, 2, 0, IL_FLOW_CONDITION}, {"blt.un.s", 0x37, 1, 2, 0, IL_FLOW_CONDITION},
    {"br", 0x38, 4, 0, 0, IL_FLOW_BRANCH}, {"brfalse", 0x39, 4, 1, 0, IL_FLOW_CONDITION},
    {"brtrue", 0x3A, 4, 1, 0, IL_FLOW_CONDITION}, {"beq", 0x3B, 4, 2, 0, IL_FLOW_CONDITION},
    {"bge", 0x3C, 4, 2, 0, IL_FLOW_CONDITION}, {"bgt", 0x3D, 4, 2, 0, IL_FLOW_CONDITION},
    {"ble", 0x3E, 4, 2, 0, IL_FLOW_CONDITION}, {"blt", 0x3F, 4, 2, 0, IL_FLOW_CONDITION},
    {"bne.un", 0x40, 4, 2, 0, IL_FLOW_CONDITION}, {"bge.un", 0x41, 4, 2, 0, IL_FLOW_CONDITION},
    {"bgt.un", 0x42, 4, 2, 0, IL_FLOW_CONDITION}, {"ble.un", 0x43, 4, 2, 0, IL_FLOW_CONDITION},
    {"blt.un", 0x44, 4, 2, 0, IL_FLOW_CONDITION}, {"switch", 0x45, 4, 1, 0, IL_FLOW_CONDITION},
    {"ldind.i1", 0x46, 0, 1, 1, IL_FLOW_NEXT}, {"ldind.u1", 0x47, 0, 1, 1, IL_FLOW_NEXT},
    {"ldind.i2", 0x48, 0, 1, 1, IL_FLOW_NEXT}, {"ldind.u2", 0x49, 0, 1, 1, IL_FLOW_NEXT},
    {"ldind.i4", 0x4A, 0, 1, 1, IL_FLOW_NEXT}, {"ldind.u4", 0x4B, 0, 1, 1, IL_FLOW_NEXT},
    {"ldind.i8", 0x4C, 0, 1, 1, IL_FLOW_NEXT}, {"ldind.i", 0x4D, 0, 1, 1, IL_FLOW_NEXT},
    {"ldind.r4", 0x4E, 0, 1, 1, IL_FLOW_NEXT}, {"ldind.r8", 0x4F, 0, 1, 1, IL_FLOW_NEXT},
    {"ldind.ref", 0x50, 0, 1, 1, IL_FLOW_NEXT}, {"stind.ref", 0x51, 0, 2, 0, IL_FLOW_NEXT},
    {"stind.i1", 0x52, 0, 2, 0, IL_FLOW_NEXT}, {"stind.i2", 0x53, 0, 2, 0, IL_FLOW_NEXT},
    {"stind.i4", 0x54, 0, 2, 0, IL_FLOW_NEXT}, {"stind.i8", 0x55, 0, 2, 0, IL_FLOW_NEXT},
    {"stind.r4", 0x56, 0, 2, 0, IL_FLOW_NEXT}, {"stind.r8", 0x57, 0, 2, 0, IL_FLOW_NEXT},
    {"add", 0x58, 0, 2, 1, IL_FLOW_NEXT}, {"sub", 0x59, 0, 2, 1, IL_FLOW_NEXT}, {"mul", 0x5A, 0, 2, 1, IL_FLOW_NEXT},
    {"div", 0x5B, 0, 2, 1, IL_FLOW_NEXT}, {"div.un", 0x5C, 0, 2, 1, IL_FLOW_NEXT},
    {"rem", 0x5D, 0, 2, 1, IL_FLOW_NEXT}, {"rem.un", 0x5E, 0, 2, 1, IL_FLOW_NEXT},
    {"and", 0x5F, 0, 2, 1, IL_FLOW_NEXT}, {"or", 0x60, 0, 2, 1, IL_FLOW_NEXT}, {"xor", 0x61, 0, 2, 1, IL_FLOW_NEXT},
    {"shl", 0x62, 0, 2, 1, IL_FLOW_NEXT}, {"shr", 0x63, 0, 2, 1, IL_FLOW_NEXT},
    {"shr.un", 0x64, 0, 2, 1, IL_FLOW_NEXT}, {"neg", 0x65, 0, 1, 1, IL_FLOW_NEXT},
    {"not", 0x66, 0, 1, 1, IL_FLOW_NEXT}, {"conv.i1", 0x67, 0, 1, 1, IL_FLOW_NEXT},
    {"conv.i2", 0x68, 0, 1, 1, IL_FLOW_NEXT}, {"conv.i4", 0x69, 0, 1, 1, IL_FLOW_NEXT},
    {"conv.i8", 0x6A, 0, 1, 1, IL_FLOW_NEXT}, {"conv.r4", 0x6B, 0, 1, 1, IL_FLOW_NEXT},
    {"conv.r8", 0x6C, 0, 1, 1, IL_FLOW_NEXT}, {"conv.u4", 0x6D, 0, 1, 1, IL_FLOW_NEXT},
    {"conv.u8", 0x6E, 0, 1, 1, IL_FLOW_NEXT}, {"callvirt", 0x6F, 4, -1, -1, IL_FLOW_CALL},
    {"cpobj", 0x70, 4, 2, 0, IL_FLOW_NEXT}, {"ldobj", 0x71, 4, 1, 1, IL_FLOW_NEXT},
    {"ldstr", 0x72, 4, 0, 1, IL_FLOW_NEXT}, {"newobj", 0x73, 4, -1, 1, IL_FLOW_CALL},
    {"castclass", 0x74, 4, 1, 1, IL_FLOW_NEXT}, {"isinst", 0x75, 4, 1, 1, IL_FLOW_NEXT},
    {"conv.r.un", 0x76, 0, 1, 1, IL_FLOW_NEXT}, {"unbox", 0x79, 4, 1, 1, IL_FLOW_NEXT},
    {"throw", 0x7A, 0, 1, 0, IL_FLOW_THROW}, {"ldfld", 0x7B, 4, 1, 1, IL_FLOW_NEXT},
    {"ldflda", 0x7C, 4, 1, 1, IL_FLOW_NEXT}, {"stfld", 0x7D, 4, 2, 0, IL_FLOW_NEXT},
    {"ldsfld", 0x7E, 4, 0, 1, IL_FLOW_NEXT}, {"ldsflda", 0x7F, 4, 0, 1, IL_FLOW_NEXT},
    {"stsfld", 0x80, 4, 1, 0, IL_FLOW_NEXT}, {"stobj", 0x81, 4, 2, 0, IL_FLOW_NEXT},
    {"conv.ovf.i1.un", 0x82, 0, 1, 1, IL_FLOW_NEXT}, {"conv.ovf.i2.un", 0x83, 0, 1, 1, IL_FLOW_NEXT},
    {"conv.ovf.i4.un", 0x84, 0, 1, 1, IL_FLOW_NEXT}, {"conv.ovf.i8.un", 0x85, 0, 1, 1, IL_FLOW_NEXT},
    {"conv.ovf.u1.un", 0x86, 0, 1, 1, IL_FLOW_NEXT}, {"conv.ovf.u2.un", 0x87, 0, 1, 1, IL_FLOW_NEXT},
    {"conv.ovf.u4.un", 0x88, 0, 1, 1, IL_FLOW_NEXT}, {"conv.ovf.u8.un", 0x89, 0, 1, 1, IL_FLOW_NEXT},
    {"conv.ovf.i.un", 0x8A, 0, 1, 1, IL_FLOW_NEXT}, {"conv.ovf.u.un", 0x8B, 0, 1, 1, IL_FLOW_NEXT},
    {"box", 0x8C, 4, 1, 1, IL_FLOW_NEXT}, {"newarr", 0x8D, 4, 1, 1, IL_FLOW_NEXT},
    {"ldlen", 0x8E, 0, 1, 1, IL_FLOW_NEXT}, {"ldelema", 0x8F, 4, 2, 1, IL_FLOW_NEXT},
    {"ldelem.i1", 0x90, 0, 2, 1, IL_FLOW_NEXT}, {"ldelem.u1", 0x91, 0, 2, 1, IL_FLOW_NEXT},
    {"ldelem.i2", 0x92, 0, 2, 1, IL_FLOW_NEXT}, {"ldelem.u2", 0x93, 0, 2, 1, IL_FLOW_NEXT},
    {"ldelem.i4", 0x94, 0, 2, 1, IL_FLOW_NEXT}, {"ldelem.u4", 0x95, 0, 2, 1, IL_FLOW_NEXT},
    {"ldelem.i8", 0x96, 0, 2, 1, IL_FLOW_NEXT}, {"ldelem.i", 0x97, 0, 2, 1, IL_FLOW_NEXT},
    {"ldelem.r4", 0x98, 0, 2, 1, IL_FLOW_NEXT}, {"ldelem.r8", 0x99, 0, 2, 1, IL_FLOW_NEXT},
    {"ldelem.ref", 0x9A, 0, 2, 1, IL_FLOW_NEXT}, {"stelem.i", 0x9B, 0, 3, 0, IL_FLOW_NEXT},
    {"stelem.i1", 0x9C, 0, 3, 0, IL_FLOW_NEXT}, {"stelem.i2", 0x9D, 0, 3, 0, IL_FLOW_NEXT},
    {"stelem.i4", 0x9E, 0, 3, 0, IL_FLOW_NEXT}, {"stelem.i8", 0x9F, 0, 3, 0, IL_FLOW_NEXT},
    {"stelem.r4", 0xA0, 0, 3, 0, IL_FLOW_NEXT}, {"stelem.r8", 0xA1, 0, 3, 0, IL_FLOW_NEXT},
    {"stelem.ref", 0xA2, 0, 3, 0, IL_FLOW_NEXT}, {"ldelem", 0xA3, 4, 2, 1, IL_FLOW_NEXT},
    {"stelem", 0xA4, 4, 3, 0, IL_FLOW_NEXT}, {"unbox.any", 0xA5, 4, 1, 1, IL_FLOW_NEXT},
    {"conv.ovf.i1", 0xB3, 0, 1, 1, IL_FLOW_NEXT}, {"conv.ovf.u1", 0xB4, 0, 1, 1, IL_FLOW_NEXT},
    {"conv.ovf.i2", 0xB5, 0, 1, 1, IL_FLOW_NEXT}, {"conv.ovf.u2", 0xB6, 0, 1, 1, IL_FLOW_NEXT},
    {"conv.ovf.i4", 0xB7, 0, 1, 1, IL_FLOW_NEXT}, {"conv.ovf.u4", 0xB8, 0, 1, 1, IL_FLOW_NEXT},
    {"conv.ovf.i8", 0xB9, 0, 1, 1, IL_FLOW_NEXT}, {"conv.ovf.u8", 0xBA, 0, 1, 1, IL_FLOW_NEXT},
    {"refanyval", 0xC2, 4, 1, 1, IL_FLOW_NEXT}, {"ckfinite", 0xC3, 0, 1, 1, IL_FLOW_NEXT},
    {"mkrefany", 0xC6, 4, 1, 1, IL_FLOW_NEXT}, {"ldtoken", 0xD0, 4, 0, 1, IL_FLOW_NEXT},
    {"conv.u2", 0xD1, 0, 1, 1, IL_FLOW_NEXT}, {"conv.u1", 0xD2, 0, 1, 1, IL_FLOW_NEXT},
    {"conv.i", 0xD3, 0, 1, 1, IL_FLOW_NEXT}, {"conv.ovf.i", 0xD4, 0, 1, 1, IL_FLOW_NEXT},
    {"conv.ovf.u", 0xD5, 0, 1, 1, IL_FLOW_NEXT}, {"add.ovf", 0xD6, 0, 2, 1, IL_FLOW_NEXT},
    {"add.ovf.un", 0xD7, 0, 2, 1, IL_FLOW_NEXT}, {"mul.ovf", 0xD8, 0, 2, 1, IL_FLOW_NEXT},
    {"mul.ovf.un", 0xD9, 0, 2, 1, IL_FLOW_NEXT}, {"sub.ovf", 0xDA, 0, 2, 1, IL_FLOW_NEXT},
    {"sub.ovf.un", 0xDB, 0, 2, 1, IL_FLOW_NEXT}, {"endfinally", 0xDC, 0, 0, 0, IL_FLOW_RETURN},
    {"leave", 0xDD, 4, 0, 0, IL_FLOW_BRANCH}, {"leave.s", 0xDE, 1, 0, 0, IL_FLOW_BRANCH},
    {"stind.i", 0xDF, 0, 2, 0, IL_FLOW_NEXT}, {"conv.u", 0xE0, 0, 1, 1, IL_FLOW_NEXT},
    {"arglist", 0xFE00, 0, 0, 1, IL_FLOW_NEXT}, {"ceq", 0xFE01, 0, 2, 1, IL_FLOW_NEXT},
    {"cgt", 0xFE02, 0, 2, 1, IL_FLOW_NEXT}, {"cgt.un", 0xFE03, 0, 2, 1, IL_FLOW_NEXT},
    {"clt", 0xFE04, 0, 2, 1, IL_FLOW_NEXT}, {"clt.un", 0xFE05, 0, 2, 1, IL_FLOW_NEXT},
    {"ldftn", 0xFE06, 4, 0, 1, IL_FLOW_NEXT}, {"ldvirtftn", 0xFE07, 4, 1, 1, IL_FLOW_NEXT},
    {"ldarg", 0xFE09, 2, 0, 1, IL_FLOW_NEXT}, {"ldarga", 0xFE0A, 2, 0, 1, IL_FLOW_NEXT},
    {"starg", 0xFE0B, 2, 1, 0, IL_FLOW_NEXT}, {"ldloc", 0xFE0C, 2, 0, 1, IL_FLOW_NEXT},
    {"ldloca", 0xFE0D, 2, 0, 1, IL_FLOW_NEXT}, {"stloc", 0xFE0E, 2, 1, 0, IL_FLOW_NEXT},
    {"localloc", 0xFE0F, 0, 1, 1, IL_FLOW_NEXT}, {"endfilter", 0xFE11, 0, 1, 0, IL_FLOW_RETURN},
    {"unaligned.", 0xFE12, 1, 0, 0, IL_FLOW_PREFIX}, {"volatile.", 0xFE13, 0, 0, 0, IL_FLOW_PREFIX},
    {"tail.", 0xFE14, 0, 0, 0, IL_FLOW_PREFIX}, {"initobj", 0xFE15, 4, 1, 0, IL_FLOW_NEXT},
    {"constrained.", 0xFE16, 4, 0, 0, IL_FLOW_PREFIX}, {"cpblk", 0xFE17, 0, 3, 0, IL_FLOW_NEXT},
    {"initblk", 0xFE18, 0, 3, 0, IL_FLOW_NEXT}, {"rethrow", 0xFE1A, 0, 0, 0, IL_FLOW_THROW},
    {"sizeof", 0xFE1C, 4, 0, 1, IL_FLOW_NEXT}, {"refanytype", 0xFE1D, 0, 1, 1, IL_FLOW_NEXT},
    {"readonly.", 0xFE1E, 0, 0, 0, IL_FLOW_PREFIX},
};

enum { KNOWN = sizeof known / sizeof *known };

static void every_known_opcode_is_in_the_table(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < KNOWN; i++) {
        enum il_opcode opcode;
        assert_true(il_opcode_from_name(known[i].name, &opcode));
        const struct il_opcode_info *info = &il_opcodes[opcode];
        unsigned encoding = opcode < 0x100 ? opcode : 0xFE00U | (opcode & 0xFF);
        assert_int_equal(encoding, known[i].encoding);
        assert_int_equal(info->size, known[i].encoding < 0x100 ? 1 : 2);
        assert_int_equal(info->operand_bytes, known[i].operand_bytes);
        assert_int_equal(info->pops, known[i].pops);
        assert_int_equal(info->pushes, known[i].pushes);
        assert_int_equal(info->flow, known[i].flow);
    }
}

static void nothing_else_is_in_the_table(void **unused)
{
    (void)unused;
    unsigned count = 0;
    for (unsigned i = 0; i < IL_OPCODE_LIMIT; i++) {
        count += il_opcodes[i].name != NULL;
    }
    assert_int_equal(count, KNOWN);
    assert_null(il_opcodes[0x119].name); // no.
    assert_null(il_opcodes[IL_END].name);
    enum il_opcode opcode;
    assert_false(il_opcode_from_name("no.", &opcode));
}

static void short_branches_have_long_forms(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < IL_OPCODE_LIMIT; i++) {
        enum il_opcode opcode = (enum il_opcode)i;
        enum il_opcode wide = il_long_branch(opcode);
        if (il_opcodes[i].operand == IL_OPERAND_BRANCH8) {
            assert_int_equal(il_opcodes[wide].operand, IL_OPERAND_BRANCH32);
            assert_int_equal(il_opcodes[wide].pops, il_opcodes[i].pops);
        } else {
            assert_int_equal(wide, opcode);
        }
    }
    assert_int_equal(il_long_branch(IL_BLT_UN_S), IL_BLT_UN);
    assert_int_equal(il_long_branch(IL_LEAVE_S), IL_LEAVE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_known_opcode_is_in_the_table),
        cmocka_unit_test(nothing_else_is_in_the_table),
        cmocka_unit_test(short_branches_have_long_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
