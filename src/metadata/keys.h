// The keys that sign the assemblies which clew knows by name. A name alone proves nothing: any program may use it for an assembly
// of its own.
#ifndef CLEW_METADATA_KEYS_H
#define CLEW_METADATA_KEYS_H

#include "metadata/tables/metadata.h"

enum key { // or-ed
    KEY_UNSIGNED = 1 << 0,
    KEY_FRAMEWORK = 1 << 1, // of .NET itself, and of what is built with it
    KEY_MICROSOFT = 1 << 2, // of other things by Microsoft
    KEY_XUNIT = 1 << 3,
    KEY_NUNIT = 1 << 4,
};

// Whose key the assembly of the module has, or an assembly that it refers to. 0: none of these.
unsigned key_of_assembly(const struct metadata *metadata);
unsigned key_of_reference(const struct metadata *metadata, uint32_t row);

#endif
