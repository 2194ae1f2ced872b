// Which assemblies of a program come from packages: NAME.deps.json, which the SDK writes beside a program and its libraries, says
// so of each.
#ifndef CLEW_METADATA_PACKAGES_H
#define CLEW_METADATA_PACKAGES_H

#include "base/text.h"

enum packages_answer {
    PACKAGES_UNKNOWN, // no such file names the assembly
    PACKAGES_NO,      // it comes from a project, say
    PACKAGES_YES,
};

// Whether the assembly comes from a package, as the files *.deps.json in the folder of its module say. One that says so decides.
enum packages_answer packages_have(const char *module_path, struct text assembly);
// The same of the content of one such file.
enum packages_answer packages_list(struct bytes content, struct text assembly);

#endif
