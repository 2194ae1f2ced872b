// The agent's one state and what its files know of each other. Everything here runs in callbacks of the runtime, most of
// them in preemptive mode (pins.c says which are not); what runs inside managed code is probe*.c alone.
#ifndef CLEW_AGENT_AGENT_H
#define CLEW_AGENT_AGENT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/probe.h"
#include "base/map.h"
#include "clr/profiling.h"
#include "metadata/image.h"
#include "metadata/metadata.h"
#include "metadata/names.h"
#include "ring/definition.h"
#include "ring/ring.h"
#include "weave/sites.h"

// What became of a method: an entry of module.methods.
enum method_state {
    METHOD_NEW = 0,
    METHOD_BUSY = 1,    // a thread is deciding; others wait, or the JIT would compile what is about to change
    METHOD_LEFT = 2,    // out of scope, or not woven for a reason that was told
    METHOD_NUMBERS = 16 // this and above: recorded, and this is clew's number (RING_METHOD_FIRST_REAL) with its marks
};

struct module {
    struct module *next; // in the bucket of modules.c
    clr_id id;
    uint32_t number;
    _Atomic bool unloaded;
    uint32_t flags; // enum ring_module_flag
    struct image image;
    struct metadata metadata;
    struct names *names;       // made on first need, under lock
    struct text assembly;      // borrowed from the metadata
    pthread_mutex_t lock;      // names, emitting
    _Atomic uint32_t *methods; // enum method_state by row - 1
    uint32_t method_count;
    uint32_t tail_calls;     // of the core library: the method that makes `tail.` calls for others; 0: it has none
    uint32_t event_callback; // likewise: by which sessions reach managed event sources (event_source.h)
    // Weaving.
    void *emit; // IMetaDataEmit; NULL where nothing may be woven
    struct weave_signatures signatures;
    struct map
        emitted; // token of a signature that was made here -> its blob's place in emitted_blobs: offset << 24 | size
    struct buffer emitted_blobs;
    struct map local_tokens;    // hash of a local signature that was made here -> its token
    struct map type_tokens;     // hash of a TypeSpec's signature -> its token
    struct module_sites *sites; // sites.c; NULL where no instrument has sites
    struct type_place *places;  // types.c: where its TypeRefs lead
};

// A pattern of --include, of --exclude, or of an instrument's own scope.
struct scope_pattern {
    struct text assembly, name;
    uint32_t instruments; // that it is for, or-ed
    bool exclude;
};

struct scope {
    struct scope_pattern *patterns;
    uint32_t count;
    uint32_t chosen; // the instruments that patterns choose for: the default of my code does not apply to them
};

// What of the configuration is no scope.
struct settings {
    struct text *redacted; // globs without case and underscores, of names of places
    uint32_t redacted_count;
    bool redact_all;      // there was no memory for a glob
    uint32_t string_max;  // UTF-16 units of a string that are recorded
    struct text *folders; // where symbols are looked for that are not with their module
    uint32_t folder_count;
};

struct agent {
    void *info;
    struct ring_header *ring;
    const struct probe_set *probes;
    struct weave_targets targets;
    struct scope scope;
    struct settings settings;
    uint32_t instruments; // enum ring_instrument, or-ed: of the session
    bool all_code;
    _Atomic uint32_t next_method;
    _Atomic uint32_t next_module;
    _Atomic uint32_t next_site;
    _Atomic bool entry_seen;
    _Atomic bool stopped;        // after Shutdown: nothing new is woven
    bool forked;                 // this process is a child of the program, without its other threads
    pthread_mutex_t definitions; // the writers of the definition ring
    char folder[4096];           // of the executable
};

// The runtime calls back with nothing but an object that it may share between threads, so the state is global.
extern struct agent agent;

// startup.c
clr_result agent_start(void *unknown);
void agent_shutdown(void);

// listening.c: which events the runtime announces.
clr_result listening_start(void);         // at Initialize: all but exceptions
void listening_compiled(clr_id function); // JITCompilationFinished: exceptions too, if the method is recorded
void listening_inlined(void);             // a recorded method becomes part of another: as if that were recorded
void listening_thrown(void);              // ExceptionThrown: exceptions no more, if the runtime would crash

// report.c: definitions for the collector. They wait for room, and give up when the collector reads no more. False: the
// collector does not get the definition: memory ran out, nothing reads it, or it is longer than the ring
// (ring_definition_fits()).
bool report_definition(const struct ring_definition *definition);
void report_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

