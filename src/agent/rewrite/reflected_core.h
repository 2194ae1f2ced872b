// What the core library has for reading the IL of methods: tokens and offsets of fields.
#ifndef CLEW_AGENT_REFLECTED_CORE_H
#define CLEW_AGENT_REFLECTED_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/loaded/modules.h"

// Tokens and offsets for the new end of GetMethodBody (reflected.c).
struct reflected_core {
    uint32_t handle, method;     // fields: m_handle of the reader's class, RuntimeMethodBody._methodBase
    uint32_t raw;                // field: RawData.Data
    uint32_t byte, variable;     // System.Byte, RuntimeLocalVariableInfo
    uint32_t copy;               // Array.Copy(Array, Array, int)
    uint32_t call, locals;       // StandAloneSig
    uint32_t reference, pointer; // numbers of the two locals: a reference of some class, and a native int
    // Offsets of fields in objects of RuntimeMethodBody and of RuntimeExceptionHandlingClause.
    uint32_t il, clauses, variables, locals_token, max_stack, init_locals;
    uint32_t try_offset, try_length, handler_offset, handler_length, filter_offset;
};

// GetMethodBody of RuntimeMethodInfo and of RuntimeConstructorInfo; 0: there is none.
void reflected_core_readers(const struct metadata *core, uint32_t readers[2]);
// False: the core library lacks something. Loads classes, so only in JITCompilationStarted.
bool reflected_core_find(const struct module *core, uint32_t reader, struct reflected_core *out);

#endif
