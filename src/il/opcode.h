#ifndef CLEW_IL_OPCODE_H
#define CLEW_IL_OPCODE_H
enum il_opcode { IL_END = 0x1FF };
#endif
