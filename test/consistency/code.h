// What a module's code can do to variables and fields without an event. It is read from the IL, not from the recording: without
// an instruction that names it, a local or private field can only be written through an address that the code takes.
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
    FIELD_OPEN = 1u << 4,      // neither private nor internal, so code of other modules may write it
    FIELD_NOT_WOVEN = 1u << 5, // a method without events in the recording writes it
};

struct code_module {
    uint32_t process, module;
    struct buffer file;
    struct metadata metadata; // borrows from file
    struct map methods;       // MethodDef token -> 1 + index into code.methods
};

// One bit for each variable, by number. Bit 63 is for all variables from number 63 on.
struct code_method {
    uint64_t locals_taken, parameters_taken;
    bool garbage; // locals are not zeroed at entry (SkipLocalsInit)
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

// Adds a method without events in the recording. Call it before code_add_module(). False: out of memory.
bool code_add_not_woven(struct code *code, uint32_t process, uint32_t module, uint32_t token);
// Reads the module's file. A file that cannot be read is ignored. False: out of memory.
bool code_add_module(struct code *code, uint32_t process, uint32_t module, const char *path);
void code_fini(struct code *code);

const struct code_module *code_module(const struct code *code, uint32_t process, uint32_t module);
// NULL: the method has no readable body.
const struct code_method *code_method(const struct code *code, const struct code_module *module, uint32_t token);

// The identity of a field, equal for all tokens that name it: a hash of its declaring type's name and its own name.
uint64_t code_field(const struct metadata *metadata, uint32_t token);
uint32_t code_field_facts(const struct code *code, uint64_t field);

#endif
