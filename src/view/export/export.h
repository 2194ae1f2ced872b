// What the formats of exports share: the running export, methods with their places in the source, walks over call trees.
#ifndef CLEW_VIEW_EXPORT_H
#define CLEW_VIEW_EXPORT_H

#include "model/sites.h"
#include "view/export/exports.h"
#include "view/table/table_rows.h"

// Stacks are cut at this level, and what is below counts as a frame export_deeper there: formats that repeat the stack for
// each path would otherwise grow with the square of a recursion's depth.
enum { EXPORT_LEVELS_MAX = 1000 };
extern const char export_deeper[];

// One running export.
struct export
{
    struct table_source source; // comes first: tables of calls find the export by it
    FILE *out;
    struct model *model;
    const struct export_options *options;
    struct method_place *places; // by index of a canonical method; NULL: none is known
    uint32_t place_count;
};

// The canonical method of a process's method, also for pseudo-methods. CATALOG_NONE: memory ran out.
uint32_t export_method(struct export *export, uint32_t process, uint32_t method);
// Its name and its place; empty if unknown.
struct text export_name(const struct export *export, uint32_t canonical);
struct method_place export_place_of(const struct export *export, uint32_t canonical);
// The name of the module, empty if unknown.
struct text export_module(const struct export *export, uint32_t canonical);
// Appends "thread 3 (name)" with the process where there are several, and "process 2 (command)".
void export_thread_title(struct buffer *into, const struct export *export, uint32_t process, uint32_t thread);
void export_process_title(struct buffer *into, const struct export *export, uint32_t process);
// Whether an activation of the process's method is a run of an async method that runs may continue.
bool export_is_run(const struct export *export, uint32_t process, uint32_t method);
// Identifies the wait that a run ends with, in all processes.
uint64_t export_wait(uint32_t process, uint64_t run);
// `logical` or `physical`: what the callers of async methods in the trees are; NULL: no async methods are known, so there is no
// difference.
const char *export_view(const struct export *export);
// The same as a sentence.
const char *export_view_sentence(const struct export *export);
// Nanoseconds since the session's start.
uint64_t export_ns(const struct export *export, uint64_t clock);

// Processes and threads that were described already. Zero-initialise; the user frees `known`.
struct export_said {
    struct map known;
    bool failed; // memory ran out
};
// Whether the thread, or with thread 0 the process, was asked about before; true when memory runs out.
bool export_was_said(struct export_said *said, uint32_t process, uint32_t thread);

// A path of a call tree while its tree is walked.
struct export_path {
    const struct model_tree *tree;
    const struct tree_node *node;
    const uint32_t *methods; // canonical, outermost first; the last is the node's own
    uint32_t levels;
    bool deeper; // the node is at EXPORT_LEVELS_MAX and has more below, which `calls` and `own` include
    uint64_t calls, own, cpu_user_ns, cpu_kernel_ns; // own in ticks
};
typedef enum clew_error export_take_path(void *context, const struct export_path *path);

// Calls `take` for each path of a tree, parents before their children. NO_MEMORY, or the error of `take`.
enum clew_error export_walk(struct export *export, const struct model_tree *tree, export_take_path *take,
                            void *context);

// Loads the places of methods where the recording has sites. Called by export_write().
enum clew_error export_load_places(struct export *export);
void export_free_places(struct export *export);

#endif
