// The modules that the program has loaded.
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
#include "weave/calls.h"

// A method's new body, which the runtime has been given.
struct module_body {
    struct module_body *next;
    _Alignas(4) uint8_t il[];
};

// Freed once a collectible module is gone. The runtime keeps a module for as long as it calls back about it or its methods;
// who comes to one by other ways holds a lock that modules_unloading() takes: that of classes.c or of the type table.
struct module {
    struct module *next; // of those that are being unloaded
    clr_id id;
    uint32_t number; // never used again
    _Atomic bool unloaded;
    uint32_t flags; // enum module_flag
    struct image image;
    struct metadata metadata;
    struct names *names;       // made on first need, under lock
    struct text assembly;      // borrowed from the metadata
    pthread_mutex_t lock;      // names, emitting
    _Atomic uint32_t *methods; // enum method_state (methods.h) by row - 1
    uint32_t method_count;
    uint32_t tail_calls;     // of the core library: the method that makes `tail.` calls for others; 0: it has none
    uint32_t event_callback; // likewise: by which sessions reach managed event sources (event_source.h)
    // Weaving.
    void *emit; // IMetaDataEmit; NULL where nothing may be woven
    struct weave_signatures signatures;
    struct map
        emitted; // token of a signature that was made here -> its blob's place in emitted_blobs: offset << 24 | size
    struct buffer emitted_blobs;
    struct map local_tokens;             // hash of a local signature that was made here -> its token
    struct map type_tokens;              // hash of a TypeSpec's signature -> its token
    struct module_sites *sites;          // rewrite/site_definitions.c; NULL where no instrument has sites
    struct resolved_reference *resolved; // types/type_signatures.c: definitions of its TypeRefs, by row
    _Atomic(struct module_body *) bodies;
};

struct module *module_find(clr_id id); // NULL: unknown or unloaded
// The module that defines a method, and the method's MethodDef token. NULL: a dynamic method, or its module is unknown or
// unloaded; then *token has no meaning.
struct module *module_of_function(clr_id function, uint32_t *token);
// The module with the manifest of an assembly of that name. NULL when there is none, or more than one. Under
// type_table_lock().
struct module *modules_find_assembly(struct text name);
bool module_is_core_library(const struct module *module);
bool module_names(struct module *module); // makes names; the caller holds the lock
// From now on others can find the module: it must be whole. False: memory ran out, and nobody finds it.
bool module_publish(struct module *module);
// From now on nobody does, but module_take_withdrawn().
void module_withdraw(struct module *module);
// The newest one with the id that was withdrawn, once; NULL: none was.
struct module *module_take_withdrawn(clr_id id);

#endif
