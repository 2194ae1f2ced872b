// Who is who in a recording: processes, modules, methods, threads, and what was left out. The newest record of a number
// wins. Small: it grows with the program's code, not with what the program did.
#ifndef CLEW_MODEL_CATALOG_H
#define CLEW_MODEL_CATALOG_H

#include "base/arena.h"
#include "base/map.h"
#include "recording/recording.h"

#define CATALOG_NONE UINT32_MAX

struct catalog_method {
    struct recording_method record; // name never empty
    uint32_t module_index;          // in catalog.modules, or CATALOG_NONE
    uint32_t canonical; // index of the first method of the same definition (another load, another process, itself)
};

struct catalog_thread {
    struct recording_thread record;
    uint64_t calls;       // activations begun
    uint64_t open;        // of these, still running at the last moment seen
    uint64_t events;      // entries and exits
    uint64_t lost;        // events known to be missing from its stream
    uint64_t last_clock;  // the last moment seen
    uint64_t tree_offset; // of its newest tree in the file; 0: it has none
};

struct catalog {
    struct arena arena;
    struct recording_process *processes;
    uint32_t process_count;
    size_t process_room;
    struct recording_module *modules;
    uint32_t module_count;
    size_t module_room;
    struct catalog_method *methods;
    uint32_t method_count;
    size_t method_room;
    struct catalog_thread *threads;
    uint32_t thread_count;
    size_t thread_room;
    struct recording_not_woven *not_woven;
    uint32_t not_woven_count;
    size_t not_woven_room;
    struct recording_note *notes;
    uint32_t note_count;
    size_t note_room;
    struct map process_map, module_map, method_map, thread_map, not_woven_map, note_map;
};

// Copy what they are given.
enum clew_error catalog_add_process(struct catalog *catalog, const struct recording_process *process);
enum clew_error catalog_add_module(struct catalog *catalog, const struct recording_module *module);
enum clew_error catalog_add_method(struct catalog *catalog, const struct recording_method *method);
enum clew_error catalog_add_thread(struct catalog *catalog, const struct recording_thread *thread);
enum clew_error catalog_add_not_woven(struct catalog *catalog, const struct recording_not_woven *method);
enum clew_error catalog_add_note(struct catalog *catalog, const struct recording_note *note);

// Indices; what is not defined (a damaged recording) is made up: "(method 17)". CATALOG_NONE when memory runs out.
uint32_t catalog_process(struct catalog *catalog, uint32_t process);
uint32_t catalog_method(struct catalog *catalog, uint32_t process, uint32_t method);
uint32_t catalog_thread(struct catalog *catalog, uint32_t process, uint32_t thread);
// The same without making anything up: CATALOG_NONE when not defined.
uint32_t catalog_find_method(const struct catalog *catalog, uint32_t process, uint32_t method);
uint32_t catalog_find_process(const struct catalog *catalog, uint32_t process);
uint32_t catalog_find_module(const struct catalog *catalog, uint32_t process, uint32_t module);
uint32_t catalog_find_thread(const struct catalog *catalog, uint32_t process, uint32_t thread);

// Links methods to their modules and equal methods, and settles whether exit statuses are known; call once all definitions are in.
enum clew_error catalog_link(struct catalog *catalog);
// Whether both are loads of one file: same MVID, else same path and name.
bool catalog_same_module(const struct recording_module *a, const struct recording_module *b);
// Equal for loads of one file.
uint64_t catalog_module_hash(const struct recording_module *module);

void catalog_fini(struct catalog *catalog);

#endif
