// What a module's own code can do to variables and fields behind a recording's back: read from the IL, not from the recording.
// An address that is taken is the only way to write a local or a private field without an instruction that names it.
#ifndef CLEW_TEST_CONSISTENCY_CODE_H
#define CLEW_TEST_CONSISTENCY_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/text.h"
#include "metadata/tables/metadata.h"

enum field_fact {
    FIELD_OWN = 1u << 0, // declared in one of the modules
    FIELD_ADDRESS_TAKEN = 1u << 1,
    FIELD_THREAD_STATIC = 1u << 2,
    FIELD_GENERIC = 1u << 3,   // of a generic type: a static one exists once for each instantiation
    FIELD_OPEN = 1u << 4,      // code of other modules may write it: neither private nor internal
    FIELD_NOT_WOVEN = 1u << 5, // a method writes it that the recording has no events of
};

struct code_module {
    uint32_t process, module;
    struct buffer file;
    struct metadata metadata; // borrows from it
    struct map methods;       // MethodDef token -> 1 + index into code.methods
};

// By number of the variable, up to 64; the bits of others are together in the last.
struct code_method {
    uint64_t locals_taken, parameters_taken;
    bool garbage; // locals are not zero at first (SkipLocalsInit)
};

struct code {
    struct code_module *modules;
    size_t module_count, module_room;
    struct code_method *methods;
    size_t method_count, method_room;
    struct map fields;    // identity -> enum field_fact
    struct map not_woven; // methods
};

static inline uint64_t code_bit(uint32_t variable)
{
    return UINT64_C(1) << (variable < 63 ? variable : 63);
}

// A method that the recording has no events of; to be told before its module. False: memory ran out.
bool code_add_not_woven(struct code *code, uint32_t process, uint32_t module, uint32_t token);
// Reads the module's file; one that cannot be read is not added. False: memory ran out.
bool code_add_module(struct code *code, uint32_t process, uint32_t module, const char *path);
void code_fini(struct code *code);

const struct code_module *code_module(const struct code *code, uint32_t process, uint32_t module);
// NULL: it has no body that could be read.
const struct code_method *code_method(const struct code *code, const struct code_module *module, uint32_t token);

// One number for a field, whatever token names it: of its declaring type's name and its own.
uint64_t code_field(const struct metadata *metadata, uint32_t token);
uint32_t code_field_facts(const struct code *code, uint64_t field);

#endif
