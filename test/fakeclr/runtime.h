// A stand-in for the runtime: it loads the built agent as CoreCLR does, answers the calls of ICorProfilerInfo and of
// the metadata interfaces that the agent makes, and ends the process at any other call. The test plays managed code: it
// calls the functions that the woven IL would call, at the addresses that the IL contains.
//
// The agent's state is the process's, so each test runs in a child: fake_run().
#ifndef CLEW_FAKECLR_RUNTIME_H
#define CLEW_FAKECLR_RUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clr/profiling.h"
#include "metadata/tables/image.h"
#include "metadata/tables/metadata.h"

enum { FAKE_INSTANCES = 3, FAKE_SIGNATURES_MAX = 2048 };

// A FunctionID points to one of these.
struct fake_function {
    struct fake_module *module;
    uint32_t token;
};

struct fake_method {
    struct fake_function instances[FAKE_INSTANCES]; // a generic method's are many
    const uint8_t *il;                              // what the JIT compiles; NULL for abstract methods and the like
    uint32_t il_size;
    uint32_t times_set;
    uint32_t map_count; // of the newest IL map
};

struct fake_signature {
    uint8_t blob[512];
    uint32_t size;
};

// A ModuleID points to one of these.
struct fake_module {
    char path[256];
    uint8_t *bytes;
    size_t size;
    uint32_t flags; // enum clr_module_flag
    struct image image;
    struct metadata metadata;
    struct fake_method *methods; // by row - 1
    uint32_t method_count;
    bool opened;                       // for emitting
    _Atomic uint32_t metadata_objects; // interfaces that the agent has asked for and not released
    uint32_t assembly_refs, type_refs;
    struct fake_signature signatures[FAKE_SIGNATURES_MAX], type_specs[FAKE_SIGNATURES_MAX]; // made by the agent
    uint32_t signature_count, type_spec_count;
};

// Runs `body` in a child process that is given `seconds`; false when it fails a check, crashes or hangs.
bool fake_run(void (*body)(void), unsigned seconds);

// -- The agent's life -------------------------------------------------------------------------------------------------

// Loads the agent from DllGetClassObject to Initialize, as the runtime does at its start; returns the result of
// Initialize.
clr_result fake_start(void);
// Asks the agent for the factory of a class; returns the result of DllGetClassObject.
clr_result fake_class(const struct clr_guid *class_id);
// Calls a slot of the agent's callback object. Arguments that the callback does not have are ignored.
clr_result fake_callback(enum clr_callback_slot slot, uintptr_t a, uintptr_t b, uintptr_t c);

// The requests of the agent.
struct fake_asked {
    uint32_t mask_low, mask_high; // since it asked last: exceptions are only announced while they are among them
    uint32_t masks;               // how often it asked
    uintptr_t (*mapper)(clr_id, void *, int32_t *);
    void *mapper_context;
    void (*enter)(void), (*leave)(void), (*tailcall)(void);
};
extern struct fake_asked fake_asked;

// -- The program ------------------------------------------------------------------------------------------------------

// Reads a module into memory, without a callback. The bodies may be replaced before fake_load_finished().
struct fake_module *fake_module_new(const char *path);
void fake_load_finished(struct fake_module *module);
// Replaces a text in the module's strings by a shorter one; returns its offset there.
uint32_t fake_rename(struct fake_module *module, const char *longer, const char *text);
struct fake_module *fake_load(const char *path); // both
// ModuleUnloadStarted and ModuleUnloadFinished. The module may be loaded again, under the same ModuleID.
void fake_unload(struct fake_module *module);

// The FunctionID of an instance of a method.
static inline clr_id fake_function(struct fake_module *module, uint32_t row, unsigned instance)
{
    return (clr_id)&module->methods[row - 1].instances[instance];
}

static inline bool fake_has_il(const struct fake_module *module, uint32_t row)
{
    return module->methods[row - 1].il != NULL;
}

// JITCompilationStarted; then the JIT would read the method's il.
void fake_compile(struct fake_module *module, uint32_t row, unsigned instance);
// JITCompilationFinished: the code may run.
void fake_compiled(struct fake_module *module, uint32_t row, unsigned instance);

// -- Exceptions -------------------------------------------------------------------------------------------------------

enum { FAKE_PINS_MAX = 1024 };

extern uint16_t fake_version;       // the runtime's first number
extern bool fake_without_pins;      // whether it has no ICorProfilerInfo13
extern __thread clr_id fake_thread; // the calling thread's ThreadID; 0: it has none
// Whether all frames of the calling thread are native. Runtimes 9 and 10 crash when they announce the search for a
// handler then: the stand-in ends the test.
extern __thread bool fake_native_stack;
// The frame of the handler that has run, or is about to, on the calling thread; 0: none.
extern __thread uintptr_t fake_handler_frame;

// An object as the runtime lays it out; a ClassID points to a fake_class. What it wraps is in the class's one field.
struct fake_class {
    uint32_t table_flags, base_size; // as a method table begins
    struct fake_module *module;
    const struct fake_class *base; // likewise
    uint32_t token;
    uint32_t field_count;
};
struct fake_object {
    uintptr_t class; // the collector may use the lowest bits
    uint64_t other[3];
    const struct fake_object *field;
};

// The pinned handles that the agent has made and not destroyed, and how many of them are of an object.
uint32_t fake_pins(void);
uint32_t fake_pins_of(clr_id object);

// -- Faults -----------------------------------------------------------------------------------------------------------

// The agent's calls of the runtime from now on: call number `from` (1 is the next) fails, and with `all` every one
// after. 0: none fails.
void fake_fail_calls(uint32_t from, bool all);
uint32_t fake_calls_made(void); // since then

// Called before each SetILFunctionBody is taken: a test's look at the moment.
extern void (*fake_before_set)(struct fake_module *module, uint32_t token, const uint8_t *il, size_t size);

#endif
