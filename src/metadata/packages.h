// Which assemblies of a program come from packages: NAME.deps.json, which the SDK writes beside a program and its libraries, says
// so of each.
#ifndef CLEW_METADATA_PACKAGES_H
#define CLEW_METADATA_PACKAGES_H

#include "base/text.h"

enum packages_answer {
    PACKAGES_NO,
    PACKAGES_YES,
    PACKAGES_UNKNOWN, // there is no such file, as for the modules of a single-file program
};

// Whether one of the files *.deps.json in the folder of a module says that the assembly in it comes from a package.
enum packages_answer packages_have(const char *module_path, struct text assembly);
// Whether the content of one such file says so.
bool packages_list(struct bytes content, struct text assembly);

#endif
