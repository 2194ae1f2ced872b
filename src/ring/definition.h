// Definitions: what the numbers in events stand for. The agent writes each one once, before the first event that uses
// it. They go through a byte ring of their own in the segment, with one writer at a time (the agent's lock of
// definitions) and one reader, the collector. Without room the writer waits, until the collector counts as gone
// (agent/session/report.c).
#ifndef CLEW_RING_DEFINITION_H
#define CLEW_RING_DEFINITION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "ring/ring.h"

// The types of definitions, each with the fields of struct ring_definition that it uses.
enum ring_definition_type {
    RING_DEFINE_RUNTIME = 1,    // name: "CoreCLR 10.0.12"; path: the program's entry, as far as known
    RING_DEFINE_MODULE = 2,     // module, flags, mvid, name, path; reason: why it is out of scope, or empty
    RING_DEFINE_METHOD = 3,     // method, module, token, kind, flags, name; number: what starts it (recording.h)
    RING_DEFINE_NOT_WOVEN = 4,  // module, token, name, reason
    RING_DEFINE_THREAD = 5,     // os_id, name: when a thread begins or its name changes, even if it records nothing
    RING_DEFINE_NOTE = 6,       // reason: one sentence for the user
    RING_DEFINE_MODULE_END = 7, // module: unloaded
    RING_DEFINE_SITES = 8,      // method; number: of its first site; blob, roles: trace/site.h
    RING_DEFINE_DOCUMENT = 9,   // module, number, path as in the symbols; kind: enum hash_kind; blob: its hash;
                                // flags: enum source_language
    RING_DEFINE_TYPE = 10,      // number, module and token where it is defined (0: none), flags; blob: trace/site.h
    RING_DEFINE_ASYNC = 11,     // method: the body; number: of its kick-off, or 0; flags: enum async_flag;
                                // blob: trace/await.h
    RING_DEFINE_COMPILED =
        12, // the JIT has compiled a method: module, token, flags, ns; kind and name unless the collector has them
};

// Fields that a type does not use are zero or empty.
struct ring_definition {
    enum ring_definition_type type;
    uint32_t module; // 1, 2, 3 in order of loading, within the process
    uint32_t method; // METHOD_FIRST_REAL and up
    uint32_t token;  // MethodDef token
    uint32_t kind;   // enum method_kind
    uint32_t flags;  // enum module_flag, method_flag, type_flag, source_language or compiled_flag
    uint32_t thread;
    uint32_t os_id;
    uint32_t number;  // of a site, document or type
    uint64_t ns;      // that it took
    uint8_t mvid[16]; // module version id (ECMA-335 II.22.30), as the metadata stores it
    struct text name; // borrowed
    struct text path;
    struct text reason;
    struct bytes blob;
    struct bytes roles;
};

// Appends the definition to the buffer, which fails (buffer.failed) when memory runs out.
void ring_definition_encode(struct buffer *buffer, const struct ring_definition *definition);
// Texts, blob and roles of *out point into `bytes`. False: malformed.
bool ring_definition_decode(struct bytes *bytes, struct ring_definition *out);

// The agent's side; the caller holds the agent's lock of definitions. False: there is no room now, or there never is.
bool ring_definition_write(struct ring_header *ring, const struct buffer *encoded);
// Whether a definition of this size fits into an empty ring.
bool ring_definition_fits(size_t size);

// The collector's side: replaces the content of `into` by the next definition's bytes. False: there is none.
bool ring_definition_read(struct ring_header *ring, struct buffer *into);
// The same in two steps, for a collector that may be killed before it has stored the definition. Peek copies the
// definition at *cursor, which starts as definitions_read, and moves the cursor behind it; release frees the space
// before the cursor. NOT_FOUND: there is none. MALFORMED: no agent wrote these cursors or this size, and the ring
// cannot be read any further.
enum clew_error ring_definition_peek(struct ring_header *ring, uint64_t *cursor, struct buffer *into);
void ring_definition_release(struct ring_header *ring, uint64_t cursor);

#endif
