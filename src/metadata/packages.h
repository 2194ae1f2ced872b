// Which assemblies of a program come from packages: NAME.deps.json, which the SDK writes beside a program and its libraries, says
// so of each.
#ifndef CLEW_METADATA_PACKAGES_H
#define CLEW_METADATA_PACKAGES_H

#include "base/text.h"

// Whether one of the files *.deps.json in the folder of a module says that the assembly in it comes from a package. False if
// there is none that can be read, as for the modules of a single-file program.
bool packages_have(const char *module_path, struct text assembly);
// The same, by the content of one such file.
bool packages_list(struct bytes content, struct text assembly);

#endif
