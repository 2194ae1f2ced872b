// Checks whether a file can be a profiler that runtimes on this machine load, before anything starts: a runtime says
// nothing when it cannot load one.
#ifndef CLEW_COLLECTOR_PROFILER_LIBRARY_H
#define CLEW_COLLECTOR_PROFILER_LIBRARY_H

#include <stdbool.h>

#include "base/bytes.h"

enum { PROFILER_CLASS_SIZE = 39 }; // "{8-4-4-4-12}" and NUL

// Writes the class identifier as runtimes want it, in braces. False when the text is none; it may have braces or not.
bool profiler_class(const char *text, size_t size, char class[PROFILER_CLASS_SIZE]);

// What there is to say about a library that can be loaded, if its profiler does not work.
struct profiler_library {
    bool stays;     // it is not unloaded where the profiler refuses, so that does not show
    bool has_class; // it has the class identifier somewhere, as a number or as text; one that has not hardly knows it
};

// True when the library can be loaded, and exports what a runtime asks a profiler for; otherwise `why` gets one sentence
// with cause and cure, without a full stop. `program` is the file that is to be started: if it has another dynamic
// loader than clew, dependencies are not looked at. None of the library's code runs.
bool profiler_library_works(const char *path, const char *program, const char class[PROFILER_CLASS_SIZE],
                            struct profiler_library *out, struct buffer *why);

#endif
