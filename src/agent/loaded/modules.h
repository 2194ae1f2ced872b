// The registry of modules that the program has loaded, and struct module, which holds all that the agent knows about one:
// metadata, additions to the metadata, states of methods, sites. control/lifecycle.c fills it at
// ModuleLoadFinished and frees it at unload.
#ifndef CLEW_AGENT_MODULES_H
#define CLEW_AGENT_MODULES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "clr/profiling.h"
#include "metadata/names/names.h"
#include "metadata/tables/image.h"
#include "metadata/tables/metadata.h"
#include "ring/definition.h"
#include "weave/operations/probes.h"

// A new body of a method. The runtime keeps a pointer to it for as long as the module exists.
struct module_body {
    struct module_body *next; // of the same method: threads that compile it at once may both hand one over
    struct bytes original;    // the body in its place before
    _Atomic(struct original_body *) as_read; // rewrite/reflected.c: `original` for the program; NULL: not asked for yet
    _Alignas(4) uint8_t il[];
};

// Only a collectible module is ever freed, at ModuleUnloadFinished. Two rules keep it valid until then for its users. The
// runtime does not unload a module while it calls back about the module or a method of it. All other code reaches a module
// under class_lock or type_table_lock(), which modules_unloading() takes before the module goes away.
struct module {
    struct module *next; // in the list of modules that are being unloaded
    clr_id id;
    uint32_t number; // never used again
    _Atomic bool unloaded;
    uint32_t flags; // enum module_flag
    struct image image;
    struct metadata metadata;
    struct names *names;       // created by module_names() on first use, under the lock
    struct text assembly;      // borrowed from the metadata
    pthread_mutex_t lock;      // LOCK_MODULE: guards names, sites and additions to the metadata
    _Atomic uint32_t *methods; // enum method_state (methods.h) by row - 1
    uint32_t method_count;
    uint8_t *named;              // a bit by row: method_is_named(); NULL: of none. Guarded by the lock
    struct method_start *starts; // methods.h, by row - 1; NULL: nothing is known of any. Guarded by the lock
    uint32_t tail_calls;         // in the core library: the method that makes `tail.` calls for others; 0: none
    uint32_t event_callback;     // in the core library: the method that sessions call in managed event sources; 0: none
    uint32_t body_readers[2];    // in the core library: the methods by which the program reads IL; 0: unknown
    // Weaving.
    void *emit; // IMetaDataEmit; NULL: no method of the module may be changed
    struct weave_signatures signatures;
    uint32_t cancelled; // TypeRef of OperationCanceledException
    struct map
        emitted; // token of a signature that was added -> where its blob is in emitted_blobs: offset << 24 | size
    struct buffer emitted_blobs;
    struct map local_tokens;             // hash of a local signature that was added -> its token
    struct map type_tokens;              // hash of a TypeSpec's signature -> its token
    struct module_sites *sites;          // rewrite/site_definitions.c; NULL: no instrument of the session has sites
    struct resolved_reference *resolved; // types/type_signatures.c: definitions of its TypeRefs, by row
    _Atomic(_Atomic(struct module_body *) *) bodies; // by row of the method - 1; NULL: none yet
};

// The module with this id; NULL: unknown or unloaded. Lock-free.
struct module *module_find(clr_id id);
// The module that defines a method, and the method's MethodDef token. NULL: a dynamic method, or its module is unknown or
// unloaded; then *token has no meaning.
struct module *module_of_function(clr_id function, uint32_t *token);
// The module with the manifest of the assembly of this name. NULL: none is loaded, or several of that name. Needs
// type_table_lock().
struct module *modules_find_assembly(struct text name);
bool module_is_core_library(const struct module *module);
// Whether the core library defines the class under this name, without its namespace.
bool module_is_core_class(clr_id class, const char *name);
// Makes module->names usable. False: memory ran out. Needs the module's lock.
bool module_names(struct module *module);
// Makes the module visible to module_find(), so it must be complete. False: memory ran out, and it stays invisible.
bool module_publish(struct module *module);
// Hides the module from lookups and lists it for module_take_withdrawn().
void module_withdraw(struct module *module);
// Takes the module with this id that was withdrawn last off the list; NULL: there is none.
struct module *module_take_withdrawn(clr_id id);

#endif
