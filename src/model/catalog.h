// The processes, modules, methods and threads that a recording defines, and what it left out. If a number is defined
// again, the newest record wins. Memory grows with the size of the program's code, not with its run time.
#ifndef CLEW_MODEL_CATALOG_H
#define CLEW_MODEL_CATALOG_H

#include "base/arena.h"
#include "base/map.h"
#include "recording/recording.h"

#define CATALOG_NONE UINT32_MAX

// A method as defined, and its place among other definitions of the same method.
struct catalog_method {
    struct recording_method record; // the name is never empty; flags that were not stated follow from it
    uint32_t module_index;          // in catalog.modules, or CATALOG_NONE
    uint32_t canonical; // index of the first method with the same definition (another load, another process, or itself)
};

// A thread as defined, and totals that the model adds up from its stream or tree.
struct catalog_thread {
    struct recording_thread record;
    uint64_t calls;                       // activations begun
    uint64_t open;                        // of these, still running at the last known moment
    uint64_t events;                      // entries and exits
    uint64_t lost;                        // events known to be missing from its stream
    uint64_t last_clock;                  // the last known moment
    uint64_t tree_offset;                 // file offset of its newest tree that counts all of its calls; 0: it has none
    bool of_stream;                       // that tree counts what the stream before it has
    uint32_t first_changes, last_changes; // in model_load's list: blocks of changes behind that tree; 0: none
    uint64_t runs_offset;                 // file offset of the newest figures of runs behind that tree; 0: none
    uint64_t throws_offset;               // the same of what was thrown
};

// All arrays are in order of first definition. The arena holds their texts.
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

// Add a definition, or replace the earlier one of the same number. Texts are copied; the record is the caller's.
// NO_MEMORY is the only error.
enum clew_error catalog_add_process(struct catalog *catalog, const struct recording_process *process);
enum clew_error catalog_add_module(struct catalog *catalog, const struct recording_module *module);
enum clew_error catalog_add_method(struct catalog *catalog, const struct recording_method *method);
enum clew_error catalog_add_thread(struct catalog *catalog, const struct recording_thread *thread);
enum clew_error catalog_add_not_woven(struct catalog *catalog, const struct recording_not_woven *method);
enum clew_error catalog_add_note(struct catalog *catalog, const struct recording_note *note);

// Return an index. A number without a definition (in a damaged recording) gets an entry with a placeholder name such as
// "(method 17)", so that views always find one. CATALOG_NONE when memory runs out.
uint32_t catalog_process(struct catalog *catalog, uint32_t process);
uint32_t catalog_method(struct catalog *catalog, uint32_t process, uint32_t method);
uint32_t catalog_thread(struct catalog *catalog, uint32_t process, uint32_t thread);
// How many methods it has, without the rows of call trees that are none.
uint32_t catalog_count_methods(const struct catalog *catalog);
// The same lookup without adding anything. CATALOG_NONE: not defined.
uint32_t catalog_find_method(const struct catalog *catalog, uint32_t process, uint32_t method);
uint32_t catalog_find_process(const struct catalog *catalog, uint32_t process);
uint32_t catalog_find_module(const struct catalog *catalog, uint32_t process, uint32_t module);
uint32_t catalog_find_thread(const struct catalog *catalog, uint32_t process, uint32_t thread);

// The last moment at which a thread is known to have run: its own end, or else its process's. Never before `seen`, the clock
// of its last event.
uint64_t catalog_last_moment(const struct catalog *catalog, uint32_t process, uint32_t thread, uint64_t seen);

// Fills in each method's module and canonical method, and whether exit statuses are known. Call it once, after all
// definitions.
enum clew_error catalog_link(struct catalog *catalog);
// Whether both are loads of one file: equal MVIDs (ECMA-335 II.22.30); without an MVID, equal path and name.
bool catalog_same_module(const struct recording_module *a, const struct recording_module *b);
// A hash that is equal for loads of one file.
uint64_t catalog_module_hash(const struct recording_module *module);

// Releases everything, and makes the catalog empty again.
void catalog_fini(struct catalog *catalog);

#endif