// modules.c
void modules_loaded(clr_id id);
void modules_unloaded(clr_id id);
struct module *module_find(clr_id id); // NULL: unknown or unloaded
// The module with the manifest of an assembly of that name. NULL when there is none, or more than one.
struct module *modules_find_assembly(struct text name);
bool module_is_core_library(const struct module *module);

// scope.c
// The configuration lines; of a scope without --include and without a pattern of its own an instrument has my code.
void scope_parse(struct scope *scope, struct text lines);
// Which of `instruments` could have a method of the module in their scope.
uint32_t scope_may_have(const struct scope *scope, uint32_t instruments, const struct module *module);
// Which of `instruments` have the method in their scope. The caller holds the module's lock.
uint32_t scope_has(const struct scope *scope, uint32_t instruments, struct module *module, uint32_t token);

// settings.c
// Of the configuration lines "redact GLOB" (in place of the default; an empty one for nothing at all), "string-max N" and
// "symbols FOLDER". Both texts stay in use; the last folder is the one of the program's executable (single-file programs).
void settings_parse(struct settings *settings, struct text lines, struct text program_folder);
// Whether the value of a place of this name is left out; one without a name is not.
bool settings_redact(const struct settings *settings, struct text name);

// methods.c
// What probes know a method of any module as: clew's number with its marks; 0 if it is not recorded.
uint32_t method_number(clr_id function);
// Whether it is the runtime's own that makes `tail.` calls for methods whose frames have no room for the arguments.
bool method_makes_tail_calls(clr_id function);
// Takes a method for deciding: true if this thread is to decide and then call method_decided(); false when it is decided
// already (waits while another thread is at it).
bool method_take(struct module *module, uint32_t token);
void method_decided(struct module *module, uint32_t token, uint32_t state);
// Gives the method its number and defines it; the caller holds the module's lock. 0 when memory runs out.
uint32_t method_define(struct module *module, uint32_t token);
// The number with its enum ring_method_mark, for a method that is in scope of these instruments.
uint32_t method_marked(uint32_t number, uint32_t instruments);
void method_not_woven(struct module *module, uint32_t token, const char *reason);
bool module_names(struct module *module); // makes names; the caller holds the lock

// weaving.c
// At module load: opens for emitting, makes what all methods need, and those with sites.
bool weaving_prepare(struct module *module, bool for_sites);
void weaving_compile(clr_id function);            // JITCompilationStarted
void weaving_compilation_begins(clr_id function); // of a dynamic method, in which nothing is woven
void weaving_compilation_ends(clr_id function);   // of either
bool weaving_refuses_precompiled(clr_id function);
bool weaving_allows_inlining(clr_id callee);

// A TypeSpec for the type. The caller holds the module's lock.
bool weaving_type_token(struct module *module, struct bytes signature, uint32_t *token);

// sites.c: where a method's statements and values are, and what is told of them. The caller of all but start holds the
// module's lock, or is alone with the module.
bool sites_start(void); // false: no memory, and so no sites
void sites_prepare(struct module *module, const char *path);
void sites_forget(struct module *module);
// The sites of a method for these instruments. False: it has none, or they cannot be told.
bool sites_plan(struct module *module, uint32_t token, uint32_t instruments, struct il_body *body,
                struct weave_plan *out);
// Numbers and defines them: the first one's number, or 0 when there are no more.
uint32_t sites_define(const struct module *module, uint32_t method, struct weave_plan *plan);

// bodies.c
struct body_owner {
    clr_id module, function;
    uint32_t token;
};
// Gives the runtime a method's new body: `encoded` by il_encode() from `body`, which says what went where. *lines: false
// if the method is so large that its stack traces may show lines before those that ran; NULL: the caller does not ask.
enum clew_error body_hand_over(const struct body_owner *owner, const struct il_body *body, const struct buffer *encoded,
                               bool *lines);

// hooking.c
bool hooking_start(void);
void hooking_compile(clr_id function); // JITCompilationStarted

// exceptions.c
void exception_unwind_enter(clr_id function);
void exception_unwind_leave(void);
void exception_finally_enter(void);
void exception_finally_leave(void);
void exception_catcher_enter(clr_id function);
void exception_filter_enter(clr_id function);
void exception_filter_leave(void);

// pins.c
void pins_start(void);              // asks the runtime whether exceptions can be pinned, and need be
void pins_thrown(clr_id exception); // ExceptionThrown
void pins_handled(void);            // ExceptionCatcherLeave
void pins_thread_destroyed(clr_id thread);
void pins_report(void); // at the end: what could not be done

// threads.c
void threads_assigned(clr_id thread, uint32_t os_id);
void threads_destroyed(clr_id thread);
void threads_named(clr_id thread, const clr_char *name, uint32_t length);

#endif
