// What a recording holds, in the few figures that are told when it ends.
#ifndef CLEW_CLI_SUMMARY_H
#define CLEW_CLI_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "recording/reader.h"

struct summary_reason {
    const char *reason;
    uint32_t count;
};

struct summary_method {
    const char *name, *reason;
};

struct summary_module {
    const char *name, *reason;
    uint32_t flags; // enum ring_module_flag
};

struct summary {
    struct arena texts;
    uint64_t size; // of the file
    uint64_t events, lost;
    uint32_t processes, dormant, cut, threads, methods;
    bool ended, complete, over_cap;
    enum clock_kind clock;
    const char *runtime; // of the first process
    uint64_t probe_ps;   // the worst of all processes; 0 unknown
    uint64_t dynamic_methods;
    uint64_t pauses, paused_ns;
    double seconds;                 // of the session; 0 without a clock
    struct summary_reason *reasons; // why methods are missing, the commonest first
    uint32_t reason_count;
    size_t reason_room;
    struct summary_method *missing; // each of those methods
    uint32_t missing_count;
    size_t missing_room;
    struct summary_module *modules; // as loaded, all processes
    uint32_t module_count;
    size_t module_room;
    const char **notes;
    uint32_t note_count;
    size_t note_room;
};

enum clew_error summary_read(const char *path, struct summary *out);
void summary_free(struct summary *summary);

#endif
