// The assemblies of the SDK, of test hosts and of test frameworks: what builds a program, starts it or calls its tests is not the
// program, although it runs in the same processes and some of it comes with symbols.
#ifndef CLEW_METADATA_TOOLS_H
#define CLEW_METADATA_TOOLS_H

#include "metadata/tables/metadata.h"

enum tool {
    TOOL_NONE,
    TOOL_SDK,
    TOOL_TEST_HOST,      // loads test assemblies into its process
    TOOL_TEST_FRAMEWORK, // calls tests
};

// By the name of the assembly and the key that signed it, so that no program of the user counts as a tool for its name.
enum tool tool_of(const struct metadata *metadata);

#endif
